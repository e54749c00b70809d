import pickle

from abrank import compare_scores
from abrank._support.result import Deferred


def test_items_are_computed_once_when_they_are_looked_at() -> None:
    visited: list[str] = []

    def item(name: str) -> str:
        visited.append(name)
        return name

    items = Deferred(lambda: item("a"), lambda: item("b"), lambda: item("c"))
    assert len(items) == 3
    assert not visited
    assert next(iter(items)) == items[0] == "a"
    assert visited == ["a"]
    assert items == ("a", "b", "c")
    assert items[1:] == ("b", "c")
    assert visited == ["a", "b", "c"]
    assert pickle.loads(pickle.dumps(items)) == ("a", "b", "c")


def test_a_comparison_runs_the_tests_that_do_not_decide_when_they_are_asked_for(monkeypatch):
    a = {str(i): 0.1 * (i % 7) for i in range(40)}
    b = {query: score + 0.01 * (int(query) % 5) for query, score in a.items()}
    result = compare_scores(a, b)
    monkeypatch.setattr("abrank.inference.run_test", lambda name, *_, **__: 1 / (name == "t"))
    assert next(row.pvalue for row in result.test_rows if row.decides) == result.pvalue
