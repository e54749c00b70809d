"""Short words shared by sentences: names of tests, verdicts and readings."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abrank import diagnostics, inference
from abrank._support import display as f
from abrank._support.display import one_line
from abrank.comparison.rows import WITH_MACHINE
from abrank.comparison.units import is_relative
from abrank.estimate import GLYPHS
from abrank.report.model import Tone
from abrank.verdict import GLYPHS as VERDICT_GLYPHS
from abrank.verdict import Verdict

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult, TestRow
    from abrank.rule import GuardResult

MEAN = "mean difference"

_NAMES = {
    Verdict.BETTER: "Better",
    Verdict.BETTER_SIZE_UNCLEAR: "Better, size unclear",
    Verdict.SAME: "Same in practice",
    Verdict.NOT_WORSE: "Not worse",
    Verdict.NOT_BETTER: "Not better",
    Verdict.INCONCLUSIVE: "Inconclusive",
    Verdict.WORSE_SIZE_UNCLEAR: "Worse, size unclear",
    Verdict.WORSE: "Worse",
    Verdict.IDENTICAL: "Identical",
    Verdict.CANNOT_TEST: "Cannot test",
}

READINGS = {reading: f"{glyph} {reading}" for reading, glyph in GLYPHS.items()}

# Verdicts that refer to the margin, and their readings.
BY_MARGIN = {
    Verdict.BETTER_SIZE_UNCLEAR: "△ better",
    Verdict.SAME: "= same",
    Verdict.NOT_WORSE: "≥ not worse",
    Verdict.NOT_BETTER: "≤ not better",
    Verdict.WORSE_SIZE_UNCLEAR: "▽ worse",
}

_TONES: dict[str, Tone] = {"better": "b", "worse": "a", "identical": "tie", "unclear": "tie"}


def name_of_test(test: str) -> str:
    """Return the name of a test for use in a sentence."""
    if test == WITH_MACHINE:
        return "prediction-powered t test"
    if test == "stratified":
        return "t test stratified by collection"
    return inference.TESTS[test].phrase


_OF_CLUSTERS = {
    "t": "cluster-robust t test",
    "permutation": "sign-flip test of clusters",
    "bootstrap": "bootstrap test of clusters",
    "stratified": "cluster-robust t test within collections",
}


def name_of_rule(comparison: Comparison) -> str:
    """Return the name of the deciding test, including its design."""
    design = comparison.rule.design
    if design is not None and design.clusters:
        clusters = comparison.clusters
        test = clusters.test if clusters is not None and clusters.test else comparison.rule.test
        return f"{'weighted ' * bool(design.weights)}{_OF_CLUSTERS.get(test, test)}"
    if design is not None and design.weights:
        return "weighted t test"
    if comparison.rule.independent:
        return "Welch t test"
    if design is not None and design.planned:
        bets = comparison.rule.test == "bounded"
        return "betting confidence sequence" if bets else "confidence sequence"
    return name_of_test(comparison.rule.test)


def title_of_test(row: TestRow) -> str:
    """Return the title of a test for use in a list within a sentence."""
    name, _, kind = row.title.partition(", ")
    if row.test != "wilcoxon":
        name = name[:1].lower() + name[1:]
    return f"{name} ({kind})" if kind else name


def tag(verdict: Verdict) -> tuple[str, str]:
    """Return a verdict's glyph and tag."""
    return VERDICT_GLYPHS[verdict], _NAMES[verdict]


def verdict_tone(verdict: Verdict) -> Tone:
    """Return the colour of a verdict, that of the better system."""
    if verdict in (Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR):
        return "b"
    if verdict in (Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR):
        return "a"
    return "tie"


def reading(comparison: Comparison, row: MeasureResult) -> str:
    """Return a measure's reading; that of the primary one includes the margin."""
    lead = row.measure == comparison.rule.primary
    if comparison.soundness.forbids(row.measure, is_primary=lead):
        return READINGS["untested"]
    if not lead:
        return against_zero(comparison, row.reading)
    return BY_MARGIN.get(comparison.verdict, "") or READINGS[row.reading]


def against_zero(comparison: Comparison, reading: str) -> str:
    """Return the reading of a row that ignores the margin, and why it differs from others."""
    told_apart = comparison.rule.margin > 0.0 and reading in ("better", "worse")
    return f"{READINGS[reading]}{' than 0' * told_apart}"


def reading_tone(reading: str) -> Tone:
    """Return the colour of a measure's reading."""
    return _TONES.get(reading, "plain")


def estimand(comparison: Comparison) -> str:
    """Return the estimand of the deciding test: "mean difference" for tests of the mean."""
    return next((row.estimand for row in comparison.test_rows if row.decides), MEAN)


def delta_title(comparison: Comparison) -> str:
    """Return the heading of differences with intervals."""
    return "Δ%" if is_relative(comparison) else "Δ"


def wins(comparison: Comparison) -> str:
    """Return the word for queries on which a system is ahead: wins, if the direction is known."""
    return "wins" if comparison.rule.direction_declared else "higher"


def declared_test(comparison: Comparison) -> str:
    """Return the name of the deciding test, and the method of its p-value if there are several."""
    name = name_of_rule(comparison)
    row = next((row for row in comparison.test_rows if row.decides), None)
    if row is None or row.method == "closed form":
        return name
    text = f"{f.count(row.n_resamples)} resamples" if row.n_resamples else row.method
    return f"{name} ({text})"


