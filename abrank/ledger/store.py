"""What a ledger keeps of a comparison, and where: an SQLite file or a folder."""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Protocol

from abrank._support.errors import NotFoundError, ReadError, WriteError
from abrank._support.files import locked, writing
from abrank._support.result import record
from abrank.inference.student import student_quantile
from abrank.ledger.table import COLUMNS, INDEXES, INSERT, TABLE, EarlierComparisons, hash_of, row_of
from abrank.verdict import Verdict

# What may differ although the same was compared once more.
_OF_THE_DAY = ("key", "created")


@record
class LedgerEntry:
    """One comparison of a ledger.

    Attributes
    ----------
    key : str
        sha256 of everything but the time: a comparison repeated bit by bit has the same.
    created : str
        ISO 8601, UTC.
    queries, judgments : str
        Hashes of the set of query ids, and of the judgments; empty for ready scores.
    n_queries : int
    baseline, candidate : str
        Names of A and B.
    a, b : str
        Hashes of their scores, query by query.
    measure : str
    higher_is_better : bool
    rule : str
        What was declared, in JSON.
    budget : str
        The error budget that gave the level, such as ``fdr:0.05``; empty without one.
    alpha : float
        Two-sided level by which this comparison was decided.
    difference, low, high, pvalue : float
        B - A with the interval that decides, and the two-sided p-value.
    standard_error : float
        Of the difference.
    verdict : str
    gate : str
        What was required; empty without a gate.
    passed : bool
        Whether the gate passed; True without one.
    look : str
        Of a comparison with planned looks, ``"2/4"`` or ``"50 of 400"``; else empty.
    """

    key: str
    created: str
    queries: str
    n_queries: int
    judgments: str
    baseline: str
    candidate: str
    a: str
    b: str
    measure: str
    higher_is_better: bool
    rule: str
    budget: str
    alpha: float
    difference: float
    low: float
    high: float
    pvalue: float
    standard_error: float
    verdict: str
    gate: str
    passed: bool
    look: str

    @property
    def gain(self) -> float:
        """By how much B is better; negative where it is worse."""
        return self.difference if self.higher_is_better else -self.difference

    @property
    def pvalue_better(self) -> float:
        """One-sided, that B is not better than A; 1 where nothing could be tested."""
        if not self.pvalue <= 1 or self.verdict == Verdict.CANNOT_TEST:
            return 1.0
        return self.pvalue / 2 if self.gain > 0 else 1 - self.pvalue / 2

    @property
    def is_better(self) -> bool:
        """Whether B was found to be better, by however much."""
        return self.verdict in (Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR)

    @property
    def spends(self) -> tuple[str, ...]:
        """What it spends a level on: the same scores by another margin or gate spend no other."""
        return self.budget, self.queries, self.a, self.b, self.measure

    @property
    def day(self) -> str:
        """The day on which it was made."""
        return self.created[:10]

    @property
    def plan(self) -> tuple[object, ...]:
        """What the looks of one plan have in common, by the names of the systems."""
        design = json.loads(self.rule).get("design") or {}
        selected = ("n_looks", "n_planned", "spending", "alpha", "clusters")
        names = self.baseline, self.candidate, self.measure
        return *names, *(design.get(name) for name in selected)

    @classmethod
    def of(cls, comparison: Any, *, budget: str = "") -> LedgerEntry:  # noqa: ANN401 - a Comparison
        """Return what a ledger keeps of a comparison.

        Raises
        ------
        ArgumentError
            If it holds no scores of single queries, or tested nothing.
        """
        primary, decision, rule = comparison.primary, comparison.decision, comparison.rule
        quantile = float(student_quantile(max(comparison.n_queries - 1, 1), 1 - rule.alpha / 2))
        column = comparison.measures.index(primary.measure)
        qrels = comparison.provenance.get("inputs", {}).get("qrels") or {}
        values: dict[str, Any] = {
            "queries": hash_of(sorted(comparison.query_ids)),
            "n_queries": comparison.n_queries,
            "judgments": str(qrels.get("sha256") or "")[:16],
            "baseline": comparison.baseline,
            "candidate": comparison.candidate,
            "a": _hash_of_scores(comparison.query_ids, comparison.a[:, column].tolist()),
            "b": _hash_of_scores(comparison.query_ids, comparison.b[:, column].tolist()),
            "measure": primary.measure,
            "higher_is_better": rule.higher_is_better,
            "rule": json.dumps(asdict(rule), sort_keys=True, default=str),
            "budget": budget,
            "alpha": float(rule.alpha),
            "difference": float(primary.diff),
            "low": float(decision.ci_low),
            "high": float(decision.ci_high),
            "pvalue": float(primary.pvalue),
            "standard_error": float(decision.ci_high - decision.ci_low) / 2 / quantile,
            "verdict": str(decision.verdict),
            "gate": decision.gate.require if decision.gate else "",
            "passed": decision.gate is None or bool(decision.gate.passed),
            "look": _look(comparison),
        }
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
        return cls(key=_digest(values), created=created, **values)

    def to_json(self) -> str:
        """Return it as one line of JSON."""
        values = {name: getattr(self, name) for name in _TYPES}  # asdict() copies deeply
        return json.dumps(values, sort_keys=True, ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str, source: str) -> LedgerEntry:
        """Return the entry that a line holds.

        Raises
        ------
        ReadError
            If it is none, or was changed since it was written.
        """
        try:
            values = json.loads(text)
            entry = cls(**values)
            has_rule = _is_rule(entry.rule)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ReadError(source, "holds an entry that is no entry of a ledger") from error
        wrong = [name for name, value in values.items() if type(value).__name__ != _TYPES[name]]
        selected = {name: value for name, value in values.items() if name not in _OF_THE_DAY}
        unchanged = not wrong and entry.verdict in _VERDICTS and entry.key == _digest(selected)
        if not (unchanged and has_rule):
            raise _changed(source, str(entry.key))
        return entry


