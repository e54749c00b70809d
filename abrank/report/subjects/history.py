"""The report of a ledger: comparisons over time, what they claim, and what to expect again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from abrank._support import display as f
from abrank.ledger import ErrorBudget, History
from abrank.ledger.summary import level_text
from abrank.report.model import (
    EVERYWHERE,
    Bar,
    Caution,
    Cell,
    Chip,
    Column,
    Fact,
    Figure,
    Headline,
    Place,
    Report,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Words,
    counted,
    label,
    named,
    report_of,
    share,
)
from abrank.report.sections.words import tag, verdict_tone
from abrank.report.subjects import compose
from abrank.verdict import Verdict

SHOWN = 40  # comparisons of which a row is shown
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
    title = _title(w)
    chance = sum(query_set.by_chance for query_set in history.query_sets)
    numbers = (
        f"If no candidate were better, we would still expect {chance:.1f} false wins."
        if n
        else "Entries are added by comparisons with --ledger (ledger=)."
    )
    head = Headline(
        verdict="history", glyph="", tag="", tone="plain", title=title, numbers=numbers,
        rule="Nothing is tested anew: each comparison stands as it was decided.",
    )  # fmt: skip
    days = sorted({entry.day for entry in history.entries})
    sections = [] if not n else [_comparisons(w), *_gains(w), _uses(w), *_budgets(w)]
    sections.append(Section("methods", "Methods", "", (Text(_METHOD),), group="appendix"))
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
        sections=tuple(sections),
        facts=(Fact("method", _METHOD, "muted"),) if history.is_known else (),
        chips=tuple(_chips(w)),
        methods=_METHOD,
        hint=".entries  .query_sets  .budgets  .expected",
    )


def _title(w: Words[History]) -> str:
    history = w.result
    n = len(history.entries)
    if not n:
        return "The ledger is empty."
    tones = Counter(verdict_tone(Verdict(entry.verdict)) for entry in history.entries)
    text = f"{f.plural(n, 'comparison')}: {f.count(tones['b'])} better, {f.count(tones['a'])} worse"
    if not history.is_known or not history.claimed:
        return f"{text}."
    return (
        f"{text}. The gains on {history.measure} add up to {w.signed(history.claimed)}, of"
        f" which about {w.signed(history.to_expect)} is to be expected again."
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


def _chips(w: Words[History]) -> Iterator[Chip]:
    history = w.result
    if history.is_known:
        yield Chip("Sum of gains found", w.signed(history.claimed), f"on {history.measure}")
        yield Chip("To be expected again", w.signed(history.to_expect), "of that sum")
    for spent in history.budgets:
        level = level_text(spent.next_alpha)
        yield Chip("Level of the next comparison", level, f"budget {spent.budget}")


def _comparisons(w: Words[History]) -> Section:
    """Return a row a comparison, the newest first; those in the most used measure are drawn."""
    history = w.result
    newest = list(zip(history.entries, history.expected, strict=True))[::-1][:SHOWN]
    entries = [entry for entry, _ in newest]
    n = len(history.entries)
    cut = n > len(entries)
    verdicts = [Verdict(entry.verdict) for entry in entries]
    tones = list(map(verdict_tone, verdicts))
    measure = Counter(entry.measure for entry in entries).most_common(1)[0][0]
    bars = [
        Bar(e.difference, e.low, e.high, tone=tone) if e.measure == measure else None
        for e, tone in zip(entries, tones, strict=True)
    ]
    higher = next(entry.higher_is_better for entry in entries if entry.measure == measure)
    readings = []
    for entry, verdict, tone in zip(entries, verdicts, tones, strict=True):
        gate = f", gate {'✓' if entry.passed else '✗'}" if entry.gate else ""
        look = f", look {entry.look}" if entry.look else ""
        text = f"{tag(verdict)[0]} {entry.verdict.replace('-', ' ')}{look}{gate}"
        readings.append(Cell(text, entry.verdict, tone))
    a, b = (
        [Cell(f.shorten(name, width=_NAME), name) for name in names]
        for names in ([e.baseline for e in entries], [e.candidate for e in entries])
    )
    repeated = []
    if history.is_known:
        gains = [Cell(w.signed(x) if x == x else "·", x) for _, x in newest]
        repeated = [(Column("again"), gains)]
    columns: list[tuple[Column, list[Cell]]] = [
        (Column("day"), [Cell(entry.day, entry.created) for entry in entries]),
        (named("B"), b),
        (label("against A", "mean"), a),
        (label("measure"), [Cell(entry.measure, entry.measure) for entry in entries]),
        (
            Column("Δ", role="change"),
            [w.change(e.difference, tone) for e, tone in zip(entries, tones, strict=True)],
        ),
        (Column("", role="drawn"), [Cell("") for _ in entries]),
        *repeated,
        (Column("p", role="p"), [w.chance(entry.pvalue) for entry in entries]),
        (Column("level"), [Cell(level_text(entry.alpha), entry.alpha) for entry in entries]),
        (label("verdict", "reading"), readings),
    ]
    same = []  # what is the same in every row is said once
    for title, text in {"against A": "against", "measure": "on", "level": "at the level"}.items():
        place = [column.title for column, _ in columns].index(title)
        if len({cell.text for cell in columns[place][1]}) == 1:
            same.append(f"{text} {columns.pop(place)[1][0].text}")
    legend = (
        f"Thick: the interval at its comparison's level{'' if all(bars) else f' on {measure}'}",
        *["Again: expected if repeated"] * bool(repeated),
        *([f"All: {', '.join(same)}"] if same else []),
        *([f"Newest: {f.count(len(entries))} of {f.count(n)}; .json and .csv have all"] * cut),
    )
    card = Scorecard.of(
        "comparisons",
        *columns,
        noun="newest comparison" if cut else "comparison",
        bars=tuple(bars),
        scale=Scale("A better", "B better")
        if higher
        else Scale("B better", "A better", tones=("b", "a")),
        tall=frozenset(),
        legend=legend,
    )
    return Section("comparisons", "Comparisons", "", (card,), EVERYWHERE)


def _gains(w: Words[History]) -> Iterator[Section]:
    """Yield the gains found, added up over time, beside what is to be expected again of them."""
    history = w.result
    if not history.is_known or not history.claimed:
        return
    finding = (
        f"Of {w.signed(history.claimed)} found, about {w.signed(history.to_expect)} is to be"
        " expected on other queries."
    )
    over = f.plural(len(history.entries), "comparison")
    summary = f"Gains on {history.measure} added up over {over}. {finding}"
    yield Section("gains", "Gains over time", finding, (Figure("gains", summary),))


def _uses(w: Words[History]) -> Section:
    sets = w.result.query_sets[:SHOWN]
    table = Table.of(
        "sets",
        (named("Set"), [Cell(item.queries[:8]) for item in sets]),
        (Column("Queries"), [counted(item.n_queries) for item in sets]),
        (Column("Comparisons"), [counted(item.n_comparisons) for item in sets]),
        (Column("Found better"), [counted(item.n_better) for item in sets]),
        (Column("By chance"), [Cell(f"{item.by_chance:.1f}", item.by_chance) for item in sets]),
        (Column("Shared"), [share(item.overlap) for item in sets]),
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


def _budgets(w: Words[History]) -> Iterator[Section]:
    budgets = w.result.budgets
    if not budgets:
        return
    levels = [budget.next_alpha for budget in budgets]
    table = Table.of(
        "budgets",
        (named("Error budget"), [Cell(budget.budget) for budget in budgets]),
        (Column("Comparisons"), [counted(budget.n_comparisons) for budget in budgets]),
        (Column("Found better"), [counted(budget.n_better) for budget in budgets]),
        (Column("Next level"), [Cell(level_text(level), level) for level in levels]),
        noun="budget",
    )
    texts = [
        Text(f"{budget.budget} holds {ErrorBudget.parse(budget.budget).promise}.", "caption")
        for budget in budgets
    ]
    yield Section("budgets", "Error budgets", "", (table, *texts), EVERYWHERE)
