"""Summarise a ledger: error budget, reuse of queries, expected gains."""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from abrank._support import checks, display
from abrank._support.errors import ArgumentError
from abrank._support.result import Printed, record
from abrank._support.typing import FloatArray
from abrank.inference.many_comparisons import (
    MIN_EFFECTS,
    OnlineMethod,
    Repetition,
    expected_again,
    online_levels,
    predict_repetition,
)
from abrank.ledger.entry import LedgerEntry
from abrank.ledger.store import open_ledger

METHODS: dict[str, dict[str, OnlineMethod]] = {
    "fdr": {
        "": "lord++",
        "saffron": "saffron",
        "positive-dependence": "lond",
        "any-dependence": "lond-dependent",
    },
    "fwer": {"": "spending"},
}
PROMISES: dict[OnlineMethod, str] = {
    "lord++": "where comparisons are independent (LORD++, Ramdas et al. 2017)",
    "saffron": "where comparisons are independent (SAFFRON, Ramdas et al. 2018)",
    "lond": "where comparisons are positively dependent (LOND, Zrnic et al. 2021)",
    "lond-dependent": "however comparisons depend on each other (LOND, Javanmard and Montanari"
    " 2015)",
    "spending": "however comparisons depend on each other (alpha-spending, Foster and Stine 2008)",
}
# Tests allowed under a budget; the first is the default. At its small levels, t and sign flips
# reject too often if differences are skewed.
TESTS = ("hall", "permutation", "bounded")
_WRITTEN = re.compile(r"(fdr|fwer):([0-9.eE-]+)(?::([a-z-]+))?")


def level_text(alpha: float) -> str:
    """Format a level with two digits and no exponent; levels in a stream become small."""
    return np.format_float_positional(float(f"{alpha:.2g}"), trim="-")


