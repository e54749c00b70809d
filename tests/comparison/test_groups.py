"""Segments of a comparison."""

import numpy as np
import pytest

from abrank import AlignmentError, Clusters, NotFoundError, compare_scores
from abrank.comparison import groups
from abrank.comparison.groups import error_inflation
from abrank.comparison.plans import ClusterSizes
from abrank.inputs.topics import labels_of
from abrank.rule import Design
from abrank.verdict import Rule
from tests.inference.segmented import compare_segments

RNG = np.random.default_rng(5)
QUERIES = [f"q{i:02d}" for i in range(40)]
A = dict.fromkeys(QUERIES, 0.5)
B = {
    query: 0.5 + (0.2 if i < 25 else -0.1) + RNG.normal(0, 0.05) for i, query in enumerate(QUERIES)
}
INTENT = {query: "head" if i < 25 else "tail" for i, query in enumerate(QUERIES) if i < 37}


def test_rows_are_those_of_the_test_in_every_segment():
    result = compare_scores(A, B, segments={"intent": INTENT})
    (outcome,) = result.segmentations
    assert outcome.name == "intent"
    assert [row.label for row in outcome.rows] == ["head", "tail", "(none)"]
    assert [row.n_queries for row in outcome.rows] == [25, 12, 3]
    assert [row.reading for row in outcome.rows] == ["better", "worse", "too few"]
    expected = compare_segments(result.differences(), outcome.labels)
    assert outcome.interaction_pvalue == expected.interaction.pvalue < 0.001
    for row in outcome.rows:
        index = expected.labels.index(row.label)
        assert row.mean == expected.mean[index]
        assert np.array_equal(
            [row.ci_low_adj, row.ci_high_adj, row.pvalue_adj],
            [expected.ci_low_adj[index], expected.ci_high_adj[index], expected.pvalue_adj[index]],
            equal_nan=True,
        )


def test_segments_of_other_queries_are_refused():
    with pytest.raises(AlignmentError, match="intent: none of their 1 query ids"):
        compare_scores(A, B, segments={"intent": {"x": "head"}})


def test_clusters_that_are_neither_a_file_nor_a_column_of_the_segments() -> None:
    scores = {"q1": 0.5, "q2": 0.25}
    segments = {"intent": {"q1": "buy", "q2": "know"}}
    with pytest.raises(NotFoundError, match="whom: no such file") as caught:
        compare_scores(scores, scores, segments=segments, design=Clusters("whom"))
    assert caught.value.__notes__ == ["nor is it a column of --segments: intent"]


def test_clusters_and_looks_widen_what_is_planned() -> None:
    assert groups.ClusterSummary("user", (), 2, 40, 1.2, 1.25).untestable("t")
    users = {"q1": "u1", "q2": "u1"}
    assert labels_of(("user", users), ["q1", "q2", "q3"]) == ("u1", "u1", "no user, q3")
    a, b = ({f"q{i}": (i + shift) % 7 / 7 for i in range(1, 4)} for shift in (0, 3))
    result = compare_scores(a, b, design=Clusters(users))
    assert result.remarks == ("1 query has no cluster: each counts as a cluster of its own",)
    with pytest.raises(AlignmentError, match="3 queries of 5 have none"):
        labels_of(("user", users), ["q1", "q2", "q3", "q4", "q5"])
    anytime = Rule("AP", design=Design(planned=100))
    assert error_inflation(anytime, None, 100) == pytest.approx(1.53, abs=0.005)
    sizes = ClusterSizes(np.full(10, 8), 0.4)
    assert [sizes.freedom(n) for n in (80, 160, 40)] == pytest.approx([9.0, 19.0, 4.0])
