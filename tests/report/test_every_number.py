"""Every number that any format prints is one of ``results.json``, rounded once.

What a format writes is taken apart into pieces of text: a cell, a sentence.
Names, ids and other texts of ``results.json`` are left out of a piece, and so are the few numbers
that are words of ours (``OURS``); every number that remains must be the one rounding of a number
that stands in ``results.json``.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest

from abrank import Comparison
from abrank._support import display as f
from abrank.report import WRITERS, compose, text
from abrank.report.data import json_bytes
from abrank.report.formats.queries import FIRST_EACH
from abrank.report.model import Block, Figure, Fold, Table
from abrank.report.sections.scorecard import SHOWN
from tests.report.conftest import DESIGNS, SITUATIONS
from tests.report.written import bibtex, card, html

# A number as the report writes it: with a sign, a decimal point, a per cent sign, a power of ten.
NUMBER = re.compile(r"(?<![\w.@-])([+−-]?\d+(?:\.\d+)?(?:e[+-]\d+)?%?)(?![\w.]*\w)")
# Constants of the words, no results.
OURS = (
    "top 10",
    "The 10 queries with the lowest and the 10 with the highest",
    "from −1 (A ahead of all) to +1 (B ahead)",
    "line: 5% to 95%",
)
# The same in sentences on designs.
OF_DESIGNS = ("from 25 queries on", "over 99.9%", "under 0.1%", "fewer than 6 queries")
PLACES = (1, 2, 3, 4, 5, 6)


def leaves(value: Any):
    """Yield every number and text of a tree, and how many objects stand in a list."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        if value and isinstance(value[0], dict):
            yield len(value)
        for item in value:
            yield from leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def written(value: float, alpha: float):
    """Yield every way in which the one rounding writes a number."""
    if isinstance(value, int):
        yield from (f.count(value), f.about(value), str(value))
        return
    yield from (f.pvalue(value, alpha=alpha).removeprefix("< "), f.number(value), f.level(value))
    yield from (f.percent(value), f.percent(value, sign=False), f.least(value))
    yield f.number_short(value)
    for digits in PLACES:
        yield from (f.score(value, digits=digits), f.signed(value, digits=digits))


@dataclass
class Known:
    """What a piece of text may hold: numbers as they are written, and whole texts."""

    numbers: set[str]
    texts: re.Pattern[str]

    def unknown(self, piece: str) -> list[str]:
        """Return the numbers of a piece that stand nowhere in results.json."""
        rest = self.texts.sub(" ", piece)
        for words in OURS + OF_DESIGNS:
            rest = rest.replace(words, " ")
        texts = [match.replace("-", "−", match[:1] == "-") for match in NUMBER.findall(plain(rest))]
        return [item for item in texts if item not in self.numbers]

    def with_counts(self, *counts: int) -> Known:
        """Return the same with counts that a table or drawing chooses itself."""
        return Known({*self.numbers, *map(str, counts)}, self.texts)


def plain(text: str) -> str:
    return text.replace(f.GROUP, "").replace("\N{SOFT HYPHEN}", "")


def known_of(comparison: Comparison, *, scores: bool) -> Known:
    """Return what results.json holds, with or without the scores of single queries."""
    loads = json.loads(json_bytes(comparison))
    parts = {key: value for key, value in loads.items() if key != "queries"}
    parts["evidence"] = {k: v for k, v in loads["evidence"].items() if k != "rankings"}
    numbers = [leave for leave in leaves(parts) if not isinstance(leave, str)]
    numbers += [-loads["settings"]["margin"]]  # the other side of the margin
    # The last round margin below a limit, and the first above it.
    for end in {item[key] for item in loads["margins"] for key in ("low", "high")} - {"inf"}:
        for unit in (10.0**digits for digits in PLACES):
            numbers += [math.floor(end * unit) / unit, math.ceil(end * unit) / unit]
    if loads["settings"]["design"]:
        numbers.append(1.0 - loads["settings"]["design"]["alpha"])
    if scores:
        for column in loads["queries"]["scores"].values():
            numbers += [*column["a"], *column["b"]]
            numbers += [b - a for a, b in zip(column["a"], column["b"], strict=True)]
    texts = [leave for leave in leaves(loads) if isinstance(leave, str)] + list(loads["topics"])
    texts += [str(loads["provenance"].get("created"))[:10]]
    named = sorted({text for text in texts if re.search(r"\d", text)}, key=len, reverse=True)
    alpha = loads["settings"]["alpha"]
    plains = {plain(text) for number in numbers for text in written(number, alpha)}
    return Known(plains, re.compile("|".join(rf"(?<!\w){re.escape(item)}(?!\w)" for item in named)))


