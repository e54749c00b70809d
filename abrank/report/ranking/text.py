"""A ranking as text for the terminal: the leaderboard, the means by measure, and what they say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import get_args

from abrank._support import checks
from abrank._support import display as f
from abrank.ranking import PairRow, Ranking
from abrank.report import cells
from abrank.report.formats.terminal.note_lines import first_lines, note_lines
from abrank.report.formats.terminal.plain_text import NARROWEST, WIDTH
from abrank.report.ranking import columns, extras
from abrank.report.ranking.cautions import cautions
from abrank.report.ranking.columns import Interval

_LEAST_NAME = 6
# Tests of one error for all pairs, and the largest variance of a pair over the pooled one from
# which they find far too much.
ONE_ERROR, MOST_UNEQUAL = ("tukey", "randomised-tukey", "dunnett"), 2.0

# What the calibration found a test to be wrong about on real systems of one mean.
_ORDERS = "The test asks whether all orders of the systems are equally likely: not about means."
_ASKED = dict.fromkeys(("nemenyi", "conover", "bonferroni-dunn"), _ORDERS)


def ranking_text(
    ranking: Ranking,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int | None = None,
    pairs: bool = False,
    interval: Interval = "difference",
) -> str:
    """Return the leaderboard as plain text.

    Parameters
    ----------
    pairs : bool
        All pairs too, a line each.
    interval : {"difference", "own", "within"}
        The intervals shown: of the difference from the first, which agree with the letters; of each
        mean by itself; or of the means with what a query adds to all systems taken out. Against a
        baseline the difference from it always stands there.

    Raises
    ------
    ArgumentError
        If the width is below 40, or there is no such kind of interval.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6], [0.7, 0.7, 1.0]] * 2)
    >>> scores = Scores(tuple("abcdefgh"), ("A", "B", "C"), ("nDCG",), values[:, :, None])
    >>> print(ranking_text(rank_scores(scores)))
    nDCG, 8 queries, 3 systems
    <BLANKLINE>
       system   mean  from the first
    1  C       0.825                              a
    2  B       0.500  −0.325  (−0.376 to −0.274)  b
    3  A       0.400  −0.425  (−0.523 to −0.327)  c
    <BLANKLINE>
    3 pairs, 3 significant (Max-T sign flips, alpha 0.05)
    C is better than all others.
    The mean of C is the highest of 3 on these queries: on others it is likely to be
    less good, and its lead smaller.
    Systems that share a letter are not told apart. The intervals are of the
    difference from the first, for all pairs together.
    """
    digits = ranking.decimals if digits is None else digits
    checks.count("width", width, at_least=NARROWEST)
    checks.one_of("interval", interval, get_args(Interval))
    measure = cells.one_line(ranking.measure, width=200)
    queries = f.plural(ranking.n_queries, "query", "queries")
    told = cautions(ranking, digits=digits)
    blocks = [
        first_lines(told, width=width),
        cells.wrap(f"{measure}, {queries}, {f.plural(len(ranking.systems), 'system')}", width),
        _leaderboard(ranking, width, digits, interval),
        *_means(ranking, width, digits),
    ]
    if pairs:
        blocks.append(columns_of_text(_pair_cells(ranking, digits), width, "NNrrrl"))
    blocks.append(cells.wrap_all(ranking_sentences(ranking, interval=interval), width))
    for rows, align, said in extras.text_tables(ranking, digits=digits):
        blocks += [columns_of_text(rows, width, align), cells.wrap(said, width)]
    blocks.append(note_lines(told, width=width))
    return cells.blocks_of_text(blocks, ascii=ascii)


def ranking_sentences(ranking: Ranking, *, interval: Interval = "difference") -> list[str]:
    r"""Return what the ranking says, and what a reader must know about it, a sentence each.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.9, 0.1], [0.2, 0.3], [0.2, 0.3], [0.2, 0.3]])
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("RR",), values[:, :, None])
    >>> print("\n".join(ranking_sentences(rank_scores(scores))[:3]))
    1 pair, none significant (Max-T sign flips, alpha 0.05)
    No system is shown to be better than all others: A leads, and B is not told apart from it.
    By mean rank the order is another: B (1.25), A (1.75).
    """
    found = [_count(ranking)]
    if ranking.baseline is None and ranking.n_queries:
        found.append(_leaders(ranking))
    found.append(columns.highest_of_many(ranking))
    if ranking.n_queries and ranking.by_mean_rank != ranking.systems:
        found.append(f"By mean rank the order is another: {_by_rank(ranking)}.")
    explained = columns.explained(ranking, interval)
    if ranking.baseline is None and ranking.has_all_pairs:
        explained = f"Systems that share a letter are not told apart. {explained}".strip()
    found += [explained, _families(ranking), _ASKED.get(ranking.test, ""), *_cautions(ranking)]
    return [each for each in found if each]


def _cautions(ranking: Ranking) -> Iterator[str]:
    """Say where the test finds too much here, or can find nothing."""
    spread = ranking.spread
    if ranking.test in ONE_ERROR and spread is not None:
        yield "The test takes the differences of all pairs to vary alike." + (
            f" Here the largest variance of a pair is {f.score(spread.unequal, digits=1)} times the"
            " pooled one: it finds differences that are none. Max-T sign flips (without --test)"
            " give each pair its own error."
            if spread.unequal > MOST_UNEQUAL
            else ""
        )
    least = 2.0 ** (1 - ranking.n_queries)
    if ranking.test in ("max-t", "permutation") and ranking.n_queries and least >= ranking.level:
        yield (
            f"With {f.plural(ranking.n_queries, 'query', 'queries')} no flip of signs gives a p"
            f" below {f.number(least)}: nothing can be told apart."
        )


def _count(ranking: Ranking) -> str:
    n, against = len(ranking.pair_rows), ""
    noun = f.plural(n, "pair")
    if ranking.baseline is not None:
        noun, against = f.plural(n, "comparison"), f" with {_bases(ranking)}"
    elif not ranking.has_all_pairs:
        against = " with the first"
    significant = f.count(ranking.n_significant) if ranking.n_significant else "none"
    how = f"{ranking.title}, alpha {f.number(ranking.alpha)}"
    of = f"{_name(ranking.measure)}: " if ranking.secondary else ""
    return f"{of}{noun}{against}, {significant} significant ({how})"


def _bases(ranking: Ranking) -> str:
    """Return the baselines, numbered where there are several."""
    names = list(map(_name, ranking.baselines))
    if len(names) == 1:
        return names[0]
    return " and ".join(f"[{number}] {each}" for number, each in enumerate(names, start=1))


def _families(ranking: Ranking) -> str:
    """Say that the level holds for each measure, where there are several."""
    if not ranking.secondary:
        return ""
    count = f.word(len(ranking.measures))
    legend = ""
    if ranking.baseline is not None:
        legend = f"▲ better, ▼ worse than {_bases(ranking)}, ? not told apart. "
    order = f"{legend}{cells.one_line(ranking.measure, width=40)} orders the systems."
    if ranking.n_families > 1:
        return f"{order} Alpha holds for the {count} measures together (Bonferroni)."
    return (
        f"{order} Each of the {count} measures is a family of its own: alpha holds for each, not"
        " for all together."
    )


def _leaders(ranking: Ranking) -> str:
    first, *others = map(_name, ranking.leaders)
    on = f" on {_name(ranking.measure)}" if ranking.secondary else ""
    if not ranking.direction_declared:
        return f"{first} has the {ranking.best} mean{on}; whether that is the best was not said."
    if ranking.systems[0] in ranking.unsound:
        return columns.no_leader(ranking, on)
    ahead = [_name(each) for each in columns.ahead(ranking)]
    if ahead:
        said = f"{f.first_of(ahead, 3)} {'is' if len(ahead) == 1 else 'are'} shown to be better"
        return f"{first} has the {ranking.best} mean{on}, but {said}."
    if not others:
        return f"{first} is better than all others{on}."
    shown = f.first_of(others, 3)
    verb = "is" if len(others) == 1 else "are"
    return (
        f"No system is shown to be better than all others{on}: {first} leads, and {shown} {verb}"
        " not told apart from it."
    )


def _by_rank(ranking: Ranking) -> str:
    """Return the first systems by mean rank, with the rank."""
    shown = [
        f"{_name(system)} ({f.score(ranking[system].mean_rank, digits=2)})"
        for system in ranking.by_mean_rank[:3]
    ]
    return ", ".join(shown) + (", …" if len(ranking.systems) > 3 else "")


def _name(system: str) -> str:
    return cells.one_line(system, width=40)


def _leaderboard(ranking: Ranking, width: int, digits: int, interval: Interval) -> list[str]:
    """Return a line a system under a heading; the last column has no width of its own."""
    if len(ranking.baselines) > 1:
        return _against_several(ranking, width, digits)
    against = ranking.baseline is not None
    last = columns.marks(ranking) if not against else _readings(ranking)
    head, align = ["", "system", "mean"], "rNr"
    if columns.shows_ranks(ranking):
        head, align = [*head, "mean rank"], f"{align}r"
    if interval != "difference":
        head, align = [*head, columns.title(ranking, interval)], f"{align}l"
    if against or interval == "difference":
        head, align = [*head, f"from {columns.reference(ranking)}"], f"{align}l"
    apart = columns.distances(ranking)
    rows = [[*head, ""]]
    for row in ranking.rows:
        shown = [str(row.position), row.system, f.score(row.mean, digits=digits)]
        if columns.shows_ranks(ranking):
            shown.append(f.score(row.mean_rank, digits=2))
        if interval != "difference":
            ends = (f.score(each, digits=digits) for each in columns.limits(row, interval))
            shown.append(f"[{', '.join(ends)}]")
        if against or interval == "difference":
            shown.append(_distance(apart.get(row.system), digits))
        rows.append([*shown, last[row.system]])
    return columns_of_text(rows, width, f"{align}l")


def _against_several(ranking: Ranking, width: int, digits: int) -> list[str]:
    """Return a line a system, with its difference from each baseline."""
    found = [columns.against(ranking, base) for base in ranking.baselines]
    numbers = range(1, len(found) + 1)
    rows = [["", "system", "mean", *(f"from [{number}]" for number in numbers)]]
    for row in ranking.rows:
        shown = [str(row.position), row.system, f.score(row.mean, digits=digits)]
        for base, pairs in zip(ranking.baselines, found, strict=True):
            pair = pairs.get(row.system)
            said = "baseline" if row.system == base else ""
            if pair is not None:
                said = f"{f.signed(pair.diff, digits=digits)} {columns.reading(pair)}"
            shown.append(said)
        rows.append(shown)
    return columns_of_text(rows, width, "rNr" + "l" * len(found))


def _readings(ranking: Ranking) -> dict[str, str]:
    """Return what each system is to the baseline."""
    found = {row.b: columns.reading(row) for row in ranking.pair_rows}
    return found | {str(ranking.baseline): "baseline"}


def _distance(distance: columns.Distance | None, digits: int) -> str:
    """Return a difference with its interval; nothing for the system that it is from."""
    if distance is None:
        return ""
    shown = f.signed(distance.diff, digits=digits)
    if math.isnan(distance.low):
        return shown
    return f"{shown}  ({f.interval(distance.low, distance.high, digits=digits)})"


def _means(ranking: Ranking, width: int, digits: int) -> list[list[str]]:
    """Return the means by measure in tables that fit; none where there is one measure only."""
    if not ranking.secondary:
        return []
    marks = {each.measure: columns.marks(each) for each in ranking.by_measure}
    blocks: list[list[Ranking]] = [[]]
    for each in ranking.by_measure:
        if blocks[-1] and _needs([*blocks[-1], each], marks, digits) > width:
            blocks.append([])
        blocks[-1].append(each)
    return [
        columns_of_text(_mean_cells(ranking, block, marks, digits), width, "N" + "l" * len(block))
        for block in blocks
    ]


def _needs(block: list[Ranking], marks: dict[str, dict[str, str]], digits: int) -> int:
    """Return the columns that a table of these measures takes beside a name of 16 columns."""
    table = _mean_cells(block[0], block, marks, digits)
    wide = [max(cells.columns(cell) for cell in column) for column in zip(*table, strict=True)]
    return 16 + sum(each + 2 for each in wide[1:])


def _mean_cells(
    ranking: Ranking, block: list[Ranking], marks: dict[str, dict[str, str]], digits: int
) -> list[list[str]]:
    """Return a row a system in the order of the ranking, and a mean with its mark a measure."""
    head = ["system", *(cells.one_line(each.measure, width=24) for each in block)]
    return [head] + [
        [
            system,
            *(
                f"{f.score(each[system].mean, digits=digits)} {marks[each.measure][system]}"
                for each in block
            ),
        ]
        for system in ranking.systems
    ]


def _interval(row: PairRow, digits: int) -> str:
    """Return the simultaneous interval; nothing for a test that has none."""
    return "" if math.isnan(row.ci_low) else f.interval(row.ci_low, row.ci_high, digits=digits)


def _pair_cells(ranking: Ranking, digits: int) -> list[list[str]]:
    """Return the pairs, a heading first."""
    head = ["A", "B", "B − A", "simultaneous", "adj p", "reading of B"]
    return [head] + [
        [
            row.a,
            row.b,
            f.signed(row.diff, digits=digits),
            _interval(row, digits),
            f.pvalue(row.pvalue_adj, alpha=ranking.alpha).replace("< ", "<"),
            columns.reading(row),
        ]
        for row in ranking.pair_rows
    ]


def columns_of_text(rows: list[list[str]], width: int, align: str) -> list[str]:
    """Return rows in columns: right, left, or a Name, which gives way where all is too wide.

    Examples
    --------
    >>> columns_of_text([["system", "mean"], ["bm25", "0.312"]], 40, "Nr")
    ['system   mean', 'bm25    0.312']
    """
    kinds = list(enumerate(align))
    rows = [
        [cells.one_line(row[i], width=200) if kind == "N" else row[i] for i, kind in kinds]
        for row in rows
    ]
    wide = [max(cells.columns(cell) for cell in column) for column in zip(*rows, strict=True)]
    room = width - sum(wide[i] + 2 for i, kind in kinds if kind != "N")
    for i, kind in kinds:
        if kind == "N":
            wide[i] = max(_LEAST_NAME, min(wide[i], room // align.count("N") - 2))
    lines = []
    for row in rows:
        put = [
            cells.right(row[i], wide[i])
            if kind == "r"
            else cells.left(cells.fit(row[i], wide[i]), wide[i])
            for i, kind in kinds
        ]
        lines.append("  ".join(put).rstrip())
    return lines
