"""Results are equal to their copies, NaN and arrays included, and print themselves."""

import copy
import importlib
import json
import math
import pkgutil
import pydoc
from dataclasses import MISSING, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import abrank
from abrank import ArgumentError, Comparison, Ranking, power
from abrank._support.result import Result, record, same
from abrank.collections import CollectionsComparison

# What a user is given; other rooms hold what is made and used inside one call.
ROOMS = (
    "agreement", "annotation", "collections", "comparison", "design", "inference", "inspection",
    "planning", "ranking", "verdict",
)  # fmt: skip


def results_with_numbers() -> list[type[Any]]:
    result = {}
    for module in pkgutil.walk_packages(abrank.__path__, "abrank."):
        if module.name.split(".")[1] not in ROOMS:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if not (isinstance(value, type) and is_dataclass(value)) or name.startswith("_"):
                continue
            # Results with a report are compared by what the report holds.
            compared = value.__eq__ not in (object.__eq__, Result.__eq__)
            if compared and value.__module__ == module.name and numbers_of(value):
                result[f"{module.name}.{name}"] = value
    return list(result.values())


def numbers_of(cls: type[Any]) -> list[str]:
    return [f.name for f in fields(cls) if f.compare and ("float" in f.type or "Array" in f.type)]


def filled(cls: type[Any], number: float) -> Any:
    """An instance with a number of its own in every field of numbers, and None elsewhere."""
    result = object.__new__(cls)
    for field in fields(cls):
        value: Any = None if field.default is MISSING else field.default
        if field.name in numbers_of(cls):
            fresh = number * 1.0  # NaN by NaN: `is` does not tell that they are one object
            value = np.array([fresh, 0.5]) if "Array" in field.type else fresh
        object.__setattr__(result, field.name, value)
    return result


def test_a_result_of_nans_equals_another_and_no_other_number() -> None:
    for cls in results_with_numbers():
        nan, second = filled(cls, math.nan), filled(cls, 0.25)
        assert nan == filled(cls, float("nan"))
        assert nan == copy.deepcopy(nan)
        assert nan != second
        assert second == filled(cls, 0.25)
        assert nan != "text"


def test_a_plan_equals_its_copy_and_the_same_plan() -> None:
    plan = power(sd=0.2, effect=0.05)
    assert math.isnan(plan.mde)
    assert plan == copy.deepcopy(plan)
    assert hash(plan) == hash(copy.deepcopy(plan))
    assert plan == power(sd=0.2, effect=0.05)
    assert plan != replace(plan, rows=(replace(plan.rows[0], difference=0.06),))


def test_records_are_frozen_and_of_one_class() -> None:
    @record
    class Width:
        value: float

    @record
    class Height:
        value: float

    assert Width(0.5) != Height(0.5)
    assert len({Width(float("nan")), Width(float("nan")), Width(0.5)}) == 2
    with pytest.raises(AttributeError):
        Width(0.5).value = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError, match="unhashable"):
        hash(Width(np.zeros(2)))  # type: ignore[arg-type]


def test_what_is_the_same_is_so_all_the_way_down() -> None:
    nan = float("nan")
    assert same([{"a": (nan, np.array([nan]))}], [{"a": (nan, np.array([nan]))}])
    assert not same({"a": 1.0}, {"b": 1.0})
    assert not same((1.0,), (1.0, 2.0))
    assert not same((1.0,), [1.0])
    assert not same(np.array(["a"]), np.array(["b"]))
    assert same(np.array(["a"], object), np.array(["a"], object))
    assert not same(nan, None)


@pytest.mark.parametrize("kind", [Comparison, Ranking, CollectionsComparison])
def test_each_result_documents_what_all_of_them_offer(kind: type[Result]) -> None:
    help_text = pydoc.plaintext.document(kind)
    inherited = help_text.partition("inherited from")[2]
    for name in ("to_dict", "from_json", "report", "plot"):
        assert name in vars(kind)
        assert f"{name}(" not in inherited
    assert "A format alone, such as ``html``" in " ".join(help_text.replace("|", "").split())


