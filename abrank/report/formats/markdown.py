"""Markdown for a pull request comment: verdict, one table, notes, and folded details."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abrank._support import display as f
from abrank._support.display import one_line
from abrank.report.formats.text import SHOWN
from abrank.report.model import Caution, Cell, Report, Scorecard, Section, Table, Text

# GitHub comments are limited to 65 536 characters; bots may add some.
LARGEST = 60_000
# Limits for rows of a table and characters of a sentence, tried in order until everything fits.
_ROOM = ((200, 2_000), (100, 2_000), (40, 400), (10, 120))
_MOST_TABLES = 4
_LONGEST_ID, _LONGEST_COMMAND = 60, 4_000

# Characters that could end a table cell or open a tag, link, formula or code span.
_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$^\"]|:(?=//)|(?<=www)\.|(?<![^\W_])_|_(?![^\W_])")
# What could begin a list or heading at the start of a paragraph.
_BLOCK = re.compile(r"\A(\d*)([-+=.)])")


def markdown(report: Report) -> str:
    """Return a report as GitHub-flavoured Markdown of at most 60 kB.

    It has verdict, numbers, one table and notes; longer parts, rule and command are folded. Names
    and ids cannot break the table or insert HTML, links or mentions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, name_b="new")
    >>> markdown(compose(result)).splitlines()[0]
    '### ? Inconclusive: 2 queries cannot tell new from A.'
    """
    for maximum, width in _ROOM:
        document = _document(report, maximum, width)
        if len(document.encode("utf-8", "replace")) <= LARGEST:
            break
    return document


def _document(report: Report, maximum: int, width: int) -> str:
    """Return the document with limits for rows per table and characters per sentence."""
    head, card = report.headline, report.scorecard
    tag = f"{head.glyph} {head.tag}: " if head.tag else ""
    folded = [part for item in report.in_place("folded") for part in _section(item, maximum, width)]
    folded += [paragraph(head.rule, width), code(report.command)]
    facts = [fact for fact in report.facts if fact.everywhere]
    parts = [
        *(f"**{plain(x.heading, width)}** {plain(x.text, width)}" for x in report.first),
        f"### {tag}{plain(head.title, width)}",
        paragraph(head.numbers, width),
        *(f"**{plain(item, width)}**" for item in (head.soundness, head.against) if item),
        paragraph(head.sensitivity, width),
        paragraph(head.design, width),
        f"**Gate** {plain(head.gate, width)}." if head.gate else "",
        paragraph(head.meaning, width),
        f"**Next step.** {plain(head.next_step, width)}" if head.next_step else "",
        _cut(card.without("drawn", "wins"), maximum) if card is not None else "",
        *(paragraph(item, width) for item in (card.undrawn if card is not None else ())),
        *(paragraph(item.text, width) for item in facts),
        *(part for item in report.in_place("markdown") for part in _section(item, maximum, width)),
        *_notes(report.notes, width),
        *(["<details>", "<summary>More</summary>", *folded, "</details>"] if any(folded) else []),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, maximum: int, width: int) -> Iterator[str]:
    """Yield a section's title, its sentences, and the first rows of its first tables."""
    texts = [
        block.text
        for block in section.blocks
        if isinstance(block, Text) and block.kind in ("plain", "caption")
    ]
    title = plain(section.title.partition(" (")[0], width)
    stop = "" if title.endswith("?") else "."
    yield f"**{title}{stop}** {plain(section.finding, width)}"
    tables = [block for block in section.blocks if isinstance(block, Table)]
    for table in tables[:_MOST_TABLES]:
        yield _cut(table.without("drawn") if isinstance(table, Scorecard) else table, maximum)
    if len(tables) > _MOST_TABLES:
        yield f"{f.plural(len(tables) - _MOST_TABLES, 'more table')} not shown."
    yield paragraph(" ".join(texts), width)
    for block in section.blocks:
        if isinstance(block, Text) and block.kind == "code":
            yield code(block.text)


def _cut(table: Table, maximum: int) -> str:
    """Return the first rows of a table, and the number of the others."""
    text = "\n".join(
        [
            _row(plain(column.title, _LONGEST_ID) for column in table.columns),
            _row("---:" if column.numeric else ":---" for column in table.columns),
            *(_row(_cell(cell) for cell in row) for row in table.rows[:maximum]),
        ]
    )
    left = len(table.rows) - maximum
    return f"{text}\n\n{f.plural(left, f'more {table.noun}')} not shown." if left > 0 else text


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    content = plain(f"{cell.text} {cell.mark}".rstrip(), _LONGEST_ID)
    return f"**{content}**" if cell.strong and content else content


def _notes(result: tuple[Caution, ...], width: int) -> list[str]:
    """Return the first cautions as a list, and the others in a folded list."""
    items = [
        f"- **{plain(item.heading, width)}** {plain(item.text, width)}"
        + (f" (`{item.more}`)" if item.more else "")
        for item in result
    ]
    visible, folded = items[:SHOWN], items[SHOWN:]
    if not folded:
        return ["\n".join(visible)]
    summary = f"<summary>{f.plural(len(folded), 'more note')}</summary>"
    return ["\n".join(visible), "<details>", summary, "\n".join(folded), "</details>"]


def paragraph(text: str, width: int) -> str:
    """Escape text so that it also begins nothing but a paragraph."""
    return _BLOCK.sub(
        lambda result: f"{result.group(1)}{_entity(result.group(2))}", plain(text, width)
    )


def plain(text: str, width: int) -> str:
    """Escape text so that Markdown shows it unchanged, on one line."""
    sub = _SPECIAL.sub(lambda result: _entity(result.group()), one_line(text, width=width).strip())
    # A word joiner after @ prevents mentions; an escaped @ alone would still mention.
    return re.sub(r"(?<!\w)@", "@&#8288;", sub)


def _entity(character: str) -> str:
    return f"&#{ord(character)};"


def code(text: str) -> str:
    """Return code in a fence that is longer than any run of backticks inside."""
    if not text:
        return ""
    line = one_line(text, width=_LONGEST_COMMAND)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{line}\n{fence}"
