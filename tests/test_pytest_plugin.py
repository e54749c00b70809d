"""The plugin of pytest."""

import tomllib
from pathlib import Path

import pytest

from abrank import pytest_plugin


@pytest.mark.parametrize(("best", "gate", "outcome"), [
    ("b.run", 'require = "better"', ""),
    ("a.run", 'require = "better"', "gate better failed\n▼ WORSE"),
    ("b.run", "", "requests no gate: add require or fail_on"),
])  # fmt: skip
def test_a_rule_file_passes_or_fails_the_test(tmp_path, monkeypatch, best, gate, outcome) -> None:
    monkeypatch.chdir(tmp_path)
    queries = range(1, 31)
    Path("qrels.txt").write_text("".join(f"q{i} 0 d0 1\n" for i in queries))
    # The relevant document is first, or third to fifth.
    for name in ("a.run", "b.run"):
        rows = []
        for i in queries:
            rank = 1 if name == best else 3 + i % 3
            documents = [f"n{j}" for j in range(1, rank)] + ["d0"]
            rows += [f"q{i} Q0 {doc} {j} {9 - j} x\n" for j, doc in enumerate(documents, start=1)]
        Path(name).write_text("".join(rows))
    rule = f'qrels = "qrels.txt"\na = "a.run"\nb = "b.run"\nmeasure = ["AP"]\n{gate}\n'
    Path("rule.toml").write_text(rule)
    if not outcome:
        assert pytest_plugin.run_gate("rule.toml").decision.gate.passed
        with pytest.raises(pytest.fail.Exception, match="gate better failed"):
            pytest_plugin.run_gate("rule.toml", a="b.run", b="a.run")
        return
    with pytest.raises(pytest.fail.Exception) as error:
        pytest_plugin.run_gate("rule.toml")
    assert outcome in str(error.value)


@pytest.mark.parametrize("text", ['scores = ["a.csv", "b.csv"]', 'preferences = "votes.csv"'])
def test_a_rule_file_may_have_scores_or_votes(tmp_path: Path, text: str) -> None:
    for name, score in (("a", 0.25), ("b", 0.5)):
        rows = "".join(f"q{i},{score + i % 3 / 10}\n" for i in range(20))
        (tmp_path / f"{name}.csv").write_text(f"query_id,ndcg\n{rows}")
    votes = "".join(f"q{i},B\n" for i in range(20))
    (tmp_path / "votes.csv").write_text(f"query_id,winner\n{votes}")
    (tmp_path / "rule.toml").write_text(f'{text}\nrequire = "better"\n')
    assert pytest_plugin.run_gate(tmp_path / "rule.toml").decision.gate.passed
    name, source = text.split(" = ")
    (tmp_path / "rule.toml").write_text('require = "better"\n')
    paths = [tmp_path / path for path in source.strip('[]"').split('", "')]
    sides = {"b": paths[1]} if len(paths) > 1 else {}
    gate = pytest_plugin.run_gate(tmp_path / "rule.toml", **{name: paths[0]}, **sides)
    assert gate.decision.gate.passed


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert settings["project"]["entry-points"]["pytest11"] == {"abrank": pytest_plugin.__name__}
