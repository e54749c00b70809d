"""Simulated machines that judge the documents of real runs, and what they make of differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import Qrels, Run, read_qrels, read_run

TOP, POOL = 10, 20  # ranks that are measured, and that are judged
N_DRAWS = 20  # of a machine's judgments of the same documents
FAILS = 0.03
BLIND = 0.05  # of queries, those with the largest differences
OFF = 0.05  # standard deviation of the errors elsewhere, of machines that are not always right
# Runs of different quality and of much the same, by collection.
PAIRS = (
    ("robust03", "InexpC2", "Sel50"),
    ("robust03", "THUIRr0301", "UIUC03Rd1"),
    ("robust03", "humR03dc", "pircRBa1"),
    ("vaswani", "bm25_k09_b40", "bm25_k12_b75"),
    ("vaswani", "tfidf_cos", "lsa100"),
    ("ltr", "lgbm_regression.run", "lgbm_lambdarank.run"),
    ("ltr", "ridge.run", "lgbm_regression.run"),
)

Grader = Callable[[IntArray, int, BoolArray, np.random.Generator], IntArray]


def _noisy(g: IntArray, maximum: int, _: BoolArray, random: np.random.Generator) -> IntArray:
    u = random.random(g.shape)
    return np.clip(g + (u < 0.15) - (u > 0.85), 0, maximum)


def _lenient(g: IntArray, maximum: int, _: BoolArray, random: np.random.Generator) -> IntArray:
    return np.clip(g + (random.random(g.shape) < 0.4), 0, maximum)


def _favours(g: IntArray, maximum: int, custom: BoolArray, random: np.random.Generator) -> IntArray:
    raised = custom & (g == 0) & (random.random(g.shape) < 0.4)
    return np.where(raised, 1, _noisy(g, maximum, custom, random))


def _useless(g: IntArray, maximum: int, _: BoolArray, random: np.random.Generator) -> IntArray:
    return np.where(random.random(g.shape) < 0.3, random.integers(1, maximum + 1, g.shape), 0)


def _adversarial(g: IntArray, maximum: int, _: BoolArray, __: np.random.Generator) -> IntArray:
    return np.asarray(maximum - g)


# None is a machine that fails on whole queries, not on documents; FAILING has how.
JUDGES: Mapping[str, Grader | None] = {
    "noisy": _noisy,
    "lenient": _lenient,
    "favours B": _favours,
    "useless": _useless,
    "adversarial": _adversarial,
    "rare failures": None,
    "fails for B": None,
    "blind to the largest": None,
}


class Judged(NamedTuple):
    """Human and machine differences of a pair, (3, n); ``null`` has both orders: mean 0.

    The third row are the mean scores of both systems by the machine.
    """

    name: str
    judge: str
    real: FloatArray
    null: FloatArray


class _Query(NamedTuple):
    """The pooled documents of a query: their grades, all that were judged, and who ranks which."""

    grades: IntArray
    every_grade: IntArray
    ranked: tuple[IntArray, IntArray]
    most: int


def judged_pairs(folder: Path, *, seed: int) -> Iterator[Judged]:
    """Go through pairs of runs and machines.

    Parameters
    ----------
    folder : Path
        With qrels and runs in ``robust03/``, ``vaswani/`` and ``ltr/``.
    """
    for collection, *names in PAIRS:
        qrels = read_qrels(next((folder / collection).glob("qrels.txt*")))
        runs = [next((folder / collection / "runs").glob(f"{name}*")) for name in names]
        queries = list(_queries(_grades(qrels), tuple(_by_query(read_run(run)) for run in runs)))
        short = [name.removesuffix(".run") for name in names]
        for judge in JUDGES:
            random = stream(seed, collection, *names, judge)
            real, null = _differences(queries, judge, random)
            yield Judged(f"{short[0]}, {short[1]}", judge, real, null)


def _queries(
    qrels: Mapping[str, Mapping[str, int]], runs: tuple[Mapping[str, list[str]], ...]
) -> Iterator[_Query]:
    """Go through the queries that were judged and that both runs have."""
    maximum = max(max(of_query.values()) for of_query in qrels.values())
    for query, of_query in qrels.items():
        if not all(query in run for run in runs):
            continue
        pool = list(dict.fromkeys(doc for run in runs for doc in run[query]))
        grades = np.array([max(0, of_query.get(doc, 0)) for doc in pool], dtype=np.int64)
        ranked = tuple(np.array([pool.index(doc) for doc in run[query][:TOP]]) for run in runs)
        everything = np.maximum(0, np.array([*of_query.values()], dtype=np.int64))
        yield _Query(grades, everything, (ranked[0], ranked[1]), maximum)


def _differences(
    queries: list[_Query], judge: str, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the rows of ``Judged`` (3, n), of A against B and of both orders."""
    both = [np.hstack([_of_query(query, JUDGES[judge], random, swap=swap) for query in queries])
            for swap in (False, True)]  # fmt: skip
    for item in both if judge in FAILING else []:
        item[1] = FAILING[judge](item[0], item[2], random)
    return both[0], np.hstack(both)


