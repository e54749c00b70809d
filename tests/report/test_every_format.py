"""Every result in every format: one table, so that no subject lacks what the next one has."""

import re
from functools import cache
from html import unescape
from xml.etree import ElementTree as ET

import pytest

from abrank import compare_scores, inspect_query, judge_agreement, power
from abrank._support import display as f
from abrank._support.display import display_width
from abrank._support.errors import ArgumentError
from abrank.collections import compare_collections, rank_collections
from abrank.ranking import rank_scores
from abrank.report import WRITERS, card, compose, html, markdown, text, to_dict
from tests.report.formats.page import OF_MARKDOWN, rendered

HOSTILE = "<b>|`x`_y_ \x1b[31m\u202e@me \\input{x} & 50%"
A = {f"q{i}": (7 * i % 20) / 20 for i in range(20)}
B = {query: 0.9 * score + 0.08 + 0.01 * (i % 3) for i, (query, score) in enumerate(A.items())}
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 0}, "q3": {"d4": 1}}
OTHERS = {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 2, "d3": 0}, "q3": {"d4": 0}}
RUNS = {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, {"q1": {"d9": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}
NAMES = {"name_a": "base", "name_b": HOSTILE}


def of_collection(name: str) -> tuple[dict[str, float], ...]:
    """Return the scores with queries of a collection, each a little lower by its name."""
    share = 1.0 - 0.001 * len(name)
    return tuple({f"{name} {query}": share * x for query, x in scores.items()} for scores in (A, B))


def of_judges() -> object:
    runs = dict(zip(("a", HOSTILE), RUNS, strict=True))
    return judge_agreement(QRELS, OTHERS, runs, measure="P@1")


SUBJECTS = {
    "comparison": lambda: compare_scores(A, B, margin=0.01, require="better", **NAMES),
    "ranking": lambda: rank_scores({"base": A, HOSTILE: B, "c": dict(B)}),
    "ranking against a baseline": lambda: rank_scores({"base": A, HOSTILE: B}, baseline="base"),
    "collections": lambda: compare_collections({"x": (A, B), HOSTILE: of_collection("y")}),
    "standings": lambda: rank_collections(
        {c: dict(zip(("base", HOSTILE), of_collection(c), strict=True)) for c in ("x", HOSTILE)}
    ),
    "judges": of_judges,
    "plan": lambda: power(sd=0.2, queries=100, margin=0.02),
    "query": lambda: inspect_query(QRELS, *RUNS, "q1", measures=["RR", "P@2"]),
}
# What is no comparison of systems has no table for a paper, no methods, and no scores of queries.
PLAIN = ("judges", "plan", "query")
LACKING = {".tex", ".methods", ".bib", ".parquet", ".csv"}


@cache
def result_of(name: str):
    return SUBJECTS[name]()


@cache
def report_of(name: str):
    return compose(result_of(name))


@pytest.fixture(params=SUBJECTS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.usefixtures("nothing_drawn")
@pytest.mark.parametrize("suffix", WRITERS)
def test_each_is_written_or_refused_with_its_reason(name: str, suffix: str) -> None:
    if name in PLAIN and suffix in LACKING | ({".json"} if name == "query" else set()):
        with pytest.raises(ArgumentError, match=r"there is no|is not written"):
            WRITERS[suffix](result_of(name))
        return
    result = WRITERS[suffix](result_of(name))
    assert len(result) > 40
    if suffix != ".parquet":
        visible = result.decode()
        assert visible.endswith(("\n", "</html>"))
        assert suffix in (".json", ".csv") or not {"\x1b", "\u202e"} & {*visible}
        bare = re.sub(r"<(style|script)>.*?</\1>", "", visible, flags=re.S)
        assert not re.search(r"\bnan\b", bare)
    assert WRITERS[suffix](result_of(name)) == result


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("plain", [False, True])
def test_text_fits_whatever_the_width(name: str, width: int, plain: bool) -> None:
    visible = text(report_of(name), width=width, ascii=plain)
    assert max(map(display_width, visible.splitlines())) <= max(width, 64 * (name in PLAIN))
    assert not plain or visible.isascii()
    assert "\n\n\n" not in visible


def test_the_answer_comes_first_in_every_format(name: str) -> None:
    head = report_of(name).headline
    first = " ".join(text(report_of(name)).split())
    start = " ".join(f"{head.glyph} {head.tag.upper()} {head.line or head.title}".split())
    assert first.startswith(start[:60])
    assert markdown(report_of(name)).startswith("### ")


def test_the_lines_of_the_rule_and_of_what_to_do_next_are_whole_sentences(name: str) -> None:
    facts = [fact for fact in report_of(name).facts if fact.label in ("rule", "next")]
    assert name in PLAIN or [fact.text[-1] for fact in facts] == [".", "."]


def test_markdown_is_its_own_tables_only(name: str) -> None:
    assert rendered(markdown(report_of(name))).kinds <= OF_MARKDOWN


def test_a_card_is_one_tree_that_leaks_nothing(name: str) -> None:
    visible = card(report_of(name))
    root = ET.fromstring(visible.replace("&nbsp;", " "))
    assert not {element.tag for element in root.iter()} & {"script", "style", "b", "link"}
    assert not {key for item in root.iter() for key in item.attrib} & {"id", "class", "href"}
    assert result_of(name)._repr_html_() == visible
    assert len(visible.encode()) <= 25_000


@pytest.mark.usefixtures("nothing_drawn")
def test_every_page_has_the_same_shell(name: str) -> None:
    page = html(report_of(name))
    assert page.count('id="theme"') == 1
    assert "<b>|" not in page
    for link in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{link}"' in page, link
    if name not in PLAIN:
        assert page.count('class="copy"') >= 1
        assert "BibTeX" in page
        head = report_of(name).headline
        assert ("Next step." in page) == bool(head.further_step)
        assert head.action or head.further_step


@pytest.mark.usefixtures("nothing_drawn")
@pytest.mark.parametrize("name", PLAIN)
def test_a_page_without_a_scorecard_has_the_facts_of_the_short_formats(name: str) -> None:
    page, facts = unescape(html(report_of(name))), report_of(name).facts
    for fact in facts:
        assert (f"{fact.label.capitalize()}:</b> {fact.text}<" in page) is fact.everywhere
    assert any(fact.everywhere for fact in facts) is (name == "plan")


def test_the_scorecard_has_the_same_rows_in_text_markdown_page_and_card(name: str) -> None:
    scorecard = report_of(name).scorecard
    if scorecard is None:
        assert name in PLAIN
        return
    assert len(scorecard.bars) == len(scorecard.rows)
    assert {len(row) for row in scorecard.rows} == {len(scorecard.columns)}
    assert len(scorecard.without("drawn", "wins").columns) <= 8
    change = [column.role for column in scorecard.columns].index("change")
    for document in (text(report_of(name)), markdown(report_of(name))):
        for row in scorecard.rows:
            assert row[change].text in document


def test_the_numbers_of_the_json_stand_in_a_row_of_every_format(make, no_drawer) -> None:
    comparison = make(0.05, measures=4)
    page = unescape(re.sub(r"<[^>]+>", " ", html(compose(comparison), drawer=no_drawer)))
    for row in to_dict(comparison)["measures"]:
        means, p = (f.score(row["mean_a"]), f.score(row["mean_b"])), f.pvalue(row["pvalue_adj"])
        limits = f.interval(row["ci_low_adj"], row["ci_high_adj"])
        numbers = [row["measure"], *means, f.signed(row["diff"]), limits, p.replace("< ", "<")]
        drawn = [number for number in numbers if number != limits]
        for document, shown in (
            (text(compose(comparison)), drawn), (unescape(markdown(compose(comparison))), numbers),
            (page, numbers),
        ):  # fmt: skip
            pattern = r"\W.{0,200}?\W".join(map(re.escape, shown))
            assert re.search(pattern, document.replace("< ", "<"), re.S), shown


def test_another_thing_has_no_report() -> None:
    with pytest.raises(ArgumentError, match="there is no report of a dict"):
        compose({})


def test_a_class_of_ones_own_may_have_one() -> None:
    class Own: ...

    compose.register(Own, lambda _: report_of("plan"))

    assert text(compose(Own())) == text(report_of("plan"))
