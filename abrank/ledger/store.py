"""Storage of ledger entries, and queries for what a new comparison needs."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from abrank._support.errors import NotFoundError, ReadError, WriteError
from abrank._support.files import locked, writing
from abrank._support.typing import FloatArray
from abrank.ledger.entry import LedgerEntry, changed, hash_of

# User-defined names are hashed, because SQLite refuses texts that are not Unicode.
COLUMNS = {
    "key": "TEXT UNIQUE NOT NULL",
    "entry": "TEXT NOT NULL",
    "budget": "TEXT NOT NULL",
    "spends": "TEXT NOT NULL",
    "queries": "TEXT NOT NULL",
    "a": "TEXT NOT NULL",
    "b": "TEXT NOT NULL",
    "day": "TEXT NOT NULL",
    "measure": "TEXT NOT NULL",
    "look": "TEXT NOT NULL",
    "plan": "TEXT NOT NULL",
    "is_better": "INTEGER NOT NULL",
    "n_queries": "INTEGER NOT NULL",
    "alpha": "REAL",
    "gain": "REAL",
    "standard_error": "REAL",
    "pvalue_better": "REAL",
}
TABLE = (
    "CREATE TABLE IF NOT EXISTS entries (place INTEGER PRIMARY KEY, "
    + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    + ")"
)
INDEXES = (
    "CREATE INDEX IF NOT EXISTS by_budget ON entries (budget, spends, place, pvalue_better)",
    "CREATE INDEX IF NOT EXISTS by_spends ON entries (spends, place, alpha)",
    "CREATE INDEX IF NOT EXISTS by_queries ON entries (queries, key, is_better, alpha)",
    "CREATE INDEX IF NOT EXISTS by_baseline ON entries (queries, a, day, b, gain)",
    "CREATE INDEX IF NOT EXISTS by_measure ON entries (measure, place)",
    "CREATE INDEX IF NOT EXISTS by_plan ON entries (plan, place) WHERE look != ''",
)
INSERT = (
    f"INSERT OR IGNORE INTO entries ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
)
# Expected gains are estimated from the newest entries. More would hardly improve the estimate, and
# old gains belong to a different system.
NEWEST = 1000


def row_of(entry: LedgerEntry, text: str) -> tuple[str | int | float | None, ...]:
    """Return an entry and its text as a database row; SQLite stores NaN as NULL."""
    numbers = (entry.alpha, entry.gain, entry.standard_error, entry.pvalue_better)
    return (
        entry.key, text, entry.budget, hash_of(entry.spends), entry.queries, entry.a,
        entry.b, entry.day, _series(entry), entry.look,
        hash_of(map(repr, entry.plan)) if entry.look else "", int(entry.is_better),
        entry.n_queries, *(None if math.isnan(number) else number for number in numbers),
    )  # fmt: skip


def _series(entry: LedgerEntry) -> str:
    return hash_of((entry.measure, str(entry.higher_is_better)))


class EarlierComparisons:
    """What a new comparison needs from a ledger, read by the indexes of its table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._base = connection

    def __len__(self) -> int:
        (number,) = self._base.execute("SELECT count(*) FROM entries").fetchone()
        return int(number)

    def pvalues(self, budget: str) -> list[float]:
        """Return the one-sided p-values of the comparisons that spent from a budget, in order.

        Equal scores spend once, when they are first compared.
        """
        rows = self._base.execute(
            "SELECT pvalue_better, min(place) FROM entries WHERE budget = ? GROUP BY spends"
            " ORDER BY min(place)",
            (budget,),
        )
        return [pvalue for pvalue, _ in rows]

    def level(self, entry: LedgerEntry) -> float | None:
        """Return the level at which the same scores were compared before; None if they are new."""
        row = self._base.execute(
            "SELECT alpha FROM entries WHERE spends = ? ORDER BY place LIMIT 1",
            (hash_of(entry.spends),),
        ).fetchone()
        return None if row is None else float(row[0])

    def on_queries(self, entry: LedgerEntry) -> tuple[int, int, float]:
        """Return comparisons on its queries, those with B better, and how many by chance."""
        return self._base.execute(  # type: ignore[no-any-return]
            "SELECT count(*), coalesce(sum(is_better), 0), coalesce(sum(alpha), 0.0) / 2"
            " FROM entries WHERE queries = ? AND key != ?",
            (entry.queries, entry.key),
        ).fetchone()

    def candidates(self, entry: LedgerEntry) -> dict[str, float | None]:
        """Return the largest gain by candidate, on the same day, queries and baseline."""
        rows = self._base.execute(
            "SELECT b, max(gain) FROM entries WHERE queries = ? AND a = ? AND day = ? GROUP BY b",
            (entry.queries, entry.a, entry.day),
        )
        return dict(rows)

    def looks(self, entry: LedgerEntry) -> list[str]:
        """Return the looks of its plan that were made with other scores of B."""
        rows = self._base.execute(
            "SELECT look FROM entries WHERE plan = ? AND look != '' AND b != ?"
            " GROUP BY look, b ORDER BY min(place)",
            (hash_of(map(repr, entry.plan)), entry.b),
        )
        return [look for (look,) in rows]

    def gains(self, entry: LedgerEntry) -> FloatArray:
        """Return gain, standard error and number of queries for its measure: float64[n, 3].

        The newest are last.
        """
        rows = self._base.execute(
            "SELECT gain, standard_error, n_queries FROM entries WHERE measure = ? AND key != ?"
            " ORDER BY place DESC LIMIT ?",
            (_series(entry), entry.key, NEWEST),
        ).fetchall()
        return np.array(rows[::-1], dtype=np.float64).reshape(-1, 3)


