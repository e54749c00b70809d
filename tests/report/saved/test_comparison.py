"""The tests of ``abrank/report/saved/comparison.py``."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abrank import compare, plots
from abrank._support.errors import NotFoundError, ReadError
from abrank.comparison import Comparison, compare_scores
from abrank.report import WRITERS, from_dict, read_results, to_dict
from abrank.report.data import json_bytes
from abrank.report.saved.comparison import differences
from tests.report.refused import Contradictions, why_refused
from tests.report.written import html

Make = Callable[..., Comparison]
CHEAP = [suffix for suffix in WRITERS if suffix != ".html"]


def again(comparison: Comparison) -> Comparison:
    return from_dict(json.loads(json_bytes(comparison)))


@pytest.mark.slow
def test_every_situation_comes_back(situation: Comparison) -> None:
    back = again(situation)
    assert back == situation
    assert [WRITERS[kind](back) for kind in CHEAP] == [WRITERS[kind](situation) for kind in CHEAP]


def test_runs_with_every_fault_come_back(
    judged: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = Comparison.from_json(judged.report(tmp_path / "results.json"))
    assert back == judged
    assert back.audits == judged.audits
    assert back.evidence == judged.evidence
    assert plots.svg("deltas", back) == plots.svg("deltas", judged)
    # Drawing takes seconds, and one figure has shown that it comes back.
    monkeypatch.setattr(plots, "svg", lambda name, *_, **how: f"<svg>{name} {how}</svg>")
    for kind in WRITERS:
        assert WRITERS[kind](back) == WRITERS[kind](judged)


@pytest.mark.parametrize(
    ("grades", "chips"),
    [
        ((0, 1, 2), {("g0", "0"), ("g1", "1"), ("g2", "2")}),
        ((0.0, 0.5, 1.25), {("g0", "0.0"), ("g1", "0.5"), ("g2", "1.25")}),
    ],
)
def test_grades_come_back_as_they_were(grades: tuple[float, ...], chips: set[Any]) -> None:
    docs = ("d1", "d2", "d3")
    qrels = {f"q{i}": dict(zip(docs, grades, strict=True)) for i in range(6)}
    a = {query: dict(zip(docs, (3.0, 2.0, 1.0), strict=True)) for query in qrels}
    b = {query: dict(zip(docs, (1.0, 2.0, 3.0), strict=True)) for query in qrels}
    comparison = compare(qrels, a, b, measures=["nDCG@10"])
    back = again(comparison)
    assert json_bytes(back) == json_bytes(comparison)
    for result in (comparison, back):
        page = html(result, drawer=lambda *_, **__: "")
        assert set(re.findall(r'class="chip (g[^"]*)">([^<]*)<', page)) == chips


def test_hostile_names_come_back(hostile: Comparison, tmp_path: Path) -> None:
    odd = replace(hostile, candidate="half \ud800")
    back = read_results(odd.report(tmp_path / "results.json"))
    assert back.candidate == "half \ud800"
    assert back == odd


def test_segments_topics_and_remarks_come_back() -> None:
    rng = np.random.default_rng(2)
    a = {f"q{i}": float(x) for i, x in enumerate(rng.random(30))}
    b = {query: value + 0.1 * float(rng.random()) for query, value in a.items()}
    intents = {query: "a" if i < 20 else "b" for i, query in enumerate(a)}
    comparison = compare_scores(a, b, segments={"intent": intents}, topics={"q1": "jaguar"})
    comparison = replace(comparison, remarks=("rel=2 does not concern nDCG",))
    back = again(comparison)
    assert back == comparison
    assert (back.segmentations, back.topics) == (comparison.segmentations, comparison.topics)
    assert back.remarks == comparison.remarks


def test_limits_without_end_and_undefined_numbers_come_back() -> None:
    constant = compare_scores({"q1": 0.1}, {"q1": 0.3})
    saved = to_dict(constant)
    assert saved["verdict"]["interval"]["low"] == "-inf"
    row = again(constant).primary
    assert (row.ci_low, row.ci_high) == (-np.inf, np.inf)
    assert saved["measures"][0]["pvalue"] is None
    assert np.isnan(row.pvalue)


def test_scores_keep_order_and_every_bit(make: Make) -> None:
    result = make(0.05, measures=3)
    back = again(result)
    np.testing.assert_array_equal(back.a, result.a)
    np.testing.assert_array_equal(back.b, result.b)
    assert back.confidence_interval(0.9) == result.confidence_interval(0.9)


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "part gone": (lambda d: d.pop("tests"), "results.json, tests: is not there"),
    "field gone": (
        lambda d: d["measures"][1].pop("pvalue"),
        "results.json, measures[1].pvalue: is not there",
    ),
    "text for a number": (
        lambda d: d["measures"][0].update(diff="much"),
        'results.json, measures[0].diff: expected a number or one of null, inf, -inf, found "much"',
    ),
    "number for a text": (
        lambda d: d["systems"].update(a=3),
        "results.json, systems.a: expected text, found 3",
    ),
    "truth for a count": (
        lambda d: d.update(seed=True),
        "results.json, seed: expected a whole number, found true",
    ),
    "list for an object": (
        lambda d: d.update(quality=[]),
        "results.json, quality: expected an object, found a list of 0",
    ),
    "object for a list": (
        lambda d: d.update(notes={}),
        "results.json, notes: expected a list, found an object",
    ),
    "null for a truth": (
        lambda d: d["verdict"].update(by_equivalence=None),
        "results.json, verdict.by_equivalence: expected true or false, found null",
    ),
    "a verdict of its own": (
        lambda d: d["verdict"].update(state="splendid"),
        "results.json, verdict.state: expected one of better,",
    ),
    "scores too few": (
        lambda d: d["queries"]["scores"]["AP"]["b"].pop(),
        "results.json, queries.scores.AP.b: has 99 entries, and there are 100 queries",
    ),
    "a score of nothing": (
        lambda d: d["queries"]["scores"]["AP"]["a"].__setitem__(3, None),
        "results.json, queries.scores.AP.a[3]: is no finite number",
    ),
    "a query twice": (
        lambda d: d["queries"]["query_id"].__setitem__(1, d["queries"]["query_id"][0]),
        'results.json, queries.query_id: "q0000" stands twice',
    ),
    "a measure more": (
        lambda d: d["queries"]["scores"].update(RR={"a": [], "b": []}),
        "results.json, queries.scores: not of the same measures",
    ),
    "a system more": (
        lambda d: d["queries"]["scores"]["AP"].update(c=[0.5] * 100),
        "results.json, queries.scores.AP: not of the two systems a and b",
    ),
    "no measure": (
        lambda d: (d["measures"].clear(), d["queries"]["scores"].clear()),
        "results.json, queries.scores: not of the same measures",
    ),
    "an unknown primary": (
        lambda d: d["settings"].update(primary="RR"),
        'results.json, settings.primary: "RR" is not among the measures',
    ),
    "an endless primary": (
        lambda d: d["settings"].update(primary="x" * 5000),
        'results.json, settings.primary: "xxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxx" is not among',
    ),
    "an impossible level": (
        lambda d: d["settings"].update(alpha=2),
        "results.json, settings: cannot be computed again: ",
    ),
    "a segment too long": (
        lambda d: d["segments"].append(
            {
                "name": "x",
                "labels": ["a"],
                "rows": [],
                "interaction_pvalue": 1,
                "interaction_pvalue_adj": 1,
                "reversal": False,
            }
        ),
        "results.json, segments[0].labels: has 1 entries",
    ),
    "three ends of a range": (
        lambda d: d["evidence"].update(tie_range=[0, 1, 2]),
        "results.json, evidence.tie_range: expected a list of 2, found a list of 3",
    ),
    "another schema": (
        lambda d: d.update(schema="abrank/3"),
        "results.json: was written by a newer abrank, in schema 3; this version reads schema 2\n"
        "  update abrank, or render it with the version that wrote it",
    ),
    "a ranking": (
        lambda d: d.update(schema="abrank-ranking/2"),
        "results.json: is a ranking, not a comparison",
    ),
    "no schema": (
        lambda d: d.pop("schema"),
        "results.json: holds no results of abrank: it names no schema",
    ),
}


@pytest.fixture(scope="module")
def saved(make: Make) -> str:
    return json_bytes(make(0.05, measures=2)).decode()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named_with_its_place(saved: str, damage: str) -> None:
    change, text = DAMAGES[damage]
    value = json.loads(saved)
    change(value)
    with pytest.raises(ReadError) as caught:
        from_dict(value)
    assert str(caught.value).startswith(text)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON: Expecting value"),
        ('{"schema": "abrank/1",', "line 1, column 23: no JSON"),
        ('{"p": NaN}', "no JSON: NaN is no number of JSON"),
        ("[1, 2]", "holds no results of abrank"),
        ("[" * 100_000, "no JSON"),
        ("\udcff", "no JSON"),
    ],
)
def test_what_is_no_json_is_told(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReadError, match=said) as caught:
        read_results(path)
    assert "abrank compare … --report results.json" in str(caught.value)


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such file"):
        read_results(tmp_path / "results.json")


@pytest.mark.slow
def test_a_design_comes_back_and_every_format_with_it(design: Comparison) -> None:
    again = from_dict(json.loads(json_bytes(design)))
    assert again == design
    assert again.clusters == design.clusters
    for kind in (".txt", ".md", ".json", ".junit", ".methods", ".csv"):
        assert WRITERS[kind](again) == WRITERS[kind](design)


@pytest.mark.slow
def test_a_level_that_was_asked_for_again_is_that_of_the_design(design: Comparison) -> None:
    interval = design.confidence_interval(design.rule.confidence)
    assert interval == pytest.approx(design.confidence_interval(), rel=1e-12)


DESIGNS_THAT_CONTRADICT: Contradictions = {
    "a level of another look": (
        lambda d: d["settings"]["design"].update(look=1) if d["settings"]["design"] else None,
        "settings.alpha: is 0.",
    ),
    "a look that was not planned": (
        lambda d: d["settings"]["design"].update(look=9),
        "look 9 is not one of 3",
    ),
    "a guard that passed after all": (
        lambda d: d["verdict"]["guards"][0].update(passed=not d["verdict"]["guards"][0]["passed"]),
        "verdict.guards[0].passed: is ",
    ),
    "a guard that was not declared": (
        lambda d: d["settings"]["guards"].clear(),
        "verdict.guards: is a list of 1, but the scores and rule of the file give a list of 0",
    ),
    "a guard of nothing compared": (
        lambda d: [item[0].update(measure="P@3") for item in
                   (d["settings"]["guards"], d["verdict"]["guards"])],
        "settings: cannot be computed again: ",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS_THAT_CONTRADICT)
def test_a_design_that_contradicts_itself_is_refused(looked: Comparison, name: str) -> None:
    change, message = DESIGNS_THAT_CONTRADICT[name]
    assert message in why_refused(json.loads(json_bytes(looked)), change)


@pytest.mark.slow
def test_a_query_in_another_cluster_is_refused(clustered: Comparison) -> None:
    def change(found: dict[str, Any]) -> None:
        found["clusters"]["labels"][0] = "somebody else"

    reason = why_refused(json.loads(json_bytes(clustered)), change)
    assert "but the scores and rule of the file give " in reason


def test_differences_name_the_place_and_pass_over_rounding() -> None:
    saved = {"rows": [{"pvalue": 0.007, "wins": 3}]}
    assert (
        repr(list(differences(saved, {"rows": [{"pvalue": 0.007 + 1e-15, "wins": 4}]})))
        == "[Difference(place='rows[0].wins', saved=3, again=4)]"
    )
