"""Merged statistics: in whatever order, the numbers of a comparison that holds every query."""

from __future__ import annotations

import itertools
import json
import math
import random

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.comparison.merged import compare_merged, compare_statistics
from abrank.comparison.question import Question
from abrank.engines import Engine, drive
from abrank.engines.exact import exact_sum, exact_value
from abrank.engines.kernel import Scoring
from abrank.engines.merge import EXTREMES, merge_all, statistics_from, statistics_of
from abrank.measures.naming.asked import parse_measures

NAMES = ("nDCG@10", "AP", "RR")


@pytest.fixture(scope="module")
def scores():
    drawn = np.random.default_rng(8)
    values = drawn.random((500, 2, 3))
    values[:, 1] = np.clip(values[:, 0] + drawn.normal(0.01, 0.1, (500, 3)), 0, 1)
    values[::5, 1] = values[::5, 0]
    values[:, :, 2] = np.round(values[:, :, 2], 1)  # few values, tied extremes
    return tuple(f"q{i:03d}" for i in range(500)), values


def parts_of(scores, cuts):
    query_ids, values = scores
    rows = np.split(np.arange(len(query_ids)), cuts)
    clusters = [query[-1] for query in query_ids]
    return [
        statistics_of(
            [query_ids[i] for i in part], values[part], NAMES, clusters=[clusters[i] for i in part]
        )
        for part in rows
    ]


def test_the_order_of_merging_changes_nothing(scores):
    (whole,) = parts_of(scores, [])
    for seed, cuts in enumerate(([250], [1, 2, 3], range(10, 500, 10), [0, 500])):
        parts = parts_of(scores, list(cuts))
        random.Random(seed).shuffle(parts)
        assert merge_all(parts) == whole
        assert (
            merge_all(statistics_from(json.loads(json.dumps(x.to_dict()))) for x in parts) == whole
        )
    assert len(whole.of[0].largest) == EXTREMES
    assert sum(sums[0] for sums in whole.clusters.values()) == 500


def test_exact_sums_are_those_of_fsum_for_any_floats():
    drawn = np.random.default_rng(1)
    values = drawn.normal(size=2_000) * 10.0 ** drawn.integers(-300, 300, 2_000)
    tiny = np.array([5e-324, -5e-324, 2.5e-310, 1e308, -1e308, 0.0, -0.0])
    for some in (values, tiny, np.concatenate([values, -values[::-1]]), np.empty(0)):
        assert exact_value(exact_sum(some)) == math.fsum(some)


def test_the_extremes_and_the_grid_are_those_of_all_queries(scores):
    query_ids, values = scores
    merged = merge_all(parts_of(scores, [100, 333]))
    for m, own in enumerate(merged.of):
        d = values[:, 1, m] - values[:, 0, m]
        ranked = sorted(zip(-d, query_ids, strict=True))[:EXTREMES]
        assert [each.query_id for each in own.largest] == [query for _, query in ranked]
        assert sum(count for _, count in own.grid) == len(d)
        grid, counts = own.differences()
        assert np.abs(np.repeat(grid, counts) - np.sort(d)).max() <= 2.0**-15 + 1e-15


def test_a_comparison_from_statistics_has_the_numbers_of_one_from_scores(scores):
    query_ids, values = scores
    frames = [
        {name: dict(zip(query_ids, values[:, s, m], strict=True)) for m, name in enumerate(NAMES)}
        for s in range(2)
    ]
    import pandas as pd

    a, b = (pd.DataFrame(frame).rename_axis("query_id") for frame in frames)
    whole = abrank.compare_scores(a, b, margin=0.01, adjust="holm", baseline="A", candidate="B")
    question = Question(margin=0.01, adjust="holm")
    merged = compare_statistics(merge_all(parts_of(scores, [7, 200])), question)
    assert str(merged.verdict) == str(whole.verdict)
    exact = ("wins", "ties", "losses", "reading", "measure")
    for mine, theirs in itertools.zip_longest(merged.rows, whole.rows):
        for name, value in vars(theirs).items():
            if name in exact:
                assert getattr(mine, name) == value, name
            elif name != "higher_is_better":
                assert getattr(mine, name) == pytest.approx(value, rel=1e-10, abs=1e-12), name
    tests = {row.test: row for row in whole.test_rows}
    found = {test.test: test for test in merged.tests}
    assert found["sign"].pvalue == pytest.approx(tests["sign"].pvalue, rel=1e-12)
    # From the grid: its step moves ranks a little; what is drawn has a standard error.
    assert found["wilcoxon"].pvalue == pytest.approx(tests["wilcoxon"].pvalue, rel=0.05)
    error = math.sqrt(found["permutation"].pvalue / 1999)
    assert abs(found["permutation"].pvalue - tests["permutation"].pvalue) < 4 * error + 1e-3
    spread = tests["t"].ci_high - tests["t"].ci_low
    assert abs(found["bootstrap"].ci_low - tests["t"].ci_low) < 0.1 * spread
    difference = np.sort(values[:, 1, 0] - values[:, 0, 0])
    assert merged.quantiles[0.25] == pytest.approx(difference[124], abs=2.0**-14)


def test_identical_systems_and_questions_that_need_every_query(scores):
    query_ids, values = scores
    same = statistics_of(query_ids, values[:, [0, 0]], NAMES)
    assert str(compare_statistics(same).verdict) == "identical"
    (whole,) = parts_of(scores, [])
    for question in (Question(test="wilcoxon"), Question(margin="2%"), Question(family="all")):
        with pytest.raises(ArgumentError, match="needs the scores of every query"):
            compare_statistics(whole, question)
    with pytest.raises(ArgumentError, match="other measures"):
        whole.merged(statistics_of(query_ids, values[:, :, :1], NAMES[:1]))


def test_an_engine_merges_and_gives_no_scores(collection, tmp_path):
    scoring = Scoring(parse_measures(["nDCG@5", "AP"]))
    engine = Engine(rows=100, output=str(tmp_path))
    asked = (collection.folder / "qrels", collection.paths, scoring, engine)
    for _ in range(2):  # the second takes up what the first has finished
        found = drive.score_tables(*asked, merges=True)
        assert not len(found.values)
        whole = statistics_of(
            collection.scores.query_ids, collection.scores.values[:, :, :2], ["nDCG@5", "AP"]
        )
        assert found.statistics == whole


def test_two_runs_are_compared_by_what_their_partitions_add_up(collection):
    found = compare_merged(
        collection.folder / "qrels", *collection.paths.values(), measures=["nDCG@5", "AP"],
        engine=Engine(rows=100),
    )  # fmt: skip
    whole = abrank.compare(
        collection.qrels, *collection.runs.values(), measures=["nDCG@5", "AP"], adjust="holm"
    )
    assert (found.baseline, found.candidate, found.n_queries) == ("A", "B", 60)
    assert str(found.verdict) == str(whole.verdict)
    for mine, theirs in zip(found.rows, whole.rows, strict=True):
        assert mine.pvalue == pytest.approx(theirs.pvalue, rel=1e-10)
        assert (mine.diff, mine.ci_low) == pytest.approx((theirs.diff, theirs.ci_low), abs=1e-12)
    assert list(found.table.columns)[:2] == ["measure", "mean_a"]
