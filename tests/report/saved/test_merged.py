"""A saved comparison from merged statistics that contradicts itself is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abrank.comparison.merging import compare_statistics
from abrank.engines.merge import statistics_of
from abrank.options import Question
from abrank.report import from_dict
from tests.report.refused import OF_THE_MEANS, Contradictions, why_refused


def saved(*, shift: float = 0.02) -> dict[str, Any]:
    """Return the plain values of a comparison of 60 queries, half of them of each kind."""
    drawn = np.random.default_rng(4)
    a = drawn.random((60, 2)) * 0.8
    b = a + shift + (drawn.normal(0.0, 0.05, (60, 2)) if shift else 0.0)
    ids = [f"q{i:02d}" for i in range(60)]
    kinds = {"kind": ["xy"[i % 2] for i in range(60)]}
    statistics = statistics_of(ids, np.stack([a, b], axis=1), ("AP", "RR"), segments=kinds)
    return compare_statistics(statistics, Question(adjust="holm")).to_dict()


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return saved()


@pytest.mark.parametrize("shift", [0.0, 0.02])
def test_what_abrank_writes_is_read(shift) -> None:
    value = saved(shift=shift)
    assert from_dict(value).to_dict() == value


CONTRADICTIONS: Contradictions = {
    **OF_THE_MEANS,
    "errors of another number of measures": (
        lambda d: d["merged"]["errors"].pop(),
        "merged.errors: is a list of 1, but the scores and rule of the file give a list of 2",
    ),
    "a query fewer was counted": (
        lambda d: d["merged"]["cells"].pop(),
        "merged.cells: is ",
    ),
    "a query more": (
        lambda d: d.update(n_queries=61),
        "n_queries: is 61, but 60 were merged",
    ),
    "quantiles that fall": (
        lambda d: d["merged"]["profile"].reverse(),
        "merged.profile[0]: is ",
    ),
    "a win more": (
        lambda d: d["measures"][0].update(wins=d["measures"][0]["wins"] + 1),
        "measures[0].wins: is ",
    ),
    "another error": (
        lambda d: d["merged"]["errors"].__setitem__(1, 2 * d["merged"]["errors"][1]),
        "merged.errors[1]: is ",
    ),
    "another limit": (
        lambda d: d["measures"][1].update(ci_low=d["measures"][1]["ci_low"] - 0.01),
        "measures[1].ci_low: is ",
    ),
    "another reading": (
        lambda d: d["measures"][1].update(reading="worse"),
        'measures[1].reading: is "worse", but the scores and rule of the file give "',
    ),
    "a larger segment": (
        lambda d: d["segments"][0]["rows"][0].update(n_queries=31),
        "segments[0].rows[0].n_queries: is 31, but the scores and rule of the file give 30",
    ),
    "another reading of a segment": (
        lambda d: d["segments"][0]["rows"][0].update(reading="worse"),
        'segments[0].rows[0].reading: is "worse", but the scores and rule of the file give "',
    ),
}


@pytest.mark.parametrize(("change", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_what_contradicts_itself_is_refused(change, said, found) -> None:
    assert why_refused(found, change).startswith(f"results.json, {said}")
