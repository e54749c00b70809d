"""The words of the notes on what was declared: a margin too wide, a direction that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abrank._support import display as f
from abrank._support.display import shorten

if TYPE_CHECKING:
    from abrank.report.sections.notes.names import Names

MOST = 3


def margin_above_baseline(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    """Say that the margin is larger than the baseline's mean."""
    shown = {key: f.score(v[key], digits=names.digits) for key in ("margin", "baseline")}
    return (
        f"The margin of {shown['margin']} is larger than {names['a']}'s mean, {shown['baseline']}",
        f"{names['b']} could lose everything and still not be worse by the margin. To ask about a"
        " share of the baseline's mean, give the margin in per cent: --margin 2%.",
    )


def margin_above_half(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    """Say that the margin is more than half of what the measure can differ at all."""
    shown = {key: f.score(v[key], digits=names.digits) for key in ("margin", "span")}
    return (
        f"The margin of {shown['margin']} is more than half of the measure's range",
        f"Differences reach {shown['span']} at most, so a margin that wide calls nearly any two"
        " systems the same. It is to be the smallest difference worth having.",
    )


def no_margin(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    """Say that so many queries show differences that need not matter."""
    return (
        f"With {f.count(v['n'])} queries nearly any difference is significant",
        f"A true Δ of {f.least(v['visible'], digits=names.digits)} already shows here. Let a margin"
        " decide whether it matters: --margin (margin=), the smallest difference worth having.",
    )


def direction_not_declared(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    """Ask whether less of a score is better."""
    measures = [shorten(str(each), width=40) for each in v["measures"]]
    shown, one = f.first_of(measures, MOST), len(measures) == 1
    return (
        f"Is lower better for {shown}?",
        f"{'Its name sounds' if one else 'Their names sound'} like a cost, but no direction was"
        f" declared, so the higher score counts as the better one. If not, say --lower-is-better"
        f" {measures[0]} (lower_is_better=).",
    )
