"""The guide: pages in plain English, and a catalogue made from what is registered.

``abrank guide TOPIC`` shows a page in the terminal, ``python -m abrank.guide build DIR`` makes a
site of all of them. A page is a Markdown file of this folder; the pages of measures, tests and
cautions are written by :mod:`abrank.guide.catalogue` from the registries.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from abrank._support.errors import UnknownNameError

__all__ = ["CONTENTS", "Page", "all_pages", "find_page", "read_page"]

# The pages by heading, in the order in which they are listed. A topic is the name of its file.
CONTENTS: dict[str, tuple[str, ...]] = {
    "Start here": ("start", "verdicts", "margin", "gates"),
    "For what you do": (
        "ci", "floors", "paper", "audit", "nuggets", "judges", "votes", "recommender", "spark",
        "python",
    ),
    "Why it is so": ("decides", "families", "exact", "ties", "machine", "reuse", "designs"),
    "Look up": (
        "commands", "recipes", "inputs", "measures", "tests", "cautions", "limits", "numbers",
        "extend",
    ),
    "From another tool": (
        "migrate", "trec_eval", "pytrec_eval", "ir_measures", "ranx", "pyterrier", "disagree",
    ),
}  # fmt: skip
# Pages that are written from a registry, with one page for each thing in it.
MADE = ("measures", "tests", "cautions")


@dataclass(frozen=True)
class Page:
    """A page of the guide: its topic, and its text in Markdown, which begins with a title."""

    topic: str
    text: str

    @property
    def title(self) -> str:
        r"""The first line without its mark.

        Examples
        --------
        >>> Page("start", "# Start\n\nText.").title
        'Start'
        """
        return self.text.partition("\n")[0].removeprefix("# ")


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
