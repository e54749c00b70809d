"""The script that type checkers read runs, too."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_script_runs(tmp_path) -> None:
    path = Path(__file__).with_name("script_of_a_user.py")
    spec = importlib.util.spec_from_file_location("script_of_a_user", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    plans = script.plan(script.decide(tmp_path))
    assert [plan.n_queries for plan in plans] == [60, 3, 50]
    assert len(script.score_and_rank().rows) == 2
    result, ranking = script.declare()
    assert (result.baseline, result.rule.family, result.rule.design.n_looks) == ("old", "all", 2)
    assert ranking.baseline == "A"
