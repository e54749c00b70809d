"""Which of several measures decides, who chose it, and in which direction each is better.

From a sample to the decision: a row a measure, the family adjusted together, the guards.

The family is that of the secondary measures, the primary one tested alone; that of all measures; or
a fixed sequence, tested one after the other at the full level until one shows no difference.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

import numpy as np

from abrank import inference
from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.rows import MeasureResult
from abrank.comparison.sample import Answer, Sample
from abrank.diagnostics import Note, asks_direction, higher_is_better
from abrank.estimate import Estimate, Interval
from abrank.inference import run_test
from abrank.inference.equivalence import bound_unseen
from abrank.inference.registry import as_alpha
from abrank.measures import Measure, parse
from abrank.rule import Design, GuardResult
from abrank.scoring.scores import Scores
from abrank.verdict import FEW_QUERIES, Decision, Rule, SignFlips, decide

# Taken where nobody chose: the first of these that is there, in whatever order they came.
PREFERRED = ("nDCG@10", "nDCG", "AP", "RR")
# Lines of text in trec_eval's output, which pytrec_eval gives as the number 0.
_TEXTS = ("runid", "relstring")


class Choice(NamedTuple):
    """The measures compared, the one that decides, those shown apart, and how many nobody chose of.

    ``unchosen`` is 0 where somebody named the measure that decides, or there is no other.
    """

    measures: tuple[str, ...]
    primary: str
    apart: tuple[str, ...] = ()
    unchosen: int = 0


def choose(
    measures: Sequence[str],
    named: Sequence[str] | None,
    primary: str | None = None,
    *,
    constant: Collection[str] = (),
) -> Choice:
    """Choose the measure that decides.

    Counts, constants and text are put apart unless they are named. Of several measures without a
    name given, a ranking measure is taken, and it stands first.
    """
    lead = None if primary is None else _among(primary, measures)
    if named is None:
        return Choice(tuple(measures), lead or measures[0])
    own = {*named, *([lead] if lead else [])}
    if len(measures) == 1:
        own = {*measures}
    kept = [name for name in measures if name in own or _may_decide(name, constant)]
    if not kept:
        raise ArgumentError(
            f"none of {', '.join(measures)} says how good a ranking is: say which decides,"
            f' measures="{measures[0]}"',
            command=f"none of {', '.join(measures)} says how good a ranking is; say which decides:"
            f" -m {measures[0]}",
        )
    apart = tuple(name for name in measures if name not in kept)
    if lead or named or len(kept) == 1:
        return Choice(tuple(kept), lead or (named or kept)[0], apart)
    lead = min(kept, key=_preference)
    return Choice((lead, *(name for name in kept if name != lead)), lead, apart, len(kept))


def choose_from(
    scores: Scores, primary: str | None = None, *, gate: bool = False, in_sequence: bool = False
) -> tuple[Scores, str, tuple[Note, ...]]:
    """Return the scores that are compared, the measure that decides, and the notes on it."""
    flat = np.ptp(scores.values, axis=(0, 1)) == 0.0 if scores.values.size else []
    constant = [name for name, is_flat in zip(scores.measures, flat, strict=False) if is_flat]
    found = choose(scores.measures, scores.named, primary, constant=constant)
    notes = unchosen(found, gate=gate, in_sequence=in_sequence)
    if found.apart:
        means = scores.means()
        values = {name: means[:, scores.measures.index(name)].tolist() for name in found.apart}
        notes = (*notes, Note("shown-apart", 1, {"means": values}))
    if found.measures == scores.measures:
        return scores, found.primary, notes
    places = [scores.measures.index(name) for name in found.measures]
    return scores.take(places), found.primary, notes


def unchosen(choice: Choice, *, gate: bool = False, in_sequence: bool = False) -> tuple[Note, ...]:
    """Return the note that nobody chose the measure that decides; refuse what needs a choice."""
    if not choice.unchosen:
        return ()
    if gate or in_sequence:
        refuse_unchosen(choice.unchosen, choice.primary, in_sequence=in_sequence)
    return (Note("nobody-chose", 4, {"primary": choice.primary, "n": choice.unchosen}),)


def refuse_unchosen(n_measures: int, primary: str, *, in_sequence: bool = False) -> NoReturn:
    """Refuse a gate, or a sequence of tests, where nobody chose one of several measures."""
    what = f"{n_measures} measures; say which decides"
    python, command = f'measures="{primary}"', f"-m {primary}"
    if in_sequence:
        what = f"{n_measures} measures; name them in the order of the tests"
        python, command = f'measures=["{primary}", ...]', f"{command} -m ..."
    raise ArgumentError(f"{what}: {python}", command=f"{what}: {command}")


class Directions(NamedTuple):
    """Of each measure whether the higher score is the better one, and of which nobody said so.

    The names of those in ``asked`` sound like a cost.
    """

    higher: dict[str, bool]
    asked: tuple[str, ...] = ()


def directions(
    measures: Sequence[str],
    lower: Sequence[str] | str = (),
    higher: Sequence[str] | str = (),
) -> Directions:
    """Return of each measure whether the higher score is the better one."""
    found = {measure: higher_is_better(measure) for measure in measures}
    said: dict[str, bool] = {}
    for names, is_higher in ((lower, False), (higher, True)):
        option = "higher_is_better" if is_higher else "lower_is_better"
        for name in [names] if isinstance(names, str) else names:
            measure = name if name in found else canonical_name(name)
            if measure not in found:
                raise ArgumentError(f"{option}: {name} is not among {', '.join(measures)}")
            if canonical_name(measure) and found[measure] != is_higher:
                better = "higher" if found[measure] else "lower"
                raise ArgumentError(
                    f"{option}: of {measure} {better} is better, by its definition; the option is"
                    " for scores of which abrank knows no direction"
                )
            if said.get(measure, is_higher) != is_higher:
                raise ArgumentError(f"{name} is named both as lower-is-better and as the contrary")
            said[measure] = is_higher
    asked = tuple(name for name in measures if name not in said and asks_direction(name))
    return Directions(found | said, asked)


def directions_again(higher: Mapping[str, bool], asked: Collection[str]) -> Directions:
    """Return directions that were told before; that of a known measure is its own."""
    said = [name for name in higher if higher[name] and asks_direction(name) and name not in asked]
    return directions(tuple(higher), [name for name in higher if not higher[name]], said)


def require_direction(asked: Collection[str], measures: Sequence[str]) -> None:
    """Refuse a gate on a measure of which nobody said in which direction it is better."""
    for name in measures:
        if name in asked:
            raise ArgumentError(
                f'is lower better for {name}? Say so: lower_is_better="{name}", or'
                f' Question(higher_is_better="{name}")',
                command=f"is lower better for {name}? Say so: --lower-is-better {name}, or"
                f" --config higher_is_better={name}",
            )


def canonical_name(name: str) -> str:
    """Return the canonical name of a measure; empty for a score that is none."""
    return str(_known(name) or "")


def _among(name: str, measures: Sequence[str]) -> str:
    """Return the one of the measures that a name of any dialect means."""
    canonical = name if name in measures else parse(name)
    if canonical not in measures:
        raise ArgumentError(f"the primary measure {canonical} is not among {', '.join(measures)}")
    return measures[measures.index(canonical)]


def _known(name: str) -> Measure | None:
    try:
        return parse(name)
    except ArgumentError:
        return None


def _may_decide(name: str, constant: Collection[str]) -> bool:
    """Whether a measure that nobody named may decide: no count, no constant, no text."""
    known = _known(name)
    if known is not None:
        return known.entry.decides
    folded = name.casefold()
    return not (folded.startswith(("num_", *_TEXTS)) or name in constant)


def _preference(name: str) -> tuple[int, bool]:
    """Return the place of a measure among those that are taken where nobody chose."""
    known = _known(name)
    names = (name, known.entry.name) if known else (name,)
    for place, preferred in enumerate(PREFERRED):
        if preferred in names:
            return place, name != preferred
    return len(PREFERRED) + (known is None) + asks_direction(name), False


ADJUSTMENTS = ("max-t", "holm", "bonferroni", "bh", "none")
# The family that is an adjustment by itself.
SEQUENCE = "fixed-sequence"
FEW_CLUSTERS = "too-few-clusters"


class Adjusted(NamedTuple):
    """Adjusted p-values and intervals of the measures, and the flips that max-t shared (else 0)."""

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_resamples: int


def resolve_adjustment(
    adjust: str | None, test: str, family: str = "secondary", *, design: Design | None = None
) -> str:
    """Return the adjustment for a test: max-t for tests of the mean, Holm for the others.

    Max-t is a joint distribution of mean differences over flips of single queries; it has nothing
    to say of the hypotheses that the Wilcoxon and the sign test test, nor of clusters and of
    confidence sequences, and is refused for them. A fixed sequence has none.
    """
    of_the_mean = inference.TESTS[test].estimand == "mean difference"
    special = design is not None and not design.is_plain
    if family == SEQUENCE:
        if adjust not in (None, "none"):
            raise ArgumentError(
                "a fixed sequence tests one measure after the other and adjusts none: leave out"
                f" {adjust}, or choose family secondary or all"
            )
        return SEQUENCE
    if adjust is None:
        return "max-t" if of_the_mean and not special else "holm"
    checks.one_of("adjust", adjust, ADJUSTMENTS)
    if adjust == "max-t" and special:
        raise ArgumentError(
            "max-t flips the signs of single queries at one look; with clusters, weights or a"
            " confidence sequence use holm, bonferroni or bh"
        )
    if adjust == "max-t" and not of_the_mean:
        raise ArgumentError(
            f"max-t adjusts tests of the mean, not {test}; use holm, bonferroni or bh"
        )
    return adjust


def measure_rows(
    sample: Sample, rule: Rule, better: Directions
) -> tuple[tuple[MeasureResult, ...], int]:
    """Return one row a measure, and the number of sign flips that max-t shared."""
    plain = sample.test(rule.confidence)
    adjusted = adjust_family(sample, plain, rule)
    rows = []
    for i, name in enumerate(sample.measures):
        higher, own = better.higher[name], Estimate.of(plain, i)
        together = Interval(float(adjusted.ci_low[i]), float(adjusted.ci_high[i]))
        mean_a, mean_b = sample.means[:, i].tolist()
        # Where B is higher, tied, lower.
        wins, ties, losses = sample.wins[i].tolist()[:: 1 if higher else -1]
        reading = together.read(
            tested=math.isfinite(own.pvalue),
            moved=bool(wins + losses),
            higher=higher,
            declared=name not in better.asked,
        )
        rows.append(
            MeasureResult(
                measure=name,
                mean_a=mean_a,
                mean_b=mean_b,
                diff=mean_b - mean_a,
                ci_low=own.low,
                ci_high=own.high,
                ci_low_adj=together.low,
                ci_high_adj=together.high,
                rel_diff=(mean_b - mean_a) / mean_a if mean_a else math.nan,
                wins=wins,
                ties=ties,
                losses=losses,
                statistic=float(plain.statistic[i]),
                pvalue=own.pvalue,
                pvalue_adj=float(adjusted.pvalue[i]),
                reading=reading,
                estimate=own.estimate,
                higher_is_better=higher,
            )
        )
    return tuple(rows), adjusted.n_resamples


def adjust_family(sample: Sample, plain: Answer, rule: Rule) -> Adjusted:
    """Adjust the measures of the family together, p-values and intervals by one procedure.

    An adjusted p-value is never below the plain one, nor an adjusted interval inside the plain one.
    For a procedure on p-values (Holm, Bonferroni, BH, a fixed sequence) the interval of a measure
    has the level at which the procedure tested it, ``alpha * p / p_adjusted``, so that it excludes
    0 exactly when the adjusted p-value is below alpha.

    ``plain`` is the answer of the rule's test, at the level to adjust.

    Source of the fixed sequence: Maurer, Hothorn & Lehmacher (1995), Biometrie in der
    chemisch-pharmazeutischen Industrie 6, 3-18; Westfall & Krishen (2001), Journal of Statistical
    Planning and Inference 99, 25-40.
    """
    primary = sample.measures.index(rule.primary)
    pvalue, low, high = plain.pvalue.copy(), plain.ci_low.copy(), plain.ci_high.copy()
    alpha = float(as_alpha(plain.confidence, len(pvalue))[0])
    tested = np.isfinite(plain.pvalue)
    if rule.family == "secondary":
        tested[primary] = False
    family = np.flatnonzero(tested)
    if not family.size or rule.adjust == "none":
        return Adjusted(pvalue, low, high, 0)
    if rule.adjust == "max-t":
        joint = sample.joint(1.0 - alpha, family)
        pvalue[family] = np.maximum(pvalue[family], joint.pvalue)
        low[family] = np.minimum(low[family], joint.ci_low)
        high[family] = np.maximum(high[family], joint.ci_high)
        return Adjusted(pvalue, low, high, joint.n_resamples)
    raw = plain.pvalue[family]
    if rule.adjust == SEQUENCE:
        # The largest p up to each measure, the primary one first; after NaN nothing is shown.
        order = [primary, *(i for i in range(len(pvalue)) if i != primary)]
        adjusted = np.empty_like(pvalue)
        adjusted[order] = np.maximum.accumulate(np.where(np.isnan(pvalue), 1.0, pvalue)[order])
        pvalue = np.where(np.isnan(pvalue), np.nan, adjusted)
    else:
        pvalue[family] = inference.adjust(raw, rule.adjust)
    share = np.divide(raw, pvalue[family], out=np.full(raw.shape, 1.0 / len(raw)), where=raw > 0)
    wide = sample.test(1.0 - alpha * share, family)
    low[family], high[family] = wide.ci_low, wide.ci_high
    return Adjusted(pvalue, low, high, 0)


def interval_of_primary(sample: Sample, rule: Rule, confidence: float) -> Interval:
    """Return the interval of the primary measure that decides: adjusted if it is in the family."""
    primary = sample.measures.index(rule.primary)
    if rule.family != "all":
        return Estimate.of(sample.test(confidence, [primary])).interval
    found = adjust_family(sample, sample.test(confidence), rule)
    return Interval(float(found.ci_low[primary]), float(found.ci_high[primary]))


def guard_results(sample: Sample, rule: Rule, better: Directions) -> tuple[GuardResult, ...]:
    """Test every guard of a rule by the test that decides, at alpha one-sided.

    Of a few queries or clusters the exact flips of their signs must agree. What could not be tested
    has not passed.
    """
    results = []
    for guard in rule.guards:
        # What a gate asks of the primary measure is asked of the guard's.
        own = replace(
            rule,
            primary=guard.measure,
            margin=guard.margin,
            margin_is_relative=guard.margin_is_relative,
            higher_is_better=better.higher[guard.measure],
        )
        try:
            found = _limits(sample, own)
        except ArgumentError as problem:
            raise ArgumentError(f"the guard {guard}: {problem}") from None
        flips = flip_signs(sample, own)
        excluded = own.gain(*found.interval).low > -own.margin
        results.append(
            GuardResult(
                measure=own.primary,
                margin=own.margin,
                margin_is_relative=own.margin_is_relative,
                estimate=found.estimate,
                low=found.low,
                high=found.high,
                higher_is_better=own.higher_is_better,
                passed=excluded and (flips is None or flips.agree("non-inferior", own.alpha)),
                flips=None if flips is None else flips.non_inferior,
            )
        )
    return tuple(results)


def _limits(sample: Sample, own: Rule) -> Estimate:
    """Return the estimate in the unit of the margin, its limits of level ``1 - 2 alpha``."""
    column = sample.measures.index(own.primary)
    if own.margin_is_relative and sample.n:
        change = sample.relative(column, own.alpha)
        return Estimate(change.estimate, change.tost_low, change.tost_high)
    return Estimate.of(sample.test(own.confidence_equivalence, [column]))


def flip_signs(sample: Sample, rule: Rule) -> SignFlips | None:
    """Flip the signs of a few queries, or clusters, about the thresholds of the gates.

    None from ten of them on, and without one.
    """
    if not 0 < sample.n_units < FEW_QUERIES:
        return None
    units = sample.units(sample.measures.index(rule.primary))
    gains: FloatArray = units.differences if rule.higher_is_better else -units.differences
    margins = rule.margin * (units.scores if rule.margin_is_relative else units.sizes)
    shifted = np.stack([gains - margins, gains + margins, margins - gains], axis=1)
    better, not_worse, not_better = run_test(
        "permutation", shifted, alternative="greater", confidence=1.0
    ).pvalue.tolist()
    if not rule.margin:
        return SignFlips(better, math.nan, math.nan)
    return SignFlips(better, not_worse, max(not_worse, not_better))


def decide_on(
    sample: Sample, rule: Rule, better: Directions, span: float
) -> tuple[tuple[MeasureResult, ...], int, Decision]:
    """Return the row of every measure, the flips that max-t shared, and the decision.

    ``span`` is the largest difference that a query can have; infinite where it is not known.
    """
    rows, n_joint = measure_rows(sample, rule, better)
    lead = sample.measures.index(rule.primary)
    row, n = rows[lead], sample.n
    identical = n > 1 and not row.wins + row.losses
    decision = decide(
        rule,
        estimate=row.estimate,
        interval=row.adjusted,
        equivalence_interval=interval_of_primary(sample, rule, rule.confidence_equivalence),
        relative=sample.relative(lead, rule.alpha) if rule.margin_is_relative and n else None,
        identical=identical,
        reason=sample.alike() if identical else _untestable(sample, row),
        unseen=bound_unseen(sample.n_units, alpha=rule.alpha, span=span) if n else None,
        sign_flips=flip_signs(sample, rule),
        guards=guard_results(sample, rule, better),
    )
    return rows, n_joint, decision


def _untestable(sample: Sample, row: MeasureResult) -> str:
    """Return why there is no test; empty where there is one."""
    if sample.n < 2:
        return "too-few-queries"
    if np.isfinite(row.pvalue):
        return ""
    return FEW_CLUSTERS if sample.few_clusters else "no-variance"
