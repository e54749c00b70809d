"""The reports of a plan and of an audit: what queries can detect."""

from __future__ import annotations

from collections.abc import Iterator

from abrank._support import display as f
from abrank.planning.audit import MeansAudit
from abrank.planning.plan import Plan, PlanRow, SameRow, WidthRow
from abrank.report.model import (
    DRAWN,
    EVERYWHERE,
    Bar,
    Cell,
    Column,
    Fact,
    Headline,
    Paper,
    Report,
    Scale,
    Scorecard,
    Section,
    Table,
    Text,
    Words,
    report_of,
)
from abrank.report.sections.words import capital, queries, reading_tone
from abrank.report.subjects import compose

NO_SPREAD = (
    "Every query has the same difference. Without spread these numbers say nothing of the next"
    " test: give the standard deviation that you expect (--sd, sd=)."
)
_DIGITS = 4  # decimals of a standard deviation
MANY = 100  # minimum number of pairs for stating a share
_METHOD_OF_AUDIT = (
    "From published means alone the spread of the queries' differences is not known. Of n"
    " differences of scores between 0 and 1 it is largest where all scores are 0 or 1 and as many"
    " queries as possible gain. The smallest p of sign flips is 2^(1 − n), where all differences"
    " are equal; of scores of 0 or 1 whose means are k queries apart it is 2^(1 − k), McNemar's"
    " exact test with no query lost."
)


@compose.register
def compose_plan(plan: Plan, *, digits: int | None = None, measure: str = "") -> Report:
    """Return everything a report says about a plan; ``measure`` is that of the pilot."""
    w = Words(plan, _DIGITS if digits is None else digits)
    unit = f" of {f.shorten(measure, width=24)}" if measure else ""
    what = "a unit's score" if plan.independent else "the differences"
    numbers = f"sd of {what}{unit}: {w.score(plan.sd)}"
    if plan.sd_low > 0.0:
        numbers += f" ({w.range(plan.sd_low, plan.sd_high)})"
    if plan.n_queries is not None:
        numbers += f", {_count(plan, plan.n_queries)}"
    head = Headline(
        verdict="plan",
        title=_title(w),
        numbers=numbers,
        rule=f"{'Welch' if plan.independent else 't'} test, two-sided,"
        f" α = {f.number(plan.alpha)}, {f.level(plan.target)} power",
    )
    return report_of(
        w,
        head,
        context=(head.rule,),
        who="plan",
        file="plan",
        sections=(_table(w),) if plan.rows else (),
        facts=tuple(_facts(w, head)),
        hint=".rows  .n  .mde",
    )


def _nouns(plan: Plan) -> tuple[str, str]:
    return ("unit", "units") if plan.independent else ("query", "queries")


def _count(plan: Plan, n: int) -> str:
    return f.plural(n, *_nouns(plan))


def _size(difference: float) -> str:
    """Format a difference; those from percentages of a mean may have many digits."""
    return f.number(float(f"{difference:.4g}"))


def _title(w: Words[Plan]) -> str:
    """Return the main result: what the available queries detect, or how many are needed."""
    plan = w.result
    if plan.sd == 0.0:
        return NO_SPREAD
    detect = ""
    if plan.n_queries is not None:
        n = _count(plan, plan.n_queries)
        range_ = f" ({w.range(plan.mde_low, plan.mde_high)})" if plan.mde_low > 0.0 else ""
        detect = f"{n} detect a difference of {w.score(plan.mde)}{range_} or more"
        detect += f" with {f.level(plan.target)} power"
    if len(plan.rows) == 1:
        row = plan.rows[0]
        needs = f"A difference of {_size(row.difference)} needs {_needed_with_range(plan, row)}"
        if row.n is None:
            noun = _nouns(plan)[1]
            needs = f"No number of {noun} detects a difference of {_size(row.difference)}"
        return f"{needs}; {detect}" if detect else needs
    if detect:
        return detect
    return f"{capital(_nouns(plan)[1])} needed to detect a difference"


