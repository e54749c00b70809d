"""Arrow's kernels by the names of ``pyarrow.compute``, which is imported when one is asked for.

It writes a Python function for each of its hundreds of kernels when it is imported, which takes
longer than reading an everyday file: that does without.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function of Arrow arrays
    from pyarrow import compute

    return getattr(compute, name)
