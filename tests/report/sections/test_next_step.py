"""The one next step: by inputs, gate, unjudged documents and verdict, in every format."""

import json
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank._support import display as f
from abrank.comparison import Comparison, compare_scores
from abrank.comparison.compare import with_soundness
from abrank.diagnostics import Note
from abrank.planning.student import queries_needed
from abrank.report import WRITERS, compose
from abrank.report.sections.inputs import sensitivity
from abrank.report.sections.next_step import next_step
from abrank.rule import Reason, Soundness
from tests.report.written import card

CASES = [
    (0.05, {"margin": 0.01}, "ship", "Ship monot5: its gain is larger than the margin."),
    (0.05, {}, "ship-if", "Ship monot5 if any gain is worth the change."),
    (0.05, {"margin": 0.04}, "ship-if",
     "Ship monot5 if a gain below the margin of 0.040 is worth the change."),
    (0.001, {"margin": 0.03}, "either",
     "Keep bm25 or ship monot5, as cost decides: the difference is too small to matter."),
    (0.01, {"margin": 0.02}, "ship-if",
     "Ship monot5 if not losing 0.020 is enough; a gain would need more queries."),
    (-0.01, {"margin": 0.02}, "do-not-ship",
     "Do not ship monot5 for its quality: a gain of 0.020 or more is excluded."),
    (-0.05, {"margin": 0.04}, "do-not-ship",
     "Do not ship monot5: its loss may be smaller than the margin."),
    (-0.05, {"margin": 0.01}, "do-not-ship",
     "Do not ship monot5: its loss is larger than the margin."),
    (-0.05, {}, "do-not-ship", "Do not ship monot5: it is worse than bm25."),
    # A gate that was declared decides what to do.
    (0.05, {"margin": 0.01, "require": "better"}, "ship", "it passes the gate."),
    (0.01, {"margin": 0.02, "require": "non-inferior"}, "ship", "it passes the gate."),
    (0.03, {"margin": 0.06, "require": "better"}, "do-not-ship",
     "its gain is too small to matter."),
    (0.05, {"margin": 0.04, "require": "better"}, "add-queries",
     "the gain seen (+0.050) is larger than the margin of 0.040, but a smaller one"),
    # A difference that is shown, and may reach the margin: no plan for a true Δ of 0 answers that.
    (-0.05, {"margin": 0.06, "require": "non-inferior"}, "add-queries",
     "Add queries: the loss seen (−0.050) is smaller than the margin of 0.060, but a larger one"
     " is not excluded yet."),
    (0.05, {"margin": 0.06, "require": "equivalent"}, "add-queries",
     "Add queries: the gain seen (+0.050) is smaller than the margin of 0.060,"),
    # That no loss was shown is no evidence: the gate passes, and the verdict decides.
    (0.01, {"require": "no-significant-loss"}, "declare-margin",
     "Declare the smallest Δ worth having"),
]  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize(("mean", "how", "action", "sentence"), CASES)
def test_every_verdict_and_gate_has_its_step(make, mean, how, action, sentence) -> None:
    step = next_step(make(mean, **how))
    assert step.action == action
    assert sentence in step.sentence


def test_more_queries_are_those_that_show_the_margin(make) -> None:
    needed = queries_needed(0.1, 0.005)
    assert needed is not None
    # Two observed differences, one plan: what was observed plays no part.
    for mean in (0.002, 0.005):
        assert next_step(make(mean, margin=0.005)).sentence == (
            f"Add queries: about {f.about(needed)} in all would, 80% of the time, prove a Δ of"
            " the margin, 0.005."
        )
    beyond = next_step(make(0.005, margin=1e-9)).sentence
    assert beyond.startswith("Add queries: no practical number of them would prove a Δ")


def test_without_a_margin_it_asks_for_one(make) -> None:
    comparison = make(0.005)
    step = next_step(comparison)
    assert step.action == "declare-margin"
    # What these queries can show is no margin, and is said elsewhere.
    assert f.least(comparison.planning.smallest_visible) not in step.sentence
    assert step.sentence.endswith(": abrank margin helps to choose.")


