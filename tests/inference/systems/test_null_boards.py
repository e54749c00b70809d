"""How often a test of all pairs finds some difference on boards of systems that are one."""

import numpy as np
import pytest
from scipy.stats import binomtest

from abrank.inference import run_joint_test
from abrank.inference.student import range_tail

N_BOARDS, N_QUERIES, N_SYSTEMS, ALPHA = 2_000, 50, 8, 0.05


def null_boards():
    """Yield boards whose systems share one skewed distribution of the scores on every query."""
    random = np.random.default_rng(2026)
    for _ in range(N_BOARDS):
        hard = random.beta(1.2, 2.4, (N_QUERIES, 1))
        yield random.beta(6.0 * hard + 0.05, 6.0 * (1.0 - hard) + 0.05, (N_QUERIES, N_SYSTEMS))


def unpaired_tukey(board):
    """Return the least p-value of Tukey's test as if each system had queries of its own."""
    n, k = board.shape
    error = np.sqrt(board.var(axis=0, ddof=1).mean() / n)
    largest = np.ptp(board.mean(axis=0)) / error
    return float(range_tail(np.array([largest]), k, k * (n - 1))[0])


@pytest.mark.slow
def test_familywise_error_of_tukey_paired_randomised_and_unpaired() -> None:
    result = {"randomised-tukey": 0, "tukey": 0, "unpaired": 0}
    for seed, board in enumerate(null_boards()):
        for test in ("randomised-tukey", "tukey"):
            options = {"n_resamples": 999, "seed": seed} if test != "tukey" else {}
            result[test] += bool(run_joint_test(test, board, **options).pvalue_adj.min() < ALPHA)
        result["unpaired"] += unpaired_tukey(board) < ALPHA
    print({test: count / N_BOARDS for test, count in result.items()})
    for test in ("randomised-tukey", "tukey"):
        inside = binomtest(result[test], N_BOARDS, ALPHA).pvalue > 0.01
        assert inside, f"{test}: {result[test]} of {N_BOARDS}"
    # What the queries share is taken for error: it finds nothing, and has no power either.
    assert result["unpaired"] < 0.2 * ALPHA * N_BOARDS
