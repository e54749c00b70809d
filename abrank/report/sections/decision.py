"""Whether the result decides anything: ties, unsound evidence, the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.result import on_each
from abrank.diagnostics import Note
from abrank.inference.rounding import has_spread
from abrank.report.sections import design, planning, words
from abrank.report.sections.cautions import Names, caution
from abrank.rule import Reason
from abrank.verdict import GATES, Gate, Verdict, choose_step


def unchanged(comparison: Comparison) -> str:
    """Say that nothing changed, as a clause without a full stop."""
    queries = f"all {words.queries_of(comparison)}"
    if words.missing_policy(comparison) == "drop":
        queries = f"the {words.queries_of(comparison)} that both runs have"
    if comparison.decision.reason == "same-rankings":
        return f"nothing changed: both rank alike on {queries}"
    primary = comparison.rule.primary
    on = "" if primary == "score" else f" on {primary}"
    return f"nothing changed{on}: both score the same on {queries}"


def unchanged_meaning(comparison: Comparison) -> str:
    """Say what is equal, and how many other queries may differ."""
    if comparison.decision.reason == "same-rankings":
        return (
            "Both rankings have the same grades at the same ranks, so every measure finds them"
            " equal. If a change was expected, check which systems were compared."
        )
    start = "The scores are equal query by query; the rankings may still differ."
    possible = comparison.decision.unseen
    if possible is None:
        return start
    level = f.level(comparison.rule.confidence)
    share = f.percent(possible.share, sign=False)
    return f"{start} Up to {share} of all queries could differ ({level} confidence)."


def doubts(comparison: Comparison) -> str:
    """Return what makes the verdict doubtful or forbids it; empty if nothing does."""
    # The title already has the first reason that forbids a verdict.
    soundness = comparison.soundness
    clauses = [clause(reason, comparison) for reason in soundness.main]
    if soundness.level == "unsound":
        clauses = clauses[1:]
    if not clauses:
        return ""
    start = "In doubt" if soundness.level == "doubtful" else "Also not sound"
    return f"{start}: {'; '.join(clauses)}."


def doubted(comparison: Comparison, text: str) -> str:
    """Add the doubt to a verdict where no tag shows it."""
    return f"In doubt: {text}" if comparison.soundness.level == "doubtful" else text


def unseen(comparison: Comparison) -> str:
    """Say how large a loss these queries may have missed, if it exceeds the margin."""
    # Only for verdicts that exclude a loss by a test that depends on the observed variance; for a
    # better B only if the gate merely requires no significant loss.
    result, margin = comparison.decision.unseen, comparison.decision.margin
    excluding = _EXCLUDE_A_LOSS
    if comparison.rule.require == "no-significant-loss":
        excluding = excluding | {Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR}
    by_spread = comparison.rule.test != "bounded" and comparison.verdict in excluding
    if result is None or not by_spread or not 0.0 < margin < result.difference:
        return ""
    return (
        f"{_units(comparison)} may miss large losses on up to"
        f" {f.percent(result.share, sign=False)} of all queries"
        f" ({f.level(comparison.rule.confidence)} confidence), up to"
        f" {f.least(result.difference, digits=comparison.decimals)} in the mean, more than the"
        " margin; the test “bounded” allows for them."
    )


_EXCLUDE_A_LOSS = frozenset({Verdict.SAME, Verdict.NOT_WORSE})


def clause(reason: Reason, comparison: Comparison) -> str:
    """Return a reason as a clause without a full stop; for a caution, its title."""
    if reason.code in _CLAUSES:
        return _CLAUSES[reason.code](reason.values, comparison)
    note = caution(Note(reason.code, 0, reason.values), Names.of(comparison))
    text = note.title
    if reason.code in ("guard-turned", "guard-scores"):
        text += f": {note.text[:1].lower()}{note.text[1:].removesuffix('.')}"
    names = (comparison.baseline, comparison.candidate)
    return text if text.startswith(names) else f"{text[:1].lower()}{text[1:]}"


def cannot_test(comparison: Comparison) -> str:
    """Say why nothing could be tested, as a clause without a full stop."""
    if comparison.soundness.level == "unsound":
        return clause(comparison.soundness.reasons[0], comparison)
    if comparison.decision.reason == "too-few-queries":
        if comparison.n_queries == 0:
            return "there is no query to compare"
        place = "" if comparison.n_queries == 1 else " of a collection"
        return f"1 query{place} is too few for a test"
    if comparison.decision.reason == "margin-of-ties":
        ties, n = comparison.primary.ties, words.queries_of(comparison)
        return (
            f"{f.count(ties)} of {n} tie, and the Wilcoxon interval leaves them out, so that it"
            " cannot be compared with a margin"
        )
    name = words.name_of_rule(comparison)
    if comparison.clusters is not None and comparison.clusters.n_clusters == 1:
        return "all queries come in one cluster, and a test takes two at the very least"
    clusters = comparison.clusters
    if clusters is not None and clusters.untestable(comparison.rule.test):
        is_bootstrap = comparison.rule.test == "bootstrap"
        needs = "the bootstrap needs at least 7" if is_bootstrap else "t needs at least 3"
        return (
            f"its {f.plural(clusters.n_clusters, 'cluster')} of queries count as"
            f" {f.score(clusters.n_effective, digits=1)} of equal size; {needs}, sign flips 6"
        )
    if comparison.rule.independent:
        return "each group needs two units, and scores that vary in one of them"
    if not has_spread(comparison.differences()):
        same = f.signed(comparison.mean_difference, digits=comparison.decimals)
        undefined = "t statistic" if comparison.rule.test == "t" else name
        return f"every query differs by exactly {same}, so the {undefined} is undefined"
    return f"the {name} gives no p-value for these differences"


def _name(comparison: Comparison, key: str) -> str:
    return comparison.baseline if key == "a" else comparison.candidate


def _would_be(v: Mapping[str, Any], comparison: Comparison) -> str:
    text = f"it would be “{words.tag(Verdict(v['verdict']))[1]}”"
    if words.estimand(comparison) == words.MEAN:
        text += f" (Δ {f.signed(v['difference'], digits=comparison.decimals)})"
    return f"{text} {words.choice(v['kind'], v['n_queries'])}"


def _unjudged_decide(v: Mapping[str, Any], comparison: Comparison) -> str:
    verdict = words.tag(Verdict(v["verdict"]))[1]
    if comparison.strata:
        return f"unjudged documents of all collections together could make it “{verdict}”"
    shares = [
        f"{_name(comparison, key)} {f.percent(audit.judged_at_10, sign=False)}"
        for key, audit in sorted(comparison.audits.items())
    ]
    judged = f"judged in the first ten: {', '.join(shares)}"
    return f"unjudged documents could make it “{verdict}”; {judged}"


_CLAUSES: dict[str, Callable[[Mapping[str, Any], Comparison], str]] = {
    "same-judgments": lambda v, _: (
        f"{f.listed(v['collections'])} have the same judgments, so that their queries count"
        f" {len(v['collections'])} times"
    ),
    "missing-queries": lambda v, result: (
        f"the verdict rests on the queries that are missing: {_would_be(v, result)}"
    ),
    "missing-scores": lambda v, result: (
        f"the verdict rests on scores that are missing: {_would_be(v, result)}"
    ),
    "sample-differs": lambda v, result: (
        f"the queries that people judged are not like the others ({v['what']},"
        f" {f.p_clause(v['pvalue'], alpha=result.rule.alpha)})"
    ),
    "unjudged-decide": _unjudged_decide,
    "few-judged": lambda v, result: (
        f"too few of the first ten are judged:"
        f" {', '.join(f'{_name(result, key)} {f.percent(v[key], sign=False)}' for key in 'ab')};"
        f" the rule asks for {f.percent(v['required'], sign=False)}"
    ),
    "unequal-groups": lambda v, result: (
        f"groups as unequal as {f.count(v['a'])} and {f.count(v['b'])} are rare where each unit has"
        f" the same chance of A and of B ({f.p_clause(v['pvalue'], alpha=result.rule.alpha)})"
    ),
    "clusters-ignored": lambda v, result: (
        f"{words.unit(result)[1]} of one {v['clusters']} may be alike, and were tested as"
        f" independent; by whole clusters it would be “{words.tag(Verdict(v['verdict']))[1]}”"
        f" ({f.p_clause(v['pvalue'], alpha=result.rule.alpha)})"
    ),
    "one-cluster-carries": lambda v, result: (
        f"{f.percent(v['share'], sign=False)} of the difference is from one cluster by {v['name']},"
        f" “{words.name(v['cluster'])}”; without it Δ is"
        f" {f.signed(v['difference'], digits=result.decimals)}"
        f" ({f.interval(v['low'], v['high'], digits=result.decimals)})"
    ),
    "skewness-decides": lambda v, result: (
        "corrected for the skewness of the differences, t shows no difference"
        f" ({f.p_clause(v['pvalue'], alpha=result.rule.alpha)})"
    ),
}


MOST_NAMED = 3  # collections named in a sentence


def gate_sentence(comparison: Comparison) -> str:
    """Say whether the gate passed, and if not, what was missing.

    A clause without full stop and without the word gate; empty without a gate.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> gate_sentence(compare_scores(a, b, require="better"))
    'not passed: B is not significantly better (+0.200, 95% interval −0.025 to +0.425)'
    """
    gate = comparison.decision.gate
    if gate is None:
        return ""
    if comparison.rule.on == "each":
        # Say whether each collection passed, and what the others lack.
        parts = on_each(comparison.rule, comparison.strata)
        n = f.plural(len(parts), "collection")
        failed = {k: part for k, part in parts.items() if part.decision.exit_code}
        if gate.passed:
            claim = GATES[gate.require].passes.partition(":")[0]
            return f"passed on each of the {n} by itself: {claim}"
        texts = [
            f"{words.name(name)} " + gate_sentence(part).removeprefix("not passed: ")
            for name, part in list(failed.items())[:MOST_NAMED]
        ]
        more = len(failed) - len(texts)
        texts += [f"and {f.count(more)} more"] if more else []
        return f"not passed on {f.count(len(failed))} of the {n}: {'; '.join(texts)}"
    guards = [
        design.guard(comparison, guard)
        for guard in comparison.decision.guards
        if guard.passed == gate.passed
    ]
    flips = comparison.decision.sign_flips
    agree = flips is None or flips.agree(gate.require, comparison.rule.alpha)
    if gate.passed or gate.lacks not in ("guards", "queries") or not agree:
        return "; ".join([primary_sentence(comparison, gate), *guards])
    return f"not passed: {'; '.join(guards)}"


def primary_sentence(comparison: Comparison, gate: Gate) -> str:
    """Say what the primary measure means for a gate, regardless of the guards."""
    margin = planning.margin_of_what(comparison)
    primary = comparison.rule.primary
    if comparison.verdict in GATES[gate.require].verdicts:
        lacking = _in_spite(comparison, gate)
        quoted = planning.deciding_limits(comparison)
        by = f" by more than {margin}" if comparison.rule.margin else ""
        is_identical = comparison.verdict is Verdict.IDENTICAL
        claim = (
            unchanged(comparison)
            if is_identical
            else {
                "better": f"better{by} on {primary}",
                "non-inferior": f"not worse by {margin} or more on {primary} ({quoted})",
                "equivalent": f"within ±{margin} on {primary} ({quoted})",
                "no-significant-loss": _not_worse(comparison, margin),
            }[gate.require]
        )
        accepted = comparison.soundness.reasons and comparison.rule.accept_doubt
        doubt = "; the doubt was accepted" if accepted else ""
        return f"not passed: {claim}, but {lacking}" if lacking else f"passed: {claim}{doubt}"
    if comparison.verdict is Verdict.CANNOT_TEST:
        return f"not passed: {cannot_test(comparison)}"
    if comparison.verdict is Verdict.IDENTICAL:
        return f"not passed: {unchanged(comparison)}"
    return f"not passed: {_failure(comparison, margin)}"


def _in_spite(comparison: Comparison, gate: Gate) -> str:
    """Say why a gate failed although the verdict would pass; empty otherwise."""
    if gate.lacks == "trust":
        reasons = [clause(reason, comparison) for reason in comparison.soundness.main]
        return f"in doubt: {'; '.join(reasons)} (--accept-doubt lets it pass)"
    flips = comparison.decision.sign_flips
    if gate.lacks != "queries" or flips is None or gate.require == "no-significant-loss":
        return ""  # the guard sentence explains this
    pvalue = {
        "better": flips.better,
        "non-inferior": flips.non_inferior,
        "equivalent": flips.equivalent,
    }[gate.require]
    level = comparison.rule.alpha / (2.0 if gate.require == "better" else 1.0)
    return (
        f"{_units(comparison)} are few, and exact flips of their signs do not show it: one-sided"
        f" {f.p_clause(pvalue, alpha=level)}, not below {f.number(level)}"
    )


def _units(comparison: Comparison) -> str:
    """Count the independent units: clusters, or queries with their effective number."""
    if comparison.clusters is not None:
        return f.plural(comparison.clusters.n_clusters, "cluster")
    queries = words.queries_of(comparison)
    if comparison.weights is None:
        return queries
    return f"{queries} that weigh like {f.score(comparison.weights.n_effective, digits=1)}"


def _not_worse(comparison: Comparison, margin: str) -> str:
    """Say what a gate that fails on worse let pass, and which loss it could have detected."""
    primary, direction = comparison.rule.primary, comparison.decision.direction
    if direction:
        return f"{'better' if direction > 0 else 'worse'} on {primary}" + (
            "" if direction > 0 else f", but by less than {margin}"
        )
    text = f"not significantly worse on {primary}"
    if comparison.verdict in (Verdict.NOT_WORSE, Verdict.SAME):
        return f"{text}; a loss of {margin} or more is excluded"
    if visible := planning.smallest_visible(comparison):
        power = f.level(comparison.planning.power)
        text += f"; {words.queries_of(comparison)} detect a true loss of {visible} {power} of the"
        text += " time"
    return f"{text}; --require non-inferior is stricter"


def _failure(comparison: Comparison, margin: str) -> str:
    """Say why a gate failed, with the interval that it used."""
    require = comparison.rule.require
    estimate = planning.estimate(comparison)
    limits = f"{estimate}, {planning.deciding_limits(comparison)}"
    if require in ("non-inferior", "equivalent"):
        beyond = comparison.verdict is Verdict.WORSE
        beyond |= require == "equivalent" and comparison.verdict is Verdict.BETTER
        primary = comparison.rule.primary
        higher = comparison.rule.higher_is_better
        if require == "non-inferior":
            lacking = words.lost(primary, margin, higher=higher, certain=beyond)
        elif beyond:
            lacking = f"{primary} differs by more than {margin}"
        else:
            lacking = f"{primary} may differ by {margin} or more"
        return f"{lacking} ({limits}){_needed(comparison)}"
    if comparison.decision.direction < 0:
        small = f" by less than {margin}" if comparison.verdict is Verdict.SAME else ""
        return f"worse{small} ({limits})"
    by = f" by more than {margin}" if comparison.rule.margin else ""
    return f"B is not significantly better{by} ({limits})"


def _needed(comparison: Comparison) -> str:
    """Return how many queries would pass the gate's margin if the true Δ is 0."""
    # Not for a significant difference, which is not 0, nor if the estimate is out of reach.
    step = choose_step(comparison.rule, comparison.decision)
    if comparison.decision.direction or step.because == "out-of-reach":
        return ""
    claims = {"non-inferior": "not-worse", "equivalent": "same"}
    claim = comparison.planning.claim(claims.get(str(comparison.rule.require), ""))
    needed = planning.needed_for(claim, comparison)
    return f"; {needed}" if needed else ""
