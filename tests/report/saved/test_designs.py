"""Designs that are saved come back, and what contradicts itself in them is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abrank.comparison import Comparison
from abrank.report import WRITERS, from_dict
from abrank.report.numbers import json_text
from tests.report.refused import Contradictions, why_refused


def test_a_design_comes_back_and_every_format_with_it(design: Comparison) -> None:
    again = from_dict(json.loads(json_text(design)))
    assert again == design
    assert again.clusters == design.clusters
    for kind in (".txt", ".md", ".json", ".junit", ".methods", ".csv"):
        assert WRITERS[kind](again) == WRITERS[kind](design)


def test_a_level_that_was_asked_for_again_is_that_of_the_design(design: Comparison) -> None:
    interval = design.confidence_interval(design.rule.confidence)
    assert interval == pytest.approx(design.confidence_interval(), rel=1e-12)


CONTRADICTIONS: Contradictions = {
    "a level of another look": (
        lambda d: d["settings"]["design"].update(look=1) if d["settings"]["design"] else None,
        "settings.alpha: is 0.",
    ),
    "a look that was not planned": (
        lambda d: d["settings"]["design"].update(look=9),
        "look 9 is not one of 3",
    ),
    "a guard that passed after all": (
        lambda d: d["verdict"]["guards"][0].update(passed=not d["verdict"]["guards"][0]["passed"]),
        "verdict.guards[0].passed: is ",
    ),
    "a guard that was not declared": (
        lambda d: d["settings"]["guards"].clear(),
        "verdict.guards: is a list of 1, but the scores and rule of the file give a list of 0",
    ),
    "a guard of nothing compared": (
        lambda d: [each[0].update(measure="P@3") for each in
                   (d["settings"]["guards"], d["verdict"]["guards"])],
        "settings: cannot be computed again: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_what_contradicts_itself_is_refused(looked: Comparison, name: str) -> None:
    change, message = CONTRADICTIONS[name]
    assert message in why_refused(json.loads(json_text(looked)), change)


def test_a_query_in_another_cluster_is_refused(clustered: Comparison) -> None:
    def change(found: dict[str, Any]) -> None:
        found["clusters"]["labels"][0] = "somebody else"

    reason = why_refused(json.loads(json_text(clustered)), change)
    assert "but the scores and rule of the file give " in reason
