"""The test of all systems together beside a test of ranks, in the result, the text and the file."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import abrank

SCORES = np.random.default_rng(4).random((30, 4)) + np.array([0.0, 0.1, 0.2, 0.4])
BOARD = {f"s{i}": {f"q{q}": float(v) for q, v in enumerate(SCORES[:, i])} for i in range(4)}


def test_it_is_friedmans_and_stands_in_text_and_json(tmp_path: Path) -> None:
    ranking = abrank.rank_scores(BOARD, test="nemenyi")
    expected = stats.friedmanchisquare(*SCORES.T)
    omnibus = ranking.omnibus
    assert (omnibus["chi2"], omnibus["pvalue"]) == pytest.approx(tuple(expected))
    # Demsar (2006): q of the studentised range over the root of 2, times sqrt(k (k + 1) / 6 n).
    q = stats.studentized_range.ppf(0.95, 4, np.inf) / np.sqrt(2)
    assert omnibus["critical_difference"] == pytest.approx(q * np.sqrt(4 * 5 / (6 * 30)), rel=1e-6)
    text = " ".join(str(ranking).split())
    assert "Friedman's test that all rank alike: chi-squared" in text
    assert f"Critical difference of two mean ranks: {omnibus['critical_difference']:.2f}" in text
    path = ranking.report(tmp_path / "results.json")
    assert json.loads(path.read_text())["omnibus"]["pvalue"] == omnibus["pvalue"]
    assert abrank.Ranking.from_json(path) == ranking


def test_the_critical_difference_is_at_the_level_of_the_tests() -> None:
    omnibus = replace(abrank.rank_scores(BOARD, test="nemenyi"), n_families=2).omnibus
    q = stats.studentized_range.ppf(1 - 0.05 / 2, 4, np.inf) / np.sqrt(2)
    assert omnibus["critical_difference"] == pytest.approx(q * np.sqrt(4 * 5 / (6 * 30)), rel=1e-6)


def test_only_tests_of_ranks_have_it() -> None:
    assert abrank.rank_scores(BOARD).omnibus is None
    dunn = abrank.rank_scores(BOARD, test="bonferroni-dunn", baseline="s0").omnibus
    assert dunn is not None
    assert "critical_difference" not in dunn
