"""The same scoring of partitioned Parquet on one machine, on Dask and on Spark.

One kernel (:mod:`~abrank.engines.kernel`, the join and the measures of :func:`abrank.evaluate`)
scores the whole queries of a partition; an engine only calls it in many places at once. Neither
Dask nor Spark is imported before it is asked for.
"""

from abrank.engines.engine import needs_engine
from abrank.options import Engine

__all__ = ["Engine", "needs_engine"]
