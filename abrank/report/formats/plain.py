"""Formats of a few lines: the methods paragraph, BibTeX, and JUnit XML for build servers."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from abrank._support.errors import ArgumentError
from abrank.report.cells import one_line
from abrank.report.formats.clean import clean
from abrank.report.formats.text import text
from abrank.report.model import Case, Report


def methods(report: Report) -> str:
    """Return the methods paragraph on one line; ``.bib`` has the sources of what it names."""
    return one_line(_required(report, report.methods, "methods paragraph"), width=10_000) + "\n"


def bibtex(report: Report) -> str:
    """Return BibTeX of what the methods paragraph names."""
    return _required(report, report.sources, "list of sources").rstrip("\n") + "\n"


def _required(report: Report, text: str, what: str) -> str:
    if not text:
        raise ArgumentError(f"there is no {what} of a {type(report.subject).__name__}")
    return text


def junit(report: Report) -> str:
    """Return a report as one suite of JUnit XML.

    A case for the gate and one for each guard; what did not pass is a failure. Without a gate the
    verdict is a case that cannot fail. The text of the terminal stands under ``system-out``.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> a, b = {"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}
    >>> print(junit(compose(compare_scores(a, b, require="better"))).splitlines()[2])
    <testsuite name="abrank: B against A" tests="1" failures="1" errors="0" skipped="0">
    """
    cases = report.cases or (Case("verdict", True, report.headline.title),)
    failures = sum(not case.passed for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites {counts}>",
        f'<testsuite name={_attribute(f"abrank: {report.who}")} {counts} skipped="0">',
        *(_case(report, case) for case in cases),
        f"<system-out>{escape(clean(text(report)))}</system-out>",
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(report: Report, case: Case) -> str:
    start = f"<testcase classname={_attribute(f'abrank.{report.file}')}"
    start += f" name={_attribute(case.name)}"
    if case.passed:
        return f"{start}><system-out>{escape(clean(case.text))}</system-out></testcase>"
    message = _attribute(case.text)
    return f"{start}><failure message={message}>{escape(clean(case.text))}</failure></testcase>"


def _attribute(value: str) -> str:
    return quoteattr(clean(" ".join(value.split())))
