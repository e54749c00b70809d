"""Comparisons whose numbers follow from how they are made."""

import dataclasses
import functools
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, Scores, Verdict, compare_scores, evaluate, inputs, simulate_runs
from abrank.comparison.compare import compare_recorded
from abrank.options import Inputs, Machine, Question
from abrank.workflow import compare, compare_runs
from tests.asked import asked

Make = Callable[..., Comparison]


def _pattern(n: int) -> np.ndarray:
    """Return n numbers with mean 0 and standard deviation 1 (ddof 1), symmetric, without ties."""
    steps = np.arange(n) - (n - 1) / 2
    return steps / steps.std(ddof=1)


@functools.cache  # a comparison never changes
def _make(mean=0.05, *, sd=0.1, n=100, measures=1, **how) -> Comparison:
    """Compare scores whose differences have this mean and deviation; later measures have less."""
    names = ["nDCG@10", "AP", "RR", "P@10", "R@100", "ERR@20", *(f"P@{k}" for k in range(20, 40))]
    ids = [f"q{i:04}" for i in range(n)]
    rng = np.random.default_rng(n)
    a = pd.DataFrame(index=ids)
    b = pd.DataFrame(index=ids)
    for i, name in enumerate(names[:measures]):
        a[name] = rng.permutation(np.linspace(0.3, 0.5, n))
        b[name] = a[name] + mean * (1 - 0.5 * i) + sd * rng.permutation(_pattern(n))
    named = {"name_a": "bm25", "name_b": "monot5", "measures": list(a.columns)}
    return compare_scores(a, b, **asked(**named, **{"resamples": 999, **how}))


@functools.cache
def _with_machine(*, picked: bool = False) -> Comparison:
    """Compare the scores of 40 queries by people, drawn or picked, and of 200 by a machine."""
    rng = np.random.default_rng(18)
    ids, columns = [f"q{i:04}" for i in range(200)], ["nDCG@10", "AP"]
    a = pd.DataFrame(rng.random((200, 2)), ids, columns)
    b = a + 0.12 + 0.15 * rng.standard_normal((200, 2))
    by_machine = b + 0.05 + 0.05 * rng.standard_normal((200, 2))
    gains = (b - a)["nDCG@10"].sort_values()
    judged = sorted(gains.index[-40:] if picked else rng.permutation(ids)[:40])
    machine = Machine(scores=(a, by_machine), shared_model="b")
    return compare_scores(
        a.loc[judged], b.loc[judged], measures=columns, margin=0.01, resamples=999,
        name_a="bm25", name_b="monot5", machine=machine,
    )  # fmt: skip


# Half the 95% interval is .0198 wide, half the 90% one .0166.
SITUATIONS: dict[str, tuple[Verdict, int, Callable[[], Comparison]]] = {
    "better without margin": (Verdict.BETTER, 1, partial(_make, 0.05)),
    "better": (Verdict.BETTER, 1, partial(_make, 0.05, margin=0.01)),
    "better, size unclear": (Verdict.BETTER_SIZE_UNCLEAR, 1, partial(_make, 0.05, margin=0.04)),
    "better, below margin": (Verdict.BETTER_SIZE_UNCLEAR, 1, partial(_make, 0.03, margin=0.04)),
    "better, too little": (Verdict.SAME, 1, partial(_make, 0.03, margin=0.06)),
    "same": (Verdict.SAME, 0, partial(_make, 0.001, margin=0.03)),
    "worse, too little": (Verdict.SAME, -1, partial(_make, -0.03, margin=0.06)),
    "not worse": (Verdict.NOT_WORSE, 0, partial(_make, 0.01, margin=0.02)),
    "not better": (Verdict.NOT_BETTER, 0, partial(_make, -0.01, margin=0.02)),
    "inconclusive": (Verdict.INCONCLUSIVE, 0, partial(_make, 0.005, margin=0.005)),
    "inconclusive without margin": (Verdict.INCONCLUSIVE, 0, partial(_make, 0.01)),
    "worse, size unclear": (Verdict.WORSE_SIZE_UNCLEAR, -1, partial(_make, -0.05, margin=0.04)),
    "worse": (Verdict.WORSE, -1, partial(_make, -0.05, margin=0.01)),
    "worse without margin": (Verdict.WORSE, -1, partial(_make, -0.05)),
    "identical": (Verdict.IDENTICAL, 0, partial(_make, 0.0, sd=0.0)),
    "constant": (Verdict.BETTER, 1, partial(_make, 0.1, sd=0.0)),
    "one query": (Verdict.CANNOT_TEST, 0, lambda: compare_scores({"q": 0.2}, {"q": 0.5})),
    "people and machine": (Verdict.BETTER, 1, lambda: _with_machine()),
    "no query": (Verdict.CANNOT_TEST, 0, lambda: compare_scores({}, {})),
}


def _designed(**how) -> Comparison:
    """Compare two measures on 60 queries of which four each are of one user."""
    how |= {"margin": 0.013, "require": "non-inferior", "primary": "nDCG@10"}
    return _make.__wrapped__(0.04, n=60, measures=2, **how)


