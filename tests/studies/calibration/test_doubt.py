"""The study of doubts: its page is the table that is stored, and the rule reaches its goal."""

import numpy as np
import pytest

from abrank.comparison.evidence import CONDENSED_WEIGHT
from abrank.inputs import JudgedRun
from reports.studies.calibration.doubt import GOAL, Row, page, shares, total, unjudged, verdicts
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_made_from_the_table_and_the_rule_reaches_its_goal() -> None:
    rows = rows_of("doubt.csv", Row)
    assert page(rows) == page_of("doubt.md")
    doubted, right, result = shares(total(rows, f"{CONDENSED_WEIGHT:.2f}", pools=False))
    assert doubted <= GOAL["doubted"]
    assert right >= GOAL["right"]
    assert result >= GOAL["found"]


def test_verdicts_are_those_of_the_paired_t_test() -> None:
    differences = np.array([0.1, 0.2, 0.3, 0.15])
    assert verdicts(differences) == (pytest.approx(0.1875), 1)  # t = 4.39, 3.18 at 5%
    assert (verdicts(-differences)[1], verdicts(np.array([0.1, -0.2, 0.3, 0.15]))[1]) == (-1, 0)


def test_unjudged_documents_are_those_of_the_first_ranks() -> None:
    query, rank = unjudged(JudgedRun.from_grades([[None, 1, None, None], [0, None]]), 3)
    assert list(zip(query.tolist(), rank.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 2)]
