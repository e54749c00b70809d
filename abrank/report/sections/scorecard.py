"""The tables of differences: by measure, query, segment and test, and how they are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from abrank._support import display as f
from abrank._support.display import one_line, shorten
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.groups import Segmentation
from abrank.comparison.rows import TestRow
from abrank.comparison.units import (
    deciding_interval,
    decision_intervals,
    difference_in_unit,
    is_relative,
    rows_in_unit,
    segments_in_unit,
    shares_scale,
    tests_in_unit,
)
from abrank.estimate import Interval
from abrank.report.model import (
    DRAWN,
    FOLDED,
    Bar,
    Block,
    Cell,
    Column,
    Figure,
    Group,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Tone,
    Words,
)
from abrank.report.sections import headline, planning, words
from abrank.rule import GuardResult

# Marks a measure whose direction is opposite to the primary one's.
_OTHER_WAY = {
    True: ("lower is better", "so left of 0 B is better"),
    False: ("higher is better", "so right of 0 B is better"),
}


def scorecard(comparison: Comparison) -> Scorecard:
    """Return one row per measure, primary first, with drawn interval, wins and reading."""
    w, rule, win = Words(comparison), comparison.rule, words.wins(comparison)
    first = primary_first(comparison, rows_in_unit(comparison))
    plain = {row.measure: row for row in comparison.rows}
    # The primary measure is only adjusted if the family includes all measures.
    adjusts = rule.adjust != "none" and len(comparison.rows) > 1 and rule.family == "all"
    # The heading has the level of the deciding interval, if it is the only one.
    by_margin = comparison.decision.by_equivalence
    alone = by_margin and len(first) == 1
    guards = {guard.measure: guard for guard in comparison.decision.guards}
    names, differences, limits, chances, counts, readings = [], [], [], [], [], []
    means: list[tuple[Cell, Cell]] = []
    bars: list[Bar | None] = []
    for row in first:
        w = _words(comparison, plain[row.measure])
        means.append((w.mean(row.mean_a), w.mean(row.mean_b)))
        lead, tone = row.measure == rule.primary, words.reading_tone(row.reading)
        star = " ★" if lead and len(comparison.rows) > 1 else ""
        names.append(Cell(f"{one_line(row.measure, width=120)}{star}", row.measure, strong=lead))
        change = row.estimate if comparison.with_machine else row.diff
        difference = difference_in_unit(comparison, change, digits=w.digits)
        ends = deciding(comparison, row)
        if no_share := is_relative(comparison) and math.isnan(change):  # the mean is 0
            change, ends = plain[row.measure].diff, plain[row.measure].adjusted
            difference = f.signed(change, digits=w.digits)
        differences.append(Cell(difference, change, tone, strong=lead))
        # Without a test there is no interval, p or bar.
        tested = math.isfinite(row.pvalue) and comparison.n_queries > 1
        tested &= not comparison.soundness.forbids(row.measure, is_primary=lead)
        chances.append(w.chance(row.pvalue_adj if tested else math.nan))
        cell = w.limits(ends if tested else (math.nan, math.nan))
        if cell.text != "–" and (lead or is_relative(comparison)) and not no_share:
            cell = replace(cell, text=planning.limits(comparison, *ends))
        if tested and lead and by_margin and not alone:
            cell = replace(cell, text=f"{cell.text} ({f.level(rule.confidence_equivalence)})")
        limits.append(cell)
        parts = (row.losses, row.ties, row.wins)
        counts.append(Cell(" · ".join(map(f.count, parts)), row.wins, parts=parts))
        guard = guards.get(row.measure)
        sign = "" if guard is None else " ✓ guard" if guard.passed else " ✗ guard"
        reading = f"{words.reading(comparison, row)}{sign}"
        readings.append(Cell(reading, row.reading, tone, strong=lead))
        bar = _bar(comparison, row)._replace(limit=_limit(comparison, guard))
        is_drawn = tested and not no_share and shares_scale(comparison, row.measure)
        bars.append(bar if is_drawn else None)
    axis = scale(comparison, margin=rule.margin, percent=is_relative(comparison))
    if any(
        bar is not None and row.higher_is_better != rule.higher_is_better
        for bar, row in zip(bars, first, strict=True)
    ):  # for some rows B is better right of 0, for others left
        axis = replace(axis, left="A higher", right="B higher", tones=("plain", "plain"))
    level = f.level(rule.confidence_equivalence) if alone else w.level
    return Scorecard.of(
        "measures",
        (Column.name("measure"), names),
        (Column("A", role="mean"), [cell for cell, _ in means]),
        (Column("B", role="mean"), [cell for _, cell in means]),
        (Column(words.delta_title(comparison), role="change"), differences),
        (DRAWN, [Cell("") for _ in first]),
        (Column(f"{level} interval{', adjusted' * adjusts}", role="interval"), limits),
        (Column("adj p" if adjusts else "p", role="p"), chances),
        *([] if rule.independent else [(Column(f"A {win} · ties · B {win}", role="wins"), counts)]),
        (Column.words("reading", "reading"), readings),
        noun="measure",
        bars=tuple(bars),
        scale=axis,
        narrow=frozenset({"interval"}),
        legend=tuple(_legend(comparison, draws=any(bar and any(bar.places) for bar in bars))),
    )


def _words(comparison: Comparison, row: MeasureResult) -> Words[Comparison]:
    """Return the functions that format a row, with decimals of its own where it needs others."""
    w, needed = Words(comparison), f.decimals([row.interval])
    lead = row.measure == comparison.rule.primary
    if comparison.digits is not None or lead or not 0.0 < row.interval.width < math.inf:
        return w
    # One decimal more or less is not worth an uneven column, except of a mean with few digits.
    is_rare = max(abs(row.mean_a), abs(row.mean_b)) < 10.0 ** (2 - w.digits)
    own = abs(needed - w.digits) > 1 or (is_rare and needed > w.digits)
    return Words(comparison, needed if own else w.digits)


SHOWN = 10


def measures(comparison: Comparison) -> Section:
    """Return the section of all measures: the scorecard, and what it has no column for."""
    blocks: list[Block] = [scorecard(comparison)]
    varies = comparison.n_queries > max(1, min(row.ties for row in comparison.rows))
    if varies and len(comparison.rows) > 1:
        blocks.append(measure_table(comparison))
    finding = measures_finding(comparison)
    return Section("measures", "All measures", finding, tuple(blocks), group="appendix")


def measures_finding(comparison: Comparison) -> str:
    """Count what the secondary measures say."""
    primary = comparison.rule.primary
    rows = [row for row in comparison.rows if row.measure != primary]
    if not rows:
        return f"One measure was compared, and it decides: {primary}."
    after = ", after adjustment" if comparison.rule.adjust != "none" and len(rows) > 1 else ""
    return f"Secondary measures{after}: {words.counted(row.reading for row in rows)}."


def measure_table(comparison: Comparison) -> Table:
    """Return what the scorecard has no column for: the change in its other unit, p by itself."""
    w, estimand = Words(comparison), words.estimand(comparison)
    change = (Column("Δ%"), lambda x: Cell(f.percent(x.rel_diff), x.rel_diff))
    if is_relative(comparison):
        change = (Column("Δ"), lambda x: _words(comparison, x).change(x.diff))
    title = "Δ, all queries" if comparison.with_machine else words.capital(estimand)
    estimate = (Column(title), lambda x: _words(comparison, x).change(x.estimate))
    adjusts = comparison.rule.adjust != "none"
    return Table.by_row(
        "measures",
        primary_first(comparison),
        (
            Column.words("Measure"),
            lambda x: Cell(x.measure, x.measure, strong=x.measure == comparison.rule.primary),
        ),
        change,
        *[estimate] * (estimand != words.MEAN),
        (Column("p, not adjusted" if adjusts else "p"), lambda x: w.chance(x.pvalue)),
    )


def queries(comparison: Comparison) -> Section | None:
    """Return the section of single queries; None where there is no query, or none is paired."""
    if comparison.n_queries == 0 or comparison.rule.independent:
        return None
    row = comparison.primary
    ahead = "higher" if row.higher_is_better else "lower, that is better,"
    finding = (
        f"On {row.measure}, {comparison.candidate} scores {ahead} on {words.queries(row.wins)},"
        f" {comparison.baseline} on {f.count(row.losses)}; ties: {f.count(row.ties)}."
    )
    above, below = (row.wins, row.losses)[:: 1 if row.higher_is_better else -1]
    deltas = Figure(
        "deltas",
        f"Difference B − A of every query, sorted: {f.count(above)} above 0,"
        f" {f.count(row.ties)} at 0, {f.count(below)} below.",
    )
    level = words.all_tied(comparison)
    blocks: list[Block] = [] if level else [deltas]
    blocks.append(query_table(comparison))
    if comparison.n_queries > 2 * SHOWN:
        n = f.count(comparison.n_queries)
        caption = f"The {SHOWN} queries with the lowest and the {SHOWN} with the highest Δ, of {n}."
        blocks.append(Text(caption, "caption"))
    group: Group = "appendix" if level else "open"
    return Section("queries", "Query by query", finding, tuple(blocks), FOLDED, group)


def query_table(comparison: Comparison) -> Table:
    """Return the queries with the lowest and highest differences, ascending."""
    w, win = Words(comparison), words.wins(comparison)
    column, outcomes = comparison.measures.index(comparison.rule.primary), comparison.outcomes()
    a, b, differences = comparison.a[:, column], comparison.b[:, column], comparison.differences()
    tones: tuple[Tone, ...] = ("tie", "b", "a")
    texts = ("tie", f"B {win}", f"A {win}")

    def outcome(i: int) -> Cell:
        return Cell(texts[outcomes[i]], texts[outcomes[i]], tones[outcomes[i]])

    order = np.argsort(differences, kind="stable").tolist()
    n_low, n_high = (min(SHOWN, n // 2) for n in (len(order) + 1, len(order)))
    return Table.by_row(
        "queries",
        [*order[:n_low], *order[len(order) - n_high :]],
        (Column.words("Query"), lambda i: Cell(comparison.query_ids[i], comparison.query_ids[i])),
        (Column("A"), lambda i: w.mean(float(a[i]))),
        (Column("B"), lambda i: w.mean(float(b[i]))),
        (Column("Δ"), lambda i: w.change(float(differences[i]), tones[outcomes[i]])),
        (Column.words("Outcome"), outcome),
    )


def scale(
    comparison: Comparison, *, margin: float = 0.0, percent: bool = False, text: str = ""
) -> Scale:
    """Return the axis of differences, with the names of its sides."""
    better = comparison.better_direction()
    ahead = "higher" if better is None else "better"
    sides, tones = (f"A {ahead}", f"B {ahead}"), _SIDES
    if better is False:
        sides, tones = sides[::-1], tones[::-1]
    tones = ("plain", "plain") if better is None else tones
    if not text:
        text = f"{words.capital(words.estimand(comparison))}, B − A"
        text = "Δ (B − A)" if words.estimand(comparison) == words.MEAN else text
        text = "Change in per cent of A's mean" if is_relative(comparison) else text
    return Scale(*sides, tones=tones, margin=margin, percent=percent, of=text)


_SIDES: tuple[Tone, Tone] = ("a", "b")


def primary_first(
    comparison: Comparison, rows: Sequence[MeasureResult] | None = None
) -> list[MeasureResult]:
    """Return the rows of the measures, primary first, then in the requested order."""
    primary = comparison.rule.primary
    return sorted(rows or comparison.rows, key=lambda row: row.measure != primary)


def deciding(comparison: Comparison, row: MeasureResult) -> Interval:
    """Return the interval that determines a row's reading, in the displayed unit."""
    lead = row.measure == comparison.rule.primary
    return deciding_interval(comparison) if lead else row.adjusted


