"""The study of verdicts by people and machine, on few samples."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from reports.studies.calibration import machine, machine_picked
from reports.studies.calibration.judges import JUDGES, ndcg
from reports.studies.calibration.machine_methods import METHODS
from tests.studies.calibration.pairs import made_pairs

ROOT = Path(__file__).parents[3]


def test_ndcg_is_that_of_the_catalogue() -> None:
    from abrank.inputs import JudgedRun
    from abrank.measures import parse

    grades = np.random.default_rng(0).integers(0, 3, (5, 10))
    expected = parse("nDCG@10")(JudgedRun.from_grades(grades.tolist()))
    np.testing.assert_allclose([ndcg(grade, grade) for grade in grades], expected, rtol=1e-12)


@pytest.mark.slow
def test_rows_and_page(monkeypatch) -> None:
    monkeypatch.setattr(machine, "SIZES", (25,))
    monkeypatch.setattr(machine, "N_QUERIES", 300)
    rows = list(machine.measure(made_pairs(), samples=60, seed=1))
    assert {(row.judge, row.method) for row in rows} == {(j, m) for j in JUDGES for m in METHODS}
    result = {(row.judge, row.method): row for row in rows}
    # 120 samples: coverage within .88 to .99.
    assert all(0.88 < result[judge, "people alone"].coverage <= 1.0 for judge in JUDGES)
    assert result["favours B", "with floor"].coverage > 0.85
    assert result["favours B", "machine alone"].coverage < 0.2
    assert result["noisy", "with floor"].width < 0.9
    assert result["noisy", "take all"].judged > 25
    page = machine.page(rows, pairs=2, samples=60)
    assert "## rare failures" in page
    assert f"| 25 | take all | {result['noisy', 'take all'].coverage:.3f} |" in page


@pytest.mark.slow
def test_queries_that_were_picked(monkeypatch) -> None:
    monkeypatch.setattr(machine_picked, "SIZES", (25,))
    monkeypatch.setattr(machine_picked, "N_QUERIES", 300)
    rows = list(machine_picked.measure_picked(made_pairs(), samples=80, seed=1))
    result = {(row.judge, row.picked): row for row in rows}
    assert len(result) == len(JUDGES) * len(machine_picked.PICKS)
    sample = result["noisy", "drawn at random"]
    ahead = result["noisy", "any of the half that is better for B"]
    assert 0.88 < sample.coverage <= 1.0
    assert sample.noticed < 0.2
    assert ahead.people < 0.2  # the machine corrects some of it: here it errs alike everywhere
    assert ahead.people < ahead.coverage
    assert ahead.noticed > 0.95
    page = machine_picked.page_of_picked(rows, samples=80)
    assert f"| noisy | 25 | {ahead.people:.3f} | {ahead.coverage:.3f} |" in page


def test_the_page_says_what_was_measured_of_picked_queries() -> None:
    """The section of a report quotes the study: its smallest and largest coverage."""
    from abrank.report.sections.samples import PICKED

    with (ROOT / "reports/calibration/machine-picked.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["judge"] == "noisy"]
    expected = []
    for ways in (("any of the harder half", "any of the easier half"),
                 ("the n with the largest differences",)):  # fmt: skip
        result = [100 * float(row["coverage"]) for row in rows if row["picked"] in ways]
        expected += [round(min(result)), round(max(result))]
    assert [int(match) for match in re.findall(r"\b(\d+)(?= to|%)", PICKED)] == [95, 95, *expected]


@pytest.mark.parametrize("judge", [name for name, grader in JUDGES.items() if grader])
def test_machines_stay_on_the_scale(judge) -> None:
    grader = JUDGES[judge]
    assert grader is not None
    random = np.random.default_rng(3)
    grades = random.integers(0, 3, (4, 30))
    result = grader(grades, 2, random.random((4, 30)) < 0.5, random)
    assert result.shape == grades.shape
    assert 0 <= result.min() <= result.max() <= 2
