"""What the verdict means: against the declared margin, and against the secondary measures."""

from __future__ import annotations

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.model import Section, Text
from abrank.report.sections import identical, margins, words
from abrank.verdict import Verdict

_MEANINGS = {
    Verdict.BETTER: ("The whole interval lies {beyond}, so the gain is large enough to matter."),
    Verdict.WORSE: "The whole interval lies {beyond}, so the loss is large enough to matter.",
    Verdict.BETTER_SIZE_UNCLEAR: (
        "The interval excludes 0 but reaches {within}: the gain is shown, its size is open."
    ),
    Verdict.WORSE_SIZE_UNCLEAR: (
        "The interval excludes 0 but reaches {within}: the loss is shown, its size is open."
    ),
    Verdict.NOT_WORSE: (
        "The {narrow}, which decides this, excludes a loss as large as the margin of {margin}, but"
        " not a gain that large: whether {b} is better is open{still}."
    ),
    Verdict.NOT_BETTER: (
        "The {narrow}, which decides this, excludes a gain as large as the margin of {margin}, but"
        " not a loss that large: whether {b} is worse is open{still}."
    ),
    Verdict.INCONCLUSIVE: (
        "The interval allows a loss as well as a gain of {margin}, the declared margin."
    ),
}

# Against the margin, of a difference B - A that is above 0, and of one below.
_BEYOND = {
    1: "above the declared margin of {margin}",
    -1: "below −{margin}, beyond the declared margin",
}
_WITHIN = {
    1: "below the declared margin of {margin}",
    -1: "above −{margin}, within the declared margin",
}

_WITHOUT_MARGIN = (
    "The whole interval lies {side} 0. No margin was declared (--margin, margin=) to ask whether"
    " the {what} matters."
)
_OPEN = "The interval contains 0: it allows a loss as well as a gain."

_NOTHING = "Nothing was tested, so nothing is shown, one way or the other."

_SAME_MEANING = {
    1: (
        "The interval excludes 0; the {narrow} also excludes any gain as large as the margin of"
        " {margin}."
    ),
    0: "The {narrow}, which decides this, lies within the margin of ±{margin}.",
    -1: (
        "The interval excludes 0; the {narrow} also excludes any loss as large as the margin of"
        " {margin}."
    ),
}


def against_margin(comparison: Comparison) -> str:
    """Say what the interval means against the declared margin, and what others would give."""
    other = margins.other_margins(comparison)
    return f"{_against_declared(comparison)} {other}".rstrip()


def other_margins(comparison: Comparison) -> Section | None:
    """Return the line on other margins; opened it says what the declared one means."""
    if comparison.verdict in (Verdict.IDENTICAL, Verdict.CANNOT_TEST):
        return None
    declared = _against_declared(comparison)
    other = margins.other_margins(comparison)
    blocks = (Text(declared),) if other else ()
    return Section("margin", "Another margin", other or declared, blocks, group="change")


def _against_declared(comparison: Comparison) -> str:
    """Say what the interval means against the declared margin."""
    verdict, direction = comparison.verdict, comparison.decision.direction
    if verdict is Verdict.IDENTICAL:
        return identical.meaning(comparison)
    if comparison.decision.reason == "direction-not-declared":
        return "Its name sounds like a cost. Which system is better is open until that is said."
    if verdict is Verdict.CANNOT_TEST:
        other = "" if comparison.decision.of_numbers else words.other_test(comparison)
        return f"{words.capital(other)}." if other else _NOTHING
    # Where lower is better a gain is a difference below 0.
    sign = direction if comparison.rule.higher_is_better else -direction
    if comparison.rule.margin == 0:
        sides = {"side": "above" if sign > 0 else "below", "what": _WHAT.get(direction, "")}
        return _WITHOUT_MARGIN.format(**sides) if direction else _OPEN
    pattern = _SAME_MEANING[direction] if verdict is Verdict.SAME else _MEANINGS[verdict]
    margin = margins.margin_of_what(comparison)
    excludes_zero = comparison.decision.equivalence_interval.excludes_zero
    level = f.level(comparison.rule.confidence)
    return pattern.format(
        b=comparison.candidate,
        still=f", as the {level} interval contains 0" if excludes_zero else "",
        margin=margin,
        narrow=margins.equivalence_interval(comparison),
        beyond=_BEYOND.get(sign, "").format(margin=margin),
        within=_WITHIN.get(sign, "").format(margin=margin),
    )


_WHAT = {1: "gain", -1: "loss"}


def contradictions(comparison: Comparison) -> str:
    """Say which secondary measures are shown to point against the verdict; empty where none is.

    Beside a verdict that is inconclusive, which of them are shown to be worse or better.

    Examples
    --------
    >>> import pandas as pd
    >>> from abrank import Question
    >>> from abrank.comparison import compare_scores
    >>> a = pd.DataFrame({"AP": [0.1, 0.2, 0.3, 0.4, 0.5], "RR": [0.5, 0.6, 0.7, 0.8, 0.9]})
    >>> b = pd.DataFrame({"AP": [0.2, 0.3, 0.4, 0.5, 0.7], "RR": [0.3, 0.4, 0.5, 0.6, 0.6]})
    >>> contradictions(compare_scores(a, b, config=Question(adjust="holm")))
    'The secondary measure points the other way after adjustment: RR.'
    """
    against = _AGAINST.get(comparison.verdict, "")
    if comparison.verdict is Verdict.SAME and comparison.decision.direction < 0:
        against = "better"
    if comparison.verdict is Verdict.INCONCLUSIVE:
        said = (_shown(comparison, each, f"is {each}", f"are {each}") for each in _SHOWN)
        return " ".join(each for each in said if each)
    return _shown(comparison, against, "points the other way", "point the other way")


def _shown(comparison: Comparison, reading: str, one: str, several: str) -> str:
    """Name the secondary measures of a reading, with the verb for one of them or for several.

    Those of which only the skewness of few differences says so are passed over.
    """
    skewed = {
        measure
        for note in comparison.notes
        if note.code == "skewness-decides"
        for measure in note.values["measures"]
    }
    others = [row for row in comparison.rows if row.measure != comparison.rule.primary]
    found = [row.measure for row in others if row.reading == reading and row.measure not in skewed]
    if not found:
        return ""
    after = " after adjustment" if comparison.rule.adjust != "none" else ""
    names = f.first_of(found, _MOST_NAMED)
    if len(others) == 1:
        return f"The secondary measure {one}{after}: {names}."
    of = f"{f.count(len(found))} of {f.count(len(others))}"
    return f"{of} secondary measures {one if len(found) == 1 else several}{after}: {names}."


_MOST_NAMED = 4
_SHOWN = ("worse", "better")
# What a secondary measure says that no reader of the verdict would expect.
_AGAINST = {
    Verdict.BETTER: "worse",
    Verdict.BETTER_SIZE_UNCLEAR: "worse",
    Verdict.SAME: "worse",
    Verdict.NOT_WORSE: "worse",
    Verdict.IDENTICAL: "worse",
    Verdict.NOT_BETTER: "better",
    Verdict.WORSE_SIZE_UNCLEAR: "better",
    Verdict.WORSE: "better",
}
