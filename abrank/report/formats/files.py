"""The one door through which files are written: whole or not at all, and told where that fails."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from abrank._support.errors import WriteError

# Where a report goes that was asked for by its format alone.
REPORTS = Path("reports")


def name_of(text: str) -> str:
    """Return a name as a part of a file's: no folder, not hidden, short enough for any system.

    Examples
    --------
    >>> name_of("../mono/t5 k=3")
    'mono-t5-k-3'
    """
    plain = re.sub(r"[^\w.+-]+", "-", text.encode("utf-8", "ignore").decode()).strip("-.")
    return plain.encode()[:80].decode("utf-8", "ignore")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says while a path is written into an error that names it.

    Examples
    --------
    >>> with writing(Path("reports/out.md")):
    ...     raise PermissionError(13, "Permission denied")
    Traceback (most recent call last):
    abrank._support.errors.WriteError: reports/out.md: cannot be written: permission denied
    """
    try:
        yield
    except BrokenPipeError:
        raise  # its reader has gone, and the path is good
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise WriteError(f"{path}: cannot be written: {reason}") from problem


def require_place(path: Path) -> None:
    """Refuse a path that cannot be written, before any work is done for it.

    Raises
    ------
    WriteError
        If it is a folder, or stands where no file can be made.

    Examples
    --------
    >>> require_place(Path("/"))
    Traceback (most recent call last):
    abrank._support.errors.WriteError: /: cannot be written: it is a folder
    """
    with writing(path):
        above = next(each for each in (path, *path.absolute().parents) if each.exists())
    if above == path:
        reason = "it is a folder" if path.is_dir() else ""
    else:
        reason = "" if above.is_dir() else f"{above.name} is no folder"
    if not reason and not os.access(above, os.W_OK):
        reason = "permission denied"
    if reason:
        raise WriteError(f"{path}: cannot be written: {reason}")


def replace(path: Path, data: bytes) -> None:
    """Write a file under another name in the same folder, then give it its name in one step.

    Missing folders are made; a file that is there keeps its mode.

    Raises
    ------
    WriteError
        If the file cannot be written; one that was there stays.
    """
    with writing(path):
        _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():
        # A pipe or /dev/stdout cannot be replaced, only written to.
        path.write_bytes(data)
        return
    final = path.resolve()
    final.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(_mode(final))
        Path(name).replace(final)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def _mode(path: Path) -> int:
    """Return the mode of the file that is there, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
