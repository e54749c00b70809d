"""The study of verdicts by people and machine, on few samples."""

import csv
import re
from pathlib import Path

import numpy as np

from reports.studies.calibration.judges import ndcg

ROOT = Path(__file__).parents[3]


def test_ndcg_is_that_of_the_catalogue() -> None:
    from abrank.inputs import JudgedRun
    from abrank.measures import parse

    grades = np.random.default_rng(0).integers(0, 3, (5, 10))
    expected = parse("nDCG@10")(JudgedRun.from_grades(grades.tolist()))
    np.testing.assert_allclose([ndcg(grade, grade) for grade in grades], expected, rtol=1e-12)


def test_the_guide_says_what_was_measured_of_picked_queries() -> None:
    """The page quotes the study: its smallest and largest coverage."""
    text = " ".join((ROOT / "abrank/guide/machine.md").read_text("utf-8").split())
    picked = text.partition("queries were not random, ")[2].partition(". So ")[0]
    with (ROOT / "reports/calibration/machine-picked.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["judge"] == "noisy"]
    expected = []
    for ways in (("any of the harder half", "any of the easier half"),
                 ("the n with the largest differences",)):  # fmt: skip
        result = [100 * float(row["coverage"]) for row in rows if row["picked"] in ways]
        expected += [round(min(result)), round(max(result))]
    assert [int(match) for match in re.findall(r"\b(\d+)(?=%)", picked)] == expected
