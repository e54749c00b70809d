"""A path, a folder or a glob stands for the files that its reader would name, and no others."""

from pathlib import Path

import pytest

from abrank._support.errors import ReadError
from abrank.engines.engine import files_of


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


def test_a_folder_that_may_not_be_listed_is_named(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied", "b")

    monkeypatch.setattr("os.scandir", refused)
    with pytest.raises(ReadError, match=r"cannot be read: .*Permission denied"):
        files_of([tmp_path])