def how_found(row: TestRow, *, alpha: float) -> str:
    """Say how a p-value was computed, and its standard error if it is Monte Carlo."""
    if row.n_resamples:
        error = f.score(row.pvalue_error, digits=4)
        return f"{row.method}, {f.count(row.n_resamples)} resamples, standard error {error}"
    low, high = (f.pvalue(item, alpha=alpha) for item in (row.pvalue_low, row.pvalue_high))
    return row.method if low == high else f"{row.method}, between {low} and {high}"


def statistic(row: TestRow, *, digits: int) -> str:
    """Format a statistic; counts of wins and rank sums without needless decimals."""
    counts = row.test in ("sign", "wilcoxon") and (2.0 * row.statistic).is_integer()
    if not counts:
        return f.score(row.statistic, digits=digits)
    return f.count(int(row.statistic)) + (".5" if row.statistic % 1 else "")


def system(letter: str, name: str) -> str:
    """Return a system's letter and name, without repetition."""
    name = name.removesuffix(f" ({letter})")
    return letter if name == letter else f"{letter} {name}"


def followed(name: str, letter: str) -> str:
    """Return a system's name followed by its letter, unless the letter is its name."""
    return name if name == letter else f"{name.removesuffix(f' ({letter})')} ({letter})"


def alpha(comparison: Comparison) -> str:
    """Format the level of the tests."""
    # Consider every p-value that is compared with the level.
    pvalues = [row.pvalue for row in comparison.test_rows]
    for row in comparison.rows:
        pvalues += [row.pvalue, row.pvalue_adj]
    for segmentation in comparison.segmentations:
        pvalues.append(segmentation.interaction_pvalue_adj)
        pvalues += [row.pvalue_adj for row in segmentation.rows]
    return f.alpha(comparison.rule.alpha, pvalues)


def counted(readings: Iterable[str]) -> str:
    """Count rows by reading, such as "2 better, 1 worse, 3 unclear"."""
    counts = Counter(readings)
    order = [*READINGS, *(reading for reading in counts if reading not in READINGS)]
    return ", ".join(f"{f.count(counts[name])} {name}" for name in order if counts[name])


def name(text: object) -> str:
    """Return a name on one line, shortened if very long."""
    return one_line(str(text), width=40)


def typed(text: object) -> str:
    """Return a name as typed in a command: complete, and quoted if necessary."""
    return shlex.quote(str(text))


def declared_where(stated: Mapping[str, Any]) -> str:
    """Say when and in which file something was declared, for the end of a sentence."""
    day = f" on {name(stated['date'])}" if stated.get("date") else ""
    path = one_line(str(stated.get("path")), width=60)
    return f"{day} in {path} (sha256 {str(stated.get('sha256'))[:12]}…)"


def queries(n: int) -> str:
    """Format a number of queries."""
    return f.plural(n, "query", "queries")


def choice(kind: str, n_queries: int) -> str:
    """Return another choice of queries or documents for use after a verdict."""
    return {
        "shared-queries": f"on the {queries(n_queries)} that both runs have",
        "missing-as-zero": f"on all {queries(n_queries)} with the missing ones scored 0",
        "failed-dropped": f"on the {queries(n_queries)} with both scores",
        "failed-worst": "with the worst score where one is missing",
        "failed-best": "with the best score where one is missing",
        "judged-only": "with judged documents only",
        "partly-condensed": "with unjudged documents partly left out",
    }[kind]


def unit(comparison: Comparison) -> tuple[str, str]:
    """Return the words for one and for several of the compared units."""
    votes = comparison.preferences
    clicked = votes is not None and votes.credits is not None
    if comparison.rule.independent:
        return "unit", "units"
    return ("impression", "impressions") if clicked else ("query", "queries")


def queries_of(comparison: Comparison) -> str:
    """Format the number of compared queries, or impressions of interleaved lists."""
    return f.plural(comparison.n_queries, *unit(comparison))


def by_property(clusters: str) -> str:
    """Name the property of the clusters, unless it has no other name."""
    return "" if clusters == "clusters" else f" by {name(clusters)}"


def all_tied(comparison: Comparison) -> bool:
    """Whether all differences of the primary measure are 0, so that nothing is drawn."""
    return not comparison.primary.wins + comparison.primary.losses


def missing_policy(comparison: Comparison) -> str | None:
    """Return how missing queries were treated, ``zero`` or ``drop``; None without any."""
    return diagnostics.missing_policy([*comparison.audits.values()], comparison.query_ids)


def joined(*sentences: str) -> str:
    """Join sentences to a paragraph, without empty ones."""
    return " ".join(filter(None, sentences))


def capital(text: str) -> str:
    """Capitalise a clause for the start of a sentence."""
    return text[:1].upper() + text[1:]


def lost(measure: str, margin: str, *, higher: bool, certain: bool) -> str:
    """Say that a measure is, or may be, worse by a margin."""
    if certain:
        return f"{measure} {'lost' if higher else 'rose by'} more than {margin}"
    return f"{measure} may have {'lost' if higher else 'risen by'} {margin} or more"


def beyond_margin(guards: Sequence[GuardResult]) -> str:
    """Name the measures that lost, or may have lost, their margin."""
    shown = [guard.measure for guard in guards if guard.shows_loss]
    if len(shown) == len(guards):
        verb, whose = ("is", "its margin") if len(shown) == 1 else ("are", "their margins")
        return f"{f.listed(shown)} {verb} worse by more than {whose}"
    return f"{f.listed([guard.measure for guard in guards])} may be worse by its margin"


_PERSONS = ("Tukey", "Dunnett", "Wilcoxon", "Friedman", "Hall")


def in_sentence(title: str) -> str:
    """Return the title of a test for use within a sentence."""
    if title.startswith(_PERSONS):
        return title
    return f"{title[:1].lower()}{title[1:]}".replace("paired t,", "paired t tests,")
