"""What several collections say together, in sentences."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.collections import CollectionsComparison, MeasureSummary, SummaryRow
from abrank.report.cells import one_line
from abrank.report.model import Caution
from abrank.report.sections.notes import cautions as of_comparison
from abrank.report.sections.soundness import clause
from abrank.report.sections.words import system

_SHOWN = ("better", "worse")
# Up to this many collections the prediction interval was seen to miss more often than it says: see
# reports/calibration, "collections with different effects".
FEW = 20
METHOD = (
    "Stratified: the mean over all queries, its error from within the collections (t,"
    " Satterthwaite's degrees of freedom); it speaks of these collections. Random effects: the"
    " collections are a sample of a population; variance between them by Paule and Mandel,"
    " interval by Hartung and Knapp, prediction interval by Higgins, Thompson and Spiegelhalter."
    " Measures are not adjusted for their number; the first decides."
)


def title(found: CollectionsComparison) -> str:
    """Say in one sentence what the primary measure says of both questions.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.collections import summarise_collections
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> title(summarise_collections({"x": one, "y": one}, baseline="bm25", candidate="t5"))
    'These 2 collections cannot tell bm25 and t5 apart.'
    """
    a, b = (_name(each) for each in (found.baseline, found.candidate))
    these, like = found.primary.stratified.reading, found.primary.random.reading
    if found.primary.measure in found.asked:
        return f"Is lower better for {_name(found.primary.measure)}? Say so."
    for name, soundness in found.unsound.items():
        why = clause(soundness.reasons[0], found.comparisons[name], digits=found.decimals)
        more = len(found.unsound) - 1
        others = f", nor on {f.count(more)} more" if more else ""
        said = f"{b} and {a} cannot be tested on {_name(name)}: {why}{others}."
        return f"{said} Mend the inputs, or leave the collection out."
    if these == "identical":
        return f"{a} and {b} score the same on every query of every collection."
    on = f"on average over these {f.plural(len(found.comparisons), 'collection')} {_spread(found)}"
    if these in _SHOWN and like == these:
        return f"{b} is {these} than {a} {on}, and on average over others like them."
    if these in _SHOWN and like in _SHOWN:
        over = f"over all queries {_spread(found)}"
        return f"{b} is {these} than {a} {over}, but {like} on average over collections like these."
    if these in _SHOWN:
        return f"{b} is {these} than {a} {on}; on collections like them it is not shown."
    if like in _SHOWN:
        return (
            f"{b} is {like} than {a} on average over collections like these; over all queries of"
            " these it is not shown."
        )
    return f"These {f.count(len(found.comparisons))} collections cannot tell {a} and {b} apart."


def _spread(found: CollectionsComparison) -> str:
    """Say on how many collections the system that is shown to be better is ahead, and I²."""
    summary = found.primary
    share = summary.heterogeneity.i_squared
    alike = f"; I² {f.percent(share, sign=False)}" if math.isfinite(share) else ""
    where = "ahead" if summary.stratified.reading == "better" else "behind"
    return f"({where} on {f.count(summary.n_ahead)}{alike})"


def sentences(found: CollectionsComparison, *, digits: int) -> list[str]:
    """Return what the summaries of the primary measure say, a sentence or two each."""
    summary = found.primary
    level = f.level(1.0 - found.alpha)
    queries = f.plural(summary.n_queries, "query", "queries")
    said = [
        f"{one_line(summary.measure, width=40)}, mean of the {queries}:"
        f" {_clause(summary.stratified, found.alpha, level, digits)}. Mean of the"
        f" {f.plural(len(summary.rows), 'collection')}, each with the same weight:"
        f" {_clause(summary.equal, found.alpha, '', digits)}.",
        _beyond(summary, found.alpha, level, digits),
        heterogeneity(summary, found.alpha, digits),
        counts(summary),
        _bounded(summary),
    ]
    return [each for each in said if each]


def _clause(row: SummaryRow, alpha: float, level: str, digits: int) -> str:
    interval = f.interval(row.ci_low, row.ci_high, digits=digits)
    of = f"{level} interval " if level else ""
    return (
        f"Δ {f.signed(row.estimate, digits=digits)} ({of}{interval},"
        f" {f.p_clause(row.pvalue, alpha=alpha)})"
    )


def _beyond(summary: MeasureSummary, alpha: float, level: str, digits: int) -> str:
    """Say what holds of collections like these, and of one more."""
    if math.isnan(summary.random.estimate):
        return "Too few collections vary to say anything of collections like these."
    clause = _clause(summary.random, alpha, level, digits)
    said = f"Collections like these (random effects): {clause}."
    if not math.isfinite(summary.prediction_low):
        return f"{said} It takes three collections to say where one more would lie."
    limits = f.interval(*summary.prediction, digits=digits)
    said += f" One more collection would show a Δ of {limits} ({level} prediction interval)."
    if len(summary.rows) <= FEW:
        said += f" With up to {FEW} collections that interval misses more often than it says."
    return said


def heterogeneity(summary: MeasureSummary, alpha: float, digits: int) -> str:
    """Say whether the collections differ by more than chance."""
    found = summary.heterogeneity
    if math.isnan(found.pvalue):
        return ""
    words = "The collections differ by more than chance"
    if not found.pvalue < alpha:
        words = "That the collections differ by more than chance is not shown"
    return (
        f"{words}: Welch's {f.p_clause(found.pvalue, alpha=alpha)}, I²"
        f" {f.percent(found.i_squared, sign=False)}, standard deviation between collections"
        f" {f.score(summary.tau, digits=digits)}."
    )


def counts(summary: MeasureSummary) -> str:
    """Say on how many collections B is better and worse.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.collections import summarise_collections
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> counts(summarise_collections({"x": one, "y": one}).primary)
    'B is better on 0 of the 2 collections, worse on 0 (p adjusted by Holm).'
    """
    better, worse = (f.count(summary.count(each)) for each in _SHOWN)
    n = f.plural(len(summary.rows), "collection")
    same = summary.count("identical")
    tied = f", and all queries tie on {f.count(same)}" if same else ""
    return f"B is better on {better} of the {n}, worse on {worse}{tied} (p adjusted by Holm)."


def _bounded(summary: MeasureSummary) -> str:
    names = [_name(row.collection) for row in summary.rows if row.bounded]
    if not names:
        return ""
    shown = f.first_of(names, 3)
    verb = "has" if len(names) == 1 else "have"
    return (
        f"{shown} {verb} the same Δ on every query; all summaries count it, random effects with an"
        " upper bound of its variance."
    )


def context(found: CollectionsComparison) -> str:
    """Return what is compared, where."""
    n = f.plural(len(found.comparisons), "collection")
    queries = f.plural(found.primary.n_queries, "query", "queries")
    a, b = system("A", found.baseline), system("B", found.candidate)
    return f"{a} (baseline), {b} (candidate), {n}, {queries}"


def _name(name: str) -> str:
    return one_line(name, width=40)


def cautions(found: CollectionsComparison, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of each collection, the most severe first."""
    return of_comparison.by_collection(
        {
            collection: of_comparison.cautions(comparison, digits=digits)
            for collection, comparison in found.comparisons.items()
        },
        found.comparisons,
    )
