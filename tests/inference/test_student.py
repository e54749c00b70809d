import itertools

import numpy as np
import pytest
from scipy import integrate, special, stats
from scipy.optimize import brentq
from scipy.special import ndtri, stdtr

from abrank.inference import student
from abrank.inference.sign_flips import tail_by_meet_in_middle

PROBABILITIES = np.array([1e-6, 0.0005, 0.005, 0.025, 0.05, 0.15, 0.4, 0.6, 0.85, 0.975, 0.9995])


@pytest.mark.parametrize("freedom", [3, 9, 24, 49, 249, 99_999])
def test_the_distribution_function_takes_it_back(freedom: int) -> None:
    quantile = student.student_quantile(freedom, PROBABILITIES)
    np.testing.assert_allclose(stdtr(freedom, quantile), PROBABILITIES, rtol=1e-13)
    np.testing.assert_allclose(
        quantile, -student.student_quantile(freedom, 1 - PROBABILITIES), rtol=1e-9
    )


def test_arrays_are_broadcast_and_the_ends_are_infinite() -> None:
    assert student.student_quantile(np.array([[3.0], [9.0]]), PROBABILITIES).shape == (2, 11)
    assert student.student_quantile(5, [0.0, 0.5, 1.0]).tolist() == [-np.inf, 0.0, np.inf]
    assert np.isnan(student.student_quantile(5.0, np.nan))
    assert student.student_quantile(np.inf, 0.975) == pytest.approx(ndtri(0.975), rel=1e-12)


@pytest.mark.every_case
@pytest.mark.parametrize("freedom", [1, 2, 7, 49, 300, 5000])
def test_tails_of_a_test_against_scipy(freedom):
    # scipy's own distribution is right where its arguments are small.
    for center, alpha in itertools.product((-3.0, -0.1, 0.0, 0.5, 3.0, 12.0), (0.05, 1e-4)):
        critical = stats.t.isf(alpha / 2, freedom)
        above = student.chance_above(critical, freedom, center)
        assert above == pytest.approx(stats.nct.sf(critical, freedom, center), rel=1e-9, abs=1e-14)


def test_where_scipys_noncentral_t_is_wrong():
    # Why `chance_above` is our own; with a scipy that passes, use it.
    assert np.isnan(special.nctdtr(24, 10.0, -10.0))
    assert student.chance_above(-10.0, 24, 10.0) == 1.0
    df, t, c = 9, 5000.0, 5000.0
    truth, error = integrate.quad(
        lambda s: special.ndtr(c - t * s) * stats.chi.pdf(s * df**0.5, df) * df**0.5,
        1e-9, 8.0, points=[0.998, 1.0, 1.002], epsabs=1e-13, limit=500,
    )  # fmt: skip
    assert error < 1e-10
    assert student.chance_above(t, df, c) == pytest.approx(truth, abs=1e-10)
    assert abs(1.0 - special.nctdtr(df, c, t) - truth) > 1e-9


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("t", "freedom"),
    [(0.0, 9), (2.5, 9), (-2.5, 9), (0.5, 1), (1e5, 2), (38.0, 6999), (1e4, 10**6)],
)
def test_limits_are_where_half_of_alpha_is_left(t, freedom):
    low, high = student.noncentrality_interval(np.array([t]), freedom, np.array([0.1]))
    assert student.chance_above(t, freedom, low)[0] == pytest.approx(0.05, rel=1e-8)
    assert 1.0 - student.chance_above(t, freedom, high)[0] == pytest.approx(0.05, rel=1e-8)


