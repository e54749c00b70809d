"""``abrank margin``: the numbers beside which a margin is chosen, from files and from arrays."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
import abrank.planning
from abrank._support.errors import ArgumentError
from abrank.cli import run


@pytest.fixture
def seeds() -> pd.DataFrame:
    """Three runs of one system, and another one, on 120 queries."""
    rng = np.random.default_rng(5)
    base = rng.uniform(0.2, 0.7, 120)
    columns = {f"seed{i}": base + rng.normal(0.0, 0.03, 120) for i in (1, 2, 3)}
    frame = pd.DataFrame({**columns, "other": base + rng.normal(0.01, 0.1, 120)})
    frame.index = pd.Index([f"q{i}" for i in range(120)], name="query_id")
    return frame.round(6)


def by_name(found: abrank.planning.Margins) -> dict[str, abrank.planning.audit.SuggestedMargin]:
    return {row.name: row for row in found.rows}


def test_each_number_is_what_it_is_called(seeds: pd.DataFrame) -> None:
    runs = seeds[["seed1", "seed2", "seed3"]].to_numpy()
    suggest_margins = abrank.suggest_margins(runs, seeds["other"].to_numpy())
    rows, means = by_name(suggest_margins), runs.mean(axis=0)
    assert rows["two of 3 runs, largest difference"].margin == pytest.approx(np.ptp(means))
    far = stats.t.ppf(0.975, 2) * means.std(ddof=1) * np.sqrt(2.0)
    assert rows["95% of pairs of runs differ less"].margin == pytest.approx(far)
    assert rows["one query lost of 120"].margin == 1.0 / 120
    assert rows["1% of A's mean"].margin == pytest.approx(0.01 * means.mean())
    assert rows["2% of A's mean"].margin == pytest.approx(0.02 * means.mean())
    assert suggest_margins.sd == pytest.approx((seeds["other"] - runs.mean(axis=1)).std())
    for row in suggest_margins.rows:
        plan = abrank.power(sd=suggest_margins.sd, queries=120, effect=row.margin)
        assert (row.n, row.power) == (plan.n, plan.power)
        assert row.n_not_worse < row.n


def test_one_system_alone_says_no_power(seeds: pd.DataFrame) -> None:
    suggest_margins = abrank.suggest_margins(seeds["seed1"].to_numpy())
    assert suggest_margins.sd_of == ""
    assert suggest_margins.rows[0].name == "one query lost of 120"
    assert all(np.isnan(row.power) and row.n is None for row in suggest_margins.rows)
    with pytest.raises(ArgumentError, match="from b or from sd"):
        abrank.suggest_margins(seeds["seed1"], seeds["other"], sd=0.2)
    with pytest.raises(ArgumentError, match="A has 120 queries"):
        abrank.suggest_margins(seeds["seed1"], [0.5])


def test_ready_scores_of_one_file_and_of_several(seeds, tmp_path, capsys, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seeds.to_csv("all.csv")
    seeds[["seed1", "seed2", "seed3"]].to_csv("seeds.csv")
    seeds[["other"]].to_csv("other.csv")
    answers = []
    for files in (["all.csv", "--against", "other"], ["seeds.csv", "--against", "other.csv"]):
        assert run(["margin", "--scores", *files, "-m", "AP", "--format", "json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["measure"] == "AP"
    assert answers[0]["rows"] == answers[1]["rows"]
    assert answers[0]["sd_of"] == "candidate"
    text = command(["margin", "--scores", "all.csv", "--against", "other"]).out
    assert max(map(len, text.splitlines())) <= 80
    assert "two of 3 runs, largest difference" in text
    assert "Take the smallest loss that users would notice." in text


def test_csv_has_a_line_a_margin_and_text_says_what_is_not_known(
    seeds, tmp_path, capsys, command, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seeds[["seed1"]].to_csv("one.csv")
    seeds[["other"]].assign(again=seeds["other"]).to_csv("two.csv")
    assert run(["margin", "--scores", "one.csv", "-m", "AP", "--format", "csv"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("name,margin,")
    assert lines[0].split(",")[0] == "one query lost of 120"
    assert all(line.endswith(",,,") for line in lines)
    monkeypatch.setattr("abrank.cli.plan._terminal.wants_ascii", lambda **_: True)
    text = command(["margin", "--scores", "one.csv", "-m", "AP"]).out
    assert "Add --against RUN or --sd X for the power and the queries of each margin." in text
    assert "power at hand" not in text
    assert "\u202f" not in text
    assert run(["margin", "--scores", "one.csv", "--against", "two.csv", "-m", "AP"]) == 2
    assert "--against is one system, and two.csv has 2" in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "give QRELS and RUNS"),
    (["q.csv", "a.csv", "--against", "b.csv", "--sd", "0.1"], "choose one"),
    (["--scores", "two.csv"], "say which: -m AP"),
    (["--scores", "two.csv", "--depth", "5"], "--depth is for runs"),
])  # fmt: skip
def test_what_cannot_be_answered_is_refused(arguments, said, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"query_id": q, "system": "A", "measure": m, "score": 0.5 + 0.1 * i}
        for m in ("AP", "RR") for i, q in enumerate("xyz")
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv("two.csv", index=False)
    assert said in command(["margin", *arguments], 2).err
