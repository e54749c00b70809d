"""abrank score: its formats, its flags, its list of measures."""

import csv
import io
import json

import pandas as pd
import pytest

import abrank
from abrank.cli import run

QRELS = """\
q1 0 d1 1
q1 0 d2 0
q1 0 d3 2
q2 0 d1 2
q3 0 d9 1
"""
# q1: d1 (1), x, d2 (0), d3 (2); q2: x, d1 (2); q3 is missing.
RUN = """\
q1 Q0 d1 1 4 bm25
q1 Q0 x 2 3 bm25
q1 Q0 d2 3 2 bm25
q1 Q0 d3 4 1 bm25
q2 Q0 x 1 2 bm25
q2 Q0 d1 2 1 bm25
"""
BETTER = "q1 Q0 d3 1 1 t5\nq2 Q0 d1 1 1 t5\nq3 Q0 d9 1 1 t5\n"


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "b.run").write_text(BETTER)
    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0):
        assert run(["score", "qrels", *arguments]) == code
        return capsys.readouterr()

    return call


def test_per_query_has_the_letter_that_trec_eval_has(score):
    assert score("a.run", "-m", "map", "-q") == score("a.run", "-m", "map", "--per-query")
    assert score("a.run", "-m", "map", "-q").err  # notes, which --quiet leaves out
    refused = score("a.run", "-m", "map", "--interval", "-q", code=2).err
    assert "-q is --per-query here, and not --quiet" in refused


def test_trec_eval_takes_what_was_asked_for_all_measures_out_of_the_names(score):
    flags = ["-m", "map", "-m", "P.1", "-m", "ndcg", "--rel", "2", "--judged-only", "--depth", "3"]
    out, err = score("a.run", "--format", "trec_eval", *flags)
    assert [line.split("\t")[0].rstrip() for line in out.splitlines()] == ["map", "P_1", "ndcg"]
    # q1 lost d3 at rank 4 to the depth; q2 finds d1 first once x is gone.
    assert out.splitlines()[0].endswith("\t0.3333")
    assert "rel=2 does not concern nDCG(judged_only=True)" in err


def test_trec_eval_of_several_runs_names_each(score):
    out = score("a.run", "b.run", "--format", "trec_eval", "-m", "recip_rank", "--quiet").out
    assert [line.split() for line in out.splitlines()] == [
        ["runid", "all", "bm25"], ["recip_rank", "all", "0.5000"],
        ["runid", "all", "t5"], ["recip_rank", "all", "1.0000"],
    ]  # fmt: skip


def test_trec_eval_prints_measures_that_it_lacks_under_their_names_and_last(score):
    flags = ["-m", "RBP", "-m", "AP(rel=2)", "-m", "map", "--digits", "2"]
    out = score("a.run", "--format", "trec_eval", *flags, "--quiet").out
    assert [line.split("\t")[0].rstrip() for line in out.splitlines()] == [
        "map",
        "RBP",
        "AP(rel=2)",
    ]
    assert out.splitlines()[0].endswith("\t  0.42")


def test_text_adds_counts_up(score):
    out = score("a.run", "-m", "NumRet", "-m", "RR", "--quiet").out
    assert out == "all\tNumRet\t6.0000\nall\tRR\t0.5000\n"


def test_csv_is_a_table_with_all_digits(score):
    out = score("a.run", "b.run", "--format", "csv", "-m", "AP", "--per-query", "--quiet").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 2 * 4
    assert rows[0] == {"system": "a", "query_id": "q1", "measure": "AP", "score": "0.75"}
    assert (rows[3]["query_id"], float(rows[3]["score"])) == ("all", (0.75 + 0.5) / 3)


def test_json_has_the_same_columns(score):
    records = json.loads(score("a.run", "--format", "json", "-m", "AP", "--quiet").out)
    assert records == [
        {"system": "a", "query_id": "all", "measure": "AP", "score": (0.75 + 0.5) / 3}
    ]


def test_json_of_no_query_is_null(score, tmp_path):
    (tmp_path / "other.run").write_text("q3 Q0 d9 1 1 t\n")
    command = ["a.run", "other.run", "--format", "json", "-m", "AP", "--missing", "drop", "--quiet"]
    assert [load["score"] for load in json.loads(score(*command).out)] == [None, None]


def test_notes_say_how_a_bare_word_was_read(score):
    err = score("a.run", "-m", "recall").err
    assert "note: recall: trec_eval's 9 cut-offs, R@5 … R@1000" in err


