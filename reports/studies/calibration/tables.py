"""Tables of rates for a page, and what is clearly off in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports.studies.calibration.table import ALL, Row

# Bradley (1978), British Journal of Mathematical and Statistical Psychology 31, 144-152: a test is
# robust by the stringent criterion within a tenth of its level, by the liberal one within a half.
STRINGENT, LIBERAL = 1.1, 1.5


@dataclass(frozen=True)
class Section:
    """A table with its title and a sentence."""

    title: str
    words: str
    rows: Sequence[Row]
    quantity: str = "false_05"
    mark: str = "##"


def is_above(row: Row, quantity: str, level: float) -> bool:
    """Whether a rate of errors is above its level by Bradley's stringent criterion, and surely.

    Examples
    --------
    >>> row = Row("simulated", "AP", "all", 50, "t", 20000, 0.056, 0.01, 0.944, 0.3, 0.6)
    >>> is_above(row, "false_05", 0.05), is_above(row, "false_01", 0.01)
    (True, False)
    """
    rate = getattr(row, quantity)
    rate = 1.0 - rate if quantity == "covers" else rate
    return bool(rate > STRINGENT * level and rate - level > 2.0 * row.error(quantity))


def _name(row: Row) -> str:
    return row.test if row.skewness == ALL else f"{row.test}, skewness {row.skewness}"


def table_of(section: Section) -> list[str]:
    """Return a section as Markdown, a line a test and a column a size; empty without rows."""
    if not section.rows:
        return []
    sizes = sorted({row.n for row in section.rows})
    lines = [f"{section.mark} {section.title}", ""]
    lines += [section.words, ""] if section.words else []
    lines += ["| test | " + " | ".join(f"n = {n}" for n in sizes) + " |"]
    lines += ["|---|" + "---:|" * len(sizes)]
    for name in dict.fromkeys(_name(row) for row in section.rows):
        cells = {r.n: _cell(r, section.quantity) for r in section.rows if _name(r) == name}
        if any(cells.values()):
            lines.append(f"| {name} | " + " | ".join(cells.get(n, "") for n in sizes) + " |")
    return [*lines, ""]


def _cell(row: Row, quantity: str) -> str:
    rate = getattr(row, quantity)
    if math.isnan(rate):
        return ""
    text = f"{percent(rate)} ± {percent(row.error(quantity))}"
    levels = {"false_05": 0.05, "false_01": 0.01, "covers": 0.05}
    off = quantity in levels and is_above(row, quantity, levels[quantity])
    return f"**{text}**" if off else text


def percent(rate: float) -> str:
    """Return a rate in per cent, to two decimals.

    Examples
    --------
    >>> percent(0.0512)
    '5.12'
    """
    return f"{100.0 * rate:.2f}"
