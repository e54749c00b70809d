"""The table of a ledger's entries, and what a new comparison asks of it without reading them all.

An SQLite ledger stores it; of a folder it is built in memory.
"""

from __future__ import annotations

import math
import sqlite3

import numpy as np

from abrank._support.typing import FloatArray
from abrank.ledger.entry import LedgerEntry, hash_of

# Names that a user chose are hashed: SQLite refuses texts that are no Unicode.
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
# Gains to expect again are estimated from the newest ones: more tell nothing new of their spread,
# and what was gained years ago is of another system.
NEWEST = 1000


def row_of(entry: LedgerEntry, text: str) -> tuple[str | int | float | None, ...]:
    """Return an entry, and the text that holds it, as a row; SQLite stores NaN as NULL."""
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
    """What a ledger knows that a new comparison needs, by the indexes of its table."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._base = connection

    def __len__(self) -> int:
        (number,) = self._base.execute("SELECT count(*) FROM entries").fetchone()
        return int(number)

    def pvalues(self, budget: str) -> list[float]:
        """Return the one-sided p-value of each comparison that spent of a budget, in their order.

        The same scores spend once: the first of them counts.
        """
        rows = self._base.execute(
            "SELECT pvalue_better, min(place) FROM entries WHERE budget = ? GROUP BY spends"
            " ORDER BY min(place)",
            (budget,),
        )
        return [pvalue for pvalue, _ in rows]

    def level(self, entry: LedgerEntry) -> float | None:
        """Return the level that the same scores had before; None where they are new."""
        row = self._base.execute(
            "SELECT alpha FROM entries WHERE spends = ? ORDER BY place LIMIT 1",
            (hash_of(entry.spends),),
        ).fetchone()
        return None if row is None else float(row[0])

    def on_queries(self, entry: LedgerEntry) -> tuple[int, int, float]:
        """Return how many others used its queries, found B better, and would have by chance."""
        return self._base.execute(  # type: ignore[no-any-return]
            "SELECT count(*), coalesce(sum(is_better), 0), coalesce(sum(alpha), 0.0) / 2"
            " FROM entries WHERE queries = ? AND key != ?",
            (entry.queries, entry.key),
        ).fetchone()

    def candidates(self, entry: LedgerEntry) -> dict[str, float | None]:
        """Return the largest gain of each candidate of its day, on its queries and baseline."""
        rows = self._base.execute(
            "SELECT b, max(gain) FROM entries WHERE queries = ? AND a = ? AND day = ? GROUP BY b",
            (entry.queries, entry.a, entry.day),
        )
        return dict(rows)

    def looks(self, entry: LedgerEntry) -> list[str]:
        """Return which looks of its plan were taken at other scores of B."""
        rows = self._base.execute(
            "SELECT look FROM entries WHERE plan = ? AND look != '' AND b != ?"
            " GROUP BY look, b ORDER BY min(place)",
            (hash_of(map(repr, entry.plan)), entry.b),
        )
        return [look for (look,) in rows]

    def gains(self, entry: LedgerEntry) -> FloatArray:
        """Return gain, standard error and number of queries of its measure: float64[n, 3].

        The newest are last.
        """
        rows = self._base.execute(
            "SELECT gain, standard_error, n_queries FROM entries WHERE measure = ? AND key != ?"
            " ORDER BY place DESC LIMIT ?",
            (_series(entry), entry.key, NEWEST),
        ).fetchall()
        return np.array(rows[::-1], dtype=np.float64).reshape(-1, 3)