def texts_of(markup: str) -> list[str]:
    """Return the pieces of text of a page or drawing: what stands between the ends of blocks."""
    inline = r"</?(?:b|strong|em|small|code|span|bdi|tspan|a)\b[^>]*>"
    pieces = re.split(r"<[^>]*>", re.sub(inline, " ", markup))
    return [unescape(piece) for piece in pieces if piece.strip()]


@pytest.fixture(scope="module")
def results(runs: Comparison) -> Known:
    return known_of(runs, scores=False)


def assert_known(known: Known, pieces: list[str]) -> None:
    unknowns = {piece: known.unknown(piece) for piece in pieces}
    assert {piece: numbers for piece, numbers in unknowns.items() if numbers} == {}


def test_cells_hold_the_very_numbers(runs: Comparison) -> None:
    result = {leave for leave in leaves(runs.to_dict()) if isinstance(leave, (int, float))}
    column = runs.to_dict()["queries"]["scores"][runs.rule.primary]
    result |= {b - a for a, b in zip(column["a"], column["b"], strict=True)}
    tables = [
        block
        for part in compose(runs).sections
        for block in part.blocks
        if isinstance(block, Table)
    ]
    values = [cell.value for item in tables for row in item.rows for cell in row]
    numbers = [value for value in values if isinstance(value, (int, float))]
    assert len(tables) >= 9
    assert len(numbers) >= 150
    assert [value for value in numbers if value not in result] == []


FOLD = r'<tr class="lists lists-fold">.*?</details></td></tr>'
STEPS = {"→": lambda rank, number: number, "▲": lambda rank, number: rank + number}
STEPS |= {"▼": lambda rank, number: rank - number}


def assert_ranks(table: str, evidence: dict[str, Any]) -> None:
    """Each rank and each move of the lists in the page is a place in the saved lists."""
    rankings = evidence["rankings"]
    rows = re.findall(rf'class="id" title="([^"]*)"(?:(?!class="id").)*?({FOLD})', table, re.S)
    assert len(rows) >= 2 * FIRST_EACH
    line = r'"rank">(\d+)<.*?"move">([^<]*)<.*?"doc">([^<]*)<'
    text = r'<bdi class="doc">([^<]*)</bdi></th><td class="num">\d+</td>' + 2 * r"<td.*?>(.*?)</td>"
    n_went = 0
    for query, fold in rows:
        places = [{doc: i + 1 for i, (doc, _) in enumerate(item)} for item in rankings[query]]
        far = evidence["elsewhere"].get(query, {})
        for doc, *ranks in re.findall(text, fold):
            n_went += 1
            texts = [str(place.get(doc, far.get(doc))) for place in places]
            assert [rank.replace("not retrieved", "0") for rank in ranks] == texts
        for side, match in enumerate(re.findall(r'<ol class="ranking">.*?</ol>', fold, re.S)):
            custom, second = rankings[query][side], rankings[query][1 - side]
            for rank, move, doc in re.findall(line, match):
                assert custom[int(rank) - 1][0] == doc
                if move[0] in STEPS:
                    place = STEPS[move[0]](int(rank), int(move[2:]))
                    assert second[place - 1][0] == doc
    assert n_went >= 10


@pytest.mark.slow
def test_page_has_no_other_number(runs: Comparison, results: Known, no_drawer) -> None:
    page = html(runs, drawer=no_drawer)
    body = re.sub(r"<(svg|script|style)\b.*?</\1>", " ", page, flags=re.S)
    sources = re.search(r'<details class="source">.*?<pre>(.*?)</pre>', body, re.S)
    assert unescape(sources.group(1)) == bibtex(runs).strip()
    body = body.replace(sources.group(), " ")
    table_and_end = r'(<table class="queries">.*?</table>)\s*</div>\s*<div class="pages"'
    before, table, after = re.split(table_and_end, body, flags=re.S)
    pieces = texts_of(before + after)
    assert sum(len(NUMBER.findall(piece)) for piece in pieces) >= 350
    assert_known(results, pieces)
    assert_ranks(table, runs.to_dict()["evidence"])
    texts = texts_of(re.sub(FOLD, " ", table, flags=re.S))
    assert len(texts) >= 40
    assert_known(known_of(runs, scores=True).with_counts(runs.n_queries - 2 * FIRST_EACH), texts)


