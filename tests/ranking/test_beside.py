"""Measures as instruments, and risk, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.cli import run
from abrank.ranking import rank_scores
from abrank.ranking.beside import with_extras
from abrank.scoring.scores import Scores


@pytest.fixture
def files(tmp_path, monkeypatch) -> list[str]:
    made = abrank.simulate_runs(30, effect=0.3, rng=5)
    made.qrels.write(tmp_path / "qrels")
    made.baseline.write(tmp_path / "old.run")
    made.candidate.write(tmp_path / "new.run")
    monkeypatch.chdir(tmp_path)
    return ["qrels", "old.run", "new.run", "-m", "AP", "-m", "RR", "-q"]


def test_text_and_reports_say_what_the_json_holds(files, capsys) -> None:
    asked = ["--baseline", "old", "--instruments", "--risk", "1"]
    assert run(["rank", *files, *asked, "--report", "o.json", "--report", "o.html"]) == 0
    out = capsys.readouterr().out
    extras = json.loads(Path("o.json").read_text(encoding="utf-8"))["extras"]
    row = next(row for row in extras["risk"] if row["system"] == "new")
    compared = abrank.compare("qrels", "old.run", "new.run", measures="AP")
    d = compared.differences()
    assert row["urisk"] == pytest.approx(np.where(d < 0, 2 * d, d).mean())
    assert f"{row['urisk']:+.3f}".replace("-", "−") in out
    assert [each["measure"] for each in extras["instruments"]] == ["AP", "RR"]
    assert extras["instruments"][0]["achieved_levels"] == pytest.approx([compared.pvalue])
    assert "Swap rate" in out
    page = Path("o.html").read_text(encoding="utf-8")
    assert "Measures as instruments" in page
    assert "GeoRisk" in page
    assert max(map(len, out.splitlines())) <= 80


def test_without_the_flags_nothing_is_added(files, capsys) -> None:
    assert run(["rank", *files, "--format", "json"]) == 0
    assert "extras" not in json.loads(capsys.readouterr().out)


def test_lower_is_better_turns_gains() -> None:
    values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6]])[:, :, None]
    found = rank_scores(Scores(("1", "2", "3"), ("A", "B"), ("FPR@10",), values), baseline="A")
    row = next(row for row in with_extras(found, risk=1.0).extras.risk if row.system == "B")
    assert row.urisk == pytest.approx(2 * -(0.5 + 0.4 + 0.5) / 3)
    assert np.isnan(row.georisk)


def test_no_query_is_refused() -> None:
    empty = rank_scores(Scores((), ("A", "B"), ("AP",), np.empty((0, 2, 1))))
    with pytest.raises(ArgumentError, match="without queries"):
        with_extras(empty, risk=1.0)
