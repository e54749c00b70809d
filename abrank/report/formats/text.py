"""The report as plain text, and other formats without markup."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from abrank._support import checks
from abrank._support import display as f
from abrank._support.display import clean, one_line
from abrank._support.errors import ArgumentError
from abrank.report.model import Bar, Case, Cell, Column, Fact, Report, Scorecard, Table, Text

if TYPE_CHECKING:
    from abrank.scoring.judging import ToJudge

Line = list[tuple[str, str]]

_GAP = "  "
LEAST = 11  # minimum cells of a drawing
_ENOUGH, _WIDEST = 20, 30
_LEAST_NAME, _NAME = 9, 16
_MARK = " ★"
# Marks in a drawing for 0, and for the loss that a guard must exclude.
_ZERO, _GUARD = "┊", "╎"


class TerminalFormat(NamedTuple):
    """The properties of a terminal: its columns, and whether it only supports ASCII."""

    width: int
    plain: bool

    def put(self, text: str) -> str:
        """Convert text to the supported characters."""
        return f.to_ascii(text) if self.plain else text

    def wrap(self, text: str, indent: int = 0) -> list[str]:
        """Wrap text; words joined by no-break spaces stay together."""
        lines = f.wrap(self.put(text), self.width - indent, mark=self.cut_mark)
        # A no-break space after a normal one must not begin a line.
        selected = [*lines[:1], *(line.lstrip(f.NO_BREAK) for line in lines[1:])]
        return [line.replace(f.NO_BREAK, " ") for line in selected]

    @property
    def cut_mark(self) -> str:
        """The mark for omitted characters."""
        return f.cut_mark(self.plain)


@dataclass(frozen=True)
class Axis:
    """Maps differences to ``width`` cells; the cell of 0 is ``zero``."""

    low: float
    high: float
    width: int

    def cell(self, value: float) -> int:
        """Return the cell of a value; values beyond the axis get its last cell."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    @property
    def zero(self) -> int:
        """The cell of 0, never at an end of the axis, so that both sides have room."""
        return min(max(self.cell(0.0), 1), self.width - 2)

    def bar(self, low: float, high: float) -> range:
        """Return the cells of an interval; they include that of 0 exactly if the interval does."""
        first, last = self.cell(max(low, self.low)), self.cell(min(high, self.high))
        if low > 0:
            first = max(first, self.zero + 1)
        elif high < 0:
            last = min(last, self.zero - 1)
        else:
            first, last = min(first, self.zero), max(last, self.zero)
        return range(min(first, last), last + 1) if high < 0 else range(first, max(first, last) + 1)


def axis(bars: Sequence[Bar], width: int, reach: Sequence[float] = ()) -> Axis | None:
    """Return an axis with all finite limits and 0; None if there is nothing to draw."""
    values = [value for bar in bars for value in bar.places if math.isfinite(value)]
    values += reach if bars else ()
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high or width < LEAST:
        return None
    # One extra cell on the shorter side, so that "A better" and "B better" both fit.
    air = (high - low) / (width - 1)
    return Axis(min(low, -air), max(high, air), width)


def draw(bar: Bar, scale: Axis) -> str:
    """Draw a row: the deciding interval thick, the other one thin, a dot, a line at 0."""
    # A limit that a guard must exclude is a tick.
    characters = [" "] * scale.width
    characters[scale.zero] = _ZERO
    thin, thick = _cells(*bar[3:5], scale), _cells(*bar[1:3], scale)
    for drawn, mark, crossing in ((thin, "─", "┼"), (thick, "━", "╋")):
        for i in drawn:
            characters[i] = crossing if i == scale.zero else mark
    if math.isfinite(bar.limit):
        characters[scale.cell(bar.limit)] = _GUARD
    if math.isfinite(bar.estimate):
        dot = scale.cell(bar.estimate)
        characters[min(max(dot, thick[0]), thick[-1]) if thick else dot] = "●"
    return "".join(characters)


