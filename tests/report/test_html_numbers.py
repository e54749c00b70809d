"""Every number that the HTML report prints or draws is one of ``results.json``, rounded once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np
import pytest

from abrank import inference
from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.plots._shapes import N_MEANS
from abrank.report.html import html

# A number as the report writes it: with a sign, a decimal point, a per cent sign.
NUMBER = re.compile(r"(?<![\w.@-])([+−]?\d+(?:\.\d+)?%?)(?![\w.])")
ALPHA = 0.05


def leaves(value: Any) -> Iterator[float]:
    """Yield every number of a tree."""
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def written(value: float) -> set[str]:
    """Return every way in which the one rounding writes a number."""
    if float(value).is_integer():
        return {f.count(int(value)), f.score(value), f.signed(value), f.percent(value, sign=False)}
    found = {f.pvalue(value, alpha=ALPHA).removeprefix("< "), f.number(value), f.level(value)}
    for digits in (1, 2, 3, 4):
        found |= {f.score(value, digits=digits), f.signed(value, digits=digits)}
    if math.isfinite(value):
        found |= {f.percent(value), f.percent(value, sign=False)}
    return found


def derived(found: dict[str, Any]) -> Iterator[float]:
    """Yield what the report works out from the numbers of results.json and does not store."""
    column = found["queries"]["scores"][found["settings"]["primary"]]
    a, b = np.array(column["a"]), np.array(column["b"])
    d = b - a
    for scores in found["queries"]["scores"].values():
        yield from (np.array(scores["b"]) - np.array(scores["a"])).tolist()
    yield from np.quantile(d, [0.25, 0.5, 0.75]).tolist()
    yield float(np.corrcoef(a, b)[0, 1])
    for name in found["effects"]:
        interval = inference.effect_interval(name, a, b)
        yield from (float(interval.ci_low[0]), float(interval.ci_high[0]))
    z = (d - d.mean()) / d.std()
    yield from (float((z**3).mean()), float((z**4).mean() - 3.0))
    n, planned = found["n_queries"], found["planning"]
    # Queries between the rows shown, of the power curves, draws of the picture of chance; levels.
    yield from (n - 20, n // 4, 4 * n, N_MEANS, 1.0 - ALPHA, 1.0 - 2.0 * ALPHA, planned["power"])


@pytest.fixture(scope="module")
def known(runs: Comparison) -> set[str]:
    found = runs.to_dict()
    found_numbers = {
        *leaves({k: v for k, v in found.items() if k != "provenance"}),
        *derived(found),
    }
    labels = {label for each in runs.segmentations for label in each.labels}
    return {
        *(text for number in found_numbers for text in written(number)),
        *(number for label in labels for number in numbers(label)),
    }


@pytest.fixture(scope="module")
def page(runs: Comparison) -> str:
    return html(runs)


def texts(markup: str, tag: str) -> list[str]:
    """Return what stands in the elements of a kind, their own markup left out."""
    inside = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", markup, re.S)
    return [unescape(re.sub(r"<[^>]+>", " ", each)) for each in inside]


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text.replace(f.GROUP, ""))


def is_tick(text: str) -> bool:
    """Whether a text is a round number alone, as along an axis: 1, 2 or 5 and zeros, times k."""
    if not NUMBER.fullmatch(text.strip()):
        return False
    digits = re.sub(r"\D", "", text).strip("0")
    return len(digits) <= 2


def unknown(found: list[str], known: set[str]) -> list[str]:
    plain = {each.replace(f.GROUP, "") for each in known}
    return [each for each in found if each not in plain]


def test_every_number_of_a_table_is_of_the_json(page: str, known: set[str]) -> None:
    body = re.sub(r"<svg.*?</svg>", "", page, flags=re.S)
    tables = re.findall(r'aria-label="(.*?)" tabindex="0">\n<table.*?</table>', body, re.S)
    assert len(tables) >= 9
    for markup in re.findall(r"<table.*?</table>", body, re.S):
        # What a planned test needs is worked out for round differences; versions are no results.
        if any(
            words in markup for words in ("Table: planning", "Table: inputs", "Table: settings")
        ):
            continue
        cells = [cell for tag in ("td", "th") for cell in texts(markup, tag)]
        found = [number for cell in cells for number in numbers(cell)]
        # Rank-biserial r goes from −1 to +1.
        assert unknown(found, {*known, "−1", "+1"}) == [], markup[:200]


def test_every_number_of_a_sentence_is_of_the_json(page: str, known: set[str]) -> None:
    body = re.sub(r"<(svg|table|script|style).*?</\1>", "", page, flags=re.S)
    verdict = body[body.index("<h1") : body.index("</section>")]
    found = [n for text in texts(verdict, "p") for n in numbers(text)]
    assert len(found) >= 8
    assert unknown(found, known) == []
    findings = re.findall(r'<p class="finding">(.*?)</p>', body, re.S)
    found = [n for text in findings for n in numbers(unescape(text))]
    assert len(found) >= 15
    assert unknown(found, {*known, *(str(i) for i in range(12))}) == []


def test_every_number_drawn_is_of_the_json_or_on_an_axis(page: str, known: set[str]) -> None:
    drawings = re.findall(r"<svg xmlns.*?</svg>", page, re.S)
    assert len(drawings) >= 30
    seen = 0
    for drawing in drawings:
        labels = [each for each in texts(drawing, "text") if not is_tick(each)]
        found = [number for label in labels for number in numbers(label)]
        seen += len(found)
        assert unknown(found, {*known, "95%"}) == [], labels
    assert seen >= 150


def test_a_changed_number_would_be_seen(page: str, known: set[str], runs: Comparison) -> None:
    shown = f.signed(runs.effect)
    wrong = f"{shown[:-1]}{(int(shown[-1]) + 5) % 10}"
    assert shown in page
    assert unknown(numbers(f"Δ {wrong}1"), known) == [f"{wrong}1"]
