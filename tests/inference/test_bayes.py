import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.bayes import MANY_QUERIES, bayesian_bootstrap, t_posterior

D = np.array([0.1, 0.2, -0.05, 0.3, 0.0, 0.15, -0.1, 0.25, 0.05, 0.4])
POSTERIORS = (t_posterior, bayesian_bootstrap)


@pytest.mark.parametrize("posterior", POSTERIORS)
def test_probabilities_are_of_three_cases_and_swap(posterior):
    d = np.random.default_rng(1).normal(0.02, 0.1, (40, 5))
    forth, back = posterior(d, rope=0.01), posterior(-d, rope=0.01)
    assert forth.worse + forth.equal + forth.better == pytest.approx(np.ones(5))
    np.testing.assert_allclose(forth.worse, back.better, atol=1e-12)
    np.testing.assert_allclose(forth.ci_low, -back.ci_high, atol=1e-9)
    assert np.all(posterior(d, rope=0.0).equal < 1e-12)
    assert np.all(posterior(d, rope=10.0).equal > 1 - 1e-9)
    alone = posterior(d[:, 3], rope=0.01)
    assert (alone.better[0], alone.ci_low[0]) == (forth.better[3], forth.ci_low[3])


def test_t_posterior_is_the_t_test_turned_round():
    posterior = t_posterior(D, rope=0.0, confidence=0.9)
    two, greater = run_test("t", D, confidence=0.9), run_test("t", D, alternative="greater")
    assert posterior.better[0] == pytest.approx(1 - greater.pvalue[0])
    assert [posterior.ci_low[0], posterior.ci_high[0]] == pytest.approx(
        [two.ci_low[0], two.ci_high[0]]
    )
    law = stats.t(9, D.mean(), stats.sem(D))
    assert posterior.variance[0] == pytest.approx(law.var())
    assert t_posterior(D, rope=0.02).equal[0] == pytest.approx(law.cdf(0.02) - law.cdf(-0.02))


def test_bayesian_bootstrap_is_in_closed_form_and_drawn():
    bootstrap = bayesian_bootstrap(D, rope=0.1, n_draws=100_000)
    assert bootstrap.estimate[0] == pytest.approx(0.13)
    assert bootstrap.variance[0] == pytest.approx(((D - D.mean()) ** 2).sum() / 110)
    weights = np.random.default_rng(1).dirichlet(np.ones(10), 100_000)
    better = np.mean(weights @ D > 0.1)
    assert bootstrap.better[0] == pytest.approx(better, abs=4 * np.sqrt(0.25 * 2 / 100_000))
    width = bootstrap.ci_high[0] - bootstrap.ci_low[0]
    theirs = np.quantile(weights @ D, [0.025, 0.975])
    assert [bootstrap.ci_low[0], bootstrap.ci_high[0]] == pytest.approx(theirs, abs=0.01 * width)


@pytest.mark.slow
def test_bayesian_bootstrap_of_many_queries_is_normal(monkeypatch):
    d = np.random.default_rng(3).gamma(0.5, 0.2, 50 * MANY_QUERIES)
    bootstrap = bayesian_bootstrap(d, rope=d.mean())
    error = np.sqrt(bootstrap.variance[0])
    assert error == pytest.approx(stats.sem(d), rel=1e-4)
    assert bootstrap.better[0] == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / 20_000))
    assert (bootstrap.ci_high[0] - bootstrap.ci_low[0]) / error == pytest.approx(3.92, abs=0.1)
    few = d[:500]
    plain = bayesian_bootstrap(few, rope=0.1)
    monkeypatch.setattr("abrank.inference.bayes.MANY_QUERIES", 0)
    grid = bayesian_bootstrap(few, rope=0.1)
    assert grid.better[0] == pytest.approx(plain.better[0], abs=4 * np.sqrt(0.25 * 2 / 20_000))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(t_posterior, {"rope": -0.1}), (t_posterior, {"rope": np.nan}),
     (t_posterior, {"rope": 0.1, "confidence": 1.0}), (bayesian_bootstrap, {"rope": np.inf}),
     (bayesian_bootstrap, {"rope": 0.1, "n_draws": 0}),
     (bayesian_bootstrap, {"rope": 0.1, "seed": -1})],
)  # fmt: skip
def test_bad_arguments(function, arguments):
    with pytest.raises(ArgumentError):
        function([0.1, 0.2, 0.4], **arguments)
    with pytest.raises(ArgumentError, match="row 1, column 0 is inf"):
        function([0.1, np.inf], rope=0.1)
