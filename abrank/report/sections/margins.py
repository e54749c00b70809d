"""The declared margin, what is compared with it, and what other margins would give, in words."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.margins import (
    MarginRange,
    difference_in_unit,
    margin_ranges,
    percent_digits,
    verdict_with,
)
from abrank.report.sections import words


def margin(comparison: Comparison) -> str:
    """Return the margin: as a number in the measure's unit, or as a percentage.

    A margin that needs more decimals than scores have has them.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}
    >>> [margin(compare_scores(a, b, margin=each)) for each in (0.01, 0.0025, "2%")]
    ['0.010', '0.0025', '2%']
    """
    digits = comparison.decimals
    rule = comparison.rule
    if rule.margin_is_relative:
        return f.declared_percent(rule.margin)
    shown = f.score(rule.margin, digits=digits)
    is_whole = math.isclose(float(f"{rule.margin:.{digits}f}"), rule.margin)
    return shown if is_whole else f.number(rule.margin)


def margin_of_what(comparison: Comparison) -> str:
    """Return the margin, a relative one with what it is relative to.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}
    >>> margin_of_what(compare_scores(a, b, margin="2%"))
    "2% of A's mean"
    """
    shown = margin(comparison)
    return f"{shown} of A's mean" if comparison.rule.margin_is_relative else shown


def in_unit(comparison: Comparison) -> str:
    """Return the margin in the unit of the primary measure, a relative one rounded."""
    declared_, shown = comparison.rule, comparison.decision.margin
    return f.least(shown, digits=4) if declared_.margin_is_relative else f.number(shown)


def limits(comparison: Comparison, low: float, high: float) -> str:
    """Return the limits of an interval in the unit of the margin.

    A limit has more decimals where fewer would hide on which side of the margin it lies.
    """
    digits = comparison.decimals
    if math.isnan(low) or math.isnan(high):
        return f.UNDEFINED
    if comparison.rule.margin_is_relative:
        return " to ".join(
            difference_in_unit(comparison, end, digits=digits) for end in (low, high)
        )
    margin_, shown = comparison.rule.margin, []
    for end in (low, high):
        own = digits
        while (
            0.0 < margin_ != abs(end)
            and own < _MOST_DECIMALS
            and f.score(abs(end), digits=own) == f.score(margin_, digits=own)
        ):
            own += 1
        shown.append(f.signed(end, digits=own))
    return " to ".join(shown)


_MOST_DECIMALS = 6


def equivalence_interval(comparison: Comparison) -> str:
    """Return the interval of the two one-sided tests, labelled with its level."""
    shown = limits(comparison, *comparison.decision.equivalence_interval)
    return f"{f.level(comparison.rule.confidence_equivalence)} interval {shown}"


def estimate(comparison: Comparison) -> str:
    """Return what the interval is of, in the unit of the margin."""
    digits = comparison.decimals
    change = comparison.decision.relative
    if change is None:
        return f.signed(comparison.primary.estimate, digits=digits)
    return difference_in_unit(comparison, change.estimate, digits=digits)


def declared(comparison: Comparison) -> str:
    """Return the margin as the rule has it, and by which interval it was judged."""
    rule = comparison.rule
    if not rule.margin:
        return "no margin"
    said = f"margin {margin_of_what(comparison)}"
    whose = "Fieller's" if rule.margin_is_relative else "the"
    if comparison.decision.by_equivalence:
        level = f.level(rule.confidence_equivalence)
        return f"{said}, judged by {whose} {level} interval (two one-sided tests)"
    return f"{said}, judged by {whose} interval" if rule.margin_is_relative else said


def other_margins(comparison: Comparison) -> str:
    """Say for which margins the verdict is the same, and what it is for the others.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.3}, {"q1": 0.3, "q2": 0.3, "q3": 0.5}
    >>> other_margins(compare_scores(a, b))
    'Same verdict for every margin up to 0.190; not worse from 0.191 to 0.324; same in practice from 0.325 on.'
    >>> other_margins(compare_scores(a, b, margin=0.25))
    'Same verdict for every margin from 0.191 to 0.324; inconclusive up to 0.190; same in practice from 0.325 on.'
    """  # noqa: E501
    ranges = margin_ranges(comparison)
    margin_ = comparison.rule.margin
    own = next((each for each in ranges if margin_ <= each.high), None)
    if own is None or (margin_ and own.verdict is not comparison.verdict):
        return ""  # the margin declared is a limit itself
    where = _between(comparison, own)
    if not where:
        return "Same verdict for every margin." if len(ranges) == 1 else ""
    parts = [f"Same verdict for every margin {where}"]
    for each in ranges:
        where = "" if each is own else _between(comparison, each)
        parts += [f"{words.tag(each.verdict)[1].lower()} {where}"] if where else []
    return f"{'; '.join(parts)}."


def _between(comparison: Comparison, range_: MarginRange) -> str:
    """Return the first and the last margin of a range; empty where no round one is in it."""
    digits = comparison.decimals
    relative = comparison.rule.margin_is_relative
    digits = percent_digits(comparison) if relative else digits
    step = 10.0 ** -(digits + 2 * relative)
    first, last = math.ceil(range_.low / step), math.inf
    if relative and first * step >= 1.0:
        return ""  # a margin of 100 % is none
    if math.isfinite(range_.high):
        last = math.floor(range_.high / step)
        # A limit that is round itself belongs to one of the two ranges.
        last -= verdict_with(comparison, last * step) is not range_.verdict
    if range_.low:
        first += verdict_with(comparison, first * step) is not range_.verdict
    if last < max(first, 1):
        return ""
    least, most = (
        f.percent(each * step, sign=False, digits=digits)
        if relative
        else f.score(each * step, digits=digits)
        for each in (first, last)
    )
    if not range_.low:
        return f"up to {most}" if math.isfinite(last) else ""
    if first == last:
        return f"at {least}"
    return f"from {least} to {most}" if math.isfinite(last) else f"from {least} on"