LOCK_TIMEOUT = 60.0  # seconds to wait for another comparison's lock
SQLITE = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x61627261  # application id in SQLite's header
# The index of a folder is only a cache; it is rebuilt if the columns of the table change.
_INDEX = f".index-{zlib.crc32(TABLE.encode()):08x}.sqlite"


# SQLite reports the error, but not its cause.
_CAUSES = {
    sqlite3.SQLITE_IOERR: " (is the disk full, or the file on a network drive that went away?)",
    sqlite3.SQLITE_READONLY: " (the file or its folder may not be written)",
    sqlite3.SQLITE_BUSY: " (another program writes to it: try again when it is done)",
    sqlite3.SQLITE_CANTOPEN: " (is its folder there, and may it be read?)",
}


class Ledger(Protocol):
    """Entries in the order in which they were made, and their sets of queries."""

    path: Path

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return all entries, oldest first."""

    def earlier(self) -> contextlib.AbstractContextManager[EarlierComparisons]:
        """Open what a new comparison needs, without reading all entries."""

    def query_sets(self) -> dict[str, frozenset[str]]:
        """Return the query ids of every set by its hash."""

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        """Add an entry atomically; return False if the same entry exists."""

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Keep other writers out until the end of the block."""


def open_ledger(path: str | os.PathLike[str], *, create: bool = False) -> Ledger:
    """Open a ledger: a folder, or a file whose name ends with .sqlite, .sqlite3 or .db.

    Parameters
    ----------
    path : str or path
    create : bool
        Whether to create a ledger that does not exist.

    Raises
    ------
    NotFoundError
        If no ledger has this name.
    ReadError
        If the path is something else.
    WriteError
        If the ledger cannot be created.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     open_ledger(f"{folder}/gates.sqlite", create=True).entries()
    ()
    """
    ledger_path = Path(path)
    if not ledger_path.exists() and not create:
        raise NotFoundError(f"{ledger_path}: no ledger has this name")
    is_file = ledger_path.is_file() or (not ledger_path.exists() and ledger_path.suffix in SQLITE)
    return _File(ledger_path, create) if is_file else _Folder(ledger_path, create)


