"""The cautions that the declared rule gives, and those on judgments by a machine."""

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


LEVEL = 0.05  # of the tests whether the human queries are like the others, all together
# Of all queries: so many judged by people leave the machine little to add.
MOST_JUDGED = 0.5


def inspect_machine(
    *,
    n_judged: int,
    n_queries: int,
    missing: Sequence[str] = (),
    correlation: float,
    break_even: float,
    outside: float,
    set_aside: str,
    shared_model: str | None = None,
    judge: str | None = None,
    sample: Sequence[tuple[str, float, float, float]] = (),
) -> list[Note]:
    """Return the cautions on a comparison that uses a machine's judgments.

    Parameters
    ----------
    n_judged, n_queries : int
        Queries that people judged, and all that the machine did.
    missing : sequence of str
        Queries that people judged and the machine did not.
    correlation, break_even : float
        Of people's and the machine's differences, and the one below which it widens the interval.
    outside : float
        Share of all queries whose machine difference lies outside the range of the judged ones.
    set_aside : {"", "draw", "errors"}
        Why people alone decide: the draw was rejected, or too few errors of the machine were seen
        to know how often it fails grossly.
    shared_model : {"a", "b", "both", "neither"}, optional
    judge : str, optional
        The machine's name.
    sample : sequence of (what, mean of judged, mean of others, p-value)

    Returns
    -------
    list of Note

    Examples
    --------
    >>> seen = {"correlation": 0.1, "break_even": 0.32, "outside": 0.15, "set_aside": "errors"}
    >>> found = inspect_machine(n_judged=26, n_queries=400, **seen)
    >>> [note.code for note in found]
    ['machine-set-aside', 'machine-not-declared']
    """
    notes = []
    sizes = {"n_judged": n_judged, "n_queries": n_queries}
    for what, judged, others, pvalue in sample:
        if pvalue < LEVEL / len(sample):
            values = {"what": what, "judged": judged, "others": others, "pvalue": pvalue}
            notes.append(Note("machine-sample-differs", 3, values))
    if n_judged > MOST_JUDGED * n_queries:
        notes.append(Note("machine-nearly-all-judged", 1, sizes))
    elif not set_aside and abs(correlation) <= break_even:
        values = {"correlation": correlation, "break_even": break_even}
        notes.append(Note("machine-no-help", 2, values))
    if set_aside == "errors":
        notes.append(Note("machine-set-aside", 3, {**sizes, "outside": outside}))
    if missing:
        values = {"ids": list(missing[:3]), "count": len(missing)}
        notes.append(Note("machine-missing", 3 if len(missing) >= n_judged else 2, values))
    if shared_model not in (None, "neither"):
        notes.append(Note("machine-shares-model", 2, {"shared": shared_model}))
    if shared_model is None or judge is None:
        values = {"judge": judge is not None, "shared_model": shared_model is not None}
        notes.append(Note("machine-not-declared", 1, values))
    return notes
