"""``--merged`` through the command: the page and numbers of the whole, properties in Parquet."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank import Scoring
from abrank.cli import run
from abrank.engines import Engine
from tests.comparison.test_merged import assert_same
from tests.engines.conftest import write

MEASURES = ["nDCG@5", "P@3"]


@pytest.fixture(scope="module")
def properties(collection, tmp_path_factory):
    """Where ``kind`` of most queries and ``user`` of all stand, as one Parquet file and as CSV."""
    folder = tmp_path_factory.mktemp("properties")
    ids = list(collection.scores.query_ids)
    kind = [None if i % 10 == 0 else "buy" if i % 3 else "know" for i in range(len(ids))]
    frame = pd.DataFrame({"query_id": ids, "kind": kind, "user": [i // 3 for i in range(len(ids))]})
    frame.to_parquet(folder / "about.parquet", row_group_size=7, index=False)
    frame[["query_id", "user"]].to_csv(folder / "user.csv", index=False)
    frame[["query_id", "kind"]].fillna("").to_csv(folder / "kind.csv", index=False)
    return folder


def compare(collection, capfd, *more):
    paths = [str(path) for path in (collection.folder / "qrels", *collection.paths.values())]
    named = [flag for name in MEASURES for flag in ("-m", name)]
    code = run(["compare", *paths, *named, "--format", "json", "--quiet", *more])
    out, err = capfd.readouterr()
    return code, json.loads(out) if code in (0, 1) else None, err


def same_parts(found, whole, *parts):
    for part in parts:
        assert_same(found[part], whole[part], place=part)


@pytest.mark.parametrize("file", ["about.parquet", "kind.csv"])
def test_segments_are_read_beside_each_partition(collection, properties, capfd, file):
    flags = [
        "--segments",
        str(properties / "kind.csv"),
        "--config",
        "adjust=holm",
        "--margin",
        "0.01",
    ]
    gate = ["--require", "non-inferior", "--guard", "P@3:-0.1"]
    code, whole, _ = compare(collection, capfd, *flags, *gate)
    flags[1] = str(properties / file)
    again, found, _ = compare(collection, capfd, *flags, *gate, "--merged")
    assert again == code
    same_parts(found, whole, "verdict", "measures", "settings", "quality", "systems")
    by_name = {each["name"]: each for each in found["segments"]}
    assert set(by_name) == {"kind", "user"} if file == "about.parquet" else {"kind"}
    rows = [{k: v for k, v in row.items() if "_adj" not in k and k != "reading"}
            for row in by_name["kind"]["rows"]]  # fmt: skip
    for mine, theirs in zip(rows, whole["segments"][0]["rows"], strict=True):
        assert_same(mine, {key: theirs[key] for key in mine})
    assert [row["label"] for row in rows] == ["buy", "know", "(none)"]


def test_a_level_above_every_grade_is_told(collection, capfd):
    _, found, _ = compare(collection, capfd, "-m", "AP", "--config", "rel=99", "--merged")
    told = {note["code"]: note["values"] for note in found["notes"]}
    assert told["none-relevant"]["measures"] == ["P(rel=99)@3", "AP(rel=99)"]


def test_clusters_are_read_beside_each_partition(collection, properties, capfd):
    _, whole, _ = compare(collection, capfd, "--clusters", str(properties / "user.csv"))
    given = ["--segments", str(properties / "about.parquet"), "--clusters", "user"]
    for flags in (["--clusters", str(properties / "user.csv")], given):
        _, found, _ = compare(collection, capfd, *flags, "--merged")
        same_parts(found, whole, "verdict", "measures")
        assert found["clusters"]["n_clusters"] == whole["clusters"]["n_clusters"] == 20
        tests = [(row["title"], row["method"]) for row in found["tests"]]
        assert tests == [(row["title"], row["method"]) for row in whole["tests"]]
    assert "segments by kind were not tested" in " ".join(found["remarks"])


def test_a_query_without_a_cluster_or_with_two_is_an_error(collection, properties, capfd, tmp_path):
    table = pq.read_table(properties / "about.parquet", columns=["query_id", "user"])
    pq.write_table(table.slice(1), tmp_path / "fewer.parquet")
    code, _, err = compare(
        collection, capfd, "--merged", "--clusters", str(tmp_path / "fewer.parquet")
    )
    assert code == 3
    assert "clusters by user: query q000 has none" in err
    twice = pa.concat_tables([table, table.slice(0, 1).set_column(1, "user", pa.array([7]))])
    pq.write_table(twice, tmp_path / "twice.parquet")
    code, _, err = compare(
        collection, capfd, "--merged", "--clusters", str(tmp_path / "twice.parquet")
    )
    assert code == 3
    assert "query q000 has two values of user" in err


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"city": [1]}, "no column query_id; it has city"),
        ({"query_id": ["q000"]}, "no other column; it has query_id"),
        ({"query_id": ["q000"], "city": [1], "kind": ["buy"]},
         "several columns could be the clusters: city, kind"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_clusters(collection, capfd, tmp_path, columns, said):
    pq.write_table(pa.table(columns), tmp_path / "about.parquet")
    code, _, err = compare(
        collection, capfd, "--merged", "--clusters", str(tmp_path / "about.parquet")
    )
    assert code == 3
    assert said in err
    code, _, err = compare(collection, capfd, "--merged", "--clusters", f"{tmp_path}/none.parquet")
    assert code == 2
    assert "none.parquet: no Parquet file there" in err


def test_numbers_as_query_ids_find_their_properties(collection, tmp_path, capfd):
    paths = []
    runs = {name: frame.query("query_id != 'unjudged'") for name, frame in collection.runs.items()}
    for name, frame in {"qrels": collection.qrels, **runs}.items():
        number = frame.query_id.str[1:].astype("int64")
        write(frame.assign(query_id=number), tmp_path / name, n_files=2, group=100)
        paths.append(str(tmp_path / name))
    kind = "".join(f"{i},{'buy' if i % 3 else 'know'}\n" for i in range(60))
    (tmp_path / "kind.csv").write_text(f"query_id,kind\n{kind}")
    command = ["compare", *paths, "-m", "AP", "--segments", str(tmp_path / "kind.csv"), "--merged"]
    assert run([*command, "--format", "json", "--quiet"]) in (0, 1)
    found = json.loads(capfd.readouterr().out)["segments"][0]["rows"]
    assert [(row["label"], row["n_queries"]) for row in found] == [("buy", 40), ("know", 20)]


def test_the_measure_that_decides_is_chosen(collection, capfd):
    code, found, _ = compare(collection, capfd, "--merged", "--config", "primary=P@3")
    _, whole, _ = compare(collection, capfd, "--config", "primary=P@3")
    assert code in (0, 1)
    assert found["settings"]["primary"] == "P@3"
    same_parts(found, whole, "verdict")


def test_skipped_partitions_are_counted(collection, tmp_path):
    bad = collection.runs["B"].copy()
    bad.loc[bad.query_id == "q030", "score"] = None
    write(bad, tmp_path / "B", n_files=3, group=50)
    engine = Engine(rows=100, merged=True, on_bad_partition="skip")
    found = abrank.compare(
        collection.folder / "qrels", collection.paths["A"], tmp_path / "B",
        measures=MEASURES, engine=engine,
    )  # fmt: skip
    assert found.merged.n_skipped == 1
    assert found.merged.n_partitions > 2
    assert found.n_queries < 60
    assert f"{found.merged.n_partitions} partitions (1 was skipped) were merged" in str(found)
    assert "could not be read and was skipped" in found.remarks[-1]


def test_a_second_run_takes_up_text_judgments_too(collection, tmp_path):
    engine = Engine(rows=100, merged=True, keep_scores=str(tmp_path / "kept"))
    asked = (collection.qrels, *collection.paths.values())
    first, second = (
        abrank.compare(*asked, measures=MEASURES, engine=engine,
                       segments={"kind": {"q000": "buy"}})
        for _ in range(2)
    )  # fmt: skip
    assert first == second
    assert len(list((tmp_path / "kept").glob("part-*"))) == first.merged.n_partitions


@pytest.mark.parametrize("merged", [False, True])
def test_no_file_may_unpack_to_more_than_was_said(collection, tmp_path, merged):
    text = tmp_path / "qrels.txt.gz"
    collection.qrels.assign(none=0)[["query_id", "none", "doc_id", "relevance"]].to_csv(
        text, sep=" ", header=False, index=False
    )
    for qrels in (collection.folder / "qrels", text):
        with pytest.raises(abrank.AbrankError, match="max_input_size=4K"):
            abrank.compare(
                qrels, *collection.paths.values(), measures=MEASURES,
                engine=Engine(rows=100, merged=merged), scoring=Scoring(max_input_size=1 << 10),
            )  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--topics", "t.tsv"], "texts are shown beside the scores of each query"),
        (["--machine-qrels", "m.txt"], "judgments by a machine cannot be used here"),
        (["--test", "sign"], "the sign test as the one that decides needs the scores of every"),
    ],
)
def test_what_merged_statistics_do_not_hold_is_refused(collection, capfd, flags, said):
    code, _, err = compare(collection, capfd, "--merged", *flags)
    assert code == 2
    assert said in err
    assert "--merged" in err


def test_scores_and_collections_are_not_merged(capfd):
    assert run(["compare", "--scores", "a.csv", "b.csv", "--merged"]) == 2
    assert "--merged is for runs, not for ready scores" in capfd.readouterr().err
    assert run(["compare", "q.txt", "a=1.run,2.run", "b.run", "--merged"]) == 2
    assert "repeated runs of one system are averaged query by query" in capfd.readouterr().err


def test_partitions_do_not_say_that_all_is_judged(collection):
    paths = collection.folder / "qrels", *collection.paths.values()
    found = abrank.compare(*paths, measures=MEASURES, engine="local")
    a, b = (found.audits[key].n_unjudged_at_10 for key in "ab")
    assert a > 0
    text = found._repr_markdown_()
    assert f"Of the first ten documents {a} of A's and {b} of B's are unjudged" in text
    assert "is judged: more judgments change nothing" not in text
