"""Writing files whole or not at all, and reading TOML, with errors that name the file."""

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

# Names of what the process has open, and the numbers of those with names of their own.
_OPEN = re.compile(r"/dev/(?:fd/)?(stdout|stderr|(?<=fd/)[0-9]+)")
_NUMBERS = {"stdout": "1", "stderr": "2"}
# What asks a process to end: Ctrl-C, `kill`, a terminal that closes (not known to every system).
ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


def name_of(text: str) -> str:
    """Return a name as a part of a file's: no folder, not hidden, short enough for any system."""
    plain = re.sub(r"[^\w.+-]+", "-", text.encode("utf-8", "ignore").decode()).strip("-.")
    return plain.encode()[:80].decode("utf-8", "ignore")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says while a path is written into an error that names it."""
    try:
        yield
    except BrokenPipeError:
        raise  # its reader has gone, and the path is good
    except OSError as problem:
        # Arrow says more in its own words, of which the number is the matter.
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        raise WriteError(f"{path}: cannot be written: {reason.lower()}") from problem


@contextlib.contextmanager
def locked(path: Path, busy: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file; after ``patience`` seconds without it, fail with ``busy``."""
    from filelock import FileLock, Timeout

    if path.is_symlink():
        raise WriteError(f"{path}: is a symbolic link, through which another file would be written")
    # The system lets go of it when the process ends, however it does: nothing stays locked.
    lock = FileLock(path, timeout=patience)
    with writing(path), contextlib.suppress(NotImplementedError):  # a file system without locks
        try:
            lock.acquire()
        except Timeout:
            raise WriteError(busy) from None
    try:
        yield
    finally:
        lock.release()


def require_place(path: Path) -> None:
    """Refuse a path that cannot be written, before any work is done for it."""
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
    """Refuse an output that would replace an input or another output, by whatever name."""
    # Of `inputs`, a folder stands for all below it, a pattern with `*` for all that it matches.
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
    """Whether an input is a file, or is a folder or a pattern that the file belongs to."""
    try:
        if os.path.samefile(source, file):  # noqa: PTH121 - of names that may be of anything
            return True
        folder = Path(source)
        return folder.is_dir() and file.is_relative_to(folder.resolve())
    except (OSError, ValueError):  # no such file: a URI, a pattern, -
        return fnmatch.fnmatch(str(file), os.path.abspath(source))  # noqa: PTH100


def is_replaceable(path: Path) -> bool:
    """Whether a file can be put in the place of what is there; a pipe can only be written to."""
    if _descriptor(path) is not None:
        return False  # the file behind it belongs to whoever opened it
    with writing(path):
        return path.is_file() or not path.exists()


def _descriptor(path: Path) -> int | None:
    """Return the number of an open file, if a path is its name."""
    match = _OPEN.fullmatch(path.as_posix())
    return None if match is None else int(_NUMBERS.get(match[1], match[1]))


def replace_all(content: Mapping[Path, bytes]) -> None:
    """Write files under other names in their folders, then give all of them their own."""
    # Missing folders are made; a file that is there keeps its mode. A pipe or a device is written
    # to when all else is done. Ctrl-C, SIGTERM and SIGHUP wait until all files have their names.
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
    """Write a file under another name, noted before it is made so that it is always removed."""
    if not is_replaceable(path):
        return
    final = path.resolve()
    final.parent.mkdir(parents=True, exist_ok=True)
    # The names are random, so that no other process has the same.
    temporary_paths[path] = final.parent / f".{name_of(final.name)}.{os.urandom(8).hex()}"
    with temporary_paths[path].open("xb") as file:
        file.write(data)
    temporary_paths[path].chmod(_mode(final))


def _write_open(path: Path, data: bytes) -> None:
    """Write to a pipe or a device, or to what is open already, behind what was printed to it."""
    number = _descriptor(path)
    sys.stdout.flush()
    # A reader that has gone wants no more, and takes nothing from the result.
    with (
        contextlib.suppress(BrokenPipeError),
        path.open("wb") if number is None else open(number, "wb", closefd=False) as file,
    ):
        file.write(data)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let signals that end the process wait; only its main thread hears of them."""
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
    """Return the mode of the file that is there, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def parse_toml(data: bytes, label: str, *, expected: str = "") -> dict[str, Any]:
    """Return what TOML holds."""
    import tomllib  # a rule in a file is the rarer way

    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
        repr(values)  # of what is too large or too deep Python makes no text, nor could a message
    except (ValueError, RecursionError) as problem:
        text = shorten(str(problem), width=200)
        raise ReadError(label, f"no TOML: {text}", expected=expected) from None
    return values
