"""Registries of decorated functions, and the docstring parts that their entries share."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from abrank._support.errors import ArgumentError, UnknownNameError

Entry = TypeVar("Entry")
MAX_LISTED = 12  # names listed in a message
_STATES = itertools.count()


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries by name in order of registration; duplicate names are refused."""

    # Redefining a function, by a reload or by running a notebook cell again, replaces its entry.
    # `state` changes with the entries, so that caches can depend on it.

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.state = next(_STATES)
        self._entries: dict[str, Entry] = {}
        self._definitions: dict[str, tuple[str, str] | None] = {}

    @classmethod
    def of(cls, kind: str) -> Registry[Entry]:
        """Return the only registry of a kind, so that a reimported module finds its entries."""
        return _REGISTRIES.setdefault(kind, cls(kind))

    def add(self, name: str, entry: Entry, function: Callable[..., Any] | None = None) -> None:
        """Register ``entry`` for ``function``; raise ArgumentError if the name is taken."""
        if name in self._entries and not self.is_redefinition(name, function):
            raise ArgumentError(f'{self.kind} "{name}" is registered already')
        self.state = next(_STATES)
        self._entries[name] = entry
        self._definitions[name] = _definition(function)

    def is_redefinition(self, name: str, function: Callable[..., Any] | None) -> bool:
        """Whether ``function`` is the registered function, defined again in the same place."""
        definition = _definition(function)
        return definition is not None and self._definitions.get(name) == definition

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            error = UnknownNameError(self.kind, name, self._entries)
            if not error.nearest and len(self._entries) <= MAX_LISTED:
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
    """Return where a function is defined; None for local functions, which may be many."""
    name = getattr(function, "__qualname__", "<locals>")  # missing in ufuncs of numpy 2.0
    return None if "<locals>" in name else (str(getattr(function, "__module__", "")), name)


_ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
_HEADING = re.compile(r"\n\n([A-Z][a-z]+)\n-{3,}\n")
_ENTRY = re.compile(r"^(\w[\w, ]*) : ", re.MULTILINE)


def split(docstring: str | None) -> tuple[str, dict[str, str]]:
    r"""Split a numpydoc docstring into its text and its sections by heading."""
    text, *parts = _HEADING.split(inspect.cleandoc(docstring or ""))
    return text, dict(zip(parts[::2], parts[1::2], strict=True))


def join(text: str, sections: Mapping[str, str]) -> str:
    """Join a text and sections to a docstring, without empty sections."""
    return text + "".join(
        f"\n\n{heading}\n{'-' * len(heading)}\n{sections[heading]}"
        for heading in sorted(sections, key=_ORDER.index)
        if sections[heading]
    )


def entries(section: str) -> dict[str, str]:
    r"""Return the entries of a parameter section by name."""
    _, *result = _ENTRY.split(section)
    return {name: entry.rstrip() for name, entry in zip(result[::2], result[1::2], strict=True)}


def complete(
    function: Callable[..., Any], parameters: Mapping[str, str], text: str = "", **sections: str
) -> str:
    """Complete a function's docstring with shared parts; ``text`` may replace its text."""
    text_of_function, sections_of_function = split(function.__doc__)
    described = entries(sections_of_function.get("Parameters", ""))
    described_names = {name for names in described for name in names.split(", ")}
    shared = {name: parameters[name] for name in parameters if name not in described_names}
    entries_by_name = {names.split(", ")[0]: (names, entry) for names, entry in described.items()}
    entries_by_name |= {name: (name, entry) for name, entry in shared.items()}
    lines = [
        " : ".join(entries_by_name[name])
        for name in inspect.signature(function).parameters
        if name in entries_by_name
    ]
    result = join(
        text or text_of_function,
        {**sections, **sections_of_function, "Parameters": "\n".join(lines)},
    )
    function.__doc__ = result
    return result
