"""Runs under which a true number misleads: every command says what is wrong with them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from abrank.cli import run

N_QUERIES, N_DOCS = 40, 100
Change = Callable[[int, int, str], str | None]


def write_run(path: Path, noise: float, seed: int, change: Change) -> None:
    """Write a run; ``change`` gives the line's document by query, rank and id, or drops it."""
    rng = np.random.default_rng(seed)
    lines = []
    for query in range(N_QUERIES):
        score = np.where(np.arange(N_DOCS) % 9 == query % 9, 1.0, 0.0)
        score = score + noise * rng.standard_normal(N_DOCS)
        for rank, doc in enumerate(np.argsort(-score)):
            visible = change(query, rank, f"LA{query}-{doc:03}")
            if visible is not None:
                lines.append(f"{300 + query} Q0 {visible} {rank + 1} {score[doc]:.6f} t\n")
    path.write_text("".join(lines))


CHANGES: dict[str, tuple[float, int, Change]] = {
    "old": (0.9, 1, lambda _query, _rank, doc: doc),
    "new": (0.7, 2, lambda _query, _rank, doc: doc),
    "cut": (0.7, 2, lambda _query, rank, doc: doc if rank < 10 else None),
    "few": (0.9, 1, lambda query, _rank, doc: doc if query < 10 else None),
    "lower": (0.7, 2, lambda _query, _rank, doc: doc.lower()),
    "zeros": (0.7, 2, lambda _query, _rank, doc: doc.replace("-", "-00")),
    "prefix": (0.7, 2, lambda _query, _rank, doc: f"x_{doc}"),
    "half": (0.7, 2, lambda _query, rank, doc: doc if rank % 2 else f"{doc}.0"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("misleading")
    rows = [
        f"{300 + q} 0 LA{q}-{doc:03} {int(doc % 9 == q % 9)}\n"
        for q in range(N_QUERIES)
        for doc in range(N_DOCS)
    ]
    (path / "qrels").write_text("".join(rows))
    for name, (noise, seed, change) in CHANGES.items():
        write_run(path / name, noise, seed, change)
    (path / "copy").write_bytes((path / "new").read_bytes())
    return path


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """Return what a command printed on both streams, each on one line."""
    assert run([*arguments]) == 0
    output = capsys.readouterr()
    return " ".join(output.out.split()), " ".join(output.err.split())


CAUSES = [
    ("lower", "upper and lower case", "la0-", "400 of 400"),
    ("zeros", "leading zeros", "LA0-00", "400 of 400"),
    ("prefix", 'the prefix "x_"', "x_LA0-", "400 of 400"),
    ("half", '".0"', "LA0-", "200 of 400"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "cause", "id_", "counts"), CAUSES)
def test_every_command_names_why_documents_are_not_judged(capsys, name, cause, id_, counts) -> None:
    text = f"Document ids of {name} differ from the judged ones by {cause}"
    for arguments in (
        ["score", "qrels", name, "-m", "AP"],
        ["rank", "qrels", name, "old", "-m", "AP"],
        ["check", "qrels", name],
        ["compare", "qrels", "old", name, "-m", "AP", "-v"],
    ):
        result = " ".join(called(capsys, *arguments))
        assert text in result, arguments
        assert f"{counts} first documents looked at match no judgment" in result, arguments
        assert f"“{id_}" in result, arguments


def test_dropped_queries_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    call = ("compare", "qrels", "old", "few", "-m", "AP", "--missing", "drop")
    out, _ = called(capsys, *call)
    assert out.startswith(
        "= IDENTICAL, DOUBTFUL Nothing changed on AP: both score the same on the 10 queries that"
        " both runs have"
    )
    assert "on every query" not in out
    assert "In doubt: the verdict rests on the queries that are missing: it would be" in out
    assert out.count("“Worse” (Δ −0.299) on all 40 queries with the missing ones scored 0") == 1
    assert "note 30 of 40 judged queries are missing from few (abrank guide" in out
    out, _ = called(capsys, *call, "-v")
    assert "30 of 40 judged queries are missing from few. Left out for every system" in out
    assert "scores 0" not in out
    assert "queries missing from a run are left out" in out


def test_missing_queries_scored_0_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = called(capsys, "compare", "qrels", "old", "few", "-m", "AP")
    assert out.startswith("▼ WORSE, DOUBTFUL few is worse than old on AP")
    assert "In doubt: the verdict rests on the queries that are missing: it would be" in out
    assert out.count("“Identical” (Δ 0.000) on the 10 queries that both runs have") == 1
    assert "note 30 of 40 judged queries are missing from few (abrank guide" in out
    assert "Run both systems on all judged queries" in out
    out, _ = called(capsys, "compare", "qrels", "old", "few", "-m", "AP", "-v")
    assert "a query missing from a run scores 0" in out
    assert "30 of 40 judged queries are missing from few. Scored 0 for few" in out
    assert "Run both systems on all judged queries" in out


def test_the_rule_is_silent_where_no_query_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = called(capsys, "compare", "qrels", "old", "new", "-m", "AP")
    assert "missing" not in out


MISSING = "30 of 40 judged queries are missing from few"


ASKED = [
    ["compare", "qrels", "old", "few"], ["rank", "qrels", "few", "old", "new"], ["compare"],
    ["rank"],
]  # fmt: skip
SHOWN = [
    *("text", "json", "csv"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("md", "html", "tex")),
]


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED, ids="-".join)
@pytest.mark.parametrize("shown", SHOWN)
def test_missing_queries_are_said_with_every_format(capsys, asked, shown) -> None:
    if len(asked) == 1:  # several collections
        columns = "a\tb" if asked == ["compare"] else "old\tfew"
        rows = [f"{name}\tqrels\t{run_a}\tfew" for name, run_a in (("one", "old"), ("two", "new"))]
        Path("c.tsv").write_text("\n".join([f"name\tqrels\t{columns}", *rows]))
        asked = [*asked, "--collections", "c.tsv"]
    out, err = called(capsys, *asked, "-m", "AP", "--format", shown)
    if shown == "json":
        assert '"missing-queries"' in out
    else:
        assert MISSING in (err if shown in ("csv", "tex") else out)
    assert err == "" or shown in ("csv", "tex")
    assert called(capsys, *asked, "-m", "AP", "--format", shown, "-q")[1] == ""


@pytest.mark.parametrize(("a", "b", "step"), [
    ("old", "other", "documents of old are judged, and none of other."),
    ("other", "old", "documents of old are judged, and none of other."),
    ("other", "others", "Take judgments that fit the runs, and compare again."),
])  # fmt: skip
def test_the_next_step_names_the_run_that_does_not_fit(a, b, step, folder, capsys) -> None:
    for name, doc in (("other", "zz"), ("others", "yy")):
        lines = (f"{300 + q} Q0 {doc}{q}ü 1 1 t\n" for q in range(N_QUERIES))
        (folder / name).write_text("".join(lines))
    assert run(["compare", "qrels", a, b, "-m", "AP"]) == 0
    assert step in " ".join(capsys.readouterr().out.split())
