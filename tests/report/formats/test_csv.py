"""CSV: every digit, and no formula."""

import csv
import io
import math

import pytest

from abrank.comparison import Comparison, compare_scores
from abrank.report import to_dict
from abrank.report.data import csv_cell
from tests.report.written import table


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_measures_have_every_digit(situation: Comparison) -> None:
    for line, row in zip(rows(table(situation)), to_dict(situation)["measures"], strict=True):
        assert line.pop("soundness") == situation.soundness.level
        assert list(line) == list(row)
        for key, value in row.items():
            if isinstance(value, float):
                assert float(line[key]) == value
            else:
                assert line[key] == ("" if value in (None, "inf", "-inf") else str(value))


def test_queries_have_every_digit(situation: Comparison) -> None:
    result, expected = rows(table(situation, ".queries.csv")), situation.queries_of()
    assert [line["query_id"] for line in result] == expected["query_id"].tolist()
    for column in ("a", "b", "diff"):
        assert [float(line[column]) for line in result] == expected[column].tolist()


def test_no_cell_is_a_formula(hostile: Comparison) -> None:
    for text in (table(hostile, ".queries.csv"), table(hostile)):
        for line in rows(text):
            for value in line.values():
                assert not value.startswith(("=", "+", "@"))
                assert not value.startswith("-") or math.isfinite(float(value))
    ids = {line["query_id"] for line in rows(table(hostile, ".queries.csv"))}
    assert '\'=cmd|"/c calc"!A1' in ids
    assert "'@octocat" in ids
    assert "two\nlines\r\n# heading" in ids


def test_segments_have_every_digit_and_no_formula() -> None:
    a = {f"q{i}": 0.1 * i for i in range(20)}
    b = {query: 1.01 * value + 0.1 for query, value in a.items()}
    labels = {query: "=x" if i % 2 else "know" for i, query in enumerate(a)}
    comparison = compare_scores(a, b, segments={"@intent": labels})
    lines = rows(table(comparison, ".segments.csv"))
    (by,) = comparison.segmentations
    for line, row in zip(lines, by.rows, strict=True):
        assert (line["property"], line["label"]) == ("'@intent", row.label.replace("=x", "'=x"))
        assert float(line["ci_low_adj"]) == row.ci_low_adj
        assert float(line["interaction_pvalue"]) == by.interaction_pvalue
    assert list(rows(table(compare_scores(a, b), ".segments.csv"))) == []


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_every_beginning_of_a_formula_is_quoted(text: str) -> None:
    assert csv_cell(text) == f"'{text}"
    assert csv_cell("q=1") == "q=1"
