"""The section on depth: its words and its table are the curves of the evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.evidence import CutoffCurve, RecallCurve
from abrank.report.model import Figure, Section, Table
from abrank.report.sections.inputs import depth

Make = Callable[..., Comparison]


def with_curves(
    made: Comparison, sides: tuple[int, ...] = (), recall: RecallCurve | None = None
) -> Section:
    """Return the section of curves whose intervals lie on these sides of 0."""
    n = len(sides)
    middle = tuple(0.1 * side for side in sides)
    curve = CutoffCurve(
        measure="nDCG",
        cutoffs=(1, 5, 10)[:n],
        mean_a=(0.3,) * n,
        mean_b=tuple(0.3 + each for each in middle),
        diff=middle,
        ci_low=tuple(each - 0.05 for each in middle),
        ci_high=tuple(each + 0.05 for each in middle),
        judged_a=(1.0,) * n,
        judged_b=(0.5,) * n,
    )
    evidence = replace(made.evidence, cutoff_curve=curve if sides else None, recall_curve=recall)
    found = depth(replace(made, evidence=evidence))
    assert found is not None
    return found


def test_no_section_without_curves(make: Make) -> None:
    assert depth(make(0.05)) is None


def test_finding_names_the_cut_offs_that_tell_apart(make: Make) -> None:
    made = make(0.05)
    assert with_curves(made, (0, 1, 1)).finding == (
        "By the interval of nDCG@k, monot5 is ahead at k = 5, 10; at one other k it includes 0."
    )
    assert with_curves(made, (-1, 0, 0)).finding == (
        "By the interval of nDCG@k, bm25 is ahead at k = 1; at two other values of k it includes 0."
    )
    assert with_curves(made, (-1, 1, 1)).finding == (
        "By the interval of nDCG@k, monot5 is ahead at k = 5, 10 and bm25 is ahead at k = 1."
    )
    assert with_curves(made, (0, 0)).finding == (
        "nDCG@k was looked at for k = 1, 5: every interval includes 0."
    )


def test_less_is_better_turns_who_is_ahead(make: Make) -> None:
    made = make(0.05)
    turned = replace(made, rule=replace(made.rule, higher_is_better=False))
    assert "bm25 is ahead at k = 1" in with_curves(turned, (1, 0, 0)).finding


def test_finding_counts_the_levels_of_recall(make: Make) -> None:
    made = make(0.05)
    levels = tuple(i / 10 for i in range(11))
    low, high = (0.1,) * 11, (0.2,) * 11
    for a, b, words in (
        (low, high, "B's mean precision is higher at all 11 levels of recall."),
        (high, low, "A's mean precision is higher at all 11 levels of recall."),
        (low, low, "The mean precision is the same at all 11 levels of recall."),
        (
            low,
            high[:8] + (0.0,) * 3,
            "B's mean precision is higher at eight of 11 levels of recall, A's at three.",
        ),
    ):
        assert with_curves(made, recall=RecallCurve(levels, a, b)).finding == words


def test_table_is_the_curve(runs: Comparison) -> None:
    found = depth(runs)
    curve = runs.evidence.cutoff_curve
    assert found is not None
    assert curve is not None
    assert [b.plot for b in found.blocks if isinstance(b, Figure)] == ["cutoffs", "recall"]
    table = next(b for b in found.blocks if isinstance(b, Table))
    assert [row[0].text for row in table.rows] == [f"nDCG@{k}" for k in curve.cutoffs]
    assert [row[0].text for row in table.rows if row[0].strong] == ["nDCG@10"]
    for i, row in enumerate(table.rows):
        assert [cell.text for cell in row[1:]] == [
            f.score(curve.mean_a[i]),
            f.score(curve.mean_b[i]),
            f.signed(curve.diff[i]),
            f.interval(curve.ci_low[i], curve.ci_high[i]),
            f.percent(curve.judged_a[i], sign=False),
            f.percent(curve.judged_b[i], sign=False),
        ]
        excludes = curve.ci_low[i] > 0 or curve.ci_high[i] < 0
        assert (row[3].tone in "ab") == excludes
