"""The cautions that the declared rule gives: too wide a margin, a direction not declared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abrank.diagnostics.notes import Note, is_known

# So many queries show differences of a few hundredths of their standard deviation.
MANY = 10_000
# Names of what one would rather have less of.
COSTS = frozenset({"latency", "ms", "time", "loss", "error", "cost", "rank", "perplexity"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLURALS = {"losses": "loss"} | {f"{word}s": word for word in COSTS - {"loss", "ms"}}


def inspect_margin(
    margin: float, *, baseline: float, span: float, n_queries: int = 0, visible: float = 0.0
) -> list[Note]:
    """Return the caution that a margin is too wide, or that many queries decide without one.

    Parameters
    ----------
    margin : float
        In the unit of the primary measure.
    baseline : float
        Mean of the baseline, NaN without a query.
    span : float
        From the least to the largest value of the measure; infinite where it is not known.
    n_queries : int
    visible : float
        The smallest difference that so many show, in the same unit; NaN where it is not known.

    Returns
    -------
    list of Note

    Examples
    --------
    >>> found = inspect_margin(0.0, baseline=0.4, span=1.0, n_queries=100_000, visible=0.0008)
    >>> [note.code for note in found]
    ['no-margin-many-queries']
    >>> [note.code for note in inspect_margin(0.6, baseline=0.4, span=1.0)]
    ['margin-above-baseline']
    >>> [note.code for note in inspect_margin(0.6, baseline=0.8, span=1.0)]
    ['margin-above-half-range']
    """
    values = {"margin": margin, "baseline": baseline, "span": span}
    if margin > 0.0 and margin > abs(baseline):
        return [Note("margin-above-baseline", 3, values)]
    if margin > 0.5 * span:
        return [Note("margin-above-half-range", 3, values)]
    if not margin and n_queries >= MANY and visible > 0.0:
        return [Note("no-margin-many-queries", 2, {"n": n_queries, "visible": visible})]
    return []


def inspect_directions(asked: Sequence[str], *, primary: str) -> list[Note]:
    """Return the question whether less is better of scores with a name like a cost.

    Parameters
    ----------
    asked : sequence of str
        Measures with such names, of which nobody said it.
    primary : str

    Returns
    -------
    list of Note
        One for all, and before all others where the primary measure is among them.

    Examples
    --------
    >>> found = inspect_directions(["p95_latencyMs"], primary="lossless")
    >>> [(note.code, note.severity, note.values["measures"]) for note in found]
    [('direction-not-declared', 2, ['p95_latencyMs'])]
    """
    severity = 4 if primary in asked else 2
    names = sorted(asked, key=lambda name: name != primary)
    return [Note("direction-not-declared", severity, {"measures": names})] if names else []


def asks_direction(name: str) -> bool:
    """Say whether a score that is no measure has a word in its name that costs have.

    Examples
    --------
    >>> asks_direction("p95_latencyMs"), asks_direction("lossless")
    (True, False)
    """
    words = {word.casefold() for word in _WORD.findall(name)}
    words |= {_PLURALS.get(word, word) for word in words}
    return bool(words & COSTS) and not is_known(name)
