"""A ranking as Markdown: the leaderboard, what it says, all pairs folded."""

from __future__ import annotations

from collections.abc import Iterator

from abrank._support import display as f
from abrank.ranking import Ranking
from abrank.report.formats import markdown_table
from abrank.report.formats.markdown import LARGEST
from abrank.report.model import Table
from abrank.report.ranking import extras, tables
from abrank.report.ranking.cautions import cautions
from abrank.report.ranking.columns import Interval
from abrank.report.ranking.text import ranking_sentences

# Most rows a table, tried one after the other until all fits into a comment.
_ROOM = (200, 40, 10)
_WIDTH = 2_000


def ranking_markdown(
    ranking: Ranking, *, digits: int | None = None, interval: Interval = "difference"
) -> str:
    r"""Return a ranking as GitHub-flavoured Markdown of at most 60 kB.

    Parameters
    ----------
    interval : {"difference", "own", "within"}
        As for :func:`abrank.report.ranking.text.ranking_text`.

    Returns
    -------
    str
        What it comes to, the leaderboard, the means of all measures where there are several, its
        sentences; all pairs and the command are folded. Names cannot break a table nor bring in
        HTML, links or mentions.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]] * 2)[:, :, None]
    >>> scores = Scores(tuple("abcdefgh"), ("A", "B"), ("nDCG",), values)
    >>> print(ranking_markdown(rank_scores(scores)).partition("\n\n1 pair")[0])
    ### B is better than all others
    <BLANKLINE>
    nDCG, 8 queries, 2 systems.
    <BLANKLINE>
    |  | System | Mean | Δ from the first | Simultaneous interval | Group |
    | ---: | :--- | ---: | ---: | ---: | :--- |
    | 1 | **B** | **0.825** |  |  | a |
    | 2 | A | 0.400 | −0.425 | −0.505 to −0.345 | b |
    """
    digits = ranking.decimals if digits is None else digits
    for most in _ROOM:
        found = _document(ranking, digits, most, interval)
        if len(found.encode("utf-8", "replace")) <= LARGEST:
            break
    return found


def _document(ranking: Ranking, digits: int, most: int, interval: Interval) -> str:
    systems = f.plural(len(ranking.systems), "system")
    title = f"{ranking.measure}, {f.plural(ranking.n_queries, 'query', 'queries')}, {systems}"
    pairs = tables.pairs(ranking, digits=digits)
    # Against a baseline the leaderboard holds them.
    folded = ranking.baseline is None and bool(pairs.rows)
    command = markdown_table.code(str(ranking.provenance.get("command") or ""))
    said = ranking_sentences(ranking, interval=interval)
    # What it comes to stands first: who leads, or how many differ from the baseline.
    lead = said.pop(1 if ranking.baseline is None and ranking.n_queries else 0)
    told = cautions(ranking, digits=digits)
    parts = [
        *markdown_table.first(told, _WIDTH),
        f"### {markdown_table.plain(lead.removesuffix('.'), _WIDTH)}",
        markdown_table.paragraph(f"{title}.", _WIDTH),
        markdown_table.cut(
            tables.leaderboard(ranking, digits=digits, interval=interval), most, "more system"
        ),
        markdown_table.cut(tables.by_measure(ranking, digits=digits), most, "more system")
        if ranking.secondary
        else "",
        *(markdown_table.paragraph(each, _WIDTH) for each in said),
        *_extras(ranking, digits, most),
        *markdown_table.notes(told, _WIDTH),
        "<details>" if folded or command else "",
        f"<summary>{'All pairs' if folded else 'Command'}</summary>" if folded or command else "",
        markdown_table.cut(pairs, most, "more pair") if folded else "",
        command,
        "</details>" if folded or command else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _extras(ranking: Ranking, digits: int, most: int) -> Iterator[str]:
    """Yield what was asked for beside the leaderboard."""
    for section in extras.sections(ranking, digits=digits):
        yield f"**{section.title}.** {markdown_table.plain(section.finding, _WIDTH)}"
        for block in section.blocks:
            if isinstance(block, Table):
                yield markdown_table.cut(block, most, "more row")