_USERS = {f"q{i:04}": f"u{i // 4}" for i in range(60)}
DESIGNS: dict[str, Callable[[], Comparison]] = {
    "clusters": lambda: _designed(clusters=_USERS, guard=["AP:-0.0371"]),
    "a look": lambda: _designed(look="2/3", guard=["AP:-7.3%"]),
    "the last look": lambda: _designed(look="3/3", spending="pocock"),
    "any time": lambda: _designed(anytime=70, guard=["nDCG@10:-0.0009"]),
    "any time, few": lambda: _make(0.04, n=20, anytime=70),
    "segments": lambda: _designed(
        segments={"half": {q: q[-1] < "5" for q in _USERS}, "user": _USERS}
    ),
}


@pytest.fixture(scope="session", params=DESIGNS)
def design(request: pytest.FixtureRequest) -> Comparison:
    """Return a comparison by each design."""
    return DESIGNS[request.param]()


@pytest.fixture(scope="session")
def looked() -> Comparison:
    """Return a comparison at the second of three looks, with a guard."""
    return DESIGNS["a look"]()


@pytest.fixture(scope="session")
def clustered() -> Comparison:
    """Return a comparison of clustered queries."""
    return DESIGNS["clusters"]()


@pytest.fixture(scope="session")
def make() -> Make:
    """Return the maker of comparisons with a given mean difference and deviation."""
    return _make


@pytest.fixture(scope="session", params=SITUATIONS)
def situation(request: pytest.FixtureRequest) -> Comparison:
    """Return one comparison for every row of the table of verdicts."""
    verdict, direction, build = SITUATIONS[request.param]
    comparison = build()
    assert (comparison.verdict, comparison.decision.direction) == (verdict, direction)
    return comparison


HOSTILE = (
    "<script>alert(1)</script>", "a|b|c", "`tick``tick`", "two\nlines\r\n# heading",
    '=cmd|"/c calc"!A1', "@octocat", "[link](http://evil.example)", "**bold** _it_ \\",
    "\x1b[31mred\x1b[0m", "\u202egnp.exe", "検索エンジン", "</details>", "&lt;b&gt;", "x" * 300,
    "~~gone~~ $x$ www.evil.example",
)  # fmt: skip


@pytest.fixture(scope="session")
def hostile() -> Comparison:
    """Return a comparison whose ids, names and measures try to break every format."""
    rng = np.random.default_rng(5)
    ids = pd.Index(HOSTILE)
    columns = ["| - `m` <b>", *(f"m{i}" for i in range(2))]
    a = pd.DataFrame(rng.random((len(ids), 3)), index=ids, columns=columns)
    b = pd.DataFrame(rng.random((len(ids), 3)), index=ids, columns=columns)
    return compare_scores(
        a, b, name_a="base <img src=x onerror=alert(1)> | x\n# h",
        name_b="`cand` @octocat [x](http://e.example) </details>", resamples=999,
    )  # fmt: skip


@pytest.fixture(scope="session")
def judged() -> Comparison:
    """Return a comparison of two runs with every fault that an audit counts."""
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(4)}
    good = {f"q{i}": {"d1": 2.0, "d2": 1.0} for i in range(4)}
    poor = {
        "q0": {"x1": 3.0, "d1": 3.0},
        "q1": {"x1": 3.0, "x2": 2.0, "d1": 1.0},
        "extra": {"d1": 1.0},
    }
    scores: Scores = evaluate(qrels, {"good": good, "poor": poor}, ["nDCG@10", "RR"])
    result = {"command": "abrank compare a b", "created": "2026-11-21T10:00:00+00:00"}
    result |= {"versions": {"abrank": "0.1.0"}, "settings": {"missing": "zero"}}
    result["inputs"] = {
        "a": {"path": "a.run", "sha256": "ab" * 32, "rows": 8},
        "b": inputs.read_run(poor, name="poor").source,
        "qrels": {"path": None, "sha256": None, "rows": None},
    }
    comparison = compare_recorded(scores, Question(resamples=999))
    return dataclasses.replace(comparison, provenance=result)


@pytest.fixture(scope="session")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Return a comparison by files of which one judgment in nine was taken back."""
    folder = tmp_path_factory.mktemp("unjudged")
    collection = simulate_runs(40, effect=0.1, rng=8)
    frame = collection.qrels.frame()
    inputs.read_qrels(frame[frame.index % 9 != 0]).write(folder / "qrels")
    collection.baseline.write(folder / "a.run")
    collection.candidate.write(folder / "b.run")
    paths = [str(folder / name) for name in ("qrels", "a.run", "b.run")]
    return compare(*paths, measures=["nDCG@10", "AP"], topics=collection.topics, resamples=999)


@pytest.fixture(scope="session")
def runs() -> Comparison:
    """Return a comparison of two simulated runs with texts and two properties of the queries."""
    collection = simulate_runs(60, effect=0.2, rng=4)
    length = {query: f"{len(text.split())} words" for query, text in collection.topics.items()}
    return compare_runs(
        Inputs(
            qrels=collection.qrels, a=collection.baseline, b=collection.candidate, name_a="bm25",
            name_b="monot5", topics=collection.topics,
            segments={"intent": collection.intents, "length": length},
            command="abrank compare qrels.txt bm25.run monot5.run",
        ),
        Question(measures=["nDCG@10", "AP", "RR", "P@10"], margin=0.01, resamples=999),
    )  # fmt: skip
