from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.exact.student import (
    many_one_quantile,
    many_one_tail,
    range_quantile,
    range_tail,
)

Q = np.array([0.01, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])


@pytest.mark.parametrize(
    ("n_means", "freedom"), [(2, 1), (2, 5), (3, 2), (4, 15), (8, 1700), (103, 4998), (20, np.inf)]
)
def test_range_against_scipy(n_means, freedom):
    expected = stats.studentized_range.sf(Q, n_means, freedom)
    np.testing.assert_allclose(range_tail(Q, n_means, freedom), expected, rtol=2e-10, atol=1e-11)
    for alpha in (0.1, 0.05, 0.001):
        expected = stats.studentized_range.isf(alpha, n_means, freedom)
        assert range_quantile(alpha, n_means, freedom) == pytest.approx(expected, rel=1e-8)


def test_range_of_two_is_student_t_far_into_the_tail():
    for freedom in (1, 3, 30, 1000, 200_000):
        q = np.array([0.001, 1.0, 5.0, 20.0, 35.0])
        expected = 2.0 * stats.t.sf(q / np.sqrt(2.0), freedom)
        kept = expected > 1e-280
        np.testing.assert_allclose(range_tail(q, 2, freedom)[kept], expected[kept], rtol=1e-10)
        np.testing.assert_allclose(
            many_one_tail(q / np.sqrt(2.0), 1, freedom)[kept], expected[kept], rtol=1e-10
        )


def test_range_where_scipy_takes_the_error_for_known():
    # scipy puts infinity for 100,000 degrees of freedom and more: wrong by 1.7e-5 of the value.
    exact, known = range_tail(Q[2:], 30, 1e5), range_tail(Q[2:], 30, np.inf)
    np.testing.assert_array_less(known[3:], exact[3:])
    np.testing.assert_allclose(stats.studentized_range.sf(Q[2:], 30, 1e5), known, rtol=1e-9)
    # Between the freedoms on either side, as 1 / freedom goes.
    half = range_tail(Q[2:], 30, 5e4)
    np.testing.assert_allclose(exact - known, (half - known) / 2.0, rtol=1e-3, atol=1e-11)


def test_many_one_against_multivariate_t():
    for n_others, freedom in ((3, 15),):
        shape = np.full((n_others, n_others), 0.5) + 0.5 * np.eye(n_others)
        for t in (1.0, 2.0, 3.0):
            corner = np.full(n_others, t)
            inside = stats.multivariate_t.cdf(
                corner, shape=shape, df=freedom, lower_limit=-corner, random_state=1, maxpts=400_000
            )
            ours = many_one_tail(np.array([t]), n_others, freedom)[0]
            assert ours == pytest.approx(1.0 - inside, abs=2e-6)


def test_many_one_against_dunnetts_tables():
    # Dunnett (1964), Biometrics 20, 482-491, two-sided at .05, 20 degrees of freedom.
    table = [2.09, 2.38, 2.54, 2.65, 2.73, 2.80, 2.86, 2.90, 2.95]
    ours = [many_one_quantile(0.05, n_others, 20) for n_others in range(1, 10)]
    np.testing.assert_allclose(ours, table, atol=0.0051)


def test_quantile_and_tail_are_inverse():
    for n_means in (2, 60):
        for freedom in (3, np.inf):
            for alpha in (0.5, 1e-6):
                q = range_quantile(alpha, n_means, freedom)
                assert range_tail(np.array([q]), n_means, freedom)[0] == pytest.approx(alpha)
                t = many_one_quantile(alpha, n_means, freedom)
                assert many_one_tail(np.array([t]), n_means, freedom)[0] == pytest.approx(alpha)


def test_a_value_does_not_depend_on_the_others_and_falls():
    q = np.linspace(0.0, 30.0, 700)
    for tail in (range_tail, many_one_tail):
        values = tail(q, 6, 25)
        assert values[0] == 1.0
        assert np.all(np.diff(values) < 0.0)
        alone = np.concatenate([tail(q[[i]], 6, 25) for i in (0, 3, 90, 400, 699)])
        np.testing.assert_allclose(values[[0, 3, 90, 400, 699]], alone, rtol=1e-11)
    assert range_tail(np.array([]), 3, 5).shape == (0,)
