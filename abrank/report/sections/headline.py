"""The first lines of every output: verdict, numbers, what they mean, what to do, the rule."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.model import Headline
from abrank.report.sections import words
from abrank.report.sections.gate import equivalence_interval, gate_sentence
from abrank.report.sections.next_step import next_step
from abrank.verdict import Verdict

# What a measure without a name is called: a Series of scores has none.
UNNAMED = "score"

_TITLES = {
    Verdict.BETTER: "{b} is better than {a}.",
    Verdict.BETTER_SIZE_UNCLEAR: "{b} is better than {a}, maybe by less than the margin.",
    Verdict.NOT_WORSE: "{b} is not worse than {a}; whether it is better is open.",
    Verdict.NOT_BETTER: "{b} is not better by the margin; whether it is worse is open.",
    Verdict.INCONCLUSIVE: "{n} cannot tell {a} and {b} apart.",
    Verdict.WORSE_SIZE_UNCLEAR: "{b} is worse than {a}, maybe by less than the margin.",
    Verdict.WORSE: "{b} is worse than {a}.",
    Verdict.IDENTICAL: "{a} and {b} score the same on every query.",
}

_SAME = {
    1: "{b} is better, but by too little to matter.",
    0: "{a} and {b} are the same for practical purposes.",
    -1: "{b} is worse, but by too little to matter.",
}


def headline(comparison: Comparison, *, digits: int) -> Headline:
    """Return the headline of a comparison."""
    verdict = comparison.verdict
    glyph, tag = words.tag(verdict)
    return Headline(
        verdict=verdict.value,
        glyph=glyph,
        tag=tag,
        tone=words.verdict_tone(verdict),
        title=title(comparison, digits=digits),
        numbers=numbers(comparison, digits=digits),
        meaning=" ".join(
            part
            for part in (
                against_margin(comparison, digits=digits),
                agreement(comparison),
            )
            if part
        ),
        next_step=next_step(comparison, digits=digits).sentence,
        rule=rule(comparison, digits=digits),
        gate=gate_sentence(comparison, digits=digits) if comparison.decision.gate else "",
    )


def title(comparison: Comparison, *, digits: int) -> str:
    """Return the verdict as one sentence."""
    verdict = comparison.verdict
    if verdict is Verdict.CANNOT_TEST:
        reason = words.cannot_test(comparison, digits=digits)
        return f"{comparison.candidate} and {comparison.baseline} cannot be tested: {reason}."
    pattern = _SAME[comparison.decision.direction] if verdict is Verdict.SAME else _TITLES[verdict]
    return pattern.format(
        a=comparison.baseline,
        b=comparison.candidate,
        n=words.queries(comparison.n_queries),
    )


def short(comparison: Comparison, *, digits: int) -> str:
    """Return the verdict with the primary measure, without a full stop, for the top of a page."""
    sentence = title(comparison, digits=digits).rstrip(".")
    if comparison.rule.primary == UNNAMED:
        return sentence
    plain = comparison.verdict in (Verdict.BETTER, Verdict.WORSE)
    return f"{sentence} {'on' if plain else '·'} {comparison.rule.primary}"


def numbers(comparison: Comparison, *, digits: int) -> str:
    """Return both means, the difference with its interval, and p, as one sentence."""
    row, rule_ = comparison.primary, comparison.rule
    if comparison.n_queries == 0:
        return "0 queries."
    level = f"{f.level(rule_.confidence)} confidence interval"
    limits = f"{level} {f.interval(row.ci_low, row.ci_high, digits=digits)}"
    change = f"; {f.percent(row.rel_diff)}" if math.isfinite(row.rel_diff) else ""
    start = "The score goes" if row.measure == UNNAMED else f"{row.measure} goes"
    start += f" from {f.score(row.mean_a, digits=digits)} to {f.score(row.mean_b, digits=digits)}"
    difference = f.signed(row.diff, digits=digits)
    p = f.p_clause(row.pvalue, alpha=rule_.alpha)
    end = f"{p}, {words.queries(comparison.n_queries)}."
    if words.estimand(comparison) == words.MEAN:
        return f"{start}: {difference} ({limits}{change}), {end}"
    estimate = f.signed(row.estimate, digits=digits)
    return (
        f"{start}: {difference}{change.replace(';', ',')}. The {words.estimand(comparison)} is"
        f" {estimate} ({limits}), {end}"
    )


_MEANINGS = {
    Verdict.BETTER: (
        "The whole interval lies above the declared margin of {margin}, so the gain is large enough"
        " to matter."
    ),
    Verdict.WORSE: (
        "The whole interval lies below −{margin}, beyond the declared margin, so the loss is large"
        " enough to matter."
    ),
    Verdict.BETTER_SIZE_UNCLEAR: (
        "The interval excludes 0 but reaches below the declared margin of {margin}: the gain is"
        " shown, its size is open."
    ),
    Verdict.WORSE_SIZE_UNCLEAR: (
        "The interval excludes 0 but reaches above −{margin}, within the declared margin: the loss"
        " is shown, its size is open."
    ),
    Verdict.NOT_WORSE: (
        "The {wider}, which decides this, excludes a loss as large as the margin of {margin}, but"
        " not a gain that large."
    ),
    Verdict.NOT_BETTER: (
        "The {wider}, which decides this, excludes a gain as large as the margin of {margin}, but"
        " not a loss that large."
    ),
    Verdict.INCONCLUSIVE: (
        "The interval allows a loss as well as a gain of {margin}, the declared margin."
    ),
}

_WITHOUT_MARGIN = {
    1: "The whole interval lies above 0. No margin was declared: give --margin (margin=) to ask"
    " whether the gain matters.",
    0: "The interval contains 0: it allows a loss as well as a gain.",
    -1: "The whole interval lies below 0. No margin was declared: give --margin (margin=) to ask"
    " whether the loss matters.",
}

_NOTHING = "Nothing was tested, so nothing is shown, one way or the other."

_SAME_MEANING = {
    1: "The interval excludes 0, and also any gain as large as the margin of {margin}.",
    0: "The {wider}, which decides this, lies within the margin of ±{margin}.",
    -1: "The interval excludes 0, and also any loss as large as the margin of {margin}.",
}


def against_margin(comparison: Comparison, *, digits: int) -> str:
    """Say what the interval means against the declared margin."""
    verdict, direction = comparison.verdict, comparison.decision.direction
    if verdict is Verdict.IDENTICAL:
        return _identical(comparison)
    if verdict is Verdict.CANNOT_TEST:
        other = words.other_test(comparison)
        return f"{words.capital(other)}." if other else _NOTHING
    if comparison.rule.margin == 0:
        return _WITHOUT_MARGIN[direction]
    pattern = _SAME_MEANING[direction] if verdict is Verdict.SAME else _MEANINGS[verdict]
    return pattern.format(
        margin=f.score(comparison.rule.margin, digits=digits),
        wider=equivalence_interval(comparison, digits=digits),
    )


def _identical(comparison: Comparison) -> str:
    """Say whether two identical systems are one file."""
    hashes = [_hash(comparison, key) for key in "ab"]
    if hashes[0] and hashes[0] == hashes[1]:
        return (
            f"Both runs are the same file (sha256 {hashes[0][:12]}…): compare two different runs."
        )
    return "Check that two different systems were compared."


def _hash(comparison: Comparison, key: str) -> str:
    from abrank.report.numbers import plain

    inputs = plain(comparison.provenance.get("inputs") or {})
    return str(inputs.get(key, {}).get("sha256") or "") if isinstance(inputs, dict) else ""


def agreement(comparison: Comparison) -> str:
    """Count how many tests put which system ahead, and how many reject."""
    if comparison.verdict in (Verdict.IDENTICAL, Verdict.CANNOT_TEST):
        return ""
    # The bootstrap has several intervals, but is one test: the first of its rows speaks for it.
    first = {row.test: row for row in reversed(comparison.test_rows)}
    rows = [row for row in first.values() if math.isfinite(row.pvalue)]
    level = words.at_level(comparison.rule.alpha)
    shown = sum(row.pvalue < comparison.rule.alpha for row in rows)
    ahead = sum(row.estimate > 0 for row in rows)
    behind = sum(row.estimate < 0 for row in rows)
    name = comparison.candidate if ahead >= behind else comparison.baseline
    most = max(ahead, behind)
    if len(rows) < 2:
        return ""
    who = f"All {f.word(most)} tests put" if most == len(rows) else _some(most, len(rows))
    end = "all of them" if shown == most == len(rows) else f"{f.word(shown)} of them"
    if most < len(rows):
        end = f"{f.word(shown)} of the {f.word(len(rows))} {'finds' if shown == 1 else 'find'}"
        return f"{who} {name} ahead; {end} a difference {level}."
    return f"{who} {name} ahead, {end} {level}."


def _some(most: int, of: int) -> str:
    return f"{words.capital(f.word(most))} of {f.word(of)} tests {'puts' if most == 1 else 'put'}"


def rule(comparison: Comparison, *, digits: int) -> str:
    """Return the declared rule as one sentence."""
    declared = comparison.rule
    first, *rest, seed = rule_parts(comparison, digits=digits)
    if len(comparison.rows) > 1:
        rest.append(adjustment(comparison))
    gate = [f"gate: {_GATES[declared.require]}"] if declared.require is not None else []
    return f"Rule: {', '.join([first, *rest, seed, *gate])}."


def rule_parts(comparison: Comparison, *, digits: int) -> list[str]:
    """Return what was declared for the primary measure, part by part, the seed last."""
    declared = comparison.rule
    return [
        f"{declared.primary} decides by the {words.name_of_test(declared.test)}",
        f"two-sided α = {f.number(declared.alpha)}",
        f"margin {f.score(declared.margin, digits=digits)}" if declared.margin else "no margin",
        f"seed {comparison.seed}",
    ]


def adjustment(comparison: Comparison) -> str:
    """Say how the secondary measures are adjusted."""
    method = comparison.rule.adjust
    if method == "none":
        return "secondary measures not adjusted"
    name = _ADJUSTMENTS.get(method, method)
    if comparison.n_resamples_joint:
        name += f", {f.count(comparison.n_resamples_joint)} sign flips"
    return f"secondary measures adjusted together ({name})"


_ADJUSTMENTS = {"max-t": "max-t", "holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH"}

_GATES = {
    "better": "better",
    "non-inferior": "non-inferior",
    "equivalent": "equivalent",
    "not-worse-shown": "fail only if worse",
}
