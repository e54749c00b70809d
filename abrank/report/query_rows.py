"""The queries of an HTML report: which rows are embedded, their columns, and the first shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from abrank._support import display
from abrank.diagnostics import DECIMALS
from abrank.report._clean import cut
from abrank.report.model import Cell, Tone

if TYPE_CHECKING:
    from abrank._support.typing import FloatArray, IntArray
    from abrank.comparison import Comparison

Kind: TypeAlias = Literal["text", "score", "delta"]

EMBED_ALL = 10_000  # rows; beyond, a page would weigh more than a browser likes
EMBED_EACH = 1_000  # worst, best, and spread between them, where not all are embedded
FIRST_EACH = 10  # worst and best rows in the page itself, for readers without scripts
SECONDARY = 4  # further measures with a column; more do not fit a screen
LONGEST = 120  # characters of an id that are shown


@dataclass(frozen=True)
class QueryColumn:
    """A column of the table of queries: values to sort by, and the texts that are shown."""

    title: str
    csv: str
    kind: Kind
    values: list[Any]
    shown: list[str]
    bar: bool = False


@dataclass(frozen=True)
class Bar:
    """A bar from the middle (0) to the left or the right (at most 100)."""

    x: float
    width: float
    tone: Tone


@dataclass(frozen=True)
class Row:
    """One row as it stands in the page."""

    cells: tuple[Cell, ...]
    bar: Bar


@dataclass(frozen=True)
class QueryRows:
    """The rows of the table, worst difference first.

    Attributes
    ----------
    columns : tuple of QueryColumn
        The id, A, B, their difference, and the difference of further measures.
    outcome : list of int
        +1 where B wins, -1 where A wins, 0 for a tie.
    total : int
        Queries compared, embedded or not.
    largest : float
        Largest absolute difference: the length of a full bar.
    """

    columns: tuple[QueryColumn, ...]
    outcome: list[int]
    total: int
    largest: float

    @property
    def bar_column(self) -> QueryColumn:
        """The column with the difference that decides."""
        return next(column for column in self.columns if column.bar)

    @property
    def first(self) -> list[Row | None]:
        """Rows for the page itself: all of 25 at most, else the worst, None for a gap, the best."""
        n = len(self.outcome)
        if n <= 2 * FIRST_EACH + 5:
            return [self._row(i) for i in range(n)]
        ends = [*range(FIRST_EACH), *range(n - FIRST_EACH, n)]
        rows: list[Row | None] = [self._row(i) for i in ends]
        return [*rows[:FIRST_EACH], None, *rows[FIRST_EACH:]]

    @property
    def gap(self) -> str:
        """What the gap between the worst and the best rows leaves out."""
        between = self.total - 2 * FIRST_EACH
        return f"{display.plural(between, 'query', 'queries')} between these"

    @property
    def left_out(self) -> str:
        """Which queries are not embedded; empty where all are."""
        if len(self.outcome) == self.total:
            return ""
        each = display.count(EMBED_EACH)
        return (
            f"Of {display.count(self.total)} queries this table holds {each} worst, {each} best and"
            f" {each} spread evenly between them; write a .csv report for all."
        )

    def island(self, fill: Mapping[str, str]) -> str:
        """Return the rows by column as JSON that is safe inside a script element.

        Parameters
        ----------
        fill : mapping
            Colours of the bars, under ``a``, ``b`` and ``axis``.
        """
        data = {
            "columns": [
                {
                    "title": column.title,
                    "csv": column.csv,
                    "kind": column.kind,
                    "bar": column.bar,
                    "values": column.values,
                    "shown": None if column.shown == column.values else column.shown,
                }
                for column in self.columns
            ],
            "outcome": self.outcome,
            "total": self.total,
            "largest": self.largest,
            "group": display.GROUP,
            "fill": dict(fill),
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return (
            text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
        )

    def _row(self, index: int) -> Row:
        cells = tuple(
            Cell(
                column.shown[index],
                tone=tone_of(column.shown[index]) if column.kind == "delta" else "plain",
            )
            for column in self.columns
        )
        share = round(100.0 * float(self.bar_column.values[index]) / self.largest, 2)
        return Row(cells, Bar(min(0.0, share), abs(share), "a" if share < 0 else "b"))


def tone_of(shown: str) -> Tone:
    """Return the colour of a difference by its written sign.

    Examples
    --------
    >>> tone_of("+0.037"), tone_of("−0.250"), tone_of("0.000")
    ('b', 'a', 'tie')
    """
    return {"+": "b", display.MINUS: "a"}.get(shown[:1], "tie")  # type: ignore[return-value]


def query_rows(comparison: Comparison) -> QueryRows | None:
    """Return the rows of the table of queries, by the difference of the primary measure.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    QueryRows or None
        None where there is no query.
    """
    if not comparison.n_queries:
        return None
    primary = comparison.rule.primary
    differences = comparison.differences()
    chosen = _chosen(np.lexsort((np.array(comparison.query_ids), differences)))
    lead = comparison.measures.index(primary)
    ids = [comparison.query_ids[i] for i in chosen]
    columns = [
        QueryColumn("Query", "query_id", "text", ids, [cut(each, LONGEST) for each in ids]),
        _numbers("A", "a", "score", comparison.a[chosen, lead]),
        _numbers("B", "b", "score", comparison.b[chosen, lead]),
        _numbers(f"Δ {primary}", "diff", "delta", differences[chosen], bar=True),
    ]
    others = [name for name in comparison.measures if name != primary][:SECONDARY]
    columns += [
        _numbers(f"Δ {name}", f"diff {name}", "delta", comparison.differences(name)[chosen])
        for name in others
    ]
    return QueryRows(
        columns=tuple(columns),
        outcome=[int(each) for each in comparison.outcomes()[chosen]],
        total=comparison.n_queries,
        largest=float(np.abs(differences).max()) or 1.0,
    )


def _chosen(order: IntArray) -> IntArray:
    """Return all rows, or of very many the worst, the best, and some spread between them."""
    n = len(order)
    if n <= EMBED_ALL:
        return order
    spread = np.linspace(EMBED_EACH, n - EMBED_EACH - 1, EMBED_EACH).astype(np.int64)
    return np.concatenate([order[:EMBED_EACH], order[spread], order[-EMBED_EACH:]])


def _numbers(
    title: str, csv: str, kind: Kind, values: FloatArray, *, bar: bool = False
) -> QueryColumn:
    """Round values for the file (to where ties are counted) and write them for the reader."""
    written = display.signed if kind == "delta" else display.score
    # Adding 0.0 turns a negative zero into zero.
    kept = [round(float(value), DECIMALS) + 0.0 for value in values]
    return QueryColumn(title, csv, kind, kept, [written(float(value)) for value in values], bar)
