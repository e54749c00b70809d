"""What the page on builds says is true: its rule is read, its lines of Python run."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import abrank
from abrank import GateError

PAGE = (Path(__file__).parents[1] / ".github/actions/abrank/README.md").read_text("utf-8")


def blocks(heading: str, language: str) -> str:
    part = f"\n{PAGE}".partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    (outcome,) = re.findall(rf"```{language}\n(.*?)```", part, re.S)
    return str(outcome)


@pytest.fixture(scope="module")
def made():
    return abrank.simulate_runs(60, effect=0.3, rng=5)


@pytest.fixture(scope="module")
def result(made) -> abrank.Comparison:
    return abrank.compare(made.qrels, made.baseline, made.candidate, measures=["nDCG@10"])


def test_the_rule_of_the_page_decides(made, tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abrank.toml").write_text(blocks("# abrank in a build", "toml"))
    for place, kind in (
        ("eval/qrels.txt", made.qrels), ("eval/prod.run", made.baseline),
        ("out/new.run", made.candidate),
    ):  # fmt: skip
        (tmp_path / place).parent.mkdir(exist_ok=True)
        kind.write(tmp_path / place)
    text = " ".join(command(["compare", "--config", "abrank.toml"]).err.split())
    assert "passed: not worse by 0.005 or more on nDCG@10" in text
    assert "R@100 is not worse by 0.020 or more" in text
    assert "P@10 is not worse by 3% or more" in text


def test_the_test_of_the_page_passes_and_fails_with_the_sentence(made) -> None:
    names = {
        "abrank": abrank, "QRELS": made.qrels, "PROD": made.baseline, "NEW": made.candidate,
    }  # fmt: skip
    exec(blocks("## pytest", "python"), names)
    names["test_the_new_ranker_may_replace_the_old"]()
    names |= {"PROD": made.candidate, "NEW": made.baseline}
    with pytest.raises(AssertionError, match=r"not passed: \S+ lost more than 0\.005") as caught:
        names["test_the_new_ranker_may_replace_the_old"]()
    assert isinstance(caught.value, GateError)


def test_a_guard_alone_stops_require(made) -> None:
    comparison = abrank.compare(
        made.qrels, made.baseline, made.candidate, measures=["nDCG@10"], guard=["AP:-0.02"]
    )
    assert comparison.require("better") is comparison
    swapped = abrank.compare(
        made.qrels, made.candidate, made.baseline, measures=["nDCG@10"], guard=["AP:-0.02"]
    )
    with pytest.raises(GateError, match=r"not passed: .*; AP lost more than 0\.020"):
        swapped.require("better")


class Recorder(SimpleNamespace):
    """Stands in for a tracker: what it was told, by method."""

    def __getattr__(self, name: str):
        return lambda *given: self.__dict__.setdefault("told", []).append((name, *given))


def test_the_lines_for_mlflow(result, tmp_path, monkeypatch, nothing_drawn) -> None:
    monkeypatch.chdir(tmp_path)
    mlflow = Recorder()
    exec(blocks("## MLflow", "python"), {"mlflow": mlflow, "result": result})
    metrics, tag, artifact = mlflow.told
    assert metrics == ("log_metrics", {"diff": result.mean_difference, "pvalue": result.pvalue})
    assert tag == ("set_tag", "abrank.verdict", "better")
    assert Path(artifact[1]).read_text("utf-8").startswith("<!doctype html>")


def test_the_lines_for_weights_and_biases(result, tmp_path, monkeypatch, nothing_drawn) -> None:
    monkeypatch.chdir(tmp_path)
    tracked, wandb = Recorder(summary={}), SimpleNamespace(Html=lambda text: text)
    names = {"run": tracked, "wandb": wandb, "result": result}
    exec(blocks("## Weights & Biases", "python"), names)
    assert tracked.summary == {"abrank.verdict": "better"}
    assert tracked.told[0][1] == {"diff": result.mean_difference, "pvalue": result.pvalue}
    assert tracked.told[1][1]["report"].startswith("<!doctype html>")
