"""``--config``: the rule declared beforehand, its hash, and what a call changes of it."""

import hashlib
import json
from pathlib import Path

import pytest

from abrank.cli import run
from abrank.comparison import Comparison
from abrank.report import compose
from abrank.report import text as report_text
from tests.cli.conftest import write_runs

RULE = """
qrels = "qrels.txt"
a = "a.run"
measure = ["nDCG@10", "AP"]
margin = 0.01
guard = ["R@100:-0.05"]
require = "non-inferior"
segments = "segments.csv"
clusters = "who"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A rule beside its inputs, and a call from the folder above."""
    home = tmp_path / "rules"
    home.mkdir()
    write_runs(home, effect=0.3, names=("qrels.txt", "a.run", "b.run"))
    ids = [f"q{i:02}" for i in range(1, 61)]
    lines = "".join(f"{query},{i // 2},{i % 2}\n" for i, query in enumerate(ids))
    (home / "segments.csv").write_text(f"query_id,who,half\n{lines}")
    (home / "abrank.toml").write_text(RULE)
    monkeypatch.chdir(tmp_path)
    return home


CALL = ["compare", "--config", "rules/abrank.toml", "rules/qrels.txt", "rules/a.run", "rules/b.run"]


def results(capsys, *flags: str) -> dict:
    assert run([*CALL, "-q", "--report", "r.json", *flags]) == 0, capsys.readouterr().err
    capsys.readouterr()
    return json.loads(Path("r.json").read_text())


@pytest.mark.slow
def test_the_file_stands_in_for_flags_and_its_hash_is_recorded(folder, capsys) -> None:
    result = results(capsys)
    assert [row["measure"] for row in result["measures"]] == ["nDCG@10", "AP", "R@100"]
    settings = result["settings"]
    assert (settings["margin"], settings["require"]) == (0.01, "non-inferior")
    assert settings["guards"] == [{"measure": "R@100", "margin": 0.05, "margin_is_relative": False}]
    assert result["clusters"]["name"] == "who"
    assert result["provenance"]["declared"] == {
        "path": "rules/abrank.toml",
        "sha256": hashlib.sha256((folder / "abrank.toml").read_bytes()).hexdigest(),
        "deviations": [],
    }
    text = " ".join(report_text(compose(Comparison.from_json("r.json")), detail="all").split())
    assert "The rule was declared in rules/abrank.toml" in text
    assert "and not changed." in text


@pytest.mark.slow
@pytest.mark.parametrize(("text", "code", "message"), [
    ("fail-on = 'worse'\nfail_on = 'worse'", 3, "a key occurs twice, once with - and once"),
    ("a = 'x.csv'", 2, 'in a rule file scores = "'),
    ("table = 'x.csv'", 2, 'unknown key "table"\n  did you mean scores?'),
    ("baseline = 'a.run'\ncandidate = 'b.run'", 2, "baseline and candidate names"),
])  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused(folder, text, code, message, command) -> None:
    (folder / "abrank.toml").write_text(text)
    assert message in command(CALL[:3], code).err
