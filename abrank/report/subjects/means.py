"""The report of mean scores: their intervals, and floors."""

from __future__ import annotations

from collections.abc import Iterable

from abrank._support import display as f
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Case,
    Caution,
    Cell,
    Column,
    Fact,
    Headline,
    Paper,
    Place,
    Report,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Words,
    report_of,
)
from abrank.report.sections.words import capital, queries
from abrank.report.subjects import compose
from abrank.scoring.intervals import FEW_UNITS, Floor, Intervals, MeanInterval

_NAME = 24
TESTS = {
    "t": "Student's t",
    "permutation": "sign flips",
    "bootstrap": "studentised bootstrap",
    "bounded": "bets",
}
METHODS = {
    "t": "Student's t of the scores",
    "permutation": "the means about which signs of the centred scores could have been tossed",
    "bootstrap": "the studentised bootstrap of the scores, symmetric",
    "bounded": "bets against every mean, valid for any scores in the measure's range",
}


@compose.register
def compose_intervals(result: Intervals, *, digits: int | None = None) -> Report:
    """Return everything a report says about means and their intervals."""
    ends = [row.interval for row in result.rows]
    w = Words(result, f.decimals(ends) if digits is None else digits)
    head = _headline(w)
    systems = tuple(dict.fromkeys(f.shorten(row.system, width=_NAME) for row in result.rows))
    card = _scorecard(w)
    # Without floors nothing needs a drawing, so a plain table is used in every format.
    blocks = (card,) if result.floors else (card.without("drawn"),)
    places = frozenset[Place]({"page"}) if result.floors else EVERYWHERE
    method = _method(w)
    cautions = []
    if result.test != "bounded" and any(row.interval.width >= 1.0 for row in result.rows):
        text = (
            "Of one query, of scores that are all one value, or of too few clusters this test knows"
            " nothing: the limits are those of the measure. Bets (--test bounded) need no spread."
        )
        cautions.append(Caution("no-spread", "No spread", text, 3))
    return report_of(
        w,
        head,
        context=(*systems[:3], queries(result.n_queries)),
        who=f"means of {', '.join(systems)}",
        file="means",
        cautions=tuple(cautions),
        sections=(
            Section("means", "Means", "", blocks, places),
            _segments(w) if result.segments else None,
            Section("methods", "Methods", "", (Text(method),)),
        ),
        facts=(
            *(Fact("note", remark, everywhere=True) for remark in result.remarks),
            Fact("rule", head.rule, "muted"),
        ),
        methods=method,
        cases=tuple(
            Case(f"{floor.system}: {floor.measure} at least {f.number(floor.floor)}", floor.cleared,
                 _said(w, floor))
            for floor in result.floors
        ),
        papers=lambda _: Paper(
            f"{head.rule}; {queries(result.n_queries)}",
            f"Means with {head.rule}.", "means", card.without("drawn", "reading"),
        ),
        hint=".rows  .floors  .segments  .cleared",
    )  # fmt: skip


def _headline(w: Words[Intervals]) -> Headline:
    result = w.result
    n = queries(result.n_queries)
    first = result.rows[0] if result.rows else None
    numbers = ""
    title = "No measure asked for is averaged over queries."
    if first is not None and len(result.rows) == 1:
        title = (
            f"{first.measure} of {f.shorten(first.system, width=_NAME)} is {w.score(first.mean)}"
        )
        numbers = f"{w.level} CI {w.range(*first.interval)}, {n}"
    elif first is not None:
        title = f"{f.plural(len(result.rows), 'mean')} with {w.level} intervals"
        numbers = n
    failed = [floor for floor in result.floors if not floor.cleared]
    below = [item for item in failed if item.ci_high < item.floor]
    glyph, tag = "", ""
    if result.floors:
        glyph, tag = "▲", "Floor cleared" if len(result.floors) == 1 else "Floors cleared"
        title = _said(w, min(failed or result.floors, key=lambda item: item.ci_low - item.floor))
        if failed:
            glyph, tag = ("▼", "Below the floor") if below else ("?", "Floor not cleared")
    gate = f"{f.count(len(failed))} of {f.plural(len(result.floors), 'floor')} not cleared"
    gate = "floor not cleared" if len(result.floors) == 1 else gate
    gate = f"not passed: {gate}" if failed else "passed: every floor is cleared"
    return Headline(
        verdict="means", glyph=glyph, tag=tag, tone="b" if glyph == "▲" else "plain", title=title,
        numbers=numbers, rule=_rule(w), gate=gate if result.floors else "",
        gate_passed=result.cleared,
    )  # fmt: skip


