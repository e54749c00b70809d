"""One test a row of the verdict table, and the gates."""

import itertools
import math
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abrank import ArgumentError
from abrank._support.typing import Requirement
from abrank.inference.equivalence import RelativeChange
from abrank.rule import Design, GuardResult
from abrank.verdict import GATES, Decision, Rule, SignFlips, Verdict, decide

pytestmark = pytest.mark.every_case

INF = math.inf


def judge(low, high, *, margin=0.01, inner=None, require=None, **how) -> Decision:
    """Decide on an interval; the narrower one of equivalence defaults to the same."""
    rule = Rule("AP", margin=margin, require=require)
    return decide(
        rule, estimate=(low + high) / 2 if math.isfinite(low + high) else 0.0,
        interval=(low, high), equivalence_interval=inner or (low, high), **how,
    )  # fmt: skip


# Rows of the table, margin 0.01 unless said: interval L..U, interval l..u of the one-sided tests.
ROWS = {
    "L > m > 0": (0.011, 0.05, 0.01, None, Verdict.BETTER, 1, False),
    "m = 0, L > 0": (0.001, 0.05, 0.0, None, Verdict.BETTER, 1, False),
    "0 < L <= m <= U": (0.005, 0.05, 0.01, None, Verdict.BETTER_SIZE_UNCLEAR, 1, False),
    "L = m is not above it": (0.01, 0.05, 0.01, None, Verdict.BETTER_SIZE_UNCLEAR, 1, False),
    "U = m is not below it": (0.005, 0.01, 0.01, None, Verdict.BETTER_SIZE_UNCLEAR, 1, False),
    "L > 0 and U < m": (0.001, 0.009, 0.01, None, Verdict.SAME, 1, True),
    "-m < l and u < m": (-0.011, 0.011, 0.01, (-0.009, 0.009), Verdict.SAME, 0, True),
    "L = 0 shows nothing": (0.0, 0.009, 0.01, (0.001, 0.008), Verdict.SAME, 0, True),
    "-m < l, u >= m": (-0.005, 0.03, 0.01, (-0.003, 0.025), Verdict.NOT_WORSE, 0, True),
    "l <= -m, u < m": (-0.03, 0.005, 0.01, (-0.025, 0.003), Verdict.NOT_BETTER, 0, True),
    "l <= -m, u >= m": (-0.03, 0.03, 0.01, (-0.02, 0.02), Verdict.INCONCLUSIVE, 0, False),
    "m = 0, L <= 0 <= U": (-0.001, 0.03, 0.0, (0.001, 0.02), Verdict.INCONCLUSIVE, 0, False),
    "U < -m": (-0.05, -0.011, 0.01, None, Verdict.WORSE, -1, False),
    "m = 0, U < 0": (-0.05, -0.001, 0.0, None, Verdict.WORSE, -1, False),
    "U = -m is not below it": (-0.05, -0.01, 0.01, None, Verdict.WORSE_SIZE_UNCLEAR, -1, False),
    "L > 0, U >= m, u < m": (0.001, 0.011, 0.01, (0.002, 0.009), Verdict.SAME, 1, True),
    "U < 0, L <= -m, l > -m": (-0.011, -0.001, 0.01, (-0.009, -0.002), Verdict.SAME, -1, True),
    "-m in L..U, U < 0": (-0.05, -0.005, 0.01, None, Verdict.WORSE_SIZE_UNCLEAR, -1, False),
    "-m < L, U < 0": (-0.009, -0.001, 0.01, None, Verdict.SAME, -1, True),
}


@pytest.mark.parametrize(
    ("low", "high", "margin", "inner", "verdict", "direction", "by_equivalence"),
    ROWS.values(),
    ids=ROWS.keys(),
)
def test_decide_row(low, high, margin, inner, verdict, direction, by_equivalence) -> None:
    decision = judge(low, high, margin=margin, inner=inner)
    assert decision.verdict is verdict
    assert decision.direction == direction
    assert decision.by_equivalence is by_equivalence


