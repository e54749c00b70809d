"""The figure of the parts of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest

from abrank.studies.calibration.draw_parts import (
    PANELS,
    SHOWN,
    calibration_parts,
    draw_calibration_parts,
)


@dataclass(frozen=True)
class Drawn:
    part: str
    n: int
    test: str
    false_05: float
    covers: float
    replications: int = 20_000


ROWS = [
    Drawn(part, n, test, 0.03 + 0.02 * place, 0.9 - 0.01 * place)
    for part, _, _, names in PANELS.values()
    for place, test in enumerate(names)
    for n in (10, 100)
]


def test_a_line_a_test_in_its_panel() -> None:
    figure = calibration_parts(ROWS)
    for ax, (part, size, quantity, names) in zip(figure.axes, PANELS.values(), strict=True):
        lines = [line for line in ax.lines if line.get_marker() != "None"]
        named = [text.get_text() for text in ax.texts]
        assert named == list(names.values())
        assert ax.get_xlabel() == size
        for line, test in zip(lines, names, strict=True):
            of_test = [row for row in ROWS if (row.part, row.test) == (part, test)]
            wrong = [r.false_05 if quantity == "false_05" else 1.0 - r.covers for r in of_test]
            assert line.get_ydata().tolist() == pytest.approx(wrong)


def test_rates_below_the_axis_lie_on_it() -> None:
    part, _, _, names = PANELS["Queries in clusters"]
    figure = calibration_parts([Drawn(part, n, next(iter(names)), 0.0, 1.0) for n in (10, 100)])
    line = next(line for line in figure.axes[0].lines if line.get_marker() != "None")
    assert line.get_ydata().tolist() == [SHOWN[0]] * 2


def test_names_do_not_lie_on_each_other() -> None:
    close = [Drawn(row.part, row.n, row.test, 0.05, 0.95) for row in ROWS]
    figure = calibration_parts(close)
    figure.canvas.draw()
    for ax in figure.axes:
        boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
        for lower, upper in pairwise(boxes):
            assert upper.y0 > lower.y1 - 1.0


def test_files(tmp_path) -> None:
    draw_calibration_parts(ROWS[:2], tmp_path / "calibration-parts")
    assert (tmp_path / "calibration-parts.png").read_bytes()[1:4] == b"PNG"
    assert "<svg" in (tmp_path / "calibration-parts.svg").read_text("utf-8")
