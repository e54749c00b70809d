import io
import os
import sys

import pytest

from abrank._support.errors import WriteError
from abrank.cli._terminal import Progress, put, wants_ascii, width


def test_progress_is_silent_when_asked(capsys) -> None:
    with Progress(quiet=True, verbose=True) as progress:
        progress("reading")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("encoding", "flag", "expected"), [
    ("utf-8", False, False),
    ("UTF8", False, False),
    ("latin-1", False, True),
    ("utf-8", True, True),
])  # fmt: skip
def test_ascii_where_the_stream_cannot_do_more(encoding, flag, expected) -> None:
    assert wants_ascii(flag, io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is expected


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize(("columns", "expected"), [("20", 40), ("66", 66), ("200", 120)])
def test_a_terminal_is_used_from_40_to_120_columns(monkeypatch, columns, expected) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert width() == 80  # into a pipe
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert width() == expected


def test_what_a_terminal_would_obey_is_made_visible_and_a_file_gets_it_as_it_is(monkeypatch):
    for stream, expected in ((Terminal(), "red\\x1b[31m\n"), (io.StringIO(), "red\x1b[31m\n")):
        monkeypatch.setattr(sys, "stdout", stream)
        put("red\x1b[31m")
        assert stream.getvalue() == expected


def test_messages_that_cannot_be_written_are_lost_and_results_are_an_error(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", Full())
    put("nobody reads this", err=True)
    with sys.stderr as nowhere:
        assert nowhere.name == os.devnull
        put("nor this", err=True)
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(WriteError, match="no space left"):
        put("a result")


def test_a_spinner_names_the_stage_and_is_taken_away(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Progress(quiet=False, verbose=False) as progress:
        progress("reading")
        progress("testing")
    text = terminal.getvalue()
    assert "testing" in text
    assert text.rstrip("\r\n").endswith("\x1b[2K")
