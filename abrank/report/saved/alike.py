"""Where values that were read differ from the same values computed again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from abrank._support.display import count
from abrank._support.version import __version__
from abrank.report.saved.schema import Damaged, shown

# Another processor adds in another order and has other last digits of exp and log: a share of the
# value and, where a value is what is left of larger ones, of the largest score.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


class Difference(NamedTuple):
    """A place in the file, what stands there, and what its scores give."""

    place: str
    saved: Any
    again: Any


def differences(
    saved: Any,  # noqa: ANN401 - trees of plain values
    again: Any,  # noqa: ANN401
    place: str = "",
    *,
    scale: float = 1.0,
) -> Iterator[Difference]:
    """Yield where two trees of plain values differ; numbers by more than rounding.

    Parameters
    ----------
    scale : float
        The largest score; a p-value's scale is 1.

    Examples
    --------
    >>> saved = {"rows": [{"pvalue": 0.007, "wins": 3}]}
    >>> list(differences(saved, {"rows": [{"pvalue": 0.007 + 1e-15, "wins": 4}]}))
    [Difference(place='rows[0].wins', saved=3, again=4)]
    """
    if isinstance(saved, dict) and isinstance(again, dict):
        for key in {**again, **saved}:
            at = f"{place}.{key}" if place else str(key)
            if key not in saved or key not in again:
                yield Difference(at, saved.get(key), again.get(key))
            else:
                yield from differences(saved[key], again[key], at, scale=scale)
    elif isinstance(saved, list) and isinstance(again, list) and len(saved) == len(again):
        if saved != again:
            for i, (one, two) in enumerate(zip(saved, again, strict=True)):
                yield from differences(one, two, f"{place}[{i}]", scale=scale)
    elif not _alike(saved, again, 1.0 if "pvalue" in place.rpartition(".")[2] else scale):
        yield Difference(place, saved, again)


def _alike(saved: Any, again: Any, scale: float) -> bool:  # noqa: ANN401
    both = [saved, again]
    if all(type(each) in (int, float) for each in both):
        return math.isclose(saved, again, rel_tol=RELATIVE, abs_tol=ABSOLUTE * scale)
    return bool(saved == again and type(saved) is type(again))


def of_this_version(value: Mapping[str, Any]) -> bool:
    """Whether a file was written by this version, which then gives the same numbers again."""
    written_by = (value["provenance"].get("versions") or {}).get("abrank", __version__)
    return value["schema"].endswith("/2") and bool(written_by == __version__)


def require_none(different: Iterable[Difference], source: str = "scores and rule") -> None:
    """Refuse a file of which a value is not what its scores give.

    Raises
    ------
    Damaged
        At the first difference.
    """
    for place, saved, again in different:
        said = f"is {shown(saved)}, but the {source} of the file give {shown(again)}"
        raise Damaged(place, said)


def remarks_on(different: Iterable[Difference]) -> tuple[str, ...]:
    """Return what is to be known of a file of another version: how far its numbers are others.

    What one of the versions does not know is left out.
    """
    changed = [each for each in different if None not in (each.saved, each.again)]
    if not changed:
        return ()
    place, saved, again = changed[0]
    return (
        f"computed again: {count(len(changed))} values of the file, by another version of abrank,"
        f" are others now; the first is {place}, {shown(saved)} there and {shown(again)} here",
    )
