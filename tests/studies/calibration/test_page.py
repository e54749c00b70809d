"""The page says of each test what its numbers say."""

import pytest

from reports.studies.calibration.page import page
from reports.studies.calibration.table import Cell, Row, Study, rows
from reports.studies.calibration.tables import is_above


def study(**rates: float) -> Study:
    """20,000 samples of each test, in which it is wrong so often."""
    counts = [
        {
            "test": test, "skewness": "below 0.5", "replications": 20_000,
            "false_05": round(20_000 * rate), "false_01": round(4_000 * rate),
            "covers": round(20_000 * (1 - rate)), "found_small": 6_000, "found_large": 12_000,
        }
        for test, rate in rates.items()
    ]  # fmt: skip
    return Study(20_000, 0, False, [Cell("simulated", "AP", n, counts) for n in (10, 25)])


def test_what_keeps_its_level_and_what_does_not() -> None:
    arguments = study(t=0.051, basic=0.06, BCa=0.08)
    text = page(arguments, rows(arguments))
    assert "- **t** keeps its level: 5.10 to 5.10 % false findings at 5 %." in text
    assert "- **basic** finds too much: 6.00 % (10 queries) and 6.00 % (25 queries)" in text
    assert "- **BCa** finds far too much: 8.00 % (10 queries)" in text
    assert "| BCa | **8.00 ± 0.19** | **8.00 ± 0.19** |" in text
    assert "| BCa | **92.00 ± 0.19** | **92.00 ± 0.19** |" in text
    assert "| t | 5.10 ± 0.16 | 5.10 ± 0.16 |" in text
    assert "skewed the differences" not in text
    assert "`python -m reports.studies.calibration --replications 20000 --seed 0`" in text


@pytest.mark.parametrize(
    ("rate", "replications", "above"),
    [(0.0549, 10**6, False), (0.0551, 10**6, True), (0.06, 100, False), (0.02, 10**6, False)],
)
def test_above_by_more_than_a_tenth_and_surely(rate, replications, above) -> None:
    row = Row("simulated", "AP", "all", 10, "t", replications, rate, 0.01, 1 - rate, 0.3, 0.6)
    assert is_above(row, "false_05", 0.05) is above
    assert is_above(row, "covers", 0.05) is above


def test_parts_are_told_in_short_and_in_tables() -> None:
    def cell(n: int, wrong: int) -> Cell:
        counts = [
            {"test": "Tukey", "replications": 20_000, "false_05": wrong, "false_01": 100},
            {"test": "t, Holm", "replications": 20_000, "false_05": 900, "false_01": 90},
            {"test": "within-query interval", "replications": 20_000, "covers": 19_000},
        ]
        return Cell("simulated", "mixed", n, counts, "systems of one mean")

    arguments = study(t=0.05)
    arguments.cells.extend([cell(10, 1500), cell(25, 1000)])
    text = page(arguments, rows(arguments))
    assert (
        "- **Systems of one mean**. Too often wrong, the worst first: *Tukey*, 7.50 % (10)."
        " Wrong in 5.00 % at most, the worst first: within-query interval; t, Holm."
    ) in text
    assert "## Systems of one mean\n\nn counts queries. 20\u202f000 samples of each size." in text
    assert "| Tukey | **7.50 ± 0.19** | 5.00 ± 0.15 |" in text
    assert "| within-query interval | 95.00 ± 0.15 |  |" not in text
    assert "## Ranks" not in text
    assert "everything else" not in page(study(t=0.05), rows(study(t=0.05)))
