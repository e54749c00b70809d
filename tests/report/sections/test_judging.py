"""What to judge next: numbers that scoring again gives, sentences, and files to save."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from urllib.parse import unquote

import pytest

import abrank
from abrank.comparison import Comparison
from abrank.report import from_dict
from abrank.report.formats.text import documents_text
from abrank.report.sections.inputs import judging, tipping_sentence
from abrank.scoring.judging import sample_documents
from tests.report.written import html, markdown, text


def again(comparison: Comparison, *, more: list[tuple[str, str, int]]) -> Comparison:
    """Compare once more, with some documents judged."""
    inputs = comparison.provenance["inputs"]
    qrels, a, b = (inputs[role]["path"] for role in ("qrels", "a", "b"))
    rows = abrank.read_qrels(qrels).frame()[["query_id", "doc_id", "relevance"]]
    judged = [tuple(row) for row in rows.to_numpy().tolist()]
    return abrank.compare([*judged, *more], a, b, measures=["nDCG@10"])


def test_swings_are_what_scoring_with_the_judgment_gives(unjudged: Comparison) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    assert len(found.documents) == 12
    assert found.difference == pytest.approx(unjudged.mean_difference)
    for each in (found.documents[0], found.documents[5], found.documents[11]):
        more = again(unjudged, more=[(each.query_id, each.doc_id, found.grade)])
        moved = (more.mean_difference - unjudged.mean_difference) * unjudged.n_queries
        assert each.swing == pytest.approx(moved, abs=1e-9)
    sizes = [abs(each.swing) for each in found.documents]
    assert sizes == sorted(sizes, reverse=True)


def test_the_tipping_list_turns_the_sign_as_it_says(unjudged: Comparison) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    assert found.tipping
    turned = again(unjudged, more=[(e.query_id, e.doc_id, found.grade) for e in found.tipping])
    assert turned.mean_difference == pytest.approx(found.tipped, abs=1e-9)
    assert found.tipped * found.difference <= 0


def test_the_command_finds_the_same(unjudged: Comparison) -> None:
    inputs = unjudged.provenance["inputs"]
    paths = [inputs[role]["path"] for role in ("qrels", "a", "b")]
    mine, theirs = unjudged.evidence.to_judge, sample_documents(*paths)
    assert mine is not None
    assert mine.n_documents == theirs.n_documents == len(theirs.documents)
    assert mine.tipped == pytest.approx(theirs.tipped)
    assert [each.doc_id for each in mine.tipping] == [each.doc_id for each in theirs.tipping]
    swings = {(each.query_id, each.doc_id): each.swing for each in theirs.documents}
    for each in mine.documents:
        assert each.swing == pytest.approx(swings[each.query_id, each.doc_id])
    page = unescape(html(unjudged, drawer=lambda *_, **__: ""))
    assert f"abrank sample documents {' '.join(paths)} -m nDCG@10 --pool pool.txt" in page


def test_a_link_saves_the_pool_file(unjudged: Comparison) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    page = html(unjudged, drawer=lambda *_, **__: "")
    links = re.findall(r'href="data:text/plain;charset=utf-8,([^"]*)" download="([^"]*)"', page)
    files = {name: unquote(unescape(content)) for content, name in links}
    assert files["to-judge.txt"].splitlines() == [
        f"{each.query_id} 0 {each.doc_id}" for each in found.documents
    ]
    assert len(files["tipping-list.txt"].splitlines()) == len(found.tipping)


def test_the_sentence_says_how_many_turn_it_and_to_what(unjudged: Comparison) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    said = tipping_sentence(unjudged)
    assert said == (
        f"If the {len(found.tipping)} unjudged documents of the tipping list were all relevant, the"
        " sign of Δ nDCG@10 would turn, from"
        f" {unjudged.mean_difference:+.3f} to {found.tipped:+.3f}.".replace("-", "−")
    )
    assert said in markdown(unjudged)
    one = replace(found, tipping=found.tipping[:1])
    few = replace(unjudged, evidence=replace(unjudged.evidence, to_judge=one))
    assert "the 1 unjudged document of the tipping list was relevant" in tipping_sentence(few)
    none = replace(found, tipping=())
    never = replace(unjudged, evidence=replace(unjudged.evidence, to_judge=none))
    assert tipping_sentence(never).startswith("No choice of up to")


def test_what_is_not_known_or_hangs_on_no_difference_is_not_said(
    unjudged: Comparison, runs: Comparison
) -> None:
    assert tipping_sentence(runs) == ""
    found = unjudged.evidence.to_judge
    assert found is not None
    level = replace(
        found,
        tipping=(),
        difference=0.0,
        documents=tuple(replace(each, swing=0.0) for each in found.documents),
        n_documents=len(found.documents),
    )
    of = replace(unjudged, evidence=replace(unjudged.evidence, to_judge=level))
    assert tipping_sentence(of) == ""
    section = judging(of)
    assert section is not None
    said = "12 documents that nobody judged are in the top 10 of A or B."
    assert section.finding == f"{said} No judgment of them moves Δ nDCG@10."
    assert section.blocks == ()


def test_documents_that_turn_nothing_are_told_in_the_terminal(unjudged: Comparison) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    shown = documents_text(replace(found, tipping=()), tipping=False, most=2)
    assert "\nNo choice of up to " in shown
    assert shown.count("swing +") + shown.count("swing −") == 2
    assert shown.endswith("and 10 more: --pool FILE writes all")
    none = replace(found, tipping=(), documents=(), n_documents=0)
    said = documents_text(none, tipping=False, most=2)
    assert said.startswith("0 documents in the top 10 of A or B that nobody judged")
    assert "swing" not in said
    assert "No choice" not in said


def test_the_terminal_has_a_line_where_a_shown_difference_hangs_on_few(
    unjudged: Comparison,
) -> None:
    found = unjudged.evidence.to_judge
    assert found is not None
    few = replace(found, tipping=found.tipping[:3])
    hangs = replace(unjudged, evidence=replace(unjudged.evidence, to_judge=few))
    shown = replace(hangs, decision=replace(hangs.decision, direction=1))
    line = "judge     If 3 unjudged documents were all relevant, the sign of Δ would turn."
    assert line in text(shown).splitlines()
    assert "judge " not in text(replace(hangs, decision=replace(hangs.decision, direction=0)))


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
