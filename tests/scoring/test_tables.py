"""A table of scores in every shape, under every name, at every door, of every library.

One set of scores of two variants stands in each table. What every door gives is held to
``scipy.stats.ttest_rel`` on the scores themselves, and to the other doors to the last bit.
"""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

import abrank
from abrank import read_scores
from abrank.comparison import pair_scores
from abrank.ranking.rank import read_systems

N = 30
RNG = np.random.default_rng(41)
BASE = np.clip(RNG.beta(2.0, 3.0, N), 0.01, 0.99).round(4)
SCORES = {
    "a": {"nDCG@10": BASE, "R@100": (BASE**0.5).round(4)},
    "b": {
        "nDCG@10": np.clip(BASE + RNG.normal(0.04, 0.1, N), 0.0, 1.0).round(4),
        "R@100": (BASE**0.4).round(4),
    },
}
QUERIES = [f"q{i:02}" for i in range(N)]

VARIANT_NAMES = (
    "variant", "arm", "group", "system", "run", "model", "ranker", "method", "engine", "algorithm",
    "treatment", "bucket", "experiment", "config", "name", "retriever", "pipeline", "side",
)  # fmt: skip
QUERY_NAMES = (
    "query_id", "qid", "query", "q", "topic", "topic_id", "question", "id", "request_id",
    "session_id", "user_id", "test_case", "example_id", "prompt_id", "what",
)  # fmt: skip
PAIRS = (
    ("control", "treatment"), ("baseline", "candidate"), ("A", "B"), ("old", "new"),
    ("prod", "test"), ("v1", "v2"), ("before", "after"), ("champion", "challenger"),
)  # fmt: skip


