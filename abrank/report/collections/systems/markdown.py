"""Many systems on several collections as Markdown, and as a LaTeX table."""

from __future__ import annotations

from abrank._support import display as f
from abrank.collections import CollectionsRanking
from abrank.report.cells import one_line
from abrank.report.collections.systems import tables, words
from abrank.report.collections.systems.cautions import standings_cautions
from abrank.report.formats import markdown_table
from abrank.report.formats.tex import escape, number
from abrank.report.formats.tex_table import LONGEST_NAME, MOST, tex_table

_WIDTH = 2_000
_MOST_ROWS = 100


def standings_markdown(found: CollectionsRanking, *, digits: int | None = None) -> str:
    """Return who may be called first, the leaderboard, the means by collection; methods folded.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> standings_markdown(rank_collections({"web": one, "news": one})).splitlines()[0]
    '### Only Y may be called first of 2 systems on these 2 collections'
    """
    digits = found.decimals if digits is None else digits
    measure = found.primary.measure
    made = [
        tables.standings(found.primary, digits=digits),
        tables.by_collection(found, measure, digits=digits),
        *([tables.by_measure(found, digits=digits)] if found.measures[1:] else []),
    ]
    shown = [markdown_table.cut(each, _MOST_ROWS, "more system") for each in made]
    said = [words.like_these(found), f"{', '.join(words.context(found))}."]
    told = standings_cautions(found, digits=digits)
    parts = [
        *markdown_table.first(told, _WIDTH),
        f"### {markdown_table.plain(words.title(found).removesuffix('.'), _WIDTH)}",
        markdown_table.paragraph(" ".join(said), _WIDTH),
        shown[0],
        *(markdown_table.paragraph(each, _WIDTH) for each in words.sentences(found, digits=digits)),
        *shown[1:],
        *markdown_table.notes(told, _WIDTH),
        "<details>",
        "<summary>How this was computed</summary>",
        markdown_table.paragraph(words.claims(found), _WIDTH),
        markdown_table.code(str(found.provenance.get("command") or "")),
        "</details>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def standings_latex(found: CollectionsRanking, *, digits: int | None = None) -> str:
    r"""Return the means by collection for LaTeX, with the mean over them and both rank intervals.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> made = standings_latex(rank_collections({"web": one, "news": one}))
    >>> print(made.splitlines()[14].strip())
    System & web & news & Mean & Rank & Rank, like these \\
    """
    digits = found.decimals if digits is None else digits
    primary = found.primary
    table = tables.by_collection(found, primary.measure, digits=digits)
    heads = [column.title for column in table.columns]
    body = []
    for row, cells in list(zip(primary.rows, table.rows, strict=True))[:MOST]:
        own = [(number(cell.text), cell.strong) for cell in cells[1:]]
        body.append(
            [
                escape(row.system, width=LONGEST_NAME),
                *(rf"$\mathbf{{{text[1:-1]}}}$" if bold else text for text, bold in own),
                number(f.score(row.mean, digits=digits)),
                words.ranks(row.these).replace(" to ", "--"),
                words.ranks(row.like).replace(" to ", "--"),
            ]
        )
    measure = one_line(primary.measure, width=LONGEST_NAME)
    left = len(primary.rows) - MOST
    more = f" {f.plural(left, 'more system')} not shown." if left > 0 else ""
    return tex_table(
        comment=f"{measure}, {', '.join(words.context(found)[:3])}",
        caption=f"{measure} by collection and in the mean over them; bold: the first, and what is"
        " not told apart from it there. Rank intervals hold for all systems together, at α ="
        f" {f.number(found.alpha)}: on these collections ({primary.these.title}), and others like"
        f" them ({primary.like.title}).{more}",
        named=f"collections {primary.measure}",
        align="l" + "r" * (len(heads) + 2),
        head=[
            *(escape(each, width=LONGEST_NAME) for each in heads),
            *("Mean", "Rank", "Rank, like these"),
        ],
        body=body,
    )
