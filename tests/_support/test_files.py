"""Files are written whole or not at all: on a full disk, by many at once, and when interrupted."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from abrank import WriteError, read_run
from abrank._support.files import is_replaceable, replace_all, require_place, writing

ROOT = Path(__file__).parents[2]


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that begins with the import of what is tested."""
    return subprocess.run(
        [sys.executable, "-c", f"from abrank._support.files import replace_all\n{code}"],
        cwd=folder,
        capture_output=True,
        text=True,
        # Under a limit of file sizes Python would leave half of a module's bytecode behind.
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_full_disk_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"before")
    # The system refuses to write more than 10,000 bytes to a file, as it does on a full disk.
    done = python(
        "import resource, signal\n"
        "from pathlib import Path\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "replace_all({Path('a.md'): b'new', Path('b.json'): bytes(20_000)})",
        tmp_path,
    )
    assert "WriteError: b.json: cannot be written: file too large" in done.stderr
    assert "of 2 files were written: none of them" in done.stderr
    assert content(tmp_path) == {"a.md": b"before"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_between_two_names_waits_for_the_second(tmp_path: Path, number: int) -> None:
    done = python(
        "import signal\n"
        "from pathlib import Path\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "named = Path.replace\n"
        "def name_and_signal(*paths):\n"
        f"    signal.raise_signal({int(number)})\n"
        "    return named(*paths)\n"
        "Path.replace = name_and_signal\n"
        "replace_all({Path('a.md'): b'one', Path('b.md'): b'two'})\n"
        "print('not reached')",
        tmp_path,
    )
    assert done.returncode != 0
    assert (done.stdout, content(tmp_path)) == ("", {"a.md": b"one", "b.md": b"two"})


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_a_kill_between_two_names_leaves_both_files_whole(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"before")
    done = python(
        "import signal\n"
        "from pathlib import Path\n"
        "named = Path.replace\n"
        "Path.replace = lambda *paths: (named(*paths), signal.raise_signal(signal.SIGKILL))\n"
        "replace_all({Path('a.md'): b'one', Path('b.md'): b'two'})",
        tmp_path,
    )
    assert done.returncode == -signal.SIGKILL
    left = content(tmp_path)
    (waiting,) = left.keys() - {"a.md", "b.md"}
    assert (left["a.md"], left["b.md"], left[waiting]) == (b"one", b"before", b"two")
    assert waiting.startswith(".b.md.")


@pytest.mark.slow
def test_of_twenty_writers_at_once_one_is_read_whole(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "for _ in range(20):\n"
        "    replace_all({Path(name): sys.argv[1].encode() * 50_000 for name in 'ab'})"
    )
    command = [sys.executable, "-c", f"from abrank._support.files import replace_all\n{code}"]
    options = os.environ | {"PYTHONPATH": str(ROOT)}
    letters = [chr(ord("a") + i) for i in range(20)]
    running = [
        subprocess.Popen([*command, letter], cwd=tmp_path, env=options) for letter in letters
    ]
    assert [item.wait() for item in running] == [0] * 20
    result = content(tmp_path)
    assert set(result) == {"a", "b"}
    for data in result.values():
        assert (len(data), len(set(data))) == (50_000, 1)


@pytest.mark.slow
def test_a_run_that_cannot_be_written_leaves_the_one_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    read_run({"q": {"d": 1.0}}).write(path)
    before = path.read_bytes()
    done = python(
        "import resource, signal, abrank\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))\n"
        "abrank.read_run({'q': {f'd{i}': 1.0 * i for i in range(1_000)}}).write('a.run')",
        tmp_path,
    )
    assert "WriteError: a.run: cannot be written: file too large" in done.stderr
    assert content(tmp_path) == {"a.run": before}


def test_a_set_says_how_far_it_came(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="no space left") as caught:
        replace_all({tmp_path / "a.md": b"one", Path("/dev/full"): b"two"})
    assert caught.value.__notes__ == [f"of 2 files were written: {tmp_path / 'a.md'}"]


def test_a_signal_waits_in_this_process_too_and_a_thread_hears_none(tmp_path, monkeypatch) -> None:
    heard: list[list[str]] = []
    named = Path.replace

    def name_and_signal(path: Path, to: Path) -> Path:
        signal.raise_signal(signal.SIGTERM)
        return named(path, to)

    before = signal.signal(signal.SIGTERM, lambda *_: heard.append(sorted(content(tmp_path))))
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", name_and_signal)
            replace_all({tmp_path / "a.md": b"one", tmp_path / "b.md": b"two"})
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [["a.md", "b.md"]]
    writer = threading.Thread(target=replace_all, args=({tmp_path / "a.md": b"three"},))
    writer.start()
    writer.join()
    assert content(tmp_path) == {"a.md": b"three", "b.md": b"two"}


def test_a_pipe_without_a_reader_is_no_fault_of_the_path() -> None:
    with pytest.raises(BrokenPipeError), writing(Path("out.md")):
        raise BrokenPipeError(32, "Broken pipe")


def test_a_folder_that_may_not_be_written_to(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(WriteError, match=r"out\.md: cannot be written: permission denied"):
        require_place(tmp_path / "out.md")


def test_what_another_has_opened_is_written_to_and_not_replaced() -> None:
    assert not is_replaceable(Path("/dev/fd/1"))
