"""The tests of ``abrank/report/saved/comparison.py``."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from abrank import Comparison, NotFoundError, ReadError, compare, compare_scores, plots
from abrank.report import WRITERS, from_dict, read_results, to_dict
from abrank.report.data import json_bytes
from abrank.report.saved.comparison import differences
from tests.report.conftest import DESIGNS, Make
from tests.report.refused import GONE, why_refused
from tests.report.written import html

CHEAP = [suffix for suffix in WRITERS if suffix != ".html"]


def again(comparison: Comparison) -> Comparison:
    return from_dict(json.loads(json_bytes(comparison)))


@pytest.mark.slow
def test_every_situation_comes_back(situation: Comparison) -> None:
    back = again(situation)
    assert back == situation
    assert [WRITERS[kind](back) for kind in CHEAP] == [WRITERS[kind](situation) for kind in CHEAP]


def test_runs_with_every_fault_come_back(judged, tmp_path, monkeypatch) -> None:
    back = Comparison.from_json(judged.report(tmp_path / "results.json"))
    assert back == judged
    assert back.audits == judged.audits
    assert back.evidence == judged.evidence
    assert plots.svg("deltas", back) == plots.svg("deltas", judged)
    # Drawing takes seconds, and one figure has shown that it comes back.
    monkeypatch.setattr(plots, "svg", lambda name, *_, **how: f"<svg>{name} {how}</svg>")
    for kind in WRITERS:
        assert WRITERS[kind](back) == WRITERS[kind](judged)


@pytest.mark.parametrize(("grades", "chips"), [
    ((0, 1, 2), {("g0", "0"), ("g1", "1"), ("g2", "2")}),
    ((0.0, 0.5, 1.25), {("g0", "0.0"), ("g1", "0.5"), ("g2", "1.25")}),
])  # fmt: skip
def test_grades_come_back_as_they_were(grades, chips) -> None:
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


def test_hostile_names_come_back(hostile, tmp_path) -> None:
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


SCHEMA_3 = """was written by a newer abrank, in schema 3; this version reads schema 2
  update abrank, or render it with the version that wrote it"""
SEGMENT = {"name": "x", "labels": ["a"], "rows": [], "reversal": False}
SEGMENT |= {"interaction_pvalue": 1, "interaction_pvalue_adj": 1}
DAMAGES = [
    ("tests", GONE, ", tests: is not there"),
    ("measures/1/pvalue", GONE, ", measures[1].pvalue: is not there"),
    ("seed", True, ", seed: expected a whole number, found true"),
    ("queries/scores/AP/b", [0.5] * 99, ", queries.scores.AP.b: has 99 entries, and there are 100"),
    ("queries/scores/AP/a/3", None, ", queries.scores.AP.a[3]: is no finite number"),
    ("queries/query_id/1", "q0000", ', queries.query_id: "q0000" occurs twice'),
    ("queries/scores/RR", {"a": [], "b": []}, ", queries.scores: not of the same measures"),
    ("queries/scores/AP/c", [0.5] * 100, ", queries.scores.AP: not of the two systems a and b"),
    ("measures", [], ", queries.scores: not of the same measures"),
    ("settings/primary", "RR", ', settings.primary: "RR" is not among the measures'),
    ("settings/primary", "x" * 5000, f', settings.primary: "{"x" * 19}…{"x" * 19}" is not among'),
    ("settings/alpha", 2, ", settings: cannot be computed again: "),
    ("segments", [SEGMENT], ", segments[0].labels: has 1 entries"),
    ("schema", "abrank/3", f": {SCHEMA_3}"),
    ("schema", "abrank-ranking/2", ": is a ranking, not a comparison"),
    ("schema", GONE, ": holds no results of abrank: it names no schema"),
]


@pytest.mark.every_case
@pytest.mark.parametrize(("place", "value", "text"), DAMAGES)
def test_damage_is_named_with_its_place(saved, place, value, text) -> None:
    assert why_refused(json.loads(saved), place, value).startswith(f"results.json{text}")


@pytest.fixture(scope="module")
def saved(make: Make) -> str:
    return json_bytes(make(0.05, measures=2)).decode()


@pytest.mark.parametrize(("text", "said"), [
    ("", "not JSON: Expecting value"),
    ('{"schema": "abrank/1",', "line 1, column 23: not JSON"),
    ('{"p": NaN}', "not JSON: NaN is no number of JSON"),
    ("[1, 2]", "holds no results of abrank"),
    ("[" * 100_000, "not JSON"),
    ("\udcff", "not JSON"),
])  # fmt: skip
def test_what_is_no_json_is_told(tmp_path, text, said) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReadError, match=said) as caught:
        read_results(path)
    assert "abrank compare … --report results.json" in str(caught.value)


def test_no_file_is_told(tmp_path) -> None:
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


@pytest.mark.slow
@pytest.mark.parametrize(("design", "place", "value", "message"), [
    ("a look", "settings/design/look", 1, "settings.alpha: is 0."),
    ("a look", "settings/design/look", 9, "look 9 of 3 is impossible"),
    ("a look", "verdict/guards/0/passed", lambda x: not x, "verdict.guards[0].passed: is "),
    ("a look", "settings/guards", [], "verdict.guards: is a list of 1, but the scores and rule"),
    ("a look", "settings/guards/0/measure", "P@3", "settings: cannot be computed again: "),
    ("clusters", "clusters/labels/0", "nobody", "but the scores and rule of the file give "),
])  # fmt: skip
def test_a_design_that_contradicts_itself_is_refused(design, place, value, message) -> None:
    assert message in why_refused(json.loads(json_bytes(DESIGNS[design]())), place, value)


def test_differences_name_the_place_and_pass_over_rounding() -> None:
    saved = {"rows": [{"pvalue": 0.007, "wins": 3}]}
    assert (
        repr(list(differences(saved, {"rows": [{"pvalue": 0.007 + 1e-15, "wins": 4}]})))
        == "[Difference(place='rows[0].wins', saved=3, again=4)]"
    )
    shares = differences([0.5, 0.5], [0.5 + 1e-12, 0.5 + 5e-7])
    assert [difference.saved for difference in shares] == [0.5]