def _bar(comparison: Comparison, row: MeasureResult) -> Bar:
    """Return the bar of a row: for the primary measure the deciding interval, else both."""
    tone = words.reading_tone(row.reading)
    if row.measure == comparison.rule.primary:
        thick = deciding(comparison, row)
        if math.isinf(thick.low) and math.isinf(thick.high):
            return Bar(row.estimate, math.nan, math.nan, tone=tone)
        thin = decision_intervals(comparison)[0]
        return Bar(row.estimate, *thick, *thin, tone)
    limits = (*row.interval, *row.adjusted)
    return Bar(row.estimate, *limits, tone)


def _limit(comparison: Comparison, guard: GuardResult | None) -> float:
    """Return the loss that a guard must exclude, if it has the displayed unit."""
    if guard is None or guard.margin_is_relative != is_relative(comparison):
        return math.nan
    return -guard.margin if guard.higher_is_better else guard.margin


def _legend(comparison: Comparison, *, draws: bool) -> list[str]:
    result, rule, is_many = [], comparison.rule, len(comparison.rows) > 1
    if is_many:
        text = headline.adjustment(comparison).partition(", ")[0].replace("(max-t", "(max-t)")
        text = text.replace("))", ")")
        if rule.family == "secondary":
            text = f"tested alone, the others {text.removeprefix('secondary measures ')}"
        result.append(f"★ {text}")
    multiple, level = rule.adjust != "none" and is_many, f.level(rule.confidence)
    if draws and comparison.soundness.level != "unsound" and comparison.decision.by_equivalence:
        narrow, which = f.level(rule.confidence_equivalence), "★" if is_many else "it"
        sentence = f"Thick: {narrow} interval, which decides about the margin"
        sentence += f" ({which}; others {level})" if multiple else ""
        result.append(
            f"{sentence}; thin: {level}, whether Δ is 0{', adjusted' if multiple else ''}"
        )
    elif draws and comparison.soundness.level != "unsound" and multiple:
        result.append(f"Thick: {level} interval; thin: adjusted, decides the reading")
    if any(
        math.isfinite(_limit(comparison, guard)) and shares_scale(comparison, guard.measure)
        for guard in comparison.decision.guards
    ):
        result.append("Tick: the loss that a guard must exclude")
    if comparison.with_machine:
        judged = f"A and B: the {words.queries_of(comparison)} judged by people"
        result.append(f"{judged}; Δ, bars and p: all queries, with the machine")
    elif words.estimand(comparison) != words.MEAN:
        result.append(f"interval, bars and p: {words.estimand(comparison)} (B − A), not Δ")
    turned = [
        row.measure for row in comparison.rows if row.higher_is_better != rule.higher_is_better
    ]
    off_axis = [row.measure for row in comparison.rows if not shares_scale(comparison, row.measure)]
    direction, side = _OTHER_WAY[rule.higher_is_better]
    if names := [name for name in turned if name not in off_axis]:
        result.append(f"{', '.join(names)}: {direction}, {side}")
    if names := [name for name in turned if name in off_axis]:
        result.append(f"{', '.join(names)}: {direction}")
    if left := len(off_axis):
        result.append(f"{f.plural(left, 'measure')} on another scale, not drawn")
    return result


