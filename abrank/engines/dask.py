"""Dask: the partitions as futures, on the user's cluster or on one that is started for them.

A partition whose worker died is scored again by another; ``pip install dask distributed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from abrank._support.errors import AbrankError, ArgumentError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

RETRIES = 3


def run(
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    scheduler: Any = None,  # noqa: ANN401 - an address, or a Client
) -> Iterator[_Result]:
    """Apply a function to every item, on the workers of a cluster."""
    distributed: Any
    try:
        from dask import distributed
    except ImportError as error:
        raise ArgumentError("Dask is not installed: pip install dask distributed") from error
    if not items:
        return
    with _client(distributed, scheduler) as client:
        futures = client.map(function, items, retries=RETRIES, pure=False)
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                yield future.result()
        except distributed.KilledWorker as error:
            raise AbrankError(
                f"{error}; a worker needs about 500 MB a thread for partitions of 1 million rows"
            ) from error
        finally:
            client.cancel(futures)


@contextmanager
def _client(distributed: Any, scheduler: Any) -> Iterator[Any]:  # noqa: ANN401
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ArgumentError(f"no Dask scheduler answers at {scheduler}: {error}") from error
        with client:
            yield client
        return
    # One thread a process: a worker that dies takes one partition with it. The dashboard is at a
    # free port, as another cluster may have the usual one.
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
