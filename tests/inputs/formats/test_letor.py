"""LETOR files are judgments; their documents are named by comments or by rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from abrank import ReadError, read_qrels, read_run

LINES = (
    "2 qid:10 1:0.03 2:0.5 # docid = GX1 inc = 1\n0 qid:10 1:0 # docid = GX2\n"
    "1 qid:11 1:1 # docid = GX1\n"
)


def test_grades_by_query(tmp_path: Path) -> None:
    (tmp_path / "test.letor").write_text(f"# features\n\n{LINES}")
    qrels = read_qrels(tmp_path / "test.letor")
    assert (qrels.grades("10"), qrels.grades("11")) == ({"GX1": 2, "GX2": 0}, {"GX1": 1})


def test_documents_without_names_are_rows(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 qid:7 1:0.5\n3 qid:7 1:0.25\n")
    assert read_qrels(tmp_path / "a.svm").grades("7") == {"0": 1, "1": 3}


def test_bad_lines_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 qid:7 1:0.5\n0.5 qid:7 1:2\n")
    with pytest.raises(ReadError, match=r"a\.svm, line 2: no grade and qid\n.*\n.*expected: grade"):
        read_qrels(tmp_path / "a.svm")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1" * 30 + " qid:7 1:2", "the grade has more than 18 digits"),
        ("1 qid:7 1:2 # docid = a\0b", "a NUL character"),
        (f"1 qid:{'x' * 70_000} 1:2", "an id is longer than 64 kB"),
    ],
)
def test_what_no_judgment_has(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "a.svm").write_text(f"1 qid:7 1:0.5\n{line}\n")
    with pytest.raises(ReadError, match=rf"a\.svm, line 2: {problem}"):
        read_qrels(tmp_path / "a.svm")


def test_it_is_no_run_and_the_error_says_what_makes_one(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text(LINES)
    with pytest.raises(ReadError, match=r"no scores\n  qrels, run = abrank\.from_groups"):
        read_run(tmp_path / "a.svm")
