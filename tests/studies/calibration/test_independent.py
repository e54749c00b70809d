"""The study of independent groups: its page is of the table beside it, and a small run agrees."""

import pytest

from reports.studies.calibration import independent
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_of_the_table() -> None:
    rows = rows_of("independent.csv", independent.Found)
    assert independent.page(rows) == page_of("independent.md")
    assert {row.n_b for row in rows} == {20, 50, 200}
    error = (0.05 * 0.95 / rows[0].samples) ** 0.5
    assert max([row.welch for row in rows if row.n_a == row.n_b]) < 0.062 + 3.0 * error
    assert max(row.welch for row in rows) > 0.10  # unequal, small and skewed


@pytest.mark.slow
def test_a_small_run_writes_both(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(independent, "SIZES", (50,))
    assert independent.main(["--output", str(tmp_path), "--samples", "2000"]) == 0
    assert "| exponential | 50 | 50 |" in (tmp_path / "independent.md").read_text("utf-8")
    rows = list(independent.measure(samples=2_000, seed=0))
    assert len(rows) == 2 * len(independent.POPULATIONS)
    for row in rows:
        assert row.b_better <= row.welch
        if row.n_a == row.n_b:
            assert row.welch < 0.06 + 3.0 * (0.06 * 0.94 / 2_000) ** 0.5
