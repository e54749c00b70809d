"""The study of what decides beside a machine: its page is of its table; a small run."""

from reports.studies.calibration import machine_decides
from tests.studies.calibration.pairs import made_pairs
from tests.studies.calibration.stored import page_of, rows_of


def test_the_page_is_of_the_table() -> None:
    rows = rows_of("machine-decides.csv", machine_decides.Decided)
    assert machine_decides.page(rows) == page_of("machine-decides.md")
    assert {row.judge for row in rows} == {*machine_decides.JUDGES}


def test_a_small_run_writes_both(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(machine_decides, "SIZES", (25,))
    monkeypatch.setattr(machine_decides, "N_QUERIES", 300)
    first = machine_decides.JUDGES[0]
    texts = [pair._replace(judge=first) for pair in made_pairs() if pair.judge == "noisy"]
    monkeypatch.setattr(machine_decides, "JUDGES", (first,))
    monkeypatch.setattr(machine_decides, "judged_pairs", lambda data, seed: texts)
    requested = ["--data", str(tmp_path), "--output", str(tmp_path), "--samples", "60"]
    assert machine_decides.main(requested) == 0
    rows = rows_of(str(tmp_path / "machine-decides.csv"), machine_decides.Decided)
    assert machine_decides.page(rows) == (tmp_path / "machine-decides.md").read_text("utf-8")
    assert {row.picked for row in rows} == {*machine_decides.PICKS}
    sample = next(row for row in rows if row.picked == "drawn at random")
    assert sample.coverage > 0.88  # 120 samples
    assert sample.worst_coverage <= sample.coverage
