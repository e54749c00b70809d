"""The appendix: plan, effect sizes, methods with references, and how to reproduce them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from abrank import inference
from abrank._support import display as f
from abrank._support.display import one_line, to_ascii
from abrank.comparison import Comparison
from abrank.comparison.plans import NOTHING
from abrank.comparison.rows import WITH_MACHINE, MachineJudgments
from abrank.comparison.samples import machine
from abrank.measures.names import known
from abrank.report.data import plain
from abrank.report.model import Block, Cell, Column, Figure, Fold, Section, Table, Text, Words
from abrank.report.sections import design, headline, planning, words

EQUIVALENCE = "Schuirmann 1987"
RELATIVE_CHANGE = "Fieller 1954"
CLUSTERS = "Bell & McCaffrey 2002"
GROUPS = "Welch 1947"
ADJUSTMENTS = {
    "max-t": "Westfall & Young 1993; Boytsov, Belova & Westfall 2013",
    "holm": "Holm 1979",
    "bonferroni": "Dunn 1961",
    "bh": "Benjamini & Hochberg 1995",
    "fixed-sequence": "Westfall & Krishen 2001",
    "none": "",
}

# Authors and year in a citation, between its subject and the place in the text.
_PAPER = re.compile(r"(?:[^:;]*: )?(\D+ \d{4})\b.*")
_ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)


def bibliography(comparison: Comparison) -> str:
    """Return BibTeX for the measures, the test and the adjustment of a comparison."""
    return cited(_sources(comparison))


def cited(sources: Iterable[tuple[str, str]]) -> str:
    """Return BibTeX for named things, each with its source from the catalogues."""
    works = entries()
    named: list[str] = []
    comments = []
    for kind, source in sources:
        keys = [key for key in map(key_of, source.split("; ")) if key in works]
        text = " ".join(keys) or "no source known"
        # BibTeX has no comments; it ignores everything except at signs.
        named_as = to_ascii(one_line(kind, width=60)).replace("@", " at ")
        comments.append(f"% {named_as}: {text}")
        named += [key for key in keys if key not in named]
    return "\n\n".join(["\n".join(comments), *(works[key] for key in sorted(named))]) + "\n"


def _sources(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the methods paragraph names, with the sources from the catalogues."""
    rule = comparison.rule
    yield from of_measures(comparison.measures)
    if rule.test == WITH_MACHINE:
        yield machine.TITLE, machine.SOURCE
    elif rule.independent:
        yield "Welch's t", GROUPS
    elif rule.test in inference.TESTS:
        yield inference.TESTS[rule.test].title, inference.TESTS[rule.test].source
    if len(comparison.measures) > 1 and rule.adjust != "none":
        yield f"Adjustment by {rule.adjust}", ADJUSTMENTS[rule.adjust]
    if rule.margin:
        yield "Two one-sided tests", EQUIVALENCE
    if rule.margin_is_relative:
        yield "Interval of the relative change", RELATIVE_CHANGE
    if comparison.clusters is not None:
        yield "Errors of clusters", CLUSTERS


def of_measures(measures: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each measure with its source; nothing for unknown scores."""
    for measure in measures:
        result = known(measure)
        yield measure, result.entry.source if result else ""


def key_of(source: str) -> str:
    """Return the key of a catalogue's citation: authors and year, or the name of a program."""
    paper = _PAPER.fullmatch(source)
    if paper is None:
        return source.partition(" ")[0].partition(".")[0]
    plain = unicodedata.normalize("NFD", paper.group(1)).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"\w+", plain.lower()))


@lru_cache(maxsize=1)
def entries() -> Mapping[str, str]:
    """Return all bibliography entries by key."""
    text = resources.files("abrank.report.sections").joinpath("sources.bib").read_text("utf-8")
    return {match.group(1): match.group() for match in _ENTRY.finditer(text)}


MOST_INPUTS, MOST_NAMED = 20, 4
_EFFECTS = {
    "d_z": ("Cohen's d_z", "mean difference ÷ its standard deviation"),
    "cohens_d": ("Cohen's d", "mean difference ÷ the pooled standard deviation"),
    "p_better": ("Share where B is ahead", "of {of}; ties count half"),
    "hedges_g": ("Hedges' g", "d corrected for a small sample"),
    "d_av": ("d_av", "mean difference ÷ average standard deviation of A and B"),
    "glass_delta": ("Glass's Δ", "mean difference ÷ standard deviation of A"),
    "rank_biserial": ("Rank-biserial r", "from −1 (A ahead of all) to +1 (B ahead), by rank"),
}


