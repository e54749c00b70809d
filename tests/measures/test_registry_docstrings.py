"""The docstring of a measure, completed once."""

from __future__ import annotations

import pytest

from abrank.measures.registry import catalogue, complete


@pytest.mark.parametrize("name", ["AP", "nDCG", "ERR", "alpha_nDCG"])
def test_a_docstring_that_is_complete_stays_as_it_is(name) -> None:
    """A package imported again, in a process that goes on, completes nothing twice."""
    entry = catalogue()[name]
    assert "\nReturns\n-------\n" in entry.function.__doc__
    assert complete(entry) == entry.function.__doc__
