"""The tests of ``abrank/scoring/scores.py``."""

import json

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, ReadError, UnknownNameError
from abrank.measures import MeasureEntry, catalogue
from tests.gold import gold_data

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}, "q3": {"d4": 1}}
FULL = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"x": 2.0, "d3": 1.0}, "q3": {"d4": 1.0}}
HOLE = {"q1": {"d2": 2.0, "d1": 1.0}, "q3": {"d4": 1.0}}


def smallest(entry: MeasureEntry) -> str:
    """The name of the measure with its required parameters only."""
    required = {
        parameter.name: 7 if int in parameter.kinds else 0.5
        for parameter in entry.parameters
        if parameter.required
    }
    return entry.with_parameters(required).name


def test_evaluate_scores_by_query_system_and_measure() -> None:
    scores = abrank.evaluate(QRELS, {"full": FULL, "hole": HOLE}, ["RR", "P@1"])
    assert (scores.query_ids, scores.measures) == (("q1", "q2", "q3"), ("RR", "P@1"))
    np.testing.assert_array_equal(scores.of("full"), [[1, 1], [0.5, 0], [1, 1]])
    np.testing.assert_array_equal(scores.of("hole"), [[0.5, 0], [0, 0], [1, 1]])
    np.testing.assert_allclose(scores.means(), [[2.5 / 3, 2 / 3], [0.5, 1 / 3]], rtol=1e-15)


def test_missing_query_is_an_error_that_names_it() -> None:
    with pytest.raises(AlignmentError, match=r"1 query is missing from hole: q2"):
        abrank.evaluate(
            QRELS, {"full": FULL, "hole": HOLE}, ["RR"], scoring=abrank.Scoring(missing="error")
        )
    assert abrank.evaluate(
        QRELS, {"full": FULL}, ["RR"], scoring=abrank.Scoring(missing="error")
    ).query_ids


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(AlignmentError, match="no query"):
        abrank.evaluate(QRELS, {"r": {"301": {"d": 1.0}}}, ["RR"])


def test_unknown_system() -> None:
    with pytest.raises(ArgumentError, match="there are full"):
        abrank.evaluate(QRELS, {"full": FULL}, ["RR"]).of("empty")


def test_no_measure_depends_on_the_order_of_lines(tmp_path) -> None:
    collection = abrank.simulate_runs(12, rng=8)
    random = np.random.default_rng(0)
    for name, path in {"qrels": collection.qrels, "run": collection.candidate}.items():
        lines = path.write(tmp_path / name).read_text().splitlines(keepends=True)
        (tmp_path / f"shuffled-{name}").write_text("".join(random.permutation(lines)))
    smallests = [smallest(entry) for entry in catalogue().values() if entry.needs != "subtopics"]
    sorted_, shuffled = (
        abrank.evaluate(tmp_path / f"{kind}qrels", {"r": tmp_path / f"{kind}run"}, smallests)
        for kind in ("", "shuffled-")
    )
    assert sorted_.query_ids == shuffled.query_ids
    np.testing.assert_array_equal(sorted_.values, shuffled.values)


@pytest.mark.parametrize("name", ["F", "FPR", "ACC"])
def test_scores_of_unjudged_documents_are_kept_for_a_threshold_only(name) -> None:
    for requested, selected in (
        (f"{name}@10", False),
        (name, False),
        (f"{name}(threshold=0.5)", True),
    ):
        judged_runs = abrank.evaluate(QRELS, {"full": FULL}, [requested]).judged_runs["full"]
        assert (judged_runs.judged.retrieved_scores is not None) is selected


def test_a_measure_of_diversity_reads_judgments_by_subtopic(tmp_path) -> None:
    (tmp_path / "q").write_text("1 a d1 1\n1 b d1 0\n1 b d2 2\n2 a d1 1\n")
    run = {"1": {"d2": 2.0, "d1": 1.0}}
    scores = abrank.evaluate(tmp_path / "q", {"r": run}, ["StRecall@1", "nDCG@1", "NumRel"])
    np.testing.assert_array_equal(scores.of("r"), [[0.5, 1.0, 2.0], [0.0, 0.0, 1.0]])
    assert scores.judgments.n_rows == 4
    with pytest.raises(ReadError, match="with a and b in the second field"):
        abrank.evaluate(tmp_path / "q", {"r": run}, ["nDCG@1"])


def test_aggregates_follow_each_measure() -> None:
    scores = abrank.evaluate(QRELS, {"full": FULL, "hole": HOLE}, ["NumRet", "AP", "GMAP", "NumQ"])
    count, mean, geometric, queries = scores.aggregates().T
    assert (count.tolist(), queries.tolist()) == ([5.0, 3.0], [3.0, 3.0])
    np.testing.assert_array_equal(mean, scores.means()[:, 1])
    # AP of 0 counts as 1e-5
    np.testing.assert_allclose(geometric, [0.5 ** (1 / 3), (0.5 * 1e-5) ** (1 / 3)], rtol=1e-12)


