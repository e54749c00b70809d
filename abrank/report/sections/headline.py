"""The first lines of all outputs: verdict, numbers, meaning, next step, rule."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank._support.display import fit_apart
from abrank.comparison import Comparison
from abrank.report.model import Headline
from abrank.report.sections import decision, design, inputs, planning, words
from abrank.report.sections.decision import gate_sentence
from abrank.report.sections.next_step import next_step
from abrank.verdict import Verdict, says_more_than


def meaning(comparison: Comparison) -> str:
    """Say what the title leaves open: other margins, or what may differ if nothing changed."""
    if comparison.verdict is Verdict.IDENTICAL:
        return decision.unchanged_meaning(comparison)
    return planning.other_margins(comparison)


def contradictions(comparison: Comparison) -> str:
    """Name secondary measures that contradict the verdict; empty if there are none."""
    verdict = comparison.verdict
    if verdict is Verdict.CANNOT_TEST:
        return ""
    if verdict is Verdict.INCONCLUSIVE:
        sentences = (
            _secondary_shown(comparison, reading, f"is {reading}", f"are {reading}")
            for reading in ("worse", "better")
        )
        return words.joined(*sentences)
    lost = verdict in (Verdict.NOT_BETTER, Verdict.WORSE_SIZE_UNCLEAR, Verdict.WORSE)
    lost |= verdict is Verdict.SAME and comparison.decision.direction < 0
    against = "better" if lost else "worse"  # the reading that contradicts the verdict
    return _secondary_shown(comparison, against, "points the other way", "point the other way")


def _secondary_shown(comparison: Comparison, reading: str, singular: str, plural: str) -> str:
    """Name the secondary measures with a reading, except those that only skewness explains."""
    skewed = {
        measure
        for note in comparison.notes
        if note.code == "skewness-decides"
        for measure in note.values["measures"]
    }
    rows = [row for row in comparison.rows if row.measure != comparison.rule.primary]
    measures = [row.measure for row in rows if row.reading == reading and row.measure not in skewed]
    if not measures:
        return ""
    after = " after adjustment" if comparison.rule.adjust != "none" else ""
    names = f.first_of(measures, _MOST_NAMED)
    if len(rows) == 1:
        return f"The secondary measure {singular}{after}: {names}."
    text = f"{f.count(len(measures))} of {f.count(len(rows))}"
    return (
        f"{text} secondary measures {singular if len(measures) == 1 else plural}{after}: {names}."
    )


_MOST_NAMED = 4


# The name of a measure without name, such as that of a Series.
UNNAMED = "score"

_TITLES = {
    Verdict.BETTER: "{b} is better than {a}.",
    Verdict.BETTER_SIZE_UNCLEAR: "{b} is better than {a}, maybe by less than {margin}.",
    Verdict.NOT_WORSE: "{b} is not worse than {a} by {margin} or more; a gain is not significant.",
    Verdict.NOT_BETTER: "{b} is not better than {a} by {margin} or more; a loss is not"
    " significant.",
    Verdict.INCONCLUSIVE: "{n} cannot tell {b} from {a}.",
    Verdict.WORSE_SIZE_UNCLEAR: "{b} is worse than {a}, maybe by less than {margin}.",
    Verdict.WORSE: "{b} is worse than {a}.",
}

_SAME = {
    1: "{b} is better than {a}, but by less than {margin}.",
    0: "{b} and {a} differ by less than {margin}.",
    -1: "{b} is worse than {a}, but by less than {margin}.",
}


LONGEST_IN_LINE = 28


def headline(comparison: Comparison) -> Headline:
    """Return the headline of a comparison."""
    verdict, gate = comparison.verdict, comparison.decision.gate
    glyph, tag = words.tag(verdict)
    step, parts = next_step(comparison), pieces(comparison)
    short_names = fit_apart((comparison.baseline, comparison.candidate), LONGEST_IN_LINE)
    narrow = comparison.renamed(*short_names, digits=comparison.digits)
    in_numbers = numbers(comparison)
    return Headline(
        verdict=verdict.value,
        glyph=glyph,
        tag=f"{tag}, doubtful" if comparison.soundness.level == "doubtful" else tag,
        tone=words.verdict_tone(verdict),
        title=f"{design.order_decides(comparison)}{title(comparison)}",
        line=short(narrow),
        numbers=in_numbers,
        pieces=tuple(parts),
        main_number=parts[0] if parts[0] in in_numbers else words.capital(parts[0]),
        meaning=words.joined(
            meaning(comparison),
            decision.unseen(comparison),
            "" if comparison.decision.by_margin else agreement(comparison),
        ),
        action=step.headline,
        reason=_reason(comparison, step.headline),
        next_step=step.sentence,
        # Without a test there is no rule.
        rule="" if comparison.soundness.level == "unsound" else rule(comparison),
        sensitivity=design.machine_sentence(comparison) or inputs.sensitivity_sentence(comparison),
        falls=any(says_more_than(verdict, item.verdict) for item in inputs.telling(comparison)),
        gate=gate_sentence(comparison),
        gate_passed=gate is not None and gate.passed,
        against=contradictions(comparison),
        # The gate's sentence includes its guards.
        design=words.joined(
            *(x for y, x in design.sentences(comparison) if gate is None or y != "guards"),
            *design.vote_sentences(comparison)[-1:],
        ),
        soundness=decision.doubts(comparison),
    )


def title(comparison: Comparison) -> str:
    """Return the verdict as one sentence."""
    verdict = comparison.verdict
    if comparison.decision.reason == "direction-not-declared":
        return f"Is lower better for {comparison.rule.primary}? Say so."
    if verdict is Verdict.CANNOT_TEST:
        reason = decision.cannot_test(comparison)
        return f"{comparison.candidate} and {comparison.baseline} cannot be tested: {reason}."
    if verdict is Verdict.IDENTICAL:
        return f"{words.capital(decision.unchanged(comparison))}."
    pattern = _SAME[comparison.decision.direction] if verdict is Verdict.SAME else _TITLES[verdict]
    return pattern.format(
        a=comparison.baseline,
        b=comparison.candidate,
        margin=planning.margin_of_what(comparison),
        n=words.queries_of(comparison),
    )


def _reason(comparison: Comparison, action: str) -> str:
    """Return the title for use after an action, which may already name the candidate."""
    lost = [guard for guard in comparison.decision.guards if not guard.passed]
    gate = comparison.decision.gate
    if gate is not None and gate.lacks == "guards" and lost:
        return f"{words.beyond_margin(lost)}."
    text = title(comparison)
    if comparison.rule.margin and comparison.verdict in (Verdict.BETTER, Verdict.WORSE):
        text = f"{text[:-1]} by more than {planning.margin_of_what(comparison)}."
    if comparison.soundness.level == "doubtful":
        text = f"{text[:-1].replace(' is ', ' looks ', 1)}, but this is in doubt."
    return after(action, text, comparison.candidate)


def after(action: str, text: str, candidate: str) -> str:
    """Return a title for use after an action, which may already name the candidate."""
    start = f"{candidate} is "
    if candidate in action and text.startswith(start):
        return f"it is {text.removeprefix(start)}"
    return f"{text[:1].lower()}{text[1:]}" if text.startswith(("Any ", "Over all ")) else text


def short(comparison: Comparison) -> str:
    """Return the verdict with the primary measure, without full stop, for the top of a page."""
    sentence = title(comparison)
    if comparison.decision.reason == "direction-not-declared":
        return sentence
    order = design.order_decides(comparison)
    if order and comparison.verdict is Verdict.INCONCLUSIVE:
        return order.rstrip(" .")
    sentence = f"{order}{sentence.removesuffix('.')}"
    if comparison.rule.primary == UNNAMED or comparison.verdict is Verdict.IDENTICAL:
        return sentence  # needs no measure, or already names it
    plain = comparison.verdict in (Verdict.BETTER, Verdict.WORSE)
    return f"{sentence} {'on' if plain else '·'} {comparison.rule.primary}"


def numbers(comparison: Comparison) -> str:
    """Return the measure and its numbers in one line."""
    primary = comparison.rule.primary
    text = f"{', '.join(pieces(comparison)).replace(', (', ' (')}."
    bare = primary == UNNAMED or not comparison.n_queries
    return words.capital(text) if bare else f"{primary}: {text}"


_USUAL_ALPHA = 0.05


def pieces(comparison: Comparison) -> list[str]:
    """Return difference, interval, means, and p or margin: only what decides."""
    digits = comparison.decimals
    row, rule_ = comparison.primary, comparison.rule
    n = design.sizes(comparison)
    if comparison.n_queries == 0:
        return [n]
    means = f"{f.score(row.mean_a, digits=digits)} → {f.score(row.mean_b, digits=digits)}"
    difference = f.signed(row.diff, digits=digits)
    if comparison.soundness.level == "unsound":
        return [difference, f"({means})", n]
    if comparison.verdict is Verdict.IDENTICAL:
        return [difference, f"({means})", f"{n}, all tied"]
    by = f"p {f.pvalue(row.pvalue_adj, alpha=rule_.alpha)}"
    by += " adjusted" * (rule_.family == "all" and rule_.adjust != "none")
    if rule_.alpha != _USUAL_ALPHA and math.isfinite(row.pvalue_adj):
        by += f" (α {f.alpha(rule_.alpha, [row.pvalue_adj])})"
    if comparison.decision.by_equivalence:
        by = f"margin {planning.margin_of_what(comparison)}"
    interval = planning.deciding_limits(comparison, "CI")
    if rule_.margin_is_relative:
        return [f"{planning.estimate(comparison)} of A's mean", interval, f"({means})", by, n]
    has_share = math.isfinite(row.rel_diff) and comparison.preferences is None
    change = f", {f.percent(row.rel_diff)}" if has_share else ""
    if words.estimand(comparison) == words.MEAN:
        return [difference, interval, f"({means}{change})", by, n]
    estimate = f"{words.estimand(comparison)} {f.signed(row.estimate, digits=digits)}"
    if comparison.with_machine:
        return [estimate, interval, by, n]
    return [difference, f"({means}{change})", estimate, interval, by, n]


def agreement(comparison: Comparison) -> str:
    """Say which other tests are also significant, if the difference is."""
    # Not for a nonsignificant difference, because among many tests some are significant by chance.
    # Not for a doubtful one, because the doubt applies to all tests.
    rows = [row for row in comparison.test_rows if math.isfinite(row.pvalue)]
    plain = comparison.decision.direction and comparison.soundness.level == "sound"
    if not plain or len(rows) < 2 or comparison.with_machine:
        return ""
    alpha, estimate = comparison.rule.alpha, comparison.primary.estimate
    rejecting = [row for row in rows if row.pvalue < alpha]
    against = [row for row in rejecting if row.estimate * estimate < 0.0]
    count = len(rejecting) - len(against)
    evidence = "They use the same data, so this is one piece of evidence."
    if count == len(rows):
        text = "Both" if len(rows) == 2 else f"All {f.word(len(rows))}"
        return f"{text} tests are significant. {evidence}"
    verb = "is" if count == 1 else "are"
    parts = [f"{words.capital(f.word(count))} of {f.word(len(rows))} tests {verb} significant"]
    for remaining, one, several in (
        ([row for row in rows if row not in rejecting], "is not", "are not"),
        (against, "is significant for the other system", "are significant for the other system"),
    ):
        if remaining:
            titles = f.listed([words.title_of_test(row) for row in remaining])
            verb = f"test {one}" if len(remaining) == 1 else f"tests {several}"
            parts.append(f"the {titles} {verb}")
    return f"{'; '.join(parts)}. {evidence}"


def rule(comparison: Comparison) -> str:
    """Return the declared rule as one sentence; the scorecard explains adjustments."""
    declared = comparison.rule
    parts = rule_parts(comparison)
    if declared.require is not None:
        fails_only = declared.require == "no-significant-loss"
        parts.append(f"gate: {'fail only if worse' if fails_only else declared.require}")
    return f"Rule: {', '.join(parts)}. {controlled(comparison)}".rstrip()


def rule_parts(comparison: Comparison) -> list[str]:
    """Return what was declared for the primary measure, in parts, the seed last."""
    declared = comparison.rule
    policy = words.missing_policy(comparison)
    return [
        f"{declared.primary} decides by the {words.name_of_rule(comparison)}",
        _level(comparison),
        planning.declared(comparison),
        *([_POLICIES[policy]] if policy else []),
        f"seed {comparison.seed}",
    ]


def _level(comparison: Comparison) -> str:
    """Return the level, and with several looks that of all looks together."""
    text = f"two-sided α = {words.alpha(comparison)}"
    looks = comparison.rule.design
    if looks is None or not looks.shared:
        return text
    if looks.seen:
        text += f" at {f.count(looks.seen[-1])} of {words.queries(looks.n_planned)}"
        return f"{text}, {f.number(looks.alpha)} in all"
    return f"{text} at look {looks.look} of {looks.n_looks}, {f.number(looks.alpha)} in all"


_POLICIES = {
    "zero": "a query missing from a run scores 0",
    "drop": "queries missing from a run are left out",
}


def adjustment(comparison: Comparison) -> str:
    """Say how the secondary measures are adjusted."""
    method, family = comparison.rule.adjust, comparison.rule.family
    if family == "fixed-sequence":
        level = f.level(comparison.rule.alpha)
        return f"measures tested in the order given, each at {level}, until one shows no difference"
    text = "all" if family == "all" else "secondary"
    if method == "none":
        return f"{text} measures not adjusted"
    name = _ADJUSTMENTS.get(method, method)
    if comparison.n_resamples_joint:
        name += f", {f.count(comparison.n_resamples_joint)} sign flips"
    return f"{text} measures adjusted together ({name})"


def controlled(comparison: Comparison) -> str:
    """Say how often this rule gives false positives, and what increases that."""
    declared, is_many = comparison.rule, len(comparison.rows) > 1
    design, level = declared.design, f.level(declared.alpha)
    in_all = design.alpha if design is not None and design.shared else declared.alpha
    if comparison.preferences is not None and comparison.preferences.attainable is not None:
        in_all = comparison.preferences.attainable
    units = words.unit(comparison)[1]
    start = f"If A and B were equal, this rule would still report a difference in {f.level(in_all)}"
    start += " of comparisons"
    more = f"and more often if B was tuned on these {units}"
    if declared.best_of > 1:
        tried = f.count(declared.best_of)
        in_all, level = declared.best_of * in_all, f.level(declared.best_of * declared.alpha)
        start = (
            f"If all {tried} candidates were equal to A, this rule would still report a difference"
            f" in at most {f.level(in_all)} of such choices"
        )
        more = f"and more often if more than {tried} were tried"
    if design is not None and design.shared:
        sentence = f"{start} in {declared.primary}, at any of the looks"
    elif is_many and declared.adjust == "bh":
        text = "" if declared.family == "all" else "other "
        alone = f"{start} in {declared.primary}. " if text else ""
        return f"{alone}Of the {text}measures reported to differ, about {level} do not."
    elif is_many and declared.adjust == "none":
        sentence = f"{start} in {declared.primary}, and in {level} in each of the other measures"
    elif is_many and declared.family == "secondary":
        sentence = f"{start} in {declared.primary}, and in {level} in any of the other measures"
    else:
        sentence = f"{start} in any measure" if is_many else start
    return f"{sentence}, {more}."


_ADJUSTMENTS = {"max-t": "max-t", "holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH"}
