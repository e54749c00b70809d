"""The end of a ranking's report: assumptions of the test, methods, how to reproduce it."""

from __future__ import annotations

from collections.abc import Iterator

from abrank import inference
from abrank._support import display as f
from abrank._support.errors import ArgumentError
from abrank.measures import parse
from abrank.ranking import Ranking
from abrank.report.model import Block, Cell, Column, Section, Table, Text
from abrank.report.ranking.names import name
from abrank.report.sections.appendix import input_table
from abrank.report.sections.bibliography import entries, key_of

MOST_INPUTS = 20
_ALIKE = "It takes the differences of all pairs to vary alike"
_SYMMETRIC = "It takes the differences of each pair to be symmetric if there is no effect"
_OWN = "each pair has an error of its own"
_ORDERS = "It asks whether all orders of the systems are equally likely, not about means"
# What each test takes for granted; of the paired ones, for each pair by itself.
_ASSUMED = {
    **dict.fromkeys(("tukey", "dunnett"), f"{_ALIKE}, and means of differences to be normal"),
    "randomised-tukey": f"{_ALIKE} if there is no effect, but assumes no distribution",
    **dict.fromkeys(("nemenyi", "conover", "bonferroni-dunn"), _ORDERS),
    "max-t": f"{_SYMMETRIC}; {_OWN}",
    "t": f"It takes the mean difference of each pair to be normal; {_OWN}",
    "permutation": f"{_SYMMETRIC}; {_OWN}",
    "bootstrap": "It takes the queries to be a sample of those in question",
    "wilcoxon": "It takes the differences of each pair to be symmetric, and is about their"
    " pseudo-median, not the mean",
    "sign": "It is about which system wins more queries, not about means",
}
_WHY = (
    "Max-T sign flips are the default: every pair keeps an error of its own, so that variants"
    " of one system do not lend another one their small error; the correlation of the"
    " comparisons is used; and the chance of any false difference holds, step by step from the"
    " largest statistic down (Westfall and Young 1993; Romano and Wolf 2005). Tukey HSD pools"
    " one error for all pairs: of variants beside one other system it found a false difference"
    " in 14 to 31% of samples in place of 5% (reports/calibration)."
)
_SPREADING = frozenset({"tukey", "dunnett", "randomised-tukey"})


def test(ranking: Ranking, *, digits: int) -> Section | None:
    """Return what the test takes for granted, why it is the default, and what others find."""
    if ranking.n_queries < 2:
        return None
    assumed = f"{_ASSUMED[ranking.test]}."
    if ranking.spread is not None and ranking.test in _SPREADING:
        ends = (
            f.score(ranking.spread.least, digits=digits),
            f.score(ranking.spread.most, digits=digits),
        )
        assumed += (
            f" Here the standard deviation of a pair's differences is from {ends[0]} to {ends[1]}:"
            " the test finds too much of the pairs that vary most."
        )
    finding = f"{ranking.title} decided at alpha {f.number(ranking.alpha)}. {assumed}"
    blocks: list[Block] = [Text(_WHY)]
    if ranking.beside:
        blocks += [_others(ranking), Text(_on_others(ranking), "caption")]
    return Section("test", "What the test takes for granted", finding, tuple(blocks))


def _others(ranking: Ranking) -> Table:
    n = len(ranking.pair_rows)
    heads = [Column("Test", numeric=False), Column("Told apart"), Column("Other than decided")]
    leading = ranking.baseline is None
    heads += [Column("Not told apart from the first")] * leading
    own = [Cell(f"{ranking.title} (decides)", strong=True)]
    own += [Cell(f"{f.count(ranking.n_significant)} of {f.count(n)}"), Cell("")]
    own += [Cell(f.count(len(ranking.leaders) - 1))] * leading
    rows = [tuple(own)]
    for other in ranking.beside:
        cells = [
            Cell(other.title),
            Cell(f"{f.count(other.n_significant)} of {f.count(n)}", other.n_significant),
            Cell(f.count(other.n_differ), other.n_differ),
        ]
        rows.append((*cells, *[Cell(f.count(other.n_leaders - 1))] * leading))
    return Table("other-tests", tuple(heads), tuple(rows))