MOST = 20
MOST_TOLD = 3
LONGEST = 60
TOO_FEW = "too few"


def segments(comparison: Comparison) -> Section | None:
    """Return the section on all segments; None without any."""
    if not comparison.segmentations:
        return None
    cards = [_table(comparison, item) for item in comparison.segmentations]
    # All properties share one axis and one legend.
    reach = tuple(
        value
        for card in cards
        for bar in card.bars
        for value in (bar.places if bar is not None else ())
        if math.isfinite(value)
    )
    blocks: list[Block] = []
    for segmentation, card in zip(comparison.segmentations, cards, strict=True):
        legend = card.legend if card is cards[-1] else ()
        blocks.append(replace(card, scale=replace(card.scale, reach=reach), legend=legend))
        if len(segmentation.rows) > MOST:
            text = f"The {MOST} largest of {f.count(len(segmentation.rows))} segments"
            blocks.append(Text(f"{text}; all are in a .json report.", "caption"))
    return Section("segments", "Segments", exploratory(comparison), tuple(blocks), FOLDED)


def exploratory(comparison: Comparison) -> str:
    """Return a sentence on each of the first properties, and on their use."""
    segmentations = comparison.segmentations[:MOST_TOLD]
    sentences = (segments_sentence(comparison, item) for item in segmentations)
    return words.joined("Exploratory.", *sentences)


