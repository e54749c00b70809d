"""Comparisons of every size and shape that a plot may meet."""

import dataclasses
import functools

import numpy as np
import pytest

from abrank import Comparison, Scores
from abrank.comparison.compare import compare_recorded
from abrank.comparison.evidence import CutoffCurve, RunDetails
from abrank.comparison.query_data import QueryData
from abrank.options import Question, RankingQuestion
from abrank.ranking import rank

MEASURES = ("nDCG@10", "AP", "RR")
CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)


def evidence_of(n: int) -> RunDetails:
    """Curves such as runs would have shown."""
    random = np.random.default_rng(n)
    k = np.array(CUTOFFS, dtype=float)
    mean_a, diff = 0.3 + 0.05 * np.log(k), 0.05 - 0.01 * np.log(k)
    error = 0.3 / np.sqrt(n) + 0.002 * random.random(len(k))
    return RunDetails(
        cutoff_curve=CutoffCurve(
            "nDCG",
            CUTOFFS,
            *(
                tuple(item.tolist())
                for item in (mean_a, mean_a + diff, diff, diff - error, diff + error)
            ),
            judged_a=tuple((1.0 - 0.1 * np.log10(k)).tolist()),
            judged_b=tuple((0.9 - 0.2 * np.log10(k)).tolist()),
        )
    )


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
    segmented: bool = True,
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
    ids = tuple(f"{prefix}{i}" for i in range(n))
    segments = {
        "intent": {query: ("how to", "buy", "where is")[i % 7 % 3] for i, query in enumerate(ids)},
        "length": {query: str(1 + i % 4) for i, query in enumerate(ids)},
    }
    systems = compare_recorded(
        Scores(ids, ("BM25", "monoT5"), measures, np.stack([a, b], axis=1)),
        Question(
            # The sign test counts queries, and a margin is in the unit of a measure.
            margin=None if test == "sign" else margin,
            test=test,
            adjust=adjust,
            resamples=499,
        ),
        data=QueryData(segments=segments if n and segmented else {}),
    )
    systems = dataclasses.replace(systems, provenance={})
    return dataclasses.replace(systems, evidence=evidence_of(n)) if n else systems


@functools.cache
def ranked(k, n=40, *, measure="nDCG@10", test=None, baseline=None, spread=0.02, prefix="system "):
    random = np.random.default_rng(1000 * k + n)
    hard = random.beta(1.2, 1.6, size=(n, 1))
    values = 0.7 * hard + spread * np.arange(k) + 0.08 * random.standard_normal((n, k))
    systems = tuple(f"{prefix}{i}" for i in range(k))
    ids = tuple(f"q{i}" for i in range(n))
    scores = Scores(ids, systems, (measure,), np.clip(values, 0.0, 1.0)[:, :, None])
    question = RankingQuestion(test=test, baseline=baseline, resamples=199, pairs=True)
    return rank.ranking_of(scores, question)


@pytest.fixture
def comparison_of():
    return made


@pytest.fixture
def ranking_of():
    return ranked
