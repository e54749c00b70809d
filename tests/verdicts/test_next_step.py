"""Every cell of verdict, gate and soundness has one next step, and none contradicts another."""

import itertools
from dataclasses import replace

import pytest

import abrank
from abrank.rule import GATES, LEVELS, Design, Reason, Soundness, Verdict
from abrank.verdict import (
    REMEDIES,
    Decision,
    Rule,
    apply_soundness,
    check_gate,
    choose_step,
    decide,
)

MARGIN = 0.02
# An estimate with both intervals for each verdict that numbers can give, with a margin of 0.02.
NUMBERS: dict[Verdict, tuple[float, tuple[float, float], tuple[float, float]]] = {
    Verdict.BETTER: (0.06, (0.03, 0.09), (0.035, 0.085)),
    Verdict.BETTER_SIZE_UNCLEAR: (0.018, (0.001, 0.035), (0.004, 0.032)),
    Verdict.SAME: (0.001, (-0.01, 0.012), (-0.008, 0.010)),
    Verdict.NOT_WORSE: (0.012, (-0.012, 0.036), (-0.008, 0.032)),
    Verdict.NOT_BETTER: (-0.012, (-0.036, 0.012), (-0.032, 0.008)),
    Verdict.INCONCLUSIVE: (0.002, (-0.05, 0.054), (-0.04, 0.044)),
    Verdict.WORSE_SIZE_UNCLEAR: (-0.018, (-0.035, -0.001), (-0.032, -0.004)),
    Verdict.WORSE: (-0.06, (-0.09, -0.03), (-0.085, -0.035)),
}
REQUIRED = [None, *GATES]
SOUNDNESS = [Soundness(), *(Soundness((Reason(code),)) for code in LEVELS)]


def decided(verdict: Verdict, rule: Rule, soundness: Soundness) -> Decision:
    if verdict in NUMBERS:
        estimate, interval, inner = NUMBERS[verdict]
        options = {"interval": interval, "equivalence_interval": inner}
        result = decide(rule, estimate=estimate, **options)
    else:
        options = {"interval": (0.0, 0.0), "equivalence_interval": (0.0, 0.0), "estimate": 0.0}
        identical = verdict is Verdict.IDENTICAL
        reason = "tied-scores" if identical else "no-variance"
        result = decide(rule, identical=identical, reason=reason, **options)
    assert result.verdict is verdict
    return apply_soundness(rule, result, soundness)


def test_every_cell_has_a_step() -> None:
    for verdict, require, soundness in itertools.product(Verdict, REQUIRED, SOUNDNESS):
        check_cell(verdict, require, soundness)


def check_cell(verdict, require, soundness) -> None:
    rule = Rule("AP", margin=MARGIN, require=require)
    decision = decided(verdict, rule, soundness)
    step = choose_step(rule, decision)
    level, gate = soundness.level, decision.gate
    assert (gate is None) is (require is None)
    if level == "unsound":
        assert decision.verdict is Verdict.CANNOT_TEST
        assert step.action == "mend-inputs"
        assert decision.exit_code == (0 if require is None else 3)
        return
    assert decision.verdict is verdict
    if level == "doubtful":
        assert step.action == REMEDIES[soundness.reasons[0].code]
        assert step.action in ("judge", "sample", "add-queries", "mend-inputs", "choose-test")
        assert gate is None or not gate.passed
        return
    if gate is not None and not gate.passed:
        assert step.action not in ("ship", "ship-if", "either")
    if step.action in ("ship", "ship-if", "either"):
        assert verdict in GATES["non-inferior"].verdicts
    assert (step.condition != "") is (step.action == "ship-if")
    if gate is not None and gate.passed and require != "no-significant-loss":
        assert step.action == "ship"
    if verdict in (Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR) and require != "non-inferior":
        assert step.action == ("add-queries" if _may_be_same(verdict, require) else "do-not-ship")


def _may_be_same(verdict, require) -> bool:
    return verdict is Verdict.WORSE_SIZE_UNCLEAR and require == "equivalent"


@pytest.mark.every_case
@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("require", [None, "better", "no-significant-loss"])
def test_without_a_margin_every_cell_has_a_step(verdict, require) -> None:
    rule = Rule("AP", require=require)
    decision = decided(verdict, Rule("AP", margin=MARGIN, require=require), Soundness())
    if verdict in GATES["non-inferior"].verdicts - {Verdict.BETTER} | {
        Verdict.NOT_BETTER,
        Verdict.WORSE_SIZE_UNCLEAR,
    }:
        return  # takes a margin
    decision = replace(decision, margin=0.0, gate=check_gate(rule, decision))
    step = choose_step(rule, decision)
    expected = {
        Verdict.BETTER: "ship" if require == "better" else "ship-if",
        Verdict.INCONCLUSIVE: "declare-margin",
        Verdict.WORSE: "do-not-ship",
        Verdict.IDENTICAL: "add-queries",
        Verdict.CANNOT_TEST: "mend-inputs",
    }
    assert step.action == expected[verdict]


def shifted(mean: float, *, n: int = 50, sd: float = 0.05) -> tuple[dict[str, float], ...]:
    """Return scores of A and B whose differences have exactly this mean and deviation."""
    wave = [(i % 10) - 4.5 for i in range(n)]
    scale = sd / (sum(item**2 for item in wave) / (n - 1)) ** 0.5
    a = {f"q{i}": 0.3 + 0.004 * i for i in range(n)}
    return a, {f"q{i}": a[f"q{i}"] + mean + scale * wave[i] for i in range(n)}


def test_no_number_of_queries_makes_a_large_gain_equivalent() -> None:
    result = abrank.compare_scores(*shifted(0.109), margin=0.02, require="equivalent")
    assert result.verdict is Verdict.BETTER
    text = str(result)
    assert "Add queries" not in text
    assert result.to_dict()["next_step"] == "do-not-ship"
    assert "gains more (+0.109) than the margin" in " ".join(text.split())


def test_a_gate_that_fails_on_worse_says_which_loss_it_could_have_seen() -> None:
    result = abrank.compare_scores(*shifted(0.005), fail_on="worse")
    text = " ".join(str(result).split())
    visible = f"{result.planning.smallest_visible:.3f}"
    assert f"not significantly worse on score; 50 queries detect a true loss of {visible}" in text
    assert "--require non-inferior is stricter" in text


def test_shipping_if_has_its_condition_as_data() -> None:
    a, b = shifted(0.109)
    result = abrank.compare_scores(a, b).to_dict()
    assert (result["next_step"], result["next_step_condition"]) == ("ship-if", "any-gain")
    assert "next_step_condition" not in abrank.compare_scores(a, b, margin=0.02).to_dict()


@pytest.mark.parametrize(
    ("design", "because"),
    [
        (None, "verdict"),
        (Design(look=1, n_looks=2), "looks"),
        (Design(look=2, n_looks=2), "verdict"),  # no further look was planned
        (Design(planned=100), "looks"),
    ],
)
def test_a_look_that_is_left_adds_queries(design: Design | None, because: str) -> None:
    rule = Rule("AP", margin=0.01, design=design)
    decision = decide(
        rule, estimate=0.0, interval=(-0.03, 0.03), equivalence_interval=(-0.02, 0.02)
    )
    step = choose_step(rule, decision)
    assert (step.action, step.because) == ("add-queries", because)