def segments_sentence(comparison: Comparison, result: Segmentation) -> str:
    """Count the segments where B is better or worse, and say whether segments differ."""
    counts = words.counted(row.reading for row in result.rows)
    text = f"Segments by {shorten(result.name, width=LONGEST)}, after adjustment: {counts}"
    p, multiple = result.interaction_pvalue_adj, len(comparison.segmentations) > 1
    if not math.isfinite(p):
        return f"{text}; whether the segments differ cannot be tested."
    p_text = f"{'adjusted ' * multiple}{f.p_clause(p, alpha=comparison.rule.alpha)}"
    differ = "differ" if p < comparison.rule.alpha else "do not differ significantly"
    return f"{text}; the segments {differ} ({p_text} for interaction)."


def _table(comparison: Comparison, result: Segmentation) -> Scorecard:
    """Return rows for all queries and each segment, with plain and adjusted intervals."""
    w, rows = Words(comparison), segments_in_unit(comparison, result)[:MOST]
    (lead,) = (x for x in rows_in_unit(comparison) if x.measure == comparison.rule.primary)
    percent = is_relative(comparison)
    in_unit = partial(difference_in_unit, comparison, digits=w.digits)

    def limits_of(ends: Interval) -> Cell:
        cell = w.limits(ends)
        return replace(cell, text=" to ".join(map(in_unit, ends))) if percent else cell

    tone = words.reading_tone(lead.reading)
    of_all: Bar | None = Bar(lead.diff, *lead.interval, tone=tone)
    if words.estimand(comparison) != words.MEAN or not lead.interval.is_finite:
        of_all = None
    bars, limits, chances, readings = [of_all], [limits_of(lead.interval)], [Cell("")], []
    readings.append(Cell(words.reading(comparison, lead), lead.reading, tone, strong=True))
    tones = [words.reading_tone(row.reading) for row in rows]
    for row, row_tone in zip(rows, tones, strict=True):
        few = row.reading == TOO_FEW
        bars.append(None if few else Bar(row.mean, *row.interval, *row.adjusted, row_tone))
        limits.append(Cell("") if few else limits_of(row.adjusted))
        chances.append(Cell("") if few else w.chance(row.pvalue_adj))
        reading = words.against_zero(comparison, row.reading) if not few else TOO_FEW
        readings.append(Cell(reading, row.reading, "plain" if few else row_tone))
    names = [Cell(shorten(row.label, width=LONGEST), row.label) for row in rows]
    changes = [
        Cell(in_unit(row.mean), row.mean, tone) for row, tone in zip(rows, tones, strict=True)
    ]
    properties = " of all properties" if len(comparison.segmentations) > 1 else ""
    return Scorecard.of(
        f"segments-{result.name}",
        (
            Column.name(words.capital(shorten(result.name, width=LONGEST))),
            [Cell("All queries", "All queries", strong=True), *names],
        ),
        (Column("Queries"), map(Cell.count, (comparison.n_queries, *(x.n_queries for x in rows)))),
        (
            Column(words.delta_title(comparison), role="change"),
            [Cell(in_unit(lead.diff), lead.diff, tone, strong=True), *changes],
        ),
        (DRAWN, [Cell("") for _ in bars]),
        (Column(f"{w.level} interval, adjusted", role="interval"), limits),
        (Column("adj p", role="p"), chances),
        (Column.words("Reading", "reading"), readings),
        noun="segment",
        bars=tuple(bars),
        scale=scale(comparison, percent=percent, text="" if percent else "Δ (B − A)"),
        narrow=frozenset({"interval"}),
        legend=(
            f"Thick: {w.level} interval by itself, of all queries, too; thin: adjusted for all"
            f" segments{properties}, which decides the reading of a segment",
            "Segments do not change the verdict. Test what you see here on new queries. Those of"
            " fewer than 6 queries are not tested."
            + " Each Δ% is of A's mean in the segment."
            * percent,
        ),
    )


