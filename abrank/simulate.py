"""A seeded collection with two rankers: judgments and runs without a network or a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from abrank._support import checks
from abrank._support.rng import entropy, stream
from abrank._support.typing import BoolArray, FloatArray, IntArray, RandomSource
from abrank.inputs import Qrels, Run, read_qrels, read_run

N_DOCUMENTS = 300  # candidates of a query
DEPTH = 100  # documents that a run returns
POOL_DEPTH = 30  # of each run, the documents that get judged
SHARED_NOISE = 0.75  # part of the rankers' errors that both make: two rankers of one kind


# What the queries are about, and how people with an intent ask for it.
THINGS = (
    *("bicycle", "kettle", "lantern", "violin", "raincoat", "telescope", "hammock", "typewriter"),
    *("teapot", "compass", "umbrella", "accordion", "notebook", "greenhouse", "canoe", "windmill"),
    *("barometer", "tricycle", "sundial", "lighthouse", "sewing machine", "bookshelf", "tent"),
    *("fountain pen", "rocking chair"),
)
INTENTS = {
    "informational": ("how does the {} work", "history of the {}", "{} repair guide", "best {}"),
    "navigational": ("{} museum website", "{} club login"),
    "transactional": ("buy {} online", "{} rental prices", "second hand {}", "{} spare parts"),
}


@dataclass(frozen=True, eq=False)
class Simulation:
    """What :func:`simulate_runs` makes: judgments, a baseline run and a candidate run.

    ``topics`` and ``intents`` have a text and an intent for each query id; both are made up, and
    nothing depends on them.
    """

    qrels: Qrels
    baseline: Run
    candidate: Run
    effect: float
    topics: Mapping[str, str]
    intents: Mapping[str, str]


def simulate_runs(
    n_queries: int = 200, *, effect: float = 0.08, rng: RandomSource = 0
) -> Simulation:
    """Simulate a test collection and two rankers that differ by a known amount.

    Every query has 300 candidate documents with grades 0 to 3; queries differ in how many of them
    are relevant and in how well a ranker can tell them apart. A ranker scores a document by
    ``signal * grade + noise``, with noise of standard deviation 1, three quarters of whose variance
    is common to both. The candidate's signal is the baseline's plus ``effect``; how much a single
    query gains or loses varies around that. Documents in the top 30 of either run are judged, so
    neither ranker is favoured by the pool.

    Parameters
    ----------
    n_queries : int
    effect : float
        What the candidate's signal has above the baseline's. With 0 the two are exchangeable: the
        true difference of every measure is exactly 0. Negative makes it worse.
    rng : int, Generator, SeedSequence or None
        The same seed gives the same collection.

    Returns
    -------
    Simulation
        ``qrels``, ``baseline``, ``candidate``, ``topics`` and ``intents``, ready for
        :func:`abrank.compare`.

    Examples
    --------
    >>> made = simulate_runs(20, rng=1)
    >>> len(made.qrels.query_ids), len(made.baseline)
    (20, 2000)
    """
    checks.count("n_queries", n_queries)
    random = stream(entropy(rng), "simulate")
    grades = _grades(n_queries, random)
    signal = random.gamma(shape=4.0, scale=0.12, size=(n_queries, 1))
    swing = random.normal(scale=0.18, size=(2, n_queries, 1))
    common = random.normal(size=grades.shape)
    scores = []
    for ranker, gain in enumerate((0.0, effect)):
        own = random.normal(size=grades.shape)
        noise = np.sqrt(SHARED_NOISE) * common + np.sqrt(1.0 - SHARED_NOISE) * own
        scores.append(np.round((signal + gain + swing[ranker]) * grades + noise, 6))
    judged = _top(scores[0], POOL_DEPTH) | _top(scores[1], POOL_DEPTH)
    width = len(str(n_queries))
    queries = np.array([f"q{i + 1:0{width}d}" for i in range(n_queries)], dtype=object)
    runs = [
        read_run(_rows(queries, _top(each, DEPTH), each), name=name)
        for name, each in zip(("baseline", "candidate"), scores, strict=True)
    ]
    asked = _asked(n_queries)
    return Simulation(
        qrels=read_qrels(_rows(queries, judged, grades), name="qrels"),
        baseline=runs[0],
        candidate=runs[1],
        effect=effect,
        topics={query: text for query, (text, _) in zip(queries, asked, strict=True)},
        intents={query: intent for query, (_, intent) in zip(queries, asked, strict=True)},
    )


def _asked(n_queries: int) -> list[tuple[str, str]]:
    """Return a text and its intent for every query; after 250 the same ones again."""
    patterns = [(pattern, intent) for intent, found in INTENTS.items() for pattern in found]
    made = [(pattern.format(thing), intent) for thing in THINGS for pattern, intent in patterns]
    # A step without a common divisor visits them all, intents and things mixed.
    return [made[37 * i % len(made)] for i in range(n_queries)]


def _grades(n_queries: int, random: np.random.Generator) -> IntArray:
    """Grades 0 to 3: few relevant documents for most queries, many for some."""
    share = random.beta(1.0, 24.0, size=(n_queries, 1)) + 0.01
    relevant = random.random((n_queries, N_DOCUMENTS)) < share
    relevant[:, 0] = True  # a query without a relevant document tells rankers nothing apart
    level = random.choice([1, 2, 3], p=[0.55, 0.3, 0.15], size=relevant.shape)
    return np.where(relevant, level, 0)


def _top(scores: FloatArray, depth: int) -> BoolArray:
    """Mark each query's ``depth`` best documents."""
    order = np.argsort(-scores, axis=1, kind="stable")
    marked = np.zeros(scores.shape, dtype=np.bool_)
    np.put_along_axis(marked, order[:, :depth], True, axis=1)
    return marked


def _rows(
    names: np.ndarray, chosen: BoolArray, values: FloatArray | IntArray
) -> Iterator[tuple[str, str, float]]:
    """Return query, document and number of the documents chosen."""
    queries, documents = np.nonzero(chosen)
    ids = [f"d{q + 1:04d}-{d + 1:03d}" for q, d in zip(queries, documents, strict=True)]
    return zip(names[queries], ids, values[queries, documents].tolist(), strict=True)
