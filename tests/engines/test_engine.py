"""Which engine scores partitions: threads of this machine, Dask or Spark, and what needs one."""

from abrank.engines.engine import needs_engine


def test_parquet_in_many_files_needs_an_engine() -> None:
    assert [
        needs_engine(name) for name in ("run.parquet", "runs/*.parquet", "s3://b/run", "a.run")
    ] == [False, True, True, False]
