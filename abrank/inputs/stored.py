"""A file's bytes as they are stored, hashed while they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Protocol

from abrank._support.errors import ReadError

if TYPE_CHECKING:
    from hashlib import _Hash

_STEP = 1 << 20


class Readable(Protocol):
    """What can be read forward."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ...


class Stored:
    """A binary file that is read forward and hashed, if that is asked for.

    label : str
    n_bytes : int
        Read so far.
    """

    closed = False

    def __init__(
        self, file: BinaryIO, label: str, *, hashes: bool = True, endless: bool = False
    ) -> None:
        self.endless = endless
        self.n_bytes = 0
        self._file, self.label = file, label
        self._hash = _sha256() if hashes else None
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end, and leave them to be read."""
        while len(self._ahead) < size and (data := self._next(size - len(self._ahead))):
            self._ahead += data
        return self._ahead[:size]

    def read(self, size: int = _STEP) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._next(size - len(ahead)) if len(ahead) < size else ahead

    def close(self) -> None:
        """Do nothing: who opened the file closes it (Arrow closes what it reads)."""

    def sha256(self) -> str | None:
        """Return the hash of the whole file, or None if it was not asked for."""
        if self._hash is None:
            return None
        while self.read():
            pass
        return self._hash.hexdigest()

    def _next(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise refusal(self.label, error) from error
        self.n_bytes += len(data)
        if self._hash is not None:
            self._hash.update(data)
        return data


def refusal(label: str, error: Exception) -> ReadError:
    """Return what the system said as an error that names the file."""
    if isinstance(error, IsADirectoryError):
        return ReadError(label, "is a folder, not a file")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ReadError(label, f"cannot be read: {reason[:1].lower()}{reason[1:]}")


def _sha256() -> _Hash:
    from hashlib import sha256  # a library of its own, which takes as long to load as ten of ours

    return sha256()