def plan(comparison: Comparison) -> Section | None:
    """Return the section on power; None if no differences vary."""
    if not comparison.planning.smallest_visible > NOTHING:
        return None
    finding = planning.what_they_see(comparison)
    claims = planning.claims(comparison)
    blocks: tuple[Block, ...] = (
        planning.needed_table(comparison),
        *([Text(claims)] if claims else []),
        Text(planning.assumption(comparison), "caption"),
    )
    if planning.smallest_visible(comparison):
        blocks += (Figure("power", f"Power against the true difference. {finding}"),)
    finding = words.joined(finding, planning.queries_planned(comparison))
    more = f"More {words.unit(comparison)[1]}"
    return Section("planning", more, finding, blocks, group="change")


def effects(comparison: Comparison) -> Section | None:
    """Return the section on effect sizes; None if no differences vary."""
    if not comparison.planning.smallest_visible > NOTHING:
        return None
    table = effect_table(comparison)
    name, value, *_ = (item.text for item in table.rows[0])
    return Section("effects", "Effect size", f"{name} is {value}.", (table,), group="appendix")


def effect_table(comparison: Comparison) -> Table:
    """Return the effect sizes, the most common ones first."""
    w = Words(comparison)
    independent, rows = comparison.rule.independent, []
    of = "pairs of units" if independent else "queries"
    for name in sorted(comparison.effects, key=[*_EFFECTS].index):
        effect, (title, meaning) = comparison.effects[name], _EFFECTS[name]
        has_interval = not math.isnan(effect.interval.low)
        text = f.signed(effect.estimate, digits=2)
        limits = f.interval(*effect.interval, digits=2) if has_interval else "–"
        if name == "p_better":
            text, *ends = (
                f.percent(item, sign=False) for item in (effect.estimate, *effect.interval)
            )
            limits = " to ".join(ends) if has_interval else limits
        rows.append((title, Cell(text, effect.estimate), limits, meaning.format(of=of)))
    if not independent:
        correlation = comparison.spread.correlation
        cell = Cell(f.signed(correlation, digits=2), correlation)
        rows.append(("Correlation of A and B", cell, "", "why pairing helps"))
    return Table.by_row(
        "effects",
        rows,
        (Column.words("Effect size"), lambda x: Cell(x[0])),
        (Column("Value"), lambda x: x[1]),
        (Column(f"{w.level} interval"), lambda x: Cell(x[2])),
        (Column.words("What it is"), lambda x: Cell(x[3])),
    )


def methods(text: str, sources: str, *context: Block) -> Section:
    """Return a methods paragraph for a paper or pull request, and its references."""
    blocks = (Text(text, "quote"), *context, Text(sources.strip(), "source"))
    finding = "A paragraph to paste, with its sources."
    return Section("methods", "Methods", finding, blocks, group="appendix")


def methods_text(comparison: Comparison) -> str:
    """Return the methods paragraph: what was compared, how, and by which rule."""
    rule, settings = comparison.rule, comparison.provenance.get("settings") or {}
    sentences = [
        f"We compared {words.followed(comparison.candidate, 'B')} with the baseline"
        f" {words.followed(comparison.baseline, 'A')} on {words.queries_of(comparison)} by"
        f" {rule.primary}.",
        f"The differences B − A{'' if rule.independent else ', paired by query,'} were tested with"
        f" a two-sided {words.declared_test(comparison)} at α = {words.alpha(comparison)};"
        f" intervals have the level {f.level(rule.confidence)}.",
    ]
    if rule.margin:
        level = f.level(rule.confidence_equivalence)
        text = (
            f"The smallest difference worth having was {planning.margin(comparison)}; equivalence"
            f" and non-inferiority were judged by two one-sided tests, that is by the {level}"
            " interval."
        )
        if rule.margin_is_relative:
            text = (
                f"The smallest change worth having was {planning.margin(comparison)} of the"
                " baseline's mean. The relative change was held against it by Fieller's interval,"
                " which takes in the error of that mean; equivalence and non-inferiority were"
                f" judged by two one-sided tests, that is by the {level} interval."
            )
        sentences.append(text)
    if comparison.machine is not None:
        sentences.append(_people_and_machine(comparison, comparison.machine))
    sentences += [text for _, text in design.sentences(comparison)]
    rest = len(comparison.rows) - 1
    if rest:
        measures = ", ".join(row.measure for row in comparison.rows if row.measure != rule.primary)
        adjustment = headline.adjustment(comparison)
        sentences.append(f"{words.capital(adjustment)}: {measures}.")
    if settings.get("missing") == "zero":
        sentences.append("A query missing from a run scored 0.")
    elif settings.get("missing") == "drop":
        sentences.append("A query missing from a run was left out for both systems.")
    sentences.append(computed_with(comparison.provenance, comparison.seed))
    return " ".join(sentences)


