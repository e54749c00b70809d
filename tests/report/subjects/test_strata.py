"""What several collections say, in a sentence."""

import json
from dataclasses import replace

import pytest

from abrank import ReadError, compare_scores, simulate_runs
from abrank.collections import CollectionsComparison, compare_collections
from abrank.collections.compare import summarise_collections
from abrank.report import compose
from abrank.report.model import Words
from abrank.report.subjects.strata import _scorecard, title
from abrank.rule import Reason, Soundness
from tests.report.written import text


@pytest.fixture(scope="module")
def found():
    a = {f"q{i}": (7 * i % 20) / 20 for i in range(20)}
    b = {query: 0.9 * value + 0.08 for query, value in a.items()}
    second = tuple({f"p{q}": 0.999 * score for q, score in scores.items()} for scores in (a, b))
    return compare_collections({"x": (a, b), "y": second, "<z>": (a, a)})


@pytest.mark.parametrize(("these", "like", "said"), [
    ("better", "better",
     "B is better than A on average over these 3 collections (ahead on 2), and on"),
    ("worse", "unclear",
     "B is worse than A on average over these 3 collections (ahead on 2); this"),
    ("better", "worse", "B is better than A over all queries (ahead on 2), but worse on average"),
    ("unclear", "worse", "B is worse than A on average over collections like these; over all"),
    ("unclear", "unclear", "These 3 collections cannot tell B from A: B is ahead on 2."),
    ("identical", "identical", "A and B score the same on every query of every collection."),
])  # fmt: skip
def test_the_title_answers_both_questions(found, these, like, said) -> None:
    primary = replace(
        found.primary,
        stratified=replace(found.primary.stratified, reading=these),
        random=replace(found.primary.random, reading=like),
    )
    assert title(replace(found, measures=(primary,))).startswith(said)


@pytest.mark.slow
def test_markdown_does_not_explain_what_it_does_not_draw(found, tmp_path) -> None:
    legend = _scorecard(Words(found), found.primary).legend
    assert any(line.startswith("Thick: a collection's own interval") for line in legend)
    written = found.report(tmp_path / "collections.md").read_text("utf-8")
    assert "are adjusted for all collections" in written
    assert "Thick" not in written
    assert "Thin through" not in written


def test_too_few_collections_that_vary_are_told() -> None:
    tie = {"q1": 0.5, "q2": 0.25}
    first = {"q1": 0.5}
    sentence = text(compare_collections({"x": (tie, tie), "y": (first, {"q1": 0.7})}), detail="all")
    sentence = " ".join(sentence.split())
    assert "Too few collections vary to say anything of collections like these." in sentence
    assert "differ by more than chance" not in sentence
    assert "! untested" in sentence


@pytest.mark.slow
@pytest.mark.parametrize(("n", "cautious"), [(20, True), (21, False)])
def test_the_prediction_interval_of_few_collections_is_told_to_miss(n, cautious) -> None:
    a = {"q1": 0.5, "q2": 0.25, "q3": 0.4}
    arguments = {
        f"c{i}": (
            {f"{i} {q}": v for q, v in a.items()},
            {f"{i} {q}": v + 0.1 + (i % 4) * v / 9 for q, v in a.items()},
        )
        for i in range(n)
    }
    sentence = text(compare_collections(arguments), detail="all").replace("\n", " ")
    assert "One more collection would have a Δ of" in sentence
    assert ("this interval covers the truth less often than 95%" in sentence) is cautious


def test_a_saved_comparison_that_is_another_thing_is_refused(found, tmp_path) -> None:
    path = found["x"].report(tmp_path / "results.json")
    with pytest.raises(ReadError, match="is no report of a CollectionsComparison"):
        CollectionsComparison.from_json(path)
    value = found.to_dict()
    a = {f"q{i}": i / 9 for i in range(5)}
    comparison = compare_scores(a, {query: 1 - score for query, score in a.items()}, test="sign")
    value["collections"][1]["comparison"] = comparison.to_dict()
    path.write_text(json.dumps(value))
    sentence = (
        "collections: the collection 'y' was compared by other measures or another test than 'x'"
    )
    with pytest.raises(ReadError, match=sentence):
        CollectionsComparison.from_json(path)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [None, 0.02, 0.15])
def test_headline_and_next_step_are_of_one_verdict(margin) -> None:
    collections = {f"c{i}": simulate_runs(60, effect=0.05 + 0.02 * i, rng=i) for i in range(4)}
    pairs = {
        name: (first.qrels, first.baseline, first.candidate) for name, first in collections.items()
    }
    result = compare_collections(pairs, measures=["nDCG@10"], margin=margin)
    head = compose(result).headline
    assert (str(result.verdict), head.tag, head.title.partition(": ")[2]) == {
        None: ("inconclusive", "Unclear over all queries", "candidate is ahead on 3."),
        0.02: (
            "not-worse", "Not worse over all queries",
            "candidate is not worse than baseline by 0.020 or more; a gain is not significant.",
        ),
        0.15: (
            "same", "Same in practice over all queries", "candidate and baseline differ by less"
            " than 0.150.",
        ),
    }[margin]  # fmt: skip


def test_a_doubt_about_one_collection_stands_in_its_row() -> None:
    few = compare_scores({"q1": 0.2, "q2": 0.4, "q3": 0.1}, {"q1": 0.3, "q2": 0.6, "q3": 0.4})
    scores = {f"r{i}": i / 20 for i in range(9)}
    many = compare_scores(scores, {query: 0.1 + 1.1 * score for query, score in scores.items()})
    reason = Reason("unjudged-decide")
    results = {
        name: replace(
            result, decision=replace(result.decision, soundness=Soundness((reason,) * doubted))
        )
        for name, result, doubted in (("sure", many, 0), ("doubted", many, 1), ("unclear", few, 1))
    }
    for place, name in enumerate(results):  # no query is in two collections
        ids = tuple(f"{place}{query}" for query in results[name].query_ids)
        results[name] = replace(results[name], query_ids=ids)
    summary = summarise_collections(results)
    rows = {row[0].text: row[-1].text for row in _scorecard(Words(summary), summary.primary).rows}
    assert [rows[name] for name in results] == ["▲ better", "▲ better, doubtful", "? unclear"]


def test_beside_a_margin_rows_say_that_they_are_held_against_0(found) -> None:
    readings = [row[-1].text for row in compose(found).scorecard.rows]
    assert any(text.startswith("▲ better") for text in readings)
    assert not any("than 0" in text for text in readings)
    a = {f"q{i}": (7 * i % 20) / 20 for i in range(20)}
    b = {query: 0.9 * value + 0.08 for query, value in a.items()}
    second = tuple({q: 0.999 * x for q, x in scores.items()} for scores in (a, b))
    card = compose(compare_collections({"x": (a, b), "y": second}, margin=0.02)).scorecard
    assert {row[-1].text for row in card.rows} <= {"▲ better than 0", "? unclear"}
