"""Small numbers of the parts of a comparison, worked out by hand or by another program."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from abrank._support.errors import ArgumentError
from abrank.comparison import compare_scores, pair_scores
from abrank.comparison.deciding import (
    Choice,
    Directions,
    canonical_name,
    choose,
    directions,
    directions_again,
    resolve_adjustment,
)
from abrank.comparison.declared import (
    Margin,
    declare,
    known_range,
    margin_ranges,
    read_guards,
    read_margin,
    require_margin_in_range,
    rows_in_unit,
    shares_scale,
    with_guards,
)
from abrank.comparison.groups import Clusters, error_inflation
from abrank.comparison.machine import MachineSource, declare_machine
from abrank.comparison.merged import cells_of, mean_and_error, require_mergeable
from abrank.comparison.merging import Properties
from abrank.comparison.pairing import Beside
from abrank.comparison.rows import (
    Cell,
    ClusterSizes,
    beliefs,
    effects,
    plan_from_spread,
    planned_differences,
    spread,
)
from abrank.engines.counted import exact_sum
from abrank.inference.counted import Counts
from abrank.inputs.topics import labels_of
from abrank.options import Question
from abrank.ranking import rank_scores
from abrank.ranking.beside import overlap, pair_spread
from abrank.ranking.rank import baselines_of, rank_again
from abrank.rule import Design, Guard
from abrank.verdict import Rule


def test_the_measure_that_decides_and_directions() -> None:
    apart = choose(["NumRet", "runid", "AP", "P@5"], (), constant=["runid"])
    assert apart == Choice(("AP", "P@5"), "AP", ("NumRet", "runid"), 2)
    assert choose(["P@5", "AP"], None) == Choice(("P@5", "AP"), "P@5")
    assert directions(["AP", "ms"], "ms") == Directions({"AP": True, "ms": False})
    assert directions(["AP", "ms"]).asked == ("ms",)
    assert directions(["AP", "ms"], (), "ms").asked == ()
    assert directions_again({"AP": True, "ms": True, "cost": True}, ["cost"]).asked == ("cost",)
    assert (canonical_name("map"), canonical_name("clicks")) == ("AP", "")


def test_what_is_declared() -> None:
    assert read_margin("2%") == Margin(0.02, is_relative=True)
    assert read_margin("0.01") == Margin(0.01, is_relative=False)
    assert read_margin(None) == Margin(0.0, is_relative=False)
    with pytest.raises(ArgumentError, match=r"from 0 to 1, can reach the margin 5: .* --margin 5%"):
        require_margin_in_range(read_margin(5), "AP", range_=(0.0, 1.0))
    assert known_range("AP", least=0.1, largest=0.9) == (0.0, 1.0)
    assert known_range("AP", least=0.0, largest=63.0) == (-math.inf, math.inf)
    assert read_guards("recall_100:-0.02", ["nDCG@10", "R@100"]) == (Guard("R@100", 0.02),)
    asked = with_guards(["AP", "RR"], ["map:-1%", "recall_100:-0.02"])
    assert asked == ["AP", "RR", "recall_100"]
    rule = declare(Question(margin="2%"), "AP", Directions({"AP": True}))
    assert (rule.margin, rule.margin_is_relative, rule.adjust) == (0.02, True, "max-t")
    assert [resolve_adjustment(None, test) for test in ("t", "wilcoxon")] == ["max-t", "holm"]
    assert require_mergeable(Question()).adjust == "holm"
    assert declare_machine(Question(), segments={}, clusters=None).adjust == "holm"


def test_clusters_and_looks_widen_what_is_planned() -> None:
    assert Clusters("user", (), 2, 40, 1.2, 1.25).untestable("t")
    assert labels_of(("user", {"q1": "u1", "q2": "u1"}), ["q1", "q2"]) == ("u1", "u1")
    anytime = Rule("AP", design=Design(planned=100))
    assert error_inflation(anytime, None, 100) == pytest.approx(1.53, abs=0.005)
    sizes = ClusterSizes(np.full(10, 8), 0.4)
    assert [sizes.freedom(n) for n in (80, 160, 40)] == pytest.approx([9.0, 19.0, 4.0])


def test_plans() -> None:
    differences = np.array([0.0, 0.1, 0.3, 0.12])
    found = plan_from_spread(float(differences.std(ddof=1)), 4, Rule("AP", margin=0.1), 0.1)
    needed = {row.difference: row.queries_needed for row in found.differences}
    assert needed == {0.01: 1227, 0.02: 309, 0.05: 51, 0.1: 15}
    assert [(x.claim, x.queries_needed) for x in found.claims] == [("same", 15), ("not-worse", 12)]
    plain = plan_from_spread(0.2, 50, Rule("AP"), 0.0)
    assert plain.smallest_visible == pytest.approx(0.081, abs=5e-4)
    assert planned_differences(0.21, 0.0) == [0.01, 0.02, 0.05]
    assert planned_differences(0.21, 0.015) == [0.01, 0.015, 0.02, 0.05]
    assert planned_differences(30, 0) == [1.0, 2.0, 5.0]


def test_effects_spread_and_beliefs() -> None:
    found = effects(np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.3, 0.8]), confidence=0.95)
    assert found["d_z"].estimate == pytest.approx(1.528, abs=5e-4)
    assert (found["d_z"].method, found["p_better"].estimate) == ("noncentral t", 1.0)
    shape = spread(np.array([0.1, 0.2, 0.4, 0.4]), np.array([0.3, 0.3, 0.4, 0.8]))
    told = shape.median, shape.skew, shape.correlation
    assert told == pytest.approx((0.15, 0.435, 0.7), abs=5e-4)
    d = np.array([0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    belief = beliefs(d, Rule("AP", margin=0.02), margin=0.02, seed=0)[0]
    shares = belief.ahead, belief.within, belief.better
    assert shares == pytest.approx((0.985, 0.021, 0.971), abs=5e-4)


def test_margins_that_would_give_another_verdict_and_units() -> None:
    a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.3}, {"q1": 0.3, "q2": 0.3, "q3": 0.5}
    ranges = [(str(x.verdict), x.low, x.high) for x in margin_ranges(compare_scores(a, b))]
    assert [name for name, *_ in ranges] == ["inconclusive", "not-worse", "same"]
    ends = [low for _, low, _ in ranges]
    assert ends == pytest.approx([0.0, 0.191, 0.324], abs=5e-4)
    b = {"q1": 0.3, "q2": 0.6, "q3": 0.4}
    for margin, shown in ((0.05, (0.133, -0.010)), ("5%", (0.444, -0.128))):
        (row,) = rows_in_unit(compare_scores(a, b, margin=margin))
        assert (row.diff, row.ci_low) == pytest.approx(shown, abs=5e-4)
    clicked, ms = [0.1, 0.2, 0.3], [90.0, 80.0, 85.0]
    one = pd.DataFrame({"clicked": clicked, "ms": ms})
    two = pd.DataFrame({"clicked": [0.2, 0.2, 0.4], "ms": [95.0, 70.0, 90.0]})
    assert not shares_scale(compare_scores(one, two), "ms")


def test_merged_statistics_count_and_add_exactly() -> None:
    d = np.array([0.1, 0.3])
    found = mean_and_error(2, exact_sum(d), exact_sum(d * d))
    assert found == pytest.approx((0.2, 0.1))
    cells = cells_of(Counts(np.array([0.0, 0.5]), np.array([1, 2]), 0.0, 1.0))
    assert cells == (Cell(0.0, 0.0, 1), Cell(0.5, 0.0, 2))
    given = Properties.of(segments={"intent": {"q1": "buy"}})
    assert (list(given.tables), given.clusters) == (["intent"], "")


def test_what_stands_beside_the_scores() -> None:
    assert Beside.of(topics={"q1": "cats"}).topics == {"q1": "cats"}
    a, b = {"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}
    machine = MachineSource(scores=(a, b)).beside(Beside(), pair_scores(a, b)).machine
    assert machine is not None
    assert machine.scores.values[:, :, 0].tolist() == [[0.5, 0.75], [0.25, 0.75]]
    kinds = pd.Series({"q1": "u", "q2": "v", "q3": "w", "q4": "w"}, name="user")
    cut = Beside.of(segments={"half": {"q1": "x"}}, clusters=kinds)
    assert (list(cut.segments), cut.clusters) == (["half"], ("user", kinds.to_dict()))


def test_rankings(monkeypatch) -> None:
    shared = np.array([[1, 2, 3], [0, 0, 0], [0, 1, 3]])
    lengths = np.array([3, 3, 3])
    assert overlap(shared, lengths, lengths) == pytest.approx([1.0, 0.0, 0.855], abs=5e-4)
    found = pair_spread(np.array([[0.1, 0.2, 0.5], [0.3, 0.4, 0.1], [0.2, 0.5, 0.2]]))
    assert (found.least, found.most, found.pooled) == pytest.approx(
        (0.1155, 0.3464, 0.2749), abs=1e-4
    )
    scores = np.random.default_rng(0).random((9, 40))
    scores[:, 7] = scores[:, 3]  # one system twice
    whole = pair_spread(scores)
    monkeypatch.setattr("abrank.ranking.beside.SYSTEMS_AT_ONCE", 16)
    in_parts = pair_spread(scores)
    sizes = [np.std(scores[:, i] - scores[:, j], ddof=1) for i in range(40) for j in range(i)]
    for each in (whole, in_parts):
        assert each.least == pytest.approx(min(size for size in sizes if size))
        assert each.most == pytest.approx(max(sizes))
        assert each.pooled == pytest.approx(np.sqrt(np.mean(np.square(sizes))))
    ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    assert rank_again(ranking) == ranking
    for asked, found in ((None, ()), ("bm25", ("bm25",)), (["bm25", "rm3"], ("bm25", "rm3"))):
        assert baselines_of(asked) == found
