"""compare_scores and compare_recorded: rows, adjustment, degenerate input, invariants."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank import AlignmentError, ArgumentError, GateError, ReadError, UnknownNameError, Verdict
from abrank.comparison.compare import compare_recorded
from abrank.options import Question
from abrank.scoring.scores import Scores
from tests.asked import asked
from tests.report.written import text as text_of


def frames(n=40, k=3, *, effect=0.05, seed=1) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Scores by k correlated measures, rounded so that ties occur."""
    random = np.random.default_rng(seed)
    a = np.round(random.uniform(0.2, 0.7, size=(n, 1)) + random.normal(scale=0.05, size=(n, k)), 2)
    b = np.round(a + effect + random.normal(scale=0.1, size=(n, k)), 2)
    names = ["AP", "Rprec", "P@10", "RR", "R@100"][:k]
    index = [f"q{i:02d}" for i in range(n)]
    return pd.DataFrame(a, index, names), pd.DataFrame(b, index, names)


def test_primary_row_against_scipy() -> None:
    a, b = frames()
    row = abrank.compare_scores(a, b).primary
    expected = stats.ttest_rel(b["AP"], a["AP"])
    interval = expected.confidence_interval(0.95)
    assert row.measure == "AP"
    assert row.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert row.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(interval), rel=1e-9)
    assert row.diff == pytest.approx((b["AP"] - a["AP"]).mean(), rel=1e-12)
    assert row.rel_diff == pytest.approx(b["AP"].mean() / a["AP"].mean() - 1, rel=1e-9)
    assert (row.pvalue_adj, row.ci_low_adj, row.ci_high_adj) == (
        row.pvalue,
        row.ci_low,
        row.ci_high,
    )


def test_identical_systems() -> None:
    a, _ = frames()
    result = abrank.compare_scores(a, a, margin=0.01)
    assert result.verdict is Verdict.IDENTICAL
    assert (result.pvalue, result.confidence_interval()) == (1.0, (0.0, 0.0))
    assert {row.reading for row in result.rows} == {"identical"}


@pytest.mark.parametrize("test", ["t", "bootstrap", "hall"])
def test_sign_flips_decide_a_difference_of_one_value(test, tmp_path) -> None:
    a = {f"q{i}": 0.1 * i for i in range(12)}
    b = {query: value + 0.1 for query, value in a.items()}
    result = abrank.compare_scores(a, b, require="better", test=test)
    # All twelve signs alike: 2 of the 2**12 sign patterns are as extreme.
    assert (result.verdict, result.pvalue) == (Verdict.BETTER, 2 / 4096)
    assert (result.rule.test, result.decision.gate.passed) == ("permutation", True)
    assert "so the sign-flip test decides" in " ".join(text_of(result, detail="all").split())
    assert abrank.Comparison.from_json(result.report(tmp_path / "r.json")) == result
    few = {query: b[query] for query in list(b)[:5]}
    assert abrank.compare_scores({q: a[q] for q in few}, few).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("test", ["t", "bootstrap", "hall"])
def test_sign_flips_decide_a_guard_of_which_every_query_gains_the_same(test) -> None:
    queries = [f"q{i}" for i in range(12)]
    a = pd.DataFrame({"main": np.linspace(0.1, 0.8, 12), "guarded": 0.5}, index=queries)
    b = pd.DataFrame({"main": a["main"] + 0.1 + np.arange(12) / 1e3, "guarded": 0.6}, index=queries)
    gate = {"measures": ["main", "guarded"], "margin": 0.01, "require": "non-inferior"}
    result = abrank.compare_scores(a, b, **gate, guard="guarded:-0.01", test=test)
    row = result.rows[1]
    assert (row.pvalue, row.reading) == (2 / 4096, "better")
    assert [guard.passed for guard in result.decision.guards] == [True]
    worse = abrank.compare_scores(b, a, **gate, guard="guarded:-0.2", test=test)
    assert [guard.passed for guard in worse.decision.guards] == [True]  # 0.1 is lost, surely
    assert worse.rows[1].interval.high == pytest.approx(-0.1)


@pytest.mark.every_case
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon", "sign"])
def test_too_few_queries_cannot_be_tested(n, test) -> None:
    a = {f"q{i}": 0.1 for i in range(n)}
    result = abrank.compare_scores(a, dict.fromkeys(a, 0.3), test=test)
    assert result.verdict is Verdict.CANNOT_TEST
    assert result.decision.reason == "too-few-queries"


def test_confidence_interval_at_another_level() -> None:
    a, b = frames()
    result = abrank.compare_scores(a, b)
    expected = stats.ttest_rel(b["AP"], a["AP"]).confidence_interval(0.8)
    assert result.confidence_interval(0.8) == pytest.approx(tuple(expected), rel=1e-9)
    with pytest.raises(ArgumentError):
        result.confidence_interval(95)


def test_frames_are_fresh_copies() -> None:
    result = abrank.compare_scores(*frames())
    for frame in (result.to_frame(), result.queries):
        frame["diff"] = 0
    assert result.to_frame()["diff"].abs().sum() > 0
    assert result.queries["diff"].abs().sum() > 0


