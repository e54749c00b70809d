"""The tables of differences: by measure, by segment, by test, and how they are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison, MeasureResult, TestRow
from abrank.comparison.declared import difference_in_unit, is_relative, rows_in_unit, shares_scale
from abrank.comparison.groups import Segmentation, SegmentRow
from abrank.estimate import Interval
from abrank.inference.shape import spread_form
from abrank.report.cells import one_line
from abrank.report.model import (
    GUARD,
    Bar,
    Block,
    Cell,
    Column,
    Figure,
    Scale,
    Scorecard,
    Section,
    Text,
    Tone,
)
from abrank.report.sections import headline, planning, samples, words
from abrank.rule import GuardResult

# Of a measure whose direction is not that of the primary one.
_OTHER_WAY = {
    True: "lower is better, so left of 0 B is better",
    False: "higher is better, so right of 0 B is better",
}


def scorecard(comparison: Comparison) -> Scorecard:
    """Return a row a measure, the primary one first, with its interval drawn, wins and reading."""
    rows = primary_first(comparison, rows_in_unit(comparison))
    level = f"{f.level(comparison.rule.confidence)} interval{', adjusted' * _adjusts(comparison)}"
    guards = {each.measure: each for each in comparison.decision.guards}
    win = words.wins(comparison)
    columns = (
        Column("measure", numeric=False, role="name"),
        Column("A", role="mean"),
        Column("B", role="mean"),
        Column(delta_title(comparison), role="change"),
        Column("", numeric=False, role="drawn"),
        Column(level, role="interval"),
        Column("adj p" if _adjusts(comparison) else "p", role="p"),
        Column(f"A {win} · ties · B {win}", role="wins"),
        Column("reading", numeric=False, role="reading"),
    )
    cells = []
    for row in rows:
        *others, reading = _row(comparison, row)
        if row.measure in guards:
            sign = "✓" if guards[row.measure].passed else "✗"
            reading = replace(reading, text=f"{reading.text} {sign} guard")
        cells.append((*others, reading))
    bars = tuple(
        _bar(comparison, row)._replace(limit=_limit(comparison, guards.get(row.measure)))
        if shares_scale(comparison, row.measure) and math.isfinite(row.pvalue)
        else None
        for row in rows
    )
    return Scorecard(
        "measures",
        columns,
        tuple(cells),
        noun="measure",
        bars=bars,
        scale=scale(comparison, margin=comparison.rule.margin, percent=is_relative(comparison)),
        narrow=frozenset({"interval"}),
        legend=tuple(_legend(comparison, drawn=any(each and any(each.places) for each in bars))),
    )


def scale(
    comparison: Comparison, *, margin: float = 0.0, percent: bool = False, of: str = ""
) -> Scale:
    """Return the axis of differences, with whose side is left and right of 0."""
    better = comparison.better_direction()
    ahead = "higher" if better is None else "better"
    sides, tones = (f"A {ahead}", f"B {ahead}"), _SIDES
    if better is False:
        sides, tones = sides[::-1], tones[::-1]
    tones = ("plain", "plain") if better is None else tones
    return Scale(*sides, tones=tones, margin=margin, percent=percent, of=of or _of(comparison))


_SIDES: tuple[Tone, Tone] = ("a", "b")


def primary_first(
    comparison: Comparison, rows: Sequence[MeasureResult] | None = None
) -> list[MeasureResult]:
    """Return the rows of the measures, the primary one first, the others as they were asked for."""
    primary = comparison.rule.primary
    return sorted(rows or comparison.rows, key=lambda row: row.measure != primary)


def delta_title(comparison: Comparison) -> str:
    """Return the heading of the differences that have intervals."""
    return "Δ%" if is_relative(comparison) else "Δ"


def _adjusts(comparison: Comparison) -> bool:
    return comparison.rule.adjust != "none" and len(comparison.rows) > 1


def _row(comparison: Comparison, row: MeasureResult) -> tuple[Cell, ...]:
    digits = comparison.decimals
    lead = row.measure == comparison.rule.primary
    tone = words.reading_tone(row.reading)
    low, high = deciding(comparison, row)
    limits = f.interval(low, high, digits=digits)
    if lead or is_relative(comparison):
        limits = planning.limits(comparison, low, high)
    if lead and comparison.decision.by_margin:
        limits += f" ({f.level(comparison.rule.confidence_equivalence)})"
    change = row.estimate if comparison.with_machine else row.diff
    counts = (row.losses, row.ties, row.wins)
    star = " ★" if lead and len(comparison.rows) > 1 else ""
    return (
        Cell(f"{one_line(row.measure, width=120)}{star}", row.measure, strong=lead),
        Cell(f.score(row.mean_a, digits=digits), row.mean_a),
        Cell(f.score(row.mean_b, digits=digits), row.mean_b),
        Cell(difference_in_unit(comparison, change, digits=digits), change, tone, strong=lead),
        Cell(""),
        Cell(limits, low),
        Cell(f.pvalue(row.pvalue_adj, alpha=comparison.rule.alpha), row.pvalue_adj),
        # A count of wins says who is better, which nobody said of this measure.
        Cell("–")
        if comparison.rule.direction_declared and row.measure in comparison.asked
        else Cell(" · ".join(map(f.count, counts)), row.wins, parts=counts),
        Cell(words.reading(comparison, row), row.reading, tone, strong=lead),
    )


def deciding(comparison: Comparison, row: MeasureResult) -> Interval:
    """Return the interval that a row's reading rests on, in the unit that is drawn."""
    lead = row.measure == comparison.rule.primary
    return comparison.decision.deciding if lead else row.adjusted


