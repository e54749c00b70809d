from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import EFFECT_SIZES, effect_size, ratio_interval, run_test, tost

A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


@pytest.mark.parametrize("name", list(EFFECT_SIZES))
def test_swapping_negates_and_columns_are_apart(name):
    centre = 0.5 if name == "p_better" else 0.0
    forth, back = effect_size(name, A, B)[0], effect_size(name, B, A)[0]
    assert forth - centre == pytest.approx(centre - back)
    assert forth > centre
    both = effect_size(name, np.column_stack([A, B]), np.column_stack([B, B]))
    assert both == pytest.approx([forth, centre])


@pytest.mark.parametrize("name", list(EFFECT_SIZES))
def test_edges_have_answers(name):
    assert np.isnan(effect_size(name, [], [])[0])
    assert effect_size(name, [0.1], [0.1])[0] == (0.5 if name == "p_better" else 0.0)
    flat = effect_size(name, [0.1] * 4, [0.3] * 4)[0]
    assert flat == 1.0 if name in ("p_better", "rank_biserial") else np.isnan(flat)


def test_by_hand():
    d = B - A
    assert effect_size("d_z", A, B)[0] == pytest.approx(d.mean() / d.std(ddof=1))
    pooled = np.sqrt((A.var(ddof=1) + B.var(ddof=1)) / 2)
    assert effect_size("d_av", A, B)[0] == pytest.approx(d.mean() / pooled)
    assert np.isnan(effect_size("hedges_g", A[:2], B[:2])[0])
    # J(v) is 1 - 3 / (4 v - 1), nearly: Hedges 1981.
    ratio = effect_size("hedges_g", A, B)[0] / effect_size("d_z", A, B)[0]
    assert ratio == pytest.approx(1 - 3 / (4 * 9 - 1), abs=1e-3)


def test_unknown_and_uneven():
    with pytest.raises(UnknownNameError, match="did you mean d_z"):
        effect_size("dz", A, B)
    with pytest.raises(ArgumentError, match="differ in shape"):
        effect_size("d_z", A, B[:5])


def test_fieller_limits_are_where_the_t_test_of_the_rest_turns():
    for confidence in (0.8, 0.95):
        result = ratio_interval(A, B, confidence=confidence)
        for limit in (result.ci_low[0], result.ci_high[0]):
            p = run_test("t", B - (1 + limit) * A).pvalue[0]
            assert p == pytest.approx(1 - confidence)


def test_ratio_edges():
    unbounded = ratio_interval([0.0, 0.0, 0.3], [0.1, 0.2, 0.1])
    assert unbounded.g[0] >= 1
    assert (unbounded.ci_low[0], unbounded.ci_high[0]) == (-np.inf, np.inf)
    nothing = ratio_interval([0.0, 0.0], [0.1, 0.2])
    assert np.isnan([nothing.change[0], nothing.ci_low[0], nothing.g[0]]).all()
    assert ratio_interval([0.2], [0.3]).ci_high[0] == np.inf
    assert np.isnan(ratio_interval([], []).change[0])
    same = ratio_interval(A, A)
    assert (same.change[0], same.ci_low[0]) == (0.0, pytest.approx(0.0, abs=1e-7))


def test_tost_is_the_interval_inside_the_margin():
    random = np.random.default_rng(4)
    seen = set()
    for drift in np.linspace(-0.1, 0.1, 21):
        d = random.normal(drift, 0.2, (40, 1))
        result = tost(d, margin=0.1)
        inside = bool(result.ci_low[0] > -0.1 and result.ci_high[0] < 0.1)
        assert inside == (result.pvalue[0] < 0.05)
        assert (result.p_not_worse[0] < 0.05) == (result.ci_low[0] > -0.1)
        assert (result.p_not_better[0] < 0.05) == (result.ci_high[0] < 0.1)
        seen.add(inside)
    assert seen == {True, False}


@pytest.mark.parametrize("d", [[], [0.1], [0.1] * 5, [0.0] * 5])
def test_tost_without_spread_has_no_answer(d):
    result = tost(d, margin=0.1)
    assert np.isnan(result.pvalue[0])
    assert not np.isfinite(result.ci_low[0])


@pytest.mark.parametrize("arguments", [{"margin": 0.0}, {"margin": -1.0}, {"margin": np.nan},
                                       {"margin": 0.1, "alpha": 0.5}])  # fmt: skip
def test_tost_bad_arguments(arguments):
    with pytest.raises(ArgumentError):
        tost([0.1, 0.2], **arguments)
