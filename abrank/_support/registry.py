"""A catalogue of decorated plain functions: one place to add one, listed by existing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from abrank._support.errors import ArgumentError, UnknownNameError

Entry = TypeVar("Entry")
MOST_LISTED = 12  # names in a message


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Names to entries, in order of registration; a second entry of a name is refused.

    A function that is defined again, by a reload or a cell of a notebook run twice, takes its own
    place once more.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        self._definitions: dict[str, tuple[str, str] | None] = {}

    @classmethod
    def of(cls, kind: str) -> Registry[Entry]:
        """Return the one registry of a kind: a module imported again finds what stands in it."""
        return _REGISTRIES.setdefault(kind, cls(kind))

    def add(self, name: str, entry: Entry, function: Callable[..., Any] | None = None) -> None:
        """Register ``entry``, made of ``function``; raise ArgumentError if the name is taken."""
        if name in self._entries and not self.is_redefinition(name, function):
            raise ArgumentError(f'{self.kind} "{name}" is registered already')
        self._entries[name] = entry
        self._definitions[name] = _definition(function)

    def is_redefinition(self, name: str, function: Callable[..., Any] | None) -> bool:
        """Whether ``function`` is what stands under ``name``, defined again at the same place."""
        definition = _definition(function)
        return definition is not None and self._definitions.get(name) == definition

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            error = UnknownNameError(self.kind, name, self._entries)
            if not error.nearest and len(self._entries) <= MOST_LISTED:
                error.args = (f"{error}; choices: {', '.join(self._entries)}",)
            raise error
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


_REGISTRIES: dict[str, Registry[Any]] = {}


def _definition(function: Callable[..., Any] | None) -> tuple[str, str] | None:
    """Return where a function is defined; None inside another one, which may make many alike."""
    name = getattr(function, "__qualname__", "<locals>")  # a ufunc of numpy 2.0 has none
    return None if "<locals>" in name else (str(getattr(function, "__module__", "")), name)
