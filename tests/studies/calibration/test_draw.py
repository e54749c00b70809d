"""The figures of a calibration."""

from dataclasses import dataclass
from itertools import pairwise

import pytest

from abrank.plots import DARK
from reports.studies.calibration.draw import (
    PANELS,
    PARTS,
    SHOWN,
    calibration,
    calibration_parts,
)


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


@dataclass(frozen=True)
class OfPart:
    part: str
    n: int
    test: str
    false_05: float
    covers: float
    replications: int = 20_000


ROWS_OF_PARTS = [
    OfPart(part, n, test, 0.03 + 0.02 * place, 0.9 - 0.01 * place)
    for part, _, _, names in PARTS.values()
    for place, test in enumerate(names)
    for n in (10, 100)
]


@pytest.mark.slow
def test_a_line_a_test_in_the_panel_of_its_part() -> None:
    figure = calibration_parts(ROWS_OF_PARTS)
    for ax, (part, size, quantity, names) in zip(figure.axes, PARTS.values(), strict=True):
        lines = [line for line in ax.lines if line.get_marker() != "None"]
        named = [text.get_text() for text in ax.texts]
        assert named == list(names.values())
        assert ax.get_xlabel() == size
        for line, test in zip(lines, names, strict=True):
            of_test = [row for row in ROWS_OF_PARTS if (row.part, row.test) == (part, test)]
            wrong = [r.false_05 if quantity == "false_05" else 1.0 - r.covers for r in of_test]
            assert line.get_ydata().tolist() == pytest.approx(wrong)


def test_rates_below_the_axis_lie_on_it() -> None:
    part, _, _, names = PARTS["Queries in clusters"]
    figure = calibration_parts([OfPart(part, n, next(iter(names)), 0.0, 1.0) for n in (10, 100)])
    line = next(line for line in figure.axes[0].lines if line.get_marker() != "None")
    assert line.get_ydata().tolist() == [SHOWN[0]] * 2


CLOSE = calibration([Drawn(n, test, 0.05, 0.95) for test in TESTS for n in (10, 100)], theme=DARK)
CLOSE_PARTS = calibration_parts(
    [OfPart(row.part, row.n, row.test, 0.05, 0.95) for row in ROWS_OF_PARTS]
)


@pytest.mark.parametrize("figure", [CLOSE, CLOSE_PARTS], ids=["tests", "parts"])
def test_names_do_not_lie_on_each_other(figure) -> None:
    figure.canvas.draw()
    for ax in figure.axes:
        boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
        for lower, upper in pairwise(boxes):
            assert upper.y0 > lower.y1 - 1.0
