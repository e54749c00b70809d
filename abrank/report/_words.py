"""Short words that several sentences share: names of tests, verdicts and readings."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.diagnostics import outcomes
from abrank.report.model import Tone
from abrank.verdict import Verdict

MEAN = "mean difference"

_TESTS = {
    "t": "paired t test",
    "permutation": "sign-flip permutation test",
    "bootstrap": "bootstrap test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
}

_TAGS = {
    Verdict.BETTER: ("▲", "Better"),
    Verdict.BETTER_SIZE_UNCLEAR: ("▲", "Better, size unclear"),
    Verdict.SAME: ("≈", "Same in practice"),
    Verdict.NOT_WORSE: ("?", "Not worse"),
    Verdict.NOT_BETTER: ("?", "Not better"),
    Verdict.INCONCLUSIVE: ("?", "Inconclusive"),
    Verdict.WORSE_SIZE_UNCLEAR: ("▼", "Worse, size unclear"),
    Verdict.WORSE: ("▼", "Worse"),
    Verdict.IDENTICAL: ("=", "Identical"),
    Verdict.CANNOT_TEST: ("!", "Cannot test"),
}

READINGS = {
    "better": "▲ better",
    "worse": "▼ worse",
    "unclear": "? unclear",
    "identical": "= identical",
    "untested": "! untested",
}

_BY_MARGIN = {
    Verdict.SAME: "≈ same",
    Verdict.NOT_WORSE: "? not worse",
    Verdict.NOT_BETTER: "? not better",
}

_TONES: dict[str, Tone] = {"better": "b", "worse": "a", "identical": "tie", "unclear": "tie"}


def name_of_test(test: str) -> str:
    """Return a test's name as it stands in a sentence.

    Examples
    --------
    >>> name_of_test("t")
    'paired t test'
    """
    return _TESTS.get(test, f"{test} test")


def tag(verdict: Verdict) -> tuple[str, str]:
    """Return a verdict's glyph and tag.

    Examples
    --------
    >>> tag(Verdict.NOT_WORSE)
    ('?', 'Not worse')
    """
    return _TAGS[verdict]


def verdict_tone(verdict: Verdict) -> Tone:
    """Return the colour of a verdict: that of the system it favours.

    Examples
    --------
    >>> verdict_tone(Verdict.WORSE), verdict_tone(Verdict.INCONCLUSIVE)
    ('a', 'tie')
    """
    if verdict in (Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR):
        return "b"
    if verdict in (Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR):
        return "a"
    return "tie"


def reading(comparison: Comparison, row: MeasureResult) -> str:
    """Return a measure's reading; that of the primary one says what the margin adds to it."""
    open_verdict = comparison.decision.direction == 0 and row.measure == comparison.rule.primary
    by_margin = _BY_MARGIN.get(comparison.verdict, "") if open_verdict else ""
    return by_margin or READINGS[row.reading]


def reading_tone(reading: str) -> Tone:
    """Return the colour of a measure's reading.

    Examples
    --------
    >>> reading_tone("better"), reading_tone("untested")
    ('b', 'plain')
    """
    return _TONES.get(reading, "plain")


def estimand(comparison: Comparison) -> str:
    """Return what the test that decides estimates: "mean difference" for tests of the mean."""
    return next((row.estimand for row in comparison.test_rows if row.decides), MEAN)


def system(letter: str, name: str) -> str:
    """Return a system's letter and name, once where they are the same.

    Examples
    --------
    >>> system("A", "bm25"), system("A", "A")
    ('A bm25', 'A')
    """
    return letter if name == letter else f"{letter} {name}"


def at_level(alpha: float) -> str:
    """Return a level as it stands in a sentence.

    Examples
    --------
    >>> at_level(0.05)
    'at the 5% level'
    """
    return f"at the {f.level(alpha)} level"


def queries(n: int) -> str:
    """Return a number of queries.

    Examples
    --------
    >>> queries(1), queries(249)
    ('1 query', '249 queries')
    """
    return f.plural(n, "query", "queries")


def capital(text: str) -> str:
    """Return a clause as the start of a sentence.

    Examples
    --------
    >>> capital("the sign-flip test")
    'The sign-flip test'
    """
    return text[:1].upper() + text[1:]


def cannot_test(comparison: Comparison, *, digits: int) -> str:
    """Say why nothing could be tested, as a clause without a full stop."""
    if comparison.decision.reason == "too-few-queries":
        if comparison.n_queries == 0:
            return "there is no query to compare"
        return "1 query is too few for a test"
    name = name_of_test(comparison.rule.test)
    differences = comparison.differences()
    if not outcomes(differences - differences[0]).any():
        same = f.signed(float(differences[0]), digits=digits)
        undefined = "t statistic" if comparison.rule.test == "t" else name
        return f"every query differs by exactly {same}, so the {undefined} is undefined"
    return f"the {name} gives no p-value for these differences"


def other_test(comparison: Comparison) -> str:
    """Return the p-value of the sign-flip test, where it has one that the declared test has not."""
    if comparison.n_queries < 2:
        return ""
    for row in comparison.test_rows:
        if row.test == "permutation" and not row.decides and math.isfinite(row.pvalue):
            return f"the sign-flip test gives {f.p_clause(row.pvalue, alpha=comparison.rule.alpha)}"
    return ""