def _bar(comparison: Comparison, row: MeasureResult) -> Bar:
    """Return what is drawn: of the primary measure the interval that decides, else both."""
    tone = words.reading_tone(row.reading)
    if row.measure == comparison.rule.primary:
        thick = deciding(comparison, row)
        thin = row.interval if comparison.decision.by_margin else thick
        return Bar(row.estimate, *thick, *thin, tone)
    limits = (*row.interval, *row.adjusted)
    return Bar(row.estimate, *limits, tone)


def _limit(comparison: Comparison, guard: GuardResult | None) -> float:
    """Return the loss that a guard must exclude, where its unit is the one that is drawn."""
    if guard is None or guard.margin_is_relative != is_relative(comparison):
        return math.nan
    return -guard.margin if guard.higher_is_better else guard.margin


def _of(comparison: Comparison) -> str:
    """Return what is drawn."""
    if is_relative(comparison):
        return "Change in per cent of A's mean"
    if words.estimand(comparison) == words.MEAN:
        return "Δ (B − A)"
    return f"{words.capital(words.estimand(comparison))}, B − A"


def _legend(comparison: Comparison, *, drawn: bool) -> list[str]:
    """Return what explains the table: the mark, the bars, the adjustment, what is not drawn."""
    found, rule = [], comparison.rule
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        if rule.family == "secondary":
            how = f"tested alone; others {how.removeprefix('secondary measures ')}"
        found.append(f"★ primary, {how}")
    found += _bars(comparison) if drawn else []
    if any(math.isfinite(_limit(comparison, each)) for each in comparison.decision.guards):
        found.append(f"{GUARD} the loss that a guard must exclude")
    if comparison.with_machine:
        judged = f"A and B: the {words.queries_of(comparison)} judged by people"
        found.append(f"{judged}; Δ, bars and p: all queries, with the machine")
    elif words.estimand(comparison) != words.MEAN:
        found.append(f"interval, bars and p: {words.estimand(comparison)} (B − A), not Δ")
    turned = [row.measure for row in comparison.rows if _turned(comparison, row)]
    if turned:
        found.append(f"{', '.join(turned)}: {_OTHER_WAY[rule.higher_is_better]}")
    left = sum(not shares_scale(comparison, row.measure) for row in comparison.rows)
    if left:
        found.append(f"{f.plural(left, 'measure')} on another scale, not drawn")
    return found


def _bars(comparison: Comparison) -> list[str]:
    """Say which interval is thick and which is thin, where that is not one and the same."""
    if comparison.soundness.level == "unsound":
        return []
    level = f.level(comparison.rule.confidence)
    several = _adjusts(comparison)
    if comparison.decision.by_margin:
        narrow = f.level(comparison.rule.confidence_equivalence)
        which = "★" if len(comparison.rows) > 1 else "it"
        said = f"thick: {narrow} interval, which decides about the margin"
        said += f" ({which}; others {level})" if several else ""
        return [f"{said}; thin: {level}, whether Δ is 0{', adjusted' if several else ''}"]
    return [f"thick: {level} interval; thin: adjusted, which decides the reading"] * several


