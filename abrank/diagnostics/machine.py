"""The cautions on judgments by a machine: too few human ones, a sample that is not a random one."""

from __future__ import annotations

from collections.abc import Sequence

from abrank.diagnostics.notes import Note

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
