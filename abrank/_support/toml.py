"""Reading TOML, with errors that say why a file cannot be read."""

from __future__ import annotations

from typing import Any

from abrank._support.display import shorten
from abrank._support.errors import ReadError


def parse_toml(data: bytes, label: str, *, expected: str = "") -> dict[str, Any]:
    """Return what TOML holds."""
    import tomllib  # a rule in a file is the rarer way

    try:
        found = tomllib.loads(data.decode("utf-8-sig"))
        repr(found)  # of what is too large or too deep Python makes no text, nor could a message
    except (ValueError, RecursionError) as problem:
        told = shorten(str(problem), width=200)
        raise ReadError(label, f"no TOML: {told}", expected=expected) from None
    return found