def _turned(comparison: Comparison, row: MeasureResult) -> bool:
    """Whether a drawn measure points the other way than the heading over the plot."""
    turned = row.higher_is_better != comparison.rule.higher_is_better
    return turned and shares_scale(comparison, row.measure)


MOST = 20
MOST_TOLD = 3
LONGEST = 60
TOO_FEW = "too few"


def segments(comparison: Comparison) -> Section | None:
    """Return the section of all segmentations; None where none was given."""
    if not comparison.segmentations:
        return None
    cards = [_table(comparison, each) for each in comparison.segmentations]
    # One axis for all properties, and what explains it once.
    reach = tuple(
        value
        for card in cards
        for bar in card.bars
        for value in (bar.places if bar is not None else ())
        if math.isfinite(value)
    )
    blocks: list[Block] = []
    for found, card in zip(comparison.segmentations, cards, strict=True):
        legend = card.legend if card is cards[-1] else ()
        blocks.append(replace(card, scale=replace(card.scale, reach=reach), legend=legend))
        if len(found.rows) > MOST:
            of = f"The {MOST} largest of {f.count(len(found.rows))} segments"
            blocks.append(Text(f"{of}; all are in a .json report.", "caption"))
    blocks.append(Figure("segments", exploratory(comparison), repeats=True))
    title = "Segments (exploratory)"
    return Section("segments", title, exploratory(comparison), tuple(blocks))


def exploratory(comparison: Comparison) -> str:
    """Return a sentence on each of the first properties, and what they are good for."""
    shown = comparison.segmentations[:MOST_TOLD]
    return " ".join(["Exploratory.", *(segments_sentence(comparison, each) for each in shown)])


def segments_sentence(comparison: Comparison, found: Segmentation) -> str:
    """Say in how many segments B is better or worse, and whether the segments differ."""
    name = shorten(found.name, width=LONGEST)
    judged = [row for row in found.rows if row.reading != TOO_FEW]
    if not judged:
        return f"By {name}, every segment has too few queries."
    better, worse = (
        sum(row.reading == reading for row in judged) for reading in ("better", "worse")
    )
    of = f.plural(len(judged), "segment")
    if better or worse:
        said = (
            f"By {name}, B is better in {better or 'none'} of {of} after adjustment and worse in"
            f" {worse or 'none'}"
        )
    else:
        said = f"By {name}, none of {of} shows a difference after adjustment"
    few = len(found.rows) - len(judged)
    if few:
        said += f"; {f.word(few)} {'has' if few == 1 else 'have'} too few queries"
    return f"{said}; {_interaction(comparison, found)}."


def _interaction(comparison: Comparison, found: Segmentation) -> str:
    p = found.interaction
    if not math.isfinite(p):
        return "whether the segments differ cannot be tested"
    alpha = comparison.rule.alpha
    shown = f"{'adjusted ' * (len(comparison.segmentations) > 1)}{f.p_clause(p, alpha=alpha)}"
    differ = "differ" if p < alpha else "are not shown to differ"
    return f"the segments {differ} ({shown} for interaction)"


def _table(comparison: Comparison, found: Segmentation) -> Scorecard:
    """Return all queries and a row a segment, with its own interval and the adjusted one drawn."""
    digits = comparison.decimals
    level = f.level(comparison.rule.confidence)
    columns = (
        Column(words.capital(shorten(found.name, width=LONGEST)), numeric=False, role="name"),
        Column("Queries"),
        Column("Δ", role="change"),
        Column("", numeric=False, role="drawn"),
        Column(f"{level} interval, adjusted", role="interval"),
        Column("adj p", role="p"),
        Column("Reading", numeric=False, role="reading"),
    )
    lead = comparison.primary
    tone = words.reading_tone(lead.reading)
    first = (
        Cell("All queries", "All queries", strong=True),
        Cell(f.count(comparison.n_queries), comparison.n_queries),
        Cell(f.signed(lead.diff, digits=digits), lead.diff, tone, strong=True),
        Cell(""),
        Cell(f.interval(*lead.interval, digits=digits), lead.ci_low),
        Cell(""),
        Cell(words.reading(comparison, lead), lead.reading, tone, strong=True),
    )
    shown = found.rows[:MOST]
    of_all: Bar | None = Bar(lead.diff, *lead.interval, tone=tone)
    if words.estimand(comparison) != words.MEAN or not lead.interval.is_finite:
        of_all = None
    properties = " of all properties" if len(comparison.segmentations) > 1 else ""
    return Scorecard(
        f"segments-{found.name}",
        columns,
        (first, *(_segment_row(row, alpha=comparison.rule.alpha, digits=digits) for row in shown)),
        noun="segment",
        bars=(of_all, *map(_segment_bar, shown)),
        scale=scale(comparison, of="Δ (B − A)"),
        narrow=frozenset({"interval"}),
        legend=(
            f"thick: {level} interval of a segment by itself; thin: adjusted for all"
            f" segments{properties}, which decides the reading",
            "Not part of the rule: what segments show is a question for the next test. Those of"
            " fewer than 6 queries are not tested.",
        ),
    )


