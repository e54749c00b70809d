"""The inputs with too little to go by, and what theory says of them by the t test."""

import numpy as np
from scipy import stats

NAN, INF = np.nan, np.inf
ROWS = {
    "no query": [], "one query": [0.1], "two queries": [0.1, 0.3], "all 0": [0.0] * 8,
    "one value, not 0": [0.1] * 8, "one query differs": [0.0] * 7 + [0.8],
    "two values": [-0.1] * 4 + [0.3] * 4,
}  # fmt: skip
# The means, their standard errors and degrees of freedom, where there are errors.
TWO, ONE, HALF = (0.2, 0.1, 1), (0.1, 0.1, 7), (0.1, 0.2 / np.sqrt(7), 7)
SPREAD = (TWO, ONE, HALF)


def half_width(error, freedom, alpha=0.05):
    return stats.t.isf(alpha / 2, freedom) * error


def by_t(mean, error, freedom):
    half = half_width(error, freedom)
    return mean, 2 * stats.t.sf(mean / error, freedom), mean - half, mean + half


def nothing(width):
    return (NAN,) * width
