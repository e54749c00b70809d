"""JUnit XML: well formed whatever the names are, and true to the gate."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from abrank.comparison import compare_scores
from tests.report.written import junit

A = {f"q{i}": 0.1 + i / 100 for i in range(12)}
B = {query: score + 0.05 + (score / 20) for query, score in A.items()}


@pytest.mark.parametrize(
    ("how", "failures"),
    [
        ({}, 0),
        ({"require": "better"}, 0),
        ({"require": "better", "margin": 0.5}, 1),
        ({"require": "better", "guard": ["score:-0.01"]}, 0),
        ({"require": "equivalent", "margin": 0.01, "guard": ["score:-0.01"]}, 1),
    ],
)
def test_failures_are_what_did_not_pass(how, failures) -> None:
    found = compare_scores(A, B, **how)
    root = ET.fromstring(junit(found))
    assert root.get("failures") == str(failures)
    assert len(list(root.iter("failure"))) == failures
    assert len(list(root.iter("testcase"))) == 1 + len(how.get("guard", ()))
    gate = found.decision.gate
    assert (failures == 0) == (gate is None or gate.passed)


def test_names_cannot_break_the_file() -> None:
    name = 'a"<b>&\x00\x1b[31m]]>\ud800'
    root = ET.fromstring(junit(compare_scores(A, B, name_b=name, require="better")))
    assert '"<b>&' in str(root[0].get("name"))