Q = np.array([0.01, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_means", "freedom"), [(2, 1), (2, 5), (3, 2), (4, 15), (8, 1700), (103, 4998), (20, np.inf)]
)
def test_range_against_scipy(n_means, freedom):
    expected = stats.studentized_range.sf(Q, n_means, freedom)
    np.testing.assert_allclose(
        student.range_tail(Q, n_means, freedom), expected, rtol=2e-10, atol=1e-11
    )
    for alpha in (0.1, 0.05, 0.001):
        expected = stats.studentized_range.isf(alpha, n_means, freedom)
        assert student.quantile_of(student.range_tail, alpha, n_means, freedom) == pytest.approx(
            expected, rel=1e-8
        )


def samples(n_sizes, largest_count):
    random = np.random.default_rng(11)
    for i in range(6):
        sizes = random.gamma((0.3, 1.0, 5.0)[i % 3], 0.2, n_sizes)
        yield sizes, random.integers(1, largest_count + 1, n_sizes)


@pytest.mark.parametrize(("n_sizes", "largest_count"), [(1, 9), (5, 4), (20, 1), (24, 1)])
@pytest.mark.parametrize("n_frequencies", [16, 5000])
def test_bounds_hold_the_tail(n_sizes, largest_count, n_frequencies):
    for sizes, counts in samples(n_sizes, largest_count):
        total = float(counts @ sizes)
        for share in (0.0, 0.02, 0.2, 0.6, 0.95):
            truth = tail_by_meet_in_middle(sizes, counts, share * total * (1 - 1e-12))
            tail = student.tail_by_fourier(
                sizes, counts, share * total, n_frequencies=n_frequencies
            )
            assert tail.low <= truth <= tail.high
            assert tail.low <= tail.value <= tail.high


def product_of_cosines(sizes, counts, frequency, tilt):
    angle = np.multiply.outer(sizes, frequency)
    factors = np.cos(angle) + 1j * np.tanh(tilt * sizes)[:, None] * np.sin(angle)
    return np.prod(factors ** counts[:, None], axis=0)


@pytest.mark.every_case
@pytest.mark.parametrize("n", [1, student.TERMS_ON_THE_GRID, student.TERMS_ON_THE_GRID + 1, 700])
@pytest.mark.parametrize("tilt", [0.0, 0.4])
@pytest.mark.parametrize("largest_count", [1, 6])
def test_it_is_the_product_of_all_cosines(n, tilt, largest_count):
    random = np.random.default_rng(n)
    sizes = np.sort(random.gamma(0.5, 1.0, n))
    counts = random.integers(1, largest_count + 1, n)
    step = 0.03 / np.sqrt(counts @ sizes**2)
    # Some frequencies are beyond what is looked at.
    function = student.characteristic_function(sizes, counts, step, 1000, tilt=tilt)
    expected = product_of_cosines(sizes, counts, step * np.arange(1, 1001), tilt)
    np.testing.assert_allclose(function, expected, rtol=0, atol=2e-13)
    assert np.iscomplexobj(function) == (tilt > 0)


def test_where_the_product_is_nothing_no_more_is_multiplied():
    sizes = np.ones(300) + 1e-6 * np.arange(300)
    assert np.abs(student.characteristic_function(sizes, np.ones(300, np.int64), 0.9, 1)[0]) < 1e-17


# --- Roots between limits, against scipy and closed forms


def curve(x, root, steepness):
    return np.tanh(steepness * (x - root)) + (x - root) ** 3


def test_roots_against_scipy():
    rng = np.random.default_rng(1)
    root, steepness = rng.normal(size=200), 10.0 ** rng.uniform(-2, 2, 200)
    result = student.find_root(
        lambda x: curve(x, root, steepness), np.full(200, -9.0), np.full(200, 9.0)
    )
    expected = [
        brentq(curve, -9.0, 9.0, arguments) for arguments in zip(root, steepness, strict=True)
    ]
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-11)


def test_a_step_is_found_within_the_tolerance():
    result = float(student.find_root(lambda x: np.sign(x - 1 / 3), 0.0, 1.0, xtol=1e-6, rtol=0.0))
    assert abs(result - 1 / 3) <= 1e-6


def test_no_root_between_the_limits_is_an_error():
    with pytest.raises(ValueError, match="one sign"):
        student.find_root(lambda x: x + 1.0, 0.0, 1.0)
