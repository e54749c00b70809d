"""Runs in Parquet of many layouts, damage to them, and a scorer that shares no code with abrank."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

N_QUERIES, N_DOCUMENTS = 40, 8
QRELS = {
    f"q{i:02}": {f"d{(i + k) % N_DOCUMENTS}": k % 2 for k in range(4)} for i in range(N_QUERIES)
}


def run_of(seed: int) -> pd.DataFrame:
    """A run, by query, its scores in some order; without ties."""
    drawn = random.Random(f"run {seed}")
    rows = []
    for query in QRELS:
        values = drawn.sample(range(1000), N_DOCUMENTS)
        rows += [(query, f"d{k}", value / 8) for k, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def write_run(path: Path, *, seed: int, shuffled: bool = True, **options: Any) -> None:
    """Write a run as Parquet, its rows in any order if it is shuffled."""
    frame = run_of(seed)
    frame = frame.sample(frac=1, random_state=seed) if shuffled else frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, path, **{"row_group_size": 30, **options})


def reciprocal_ranks(run: pd.DataFrame) -> dict[str, float]:
    """One over the rank of the first relevant document of every judged query, else 0."""
    found = dict.fromkeys(QRELS, 0.0)
    ranked = run.sort_values(["score", "doc_id"], ascending=[False, False])
    for query, rows in ranked.groupby("query_id"):
        for rank, document in enumerate(rows["doc_id"], 1):
            if QRELS.get(query, {}).get(document, 0) > 0:
                found[query] = 1 / rank
                break
    return found
