"""How large a report is, how long it takes and how much memory: printed, the sizes asserted."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest

from abrank import compare
from abrank.comparison import Comparison, compare_systems
from abrank.report.html import html
from abrank.scores import Scores
from abrank.simulate import simulate_runs


def of_runs(n: int) -> Comparison:
    """Compare two simulated runs, with texts and segments: as much as a report can hold."""
    made = simulate_runs(n, rng=1)
    how = {"topics": made.topics, "segments": {"intent": made.intents}}
    return compare(made.qrels, made.baseline, made.candidate, **how)


def of_scores(n: int) -> Comparison:
    """Compare scores as the engine holds them: reading a million from a frame is no part of it."""
    random = np.random.default_rng(0)
    a = random.beta(1.6, 2.2, (n, 2))
    moved = np.where(random.random((n, 2)) < 0.1, 0.0, random.normal(0.01, 0.16, (n, 2)))
    scores = Scores(
        query_ids=tuple(f"q{i:07d}" for i in range(n)),
        systems=("old", "new"),
        measures=("nDCG@10", "AP"),
        values=np.stack([a, (a + moved).clip(0, 1)], axis=1),
    )
    return compare_systems(scores, margin=0.005)


@pytest.mark.benchmarks
@pytest.mark.parametrize(
    ("make", "n", "most"),
    [(of_runs, 250, 600_000), (of_runs, 7_000, 2_000_000), (of_scores, 1_000_000, 2_000_000)],
    ids=["250 queries", "7000 queries", "a million queries"],
)
def test_size_and_time_of_a_report(make, n, most) -> None:
    start = time.perf_counter()
    comparison = make(n)
    compared = time.perf_counter()
    text = html(comparison)
    seconds = compared - start, time.perf_counter() - compared
    size = len(text.encode())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"\n{n} queries: {size / 1e6:.2f} MB, compared in {seconds[0]:.1f} s, written in"
        f" {seconds[1]:.1f} s, at most {memory:.2f} GB of memory so far"
    )
    assert size <= most
