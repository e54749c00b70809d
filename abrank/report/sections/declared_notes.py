"""Who is meant in a note, and the notes on what was declared or was not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten

if TYPE_CHECKING:
    pass


Words: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

LONGEST_ID = 40


class Names:
    """Who is meant by "a" and "b", and how numbers are written."""

    def __init__(
        self,
        a: str,
        b: str,
        *,
        digits: int,
        alpha: float,
        topics: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._names = {"a": a, "b": b}
        self.digits, self.alpha = digits, alpha
        self._topics = topics

    def __getitem__(self, key: str) -> str:
        return self._names[key]

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def level(self, *pvalues: float) -> str:
        """Return the level of the tests beside the p-values of a note."""
        return f"α = {f.alpha(self.alpha, pvalues)}"

    def query(self, query_id: str) -> str:
        """Return a query's id, and its text where that is known."""
        text = self._topics.get(query_id)
        if not text:
            return quoted(query_id)
        return f"{shorten(query_id, width=LONGEST_ID)} {quoted(text)}"


def quoted(text: object) -> str:
    """Return a text in quotation marks, shortened."""
    return f"“{shorten(str(text), width=LONGEST_ID)}”"


MOST, MOST_APART = 3, 6


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
    ranked = "a difference in it is neither a gain nor a loss"
    if "ranked" in v:
        ranked = "the highest mean stands first"
    return (
        f"Is lower better for {f.first_of(measures, MOST)}?",
        f"{say(measures[0])} Until then {ranked}.",
    )


def say(measure: str) -> str:
    """Say how the direction of a score is declared.

    Examples
    --------
    >>> say("ms")
    'Say so: --lower-is-better ms (lower_is_better=), or higher_is_better = "ms" (--config).'
    """
    return (
        f"Say so: --lower-is-better {measure} (lower_is_better=), or higher_is_better ="
        f' "{measure}" (--config).'
    )


def nobody_chose(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    """Say which of several measures was taken to decide."""
    taken = shorten(str(v["primary"]), width=40)
    return (
        f"Nobody chose the measure: of {f.count(v['n'])}, {taken} was taken",
        f"Say which decides: -m {taken} (measures=).",
    )


def shown_apart(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    """Return the means of counts and constants, which are compared with nothing."""
    said = [_means(str(name), means, names) for name, means in v["means"].items()]
    more = f"; and {f.count(len(said) - MOST_APART)} more" if len(said) > MOST_APART else ""
    return (
        "Counts and constants decide nothing",
        f"They are tested neither alone nor with the others: {'; '.join(said[:MOST_APART])}{more}.",
    )


def _means(name: str, means: Sequence[float], names: Names) -> str:
    """Return the means of all systems, of more than two the ends."""
    ends = means if len(means) == 2 else (min(means), max(means))
    shown = [f.score(each, digits=names.digits) for each in ends]
    name = shorten(name, width=40)
    if shown[0] == shown[1]:
        return f"{name} {shown[0]} for all" if len(means) > 2 else f"{name} {shown[0]} for both"
    return f"{name} {' to '.join(shown)}" if len(means) > 2 else f"{name} {' → '.join(shown)}"
