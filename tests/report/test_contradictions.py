"""Nothing that a reader sees of one result contradicts another thing shown of it."""

import re
from functools import cache, partial
from html import unescape

import numpy as np
import pandas as pd
import pytest

from abrank import compare, compare_scores, rank_scores
from abrank._support import display as f
from abrank.collections import compare_collections
from abrank.comparison import Comparison
from abrank.options import Clusters
from abrank.report import card, compose, html, markdown, text
from abrank.report.model import Fold, Table
from abrank.report.sections import words
from tests.asked import asked
from tests.report.conftest import DESIGNS, SITUATIONS, _make, _with_machine

IDS = [f"q{i:04}" for i in range(90)]


def _segmented(**how) -> Comparison:
    """Compare where one segment gains, one loses, and those of another property do not differ."""
    rng = np.random.default_rng(1)
    a = pd.DataFrame({"AP": 0.2 + 0.6 * rng.random(90)}, IDS)
    b = a + (np.resize([0.12, -0.1, 0.0], 90) + 0.1 * rng.standard_normal(90))[:, None]
    segments = {
        "length": dict(zip(IDS, np.resize(["short", "long", "odd one"], 90), strict=True)),
        "half": dict(zip(IDS, np.repeat(["first", "second"], 45), strict=True)),
    }
    return compare_scores(a, b.clip(0.0), **asked(segments=segments, **how))