def _said(w: Words[Intervals], result: Floor) -> str:
    """Say whether a floor is cleared."""
    text = f"{result.measure} of {f.shorten(result.system, width=_NAME)}"
    floor = f.number(result.floor)
    if result.cleared:
        return f"{text} is at least {floor}: the lower end is {w.score(result.ci_low)}"
    if result.ci_high < result.floor:
        return f"{text} is below {floor}: the upper end is {w.score(result.ci_high)}"
    if result.ci_low >= result.floor:
        few = f"with fewer than {FEW_UNITS} queries sign flips must agree, and their lower end is"
        return f"{text} may be below {floor}: {few} {w.score(result.by_flips)}"
    return f"{text} may be below {floor}: the lower end is {w.score(result.ci_low)}"


def _rule(w: Words[Intervals]) -> str:
    result = w.result
    text = f"{w.level} intervals, {TESTS[result.test]}"
    if result.clusters:
        text += f" of {f.plural(result.n_clusters, 'cluster')} by {result.clusters}"
    return text if len(result.rows) < 2 else f"{text}, each alone"


def _method(w: Words[Intervals]) -> str:
    result = w.result
    text = f"Every interval is of the mean over queries at {w.level}: {METHODS[result.test]}"
    if result.clusters:
        text += f", by clusters ({result.clusters}, cluster-robust CR2 for t)"
    text += (
        ". It tells how far the mean would move with other queries of the same kind; it says"
        " nothing of judgments that are missing or wrong. Limits stay inside the measure's range."
    )
    if result.floors:
        text += " A floor is cleared where the lower end of the interval is not below it."
    return text


def _scorecard(w: Words[Intervals]) -> Scorecard:
    """Return one row per mean, with its interval drawn if it has a floor."""
    rows, floors = w.result.rows, {(x.system, x.measure): x for x in w.result.floors}
    multiple = len({row.system for row in rows}) > 1

    def floor_of(row: MeanInterval) -> Floor | None:
        return floors.get((row.system, row.measure))

    def name(row: MeanInterval) -> Cell:
        system = f", {f.shorten(row.system, width=_NAME)}" * multiple
        return Cell(f"{row.measure}{system}", strong=True)

    def limit(row: MeanInterval) -> Cell:
        floor = floor_of(row)
        return Cell("") if floor is None else Cell(f.number(floor.floor), floor.floor)

    def reading(row: MeanInterval) -> Cell:
        floor = floor_of(row)
        if floor is None:
            return Cell("")
        if floor.cleared:
            return Cell("▲ cleared", tone="b")
        return Cell("▼ below" if floor.ci_high < floor.floor else "? unclear", tone="tie")

    def bar(row: MeanInterval) -> Bar | None:
        floor = floor_of(row)
        if floor is None:
            return None
        return Bar(row.mean, *row.interval, tone=reading(row).tone, limit=floor.floor)

    held = [(Column("floor", role="change"), limit), (Column.words("reading", "reading"), reading)]
    return Scorecard.by_row(
        "means",
        rows,
        (Column.name("mean of" if multiple else "measure"), name),
        (Column("mean", role="mean"), lambda row: w.mean(row.mean)),
        *[(DRAWN, Cell.empty)] * bool(floors),
        (Column(f"{w.level} interval", role="interval"), lambda row: Cell(w.range(*row.interval))),
        *held * bool(floors),
        bars=tuple(map(bar, rows)),
        scale=Scale("lower", "higher", ("plain", "plain"), of="mean", signed=False),
        tall=frozenset(),
        legend=(f"Thick: {w.level} interval of the mean", "Tick: its floor") * bool(floors),
        noun="mean",
    )


def _segments(w: Words[Intervals]) -> Section:
    rows = w.result.segments
    multiple = len({row.system for row in w.result.rows}) > 1

    def words(title: str, texts: Iterable[str]) -> tuple[Column, list[Cell]]:
        return Column.words(title), [Cell(f.shorten(text, width=_NAME)) for text in texts]

    table = Table.of(
        "segments",
        *[words("System", [row.system for row in rows])] * multiple,
        (Column.words("Measure"), [Cell(row.measure) for row in rows]),
        *(
            words(capital(name), [getattr(row, name) for row in rows])
            for name in ("property", "segment")
        ),
        (Column("Queries"), [Cell.count(row.n_queries) for row in rows]),
        (Column("Mean"), [w.mean(row.mean) for row in rows]),
        (Column("Interval"), [Cell(w.range(*row.interval)) for row in rows]),
        noun="interval",
    )
    finding = (
        f"Means in segments. Each interval is at {f.level(rows[0].confidence)}, so that those of"
        f" one mean are valid together at {w.level}."
    )
    return Section("segments", "Segments", finding, (table,), EVERYWHERE)
