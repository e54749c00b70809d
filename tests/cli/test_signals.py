"""How the command ends: asked to, without memory or output, and by a fault of its own."""

import gc
import os
import signal
import sys
import tempfile
from types import SimpleNamespace

import pytest

from abrank import cli
from abrank._support.files import ENDING


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch):
    """What ``main`` sets for the whole process is as it was, afterwards.

    No signal is ignored at first; a shell that runs the tests behind itself ignores SIGINT.
    """
    if sys.platform == "win32":
        pytest.skip("Windows has no POSIX signals: neither SIGALRM nor setitimer nor pause")
    numbers = [*ENDING, signal.SIGALRM]
    handlers = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    thresholds = gc.get_threshold()
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
    gc.set_threshold(*thresholds)


def raises(error: BaseException):
    def enter(*_: object, **__: object) -> None:
        raise error

    return SimpleNamespace(make_context=enter)


def test_a_system_without_timers_is_interrupted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "setitimer", raising=False)
    importing = SimpleNamespace(
        f_code=SimpleNamespace(co_filename="<frozen importlib._bootstrap>"), f_back=None
    )
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        cli._stop(signal.SIGINT, importing)


@pytest.mark.usefixtures("process")
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_ends_the_command_with_a_word(number, code, said, monkeypatch, capsys) -> None:
    def enter(*_: object, **__: object) -> None:
        os.kill(os.getpid(), number)
        signal.pause()

    monkeypatch.setattr(cli, "cli", SimpleNamespace(make_context=enter))
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare"])
    assert ended.value.code == code
    assert capsys.readouterr().err.strip() == said


@pytest.mark.usefixtures("process")
def test_a_signal_inside_an_import_waits_until_that_is_done() -> None:
    outer = SimpleNamespace(f_code=SimpleNamespace(co_filename="<frozen importlib._bootstrap>"))
    inner = SimpleNamespace(f_code=SimpleNamespace(co_filename="numpy/__init__.py"), f_back=outer)
    cli._stop(signal.SIGTERM, inner)  # type: ignore[arg-type]
    with pytest.raises(BaseException, match="terminated"):
        signal.pause()


@pytest.mark.usefixtures("process")
def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    monkeypatch.setattr(cli, "run", lambda _: 0)
    with pytest.raises(SystemExit) as ended:
        cli.main([])
    assert ended.value.code == 0
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


@pytest.mark.usefixtures("process")
def test_without_streams_there_is_a_code(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    for stderr, text in ((sys.stderr, "error: standard output is closed"), (None, "")):
        monkeypatch.setattr(sys, "stderr", stderr)
        with pytest.raises(SystemExit) as ended:
            cli.main(["demo"])
        assert ended.value.code == 2
        assert capsys.readouterr().err.startswith(text)


def test_a_connection_that_breaks_is_not_taken_for_the_output(monkeypatch, capsys) -> None:
    for error in (ConnectionResetError(104, "Reset by peer"), BrokenPipeError(32, "Broken pipe")):
        monkeypatch.setattr(cli, "cli", raises(error))
        assert cli.run([]) == 3
        assert capsys.readouterr().err.startswith("error: the system refused an operation: ")


@pytest.mark.parametrize(
    ("asked", "code", "said"), [("bash_source", 0, "_abrank_completion"), ("no_source", 1, "")]
)
def test_a_shell_that_asks_for_completion_is_answered(asked, code, said, monkeypatch, capsys):
    monkeypatch.setenv(cli.COMPLETION, asked)
    assert cli.run([]) == code
    assert said in capsys.readouterr().out


def test_a_fault_of_its_own_leaves_its_traceback_in_a_file(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(cli, "cli", raises(ZeroDivisionError("by nothing")))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cli.run([]) == 70
    (saved,) = tmp_path.iterdir()
    err = capsys.readouterr().err
    assert err.startswith("error: internal error of abrank (ZeroDivisionError: by nothing);")
    assert str(saved) in err.replace("\n  ", "")
    assert "Traceback (most recent call last)" in saved.read_text()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert cli.run([]) == 70
    assert "which cannot be saved" in " ".join(capsys.readouterr().err.split())