@record
class ErrorBudget:
    """A limit for the false discoveries in all comparisons of a ledger.

    Attributes
    ----------
    kind : {"fdr", "fwer"}
        The false discovery rate, or the probability of any false discovery. A discovery is a
        verdict that B is better.
    alpha : float
    variant : {"", "saffron", "positive-dependence", "any-dependence"}

    Examples
    --------
    >>> budget = ErrorBudget.parse("fdr:0.05")
    >>> round(budget.next_alpha([]), 5)
    0.00268
    """

    kind: str
    alpha: float
    variant: str = ""

    @classmethod
    def parse(cls, text: str) -> ErrorBudget:
        """Parse a budget such as ``fdr:0.05`` or ``fwer:0.05``."""
        match = _WRITTEN.fullmatch(str(text).strip())
        if match is None or (match[3] or "") not in METHODS[match[1]]:
            variants = ", ".join(f"fdr:0.05:{name}" for name in METHODS["fdr"] if name)
            raise ArgumentError(
                f"an error budget is fdr:0.05 or fwer:0.05 (or {variants}), not {text!r}"
            )
        try:
            alpha = float(match[2])
        except ValueError:
            raise ArgumentError(f"{match[2]!r} in the error budget is no number") from None
        return cls(match[1], checks.level("error budget", alpha), match[3] or "")

    def __str__(self) -> str:
        return ":".join([self.kind, f"{self.alpha:g}", *([self.variant] if self.variant else [])])

    @property
    def method(self) -> OnlineMethod:
        """The online procedure that distributes the budget."""
        return METHODS[self.kind][self.variant]

    @property
    def promise(self) -> str:
        """When the guarantee holds, and its source."""
        return PROMISES[self.method]

    def stream(self, entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
        """Return the first comparison for each distinct spending."""
        first: dict[tuple[str, ...], LedgerEntry] = {}
        for entry in entries:
            if entry.budget == str(self):
                first.setdefault(entry.spends, entry)
        return list(first.values())

    def alphas(self, entries: Sequence[LedgerEntry]) -> FloatArray:
        """Return the two-sided levels of its comparisons so far, and of the next.

        Half of a level is the error probability of a verdict for B; no level exceeds the budget.
        The same scores compared again spend and earn nothing.
        """
        return self.levels([item.pvalue_better for item in self.stream(entries)])

    def levels(self, pvalues: Sequence[float]) -> FloatArray:
        """Return the two-sided levels for a stream of one-sided p-values, and for the next."""
        levels = online_levels(pvalues, self.method, alpha=self.alpha, maximum=self.alpha / 2)
        return np.asarray(2 * levels)

    def next_alpha(self, entries: Sequence[LedgerEntry]) -> float:
        """Return the two-sided level of a ledger's next comparison."""
        return float(self.alphas(entries)[-1])


@record
class QuerySet:
    """How often a set of queries was used.

    Attributes
    ----------
    queries : str
        Hash of its ids.
    n_queries, n_comparisons, n_better : int
        Its size, the comparisons on it, and those with the verdict that B is better.
    by_chance : float
        Expected number of these if no candidate were better: half of each comparison's level.
    overlap : float
        Largest share of its queries that another set of the ledger also has.
    """

    queries: str
    n_queries: int
    n_comparisons: int
    n_better: int
    by_chance: float
    overlap: float


@record
class Spent:
    """An error budget over a ledger's comparisons, and what the next one may spend.

    ``n_above_level`` counts comparisons with a higher level than the stream allows, for example
    after a merge of two branches; the budget guarantees nothing for these.
    """

    budget: str
    n_comparisons: int
    n_better: int
    next_alpha: float
    n_above_level: int


@record
class History(Printed):
    """A ledger as read.

    Attributes
    ----------
    path : str
    entries : tuple of LedgerEntry
        Oldest first.
    query_sets : tuple of QuerySet
        Most used first.
    budgets : tuple of Spent
    expected : tuple of float, one per entry
        Expected gain in a repetition; NaN with fewer than eight comparisons in the measure, or
        without a standard error.
    """

    path: str
    entries: tuple[LedgerEntry, ...]
    query_sets: tuple[QuerySet, ...]
    budgets: tuple[Spent, ...]
    expected: tuple[float, ...]

    _FRAME = "entries"

    @property
    def decimals(self) -> int:
        """Decimals in reports: half the width of most intervals has two digits."""
        return display.decimals([(entry.low, entry.high) for entry in self.entries])

    @property
    def is_known(self) -> bool:
        """Whether an expected gain is known for any entry."""
        return not all(map(math.isnan, self.expected))

    @cached_property
    def measure(self) -> str:
        """The measure of most entries; sums of gains only use this measure."""
        used = Counter(entry.measure for entry in self.entries)
        return used.most_common(1)[0][0] if used else ""

    def gains(self) -> list[tuple[float, float]]:
        """Return for every entry the gain in that measure and its expected repetition.

        Both are 0 if the verdict is not that B is better.
        """
        return [
            (entry.gain, expected)
            if entry.is_better and entry.measure == self.measure and not math.isnan(expected)
            else (0.0, 0.0)
            for entry, expected in zip(self.entries, self.expected, strict=True)
        ]

    @cached_property
    def adds_up(self) -> bool:
        """Whether gains can be added: no two are relative to the same scores of A."""
        found = [
            (entry.baseline, entry.a)
            for entry, (gain, _) in zip(self.entries, self.gains(), strict=True)
            if gain
        ]
        return len({*found}) == len(found)

    @cached_property
    def claimed(self) -> float:
        """Sum of the observed gains."""
        return sum(gain for gain, _ in self.gains())

    @cached_property
    def to_expect(self) -> float:
        """Sum of the expected gains."""
        return sum(expected for _, expected in self.gains())


@checks.explained
def history(path: str | os.PathLike[str]) -> History:
    """Read a ledger.

    Source: Javanmard & Montanari (2018), Annals of Statistics 46, 526-554: levels of a stream;
    Gelman et al. (2013), Bayesian Data Analysis, 3rd ed., 5.4: expected gains.

    Parameters
    ----------
    path : str or path
        A folder, or a file whose name ends with .sqlite, .sqlite3 or .db.

    Raises
    ------
    NotFoundError
        If no ledger has this name.
    ReadError
        If the path is something else, or an entry was changed after it was written.
    """
    ledger = open_ledger(checks.path("path", path))
    entries = ledger.entries()
    expected = [float("nan")] * len(entries)
    by_measure = defaultdict(list)  # indices of entries with a standard error
    for place, entry in enumerate(entries):
        if np.isfinite(entry.gain) and 0 < entry.standard_error < np.inf:
            by_measure[entry.measure, entry.higher_is_better].append(place)
    for places in by_measure.values():
        if len(places) < MIN_EFFECTS:
            continue
        measured = [entries[i] for i in places]
        rows = [(item.gain, item.standard_error, item.n_queries) for item in measured]
        gains, errors, n_queries = np.array(rows, dtype=float).T
        again = expected_again(gains, errors, freedom=np.maximum(n_queries - 1, 1))
        for place, gain in zip(places, again.tolist(), strict=True):
            expected[place] = gain
    return History(
        str(Path(path)),
        entries,
        _query_sets(entries, ledger.query_sets()),
        tuple(_spent(name, entries) for name in sorted({entry.budget for entry in entries} - {""})),
        tuple(expected),
    )


def repetition(entry: LedgerEntry, earlier: FloatArray) -> Repetition | None:
    """Predict the repetition of an entry; None with too little data.

    ``earlier`` has gain, standard error and number of queries of others: float64[n, 3].
    """
    rows = np.vstack([earlier, [entry.gain, entry.standard_error, entry.n_queries]])
    usable = np.isfinite(rows).all(axis=1) & (rows[:, 1] > 0)
    if not usable[-1] or usable.sum() < MIN_EFFECTS:
        return None
    gains, errors, n_queries = rows[usable].T
    return predict_repetition(gains, errors, freedom=np.maximum(n_queries - 1, 1))


def _query_sets(
    entries: Sequence[LedgerEntry], ids_by_hash: dict[str, frozenset[str]]
) -> tuple[QuerySet, ...]:
    used = Counter(entry.queries for entry in entries)
    result = []
    for queries, n_comparisons in used.most_common():
        on_queries = [entry for entry in entries if entry.queries == queries]
        query_ids = ids_by_hash.get(queries, frozenset())
        n_shared = (
            len(query_ids & ids_by_hash[other_set])
            for other_set in used
            if other_set != queries and other_set in ids_by_hash
        )
        result.append(
            QuerySet(
                queries,
                on_queries[0].n_queries,
                n_comparisons,
                sum(entry.is_better for entry in on_queries),
                sum(entry.alpha / 2 for entry in on_queries),
                max(n_shared, default=0) / max(len(query_ids), 1),
            )
        )
    return tuple(result)


def _spent(name: str, entries: Sequence[LedgerEntry]) -> Spent:
    """Replay a budget's stream, and compare its levels with those of the entries."""
    budget = ErrorBudget.parse(name)
    stream, alphas = budget.stream(entries), budget.alphas(entries)
    above_level = [
        entry
        for entry, alpha in zip(stream, alphas, strict=False)
        if entry.alpha > alpha * (1 + 1e-9)
    ]
    n_better = sum(entry.is_better for entry in stream)
    return Spent(name, len(stream), n_better, float(alphas[-1]), len(above_level))