def _facts(w: Words[Plan], head: Headline) -> Iterator[Fact]:
    """Yield the queries for equivalence and for interval widths, and the method."""
    plan = w.result
    if plan.independent:
        split = "split as here" if plan.sd_low > 0.0 else "half in each"
        yield Fact("units", f"of both groups together, {split}", everywhere=True)
    for name, row, what in (
        ("not worse", plan.not_worse, "a loss of "), ("same", plan.same, "a difference of ±"),
    ):  # fmt: skip
        if row is not None:
            text = f"{_needed_with_range(plan, row)} would exclude {what}{_size(row.margin)}"
            yield Fact(name, f"{text} if the true difference is 0", everywhere=True)
    if plan.width is not None:
        level, width = f.level(1.0 - plan.alpha), f.number(plan.width.width)
        needed = _needed_with_range(plan, plan.width)
        text = f"{needed} would give a {level} interval of width {width}"
        yield Fact("width", text, everywhere=True)
    if plan.sd_low > 0.0:
        text = "in brackets, and in the column: what the 95% interval of the sd leaves open"
        yield Fact("range", text, everywhere=True)
    yield Fact("rule", head.rule, "muted")


def _table(w: Words[Plan]) -> Section:
    plan = w.result
    ranges = (Column("Range"), lambda x: Cell(_range(x), x.n_low))
    table = Table.by_row(
        "plan",
        plan.rows,
        (
            Column("True difference", role="change"),
            lambda x: Cell(_size(x.difference), x.difference),
        ),
        (Column(f"{capital(_nouns(plan)[1])} needed"), lambda x: Cell(_needed(x.n), x.n)),
        *[ranges] * (plan.sd_low > 0.0),
        *[(Column(f"Power, n = {f.count(plan.n_queries or 0)}"), lambda x: Cell.share(x.power))]
        * (plan.n_queries is not None),
    )
    return Section("plan", f"{capital(_nouns(plan)[1])} needed", "", (table,), EVERYWHERE)


def _needed(n: int | None) -> str:
    return "no number" if n is None else f.count(n)


def _needed_with_range(plan: Plan, row: PlanRow | SameRow | WidthRow) -> str:
    """Format a number of queries with its noun, and its range if sd is estimated."""
    range_ = f" ({_range(row)})" if plan.sd_low > 0.0 else ""
    return f"{_needed(row.n)}{range_}{'' if row.n else ' of'} {_nouns(plan)[1]}"


def _range(row: PlanRow | SameRow | WidthRow) -> str:
    return f"{_needed(row.n_low)} to {_needed(row.n_high)}"


@compose.register
def compose_audit(result: MeansAudit, *, digits: int | None = None) -> Report:
    """Return everything a report says about two published means."""
    w = Words(result, 3 if digits is None else digits)
    title, tag, glyph = _audited(w)
    n = queries(result.n_queries)
    first = result.rows[0]
    spread = "at the usual spread" if result.board else f"at a spread of {f.number(first.sd)}"
    numbers = (
        f"{result.measure} {w.score(result.a)} → {w.score(result.b)}, Δ"
        f" {w.signed(result.difference)}, {n}; {w.level} CI {w.interval(*first.interval)}"
        f" {spread}, {w.p_clause(first.pvalue)}"
    )
    facts = tuple(_facts_of_audit(w))
    head = Headline(
        verdict="audit",
        glyph=glyph,
        tag=tag,
        title=title,
        numbers=numbers,
        rule=f"Paired t and exact sign flips, two-sided, α = {f.number(result.alpha)}",
    )
    method = _METHOD_OF_AUDIT
    if board := result.board:
        method += (
            f" Usual are the spreads of {f.count(board.n_pairs)} pairs of systems on {board.name}"
            f" ({f.count(board.n_queries)} queries) whose means differ by less than 0.1."
        )
    method += f" Queries needed are of the t test with {f.level(result.target)} power."
    card = _scorecard(w)
    texts = tuple(Text(f"{capital(fact.text)}.") for fact in facts)
    return report_of(
        w,
        head,
        context=(result.measure, n),
        who="audit",
        file="audit",
        sections=(
            Section("spreads", "Intervals", "", (card,)),
            Section("bounds", "What could be", "", texts),
            Section("methods", "Methods", "", (Text(method),)),
        ),
        facts=facts,
        methods=method,
        papers=lambda _: Paper(head.rule, title, "audit", card.without("drawn")),
        hint=".rows  .could_be_significant  .smallest_p  .to_dict()",
    )


