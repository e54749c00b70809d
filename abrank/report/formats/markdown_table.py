"""What every Markdown output is made of: text that stays text, tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from abrank._support import display as f
from abrank.report.cells import one_line
from abrank.report.model import Caution, Cell, Table
from abrank.report.sections.notes.cautions import SHOWN

LONGEST_ID = 60
LONGEST_COMMAND = 4_000

# What could end a table's cell, open a tag, a link, a formula or a code span.
_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$^\"]|:(?=//)|(?<=www)\.|(?<!\w)_|_(?!\w)")
# What could begin a list or a heading where it begins a paragraph.
_BLOCK = re.compile(r"\A(\d*)([-+=.)])")


def cut(table: Table, most: int, noun: str) -> str:
    """Return the first rows of a table, and how many are left."""
    shown = grid(Table(table.key, table.columns, table.rows[:most]))
    left = len(table.rows) - most
    return f"{shown}\n\n{f.plural(left, noun)} not shown." if left > 0 else shown


def first(found: Sequence[Caution], width: int) -> list[str]:
    """Return what stands before the verdict."""
    return [
        f"**{plain(each.heading, width)}** {plain(each.text, width)}"
        for each in found
        if each.stands_first
    ]


def notes(found: Sequence[Caution], width: int) -> list[str]:
    """Return the first cautions as a list, and the others in one that a reader opens."""
    found = [each for each in found if not each.stands_first]
    items = [f"- **{plain(each.heading, width)}** {plain(each.text, width)}" for each in found]
    shown, folded = items[:SHOWN], items[SHOWN:]
    if not folded:
        return ["\n".join(shown)]
    summary = f"<summary>{f.plural(len(folded), 'more note')}</summary>"
    return ["\n".join(shown), "<details>", summary, "\n".join(folded), "</details>"]


def grid(table: Table) -> str:
    """Return a table; numbers to the right."""
    lines = [
        _row(plain(column.title, LONGEST_ID) for column in table.columns),
        _row("---:" if column.numeric else ":---" for column in table.columns),
        *(_row(_cell(cell) for cell in row) for row in table.rows),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    shown = plain(cell.text, LONGEST_ID)
    return f"**{shown}**" if cell.strong and shown else shown


def paragraph(text: str, width: int) -> str:
    """Return text that also begins nothing but a paragraph."""
    return _BLOCK.sub(
        lambda found: f"{found.group(1)}{_entity(found.group(2))}", plain(text, width)
    )


def plain(text: str, width: int) -> str:
    """Return text that Markdown shows as it is, on one line."""
    shown = _SPECIAL.sub(lambda found: _entity(found.group()), one_line(text, width=width).strip())
    # A word joiner keeps a name from being called; only an entity would still call it.
    return re.sub(r"(?<!\w)@", "@&#8288;", shown)


def _entity(character: str) -> str:
    return f"&#{ord(character)};"


def code(text: str) -> str:
    """Return a line of code in a fence that is longer than any run of backticks inside."""
    if not text:
        return ""
    shown = one_line(text, width=LONGEST_COMMAND)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{shown}\n{fence}"
