"""Tables of studies as they are stored beside their pages."""

import csv
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

STORED = Path(__file__).parents[3] / "reports" / "calibration"
Row = TypeVar("Row")
KINDS: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": "True".__eq__}


def rows_of(name: str, kind: type[Row]) -> list[Row]:
    """Return the rows of a stored table as the study made them."""
    with (STORED / name).open(encoding="utf-8") as file:
        return [
            kind(**{field.name: KINDS[str(field.type)](row[field.name]) for field in fields(kind)})  # type: ignore[arg-type]
            for row in csv.DictReader(file)
        ]


def page_of(name: str) -> str:
    """Return a stored page."""
    return (STORED / name).read_text("utf-8")
