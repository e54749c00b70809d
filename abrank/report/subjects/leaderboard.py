"""The leaderboard: one row per system, with its difference from the first or the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from string import ascii_lowercase
from typing import Literal, TypeAlias

from abrank._support import display as f
from abrank._support.display import one_line
from abrank.estimate import Estimate, Interval
from abrank.ranking import Ranking
from abrank.ranking.result import RANK_TESTS
from abrank.report.model import (
    DRAWN,
    Bar,
    Cell,
    Column,
    Paper,
    Role,
    Scale,
    Scorecard,
    Style,
    Table,
    Tone,
    Words,
)
from abrank.report.sections.words import READINGS, capital, in_sentence, name, queries

# Of the difference from the first or the baseline, of each mean, or without query effects.
IntervalKind: TypeAlias = Literal["difference", "own", "within"]
TONES: dict[str, Tone] = {"better": "b", "worse": "a"}
# Of more letters a cell says less.
_MOST_LETTERS = 6
_PAPER_NAME = 30
# A limit this close to 0 only shows the side of the difference.
_SMALLEST = 1e-300


def ahead(ranking: Ranking) -> list[str]:
    """Return the systems significantly better than the first, by tests not about the mean."""
    first = ranking.systems[0]
    return [row.a for row in ranking.pair_rows if row.b == first and row.reading == "worse"]


def has_intervals(ranking: Ranking) -> bool:
    """Whether the test gives intervals of differences."""
    return any(not math.isnan(row.ci_low) for row in ranking.pair_rows)


def leaderboard(w: Words[Ranking], interval: IntervalKind = "difference") -> Scorecard:
    """Return one row per system, best mean first."""
    ranking = w.result
    if len(ranking.baselines) > 1:
        return _against_several(w)
    apart = ranking.distances
    columns: list[tuple[Column, dict[str, Cell]]] = [*_named(w, interval)]
    against = ranking.baseline is not None
    if against or interval == "difference":
        columns += _apart(w, apart)
    columns += _against(w) if against else _standing(ranking)
    # As in comparisons: significantly better than the reference, worse, or neither.
    readings = ranking.readings
    bars: list[Bar | None] = []
    for system in ranking.systems:
        tone, estimate = TONES.get(readings.get(system, ""), "tie"), apart.get(system)
        reference = system == (ranking.baseline or ranking.systems[0])
        bar = Bar(0.0, math.nan, math.nan, tone="tie") if reference else None
        if estimate is not None:
            ends = ranking.within_reach(estimate.interval)
            ends = ends if math.isfinite(ends.low + ends.high) else Interval(math.nan, math.nan)
            bar = Bar(estimate.estimate, *ends, tone=tone)
        bars.append(bar)
    return _scorecard(w, columns, bars, (explained(ranking, interval),))


def _scorecard(
    w: Words[Ranking],
    columns: list[tuple[Column, dict[str, Cell]]],
    bars: list[Bar | None],
    legend: tuple[str, ...],
) -> Scorecard:
    ranking = w.result
    higher, declared = ranking.higher_is_better, ranking.direction_declared
    scale = Scale("worse", "better") if declared else Scale("lower", "higher", ("plain", "plain"))
    text = _shared(ranking) if ranking.baseline is None and ranking.has_all_pairs else ""
    by = f"{capital(queries(ranking.n_queries))}, {in_sentence(ranking.title)}"
    by += f", α = {f.number(ranking.alpha)}"
    if _end_at_0(distance.interval for distance in ranking.distances.values()):
        by += f". Where an interval ends at 0, {_LATER_STEP}"
    return Scorecard.of(
        "leaderboard",
        *(
            (column, [result.get(system, Cell("")) for system in ranking.systems])
            for column, result in columns
        ),
        noun="system",
        bars=tuple(bars),
        scale=replace(scale, of=f"Δ from {reference(ranking)}").facing(higher_is_better=higher),
        tall=frozenset(),
        narrow=frozenset({"p"}),
        legend=tuple(part for part in (" ".join([text, *legend]).strip(),) if part),
        short_legend=(*[text] * bool(text), by),
    )


def _shared(ranking: Ranking) -> str:
    """Say what tells which systems do not differ; empty where no column does."""
    if lettered(ranking):
        return "Systems that share a letter are not significantly different."
    return "Rank: all that are left open." if ranking.direction_declared else ""


def reference(ranking: Ranking) -> str:
    """Return the reference of the differences, as text."""
    return "the first" if ranking.baseline is None else "the baseline"


def _named(w: Words[Ranking], interval: IntervalKind) -> list[tuple[Column, dict[str, Cell]]]:
    """Return the columns for place, name, mean, and the interval of the mean."""
    ranking, rows = w.result, w.result.rows
    first = {row.system for row in rows if row.position == 1}
    result = [
        (Column("#", role="place"), {row.system: Cell.count(row.position) for row in rows}),
        (
            Column.name("system"),
            {s: Cell(one_line(s, width=200), s, strong=s in first) for s in ranking.systems},
        ),
        (
            Column("mean", role="mean"),
            {row.system: w.mean(row.mean, strong=row.system in first) for row in rows},
        ),
    ]
    if ranking.test in RANK_TESTS:
        ranks = {row.system: Cell(f.score(row.mean_rank, digits=2), row.mean_rank) for row in rows}
        result.append((Column("mean rank"), ranks))
    if interval != "difference":
        title = {"own": "interval of the mean", "within": "interval within queries"}[interval]
        own = interval == "own"
        ends = {x.system: x.interval if own else (x.within_low, x.within_high) for x in rows}
        cells = {system: Cell(w.range(*end), end[0]) for system, end in ends.items()}
        result.append((Column(f"{w.level} {title}"), cells))
    return result


def _apart(w: Words[Ranking], apart: dict[str, Estimate]) -> list[tuple[Column, dict[str, Cell]]]:
    """Return the columns for the difference from the first or the baseline, with interval."""
    if not apart:
        return []
    ranking = w.result
    tones = {row.b: TONES.get(row.reading, "plain") for row in ranking.pair_rows}
    tone = tones if ranking.baseline is not None else {}
    changes = {s: w.change(x.estimate, tone.get(s, "plain")) for s, x in apart.items()}
    result = [(Column("Δ", role="change"), changes)]
    if has_intervals(ranking):
        result.append((DRAWN, {}))
        limits = {s: w.limits(ranking.within_reach(x.interval)) for s, x in apart.items()}
        level = f.level(1.0 - ranking.level)
        result.append((Column(f"{level} CI of Δ", role="interval"), limits))
    return result


def _against(w: Words[Ranking]) -> list[tuple[Column, dict[str, Cell]]]:
    """Return the columns for the reading of each system relative to the baseline."""
    ranking = w.result
    pairs = {row.b: row for row in ranking.pair_rows}
    readings = {
        s: Cell(READINGS[row.reading], row.reading, TONES.get(row.reading, "plain"))
        for s, row in pairs.items()
    }
    readings[str(ranking.baseline)] = Cell("baseline")
    pvalues = {s: w.chance(row.pvalue_adj) for s, row in pairs.items()}
    return [(Column("adj p", role="p"), pvalues), (Column.words("reading", "reading"), readings)]


def _standing(ranking: Ranking) -> list[tuple[Column, dict[str, Cell]]]:
    """Return the columns for the possible ranks and the group letters."""
    result: list[tuple[Column, dict[str, Cell]]] = []
    if not ranking.has_all_pairs:
        return result
    if ranking.direction_declared and ranking.n_queries > 1:
        # The ranks of each system that the test of all pairs does not exclude.
        better, worse = Counter[str](), Counter[str]()
        for row in ranking.pair_rows:
            if row.reading in ("better", "worse"):
                ahead_, behind = (row.b, row.a) if row.reading == "better" else (row.a, row.b)
                better[behind] += 1
                worse[ahead_] += 1
        n, ranks = len(ranking.systems), {}
        for system in ranking.systems:
            first, last = 1 + better[system], n - worse[system]
            ranks[system] = Cell("–".join(map(f.count, sorted({first, last}))), first)
        result.append((Column("rank", role="" if lettered(ranking) else "reading"), ranks))
    if lettered(ranking):
        groups = {row.system: Cell(letters(row.group), row.group) for row in ranking.rows}
        result.append((Column.words("group", "reading"), groups))
    return result


def chance(share: float) -> str:
    """Format a share of resamples; only exact 0 and 1 are printed as such."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    if not 0.0005 <= share < 0.9995:
        return "< 0.1%" if share < 0.5 else "> 99.9%"
    return f.percent(share, sign=False)