PAIRS = 60  # with more queries a scatter plot is used
FEW = 5  # up to this number the list of queries shows them individually


def distribution(comparison: Comparison) -> Section | None:
    """Return the section on the distribution; None below three pairs."""
    if comparison.rule.independent or comparison.n_queries < 3 or words.all_tied(comparison):
        return None
    w, spread, n = Words(comparison), comparison.spread, comparison.n_queries
    quartiles = (spread.lower_quartile, spread.median, spread.upper_quartile)
    low, middle, high = map(w.signed, quartiles)
    finding = (
        f"The middle half of the differences lies between {low} and {high}; the median is {middle},"
        f" the mean {w.signed(comparison.mean_difference)}."
    )
    if n <= FEW:  # the list of queries has bars
        return Section("distribution", "Distribution", finding, (), group="appendix")
    measure = comparison.rule.primary
    blocks: tuple[Block, ...] = (
        Figure("scatter", f"{measure} of every query, A across and B upwards."),
        Text("Above the diagonal B scores higher, below it A does.", "caption"),
    )
    if n <= PAIRS:  # for few queries the slope graph replaces the scatter plot
        blocks = (
            Figure("paired", f"{measure} of A and of B, query by query, and the mean difference."),
            Text(
                "Left, the scores; lines join the same query. Right, the mean difference with its"
                " interval, in the same unit.",
                "caption",
            ),
        )
    blocks += (
        Figure("distribution", f"Distribution of the differences in {measure}. {finding}"),
        Text("Right of 0 B scores higher.", "caption"),
    )
    return Section("distribution", "Distribution", finding, blocks, group="appendix")


