"""Markdown for a comment on a change request: verdict, one table, notes, the rest folded."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report import _sections
from abrank.report._cells import one_line
from abrank.report.compose import compose
from abrank.report.model import Cell, Report, Table, Text

# A comment on GitHub may have 65 536 characters; a little is left for what a bot adds.
LARGEST = 60_000
# Most measures shown and most characters of a sentence, tried one after the other until it fits.
_ROOM = ((100, 2_000), (40, 400))
_LEAST = (10, 120)
LONGEST_ID = 60
LONGEST_COMMAND = 4_000
SHOWN = 5
MOST_TABLES = 4

# What could end a table's cell, open a tag, a link, a formula or a code span.
_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$^\"]|:(?=//)|(?<=www)\.|(?<!\w)_|_(?!\w)")
# What could begin a list or a heading where it begins a paragraph.
_BLOCK = re.compile(r"\A(\d*)([-+=.)])")


def markdown(comparison: Comparison, *, digits: int = f.DIGITS) -> str:
    """Return a comparison as GitHub-flavoured Markdown of at most 60 kB.

    Parameters
    ----------
    comparison : Comparison
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    str
        Verdict, numbers, one table, notes; worst and best queries, segments, what was seen of the
        data, rule and command are folded. Names and ids cannot break the table nor bring in HTML,
        links or mentions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, candidate="new")
    >>> markdown(result).splitlines()[0]
    '### ? Inconclusive: 2 queries cannot tell A and new apart.'
    """
    report = compose(comparison, digits=digits)
    tables = (
        _sections.measure_table(comparison, digits=digits),
        _sections.query_table(comparison, digits=digits, most=SHOWN),
    )
    for most, width in _ROOM:
        found = _document(comparison, report, *tables, most=most, width=width)
        if len(found.encode("utf-8", "replace")) <= LARGEST:
            return found
    return _document(comparison, report, *tables, most=_LEAST[0], width=_LEAST[1])


def _document(
    comparison: Comparison,
    report: Report,
    measures: Table,
    queries: Table,
    *,
    most: int,
    width: int,
) -> str:
    """Return the whole, with at most so many rows a table and sentences at most so wide."""
    head = report.headline
    notes = [
        f"- **{_plain(note.title, width)}.** {_plain(note.text, width)}" for note in report.cautions
    ]
    parts = [
        f"### {head.glyph} {head.tag}: {_plain(head.title, width)}",
        _paragraph(head.numbers, width),
        f"**Gate** {_plain(head.gate, width)}." if head.gate else "",
        _paragraph(head.meaning, width),
        _cut(measures, most, "more measure"),
        "\n".join(notes),
        "<details>",
        "<summary>Queries, segments, data, rule, command</summary>",
        _table(queries) if queries.rows else "",
        *_section(report, "segments", most, width),
        *_section(report, "quality", 0, width),
        _plain(head.rule, width),
        _code(str(comparison.provenance.get("command") or "")),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(report: Report, key: str, most: int, width: int) -> list[str]:
    """Return a section's finding, its sentences, and so many rows of its first tables."""
    section = next((each for each in report.sections if each.key == key), None)
    if section is None:
        return []
    texts = [block for block in section.blocks if isinstance(block, Text)]
    said = [text.text for text in texts if text.kind == "plain"]
    title = section.title.partition(" (")[0]
    parts = [f"**{title}.** {_plain(' '.join([section.finding, *said]), width)}"]
    tables = [block for block in section.blocks if isinstance(block, Table)] if most else []
    parts += [_cut(table, most, "more segment") for table in tables[:MOST_TABLES]]
    left = len(tables) - MOST_TABLES
    return parts + ([f"{f.plural(left, 'more table')} not shown."] if left > 0 else [])


def _cut(table: Table, most: int, noun: str) -> str:
    """Return the first rows of a table, and how many are left."""
    shown = _table(Table(table.key, table.columns, table.rows[:most]))
    left = len(table.rows) - most
    return f"{shown}\n\n{f.plural(left, noun)} not shown." if left > 0 else shown


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
    if not text:
        return ""
    shown = one_line(text, width=LONGEST_COMMAND)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{shown}\n{fence}"
