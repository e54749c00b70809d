from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, ReadError, UnknownNameError
from abrank.measures import Entry, catalogue

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}, "q3": {"d4": 1}}
FULL = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"x": 2.0, "d3": 1.0}, "q3": {"d4": 1.0}}
HOLE = {"q1": {"d2": 2.0, "d1": 1.0}, "q3": {"d4": 1.0}}


def smallest(entry: Entry) -> str:
    """The name of the measure with its required parameters only."""
    required = {
        each.name: 7 if int in each.kinds else 0.5 for each in entry.parameters if each.required
    }
    return entry.with_parameters(required).name


def test_evaluate_scores_by_query_system_and_measure() -> None:
    scores = abrank.evaluate(QRELS, {"full": FULL, "hole": HOLE}, ["RR", "P@1"])
    assert scores.query_ids == ("q1", "q2", "q3")
    assert scores.measures == ("RR", "P@1")
    np.testing.assert_array_equal(scores.of("full"), [[1, 1], [0.5, 0], [1, 1]])
    np.testing.assert_array_equal(scores.of("hole"), [[0.5, 0], [0, 0], [1, 1]])
    np.testing.assert_allclose(scores.means(), [[2.5 / 3, 2 / 3], [0.5, 1 / 3]], rtol=1e-15)


def test_missing_query_is_dropped_for_every_system() -> None:
    scores = abrank.evaluate(
        QRELS, {"full": FULL, "hole": HOLE}, ["RR"], scoring=abrank.Scoring(missing="drop")
    )
    assert scores.query_ids == ("q1", "q3")
    assert scores.audits["hole"].missing == ("q2",)


def test_missing_query_is_an_error_that_names_it() -> None:
    with pytest.raises(AlignmentError, match=r"1 query is missing from hole: q2"):
        abrank.evaluate(
            QRELS, {"full": FULL, "hole": HOLE}, ["RR"], scoring=abrank.Scoring(missing="error")
        )
    assert abrank.evaluate(
        QRELS, {"full": FULL}, ["RR"], scoring=abrank.Scoring(missing="error")
    ).query_ids


def test_tidy_has_a_row_a_score() -> None:
    tidy = abrank.evaluate(QRELS, {"full": FULL, "hole": HOLE}, ["RR", "P@1"]).tidy()
    assert list(tidy.columns) == ["query_id", "system", "measure", "score"]
    assert len(tidy) == 3 * 2 * 2
    row = tidy[(tidy.query_id == "q2") & (tidy.system == "full") & (tidy.measure == "RR")]
    assert row["score"].item() == 0.5


def test_float32_makes_close_scores_a_tie() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    assert abrank.evaluate(qrels, {"r": run}, ["RR"]).values.item() == 1.0
    assert (
        abrank.evaluate(
            qrels, {"r": run}, ["RR"], scoring=abrank.Scoring(score_dtype="float32")
        ).values.item()
        == 0.5
    )


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(AlignmentError, match="no query"):
        abrank.evaluate(QRELS, {"r": {"301": {"d": 1.0}}}, ["RR"])


def test_unknown_system() -> None:
    with pytest.raises(ArgumentError, match="there are full"):
        abrank.evaluate(QRELS, {"full": FULL}, ["RR"]).of("empty")


def test_no_measure_depends_on_the_order_of_lines(tmp_path) -> None:
    made = abrank.simulate_runs(12, rng=8)
    random = np.random.default_rng(0)
    paths = {"qrels": made.qrels, "run": made.candidate}
    for name, what in paths.items():
        lines = what.write(tmp_path / name).read_text().splitlines(keepends=True)
        (tmp_path / f"shuffled-{name}").write_text("".join(random.permutation(lines)))
    every = [smallest(entry) for entry in catalogue().values() if entry.needs != "subtopics"]
    sorted_, shuffled = (
        abrank.evaluate(tmp_path / f"{kind}qrels", {"r": tmp_path / f"{kind}run"}, every)
        for kind in ("", "shuffled-")
    )
    assert sorted_.query_ids == shuffled.query_ids
    np.testing.assert_array_equal(sorted_.values, shuffled.values)


@pytest.mark.parametrize("name", ["F", "FPR", "ACC"])
def test_scores_of_unjudged_documents_are_kept_for_a_threshold_only(name) -> None:
    for asked, kept in ((f"{name}@10", False), (name, False), (f"{name}(threshold=0.5)", True)):
        judged_runs = abrank.evaluate(QRELS, {"full": FULL}, [asked]).judged_runs["full"]
        assert (judged_runs.judged.retrieved_scores is not None) is kept


def test_a_measure_of_diversity_reads_judgments_by_subtopic(tmp_path) -> None:
    (tmp_path / "q").write_text("1 a d1 1\n1 b d1 0\n1 b d2 2\n2 a d1 1\n")
    run = {"1": {"d2": 2.0, "d1": 1.0}}
    scores = abrank.evaluate(tmp_path / "q", {"r": run}, ["StRecall@1", "nDCG@1", "NumRel"])
    np.testing.assert_array_equal(scores.of("r"), [[0.5, 1.0, 2.0], [0.0, 0.0, 1.0]])
    assert scores.judgments.n_rows == 4
    with pytest.raises(ReadError, match="with a and b in the second field"):
        abrank.evaluate(tmp_path / "q", {"r": run}, ["nDCG@1"])


