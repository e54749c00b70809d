"""Work shared out among threads."""

import itertools

import pytest

from abrank._support import work
from abrank._support.work import threaded_map


@pytest.mark.every_case
@pytest.mark.parametrize("n_threads", [1, 2, 8])
@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_order(n_threads, count, monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: n_threads)
    assert list(threaded_map(lambda x: x * x, range(count))) == [x * x for x in range(count)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_first_exception_ends_it(n_threads, monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: n_threads)
    result = threaded_map(lambda x: 1 // x, [2, 1, 0, 3, 0])
    assert [next(result), next(result)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(result)
    assert list(result) == []


def test_items_are_read_only_a_few_ahead(monkeypatch):
    monkeypatch.setattr(work.os, "cpu_count", lambda: 2)
    endless = threaded_map(abs, itertools.count())
    assert list(itertools.islice(endless, 100)) == list(range(100))
    endless.close()
