"""Which files belong to which collection."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank._support.errors import ArgumentError, NotFoundError, ReadError
from abrank.cli import run
from abrank.collections import pairs_of, ranking_inputs_of, read_collections


def read(tmp_path, name, text) -> dict[str, dict[str, str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    collections = read_collections(tmp_path / name)
    return {
        key: {role: str(path.relative_to(tmp_path)) for role, path in files.items()}
        for key, files in collections.items()
    }


WANTED = {
    "x": {"qrels": "x/q.txt", "a": "x/a.run", "b": "x/b.run"},
    "y": {"qrels": "y/q.txt", "a": "y/a.run", "b": "y/b.run"},
}


def test_tsv_csv_and_toml_say_the_same(tmp_path) -> None:
    rows = [["name", "qrels", "a", "b"]]
    rows += [[name, *(files[key] for key in rows[0][1:])] for name, files in WANTED.items()]
    lines = ["\t".join(row) for row in rows]
    assert read(tmp_path, "c.tsv", "# mine\n" + "\n".join(lines) + "\n") == WANTED
    assert read(tmp_path, "c.csv", "\n".join(",".join(row) for row in rows)) == WANTED
    assert read(tmp_path, "n.tsv", "\n".join(lines[1:])) == WANTED
    for title in ("Dataset", ""):  # an index that pandas writes has none
        titled = lines[0].replace("name", title)
        assert read(tmp_path, "d.tsv", "\n".join([titled, *lines[1:]])) == WANTED
    tables = [
        "\n".join([f"[{name}]", *(f'{key} = "{path}"' for key, path in files.items())])
        for name, files in WANTED.items()
    ]
    assert read(tmp_path, "c.toml", "\n".join(tables)) == WANTED


def test_a_folder_has_a_folder_a_collection(tmp_path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        for file in ("qrels.test.txt", "bm25.run.gz", "t5.run", ".hidden"):
            (tmp_path / name / file).touch()
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "forest.pdf").touch()
    collections = read_collections(tmp_path)
    assert [*collections] == ["x", "y"]
    for name in ("x", "y"):
        assert sorted(collections[name]) == ["bm25", "qrels", "t5"]
    (tmp_path / "y" / "extra.qrels").touch()
    with pytest.raises(ReadError, match="2 files of judgments"):
        read_collections(tmp_path)


@pytest.mark.parametrize(("name", "text", "words"), [
    ("c.tsv", "", "names no collection"),
    ("c.tsv", "qrels\ta\tb\n", "its first line is"),
    ("c.tsv", "name\tqrels\ta\tb\nx\tq\ta\n", "row 2: has 3 cells under 4 heads"),
    ("c.tsv", "name\tqrels\ta\tb\nx\tq\ta\tb\nx\tq\ta\tb\n", "two collections are named x"),
    ("c.tsv", "name\tqrels\ta\tb\n\tq\ta\tb\n", "a collection has no name"),
    ("c.toml", "x = 3\n", r"\[x\]: is no table of paths"),
    ("c.toml", "[x\n", "not TOML"),
])  # fmt: skip
def test_what_cannot_be_read_is_told(tmp_path, name, text, words) -> None:
    with pytest.raises(ReadError, match=words):
        read(tmp_path, name, text)


def test_an_empty_folder_and_no_file_are_told(tmp_path) -> None:
    with pytest.raises(NotFoundError, match="holds no folder"):
        read_collections(tmp_path)
    with pytest.raises(NotFoundError):
        read_collections(tmp_path / "none.tsv")


def test_which_two_are_compared() -> None:
    files = {"x": {"qrels": "q", "bm25": "1", "t5": "2", "splade": "3"}}
    with pytest.raises(ArgumentError, match="--baseline NAME --candidate NAME"):
        pairs_of(files)
    result, names = pairs_of(files, name_a="t5", name_b="splade")
    assert (result, names) == ({"x": ("q", "2", "3")}, {"name_a": "t5", "name_b": "splade"})
    # Of two there is nothing to choose: the first is A.
    assert pairs_of({"x": {"qrels": "q", "bm25": "1", "t5": "2"}})[0] == {"x": ("q", "1", "2")}
    result, names = pairs_of({"x": {"a": "1", "b": "2"}}, name_b="T5")
    assert (result, names) == ({"x": ("1", "2")}, {"name_a": None, "name_b": "T5"})


def test_results_of_mteb_are_refused_wherever_they_are_met(tmp_path) -> None:
    place = tmp_path / "results" / "org__model" / "revision"
    place.mkdir(parents=True)
    (place / "SciFact.json").write_text('{"task_name": "SciFact", "scores": {"test": []}}')
    with pytest.raises(ReadError, match=r"(?s)means over all queries.*prediction_folder="):
        read_collections(tmp_path / "results")
    with pytest.raises(ReadError, match=r"(?s)means over all queries.*prediction_folder="):
        abrank.read_scores(place / "SciFact.json")


def test_predictions_of_mteb_are_runs_of_a_table(tmp_path) -> None:
    for model in ("bm25", "t5"):
        (tmp_path / model).mkdir()
        (tmp_path / model / "SciFact_predictions.json").write_text("{}")
    with pytest.raises(ReadError, match=r"(?s)a model's runs on several tasks.*a line a task"):
        read_collections(tmp_path)


def test_segments_and_clusters_are_no_systems(tmp_path) -> None:
    text = "name,qrels,a,b,segments,clusters\nx,q,1,2,s.csv,user\ny,q,1,2,,u.csv\n"
    (tmp_path / "c.csv").write_text(text)
    collections = read_collections(tmp_path / "c.csv")
    assert collections["x"]["segments"] == tmp_path / "s.csv"
    assert collections["x"]["clusters"] == "user"  # a column of the segments
    assert collections["y"]["clusters"] == tmp_path / "u.csv"
    assert pairs_of(collections)[0]["x"] == tuple(tmp_path / name for name in ("q", "1", "2"))
    assert ranking_inputs_of(collections)["x"][1] == {"a": tmp_path / "1", "b": tmp_path / "2"}
    folder = tmp_path / "all" / "x"
    folder.mkdir(parents=True)
    for name in ("qrels.txt", "bm25.run", "t5.run", "segments.csv", "clusters.tsv.gz"):
        (folder / name).touch()
    (files,) = read_collections(tmp_path / "all").values()
    assert list(files) == ["qrels", "clusters", "segments", "bm25", "t5"]
    assert pairs_of({"x": files})[1] == {"name_a": "bm25", "name_b": "t5"}


def one_table() -> pd.DataFrame:
    """Return scores of three variants on three data sets, a row a query and variant."""
    random = np.random.default_rng(1)
    rows = []
    for dataset, n in (("web", 40), ("news", 60), ("qa", 50)):
        for query in range(n):
            level = random.uniform(0.2, 0.6)
            for arm, gain in (("control", 0.0), ("treatment", 0.05), ("third", 0.01)):
                score = level + gain + random.normal(0.0, 0.05)
                rows.append((dataset, f"{dataset} {query}", arm, score, random.uniform()))
    return pd.DataFrame(rows, columns=["dataset", "request", "arm", "ndcg@10", "mrr"])


TWO = ["--baseline", "control", "--candidate", "treatment"]


@pytest.mark.slow
def test_one_table_of_all_collections(tmp_path, capsys) -> None:
    frame = one_table()
    frame.to_csv(tmp_path / "scores.csv", index=False)
    frame.to_parquet(tmp_path / "scores.parquet")
    options = {"measures": ["ndcg@10"], "baseline": "control", "candidate": "treatment"}
    results = [
        abrank.compare_collections(source, **options)
        for source in (frame, tmp_path / "scores.csv", tmp_path / "scores.parquet")
    ]
    assert [*results[0].comparisons] == ["web", "news", "qa"]
    for name, rows in frame.groupby("dataset"):
        wide = rows.pivot(index="request", columns="arm", values="ndcg@10")
        expected = stats.ttest_rel(wide["treatment"], wide["control"])
        for result in results:
            assert result.comparisons[name].pvalue == pytest.approx(expected.pvalue, rel=1e-12)
            assert result.primary == results[0].primary
    command = ["--collections", str(tmp_path / "scores.csv"), "-m", "ndcg@10"]
    assert run(["compare", *command, *TWO, "--report", str(tmp_path / "out.json")]) == 0
    for part in json.loads((tmp_path / "out.json").read_text())["collections"]:
        assert part["comparison"]["systems"] == {"a": "control", "b": "treatment"}
    ranking = abrank.rank_collections(frame[frame["arm"] != "third"], measures="ndcg@10")
    assert ranking.systems == ("treatment", "control")
    assert run(["compare", *command, "--report", str(tmp_path / "scores.csv")]) == 2
    assert "is an input, and would be replaced" in capsys.readouterr().err
    # What is unclear names the commands that answer, and these work.
    assert run(["compare", *command]) == 3
    lines = capsys.readouterr().err.splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("  abrank ")]
    assert [words[0] for words in commands] == ["compare", "rank"]
    assert [run(words) for words in commands] == [0, 0]


def test_a_table_without_a_column_of_collections_is_refused(tmp_path) -> None:
    one_table().drop(columns="dataset").to_parquet(tmp_path / "scores.parquet")
    with pytest.raises(ReadError, match="has no column of collections; its columns: request, arm"):
        read_collections(tmp_path / "scores.parquet")
    with pytest.raises(ArgumentError, match='a table with a column "collection"'):
        read_collections(7)
