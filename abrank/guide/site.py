"""Write the guide as a site that works offline, and the reference of all public names."""

from __future__ import annotations

import importlib
import re
import warnings
from itertools import cycle
from pathlib import Path
from types import ModuleType

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

import abrank
from abrank._support.files import replace_all
from abrank.guide import all_pages, read_page
from abrank.guide.pages import CONTENTS, GuidePage

# The public modules. All others are internal, even without a leading underscore.
PUBLIC = (
    "abrank", "abrank.agreement", "abrank.collections", "abrank.comparison", "abrank.diagnostics",
    "abrank.engines", "abrank.engines.spark", "abrank.estimate",
    "abrank.inference", "abrank.inputs", "abrank.ledger", "abrank.measures", "abrank.planning",
    "abrank.plots", "abrank.ranking", "abrank.report", "abrank.rule_file", "abrank.scoring",
    "abrank.simulate",
)  # fmt: skip


def build_reference(folder: Path) -> Path:
    """Write a page for each public module into a folder; return the path of the first one."""
    import pdoc
    from pdoc import render

    for name in PUBLIC:
        bind(importlib.import_module(name))
    render.configure(docformat="numpy", show_source=False, search=False)
    with warnings.catch_warnings():
        # pdoc warns about each name that is imported only for type checkers.
        warnings.filterwarnings("ignore", "Error parsing type annotation")
        pdoc.pdoc(*PUBLIC, output_directory=folder)
    return folder / "abrank.html"


def bind(module: ModuleType) -> None:
    """Import everything that a module imports on demand, so that pdoc can see it."""
    for name in getattr(module, "__all__", ()):
        setattr(module, name, getattr(module, name))


_LINK = re.compile(r'(<a href=")([\w-]+)\.md(#[\w-]*)?"')
_HEADING = re.compile(r"<h([23])>(.*?)</h\1>")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
FRONT = (
    "abrank scores two runs query by query, tests the paired difference, and says in words what the"
    " interval allows you to say. Begin with [five minutes](start.md). Everything here can be read"
    " in a terminal, too: `abrank guide TOPIC`."
)
_TAG = re.compile(r"<[^>]+>")
_CELL = re.compile(r"<td.*?>(.*?)</td>", re.DOTALL)
_HEAD = re.compile(r"<th\b.*?>(.*?)</th>", re.DOTALL)
_ROLES = {
    "table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row",
    "th": "columnheader", "td": "cell",
}  # fmt: skip
LONGEST_CELL = 24  # characters of a cell that fits on a phone


def build(folder: Path) -> Path:
    """Write the site into a folder, which is created if needed; return its first page."""
    pages = all_pages()
    frame = Environment(
        loader=PackageLoader("abrank.guide"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    ).get_template("page.html")  # fmt: skip
    menu = {heading: page for heading, page in pages.items() if heading != "Catalogue"}
    front = GuidePage("index", front_page())
    files = {}
    for page in (front, *(page for item in pages.values() for page in item)):
        body = Markup(to_html(page.text))  # to_html escapes HTML in the page
        text = frame.render(page=page, body=body, menu=menu, version=abrank.__version__)
        files[folder / f"{page.topic}.html"] = text.encode()
    replace_all(files)
    return folder / "index.html"


def front_page() -> str:
    """Return the front page as Markdown: what abrank is, an example, and links."""
    sample = read_page("start").text.partition("```text\n")[2].partition("\n\nsystems ")[0]
    lines = ["# abrank: may ranker B replace ranker A?", FRONT, f"```text\n{sample}\n```"]
    lines += ["## For what you do"]
    lines += ["\n".join(f"- [{read_page(t).title}]({t}.md)" for t in CONTENTS["For what you do"])]
    return "\n\n".join(lines) + "\n"


def to_html(text: str) -> str:
    """Convert Markdown to HTML with anchors, scrollable tables and links between pages."""
    html: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    html = _LINK.sub(lambda m: f'{m[1]}{m[2]}.html{m[3] or ""}"', html)
    html = _HEADING.sub(
        lambda m: f'<h{m[1]} id="{anchor(_TAG.sub("", m[2]))}">{m[2]}</h{m[1]}>', html
    )
    # Wide code scrolls by itself, also by keyboard.
    html = html.replace("<pre>", '<pre tabindex="0">')
    return _TABLE.sub(
        lambda m: f'<div class="wide" tabindex="0" role="group">{_labelled(m[0])}</div>', html
    )


def _labelled(table: str) -> str:
    """Label the cells of a wide table, so that phones can show it row by row."""
    if max(len(_TAG.sub("", cell)) for cell in _CELL.findall(table)) <= LONGEST_CELL:
        return table
    headings = cycle(_TAG.sub("", heading) for heading in _HEAD.findall(table))
    for tag, role in _ROLES.items():  # CSS blocks would otherwise remove the table roles
        table = re.sub(rf"<{tag}\b", f'<{tag} role="{role}"', table)
    table = re.sub("<td", lambda m: f'{m[0]} data-label="{next(headings)}"', table)
    return table.replace("<table", '<table class="rows"', 1)


def anchor(heading: str) -> str:
    """Return the anchor of a heading, in GitHub's format."""
    return re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
