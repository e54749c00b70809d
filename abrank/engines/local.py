"""The engine of one machine: one thread per core, each scoring one partition at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from abrank._support.parallel import threaded_map

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def run(function: Callable[[_Item], _Result], items: Sequence[_Item]) -> Iterator[_Result]:
    """Apply a function to every item, on all cores.

    Threads rather than processes: Arrow and NumPy release the lock of the interpreter, and a script
    that calls this needs no ``if __name__ == "__main__"``.
    """
    yield from threaded_map(function, items, most=os.cpu_count() or 1)
