"""Runs that retrieved unequally many documents: a measure that looks far down compares lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from abrank.measures import parse
from abrank.scoring.scores import Scores

# Runs are of one depth where the shorter retrieves at least so much of the longer.
SAME_DEPTH = 0.8


@dataclass(frozen=True, eq=False)
class UnequalDepth:
    """Runs of unequal depth.

    Attributes
    ----------
    medians : mapping of str to float
        Documents retrieved for a query, in the median over the queries with results, by system.
    depth : int
        The common depth: the least of the medians.
    cut : Scores
        Of the measures that look further down, with every run cut at the common depth.
    """

    medians: Mapping[str, float]
    depth: int
    cut: Scores


def unequal_depth(scores: Scores) -> UnequalDepth | None:
    """Return how deep the runs are and what they score at a common depth.

    Parameters
    ----------
    scores : Scores
        Of two systems or more.

    Returns
    -------
    UnequalDepth or None
        None for ready scores, and where the runs are about as deep as one another (the shorter has
        80 % of the documents of the longer) or no score changes at the common depth.

    Examples
    --------
    >>> from abrank.scoring.evaluate import evaluate
    >>> deep = {"q1": {"d1": 2.0, "d2": 1.0}}
    >>> runs = {"deep": deep, "cut": {"q1": {"d1": 2.0}}}
    >>> found = unequal_depth(evaluate({"q1": {"d1": 1, "d2": 1}}, runs, ["AP", "P@1"]))
    >>> found.medians, found.depth, found.cut.measures, found.cut.values[0, :, 0]
    ({'deep': 2, 'cut': 1}, 1, ('AP',), array([0.5, 0.5]))
    """
    if (
        len(scores.systems) < 2
        or set(scores.systems) - set(scores.judged_runs)
        or not scores.query_ids
    ):
        return None
    medians = {}
    for system in scores.systems:
        n_retrieved = scores.judged_runs[system].judged.n_retrieved
        with_results = n_retrieved[n_retrieved > 0]
        median = float(np.median(with_results)) if with_results.size else 0.0
        medians[system] = int(median) if median.is_integer() else median
    depth = int(min(medians.values()))
    if depth < 1 or depth >= SAME_DEPTH * max(medians.values()):
        return None
    deep = []
    for name in scores.measures:
        cutoff = dict(parse(name).parameters).get("cutoff")
        if not (isinstance(cutoff, int) and cutoff <= depth):
            deep.append(name)
    if not deep:
        return None
    cut = scores.rescored(lambda judged: judged.top(depth), measures=deep)
    before = scores.values[:, :, [scores.measures.index(name) for name in deep]]
    touched = np.flatnonzero((cut.values != before).any(axis=(0, 1)))
    if not touched.size:
        return None
    names = tuple(deep[i] for i in touched)
    cut = replace(cut, measures=names, values=cut.values[:, :, touched])
    return UnequalDepth(medians, depth, cut)
