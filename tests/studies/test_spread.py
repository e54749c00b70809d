"""The stored spreads are those of the boards."""

from pathlib import Path

import numpy as np
import pytest

from abrank.planning.audit import BOARDS, Board
from reports.studies.spread import spreads, table

DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="no ../shared/data beside the clone")
def test_the_package_holds_what_the_study_finds() -> None:
    boards = {name: Board(*row) for name, row in table(DATA).items()}
    assert boards == {name: BOARDS[name] for name in boards}
    # The matrices that are not beside the clone.
    assert {*BOARDS} - {*boards} <= {"P@10", "RR", "ERR@20"}


def test_pairs_that_are_far_apart_or_alike_do_not_count() -> None:
    scores = np.array([[0.1, 0.1, 0.9, 0.2], [0.3, 0.3, 0.9, 0.2]])
    assert spreads(scores).tolist() == pytest.approx([np.std([0.1, -0.1], ddof=1)] * 2)
