"""The list of guide pages by heading, and the class of pages."""

from __future__ import annotations

from dataclasses import dataclass

# Pages by heading, in the order of the table of contents. A topic is the name of its file.
CONTENTS: dict[str, tuple[str, ...]] = {
    "Start here": ("start", "verdicts", "margin", "gates"),
    "For what you do": (
        "ci", "floors", "paper", "audit", "nuggets", "judges", "votes", "recommender", "spark",
        "python",
    ),
    "Why it is so": (
        "decides", "families", "exact", "ties", "judgments", "machine", "reuse", "designs",
    ),
    "Look up": (
        "commands", "recipes", "inputs", "measures", "tests", "cautions", "limits", "numbers",
        "extend",
    ),
    "From another tool": (
        "migrate", "trec_eval", "pytrec_eval", "ir_measures", "ranx", "pyterrier", "beir",
        "disagree",
    ),
}  # fmt: skip
# Pages that are generated from a registry, with one page per entry.
MADE = ("measures", "tests", "cautions")


@dataclass(frozen=True)
class GuidePage:
    """A page of the guide: its topic, and its text in Markdown, which begins with a title."""

    topic: str
    text: str

    @property
    def title(self) -> str:
        """The first line without its Markdown mark."""
        return self.text.partition("\n")[0].removeprefix("# ")
