"""The report of an audit: what two published means and the number of queries alone say."""

from __future__ import annotations

from collections.abc import Iterator

from abrank._support import display as f
from abrank.planning.audit import Audit
from abrank.report.model import (
    DRAWN,
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
    Text,
    Words,
    named,
    report_of,
)
from abrank.report.sections.words import reading_tone
from abrank.report.subjects import compose

MANY = 100  # pairs of which a share is told


@compose.register
def compose_audit(found: Audit, *, digits: int | None = None) -> Report:
    """Return everything a report says about two published means."""
    w = Words(found, 3 if digits is None else digits)
    title, tag, glyph = _verdict(w)
    queries = f.plural(found.n_queries, "query", "queries")
    first = found.rows[0]
    spread = "at the usual spread" if found.board else f"at a spread of {f.number(first.sd)}"
    numbers = (
        f"{found.measure} {w.score(found.a)} → {w.score(found.b)}, Δ {w.signed(found.difference)},"
        f" {queries}; {w.level} CI {w.interval(*first.interval)} {spread},"
        f" {w.p_clause(first.pvalue)}"
    )
    facts = tuple(_facts(w))
    head = Headline(
        verdict="audit", glyph=glyph, tag=tag, tone="plain", title=title, numbers=numbers,
        rule=f"Paired t and exact sign flips, two-sided, alpha {f.number(found.alpha)}",
    )  # fmt: skip
    method = _method(w)
    card = _scorecard(w)
    said = tuple(Text(f"{each.text[0].upper()}{each.text[1:]}.") for each in facts)
    return report_of(
        w,
        head,
        context=(found.measure, queries),
        who="audit",
        file="audit",
        sections=(
            Section("spreads", "Intervals", "", (card,)),
            Section("bounds", "What could be", "", said),
            Section("methods", "Methods", "", (Text(method),)),
        ),
        facts=facts,
        methods=method,
        papers=lambda _: Paper(head.rule, title, "audit", card.without("drawn")),
        hint=".rows  .could_be_significant  .smallest_p  .to_dict()",
    )


def _verdict(w: Words[Audit]) -> tuple[str, str, str]:
    """Return the sentence that is said first, its tag and its glyph."""
    found = w.result
    queries = f.plural(found.n_queries, "query", "queries")
    if not found.is_possible:
        mean = found.b if found.counts_a else found.a
        said = f"No scores of 0 or 1 on {queries} have a mean of {w.score(mean)}."
        return said, "cannot be", "!"
    if not found.could_be_significant:
        said = "No outcome with these means could have been significant."
        return said, "cannot be significant", "!"
    if found.must_be_significant:
        return "Every outcome with these means is significant.", "always significant", "▲"
    spread = "usual spread" if found.board else "spread given"
    if found.rows[0].pvalue < found.alpha:
        return f"At the {spread} this difference is significant.", "plausible", "△"
    return f"At the {spread} {queries} do not show that these means differ.", "not shown", "?"


def _facts(w: Words[Audit]) -> Iterator[Fact]:
    found = w.result
    sd = w.score(found.sd_limit)
    limit = f"significant by t if the queries' differences spread by less than {sd}"
    if found.board is not None and found.board.n_pairs >= MANY:
        share = found.share_below  # known between the outer deciles
        many = f"about {f.percent(share, sign=False, digits=0)}"
        many = {0.0: "fewer than 10%", 1.0: "more than 90%"}.get(share, many)
        limit += f"; {many} of the stored pairs do"
    yield Fact("spread", limit, everywhere=True)
    kind = "scores of 0 or 1" if found.is_binary else "scores between 0 and 1"
    p = found.smallest_p_binary if found.is_binary else found.smallest_p
    if found.is_possible:
        yield Fact(
            "least p", f"no {kind} with these means have a p below {_small(p)} (exact sign flips)",
            everywhere=True,
        )  # fmt: skip
    if not found.is_binary:
        if found.counts_a and found.counts_b:
            said = f"were all scores 0 or 1, the least p would be {_small(found.smallest_p_binary)}"
        else:
            said = f"no scores of 0 or 1 on {f.count(found.n_queries)} queries have these means"
        yield Fact("0 or 1", said, everywhere=True)
    needed = [row.needed for row in found.rows if row.spread != "widest" and row.needed is not None]
    if needed:
        least, most = f.count(min(needed)), f.count(max(needed))
        many = f"{f.count(needed[0])} queries" + (f" ({least} to {most})" if least != most else "")
        power = f.level(found.target)
        yield Fact("settle", f"{many} would show such a difference with {power} power",
                   everywhere=True)  # fmt: skip
    yield Fact(
        "rounding", f"the means are rounded, so Δ may be off by {f.number(found.rounding)}",
        "muted", everywhere=True,
    )  # fmt: skip


def _small(p: float) -> str:
    return f"{p:.1e}" if p < 0.001 else f.number_short(p)


def _scorecard(w: Words[Audit]) -> Scorecard:
    """Return a row a spread, with the interval that it gives."""
    found, rows, board = w.result, w.result.rows, w.result.board
    legend = [f"━ {w.level} interval of Δ by Student's t; widest: no scores in 0 to 1 spread more"]
    if board is not None:
        pairs = f"{f.count(board.n_pairs)} pairs of {board.name}"
        said = f"usual: the median of {pairs}, small and large: one pair in ten is beyond"
        few = (
            f"usual: the median of only {pairs}, small and large: nearly the least and the most of"
            " them; better is a spread that you know (--sd, sd=)"
        )
        legend.append(said if board.n_pairs >= MANY else few)
    needed = [row.needed for row in rows]
    return Scorecard.of(
        "audit",
        (named("spread"), [Cell(row.spread, strong=i == 0) for i, row in enumerate(rows)]),
        (Column("sd"), [w.mean(row.sd) for row in rows]),
        (DRAWN, [Cell("") for _ in rows]),
        (
            Column(f"{w.level} interval", role="interval"),
            [Cell(w.interval(*row.interval)) for row in rows],
        ),
        (Column("p", role="p"), [w.chance(row.pvalue) for row in rows]),
        (Column("queries needed"), [Cell("" if n is None else f.count(n), n) for n in needed]),
        bars=tuple(
            Bar(found.difference, *row.interval, tone=reading_tone(row.interval.read()))
            for row in rows
        ),
        scale=Scale("A better", "B better"),
        legend=tuple(legend),
        noun="spread",
    )


def _method(w: Words[Audit]) -> str:
    found = w.result
    said = (
        "From published means alone the spread of the queries' differences is not known. Of n"
        " differences of scores between 0 and 1 it is largest where all scores are 0 or 1 and as"
        " many queries as possible gain. The smallest p of sign flips is 2^(1 − n), where all"
        " differences are equal; of scores of 0 or 1 whose means are k queries apart it is"
        " 2^(1 − k), McNemar's exact test with no query lost."
    )
    if found.board is not None:
        said += (
            f" Usual are the spreads of {f.count(found.board.n_pairs)} pairs of systems on"
            f" {found.board.name} ({f.count(found.board.n_queries)} queries) whose means differ by"
            " less than 0.1."
        )
    return f"{said} Queries needed are of the t test with {f.level(found.target)} power."