def test_results_of_two_kinds_are_not_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    class One(Result): ...

    class Other(Result): ...

    with pytest.raises(ArgumentError, match="a One is not written in this format"):
        One().to_dict()
    monkeypatch.setattr(Result, "to_dict", lambda self: {"kind": "any"})
    for kind in (One, Other):
        monkeypatch.setattr(kind, "to_dict", Result.to_dict)
    assert One() == One()
    assert One() != Other()
    with pytest.raises(TypeError, match="unhashable"):
        hash(One())


def all_results() -> dict[str, Any]:
    """One result of every kind that is printed."""
    collection = abrank.simulate_runs(12, rng=1)
    runs = {"a": collection.baseline, "b": collection.candidate}
    pair = (collection.qrels, collection.baseline, collection.candidate)
    second = abrank.simulate_runs(12, rng=2)
    both = {"x": pair, "y": (second.qrels, second.baseline, second.candidate)}
    board = {
        name: (qrels, dict(zip(runs, systems, strict=True)))
        for name, (qrels, *systems) in both.items()
    }
    scores = abrank.evaluate(collection.qrels, runs, "AP")
    return {
        "comparison": abrank.compare(*pair, measures="AP"),
        "ranking": abrank.rank(collection.qrels, runs, measures="AP"),
        "collections": abrank.compare_collections(both, measures="AP"),
        "standings": abrank.rank_collections(board, measures="AP"),
        "plan": power(sd=0.2, effect=0.05),
        "audit": abrank.audit(50, 0.3, 0.35),
        "intervals": scores.intervals(),
        "judges": abrank.judge_agreement(collection.qrels, collection.qrels),
        "query": abrank.inspect_query(*pair, collection.qrels.query_ids[0]),
    }


@pytest.mark.slow
def test_every_result_speaks_the_language_of_the_field(tmp_path: Path) -> None:
    for name, result in all_results().items():
        assert result.summary() == str(result), name
        assert len(result.to_frame()) >= 1, name
        assert result.to_markdown().startswith("#"), name
        assert "</html>" in result.to_html(), name
        if name != "query":  # a view of one, of which nothing is written but its report
            assert json.loads(result.to_json()), name
            assert result.save(tmp_path / f"{name}.json").read_text() == result.to_json(), name
        if name in ("comparison", "ranking", "collections"):
            assert r"\begin{table}" in result.to_latex(digits=4), name
    kinds = {"comparison": Comparison, "ranking": Ranking, "collections": CollectionsComparison}
    for name, kind in kinds.items():
        assert kind.from_json(tmp_path / f"{name}.json").to_frame().shape[0] >= 1


def test_numbers_have_the_names_of_scipy_in_every_result() -> None:
    results = all_results()
    result, ranking, multiple = (results[name] for name in ("comparison", "ranking", "collections"))
    expected = stats.ttest_rel(result.b[:, 0], result.a[:, 0])
    assert result.pvalue == pytest.approx(expected.pvalue, abs=1e-12)
    limits = expected.confidence_interval()
    assert tuple(result.interval) == pytest.approx((limits.low, limits.high), abs=1e-12)
    assert result.significant == bool(expected.pvalue < 0.05)
    b, a = (ranking.scores[:, ranking.systems.index(name)] for name in ("b", "a"))
    low, high = ranking.pair_rows[0].a, ranking.pair_rows[0].b
    sign = 1.0 if (low, high) == ("a", "b") else -1.0
    d_z = sign * np.mean(b - a) / np.std(b - a, ddof=1)
    assert ranking.effect_size().loc[(low, high)] == pytest.approx(d_z, abs=1e-12)
    assert ranking.pvalue.loc[(low, high)] == ranking.pair_rows[0].pvalue_adj
    assert ranking.interval.loc[(low, high)].tolist() == list(ranking.pair_rows[0].interval)
    assert bool(ranking.significant.loc[(low, high)]) == ranking.pair_rows[0].told_apart
    assert multiple.pvalue == multiple.pooled.pvalue
    assert multiple.interval == multiple.pooled.interval
    assert multiple.effect_size("d_z") == multiple.pooled.effect_size("d_z")
    assert multiple.significant == (multiple.pvalue < 0.05)


@pytest.mark.slow
def test_a_report_without_a_path_is_written_here_and_says_so(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    result = abrank.compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    assert result.report() == Path("report.html")
    assert capsys.readouterr().out == "The report is in report.html\n"
    assert Path("report.html").read_text() == result.to_html()
    assert result.report(format="md") == Path("report.md")
