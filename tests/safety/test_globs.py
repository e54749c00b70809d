"""A path, a folder or a glob stands for the files that its reader would name, and no others."""

from pathlib import Path

import pandas as pd
import pytest

import abrank
from abrank._support.errors import ReadError
from abrank.cli import run
from abrank.engines.engine import files_of
from tests.safety.damaged_parquet import QRELS, reciprocal_ranks, run_of, write_run


def names(folder: Path, pattern: str) -> list[str]:
    _, result = files_of([folder / pattern])
    return [str(Path(path).relative_to(folder)) for path in result]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b/1.parquet", "b/2.parquet", "b/old/3.parquet", "b/_temporary/0/4.parquet",
        "b/.hidden/5.parquet", "b/_6.parquet", "b/day=1/7.parquet", "[x]/8.parquet", "x/9.parquet",
        "s.parquet/part-0.parquet", "star*/1.parquet", "star2/2.parquet",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("b/*.parquet", ["b/1.parquet", "b/2.parquet"]),
        ("b/?.parquet", ["b/1.parquet", "b/2.parquet"]),
        ("b/_*.parquet", ["b/_6.parquet"]),
        ("b/_temporary/*/*.parquet", ["b/_temporary/0/4.parquet"]),
        ("b/*/*.parquet", ["b/day=1/7.parquet", "b/old/3.parquet"]),
        ("b/**/?.parquet", ["b/1.parquet", "b/2.parquet", "b/day=1/7.parquet", "b/old/3.parquet"]),
        ("b", ["b/1.parquet", "b/2.parquet", "b/day=1/7.parquet", "b/old/3.parquet"]),
        ("b/day=*", ["b/day=1/7.parquet"]),
        ("[x]", ["[x]/8.parquet"]),
        ("[x]/*.parquet", ["[x]/8.parquet"]),
        ("*.parquet", ["s.parquet/part-0.parquet"]),
        ("star*", ["star*/1.parquet"]),  # there is a folder of this name
        ("st*r*", ["star*/1.parquet", "star2/2.parquet"]),
        ("none*/x", []),
        ("none", []),
    ],
)
def test_what_a_path_stands_for(folder, pattern, expected):
    assert names(folder, pattern) == expected


def test_links_that_lead_up_are_not_followed(folder):
    (folder / "b" / "up").symlink_to("..")
    (folder / "b" / "old" / "self").symlink_to(".")
    (folder / "b" / "aside").symlink_to("../x")
    (folder / "x" / "back").symlink_to("../b")
    (folder / "b" / "lost").symlink_to("nowhere")
    result = names(folder, "b/**/*.parquet")
    assert result == [
        "b/1.parquet", "b/2.parquet", "b/aside/9.parquet", "b/day=1/7.parquet", "b/old/3.parquet",
    ]  # fmt: skip


@pytest.mark.slow
def test_what_another_program_has_not_finished_is_not_scored(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("b/part-0.parquet", 1), ("b/_temporary/0/part-0.parquet", 2)):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        write_run(Path(name), seed=seed)
    write_run(Path("a.parquet"), seed=3)
    expected = reciprocal_ranks(run_of(1))
    for path in ("b/*.parquet", "b", "b/**"):
        scores = abrank.evaluate(QRELS, {"B": path}, ["RR"])
        assert dict(zip(scores.query_ids, scores.of("B")[:, 0], strict=True)) == expected
    Path("[x]").mkdir()
    write_run(Path("[x]/p.parquet"), seed=1)
    rows = [(q, d, g) for q, grades in QRELS.items() for d, g in grades.items()]
    pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]).to_parquet("q.parquet")
    assert run(["score", "q.parquet", "[x]/*.parquet", "-m", "RR"]) == 0
    mean = sum(expected.values()) / len(expected)
    assert f"{mean:.4f}" in capsys.readouterr().out


def test_a_folder_that_may_not_be_listed_is_named(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied", "b")

    monkeypatch.setattr("os.scandir", refused)
    with pytest.raises(ReadError, match=r"cannot be read: .*Permission denied"):
        files_of([tmp_path])