def _changed(source: str, key: str) -> ReadError:
    return ReadError(source, f"the entry {key[:12]} was changed since it was written")


_TYPES = {field.name: str(field.type) for field in fields(LedgerEntry)}
_VERDICTS = frozenset(Verdict)


@functools.lru_cache(maxsize=64)
def _is_rule(text: str) -> bool:
    """Return whether a text is a rule: most entries of a ledger have the same."""
    return isinstance(json.loads(text).get("design") or {}, dict)


def _hash_of_scores(query_ids: Sequence[str], scores: Sequence[float]) -> str:
    """Return a hash of a system's scores by query, whatever the order of the queries."""
    pairs = sorted(zip(query_ids, scores, strict=True))
    return hash_of(text for query, score in pairs for text in (query, score.hex()))


def _look(comparison: Any) -> str:  # noqa: ANN401 - a Comparison
    """Say which of the planned looks it was."""
    design = comparison.rule.design
    if design is not None and design.look:
        return f"{design.look}/{design.n_looks}"
    return f"{design.seen[-1]} of {design.n_planned}" if design and design.n_planned else ""


def _digest(values: Mapping[str, Any]) -> str:
    """Return the key of an entry's values."""
    text = json.dumps({name: repr(value) for name, value in values.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


PATIENCE = 60.0  # seconds that one comparison waits for another to end its turn
SQLITE = (".sqlite", ".sqlite3", ".db")
_APPLICATION = 0x61627261  # names the file as ours in SQLite's header


# SQLite names what failed, and not why.
_CAUSES = {
    sqlite3.SQLITE_IOERR: " (is the disk full, or the file on a network drive that went away?)",
    sqlite3.SQLITE_READONLY: " (the file or its folder may not be written)",
    sqlite3.SQLITE_CANTOPEN: " (is its folder there, and may it be read?)",
}


class Ledger(Protocol):
    """Entries in the order in which they were made, and the sets of queries they speak of."""

    path: Path

    def entries(self) -> tuple[LedgerEntry, ...]:
        """Return all entries, oldest first."""

    def earlier(self) -> contextlib.AbstractContextManager[EarlierComparisons]:
        """Open what a new comparison needs of the entries, without reading them all."""

    def query_sets(self) -> dict[str, frozenset[str]]:
        """Return the query ids of every set by its hash."""

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
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
            # In this order: another program may make the ledger between the two looks.
            (n_tables,) = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (application,) = base.execute("PRAGMA application_id").fetchone()
            if application == _APPLICATION:
                return
            if n_tables or not create:
                raise ReadError(str(path), "is no ledger")
            base.execute("BEGIN IMMEDIATE")
            base.execute(f"PRAGMA application_id = {_APPLICATION}")
            for statement in (TABLE, *INDEXES):
                base.execute(statement)
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
            cause = _CAUSES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
            raise WriteError(f"{self.path}: cannot be used: {error}{cause}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise ReadError(str(self.path), f"is no ledger, or is damaged: {error}") from error

    def entries(self) -> tuple[LedgerEntry, ...]:
        with self._connection() as base:
            columns = ", ".join(COLUMNS)
            rows = base.execute(f"SELECT {columns} FROM entries ORDER BY place").fetchall()
        entries = tuple(LedgerEntry.from_json(row[1], str(self.path)) for row in rows)
        for entry, row in zip(entries, rows, strict=True):
            if row_of(entry, row[1]) != row:
                raise _changed(str(self.path), entry.key)
        return entries

    @contextlib.contextmanager
    def earlier(self) -> Iterator[EarlierComparisons]:
        with self._connection() as base:
            yield EarlierComparisons(base)

    def query_sets(self) -> dict[str, frozenset[str]]:
        with self._connection() as base:
            rows = base.execute("SELECT hash, ids FROM queries").fetchall()
        return {name: _unpacked(name, ids, str(self.path), zlib.decompress) for name, ids in rows}

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        ids = zlib.compress(json.dumps(sorted(query_ids)).encode())
        with contextlib.nullcontext() if self._turn else self.turn(), self._connection() as base:
            base.execute("INSERT OR IGNORE INTO queries VALUES (?, ?)", (entry.queries, ids))
            return base.execute(INSERT, row_of(entry, entry.to_json())).rowcount == 1

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
        self._table = sqlite3.connect(":memory:", isolation_level=None)
        self._read: set[str] = set()  # names of the files in the table
        self._table.execute(TABLE)  # its indexes would take longer to build than they save
        if create:
            with writing(path):
                (path / "queries").mkdir(parents=True, exist_ok=True)
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
        names = [name for name in self._names() if name not in self._read]
        self._table.execute("BEGIN")
        rows = (row_of(entry, "") for entry in self._entries_of(names))
        self._table.executemany(INSERT, rows)
        self._table.execute("COMMIT")
        self._read.update(names)
        yield EarlierComparisons(self._table)

    def query_sets(self) -> dict[str, frozenset[str]]:
        files = sorted((self.path / "queries").glob("*.json"))
        return {file.stem: _unpacked(file.stem, _text(file).encode(), str(file)) for file in files}

    def add(self, entry: LedgerEntry, query_ids: Sequence[str]) -> bool:
        with contextlib.nullcontext() if self._holds_turn else self.turn():
            names = [name.removesuffix(".json") for name in self._names()]
            if any(name.endswith(f"-{entry.key[:16]}") for name in names):
                return False
            self._write(self.path / "queries" / f"{entry.queries}.json", sorted(query_ids))
            numbers = (name.partition("-")[0] for name in names)
            number = max((int(text) for text in numbers if text.isdecimal()), default=0) + 1
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
    def turn(self) -> Iterator[None]:
        busy = (
            f"{self.path}: another comparison has had its turn for {PATIENCE:.0f} seconds; try"
            " again when it has ended"
        )
        with locked(self.path / ".turn", busy, patience=PATIENCE):
            self._holds_turn = True
            try:
                yield
            finally:
                self._holds_turn = False


def _is_ours(name: str) -> bool:
    return name == "queries" or name.endswith(".json")


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
