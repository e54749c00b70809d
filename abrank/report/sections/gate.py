"""The gate in one line: whether it passed and, where it did not, what was lacking."""

from __future__ import annotations

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.result import on_each
from abrank.next_step import choose_step
from abrank.report.sections import design, identical, margins, planning, soundness, words
from abrank.rule import GuardResult
from abrank.verdict import GATES, Gate, Verdict

MOST_NAMED = 3  # collections that a sentence names


def gate_sentence(comparison: Comparison) -> str:
    """Say whether the gate passed and, where it did not, what was lacking.

    Returns
    -------
    str
        Without a full stop and without the word gate; empty where no gate was asked for.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> gate_sentence(compare_scores(a, b, require="better"))
    'not passed: better not shown (+0.200, −0.025 to +0.425)'
    """
    gate = comparison.decision.gate
    if gate is None:
        return ""
    if comparison.rule.on == "each":
        return _on_each(comparison, gate)
    guards = [design.guard(comparison, each) for each in _told(comparison)]
    flips = comparison.decision.sign_flips
    shown = flips is None or flips.agree(gate.require, comparison.rule.alpha)
    if gate.passed or gate.lacks not in ("guards", "queries") or not shown:
        return "; ".join([primary_sentence(comparison, gate), *guards])
    return f"not passed: {'; '.join(guards)}"


def _on_each(comparison: Comparison, gate: Gate) -> str:
    """Say whether each collection passed by itself, and of those that did not, what they lack."""
    parts = on_each(comparison.rule, comparison.strata)
    n = f.plural(len(parts), "collection")
    failed = {k: each for k, each in parts.items() if each.decision.exit_code}
    if gate.passed:
        shown = GATES[gate.require].passes.partition(":")[0]
        return f"passed on each of the {n} by itself: {shown}"
    said = [
        f"{shorten(name, width=40)} " + gate_sentence(each).removeprefix("not passed: ")
        for name, each in list(failed.items())[:MOST_NAMED]
    ]
    more = len(failed) - len(said)
    said += [f"and {f.count(more)} more"] if more else []
    return f"not passed on {f.count(len(failed))} of the {n}: {'; '.join(said)}"


def _told(comparison: Comparison) -> list[GuardResult]:
    """Return the guards that a gate's sentence names: all that passed, or those that did not."""
    gate = comparison.decision.gate
    passed = gate is not None and gate.passed
    return [each for each in comparison.decision.guards if each.passed == passed]


def primary_sentence(comparison: Comparison, gate: Gate) -> str:
    """Say what the primary measure makes of a gate, whatever its guards do."""
    margin = margins.margin_of_what(comparison)
    primary = comparison.rule.primary
    if comparison.verdict in GATES[gate.require].verdicts:
        lacking = _in_spite(comparison, gate)
        wider = margins.equivalence_interval(comparison)
        by = f" by more than {margin}" if comparison.rule.margin else ""
        shown = {
            "better": f"better{by} on {primary}",
            "non-inferior": f"not worse by {margin} or more on {primary} ({wider})",
            "equivalent": f"within ±{margin} on {primary} ({wider})",
            "not-worse-shown": _not_worse(comparison, margin),
        }[gate.require]
        doubt = "; the doubt was accepted" if comparison.soundness.reasons else ""
        return f"not passed: {shown}, but {lacking}" if lacking else f"passed: {shown}{doubt}"
    if comparison.verdict is Verdict.CANNOT_TEST:
        return f"not passed: {soundness.cannot_test(comparison)}"
    if comparison.verdict is Verdict.IDENTICAL:
        return f"not passed: {identical.gate_lacks(comparison)}"
    return f"not passed: {_failure(comparison, margin)}"


def _in_spite(comparison: Comparison, gate: Gate) -> str:
    """Say why a gate did not pass though its verdict would let it; empty where it did."""
    if gate.lacks == "trust":
        told = comparison.soundness.told
        doubts = [soundness.clause(each, comparison) for each in told]
        return f"in doubt: {'; '.join(doubts)} (--accept-doubt lets it pass)"
    flips = comparison.decision.sign_flips
    if gate.lacks != "queries" or flips is None or gate.require == "not-worse-shown":
        return ""  # of "not-worse-shown" a guard lacks the queries
    pvalue = {
        "better": flips.better,
        "non-inferior": flips.non_inferior,
        "equivalent": flips.equivalent,
    }[gate.require]
    level = comparison.rule.alpha / (2.0 if gate.require == "better" else 1.0)
    units = words.queries_of(comparison)
    if comparison.clusters is not None:
        units = f.plural(comparison.clusters.n_clusters, "cluster")
    return (
        f"{units} are few, and exact flips of their signs do not show it: one-sided"
        f" {f.p_clause(pvalue, alpha=level)}, not below {f.number(level)}"
    )


def _not_worse(comparison: Comparison, margin: str) -> str:
    """Say what a gate that fails on worse let pass, and which loss it could have seen."""
    primary, direction = comparison.rule.primary, comparison.decision.direction
    if comparison.verdict is Verdict.IDENTICAL:
        lacks = identical.gate_lacks(comparison)
        return f"not shown to be worse on {primary}: {lacks}"
    if direction:
        return f"{'better' if direction > 0 else 'worse'} on {primary}" + (
            "" if direction > 0 else f", but by less than {margin}"
        )
    said = f"not shown to be worse on {primary}"
    if comparison.verdict in (Verdict.NOT_WORSE, Verdict.SAME):
        return f"{said}; shown not to be worse by {margin} or more"
    if visible := planning.smallest_visible(comparison):
        power = f.level(comparison.planning.power)
        said += f"; {words.queries_of(comparison)} see a loss of {visible} or more"
        said += f" ({power} power)"
    return f"{said}; --require non-inferior asks for proof"


def _failure(comparison: Comparison, margin: str) -> str:
    """Say what a gate that did not pass lacks, with the interval that it asked."""
    require = comparison.rule.require
    estimate = margins.estimate(comparison)
    shown = margins.limits(comparison, *comparison.decision.interval)
    limits = f"{estimate}, {shown}"
    wider = f"{estimate}, {margins.equivalence_interval(comparison)}"
    if require in ("non-inferior", "equivalent"):
        lacking = {
            "non-inferior": f"a loss of {margin} not excluded",
            "equivalent": f"a difference of {margin} not excluded",
        }[require]
        return f"{lacking} ({wider}){_needed(comparison)}"
    if comparison.decision.direction < 0:
        small = f" by less than {margin}" if comparison.verdict is Verdict.SAME else ""
        return f"worse{small} ({limits})"
    by = f" by more than {margin}" if comparison.rule.margin else ""
    return f"better{by} not shown ({limits})"


def _needed(comparison: Comparison) -> str:
    """Return how many queries would show what the gate asks of the margin, if the true Δ is 0."""
    # Where a difference is shown the true one is not 0; nor is more to be hoped for out of reach.
    step = choose_step(comparison.rule, comparison.decision)
    if comparison.decision.direction or step.because == "out-of-reach":
        return ""
    claims = {"non-inferior": "not-worse", "equivalent": "same"}
    claim = comparison.planning.claim(claims.get(str(comparison.rule.require), ""))
    needed = planning.needed_for(claim, comparison.n_queries)
    return f"; {needed}" if needed else ""
