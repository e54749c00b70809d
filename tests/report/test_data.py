"""Every result in numbers at full precision: plain values and JSON, CSV, Parquet."""

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from abrank.comparison import Comparison, compare_scores
from abrank.report import to_dict
from abrank.report.data import json_bytes, laid_out, plain


def test_json_reads_back_to_the_same_values(situation: Comparison) -> None:
    text = json_bytes(situation).decode()
    assert text.endswith("}\n")
    for word in ("NaN", "Infinity"):
        assert word not in text
    assert json.loads(text) == to_dict(situation)


def test_parts_are_those_of_the_comparison(judged: Comparison) -> None:
    result = to_dict(judged)
    assert (result["schema"], result["systems"]) == ("abrank/2", {"a": "good", "b": "poor"})
    assert result["settings"]["primary"] == "nDCG@10"
    assert result["measures"][0]["pvalue"] == judged.rows[0].pvalue
    assert result["tests"][0]["decides"] is True
    assert result["quality"]["b"]["missing"] == ["q2", "q3"]
    assert [note["code"] for note in result["notes"]] == [note.code for note in judged.notes]
    assert result["provenance"]["inputs"]["a"]["rows"] == 8
    assert result["verdict"]["interval"]["low"] == judged.decision.ci_low
    assert result["verdict"]["gate"] is None


def test_plain_knows_every_kind_of_value() -> None:
    value = {
        "nan": np.float64("nan"), "inf": float("-inf"), "set": {"b", "a"}, "path": Path("x") / "y",
        "bool": np.bool_(True), 3: np.int64(1), "proxy": MappingProxyType({"k": (1, None)}),
        "array": np.array([[1.0, np.inf]]),
    }  # fmt: skip
    assert plain(value) == {
        "nan": None, "inf": "-inf", "set": ["a", "b"], "path": str(Path("x") / "y"), "bool": True,
        "3": 1, "proxy": {"k": [1, None]}, "array": [[1.0, "inf"]],
    }  # fmt: skip


def test_equal_comparisons_have_equal_dicts(judged: Comparison) -> None:
    assert judged == replace(judged, provenance={})
    assert judged != replace(judged, seed=1)


@pytest.mark.parametrize("value", [{}, [], {"a": []}, {"a": [[{"b": []}]]}, "half \ud800"])
def test_whatever_is_laid_out_reads_back(value: object) -> None:
    text = "".join(laid_out(value))
    assert json.loads(text) == value
    assert text.encode("utf-8")


def test_results_json_has_one_line_a_fact() -> None:
    result = json_bytes(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))
    assert result.decode().splitlines()[:2] == ["{", '  "schema": "abrank/2",']


def test_a_list_of_numbers_stands_on_one_line() -> None:
    assert "".join(laid_out({"p": [0.5, None]})) == '{\n  "p": [0.5, null]\n}'