def test_aggregates_without_queries() -> None:
    none = abrank.Scores((), ("a",), ("AP", "NumRel", "GMAP"), np.zeros((0, 1, 3)))
    np.testing.assert_array_equal(none.aggregates(), [[np.nan, 0.0, np.nan]])


def test_depth_cuts_before_all_measures() -> None:
    run = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}, "q3": {"d4": 1.0}}
    scores = abrank.evaluate(
        QRELS, {"r": run}, ["RR", "NumRet", "R@5"], scoring=abrank.Scoring(depth=1)
    )
    np.testing.assert_array_equal(scores.values[0, 0], [0.0, 1.0, 0.0])
    assert scores.audits["r"].n_rows == 4
    with pytest.raises(ArgumentError, match="depth"):
        abrank.evaluate(QRELS, {"r": run}, ["RR"], scoring=abrank.Scoring(depth=0))


def test_options_become_parameters_of_the_measures_that_have_them() -> None:
    names = ["AP", "AP(rel=3)", "nDCG", "IPrec@0.5", "NumRet", "Judged"]
    scores = abrank.evaluate(
        QRELS, {"r": FULL}, names,
        scoring=abrank.Scoring(rel=2, judged_only=True, interpolation="9"),
    )  # fmt: skip
    assert scores.measures == (
        "AP(rel=2,judged_only=True)", "AP(rel=3,judged_only=True)", "nDCG(judged_only=True)",
        "IPrec(rel=2,interpolation='9',judged_only=True)@0.5", "NumRet(judged_only=True)",
        "Judged",
    )  # fmt: skip
    assert scores.notes == (
        "rel=2 does not concern nDCG(judged_only=True), NumRet(judged_only=True), Judged",
        "judged_only=True does not concern Judged",
    )
    assert scores.values[1, 0, 0] == 1.0  # the unjudged document above d3 has gone


def test_options_without_a_meaning() -> None:
    with pytest.raises(UnknownNameError, match="missing"):
        abrank.evaluate(QRELS, {"r": FULL}, ["RR"], scoring=abrank.Scoring(missing="skip"))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rel must be a grade above 0"):
        abrank.evaluate(QRELS, {"r": FULL}, ["AP"], scoring=abrank.Scoring(rel=0))
    with pytest.raises(ArgumentError, match="interpolation"):
        abrank.evaluate(QRELS, {"r": FULL}, ["AP"], scoring=abrank.Scoring(interpolation="8"))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="no run"):
        abrank.evaluate(QRELS, {}, ["AP"])


def test_scale_that_is_left_to_the_judgments_is_named() -> None:
    scores = abrank.evaluate(QRELS, {"r": FULL}, ["ERR@10", "ERR(max_grade=4)"])
    assert scores.measures == ("ERR(max_grade=2)@10", "ERR(max_grade=4)")
    result = abrank.compare(
        QRELS, FULL, FULL, measures=["AP", "ERR@10"], config=abrank.Question(primary="err@10")
    )
    assert result.primary.measure == "ERR(max_grade=2)@10"


def test_ready_scores_have_no_rankings_that_could_be_changed() -> None:
    ready = abrank.read_scores(pd.DataFrame({"AP": [0.5, 0.25]}, ["q1", "q2"]))
    with pytest.raises(ArgumentError, match="ready scores have no rankings to change"):
        ready.rescored(lambda judged: judged)


A = {f"q{i:02}": 0.2 + i / 100 for i in range(30)}
B = {query: score + 0.05 + 0.01 * (i % 3) for i, (query, score) in enumerate(A.items())}
HOLED_A = A | {"q03": float("nan"), "q05": float("nan")}
HOLED_B = {query: score for query, score in B.items() if query not in ("q05", "q07", "q09")}


def test_dropped_are_the_queries_with_a_hole_in_either() -> None:
    comparison = abrank.compare_scores(HOLED_A, HOLED_B, missing="drop")
    queries = [query for query in A if query not in ("q03", "q05", "q07", "q09")]
    whole = abrank.compare_scores({q: A[q] for q in queries}, {q: B[q] for q in queries})
    assert comparison.query_ids == tuple(queries)
    assert (comparison.pvalue, comparison.mean_difference) == (whole.pvalue, whole.mean_difference)
    (note,) = (note for note in comparison.notes if note.code == "missing-scores")
    assert note.values == {"a": 2, "b": 3, "both": 1, "n": 30, "left": 26}
    assert "2 of A, 3 of B" in str(note)
    assert "2 of A, 3 of B" in comparison._repr_html_()


