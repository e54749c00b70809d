"""Measures of diversity against the TREC Web Track's ndeval.c, as pyndeval wraps it."""

import math

import pyndeval
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import abrank

QUERIES = st.sampled_from(["1", "2", "10"])
DOCS = st.sampled_from(["a", "b", "c", "d", "A", "é", "日", "d1", "d10", "d2"])
SUBTOPICS = st.sampled_from(["1", "2", "3", "10", "x"])
JUDGMENTS = st.dictionaries(
    st.tuples(QUERIES, SUBTOPICS, DOCS), st.integers(-2, 2), min_size=1, max_size=40
).filter(lambda table: len({subtopic for _, subtopic, _ in table}) > 1)
RANKING = st.dictionaries(DOCS, st.integers(0, 4).map(float), min_size=1)
RUNS = st.dictionaries(QUERIES, RANKING, min_size=1)

# ndeval's name and ours.
NAMES = [
    *((f"alpha-DCG@{k}", "alpha_DCG({rel},{alpha})@" + str(k)) for k in (2, 5, 20)),
    *((f"alpha-nDCG@{k}", "alpha_nDCG({rel},{alpha})@" + str(k)) for k in (1, 5, 20)),
    *((f"P-IA@{k}", "P_IA({rel})@" + str(k)) for k in (1, 3, 20)),
    *((f"strec@{k}", "StRecall({rel})@" + str(k)) for k in (1, 3, 20)),
    ("MAP-IA", "AP_IA({rel})"),
    ("NRBP", "NRBP({rel},{alpha},{beta})"),
    ("nNRBP", "nNRBP({rel},{alpha},{beta})"),
]
# ndeval's ERR takes its alpha; ours is that of the paper, 1/2, which ir_measures passes too.
ERR = [
    *((f"ERR-IA@{k}", "ERR_IA({rel})@" + str(k)) for k in (2, 5, 20)),
    *((f"nERR-IA@{k}", "nERR_IA({rel})@" + str(k)) for k in (1, 5, 20)),
]


def theirs(judgments, rankings, names, **how):
    """Values by query; pyndeval is given the order of our one tie rule, its own is the reverse."""
    run = [
        (query, doc, -float(rank))
        for query, ranking in rankings.items()
        for rank, doc in enumerate(in_order(ranking))
    ]
    rows = [(*key, grade) for key, grade in judgments.items()]
    return pyndeval.RelevanceEvaluator(rows, names, **how).evaluate(run)


def in_order(ranking):
    by_id = sorted(ranking, key=lambda doc: doc.encode(), reverse=True)
    return sorted(by_id, key=ranking.__getitem__, reverse=True)


def values(judgments, rankings, measures):
    rows = [(*key, grade) for key, grade in judgments.items()]
    scores = abrank.evaluate(rows, {"run": rankings}, measures)
    return dict(zip(scores.query_ids, scores.of("run").tolist(), strict=True))


def common(judgments, rankings):
    return not {query for query, _, _ in judgments}.isdisjoint(rankings)


# Shares of which every power is exact, so that ndeval's ties are those of exact arithmetic.
@pytest.mark.slow
@given(
    JUDGMENTS, RUNS, st.integers(1, 2), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    st.sampled_from([0.0, 0.3, 0.5, 0.9]),
)  # fmt: skip
def test_every_measure_equals_ndeval(judgments, rankings, rel, alpha, beta) -> None:
    assume(common(judgments, rankings))
    pairs = NAMES + (ERR if alpha == 0.5 else [])
    given_ = {"rel": f"rel={rel}", "alpha": f"alpha={alpha}", "beta": f"beta={beta}"}
    ours = values(judgments, rankings, [name.format(**given_) for _, name in pairs])
    expected = theirs(
        judgments, rankings, [name for name, _ in pairs], relevance_level=rel, alpha=alpha,
        beta=beta,
    )  # fmt: skip
    for query, our in ours.items():
        if query not in rankings:
            assert set(our) == {0.0}
            continue
        for (name, _), value in zip(pairs, our, strict=True):
            second = expected[query][name]
            # Nothing of nothing is NaN for nNRBP there; 0 for all else, and here.
            assert value == pytest.approx(0.0 if math.isnan(second) else second, abs=1e-9), name
