"""What was saved, changed so that it contradicts itself, and why it is refused."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from abrank._support.errors import ReadError
from abrank.report import from_dict

Change = Callable[[dict[str, Any]], Any]
# By name: a change of what was saved, and what is said of it.
Contradictions = dict[str, tuple[Change, str]]

# Of any comparison, whether its queries are kept or not.
OF_THE_MEANS: Contradictions = {
    "another difference": (
        lambda d: d["measures"][0].update(diff=0.25),
        "measures[0].diff: is 0.25, but the scores and rule of the file give 0.",
    ),
    "another share": (
        lambda d: d["measures"][0].update(rel_diff=0.5),
        "measures[0].rel_diff: is 0.5, but the scores and rule of the file give 0.",
    ),
}


def why_refused(
    saved: dict[str, Any],
    change: Change,
    *,
    read: Callable[[dict[str, Any]], Any] = from_dict,
) -> str:
    """Change a copy of what was saved and return with which words it is refused."""
    value = copy.deepcopy(saved)
    change(value)
    with pytest.raises(ReadError) as caught:
        read(value)
    return str(caught.value)
