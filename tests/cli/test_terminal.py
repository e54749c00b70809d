from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest

import abrank
from abrank.cli._terminal import Progress, wants_ascii


def test_progress_shows_on_a_terminal_and_is_gone_after(tmp_path) -> None:
    # A real pseudo-terminal for standard error, since only there a stage is shown.
    made = abrank.simulate_runs(20, rng=1)
    files = [made.qrels.write(tmp_path / "q"), made.baseline.write(tmp_path / "a")]
    files.append(made.candidate.write(tmp_path / "b"))
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "abrank", "compare", *map(str, files), "-m", "AP"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "testing" in shown
    # The cursor is back, the line is erased last, and the result holds no control code.
    assert "\x1b[?25h" in shown
    assert shown.rstrip("\r\n").endswith("\x1b[2K")
    assert b"\x1b" not in done.stdout


def test_progress_is_silent_when_asked(capsys) -> None:
    with Progress(quiet=True, verbose=True) as progress:
        progress("reading")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("encoding", "flag", "expected"),
    [
        ("utf-8", False, False),
        ("UTF8", False, False),
        ("latin-1", False, True),
        ("utf-8", True, True),
    ],
)
def test_ascii_where_the_stream_cannot_do_more(encoding, flag, expected) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    assert wants_ascii(flag, stream) is expected
