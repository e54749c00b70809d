"""Work shared out among threads, and answers kept for those who ask again."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

MOST_THREADS = 4  # more of them wait for each other where Python itself has to run


def threaded_map(
    function: Callable[[_Item], _Result], items: Iterable[_Item], *, most: int = MOST_THREADS
) -> Iterator[_Result]:
    """Apply a function whose time goes by in numpy or Arrow, which let other threads run."""
    rest = iter(items)
    first = list(islice(rest, 2))
    n_threads = min(os.cpu_count() or 1, most)
    if len(first) < 2 or n_threads < 2:
        yield from map(function, chain(first, rest))
        return
    # Imported here: most files are one piece, and need no threads.
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for item in chain(first, rest):
            waiting.append(pool.submit(function, item))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_Answer = TypeVar("_Answer")


def remembered(n_answers: int) -> Callable[[Callable[..., _Answer]], Callable[..., _Answer]]:
    """Keep the last answers of a function, found again by the content of its arguments."""
    # The content of arrays is compared, which takes a fraction of what it takes to make a key of
    # it. The function is given copies in one piece that cannot be changed.

    def decorate(function: Callable[..., _Answer]) -> Callable[..., _Answer]:
        held: list[tuple[tuple[Any, ...], _Answer]] = []

        @wraps(function)
        def call(*asked: Any) -> _Answer:  # noqa: ANN401
            nonlocal held
            for arguments, answer in held:
                if len(arguments) == len(asked) and all(map(_same, arguments, asked)):
                    return answer
            kept = tuple(map(_copied, asked))
            answer = function(*kept)
            # Not in place: another thread may be looking.
            held = [(kept, answer), *held][:n_answers]
            return answer

        return call

    return decorate


def _copied(value: Any) -> Any:  # noqa: ANN401
    if not isinstance(value, np.ndarray):
        return value
    copy = np.array(value, order="C")
    copy.flags.writeable = False
    return copy


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Whether two arguments are the same, arrays bit by bit: 0 is not -0, and NaN is NaN."""
    if one is other or type(one) is not type(other):
        return one is other
    if not isinstance(one, np.ndarray):
        return bool(one.equals(other) if hasattr(one, "equals") else one == other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    bits = f"u{one.itemsize}"
    return bool((one.view(bits) == other.view(bits)).all())
