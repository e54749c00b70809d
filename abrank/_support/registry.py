"""A catalogue of decorated plain functions: one place to add one, listed by existing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from abrank._support.errors import ArgumentError, UnknownNameError

Entry = TypeVar("Entry")
MOST_LISTED = 12  # names in a message


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Names to entries, in order of registration; a second entry of a name is refused.

    Parameters
    ----------
    kind : str
        What is registered, for messages: "measure", "test", "format".

    Examples
    --------
    >>> sizes: Registry[int] = Registry("size")
    >>> sizes.add("small", 1)
    >>> sizes["smal"]
    Traceback (most recent call last):
    abrank._support.errors.UnknownNameError: unknown size "smal"; did you mean small?
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}

    def add(self, name: str, entry: Entry) -> None:
        """Register ``entry`` under ``name``; raise ArgumentError if the name is taken."""
        if name in self._entries:
            raise ArgumentError(f'{self.kind} "{name}" is registered already')
        self._entries[name] = entry

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            error = UnknownNameError(self.kind, name, self._entries)
            if not error.nearest and len(self._entries) <= MOST_LISTED:
                error.args = (f"{error.args[0]}; choices: {', '.join(self._entries)}",)
            raise error
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
