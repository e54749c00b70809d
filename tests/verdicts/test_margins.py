"""For which margins the verdict is the same, against comparisons with each of them."""

import json
import re
from itertools import pairwise, product

import numpy as np
import pytest

import abrank
from abrank.report import WRITERS
from abrank.report.sections.words import tag
from tests.report.written import whole_text


def pair(seed: int, n: int = 40) -> tuple[dict[str, float], dict[str, float]]:
    """Systems that differ by nothing, a little or much, either way."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.2, 0.7, n)
    b = a + rng.choice([-0.06, -0.02, 0.0, 0.02, 0.06]) + rng.normal(0.0, 0.08, n)
    ids = [f"q{i}" for i in range(n)]
    return dict(zip(ids, a, strict=True)), dict(zip(ids, b.clip(0.0, 1.0), strict=True))


def stated_ranges(text: str, *, percent: bool) -> list[tuple[str, float, float]]:
    """Return verdict, first and last margin of each range that the two sentences state."""
    place = r"(?:up to|from|at) \d+\.\d+%?(?: to \d+\.\d+%?)?(?: on)?"
    (stays,) = re.findall(
        rf"(?:(Up to a margin of [\d.]+%?|For a margin {place}) the verdict stays ([^.]+)\."
        rf"|Only ({place}) the verdict is ([^.]+)\.)",
        text,
    )
    where, verdict = stays[:2] if stays[0] else stays[2:]
    where = where.replace("Up to a margin of", "up to").removeprefix("For a margin ")
    parts = [(verdict, where)]
    rest = text.partition(f" {verdict}. It is ")[2]
    if rest:
        sentence = rest[: re.search(r"\.(?=\s|$)", rest).start()]
        parts += re.findall(rf"([A-Z][a-z, ]*?) ({place})", sentence)
        left = re.sub(rf"[A-Z][a-z, ]*? {place}", "", sentence)
        assert not re.sub(r",| and ", "", left).strip(), left
    result = []
    for name, bounds in parts:
        numbers = [float(x) / (100.0 if percent else 1.0) for x in re.findall(r"\d+\.\d+", bounds)]
        low = 1e-6 if bounds.startswith("up to") else numbers[0]
        result.append((name, low, low if bounds.endswith(" on") else numbers[-1]))
    return result


# Every unit of the margin in both directions, each with another difference; the others by night.
EVERY_DAY = {(0, None, False), (1, 0.03, True), (2, "5%", False), (3, None, True)}
EVERY_DAY |= {(1, 0.03, False), (0, "5%", True)}


@pytest.mark.parametrize(
    ("seed", "declared", "lower"),
    [
        pytest.param(*case, marks=() if case in EVERY_DAY else pytest.mark.slow)
        for case in product(range(12), (None, 0.03, "5%"), (False, True))
    ],
)
def test_every_margin_said_to_have_a_verdict_has_it(seed, declared, lower) -> None:
    a, b = pair(seed)
    options = {"lower_is_better": "score"} if lower else {}
    result = abrank.compare_scores(a, b, margin=declared, **options)
    percent = isinstance(declared, str)
    ranges = stated_ranges(whole_text(result), percent=percent)
    assert ranges[0][0] == tag(result.verdict)[1]
    assert len(ranges) == len({name for name, *_ in ranges}) > 1
    for name, low, high in ranges:
        for value in (low, 0.5 * (low + high), high):
            margin = f"{100 * value:.9f}%" if percent else value
            assert tag(abrank.compare_scores(a, b, margin=margin, **options).verdict)[1] == name


@pytest.mark.usefixtures("nothing_drawn")
def test_the_ranges_are_in_every_format_and_in_the_saved_result(tmp_path) -> None:
    a, b = pair(3)
    result = abrank.compare_scores(a, b)
    saved = result.report(tmp_path / "results.json")
    ranges = json.loads(saved.read_text())["margins"]
    assert [item["low"] for item in ranges] == sorted(item["low"] for item in ranges)
    assert (ranges[0]["low"], ranges[-1]["high"]) == (0.0, "inf")
    assert all(first["high"] == two["low"] for first, two in pairwise(ranges))
    for kind in (".txt", ".md", ".html"):
        written = WRITERS[kind](result).decode() if kind != ".txt" else whole_text(result)
        assert "Up to a margin of 0.005 the verdict stays Worse." in " ".join(written.split())
    again = abrank.Comparison.from_json(saved)
    assert again == result
    assert again.report(tmp_path / "again.json").read_bytes() == saved.read_bytes()


def test_a_test_of_wins_has_no_margins() -> None:
    a, b = pair(3)
    result = abrank.compare_scores(a, b, test="sign")
    assert "the verdict stays" not in whole_text(result)
    assert result.to_dict()["margins"] == []
