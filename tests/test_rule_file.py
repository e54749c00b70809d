"""``config=`` in Python: the same reading, hash and deviations as the command's ``--config``."""

import json
import re
from pathlib import Path

import pytest

import abrank
from abrank import ArgumentError, NotFoundError, ReadError
from abrank.cli import run
from tests.cli.conftest import write_runs
from tests.report.written import text as text_of

RULE = """
qrels = "qrels.txt"
a = "a.run"
b = "b.run"
measure = ["nDCG@10", "AP"]
margin = 0.01
alpha = "0.1"
test = "permutation"
seed = 3
guard = "P@10:-0.3"
fail-on = "worse"
rel = 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A rule beside its inputs, and a call from the folder above."""
    collection = abrank.simulate_runs(30, effect=0.3, rng=5)
    write_runs(tmp_path / "rules", 30, effect=0.3, names=("qrels.txt", "a.run", "b.run"))
    (tmp_path / "rules" / "abrank.toml").write_text(RULE)
    monkeypatch.chdir(tmp_path)
    return collection


@pytest.mark.slow
def test_a_call_by_the_file_alone_is_the_commands(folder, capsys) -> None:
    comparison = abrank.compare(config="rules/abrank.toml")
    inputs = ["rules/qrels.txt", "rules/a.run", "rules/b.run"]
    call = ["compare", *inputs, "--config", "rules/abrank.toml", "-q", "--report", "r.json"]
    assert run(call) == 0, capsys.readouterr().err
    command = json.loads(Path("r.json").read_text())
    comparison.report("p.json")
    python = json.loads(Path("p.json").read_text())
    for key in ("measures", "settings", "verdict", "tests"):
        assert python[key] == command[key], key
    assert python["provenance"]["declared"] == command["provenance"]["declared"]
    assert python["provenance"]["declared"]["deviations"] == []
    assert (comparison.rule.alpha, comparison.seed, comparison.rule.require) == (
        0.1,
        3,
        "no-significant-loss",
    )


def test_what_a_call_changes_is_told(folder) -> None:
    comparison = abrank.compare(
        folder.qrels, b=Path("rules/b.run"), config=Path("rules/abrank.toml"), margin="0.010",
        alpha=0.05, rng=3, require="non-inferior", topics={"q01": "x"},
        scoring=abrank.Scoring(depth=50),
    )  # fmt: skip
    assert comparison.provenance["declared"]["deviations"] == [
        {"setting": "qrels", "declared": "rules/qrels.txt", "used": "a Qrels"},
        {"setting": "require", "declared": "none", "used": "non-inferior"},
        {"setting": "alpha", "declared": "0.1", "used": "0.05"},
        {"setting": "depth", "declared": "none", "used": "50"},
        {"setting": "rel", "declared": "1", "used": "none"},
        {"setting": "fail-on", "declared": "worse", "used": "none"},
    ]
    assert "alpha 0.05 in place of 0.1" in " ".join(text_of(comparison, detail="all").split())


@pytest.mark.slow
@pytest.mark.parametrize(("text", "message"), [
    ("margn = 0.01", 'unknown key "margn"\n  did you mean margin?'),
    ("metric = 'AP'", 'unknown key "metric"\n  did you mean measure?'),
    ("rng = 3", 'unknown key "rng"'),
    ("ledger = 'gates'", '"ledger" is no part of a rule: give it as a flag, --ledger'),
    ("margin = [0.01]", "margin takes one value"),
    ("accept_doubt = 1", "accept_doubt takes true or false"),
    ("alpha = true", "alpha takes text or a number"),
    ("alpha = 'low'", "alpha takes a number, not 'low'"),
    ("alpha = 2020-01-01", "alpha takes a number, not datetime.date(2020, 1, 1)"),
    ("max_input_size = '5X'", "max_input_size: '5X' is no size such as 500M or 2G"),
    ("test = 'F'", 'unknown test "F"'),
    ("scores = ['a', 'b']", "scores is not for abrank.compare; use abrank.compare_scores"),
    ("margin = ", "not TOML: "),
    ("qrels = 'q.txt'", "missing the argument 'a', and rules/abrank.toml does not state it"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused(folder, text, message) -> None:
    Path("rules/abrank.toml").write_text(text)
    inputs = () if "qrels" in text else (folder.qrels, folder.baseline, folder.candidate)
    with pytest.raises(abrank.AbrankError, match=re.escape(message)):
        abrank.compare(*inputs, config="rules/abrank.toml")


def test_a_call_without_runs_names_the_one_that_is_missing(folder) -> None:
    with pytest.raises(ArgumentError, match=r"compare\(\): missing the argument 'b'"):
        abrank.compare(folder.qrels, folder.baseline)
    with pytest.raises(NotFoundError, match="no such file"):
        abrank.compare(config="no.toml")


def test_a_folder_is_no_rule(folder) -> None:
    with pytest.raises(ReadError, match="rules: cannot be read: is a directory"):
        abrank.compare(config="rules")


def test_a_flag_that_a_call_changes_is_told(folder) -> None:
    Path("rules/abrank.toml").write_text(f"{RULE}accept_doubt = true\n")
    comparison = abrank.compare(config="rules/abrank.toml", accept_doubt=False)
    (deviation,) = comparison.provenance["declared"]["deviations"]
    assert deviation == {"setting": "accept-doubt", "declared": "true", "used": "false"}


def test_the_candidate_that_a_rule_leaves_open_is_no_change(tmp_path) -> None:
    (tmp_path / "rule.toml").write_text("margin = 0.1\n")
    scores = {name: {f"q{i}": 0.1 * i + shift for i in range(6)} for name, shift in (
        ("main", 0.0), ("pr-7", 0.1), ("pr-8", 0.2)
    )}  # fmt: skip
    rule = {"config": tmp_path / "rule.toml", "baseline": "main", "candidate": "pr-7"}
    result = abrank.compare_scores(scores, **rule)
    assert result.provenance["declared"]["deviations"] == []
    (tmp_path / "rule.toml").write_text("margin = 0.1\ncandidate = 'pr-8'\n")
    result = abrank.compare_scores(scores, **rule)
    (deviation,) = result.provenance["declared"]["deviations"]
    assert deviation == {"setting": "candidate", "declared": "pr-8", "used": "pr-7"}


def test_a_rule_says_what_becomes_of_missing_ready_scores(tmp_path) -> None:
    """compare_scores took it from its own keyword alone, and passed the rule's by."""
    a = {f"q{i}": 0.1 * i for i in range(6)}
    b = {query: 0.2 + 0.9 * score for query, score in a.items() if query != "q5"}
    (tmp_path / "rule.toml").write_text('missing = "drop"\n')
    for config in (tmp_path / "rule.toml", abrank.Question(scoring=abrank.Scoring(missing="drop"))):
        assert abrank.compare_scores(a, b, config=config).n_queries == 5
        assert abrank.compare_scores(a, b, config=config, missing="zero").n_queries == 6
    with pytest.raises(abrank.AlignmentError, match="q5"):
        abrank.compare_scores(a, b)
