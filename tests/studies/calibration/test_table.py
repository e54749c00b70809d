"""Counts become rates, totals add up, and a study reads back as it was written."""

import math

from reports.studies.calibration.table import Cell, Study, read_study, rows


def counted(test: str, skewness: str, whole: int, false: int, **more: int) -> dict[str, int | str]:
    arguments = {"replications": whole, "false_05": false, "false_01": 0}
    return {"test": test, "skewness": skewness, **arguments, **more}


STUDY = Study(
    100, 7, False,
    [
        Cell("simulated", "AP", 10, [
            counted("t", "below 0.5", 60, 3, covers=57, found_small=18, found_large=40),
            counted("t", "above 1", 40, 5, covers=35, found_small=10, found_large=20),
        ]),
        Cell("simulated", "RR", 10, [counted("t", "below 0.5", 100, 2)]),
        Cell("simulated", "all four", 10, [counted("max-T", "above 1", 100, 9)]),
    ],
)  # fmt: skip


def test_rates_and_totals() -> None:
    result = {(row.measure, row.skewness, row.test): row for row in rows(STUDY)}
    assert (result["AP", "all", "t"].false_05, result["AP", "all", "t"].covers) == (0.08, 0.92)
    assert result["all", "all", "t"].false_05 == 10 / 200
    assert result["all", "below 0.5", "t"].replications == 160
    assert math.isnan(result["RR", "all", "t"].covers)
    # A family of measures is no measure.
    assert ("all", "all", "max-T") not in result
    assert result["all four", "all", "max-T"].false_05 == 0.09


def test_a_study_is_read_back(tmp_path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(STUDY.text(), encoding="utf-8")
    assert read_study(path) == STUDY
    assert STUDY.has("simulated", "RR", 10)
    assert not STUDY.has("simulated", "RR", 25)
