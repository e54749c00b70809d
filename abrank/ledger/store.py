"""Where a ledger is kept: one SQLite file, or a folder of which version control merges branches."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from abrank._support.errors import NotFoundError, ReadError, WriteError
from abrank._support.files import writing
from abrank.ledger.entry import Entry, hash_of

PATIENCE = 60.0  # seconds that one comparison waits for another to end its turn
SQLITE = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x61627261  # names the file as ours in SQLite's header


class Ledger(Protocol):
    """Entries in the order in which they were made, and the sets of queries they speak of."""

    path: Path

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries, oldest first."""

    def query_sets(self) -> dict[str, frozenset[str]]:
        """Return the query ids of every set by its hash."""

    def add(self, entry: Entry, query_ids: Sequence[str]) -> bool:
        """Keep an entry, whole or not at all; False where the same is there already."""

    def turn(self) -> contextlib.AbstractContextManager[None]:
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
    place = Path(path)
    if not place.exists() and not create:
        raise NotFoundError(f"{place}: there is no ledger")
    is_file = place.is_file() or (not place.exists() and place.suffix in SQLITE)
    return _File(place, create) if is_file else _Folder(place, create)


class _File:
    """A ledger in one SQLite file."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._turn: sqlite3.Connection | None = None
        with self._connection() as base:
            (application,) = base.execute("PRAGMA application_id").fetchone()
            (n_tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application == _APPLICATION:
                return
            if n_tables or not create:
                raise ReadError(str(path), "is no ledger")
            base.execute("PRAGMA journal_mode = WAL")
            base.execute("BEGIN IMMEDIATE")
            base.execute(f"PRAGMA application_id = {_APPLICATION}")
            base.execute(
                "CREATE TABLE IF NOT EXISTS entries"
                " (place INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, entry TEXT NOT NULL)"
            )
            base.execute(
                "CREATE TABLE IF NOT EXISTS queries (hash TEXT PRIMARY KEY, ids BLOB NOT NULL)"
            )
            base.execute("COMMIT")

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Open the file; within a turn, the connection that holds it."""
        if self._turn is not None:
            yield self._turn
            return
        try:
            base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            with contextlib.closing(base):
                yield base
        except sqlite3.OperationalError as error:
            raise WriteError(f"{self.path}: cannot be used: {error}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ReadError(str(self.path), f"is no ledger, or is damaged: {error}") from error

    def entries(self) -> tuple[Entry, ...]:
        with self._connection() as base:
            rows = base.execute("SELECT entry FROM entries ORDER BY place").fetchall()
        return tuple(Entry.from_json(text, str(self.path)) for (text,) in rows)

    def query_sets(self) -> dict[str, frozenset[str]]:
        with self._connection() as base:
            rows = base.execute("SELECT hash, ids FROM queries").fetchall()
        return {name: _unpacked(name, ids, str(self.path), zlib.decompress) for name, ids in rows}

    def add(self, entry: Entry, query_ids: Sequence[str]) -> bool:
        ids = zlib.compress(json.dumps(sorted(query_ids)).encode())
        with contextlib.nullcontext() if self._turn else self.turn(), self._connection() as base:
            base.execute("INSERT OR IGNORE INTO queries VALUES (?, ?)", (entry.queries, ids))
            added = base.execute(
                "INSERT OR IGNORE INTO entries (key, entry) VALUES (?, ?)",
                (entry.key, entry.to_json()),
            )
            return added.rowcount == 1

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        with self._connection() as base:
            base.execute("BEGIN IMMEDIATE")
            self._turn = base
            try:
                yield
                base.execute("COMMIT")
            except BaseException:
                base.execute("ROLLBACK")
                raise
            finally:
                self._turn = None


class _Folder:
    """A ledger in a folder: one JSON file an entry, and one a set of queries."""

    def __init__(self, path: Path, create: bool) -> None:
        self.path = path
        self._holds_turn = False
        if create:
            with writing(path):
                (path / "queries").mkdir(parents=True, exist_ok=True)
        elif not (path / "queries").is_dir():
            raise ReadError(str(path), "is no ledger")

    def entries(self) -> tuple[Entry, ...]:
        found: dict[str, Entry] = {}
        for file in sorted(self.path.glob("*.json")):
            entry = Entry.from_json(_text(file), str(file))
            found.setdefault(entry.key, entry)
        return tuple(sorted(found.values(), key=lambda entry: (entry.created, entry.key)))

    def query_sets(self) -> dict[str, frozenset[str]]:
        files = sorted((self.path / "queries").glob("*.json"))
        return {file.stem: _unpacked(file.stem, _text(file).encode(), str(file)) for file in files}

    def add(self, entry: Entry, query_ids: Sequence[str]) -> bool:
        with contextlib.nullcontext() if self._holds_turn else self.turn():
            if any(self.path.glob(f"*-{entry.key[:16]}.json")):
                return False
            self._write(self.path / "queries" / f"{entry.queries}.json", sorted(query_ids))
            day = "".join(sign for sign in entry.created if sign.isalnum())
            name = f"{day or 'undated'}-{entry.key[:16]}.json"
            self._write(self.path / name, json.loads(entry.to_json()))
            return True

    def _write(self, path: Path, content: object) -> None:
        """Write a file of one value a line: whole, or not at all."""
        if path.exists():
            return
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        with writing(path):
            try:
                beside.write_text(json.dumps(content, indent=0, sort_keys=True) + "\n", "utf-8")
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        with writing(self.path):
            file = (self.path / ".turn").open("a", encoding="utf-8")
        with file:
            until = time.monotonic() + PATIENCE
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > until:
                        raise WriteError(
                            f"{self.path}: another comparison has had its turn for"
                            f" {PATIENCE:.0f} seconds; try again when it has ended"
                        ) from None
                    time.sleep(0.05)
                except OSError:
                    break  # a file system without locks
            self._holds_turn = True
            try:
                yield
            finally:
                self._holds_turn = False


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
        same = hash_of(ids) == name
    except (ValueError, TypeError, AttributeError, RecursionError, zlib.error) as error:
        raise ReadError(source, "holds a set of queries that cannot be read") from error
    if not same:
        raise ReadError(source, f"the set of queries {name} was changed since it was written")
    return frozenset(ids)
