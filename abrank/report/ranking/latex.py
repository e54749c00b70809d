"""A ranking as LaTeX: one booktabs table to put into a paper; it needs no other package."""

from __future__ import annotations

import math
from string import ascii_lowercase
from typing import TypeAlias, get_args

from abrank._support import checks
from abrank._support import display as f
from abrank.ranking import Ranking, SystemRow
from abrank.report.cells import one_line
from abrank.report.formats.latex import Style
from abrank.report.formats.tex import escape, number
from abrank.report.formats.tex_table import LONGEST_NAME, MOST, tex_table

_Parts: TypeAlias = tuple[list[str], str, list[list[str]], str]


def ranking_latex(ranking: Ranking, *, digits: int = f.DIGITS, style: Style = "interval") -> str:
    r"""Return the leaderboard for LaTeX, best mean first.

    Parameters
    ----------
    ranking : Ranking
    digits : int
        Decimals of means and differences.
    style : {"interval", "superscript"}
        Means with intervals and groups, or what each system is against the baseline; or the means
        alone, each with the letters of the systems that it is shown to be better than.

    Returns
    -------
    str
        ASCII. The caption states measure, number of queries, test and level; what the preamble
        needs stands in a comment.

    Raises
    ------
    UnknownNameError
        If there is no such style.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]])[:, :, None]
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A_1", "B"), ("nDCG",), values)
    >>> found = ranking_latex(rank_scores(scores), style="superscript")
    >>> print("\n".join(found.splitlines()[-7:-3]))
        & System & nDCG \\
        \midrule
        $a$ & B & $0.825^{b}$ \\
        $b$ & A\_1 & $0.400$ \\
    """
    checks.one_of("style", style, get_args(Style))
    if style == "superscript":
        head, align, body, told = _superscripts(ranking, digits)
    elif ranking.baseline is None:
        head, align, body, told = _groups(ranking, digits)
    else:
        head, align, body, told = _against(ranking, digits)
    left = len(ranking.rows) - MOST
    more = f" {f.plural(left, 'more system')} not shown." if left > 0 else ""
    measure = one_line(ranking.measure, width=LONGEST_NAME)
    queries = f.plural(ranking.n_queries, "query", "queries")
    return tex_table(
        comment=f"{measure}, {queries}, {f.plural(len(ranking.systems), 'system')}",
        caption=f"{measure}, means over {queries}, the best first; {told}.{more}",
        named=f"leaderboard {ranking.measure}",
        align=align,
        head=head,
        body=body[:MOST],
    )


def _groups(ranking: Ranking, digits: int) -> _Parts:
    """Return head, alignment, body and what the caption says of means with their groups."""
    level = f"{f.level(1.0 - ranking.alpha)} interval"
    body = [[*_mean(row, digits), _limits(row, digits), row.group] for row in ranking.rows]
    told = (
        f"{level}s without what a query adds to all systems; systems that share a letter are not"
        f" told apart by {_test(ranking)}"
    )
    head = ["System", "Mean", escape(level, width=40), "Group"]
    return head, "lrcl", body, told


def _against(ranking: Ranking, digits: int) -> _Parts:
    """Return head, alignment, body and what the caption says of differences from the baseline."""
    pairs = {row.b: row for row in ranking.pair_rows}
    body = []
    for row in ranking.rows:
        cells = _mean(row, digits)
        if row.system == ranking.baseline:
            cells += ["baseline", "", ""]
        else:
            pair = pairs[row.system]
            limits = f.UNDEFINED
            if not math.isnan(pair.ci_low):  # a test may have none
                ends = (f.score(each, digits=digits) for each in (pair.ci_low, pair.ci_high))
                limits = f"[{', '.join(ends)}]"
            p = f.pvalue(pair.pvalue_adj, alpha=ranking.alpha)
            cells += [number(f.signed(pair.diff, digits=digits)), number(limits), number(p)]
        body.append(cells)
    base = one_line(str(ranking.baseline), width=LONGEST_NAME)
    told = f"Δ is the difference from {base}, with simultaneous interval and p by {_test(ranking)}"
    return ["System", "Mean", r"$\Delta$", "Interval", "adj.~$p$"], "lrrcr", body, told


def _superscripts(ranking: Ranking, digits: int) -> _Parts:
    """Return head, alignment, body and what the caption says of means with letters."""
    letters = {system: letter(i) for i, system in enumerate(ranking.systems)}
    beaten: dict[str, list[str]] = {system: [] for system in ranking.systems}
    for pair in ranking.pair_rows:
        if pair.reading == "better":
            beaten[pair.b].append(letters[pair.a])
        elif pair.reading == "worse":
            beaten[pair.a].append(letters[pair.b])
    between = "" if len(ranking.systems) <= len(ascii_lowercase) else ","
    body = []
    for row in ranking.rows:
        name, mean = _mean(row, digits)
        over = between.join(sorted(beaten[row.system], key=lambda each: (len(each), each)))
        shown = f"{mean[:-1]}^{{{over}}}$" if over and mean.endswith("$") else mean
        body.append([f"${letters[row.system]}$", name, shown])
    told = f"a superscript names the systems shown to be worse by {_test(ranking)}"
    return ["", "System", escape(ranking.measure, width=LONGEST_NAME)], "lll", body, told


def letter(place: int) -> str:
    """Return the letter of a system: a to z, then aa, ab and so on.

    Examples
    --------
    >>> [letter(place) for place in (0, 25, 26, 27, 701, 702)]
    ['a', 'z', 'aa', 'ab', 'zz', 'aaa']
    """
    before, last = divmod(place, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]


def _mean(row: SystemRow, digits: int) -> list[str]:
    return [escape(row.system, width=LONGEST_NAME), number(f.score(row.mean, digits=digits))]


def _limits(row: SystemRow, digits: int) -> str:
    limits = [f.score(each, digits=digits) for each in (row.ci_low, row.ci_high)]
    return number(limits[0] if f.UNDEFINED in limits else f"[{', '.join(limits)}]")


def _test(ranking: Ranking) -> str:
    return f"{ranking.title} at α = {f.number(ranking.alpha)}"