def test_a_measure_of_diversity_without_subtopics_is_refused(tmp_path) -> None:
    abrank.read_qrels(QRELS).write(tmp_path / "q")
    with pytest.raises(ReadError, match='every row has "0" for its subtopic'):
        abrank.evaluate(tmp_path / "q", {"r": FULL}, ["RR", "StRecall@1"])
    with pytest.raises(ArgumentError, match="holds no judgments by subtopic"):
        abrank.evaluate(abrank.read_qrels(QRELS), {"r": FULL}, ["StRecall@1"])
    with pytest.raises(ReadError, match='every row has "0" for its subtopic'):
        abrank.compare(tmp_path / "q", FULL, FULL, measures="StRecall@1")


def test_aggregates_follow_each_measure() -> None:
    names = ["NumRet", "AP", "GMAP", "NumQ"]
    scores = abrank.evaluate(QRELS, {"full": FULL, "hole": HOLE}, names)
    count, mean, geometric, queries = scores.aggregates().T
    assert (count.tolist(), queries.tolist()) == ([5.0, 3.0], [3.0, 3.0])
    np.testing.assert_array_equal(mean, scores.means()[:, 1])
    # AP of 0 counts as 1e-5
    np.testing.assert_allclose(geometric, [0.5 ** (1 / 3), (0.5 * 1e-5) ** (1 / 3)], rtol=1e-12)


def test_aggregates_of_ready_scores_are_means_unless_the_name_says_more() -> None:
    values = np.array([[[1.0, 4.0]], [[0.0, 5.0]]])
    ready = abrank.Scores(("q1", "q2"), ("a",), ("my click rate", "NumRel"), values)
    assert ready.aggregates().tolist() == [[0.5, 9.0]]


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
        QRELS,
        {"r": FULL},
        names,
        scoring=abrank.Scoring(rel=2, judged_only=True, interpolation="9"),
    )
    assert scores.measures == (
        "AP(rel=2,judged_only=True)",
        "AP(rel=3,judged_only=True)",
        "nDCG(judged_only=True)",
        "IPrec(rel=2,interpolation='9',judged_only=True)@0.5",
        "NumRet(judged_only=True)",
        "Judged",
    )
    assert scores.notes == (
        "rel=2 does not concern nDCG(judged_only=True), NumRet(judged_only=True), Judged",
        "judged_only=True does not concern Judged",
    )
    assert scores.values[1, 0, 0] == 1.0  # the unjudged document above d3 has gone


def test_options_without_a_meaning() -> None:
    with pytest.raises(UnknownNameError, match="missing"):
        abrank.evaluate(QRELS, {"r": FULL}, ["RR"], scoring=abrank.Scoring(missing="skip"))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rel must be a whole number of at least 1"):
        abrank.evaluate(QRELS, {"r": FULL}, ["AP"], scoring=abrank.Scoring(rel=0))
    with pytest.raises(ArgumentError, match="interpolation"):
        abrank.evaluate(QRELS, {"r": FULL}, ["AP"], scoring=abrank.Scoring(interpolation="8"))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="no run"):
        abrank.evaluate(QRELS, {}, ["AP"])


def test_notes_say_how_a_bare_word_was_read() -> None:
    scores = abrank.evaluate(QRELS, {"r": FULL}, ["recall", "map"])
    assert scores.notes == ("recall: trec_eval's 9 cut-offs, R@5 … R@1000",)
    assert abrank.evaluate(QRELS, {"r": FULL}).notes == ()


def test_scale_that_is_left_to_the_judgments_is_named() -> None:
    scores = abrank.evaluate(QRELS, {"r": FULL}, ["ERR@10", "ERR(max_grade=4)"])
    assert scores.measures == ("ERR(max_grade=2)@10", "ERR(max_grade=4)")
    result = abrank.compare(
        QRELS, FULL, FULL, measures=["AP", "ERR@10"], config=abrank.Question(primary="err@10")
    )
    assert result.primary.measure == "ERR(max_grade=2)@10"


def test_scores_of_unjudged_documents_are_kept_for_measures_that_ask(own_catalogue) -> None:
    @abrank.measure("Highest", needs="scores")
    def highest(judged):
        """Highest score."""
        if judged.retrieved_scores is None:
            return np.zeros(judged.n_queries)
        first = np.cumsum(judged.n_retrieved) - judged.n_retrieved
        return judged.retrieved_scores[first]

    assert abrank.evaluate(QRELS, {"r": FULL}, ["Highest"]).values.tolist() == [
        [[2.0]], [[2.0]], [[1.0]],
    ]  # fmt: skip


def test_ready_scores_have_no_rankings_that_could_be_changed() -> None:
    ready = abrank.read_scores(pd.DataFrame({"AP": [0.5, 0.25]}, ["q1", "q2"]))
    with pytest.raises(ArgumentError, match="ready scores have no rankings to change"):
        ready.rescored(lambda judged: judged)
