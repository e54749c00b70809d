"""What the benchmark of large runs measures, and of which runs."""

from __future__ import annotations

from dataclasses import dataclass

DOCUMENTS, JUDGED = 100, 10  # of a query
MEASURES = ("nDCG@10", "AP")
ENGINES = ("local", "dask", "spark")


@dataclass(frozen=True)
class ScaleRow:
    """What one engine took for one size.

    Attributes
    ----------
    engine : str
    rows : int
        Of both runs.
    scoring, whole, cpu : float
        Seconds: until the scores were there, until the report was written, and of processors by
        the process that asked until the scores were there.
    memory_scoring, memory, largest : float
        Largest resident set in MB: of the process that asked, until the scores were there and
        until the end, and of the largest process below it.
    disk : float
        MB of the judgments and runs.
    scores : float
        MB of the scores per query.
    """

    engine: str
    rows: int
    scoring: float
    whole: float
    cpu: float
    memory_scoring: float
    memory: float
    largest: float
    disk: float
    scores: float
