"""Tables of ready scores as Arrow columns; None for what the careful reader must read."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.columns import Source
from abrank.inputs.formats.plain_table import plain_table, read_plain
from abrank.inputs.objects.arrow import to_ids, to_scores
from abrank.inputs.objects.names import QUERY_IDS, found_in
from abrank.inputs.scores.columns import Coded, ScoreTable, queries_of
from abrank.inputs.scores.forms import AGGREGATES
from abrank.inputs.scores.header import Shape, shape_of
from abrank.inputs.trec.plain import BYTE_ORDER_MARK


def of_text(data: bytes, origin: Source) -> ScoreTable | None:
    r"""Read a plain table of text whose header names the query; gives what the careful reader does.

    Examples
    --------
    >>> origin = Source(None, None, 0, "a.csv")
    >>> table = of_text(b"query_id,AP\nq1,0.5\nq2,0.25\n", origin)
    >>> table.query.texts(), table.value, table.at
    (['q1', 'q2'], array([0.5 , 0.25]), array([2, 3]))
    >>> of_text(b"query_id,AP\nq1,nan\n", origin)
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    first = data[: data.find(b"\n") + 1 or None]
    delimiter = "\t" if b"\t" in first else ","
    plain = plain_table(data, delimiter)
    if plain is None or not plain.isascii():
        return None
    try:
        header = next(csv.reader([first.decode().rstrip("\r\n")], delimiter=delimiter))
    except csv.Error:
        return None  # a field too long: the careful reader reports it
    if not found_in(header, QUERY_IDS):
        return None
    try:
        shape = shape_of(header, origin.label)
    except ReadError:
        return None  # a bad line comes first
    texts = [i for i in (shape.query, shape.system, shape.measure) if i is not None]
    types = {str(i): pa.large_string() for i in texts}
    types |= {str(i): pa.float64() for i in shape.scored}
    names = list(map(str, range(len(header))))
    try:
        table = read_plain(plain, delimiter=delimiter, names=names, types=types)
    except pa.ArrowInvalid:
        return None
    columns = {i: table[str(i)] for i in (*texts, *shape.scored)}
    return _filled(header, shape, columns, origin, missing=False, first_row=2)


def of_columns(
    header: Sequence[str], columns: Sequence[Any], origin: Source, *, missing: bool
) -> ScoreTable | None:
    """Read columns of Arrow or pandas by their names.

    Raises
    ------
    ReadError
        If a column is missing, has two meanings or no name.
    """
    shape = shape_of(header, origin.label)
    return _filled(header, shape, dict(enumerate(columns)), origin, missing=missing, first_row=0)


def _filled(
    header: Sequence[str],
    shape: Shape,
    columns: dict[int, Any],
    origin: Source,
    *,
    missing: bool,
    first_row: int,
) -> ScoreTable | None:
    if shape.run is not None:
        return None
    places = (shape.query, shape.system, shape.measure)
    held = [None if i is None else to_ids(columns[i]) for i in places]
    values = [to_scores(columns[i], missing=missing) for i in shape.scored]
    lacking = any(i is not None and each is None for i, each in zip(places, held, strict=True))
    names = [header[i].strip() for i in shape.scored]
    if (
        lacking
        or held[0] is None
        or any(each is None for each in values)
        or len(set(names)) < len(names)
    ):
        return None
    n_rows, times = len(held[0]), len(values)
    query = queries_of(held[0])
    # Aggregates are checked to the printed digits, which numbers no longer show.
    if not n_rows or query.is_one_of(AGGREGATES).any():
        return None
    system = Coded.constant("", n_rows) if held[1] is None else Coded.of_ids(held[1])
    measure = Coded(tuple(names), np.repeat(np.arange(times), n_rows))
    value = np.concatenate([each for each in values if each is not None])
    return ScoreTable(
        at=np.tile(np.arange(n_rows) + first_row, times),
        query=query.repeated(times),
        system=system.repeated(times),
        measure=measure if held[2] is None else Coded.of_ids(held[2]),
        value=value,
        rounding=np.zeros(len(value)),
        left_out={},
        form=shape.form,
        source=replace(origin, n_rows=len(value)),
    )
