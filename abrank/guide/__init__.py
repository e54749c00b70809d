"""The guide: pages in plain English, and a catalogue made from what is registered.

``abrank guide TOPIC`` shows a page in the terminal, ``python -m abrank.guide build DIR`` makes a
site of all of them. A page is a Markdown file of this folder; the pages of measures, tests and
cautions are written by :mod:`abrank.guide.catalogue` from the registries.
"""

from __future__ import annotations

from importlib import resources

from abrank._support.errors import UnknownNameError
from abrank.guide.pages import CONTENTS, MADE, Page

__all__ = ["CONTENTS", "MADE", "Page", "all_pages", "find_page", "read_page"]


def read_page(topic: str) -> Page:
    """Return the page of a topic of ``CONTENTS``.

    Examples
    --------
    >>> read_page("start").title
    'Start in five minutes'
    """
    if topic in MADE:
        from abrank.guide import catalogue

        return catalogue.OVERVIEWS[topic]()
    text = (resources.files("abrank.guide") / f"{topic}.md").read_text("utf-8")
    return Page(topic, text)


def find_page(name: str) -> Page:
    """Return the page that a name means: a topic, a measure in any spelling, a test or a caution.

    Examples
    --------
    >>> find_page("ndcg_cut_10").title, find_page("permutation").title
    ('nDCG', 'Sign-flip permutation')
    """
    topics = {topic for each in CONTENTS.values() for topic in each}
    if name.strip().lower() in topics:
        return read_page(name.strip().lower())
    from abrank.guide import catalogue

    page = catalogue.entry(name.strip())
    if page is None:
        raise UnknownNameError("topic", name, sorted(topics | set(catalogue.names())))
    return page


def all_pages() -> dict[str, list[Page]]:
    """Return every page by heading; those of single measures, tests and cautions come last."""
    from abrank.guide import catalogue

    pages = {heading: [read_page(topic) for topic in each] for heading, each in CONTENTS.items()}
    return pages | {"Catalogue": list(catalogue.entries())}
