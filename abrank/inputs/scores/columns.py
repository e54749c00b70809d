"""Ready scores in columns, each name held once: a million queries have five measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from abrank._support.remember import remembered
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import id_keys, ids
from abrank.inputs.columns import Source
from abrank.inputs.ids import Ids


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of names.

    Attributes
    ----------
    names : tuple of str
        Distinct, in order of appearance.
    codes : int64[n_rows]
        Index into ``names`` of each row.

    Examples
    --------
    >>> column = Coded.of(["b", "a", "b"])
    >>> column.names, column.codes, column[2]
    (('b', 'a'), array([0, 1, 0]), 'b')
    """

    names: tuple[str, ...]
    codes: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Coded:
        """Return the column of these texts."""
        place = {name: i for i, name in enumerate(dict.fromkeys(texts))}
        return cls(tuple(place), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts)))

    @classmethod
    def of_ids(cls, column: Ids) -> Coded:
        """Return the column of these ids."""
        distinct, codes = id_keys.code(column)
        return cls(tuple(ids.decode(distinct)), codes)

    @classmethod
    def constant(cls, name: str, n_rows: int) -> Coded:
        """Return a column with one name in every row."""
        return cls((name,), np.zeros(n_rows, dtype=np.int64))

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        return self.names[int(self.codes[row])]

    def __len__(self) -> int:
        return len(self.codes)

    def repeated(self, times: int) -> Coded:
        """Return the column ``times`` one behind the other."""
        return Coded(self.names, np.tile(self.codes, times))


@dataclass(frozen=True, eq=False)
class Queries:
    """A column of query ids, which may be a million: as bytes, not as Python's texts.

    Attributes
    ----------
    distinct : Ids
        Ascending by bytes.
    codes : int64[n_rows]
        Index into ``distinct`` of each row.

    Examples
    --------
    >>> column = Queries.of(["302", "301", "302"])
    >>> column.texts(), column[2], column.is_one_of(["302", "all"])
    (['302', '301', '302'], '302', array([ True, False,  True]))
    """

    distinct: Ids
    codes: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Queries:
        """Return the column of these texts."""
        return cls(*id_keys.number(ids.encode(texts)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct ids as text, ascending by bytes."""
        return tuple(ids.decode(self.distinct))

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        code = int(self.codes[row])
        return ids.decode(self.distinct[code : code + 1])[0]

    def repeated(self, times: int) -> Queries:
        """Return the column ``times`` one behind the other."""
        return self if times == 1 else Queries(self.distinct, np.tile(self.codes, times))

    def texts(self) -> list[str]:
        """Return the id of each row."""
        return ids.decode(ids.take(self.distinct, self.codes))

    def is_one_of(self, names: Iterable[str]) -> BoolArray:
        """Return which rows have one of few names: bool[n_rows]."""
        found = np.zeros(len(self.codes), dtype=np.bool_)
        for name in names:
            place = id_keys.place(self.distinct, name.encode("utf-8", "surrogateescape"))
            if place >= 0:
                found |= self.codes == place
        return found


@remembered(1)
def queries_of(column: Ids) -> Queries:
    """Return the column of these ids, which for a second system are nearly always the first's.

    Examples
    --------
    >>> queries_of(ids.encode(["302", "301", "302"])).names
    ('301', '302')
    """
    return Queries(*id_keys.number(column))


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Ready scores as read, in columns; names are not yet those of the catalogue.

    Attributes
    ----------
    at : int64[n_rows]
        Line from 1, or row from 0.
    query : Queries
    system, measure : Coded
        Aggregates have one of ``AGGREGATES`` for their query. ``system`` is empty text where the
        source names none.
    value : float64[n_rows]
        Finite, or NaN where a table has no entry.
    rounding : float64[n_rows]
        How far the value may be off: half a unit of the last digit printed. 0 where there is no
        aggregate, which is all that it is for.
    left_out : mapping of str to int
        Measures whose rows are all text (trec_eval's runid and relstring), and how many rows.
    form : str
        What it was taken for.
    source : Source
    run : Coded or None
        Which of the repeated runs of its system; None where the source names none.
    """

    at: IntArray
    query: Queries
    system: Coded
    measure: Coded
    value: FloatArray
    rounding: FloatArray
    left_out: Mapping[str, int]
    form: str
    source: Source
    run: Coded | None = None
