"""Coverage of the credible intervals of the Bayesian view."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank.inference.bayes import bayesian_bootstrap, t_posterior
from reports.studies.calibration.cells import Asked, visible
from reports.studies.calibration.parts.part import Batch, Part, between, confidences, outside

N_DRAWN = 2_000
POWER = 0.6


def ask(batch: Batch) -> Iterator[Asked]:
    """Ask both posteriors where the mean is 0; their intervals move with the differences."""
    pairs = batch.material.pairs
    pair = pairs[batch.turn % len(pairs)]
    d = pair.draw(batch.n, batch.count, batch.random)[:, :, 0]
    move = pair.spread * visible(batch.n, POWER)
    seed = batch.seed()
    # Two levels at once: the second half of the columns is the first again.
    twice, levels = np.hstack([d, d]), np.repeat(confidences(), batch.count)
    posteriors = {
        "posterior by t": t_posterior(twice, rope=0.0, confidence=levels),
        "Bayesian bootstrap": bayesian_bootstrap(
            twice, rope=0.0, confidence=levels, seed=seed, n_draws=N_DRAWN
        ),
    }
    for name, posterior in posteriors.items():
        at_05, at_01 = np.split(outside(posterior.ci_low, 0.0, posterior.ci_high), 2)
        low, high = posterior.ci_low[: batch.count], posterior.ci_high[: batch.count]
        power = outside(low + move, 0.0, high + move)
        yield Asked(name, (at_05, at_01), between(low, 0.0, high), (power,))


BELIEFS = (
    Part(
        "posteriors",
        "queries",
        "How often an equal-tailed credible interval holds the true mean, here 0. A posterior does"
        " not promise that, but who reads its interval expects it; false is one that excludes 0."
        f" The Bayesian bootstrap draws {N_DRAWN} weights.",
        ask,
        "How often the interval excludes 0 where the t test finds the difference with 60 %.",
    ),
)