def test_flags_of_all_measures_reach_compare(tmp_path, monkeypatch, command, score):
    keys = [word for key in ("rel=2", "depth=3", "judged_only=true") for word in ("--config", key)]
    call = ["compare", "qrels", "a.run", "b.run", "-m", "AP", *keys, "--format", "json", "-q"]
    result = json.loads(command(call).out)
    assert result["measures"][0]["measure"] == "AP(rel=2,judged_only=True)"
    assert result["provenance"]["settings"]["depth"] == 3


def test_an_interval_and_a_floor(score, tmp_path):
    out, _ = score("a.run", "-m", "AP", "--interval")
    assert out.startswith("AP of a is 0.417\n95% CI 0.000 to 1.000, 3 queries\n")
    out, err = score("b.run", "--at-least", "ndcg@10:0.99", "--quiet", code=1)
    assert "? FLOOR NOT CLEARED" in out
    assert err.startswith("gate      nDCG@10 of b may be below 0.99")
    (tmp_path / "rule.toml").write_text('measure = ["AP"]\nat_least = ["AP:0"]\nalpha = 0.1\n')
    out, err = score(
        "b.run", "--config", "rule.toml", "--alpha", "0.2", "--quiet", "--format", "json"
    )
    loads = json.loads(out)
    assert (loads["alpha"], loads["floors"][0]["cleared"], err) == (0.2, True, "")
    changed = {"setting": "alpha", "declared": "0.1", "used": "0.2"}
    assert loads["provenance"]["declared"]["deviations"] == [changed]
    assert loads["provenance"]["inputs"]["b"]["sha256"]


def test_reports_of_intervals(score, tmp_path):
    reports = [
        "page.html", "page.md", "page.json", "page.csv", "page.txt", "page.tex", "junit:page.x",
    ]  # fmt: skip
    flags = [word for path in reports for word in ("--report", path)]
    score("a.run", "b.run", "-m", "AP", "--at-least", "AP:0.9", "--quiet", *flags, code=1)
    for path in reports:
        assert "AP" in (tmp_path / path.removeprefix("junit:")).read_text()
    assert (tmp_path / "page.x").read_text().count("<failure") == 2


@pytest.mark.parametrize(("flags", "said"), [
    (["--interval", "--per-query"], "--per-query prints no intervals"),
    (["--at-least", "AP:1", "--format", "trec_eval"], "leave out --at-least"),
    (["--format", "html"], "add --interval"),
    (["--at-least", "AP=1"], "is not a floor: write it as nDCG@10:0.35"),
    (["--interval", "--config", "guard=AP:-1"], "guard is not for abrank.evaluate"),
])  # fmt: skip
def test_what_has_no_interval_is_refused(score, flags, said):
    assert said in score("a.run", *flags, code=2).err


def test_ready_scores_of_one_run_have_means_intervals_and_floors(tmp_path, capsys, command) -> None:
    scores = {f"q{i}": ((i % 7) / 10, (i % 5) / 10) for i in range(35)}
    rows = "".join(f"{query},{a},{b}\n" for query, (a, b) in scores.items())
    path = tmp_path / "ready.csv"
    path.write_text(f"query_id,faithfulness,relevancy\n{rows}")
    call = ["score", "--scores", str(path)]
    assert (run(call), capsys.readouterr().out.split("\t")[-1]) == (0, "0.2000\n")
    assert run([*call, "-m", "faithfulness", "--interval", "--format", "csv"]) == 0
    row, *_ = csv.DictReader(capsys.readouterr().out.splitlines())
    values = [a for a, _ in scores.values()]
    expected = abrank.read_scores(
        pd.DataFrame({"query_id": [*scores], "faithfulness": values})
    ).intervals()
    assert float(row["mean"]) == pytest.approx(sum(values) / len(values))
    assert float(row["ci_low"]) == expected.rows[0].ci_low
    assert run([*call, "--at-least", "faithfulness:0.2"]) == 0
    command([*call, "--at-least", "faithfulness:0.29"], 1)
    assert run([*call, "--at-least", "nosuch:0.2"]) == 2
    assert "nosuch is not among faithfulness, relevancy" in capsys.readouterr().err
    assert run([*call, str(path), str(path)]) == 2
    assert "--scores takes a table of scores instead of QRELS and RUNS" in capsys.readouterr().err
