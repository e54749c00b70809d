"""A calibration as a table of numbers, a figure and a page."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

from reports.studies.calibration.page import page
from reports.studies.calibration.table import MAIN, QUANTITIES, Row, Study, rows, select

COLUMNS = ("part", "source", "measure", "skewness", "n", "test", "replications")


def write(study: Study, folder: Path) -> None:
    """Write ``calibration.json``, ``.csv`` and ``.md``, and draw two figures.

    The figures are ``calibration.svg`` and, of the parts beside the first,
    ``calibration-parts.svg``.

    Parameters
    ----------
    study : Study
        With one cell or more.
    folder : Path
        Made where it is not there.
    """
    from reports.studies.calibration import draw

    folder.mkdir(parents=True, exist_ok=True)
    result = rows(study)
    (folder / "calibration.json").write_text(study.text(), encoding="utf-8")
    (folder / "calibration.csv").write_text(table(result), encoding="utf-8")
    (folder / "calibration.md").write_text(page(study, result), encoding="utf-8")
    first = draw.calibration(select(result, source=result[0].source))
    draw.save(first, folder / "calibration.svg")
    of_parts = [row for row in result if row.part != MAIN]
    if of_parts:
        draw.save(draw.calibration_parts(of_parts), folder / "calibration-parts.svg")


def table(result: Sequence[Row]) -> str:
    """Return the rates with their binomial standard errors as comma-separated values.

    Examples
    --------
    >>> row = Row("simulated", "AP", "all", 50, "t", 20000, 0.05, 0.01, 0.95, 0.3, math.nan)
    >>> print(table([row]).splitlines()[1])
    tests,simulated,AP,all,50,t,20000,0.05000,0.00154,0.01000,0.00070,0.95000,0.00154,0.30000,0.00324,,
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rates = [name for item in QUANTITIES for name in (item, f"{item}_error")]
    writer.writerow([*COLUMNS, *rates])
    for row in result:
        pairs = ((getattr(row, item), row.error(item)) for item in QUANTITIES)
        numbers = ("" if math.isnan(first) else f"{first:.5f}" for pair in pairs for first in pair)
        writer.writerow([*(getattr(row, name) for name in COLUMNS), *numbers])
    return text.getvalue()
