"""What is counted, and runs that do not belong to the judgments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from abrank import AlignmentError, read_qrels
from abrank.inputs import Audit, read_judged_run
from abrank.inputs.id_differences import how_ids_differ


def counts(qrels: object, run: object) -> Audit:
    return read_judged_run(read_qrels(qrels), run).audit


def test_every_count(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(
        b"\xef\xbb\xbf# note\n"
        b"1 Q0 a 1 5 t\n1 Q0 b 2 5 u\n1 Q0 c 3 6 t\n1 Q0 x 4 1 t\n"
        b"9 Q0 a 1 1 t\n"
    )
    table = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 1}}
    found = counts(table, tmp_path / "a.run")
    assert found.n_queries == 2
    assert found.missing == ("2",)
    assert found.extra == ("9",)
    assert found.n_rows == 5
    assert (found.n_tied_rows, found.n_queries_with_ties) == (2, 1)
    assert found.n_rank_conflicts == 1
    assert found.n_duplicates_dropped == 0
    assert found.judged_at_10 == 0.5
    assert found.n_unjudged_at_10 == 2
    assert (found.n_judgments, found.n_negative_grades) == (4, 1)
    assert found.grades == (-1, 0, 1, 2)
    assert found.tags == ("t", "u")
    assert (found.n_comments, found.byte_order_mark) == (1, True)
    assert found.path == str(tmp_path / "a.run")
    assert len(found.sha256 or "") == 64


def test_judged_at_10_looks_at_ten_and_averages_over_queries_with_results() -> None:
    deep = {f"d{i:02d}": float(-i) for i in range(20)}
    judged = {f"d{i:02d}": 0 for i in (0, 1, 2, 3, 9, 10, 11)}
    found = counts({"1": judged, "2": {"a": 1}, "3": {"a": 1}}, {"1": deep, "2": {"a": 1.0}})
    assert found.judged_at_10 == (0.5 + 1.0) / 2
    assert found.n_unjudged_at_10 == 5


def test_it_goes_into_json() -> None:
    plain = counts({"1": {"a": 1}}, {"1": {"a": 1.0}}).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["missing"] == []
    assert plain["judged_at_10"] == 1.0


def test_one_common_query_is_enough() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"2": {"a": 1.0}}
    assert counts(qrels, run).missing == ("1",)


def test_no_common_query_names_both_files(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 d 1\n" for q in (301, 302, 303, 304)))
    (tmp_path / "a.run").write_text("301.0 Q0 d 1 1 t\n")
    with pytest.raises(AlignmentError) as caught:
        counts(tmp_path / "q.txt", tmp_path / "a.run")
    assert str(caught.value).splitlines() == [
        f"no query is in both {tmp_path / 'q.txt'} and {tmp_path / 'a.run'}",
        '  qrels: 301, 302, 303 …   run: 301.0   the ids differ by ".0"',
    ]


def test_no_guess_no_words() -> None:
    with pytest.raises(AlignmentError) as caught:
        counts({"a": {"d": 1}}, {"b": {"d": 1.0}})
    assert str(caught.value).splitlines()[1] == "  qrels: a   run: b"


@pytest.mark.parametrize(
    ("qrels", "run", "words"),
    [
        (["301"], ["301.0"], '".0"'),
        (["301.0"], ["301"], '".0"'),
        (["7"], ["007"], "leading zeros"),
        (["Q1"], ["q1"], "upper and lower case"),
        (["1"], ['"1"'], "blanks or quotes"),
        (["1"], ["\ufeff1"], "a byte order mark"),
        (["303"], ["x303"], 'the prefix "x"'),
        (["wt-303"], ["303"], 'the prefix "wt-"'),
        (["303"], ["303_1"], 'the ending "_1"'),
    ],
)
def test_guesses(qrels: list[str], run: list[str], words: str) -> None:
    assert words in how_ids_differ(qrels, run)


def test_nothing_in_common_no_guess() -> None:
    assert how_ids_differ(["a", "b"], ["c"]) == ""
