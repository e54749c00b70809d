"""A report on a terminal: at most 80 columns, the same words and numbers as everywhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from abrank._support import checks
from abrank._support import display as f
from abrank.report import cells
from abrank.report.formats.text_table import Line, scorecard_lines, table_lines
from abrank.report.model import Fact, Report, Scorecard, Section, Table, Text

WIDTH, NARROWEST = 80, 40
SHOWN = 4  # notes; a reader asks for the others
_INDENT = 10


class Span(NamedTuple):
    """A piece of a line and its style: "", "strong", "a", "b", "muted" or "note"."""

    text: str
    style: str = ""


class Look(NamedTuple):
    """How a terminal takes text: its columns, and whether it knows ASCII alone."""

    width: int
    plain: bool

    def put(self, text: str) -> str:
        """Return text in the characters that are known."""
        return cells.to_ascii(text) if self.plain else text

    def wrap(self, text: str, indent: int = 0) -> list[str]:
        """Return lines; what is joined by spaces that do not break stays together."""
        lines = cells.wrap(self.put(text), self.width - indent, mark=cells.cut_mark(self.plain))
        return [line.replace(cells.NO_BREAK, " ") for line in lines]


def text(report: Report, *, width: int = WIDTH, ascii: bool = False) -> str:
    """Return a report as plain text.

    Parameters
    ----------
    report : Report
        As :func:`abrank.report.subjects` makes it of a result.
    width : int
        Columns, at least 40. Names are shortened to fit, numbers never.
    ascii : bool
        Use no character beyond ASCII.

    Returns
    -------
    str
        Lines, each with its end.

    Raises
    ------
    ArgumentError
        If the width is below 40.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> a, b = {"q1": 0.5, "q2": 0.25, "q3": 0.5}, {"q1": 0.75, "q2": 0.5, "q3": 0.8}
    >>> result = compare_scores(a, b, name_a="bm25", name_b="monot5")
    >>> print(text(compose(result)).splitlines()[0])
    ▲ BETTER  monot5 is better than bm25
    """
    lines = text_lines(report, width=width, ascii=ascii)
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def text_lines(
    report: Report, *, width: int = WIDTH, ascii: bool = False, gate: bool = True
) -> list[list[Span]]:
    """Return a report as lines of styled pieces; :func:`text` is the same without the styles.

    Parameters and errors as in :func:`text`; without ``gate`` it is told elsewhere.

    Returns
    -------
    list of list of Span

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> text_lines(compose(result))[0][0]
    Span(text='? INCONCLUSIVE', style='strong')
    """
    checks.count("width", width, at_least=NARROWEST)
    look = Look(width, ascii)
    card, head = report.scorecard, report.headline
    blocks: list[list[Line]] = [
        [*_first(report, look), *_verdict(report, look), *_below(report, look)],
        [] if card is None else scorecard_lines(card, width=width, plain=ascii),
        *_sections(report, look),
        [line for fact in report.facts for line in _labelled(fact, look)],
        list(_notes(report, look)),
    ]
    if head.gate and gate:
        style = "b" if head.gate_passed else "note"
        blocks.append(list(_labelled(Fact("gate", head.gate), look, label_style=style)))
    lines: list[list[Span]] = []
    for block in blocks:
        if block and lines:
            lines.append([])
        lines += [[Span(*span) for span in line] for line in block]
    return lines


def _first(report: Report, look: Look) -> Iterator[Line]:
    """Yield what stands before the verdict."""
    for caution in report.first:
        for line in look.wrap(str(caution)):
            yield [(line, "note")]


def _verdict(report: Report, look: Look) -> Iterator[Line]:
    """Yield the tag and the sentence."""
    head = report.headline
    first = look.put(f"{head.glyph} {head.tag.upper()}".strip())
    sentence = head.line or head.title
    style = head.tone if head.tone in ("a", "b") else "strong"
    room = look.width - cells.columns(first) - 2
    if first and cells.columns(look.put(sentence)) <= room:
        yield [(first, style), ("  ", ""), (look.put(sentence), "strong")]
        return
    if first:
        yield [(first, style)]
    for line in look.wrap(sentence, 2 if first else 0):
        yield [("  " if first else "", ""), (line, "strong")]


def _below(report: Report, look: Look) -> Iterator[Line]:
    """Yield the numbers, a piece never broken; what speaks against them, and other choices."""
    head = report.headline
    if head.pieces:
        yield from _pieces(report, look)
    elif head.numbers:
        indent = 2 if head.tag else 0
        for line in look.wrap(head.numbers, indent):
            yield [(" " * indent, ""), (line, "")]
    for said, style in (
        (head.soundness, "note"),
        (head.sensitivity.replace("Δ ", f"Δ{cells.NO_BREAK}"), "note" if head.falls else ""),
    ):
        for line in look.wrap(said, 2) if said else ():
            yield [("  ", ""), (line, style)]


def _pieces(report: Report, look: Look) -> Iterator[Line]:
    head = report.headline
    style: str = head.tone if head.tone in ("a", "b") else "strong"
    line: Line = []
    used = 0
    for piece in (part for each in head.pieces for part in look.wrap(each, 2)):
        taken = cells.columns(piece) + 2
        if line and used + taken > look.width:
            yield line
            line, used = [], 0
        line += [("  ", ""), (piece, style)]
        used += taken
        style = ""
    yield line


def _sections(report: Report, look: Look) -> Iterator[list[Line]]:
    """Yield the tables and sentences of the sections that text has."""
    for section in report.in_place("text"):
        if section.finding:
            yield [[(line, "")] for line in look.wrap(section.finding)]
        yield from _blocks(section, look, report)


def _blocks(section: Section, look: Look, report: Report) -> Iterator[list[Line]]:
    for block in section.blocks:
        if isinstance(block, Scorecard):
            if block is not report.scorecard:
                yield scorecard_lines(block, width=look.width, plain=look.plain)
        elif isinstance(block, Table):
            yield from table_lines(block, width=look.width, plain=look.plain)
        elif isinstance(block, Text) and block.kind in ("plain", "caption"):
            style = "muted" if block.kind == "caption" else ""
            yield [[(line, style)] for line in look.wrap(block.text)]


def _notes(report: Report, look: Look) -> Iterator[Line]:
    """Yield the first notes, and how many more there are and where."""
    for note in report.notes[:SHOWN]:
        said = f" More: {note.more}." if note.more else ""
        yield from _labelled(Fact("note", f"{note}{said}"), look, label_style="note")
    more = len(report.notes) - SHOWN
    if more > 0:
        said = f"{f.plural(more, 'more note')} in the report: --report report.html"
        yield from _labelled(Fact("", said, "muted"), look)


def _labelled(fact: Fact, look: Look, *, label_style: str = "muted") -> Iterator[Line]:
    """Yield a label and its text, the further lines below the first."""
    parts = (cells.one_line(part, width=2_000) for part in fact.text.split(cells.NO_BREAK))
    lines: Sequence[str] = look.wrap(cells.NO_BREAK.join(parts), _INDENT)
    style = "note" if fact.loud else label_style
    for i, line in enumerate(lines):
        yield [(cells.left("" if i else fact.label, _INDENT), style), (line, fact.style)]