def _segment_bar(row: SegmentRow) -> Bar | None:
    if row.reading == TOO_FEW:
        return None
    limits = (*row.interval, *row.adjusted)
    return Bar(row.mean, *limits, words.reading_tone(row.reading))


def _segment_row(row: SegmentRow, *, alpha: float, digits: int) -> tuple[Cell, ...]:
    tone = words.reading_tone(row.reading)
    start = (
        Cell(shorten(row.label, width=LONGEST), row.label),
        Cell(f.count(row.n_queries), row.n_queries),
        Cell(f.signed(row.mean, digits=digits), row.mean, tone),
        Cell(""),
    )
    if row.reading == TOO_FEW:
        return (*start, Cell(""), Cell(""), Cell(TOO_FEW, TOO_FEW))
    return (
        *start,
        Cell(f.interval(*row.adjusted, digits=digits), row.ci_low_adj),
        Cell(f.pvalue(row.pvalue_adj, alpha=alpha), row.pvalue_adj),
        Cell(words.READINGS[row.reading], row.reading, tone),
    )


PAIRS = 60  # more queries are drawn as deciles
FEW = 5  # so few queries are seen one by one where they are listed
SHAPE = 10  # fewer queries have no shape to compare
_DISTRIBUTION = ("distribution", "Distribution")


def distribution(comparison: Comparison) -> Section | None:
    """Return the section of the distribution; None below three queries."""
    if comparison.n_queries < 3 or words.all_tied(comparison):
        return None
    finding = _spread_finding(comparison)
    measure, few = comparison.rule.primary, comparison.n_queries <= FEW
    spread: list[Block] = [
        Figure(
            "distribution",
            f"Distribution of the differences in {measure}. {finding}",
            repeats=few,
        ),
        Text(_distribution_guide(comparison), "caption"),
    ]
    if comparison.merged is not None:
        spread.append(Text(samples.merged_rounding(comparison.merged)))
        return Section(*_DISTRIBUTION, finding, tuple(spread), group="appendix")
    blocks: list[Block] = [
        Figure(
            "scatter",
            f"{measure} of every query, A across and B upwards.",
            repeats=comparison.n_queries <= PAIRS,  # the slope graph has them
        ),
        Text("Above the diagonal B scores higher, below it A does.", "caption"),
        Figure(
            "paired",
            f"{measure} of A and of B, query by query, and the mean difference.",
            repeats=few or comparison.n_queries > PAIRS,
        ),
        Text(
            f"Left, the scores; lines join the same query, or beyond {PAIRS} queries the same"
            " decile. Right, the mean difference with its interval, in the same unit.",
            "caption",
        ),
        *spread,
    ]
    if comparison.n_queries >= SHAPE:
        blocks += [
            Figure("qq", f"Differences in {measure} against a normal curve.", repeats=True),
            Text(
                "On the line, the differences are normal. The t test needs this of few queries"
                " only; of many, only that the mean is not ruled by single ones.",
                "caption",
            ),
        ]
    return Section(*_DISTRIBUTION, finding, tuple(blocks), group="appendix")


def _spread_finding(comparison: Comparison) -> str:
    """Say where the middle half of the differences lies, the median and the mean."""
    digits = comparison.decimals
    spread = comparison.spread
    low, middle, high = (
        f.signed(each, digits=digits)
        for each in (spread.lower_quartile, spread.median, spread.upper_quartile)
    )
    mean, ties = comparison.mean_difference, comparison.primary.ties
    said = (
        f"The middle half of the differences lies between {low} and {high}; the median is {middle},"
        f" the mean {f.signed(mean, digits=digits)}."
    )
    n = comparison.n_queries
    if not n > ties > n / 2:
        return said
    others = f.signed(mean * n / (n - ties), digits=digits)
    return f"{said} {f.count(ties)} of {words.queries(n)} are tied; of the others it is {others}."


