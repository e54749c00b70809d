"""No sentence stands under a headline in more than 5 % of samples without an effect."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from abrank.report.sections.notes.sentences import SENTENCES as WORDS
from reports.studies.calibration.parts.part import Batch
from reports.studies.calibration.parts.sentences import CODES, KINDS, SENTENCES, ask
from reports.studies.calibration.table import Row, read_study, rows
from tests.studies.calibration.made import normal_material

COMMITTED = Path(__file__).parents[4] / "reports" / "calibration" / "calibration.json"
NAMES = [part.name for part in SENTENCES]
HEADLINE = KINDS[0]


@pytest.fixture(scope="module")
def committed() -> list[Row]:
    return [row for row in rows(read_study(COMMITTED)) if row.part in NAMES]


def test_sentences_are_counted_where_they_stand() -> None:
    batch = Batch(normal_material(), 12, 2, 0, np.random.default_rng(1))
    shown = np.linspace(0.1, 0.3, 12)[None, :, None] * np.array([1.0, 1.0, -1.0, 1.0])
    found = {
        each.test: each.counts()["false_05"]
        for each in ask(
            batch,
            lambda _: np.concatenate(
                [shown, 0.01 * (-1.0) ** np.arange(12)[None, :, None] * np.ones(4)]
            ),
        )
    }
    assert found["tests agree"] == 1
    assert found["the verdict stays under other choices"] == 1
    assert found["secondary measures point the other way"] == 1


def test_every_note_that_is_counted_has_words() -> None:
    assert set(CODES) <= {*WORDS, "monte-carlo-near-alpha"}


def test_the_committed_study_has_every_kind_and_population(committed: list[Row]) -> None:
    assert {row.part for row in committed} == set(NAMES)
    for name in NAMES:
        assert {row.test for row in committed if row.part == name} == set(KINDS)


# What t itself finds too much of, by the part, the sentence, and up to which size.
BY_T = {
    ("sentences, skewed", HEADLINE): 10,
    ("sentences, skewed", "a segment is better or worse"): 100,
}
# What stands beside a headline that shows a difference, and beside no other.
BESIDE_A_FINDING = {"tests agree", "the verdict stays under other choices", "tests-disagree"}
# What is tested at 5 % itself: its rate is 5 %, give or take three standard errors.
TESTED = {
    HEADLINE,
    "secondary measures point the other way",
    "segments differ",
    "a segment is better or worse",
}


def test_none_stands_there_too_often(committed: list[Row]) -> None:
    rates = {(row.part, row.n, row.test): row.false_05 for row in committed}
    for (part, n, test), rate in rates.items():
        if (part, n, test) == ("sentences, clustered", 10, "few-clusters"):
            assert rate == 1.0  # two clusters, which cannot be tested
        elif test in BESIDE_A_FINDING:
            assert rate <= rates[part, n, HEADLINE], (part, n, test)
        elif test in TESTED and n <= BY_T.get((part, test), 0):
            assert rate <= 0.09, (part, n, test)
        else:
            error = np.sqrt(0.05 * 0.95 / 1000) if test in TESTED else 0.0
            assert rate <= 0.05 + 3.0 * error, (part, n, test)
    assert {row.replications for row in committed} == {1000}