def _against_several(w: Words[Ranking]) -> Scorecard:
    """Return one row per system, with a column for the difference from each baseline."""
    ranking = w.result
    columns = _named(w, "difference")
    pairs = {(row.a, row.b): row for row in ranking.pair_rows}
    for number, base in enumerate(ranking.baselines, start=1):
        cells = {base: Cell("baseline")}
        for system in ranking.systems:
            row = pairs.get((base, system))
            if row is not None:
                text = f"{w.signed(row.diff)} {READINGS[row.reading]}"
                cells[system] = Cell(text, row.diff, TONES.get(row.reading, "plain"))
        columns.append((Column.words(f"from [{number}]"), cells))
    which = ", ".join(
        f"[{i}] {name(baseline)}" for i, baseline in enumerate(ranking.baselines, start=1)
    )
    bars: list[Bar | None] = [None] * len(ranking.systems)
    return _scorecard(w, columns, bars, (f"Differences from the baselines {which}.",))


def explained(ranking: Ranking, interval: IntervalKind) -> str:
    """Say what the intervals are, and what they are not."""
    if interval == "own":
        return (
            "Each interval is of one mean by itself: two that overlap can still differ"
            " significantly, as all systems answer the same queries."
        )
    if interval == "within":
        return (
            "What a query adds to all systems is taken out of the intervals: they are for comparing"
            " systems, and no limits of a mean."
        )
    if not has_intervals(ranking) or len(ranking.baselines) > 1:
        return ""
    text = (
        f"The {f.level(1.0 - ranking.level)} intervals are of the difference from"
        f" {reference(ranking)}, for all"
        f" {'comparisons' if ranking.baseline is not None else 'pairs'} together."
    )
    if _end_at_0(row.interval for row in ranking.pair_rows):
        text += f" Where one ends at 0, {_LATER_STEP}."
    return text