@pytest.mark.parametrize("how", [{"identical": True}, {"reason": "no-variance"}])
def test_decide_without_evidence_has_no_direction_and_rests_on_no_margin(how) -> None:
    decision = judge(0.0, 0.0, **how)
    assert (decision.direction, decision.by_equivalence) == (0, False)


def test_decide_swapping_the_systems_mirrors_the_verdict() -> None:
    mirror = {
        Verdict.BETTER: Verdict.WORSE,
        Verdict.BETTER_SIZE_UNCLEAR: Verdict.WORSE_SIZE_UNCLEAR,
        Verdict.NOT_WORSE: Verdict.NOT_BETTER,
    }
    mirror |= {value: key for key, value in mirror.items()}
    lows, widths, margins = (-0.03, -0.01, 0.001, 0.015), (0.002, 0.02, 0.05), (0.0, 0.005, 0.02)
    for low, width, margin in itertools.product(lows, widths, margins):
        there = judge(low, low + width, margin=margin)
        back = judge(-low - width, -low, margin=margin)
        assert back.verdict is mirror.get(there.verdict, there.verdict)
        assert back.direction == -there.direction


@pytest.mark.parametrize(("require", "low", "high", "inner", "passed"), [
    ("better", 0.011, 0.05, None, True),
    ("better", 0.005, 0.05, None, False),
    ("non-inferior", -0.02, 0.05, (-0.009, 0.04), True),
    ("non-inferior", -0.02, 0.05, (-0.01, 0.04), False),
    ("equivalent", -0.02, 0.02, (-0.009, 0.009), True),
    ("equivalent", -0.02, 0.02, (-0.009, 0.01), False),
    ("no-significant-loss", -0.05, 0.001, None, True),
    ("no-significant-loss", -0.05, -0.001, None, False),
])  # fmt: skip
def test_check_gate(require, low, high, inner, passed) -> None:
    assert judge(low, high, inner=inner, require=require).gate.passed is passed


@pytest.mark.parametrize("require", ["better", "non-inferior", "equivalent", "no-significant-loss"])
def test_check_gate_never_opens_on_what_could_not_be_tested(require) -> None:
    assert not judge(-INF, INF, require=require, reason="no-variance").gate.passed


@pytest.mark.parametrize("reason", ["same-rankings", "tied-scores"])
def test_check_gate_lets_no_change_pass_unless_a_gain_is_asked_for(reason) -> None:
    for require in GATES:
        decision = judge(0.0, 0.0, identical=True, reason=reason, require=require)
        assert decision.verdict is Verdict.IDENTICAL
        assert decision.gate.passed is (require != "better")
        assert decision.exit_code == int(require == "better")


LIMITS = st.floats(-0.05, 0.05)


@given(
    middle=LIMITS, inner=st.floats(0.0, 0.03), more=st.floats(1e-6, 0.02),
    margin=st.sampled_from([0.0, 0.001, 0.01, 0.02]), higher=st.booleans(), relative=st.booleans(),
)  # fmt: skip
@pytest.mark.parametrize("require", get_args(Requirement))
def test_gate_verdict_and_intervals_agree(require, middle, inner, more, margin, higher, relative):
    """Each gate, asked of the intervals alone, says what the verdict says."""
    assume(margin > 0 or not GATES[require].needs_margin)
    rule = Rule(
        "AP", margin=margin, margin_is_relative=relative, require=require, higher_is_better=higher
    )
    outer = (middle - inner - more, middle + inner + more)
    narrow = (middle - inner, middle + inner)
    # Fieller's limits have the sign of the difference's, and the ratio of the two is A's mean.
    change = RelativeChange(0.5, middle, *outer, *narrow) if relative else None
    halved = 0.5 if relative else 1.0
    decision = decide(
        rule, estimate=halved * middle, interval=(halved * outer[0], halved * outer[1]),
        equivalence_interval=(halved * narrow[0], halved * narrow[1]), relative=change,
    )  # fmt: skip
    (low, high), (inside, above) = rule.gain(*outer), rule.gain(*narrow)
    expected = {
        "better": low > 0 and low > margin,
        "non-inferior": inside > -margin,
        "equivalent": -margin < inside and above < margin,
        "no-significant-loss": high >= 0 or (margin > 0 and inside > -margin),
    }[require]
    assert decision.gate.passed is expected
    assert decision.gate.passed is (decision.verdict in GATES[require].verdicts)


