"""Comparisons under a ledger: kept when they have ended, at the level that a budget has left."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, Question
from abrank.cli import run
from abrank.ledger import ErrorBudget, open_ledger
from tests.cli.conftest import write_runs
from tests.ledger.made import QUERIES

COMMAND = ["compare", "q.txt", "a.run", "b.run", "-m", "AP", "--ledger", "gates.sqlite"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    write_runs(tmp_path, effect=0.3, seed=3, names=("q.txt", "a.run", "b.run"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scores(seed: int, gain: float = 0.0) -> list[dict[str, float]]:
    baseline = np.random.default_rng(1).uniform(0.2, 0.8, 50)
    second = baseline + np.random.default_rng(seed).normal(gain, 0.1, 50)
    return [dict(zip(QUERIES, item.tolist(), strict=True)) for item in (baseline, second)]


def test_a_comparison_whose_report_cannot_be_written_is_not_kept(here, capsys) -> None:
    (here / "no").write_text("")
    assert (run([*COMMAND, "--report", "no/out.html"]), run([*COMMAND[:-1], "q.txt"])) == (2, 3)
    assert "is no ledger, or is damaged" in capsys.readouterr().err
    assert not (here / "gates.sqlite").exists()


@pytest.mark.slow
def test_history_tells_what_compare_kept(here, capsys, command) -> None:
    for seed in range(3):
        assert run([*COMMAND, "-q", "--seed", str(seed), "--test", "permutation"]) == 0
    capsys.readouterr()
    assert run(["history", "gates.sqlite", "--report", "out.html", "-q"]) == 0
    assert capsys.readouterr().out.startswith(
        "1 comparison: 1 better, 0 worse.\n"
    )  # exact: no seed matters
    assert (here / "out.html").read_text().startswith("<!doctype html>")
    assert "no ledger has this name" in command(["history", "nothing.sqlite"], 2).err


@pytest.mark.slow
def test_a_budget_gives_the_level_before_the_result_and_decides(here, capsys) -> None:
    budget = ErrorBudget.parse("fdr:0.05")
    assert run([*COMMAND, "--config", "error_budget=fdr:0.05", "--report", "out.json"]) == 0
    parts = capsys.readouterr().err.splitlines()
    assert parts[0] == "error budget fdr:0.05: a new comparison has the level 0.0027"
    assert any("decided at the level 0.0027 by the test hall" in line for line in parts)
    json = abrank.Comparison.from_json("out.json")
    assert json.rule.alpha == pytest.approx(budget.next_alpha([]))
    assert json.rule.test == "hall"
    assert (json.pvalue <= json.rule.alpha) == (json.decision.ci_low > 0)


def test_asked_once_more_under_a_budget_it_has_its_level_and_spends_nothing(tmp_path) -> None:
    config = Question(ledger=tmp_path / "gates", error_budget="fwer:0.05")
    first = abrank.compare_scores(*scores(2), config=config)
    abrank.compare_scores(*scores(3), config=config)
    assert abrank.compare_scores(*scores(2), config=config).rule == first.rule
    entries = open_ledger(tmp_path / "gates").entries()
    assert len(entries) == 2
    assert entries[1].alpha < entries[0].alpha


def test_another_margin_for_the_same_scores_spends_and_earns_nothing(tmp_path) -> None:
    config = Question(ledger=tmp_path / "gates", error_budget="fdr:0.05")
    budget = ErrorBudget.parse("fdr:0.05")
    first = abrank.compare_scores(*scores(2, 0.2), config=config)
    assert first.decision.ci_low > 0  # a finding, which earns
    after = budget.next_alpha(open_ledger(tmp_path / "gates").entries())
    wider = abrank.compare_scores(*scores(2, 0.2), config=config, margin=0.01, name_b="again")
    assert wider.rule.alpha == first.rule.alpha
    entries = open_ledger(tmp_path / "gates").entries()
    assert len(entries) == 2
    assert budget.next_alpha(entries) == after
    (spent,) = abrank.history(tmp_path / "gates").budgets
    assert (spent.n_comparisons, spent.n_better, spent.n_above_level) == (1, 1, 0)


@pytest.mark.slow
def test_from_eight_comparisons_on_a_gain_is_set_beside_what_to_expect(tmp_path) -> None:
    config = Question(ledger=tmp_path / "gates.sqlite")
    for seed in range(8):
        text = " ".join(abrank.compare_scores(*scores(seed, 0.02), config=config).remarks)
        assert ("is to be expected again" in text) == (seed == 7)
    assert "ledger: 8 comparisons on these queries with this one" in text


@pytest.mark.slow
def test_who_gains_most_of_several_of_a_day_is_told_what_the_choice_costs(tmp_path) -> None:
    config = Question(ledger=tmp_path / "gates")
    gains = (0.0, 0.1, 0.05, 0.3)
    texts = [
        " ".join(abrank.compare_scores(*scores(seed, gain), config=config).remarks)
        for seed, gain in enumerate(gains)
    ]
    assert ["best_of=" in item for item in texts] == [False, True, False, True]
    assert "4 candidates were compared with this baseline on these queries today" in texts[-1]
    paid = replace(config, best_of=4)
    assert "best_of=" not in " ".join(abrank.compare_scores(*scores(3, 0.3), config=paid).remarks)


def look(n: int, design: str, place, seed: int = 2) -> str:
    both = [dict(list(score.items())[:n]) for score in scores(seed)]
    config = Question(ledger=place)
    return " ".join(abrank.compare_scores(*both, config=config, design=design).remarks)


def test_looks_that_were_planned_are_held_against_the_ledger(tmp_path) -> None:
    assert "no other look of this plan was taken before" in look(25, "1/2", tmp_path / "plan")
    assert look(25, "1/2", tmp_path / "plan").count("no other look") == 1
    message = look(50, "2/2", tmp_path / "plan")
    assert "taken before, by the names of the systems: 1/2, as planned" in message
    assert "Together they spend more" in look(40, "2/2", tmp_path / "plan")
    assert "Together they spend more" in look(25, "1/2", tmp_path / "plan", seed=3)
    assert [entry.look for entry in open_ledger(tmp_path / "plan").entries()] == [
        "1/2", "2/2", "2/2", "1/2"
    ]  # fmt: skip


@pytest.mark.slow
def test_without_a_ledger_nothing_is_told_and_with_one_nothing_else_changes(tmp_path) -> None:
    plain = abrank.compare_scores(*scores(0))
    assert plain.remarks == ()
    comparison = abrank.compare_scores(*scores(0), config=Question(ledger=tmp_path / "gates"))
    assert comparison.remarks
    written = [
        replace(item, remarks=(), provenance={}).report(tmp_path / f"{name}.{kind}").read_bytes()
        for kind in ("json", "html", "md", "tex")
        for name, item in (("plain", plain), ("kept", comparison))
    ]
    assert written[::2] == written[1::2]


@pytest.mark.slow
def test_without_a_ledger_none_of_it_is_loaded() -> None:
    text = (
        "import sys, abrank; abrank.compare_scores({'x': 1, 'y': 2, 'z': 3}, {'x': 2, 'y': 1,"
        " 'z': 1}); print([each for each in sys.modules if each.startswith('abrank.ledger.')])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['abrank.ledger.record']"


@pytest.mark.parametrize(("asked", "message"), [
    ({"error_budget": "fdr:0.05"}, "comparisons of a ledger: give ledger="),
    ({"error_budget": "fdr", "ledger": "made"}, "an error budget is fdr:0.05 or fwer:0.05"),
    ({"error_budget": "fdr:0.05", "ledger": "made", "design": "1/2"}, "levels of their own"),
])  # fmt: skip
def test_what_no_budget_can_hold_is_refused(tmp_path, monkeypatch, asked, message) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=message):
        abrank.compare_scores(*scores(0), config=Question(**asked))
    config = Question(error_budget="fdr:0.05", ledger="made")
    with pytest.raises(ArgumentError, match="hall, permutation or bounded, not wilcoxon"):
        abrank.compare_scores(*scores(0), config=config, test="wilcoxon")
    if (tmp_path / "made").exists():
        assert open_ledger("made").entries() == ()


def test_collections_have_no_entry_and_it_is_said_what_to_do(here, capsys) -> None:
    assert run(["compare", "--collections", "all.tsv", "--ledger", "gates"]) == 2
    assert "compare each collection alone with --ledger" in " ".join(
        capsys.readouterr().err.split()
    )
