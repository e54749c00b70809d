"""Measures as instruments, and risk, as a user meets them.

Agreement of two orders against published values, the packages of others, and the definitions.
"""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import abrank
from abrank._support.errors import ArgumentError
from abrank.cli import run
from abrank.inference.systems.stability import kendall_tau, tau_ap
from abrank.ranking import rank_scores
from abrank.ranking.details import overlap, pair_spread, with_extras
from abrank.ranking.rank import baselines_of, rank_again
from abrank.scoring.scores import Scores


@pytest.fixture
def files(tmp_path, monkeypatch) -> list[str]:
    collection = abrank.simulate_runs(30, effect=0.3, rng=5)
    collection.qrels.write(tmp_path / "qrels")
    collection.baseline.write(tmp_path / "old.run")
    collection.candidate.write(tmp_path / "new.run")
    monkeypatch.chdir(tmp_path)
    return ["qrels", "old.run", "new.run", "-m", "AP", "-m", "RR", "-v"]


@pytest.mark.slow
def test_text_and_reports_say_what_the_json_holds(files, capsys) -> None:
    requested = ["--baseline", "old", "--instruments", "--risk", "1"]
    assert run(["rank", *files, *requested, "--report", "o.json", "--report", "o.html"]) == 0
    out = capsys.readouterr().out
    extras = json.loads(Path("o.json").read_text(encoding="utf-8"))["extras"]
    row = next(row for row in extras["risk"] if row["system"] == "new")
    compared = abrank.compare("qrels", "old.run", "new.run", measures="AP")
    d = compared.differences()
    assert row["urisk"] == pytest.approx(np.where(d < 0, 2 * d, d).mean())
    assert f"{row['urisk']:+.3f}".replace("-", "−") in out
    assert [item["measure"] for item in extras["instruments"]] == ["AP", "RR"]
    assert extras["instruments"][0]["achieved_levels"] == pytest.approx([compared.pvalue])
    assert "Swap rate" in out
    page = Path("o.html").read_text(encoding="utf-8")
    assert "Measures as instruments" in page
    assert "GeoRisk" in page
    assert max(map(len, out.splitlines())) <= 80


def test_lower_is_better_turns_gains() -> None:
    values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6]])[:, :, None]
    ranking = rank_scores(Scores(("1", "2", "3"), ("A", "B"), ("FPR@10",), values), baseline="A")
    row = next(row for row in with_extras(ranking, risk=1.0).extras.risk if row.system == "B")
    assert row.urisk == pytest.approx(2 * -(0.5 + 0.4 + 0.5) / 3)
    assert np.isnan(row.georisk)


def test_no_query_is_refused() -> None:
    empty = rank_scores(Scores((), ("A", "B"), ("AP",), np.empty((0, 2, 1))))
    with pytest.raises(ArgumentError, match="without queries"):
        with_extras(empty, risk=1.0)


# The example of the R package ircor (README), by the authors of "The Treatment of Ties in AP
# Correlation" (Urbano and Marrero, ICTIR 2017).
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])

# Package rbo 0.1.3, RankingSimilarity(a, b).rbo_ext(p=0.9): lists, and extrapolated overlap.
RBO_PACKAGE = [
    ("abcdefg", "abcdefg", 1.0),
    ("abcdefg", "badcfeg", 0.859878),
    ("abcdef", "fedcba", 0.679428),
    ("abcde", "axbyc", 0.62911),
    ("abc", "cadbe", 0.734445),
    ("abcdefghij", "bacx", 0.71775),
    ("ab", "cd", 0.0),
]


def test_the_example_of_ircor() -> None:
    assert kendall_tau(X, Y) == pytest.approx(0.7777778, abs=5e-8)
    assert tau_ap(X, Y) == pytest.approx(0.7491182, abs=5e-8)
    tied = np.round(X * 5) / 5, np.round(Y * 5) / 5
    assert kendall_tau(*tied) == pytest.approx(0.75)


def by_definition(truth: np.ndarray, order: np.ndarray) -> float:
    """Equation 6 of Yilmaz, Aslam and Robertson (2008): the mean precision of the pairs above."""
    ranked = sorted(range(len(order)), key=lambda i: -order[i])
    share = 0.0
    for i in range(1, len(ranked)):
        share += sum(truth[ranked[j]] > truth[ranked[i]] for j in range(i)) / i
    return 2.0 * share / (len(ranked) - 1) - 1.0


