"""Two helpers for speed: a threaded map, and a pause of garbage collection."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

MAX_THREADS = 4  # more would wait for the interpreter lock


@contextmanager
def without_collecting() -> Iterator[None]:
    """Pause garbage collection while millions of small objects are created."""
    # They have no reference cycles, and the search for cycles would take half of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def threaded_map(
    function: Callable[[_Item], _Result], items: Iterable[_Item], *, maximum: int = MAX_THREADS
) -> Iterator[_Result]:
    """Map a function over items in threads; it should mostly run numpy or Arrow."""
    rest = iter(items)
    first = list(islice(rest, 2))
    n_threads = min(os.cpu_count() or 1, maximum)
    if len(first) < 2 or n_threads < 2:
        yield from map(function, chain(first, rest))
        return
    # Imported here, because most files are one piece and need no threads.
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in chain(first, rest):
            waiting.append(pool.submit(function, item))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
