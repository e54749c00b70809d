"""The figures of a calibration."""

from dataclasses import dataclass

import pytest

from reports.studies.calibration.draw import PANELS, calibration


@dataclass(frozen=True)
class Drawn:
    n: int
    test: str
    false_05: float
    covers: float
    replications: int = 20_000


TESTS = [test for tests in PANELS.values() for test in tests]
ROWS = [
    Drawn(n, test, 0.04 + 0.01 * place, 0.96 - 0.01 * place)
    for place, test in enumerate(TESTS)
    for n in (10, 100)
]


def test_a_line_a_test_in_both_rows() -> None:
    figure = calibration(ROWS)
    for row, field in ((0, "false_05"), (1, "covers")):
        sample = {}
        for ax in figure.axes[3 * row : 3 * row + 3]:
            lines = [
                line for line in ax.lines if len(line.get_xdata()) and line.get_marker() != "None"
            ]
            named = [text.get_text() for text in ax.texts]
            sample |= {
                name: line.get_ydata().tolist() for name, line in zip(named, lines, strict=True)
            }
        assert sample == {
            test.removeprefix("bootstrap, "): [getattr(r, field) for r in ROWS if r.test == test]
            for test in TESTS
        }


def test_the_band_is_that_of_the_fewest_replications() -> None:
    few = [*ROWS, Drawn(50, "t", 0.05, 0.95, replications=1900)]
    band = calibration(few).axes[0].collections[0].get_paths()[0].get_extents()
    assert band.height == pytest.approx(2 * 1.96 * 0.005)