def computed_with(provenance: Mapping[str, Any], seed: int) -> str:
    """Return the last sentence of a methods paragraph: version (if known) and seed."""
    version = (provenance.get("versions") or {}).get("abrank")
    return f"Computed with abrank{f' {version}' if version else ''}, seed {seed}."


def _people_and_machine(comparison: Comparison, result: MachineJudgments) -> str:
    """Say who judged which queries, and what was declared about the machine."""
    queries = words.queries(len(result.query_ids))
    shared = design.SHARED.get(result.shared_model or "", "")
    n = f.count(comparison.n_queries)
    text = "the machine's differences were corrected by people's"
    if result.set_aside:
        text = f"{design.ASIDE[result.set_aside].format(n=n)}, so people alone decide"
    sampling = "not a random draw" if result.set_aside == "draw" else "taken as a random draw"
    sentence = f"A machine judged {queries}, and people {n} of them, {sampling}; {text}."
    return words.joined(sentence, design.judge(comparison, result), shared)


def reproduce(
    provenance: Mapping[str, Any], seed: int, results: Mapping[str, Any] | None = None
) -> Section:
    """Return the section with command, seed, versions and inputs, as far as known."""
    # On several collections the inputs are those of the results, by collection and role.
    inputs = provenance.get("inputs") or {}
    if results is not None:
        inputs = {
            f"{collection}: {role}": source
            for collection, result in results.items()
            for role, source in (result.provenance.get("inputs") or {}).items()
        }
    command, created = provenance.get("command"), provenance.get("created")
    facts = [f"Seed {seed}", *([f"made {created}"] if created else [])]
    facts += [f"{name} {version}" for name, version in (provenance.get("versions") or {}).items()]
    blocks: list[Block] = [Text(str(command), "code")] if command else []
    blocks += [Text(f"{', '.join(facts)}."), *_inputs(inputs)]
    # What was asked for, defaults included: they, too, decide the numbers.
    settings = {
        key: "default" if value is None else str(value)
        for key, value in plain(provenance.get("settings") or {}).items()
        if not isinstance(value, (list, dict))
    }
    if settings:
        named, values = map(Cell, settings), map(Cell, settings.values())
        both = (Column.words("Setting"), named), (Column.words("Value"), values)
        blocks.append(Table.of("settings", *both))
    text = "The command below gives" if command else "The same inputs and seed give"
    finding = f"{text} the same numbers again."
    return Section("reproduce", "Reproduce", finding, tuple(blocks), group="appendix")


def _inputs(inputs: Mapping[str, Any]) -> Iterator[Block]:
    """Yield one row per file with its roles; hashes are folded, for ``sha256sum -c``."""
    roles = {"qrels": "Judgments", "a": "A", "b": "B"}
    roles |= {name: words.capital(name) for name in ("segments", "clusters", "topics")}
    roles |= {"machine_qrels": "Machine judgments", "machine": "Machine scores"}
    roles |= {"machine_a": "A, machine scores", "machine_b": "B, machine scores"}
    inputs = cast("Mapping[str, Any]", plain(inputs))
    files: dict[tuple[Any, ...], list[str]] = {}
    for role in [*roles, *(key for key in inputs if key not in roles)]:
        source = inputs.get(role)
        if source is not None:
            file = tuple(source.get(key) for key in ("path", "sha256", "rows"))
            # Objects in memory cannot be identified, so they are listed by role.
            files.setdefault(file if any(file[:2]) else (*file, role), []).append(
                roles.get(role, role)
            )
    rows = []
    for (path, _, n_rows, *_), read_as in files.items():
        n = Cell("" if n_rows is None else f.count(n_rows), n_rows)
        rows.append((Cell(f.first_of(read_as, MOST_NAMED)), Cell(str(path or "in memory")), n))
    columns = Column.words("Input"), Column.words("Path"), Column("Rows")
    if rows:
        yield Table("inputs", columns, tuple(rows[:MOST_INPUTS]))
    if len(rows) > MOST_INPUTS:
        left = f"The other {f.plural(len(rows) - MOST_INPUTS, 'input')}"
        yield Table("inputs-more", columns, tuple(rows[MOST_INPUTS:]), left)
    sums = [f"{digest}  {path or 'in memory'}" for path, digest, *_ in files if digest]
    if sums:
        yield Fold("hashes", "SHA-256 of the inputs", (Text("\n".join(sums), "code"),))