def _cells(low: float, high: float, scale: Axis) -> range:
    return range(0) if math.isnan(low) or math.isnan(high) else scale.bar(low, high)


def heading(scale: Axis, left: str, right: str) -> str:
    """Return the heading above the drawing, split at the cell of 0; words may be dropped."""
    rooms = scale.zero - 1, scale.width - scale.zero - 2
    sides = []
    for side, room, form in ((left, rooms[0], "◂ {}"), (right, rooms[1], "{} ▸")):
        ways = (form.format(side), form.format(side.split(" ")[0]), form.format("").strip())
        sides.append(next((way for way in ways if len(way) <= room), ""))
    before, after = sides[0].rjust(scale.zero - 1), sides[1]
    return f"{before} {_ZERO} {after}".ljust(scale.width)


def scorecard_lines(
    card: Scorecard, look: TerminalFormat, *, everything: bool = True
) -> list[Line]:
    """Return a heading, one line per row, and the legend."""
    left_out = {"wins", "drawn", *card.narrow}
    columns = [i for i, column in enumerate(card.columns) if column.role not in left_out]
    head = [look.put(card.columns[i].title) for i in columns]
    roles = [card.columns[i].role for i in columns]
    body = [[look.put(_shown(row[i])) for i in columns] for row in card.rows]
    for row in body if "p" in roles else ():
        row[roles.index("p")] = row[roles.index("p")].replace("< ", "<")
    name = roles.index("name")
    bars = [bar for bar in card.bars if bar is not None]
    numeric = [card.columns[i].numeric for i in columns]
    wide = [max(map(f.display_width, column)) for column in zip(head, *body, strict=True)]
    selected, plot = _fit(wide, roles, name, look.width, draws=bool(bars))
    scale = axis(bars, plot, card.scale.reach) if plot else None
    room = look.width - sum(wide[i] + len(_GAP) for i in selected if i != name)
    room -= (plot + len(_GAP)) if scale else 0
    wide[name] = min(wide[name], max(2, room))
    ks = next((k for k, i in enumerate(selected) if roles[i] in ("p", "reading")), len(selected))
    names = _named([row[name] for row in [head, *body]], wide[name], look.cut_mark)

    def line(texts: Sequence[str], draws: str, styles: tuple[str, str]) -> Line:
        result: Line = []
        for k, i in enumerate(selected):
            if scale is not None and k == ks:
                result += _coloured(draws, scale.zero, styles[1])
            text = names[texts[i]] if i == name else texts[i]
            text = (f.pad_left if numeric[i] else f.pad_right)(text, wide[i])
            style = styles[0] if i == name else styles[1] if roles[i] == "reading" else ""
            result.append(((_GAP if k else "") + text, style))
        if scale is not None and ks == len(selected):
            result += _coloured(draws, scale.zero, styles[1])
        return result

    sides = look.put(heading(scale, card.scale.left, card.scale.right)) if scale else ""
    first = "".join(text for text, _ in line(head, sides, ("", ""))).rstrip()
    lines: list[Line] = [[(first, "muted")]]
    for place, (row, bar) in enumerate(zip(body, card.bars, strict=True)):
        tone = bar.tone if bar is not None else "plain"
        drawing = look.put(draw(bar, scale)) if scale and bar is not None else " " * plot
        strong = "strong" if place in card.tall else ""
        lines.append(line(row, drawing, (strong, tone if tone in ("a", "b") else "muted")))
    parts = card.undrawn if scale is None else card.legend
    if not everything and card.short_legend is not None:
        parts = card.short_legend
    legend = ". ".join(part.removesuffix(".") for part in parts)
    for word, mark in (("Thick:", "━"), ("thin:", "─"), ("Tick:", _GUARD)):
        legend = legend.replace(word, mark)
    lines += [[(line, "muted")] for line in f.wrap(look.put(legend), look.width)] if legend else []
    return lines


