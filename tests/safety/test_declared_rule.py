"""A rule file: what differs is told, to the last digit, and its keys are flags or refused."""

import json
from pathlib import Path

import pytest

import abrank
from abrank.cli import run
from tests.cli.conftest import write_runs


@pytest.fixture
def call(tmp_path, monkeypatch):
    write_runs(tmp_path, 20, effect=0.3, seed=3, names=("q.txt", "a.run", "b.run"))
    monkeypatch.chdir(tmp_path)
    return ["compare", "q.txt", "a.run", "b.run", "-q", "--config", "rule.toml"]


def deviations(provenance: dict) -> list[tuple[str, str, str]]:
    return [tuple(item.values()) for item in provenance["declared"]["deviations"]]


CHANGES = [
    ("seed = 20261121", "--seed", "20261122", ("seed", "20261121", "20261122"), {"rng": 20261122}),
    ("alpha = 0.05", "--alpha", "0.0500001", ("alpha", "0.05", "0.0500001"), {"alpha": 0.0500001}),
    ("margin = 0.01", "--margin", "0.010000004", ("margin", "0.01", "0.010000004"),
     {"margin": 0.010000004}),
    ("seed = 7", "--seed", "007", None, {"rng": 7}),
    ("margin = '0.010'", "--margin", "0.01", None, {"margin": 0.01}),
    ("margin = '2.0%'", "--margin", "2%", None, {"margin": "2%"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "flag", "value", "told", "keywords"), CHANGES)
def test_another_value_is_a_deviation_to_the_last_digit(
    call, capsys, rule, flag, value, told, keywords
) -> None:
    Path("rule.toml").write_text(f"{rule}\nmeasure = 'AP'\n")
    assert run([*call, flag, value, "--report", "r.json"]) == 0, capsys.readouterr().err
    expected = [told] if told else []
    assert deviations(json.loads(Path("r.json").read_text())["provenance"]) == expected
    comparison = abrank.compare("q.txt", "a.run", "b.run", config="rule.toml", **keywords)
    assert deviations(comparison.provenance) == expected


def test_names_that_look_like_numbers_are_names(call, capsys) -> None:
    Path("rule.toml").write_text("measure = 'AP'\nname_a = '007'\n")
    assert run([*call, "--config", "name_a='7'", "--report", "r.json"]) == 0, (
        capsys.readouterr().err
    )
    provenance = json.loads(Path("r.json").read_text())["provenance"]
    assert deviations(provenance) == [("name-a", "007", "7")]
    assert run([*call, "--baseline", "8", "--report", "r.json"]) == 0, capsys.readouterr().err
    saved = json.loads(Path("r.json").read_text())
    assert saved["systems"]["a"] == "8"
    assert deviations(saved["provenance"]) == [("baseline", "none", "8")]


@pytest.mark.parametrize(("keys", "said"), [
    ("keep_scores = 'kept'", "Parquet"),
    ("engine = 'local:host'", "address"),
    ("engine = 'dask'\nkeep_scores = 'kept'", "Parquet"),
])  # fmt: skip
def test_keys_of_the_engine_do_what_their_flags_do(call, capsys, keys, said) -> None:
    Path("rule.toml").write_text(f"measure = 'AP'\n{keys}\n")
    flags = [
        word
        for line in keys.split("\n")
        for word in ("--" + line.split(" = ")[0].replace("_", "-"), line.split("'")[1])
    ]
    without = [element for element in call if element not in ("--config", "rule.toml")]
    codes, messages = [], []
    for item in (call, [*without, "-m", "AP", *flags]):
        codes.append(run(item))
        messages.append(capsys.readouterr().err)
    assert codes[0] == codes[1] != 0
    assert messages[0] == messages[1]
    assert said.casefold() in messages[0].casefold()
