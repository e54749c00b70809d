"""``abrank power`` as a user meets it."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.cli import run
from abrank.planning.student import smallest_visible
from tests.cli.conftest import write_runs


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A collection of 40 queries in the current folder: qrels, a.run, b.run."""
    write_runs(tmp_path, 40)
    monkeypatch.chdir(tmp_path)


def test_sd_and_queries_need_no_files(command) -> None:
    lines = command(["power", "--sd", "0.2", "--queries", "250"]).out.splitlines()
    assert lines[0] == "250 queries detect a difference of 0.0356 or more with 80% power"
    assert ["0.02", "787", "35.0%"] in [line.split() for line in lines]
    assert max(map(len, lines)) <= 80


def test_files_give_the_spread(files, capsys) -> None:
    assert run(["power", "qrels", "a.run", "b.run", "-m", "map", "--format", "json"]) == 0
    loads = json.loads(capsys.readouterr().out)
    values = abrank.evaluate("qrels", {"a": "a.run", "b": "b.run"}, ["AP"]).values[:, :, 0]
    sd = float(np.std(values[:, 1] - values[:, 0], ddof=1))
    assert loads["sd"] == sd
    assert loads["n_queries"] == 40
    assert loads["mde"] == smallest_visible(sd, 40)


@pytest.mark.slow
def test_files_leave_a_range_and_a_margin_is_planned_for(files, capsys, command) -> None:
    arguments = ["power", "qrels", "a.run", "b.run", "-m", "AP", "--margin", "0.015"]
    loads = json.loads(command([*arguments, "--format", "json"]).out)
    row = next(item for item in loads["rows"] if item["difference"] == 0.015)
    assert row["n_low"] < row["n"] < row["n_high"]
    assert (loads["same"]["margin"], run(arguments)) == (0.015, 0)
    out = capsys.readouterr().out
    plain = out.replace("\u202f", "")
    assert f"{row['n']}  " in plain
    assert f"{row['n_low']} to {row['n_high']}" in plain
    same = loads["same"]
    text = f"{same['n']} ({same['n_low']} to {same['n_high']}) queries would exclude a"
    text += " difference of ±0.015 if the true difference is 0"
    assert text in " ".join(plain.split())
    assert max(map(len, out.splitlines())) <= 80
    out = " ".join(command(["power", "--sd", "0.2", "--margin", "0.02"]).out.split())
    assert "not worse 620 queries would exclude a loss of 0.02 if the true difference is 0" in out
    assert "same 858 queries would exclude a difference of ±0.02 if the true difference is 0" in out


def test_one_effect_is_answered_before_what_the_queries_at_hand_detect(files, capsys) -> None:
    assert run(["power", "qrels", "a.run", "b.run", "-m", "AP", "--effect", "0.015"]) == 0
    first, _, rest = " ".join(capsys.readouterr().out.split()).partition("; ")
    assert first.startswith("A difference of 0.015 needs ")
    assert rest.startswith("40 queries detect a difference of ")


def test_csv_has_a_line_a_difference(command) -> None:
    flags = ["--effect", "0.02", "--effect", "0.05", "--format", "csv"]
    rows = list(csv.DictReader(io.StringIO(command(["power", "--sd", "0.2", *flags]).out)))
    assert [(row["difference"], row["n"], row["power"]) for row in rows] == [
        ("0.02", "787", ""), ("0.05", "128", ""),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["text", "csv", "json"])
def test_differences_without_spread_are_told(files, capsys, shown) -> None:
    assert run(["power", "qrels", "a.run", "a.run", "--margin", "0.01", "--format", shown]) == 0
    out, err = (" ".join(item.split()) for item in capsys.readouterr())
    text = "Every query has the same difference. Without spread these numbers say nothing"
    assert text in (out if shown == "text" else err)
    assert err == "" or shown != "text"
    assert run(["power", "qrels", "a.run", "b.run", "--format", shown]) == 0
    assert "same difference" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(("alike", "times"), [(1.0, "about 3.0 times as many queries"), (0.0, "")])
def test_queries_of_one_user_that_are_alike_are_told(alike, times, tmp_path, command) -> None:
    random = np.random.default_rng(4)
    users = np.repeat(np.arange(40), 5)
    gain = alike * random.normal(size=40)[users] + random.normal(size=200)
    columns = {"query": range(200), "user": users}
    path = tmp_path / "scores.csv"
    pd.concat([
        pd.DataFrame({**columns, "variant": variant, "gain": value})
        for variant, value in (("control", 0.0 * gain), ("treatment", gain))
    ]).to_csv(path, index=False)  # fmt: skip
    err = command(["power", str(path), "--effect", "0.5"]).err
    ratio = (gain.reshape(40, 5).mean(axis=1).var(ddof=1) / 40) / (gain.var(ddof=1) / 200)
    assert times in err
    assert bool(err) == bool(times) == (ratio > 1.25**2)
    if times:
        assert f"{ratio:.1f}" in times


def test_what_no_number_of_queries_shows_is_a_sentence(command) -> None:
    out, err = command(["power", "--sd", "1e300", "--margin", "1e-300", "--width", "0.001"])
    assert (" ".join(out.split()).count("no number of queries would"), err) == (3, "")


def test_groups_of_different_users_are_offered_the_command_with_the_flag(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("user,variant,clicks\nu1,old,1\nu2,new,3\nu3,old,2\nu4,new,5\n")
    for command in ("power", "aa"):
        assert run([command, str(path)]) == 3
        error = capsys.readouterr().err
        assert "share no query" in error
        assert f"abrank {command} {path} --independent" in error
