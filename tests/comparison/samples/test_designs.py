"""Queries that count by weights: means, error, head and tail, and what cannot go with them."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

import abrank
from abrank.cli import run
from abrank.inference.clusters import effective_queries, run_cluster_test, weighted_result
from tests.report.written import text as text_of

N = 60
IDS = [f"q{i:02}" for i in range(N)]


@pytest.fixture(scope="module")
def scores() -> tuple[pd.DataFrame, pd.DataFrame]:
    random = np.random.default_rng(5)
    index = pd.Index(IDS, name="query_id")
    a = pd.DataFrame(random.random((N, 2)) * 0.6, index, ["AP", "RR"])
    return a, a + 0.03 + 0.1 * random.standard_normal(a.shape)


TRAFFIC = pd.Series(1000.0 / (1.0 + np.arange(N)), IDS, name="traffic").round(1)


def test_the_mean_and_its_error_are_those_of_weighted_least_squares() -> None:
    random = np.random.default_rng(1)
    for n in (2, 3, 12, 80):
        d, w = random.standard_normal(n), random.gamma(0.7, size=n) + 0.05
        result = weighted_result(d[:, None], w, confidence=0.9)
        fit = sm.WLS(d, np.ones(n), weights=w).fit(cov_type="HC0")
        p = w / w.sum()
        assert result.estimate[0] == pytest.approx(fit.params[0], abs=1e-12)
        assert fit.bse[0] ** 2 == pytest.approx((p**2) @ (d - p @ d) ** 2, rel=1e-12)
        error = np.sqrt((p**2 / (1 - 2 * p + p @ p)) @ (d - p @ d) ** 2)
        assert result.statistic[0] == pytest.approx(fit.params[0] / error, rel=1e-12)
        freedom = effective_queries(w) - 1.0
        expected = 2.0 * stats.t.sf(abs(result.statistic[0]), freedom)
        assert result.pvalue[0] == pytest.approx(expected, rel=1e-9)
        reach = stats.t.ppf(0.95, freedom) * error
        limits = (result.ci_low[0], result.ci_high[0])
        assert limits == pytest.approx((p @ d - reach, p @ d + reach), rel=1e-6)
        # Without bias where all differences have one variance: of d'Md the trace of M.
        centred = np.eye(n) - np.outer(np.ones(n), p)
        m = centred.T @ np.diag(p**2 / (1 - 2 * p + p @ p)) @ centred
        assert np.trace(m) == pytest.approx(p @ p, rel=1e-12)


@pytest.mark.parametrize("values", [np.zeros(9), np.full(9, 0.1), np.array([0.2])])
def test_differences_without_spread_are_answered_as_t_answers_them(values) -> None:
    result = weighted_result(values[:, None], np.arange(1.0, len(values) + 1.0), confidence=0.95)
    plain = abrank.inference.run_test("t", values)
    for name in ("pvalue", "ci_low", "ci_high"):
        assert getattr(result, name) == pytest.approx(getattr(plain, name), nan_ok=True)


def test_the_error_of_weights_in_clusters_has_no_bias_and_is_that_of_each_alone() -> None:
    random = np.random.default_rng(3)
    for n in (12, 60):
        d, w = random.standard_normal((n, 2)), random.gamma(0.7, size=n) + 0.05
        users = random.permutation(np.arange(n) // 3)
        result = weighted_result(d, w, confidence=0.9, clusters=users)
        p, owner = w / w.sum(), np.eye(users.max() + 1)[users].T
        part, squares = owner @ p, owner @ p**2
        scale = np.diag(1.0 / (1.0 - 2.0 * part + (p @ p) * part**2 / squares))
        residual = owner @ np.diag(p) @ (np.eye(n) - np.outer(np.ones(n), p))
        m = residual.T @ scale @ residual
        assert np.trace(m) == pytest.approx(p @ p, rel=1e-12)
        t = p @ d / np.sqrt(np.diag(d.T @ m @ d))
        assert result.statistic == pytest.approx(t, rel=1e-9)
        freedom = 1.0 / (part @ part) - 1.0
        assert result.pvalue == pytest.approx(2.0 * stats.t.sf(np.abs(t), freedom), rel=1e-9)
        alone = weighted_result(d, w, confidence=0.9, clusters=np.arange(n))
        assert alone.pvalue == pytest.approx(weighted_result(d, w, confidence=0.9).pvalue, rel=1e-9)
        equal = weighted_result(d, np.ones(n), confidence=0.9, clusters=users)
        assert equal.statistic == pytest.approx(run_cluster_test("t", d, users).statistic, rel=1e-7)
    few = weighted_result(d, w, confidence=0.9, clusters=users % 2)
    assert np.isnan(few.pvalue).all()
    assert np.isinf(few.ci_low).all()


def test_means_head_and_tail_are_weighted(scores) -> None:
    a, b = scores
    comparison = abrank.compare_scores(a, b, measures="AP", design=abrank.Weights(TRAFFIC))
    w, weights, (cut,) = TRAFFIC.to_numpy(), comparison.weights, comparison.segmentations
    assert comparison.primary.mean_b == pytest.approx(np.average(b["AP"], weights=w))
    assert (weights.name, weights.n_effective) == ("traffic", pytest.approx(w.sum() ** 2 / (w @ w)))
    head = np.array(cut.labels) == "head"
    assert weights.n_head == head.sum()
    assert w[head].sum() >= w.sum() / 2 > w[head][:-1].sum()
    d = comparison.differences("AP")
    for row in cut.rows:
        mine = head if row.label == "head" else ~head
        assert row.mean == pytest.approx(np.average(d[mine], weights=w[mine]))
        alone = weighted_result(d[mine][:, None], w[mine], confidence=0.95)
        assert len(d[mine]) < 10 or row.pvalue == pytest.approx(alone.pvalue[0])


def test_weights_of_queries_that_are_not_compared_are_told(scores, tmp_path) -> None:
    a, b = scores
    more = pd.concat([TRAFFIC, pd.Series({"x1": TRAFFIC.sum(), "x2": 2 * TRAFFIC.sum()})])
    comparison = abrank.compare_scores(a, b, measures="AP", design=abrank.Weights(more))
    assert (comparison.weights.n_others, comparison.weights.of_others) == (2, pytest.approx(3 / 4))
    assert (
        comparison.primary
        == abrank.compare_scores(a, b, measures="AP", design=abrank.Weights(TRAFFIC)).primary
    )
    text = "2 other queries have 75.0% of all weight, and are not compared."
    assert text in " ".join(text_of(comparison, detail="all").split())
    assert abrank.Comparison.from_json(comparison.report(tmp_path / "results.json")) == comparison


@pytest.mark.slow
def test_the_command_takes_a_file_or_a_column(scores, tmp_path, capsys, command) -> None:
    a, b = scores
    for name, frame in (("a", a), ("b", b)):
        frame.to_csv(tmp_path / f"{name}.csv")
    TRAFFIC.rename_axis("query_id").to_csv(tmp_path / "traffic.csv")
    cut = pd.DataFrame({"traffic": TRAFFIC, "kind": ["x", "y"] * (N // 2)}).rename_axis("query_id")
    cut.to_csv(tmp_path / "cut.csv")
    base = ["compare", "--scores", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "-m", "AP"]
    results = []
    for options in (["--weights", str(tmp_path / "traffic.csv")],
                ["--segments", str(tmp_path / "cut.csv"), "--weights", "traffic"]):  # fmt: skip
        path = tmp_path / "r.json"
        assert run([*base, *options, "--report", str(path)]) == 0
        results.append(abrank.Comparison.from_json(path))
    first, two = results
    assert first.rows == two.rows
    assert [segmentation.name for segmentation in two.segmentations] == ["kind", "weight"]
    (tmp_path / "rule.toml").write_text('measure = "AP"\nweights = "traffic.csv"\n')
    assert abrank.compare_scores(a, b, config=tmp_path / "rule.toml").rows == first.rows
    capsys.readouterr()
    assert "--weights" in command([*base, "--weights", str(tmp_path / "cut.csv")], 3).err


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), "much", None])
def test_a_weight_that_is_none_is_refused(value, scores) -> None:
    weights = dict(TRAFFIC)
    if value is None:
        del weights["q07"]
    else:
        weights["q07"] = value
    with pytest.raises(abrank.AlignmentError, match=r"1 query of 60 without a weight .*q07"):
        abrank.compare_scores(*scores, measures="AP", design=abrank.Weights(weights))


@pytest.mark.parametrize(("value", "said"), [
    (1e-300, r"that of q\d\d, .*more than 1e\+12 times that of q07, 1e-300"),
    (1e200, r"that of q07, 1e\+200, is more than 1e\+12 times that of q"),
    (1e308, r"1 query of 60 without a weight above 0 \(q07\)"),
])  # fmt: skip
def test_a_weight_beside_which_others_are_lost_is_refused(value, said, scores) -> None:
    with pytest.raises(abrank.AlignmentError, match=said):
        abrank.compare_scores(
            *scores, measures="AP", design=abrank.Weights({**TRAFFIC, "q07": value})
        )


def test_max_t_cannot_go_with_weights(scores) -> None:
    how = {"config": abrank.Question(adjust="max-t"), "design": abrank.Weights(TRAFFIC)}
    with pytest.raises(abrank.ArgumentError, match="with clusters, weights or"):
        abrank.compare_scores(*scores, measures=["AP", "RR"], **how)


def test_votes_and_runs_are_weighted_too() -> None:
    votes = [{"query_id": f"q{i}", "winner": "AB"[i % 3 == 0]} for i in range(30)]
    weights = {f"q{i}": 5.0 if i % 3 == 0 else 1.0 for i in range(30)}
    comparison = abrank.compare_preferences(votes, design=abrank.Weights(weights))
    assert comparison.primary.mean_b == pytest.approx(50 / 70)
    runs = abrank.simulate_runs(30, rng=1)
    by_query = {query: i + 1.0 for i, query in enumerate(runs.qrels.query_ids)}
    result = abrank.compare(
        runs.qrels, runs.baseline, runs.candidate, measures="AP",
        design=(abrank.Weights(by_query), abrank.Looks(1, of=2)),
    )  # fmt: skip
    assert result.primary.mean_a == pytest.approx(
        np.average(result.a[:, 0], weights=[by_query[query] for query in result.query_ids])
    )


def of_clusters(sizes: list[int], a: list[float], b: list[float]):
    labels = [f"c{i}" for i, size in enumerate(sizes) for _ in range(size)]
    ids = [f"q{i:02}" for i in range(len(labels))]
    clusters = abrank.Clusters(pd.Series(labels, index=ids, name="user"))
    first, two = (dict(zip(ids, item, strict=True)) for item in (a, b))
    return abrank.compare_scores(first, two, design=clusters, margin="5%")


def test_a_margin_in_per_cent_needs_clusters_enough_for_a_t_test() -> None:
    random = np.random.default_rng(2).random((2, 46)).tolist()
    with pytest.raises(abrank.ArgumentError, match="effective clusters have no t test"):
        of_clusters([40, 1, 1, 1, 1, 1, 1], *random)
    below = [-0.5, *random[0][:9]]
    with pytest.raises(abrank.ArgumentError, match="needs scores of 0 or more"):
        of_clusters([2] * 5, below, random[1][:10])


def test_clusters_that_all_have_one_mean_of_a_bound_no_share_of_it() -> None:
    b = np.random.default_rng(3).random(10).tolist()
    clusters = of_clusters([2] * 5, [0.25, 0.5] * 5, b)
    assert clusters.decision.relative.estimate == pytest.approx(np.mean(b) / 0.375 - 1)
    assert (clusters.decision.relative.ci_low, clusters.decision.relative.ci_high) == (
        -np.inf,
        np.inf,
    )
    assert str(clusters.verdict) == "inconclusive"
