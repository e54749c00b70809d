"""Each gate has one definition: the help, the README and the program say the same."""

import re
from pathlib import Path

import pytest

from abrank.cli import run
from abrank.guide import read_page
from abrank.verdict import GATES

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


@pytest.mark.parametrize("gate", GATES.values(), ids=GATES)
def test_help_shows_the_definition(gate, command) -> None:
    text = " ".join(command(["compare", "--help-all"]).out.split())
    assert f"{gate.flag} {gate.passes}. Verdicts that pass: {gate.passing}" in text


@pytest.mark.parametrize("text", [README, read_page("gates").text], ids=["README", "guide"])
def test_the_texts_show_the_definitions_and_no_others(text) -> None:
    rows = re.findall(r"^ *\| `(--(?:require|fail-on) [\w-]+)` \| (.*) \| (.*) \|$", text, re.M)
    assert rows == [(gate.flag, gate.passes, gate.passing) for gate in GATES.values()]


SCORES = "query_id,AP\n" + "".join(f"q{i},{0.3 + i / 100:.2f}\n" for i in range(40))
LOWER = "query_id,AP\n" + "".join(
    f"q{i},{0.3 + i / 100 - 0.004 - 0.001 * (i % 3):.3f}\n" for i in range(40)
)


@pytest.fixture
def tables(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(SCORES)
    (tmp_path / "b.csv").write_text(LOWER)
    monkeypatch.chdir(tmp_path)


def compare(*arguments: str) -> int:
    return run(["compare", "--scores", "a.csv", "b.csv", *arguments])


def test_fail_on_worse_lets_a_loss_pass_that_is_too_small_to_matter(tables, capsys) -> None:
    assert compare("--fail-on", "worse") == 1
    assert compare("--fail-on", "worse", "--margin", "0.02") == 0
    out, err = capsys.readouterr()
    assert "SAME IN PRACTICE  b is worse than a, but by less than 0.020" in out
    # The gate once, where a script looks for what went wrong.
    assert err.count("gate      passed: worse on AP, but by less than 0.020") == 1
    assert "gate" not in out


def test_a_margin_in_per_cent_is_of_the_baseline(tables, capsys) -> None:
    assert compare("--margin", "5%", "--require", "equivalent", "-v") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "margin 5% of A's mean, judged by Fieller's 90% interval (two one-sided tests)" in out
    assert compare("--margin", "0.5%", "--require", "equivalent") == 1


GATE_FLAGS = {
    "non-inferior": ["--require", "non-inferior", "--margin", "0.02"],
    "better": ["--require", "better"],
    "equivalent": ["--require", "equivalent", "--margin", "0.02"],
    "fail-on worse": ["--fail-on", "worse"],
}


def ranked(good: int) -> dict[str, list[str]]:
    """Rank relevant documents first, on every third query all ``good`` of them, else fewer."""
    relevant, texts = [f"D{j}" for j in range(8)], [f"N{j}" for j in range(30)]
    return {f"q{i:02}": [*relevant[: good - i % 3], *texts][:10] for i in range(60)}


def lines_of(run: dict[str, list[str]], tag: str = "t") -> list[str]:
    return [
        f"{query} Q0 {doc} {rank} {-rank} {tag}"
        for query, docs in run.items()
        for rank, doc in enumerate(docs, 1)
    ]


def changes(a: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the lines of B after each change to A."""
    docs = a["q07"]
    swapped = {**a, "q07": [docs[-1], *docs[1:-1], docs[0]]}
    return {
        "nothing changed": lines_of(a),
        "another tag": lines_of(a, "other"),
        "lines in another order": lines_of(a)[::-1],
        "one document more at the end": lines_of({q: [*docs, "N29"] for q, docs in a.items()}),
        "two documents of one query swapped": lines_of(swapped),
        "better": lines_of(ranked(5)),
        "worse": lines_of(ranked(3)),
        "other document ids": lines_of({q: [doc.lower() for doc in a[q]] for q in a}),
        "half of the queries missing": lines_of({q: a[q] for q in list(a)[:30]}),
    }


def test_exit_codes_in_a_build_are_those_of_readme(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    judged = [*(f"D{j} 1" for j in range(8)), *(f"N{j} 0" for j in range(30))]
    qrels = [f"q{i:02} 0 {item}" for i in range(60) for item in judged]
    (tmp_path / "qrels.txt").write_text("\n".join(qrels) + "\n")
    a = ranked(4)
    (tmp_path / "a.run").write_text("\n".join(lines_of(a)) + "\n")
    codes = {}
    for change, lines in {**changes(a), "the same file": []}.items():
        b = "a.run" if change == "the same file" else "b.run"
        (tmp_path / "b.run").write_text("\n".join(lines) + "\n")
        command = ["compare", "qrels.txt", "a.run", b, "-m", "nDCG@10"]
        codes[change] = [run([*command, *flags]) for flags in GATE_FLAGS.values()]
    capsys.readouterr()
    head = f"| B against A | {' | '.join(GATE_FLAGS)} |\n"
    table = README.partition(head)[2].partition("\n\n")[0].splitlines()[1:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    assert codes == {name: list(map(int, row)) for name, *row in cells}
