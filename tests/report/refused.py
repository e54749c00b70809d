"""What was saved, changed so that it contradicts itself, and why it is refused."""

import copy

import pytest

from abrank._support.errors import ReadError
from abrank.report import from_dict

GONE = object()  # in the place of a value: the key is taken away


def put(saved, place, value):
    """Return a copy of what was saved with another value at a place, such as ``tests/0/pvalue``."""
    result = part = copy.deepcopy(saved)
    *above, last = (int(key) if key.isdigit() else key for key in place.split("/"))
    for key in above:
        part = part[key]
    if value is GONE:
        del part[last]
    else:
        part[last] = value(part[last]) if callable(value) else value
    return result


def why_refused(saved, place, value, *, read=from_dict) -> str:
    """Change what was saved at one place and return with which words it is refused."""
    with pytest.raises(ReadError) as caught:
        read(put(saved, place, value))
    assert caught.value.exit_code == 3
    return str(caught.value)
