from __future__ import annotations

import inspect

import pytest

from abrank._support.registry import complete, entries, join, split
from abrank.inference import JOINT_TESTS, TESTS
from abrank.plots import PLOTS

FUNCTIONS = [
    *(each.function for each in TESTS.values()),
    *(each.function for each in JOINT_TESTS.values()),
    *(each.draw for each in PLOTS.values()),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_every_registered_function_describes_all_its_parameters(function) -> None:
    _, sections = split(function.__doc__)
    assert list(entries(sections["Parameters"])) == list(inspect.signature(function).parameters)
    assert sections["Returns"]
    assert sections["Examples"]


def test_what_a_function_says_itself_stays() -> None:
    def draw(data, *, low, high, width):
        """Draw.

        Notes
        -----
        None.

        Parameters
        ----------
        low, high : float
            The limits.

        Returns
        -------
        str
        """

    parameters = {"data": "DataFrame", "width": "float", "high": "int"}
    for _ in range(2):  # to complete what is complete changes nothing
        complete(draw, parameters, Returns="Axes")
        text, sections = split(draw.__doc__)
        assert text == "Draw."
        assert list(sections) == ["Parameters", "Returns", "Notes"]
        assert sections["Returns"] == "str"
        assert sections["Parameters"].splitlines() == [
            "data : DataFrame", "low, high : float", "    The limits.", "width : float",
        ]  # fmt: skip
    assert join(text, sections) == draw.__doc__
