"""Who is meant in the notes, and how their texts and numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten

Words: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

LONGEST_ID = 40


class Names:
    """Who is meant by "a" and "b", and how numbers are written."""

    def __init__(
        self,
        a: str,
        b: str,
        *,
        digits: int,
        alpha: float,
        topics: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._names = {"a": a, "b": b}
        self.digits, self.alpha = digits, alpha
        self._topics = topics

    def __getitem__(self, key: str) -> str:
        return self._names[key]

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def level(self, *pvalues: float) -> str:
        """Return the level of the tests beside the p-values of a note."""
        return f"α = {f.alpha(self.alpha, pvalues)}"

    def query(self, query_id: str) -> str:
        """Return a query's id, and its text where that is known."""
        text = self._topics.get(query_id)
        if not text:
            return quoted(query_id)
        return f"{shorten(query_id, width=LONGEST_ID)} {quoted(text)}"


def quoted(text: object) -> str:
    """Return a text in quotation marks, shortened."""
    return f"“{shorten(str(text), width=LONGEST_ID)}”"
