"""Collections are paired by the names of the systems, never by where they stand."""

from pathlib import Path

import pytest

import abrank
from abrank import AlignmentError
from abrank.cli import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate(("c1", "c2")):
        collection = abrank.simulate_runs(30, effect=0.4, rng=i)
        collection.qrels.write(f"{name}.qrels")
        collection.baseline.write(f"{name}.bm25.run")
        collection.candidate.write(f"{name}.t5.run")
        collection.candidate.write(f"{name}.ce.run")
        abrank.simulate_runs(30, effect=0.6, rng=i).candidate.write(f"{name}.fine.run")
    return tmp_path


def table(**systems: list[str]) -> str:
    lines = []
    for name, keys in systems.items():
        lines += [f"[{name}]", f"qrels = '{name}.qrels'"]
        lines += [f"{key} = '{name}.{key}.run'" for key in keys]
    Path("table.toml").write_text("\n".join(lines))
    return "table.toml"


@pytest.mark.slow
@pytest.mark.parametrize(("systems", "flags"), [
    ({"c1": ["bm25", "t5"], "c2": ["bm25", "ce"]}, []),
    ({"c1": ["bm25", "t5"], "c2": ["bm25", "t5", "ce"]}, []),
    ({"c1": ["bm25", "t5"], "c2": ["bm25", "ce"]}, ["--baseline", "bm25", "--candidate", "t5"]),
])  # fmt: skip
def test_other_systems_are_refused(folder, command, systems, flags) -> None:
    err = command(["compare", "--collections", table(**systems), "-m", "AP", *flags], 3).err
    assert "the same two are compared everywhere" in err
    assert "c2 has the systems bm25, " in err
    assert "c1 has bm25, t5" in err


def test_a_system_is_not_a_here_and_b_there(folder) -> None:
    runs = {"bm25": {"q1": {"d1": 2.0}}, "t5": {"q1": {"d1": 1.0}}}
    comparison = abrank.compare(
        {"q1": {"d1": 1}}, runs["bm25"], runs["t5"], name_a="bm25", name_b="t5"
    )
    two = abrank.compare({"q1": {"d1": 1}}, runs["t5"], runs["bm25"], name_a="t5", name_b="bm25")
    with pytest.raises(AlignmentError, match="t5 is the candidate on x and the baseline on y"):
        abrank.compare_collections({"x": comparison, "y": two})


@pytest.mark.slow
def test_a_gate_passes_on_judgments_that_count_twice_only_where_the_doubt_is_accepted(
    folder, capsys
) -> None:
    rows = "one\tc1.qrels\tc1.bm25.run\tc1.t5.run\ntwo\tc1.qrels\tc1.bm25.run\tc1.fine.run\n"
    Path("table.tsv").write_text("name\tqrels\tbm25\tt5\n" + rows)
    call = ["compare", "--collections", "table.tsv", "-m", "AP", "--require", "better"]
    assert run(call) == 1
    output = [" ".join(stream.split()) for stream in capsys.readouterr()]
    text = "one and two have the same judgments, so that their queries count 2 times"
    assert output[0].startswith("▲ BETTER OVER ALL QUERIES, DOUBTFUL")
    assert f"In doubt: {text}" in output[0]
    assert "Give each collection once" in output[0]
    assert f"gate not passed: better on AP, but in doubt: {text} (--accept-doubt" in output[1]
    assert run([*call, "--accept-doubt"]) == 0


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize("kind", [
    pytest.param("runs", marks=pytest.mark.slow),
    pytest.param("copies in another order", marks=pytest.mark.slow),
    pytest.param("copies with other ids", marks=pytest.mark.slow),
    "scores",
])  # fmt: skip
def test_a_collection_under_two_names_is_refused(folder, capsys, command, kind) -> None:
    paths = ["c1.qrels", "c1.bm25.run", "c1.t5.run"]
    if kind == "scores":
        paths = ["bm25.csv", "t5.csv"]
        for path, scores in zip(paths, ([0.1, 0.4, 0.3], [0.5, 0.6, 0.9]), strict=True):
            rows = [f"q{i},{score}" for i, score in enumerate(scores)]
            Path(path).write_text("\n".join(["query_id,ndcg", *rows]))
    copies = [f"copy-{path}" if kind.startswith("copies") else path for path in paths]
    for path, copy in zip(paths, copies, strict=True):
        if copy != path:
            lines = Path(path).read_text().splitlines()
            lines = [f"two-{line}" for line in lines] if kind.endswith("ids") else lines
            Path(copy).write_text("\n".join(reversed(lines)) + "\n")
    head = ["name", "qrels", "bm25", "t5"] if kind != "scores" else ["name", "bm25", "t5"]
    Path("table.tsv").write_text(
        "\n".join("\t".join(row) for row in (head, ["one", *paths], ["two", *copies]))
    )
    assert run([command, "--collections", "table.tsv"]) == 3
    err = " ".join(capsys.readouterr().err.split())
    assert "the collections one and two are the same: every query has the same scores" in err
