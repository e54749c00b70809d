"""The guide: pages in plain English, and a catalogue made from what is registered.

``abrank guide TOPIC`` shows a page in the terminal, ``python -m abrank.guide build DIR`` makes a
site of all of them. A page is a Markdown file of this folder; the pages of measures, tests and
cautions are written by :mod:`abrank.guide.catalogue` from the registries.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import resources

from abrank._support.errors import UnknownNameError
from abrank.guide.pages import CONTENTS, MADE, GuidePage

__all__ = ["CONTENTS", "MADE", "GuidePage", "all_pages", "find_page", "read_page"]

ALIKE = 0.8  # of letters: a topic that was misspelt
MIN_SOUGHT = 3  # letters of a word that is looked for in all pages


def read_page(topic: str) -> GuidePage:
    """Return the page of a topic of ``CONTENTS``."""
    if topic in MADE:
        from abrank.guide import catalogue

        return catalogue.OVERVIEWS[topic]()
    text = (resources.files("abrank.guide") / f"{topic}.md").read_text("utf-8")
    return GuidePage(topic, text)


def find_page(name: str) -> GuidePage:
    """Return the page of a name: a topic, a measure in any spelling, a test or a caution."""
    # A word that has no page is looked for in all of them: the page then says where it stands.
    topics = {topic for item in CONTENTS.values() for topic in item}
    if name.strip().lower() in topics:
        return read_page(name.strip().lower())
    from abrank.guide import catalogue

    page = catalogue.entry(name.strip())
    names = sorted(topics | set(catalogue.names()))
    if page is None and not get_close_matches(name.lower(), map(str.lower, names), 1, ALIKE):
        page = _mentions(name.strip())
    if page is None:
        raise UnknownNameError("topic", name, names)
    return page


def _mentions(word: str) -> GuidePage | None:
    """Return a page of the sentences in which a word stands, one a page of the guide."""
    if len(word) < MIN_SOUGHT:
        return None
    sought = re.compile(rf"(?<![a-z]){re.escape(word)}s?(?![a-z])", re.IGNORECASE)
    result = []
    for topic in (topic for item in CONTENTS.values() for topic in item):
        page = read_page(topic)
        prose = re.sub(r"^```.*?^```", "", page.text, flags=re.DOTALL | re.MULTILINE)
        lines = [
            line
            for part in re.split(r"\n\n|\n(?=[-*] |\d+\. )", prose)
            for line in _sentences(part)
        ]
        line = next((line for line in lines if sought.search(line)), "")
        if line or sought.search(page.text):
            result.append(f"- [{page.title}]({topic}.md)" + f": {line}" * bool(line))
    if not result:
        return None
    intro = f"# {word}\n\nThere is no page of this name. The word stands in:\n\n"
    return GuidePage(word, intro + "\n".join(result))


def _sentences(part: str) -> list[str]:
    """Return the sentences of a paragraph, without marks; the cells of a table's rows."""
    if part.startswith("|"):
        rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
        return [": ".join(cells) for cells in rows]
    text = re.sub(r"^(#+|[-*]|\d+\.)\s+", "", " ".join(part.split()))
    return re.split(r"(?<=[.:?])\s+(?=[A-Z*`])", text.replace("**", ""))


def all_pages() -> dict[str, list[GuidePage]]:
    """Return every page by heading; those of single measures, tests and cautions come last."""
    from abrank.guide import catalogue

    pages = {heading: [read_page(topic) for topic in item] for heading, item in CONTENTS.items()}
    return pages | {"Catalogue": list(catalogue.entries())}
