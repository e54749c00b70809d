"""Simulated judgments and runs of two rankers, reproducible by a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.rng import entropy, stream
from abrank._support.typing import BoolArray, FloatArray, IntArray, RandomSource
from abrank.inputs import Qrels, Run, read_qrels, read_run

N_DOCUMENTS = 300  # candidate documents per query
RUN_DEPTH = 100  # documents per query in a run
POOL_DEPTH = 30  # documents per query of each run that are judged
SHARED_NOISE = 0.75  # share of the noise variance that both rankers have in common


# Topics of the queries, and the wording of each intent.
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
    """The result of :func:`simulate_runs`: judgments, a baseline run and a candidate run.

    ``topics`` and ``intents`` hold a text and an intent by query id. They have no effect on scores.
    """

    qrels: Qrels
    baseline: Run
    candidate: Run
    effect: float
    topics: Mapping[str, str]
    intents: Mapping[str, str]


@explained
def simulate_runs(
    n_queries: int = 200, *, effect: float = 0.08, rng: RandomSource = 0
) -> Simulation:
    """Simulate a test collection and two rankers that differ by a known amount.

    Each query has 300 candidate documents with grades 0 to 3. Queries differ in their number of
    relevant documents and in their difficulty. A ranker scores a document by
    ``signal * grade + noise``. The noise has standard deviation 1, and both rankers share three
    quarters of its variance. The candidate's mean signal is the baseline's plus ``effect``; the
    difference varies from query to query. The top 30 documents of both runs are judged, so the
    pool favours neither ranker.

    Parameters
    ----------
    n_queries : int
        Number of queries.
    effect : float
        Mean signal of the candidate minus that of the baseline. With 0 the rankers are
        exchangeable, so the true difference of every measure is exactly 0. A negative effect makes
        the candidate worse.
    rng : int, Generator, SeedSequence or None
        Random source; the same seed gives the same collection.

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
    checks.finite("effect", effect)
    random = stream(entropy(rng), "simulate")
    grades = _grades(n_queries, random)
    signal = random.gamma(shape=4.0, scale=0.12, size=(n_queries, 1))
    swing = random.normal(scale=0.18, size=(2, n_queries, 1))
    common = random.normal(size=grades.shape)
    scores = []
    for ranker, gain in enumerate((0.0, effect)):
        normal = random.normal(size=grades.shape)
        noise = np.sqrt(SHARED_NOISE) * common + np.sqrt(1.0 - SHARED_NOISE) * normal
        scores.append(np.round((signal + gain + swing[ranker]) * grades + noise, 6))
    is_judged = _top(scores[0], POOL_DEPTH) | _top(scores[1], POOL_DEPTH)
    width = len(str(n_queries))
    queries = np.array([f"q{i + 1:0{width}d}" for i in range(n_queries)], dtype=object)
    runs = [
        read_run(_rows(queries, _top(score, RUN_DEPTH), score), name=name)
        for name, score in zip(("baseline", "candidate"), scores, strict=True)
    ]
    topics = _topics(n_queries)
    return Simulation(
        qrels=read_qrels(_rows(queries, is_judged, grades), name="qrels"),
        baseline=runs[0],
        candidate=runs[1],
        effect=effect,
        topics={query: text for query, (text, _) in zip(queries, topics, strict=True)},
        intents={query: intent for query, (_, intent) in zip(queries, topics, strict=True)},
    )


