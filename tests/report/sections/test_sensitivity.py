"""The sentence on other choices, under the verdict of every format, and its table."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from abrank import compare
from abrank._support.errors import AbrankError
from abrank.comparison import Alternative, Comparison, compare_scores
from abrank.report import WRITERS, compose, from_dict
from abrank.report.saved.comparison import read_comparison
from abrank.report.sections.inputs import sensitivity, sensitivity_sentence
from abrank.simulate import simulate_runs
from abrank.verdict import Verdict
from tests.report.written import card, html, text


def alternative(kind: str, verdict: Verdict, diff: float = 0.02, **more: object) -> Alternative:
    made = Alternative(
        kind=kind,  # type: ignore[arg-type]
        n_queries=30,
        mean_a=0.3,
        mean_b=0.3 + diff,
        diff=diff,
        ci_low=diff - 0.01,
        ci_high=diff + 0.01,
        pvalue=0.012 if abs(diff) > 0.01 else 0.5,
        verdict=verdict,
        changes=verdict is not Verdict.BETTER,
    )
    return replace(made, **more)  # type: ignore[arg-type]


SHARED = alternative("shared-queries", Verdict.IDENTICAL, 0.0)
JUDGED = alternative("judged-only", Verdict.BETTER, 0.031)
DEEP = alternative("common-depth", Verdict.IDENTICAL, 0.0, depth=1000)
LIGHT = alternative("without-influential", Verdict.INCONCLUSIVE, -0.012, left_out=("q1", "q2"))


@pytest.fixture(scope="module")
def plain() -> Comparison:
    a = {f"q{i:02}": 0.4 + i / 100 for i in range(30)}
    b = {query: score + 0.1 + 0.01 * (i % 5) for i, (query, score) in enumerate(a.items())}
    return compare_scores(a, b, name_a="bm25", name_b="monot5")


def said(comparison: Comparison, *found: Alternative) -> str:
    return sensitivity_sentence(replace(comparison, alternatives=found, digits=3))


def test_what_changes_comes_first_by_verdict(plain: Comparison) -> None:
    assert said(plain, SHARED, JUDGED, DEEP, LIGHT) == (
        "The verdict would be “Identical” on the 30 queries that both runs have (Δ 0.000) and with"
        " both runs cut at rank 1\u202f000 (Δ 0.000); “Inconclusive” without the three most"
        " influential queries (Δ −0.012); it stays “Better” with judged documents only (Δ +0.031)."
    )


def test_where_nothing_changes_it_says_so(plain: Comparison) -> None:
    assert said(plain, JUDGED) == (
        "The verdict stays “Better” with judged documents only (Δ +0.031)."
    )


def test_where_nothing_stays_it_says_no_more(plain: Comparison) -> None:
    assert said(plain, LIGHT) == (
        "The verdict would be “Inconclusive” without the three most influential queries (Δ −0.012)."
    )


def test_dropped_queries_are_scored_0_in_the_other_analysis(plain: Comparison) -> None:
    zero = alternative("missing-as-zero", Verdict.WORSE, -0.1, n_queries=100)
    assert said(plain, zero) == (
        "The verdict would be “Worse” on all 100 queries with the missing ones scored 0 (Δ −0.100)."
    )


def test_nothing_is_shown_where_none_applies(plain: Comparison) -> None:
    bare = replace(plain, alternatives=())
    assert sensitivity_sentence(bare) == ""
    assert sensitivity(bare) is None
    assert "verdict stays" not in text(bare)
    assert any(line.startswith("Other choices") for line in compose(bare).omitted)


def test_every_format_says_it_below_the_numbers(plain: Comparison) -> None:
    comparison = replace(plain, alternatives=(SHARED, JUDGED))
    expected = sensitivity_sentence(comparison)
    shown = {
        "text": " ".join(text(comparison).split()),
        "html": unescape(html(comparison)),
        "card": unescape(card(comparison)),
        "md": WRITERS[".md"](comparison).decode(),
    }
    for name, each in shown.items():
        assert expected in each, name
        # A page has it among the lines under the scorecard.
        after = '<section id="queries"' if name == "html" else "decides by the"
        assert each.index(expected) < each.index(after), name


def test_the_table_has_every_number(plain: Comparison) -> None:
    section = sensitivity(replace(plain, alternatives=(SHARED, LIGHT), digits=3))
    assert section is not None
    table, caption = section.blocks
    rows = [[cell.text for cell in row] for row in table.rows]  # type: ignore[union-attr]
    assert [row[0] for row in rows] == [
        "As declared",
        "On the 30 queries that both runs have",
        "Without the three most influential queries",
    ]
    assert rows[0][1] == "▲ Better"
    assert rows[2][1:] == [
        "? Inconclusive", "−0.012", "−0.022 to −0.002", "0.012", "30", "0.300", "0.288",
    ]  # fmt: skip
    assert "q1 and q2" in caption.text  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def of_runs() -> Comparison:
    """Compare runs of which one lacks queries, and of which one is deeper."""
    made = simulate_runs(40, rng=3)
    rows = made.candidate.frame()
    rows = rows[rows["query_id"].isin(made.qrels.query_ids[:36])]
    shallow = rows[rows.groupby("query_id").cumcount() < 15]
    return compare(made.qrels, made.baseline, shallow, measures="AP")


def test_it_is_saved_and_read_back(of_runs: Comparison, tmp_path: Path) -> None:
    kinds = {each.kind for each in of_runs.alternatives}
    assert {"shared-queries", "common-depth", "judged-only", "without-influential"} <= kinds
    path = of_runs.report(tmp_path / "results.json")
    again = read_comparison(path)
    assert again.alternatives == of_runs.alternatives
    assert again == of_runs
    assert sensitivity_sentence(again) == sensitivity_sentence(of_runs)
    assert str(again) == str(of_runs)


def test_a_file_with_another_is_refused(of_runs: Comparison) -> None:
    saved = of_runs.to_dict()
    saved["sensitivity"][-1]["diff"] += 0.01
    with pytest.raises(AbrankError, match="sensitivity"):
        from_dict(saved)


def test_files_without_it_still_render(plain: Comparison, tmp_path: Path) -> None:
    path = plain.report(tmp_path / "results.json")
    saved = json.loads(path.read_text("utf-8")) | {"schema": "abrank/1"}
    del saved["sensitivity"], saved["checksum"]
    path.write_text(json.dumps(saved), encoding="utf-8")
    again = read_comparison(path)
    assert again.alternatives == plain.alternatives
    assert sensitivity_sentence(again) == sensitivity_sentence(plain) != ""


@pytest.mark.parametrize("width", range(60, 90, 3))
def test_no_line_parts_a_difference_from_its_sign(plain: Comparison, width: int) -> None:
    shown = text(replace(plain, alternatives=(SHARED, JUDGED, DEEP, LIGHT)), width=width)
    lines = [line for line in shown.splitlines() if "(Δ" in line]
    assert lines
    assert not any(line.endswith("(Δ") for line in lines)
    assert "\N{NO-BREAK SPACE}" not in shown
    ascii_ = text(replace(plain, alternatives=(SHARED,)), width=width, ascii=True)
    assert ascii_.isascii()