_LATER_STEP = "a later step of the test shows the difference"


def _end_at_0(intervals: Iterable[Interval]) -> bool:
    return any(0.0 < abs(end) < _SMALLEST for interval in intervals for end in interval)


def lettered(ranking: Ranking) -> bool:
    """Whether groups are named by letters; with too many systems these are unreadable."""
    return len(ranking.systems) <= len(ascii_lowercase)


def letters(group: str) -> str:
    """Format the letters of a system; three or more in a row become a range."""
    if len(group) <= _MOST_LETTERS:
        return group
    parts: list[str] = []
    for _, run in groupby(enumerate(group), lambda item: ord(item[1]) - item[0]):
        part = [letter for _, letter in run]
        parts += [f"{part[0]}–{part[-1]}"] if len(part) > 2 else part
    return ", ".join(parts)


def marks(ranking: Ranking) -> dict[str, str]:
    """Return the letters of each system, or the glyphs of its readings by baseline."""
    if ranking.baseline is None:
        return {row.system: letters(row.group) * lettered(ranking) for row in ranking.rows}
    result: dict[str, list[str]] = {system: [] for system in ranking.systems}
    for number, base in enumerate(ranking.baselines, start=1):
        for row in ranking.pair_rows:
            if row.a == base:
                glyph = READINGS[row.reading][:1]
                result[row.b].append(glyph + str(number) * (len(ranking.baselines) > 1))
    return {system: " ".join(item) for system, item in result.items()}


def by_measure(w: Words[Ranking]) -> Table:
    """Return systems by measures, in the order of the first measure."""
    ranking, columns = w.result, []
    for item in ranking.by_measure:
        mark = marks(item)
        cells = [
            Cell(w.score(row.mean), row.mean, strong=row.position == 1, mark=mark[row.system])
            for row in (item[system] for system in ranking.systems)
        ]
        columns.append((Column.words(item.measure), cells))
    names = Column.name("System"), [Cell(system, system) for system in ranking.systems]
    return Table.of("means", names, *columns, noun="system")


def all_pairs(w: Words[Ranking]) -> Table:
    """Return one row per pair, with b above a."""
    ranking = w.result
    limits = (
        Column(capital(ranking.interval_name), role="interval"),
        lambda x: w.limits(ranking.within_reach(x.interval)),
    )
    return Table.by_row(
        "pairs",
        ranking.pair_rows,
        (Column.name("A"), lambda x: Cell(x.a, x.a)),
        (Column.name("B"), lambda x: Cell(x.b, x.b)),
        (Column("Δ", role="change"), lambda x: w.change(x.diff, TONES.get(x.reading, "plain"))),
        *[limits] * has_intervals(ranking),
        (Column("Adjusted p", role="p"), lambda x: w.chance(x.pvalue_adj)),
        (Column.words("Reading of B", "reading"), lambda x: Cell(READINGS[x.reading], x.reading)),
        noun="pair",
    )


