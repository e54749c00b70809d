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
from abrank.report.ranking import columns
from abrank.report.ranking.columns import Interval

_Parts: TypeAlias = tuple[list[str], str, list[list[str]], str]


def ranking_latex(
    ranking: Ranking,
    *,
    digits: int | None = None,
    style: Style = "interval",
    interval: Interval = "difference",
) -> str:
    r"""Return the leaderboard for LaTeX, best mean first.

    Parameters
    ----------
    style : {"interval", "superscript"}
        Means with intervals and groups, or what each system is against the baseline; or the means
        alone, each with the letters of the systems that it is shown to be better than. With several
        measures there are means alone, a column a measure: with their groups (an arrow against a
        baseline), or with those letters.
    interval : {"difference", "own", "within"}
        As for :func:`abrank.report.ranking.text.ranking_text`.

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
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]] * 2)[:, :, None]
    >>> scores = Scores(tuple("abcdefgh"), ("A_1", "B"), ("nDCG",), values)
    >>> found = ranking_latex(rank_scores(scores), style="superscript")
    >>> print("\n".join(found.splitlines()[-7:-3]))
        & System & nDCG \\
        \midrule
        $a$ & B & $0.825^{b}$ \\
        $b$ & A\_1 & $0.400$ \\
    """
    digits = ranking.decimals if digits is None else digits
    checks.one_of("style", style, get_args(Style))
    checks.one_of("interval", interval, get_args(Interval))
    if style == "superscript" or len(ranking.baselines) > 1:
        head, align, body, told = _superscripts(ranking, digits)
    elif ranking.secondary:
        head, align, body, told = _by_measure(ranking, digits)
    elif ranking.baseline is None:
        head, align, body, told = _groups(ranking, digits, interval)
    else:
        head, align, body, told = _against(ranking, digits)
    left = len(ranking.rows) - MOST
    more = f" {f.plural(left, 'more system')} not shown." if left > 0 else ""
    measure = ", ".join(one_line(each, width=LONGEST_NAME) for each in ranking.measures)
    queries = f.plural(ranking.n_queries, "query", "queries")
    return tex_table(
        comment=f"{measure}, {queries}, {f.plural(len(ranking.systems), 'system')}",
        caption=f"{measure}, means over {queries}, {_order(ranking)}; {told}.{more}",
        named=f"leaderboard {ranking.measure}",
        align=align,
        head=head,
        body=body[:MOST],
    )


def _order(ranking: Ranking) -> str:
    """Say in which order the systems stand."""
    if not ranking.secondary:
        return "the best first" if ranking.direction_declared else "the highest first"
    return f"ordered by {one_line(ranking.measure, width=LONGEST_NAME)}"


def _groups(ranking: Ranking, digits: int, interval: Interval) -> _Parts:
    """Return head, alignment, body and what the caption says of means with their groups."""
    shared = f"systems that share a letter are not told apart by {_test(ranking)}"
    if interval != "difference":
        title = columns.title(ranking, interval)
        body = [
            [*_mean(row, digits), _limits(*columns.limits(row, interval), digits), row.group]
            for row in ranking.rows
        ]
        told = f"{columns.explained(ranking, interval)[:-1]}; {shared}"
        return ["System", "Mean", escape(title, width=60), "Group"], "lrcl", body, told
    apart = columns.distances(ranking)
    ranged = columns.has_intervals(ranking)
    body = []
    for row in ranking.rows:
        cells = _mean(row, digits)
        distance = apart.get(row.system)
        if distance is None:
            cells += [""] * (1 + ranged)
        else:
            cells.append(number(f.signed(distance.diff, digits=digits)))
            cells += [_limits(distance.low, distance.high, digits)] * ranged
        body.append([*cells, row.group])
    told = "Δ is the difference from the first"
    told += ", with simultaneous interval" * ranged
    head = ["System", "Mean", r"$\Delta$", *(["Interval"] * ranged), "Group"]
    return head, "lrr" + "c" * ranged + "l", body, f"{told}; {shared}"


def _by_measure(ranking: Ranking, digits: int) -> _Parts:
    """Return head, alignment, body and what the caption says of the means of several measures."""
    marks = [(each, _marks(each)) for each in ranking.by_measure]
    body = [
        [
            escape(system, width=LONGEST_NAME),
            *(
                f"{number(f.score(each[system].mean, digits=digits))}{mark[system]}"
                for each, mark in marks
            ),
        ]
        for system in ranking.systems
    ]
    told = f"systems that share a letter in a column are not told apart by {_test(ranking)}"
    if ranking.baseline is not None:
        base = one_line(ranking.baseline, width=LONGEST_NAME)
        told = f"an arrow up is better, one down worse than {base} by {_test(ranking)}"
    head = ["System", *(escape(each, width=LONGEST_NAME) for each in ranking.measures)]
    return head, "l" * len(head), body, f"{told}{_each(ranking)}"


def _each(ranking: Ranking) -> str:
    """Say what alpha holds for, where there are several measures."""
    if not ranking.secondary:
        return ""
    return ", each measure by itself" if ranking.n_families == 1 else ", over all measures"


def _marks(ranking: Ranking) -> dict[str, str]:
    """Return what stands after each mean: its letters, or an arrow against the baseline."""
    if ranking.baseline is None:
        return {row.system: f"~{row.group}" for row in ranking.rows}
    arrows = {"better": r"$\uparrow$", "worse": r"$\downarrow$"}
    found = {row.b: f"~{arrows[row.reading]}" for row in ranking.pair_rows if row.reading in arrows}
    return {system: found.get(system, "") for system in ranking.systems}


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
    named = ranking.baselines or ranking.systems
    letters = {system: letter(i) for i, system in enumerate(named)}
    beaten = [(each, _beaten(each, letters)) for each in ranking.by_measure]
    body = []
    for system in ranking.systems:
        own = f"${letters[system]}$" if system in letters else ""
        cells = [own, escape(system, width=LONGEST_NAME)]
        for each, over in beaten:
            mean = number(f.score(each[system].mean, digits=digits))
            raised = bool(over[system]) and mean.endswith("$")
            cells.append(f"{mean[:-1]}^{{{over[system]}}}$" if raised else mean)
        body.append(cells)
    what = "baselines" if ranking.baselines else "systems"
    told = f"a superscript names the {what} shown to be worse by {_test(ranking)}"
    told += _each(ranking)
    head = ["", "System", *(escape(each, width=LONGEST_NAME) for each in ranking.measures)]
    return head, "l" * len(head), body, told


def _beaten(ranking: Ranking, letters: dict[str, str]) -> dict[str, str]:
    """Return the letters of the systems that each is shown to be better than."""
    found: dict[str, list[str]] = {system: [] for system in ranking.systems}
    for pair in ranking.pair_rows:
        if pair.reading == "better":
            found[pair.b].append(letters[pair.a])
        elif pair.reading == "worse" and pair.b in letters:
            found[pair.a].append(letters[pair.b])
    between = "" if len(letters) <= len(ascii_lowercase) else ","
    return {
        system: between.join(sorted(over, key=lambda each: (len(each), each)))
        for system, over in found.items()
    }


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


def _limits(low: float, high: float, digits: int) -> str:
    limits = [f.score(each, digits=digits) for each in (low, high)]
    return number(limits[0] if f.UNDEFINED in limits else f"[{', '.join(limits)}]")


def _test(ranking: Ranking) -> str:
    return f"{ranking.title} at α = {f.number(ranking.alpha)}"