def _coloured(drawing: str, zero: int, style: str) -> Iterator[tuple[str, str]]:
    """Yield a drawing in the colour of its row, except the line at 0."""
    crossed = drawing[zero] not in (_ZERO, f.to_ascii(_ZERO))
    parts = (
        (_GAP + drawing, "", "")
        if crossed
        else (_GAP + drawing[:zero], drawing[zero], drawing[zero + 1 :])
    )
    yield from (
        (part, part_style)
        for part, part_style in zip(parts, (style, "muted", style), strict=True)
        if part
    )


def _shown(cell: Cell) -> str:
    return f.one_line(f"{cell.text} {cell.mark}".rstrip(), width=200)


def _named(texts: Sequence[str], width: int, cut: str) -> dict[str, str]:
    """Return names shortened to a width, with their stars."""
    stars = {text: star for text in texts for star in (_MARK, f.to_ascii(_MARK))
             if text.endswith(star)}  # fmt: skip
    bare = [text.removesuffix(stars.get(text, "")) for text in texts]
    too_long = [text for text in texts if f.display_width(text) > width]
    star = max((len(stars.get(text, "")) for text in too_long), default=0)
    fitted = f.fit_apart(bare, width - star, mark=cut) if too_long else bare
    return {text: name + stars.get(text, "") for text, name in zip(texts, fitted, strict=True)}


