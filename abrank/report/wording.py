"""A result and the decimals in which it is told."""

from __future__ import annotations

from typing import Generic, TypeVar

from abrank._support import display as f

Subject = TypeVar("Subject")


class Words(Generic[Subject]):
    """A result, and its numbers in words: scores, differences and intervals have ``digits``."""

    def __init__(self, result: Subject, digits: int | None = None) -> None:
        self.result = result
        self.digits: int = getattr(result, "decimals", f.DIGITS) if digits is None else digits
        alpha = getattr(result, "alpha", None)
        self.alpha = alpha if isinstance(alpha, float) else 0.05

    def score(self, value: float) -> str:
        """Return a score or a mean."""
        return f.score(value, digits=self.digits)

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def interval(self, low: float, high: float) -> str:
        """Return both limits of a difference."""
        return f.interval(low, high, digits=self.digits)

    def range(self, low: float, high: float) -> str:
        """Return both limits of a mean."""
        return f.UNDEFINED if low != low else f"{self.score(low)} to {self.score(high)}"

    def p(self, value: float) -> str:
        """Return a p-value beside others."""
        return f.pvalue(value, alpha=self.alpha)

    def p_clause(self, value: float) -> str:
        """Return a p-value as a clause of a sentence."""
        return f.p_clause(value, alpha=self.alpha)

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return f.level(1.0 - self.alpha)