def paper(w: Words[Ranking], style: Style, interval: IntervalKind) -> Paper:
    """Return the leaderboard for a paper: intervals, means of several measures, or superscripts."""
    ranking = w.result
    by = f"{in_sentence(ranking.title)} at α = {f.number(ranking.alpha)}"
    if style == "superscript" or len(ranking.baselines) > 1:
        table, contents = _superscripts(w, by)
    elif ranking.secondary:
        # The means of several measures with groups, and arrows relative to a baseline.
        means = by_measure(w)
        columns = (
            Column.name("System"),
            *(Column.words(measure, "mean") for measure in ranking.measures),
        )
        text = f"systems that share a letter in a column are not significantly different by {by}"
        if not lettered(ranking):
            text = f"compared by {by}"
        rows = means.rows
        if ranking.baseline is not None:
            base = one_line(ranking.baseline, width=_PAPER_NAME)
            text = f"an arrow up is better, one down worse than {base} by {by}"
            rows = tuple(
                tuple(Cell(x.text, x.value, x.tone, x.strong, "", x.mark.strip("?=!")) for x in row)
                for row in rows
            )
        table, contents = Table("paper", columns, rows, noun="system"), f"{text}{_each(ranking)}"
    else:
        table, contents = _of_one(w, by, interval)
    measure = ", ".join(one_line(measure, width=_PAPER_NAME) for measure in ranking.measures)
    over = queries(ranking.n_queries)
    order = "the best first" if ranking.direction_declared else "the highest first"
    if ranking.secondary:
        order = f"ordered by {one_line(ranking.measure, width=_PAPER_NAME)}"
    return Paper(
        comment=f"{measure}, {over}, {f.plural(len(ranking.systems), 'system')}",
        caption=f"{measure}, means over {over}, {order}; {contents}.",
        label=f"leaderboard {ranking.measure}",
        table=table,
    )


def _of_one(w: Words[Ranking], by: str, interval: IntervalKind) -> tuple[Table, str]:
    """Return the leaderboard of one measure as on a page, and its part of the caption."""
    ranking = w.result
    card = leaderboard(w, interval)
    left_out: tuple[Role, ...] = ("place", "drawn")
    without = card.without(*left_out, *(("reading",) if ranking.baseline is not None else ()))
    places = [i for i, x in enumerate(without.columns) if x.title != "rank" or x.role]
    columns = []
    for column in (without.columns[i] for i in places):
        title = column.title if column.role == "p" else capital(column.title)
        role = "interval" if "interval" in column.title else column.role
        columns.append(Column("Δ" if role == "change" else title, column.numeric, role))
    rows = []
    for system, row in zip(ranking.systems, without.rows, strict=True):
        cells = [row[i] for i in places]
        if system == ranking.baseline:
            place = next((i for i, column in enumerate(columns) if column.title == "Δ"), -1)
            cells[place] = Cell("baseline")
        rows.append(tuple(cells))
    text = _shared(ranking) or "Compared."
    shared = f"{text[:1].lower()}{text[1:-1]} by {by}"
    if ranking.baseline is not None:
        base = one_line(ranking.baseline, width=_PAPER_NAME)
        text = f"Δ is the difference from {base}, with {ranking.interval_name} and p by {by}"
    elif interval != "difference":
        text = f"{explained(ranking, interval)[:-1]}; {shared}"
    else:
        ranged = f", with {ranking.interval_name}" * has_intervals(ranking)
        text = f"Δ is the difference from the first{ranged}; {shared}"
    return Table("paper", tuple(columns), tuple(rows), noun="system"), text


def _each(ranking: Ranking) -> str:
    """Say what alpha applies to, if there are several measures."""
    if not ranking.secondary:
        return ""
    return ", each measure by itself" if ranking.n_families == 1 else ", over all measures"


def _superscripts(w: Words[Ranking], by: str) -> tuple[Table, str]:
    """Return means with the letters of the significantly worse systems."""
    ranking = w.result
    baselines = ranking.baselines or ranking.systems
    names = {system: letter(i) for i, system in enumerate(baselines)}
    means = []
    for item in ranking.by_measure:
        over = _beaten(item, names)
        cells = [Cell(w.score(item[x].mean), mark=over[x]) for x in ranking.systems]
        means.append((Column.words(item.measure, "mean"), cells))
    table = Table.of(
        "paper",
        (Column.words("", "place"), [Cell(names.get(system, "")) for system in ranking.systems]),
        (Column.name("System"), map(Cell, ranking.systems)),
        *means,
        noun="system",
    )
    text = "baselines" if ranking.baselines else "systems"
    return table, f"a superscript names the {text} significantly worse by {by}{_each(ranking)}"


def _beaten(ranking: Ranking, names: dict[str, str]) -> dict[str, str]:
    """Return for each system the letters of the significantly worse systems."""
    result: dict[str, list[str]] = {system: [] for system in ranking.systems}
    for pair in ranking.pair_rows:
        if pair.reading == "better":
            result[pair.b].append(names[pair.a])
        elif pair.reading == "worse" and pair.b in names:
            result[pair.a].append(names[pair.b])
    between = "" if len(names) <= len(ascii_lowercase) else ","
    return {
        system: between.join(sorted(over, key=lambda item: (len(item), item)))
        for system, over in result.items()
    }


def letter(place: int) -> str:
    """Return the letter of a place: a to z, then aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]
