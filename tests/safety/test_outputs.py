"""No output replaces an input or another output, at any door."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

import abrank
from abrank import ArgumentError
from abrank.cli import run
from tests.cli.conftest import write_runs


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Judgments and two runs where the program runs, and the same by other names."""
    write_runs(tmp_path, 20, effect=0.3, seed=3, names=("q.txt", "a.run", "b.run"))
    monkeypatch.chdir(tmp_path)
    Path("segments.csv").write_text("query_id,half\n" + "".join(f"q{i:02},x\n" for i in range(21)))
    os.link("q.txt", "linked.txt")
    Path("points.md").symlink_to("q.txt")
    Path("table.tsv").write_text(
        "name\tqrels\ta\tb\nc1\tq.txt\ta.run\tb.run\nc2\tq.txt\tb.run\ta.run\n"
    )
    Path("rule.toml").write_text('measure = "AP"\n')
    return tmp_path


COMPARE = "compare q.txt a.run b.run -m AP"
REFUSED = [
    "sample queries q.txt --output q.txt",
    "sample queries q.txt --output ./linked.txt",
    "sample documents q.txt a.run b.run --pool b.run",
    "inspect q.txt a.run b.run q01 --pool a.run",
    f"{COMPARE} --report csv:q.txt",
    f"{COMPARE} --report points.md",
    f"{COMPARE} --segments segments.csv --report segments.csv",
    f"{COMPARE} --config rule.toml --report txt:rule.toml",
    f"{COMPARE} --report out.md --report txt:./out.md",
    f"{COMPARE} --report md --report md",
    f"{COMPARE} --report out.csv --report csv:out.queries.csv",
    "compare q.txt a=a.run,b.run b.run -m AP --report csv:a.run",
    "rank q.txt a.run b.run -m AP --report csv:b.run",
    "compare --collections table.tsv -m AP --report csv:a.run",
    "rank --collections table.tsv -m AP --report csv:table.tsv",
]


@pytest.mark.parametrize("call", REFUSED)
def test_an_output_that_is_an_input_or_another_output_is_refused(folder, command, call) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    err = command(call.split(), 2).err
    assert "is an input" in err or "two outputs" in err, err
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_results_are_not_rendered_over_themselves(folder, command) -> None:
    assert run([*COMPARE.split(), "-q", "--report", "r.json"]) == 0
    assert "r.json: is an input" in command(["render", "r.json", "--report", "md:r.json"], 2).err
    assert run(["render", "r.json", "--report", "r.md"]) == 0


def test_a_folder_of_parquet_is_an_input(folder, command) -> None:
    for name in ("a", "b"):
        Path(name).mkdir()
        rows = [line.split() for line in Path(f"{name}.run").read_text().splitlines()]
        columns = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
        frame = pd.DataFrame(rows, columns=columns).astype({"score": float})
        frame[["query_id", "doc_id", "score"]].to_parquet(f"{name}/0.parquet")
    call = ["compare", "q.txt", "a", "b", "-m", "AP", "-q", "--report"]
    for target in ("parquet:b/0.parquet", "csv:./a/0.parquet"):
        assert "is an input" in command([*call, target], 2).err
    assert (
        run(["compare", "q.txt", "a/*.parquet", "b", "-m", "AP", "--report", "csv:a/0.parquet"])
        == 2
    )


def test_python_refuses_it_too(folder) -> None:
    comparison = abrank.compare("q.txt", "a.run", "b.run", measures="AP")
    judgments = Path("q.txt").read_bytes()
    with pytest.raises(ArgumentError, match="is an input"):
        comparison.report("q.txt")
    with pytest.raises(ArgumentError, match="is an input"):
        abrank.rank("q.txt", ["a.run", "b.run"], measures="AP").report("linked.txt")
    assert Path("q.txt").read_bytes() == judgments


@pytest.mark.slow
def test_the_demo_replaces_only_its_own(folder, command) -> None:
    shutil.move("q.txt", "qrels.txt")
    before = Path("qrels.txt").read_bytes()
    assert "qrels.txt: exists already and was not made by abrank" in command(["demo", "."], 2).err
    assert Path("qrels.txt").read_bytes() == before
    assert not Path("old.run").exists()
    Path("mine").mkdir()
    Path("mine/report.md").write_text("my own words\n")
    assert (run(["demo", "mine"]), Path("mine/report.md").read_text()) == (2, "my own words\n")
    assert (run(["demo", "new", "-q"]), run(["demo", "new", "-q"])) == (0, 0)
