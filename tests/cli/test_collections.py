"""``--collections`` of ``abrank compare`` and ``abrank rank`` as a user meets it."""

import json
from pathlib import Path

import pytest

from abrank.cli import run
from abrank.report import WRITERS
from tests.cli.conftest import write_runs


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    """Three collections in files, and the table of them."""
    lines = ["name\tqrels\ta\tb"]
    for i, (name, effect) in enumerate({"fiqa": 0.4, "arguana": 0.1, "nq": 0.3}.items()):
        names = tuple(f"{name}.{end}" for end in ("qrels", "bm25.run", "t5.run"))
        write_runs(tmp_path, 25, effect=effect, seed=i, names=names)
        lines.append("\t".join([name, *names]))
    (tmp_path / "beir.tsv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return "beir.tsv"


@pytest.fixture
def board(table) -> str:
    """The table of the same collections with a third system, which is the second again."""
    rows = [f"{row}\t{row.rpartition(chr(9))[2]}" for row in Path(table).read_text().split("\n")]
    Path("board.tsv").write_text("\n".join(["name\tqrels\tbm25\tt5\trrf", *rows[1:]]))
    return "board.tsv"


ASKED = ["-m", "nDCG@10", "-m", "AP", "--baseline", "bm25", "--candidate", "t5", "-v"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments", "words"), [
    ("compare", ["--collections", "beir.tsv", "--weights", "s.csv"], "--weights is for one"),
    ("compare", ["--collections", "beir.tsv", "--clusters", "user"], "user: no such file"),
    ("compare", ["--collections", "beir.tsv", "q", "a", "b"], "qrels is for one collection"),
    ("compare", ["--collections", "beir.tsv", "--report", "metods:m.txt"], "unknown report format"),
    ("compare", ["--collections", "none.tsv"], "no such file"),
    ("rank", ["--collections", "beir.tsv", "--baseline", "a"], "--baseline is for one collection"),
    ("rank", ["--collections", "beir.tsv", "--pairs"], "--pairs is for one collection"),
    ("rank", ["--collections", "beir.tsv", "bm25.run"], "qrels is for one collection"),
])  # fmt: skip
def test_wrong_usage_is_told(table, command, name, arguments, words) -> None:
    assert words in command([name, *arguments], 2).err


@pytest.mark.slow
def test_segments_and_clusters_of_a_table_and_of_flags_are_the_same(table, command) -> None:
    lines = Path(table).read_text().splitlines()
    everything = ["collection,query_id,intent,user"]
    for i, line in enumerate(lines[1:], 1):
        name = line.partition("\t")[0]
        rows = [f"q{k:02},{'ab'[k % 2]},u{k // 3}" for k in range(1, 26)]
        Path(f"{name}.csv").write_text("\n".join(["query_id,intent,user", *rows]))
        everything += [f"{name},{row}" for row in rows]
        lines[i] = f"{line}\t{name}.csv\tuser"
    Path("all.csv").write_text("\n".join(everything))
    Path("own.tsv").write_text("\n".join([f"{lines[0]}\tsegments\tclusters", *lines[1:]]))
    out = {}
    for name, flags in {
        "own.tsv": [],
        table: ["--segments", "all.csv", "--clusters", "user"],
    }.items():
        kinds = ["md", "json", "csv", "methods"]
        reports = [word for kind in kinds for word in ("--report", f"{kind}:out.{kind}")]
        out[name] = command(["compare", "--collections", name, *ASKED, *flags, *reports]).out
        out[name] += Path("out.segments.csv").read_text()
    assert out["own.tsv"] == out[table]
    assert "clusters  The 75 queries come in 27 clusters by user" in out[table]
    assert "segments  Exploratory. Segments by intent, after adjustment: " in out[table]
    assert "**Segments.** Exploratory." in Path("out.md").read_text(encoding="utf-8")
    assert "cluster-robust (CR2)" in " ".join(Path("out.methods").read_text().split())
    saved = json.loads(Path("out.json").read_text())
    assert [row["label"] for row in saved["segments"][0]["rows"]] == ["b", "a"]
    assert saved["clusters"]["n_clusters"] == 27
    assert run(["render", "out.json", "--report", "md:again.md"]) == 0
    assert Path("again.md").read_bytes() == Path("out.md").read_bytes()
    changed = Path("out.json").read_text().replace('"n_clusters": 27', '"n_clusters": 28', 1)
    Path("changed.json").write_text(changed)
    assert run(["render", "changed.json"]) == 3


# --- Rankings


@pytest.mark.slow
def test_a_ranking_and_every_report_from_one_command(board, command, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    kinds = [kind.removeprefix(".") for kind in WRITERS]
    reports = [word for kind in kinds for word in ("--report", f"{kind}:out.{kind}")]
    requested = ["rank", "--collections", board, "-m", "nDCG@10", "-m", "AP", "-v"]
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
