"""What a reader sees of a page, a card, a text or a paper's table, read back from its characters.

Numbers come as :class:`Claim`: an interval or a p-value, what it is of, and the words that a reader
has to tell it from another one. Nothing is taken from the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple

LEAVES = {
    "p", "li", "h1", "h2", "h3", "h4", "dt", "dd", "summary", "figcaption", "caption", "title",
}  # fmt: skip
VALUE = r"[+−-]?\d+(?:\.\d+)?%?"
INTERVAL = re.compile(rf"({VALUE})(?: to |, )({VALUE})")
LEVEL = re.compile(
    r"(\d+(?:\.\d+)?)%\s+(?:adjusted |simultaneous )?(?:confidence |Fieller )?(?:CI|interval)"
)
P = re.compile(r"(?<![\w.])(adjusted )?p(?: adj\.)? ?([=<]|(?=\d)) ?(\d*\.\d+)")
STAR = "★"


class Value(NamedTuple):
    """A number as printed: what it is worth, and half of its last digit."""

    number: float
    half: float

    def equals(self, other: Value) -> bool:
        return abs(self.number - other.number) <= 1.02 * max(self.half, other.half)


class Claim(NamedTuple):
    """Two limits (or one p-value twice) of something, with the words that tell it apart."""

    where: str
    of: str
    estimand: str
    level: str
    adjusted: bool | None
    low: Value
    high: Value

    def agrees(self, other: Claim) -> bool:
        return self.low.equals(other.low) and self.high.equals(other.high)

    def is_told_from(self, other: Claim) -> bool:
        """Whether a label that is shown says that they are two things."""
        levels = {self.level, other.level}
        return ("" not in levels and len(levels) == 2) or self.adjusted is not other.adjusted

    def __str__(self) -> str:
        label = f"{self.level or 'no level'}{', adjusted' * bool(self.adjusted)}"
        ends = f"{self.low.number:g} to {self.high.number:g}"
        return f"{self.estimand} of {self.of}: {ends} ({label}; {self.where})"


@dataclass
class Row:
    """A row of a table by its headings."""

    name: str
    cells: dict[str, str]
    bars: list[tuple[float, float, float]] = field(default_factory=list)  # width, left, right
    ticks: dict[float, float] = field(default_factory=dict)  # value: place
    has_band: bool = False  # of a margin


@dataclass
class Table:
    scope: str
    titles: list[str]
    rows: list[Row]
    legend: str = ""


@dataclass
class Drawing:
    """Ticks and level lines of a drawing, its words with their places, and its caption."""

    scope: str
    texts: list[tuple[float, float, str, str]]  # x, y, anchor, text
    bars: list[tuple[float, float, float, float]]  # y, width, left, right
    frame: tuple[float, float] = (0.0, 0.0)
    title: str = ""
    caption: str = ""


@dataclass
class Seen:
    """All that is shown."""

    tables: list[Table] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)  # scope, text

    @property
    def text(self) -> str:
        return "\n".join(line for _, line in self.lines)


def value(text: str) -> Value:
    text = text.replace("−", "-").replace("\N{NARROW NO-BREAK SPACE}", "")
    places = len(text.rstrip("%").partition(".")[2])
    return Value(float(text.rstrip("%").lstrip("+")), 0.5 * 10.0**-places)


# --- HTML, as a tree


class Node:
    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag, self.attributes = tag, attributes
        self.children: list[Node | str] = []

    def all(self, *tags: str):
        for child in self.children:
            if isinstance(child, Node):
                if child.tag in tags:
                    yield child
                yield from child.all(*tags)

    @property
    def text(self) -> str:
        parts = (
            child if isinstance(child, str) else "" if child.tag == "svg" else child.text
            for child in self.children
        )  # fmt: skip
        return " ".join("".join(parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: text or "" for key, text in attrs})
        self._open[-1].children.append(node)
        if tag not in {"meta", "link", "br", "hr", "img", "input", "wbr", "col"}:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, {key: text or "" for key, text in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth].tag == tag:
                del self._open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def html(markup: str) -> Seen:
    """Read a page or a card."""
    reader = _Reader()
    reader.feed(markup)
    visited = Seen()
    _walk(reader.root, "", visited)
    return visited


def _walk(node: Node, scope: str, seen: Seen) -> None:
    for child in node.children:
        if isinstance(child, str) or child.tag in ("script", "style", "nav", "select"):
            continue
        inner = scope
        if child.tag == "details":
            summary = next((item.text for item in child.all("summary")), "")
            # One collection opened: its name begins the line.
            name = re.match(r"([^:·]+?)(?: · |: \d+ queries)", summary)
            inner = name[1] if name else scope
        if child.tag == "table":
            seen.tables.append(_table(child, inner))
        elif child.tag == "svg":
            seen.drawings.append(_drawing(child, inner))
            seen.lines += [(inner, item[3]) for item in seen.drawings[-1].texts]
            seen.lines += [(inner, item.text) for item in child.all("desc") if item.text]
            if attribute := child.attributes.get("aria-label"):
                seen.lines.append((inner, attribute))
        elif child.tag in LEAVES or (
            child.tag == "div" and not [*child.all("div", "p", "svg", "table")]
        ):
            if child.text:
                seen.lines.append((inner, child.text))
                if seen.tables and not seen.tables[-1].legend.count("\n") > 9:
                    seen.tables[-1].legend += f"\n{child.text}"
                # A figure for a wide and one for a narrow screen share their caption.
                for drawing in seen.drawings[-2:]:
                    if drawing.title == seen.drawings[-1].title:
                        drawing.caption += f"\n{child.text}"
        else:
            _walk(child, inner, seen)


def _table(node: Node, scope: str) -> Table:
    rows = [
        [cell for cell in row.children if isinstance(cell, Node) and cell.tag in ("td", "th")]
        for row in node.all("tr")
    ]
    titles = [cell.text for cell in rows[0]] if rows else []
    result = []
    for cells in rows[1:]:
        row = Row(cells[0].text if cells else "", {})
        for title, cell in zip(titles, cells, strict=False):
            row.cells[title] = cell.text
            if "r-drawn" in cell.attributes.get("class", ""):
                sample = [_drawing(svg, scope) for svg in cell.all("svg")]
                row.bars = [(w, left, right) for item in sample for _, w, left, right in item.bars]
                row.ticks = _ticks([text for item in sample for text in item.texts])
                row.has_band = any(x.attributes.get("height") == "100%" for x in cell.all("rect"))
        # A place before the name of a system.
        if re.fullmatch(r"\d*", row.name) and len(cells) > 1:
            row.name = cells[1].text
        result.append(row)
    return Table(scope, titles, result)


def _place(text: str) -> float:
    """Return a place along an axis; in a row of a scorecard it is a share of 260 pixels."""
    return 2.6 * float(text[:-1]) if text.endswith("%") else float(text)


_LINE = re.compile(r"^M([\d.]+) ([\d.]+)(?:H([\d.]+)|L([\d.]+) ([\d.]+))$")


def _drawing(node: Node, scope: str) -> Drawing:
    drawing = Drawing(scope, [], [], title=next((item.text for item in node.all("title")), ""))
    drawing.caption = " ".join(item.text for item in node.all("desc"))
    for group in [node, *node.all("g")]:
        for child in group.children:
            if isinstance(child, str):
                continue
            attributes = child.attributes
            if child.tag == "text" and "x" in attributes:
                position = _place(attributes["x"]), float(attributes["y"])
                drawing.texts.append((*position, attributes.get("text-anchor", ""), child.text))
            elif child.tag == "text":
                drawing.texts.append((-1.0, -1.0, "", child.text))
            match = _LINE.match(attributes.get("d", "")) if child.tag == "path" else None
            width = float(attributes.get("stroke-width", "0"))
            if child.tag == "line" and attributes["y1"] == attributes["y2"]:
                ends = _place(attributes["x1"]), _place(attributes["x2"])
                drawing.bars.append((_place(attributes["y1"]), width, *ends))
            if match is None or "stroke-dasharray" in attributes:
                continue
            (left, right), y = (
                sorted((float(match[1]), float(match[3] or match[4]))),
                float(match[2]),
            )
            if match[5] is None or float(match[5]) == y:
                if width >= 1.3:
                    drawing.bars.append((y, width, left, right))
                elif right - left > drawing.frame[1] - drawing.frame[0]:
                    drawing.frame = left, right
    # What ends at the frame, or with an arrow before it, goes on beyond it.
    start, stop = drawing.frame
    if stop:
        drawing.bars = [bar for bar in drawing.bars if bar[2] > start + 6.5 and bar[3] < stop - 6.5]
    return drawing


def _ticks(texts: list[tuple[float, float, str, str]]) -> dict[float, float]:
    """Return where the numbers of an axis stand: the lowest line of centred numbers."""
    places: dict[float, dict[float, float]] = {}
    for x, y, anchor, text in texts:
        if anchor == "middle" and re.fullmatch(VALUE, text):
            places.setdefault(y, {})[value(text).number] = x
    lines = [places[y] for y in sorted(places) if len(places[y]) > 1]
    return lines[-1] if lines else {}


# --- Markdown, text, LaTeX


def markdown(text: str) -> Seen:
    visited, head = Seen(), None
    for line in text.splitlines():
        plain = line.replace("**", "").replace("&#8288;", "").replace("\\", "").strip()
        if not plain.startswith("|"):
            head = None
            if plain:
                visited.lines.append(("", plain))
                if visited.tables:
                    visited.tables[-1].legend += f"\n{plain}"
            continue
        cells = [cell.strip() for cell in plain.strip("|").split("|")]
        if head is None:
            head = cells
            visited.tables.append(Table("", cells, []))
        elif not re.fullmatch(r"[:\- |]+", plain):
            visited.tables[-1].rows.append(Row(cells[0], dict(zip(head, cells, strict=False))))
    return visited


_DRAWN = re.compile(r"[━─╋┼┊●╎]+")


def text(shown: str) -> Seen:
    """Read a text written wide, so that no line is broken."""
    visited, table = Seen(), None
    for line in shown.splitlines():
        head = re.match(r"(measure|collection)\s{2,}", line)
        cells = re.split(r"\s{2,}", _DRAWN.sub("  ", line).strip())
        if head:
            titles = [cell for cell in cells if "◂" not in cell and "▸" not in cell]
            titles = [re.sub(r"\s*[◂▸┊].*", "", title) for title in titles]
            table = Table("", titles, [])
            visited.tables.append(table)
        elif table is not None and len(cells) == len(table.titles):
            table.rows.append(Row(cells[0], dict(zip(table.titles, cells, strict=True))))
        elif line.strip():
            visited.lines.append(("", line.strip()))
            if table is not None:
                table.legend += f"\n{line.strip()}"
        else:
            table = None
    return visited


def latex(shown: str) -> Seen:
    for old, new in (
        ("\\%", "%"),
        ("\\,", ""),
        ("\\Delta", "Δ"),
        ("~", " "),
        ("$", ""),
        ("-", "−"),
    ):
        shown = shown.replace(old, new)
    visited = Seen()
    lines = [line.strip().removesuffix("\\\\").strip() for line in shown.splitlines()]
    rows = [[cell.strip(" {}[]") for cell in line.split("&")] for line in lines if " & " in line]
    if rows:
        result = [Row(cells[0], dict(zip(rows[0], cells, strict=False))) for cells in rows[1:]]
        visited.tables.append(Table("", rows[0], result))
    visited.lines = [("", line) for line in lines if line.startswith(("\\caption", "%"))]
    visited.tables[0].legend = visited.text
    return visited
