"""The scores of every query as Parquet, for what reads millions of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from abrank.comparison import Comparison


def queries_parquet(comparison: Comparison) -> bytes:
    """Return the scores of every query as a Parquet file, one row a query and measure.

    Returns
    -------
    bytes
        Columns ``query_id measure a b diff``: those of ``queries.csv``, in the same order.

    Examples
    --------
    >>> import io
    >>> import pyarrow.parquet
    >>> from abrank.comparison import compare_scores
    >>> made = queries_parquet(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))
    >>> pyarrow.parquet.read_table(io.BytesIO(made))["diff"].to_pylist()
    [0.25, 0.5]
    """
    import pyarrow as pa
    from pyarrow import parquet

    comparison.require_queries()
    n_queries, n_measures = comparison.a.shape
    # An id may hold half of a surrogate pair, which no text of Arrow can.
    query_ids = [each.encode("utf-8", "replace").decode() for each in comparison.query_ids]
    measure = np.repeat(np.arange(n_measures, dtype=np.int32), n_queries)
    a, b = (scores.ravel(order="F") for scores in (comparison.a, comparison.b))
    columns = {
        "query_id": pa.array(query_ids * n_measures, pa.string()),
        "measure": pa.DictionaryArray.from_arrays(
            pa.array(measure), pa.array([str(name) for name in comparison.measures], pa.string())
        ),
        "a": pa.array(a),
        "b": pa.array(b),
        "diff": pa.array(b - a),
    }
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())
