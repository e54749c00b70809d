"""A gate on each of several collections by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from abrank._support.errors import ArgumentError
from abrank.comparison.result import Comparison
from abrank.verdict import Gate, Rule, check_gate


def on_each(rule: Rule, strata: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Return the comparison on each collection with the gate that a rule asks of all.

    All of several tests at alpha must reject, so that none is adjusted.
    """
    asked = {
        name: replace(part.rule, require=rule.require, accept_doubt=rule.accept_doubt)
        for name, part in strata.items()
    }
    return {
        name: replace(
            part,
            rule=asked[name],
            decision=replace(part.decision, gate=check_gate(asked[name], part.decision)),
        )
        for name, part in strata.items()
    }


def gate_on_each(pooled: Comparison) -> Comparison:
    """Return a comparison whose gate is passed where each collection passes it by itself."""
    if pooled.rule.require is None:
        raise ArgumentError("on each is for a gate: give --require or --fail-on (require=)")
    parts = on_each(pooled.rule, pooled.strata).values()
    passed = all(each.decision.gate is not None and each.decision.gate.passed for each in parts)
    gate = Gate(pooled.rule.require, passed, "" if passed else "each")
    return replace(pooled, decision=replace(pooled.decision, gate=gate))
