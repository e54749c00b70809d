"""The registry and the docstrings that its entries share."""

import inspect
import subprocess
import sys

import pytest

from abrank import ArgumentError, UnknownNameError
from abrank._support.registry import Registry, complete, entries, join, split
from abrank.inference import JOINT_TESTS, TESTS
from abrank.plots import PLOTS


def test_registry_keeps_the_order_and_refuses_a_second_entry() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1)
    registry.add("large", 2)
    assert (list(registry), len(registry)) == (["small", "large"], 2)
    assert "small" in registry
    with pytest.raises(ArgumentError, match="registered already"):
        registry.add("small", 3)


def test_registry_names_the_nearest() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1)
    with pytest.raises(UnknownNameError, match="did you mean small"):
        registry["smal"]


def _cell(code: str):
    """Return the function that a cell of a notebook defines."""
    names = {"__name__": "__main__"}
    exec(code, names)
    return next(value for name, value in names.items() if not name.startswith("__"))


def test_a_function_defined_again_takes_its_own_place() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1, _cell("def small(): return 1"))
    registry.add("large", 2, _cell("def large(): return 2"))
    registry.add("small", 3, _cell("def small(): return 3"))
    assert list(registry.items()) == [("small", 3), ("large", 2)]
    with pytest.raises(ArgumentError, match="registered already"):
        registry.add("small", 4, _cell("def other(): return 4"))


def test_two_functions_made_inside_another_are_two() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1, lambda: 1)
    with pytest.raises(ArgumentError, match="registered already"):
        registry.add("small", 1, lambda: 1)


@pytest.mark.slow
def test_a_module_that_registers_may_be_imported_again() -> None:
    # As pytest does when it is asked for the examples of one module alone.
    code = """
import importlib
for name in (
    "inference.registry",
    "inference.paired",
    "inference.systems.pairwise",
    "measures.definitions.graded",
    "measures.definitions",
    "report.registry",
):
    importlib.reload(importlib.import_module(f"abrank.{name}"))
from abrank.inference import registry
assert {"t", "bootstrap"} <= set(registry.TESTS)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


FUNCTIONS = [
    *(item.function for item in TESTS.values()),
    *(item.function for item in JOINT_TESTS.values()),
    *(item.draw for item in PLOTS.values()),
]


def test_every_registered_function_describes_all_its_parameters() -> None:
    for function in FUNCTIONS:
        _, sections = split(function.__doc__)
        assert list(entries(sections["Parameters"])) == list(inspect.signature(function).parameters)
        assert sections["Returns"]
        assert sections["Examples"], function


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
        assert (text, list(sections)) == ("Draw.", ["Parameters", "Returns", "Notes"])
        assert sections["Returns"] == "str"
        assert sections["Parameters"].splitlines() == [
            "data : DataFrame", "low, high : float", "    The limits.", "width : float",
        ]  # fmt: skip
    assert join(text, sections) == draw.__doc__
