"""What contradicts itself is refused, each time with both sides; what abrank writes never is."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from abrank.comparison import Comparison, compare_scores
from abrank.options import Question
from abrank.report import from_dict
from abrank.report.data import json_bytes
from abrank.report.saved.comparison import differences
from tests.report.conftest import SITUATIONS
from tests.report.refused import OF_THE_MEANS, Contradictions, why_refused

HOW = "\n  write it again: abrank compare … --report results.json"


@pytest.fixture(scope="module")
def saved(runs: Comparison) -> str:
    return json_bytes(runs).decode()


CONTRADICTIONS: Contradictions = {
    **OF_THE_MEANS,
    "a test of nobody": (
        lambda d: d["settings"].update(test="magic"),
        "settings.test: expected one of bootstrap, ",
    ),
    "another mean": (
        lambda d: d["measures"][1].update(mean_b=0.9),
        "measures[1].mean_b: is 0.9, but the scores and rule of the file give 0.",
    ),
    "a score moved": (
        lambda d: d["queries"]["scores"]["AP"]["b"].__setitem__(0, 0.987),
        "measures[1].mean_b: is 0.",
    ),
    "a win more": (
        lambda d: d["measures"][0].update(wins=59),
        "measures[0].wins: is 59, but the scores and rule of the file give ",
    ),
    "another reading": (
        lambda d: d["measures"][1].update(reading="worse"),
        'measures[1].reading: is "worse", but the scores and rule of the file give "',
    ),
    "limits that cross": (
        lambda d: d["measures"][2].update(ci_low=9.0),
        "measures[2].ci_low: is 9.0, but the scores and rule of the file give ",
    ),
    "a p-value of its own": (
        lambda d: d["measures"][0].update(pvalue=0.5),
        "measures[0].pvalue: is 0.5, but the scores and rule of the file give ",
    ),
    "an adjusted primary": (
        lambda d: d["measures"][0].update(pvalue_adj=d["measures"][0]["pvalue"] / 2),
        "measures[0].pvalue_adj: is ",
    ),
    "a verdict of its own": (
        lambda d: d["verdict"].update(state="worse"),
        'verdict.state: is "worse", but the scores and rule of the file give "',
    ),
    "a direction of its own": (
        lambda d: d["verdict"].update(direction=-1),
        "verdict.direction: is -1, but the scores and rule of the file give ",
    ),
    "another interval in the verdict": (
        lambda d: d["verdict"]["interval"].update(low=0.04),
        "verdict.interval.low: is 0.04, but the scores and rule of the file give ",
    ),
    "another level": (
        lambda d: d["verdict"]["interval"].update(confidence=0.5),
        "verdict.interval.confidence: is 0.5, but the scores and rule of the file give 0.95",
    ),
    "a wide inner interval": (
        lambda d: d["verdict"]["equivalence_interval"].update(low=-9.0),
        "verdict.equivalence_interval.low: is ",
    ),
    "an inner interval of nothing": (
        lambda d: d["verdict"]["equivalence_interval"].update(low=None),
        "verdict.equivalence_interval.low: is ",
    ),
    "a test without an interval": (
        lambda d: d["tests"][3].update(ci_low=None),
        "tests[3].ci_low: is null, but the scores and rule of the file give ",
    ),
    "lower is better": (
        lambda d: d["settings"].update(higher_is_better=False),
        "settings.higher_is_better: is false, but the scores and rule of the file give true",
    ),
    "two tests that decide": (
        lambda d: d["tests"][1].update(decides=True),
        "tests[1].decides: is true, but the scores and rule of the file give false",
    ),
    "a test that does not decide": (
        lambda d: d["tests"][0].update(decides=False) or d["tests"][1].update(decides=True),
        "tests[0].decides: is false, but the scores and rule of the file give true",
    ),
    "another statistic": (
        lambda d: d["tests"][0].update(statistic=8.5),
        "tests[0].statistic: is 8.5, but the scores and rule of the file give ",
    ),
    "a test against itself": (
        lambda d: d["tests"][1].update(pvalue=1.0 - d["tests"][1]["pvalue"]),
        "tests[1].pvalue: is ",
    ),
    "a segment more": (
        lambda d: d["segments"][0]["rows"].append(d["segments"][0]["rows"][0]),
        "segments[0].rows: is a list of ",
    ),
    "a larger segment": (
        lambda d: d["segments"][0]["rows"][0].update(n_queries=1),
        "segments[0].rows[0].n_queries: is 1, but the scores and rule of the file give ",
    ),
    "another mean of a segment": (
        lambda d: d["segments"][0]["rows"][0].update(mean=0.75),
        "segments[0].rows[0].mean: is 0.75, but the scores and rule of the file give ",
    ),
    "another reading of a segment": (
        lambda d: d["segments"][0]["rows"][0].update(reading="worse"),
        'segments[0].rows[0].reading: is "worse", but the scores and rule of the file give "',
    ),
    "a text of no query": (
        lambda d: d["topics"].update(nobody="asks"),
        'topics: "nobody" is not among the queries',
    ),
    "a ranking of no query": (
        lambda d: d["evidence"]["rankings"].update(nobody=[[], []]),
        'evidence.rankings: "nobody" is not among the queries',
    ),
    "a short curve": (
        lambda d: d["evidence"]["cutoff_curve"]["mean_a"].pop(),
        "evidence.cutoff_curve.mean_a: has 7 entries, and there are 8 cutoffs",
    ),
    "a short curve of recall": (
        lambda d: d["evidence"]["recall_curve"]["b"].pop(),
        "evidence.recall_curve.b: has 10 entries, and there are 11 levels",
    ),
    "a note of nobody": (
        lambda d: d["notes"].append({"code": "gossip", "severity": 1, "values": {}}),
        '.code: "gossip" is no note of abrank',
    ),
    "a note without its numbers": (
        lambda d: d["notes"].insert(0, {"code": "one-query-decides", "severity": 1, "values": {}}),
        "notes[0].values: are not those that the note one-query-decides asks for",
    ),
    "a query fewer": (
        lambda d: d.update(n_queries=59),
        "n_queries: is 59, but the scores and rule of the file give 60",
    ),
    "a gate that nobody asked for": (
        lambda d: d["verdict"].update(
            gate={"require": "better", "passed": True, "fail_on": None, "lacks": ""}
        ),
        "verdict.gate: is an object, but the scores and rule of the file give null",
    ),
    "a measure twice": (
        lambda d: d["measures"].append(d["measures"][0]),
        "queries.scores: not of the same measures as measures",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_refused(saved: str, name: str) -> None:
    change, text = CONTRADICTIONS[name]
    reason = why_refused(json.loads(saved), change)
    assert text in reason
    assert reason.endswith(HOW) or "is to be installed" in reason


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"diff": 0.75}, "sensitivity[0].diff: is 0.75, but the scores and rule of the file give "),
        (
            {"verdict": "worse"},
            'sensitivity[0].verdict: is "worse", but the scores and rule of the file give "same"',
        ),
    ],
)
def test_another_choice_that_contradicts_the_scores_is_refused(change, text) -> None:
    saved = json.loads(json_bytes(SITUATIONS["better, below margin"][2]()))
    assert text in why_refused(saved, lambda value: value["sensitivity"][0].update(change))


@pytest.mark.slow
def test_layout_and_order_of_keys_are_no_change(saved: str, runs: Comparison) -> None:
    value = json.loads(saved)
    turned = json.loads(json.dumps(dict(reversed(value.items())), indent=7))
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


def test_a_share_of_a_millionth_is_no_rounding() -> None:
    assert [
        difference.saved for difference in differences([0.5, 0.5], [0.5 + 1e-12, 0.5 + 5e-7])
    ] == [0.5]
