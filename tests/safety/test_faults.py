"""What ended in a fault of our own, or named the wrong file, ends in a sentence."""

import pandas as pd
import polars as pl
import pytest

import abrank
from tests.cli.conftest import write_runs

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}


class FalseCapsule:
    def __arrow_c_stream__(self, requested_schema=None):
        return "no capsule"


class FalseArray:
    def __arrow_c_array__(self, requested_schema=None):
        return 1, 2


class FalseFrame:
    def __dataframe__(self, **_):
        return 3


def wide_numbers() -> pl.DataFrame:
    score = pl.Series([1, 2], dtype=pl.Int128)
    return pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "score": score})


OBJECTS = {
    "a Series of pandas": (lambda: pd.Series([1.0, 2.0]), "a Series is one column"),
    "a Series of polars": (lambda: pl.Series([1.0, 2.0]), "Series hands over no table"),
    "128 bits": (wide_numbers, "hands over no table that Arrow can read: .*; cast its columns"),
    "a false capsule": (FalseCapsule, "FalseCapsule hands over no table"),
    "a false array": (FalseArray, "FalseArray hands over no table"),
    "a false frame": (FalseFrame, "not FalseFrame"),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("door", ["evaluate", "compare", "read_run", "read_qrels", "read_scores"])
def test_an_object_that_is_no_table(kind: str, door: str) -> None:
    make, words = OBJECTS[kind]
    calls = {
        "evaluate": lambda: abrank.evaluate(QRELS, {"A": make()}, ["RR"]),
        "compare": lambda: abrank.compare(QRELS, make(), RUN, measures=["RR"]),
        "read_run": lambda: abrank.read_run(make()),
        "read_qrels": lambda: abrank.read_qrels(make()),
        "read_scores": lambda: abrank.read_scores(make()),
    }
    with pytest.raises(abrank.ArgumentError, match=words):
        calls[door]()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_runs(tmp_path, 20, names=("q.txt", "a.run", "b.run"))


CALLS = {
    "compare q.txt a.run b.run -m AP --config resamples=99999999999999999999999": (2, "resamples"),
    "rank q.txt a.run b.run -m AP --resamples 99999999999999999999999": (2, "--resamples"),
    "compare q.txt a.run b.run -m AP --alpha 1e-300": (2, "alpha must be at least 1e-09"),
    "rank q.txt a.run b.run -m AP --alpha 1e-300": (2, "alpha must be at least 1e-09"),
    "compare q.txt http://host/a.parquet b.run -m AP": (3, "http://host/a.parquet: is no file of"),
    "compare https://host/q.txt a.run b.run -m AP": (3, "https://host/q.txt: is no file of this"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_ends_in_a_sentence(folder, command, call) -> None:
    code, words = CALLS[call]
    assert words in command(call.split(), code).err
