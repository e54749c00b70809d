"""``abrank compare --collections`` as a user meets it."""

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


ASKED = ["-m", "nDCG@10", "-m", "AP", "--baseline", "bm25", "--candidate", "t5", "-v"]


@pytest.mark.slow
def test_text_and_every_report_from_one_command(table, command, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    kinds = [kind.removeprefix(".") for kind in WRITERS]
    reports = [word for kind in kinds for word in ("--report", f"{kind}:out.{kind}")]
    out = command(["compare", "--collections", table, *ASKED, *reports]).out
    assert " ".join(out.split()).startswith(
        "▲ BETTER OVER ALL QUERIES t5 is better than bm25 on average over these 3 collections"
        " (ahead on 3)"
    )
    assert "= like these" in out
    assert max(map(len, out.splitlines())) <= 80
    again = [word for kind in kinds for word in ("--report", f"{kind}:again.{kind}")]
    assert run(["render", "out.json", "-v", *again]) == 0
    for kind in kinds:
        assert Path(f"again.{kind}").read_bytes() == Path(f"out.{kind}").read_bytes(), kind
    assert Path("out.summaries.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "words"), [
    (["--collections", "beir.tsv", "--weights", "s.csv"], "--weights is for one"),
    (["--collections", "beir.tsv", "--clusters", "user"], "user: no such file"),
    (["--collections", "beir.tsv", "q", "a", "b"], "qrels is for one collection"),
    (["--collections", "beir.tsv", "--report", "metods:m.txt"], "unknown report format"),
    (["--collections", "none.tsv"], "no such file"),
])  # fmt: skip
def test_wrong_usage_is_told(table, command, arguments, words) -> None:
    assert words in command(["compare", *arguments], 2).err


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
