"""Several collections as Markdown, and as a LaTeX table."""

from __future__ import annotations

from abrank._support import display as f
from abrank.collections import CollectionsComparison
from abrank.report.cells import one_line
from abrank.report.collections import tables, words
from abrank.report.formats import markdown_table
from abrank.report.formats.tex import escape, number
from abrank.report.formats.tex_table import LONGEST_NAME, MOST, tex_table

_WIDTH = 2_000
_MOST_ROWS = 200


def collections_markdown(found: CollectionsComparison, *, digits: int | None = None) -> str:
    """Return the verdict, the table of the primary measure, the sentences; the rest is folded.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.collections import summarise_collections
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> collections_markdown(summarise_collections({"x": one, "y": one})).splitlines()[0]
    '### These 2 collections cannot tell A and B apart'
    """
    digits = found.decimals if digits is None else digits
    command = markdown_table.code(str(found.provenance.get("command") or ""))
    several = len(found.measures) > 1
    told = words.cautions(found, digits=digits)
    parts = [
        *markdown_table.first(told, _WIDTH),
        f"### {markdown_table.plain(words.title(found).removesuffix('.'), _WIDTH)}",
        markdown_table.paragraph(f"{words.context(found)}.", _WIDTH),
        markdown_table.cut(
            tables.by_collection(found, found.primary, digits=digits), _MOST_ROWS, "more row"
        ),
        *(markdown_table.paragraph(each, _WIDTH) for each in words.sentences(found, digits=digits)),
        markdown_table.cut(tables.by_measure(found, digits=digits), _MOST_ROWS, "more measure")
        if several
        else "",
        *markdown_table.notes(told, _WIDTH),
        "<details>",
        "<summary>How this was computed</summary>",
        markdown_table.paragraph(words.METHOD, _WIDTH),
        command,
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def collections_latex(found: CollectionsComparison, *, digits: int | None = None) -> str:
    r"""Return the table of the primary measure for LaTeX: the collections, then the summaries.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.collections import summarise_collections
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> print(collections_latex(summarise_collections({"x": one, "y": one})).splitlines()[14])
        Collection & Queries & A & B & $\Delta$ & 95\% interval (Holm) & p (Holm) \\
    """
    digits = found.decimals if digits is None else digits
    table = tables.by_collection(found, found.primary, digits=digits)
    left = len(found.comparisons) - MOST
    rows = [*table.rows[: min(MOST, len(found.comparisons))], *table.rows[len(found.comparisons) :]]
    more = f" {f.plural(left, 'more collection')} not shown." if left > 0 else ""
    measure = one_line(found.primary.measure, width=LONGEST_NAME)
    names = (one_line(each, width=LONGEST_NAME) for each in (found.baseline, found.candidate))
    return tex_table(
        comment=f"{measure}, {words.context(found)}",
        caption=f"{measure} of A ({next(names)}) and B ({next(names)}), Δ = B − A, by collection;"
        f" p adjusted by Holm. {' '.join(words.sentences(found, digits=digits)[1:3])}{more}",
        named=f"collections {found.primary.measure}",
        align="lrrrrcr",
        head=[escape(column.title, width=LONGEST_NAME) for column in table.columns[:7]],
        body=[
            [
                escape(row[0].text, width=LONGEST_NAME),
                *(number(cell.text) if cell.text else "" for cell in row[1:5]),
                number(row[5].text.replace(" to ", ", ")) if row[5].text else "",
                number(row[6].text) if row[6].text else "",
            ]
            for row in rows
        ],
    )
