"""``abrank compare --collections`` as a user meets it."""

import csv
import json
from pathlib import Path

import pytest

import abrank
from abrank.cli import run
from abrank.collections import CollectionsComparison
from abrank.report import WRITERS


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    """Three collections in files, and the table of them."""
    lines = ["name\tqrels\ta\tb"]
    for i, (name, effect) in enumerate({"fiqa": 0.4, "arguana": 0.1, "nq": 0.3}.items()):
        collection = abrank.simulate_runs(25, effect=effect, rng=i)
        collection.qrels.write(tmp_path / f"{name}.qrels")
        collection.baseline.write(tmp_path / f"{name}.bm25.run")
        collection.candidate.write(tmp_path / f"{name}.t5.run")
        lines.append(f"{name}\t{name}.qrels\t{name}.bm25.run\t{name}.t5.run")
    (tmp_path / "beir.tsv").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return "beir.tsv"


ASKED = ["-m", "nDCG@10", "-m", "AP", "--baseline", "bm25", "--candidate", "t5", "-v"]


@pytest.mark.slow
def test_text_and_every_report_from_one_command(table, capsys, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    kinds = [kind.removeprefix(".") for kind in WRITERS]
    reports = [word for kind in kinds for word in ("--report", f"{kind}:out.{kind}")]
    assert run(["compare", "--collections", table, *ASKED, *reports]) == 0
    out = capsys.readouterr().out
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
def test_every_number_of_the_table_stands_in_the_json(table, capsys) -> None:
    assert run(["compare", "--collections", table, *ASKED, "--format", "json"]) == 0
    saved = json.loads(capsys.readouterr().out)
    assert run(["compare", "--collections", table, *ASKED, "--format", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    for row in rows:
        measure = next(item for item in saved["measures"] if item["measure"] == row["measure"])
        selected = next(item for item in measure["rows"] if item["collection"] == row["collection"])
        for key in ("diff", "ci_low", "ci_high_adj", "pvalue_adj", "weight_random"):
            assert float(row[key]) == selected[key]


@pytest.mark.slow
def test_a_changed_summary_is_refused(table, capsys) -> None:
    assert run(["compare", "--collections", table, *ASKED, "--report", "out.json"]) == 0
    text = Path("out.json").read_text(encoding="utf-8")
    value = json.loads(text)
    low = value["measures"][0]["random"]["ci_low"]
    Path("other.json").write_text(text.replace(json.dumps(low), json.dumps(low + 0.01), 1))
    assert run(["render", "other.json"]) == 3
    assert "but the comparisons of the file give" in capsys.readouterr().err
    value["measures"][0]["random"]["ci_low"] = low + 0.01
    Path("other.json").write_text(json.dumps(value))
    assert run(["render", "other.json"]) == 3
    assert "measures[0].random.ci_low: is" in capsys.readouterr().err


@pytest.mark.slow
def test_the_notebook_s_objects_are_the_command_s(table, capsys) -> None:
    assert run(["compare", "--collections", table, *ASKED, "--report", "out.json"]) == 0
    result = CollectionsComparison.from_json("out.json")
    assert result._repr_markdown_().startswith("### ▲ Better over all queries: t5 is better")
    assert repr(result) == "<CollectionsComparison 't5' against 'bm25' on 3 collections, nDCG@10>"
    assert result["fiqa"].n_queries == 25


@pytest.mark.slow
def test_a_format_alone_has_a_place_of_its_own(table, capsys) -> None:
    assert run(["compare", "--collections", table, *ASKED, "--report", "md"]) == 0
    assert Path("reports/t5-vs-bm25-collections.md").exists()


@pytest.mark.slow
def test_figures_are_the_forest(table) -> None:
    assert run(["compare", "--collections", table, *ASKED, "--figures", "f"]) == 0
    assert [path.name for path in Path("f").iterdir()] == ["forest.pdf"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--collections", "beir.tsv", "--weights", "s.csv"], "--weights is for one"),
        (["--collections", "beir.tsv", "--clusters", "user"], "user: no such file"),
        (["--collections", "beir.tsv", "q", "a", "b"], "qrels is for one collection"),
        (["--collections", "beir.tsv", "--report", "metods:m.txt"], "unknown report format"),
        (["--collections", "none.tsv"], "no such file"),
    ],
)
def test_wrong_usage_is_told(table, capsys, arguments, words) -> None:
    assert run(["compare", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_segments_and_clusters_of_a_table_and_of_flags_are_the_same(table, capsys) -> None:
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
        assert run(["compare", "--collections", name, *ASKED, *flags, *reports]) == 0
        out[name] = capsys.readouterr().out
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


@pytest.mark.slow
def test_a_folder_has_its_segments_beside_its_judgments(table, capsys) -> None:
    for name in ("fiqa", "nq"):
        folder = Path("beir") / name
        (folder / "qrels").mkdir(parents=True)
        Path(f"{name}.qrels").rename(folder / "qrels" / "test.tsv")
        for system in ("bm25", "t5"):
            Path(f"{name}.{system}.run").rename(folder / f"{system}.run")
        rows = [f"q{k:02},{'ab'[k % 2]}" for k in range(1, 26)]
        (folder / "segments.csv").write_text("\n".join(["query_id,intent", *rows]))
    assert run(["compare", "--collections", "beir", "-m", "AP", "-v"]) == 0
    assert "Segments by intent, after adjustment: " in capsys.readouterr().out
