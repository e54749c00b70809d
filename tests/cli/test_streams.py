"""Closed, full and unreachable: what the system refuses is a sentence and never a fault of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from abrank.cli import run

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgments and two runs."""
    mktemp = tmp_path_factory.mktemp("files")
    (mktemp / "qrels").write_text("".join(f"q{i} 0 d{i % 3} 1\n" for i in range(9)))
    for name, first in (("a.run", 1), ("b.run", 0)):
        lines = (f"q{i} Q0 d{j} {j} {(j + first) % 3} t\n" for i in range(9) for j in range(3))
        (mktemp / name).write_text("".join(lines))
    return mktemp


def shell(command: str, folder: Path) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a command to a shell."""
    options = {"PYTHONPATH": str(ROOT)}
    values = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    line = f"{sys.executable} -m abrank {command}"
    done = subprocess.run(
        ["sh", "-c", line], cwd=folder, capture_output=True, text=True, env=values | options,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code", "sentence"), [
    ("score qrels a.run >/dev/full", 2, "standard output cannot be written: no space left"),
    ("--help >/dev/full", 2, "standard output cannot be written: no space left"),
    ("score qrels a.run >&-", 2, "standard output is closed"),
    ("score qrels - <&-", 3, "stdin: is closed"),
    ("score qrels nothing 2>&-", 2, ""),
    ("score qrels nothing 2>/dev/full", 2, ""),
    ("score qrels /dev/zero", 3, "is no text file: it holds bytes that no text has"),
    ("score qrels . -m AP", 3, "is a folder, not a file"),
    (f"score qrels {'x' * 300}", 3, "cannot be read: file name too long"),
    (f"score {'x' * 300} a.run", 3, "cannot be read: file name too long"),
    (f"check {'x' * 300}", 3, "cannot be read: file name too long"),
])  # fmt: skip
def test_what_the_system_refuses_is_a_sentence(command, code, sentence, folder) -> None:
    result, _, text = shell(command, folder)
    assert result == code
    assert sentence in text
    assert len(text.splitlines()) <= 3
    assert not {"Traceback", "Exception ignored", "fault"} & set(text.replace(":", "").split())


@pytest.mark.slow
def test_a_result_needs_no_place_for_messages(folder: Path) -> None:
    for closed in ("2>&-", "2>/dev/full"):
        code, out, _ = shell(f"score qrels a.run -m AP {closed}", folder)
        assert (code, out[:6]) == (0, "all\tAP")


def test_a_folder_that_may_not_be_entered(folder, monkeypatch, capsys) -> None:
    # Root may enter every folder, so the system's answer is put in its place.
    def refusing(original):
        def call(self, *arguments, **options):
            if self.parts[:1] == ("locked",):
                raise PermissionError(13, "Permission denied", str(self))
            return original(self, *arguments, **options)

        return call

    for method in ("open", "stat", "is_file", "is_dir", "exists", "samefile"):
        monkeypatch.setattr(Path, method, refusing(getattr(Path, method)))
    for command in ("score", "compare", "check", "rank"):
        assert run([command, "locked/qrels", "locked/a.run", "locked/b.run"]) == 3
        assert "locked/qrels: cannot be read: permission denied" in capsys.readouterr().err


def test_lack_of_memory_is_a_sentence(folder, monkeypatch, capsys) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("abrank.inputs.reading.join_pieces", refuse)
    assert run(["score", str(folder / "qrels"), str(folder / "a.run")]) == 3
    err = capsys.readouterr().err
    assert err.startswith("error: not enough memory for these inputs\n  give fewer runs")


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["9" * 200_000, "x" * 200_000, "1" * 200_000 + ",5", "\x1b" * 9000])
def test_messages_are_short(bad, folder, tmp_path, capsys) -> None:
    qrels = str(folder / "qrels")
    for line in (f"q1 Q0 d1 1 {bad} t\n", f"q1 Q0 {bad} 1 high t\n", f"{bad} {bad}\n"):
        (tmp_path / "bad.run").write_text(line * 50)
        assert run(["score", qrels, str(tmp_path / "bad.run")]) == 3
        assert 50 < len(capsys.readouterr().err) < 9_000
    long = f"q1 Q0 {bad[:60_000]} 1 1 t\n"
    (tmp_path / "twice.run").write_text(long * 2)
    assert run(["score", qrels, str(tmp_path / "twice.run")]) == 3
    assert 50 < len(capsys.readouterr().err) < 9_000


@pytest.mark.parametrize(("size", "code"), [("1k", 3), ("1M", 0), ("0", 2), ("much", 2)])
def test_the_limit_on_size_is_a_flag(size, code, folder, capsys) -> None:
    large = folder / "large.run"
    large.write_text("".join(f"q1 Q0 d{i} {i} {-i} t\n" for i in range(1000)))
    assert run(["score", str(folder / "qrels"), str(large), "--max-input-size", size]) == code
    err = capsys.readouterr().err
    if code == 3:
        assert "holds more than 1K bytes" in err
        assert "--max-input-size 4K" in err