def _systems(seed: int, k: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    base = rng.random(40)
    clips = (np.clip(base + 0.08 * j + 0.2 * rng.standard_normal(40), 0.0, 1.5) for j in range(k))
    return {f"sys{j}": dict(zip(IDS, scores, strict=False)) for j, scores in enumerate(clips)}


def _of_queries(name: str, labels: list[str]):
    """Return a property of the queries of two of the three collections."""
    of_query = dict(zip(IDS, np.resize(labels, 40).tolist(), strict=False))
    return {f"col{i}": pd.Series(of_query, name=name) for i in (1, 2)}


_USERS = Clusters(_of_queries("user", [f"u{i}" for i in range(12)]))
_INTENTS = _of_queries("intent", ["nav", "info", "one", "nav"])
CHOSEN = (
    "better", "better, below margin", "same", "not worse", "inconclusive", "constant", "identical",
    "people and machine", "one query", "no query",
)  # fmt: skip
PAIRS = {
    **{name: SITUATIONS[name][-1] for name in CHOSEN},
    **{name: DESIGNS[name] for name in ("clusters", "a look", "any time, few")},
    "sign": partial(_make, 0.03, n=60, measures=3, test="sign"),
    "wilcoxon": partial(_make, 0.03, n=60, measures=3, test="wilcoxon", margin=0.02),
    "better by 2%": partial(_make, 0.05, margin="2%", measures=3),
    "same by 10%": partial(_make, 0.001, margin="10%", measures=3),
    "in order": partial(_make, 0.005, measures=4, family="fixed-sequence"),
    "segments": _segmented,
    "segments, per cent": partial(_segmented, margin="3%"),
    "unmatched": lambda: compare(
        {f"q{i}": {"d1": 1} for i in range(8)}, *[{f"q{i}": {"x": 1.0} for i in range(8)}] * 2
    ),
    "machine set aside": partial(_with_machine, picked=True),
}  # fmt: skip
MANY = {
    "ranking": lambda: rank_scores(_systems(3, 4)),
    "ranking against a baseline": lambda: rank_scores(_systems(3, 4), baseline="sys0"),
    "collections": lambda: compare_collections(
        {f"col{i}": tuple(_systems(i, 2).values()) for i in (1, 2, 3)},
        segments=_INTENTS,
        design=_USERS,
        require="better",
        margin=0.02,
    ),
}


@cache
def result_of(name: str):
    return (PAIRS | MANY)[name]()


@cache
def report_of(name: str):
    return compose(result_of(name))


def tables_of(blocks):
    for block in blocks:
        if isinstance(block, Fold):
            yield from tables_of(block.blocks)
        elif isinstance(block, Table):
            yield block


def tables_of_report(name: str) -> list[Table]:
    report = report_of(name)
    return [*tables_of(block for part in report.sections for block in part.blocks)]


def by_role(table: Table) -> list[dict]:
    """Return the cells of every row by the roles of their columns."""
    roles = [column.role for column in table.columns]
    return [dict(zip(roles, row, strict=True)) for row in table.rows]


NUMBER = r"[+−]?\d+(?:\.\d+)?%?"
LIMITS = re.compile(rf"({NUMBER}) to ({NUMBER})")


def ends_in(shown: str) -> list[float]:
    """Return the two limits that a cell begins with, as it shows them; none for a dash."""
    match = LIMITS.match(shown)
    return [float(end.replace("−", "-").rstrip("%")) for end in match.groups()] if match else []


@pytest.mark.every_case
@pytest.mark.parametrize("name", PAIRS | MANY)
def test_interval_p_and_reading_of_a_row_agree(name: str) -> None:
    result = result_of(name)
    alpha = result.alpha if name in MANY else result.rule.alpha
    for table in tables_of_report(name):
        titles = {column.role: column.title for column in table.columns}
        for row in by_role(table):
            if "p" not in row or not row["p"].text:
                continue
            p, ends, reading = row["p"].value, ends_in(row["interval"].text), row.get("reading")
            if reading and reading.text == "! untested":
                assert (row["p"].text, row["interval"].text) == ("–", "–"), row
                continue
            if reading and reading.value in ("better", "worse", "unclear"):
                assert (p < alpha) is (reading.value != "unclear"), row
            of_p = titles["interval"].startswith(f.level(1.0 - alpha)) or "%" not in str(titles)
            if of_p and "(" not in row["interval"].text and ends and 0.0 not in ends:
                assert (p < alpha) is (ends[0] > 0.0 or ends[1] < 0.0), row
            if ends and "%" not in row["interval"].text:
                assert -1.5 <= ends[0] <= ends[1] <= 1.5, row  # the scores of _systems end at 1.5


@pytest.mark.every_case
@pytest.mark.parametrize("name", PAIRS)
def test_what_decides_is_one_thing_everywhere(name: str) -> None:
    result, report = result_of(name), report_of(name)
    head, table, rule = report.headline, report.scorecard, result.rule
    first, *others = rows = by_role(table)
    starred = [row["name"].value for row in rows if "★" in row["name"].text]
    assert starred == [rule.primary] * (len(rows) > 1)
    assert first["name"].value == rule.primary
    if ends_in(first["interval"].text):
        shown, _, level = first["interval"].text.partition(" (")
        titles = {column.role: column.title for column in table.columns}
        level = level.rstrip(")") or titles["interval"].split()[0]
        assert name == "identical" or f"{level} CI {shown}" in head.numbers
        assert f"{rule.primary} decides by the {words.name_of_rule(result)}" in head.rule
    # No other row is held against the margin, so none may have its band.
    assert table.tall == {0}
    if rule.margin:
        pattern = r"(?:than|from) 0$|unclear|identical|untested"
        assert all(re.search(pattern, row["reading"].text.partition(" ✓")[0]) for row in others)
    # An interval that is not of the mean says so.
    named = words.estimand(result)
    is_said = any(f": {named} (B − A), not Δ" in line for line in table.legend)
    assert is_said is (named != words.MEAN and not result.with_machine)


@pytest.mark.every_case
@pytest.mark.parametrize("name", PAIRS)
def test_bars_are_drawn_where_the_cells_say(name: str) -> None:
    table = report_of(name).scorecard
    for i, (row, bar) in enumerate(zip(by_role(table), table.bars, strict=True)):
        ends = ends_in(row["interval"].text)
        if bar is None or not ends:
            continue
        drawn = (bar.low, bar.high) if i == 0 else (bar.thin_low, bar.thin_high)
        unit = 100.0 if row["interval"].text.partition(" (")[0].endswith("%") else 1.0
        assert [unit * end for end in drawn] == pytest.approx(ends, abs=0.00051 * unit), row


@pytest.mark.parametrize("name", ["segments", "segments, per cent"])
def test_segments_have_the_unit_of_the_scorecard_and_one_p_of_interaction(name: str) -> None:
    result, report = result_of(name), report_of(name)
    change = [column.title for column in report.scorecard.columns if column.role == "change"]
    cards = [table for table in tables_of_report(name) if table.key.startswith("segments-")]
    assert len(cards) == len(result.segmentations) > 1
    for table, segmentation in zip(cards, result.segmentations, strict=True):
        assert [column.title for column in table.columns if column.role == "change"] == change
        p = f.p_clause(segmentation.interaction_pvalue_adj, alpha=result.rule.alpha)
        whole = " ".join(text(report, detail="all").split())
        pattern = rf"Segments by {segmentation.name}[^()]*\((?:adjusted )?([^)]*) for"
        sentences = re.findall(pattern, whole)
        assert {*sentences} == {p}


@pytest.mark.usefixtures("nothing_drawn")
@pytest.mark.every_case
@pytest.mark.parametrize("name", PAIRS)
def test_verdict_and_numbers_are_one_in_every_format(name: str) -> None:
    result, report = result_of(name), report_of(name)
    head, page = report.headline, html(report)
    tag = f"{head.glyph} {head.tag}"
    assert result.to_dict()["verdict"]["state"] == result.verdict.value == head.verdict
    assert text(report).startswith(tag.upper())
    assert markdown(report).startswith(f"### {tag}: ")
    assert f'<span class="tag">{tag}</span>' in page
    assert f">{head.glyph}</span>" in card(report)
    for document in (markdown(report), card(report), page):
        visible = unescape(re.sub(r"<[^>]+>", "", document)).replace("\xa0", " ")
        assert head.numbers in visible
        assert "−∞ to" not in visible
    banded = re.findall(
        r'<tr(?: class="(\w*)")?>(?:(?!</tr>).)*<rect [^>]*height="100%"', page, re.S
    )
    assert {*banded} <= {"tall"}


def test_people_alone_decide_where_the_machine_is_set_aside() -> None:
    (judged,) = (
        table
        for table in tables_of_report("machine set aside")
        if table.columns[0].title == "Judged by"
    )
    assert [row[0].value for row in judged.rows if "★" in row[0].text] == ["people"]
