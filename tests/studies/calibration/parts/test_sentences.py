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


def test_none_stands_there_too_often(committed: list[Row]) -> None:
    """A verdict of a gain or loss that stays, and tests that agree with it, are that of t."""
    of_the_verdict = {"tests agree", "the verdict stays under other choices"}
    for row in committed:
        error = np.sqrt(0.05 * 0.95 / row.replications)
        most = 0.05 + (2.5 * error if row.test in of_the_verdict else 0.0)
        assert row.false_05 <= most, (row.part, row.n, row.test)