class _File:
    """A ledger in one SQLite file."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._locked: sqlite3.Connection | None = None
        with self._connection() as connection:
            # In this order, because another program may create the ledger in between.
            (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            if application == _APPLICATION:
                return
            if n_tables or not create:
                raise ReadError(str(path), "is no ledger")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            for statement in (TABLE, *INDEXES):
                connection.execute(statement)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS queries (hash TEXT PRIMARY KEY, ids BLOB NOT NULL)"
            )
            connection.execute("COMMIT")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Open the file; if this object holds the lock, return its connection."""
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
            columns = ", ".join(COLUMNS)
            rows = connection.execute(f"SELECT {columns} FROM entries ORDER BY place").fetchall()
        entries = tuple(LedgerEntry.from_json(row[1], str(self.path)) for row in rows)
        for entry, row in zip(entries, rows, strict=True):
            if row_of(entry, row[1]) != row:
                raise changed(str(self.path), entry.key)
        return entries

    @contextlib.contextmanager
    def earlier(self) -> Iterator[EarlierComparisons]:
        with self._connection() as connection:
            yield EarlierComparisons(connection)

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
            return connection.execute(INSERT, row_of(entry, entry.to_json())).rowcount == 1

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
    """A ledger in a folder: one JSON file per entry, and one file per set of queries."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._is_locked = False
        if create:
            with writing(path):
                (path / "queries").mkdir(parents=True, exist_ok=True)
                if not (path / ".gitignore").exists():  # only entries should be committed
                    (path / ".gitignore").write_text(".*\n", encoding="utf-8")
        elif not (path / "queries").is_dir():
            raise ReadError(str(path), "is no ledger")
        for folder in (path, path / "queries"):
            with os.scandir(folder) as files:
                links = [
                    file.path for file in files if file.is_symlink() and (
                        file.name in ("queries", ".gitignore", _INDEX)
                        or file.name.endswith(".json")
                    )
                ]  # fmt: skip
            if links:
                raise ReadError(links[0], "is a symbolic link: a ledger holds none")

    def _names(self) -> list[str]:
        # By number, because the clock may be set back. After a merge of two branches, numbers can
        # occur twice.
        with os.scandir(self.path) as files:
            return sorted(file.name for file in files if file.name.endswith(".json"))

    def _entries_of(self, names: Iterable[str]) -> Iterator[LedgerEntry]:
        for name in names:
            yield LedgerEntry.from_json(_text(self.path / name), str(self.path / name))

    def entries(self) -> tuple[LedgerEntry, ...]:
        entries: dict[str, LedgerEntry] = {}
        for entry in self._entries_of(self._names()):
            entries.setdefault(entry.key, entry)
        return tuple(entries.values())

    @contextlib.contextmanager
    def earlier(self) -> Iterator[EarlierComparisons]:
        try:
            index = self._indexed(self.path / _INDEX)
        except (sqlite3.Error, UnicodeDecodeError):  # not writable, busy or damaged
            index = self._indexed(":memory:")
        with contextlib.closing(index):
            yield EarlierComparisons(index)

    def _indexed(self, path: Path | str) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLE)
            for statement in (*INDEXES, "CREATE TABLE IF NOT EXISTS files (state TEXT NOT NULL)"):
                connection.execute(statement)
            states = {}
            for name in self._names():
                status = (self.path / name).stat()
                states[f"{name} {status.st_size} {status.st_mtime_ns}"] = name
            read = [state for (state,) in connection.execute("SELECT state FROM files")]
            if read != [*states][: len(read)]:  # changed, removed, or merged in between
                connection.execute("DELETE FROM entries")
                connection.execute("DELETE FROM files")
                read = []
            new = {state: states[state] for state in [*states][len(read) :]}
            rows = (row_of(entry, "") for entry in self._entries_of(new.values()))
            connection.executemany(INSERT, rows)
            connection.executemany("INSERT INTO files VALUES (?)", ((state,) for state in new))
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

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
        """Write a file with one value per line, atomically."""
        if path.exists():
            return
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.unlink(missing_ok=True)  # left by a killed process with the same number
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


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(str(file), f"cannot be read: {error}") from error


def _unpacked(
    name: str, raw: bytes, source: str, unpack: Callable[[bytes], bytes] = bytes
) -> frozenset[str]:
    """Return a set of query ids if it matches the hash in its name."""
    try:
        ids = json.loads(unpack(raw))
        is_same = hash_of(ids) == name
    except (ValueError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise ReadError(source, "holds a set of queries that cannot be read") from error
    if not is_same:
        raise ReadError(source, f"the set of queries {name} was changed since it was written")
    return frozenset(ids)
