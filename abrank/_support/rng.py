"""Random streams: one recorded seed, and child streams by name instead of call order."""

from __future__ import annotations

import zlib

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import RandomSource


def entropy(rng: RandomSource) -> int:
    """Convert an ``rng=`` argument to one number that reproduces the result."""
    if rng is None:
        # 64 bits are enough for a seed, and fit on a line of a report.
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if isinstance(rng, np.random.SeedSequence):
        if rng.spawn_key or not isinstance(rng.entropy, int):
            return int(rng.generate_state(1, np.uint64)[0])
        return rng.entropy
    if isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise ArgumentError(f"rng must be a whole number from 0, a Generator or None, not {rng!r}")
    return int(rng)


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the random stream for ``seed`` and ``names``."""
    keys = [zlib.crc32(name.encode()) for name in names]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=keys))