def all_tests(comparison: Comparison) -> Section | None:
    """Return the section on all tests; None if none has a p-value, or all queries tie."""
    rows = [row for row in comparison.test_rows if math.isfinite(row.pvalue)]
    if not rows or words.all_tied(comparison):
        return None
    declared = f"The {words.name_of_rule(comparison)} decides; the others are for comparison."
    finding = headline.agreement(comparison) or declared
    return Section("tests", "Other tests", finding, (_test_table(comparison),), group="change")


def _test_table(comparison: Comparison) -> Scorecard:
    w, rows, alpha = Words(comparison), tests_in_unit(comparison), comparison.rule.alpha
    percent = is_relative(comparison)

    def tone(row: TestRow) -> Tone:
        if not row.pvalue < alpha:
            return "plain"
        return "b" if (row.estimate > 0) == comparison.rule.higher_is_better else "a"

    def in_unit(row: TestRow, value: float) -> str:
        if percent and "difference" in row.estimand:
            return difference_in_unit(comparison, value, digits=w.digits)
        return w.signed(value)

    def limits_of(row: TestRow) -> Cell:
        cell = w.limits(row.interval)
        if not row.interval.is_finite:
            return cell
        return replace(cell, text=" to ".join(in_unit(row, end) for end in row.interval))

    def how(row: TestRow) -> Cell:
        text = words.how_found(row, alpha=alpha)
        return Cell(text, text)

    return Scorecard.by_row(
        "tests",
        rows,
        (
            Column.name("Test"),
            lambda x: Cell(f"{x.title}{' ★ declared' * x.decides}", x.title, strong=x.decides),
        ),
        (Column.words("What it estimates"), lambda x: Cell(x.estimand, x.estimand)),
        (
            Column("Estimate", role="change"),
            lambda x: Cell(in_unit(x, x.estimate), x.estimate, tone(x), strong=x.decides),
        ),
        (DRAWN, Cell.empty),
        (Column(f"{w.level} interval", role="interval"), limits_of),
        (Column("Statistic"), lambda x: Cell(words.statistic(x, digits=w.digits), x.statistic)),
        (Column("p", role="p"), lambda x: w.chance(x.pvalue, strong=x.decides)),
        (Column.words("How"), how),
        # The estimate of the sign test has another unit.
        bars=tuple(
            Bar(row.estimate, *row.interval, tone=tone(row))
            if "difference" in row.estimand and row.interval.is_finite
            else None
            for row in rows
        ),
        scale=scale(comparison, percent=percent, text="" if percent else "Estimate, B − A"),
        tall=frozenset(i for i, row in enumerate(rows) if row.decides),
    )
