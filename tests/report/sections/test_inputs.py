"""The tests of ``abrank/report/sections/inputs.py``."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import unquote

import pytest

from abrank import Verdict, sample_documents
from abrank._support import display as f
from abrank.comparison import Alternative, Comparison, compare_scores
from abrank.comparison.evidence import CutoffCurve
from abrank.report import WRITERS, from_dict
from abrank.report.formats.text import documents_text
from abrank.report.model import Figure, Section, Table
from abrank.report.sections.inputs import depth, judging, sensitivity, sensitivity_sentence
from tests.report.written import card, html, text


@pytest.mark.slow
def test_the_command_finds_the_same(unjudged: Comparison) -> None:
    inputs = unjudged.provenance["inputs"]
    paths = [inputs[role]["path"] for role in ("qrels", "a", "b")]
    mine, theirs = unjudged.evidence.to_judge, sample_documents(*paths)
    assert mine.n_documents == theirs.n_documents == len(theirs.documents)
    swings = {(item.query_id, item.doc_id): item.swing for item in theirs.documents}
    for document in mine.documents:
        assert document.swing == pytest.approx(swings[document.query_id, document.doc_id])
    page = unescape(html(unjudged, drawer=lambda *_, **__: ""))
    assert f"abrank sample documents {' '.join(paths)} -m nDCG@10 --pool pool.txt" in page


def test_a_link_saves_the_pool_file(unjudged: Comparison) -> None:
    to_judge = unjudged.evidence.to_judge
    page = html(unjudged, drawer=lambda *_, **__: "")
    links = re.findall(r'href="data:text/plain;charset=utf-8,([^"]*)" download="([^"]*)"', page)
    files = {name: unquote(unescape(content)) for content, name in links}
    assert files["to-judge.txt"].splitlines() == [
        f"{document.query_id} 0 {document.doc_id}" for document in to_judge.documents
    ]


def test_judgments_that_move_nothing_are_said_to(unjudged: Comparison) -> None:
    to_judge = unjudged.evidence.to_judge
    level = replace(
        to_judge,
        documents=tuple(replace(document, swing=0.0) for document in to_judge.documents),
        n_documents=len(to_judge.documents),
    )
    section = judging(replace(unjudged, evidence=replace(unjudged.evidence, to_judge=level)))
    sentence = "12 documents that nobody judged are in the top 10 of A or B."
    assert section.finding == f"{sentence} No judgment of them moves Δ nDCG@10."
    assert section.blocks == ()


def test_documents_to_judge_are_told_in_the_terminal(unjudged: Comparison) -> None:
    to_judge = unjudged.evidence.to_judge
    assert to_judge is not None
    visible = documents_text(to_judge, maximum=2)
    assert len([line for line in visible.splitlines() if re.search(r" [+−]\d\.\d{3}$", line)]) == 2
    assert visible.endswith("and 10 more: --pool FILE writes all")
    sentence = documents_text(replace(to_judge, documents=(), n_documents=0), maximum=2)
    assert sentence.startswith(
        "Every document in the top 10 of A and of B is judged: Δ nDCG@10 is "
    )
    assert "swing" not in sentence


def test_an_older_file_renders_without_it(unjudged: Comparison) -> None:
    saved = unjudged.to_dict()
    for key in ("to_judge", "elsewhere", "documents"):
        del saved["evidence"][key]
    older = from_dict(saved)
    assert judging(older) is None
    assert 'id="judge"' not in html(older, drawer=lambda *_, **__: "")
    assert from_dict(unjudged.to_dict()) == unjudged


def test_nothing_is_to_judge_where_all_is_judged(runs: Comparison) -> None:
    assert runs.evidence.to_judge is None
    assert judging(runs) is None


def with_curves(made: Comparison, sides: tuple[int, ...] = ()) -> Section:
    """Return the section of curves whose intervals lie on these sides of 0."""
    n = len(sides)
    middle = tuple(0.1 * side for side in sides)
    curve = CutoffCurve(
        measure="nDCG", cutoffs=(1, 5, 10)[:n], mean_a=(0.3,) * n,
        mean_b=tuple(0.3 + item for item in middle), diff=middle,
        ci_low=tuple(item - 0.05 for item in middle),
        ci_high=tuple(item + 0.05 for item in middle), judged_a=(1.0,) * n, judged_b=(0.5,) * n,
    )  # fmt: skip
    result = depth(replace(made, evidence=replace(made.evidence, cutoff_curve=curve)))
    assert result is not None
    return result


def test_no_section_without_curves(make) -> None:
    assert depth(make(0.05)) is None


def test_table_is_the_curve(runs: Comparison) -> None:
    result = depth(runs)
    curve = runs.evidence.cutoff_curve
    assert [b.plot for b in result.blocks if isinstance(b, Figure)] == ["cutoffs"]
    table = next(b for b in result.blocks if isinstance(b, Table))
    assert [row[0].text for row in table.rows] == [f"nDCG@{k}" for k in curve.cutoffs]
    assert [row[0].text for row in table.rows if row[0].strong] == ["nDCG@10"]
    for i, row in enumerate(table.rows):
        assert [cell.text for cell in row[1:]] == [
            f.score(curve.mean_a[i]), f.score(curve.mean_b[i]), f.signed(curve.diff[i]),
            f.interval(curve.ci_low[i], curve.ci_high[i]),
            f.percent(curve.judged_a[i], sign=False), f.percent(curve.judged_b[i], sign=False),
        ]  # fmt: skip
        excludes = curve.ci_low[i] > 0 or curve.ci_high[i] < 0
        assert (row[3].tone in "ab") == excludes


def alternative(kind: str, verdict: Verdict, diff: float = 0.02, **more: object) -> Alternative:
    result = Alternative(
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
    return replace(result, **more)  # type: ignore[arg-type]


SHARED = alternative("shared-queries", Verdict.IDENTICAL, 0.0)
JUDGED = alternative("judged-only", Verdict.BETTER, 0.031)
DEEP = alternative("common-depth", Verdict.IDENTICAL, 0.0, depth=1000)
LIGHT = alternative(
    "without-supporting", Verdict.INCONCLUSIVE, -0.012, n_queries=28, left_out=("q1", "q2")
)


@pytest.fixture(scope="module")
def plain() -> Comparison:
    a = {f"q{i:02}": 0.4 + i / 100 for i in range(30)}
    b = {query: score + 0.1 + 0.01 * (i % 5) for i, (query, score) in enumerate(a.items())}
    return compare_scores(a, b, name_a="bm25", name_b="monot5")


@pytest.mark.parametrize(("found", "sentence"), [
    ((SHARED, JUDGED, DEEP, LIGHT),
     "would be “Identical” on the 30 queries that both runs have (Δ 0.000) and with both"
     " runs cut at rank 1\u202f000 (Δ 0.000); “Inconclusive” without 2 of 30 queries,"
     " those that speak most for it (Δ −0.012); it stays “Better” with judged documents"
     " only (Δ +0.031)."),
    ((JUDGED,), "stays “Better” with judged documents only (Δ +0.031)."),
    ((LIGHT,), "would be “Inconclusive” without 2 of 30 queries, those that speak most for it"
     " (Δ −0.012)."),
    ((alternative("missing-as-zero", Verdict.WORSE, -0.1, n_queries=100),),
     "would be “Worse” on all 100 queries with the missing ones scored 0 (Δ −0.100)."),
])  # fmt: skip
def test_what_another_choice_changes_comes_before_what_stays(plain, found, sentence) -> None:
    comparison = replace(plain, alternatives=found, digits=3)
    assert sensitivity_sentence(comparison) == f"The verdict {sentence}"


def test_nothing_is_shown_where_none_applies(plain: Comparison) -> None:
    bare = replace(plain, alternatives=())
    assert sensitivity_sentence(bare) == ""
    assert sensitivity(bare) is None
    assert "The verdict stays “" not in text(bare, detail="all")


@pytest.mark.slow
def test_every_format_says_it_below_the_numbers(plain: Comparison) -> None:
    comparison = replace(plain, alternatives=(SHARED, JUDGED))
    expected = sensitivity_sentence(comparison)
    visible = {
        "text": " ".join(text(comparison, detail="all").split()),
        "html": unescape(html(comparison)),
        "card": unescape(card(comparison)),
        "md": WRITERS[".md"](comparison).decode(),
    }
    for name, item in visible.items():
        assert expected in item, name
        # A page has it among the lines under the scorecard.
        after = '<section id="queries"' if name == "html" else "decides by the"
        assert item.index(expected) < item.index(after), name


def test_the_table_has_every_number(plain: Comparison) -> None:
    table, caption = sensitivity(replace(plain, alternatives=(SHARED, LIGHT), digits=3)).blocks
    rows = [[cell.text for cell in row] for row in table.rows]  # type: ignore[union-attr]
    assert [row[0] for row in rows] == [
        "As declared",
        "On the 30 queries that both runs have",
        "Without 2 of 30 queries, those that speak most for it",
    ]
    assert rows[0][1] == "▲ Better"
    assert rows[2][1:] == [
        "? Inconclusive", "−0.012", "−0.022 to −0.002", "0.012", "28", "0.300", "0.288",
    ]  # fmt: skip
    assert "q1 and q2" in caption.text  # type: ignore[union-attr]


@pytest.mark.parametrize("width", range(60, 90, 3))
def test_no_line_parts_a_difference_from_its_sign(plain: Comparison, width: int) -> None:
    visible = text(
        replace(plain, alternatives=(SHARED, JUDGED, DEEP, LIGHT)), width=width, detail="all"
    )
    lines = [line for line in visible.splitlines() if "(Δ" in line]
    assert lines
    assert not any(line.endswith("(Δ") for line in lines)
    assert "\N{NO-BREAK SPACE}" not in visible
    ascii_ = text(replace(plain, alternatives=(SHARED,)), width=width, ascii=True, detail="all")
    assert ascii_.isascii()
