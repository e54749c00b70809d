"""Runs in Parquet of many layouts, damage to them, and a scorer that shares no code with abrank."""

import random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

N_QUERIES, N_DOCUMENTS = 40, 8
QRELS = {
    f"q{i:02}": {f"d{(i + k) % N_DOCUMENTS}": k % 2 for k in range(4)} for i in range(N_QUERIES)
}


def run_of(seed: int) -> pd.DataFrame:
    """A run, by query, its scores in some order; without ties."""
    sample = random.Random(f"run {seed}")
    rows = []
    for query in QRELS:
        values = sample.sample(range(1000), N_DOCUMENTS)
        rows += [(query, f"d{k}", value / 8) for k, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])


def write_run(path, *, seed, shuffled=True, **options) -> None:
    """Write a run as Parquet, its rows in any order if it is shuffled."""
    frame = run_of(seed)
    frame = frame.sample(frac=1, random_state=seed) if shuffled else frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table, path, **{"row_group_size": 30, **options})


def reciprocal_ranks(run: pd.DataFrame) -> dict[str, float]:
    """One over the rank of the first relevant document of every judged query, else 0."""
    fromkeys = dict.fromkeys(QRELS, 0.0)
    ranked = run.sort_values(["score", "doc_id"], ascending=[False, False])
    for query, rows in ranked.groupby("query_id"):
        for rank, document in enumerate(rows["doc_id"], 1):
            if QRELS.get(query, {}).get(document, 0) > 0:
                fromkeys[query] = 1 / rank
                break
    return fromkeys


def average_precisions(run: pd.DataFrame) -> dict[str, float]:
    """Average precision of every judged query, 0 where nothing was found."""
    fromkeys = dict.fromkeys(QRELS, 0.0)
    ranked = run.sort_values(["score", "doc_id"], ascending=[False, False])
    for query, rows in ranked.groupby("query_id"):
        grades = QRELS.get(query, {})
        hits, total = 0, 0.0
        for rank, document in enumerate(rows["doc_id"], 1):
            if grades.get(document, 0) > 0:
                hits += 1
                total += hits / rank
        fromkeys[query] = total / max(1, sum(grade > 0 for grade in grades.values()))
    return fromkeys


ENCODINGS = {
    "query_id": ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"],
    "doc_id": ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"],
    "score": ["PLAIN", "BYTE_STREAM_SPLIT"],
}


def layout(drawn: random.Random):
    """Options of pyarrow's writer, drawn."""
    options = {
        "compression": drawn.choice(["none", "snappy", "zstd", "gzip", "lz4", "brotli"]),
        "row_group_size": drawn.choice([16, 50, 1000]),
        "data_page_size": drawn.choice([64, 1024, 1 << 20]),
        "data_page_version": drawn.choice(["1.0", "2.0"]),
        "write_statistics": drawn.random() < 0.7,
        "write_page_index": drawn.random() < 0.3,
        "write_page_checksum": drawn.random() < 0.6,
        "store_schema": drawn.random() < 0.5,
        "use_dictionary": drawn.random() < 0.5,
        "version": drawn.choice(["1.0", "2.4", "2.6"]),
    }
    if not options["use_dictionary"]:
        options["column_encoding"] = {
            name: drawn.choice(names) for name, names in ENCODINGS.items()
        }
    return options


def damaged(content: bytes, drawn: random.Random) -> bytes:
    """Change some bytes, half of the time in the footer; cut out, put in or cut off some."""
    data = bytearray(content)
    footer = int.from_bytes(data[-8:-4], "little") + 8
    for _ in range(drawn.choice([1, 1, 1, 2, 3, 8])):
        behind = footer if drawn.random() < 0.5 else len(data)
        position = len(data) - 1 - drawn.randrange(min(behind, len(data)))
        kind = drawn.random()
        if kind < 0.4:
            data[position] = drawn.randrange(256)
        elif kind < 0.8:
            data[position] ^= 1 << drawn.randrange(8)
        elif kind < 0.88:
            del data[position : position + drawn.randrange(1, 5)]
        elif kind < 0.96:
            data[position:position] = drawn.randbytes(drawn.randrange(1, 5))
        else:
            data[position : position + 64] = bytes(len(data[position : position + 64]))
    return bytes(data) if drawn.random() < 0.97 else bytes(data[: drawn.randrange(len(data))])