def test_where_nothing_changed_either_may_stay(make) -> None:
    step = next_step(make(0.0, sd=0.0))
    assert (step.action, step.headline) == ("either", "Keep bm25 or ship monot5")
    assert step.sentence.endswith("If a change was expected, check which systems were compared.")


def test_what_cannot_be_tested_is_sent_back() -> None:
    assert next_step(compare_scores({"q": 0.2}, {"q": 0.5})).action == "add-queries"


@pytest.mark.parametrize(("highest", "said"), [
    (3, "Choose a grade that the judgments have as the lowest relevant one (--config rel=…),"
     " and"),
    (0, "Take judgments with a relevant document, and"),
])  # fmt: skip
def test_judgments_without_a_relevant_document_are_mended_first(make, highest, said) -> None:
    tied = make(0.0, sd=0.0)
    for measure, mended in (("nDCG@10", True), ("AP", False)):
        note = Note("none-relevant", 3, {"measures": [measure], "rel": 5, "highest": highest})
        step = next_step(with_soundness(replace(tied, notes=(note,))))
        assert (step.sentence == f"{said} compare again.") is mended


def test_documents_are_judged_where_they_could_change_the_verdict(make) -> None:
    comparison = make(0.05)
    evidence = replace(comparison.evidence, n_unjudged=(12, 340))
    soundness = Soundness((Reason("unjudged-decide", {"verdict": "inconclusive"}),))
    decision = replace(comparison.decision, soundness=soundness)
    step = next_step(replace(comparison, evidence=evidence, decision=decision))
    assert step.action == "judge"
    assert step.sentence == (
        "Judge the unjudged documents, 340 of monot5 and 12 of bm25: they could change the verdict."
    )


@pytest.mark.slow
def test_every_format_says_it(situation: Comparison) -> None:
    step = next_step(situation)
    assert compose(situation).headline.next_step == step.sentence
    for kind in (".md", ".txt", ".tex"):
        text = WRITERS[kind](situation).decode()
        assert " ".join(step.sentence.split(" ")[:2]) in " ".join(text.split()), kind
    visible = unescape(card(situation))
    assert compose(situation).headline.sentence in visible
    assert ("Next step." in visible) == bool(compose(situation).headline.further_step)
    assert json.loads(WRITERS[".json"](situation))["next_step"] == step.action


def test_judge_first_where_one_run_is_judged_less() -> None:
    data = abrank.simulate_runs(60, rng=16)
    old = data.baseline.frame()
    pool = old[old["rank"] <= 30][["query_id", "doc_id"]]
    qrels = data.qrels.frame().merge(pool)
    result = abrank.compare(qrels, data.baseline, data.candidate, measures=["nDCG@10"])
    step = next_step(result)
    assert step.headline == "Judge more documents of candidate"
    assert step.sentence.startswith("Judge more documents of candidate first (abrank sample doc")
    assert "of the first ten 100.0% of A and" in step.sentence
    changed = [item for item in result.alternatives if item.verdict is not result.verdict]
    section = sensitivity(result)
    assert changed
    assert section.finding == "The verdicts by other choices."
    even = abrank.compare(data.qrels, data.baseline, data.candidate, measures=["nDCG@10"])
    assert "judge" not in next_step(even).sentence.casefold()


def test_a_level_that_is_not_usual_stands_beside_p() -> None:
    a = pd.DataFrame({"AP": np.linspace(0.1, 0.5, 12)})
    b = a + np.resize([0.04, 0.03, -0.02], (12, 1))
    usual, strict = (abrank.compare_scores(a, b, alpha=alpha) for alpha in (0.05, 0.001))
    assert "(α " not in usual.summary()
    assert f"p {strict.pvalue:.3f} (α 0.001)" in " ".join(strict.summary().split())