def _on_others(ranking: Ranking) -> str:
    flag = " --baseline …" if ranking.baseline is not None else ""
    return (
        "Wilcoxon with Benjamini-Hochberg often finds more, as it holds another promise: the share"
        " of false differences among those told apart, not the chance of any. Otero, Parapar and"
        " Barreiro (2025, arXiv 2501.03930) recommend it for many systems. Let it decide with"
        f" abrank rank …{flag} --test wilcoxon --adjust bh."
    )


def methods(ranking: Ranking) -> Section:
    """Return a paragraph to paste into a paper, with its sources."""
    measures = ", ".join(name(each) for each in ranking.measures)
    against = "all pairs"
    if ranking.baseline is not None:
        against = f"every other system with {' and '.join(map(name, ranking.baselines))}"
    held = "for each measure" if ranking.n_families == 1 else "for all measures together"
    said = (
        f"{f.plural(len(ranking.systems), 'system').capitalize()} were scored on"
        f" {f.plural(ranking.n_queries, 'query', 'queries')} by {measures}. Means were compared,"
        f" {against}, by {ranking.title} ({_source(ranking)}), paired by query, at alpha"
        f" {f.number(ranking.alpha)}{f' {held}' if ranking.secondary else ''}."
    )
    if ranking.stability:
        said += f" Ranks were resampled over the queries {f.count(ranking.n_drawn)} times."
    version = (ranking.provenance.get("versions") or {}).get("abrank")
    said += f" Computed with abrank{f' {version}' if version else ''}, seed {ranking.seed}."
    bibtex = "\n\n".join(_bibtex(ranking))
    blocks: list[Block] = [Text(said, "code")]
    if bibtex:
        blocks.append(Text(bibtex, "source"))
    return Section("methods", "Methods", "A paragraph to paste, with its sources.", tuple(blocks))


def _source(ranking: Ranking) -> str:
    """Return where the test of the ranking was published."""
    known = inference.JOINT_TESTS if ranking.test in inference.JOINT_TESTS else inference.TESTS
    return known[ranking.test].source


def _bibtex(ranking: Ranking) -> Iterator[str]:
    """Yield the known entries of the measures and the test, each once."""
    sources = [_source(ranking)]
    for measure in ranking.measures:
        try:
            sources.append(parse(measure).entry.source)
        except ArgumentError:
            continue
    keys = {key_of(each) for source in sources for each in source.split("; ")}
    yield from (entries()[key] for key in sorted(keys) if key in entries())


def reproduce(ranking: Ranking) -> Section:
    """Return command, seed, versions and inputs, as far as they are known."""
    known = ranking.provenance
    command = known.get("command")
    facts = [f"Seed {ranking.seed}"]
    if known.get("created"):
        facts.append(f"made {known['created']}")
    facts += [f"{each} {version}" for each, version in (known.get("versions") or {}).items()]
    blocks: list[Block] = [Text(str(command), "code")] if command else []
    blocks.append(Text(f"{', '.join(facts)}."))
    inputs = known.get("inputs") or {}
    if inputs:
        table = input_table(inputs)
        blocks.append(Table(table.key, table.columns, table.rows[:MOST_INPUTS]))
        if len(table.rows) > MOST_INPUTS:
            left = f"The other {f.plural(len(table.rows) - MOST_INPUTS, 'input')}"
            blocks.append(Table("inputs-more", table.columns, table.rows[MOST_INPUTS:], left))
    how = "The command below gives" if command else "The same inputs and seed give"
    return Section("reproduce", "Reproduce", f"{how} the same numbers again.", tuple(blocks))
