"""Runs: the tie rule, duplicates, precision, the rank column; runs by name, and of groups."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import ArgumentError, ReadError, compare, evaluate, from_groups, read_run
from abrank.inputs.run import named_runs

# Some begin with the same 8 or 16 bytes.
LONG = ["q" * 9, "q" * 8 + "r", "q" * 17, "q" * 16 + "r"]
IDS = st.sampled_from(["a", "b", "B", "é", "z", "10", "9", "\uffff", "\U0001f600", *LONG])
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, -3.5, 2.5e300])
TABLES = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1), min_size=1, max_size=4)


pytestmark = pytest.mark.usefixtures("small_and_large_columns")


def rankings(run) -> dict[str, list[str]]:
    return {query: [doc for doc, _ in run.ranking(query)] for query in run.query_ids}


def by_hand(table: dict[str, dict[str, float]], dtype: type = np.float64) -> dict[str, list[str]]:
    """Return the rule in its plainest form: sort by id, then stably by score, both falling."""
    with np.errstate(over="ignore"):
        return {
            query: sorted(sorted(docs, key=str.encode, reverse=True), key=lambda d: -dtype(docs[d]))
            for query, docs in table.items()
        }


@pytest.mark.slow
@given(TABLES)
def test_score_falling_then_id_falling_by_bytes(table: dict[str, dict[str, float]]) -> None:
    assert rankings(read_run(table)) == by_hand(table)


@pytest.mark.slow
@given(TABLES)
def test_float32_rounds_first(table: dict[str, dict[str, float]]) -> None:
    run = read_run(table, score_dtype="float32")
    assert rankings(run) == by_hand(table, np.float32)
    assert rankings(read_run(read_run(table), score_dtype="float32")) == rankings(run)


@pytest.mark.slow
@given(TABLES)
def test_file_and_back(tmp_path_factory, table) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.run"
    run = read_run(table, name="my run")
    again = read_run(run.write(path))
    pd.testing.assert_frame_equal(again.frame(), run.frame())
    assert (again.tags, again.n_rank_conflicts) == (("my_run",), 0)


def test_attributes() -> None:
    run = read_run({"302": {"a": 1.0}, "301": {"a": 1, "b": 3, "c": 2}})
    assert (run.query_ids, run.query.tolist()) == (("301", "302"), [0, 0, 0, 1])
    assert (run.first_row.tolist(), run.rank.tolist()) == ([0, 3, 4], [1, 2, 3, 1])
    assert run.query_id.tolist() == ["301", "301", "301", "302"]
    assert run.doc_id.tolist() == ["b", "c", "a", "a"]
    assert run.ranking("301", top=2) == [("b", 3.0), ("c", 2.0)]
    assert (run.ranking("301", top=9)[-1], run.ranking("999")) == (("a", 1.0), [])
    assert repr(run) == "Run('run': 2 queries, 4 documents)"
    assert repr(read_run({"1": {"d": 1}}, name="b")) == "Run('b': 1 query, 1 document)"


def test_names(tmp_path: Path) -> None:
    (tmp_path / "monot5.run").write_text("1 Q0 d 1 2 sometag\n")
    run = read_run(tmp_path / "monot5.run")
    assert (run.name, run.tags) == ("monot5", ("sometag",))
    assert read_run(run) is run
    assert read_run(run, name="B").name == "B"
    assert read_run(tmp_path / "monot5.run", name="B").name == "B"
    rounded = read_run(run, score_dtype="float32")
    assert rounded.score_dtype == "float32"
    assert read_run(rounded, score_dtype="float32") is rounded


def test_a_document_twice(tmp_path: Path) -> None:
    path = tmp_path / "monot5.run"
    path.write_text("301 Q0 a 1 3 t\n302 Q0 a 1 3 t\n\n301 Q0 a 2 5 t\n301 Q0 b 3 4 t\n")
    with pytest.raises(ReadError) as caught:
        read_run(path)
    assert str(caught.value).splitlines() == [
        f"{path}, lines 1 and 4: document a twice in query 301",
        "  --duplicates max keeps the higher number of the two, --duplicates first the first row"
        ' (compare: --config duplicates=max; Scoring(duplicates="max"))',
    ]
    run = read_run(path, duplicates="max")
    assert (run.ranking("301"), run.n_duplicates_dropped) == ([("a", 5.0), ("b", 4.0)], 1)
    assert (len(run), run.source.n_rows) == (3, 4)
    assert read_run(path, duplicates="first").ranking("301") == [("b", 4.0), ("a", 3.0)]


def test_unknown_choices() -> None:
    with pytest.raises(ArgumentError, match="float16"):
        read_run({"1": {"d": 1}}, score_dtype="float16")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="duplicates"):
        read_run({"1": {"d": 1}}, duplicates="best")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="top"):
        read_run({"1": {"d": 1}}).ranking("1", top=0)


def test_files_of_one_name_in_two_folders_are_told_apart_by_the_folders() -> None:
    paths = ["old/bm25.run", Path("new/bm25.run")]
    runs = named_runs(paths)
    assert list(runs.values()) == paths
    assert list(runs) == ["old/bm25", "new/bm25"]


def test_runs_of_one_name_are_numbered() -> None:
    assert list(named_runs(["a/t.run", "b/t.run", {"q1": {"d1": 1.0}}])) == ["t 1", "t 2", "run 3"]


@pytest.mark.parametrize("run", ["bm25.run", {1}, [("q1", "d1", 1.0)]])
def test_a_single_run_is_refused(run) -> None:
    with pytest.raises(ArgumentError, match="runs are a mapping by name, not one "):
        named_runs(run)


Y, S = [2, 0, 1, 0, 1], [0.3, 0.9, 0.8, 0.1, 0.2]
LETOR = "2 qid:a 1:0.3\n0 qid:a 1:0.9\n1 qid:b 1:0.8\n0 qid:b 1:0.1\n1 qid:b 1:0.2\n"


@pytest.mark.parametrize("group", [[2, 3], np.array([2, 3]), ["a", "a", "b", "b", "b"]])
def test_sizes_and_ids(group) -> None:
    qrels, run = from_groups(np.array(Y), np.array(S), group=group)
    assert evaluate(qrels, {"B": run}, ["RR", "nDCG"]).values[:, 0, 0].tolist() == [0.5, 1.0]


def test_columns_of_frames_and_names_of_documents() -> None:
    frame = pd.DataFrame({"y": Y, "s": S, "qid": [7, 7, 9, 9, 9], "doc": list("vwxyz")})
    qrels, run = from_groups(frame.y, frame.s, frame.qid, names=frame.doc)
    assert (qrels.grades("7"), run.ranking("9", top=1)) == ({"v": 2, "w": 0}, [("x", 0.8)])


def test_a_letor_file_with_predictions(tmp_path: Path) -> None:
    (tmp_path / "test.letor").write_text(LETOR)
    (tmp_path / "new.txt").write_text("\n".join(map(str, S)))
    qrels, runs = from_groups(
        tmp_path / "test.letor", {"old": S[::-1], "new": tmp_path / "new.txt"}
    )
    result = compare(qrels, *runs.values(), measures=["RR"])
    assert (result.baseline, result.candidate, result.n_queries) == ("old", "new", 2)


def test_lightgbm() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is in the extra `peers`")
    rng = np.random.default_rng(3)
    group = [20] * 10
    features = rng.normal(size=(200, 3))
    y = (features[:, 0] > 0.5).astype(int)
    model = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, verbose=-1, n_jobs=1)
    model.fit(features, y, group=group)
    qrels, run = from_groups(y, model.predict(features), group=group)
    scores = evaluate(qrels, {"B": run}, ["nDCG@10", "NumQ"])
    assert scores.aggregates()[0, 1] == 10
    assert scores.means()[0, 0] > 0.9


@pytest.mark.parametrize(("arguments", "words"), [
    ((Y, S), "group= is missing"),
    ((Y, S, [2, 2]), "group has 2 entries, for 5 rows"),
    ((Y, S, [1, 1, 1, 1, 1]), "could be the sizes of groups and the query ids"),
    ((Y, S[:4], [2, 3]), "4 scores of run for 5 rows"),
])  # fmt: skip
def test_lengths_that_do_not_fit(arguments, words) -> None:
    with pytest.raises(ArgumentError, match=words.replace("(", r"\(")):
        from_groups(*arguments)


def test_as_many_names_as_rows() -> None:
    with pytest.raises(ArgumentError, match="3 names for 5 rows"):
        from_groups(Y, S, [2, 3], names=list("vwx"))


def test_values_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r'row 1: grade "high" is not a number'):
        from_groups([1, "high"], [1, 2], ["a", "a"])
    with pytest.raises(ReadError, match="row 0: score is missing"):
        from_groups([1, 0], [np.nan, 2], ["a", "a"])
    (tmp_path / "p.txt").write_text("0.5 high")
    with pytest.raises(ArgumentError, match="one number a line"):
        from_groups([1, 0], tmp_path / "p.txt", ["a", "a"])