def _anywhere(d: FloatArray, _: FloatArray, random: np.random.Generator) -> FloatArray:
    failed = random.random(d.size) < FAILS
    return np.where(failed, random.permutation(d) - 0.3, d)


def _for_b(d: FloatArray, mean: FloatArray, random: np.random.Generator) -> FloatArray:
    """Return differences as if B had found nothing on some queries: less the score of A."""
    failed = random.random(d.size) < FAILS
    return np.where(failed, d / 2.0 - mean, d + OFF * random.standard_normal(d.size))


def _blind(d: FloatArray, _: FloatArray, random: np.random.Generator) -> FloatArray:
    large = np.abs(d) > np.quantile(np.abs(d), 1.0 - BLIND)
    return np.where(large, 0.0, d) + OFF * random.standard_normal(d.size)


FAILING: Mapping[str, Callable[[FloatArray, FloatArray, np.random.Generator], FloatArray]] = {
    "rare failures": _anywhere,
    "fails for B": _for_b,
    "blind to the largest": _blind,
}


def _of_query(
    query: _Query, grader: Grader | None, random: np.random.Generator, *, swap: bool
) -> FloatArray:
    a, b = query.ranked[:: -1 if swap else 1]
    of_a, of_b = (float(ndcg(query.grades[item], query.every_grade)) for item in (a, b))
    human = np.full(N_DRAWS, of_b - of_a)
    if grader is None:
        return np.stack([human, human, np.full(N_DRAWS, (of_a + of_b) / 2.0)])
    grades = np.repeat(query.grades[None], N_DRAWS, axis=0)
    custom = np.isin(np.arange(grades.shape[1]), b)[None]
    machine = grader(grades, query.most, custom, random)
    by_machine = [ndcg(machine[:, item], machine) for item in (a, b)]
    return np.stack([human, by_machine[1] - by_machine[0], np.mean(by_machine, axis=0)])


def ndcg(ranked: IntArray, everything: IntArray) -> FloatArray:
    """Return nDCG@10 with the grade as gain, as trec_eval has it, for grades along the last axis.

    Examples
    --------
    >>> float(ndcg(np.array([0, 1]), np.array([1, 0, 0])).round(4))
    0.6309
    """
    ideal = _dcg(-np.sort(-everything, axis=-1)[..., :TOP])
    return np.asarray(np.divide(_dcg(ranked), ideal, out=np.zeros(ideal.shape), where=ideal > 0))


def _dcg(grades: IntArray) -> FloatArray:
    return np.asarray(grades @ (1.0 / np.log2(np.arange(2, grades.shape[-1] + 2))))


def _by_query(run: Run) -> dict[str, list[str]]:
    frame = run.frame()
    top = frame[frame["rank"] <= POOL].sort_values("rank")
    return {str(query): list(docs) for query, docs in top.groupby("query_id")["doc_id"]}


def _grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    result: dict[str, dict[str, int]] = {}
    for query, doc, grade in qrels.frame().itertuples(index=False):
        result.setdefault(query, {})[doc] = grade
    return result
