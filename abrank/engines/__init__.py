"""Scoring of partitioned Parquet files on one machine, on Dask and on Spark.

The kernel (:mod:`~abrank.engines.kernel`), with the join and the measures of
:func:`abrank.evaluate`, scores complete queries of a partition; an engine runs it in parallel. Dask
and Spark are only imported on request.
"""

from abrank.engines.engine import needs_engine
from abrank.options import Engine

__all__ = ["Engine", "needs_engine"]
