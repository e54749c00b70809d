"""The study of weights: its page is of the table beside it, and a small run finds what it says."""

import pytest

from reports.studies.calibration import weights
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_of_the_table() -> None:
    rows = rows_of("weights.csv", weights.Found)
    assert weights.page(rows) == page_of("weights.md")
    assert {row.n for row in rows} == {*weights.SIZES}
    nothing = [row for row in rows if not row.shifted]
    error = (0.05 * 0.95 / nothing[0].samples) ** 0.5
    assert max(row.abrank for row in nothing) < 0.06 + 3.0 * error  # "5 to 6 %"
    assert max(row.hc1 for row in nothing) > 0.09


@pytest.mark.slow
def test_a_small_run_writes_both(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(weights, "SIZES", (50,))
    assert weights.main(["--output", str(tmp_path), "--samples", "2000"]) == 0
    assert "| traffic, 1 / rank | yes | 50 |" in (tmp_path / "weights.md").read_text("utf-8")
    rows = list(weights.measure(samples=2_000, seed=0))
    header, *lines = (tmp_path / "weights.csv").read_text("utf-8").splitlines()
    assert header.startswith("weights,shifted,n,effective,abrank")
    assert len(lines) == len(rows) == 8
    result = {(row.weights, row.shifted): row for row in rows}
    for kind in ("strata 4 : 1", "traffic, rank ** -0.7", "traffic, 1 / rank", weights.CLUSTERED):
        assert result[kind, False].abrank < 0.06 + 3.0 * (0.06 * 0.94 / 2_000) ** 0.5
        assert result[kind, True].abrank > 2.0 * result[kind, False].abrank
        assert result[kind, True].effective < 50
    assert result["traffic, 1 / rank", False].hc1 > result["traffic, 1 / rank", False].abrank
