"""A reader that goes away is no failure, and hides none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import write_runs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pipes")
    write_runs(home, 30, effect=0.5, seed=1, names=("q.txt", "a.run", "b.run"))
    return home


def into_a_closed_pipe(command: str, folder: Path) -> tuple[int, str]:
    """Return exit code and standard error of a command whose reader has gone before it begins."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "abrank", *command.split()],
            cwd=folder, stdout=writes, stderr=subprocess.PIPE, text=True, check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    finally:
        os.close(writes)
    return done.returncode, done.stderr


GATED = "compare q.txt {} -m AP -q --require better"


CLOSED = [("score q.txt a.run -m AP", 0), (GATED.format("b.run a.run"), 1)]
# The same doors with another command or format.
RARER = [
    ("compare q.txt a.run b.run -m AP -q", 0),
    ("--help", 0),
    (GATED.format("b.run a.run") + " --report md:/dev/stdout", 1),
    ("compare q.txt a.run nothing.run", 2),
    ("compare q.txt a.run b.run -m AP -q --format html", 0),
    ("demo made", 0),
    (GATED.format("a.run b.run"), 0),
]


@pytest.mark.parametrize(
    ("command", "code"), [*CLOSED, *(pytest.param(*item, marks=pytest.mark.slow) for item in RARER)]
)
def test_a_closed_pipe_is_no_failure_and_hides_none(folder, command, code) -> None:
    result, text = into_a_closed_pipe(command, folder)
    assert result == code, text
    assert not {"Traceback", "ignored", "fault", "pipe"} & set(text.casefold().split()), text
