"""The part of the data in the tree says the same as the whole."""

import subprocess
import sys

import pytest

from reports.studies.calibration import __main__ as calibration
from tests import gold


@pytest.mark.slow
def test_the_part_is_of_the_whole(tmp_path) -> None:
    if not gold.is_whole():
        gold.left_out("the whole")
    gold.unpack(tmp_path)
    members = dict(gold.members(tmp_path))
    assert members == dict(gold.members(gold.WHOLE_DATA))
    assert len({name.partition("/")[0] for name in members}) > 7


@pytest.mark.slow
def test_the_part_is_laid_out_for_the_studies(tmp_path) -> None:
    subprocess.run([sys.executable, gold.__file__, "unpack", str(tmp_path)], check=True)
    requested = [
        "--data", str(tmp_path), "--replications", "4", "--sizes", "10", "--parts", "tests",
    ]  # fmt: skip
    assert calibration.main([*requested, "--output", str(tmp_path / "out")]) == 0
    assert "collections" in (tmp_path / "out" / "calibration.csv").read_text()


def test_the_source_and_the_licence_of_every_folder_are_named() -> None:
    page = gold.ARCHIVE.with_name("gold.md").read_text("utf-8")
    folders = {path.name for path in gold.gold_data().iterdir() if path.is_dir()}
    assert not [
        item
        for item in folders - {"LICENSES", "votes", "cases", "pools", "tables"}
        if f"| `{item}` |" not in page
    ]
