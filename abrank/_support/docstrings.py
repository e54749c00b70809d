"""Docstrings: what all functions of a kind share is said once, and added to that of each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

_ORDER = ("Parameters", "Returns", "Raises", "Notes", "References", "Examples")
_HEADING = re.compile(r"\n\n([A-Z][a-z]+)\n-{3,}\n")
_ENTRY = re.compile(r"^(\w[\w, ]*) : ", re.MULTILINE)


def split(docstring: str | None) -> tuple[str, dict[str, str]]:
    r"""Return the text of a numpydoc docstring, and its sections by heading."""
    text, *parts = _HEADING.split(inspect.cleandoc(docstring or ""))
    return text, dict(zip(parts[::2], parts[1::2], strict=True))


def join(text: str, sections: Mapping[str, str]) -> str:
    """Return the docstring of a text and sections; those that are empty are left out."""
    place = {heading: i for i, heading in enumerate(_ORDER)}
    return text + "".join(
        f"\n\n{heading}\n{'-' * len(heading)}\n{sections[heading]}"
        for heading in sorted(sections, key=lambda each: place[each])
        if sections[heading]
    )


def entries(section: str) -> dict[str, str]:
    r"""Return the entries of a section of parameters, by name."""
    _, *found = _ENTRY.split(section)
    return {name: each.rstrip() for name, each in zip(found[::2], found[1::2], strict=True)}


def complete(function: Callable[..., Any], parameters: Mapping[str, str], **sections: str) -> None:
    """Add to a function's docstring what it does not say itself."""
    text, own = split(function.__doc__)
    described = entries(own.get("Parameters", ""))
    told = {name for names in described for name in names.split(", ")}
    shared = {name: parameters[name] for name in parameters if name not in told}
    known = {names.split(", ")[0]: (names, each) for names, each in described.items()}
    known |= {name: (name, each) for name, each in shared.items()}
    lines = [
        " : ".join(known[name]) for name in inspect.signature(function).parameters if name in known
    ]
    function.__doc__ = join(text, {**sections, **own, "Parameters": "\n".join(lines)})