def _distribution_guide(comparison: Comparison) -> str:
    """Say how to read the picture that was drawn: dots, bars, or a density with a box."""
    guides: dict[str, str] = {
        "dots": "A dot is a query.",
        "values": "A bar is a value of the difference; its height counts the queries.",
        "bins": "A bar counts the queries; those that tie have a bar of their own.",
        "density": "Box: middle half; line: 5% to 95%.",
    }
    found = comparison.merged
    form = spread_form(comparison.differences()) if found is None else found.form
    return f"Right of 0 B scores higher. {guides[form]}"


def all_tests(comparison: Comparison) -> Section | None:
    """Return the section on all tests; None where none gives a p-value, or every query ties."""
    rows = [row for row in comparison.test_rows if math.isfinite(row.pvalue)]
    if not rows or words.all_tied(comparison):
        return None
    declared = f"Only the {words.name_of_rule(comparison)} was declared, so only it decides."
    finding = headline.agreement(comparison) or declared
    blocks: list[Block] = [
        _test_table(comparison),
        Figure(
            "tests",
            f"Estimate and interval by {f.plural(len(rows), 'test')}; see the table.",
            repeats=True,
        ),
        Text(
            "Tests that estimate different things can disagree without any of them being wrong: the"
            " mean counts how large each difference is, the sign test only who wins.",
            "caption",
        ),
    ]
    design = comparison.rule.design
    plain = design is None or design.is_plain
    plain = plain and comparison.merged is None
    if plain:
        blocks += _how_p_is_found()
    return Section("tests", "Other tests", finding, tuple(blocks), group="change")


def _how_p_is_found() -> tuple[Block, ...]:
    """Return the pictures of what a p-value is: the share of chance, and a question at each Δ."""
    return (
        Figure(
            "null", "Where the mean difference lies among those of flipped signs.", repeats=True
        ),
        Text(
            "If A and B were exchangeable, the sign of each query's difference would be a matter of"
            " chance: the hill is what chance alone gives, the line what was seen.",
            "caption",
        ),
        Figure(
            "pvalue", "The p-value of every difference that could be asked about.", repeats=True
        ),
        Text(
            "p against each possible true difference. Where it is above α, the difference is inside"
            " the interval; where it crosses 0, p is the one printed above.",
            "caption",
        ),
    )


def _test_table(comparison: Comparison) -> Scorecard:
    columns = (
        Column("Test", numeric=False, role="name"),
        Column("What it estimates", numeric=False),
        Column("Estimate", role="change"),
        Column("", numeric=False, role="drawn"),
        Column(f"{f.level(comparison.rule.confidence)} interval", role="interval"),
        Column("Statistic"),
        Column("p", role="p"),
        Column("How", numeric=False),
    )
    rows = tuple(_test_row(comparison, row) for row in comparison.test_rows)
    # The sign test's estimate has another unit.
    bars = tuple(
        Bar(row.estimate, *row.interval, tone=cells[2].tone)
        if row.estimand.endswith("difference") and row.interval.is_finite
        else None
        for row, cells in zip(comparison.test_rows, rows, strict=True)
    )
    axis = scale(comparison, of="Estimate, B − A")
    tall = frozenset(i for i, row in enumerate(comparison.test_rows) if row.decides)
    return Scorecard("tests", columns, rows, bars=bars, scale=axis, tall=tall)


def _test_row(comparison: Comparison, row: TestRow) -> tuple[Cell, ...]:
    digits = comparison.decimals
    how = words.how_found(row, alpha=comparison.rule.alpha)
    tone: Tone = "plain"
    if row.pvalue < comparison.rule.alpha:
        tone = "b" if (row.estimate > 0) == comparison.rule.higher_is_better else "a"
    title = f"{row.title} ★ declared" if row.decides else row.title
    return (
        Cell(title, row.title, strong=row.decides),
        Cell(row.estimand, row.estimand),
        Cell(f.signed(row.estimate, digits=digits), row.estimate, tone, strong=row.decides),
        Cell(""),
        Cell(f.interval(*row.interval, digits=digits), row.ci_low),
        Cell(words.statistic(row, digits=digits), row.statistic),
        Cell(f.pvalue(row.pvalue, alpha=comparison.rule.alpha), row.pvalue, strong=row.decides),
        Cell(how, how),
    )
