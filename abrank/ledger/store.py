"""Where a ledger keeps its entries, and what a new comparison needs of them."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from abrank._support.errors import NotFoundError, ReadError, WriteError
from abrank._support.files import locked, writing
from abrank._support.typing import FloatArray
from abrank.ledger.entry import LedgerEntry, hash_of

# Gains to expect again are estimated from the newest ones: more tell nothing new of their spread,
# and what was gained years ago is of another system.
NEWEST = 1000


class EarlierComparisons:
    """What a ledger knows that a new comparison needs."""

    def __init__(self, entries: Sequence[LedgerEntry]) -> None:
        self.entries = entries

    def level(self, entry: LedgerEntry) -> float | None:
        """Return the level that the same scores had before; None where they are new."""
        return next((item.alpha for item in self.entries if item.spends == entry.spends), None)

    def on_queries(self, entry: LedgerEntry) -> tuple[int, int, float]:
        """Return how many others used its queries, found B better, and would have by chance."""
        others = [x for x in self.entries if x.queries == entry.queries and x.key != entry.key]
        return len(others), sum(x.is_better for x in others), sum(x.alpha / 2 for x in others)

    def candidates(self, entry: LedgerEntry) -> dict[str, float]:
        """Return the largest gain of each candidate of its day, on its queries and baseline."""
        wanted = entry.queries, entry.a, entry.day
        gains: dict[str, float] = {}
        for item in self.entries:
            if (item.queries, item.a, item.day) == wanted:
                gains[item.b] = max(gains.get(item.b, item.gain), item.gain)
        return gains

    def looks(self, entry: LedgerEntry) -> list[str]:
        """Return which looks of its plan were taken at other scores of B."""
        looks = (item for item in self.entries if item.look and item.b != entry.b)
        distinct = dict.fromkeys((x.look, x.b) for x in looks if x.plan == entry.plan)
        return [look for look, _ in distinct]

    def gains(self, entry: LedgerEntry) -> FloatArray:
        """Return gain, standard error and number of queries of its measure: float64[n, 3].

        The newest are last.
        """
        wanted = entry.measure, entry.higher_is_better
        rows = [
            (item.gain, item.standard_error, item.n_queries)
            for item in self.entries
            if (item.measure, item.higher_is_better) == wanted and item.key != entry.key
        ]
        return np.array(rows[-NEWEST:], dtype=np.float64).reshape(-1, 3)


TABLES = (
    "CREATE TABLE IF NOT EXISTS entries"
    " (place INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, entry TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS queries (hash TEXT PRIMARY KEY, ids BLOB NOT NULL)",
)
LOCK_TIMEOUT = 60.0  # seconds that one comparison waits for the lock of another
SQLITE = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x61627261  # names the file as ours in SQLite's header


# SQLite names what failed, and not why.
_CAUSES = {
    sqlite3.SQLITE_IOERR: " (is the disk full, or the file on a network drive that went away?)",
    sqlite3.SQLITE_READONLY: " (the file or its folder may not be written)",
    sqlite3.SQLITE_BUSY: " (another program writes to it: try again when it is done)",
    sqlite3.SQLITE_CANTOPEN: " (is its folder there, and may it be read?)",
}


class Ledger(Protocol):
    """Entries in the order in which they were made, and the sets of queries they speak of."""

    path: Path

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return all entries, oldest first."""

    def query_sets(self) -> dict[str, frozenset[str]]:
        """Return the query ids of every set by its hash."""

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        """Keep an entry, whole or not at all; False where the same is there already."""

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Keep every other writer out until the end of the block."""


def open_ledger(path: str | os.PathLike[str], *, create: bool = False) -> Ledger:
    """Open a ledger: a folder, or a file whose name ends with .sqlite, .sqlite3 or .db.

    Parameters
    ----------
    path : str or path
    create : bool
        Make it where there is none.

    Raises
    ------
    NotFoundError
        If there is none.
    ReadError
        If it is something else.
    WriteError
        If it cannot be made.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     open_ledger(f"{folder}/gates.sqlite", create=True).entries()
    ()
    """
    ledger_path = Path(path)
    if not ledger_path.exists() and not create:
        raise NotFoundError(f"{ledger_path}: there is no ledger")
    is_file = ledger_path.is_file() or (not ledger_path.exists() and ledger_path.suffix in SQLITE)
    return _File(ledger_path, create) if is_file else _Folder(ledger_path, create)


class _File:
    """A ledger in one SQLite file."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._locked: sqlite3.Connection | None = None
        with self._connection() as connection:
            # In this order: another program may make the ledger between the two looks.
            (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            if application == _APPLICATION:
                return
            if n_tables or not create:
                raise ReadError(str(path), "is no ledger")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("COMMIT")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Open the file; while it is locked, return the connection that holds the lock."""
        if self._locked is not None:
            yield self._locked
            return
        try:
            connection = sqlite3.connect(self.path, timeout=LOCK_TIMEOUT, isolation_level=None)
            with contextlib.closing(connection):
                yield connection
        except sqlite3.OperationalError as error:
            cause = _CAUSES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
            raise WriteError(f"{self.path}: cannot be used: {error}{cause}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ReadError(str(self.path), f"is no ledger, or is damaged: {error}") from error

    def entries(self) -> tuple[LedgerEntry, ...]:
        with self._connection() as connection:
            rows = connection.execute("SELECT entry FROM entries ORDER BY place").fetchall()
        return tuple(LedgerEntry.from_json(text, str(self.path)) for (text,) in rows)

    def query_sets(self) -> dict[str, frozenset[str]]:
        with self._connection() as connection:
            rows = connection.execute("SELECT hash, ids FROM queries").fetchall()
        return {name: _unpacked(name, ids, str(self.path), zlib.decompress) for name, ids in rows}

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        ids = zlib.compress(json.dumps(sorted(query_ids)).encode())
        with (
            contextlib.nullcontext() if self._locked else self.lock(),
            self._connection() as connection,
        ):
            connection.execute("INSERT OR IGNORE INTO queries VALUES (?, ?)", (entry.queries, ids))
            row = entry.key, entry.to_json()
            insert = "INSERT OR IGNORE INTO entries (key, entry) VALUES (?, ?)"
            return connection.execute(insert, row).rowcount == 1

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._locked = connection
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            finally:
                self._locked = None


class _Folder:
    """A ledger in a folder: one JSON file an entry, and one a set of queries."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._is_locked = False
        if create:
            with writing(path):
                (path / "queries").mkdir(parents=True, exist_ok=True)
                if not (path / ".gitignore").exists():  # only entries are worth a commit
                    (path / ".gitignore").write_text(".*\n", encoding="utf-8")
        elif not (path / "queries").is_dir():
            raise ReadError(str(path), "is no ledger")
        for folder in (path, path / "queries"):
            with os.scandir(folder) as files:
                links = [file.path for file in files if file.is_symlink() and _is_ours(file.name)]
            if links:
                raise ReadError(links[0], "is a symbolic link: a ledger holds none")

    def _names(self) -> list[str]:
        # By their numbers and not by the clock, which may be set back. Of two branches that were
        # merged each number stands there twice.
        with os.scandir(self.path) as files:
            return sorted(file.name for file in files if file.name.endswith(".json"))

    def entries(self) -> tuple[LedgerEntry, ...]:
        entries: dict[str, LedgerEntry] = {}
        for file in (self.path / name for name in self._names()):
            entry = LedgerEntry.from_json(_text(file), str(file))
            entries.setdefault(entry.key, entry)
        return tuple(entries.values())

    def query_sets(self) -> dict[str, frozenset[str]]:
        files = sorted((self.path / "queries").glob("*.json"))
        return {file.stem: _unpacked(file.stem, _text(file).encode(), str(file)) for file in files}

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        with contextlib.nullcontext() if self._is_locked else self.lock():
            names = [name.removesuffix(".json") for name in self._names()]
            if any(name.endswith(f"-{entry.key[:16]}") for name in names):
                return False
            self._write(self.path / "queries" / f"{entry.queries}.json", sorted(query_ids))
            numbers = (name.partition("-")[0] for name in names)
            number = max((int(digits) for digits in numbers if digits.isdecimal()), default=0) + 1
            name = f"{number:08d}-{entry.key[:16]}.json"
            self._write(self.path / name, json.loads(entry.to_json()))
            return True

    def _write(self, path: Path, content: object) -> None:
        """Write a file of one value a line: whole, or not at all."""
        if path.exists():
            return
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.unlink(missing_ok=True)  # of a process that was killed and had our number
        with writing(path):
            try:
                with temporary.open("x", encoding="utf-8") as file:
                    file.write(json.dumps(content, indent=0, sort_keys=True) + "\n")
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        busy = (
            f"{self.path}: locked by another comparison for {LOCK_TIMEOUT:.0f} seconds; try again"
            " when it has ended"
        )
        with locked(self.path / ".turn", busy, patience=LOCK_TIMEOUT):
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False


def _is_ours(name: str) -> bool:
    return name in ("queries", ".gitignore") or name.endswith(".json")


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(str(file), f"cannot be read: {error}") from error


def _unpacked(
    name: str, raw: bytes, source: str, unpack: Callable[[bytes], bytes] = bytes
) -> frozenset[str]:
    """Return a set of query ids, if it is the one that its hash names."""
    try:
        ids = json.loads(unpack(raw))
        is_same = hash_of(ids) == name
    except (ValueError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise ReadError(source, "holds a set of queries that cannot be read") from error
    if not is_same:
        raise ReadError(source, f"the set of queries {name} was changed since it was written")
    return frozenset(ids)
