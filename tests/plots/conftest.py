"""Comparisons of every size and shape that a plot may meet."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from abrank.comparison import Comparison, compare_scores

MEASURES = ("nDCG@10", "AP", "RR")
KINDS = ("normal", "identical", "constant", "one decided", "discrete", "many ties")


@functools.cache
def made(
    n: int,
    kind: str = "normal",
    *,
    measures: tuple[str, ...] = MEASURES,
    margin: float = 0.01,
    test: str = "t",
    shift: float = 0.03,
    prefix: str = "q",
    adjust: str | None = None,
) -> Comparison:
    random = np.random.default_rng(n)
    a = random.beta(1.2, 1.6, size=(n, len(measures)))
    noise = random.standard_normal((n, 1)) + random.standard_normal((n, len(measures)))
    b = np.clip(a + shift + 0.1 * noise, 0.0, 1.0)
    if kind == "identical":
        b = a.copy()
    elif kind == "constant":
        a = np.round(0.8 * a, 3)
        b = a + 0.05
    elif kind == "one decided":
        b = a.copy()
        b[-1:] += 0.3
    elif kind == "discrete":
        a, b = np.round(4 * a) / 4, np.round(4 * b) / 4
    elif kind == "many ties":
        b = np.where(random.random((n, 1)) < 0.4, a, b)
    ids = pd.Index([f"{prefix}{i}" for i in range(n)], dtype=object)
    frames = [pd.DataFrame(values, index=ids, columns=list(measures)) for values in (a, b)]
    return compare_scores(
        *frames,
        baseline="BM25",
        candidate="monoT5",
        # The sign test counts queries, and a margin is in the unit of a measure.
        margin=0.0 if test == "sign" else margin,
        test=test,
        adjust=adjust,
        n_resamples=499,
    )


@pytest.fixture
def comparison_of() -> Callable[..., Comparison]:
    return made
