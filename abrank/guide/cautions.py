"""What the catalogue says of each caution: an example, when it appears, and what to do."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Example:
    """The numbers of an example, when the caution appears, and what to do about it."""

    values: Mapping[str, Any]
    when: str
    do: str


_TEXT = (resources.files("abrank.guide") / "cautions.toml").read_text("utf-8")
EXAMPLES: Mapping[str, Example] = {
    code: Example(each["example"], each["when"], each["do"])
    for code, each in tomllib.loads(_TEXT).items()
}
