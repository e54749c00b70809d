"""An error budget: how much of it the next comparison of a ledger may spend."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.many_comparisons import OnlineMethod, online_levels
from abrank.ledger.entry import Entry

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
# Their p-values hold at the small levels that a budget gives; those of t do not.
TESTS = ("permutation", "bounded")
_WRITTEN = re.compile(r"(fdr|fwer):([0-9.eE-]+)(?::([a-z-]+))?")


def shown_level(alpha: float) -> str:
    """Return a level to two digits, without an exponent: those of a stream become small.

    Examples
    --------
    >>> shown_level(0.0000214)
    '0.000021'
    """
    return np.format_float_positional(float(f"{alpha:.2g}"), trim="-")


@record
class ErrorBudget:
    """A bound on the false findings of all comparisons of a ledger.

    Attributes
    ----------
    kind : {"fdr", "fwer"}
        The false discovery rate, or the chance of any false finding. A finding is a verdict that B
        is better.
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
        """Return the budget that a text such as ``fdr:0.05`` or ``fwer:0.05`` declares."""
        found = _WRITTEN.fullmatch(str(text).strip())
        if found is None or (found[3] or "") not in METHODS[found[1]]:
            variants = ", ".join(f"fdr:0.05:{name}" for name in METHODS["fdr"] if name)
            raise ArgumentError(
                f"an error budget is fdr:0.05 or fwer:0.05 (or {variants}), not {text!r}"
            )
        try:
            alpha = float(found[2])
        except ValueError:
            raise ArgumentError(f"{found[2]!r} in the error budget is no number") from None
        return cls(found[1], checks.level("error budget", alpha), found[3] or "")

    def __str__(self) -> str:
        return ":".join([self.kind, f"{self.alpha:g}", *([self.variant] if self.variant else [])])

    @property
    def method(self) -> OnlineMethod:
        """The online procedure that shares it out."""
        return METHODS[self.kind][self.variant]

    @property
    def promise(self) -> str:
        """When it holds, and by whom."""
        return PROMISES[self.method]

    def stream(self, entries: Sequence[Entry]) -> list[Entry]:
        """Return the comparisons that spend from it, the first of each."""
        first: dict[tuple[str, ...], Entry] = {}
        for each in entries:
            if each.budget == str(self):
                first.setdefault(each.spends, each)
        return list(first.values())

    def alphas(self, entries: Sequence[Entry]) -> FloatArray:
        """Return the two-sided level of each of its comparisons so far, and of the next.

        Half of a level is what a verdict in favour of B may err by; none is above the budget. The
        same scores compared again spend and earn nothing.
        """
        pvalues = [each.pvalue_better for each in self.stream(entries)]
        levels = online_levels(pvalues, self.method, alpha=self.alpha, most=self.alpha / 2)
        return np.asarray(2 * levels)

    def next_alpha(self, entries: Sequence[Entry]) -> float:
        """Return the two-sided level of a ledger's next comparison."""
        return float(self.alphas(entries)[-1])
