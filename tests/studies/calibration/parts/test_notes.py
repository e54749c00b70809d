"""No note is given in more than 5 % of normal samples without an effect: counted, and committed."""

from pathlib import Path

import numpy as np
import pytest

from reports.studies.calibration.page_of_parts import parts_in_short, parts_in_tables
from reports.studies.calibration.parts.notes import CODES, NOTES, ask
from reports.studies.calibration.parts.part import Batch
from reports.studies.calibration.table import Row, read_study, rows
from tests.studies.calibration.made import normal_material

COMMITTED = Path(__file__).parents[4] / "reports" / "calibration" / "calibration.json"
NAMES = [part.name for part in NOTES]


@pytest.fixture(scope="module")
def committed() -> list[Row]:
    return [row for row in rows(read_study(COMMITTED)) if row.part in NAMES]


def rates_of(d: np.ndarray) -> dict[str, float]:
    batch = Batch(normal_material(), *d.shape, 0, np.random.default_rng(1))
    requested = list(ask(batch, lambda _: d))
    return {item.test: item.counts()["false_05"] / d.shape[1] for item in requested}


def test_notes_are_counted_where_they_are_given() -> None:
    alike = rates_of(np.tile(np.r_[np.full(20, 0.1), np.zeros(21)], (3, 1)).T)
    assert {code for code, rate in alike.items() if rate == 1.0} == set()
    assert alike["few-signs"] == 0.0
    assert rates_of(np.full((30, 2), 0.1))["constant-difference"] == 1.0
    assert rates_of(np.full((4, 2), 0.1) * [[1.0], [2.0], [3.0], [4.0]])["few-signs"] == 1.0


def test_committed_study_has_every_note_at_every_size(committed: list[Row]) -> None:
    assert {row.n for row in committed} == {10, 25, 50, 100, 250}
    for name in NAMES:
        some = [row for row in committed if row.part == name]
        assert {row.test for row in some} >= set(CODES)
        assert {row.replications for row in some} == {4_000}


def test_no_note_is_given_in_more_than_a_twentieth_of_normal_samples(committed: list[Row]) -> None:
    normal = [row for row in committed if row.part == NAMES[0]]
    assert normal
    assert {row.test: row.false_05 for row in normal if row.false_05 > 0.05} == {}


def test_page_says_how_often(committed: list[Row]) -> None:
    short = [line for line in parts_in_short(committed) if "Notes, normal" in line]
    assert len(short) == 1
    assert " % at most." in short[0]
    assert "more than 5 %" not in short[0]
    assert "### How often each note is given" in parts_in_tables(committed)
