"""What contradicts itself is refused, each time with both sides; what abrank writes never is."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, Question, compare_scores
from abrank.report import from_dict
from abrank.report.data import json_bytes
from tests.report.conftest import SITUATIONS
from tests.report.refused import why_refused

HOW = "\n  write it again: abrank compare … --report results.json"


@pytest.fixture(scope="module")
def saved(runs: Comparison) -> str:
    return json_bytes(runs).decode()


THEY_GIVE = "but the scores and rule of the file give "
# Every number that the scores give is changed in tests/safety/test_saved_results.py.
CONTRADICTIONS = [
    ("settings/test", "magic", "settings.test: expected one of bootstrap, "),
    ("settings/higher_is_better", False, f"settings.higher_is_better: is false, {THEY_GIVE}true"),
    ("measures/0/rel_diff", 0.5, f"measures[0].rel_diff: is 0.5, {THEY_GIVE}0."),
    ("queries/scores/AP/b/0", 0.987, "measures[1].mean_b: is 0."),
    ("measures/1/reading", "worse", f'measures[1].reading: is "worse", {THEY_GIVE}"'),
    ("measures", lambda x: [*x, x[0]], "queries.scores: not of the same measures as measures"),
    ("verdict/state", "worse", f'verdict.state: is "worse", {THEY_GIVE}"'),
    ("verdict/equivalence_interval/low", None, "verdict.equivalence_interval.low: is "),
    ("tests/3/ci_low", None, f"tests[3].ci_low: is null, {THEY_GIVE}"),
    ("tests/1/decides", True, f"tests[1].decides: is true, {THEY_GIVE}false"),
    ("segments/0/rows", lambda rows: rows[1:], "segments[0].rows: is a list of "),
    ("segments/0/rows/0/n_queries", 1, f"segments[0].rows[0].n_queries: is 1, {THEY_GIVE}"),
    ("topics/nobody", "asks", 'topics: "nobody" is not among the queries'),
    ("evidence/rankings/nobody", [[], []], 'evidence.rankings: "nobody" is not among the queries'),
    ("evidence/cutoff_curve/mean_a", [0.5] * 7, "mean_a: has 7 entries, and there are 8 cutoffs"),
    ("notes", [{"code": "gossip", "severity": 1, "values": {}}], '"gossip" is no note of abrank'),
    (
        "notes", [{"code": "one-query-decides", "severity": 1, "values": {}}],
        "notes[0].values: are not those that the note one-query-decides asks for",
    ),
    ("n_queries", 59, f"n_queries: is 59, {THEY_GIVE}60"),
    (
        "verdict/gate", {"require": "better", "passed": True, "fail_on": None, "lacks": ""},
        f"verdict.gate: is an object, {THEY_GIVE}null",
    ),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("place", "value", "text"), CONTRADICTIONS)
def test_contradictions_are_refused(saved, place, value, text) -> None:
    reason = why_refused(json.loads(saved), place, value)
    assert text in reason
    assert reason.endswith(HOW) or "is to be installed" in reason


def test_another_choice_that_contradicts_the_scores_is_refused() -> None:
    saved = json.loads(json_bytes(SITUATIONS["better, below margin"][2]()))
    for key, value, text in (("diff", 0.75, "0.75"), ("verdict", "worse", '"worse"')):
        reason = why_refused(saved, f"sensitivity/0/{key}", value)
        assert f"sensitivity[0].{key}: is {text}, {THEY_GIVE}" in reason


@pytest.mark.slow
def test_layout_and_order_of_keys_are_no_change(saved: str, runs: Comparison) -> None:
    turned = json.loads(json.dumps(dict(reversed(json.loads(saved).items())), indent=7))
    assert from_dict(turned) == runs


TESTS = ("t", "permutation", "bootstrap", "wilcoxon", "sign")
ADJUSTED = ("holm", "bonferroni", "bh", "none", None)


@pytest.mark.slow
@pytest.mark.parametrize(("test", "adjust"), list(product(TESTS, ADJUSTED)))
def test_what_is_written_is_never_refused(test: str, adjust: str | None) -> None:
    rng = np.random.default_rng(TESTS.index(test))
    for size, primary in ((2, "AP"), (3, "RBPResid"), (30, "RBPResid")):
        names = [f"q{i}" for i in range(size)]
        a = pd.DataFrame(rng.random((size, 2)).round(1), names, ["AP", "RBPResid"])
        b = (a + rng.normal(0.05, 0.1, (size, 2)).round(1)) * 10.0**size
        segments = {"side": {name: "ab"[i % 2] for i, name in enumerate(names)}}
        options = {"alpha": 0.3, "segments": segments, "resamples": 99}
        comparison = compare_scores(
            a * 10.0**size, b, test=test, config=Question(adjust=adjust, primary=primary), **options
        )
        assert from_dict(json.loads(json_bytes(comparison))) == comparison