# What each format writes, in pieces; a table of queries in Markdown has the scores of queries.
PIECES = {
    ".md": lambda text: [unescape(line) for line in text.splitlines()],
    ".txt": lambda text: [re.sub(r"[ \n]+", " ", text)],
    ".tex": lambda text: (
        text.replace("\\%", "%").replace("\\,", "").replace("$-$", "−").splitlines()
    ),
    ".methods": lambda text: [text],
    ".junit": lambda text: [re.sub(r"[ \n]+", " ", text) for text in texts_of(text)],
}


def assert_all_known(comparison: Comparison, kind: str) -> int:
    """Check what a format writes; return how many numbers it holds."""
    written_text = WRITERS[kind](comparison).decode()
    if kind == ".txt":  # the first screen, and all that -v adds
        written_text += text(compose(comparison), detail="all")
    pieces = PIECES[kind](written_text)
    rows = [
        piece
        for piece in pieces
        if piece.startswith(tuple(f"| {q} |" for q in comparison.query_ids))
    ]
    assert_known(known_of(comparison, scores=True), rows)
    assert_known(
        known_of(comparison, scores=False), [piece for piece in pieces if piece not in rows]
    )
    return sum(len(NUMBER.findall(plain(piece))) for piece in pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "least"), [(".md", 150), (".txt", 40), (".tex", 25), (".methods", 5)]
)
def test_texts_have_no_other_number(runs, judged, kind, least) -> None:
    assert assert_all_known(runs, kind) >= least
    assert_all_known(judged, kind)


def unfolded(blocks: tuple[Block, ...]):
    for block in blocks:
        yield from unfolded(block.blocks) if isinstance(block, Fold) else [block]


@pytest.mark.parametrize("name", [*SITUATIONS, *DESIGNS])
def test_no_situation_and_no_design_brings_another_number(name: str) -> None:
    comparison = DESIGNS[name]() if name in DESIGNS else SITUATIONS[name][-1]()
    for kind in PIECES:
        assert_all_known(comparison, kind)
    results = known_of(comparison, scores=False)
    words = re.sub(r"<svg.*?</svg>", " ", card(comparison), flags=re.S)
    assert_known(results, texts_of(words))
    # How many queries are shown at each end, and how many tests give a p-value.
    custom = {key: [SHOWN] for key in ("queries", "extremes")}
    custom["tests"] = [sum(row.pvalue >= 0.0 for row in comparison.test_rows)]
    for section in compose(comparison).sections:
        assert_known(results, [section.title, section.finding])
        for block in unfolded(section.blocks):
            if isinstance(block, Table):
                cells = [cell.text for row in block.rows for cell in row]
                cells += [column.title for column in block.columns]
                with_scores = block.key == "queries"
                assert_known(known_of(comparison, scores=True) if with_scores else results, cells)
            elif getattr(block, "kind", "") != "source":
                words = block.summary if isinstance(block, Figure) else block.text
                assert_known(results.with_counts(*custom.get(section.key, ())), [words])


@pytest.mark.slow
def test_what_to_judge_brings_no_other_number(unjudged: Comparison) -> None:
    result = html(unjudged, drawer=lambda *_, **__: "")
    section = re.search(r'<details id="judge".*?<details id="', result, re.S)
    pieces = texts_of(re.sub(r"<pre>.*?</pre>", " ", section.group(), flags=re.S))
    assert sum(len(NUMBER.findall(piece)) for piece in pieces) >= 30
    assert_known(known_of(unjudged, scores=False), pieces)
    for kind in (".md", ".txt"):
        assert_all_known(unjudged, kind)


def test_a_changed_number_would_be_seen(runs: Comparison, results: Known) -> None:
    text = f.signed(runs.mean_difference)
    wrong = f"{text[:-1]}{(int(text[-1]) + 5) % 10}1"
    assert results.unknown(f"Δ {text}") == []
    assert results.unknown(f"Δ {wrong}") == [wrong]
