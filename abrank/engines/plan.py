"""Which row groups are scored together, so that every query is whole.

Where tables are sorted by query id, a partition is a range of query ids: it takes the row groups
that overlap it, and of those only its own rows, so a query that is split over row groups or files
is whole again. Where they are not, the rows are first regrouped by a hash of the query id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abrank.engines.engine import ROWS
from abrank.engines.sources import Key, ParquetTable, Piece

MOST_READ = 2.5  # times that all rows may be read before regrouping is cheaper


@dataclass(frozen=True)
class Partition:
    """Whole queries: a range of their ids, or a bucket of regrouped rows.

    number : int
    pieces : tuple of tuples of Piece
        Of each table, the row groups that hold its queries.
    low, high : bytes or int, optional
        The first query id, and the first that is no longer in it; without them every query of the
        pieces is.
    """

    number: int
    pieces: tuple[tuple[Piece, ...], ...]
    low: Key | None = None
    high: Key | None = None

    def cuts(self, piece: Piece) -> bool:
        """Whether some rows of a row group belong to other partitions."""
        below = self.low is not None and (piece.low is None or piece.low < self.low)  # type: ignore[operator]
        return below or (
            self.high is not None and (piece.high is None or piece.high >= self.high)  # type: ignore[operator]
        )


def by_range(tables: Sequence[ParquetTable], *, rows: int = ROWS) -> list[Partition] | None:
    """Divide the queries of tables that are sorted by query id."""
    every = [piece for table in tables for piece in table.pieces]
    if len({type(key) for piece in every for key in (piece.low, piece.high)}) != 1:
        return None
    if not every or every[0].low is None:
        return None
    starts = _cuts(max(tables, key=lambda table: table.n_rows), rows)
    # The queries of a file that cannot be read are a partition, so that no others go with them.
    unread = [piece for piece in every if piece.problem]
    for piece in unread:
        if piece.low is not None and piece.high is not None:
            starts = sorted({*starts, piece.low, _next(piece.high)})
    ends: list[Key | None] = [*starts[1:], None]
    parts: list[Partition] = []
    for low, high in zip([None, *starts[1:]], ends, strict=True):
        pieces = tuple(
            tuple(piece for piece in table.pieces if _overlaps(piece, low, high))
            for table in tables
        )
        if any(pieces):
            parts.append(Partition(len(parts), pieces, low, high))
    if unread:
        return parts
    for at in range(len(tables)):
        read = sum(piece.n_rows for part in parts for piece in part.pieces[at])
        small = tables[at].n_rows <= max(rows, max(table.n_rows for table in tables) // 4)
        if not small and read > MOST_READ * tables[at].n_rows:
            return None
    return parts


def _cuts(table: ParquetTable, rows: int) -> list[Key]:
    """Return the query ids at which partitions begin: where row groups do."""
    ordered = sorted(table.pieces, key=lambda piece: piece.low)  # type: ignore[arg-type,return-value]
    cuts: list[Key] = []
    held = rows
    for piece in ordered:
        if held >= rows and piece.low is not None and (not cuts or piece.low > cuts[-1]):  # type: ignore[operator]
            cuts.append(piece.low)
            held = 0
        held += piece.n_rows
    return cuts


def _next(key: Key) -> Key:
    """Return the least key above another."""
    return key + b"\0" if isinstance(key, bytes) else key + 1


def _overlaps(piece: Piece, low: Key | None, high: Key | None) -> bool:
    return not (
        (low is not None and piece.high is not None and piece.high < low)  # type: ignore[operator]
        or (high is not None and piece.low is not None and piece.low >= high)  # type: ignore[operator]
    )