def _audited(w: Words[MeansAudit]) -> tuple[str, str, str]:
    """Return the first sentence, its tag and its glyph."""
    result = w.result
    n = queries(result.n_queries)
    if not result.is_possible:
        mean = result.b if result.counts_a else result.a
        text = f"No scores of 0 or 1 on {n} have a mean of {w.score(mean)}."
        return text, "Cannot be", "!"
    if not result.could_be_significant:
        text = "No outcome with these means could have been significant."
        return text, "Cannot be significant", "!"
    if result.must_be_significant:
        return "Every outcome with these means is significant.", "Always significant", "▲"
    spread = "usual spread" if result.board else "spread given"
    if result.rows[0].pvalue < result.alpha:
        return f"At the {spread} this difference is significant.", "Plausible", "△"
    return f"At the {spread} {n} cannot tell these means apart.", "Not significant", "?"


def _facts_of_audit(w: Words[MeansAudit]) -> Iterator[Fact]:
    result = w.result
    sd = w.score(result.sd_limit)
    limit = f"the t test would be significant if the standard deviation were below {sd}"
    if result.board is not None and result.board.n_pairs >= MANY:
        share = result.share_below  # known between the outer deciles
        text = f"about {f.percent(share, sign=False, digits=0)}"
        text = {0.0: "fewer than 10%", 1.0: "more than 90%"}.get(share, text)
        limit += f"; {text} of the stored pairs do"
    yield Fact("spread", limit, everywhere=True)
    kind = "scores of 0 or 1" if result.is_binary else "scores between 0 and 1"
    p = result.smallest_p_binary if result.is_binary else result.smallest_p
    if result.is_possible:
        yield Fact(
            "least p", f"{_least(kind, p)} (exact sign flips)", everywhere=True,
        )  # fmt: skip
    if not result.is_binary:
        if result.counts_a and result.counts_b:
            sentence = _least("scores of 0 or 1", result.smallest_p_binary)
        else:
            sentence = (
                f"with scores of 0 or 1 only, these means are impossible on"
                f" {f.count(result.n_queries)} queries"
            )
        yield Fact("0 or 1", sentence, everywhere=True)
    needed = [
        row.needed for row in result.rows if row.spread != "widest" and row.needed is not None
    ]
    if needed:
        minimum, maximum = f.count(min(needed)), f.count(max(needed))
        text = f"{f.count(needed[0])} queries" + (
            f" ({minimum} to {maximum})" if minimum != maximum else ""
        )
        power = f.level(result.target)
        yield Fact("settle", f"{text} would detect such a difference {power} of the time",
                   everywhere=True)  # fmt: skip
    yield Fact(
        "rounding", f"the means are rounded, so Δ may be off by {f.number(result.rounding)}",
        "muted", everywhere=True,
    )  # fmt: skip


def _least(kind: str, p: float) -> str:
    """Say how small p can be; below the printed precision only that it can be tiny."""
    if p < 0.001:
        return f"{kind} with these means can have p < 0.001"
    return f"no {kind} with these means have a p below {f.number_short(p)}"


def _scorecard(w: Words[MeansAudit]) -> Scorecard:
    result, rows, board = w.result, w.result.rows, w.result.board
    legend = [
        f"Thick: {w.level} interval of Δ by Student's t; widest: no scores in 0 to 1 spread more"
    ]
    if board is not None:
        pairs = f"{f.count(board.n_pairs)} pairs of {board.name}"
        text = f"usual: the median of {pairs}, small and large: one pair in ten is beyond"
        few = (
            f"usual: the median of only {pairs}, small and large: nearly the least and the most of"
            " them; better is a spread that you know (--sd, sd=)"
        )
        legend.append(text if board.n_pairs >= MANY else few)
    return Scorecard.by_row(
        "audit",
        rows,
        (Column.name("spread"), lambda x: Cell(x.spread, strong=x is rows[0])),
        (Column("SD"), lambda x: w.mean(x.sd)),
        (DRAWN, Cell.empty),
        (Column(f"{w.level} interval", role="interval"), lambda x: Cell(w.interval(*x.interval))),
        (Column("p", role="p"), lambda x: w.chance(x.pvalue)),
        (
            Column("queries needed"),
            lambda x: Cell("" if x.needed is None else f.count(x.needed), x.needed),
        ),
        bars=tuple(
            Bar(result.difference, *row.interval, tone=reading_tone(row.interval.read()))
            for row in rows
        ),
        scale=Scale("A better", "B better"),
        legend=tuple(legend),
        noun="spread",
    )
