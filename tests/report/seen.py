"""What a reader sees of a page, read back from its characters.

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
INTERVAL = re.compile(rf"({VALUE}) to ({VALUE})")
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
    has_band: bool = False  # of a margin


@dataclass
class Table:
    scope: str
    titles: list[str]
    rows: list[Row]
    legend: str = ""


@dataclass
class Seen:
    """All that is shown."""

    tables: list[Table] = field(default_factory=list)
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
    """Read a page."""
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
            seen.lines += [(inner, item.text) for item in child.all("text", "desc") if item.text]
            if attribute := child.attributes.get("aria-label"):
                seen.lines.append((inner, attribute))
        elif child.tag in LEAVES or (
            child.tag == "div" and not [*child.all("div", "p", "svg", "table")]
        ):
            if child.text:
                seen.lines.append((inner, child.text))
                if seen.tables and not seen.tables[-1].legend.count("\n") > 9:
                    seen.tables[-1].legend += f"\n{child.text}"
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
                row.has_band = any(x.attributes.get("height") == "100%" for x in cell.all("rect"))
        # A place before the name of a system.
        if re.fullmatch(r"\d*", row.name) and len(cells) > 1:
            row.name = cells[1].text
        result.append(row)
    return Table(scope, titles, result)
