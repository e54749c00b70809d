"""Runs and queries drawn: against MixedLM, closed forms and simulation."""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import compare_repeats, run_test


def scores(random, n, runs, *, by_run, by_query=0.1, rest=0.05):
    """Scores of two systems of one mean, an array (n_queries, n_runs) each."""
    query = random.normal(0.5, 0.2, (n, 1))
    return [
        query + random.normal(0, by_query, (n, 1)) + random.normal(0, by_run, k)
        + random.normal(0, rest, (n, k))
        for k in runs
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # MixedLM says so where its optimiser nears a bound
def test_against_mixed_lm_on_balanced_data():
    """against_statsmodels: error and components where none is 0."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    a, b = scores(np.random.default_rng(3), 10, (3, 3), by_run=0.08)
    ours = compare_repeats(a, b)
    rows = [
        {"score": block[q, r], "system": s, "query": q, "run": f"{s}{r}", "both": f"{s}-{q}"}
        for s, block in enumerate((a, b)) for q in range(10) for r in range(3)
    ]  # fmt: skip
    model = MixedLM.from_formula(
        "score ~ system", pd.DataFrame(rows), groups=np.ones(60), re_formula="0",
        vc_formula={"query": "0 + C(query)", "both": "0 + C(both)", "run": "0 + C(run)"},
    ).fit(reml=True)  # fmt: skip
    assert (model.vcomp > 1e-5).all()
    assert ours.estimate == pytest.approx(model.fe_params["system"], abs=1e-8)
    assert ours.error == pytest.approx(model.bse["system"], rel=1e-3)


def test_runs_that_do_not_differ_leave_the_paired_t_test():
    a, b = scores(np.random.default_rng(1), 30, (1, 1), by_run=0.0)
    ours = compare_repeats(np.repeat(a, 3, axis=1), np.repeat(b, 2, axis=1))
    t = run_test("t", b - a)
    assert ours.pvalue == pytest.approx(t.pvalue[0], rel=1e-9)
    assert (ours.ci_low, ours.freedom) == pytest.approx((t.ci_low[0], 29), rel=1e-9)
    assert (ours.share_of_runs, ours.runs_needed) == (pytest.approx(0.0, abs=1e-9), 1)


def test_two_runs_without_other_variance_are_welchs_t_of_their_means():
    """against_theory: where only runs vary, the error is theirs and so is the freedom."""
    runs = np.array([[0.1, 0.3, 0.2], [0.4, 0.3, 0.5]])
    a, b = (np.tile(means, (40, 1)) for means in runs)
    ours = compare_repeats(a, b)
    assert ours.pvalue == pytest.approx(stats.ttest_ind(runs[1], runs[0]).pvalue, rel=1e-9)
    assert (ours.freedom, ours.runs_needed) == (pytest.approx(4.0), None)
    assert ours.share_of_runs == pytest.approx(1.0)


def test_so_many_runs_leave_a_tenth_to_them():
    a, b = scores(np.random.default_rng(4), 2000, (400, 400), by_run=0.02)
    needed = compare_repeats(a, b).runs_needed
    v, per_query = 0.02**2 + 0.05**2 / 2000, 2 * 0.1**2 / 2000
    assert needed == pytest.approx(18 * v / per_query, rel=0.15)


def test_what_is_refused():
    two = np.ones((3, 2))
    for a, b in ((two[:, :1], two), (two[:1], two[:1]), (two, two[:2])):
        with pytest.raises(ArgumentError, match=r"two (queries|runs)|queries"):
            compare_repeats(a, b)
    with pytest.raises(ArgumentError, match="finite"):
        compare_repeats(two, two * np.nan)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "by_run"), [((2, 2), 0.0), ((3, 3), 0.02), ((5, 3), 0.1)])
def test_level_over_queries_and_runs(runs, by_run):
    """Type I error at .05 of 2,000 samples; the t test of averages has more where runs differ."""
    random, n = np.random.default_rng(9), 50
    result, plain = 0, 0
    for _ in range(2000):
        a, b = scores(random, n, runs, by_run=by_run)
        result += compare_repeats(a, b).pvalue < 0.05
        d = b.mean(axis=1) - a.mean(axis=1)
        plain += abs(d.mean() / d.std(ddof=1) * n**0.5) > stats.t.isf(0.025, n - 1)
    assert 0.04 < result / 2000 < 0.06
    assert (plain / 2000 > 0.07) == (by_run > 0.0)