def _fit(
    wide: Sequence[int], roles: Sequence[str], name: int, width: int, *, draws: bool
) -> tuple[list[int], int]:
    """Return the columns to show, and the number of cells of the drawing."""
    everything = list(range(len(wide)))
    without_means = [i for i in everything if roles[i] != "mean"]
    without_limits = [i for i in everything if roles[i] != "interval"]
    # Without a column of limits, the drawing shows them, and the means are dropped first.
    ways = [
        (everything, draws),
        *([(without_means, True)] if draws and without_limits == everything else []),
    ]
    ways += [(everything, False), (without_limits, draws), (without_means, False)]
    ways.append(([i for i in without_means if roles[i] != "interval"], False))
    for selected, plots in ways:
        room = width - sum(wide[i] + len(_GAP) for i in selected if i != name) - plots * len(_GAP)
        plot = min(_WIDEST, max(room - wide[name], min(_ENOUGH, room // 2))) if plots else 0
        if room - plot >= min(wide[name], _LEAST_NAME) and (not plots or plot >= LEAST):
            break
    return selected, plot


def table_lines(table: Table, look: TerminalFormat) -> Iterator[list[Line]]:
    """Yield a table in parts with as many columns as fit beside the first one."""
    rows = [[look.put(f.one_line(column.title, width=24)) for column in table.columns]]
    rows += [[look.put(_shown(cell)) for cell in row] for row in table.rows]
    names = [i for i, column in enumerate(table.columns) if column.role == "name"] or [0]
    wide = [max(map(f.display_width, column)) for column in zip(*rows, strict=True)]
    rest = [i for i in range(len(wide)) if i not in names]
    parts: list[list[int]] = [[]]
    for i in rest:
        total = sum(wide[j] + len(_GAP) for j in [*parts[-1], i])
        least = sum(min(wide[n], _NAME) + len(_GAP) for n in names) + total
        if parts[-1] and least > look.width + 2:
            parts.append([])
        parts[-1].append(i)
    for part in parts:
        selected = [*names, *part]
        room = look.width - sum(wide[i] + len(_GAP) for i in part)
        maximum = {n: max(6, min(wide[n], room // len(names) - len(_GAP))) for n in names}
        maximum = {n: min(wide[n], room) if len(names) == 1 else maximum[n] for n in names}
        lines: list[Line] = []
        fitted = {
            n: f.fit_apart([row[n] for row in rows], longest, mark=look.cut_mark)
            for n, longest in maximum.items()
        }
        for place, row in enumerate(rows):
            line: Line = []
            for k, i in enumerate(selected):
                numeric = table.columns[i].numeric and i not in maximum
                text = fitted[i][place] if i in maximum else row[i]
                text = (f.pad_left if numeric else f.pad_right)(text, maximum.get(i, wide[i]))
                tone = table.rows[place - 1][i].tone if place else "muted"
                style = {"plain": "", "tie": "muted"}.get(tone, tone)
                line += [(_GAP if k else "", ""), (text, style)]
            lines.append(line)
        yield lines


WIDTH, NARROWEST = 80, 40
SHOWN = 2  # notes on the first screen
_INDENT = 10
# How much of a report is shown: its first line, the first screen, or everything.
Detail: TypeAlias = Literal["headline", "screen", "all"]
# The facts that the first screen leaves out, by label.
_DETAILS = frozenset(
    [
        "but", "chances", "clusters", "data", "declared", "guards", "look", "meaning", "measures",
        "method", "plan", "queries", "range", "ranked", "relevant", "rule", "selection",
        "sequence", "unseen", "weights",
    ]
)  # fmt: skip


class Span(NamedTuple):
    """A piece of a line and its style: "", "strong", "a", "b", "muted" or "note"."""

    text: str
    style: str = ""


def text(
    report: Report, *, width: int = WIDTH, ascii: bool = False, detail: Detail = "screen"
) -> str:
    """Return a report as plain text.

    Parameters
    ----------
    width : int
        Columns, at least 40. Names are shortened to fit, numbers are not.
    ascii : bool
        Whether to use only ASCII characters.
    detail : str
        ``"headline"``: headline and gate. ``"screen"``: also numbers, table, next step and the most
        severe notes. ``"all"``: also their meaning, the plan and the rule.

    Raises
    ------
    ArgumentError
        If the width is below 40, or the detail is none of these.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> a, b = {"q1": 0.5, "q2": 0.25, "q3": 0.5}, {"q1": 0.75, "q2": 0.5, "q3": 0.8}
    >>> result = compare_scores(a, b, name_a="bm25", name_b="monot5")
    >>> print(text(compose(result)).splitlines()[0])
    ▲ BETTER  monot5 is better than bm25
    """
    lines = text_lines(report, width=width, ascii=ascii, detail=detail)
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def text_lines(
    report: Report,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    detail: Detail = "screen",
    gate: bool = True,
) -> list[list[Span]]:
    """Return a report as lines of styled pieces; :func:`text` is the same without styles.

    Parameters and errors are those of :func:`text`; without ``gate``, the gate is left out.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> text_lines(compose(result))[0][0]
    Span(text='? INCONCLUSIVE', style='strong')
    """
    checks.count("width", width, at_least=NARROWEST)
    checks.one_of("detail", detail, get_args(Detail))
    look = TerminalFormat(width, ascii)
    card, head = report.scorecard, report.headline
    everything = detail == "all"
    blocks: list[list[Line]] = [list(_verdict(report, look))]
    if detail != "headline":
        before = [line for caution in report.first for line in look.wrap(str(caution))]
        first = [[(line, "note")] for line in before]
        first += [*blocks[0], *_below(report, look, everything=everything)]
        visible = [x for x in report.facts if everything or x.label not in _DETAILS]
        if not everything:
            visible += [
                Fact(section.key, section.finding)
                for section in report.in_place("details")
                if section.finding
            ]
        facts = [line for fact in visible for line in _labelled(fact, look)]
        notes = list(_notes(report, look, everything=everything))
        table = scorecard_lines(card, look, everything=everything) if card is not None else []
        sections = list(_sections(report, look, everything=everything))
        blocks = [first, table, *sections]
        blocks += [facts, notes] if everything else [[*facts, *notes]]
    if head.gate and gate:
        style = "b" if head.gate_passed else "note"
        last = list(_labelled(Fact("gate", head.gate), look, label_style=style))
        blocks[-1:] = [blocks[-1], last] if everything else [[*blocks[-1], *last]]
    lines: list[list[Span]] = []
    for block in blocks:
        if block and lines:
            lines.append([])
        lines += [[Span(*span) for span in line] for line in block]
    return lines


def _verdict(report: Report, look: TerminalFormat) -> Iterator[Line]:
    head = report.headline
    first = look.put(f"{head.glyph} {head.tag.upper()}".strip())
    sentence = head.line or head.title
    style = head.tone if head.tone in ("a", "b") else "strong"
    room = look.width - f.display_width(first) - 2
    if first and f.display_width(look.put(sentence)) <= room:
        yield [(first, style), ("  ", ""), (look.put(sentence), "strong")]
        return
    if first:
        yield [(first, style)]
    for line in look.wrap(sentence, 2 if first else 0):
        yield [("  " if first else "", ""), (line, "strong")]


def _below(report: Report, look: TerminalFormat, *, everything: bool) -> Iterator[Line]:
    """Yield the numbers without breaking them, the doubts, and the alternatives."""
    head = report.headline
    if head.pieces:
        colour: str = head.tone if head.tone in ("a", "b") else "strong"
        row: Line = []
        used = 0
        for piece in (part for text in head.pieces for part in look.wrap(text, 2)):
            occupied = f.display_width(piece) + 2
            if row and used + occupied > look.width:
                yield row
                row, used = [], 0
            row += [("  ", ""), (piece, colour)]
            used += occupied
            colour = ""
        yield row
    elif head.numbers and (everything or not head.numbers_in_table):
        indent = 2 if head.tag else 0
        for line in look.wrap(head.numbers, indent):
            yield [(" " * indent, ""), (line, "")]
    sensitivity = (
        head.sensitivity.replace("Δ ", f"Δ{f.NO_BREAK}") if everything or head.falls else ""
    )
    for sentence, style in ((head.soundness, "note"), (sensitivity, "note" if head.falls else "")):
        for line in look.wrap(sentence, 2) if sentence else ():
            yield [("  ", ""), (line, style)]


def _sections(report: Report, look: TerminalFormat, *, everything: bool) -> Iterator[list[Line]]:
    """Yield the tables and sentences of the sections that text includes."""
    for section in report.in_place("text", *(("details",) if everything else ())):
        if section.finding:
            yield [[(line, "")] for line in look.wrap(section.finding)]
        for block in section.blocks:
            if isinstance(block, Scorecard):
                if block is not report.scorecard:
                    yield scorecard_lines(block, look)
            elif isinstance(block, Table):
                yield from table_lines(block, look)
            elif isinstance(block, Text) and block.kind in ("plain", "caption"):
                style = "muted" if block.kind == "caption" else ""
                yield [[(line, style)] for line in look.wrap(block.text)]


def _notes(report: Report, look: TerminalFormat, *, everything: bool) -> Iterator[Line]:
    """Yield the notes; on the first screen the first titles, and how to see the others."""
    for note in report.notes if everything else report.notes[:SHOWN]:
        sentence = str(note) if everything or not note.more else note.title
        sentence = note.text if note.code == "input" else sentence
        more = f" ({note.more})" if note.more else ""
        yield from _labelled(Fact("note", f"{sentence}{more}"), look, label_style="note")
    left = 0 if everything else len(report.notes) - SHOWN
    if left > 0:
        yield from _labelled(Fact("", f"{f.plural(left, 'more note')}: -v", "muted"), look)


def gate_lines(sentence: str, *, width: int = WIDTH, ascii: bool = False) -> str:
    """Return the sentence of a gate wrapped for a terminal."""
    lines = _labelled(Fact("gate", sentence), TerminalFormat(width, ascii))
    return "\n".join("".join(part for part, _ in line) for line in lines)


def _labelled(fact: Fact, look: TerminalFormat, *, label_style: str = "muted") -> Iterator[Line]:
    """Yield a label and its text, with further lines below the first."""
    parts = (f.one_line(part, width=2_000) for part in fact.text.split(f.NO_BREAK))
    lines: Sequence[str] = look.wrap(f.NO_BREAK.join(parts), _INDENT)
    style = "note" if fact.loud else label_style
    for i, line in enumerate(lines):
        yield [(f.pad_right("" if i else fact.label, _INDENT), style), (line, fact.style)]


def methods(report: Report) -> str:
    """Return the methods paragraph on one line; ``.bib`` has the sources of what it names."""
    return one_line(_required(report, report.methods, "methods paragraph"), width=10_000) + "\n"


def bibtex(report: Report) -> str:
    """Return BibTeX of what the methods paragraph names."""
    return _required(report, report.sources, "list of sources").rstrip("\n") + "\n"


def _required(report: Report, text: str, kind: str) -> str:
    if not text:
        raise ArgumentError(f"there is no {kind} of a {type(report.subject).__name__}")
    return text


def junit(report: Report) -> str:
    """Return a report as one JUnit XML test suite."""
    # One test case for the gate and one per guard; those that did not pass are failures. Without a
    # gate the verdict is a case that cannot fail. The terminal text is in `system-out`.
    from xml.etree import ElementTree

    def attribute(value: str) -> str:
        return clean(" ".join(value.split()))

    cases = report.cases or (Case("verdict", True, report.headline.title),)
    failures = sum(not case.passed for case in cases)
    counts = {"tests": f"{len(cases)}", "failures": f"{failures}", "errors": "0"}
    suites = ElementTree.Element("testsuites", counts)
    named = {"name": attribute(f"abrank: {report.who}"), **counts, "skipped": "0"}
    suite = ElementTree.SubElement(suites, "testsuite", named)
    for case in cases:
        named = {"classname": attribute(f"abrank.{report.file}"), "name": attribute(case.name)}
        element = ElementTree.SubElement(suite, "testcase", named)
        kind, attributes = "system-out", {}
        if not case.passed:
            kind, attributes = "failure", {"message": attribute(case.text)}
        ElementTree.SubElement(element, kind, attributes).text = clean(case.text)
    ElementTree.SubElement(suite, "system-out").text = clean(text(report))
    ElementTree.indent(suites, "")
    xml = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def documents_text(
    result: ToJudge, *, maximum: int, width: int = WIDTH, ascii: bool = False
) -> str:
    """Return the unjudged documents of all queries as plain text."""
    look, left = TerminalFormat(width, ascii), len(result.documents) - maximum
    where = f"in the top {result.depth} of A"
    start = f"Every document {where} and of B is judged"
    if result.n_documents:
        documents = f.plural(result.n_documents, "document")
        start = f"{documents} {where} or B that nobody judged count as not relevant"
    lines = look.wrap(f"{start}: Δ {result.measure} is {f.signed(result.difference)}.")
    if result.documents:
        table = Table.by_row(
            "judge",
            result.documents[:maximum],
            (Column.name("document"), lambda x: Cell(x.doc_id)),
            (Column.words("query"), lambda x: Cell(x.query_id)),
            (Column("A"), lambda x: Cell(str(x.rank_a or "–"))),
            (Column("B"), lambda x: Cell(str(x.rank_b or "–"))),
            (Column("swing"), lambda x: Cell(f.signed(x.swing))),
        )
        for part in table_lines(table, look):
            lines += ["", *("".join(text for text, _ in line).rstrip() for line in part)]
        grade = result.grade
        swing = f"swing: how far Δ of its query moves if the document has grade {grade}"
        lines += look.wrap(swing)
    if left > 0:
        lines.append(f"and {f.count(left)} more: --pool FILE writes all")
    return look.put("\n".join(lines))