@pytest.mark.parametrize(
    ("missing", "measure", "lower", "worst"),
    [
        ("zero", "score", (), 0.0),
        ("worst", "score", (), min(A.values())),  # no range is known: the worst that was seen
        ("worst", "ms", "ms", max(B.values())),
        ("worst", "nDCG@10", (), 0.0),
    ],
)
def test_another_score_stands_in_the_place_of_a_missing_one(missing, measure, lower, worst) -> None:
    frames = [pd.DataFrame({measure: pd.Series(item)}) for item in (HOLED_A, HOLED_B)]
    comparison = abrank.compare_scores(*frames, missing=missing, lower_is_better=lower)  # type: ignore[arg-type]
    index = comparison.query_ids.index("q05")
    assert (comparison.a[index, 0], comparison.b[index, 0]) == (worst, worst)
    assert comparison.n_queries == 30


def test_a_hole_in_a_measure_that_nobody_asked_about_is_no_error() -> None:
    holed = {query: {"AP": score, "RR": score} for query, score in B.items()}
    holed["q00"]["RR"] = float("nan")
    whole = {query: {"AP": score, "RR": score} for query, score in A.items()}
    comparison = abrank.compare_scores(whole, holed, measures="AP")
    assert comparison.n_queries == len(A)
    assert "missing-scores" not in [note.code for note in comparison.notes]
    with pytest.raises(abrank.AbrankError, match="query q00 has no score of RR"):
        abrank.compare_scores(whole, holed, measures=["AP", "RR"])


def test_what_would_change_under_the_others_is_told_and_kept(tmp_path) -> None:
    comparison = abrank.compare_scores(
        {**A, "q00": float("nan")}, {q: s - 0.06 + 0.2 * (q < "q03") for q, s in B.items()},
        missing="worst",
    )  # fmt: skip
    kinds = {alternative.kind: alternative for alternative in comparison.alternatives}
    assert {"failed-dropped", "failed-best"} <= set(kinds)
    assert kinds["failed-dropped"].n_queries == 29
    again = abrank.Comparison.from_json(comparison.report(tmp_path / "results.json"))
    assert again == comparison
    assert [note.code for note in again.notes] == [note.code for note in comparison.notes]


def test_of_runs_a_missing_query_has_no_worst_score() -> None:
    run = {"q1": {"d": 1.0}}
    with pytest.raises(ArgumentError, match="worst is for ready scores"):
        abrank.compare(run, run, run, scoring=abrank.Scoring(missing="worst"))


# --- what tools with judges write


def test_what_a_system_answered_makes_the_other_columns_its_measures() -> None:
    reference = pd.DataFrame({"question": ["2+2?", "3+3?", "4+4?"], "answer": ["4", "none", "8"],
                              "overlap": [1.0, 0.0, 1.0], "tone": [0.7, 0.9, 0.8]})  # fmt: skip
    scores = abrank.read_scores(reference)
    assert (scores.systems, scores.measures) == (("scores",), ("overlap", "tone"))


def test_lines_of_an_id_and_a_score() -> None:
    rows = [{"id": f"q{i}", "score": i / 10} for i in range(5)]
    failed = [*rows[:4], {"id": "q4", "error": "timeout"}]
    assert abrank.read_scores(rows).measures == ("score",)
    assert abrank.compare_scores(rows, failed, missing="drop").query_ids == ("q0", "q1", "q2", "q3")


@pytest.fixture(scope="module")
def logs():
    return gold_data() / "votes" / "harness_logs"


@pytest.mark.parametrize("suffix", ["json", "eval"])
def test_logs_of_inspect(logs, suffix) -> None:
    gold = json.loads((logs / "gold.json").read_text())
    comparison = abrank.compare_scores(*(logs / f"inspect_{side}.{suffix}" for side in "AB"))
    exact = comparison.queries_of("exact").set_index("query_id")
    assert exact["a"].to_dict() == gold["A"]
    assert exact["b"].to_dict() == gold["B"]
    assert comparison.measures == ("exact", "dictscore/rel")  # the other is 0 everywhere


def test_samples_of_lm_eval_and_frames_of_ragas(logs) -> None:
    gold = json.loads((logs / "gold.json").read_text())
    (choices,) = logs.glob("samples_toy_mc_*")
    (result,) = logs.glob("samples_toy_gen_*")
    assert abrank.read_scores(choices).table["ACC"].item() == gold["lm_eval"]["official_acc"]
    generated = abrank.read_scores(result)
    assert generated.measures == ("exact_match/first", "exact_match/raw")
    assert len(generated.query_ids) == gold["lm_eval"]["gen_docs"]
    for suffix in ("csv", "jsonl"):
        ragas = abrank.read_scores(logs / f"ragas_to_pandas.{suffix}")
        assert ragas.table["exact_match"].item() == gold["ragas"]["exact_match_mean"]
