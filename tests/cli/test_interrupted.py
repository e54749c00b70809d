"""A command that is ended leaves no file that is cut, no mixed set and no traceback."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import write_runs

ROOT = Path(__file__).parents[2]
# Says when abrank is entered: a signal while Python itself starts is Python's to answer.
ENTERED = "import os; from abrank.__main__ import command; os.write(1, b'.'); command()"
COMMAND = [sys.executable, "-c", ENTERED, "compare", "qrels", "a.run", "b.run", "-q"]
REPORTS = ["--report", "out/r.md", "--report", "out/results.json", "--report", "out/r.tex"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    mktemp = tmp_path_factory.mktemp("killed")
    write_runs(mktemp, 20, effect=0.05, seed=1)
    return mktemp


def run_for(seconds: float | None, number: int, folder: Path) -> tuple[int, str]:
    """Run the command, end it by a signal after some seconds; return its exit code and messages."""
    child = subprocess.Popen(
        COMMAND + REPORTS, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert child.stdout.read(1) == "."
    if seconds is not None:
        time.sleep(seconds)
        child.send_signal(number)
    _, messages = child.communicate()
    return child.returncode, messages


@pytest.mark.slow
def test_a_signal_leaves_whole_files_of_one_set(folder: Path) -> None:
    began = time.monotonic()
    assert run_for(None, 0, folder)[0] == 0
    whole_time = time.monotonic() - began
    out = folder / "out"
    before = {path.name: path.stat().st_ino for path in out.iterdir()}
    assert len(before) == 3
    chance = random.Random(5)
    for trial in range(200):
        number = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[trial % 3]
        code, messages = run_for(chance.uniform(0.3, 1) * whole_time, number, folder)
        st_inos = {path.name: path.stat().st_ino for path in out.iterdir()}
        inodes = {name: inode for name, inode in st_inos.items() if not name.startswith(".")}
        assert set(inodes) == set(before)
        # All three are those from before, or all are new. No system renames three files at once: a
        # kill between two of them leaves the others of the new set whole, under their other names.
        replaced = {name for name in inodes if inodes[name] != before[name]}
        if number == signal.SIGKILL and 0 < len(replaced) < 3:
            waiting = {name.lstrip(".").rpartition(".")[0] for name in set(st_inos) - set(inodes)}
            assert waiting == set(before) - replaced
        else:
            assert len(replaced) in (0, 3)
        assert json.loads((out / "results.json").read_text())["verdict"]
        assert (out / "r.tex").read_text().endswith("\n")
        if number != signal.SIGKILL:
            assert st_inos == inodes
            assert code in (0, -number, 128 + number)
            # The first line; the second may say that all three were written already.
            assert messages.strip().partition("\n")[0] in ("", "interrupted", "terminated")
            assert "Traceback" not in messages
        for name in set(st_inos) - set(inodes):
            (out / name).unlink()
        before = inodes


BEGIN = """
import signal, sys, time, weakref
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGTERM, signal.SIGHUP):  # the suite may run under nohup
    signal.signal(number, signal.SIG_DFL)
"""
# A callback, as an import's lock has one: an exception raised there is printed and lost.
IN_AN_IMPORT = """
class Thing: ...
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            thing = Thing()
            seen = weakref.ref(thing, lambda _: signal.raise_signal({number}))
            del thing
sys.meta_path.insert(0, Finder())
"""
# The exception of the signal meets code that cannot raise: Python would print it and go on.
IN_A_CALLBACK = """
class Thing: ...
def signalled(*_):
    thing = Thing()
    seen = weakref.ref(thing, lambda _: signal.raise_signal({number}))
    del thing
    time.sleep(0.1)
Path.chmod = signalled
"""
WHILE_WRITING = """
def signalled(*_):
    assert len(list(Path("new").iterdir())) == 1
    signal.raise_signal({number})
Path.chmod = signalled
"""
COMMAND_LINE = """
from abrank.__main__ import command
sys.argv = ["abrank", "compare", "qrels", "a.run", "b.run", "-q", "--report", "new/r.md"]
command()
"""


def test_the_command_listens_before_python_has_imported_what_takes_time() -> None:
    # Without `site`, whose plugins import what they like. The first signal module is Python's own.
    code = "import sys, abrank.__main__; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert "_signal" in loaded
    assert not loaded & {"signal", "typing", "enum", "re", "collections", "functools", "click"}


BY_NIGHT = pytest.mark.slow


@pytest.mark.parametrize(
    ("where", "module", "code"),
    [
        # Before the command can listen.
        pytest.param(IN_AN_IMPORT, "click", lambda number: -number, marks=BY_NIGHT),
        pytest.param(IN_AN_IMPORT, "numpy", lambda number: 128 + number, marks=BY_NIGHT),
        (WHILE_WRITING, "", lambda number: 128 + number),
        (IN_A_CALLBACK, "", lambda number: 128 + number),
        pytest.param(
            "signal.signal({number}, signal.SIG_IGN)" + IN_AN_IMPORT, "numpy", lambda _: 0,
            marks=BY_NIGHT,
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", [
    signal.SIGINT, *(pytest.param(x, marks=BY_NIGHT) for x in (signal.SIGTERM, signal.SIGHUP))
])  # fmt: skip
@pytest.mark.every_case
def test_a_signal_ends_the_process_where_it_stands(where, module, code, number, folder) -> None:
    program = BEGIN + where.format(module=module, number=int(number)) + COMMAND_LINE
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == code(number)
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert done.stderr.strip() == (word if done.returncode > 0 else "")
    written = [path.name for path in folder.glob("new/*")]
    assert written == (["r.md"] if done.returncode == 0 else [])
    for name in written:
        (folder / "new" / name).unlink()