@pytest.mark.parametrize(
    "how",
    [
        {"alpha": 0.0}, {"alpha": 0.5}, {"margin": -0.1}, {"margin": math.nan},
        {"margin": 1.0, "margin_is_relative": True}, {"require": "equivalent"},
        {"require": "non-inferior"},
    ],
)  # fmt: skip
def test_rule_refuses_what_has_no_meaning(how) -> None:
    with pytest.raises(ArgumentError):
        Rule("AP", **how)


def test_a_margin_of_a_share_is_told_in_the_unit_of_the_measure() -> None:
    rule = Rule("AP", margin=0.02, margin_is_relative=True)
    change = RelativeChange(-0.5, 0.05, 0.03, 0.07, 0.035, 0.065)
    limits = {"interval": (0.015, 0.035), "equivalence_interval": (0.0175, 0.0325)}
    decision = decide(rule, estimate=0.025, relative=change, **limits)
    assert decision.margin == 0.01
    assert (decision.verdict, decision.interval) == (Verdict.BETTER, (0.03, 0.07))


def test_every_guard_must_pass() -> None:
    shared = {"estimate": 0.0, "low": -0.01, "high": 0.01, "higher_is_better": True}
    guard_result = GuardResult("RR", 0.02, False, passed=True, **shared)
    result = GuardResult("P@5", 0.005, False, passed=False, **shared)
    for guards, lacks in (
        ((guard_result,), ""),
        ((guard_result, result), "guards"),
        ((result,), "guards"),
    ):
        gate = judge(0.011, 0.05, require="better", guards=guards).gate
        assert (gate.passed, gate.lacks) == (not lacks, lacks)


def test_exact_flips_agree_at_the_level_of_each_gate() -> None:
    flips = SignFlips(better=0.03, non_inferior=0.03, equivalent=0.03)
    assert not flips.agree("better", 0.05)  # two-sided
    assert flips.agree("better", 0.07)
    for gate in ("non-inferior", "equivalent"):
        assert flips.agree(gate, 0.05)
        assert not flips.agree(gate, 0.03)
    assert flips.agree("no-significant-loss", 0.001)
    gate = judge(0.011, 0.05, require="better", sign_flips=flips).gate
    assert (gate.passed, gate.lacks) == (False, "queries")


def test_one_guard_whose_flips_do_not_agree_stops_the_gate() -> None:
    shared = {"estimate": 0.0, "low": -0.01, "high": 0.01, "higher_is_better": True}
    guards = [
        GuardResult(name, 0.02, False, passed=name == "RR", **shared) for name in ("RR", "AP")
    ]
    gate = judge(0.011, 0.05, require="better", guards=tuple(guards)).gate
    assert (gate.passed, gate.lacks) == (False, "queries")


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_an_interval_that_ends_at_the_loss_does_not_exclude_it(higher_is_better: bool) -> None:
    position, inside = (
        GuardResult("AP", 0.02, False, 0.0, -limit, limit, higher_is_better, passed=True)
        for limit in (0.02, 0.019)
    )
    assert (position.excludes_loss, inside.excludes_loss) == (False, True)


def test_looks_are_numbered_from_one() -> None:
    with pytest.raises(ArgumentError, match="look 0 of 4 is impossible"):
        Design(look=0, n_looks=4)
