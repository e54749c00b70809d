"""A command that is killed leaves no file that is cut and no mixed set."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from abrank import simulate

ROOT = Path(__file__).parents[2]
TRIALS = [3, pytest.param(200, marks=pytest.mark.slow)]
COMMAND = [sys.executable, "-m", "abrank", "compare", "qrels", "a.run", "b.run", "-q"]
REPORTS = ["--report", "out/r.md", "--report", "out/results.json", "--report", "out/r.tex"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("killed")
    runs = simulate.simulate_runs(20, effect=0.05, rng=1)
    runs.qrels.write(made / "qrels")
    for name, run in (("a.run", runs.baseline), ("b.run", runs.candidate)):
        run.write(made / name)
    return made


def run_for(seconds: float | None, number: int, folder: Path) -> tuple[int, str]:
    """Run the command, end it by a signal after some seconds; return its exit code and messages."""
    child = subprocess.Popen(
        COMMAND + REPORTS,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    if seconds is not None:
        time.sleep(seconds)
        child.send_signal(number)
    _, messages = child.communicate()
    return child.returncode, messages


@pytest.mark.parametrize("trials", TRIALS)
def test_a_kill_leaves_whole_files_of_one_set(folder: Path, trials: int) -> None:
    began = time.monotonic()
    assert run_for(None, 0, folder)[0] == 0
    whole_time = time.monotonic() - began
    out = folder / "out"
    before = {path.name: path.stat().st_ino for path in out.iterdir()}
    assert len(before) == 3
    chance = random.Random(5)
    for trial in range(trials):
        number = signal.SIGKILL if trial % 3 == 2 else signal.SIGTERM
        code, messages = run_for(chance.uniform(0.3, 1) * whole_time, number, folder)
        found = {path.name: path.stat().st_ino for path in out.iterdir()}
        shown = {name: inode for name, inode in found.items() if not name.startswith(".")}
        # All three are those from before, or all are new.
        assert set(shown) == set(before)
        assert len({shown[name] == before[name] for name in shown}) == 1
        assert json.loads((out / "results.json").read_text())["verdict"]
        assert (out / "r.tex").read_text().endswith("\n")
        if number == signal.SIGTERM:
            assert found == shown
            assert code in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
            assert "a fault of abrank" not in messages
        for name in set(found) - set(shown):
            (out / name).unlink()
        before = shown