def test_tau_ap_is_its_definition_for_every_order_and_0_in_their_mean() -> None:
    truth = np.arange(5.0)
    result = []
    for order in permutations(range(5)):
        value = float(tau_ap(truth, np.array(order, float)))
        assert value == pytest.approx(by_definition(truth, np.array(order, float)))
        result.append(value)
    assert (max(result), min(result)) == (1.0, -1.0)
    assert np.mean(result) == pytest.approx(0.0)


def test_tau_ap_punishes_a_mistake_at_the_top_more() -> None:
    truth = np.arange(10.0)
    top, bottom = truth.copy(), truth.copy()
    top[[9, 8]], bottom[[0, 1]] = top[[8, 9]], bottom[[1, 0]]
    assert tau_ap(truth, top) < kendall_tau(truth, top) < tau_ap(truth, bottom)
    assert kendall_tau(truth, top) == kendall_tau(truth, bottom)


def test_kendall_is_scipys_with_ties_too() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        first, second = random.integers(0, 6, (2, 12)).astype(float)
        assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic)


def rbo_of(one: str, other: str, depth: int = 12) -> float:
    shared = [len(set(one[:d]) & set(other[:d])) for d in range(1, depth + 1)]
    lengths = np.array([len(one)]), np.array([len(other)])
    return float(overlap(np.array([shared]), *lengths)[0])


@pytest.mark.every_case
@pytest.mark.parametrize(("one", "other", "expected"), RBO_PACKAGE)
def test_rank_biased_overlap_of_the_package_rbo(one, other, expected) -> None:
    assert rbo_of(one, other) == pytest.approx(expected, abs=1e-12)
    assert rbo_of(other, one) == pytest.approx(expected, abs=1e-12)


def test_extrapolated_overlap_lies_between_the_bounds_of_the_definition() -> None:
    """Webber, Moffat and Zobel (2010): what lists that go on could make of the sum, equation 4."""
    p, endless = 0.9, 400
    random = np.random.default_rng(2)
    for _ in range(20):
        first, second = ("".join(random.permutation(list("abcdefghijkl"))[:6]) for _ in range(2))
        depths = range(1, endless + 1)
        counts = [len(set(first[:d]) & set(second[:d])) for d in depths]
        # At least: nothing more is shared. At most: all that follows is, one rank after the other.
        ds = [min(d, counts[-1] + 2 * max(0, d - 6)) for d in depths]
        low, high = (
            (1 - p) * sum(share / d * p ** (d - 1) for d, share in zip(depths, item, strict=True))
            for item in (counts, ds)
        )
        assert low - 1e-9 <= rbo_of(first, second) <= high + 1e-9


def test_rankings(monkeypatch) -> None:
    shared = np.array([[1, 2, 3], [0, 0, 0], [0, 1, 3]])
    lengths = np.array([3, 3, 3])
    assert overlap(shared, lengths, lengths) == pytest.approx([1.0, 0.0, 0.855], abs=5e-4)
    spread = pair_spread(np.array([[0.1, 0.2, 0.5], [0.3, 0.4, 0.1], [0.2, 0.5, 0.2]]))
    assert (spread.least, spread.most, spread.pooled) == pytest.approx(
        (0.1155, 0.3464, 0.2749), abs=1e-4
    )
    scores = np.random.default_rng(0).random((9, 40))
    scores[:, 7] = scores[:, 3]  # one system twice
    whole = pair_spread(scores)
    monkeypatch.setattr("abrank.ranking.details.SYSTEMS_AT_ONCE", 16)
    in_parts = pair_spread(scores)
    sizes = [np.std(scores[:, i] - scores[:, j], ddof=1) for i in range(40) for j in range(i)]
    for item in (whole, in_parts):
        assert item.least == pytest.approx(min(size for size in sizes if size))
        assert item.most == pytest.approx(max(sizes))
        assert item.pooled == pytest.approx(np.sqrt(np.mean(np.square(sizes))))
    ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    assert rank_again(ranking) == ranking
    systems = ("bm25", "rm3")
    for requested, spread in ((None, ()), ("bm25", ("bm25",)), (["runs/bm25.run", "rm3"], systems)):
        assert baselines_of(requested, systems) == spread
