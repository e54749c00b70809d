"""The study of cautions: its page is the table that is stored, and every caution has a row."""

import numpy as np

from abrank.report.sections.cautions import WORDS
from reports.studies.calibration.cautions import (
    OF_THE_INPUT,
    OUTCOMES,
    RIGHT,
    STAYS,
    Row,
    codes_of,
    page,
    pvalues_of,
)
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_made_from_the_table() -> None:
    rows = rows_of("cautions.csv", Row)
    assert page(rows) == page_of("cautions.md")
    assert {row.caution for row in rows} == set(OUTCOMES)


def test_what_stays_for_being_right_is_right_once_in_three() -> None:
    rows = {row.caution: row for row in rows_of("cautions.csv", Row)}
    for code, outcome in OUTCOMES.items():
        if outcome == STAYS:
            assert rows[code].right >= RIGHT * rows[code].fired > 0, code
        elif outcome.startswith("gone"):
            assert rows[code].right < RIGHT * rows[code].fired or not rows[code].fired, code


def test_every_caution_of_today_stays_and_no_other() -> None:
    outcomes = OUTCOMES | OF_THE_INPUT
    remain = {code.partition(" ")[0] for code in outcomes if not outcomes[code].startswith("gone")}
    assert remain == {*WORDS, "monte-carlo-near-alpha"}


def test_the_conditions_are_those_of_the_cautions() -> None:
    five = np.array([0.1, 0.3, 0.2, 0.4, 0.25])
    carried = np.r_[0.0155 + np.linspace(-0.1, 0.1, 49), 0.25]
    lost = np.r_[0.05 + np.linspace(-0.1, 0.1, 60), -0.3]
    for differences, code in (
        (five, "few-signs"),
        (carried, "one-query-decides"),
        (lost, "losses-behind-the-mean"),
    ):
        pvalues = {test: float(p[0]) for test, p in pvalues_of(differences[:, None], 1).items()}
        assert code in codes_of(differences, pvalues, ["0"] * len(differences)), code
    tied = np.tile([0.1, -0.1], 10)
    pvalues = {test: float(p[0]) for test, p in pvalues_of(tied[:, None], 1).items()}
    assert codes_of(tied, pvalues, ["0"] * 20) == frozenset()