def test_table_columns_are_those_promised() -> None:
    columns = abrank.compare_scores(*frames()).to_frame().columns
    assert list(columns[:16]) == [
        "measure", "mean_a", "mean_b", "diff", "ci_low", "ci_high", "ci_low_adj", "ci_high_adj",
        "rel_diff", "wins", "ties", "losses", "statistic", "pvalue", "pvalue_adj", "reading",
    ]  # fmt: skip


def test_the_seed_is_recorded_and_replays() -> None:
    a, b = frames(60)
    first = abrank.compare_scores(a, b, test="permutation", rng=np.random.default_rng(5))
    assert first.rows == abrank.compare_scores(a, b, test="permutation", rng=first.seed).rows


def test_gate_and_require() -> None:
    a, b = frames(k=1, effect=0.1)
    result = abrank.compare_scores(a, b)
    assert result.require("better") is result
    with pytest.raises(GateError, match="not passed"):
        abrank.compare_scores(b, a).require("better")
    with pytest.raises(ArgumentError, match="margin"):
        result.require("non-inferior")


def test_a_comparison_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="verdict"):
        bool(abrank.compare_scores(*frames()))


def test_pickle_and_equality() -> None:
    a, b = frames()
    result = abrank.compare_scores(a, b)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != abrank.compare_scores(b, a)
    assert result != 1


@pytest.mark.parametrize(("how", "error", "said"), [
    ({"primary": "RR"}, ArgumentError, "not among AP"),
    ({"test": "tt"}, UnknownNameError, "unknown test"),
    ({"adjust": "holmes"}, UnknownNameError, "did you mean holm"),
    ({"adjust": "max-t", "test": "sign"}, ArgumentError, "tests of the mean"),
    ({"alpha": 5}, ArgumentError, "alpha"),
    ({"margin": 0.01, "test": "sign"}, ArgumentError, "share of wins"),
])  # fmt: skip
def test_what_is_refused(how, error, said) -> None:
    with pytest.raises(error, match=said):
        abrank.compare_scores(*frames(), **asked(**how))


def test_unequal_inputs_are_refused() -> None:
    a, b = frames()
    with pytest.raises(AlignmentError, match=r"only in the baseline \['q00'\], only in the cand"):
        abrank.compare_scores(a, b.drop(index="q00"))
    with pytest.raises(AlignmentError, match="measures differ"):
        abrank.compare_scores(a, b.drop(columns="RR", errors="ignore").drop(columns="AP"))
    with pytest.raises(ReadError, match="rows 0 and 40: query q00 has several rows: say what"):
        abrank.compare_scores(a, pd.concat([b, b.iloc[:1]]))
    with pytest.raises(ReadError, match=r"q03 has no score of AP of B \(3 scores are missing"):
        abrank.compare_scores(a, b.where(np.repeat(b.index != "q03", 3).reshape(-1, 3)))
    with pytest.raises(AlignmentError, match="'q00' occurs twice"):
        abrank.compare_scores(a["AP"], pd.concat([b["AP"], b["AP"].iloc[:1]]))
    with pytest.raises(AlignmentError, match="'1' occurs twice"):
        abrank.compare_scores(a["AP"], pd.Series([0.1, 0.2], index=["1", 1]))
    with pytest.raises(ReadError, match=r"query q03 has no score of AP\n"):
        abrank.compare_scores(a["AP"], b["AP"].where(b.index != "q03"))


def test_two_systems_are_compared() -> None:
    three = Scores(("q",), ("a", "b", "c"), ("AP",), np.zeros((1, 3, 1)))
    with pytest.raises(ArgumentError, match="not 3"):
        compare_recorded(three, Question())


def test_unknown_measure_of_a_comparison() -> None:
    result = abrank.compare_scores(*frames())
    with pytest.raises(ArgumentError, match="there are AP"):
        result["RBP"]
    with pytest.raises(UnknownNameError):
        result.effect_size("dz")
    assert result.effect_size("d_z") == pytest.approx(
        result.differences().mean() / result.differences().std(ddof=1)
    )


def test_the_views_of_a_notebook_and_of_a_terminal() -> None:
    a, b = frames(effect=0.1)
    result = abrank.compare_scores(
        a, b, name_a="old", name_b="new", config=abrank.Question(primary="AP")
    )
    assert result.statistic == result["AP"].statistic
    assert "it is better than old" in result._repr_html_()
    assert result._repr_markdown_().startswith("### ▲ Better: new is better than old")
    assert str(result).startswith("▲ BETTER  new is better than old on AP")
    assert set(result.plot.forest().figure.axes)


@pytest.mark.parametrize("level", [1.0, 1e6, 1e9])
def test_small_differences_of_large_scores_count(level) -> None:
    random = np.random.default_rng(0)
    a = np.round(random.random(30), 2) + level
    b = a + np.round(random.normal(0.05, 0.1, 30), 2)
    result = abrank.compare_scores(
        pd.Series(a, name="revenue of A"), pd.Series(b, name="revenue of B")
    )
    expected = stats.ttest_rel(b, a)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-4)
    assert result.interval.low == pytest.approx(expected.confidence_interval().low, rel=1e-4)
