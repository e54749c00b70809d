"""Simulated machines that judge real runs, here simulated ones, and the command of their study."""

import csv

import numpy as np
import pytest

from abrank import simulate_runs
from reports.studies.calibration import judges, machine, machine_picked

PAIRS = (("one", "a", "b.run"), ("two", "c", "d"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two collections with two runs each, the one better than the other by as much as can be."""
    for seed, (collection, *names) in enumerate(PAIRS):
        result = simulate_runs(30, effect=0.3, rng=seed)
        (tmp_path / collection / "runs").mkdir(parents=True)
        result.qrels.write(tmp_path / collection / "qrels.txt")
        result.baseline.write(tmp_path / collection / "runs" / names[0])
        result.candidate.write(tmp_path / collection / "runs" / names[1])
    monkeypatch.setattr(judges, "PAIRS", PAIRS)
    return tmp_path


@pytest.mark.slow
def test_machines_judge_as_they_are_called(folder) -> None:
    pairs = {(pair.name, pair.judge): pair for pair in judges.judged_pairs(folder, seed=1)}
    assert set(pairs) == {(name, judge) for name in ("a, b", "c, d") for judge in judges.JUDGES}
    for (_, judge), pair in pairs.items():
        human, by_machine, score = pair.real
        assert human.shape == (30 * judges.N_DRAWS,)
        assert human.mean() > 0.05  # B is better
        # Both orders of the pair: a true difference of 0, up to rounding.
        assert pair.null.shape == (3, 2 * len(human))
        assert abs(pair.null[0].mean()) < 1e-12
        assert ((score >= 0) & (score <= 1)).all()
        if judge == "adversarial":
            assert np.corrcoef(human, by_machine)[0, 1] < 0
        if judge == "favours B":
            assert by_machine.mean() > pairs[pair.name, "noisy"].real[1].mean()
        if judge == "rare failures":
            assert 0 < np.mean(human != by_machine) < 3 * judges.FAILS
            assert (human - by_machine)[human != by_machine].mean() > 0.2


def test_the_same_seed_judges_the_same(folder) -> None:
    first, two, second = (next(judges.judged_pairs(folder, seed=seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.real, two.real)
    assert (first.real[1] != second.real[1]).any()


@pytest.mark.slow
def test_the_command_writes_its_page_and_tables(folder, monkeypatch, capsys) -> None:
    for module, sizes in ((machine, (25,)), (machine_picked, (25,))):
        monkeypatch.setattr(module, "SIZES", sizes)
    monkeypatch.setattr(machine, "N_QUERIES", 100)
    out = folder / "out"
    assert machine.main(["--data", str(folder), "--output", str(out), "--samples", "10"]) == 0
    with (out / "machine.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["judge"] for row in rows} == set(judges.JUDGES)
    assert all(0 <= float(row["coverage"]) <= 1 for row in rows)
    page = (out / "machine.md").read_text()
    assert "2 pairs of real runs; 10 samples" in page
    assert page.count("| n | method | coverage |") == len(judges.JUDGES)
    *message, page_written = capsys.readouterr().err.splitlines()
    assert len(message) == len(rows)
    assert page_written == str(out / "machine.md")
    first = rows[0]
    assert f"| {first['n']} | {first['method']} | {float(first['coverage']):.3f} |" in page
    with (out / "machine-picked.csv").open() as file:
        assert {row["n"] for row in csv.DictReader(file)} == {"25"}


def test_queries_that_one_run_lacks_are_left_out() -> None:
    qrels = {"q1": {"d": 1}, "q2": {"d": 2}}
    runs = {"q1": ["d"], "q2": ["x", "d"]}, {"q2": ["d"]}
    (result,) = judges._queries(qrels, runs)
    assert result.grades.tolist() == [0, 2]
