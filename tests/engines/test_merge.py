"""Merged statistics: exact, and the same in whatever order and by whatever tree they are merged."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.engines import Engine, drive, merge
from abrank.engines.kernel import Scoring
from abrank.engines.merge import (
    EXTREMES,
    Tree,
    exact_sum,
    exact_value,
    statistics_from,
    statistics_of,
)
from abrank.measures.names import parse_measures

NAMES = ("nDCG@10", "AP", "RR")


@pytest.fixture(scope="module")
def scores():
    drawn = np.random.default_rng(8)
    values = drawn.random((500, 2, 3))
    values[:, 1] = np.clip(values[:, 0] + drawn.normal(0.01, 0.1, (500, 3)), 0, 1)
    values[::5, 1] = values[::5, 0]
    values[:, :, 2] = np.round(values[:, :, 2], 1)  # few values, tied extremes
    return tuple(f"q{i:03d}" for i in range(500)), values


def part_of(scores, rows):
    query_ids, values = scores
    chosen = [query_ids[i] for i in rows]
    return statistics_of(
        chosen, values[rows], NAMES,
        clusters=[query[-1] for query in chosen],
        segments={"tens": [query[-2] for query in chosen], "all": ["one"] * len(chosen)},
    )  # fmt: skip


def total_of(parts):
    tree = Tree()
    for part in parts:
        tree.add(part)
    return tree.total()


def text_of(statistics):
    return json.dumps(statistics.to_dict())


@pytest.mark.parametrize("seed", range(8))
def test_any_partitions_and_any_tree_give_the_same_bytes(scores, seed, monkeypatch):
    # So that some partitions count each difference, some do not, and the grids differ.
    monkeypatch.setattr(merge, "MOST", 60)
    drawn = random.Random(seed)
    rows = list(range(500))
    drawn.shuffle(rows)
    cuts = sorted(drawn.choices(range(501), k=drawn.randrange(1, 40)))
    parts = [
        part_of(scores, sorted(rows[low:high]))
        for low, high in zip([0, *cuts], [*cuts, 500], strict=True)
    ]
    whole = text_of(part_of(scores, list(range(500))))
    assert text_of(total_of(parts)) == whole
    while len(parts) > 1:  # a random tree, and some parts through JSON
        one, two = (parts.pop(drawn.randrange(len(parts))) for _ in range(2))
        if drawn.random() < 0.3:
            one = statistics_from(json.loads(text_of(one)))
        parts.append(one.merged(two))
    assert text_of(parts[0]) == whole


def test_what_is_counted_is_within_half_a_bin_and_exact_where_values_are_few():
    drawn = np.random.default_rng(2)
    few = np.round(drawn.integers(-10, 11, 20_000) / 10, 1)
    found = merge.count(few)
    assert found.step == 0.0
    values, counts = found.values()
    np.testing.assert_array_equal(np.repeat(values, counts), np.sort(few))
    many = np.where(drawn.random(20_000) < 0.3, 0.0, drawn.normal(0, 30, 20_000))
    found = merge.count(many)
    values, counts = found.values()
    assert found.step == 2.0 ** (math.ceil(math.log2(np.abs(many).max())) - 14)
    assert np.abs(np.repeat(values, counts) - np.sort(many)).max() <= found.step / 2
    assert dict(zip(values.tolist(), counts.tolist(), strict=True))[0.0] == np.sum(many == 0.0)
    assert merge.count(np.array([0.3 - 0.2, 0.2 - 0.1, 3e-12])).items == ((3e-12, 1), (0.1, 2))


def test_exact_sums_are_those_of_fsum_for_any_floats():
    drawn = np.random.default_rng(1)
    values = drawn.normal(size=2_000) * 10.0 ** drawn.integers(-300, 300, 2_000)
    tiny = np.array([5e-324, -5e-324, 2.5e-310, 1e308, -1e308, 0.0, -0.0])
    for some in (values, tiny, np.concatenate([values, -values[::-1]]), np.empty(0)):
        assert exact_value(exact_sum(some)) == math.fsum(some)


def test_the_extremes_are_those_of_all_queries(scores):
    query_ids, values = scores
    merged = total_of(part_of(scores, list(rows)) for rows in (range(100), range(100, 500)))
    for m, own in enumerate(merged.of):
        d = values[:, 1, m] - values[:, 0, m]
        ranked = sorted(zip(-np.round(d, 10), query_ids, strict=True))[:EXTREMES]
        assert [each.query_id for each in own.largest] == [query for _, query in ranked]
        assert sum(n for _, n in own.counted.items) == len(d)
    with pytest.raises(ArgumentError, match="other measures"):
        merged.merged(statistics_of(query_ids, values[:, :, :1], NAMES[:1]))


def test_of_no_partition_there_is_no_total():
    with pytest.raises(ArgumentError, match="there are no statistics to merge"):
        Tree().total()


def test_an_engine_merges_and_gives_no_scores(collection, tmp_path):
    scoring = Scoring(parse_measures(["nDCG@5", "AP"]))
    engine = Engine(rows=100, keep_scores=str(tmp_path))
    asked = (collection.folder / "qrels", collection.paths, scoring, engine)
    ids = collection.scores.query_ids
    half = {query: str(int(query[1:]) // 2) for query in ids}
    kinds = {"half": half, "kind": {query: query[-1] for query in ids[:40]}}
    whole = statistics_of(
        ids, collection.scores.values[:, :, :2], ["nDCG@5", "AP"],
        clusters=[half[query] for query in ids],
        segments={"kind": [kinds["kind"].get(query, "(none)") for query in ids]},
    )  # fmt: skip
    for _ in range(2):  # the second takes up what the first has finished
        found = drive.score_tables(*asked, merges=True, properties=kinds, clusters="half")
        assert not len(found.values)
        assert text_of(found.statistics) == text_of(whole)


def test_what_differs_by_rounding_alone_is_a_tie() -> None:
    values = np.array([[0.3, 0.1 + 0.2], [0.2, 0.4], [0.5, 0.1]])[:, :, None]
    assert values[0, 0] != values[0, 1]
    (found,) = statistics_of(["q1", "q2", "q3"], values, ["AP"]).of
    assert (found.wins, found.losses) == (1, 1)
