"""JUnit XML, which build servers show: a test case for the gate, and one for each guard."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from abrank.comparison import Comparison
from abrank.report.formats.clean import clean
from abrank.report.formats.terminal.plain_text import text
from abrank.report.sections import design, headline
from abrank.report.sections.gate import primary_sentence


def junit(comparison: Comparison, *, digits: int | None = None) -> str:
    """Return a comparison as one suite of JUnit XML.

    Returns
    -------
    str
        A case for the gate on the primary measure and one for each guard; what did not pass is a
        failure. Without a gate the verdict is a case that cannot fail. The text of the terminal
        stands under ``system-out``.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}
    >>> print(junit(compare_scores(a, b, require="better")).splitlines()[2])
    <testsuite name="abrank: B against A" tests="1" failures="1" errors="0" skipped="0">
    """
    digits = comparison.decimals if digits is None else digits
    cases = _cases(comparison, digits)
    failures = sum(not passed for _, passed, _ in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    name = _attribute(f"abrank: {comparison.candidate} against {comparison.baseline}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'<testsuite name={name} {counts} skipped="0">',
        *(_case(comparison, *case) for case in cases),
        f"<system-out>{escape(clean(text(comparison, digits=digits)))}</system-out>",
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _cases(comparison: Comparison, digits: int) -> list[tuple[str, bool, str]]:
    """Return of each case its name, whether it passed, and a sentence."""
    gate = comparison.decision.gate
    if gate is None:
        return [("verdict", True, headline.title(comparison, digits=digits))]
    lead = (
        f"{gate.require} on {comparison.rule.primary}",
        gate.lacks in ("", "guards"),
        primary_sentence(comparison, gate, digits=digits),
    )
    guards = [
        (f"guard on {each.measure}", each.passed, design.guard(comparison, each, digits))
        for each in comparison.decision.guards
    ]
    return [lead, *guards]


def _case(comparison: Comparison, name: str, passed: bool, said: str) -> str:
    start = f"<testcase classname={_attribute(f'abrank.{comparison.candidate}')}"
    start += f" name={_attribute(name)}"
    if passed:
        return f"{start}><system-out>{escape(clean(said))}</system-out></testcase>"
    return f"{start}><failure message={_attribute(said)}>{escape(clean(said))}</failure></testcase>"


def _attribute(value: str) -> str:
    return quoteattr(clean(" ".join(value.split())))