def simulate_clicks(
    simulation: Simulation,
    *,
    method: Literal["team-draft", "balanced"] = "team-draft",
    model: Literal["position", "cascade"] = "position",
    n_impressions: int = 400,
    n_users: int = 80,
    depth: int = 10,
    rng: RandomSource = 0,
) -> list[dict[str, Any]]:
    """Simulate users who click on interleaved lists of two rankers.

    Some users return more often than others, and each user prefers one ranker by an individual
    amount. Impressions of the same user are therefore correlated.

    Parameters
    ----------
    simulation : Simulation
        The queries and the two runs to interleave.
    method : {"team-draft", "balanced"}
        Team draft: the rankers pick documents in turn, and a coin decides who begins each
        round [1]_. Balanced: the lists are merged from the top, and a coin decides which list
        begins [2]_.
    model : {"position", "cascade"}
        Position: users examine each rank independently, with probability 1 / sqrt(rank). Cascade:
        users read from the top, and each click ends the search with probability 0.7.
    n_impressions, n_users : int
        Number of interleaved lists, and of users.
    depth : int
        Number of documents shown.
    rng : int, Generator, SeedSequence or None

    Returns
    -------
    list of dict
        Rows for :func:`abrank.compare_preferences`: ``impression``, ``query_id``, ``user``,
        ``ranking``, ``clicks``, and ``team`` or the lists ``a`` and ``b``.

    References
    ----------
    .. [1] Radlinski, Kurup & Joachims (2008), CIKM, 43-52.
    .. [2] Joachims (2002), KDD, 133-142.

    Examples
    --------
    >>> rows = simulate_clicks(simulate_runs(30, rng=1), n_impressions=3, rng=2)
    >>> [len(row["team"]) for row in rows]
    [10, 10, 10]
    """
    checks.one_of("method", method, ("team-draft", "balanced"))
    checks.one_of("model", model, ("position", "cascade"))
    random = stream(entropy(rng), "clicks")
    grades: dict[str, dict[str, int]] = {}
    for query, doc, grade in simulation.qrels.frame().itertuples(index=False):
        grades.setdefault(query, {})[doc] = grade
    activity = random.pareto(1.2, n_users) + 0.2
    preference = 0.15 * random.standard_normal(n_users)
    queries, rows = simulation.qrels.query_ids, []
    for i in range(n_impressions):
        query = queries[random.integers(len(queries))]
        user = int(random.choice(n_users, p=activity / activity.sum()))
        lists = [
            [doc for doc, _ in run.ranking(query, top=depth)]
            for run in (simulation.baseline, simulation.candidate)
        ]
        ranking, team = interleave(*lists, method=method, depth=depth, random=random)
        clicks = []
        for position, doc in enumerate(ranking):
            chance_of_grade = (0.05, 0.4, 0.7, 0.9)[min(grades[query].get(doc, 0), 3)]
            side = {"A": -1.0, "B": 1.0}.get(team[position], 0.0)
            chance = chance_of_grade + side * preference[user]
            if model == "position":
                chance /= (position + 1) ** 0.5
            if random.random() < chance:
                clicks.append(position)
                if model == "cascade" and random.random() < 0.7:
                    break
        source_of_list = (
            {"team": team} if method == "team-draft" else dict(zip("ab", lists, strict=True))
        )
        rows.append({
            "impression": f"i{i:0{len(str(n_impressions))}}", "query_id": query,
            "user": f"u{user}", "ranking": ranking, "clicks": clicks, **source_of_list,
        })  # fmt: skip
    return rows


def interleave(
    a: Sequence[Any], b: Sequence[Any], *, method: str, depth: int, random: np.random.Generator
) -> tuple[list[Any], list[str]]:
    """Return the interleaved list, and the team of each document: A, B, or empty for none."""
    lists, position = (a, b), [0, 0]
    ranking: list[Any] = []
    team: list[str] = []
    first = int(random.integers(2))
    while len(ranking) < depth:
        is_new_round, turn = position[0] == position[1], int(position[1] < position[0])
        if method == "balanced":
            if position[0] >= len(a) or position[1] >= len(b):
                break
            turn = first if is_new_round else turn
            doc, name = lists[turn][position[turn]], ""
        else:
            next_docs = [
                next((x for x in documents if x not in ranking), None) for documents in lists
            ]
            if next_docs == [None, None]:
                break
            turn = int(random.integers(2)) if is_new_round else turn
            turn = 1 - turn if next_docs[turn] is None else turn
            doc, name = next_docs[turn], "AB"[turn]
        position[turn] += 1
        if doc not in ranking:
            ranking.append(doc)
            team.append(name)
    return ranking, team


def _topics(n_queries: int) -> list[tuple[str, str]]:
    patterns = [(pattern, intent) for intent, templates in INTENTS.items() for pattern in templates]
    result = [(pattern.format(thing), intent) for thing in THINGS for pattern, intent in patterns]
    # This step shares no divisor with the length, so it visits every pair and mixes intents.
    return [result[37 * i % len(result)] for i in range(n_queries)]


def _grades(n_queries: int, random: np.random.Generator) -> IntArray:
    """Draw grades 0 to 3: few relevant documents for most queries, many for some."""
    share = random.beta(1.0, 24.0, size=(n_queries, 1)) + 0.01
    relevant = random.random((n_queries, N_DOCUMENTS)) < share
    relevant[:, 0] = True  # a query needs a relevant document to tell rankers apart
    level = random.choice([1, 2, 3], p=[0.55, 0.3, 0.15], size=relevant.shape)
    return np.where(relevant, level, 0)


def _top(scores: FloatArray, depth: int) -> BoolArray:
    order = np.argsort(-scores, axis=1, kind="stable")
    marked = np.zeros(scores.shape, dtype=np.bool_)
    np.put_along_axis(marked, order[:, :depth], True, axis=1)
    return marked


def _rows(
    names: np.ndarray, is_chosen: BoolArray, values: FloatArray | IntArray
) -> Iterator[tuple[str, str, float]]:
    queries, documents = np.nonzero(is_chosen)
    ids = [f"d{q + 1:04d}-{d + 1:03d}" for q, d in zip(queries, documents, strict=True)]
    return zip(names[queries], ids, values[queries, documents].tolist(), strict=True)
