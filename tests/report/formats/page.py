"""What tests of the HTML report share: a reader of pages, and comparisons to write."""

import base64
import json
import re
import zlib
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
from markdown_it import MarkdownIt

from abrank import Comparison, compare_scores
from tests.asked import asked

VOID = {"meta", "link", "input", "br", "hr", "img", "wbr"}


@dataclass
class Page(HTMLParser):
    """What a test asks of a page: its tags, and the texts of elements, tables and scripts."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    text: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    @property
    def rows(self) -> list[list[str]]:
        return [row for table in self.tables for row in table]

    @property
    def kinds(self) -> set[str]:
        """The names of all tags."""
        return {tag for tag, _ in self.tags}

    @property
    def visible(self) -> str:
        """All text but that of styles and scripts."""
        return "".join(data for where, data in self.text if not {"style", "script"} & {*where})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("th", "td"):
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append((tuple(self.open), data))
        table = self.tables[-1] if {"th", "td"} & set(self.open) else []
        if table and table[-1]:  # a table in a cell has no row yet
            table[-1][-1] += data.strip()

    def inside(self, tag: str) -> str:
        """Return all text inside elements of a kind, figures left out."""
        return "".join(data for where, data in self.text if tag in where and "svg" not in where)

    def having(self, name: str) -> list[str]:
        """Return the values of an attribute."""
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]


def read(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


def rendered(source: str) -> Page:
    """Read Markdown as a forge shows it."""
    engine = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return read(engine.render(source))


# What Markdown of ours may have.
OF_MARKDOWN = {
    "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "strong", "ul", "li", "details",
    "summary", "pre", "code",
}  # fmt: skip


def island(text: str) -> dict[str, object]:
    """Return the rows as a browser reads them."""
    match = re.search(r'<script type="text/plain" id="query-data">(.*?)</script>', text, re.S)
    data = json.loads(zlib.decompress(base64.b64decode(match[1])))
    deltas = [column for column in data["columns"] if column["kind"] == "delta"]
    for column, measure in zip(deltas, data["measures"] or (), strict=False):
        column |= {key: measure[key] for key in ("values", "texts")}
    return data


def scores(n: int, shift: float, *, seed: int = 1) -> tuple[pd.DataFrame, pd.DataFrame]:
    random = np.random.default_rng(seed)
    ids = [f"q{i:05d}" for i in range(n)]
    a = pd.DataFrame(
        {name: random.beta(2, 2, n) for name in ("nDCG@10", "AP", "P@10")}, index=pd.Index(ids)
    )
    moved = np.where(random.random((n, 1)) < 0.1, 0.0, random.normal(shift, 0.15, (n, 3)))
    return a, (a + moved).clip(0, 1)


def comparison_of(n: int, shift: float = 0.05, **how: object) -> Comparison:
    """Compare simulated scores; the result tells no day, so that its bytes can be compared."""
    a, b = scores(n, shift)
    named = {"primary": "nDCG@10", "name_a": "bm25", "name_b": "monot5", "resamples": 999}
    return replace(compare_scores(a, b, **asked(**named | how)), provenance={})
