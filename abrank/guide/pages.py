"""The pages of the guide by heading, and what a page is."""

from __future__ import annotations

from dataclasses import dataclass

# The pages by heading, in the order in which they are listed. A topic is the name of its file.
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
# Pages that are written from a registry, with one page for each thing in it.
MADE = ("measures", "tests", "cautions")


@dataclass(frozen=True)
class GuidePage:
    """A page of the guide: its topic, and its text in Markdown, which begins with a title."""

    topic: str
    text: str

    @property
    def title(self) -> str:
        """The first line without its mark."""
        return self.text.partition("\n")[0].removeprefix("# ")
