"""``abrank rank --collections`` as a user meets it."""

import json
from pathlib import Path

import pytest

from abrank.cli import run
from abrank.report import WRITERS
from tests.cli.conftest import write_runs


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    """Three collections with three systems in files, and the table of them."""
    lines = ["name\tqrels\tbm25\tt5\trrf"]
    for i, name in enumerate(("fiqa", "arguana", "nq")):
        names = tuple(f"{name}.{end}" for end in ("qrels", "bm25.run", "t5.run"))
        write_runs(tmp_path, 25, effect=0.5, seed=i, names=names)
        lines.append("\t".join([name, *names, names[-1]]))
    (tmp_path / "beir.tsv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return "beir.tsv"


@pytest.mark.slow
def test_text_and_every_report_from_one_command(table, command, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    kinds = [kind.removeprefix(".") for kind in WRITERS]
    reports = [word for kind in kinds for word in ("--report", f"{kind}:out.{kind}")]
    requested = ["rank", "--collections", table, "-m", "nDCG@10", "-m", "AP", "-v"]
    out = command([*requested, *reports]).out
    assert "Of 3 systems 2 could be the best on these 3 collections: rrf and t5." in out
    assert "3 systems, 3 collections, 75 queries, nDCG@10, AP." in out
    assert max(map(len, out.splitlines())) <= 80
    for kind in kinds:
        assert run(["render", "out.json", "-v", "--report", f"{kind}:again.{kind}"]) == 0
        assert Path(f"again.{kind}").read_bytes() == Path(f"out.{kind}").read_bytes(), kind
    assert len(Path("out.means.csv").read_text().splitlines()) == 1 + 2 * 3 * 3
    assert len(Path("out.pairs.csv").read_text().splitlines()) == 1 + 2 * 2 * 3
    # One collection by itself has that collection's numbers.
    files = ["fiqa.qrels", "bm25=fiqa.bm25.run", "t5=fiqa.t5.run", "rrf=fiqa.t5.run"]
    assert run(["rank", *files, "-m", "nDCG@10", "-m", "AP", "--report", "fiqa.json", "-q"]) == 0
    loads = json.loads(Path("fiqa.json").read_text())
    saved = json.loads(Path("out.json").read_text())["collections"][0]["ranking"]
    assert [row["system"] for row in loads["systems"]] == [
        row["system"] for row in saved["systems"]
    ]
    assert loads["pairs"] == saved["pairs"]


def test_one_table_of_scores_a_collection(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate("xyzvw"):
        rows = [
            f"q{k},{0.1 * (k % 7)},{0.1 * (k % 7) + 0.05 + 0.01 * (k % (2 + i))}" for k in range(12)
        ]
        Path(f"{name}.csv").write_text("\n".join(["query_id,bm25,t5", *rows]))
    Path("c.tsv").write_text(
        "\n".join(["name\tscores", *(f"{name}\t{name}.csv" for name in "xyzvw")])
    )
    output = command(["rank", "--collections", "c.tsv", "-m", "AP"])
    assert output.out.startswith(
        "▲ ONE FIRST PLACE\n  Only t5 could be the best of 2 systems on these 5 collections.\n"
    )
    text = "note x.csv: read as a column per variant"
    assert " ".join(output.out.split()).count(text) == 1
    assert "1 measure (likewise 4 more)." in " ".join(output.out.split())
    assert output.err == ""


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "said"), [
    (["--baseline", "bm25"], "--baseline is for one collection"),
    (["--pairs"], "--pairs is for one collection"),
    (["bm25.run"], "qrels is for one collection"),
])  # fmt: skip
def test_flags_that_do_nothing_are_refused(table, command, flags, said) -> None:
    assert said in command(["rank", "--collections", table, *flags], 2).err


def test_without_files_the_three_ways_are_named(command) -> None:
    assert "or --collections FILE" in command(["rank"], 2).err
