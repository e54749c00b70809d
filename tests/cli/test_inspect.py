"""One query of two runs through the command."""

import pytest

import abrank
from abrank.cli import run

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0, "d4": 1}, "q2": {"d1": 1}}
A = {"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
B = {"q1": {"d9": 4.0, "d8": 3.0, "d1": 2.0, "d3": 1.0}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    abrank.read_qrels(QRELS).write(tmp_path / "qrels")
    for name, scores in (("a.run", A), ("b.run", B)):
        abrank.read_run(scores, name=name).write(tmp_path / name)
    (tmp_path / "docs.tsv").write_text(
        "d1\tOne\nd9\tA title that goes on and on and does not fit into half of a terminal\n"
    )
    (tmp_path / "topics").write_text("q1\ttea pots\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lists_scores_missed_documents_and_what_to_judge(folder, command) -> None:
    more = ["-m", "P@2", "-m", "AP", "--docs", "docs.tsv", "--topics", "topics"]
    lines = command(["inspect", "qrels", "a.run", "b.run", "q1", *more]).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "▼  q1 “tea pots”"
    assert lines[1].startswith(
        "P@2 0.500 → 0.000, Δ −0.500: A is better on this query. B lost 1 and gained 0"
    )
    assert lines[4].startswith("Rank, grade (? is unjudged), document; → rank by B")
    assert lines[6].split() == ["A", "a", "B", "b"]
    assert lines[7].split() == ["1", "2", "d1", "→", "3", "1", "?", "d9", "new"]
    assert "One" in lines[8]
    assert "…" in lines[8]
    # AP of A is (1/1 + 2/3) / 3, of B (1/3) / 3; P@2 is 1/2 and 0.
    assert "P@2      0.500  0.000  −0.500" in lines
    assert "AP       0.556  0.111  −0.444" in lines
    index = lines.index("Relevant, but missing from one top 2 or both (– is not retrieved)")
    assert [line.split() for line in lines[index + 2 : index + 6]] == [
        ["Document", "Grade", "A", "B"], ["d1", "2", "1", "3"], ["d2", "1", "3", "–"],
        ["d4", "1", "–", "–"],
    ]  # fmt: skip
    index = next(i for i, line in enumerate(lines) if line.startswith("Judge next"))
    below = lines[lines.index("", index) + 1 :]
    assert [line.split() for line in below[:2]] == [
        ["Document", "A", "B", "Δ"],
        ["d9", "–", "1", "+0.500"],
    ]


def test_what_to_judge_is_written_as_a_pool(folder, capsys) -> None:
    assert run(["inspect", "qrels", "a.run", "b.run", "q1", "-m", "P@2", "--pool", "pool"]) == 0
    assert (folder / "pool").read_text() == "q1 0 d9\nq1 0 d8\n"
    assert capsys.readouterr().out.endswith("pool      pool\n")


def test_a_run_without_the_query_and_ascii(folder, command) -> None:
    out = command(["inspect", "qrels", "a.run", "b.run", "q2", "-m", "RR", "--ascii"]).out
    assert out.isascii()
    assert "B returned no document for this query." in " ".join(out.split())
    assert "RR       1.000  0.000  -1.000" in out


def test_a_query_that_is_not_judged_names_the_nearest(folder, capsys) -> None:
    assert run(["inspect", "qrels", "a.run", "b.run", "q11"]) == 2
    assert "is not judged in the qrels; did you mean q1?" in capsys.readouterr().err


def test_of_very_many_missed_documents_the_first_are_listed(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    abrank.read_qrels({"q1": {f"d{i:02}": 1 for i in range(30)}}).write("qrels")
    for name in ("a", "b"):
        abrank.read_run({"q1": {"d00": 2.0, "x": 1.0}}, name=name).write(f"{name}.run")
    lines = command(["inspect", "qrels", "a.run", "b.run", "q1", "-m", "P@2"]).out.splitlines()
    index = lines.index("Relevant, but missing from one top 2 or both (– is not retrieved)")
    assert [line.split()[0] for line in lines[index + 3 : index + 23]] == [
        f"d{i:02}" for i in range(1, 21)
    ]
    assert "and 9 more" in lines


def test_a_query_of_a_table_has_its_scores(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"q{i},0.{i},0.{i}5\n" for i in range(1, 9))
    (tmp_path / "table.csv").write_text(f"query,old,new\n{rows}")
    out = command(["inspect", "table.csv", "q3"]).out
    assert ["Measure", "A", "old", "B", "new", "Δ"] in [line.split() for line in out.splitlines()]
    assert ["score", "0.300", "0.350", "+0.050"] in [line.split() for line in out.splitlines()]
    assert "did you mean q3?" in command(["inspect", "table.csv", "q33"], 2).err
    (tmp_path / "two.csv").write_text(f"query,bm25,dense\n{rows}")
    error = command(["inspect", "two.csv", "q3"], 3).err
    hint = "abrank inspect two.csv q3 --baseline bm25 --candidate dense"
    assert hint in error
    assert "0.300    0.350  +0.050" in command(hint.split()[1:]).out
    assert (
        "--depth: only for runs" in command(["inspect", "table.csv", "q3", "--depth", "2"], 2).err
    )
    call = ["inspect", "qrels", "a.run", "b.run", "q1", "--variant", "x"]
    assert "--variant: only for a table of scores" in command(call, 2).err
    assert "abrank inspect TABLE QUERY" in command(["inspect", "table.csv", "b", "q3"], 2).err