def long(query="query_id", variant="variant", names=PAIRS[0]) -> pd.DataFrame:
    """Return a row per query and variant."""
    parts = [
        pd.DataFrame({query: QUERIES, variant: name, **SCORES[side]})
        for side, name in zip("ab", names, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def shuffled(query, variant, names) -> pd.DataFrame:
    """Return the rows in no order, with what stands beside scores in real tables."""
    frame = long(query, variant, names)
    frame["text"] = [f"What is, or was, {query}?" for query in frame[query]]
    frame["top_doc"] = [f"d{i % 7}" for i in range(len(frame))]
    frame["device"] = np.where(frame[query].str[-1].astype(int) % 2, "phone", "desk")
    return frame.sample(frac=1.0, random_state=5).reset_index(drop=True)


def tidy(query, variant, names) -> pd.DataFrame:
    """Return a row per score."""
    return long(query, variant, names).melt([query, variant], var_name="metric", value_name="value")


def wide(query, _, names) -> pd.DataFrame:
    """Return a column per variant, of one measure."""
    columns = {name: SCORES[side]["nDCG@10"] for side, name in zip("ab", names, strict=True)}
    return pd.DataFrame({query: QUERIES, **columns})


def suffixed(form: str):
    """Return a column per measure and variant, by a form of their names."""

    def build(query, _, names) -> pd.DataFrame:
        columns = {
            form.format(m=measure, v=name): SCORES[side][measure]
            for side, name in zip("ab", names, strict=True)
            for measure in SCORES[side]
        }
        return pd.DataFrame({query: QUERIES, **columns})

    return build


def settings(query, _, names) -> pd.DataFrame:
    """Return several columns that make the variant together; two of them differ."""
    frame = long(query, "method", names)
    frame["chunk_size"] = 256
    assign = frame.assign(chunk_size=512, **{"nDCG@10": frame["R@100"]})
    return pd.concat([assign, frame], ignore_index=True)


SHAPES = {
    "long": long, "shuffled": shuffled, "tidy": tidy, "wide": wide,
    **{f"wide {form}": suffixed(form) for form in ("{m}_{v}", "{v}_{m}", "{m}/{v}", "{v}.{m}")},
}  # fmt: skip


def files(frame, folder):
    """Yield the same table as every library and file has it."""
    polars = pytest.importorskip("polars", reason="it is in the extra `test`")
    yield "pandas", frame
    yield "polars", polars.from_pandas(frame)
    yield "polars, lazy", polars.from_pandas(frame).lazy()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    yield "pyarrow", table
    duckdb = pytest.importorskip("duckdb", reason="it is in the extra `test`")
    yield "DuckDB", duckdb.from_arrow(table)
    frame.to_csv(folder / "a.csv", index=False)
    yield "CSV", folder / "a.csv"
    frame.to_csv(folder / "a.tsv", index=False, sep="\t")
    yield "TSV", folder / "a.tsv"
    frame.to_csv(folder / "index.csv")
    yield "CSV with an index", folder / "index.csv"
    frame.to_csv(folder / "excel.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
    yield "CSV of a spreadsheet", folder / "excel.csv"
    frame.to_json(folder / "a.jsonl", orient="records", lines=True, double_precision=15)
    yield "JSON lines", folder / "a.jsonl"
    frame.to_json(folder / "a.json", orient="records", double_precision=15)
    yield "JSON", folder / "a.json"
    frame.to_parquet(folder / "a.parquet", index=False)
    yield "Parquet", folder / "a.parquet"
    frame.set_index(frame.columns[0]).rename_axis(None).to_parquet(folder / "index.parquet")
    yield "Parquet with an index", folder / "index.parquet"
    pyarrow.feather.write_feather(table, folder / "a.feather")
    yield "Feather", folder / "a.feather"
    yield "dicts", frame.to_dict("records")
    categories = {name: "category" for name in frame if frame[name].dtype == object}
    yield "categories", frame.astype(categories)


def doors(source, names, *, every):
    """Yield the scores of both variants as each door reads them: float64[n_queries, 2]."""
    pair = pair_scores(source, measures="nDCG@10")
    assert pair.systems == names
    yield "compare", pair.values[:, :, 0]
    if not every:
        return
    for door, scores in (
        ("rank", read_systems(source, measures="nDCG@10")),
        ("read", read_scores(source)),
    ):
        measure = "nDCG@10" if "nDCG@10" in scores.measures else "score"
        places = [scores.systems.index(name) for name in names]
        yield door, scores.values[:, places, scores.measures.index(measure)]


def cells(n_shapes: int):
    """Yield shapes under names: all names of one kind with the plain names of the others."""
    for i, shape in enumerate(SHAPES):
        several = PAIRS if n_shapes > 1 or shape == "wide" else (PAIRS[0], PAIRS[i])
        for names in several if shape != "tidy" else PAIRS[:3]:
            yield shape, "query_id", "variant", names
    for shape, query in itertools.product(("long", "tidy", "wide")[:n_shapes], QUERY_NAMES[1:]):
        yield shape, query, "variant", PAIRS[0]
    for shape, variant in itertools.product(("long", "shuffled", "tidy")[:n_shapes], VARIANT_NAMES):
        yield shape, "query_id", variant, PAIRS[1]


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_table_is_read_alike_at_every_door(tmp_path, whole) -> None:
    """Every day files are of two shapes, and other names are read at one door."""
    expected = np.stack([SCORES[side]["nDCG@10"] for side in "ab"], axis=1)
    n_cells, wrong = 0, []
    for shape, query, variant, names in cells(3 if whole else 1):
        frame = SHAPES[shape](query, variant, names)
        plain = (query, variant, names) == ("query_id", "variant", PAIRS[0])
        in_files = plain and (whole or shape in ("shuffled", "wide {m}_{v}"))
        for engine, source in files(frame, tmp_path) if in_files else [("pandas", frame)]:
            try:
                for door, values in doors(source, names, every=plain or whole):
                    n_cells += 1
                    if not np.array_equal(values, expected):
                        wrong.append((shape, query, variant, names, engine, door))
            except abrank.AbrankError as error:
                wrong.append((shape, query, variant, names, engine, str(error)))
    assert not wrong, "\n".join(map(str, wrong))
    assert n_cells >= (750 if whole else 140)


def test_frames_with_levels_of_names_and_queries_in_the_index() -> None:
    frame = long().set_index(["query_id", "variant"])
    expected = np.stack([SCORES[side]["nDCG@10"] for side in "ab"], axis=1)
    unstacked = frame.unstack("variant")
    for source in (
        frame, frame.swaplevel(), unstacked, unstacked.swaplevel(axis=1),
        long().set_index("query_id"), wide("query_id", "", PAIRS[0]).set_index("query_id"),
        wide("query_id", "", PAIRS[0]).set_index("query_id").rename_axis(None),
    ):  # fmt: skip
        pair = pair_scores(source, measures="nDCG@10")
        assert pair.systems == PAIRS[0]
        np.testing.assert_array_equal(pair.values[:, :, 0], expected)
