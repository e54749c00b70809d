"""Markdown for a comment on a change request: verdict, one table, notes, the rest folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abrank._support import display as f
from abrank.report.cells import one_line
from abrank.report.formats.text import SHOWN
from abrank.report.model import Caution, Cell, Report, Scorecard, Section, Table, Text

# A comment on GitHub may have 65 536 characters; a little is left for what a bot adds.
LARGEST = 60_000
# Most rows of a table and most characters of a sentence, tried one after the other until all fits.
_ROOM = ((200, 2_000), (100, 2_000), (40, 400), (10, 120))
_MOST_TABLES = 4
_LONGEST_ID, _LONGEST_COMMAND = 60, 4_000

# What could end a table's cell, open a tag, a link, a formula or a code span.
_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$^\"]|:(?=//)|(?<=www)\.|(?<![^\W_])_|_(?![^\W_])")
# What could begin a list or a heading where it begins a paragraph.
_BLOCK = re.compile(r"\A(\d*)([-+=.)])")


def markdown(report: Report) -> str:
    """Return a report as GitHub-flavoured Markdown of at most 60 kB.

    Verdict, numbers, one table, notes; what asks for more room, rule and command are folded. Names
    and ids cannot break the table nor bring in HTML, links or mentions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, name_b="new")
    >>> markdown(compose(result)).splitlines()[0]
    '### ? Inconclusive: 2 queries cannot tell new from A.'
    """
    for most, width in _ROOM:
        found = _document(report, most, width)
        if len(found.encode("utf-8", "replace")) <= LARGEST:
            break
    return found


def _document(report: Report, most: int, width: int) -> str:
    """Return the whole, with at most so many rows a table and sentences at most so wide."""
    head, card = report.headline, report.scorecard
    tag = f"{head.glyph} {head.tag}: " if head.tag else ""
    folded = [part for each in report.in_place("folded") for part in _section(each, most, width)]
    folded += [paragraph(head.rule, width), code(report.command)]
    said = [each for each in report.facts if each.everywhere]
    parts = [
        *(f"**{plain(x.heading, width)}** {plain(x.text, width)}" for x in report.first),
        f"### {tag}{plain(head.title, width)}",
        paragraph(head.numbers, width),
        *(f"**{plain(each, width)}**" for each in (head.soundness, head.against) if each),
        paragraph(head.sensitivity, width),
        paragraph(head.design, width),
        f"**Gate** {plain(head.gate, width)}." if head.gate else "",
        paragraph(head.meaning, width),
        f"**Next step.** {plain(head.next_step, width)}" if head.next_step else "",
        _cut(card.without("drawn", "pair", "wins"), most) if card is not None else "",
        *(paragraph(each, width) for each in (card.undrawn if card is not None else ())),
        *(paragraph(each.text, width) for each in said),
        *(part for each in report.in_place("markdown") for part in _section(each, most, width)),
        *_notes(report.notes, width),
        *(["<details>", "<summary>More</summary>", *folded, "</details>"] if any(folded) else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, most: int, width: int) -> Iterator[str]:
    """Yield a section's title, its sentences, and so many rows of its first tables."""
    said = [
        block.text
        for block in section.blocks
        if isinstance(block, Text) and block.kind in ("plain", "caption")
    ]
    title = plain(section.title.partition(" (")[0], width)
    stop = "" if title.endswith("?") else "."
    yield f"**{title}{stop}** {plain(section.finding, width)}"
    tables = [block for block in section.blocks if isinstance(block, Table)]
    for table in tables[:_MOST_TABLES]:
        yield _cut(table.without("drawn", "pair") if isinstance(table, Scorecard) else table, most)
    if len(tables) > _MOST_TABLES:
        yield f"{f.plural(len(tables) - _MOST_TABLES, 'more table')} not shown."
    yield paragraph(" ".join(said), width)
    for block in section.blocks:
        if isinstance(block, Text) and block.kind == "code":
            yield code(block.text)


def _cut(table: Table, most: int) -> str:
    """Return the first rows of a table, and how many are left."""
    shown = "\n".join(
        [
            _row(plain(column.title, _LONGEST_ID) for column in table.columns),
            _row("---:" if column.numeric else ":---" for column in table.columns),
            *(_row(_cell(cell) for cell in row) for row in table.rows[:most]),
        ]
    )
    left = len(table.rows) - most
    return f"{shown}\n\n{f.plural(left, f'more {table.noun}')} not shown." if left > 0 else shown


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    shown = plain(f"{cell.text} {cell.mark}".rstrip(), _LONGEST_ID)
    return f"**{shown}**" if cell.strong and shown else shown


def _notes(found: tuple[Caution, ...], width: int) -> list[str]:
    """Return the first cautions as a list, and the others in one that a reader opens."""
    items = [
        f"- **{plain(each.heading, width)}** {plain(each.text, width)}"
        + (f" (`{each.more}`)" if each.more else "")
        for each in found
    ]
    shown, folded = items[:SHOWN], items[SHOWN:]
    if not folded:
        return ["\n".join(shown)]
    summary = f"<summary>{f.plural(len(folded), 'more note')}</summary>"
    return ["\n".join(shown), "<details>", summary, "\n".join(folded), "</details>"]


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
    shown = one_line(text, width=_LONGEST_COMMAND)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{shown}\n{fence}"
