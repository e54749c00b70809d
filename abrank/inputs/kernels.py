"""Arrow's kernels by name.

``pyarrow.compute`` writes a Python function for each of its hundreds of kernels when it is
imported, which takes longer than reading a small run; what those functions call is here at once.
"""

from __future__ import annotations

from typing import Any

try:
    from pyarrow import _compute as arrow
except ImportError:  # pragma: no cover - another layout of pyarrow has the same names here
    from pyarrow import compute as arrow


def dictionary_encode(column: Any) -> Any:  # noqa: ANN401 - Arrow arrays throughout
    """Return distinct values in order of appearance, and indices into them."""
    return arrow.call_function("dictionary_encode", [column])


def unique(column: Any) -> Any:  # noqa: ANN401
    """Return distinct values in order of appearance."""
    return arrow.call_function("unique", [column])


def equal(one: Any, other: Any) -> Any:  # noqa: ANN401
    """Return which values are equal, row by row."""
    return arrow.call_function("equal", [one, other])


def less(one: Any, other: Any) -> Any:  # noqa: ANN401
    """Return which values come before those beside them."""
    return arrow.call_function("less", [one, other])


def all_true(column: Any) -> bool:  # noqa: ANN401
    """Return whether no value is false."""
    return arrow.call_function("all", [column]).as_py() is not False


def is_valid(column: Any) -> Any:  # noqa: ANN401
    """Return which values are not null."""
    return arrow.call_function("is_valid", [column])


def indices_nonzero(column: Any) -> Any:  # noqa: ANN401
    """Return the places of what is not false or 0."""
    return arrow.call_function("indices_nonzero", [column])


def sort_indices(column: Any) -> Any:  # noqa: ANN401
    """Return the places of the values in ascending order."""
    return arrow.call_function("array_sort_indices", [column])


def take(column: Any, rows: Any) -> Any:  # noqa: ANN401
    """Return the values at these places."""
    return arrow.call_function("take", [column, rows], arrow.TakeOptions())


def run_end_encode(column: Any) -> Any:  # noqa: ANN401
    """Return runs of equal values: each value, and the place behind its run."""
    return arrow.call_function("run_end_encode", [column], arrow.RunEndEncodeOptions())


def is_decimal(column: Any) -> Any:  # noqa: ANN401
    """Return which texts are ASCII digits and nothing else."""
    return arrow.call_function("ascii_is_decimal", [column])


def trim_left(column: Any, characters: str) -> Any:  # noqa: ANN401
    """Return the texts without leading ``characters``."""
    return arrow.call_function("ascii_ltrim", [column], arrow.TrimOptions(characters))


def cast(column: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return the values as another type; what does not fit raises ``pyarrow.ArrowInvalid``."""
    return arrow.call_function("cast", [column], arrow.CastOptions.safe(kind))


def join_texts(lists: Any, separators: Any) -> Any:  # noqa: ANN401
    """Return the texts of each list as one, with its separator between them."""
    return arrow.call_function("binary_join", [lists, separators])


def replaced(column: Any, where: Any, by: Any) -> Any:  # noqa: ANN401
    """Return the values with those where ``where`` is true replaced by the next of ``by``."""
    return arrow.call_function("replace_with_mask", [column, where, by])


def list_parent_indices(column: Any) -> Any:  # noqa: ANN401
    """Return for each value in lists the place of its list."""
    return arrow.call_function("list_parent_indices", [column])
