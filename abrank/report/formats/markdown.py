"""Markdown for a comment on a change request: verdict, one table, notes, the rest folded."""

from __future__ import annotations

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.compose import compose
from abrank.report.formats import markdown_table
from abrank.report.model import Report, Table, Text
from abrank.report.sections import measures_and_tests

# A comment on GitHub may have 65 536 characters; a little is left for what a bot adds.
LARGEST = 60_000
# Most measures shown and most characters of a sentence, tried one after the other until it fits.
_ROOM = ((100, 2_000), (40, 400))
_LEAST = (10, 120)
SHOWN = 5
MOST_TABLES = 4


def markdown(comparison: Comparison, *, digits: int | None = None) -> str:
    """Return a comparison as GitHub-flavoured Markdown of at most 60 kB.

    Parameters
    ----------
    comparison : Comparison
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    str
        Verdict, numbers, one table, notes; worst and best queries, segments, what was seen of the
        data, rule and command are folded. Names and ids cannot break the table nor bring in HTML,
        links or mentions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, candidate="new")
    >>> markdown(result).splitlines()[0]
    '### ? Inconclusive: 2 queries cannot tell A and new apart.'
    """
    digits = comparison.decimals if digits is None else digits
    report = compose(comparison, digits=digits)
    tables = (
        measures_and_tests.measure_table(comparison, digits=digits),
        measures_and_tests.query_table(comparison, digits=digits, most=SHOWN),
    )
    for most, width in _ROOM:
        found = _document(comparison, report, *tables, most=most, width=width)
        if len(found.encode("utf-8", "replace")) <= LARGEST:
            return found
    return _document(comparison, report, *tables, most=_LEAST[0], width=_LEAST[1])


def _document(
    comparison: Comparison,
    report: Report,
    measures: Table,
    queries: Table,
    *,
    most: int,
    width: int,
) -> str:
    """Return the whole, with at most so many rows a table and sentences at most so wide."""
    head = report.headline
    parts = [
        *markdown_table.first(report.cautions, width),
        f"### {head.glyph} {head.tag}: {markdown_table.plain(head.title, width)}",
        markdown_table.paragraph(head.numbers, width),
        f"**{markdown_table.plain(head.soundness, width)}**" if head.soundness else "",
        f"**{markdown_table.plain(head.against, width)}**" if head.against else "",
        markdown_table.paragraph(head.sensitivity, width),
        markdown_table.paragraph(head.design, width),
        f"**Gate** {markdown_table.plain(head.gate, width)}." if head.gate else "",
        markdown_table.paragraph(head.meaning, width),
        f"**Next step.** {markdown_table.plain(head.next_step, width)}",
        markdown_table.cut(measures, most, "more measure"),
        *markdown_table.notes(report.cautions, width),
        "<details>",
        "<summary>Queries, segments, data, rule, command</summary>",
        markdown_table.grid(queries) if queries.rows else "",
        *_section(report, "segments", most, width),
        *_section(report, "judge", most, width, "document"),
        *_section(report, "quality", 0, width),
        markdown_table.plain(head.rule, width),
        markdown_table.code(str(comparison.provenance.get("command") or "")),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(report: Report, key: str, most: int, width: int, rows: str = "segment") -> list[str]:
    """Return a section's finding, its sentences, and so many rows of its first tables."""
    section = next((each for each in report.sections if each.key == key), None)
    if section is None:
        return []
    texts = [block for block in section.blocks if isinstance(block, Text)]
    said = [text.text for text in texts if text.kind == "plain"]
    title = section.title.partition(" (")[0]
    parts = [f"**{title}.** {markdown_table.plain(' '.join([section.finding, *said]), width)}"]
    tables = [block for block in section.blocks if isinstance(block, Table)] if most else []
    parts += [markdown_table.cut(table, most, f"more {rows}") for table in tables[:MOST_TABLES]]
    left = len(tables) - MOST_TABLES
    return parts + ([f"{f.plural(left, 'more table')} not shown."] if left > 0 else [])
