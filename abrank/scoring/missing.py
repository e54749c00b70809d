"""Ready scores of which some are missing, as where a judge failed: what stands in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from abrank._support import checks, display
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.typing import FloatArray, Missing
from abrank.measures import parse
from abrank.measures.names import listed
from abrank.scoring.scores import MISSING, Scores

ASKS = (
    '--missing drop, worst or zero (missing="drop") leaves such queries out, gives them the worst'
    " score, or 0"
)


def filled(scores: Scores, how: str, *, lower_is_better: Sequence[str] | str = ()) -> Scores:
    """Return scores without holes: queries dropped, or holes as ``zero``, ``worst`` or ``best``.

    The worst and the best are the ends of the measure's range; of a score whose range nobody
    knows, the worst and the best that any system has here.
    """
    values = scores.values
    if how == "drop":
        kept = np.flatnonzero(~np.isnan(values).any(axis=(1, 2)))
        if not len(kept):
            raise AlignmentError("no query has a score of every system: nothing is left to compare")
        query_ids = tuple(scores.query_ids[i] for i in kept)
        return replace(scores, query_ids=query_ids, values=values[kept])
    ends = np.zeros(len(scores.measures))
    if how != "zero":
        lower = {_canonical(name) for name in listed(lower_is_better)}
        for i, name in enumerate(scores.measures):
            ends[i] = _end(name, values[:, :, i], best=how == "best", lower=name in lower)
    return replace(scores, values=np.where(np.isnan(values), ends, values))


def settled(
    scores: Scores, missing: Missing, *, lower_is_better: Sequence[str] | str = ()
) -> Scores:
    """Return scores without holes by a policy, with those of before as ``gaps``, and a note."""
    checks.one_of("missing", missing, MISSING)
    failed = np.asarray(np.isnan(scores.values).any(axis=2))
    if not failed.any():
        return scores
    counts = {name: int(n) for name, n in zip(scores.systems, failed.sum(axis=0), strict=True)}
    lacking = {name: n for name, n in counts.items() if n}
    of_system = [f"{display.count(n)} of {name}" for name, n in lacking.items()]
    if len(of_system) > 3:
        of_system[2:] = [f"some of {display.plural(len(of_system) - 2, 'other system')}"]
    queries = display.plural(len(failed), "query", "queries")
    told = f"scores are missing on {' and on '.join(of_system)}, of {queries}"
    if missing == "error":
        query, system, measure = np.argwhere(np.isnan(scores.values))[0]
        first = f"query {scores.query_ids[query]} has no score of {scores.measures[measure]}"
        raise AlignmentError(f"{told}: {first} of {scores.systems[system]}\n  {ASKS}")
    found = filled(scores, missing, lower_is_better=lower_is_better)
    done = {
        "zero": "they score 0",
        "worst": "they have the worst score",
        "drop": f"{display.plural(len(found.query_ids), 'query', 'queries')} with all scores are"
        " taken",
    }
    return replace(found, gaps=scores, notes=(*scores.notes, f"{told}: {done[missing]}"))


def _canonical(name: str) -> str:
    try:
        return str(parse(name))
    except ArgumentError:
        return name


def _end(measure: str, values: FloatArray, *, best: bool, lower: bool) -> float:
    """Return the worst or the best value of a measure."""
    ends: tuple[float, float] = (-np.inf, np.inf)
    try:
        entry = parse(measure).entry
    except ArgumentError:
        pass
    else:
        ends, lower = entry.bounds, not entry.higher_is_better
    end = ends[int(best != lower)]
    if np.isfinite(end):
        return end
    return float(np.nanmax(values) if best != lower else np.nanmin(values))
