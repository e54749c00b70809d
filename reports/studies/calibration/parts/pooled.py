"""Several collections pooled: one effect common to all, or one that differs among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference import pool_collections
from abrank.inference.meta_analysis import MetaAnalysis
from reports.studies.calibration.cells import Asked, below
from reports.studies.calibration.parts.part import Batch, Part, between
from reports.studies.calibration.populations import Pair

COUNTS = (5, 10, 20)
SUMMARIES = ("stratified", "fixed", "random")


def ask_same(batch: Batch) -> Iterator[Asked]:
    """Ask where the mean difference is 0 in every collection."""
    for size in COUNTS:
        nothing = np.zeros((size, batch.count))
        pool = _pool(batch, _chosen(batch, size), nothing)
        for name in SUMMARIES:
            yield _summary(f"{name}, {size} collections", pool, name, nothing[0])
        yield _prediction(pool, nothing[0], size)
        for test, kind in (("Welch", "pvalue"), ("Cochran", "q_pvalue")):
            pvalue = np.array([getattr(item.heterogeneity, kind) for item in pool])
            yield Asked(f"heterogeneity, {test}, {size} collections", below(pvalue))


def ask_differing(batch: Batch) -> Iterator[Asked]:
    """Ask where the effects vary about 0 as much as the means do about them."""
    for size in COUNTS:
        chosen = _chosen(batch, size)
        tau = np.sqrt(np.mean([pair.spread**2 for pair in chosen]) / batch.n)
        effects = batch.random.normal(0.0, tau, (size + 1, batch.count))
        pool = _pool(batch, chosen, effects[:size])
        for name in SUMMARIES:
            # All queries of these collections have the mean of their effects, not that of all.
            truth = effects[:size].mean(axis=0) if name == "stratified" else np.zeros(batch.count)
            yield _summary(f"{name}, {size} collections", pool, name, truth)
        yield _prediction(pool, effects[size], size)


def _chosen(batch: Batch, size: int) -> list[Pair]:
    pairs = batch.material.pairs
    return [pairs[place] for place in np.resize(batch.random.permutation(len(pairs)), size)]


def _prediction(result: list[MetaAnalysis], truth: FloatArray, size: int) -> Asked:
    """Count how often one more collection has its effect within the prediction interval."""
    low = np.array([item.prediction_low for item in result])
    high = np.array([item.prediction_high for item in result])
    return Asked(f"prediction, {size} collections", covers=between(low, truth, high))


def _pool(batch: Batch, chosen: list[Pair], effects: FloatArray) -> list[MetaAnalysis]:
    """Pool samples of n queries of each pair, moved by effects of shape (n_pairs, n_samples)."""
    sample = [
        pair.draw(batch.n, batch.count, batch.random)[:, :, 0] + effect
        for pair, effect in zip(chosen, effects, strict=True)
    ]
    return [pool_collections(parts) for parts in zip(*(item.T for item in sample), strict=True)]


def _summary(test: str, result: list[MetaAnalysis], name: str, truth: FloatArray) -> Asked:
    """Count of one summary; a false finding is one where the truth is 0."""
    getattrs = [getattr(pooled, name) for pooled in result]
    pvalue, low, high = (
        np.array([getattr(first, field) for first in getattrs])
        for field in ("pvalue", "ci_low", "ci_high")
    )
    covers = between(low, truth, high) | np.isnan(low)
    return Asked(test, None if truth.any() else below(pvalue), covers)


_DRAWN = "Collections of n queries each, every one from a pair of its own."
POOLED = (
    Part("collections with one effect", "queries of a collection",
         f"{_DRAWN} No collection has a difference.", ask_same, one_in=4),
    Part(
        "collections with different effects", "queries of a collection",
        f"{_DRAWN} Their effects are drawn about 0, with the variance of the mean of a collection:"
        " half of what is seen to vary is chance. random and fixed are asked for that 0, stratified"
        " for the mean of the effects of these collections, and the prediction for the effect of"
        " one more. fixed has no claim to it: it stands here as the warning.",
        ask_differing,
        one_in=4,
    ),
)  # fmt: skip
