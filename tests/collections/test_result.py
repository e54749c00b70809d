"""A gate on each of several collections, and the folders and patterns that collections come in."""

from pathlib import Path

import pytest

import abrank
from abrank import ArgumentError, GateError, NotFoundError
from abrank.collections import CollectionsComparison, compare_collections, read_collections

MADE = {f"c{i}": abrank.simulate_runs(60, effect=e, rng=i) for i, e in enumerate((0.3, 0.3, -0.2))}
GOOD = {name: (m.qrels, m.baseline, m.candidate) for name, m in list(MADE.items())[:2]}
MIXED = {name: (m.qrels, m.baseline, m.candidate) for name, m in MADE.items()}
ASKED = {"measures": "nDCG@10", "margin": 0.05, "require": "non-inferior"}


@pytest.mark.slow
def test_each_collection_must_pass_where_it_is_asked_of_each(tmp_path: Path) -> None:
    together = compare_collections(MIXED, **ASKED)  # type: ignore[arg-type]
    collections = compare_collections(MIXED, **ASKED, on="each")  # type: ignore[arg-type]
    assert together.decision.gate.passed
    gate = collections.decision.gate
    assert (gate.passed, gate.lacks, collections.decision.exit_code) == (False, "each", 1)
    text = " ".join(str(collections).split())
    assert "not passed on 1 of the 3 collections: c2" in text
    assert "Do not ship candidate by this rule: the gate fails on c2." in text
    assert (
        CollectionsComparison.from_json(collections.report(tmp_path / "results.json"))
        == collections
    )
    with pytest.raises(GateError, match=r"^c2: "):
        together.require("non-inferior", on="each")


def test_it_passes_where_all_do() -> None:
    collections = compare_collections(GOOD, **ASKED, on="each")  # type: ignore[arg-type]
    assert collections.decision.exit_code == 0
    assert "passed on each of the 2 collections by itself" in " ".join(str(collections).split())
    assert collections.require("non-inferior", on="each") is collections


def test_on_each_is_for_a_gate() -> None:
    with pytest.raises(ArgumentError, match="on each works only with a gate"):
        compare_collections(GOOD, on="each")


def test_the_headline_counts_the_collections_on_which_b_is_ahead() -> None:
    assert "ahead on 2" in " ".join(str(compare_collections(MIXED, measures="nDCG@10")).split())


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    for name, result in MADE.items():
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True)
        (folder / "runs").mkdir()
        result.qrels.write(folder / "qrels.txt")
        rows = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
        lines = ["query-id\tcorpus-id\tscore", *("\t".join((q, d, g)) for q, _, d, g in rows)]
        (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n")
        (folder / "qrels" / "train.tsv").write_text(lines[0] + "\n")
        (folder / "corpus.jsonl").write_text("{}\n")
        result.baseline.write(folder / "runs" / "bm25.run")
        result.candidate.write(folder / "t5.run")
    return tmp_path


@pytest.mark.slow
def test_folders_as_beir_and_trec_have_them(beir: Path) -> None:
    for path in beir.glob("*/qrels.txt"):
        path.rename(beir / f"{path.parent.name}.kept")
    collections = read_collections(beir)
    assert {key: Path(path).name for key, path in collections["c0"].items()} == {
        "qrels": "test.tsv", "bm25": "bm25.run", "t5": "t5.run",
    }  # fmt: skip
    by_folder = compare_collections(beir, measures="nDCG@10")
    by_pattern = compare_collections(f"{beir}/*/qrels/test.tsv", measures="nDCG@10")
    assert by_folder.primary == by_pattern.primary
    assert by_folder.candidate == "t5"


@pytest.mark.slow
def test_a_pattern_names_the_judgments(beir: Path) -> None:
    collections = read_collections(f"{beir}/*/qrels.txt")
    assert [*collections] == ["c0", "c1", "c2"]
    assert Path(collections["c1"]["qrels"]).name == "qrels.txt"
    with pytest.raises(NotFoundError, match="no file or folder"):
        read_collections(f"{beir}/*/nothing.txt")
