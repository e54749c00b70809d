"""The part of ``abrank power`` on human queries beside a machine's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from abrank._support import display
from abrank._support.errors import AlignmentError

if TYPE_CHECKING:
    pass


FEWEST_KNOWN = 10  # queries that both judged, of which a correlation is told


def measured(people: Mapping[str, float], machine: Mapping[str, float]) -> list[float]:
    """Return the correlation on the queries that both judged, between the ends of its interval."""
    import numpy as np

    from abrank.planning import correlation_interval

    shared = [query for query in people if query in machine]
    if len(shared) < FEWEST_KNOWN:
        raise AlignmentError(
            f"people and machine judged {display.plural(len(shared), 'query', 'queries')} in"
            f" common, and their correlation takes {FEWEST_KNOWN}: give --correlation and"
            " --machine-queries"
        )
    d, f = (np.array([judge[each] for each in shared]) for judge in (people, machine))
    found = float(np.corrcoef(d, f)[0, 1]) if np.ptp(d) > 0.0 and np.ptp(f) > 0.0 else 0.0
    low, high = correlation_interval(found, len(shared))
    return [low, found, high]
