"""The report of a ledger: comparisons over time, their claims, and expected gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from abrank._support import display as f
from abrank.ledger import ErrorBudget, History, LedgerEntry
from abrank.ledger.summary import level_text
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Caution,
    Cell,
    Column,
    Fact,
    Headline,
    Place,
    Report,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Tone,
    Words,
    report_of,
)
from abrank.report.sections.words import tag, verdict_tone
from abrank.report.subjects import compose
from abrank.verdict import Verdict

SHOWN = 40  # comparisons that are listed
_NAME = 24
_METHOD = (
    "Expected again: the effects of all comparisons in one measure are taken to be normal with"
    " unknown mean and spread, and each gain is drawn towards their mean as far as its own error"
    " asks for; errors of few queries are drawn together, and half of an error's variance is taken"
    " to be common to all, as where they have one baseline (Gelman et al. 2013, section 5.4). It"
    " decides nothing."
)


@compose.register
def compose_history(history: History, *, digits: int | None = None) -> Report:
    """Return everything a report says about a ledger."""
    w = Words(history, history.decimals if digits is None else digits)
    n = len(history.entries)
    chance = sum(query_set.by_chance for query_set in history.query_sets)
    numbers = (
        f"If no candidate were better, we would still expect {_few(chance)} false wins."
        if n
        else "Entries are added by comparisons with --ledger (ledger=)."
    )
    head = Headline(
        verdict="history",
        title=_title(w),
        numbers=numbers,
        rule="Nothing is tested anew: each comparison stands as it was decided.",
    )
    days = sorted({entry.day for entry in history.entries})
    return report_of(
        w,
        head,
        who="history",
        file="history",
        context=(
            f"ledger {f.shorten(history.path, width=60)}",
            f.plural(n, "comparison"),
            f.plural(len(history.query_sets), "set of queries", "sets of queries"),
            *([f"{days[0]} to {days[-1]}" if len(days) > 1 else days[0]] if days else []),
        ),
        cautions=tuple(_cautions(history)),
        sections=(
            *([_comparisons(w), _uses(w)] if n else []),
            _budgets(w) if history.budgets else None,
            Section("methods", "Methods", "", (Text(_METHOD),), group="appendix"),
        ),
        facts=(Fact("method", _METHOD, "muted"),) if history.is_known else (),
        methods=_METHOD,
        hint=".entries  .query_sets  .budgets  .expected",
    )


def _few(count: float) -> str:
    return f"{count:.1f}" if count >= 1.0 else f"{count:.2g}"


def _title(w: Words[History]) -> str:
    history = w.result
    n = len(history.entries)
    if not n:
        return "The ledger is empty."
    tones = Counter(map(_tone, history.entries))
    text = f"{f.plural(n, 'comparison')}: {f.count(tones['b'])} better, {f.count(tones['a'])} worse"
    if not history.is_known or not history.claimed:
        return f"{text}."
    # Gains relative to the same baseline are averaged, because only one candidate can be shipped.
    n_gains = sum(1 for gain, _ in history.gains() if gain)
    times, adds = (1, "add up to") if history.adds_up else (n_gains, "are on average")
    return (
        f"{text}. The gains on {history.measure} {adds} {w.signed(history.claimed / times)}, of"
        f" which about {w.signed(history.to_expect / times)} is to be expected again."
    )


def _cautions(history: History) -> Iterator[Caution]:
    for spent in history.budgets:
        if spent.n_above_level:
            text = (
                f"{f.plural(spent.n_above_level, 'comparison')} of the budget {spent.budget} had a"
                " larger level than their place among the others gives, as where two branches"
                " were merged: the budget promises nothing of these."
            )
            yield Caution("budget-overspent", "Level spent twice", text, 3, page="reuse")
    without = sum(not entry.budget for entry in history.entries)
    if history.budgets and without:
        text = (
            f"{f.plural(without, 'comparison')} of {f.count(len(history.entries))} had no error"
            " budget: what they found is outside its promise."
        )
        yield Caution("outside-the-budget", "Comparisons without a budget", text, 2, page="reuse")


def _tone(entry: LedgerEntry) -> Tone:
    return verdict_tone(Verdict(entry.verdict))


def _comparisons(w: Words[History]) -> Section:
    """Return one row per comparison, newest first, with bars for the most used measure."""
    history, n = w.result, len(w.result.entries)
    rows = list(zip(history.entries, history.expected, strict=True))[::-1][:SHOWN]
    cut = n > len(rows)
    measure = Counter(entry.measure for entry, _ in rows).most_common(1)[0][0]
    higher = next(entry.higher_is_better for entry, _ in rows if entry.measure == measure)
    bars = tuple(
        Bar(x.difference, x.low, x.high, tone=_tone(x)) if x.measure == measure else None
        for x, _ in rows
    )

    def reading(entry: LedgerEntry) -> Cell:
        gate = f", gate {'✓' if entry.passed else '✗'}" if entry.gate else ""
        look = f", look {entry.look}" if entry.look else ""
        glyph, _ = tag(Verdict(entry.verdict))
        text = f"{glyph} {entry.verdict.replace('-', ' ')}{look}{gate}"
        return Cell(text, entry.verdict, _tone(entry))

    repeated = [(Column("again"), [Cell(w.signed(x) if x == x else "·", x) for _, x in rows])]
    entries = [entry for entry, _ in rows]
    columns: list[tuple[Column, list[Cell]]] = [
        (Column("day"), [Cell(x.day, x.created) for x in entries]),
        (
            Column.name("B"),
            [Cell(f.shorten(x.candidate, width=_NAME), x.candidate) for x in entries],
        ),
        (
            Column.words("against A", "mean"),
            [Cell(f.shorten(x.baseline, width=_NAME), x.baseline) for x in entries],
        ),
        (Column.words("measure"), [Cell(x.measure, x.measure) for x in entries]),
        (Column("Δ", role="change"), [w.change(x.difference, _tone(x)) for x in entries]),
        (DRAWN, list(map(Cell.empty, entries))),
        *repeated * history.is_known,
        (Column("p", role="p"), [w.chance(x.pvalue) for x in entries]),
        (Column("level"), [Cell(level_text(x.alpha), x.alpha) for x in entries]),
        (Column.words("verdict", "reading"), list(map(reading, entries))),
    ]
    same = []  # values that are equal in all rows are stated once
    for title, text in {"against A": "against", "measure": "on", "level": "at the level"}.items():
        place = [column.title for column, _ in columns].index(title)
        if len({cell.text for cell in columns[place][1]}) == 1:
            same.append(f"{text} {columns.pop(place)[1][0].text}")
    legend = (
        f"Thick: the interval at its comparison's level{'' if all(bars) else f' on {measure}'}",
        *["Again: expected if repeated"] * history.is_known,
        *([f"All: {', '.join(same)}"] if same else []),
        *([f"Newest: {f.count(len(rows))} of {f.count(n)}; .json and .csv have all"] * cut),
    )
    card = Scorecard.of(
        "comparisons",
        *columns,
        noun="newest comparison" if cut else "comparison",
        bars=bars,
        scale=Scale("A better", "B better").facing(higher_is_better=higher),
        tall=frozenset(),
        legend=legend,
    )
    return Section("comparisons", "Comparisons", "", (card,), EVERYWHERE)


def _uses(w: Words[History]) -> Section:
    sets = w.result.query_sets[:SHOWN]
    table = Table.by_row(
        "sets",
        sets,
        (Column.name("Set"), lambda x: Cell(x.queries[:8])),
        (Column("Queries"), lambda x: Cell.count(x.n_queries)),
        (Column("Comparisons"), lambda x: Cell.count(x.n_comparisons)),
        (Column("Found better"), lambda x: Cell.count(x.n_better)),
        (Column("By chance"), lambda x: Cell(_few(x.by_chance), x.by_chance)),
        (Column("Shared"), lambda x: Cell.share(x.overlap)),
        noun="set",
    )
    caption = (
        "By chance: false wins to expect if no candidate were better (half of each level)."
        " Shared: the largest part of these queries that another set has, too."
    )
    finding = f"The most used set was asked {f.plural(sets[0].n_comparisons, 'time')}."
    blocks = (table, Text(caption, "caption"))
    places: frozenset[Place] = frozenset({"page", "details", "markdown"})
    return Section("sets", "Use of the queries", finding, blocks, places)


def _budgets(w: Words[History]) -> Section:
    table = Table.by_row(
        "budgets",
        w.result.budgets,
        (Column.name("Error budget"), lambda x: Cell(x.budget)),
        (Column("Comparisons"), lambda x: Cell.count(x.n_comparisons)),
        (Column("Found better"), lambda x: Cell.count(x.n_better)),
        (Column("Next level"), lambda x: Cell(level_text(x.next_alpha), x.next_alpha)),
        noun="budget",
    )
    texts = [
        Text(f"{budget.budget} holds {ErrorBudget.parse(budget.budget).promise}.", "caption")
        for budget in w.result.budgets
    ]
    return Section("budgets", "Error budgets", "", (table, *texts), EVERYWHERE)
