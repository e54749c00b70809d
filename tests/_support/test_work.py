"""Answers found again by the content of arrays; work shared out among threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from abrank._support import work
from abrank._support.work import remembered, threaded_map

Made = tuple[Callable[..., float], list[int]]


@pytest.fixture(name="made")
def _made() -> Made:
    """Return a function that keeps two answers, and the list of the calls that computed one."""
    calls: list[int] = []

    @remembered(2)
    def total(values: np.ndarray, weights: np.ndarray | None = None) -> float:
        calls.append(len(calls))
        return float(values.sum() if weights is None else values @ weights)

    return total, calls


def test_the_same_content_is_computed_once(made: Made) -> None:
    total, calls = made
    table = np.arange(8.0).reshape(4, 2)
    assert total(table[:, 0]) == total(table[:, 0].copy()) == 12.0
    assert len(calls) == 1


def test_an_array_changed_since_is_another(made: Made) -> None:
    total, calls = made
    values = np.ones(3)
    assert total(values) == 3.0
    values[1] = 5.0
    assert total(values) == 7.0
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((np.zeros(2),), (-np.zeros(2),)),
        ((np.zeros(2),), (np.zeros(3),)),
        ((np.zeros(2),), (np.zeros((2, 1)),)),
        ((np.zeros(2),), (np.zeros(2, np.int64),)),
        ((np.ones(2),), (np.ones(2), np.ones(2))),
        ((np.ones(2), None), (np.ones(2), np.ones(2))),
    ],
)
def test_what_differs_is_computed_anew(made: Made, one, other) -> None:
    total, calls = made
    total(*one)
    total(*other)
    assert len(calls) == 2


def test_not_a_number_is_itself(made: Made) -> None:
    total, calls = made
    total(np.array([np.nan]))
    total(np.array([np.nan]))
    assert len(calls) == 1


def test_the_answer_longest_kept_goes_first(made: Made) -> None:
    total, calls = made
    for value in (1.0, 2.0, 3.0, 2.0, 1.0):
        total(np.array([value]))
    assert len(calls) == 4


def test_a_function_cannot_change_what_it_is_given() -> None:
    @remembered(1)
    def spoil(values: np.ndarray) -> None:
        values[0] = 9.0

    with pytest.raises(ValueError, match="read-only"):
        spoil(np.ones(2))


def test_columns_of_arrow_are_compared_by_content() -> None:
    calls = []

    @remembered(1)
    def length(column: pa.Array) -> int:
        calls.append(column)
        return len(column)

    assert [length(pa.array(["a", "b"])) for _ in range(2)] == [2, 2]
    assert length(pa.array(["a", "c", "d"])[:2]) == 2
    assert len(calls) == 2


@pytest.mark.parametrize("n_threads", [1, 2, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_order(n_threads, count, monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: n_threads)
    assert list(threaded_map(lambda x: x * x, range(count))) == [x * x for x in range(count)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_first_exception_ends_it(n_threads, monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: n_threads)
    found = threaded_map(lambda x: 1 // x, [2, 1, 0, 3, 0])
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert list(found) == []


def test_items_are_read_only_a_few_ahead(monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: 2)
    endless = threaded_map(abs, itertools.count())
    assert list(itertools.islice(endless, 100)) == list(range(100))
    endless.close()
