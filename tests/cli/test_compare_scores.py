"""``abrank compare --scores``: a verdict from the output of other programs."""

import json

import pandas as pd
import pytest

import abrank
from abrank import read_scores
from abrank.cli import run
from tests.cli.conftest import write_runs


@pytest.fixture
def files(tmp_path, monkeypatch, capsys):
    """The scores of two runs as ``abrank score`` prints them: a.eval, b.eval."""
    write_runs(tmp_path, 40)
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        call = ["score", "qrels", f"{name}.run", "-m", "AP", "-m", "nDCG@10", "--per-query"]
        assert run([*call, "--digits", "17"]) == 0
        (tmp_path / f"{name}.eval").write_text(capsys.readouterr().out)
    return tmp_path


def test_the_verdict_is_that_of_the_runs(files, command) -> None:
    measures = ["-m", "ndcg_cut_10", "-m", "map"]
    out, err = command(["compare", "--scores", "a.eval", "b.eval", *measures, "--format", "json"])
    loads = json.loads(out)
    expected = abrank.compare("qrels", "a.run", "b.run", measures=["nDCG@10", "AP"])
    assert [row["measure"] for row in loads["measures"]] == ["nDCG@10", "AP"]
    assert loads["measures"][0]["pvalue"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert loads["verdict"]["state"] == str(expected.verdict)
    assert {role: item["path"] for role, item in loads["provenance"]["inputs"].items()} == {
        "a": "a.eval", "b": "b.eval",
    }  # fmt: skip
    assert err.splitlines() == [
        f"note: {name}.eval: read as ir_measures -q, 40 queries, 2 measures" for name in "ab"
    ]


def test_margin_takes_the_measure_and_the_variants_of_an_experiment(tmp_path, capsys) -> None:
    path = tmp_path / "t.csv"
    rows = [f"q{i},{v},{(i * 7 % 11) / 11 + 0.01 * b * i},{i + b}" for i in range(20)
            for b, v in enumerate(("control", "new"))]  # fmt: skip
    path.write_text("\n".join(["query_id,variant,nDCG,CTR", *rows]))
    assert run(["margin", str(path), "--scores", "-m", "ctr"]) == 0
    assert "CTR: 1 run of A, 20 queries" in capsys.readouterr().out
    assert run(["margin", str(path), "--scores", "-m", "ndcg"]) == 0
    assert "power at hand" in capsys.readouterr().out  # by the spread beside the other variant
    assert run(["margin", str(path), "--scores"]) == 2
    assert "2 measures (nDCG, CTR …); say which: -m nDCG" in capsys.readouterr().err


@pytest.mark.parametrize(
    "call",
    [
        ["compare", "both.csv"], ["compare", "a.csv", "b.csv"], ["compare", "both.parquet"],
        ["compare", "both.json"], ["rank", "both.csv"], ["rank", "a.csv", "b.csv"],
        ["power", "both.csv"], ["aa", "both.csv", "--replications", "100"],
        ["margin", "wide.csv", "-m", "score"],
    ],
)  # fmt: skip
def test_tables_of_scores_need_no_flag(files, call, command) -> None:
    frames = []
    for name in "ab":
        frames.append(read_scores(f"{name}.eval").tidy().assign(system=name))
        frames[-1].pivot(index="query_id", columns="measure", values="score").to_csv(f"{name}.csv")
    both = pd.concat(frames)
    both.to_csv("both.csv", index=False)
    both.to_parquet("both.parquet", index=False)
    both.to_json("both.json", orient="records")
    one = both[both.measure == "AP"]
    one.pivot(index="query_id", columns="system", values="score").to_csv("wide.csv")
    expected = command(call).out
    assert expected
    assert command([call[0], "--scores", *call[1:]]).out == expected


def test_one_table_of_one_system_is_scored_without_a_flag(files, command) -> None:
    expected = command(["score", "a.eval"]).out
    assert command(["score", "--scores", "a.eval"]).out == expected


def test_judgments_and_runs_alone_are_no_scores(files, capsys, command) -> None:
    (files / "qrels.csv").write_text("query_id,doc_id,rating\nq1,d1,1\nq2,d1,0\n")
    (files / "run.csv").write_text("query_id,doc_id,score\nq1,d1,1\nq2,d1,0.5\n")
    for call in (["qrels"], ["a.run"], ["qrels.csv"], ["qrels.csv", "run.csv"], ["qrels", "a.run"]):
        assert (
            "a table of scores is needed, or QRELS, RUN_A and RUN_B"
            in command(["compare", *call], 2).err
        )
    assert run(["compare", "a.eval", "b.eval"]) == 2
    assert "abrank compare --scores a.eval b.eval" in capsys.readouterr().err


def test_a_folder_of_other_files_is_refused_by_their_names(files, command) -> None:
    (files / "below").mkdir()
    (files / "below" / "a.parquet").write_text("nothing")
    assert "holds other files than Parquet" in command(["compare", "--scores", "."], 3).err


def test_a_segment_that_is_no_property_is_answered_by_a_flag(files, capsys) -> None:
    rows = [
        f"q{i},{v},{i % 7 / 10 + j / 10},{i % 2},d{i}" for i in range(9) for j, v in enumerate("ab")
    ]
    (files / "table.csv").write_text("\n".join(["query,variant,ndcg,odd,date", *rows]) + "\n")
    run(["compare", "table.csv", "--segments", "date"])
    assert "--columns segments=date" in capsys.readouterr().err
