"""Markdown for a comment on a change request: verdict, one table, notes, the rest folded."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report import _sections
from abrank.report._cells import one_line
from abrank.report.compose import compose
from abrank.report.model import Cell, Report, Table

# A comment on GitHub may have 65 536 characters; a little is left for what a bot adds.
LARGEST = 60_000
# Most measures shown and most characters of a sentence, tried one after the other until it fits.
_ROOM = ((100, 2_000), (40, 400))
_LEAST = (10, 120)
LONGEST_ID = 60
LONGEST_COMMAND = 4_000
SHOWN = 5

# What could end a table's cell, open a tag, a link, a formula or a code span.
_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$^\"]|:(?=//)|(?<=www)\.|(?<!\w)_|_(?!\w)")
# What could begin a list or a heading where it begins a paragraph.
_BLOCK = re.compile(r"\A(\d*)([-+=.)])")


def markdown(comparison: Comparison) -> str:
    """Return a comparison as GitHub-flavoured Markdown of at most 60 kB.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        Verdict, numbers, one table, notes; worst and best queries, rule and command are folded.
        Names and ids cannot break the table nor bring in HTML, links or mentions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, candidate="new")
    >>> markdown(result).splitlines()[0]
    '### ? Inconclusive: 2 queries cannot tell A and new apart.'
    """
    report = compose(comparison)
    for most, width in _ROOM:
        found = _document(comparison, report, most=most, width=width)
        if len(found.encode("utf-8", "replace")) <= LARGEST:
            return found
    return _document(comparison, report, most=_LEAST[0], width=_LEAST[1])


def _document(comparison: Comparison, report: Report, *, most: int, width: int) -> str:
    """Return the whole, with at most so many measures and sentences at most so wide."""
    head = report.headline
    table = _sections.measure_table(comparison, digits=f.DIGITS)
    notes = [
        f"- **{_plain(note.title, width)}.** {_plain(note.text, width)}" for note in report.cautions
    ]
    parts = [
        f"### {head.glyph} {head.tag}: {_plain(head.title, width)}",
        _paragraph(head.numbers, width),
        f"**Gate** {_plain(head.gate, width)}." if head.gate else "",
        _paragraph(head.meaning, width),
        _measures(table, most),
        "\n".join(notes),
        _details(comparison, report, width),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _measures(table: Table, most: int) -> str:
    shown = _table(Table(table.key, table.columns, table.rows[:most]))
    left = len(table.rows) - most
    return f"{shown}\n\n{f.plural(left, 'more measure')} not shown." if left > 0 else shown


def _details(comparison: Comparison, report: Report, width: int) -> str:
    """Return what is folded: the outermost queries, the rule, the command."""
    parts = ["<details>", "<summary>Worst and best queries, rule, command</summary>"]
    if comparison.n_queries:
        parts.append(_table(_sections.query_table(comparison, digits=f.DIGITS, most=SHOWN)))
    parts.append(_plain(report.headline.rule, width))
    command = comparison.provenance.get("command")
    if command:
        parts.append(_code(str(command)))
    return "\n\n".join([*parts, "</details>"])


def _table(table: Table) -> str:
    """Return a table; numbers to the right."""
    lines = [
        _row(_plain(column.title, LONGEST_ID) for column in table.columns),
        _row("---:" if column.numeric else ":---" for column in table.columns),
        *(_row(_cell(cell) for cell in row) for row in table.rows),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    shown = _plain(cell.text, LONGEST_ID)
    return f"**{shown}**" if cell.strong and shown else shown


def _paragraph(text: str, width: int) -> str:
    """Return text that also begins nothing but a paragraph."""
    return _BLOCK.sub(
        lambda found: f"{found.group(1)}{_entity(found.group(2))}", _plain(text, width)
    )


def _plain(text: str, width: int) -> str:
    """Return text that Markdown shows as it is, on one line."""
    shown = _SPECIAL.sub(lambda found: _entity(found.group()), one_line(text, width=width).strip())
    # A word joiner keeps a name from being called; only an entity would still call it.
    return re.sub(r"(?<!\w)@", "@&#8288;", shown)


def _entity(character: str) -> str:
    return f"&#{ord(character)};"


def _code(text: str) -> str:
    """Return a line of code in a fence that is longer than any run of backticks inside."""
    shown = one_line(text, width=LONGEST_COMMAND)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{shown}\n{fence}"
