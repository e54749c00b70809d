"""Atomic writing of files, and reading TOML; errors name the file."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import signal
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, ReadError, WriteError

# Paths of open files of the process: standard output, standard error, numbered descriptors.
_OPEN = re.compile(r"/dev/(?:fd/)?(stdout|stderr|(?<=fd/)[0-9]+)")
_NUMBERS = {"stdout": "1", "stderr": "2"}
# Signals that end a process: Ctrl-C, `kill`, a closing terminal (not on every system).
ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def name_of(text: str) -> str:
    """Make a text usable in a file name: no folder, not hidden, and short enough."""
    plain = re.sub(r"[^\w.+-]+", "-", text.encode("utf-8", "ignore").decode()).strip("-.")
    return plain.encode()[:80].decode("utf-8", "ignore")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert system errors while a path is written to errors that name it."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has ended; the path is not at fault
    except OSError as problem:
        # Arrow words its errors itself, so use the message of the error number.
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        raise WriteError(f"{path}: cannot be written: {reason.lower()}") from problem


@contextlib.contextmanager
def locked(path: Path, busy: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file; if it is not free after ``patience`` seconds, raise ``busy``."""
    from filelock import FileLock, Timeout

    if path.is_symlink():
        raise WriteError(f"{path}: is a symbolic link, through which another file would be written")
    # The system releases the lock when the process ends in any way.
    lock = FileLock(path, timeout=patience)
    with writing(path), contextlib.suppress(NotImplementedError):  # file system without locks
        try:
            lock.acquire()
        except Timeout:
            raise WriteError(busy) from None
    try:
        yield
    finally:
        lock.release()


def require_place(path: Path) -> None:
    """Refuse a path that cannot be written, before any work is done."""
    with writing(path):
        above = next(existing for existing in (path, *path.absolute().parents) if existing.exists())
    if above == path:
        reason = "it is a folder" if path.is_dir() else ""
    else:
        reason = "" if above.is_dir() else f"{above.name} is no folder"
    if not reason and not os.access(above, os.W_OK):
        reason = "permission denied"
    if reason:
        raise WriteError(f"{path}: cannot be written: {reason}")


def require_free(outputs: Iterable[Path], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an output that would replace an input or another output, under any name."""
    # In `inputs`, a folder means all files below it, and a pattern with `*` all that match.
    input_paths = [os.fspath(input_path) for input_path in inputs]
    used: set[Path] = set()
    for path in outputs:
        if not is_replaceable(path):
            continue
        final = path.resolve()
        if final in used:
            raise ArgumentError(
                f"{path}: two outputs would be written there; give each a path of its own"
            )
        used.add(final)
        source = next(
            (
                input_path
                for input_path in input_paths
                if final.exists() and _holds(input_path, final)
            ),
            None,
        )
        if source is not None:
            name_of_input = "" if source == str(path) else f" ({source})"
            raise ArgumentError(
                f"{path}: is an input{name_of_input}, and would be replaced; write elsewhere"
            )


def _holds(source: str, file: Path) -> bool:
    """Whether an input is this file, or a folder or pattern that includes it."""
    try:
        if os.path.samefile(source, file):  # noqa: PTH121 - the source may be no path
            return True
        folder = Path(source)
        return folder.is_dir() and file.is_relative_to(folder.resolve())
    except (OSError, ValueError):  # no such file: a URI, a pattern, -
        return fnmatch.fnmatch(str(file), os.path.abspath(source))  # noqa: PTH100


def is_replaceable(path: Path) -> bool:
    """Whether a file may be replaced; pipes and devices can only be written to."""
    if _descriptor(path) is not None:
        return False  # the open file belongs to another owner
    with writing(path):
        return path.is_file() or not path.exists()


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of an open file, if the path denotes one."""
    match = _OPEN.fullmatch(path.as_posix())
    return None if match is None else int(_NUMBERS.get(match[1], match[1]))


def replace_all(content: Mapping[Path, bytes]) -> None:
    """Write files under temporary names in their folders, then rename all of them."""
    # Missing folders are created; existing files keep their mode. Pipes and devices are written
    # last. Ctrl-C, SIGTERM and SIGHUP are delayed until all files are renamed.
    temporary_paths: dict[Path, Path] = {}
    done: list[Path] = []
    try:
        for path, data in content.items():
            with writing(path):
                _write_temporary(path, data, temporary_paths)
        finals = {path: path.resolve() for path in temporary_paths}
        with _undisturbed():
            for path, temporary in temporary_paths.items():
                with writing(path):
                    temporary.replace(finals[path])
                done.append(path)
        for path in [path_left for path_left in content if path_left not in temporary_paths]:
            with writing(path):
                _write_open(path, content[path])
            done.append(path)
    except BaseException as problem:
        if len(content) > 1:
            written = ", ".join(map(str, done)) or "none of them"
            problem.add_note(f"of {len(content)} files were written: {written}")
        raise
    finally:
        for temporary in temporary_paths.values():
            temporary.unlink(missing_ok=True)


def _write_temporary(path: Path, data: bytes, temporary_paths: dict[Path, Path]) -> None:
    """Write a temporary file; it is recorded first, so that it is always removed."""
    if not is_replaceable(path):
        return
    final = path.resolve()
    final.parent.mkdir(parents=True, exist_ok=True)
    # Random names, so that processes do not collide.
    temporary_paths[path] = final.parent / f".{name_of(final.name)}.{os.urandom(8).hex()}"
    with temporary_paths[path].open("xb") as file:
        file.write(data)
    temporary_paths[path].chmod(_mode(final))


def _write_open(path: Path, data: bytes) -> None:
    """Write to a pipe, a device or an open file, after flushing what was printed to it."""
    number = _descriptor(path)
    sys.stdout.flush()
    # If the reader has ended, ignore the error.
    with (
        contextlib.suppress(BrokenPipeError),
        path.open("wb") if number is None else open(number, "wb", closefd=False) as file,
    ):
        file.write(data)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Delay signals that end the process; only effective in the main thread."""
    received: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            before[number] = signal.signal(number, lambda which, _: received.append(which))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if received:
            signal.raise_signal(received[0])


def _mode(path: Path) -> int:
    """Return the mode of the existing file, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def parse_toml(data: bytes, label: str, *, expected: str = "") -> dict[str, Any]:
    """Parse TOML."""
    import tomllib  # imported late, because rule files are rare

    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
        repr(values)  # fails for values that are too large or too deep for any message
    except (ValueError, RecursionError) as problem:
        text = shorten(str(problem), width=200)
        raise ReadError(label, f"not TOML: {text}", expected=expected) from None
    return values
