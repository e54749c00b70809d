"""Independent groups at every door: equal numbers, every format, and what is refused."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower

import abrank
from abrank._support.errors import UnclearError
from abrank.cli import run
from abrank.comparison.units import tests_in_unit
from abrank.options import Anytime, Clusters, Independent, Question
from abrank.report.sections.appendix import bibliography, effect_table


def group(letter: str, n: int, *, scale: float, seed: int) -> pd.DataFrame:
    """Scores between 0 and 1 of users whose ids begin with a letter, most of them low."""
    scores = np.minimum(np.random.default_rng(seed).exponential(scale, (n, 2)), 1.0)
    ids = [f"{letter}{i:03}" for i in range(n)]
    return pd.DataFrame({"query_id": ids, "nDCG@10": scores[:, 0], "AP": scores[:, 1]})


A, B = group("u", 60, scale=0.2, seed=1), group("v", 45, scale=0.5, seed=2)
BOTH: dict[str, Any] = {"measures": ["nDCG@10", "AP"], "design": Independent()}


@pytest.fixture(scope="module")
def found() -> abrank.Comparison:
    return abrank.compare_scores(A, B, **BOTH, margin=0.01, require="better", guard="AP:-0.05")


def test_numbers_are_those_of_scipy_and_statsmodels(found: abrank.Comparison) -> None:
    for measure in ("nDCG@10", "AP"):
        expected = stats.ttest_ind(B[measure], A[measure], equal_var=False)
        row = found[measure]
        assert row.pvalue == pytest.approx(expected.pvalue, abs=1e-12)
        assert tuple(row.interval) == pytest.approx(
            tuple(expected.confidence_interval()), abs=1e-12
        )
        means = (A[measure].mean(), B[measure].mean())
        assert (row.mean_a, row.mean_b) == pytest.approx(means, abs=1e-12)
    (guard,) = found.decision.guards
    low = stats.ttest_ind(B["AP"], A["AP"], equal_var=False).confidence_interval(0.9).low
    assert guard.low == pytest.approx(low, abs=1e-12)
    assert found.decision.gate.passed
    assert str(found.verdict) == "better"


def test_sessions_of_the_same_users_put_a_verdict_in_doubt_that_the_users_do_not_give() -> None:
    random = np.random.default_rng(2)
    users = np.repeat(np.arange(60), random.integers(1, 9, 60))
    gain = users % 2 * 0.4 + random.normal(size=60)[users] + random.normal(size=len(users)) / 4
    frame = pd.DataFrame({
        "session": np.arange(len(users)), "user": users, "gain": gain,
        "test_group": np.where(users % 2, "treatment", "control"),
    })  # fmt: skip
    result = abrank.compare_scores(frame, design=Independent())
    # Welch's t with the cluster-robust error CR1 of each group's mean, and its degrees of freedom.
    groups = [rows for _, rows in frame.groupby("test_group")]
    means, variances, counts = [], [], []
    for rows in groups:
        residuals = (rows["gain"] - rows["gain"].mean()).groupby(rows["user"]).sum()
        n_users = len(residuals)
        means.append(rows["gain"].mean())
        variances.append(n_users / (n_users - 1) * (residuals**2).sum() / len(rows) ** 2)
        counts.append(n_users)
    df = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, counts, strict=True))
    expected = 2 * stats.t.sf(abs(means[1] - means[0]) / sum(variances) ** 0.5, df)
    (reason,) = result.soundness.reasons
    assert (str(result.verdict), reason.code) == ("better", "clusters-ignored")
    assert reason.values["pvalue"] == pytest.approx(expected, rel=1e-12)
    step = "--columns query=user,repeat=rows (columns={'query': 'user', 'repeat': 'rows'})"
    assert step in " ".join(result.summary().split())
    columns = {"query": "user", "repeat": "rows"}
    whole = abrank.compare_scores(frame, design=Independent(), columns=columns)
    a, b = (rows.groupby("user")["gain"].mean() for rows in groups)
    expected = stats.ttest_ind(b, a, equal_var=False).pvalue
    assert whole.pvalue == pytest.approx(expected, rel=1e-12)
    assert whole.soundness.level == "sound"


UNITS = pd.concat([A, B]).rename(columns={"query_id": "user_id", "nDCG@10": "clicks"})
ARM = ["control"] * len(A) + ["treatment"] * len(B)
HALF = np.where(np.arange(len(UNITS)) % 3, UNITS["clicks"], np.nan)


@pytest.mark.parametrize(
    ("frame", "options"),
    [
        (UNITS.assign(variant=ARM), {}),  # whose index has the numbers of A again
        (UNITS.rename(columns={"user_id": "visitor"}).assign(variant=ARM), {}),
        (UNITS.assign(variation_id=np.array(ARM) == "treatment", experiment="e1"), {}),
        (UNITS.assign(variation_id=[int(arm != "control") for arm in ARM]), {}),
        (UNITS.assign(experiment_id="e1", group_id=[f"g{len(arm)}" for arm in ARM],
                      group_name=ARM), {}),
        (UNITS.assign(campaign_id=1, experiment_id=2, variation_id=[len(arm) for arm in ARM],
                      variation_name=[{"control": "Original"}.get(x, "Variation #1") for x in ARM]),
         {}),
        (UNITS.assign(**{"[Experiment] Checkout": [arm.replace("control", "off").replace(
            "treatment", "on") for arm in ARM]}), {}),
        (UNITS.rename(columns={"user_id": "unit"}).assign(variant=ARM, unit=range(len(UNITS)),
            seen_at=pd.date_range("2026-03-01", periods=len(UNITS), freq="h").astype(str)), {}),
        (UNITS.assign(variant=ARM, clicks=HALF), {"missing": "drop"}),
        (UNITS.assign(variant=ARM, clicks=HALF), {"missing": "zero"}),
        (UNITS.assign(variant=ARM, AP=HALF).rename(columns={"AP": "revenue"}), {"measures": None}),
    ],
)  # fmt: skip
def test_units_of_one_arm_each_are_read_and_none_is_lost(frame, options, tmp_path) -> None:
    clicks = frame["clicks"].fillna(0.0) if options.get("missing") == "zero" else frame["clicks"]
    a, b = (clicks[np.array(ARM) == arm].dropna() for arm in ("control", "treatment"))
    frame.to_csv(tmp_path / "units.csv", index=False, na_rep=r"\N")
    for source in (frame, tmp_path / "units.csv"):
        result = abrank.compare_scores(
            source, design=Independent(), resamples=999, **{"measures": "clicks", **options}
        )
        assert result.n_queries == len(a) + len(b)
        expected = stats.ttest_ind(b, a, equal_var=False).pvalue
        assert result.pvalue == pytest.approx(expected, rel=1e-9)


def test_a_sample_ratio_mismatch_puts_a_verdict_in_doubt() -> None:
    def compared(n_a: int, n_b: int, users: int = 0) -> abrank.Comparison:
        n = n_a + n_b
        frame = pd.DataFrame({
            "unit": [f"u{i}" for i in range(n)], "variant": ["a"] * n_a + ["b"] * n_b,
            "gain": np.r_[np.arange(n_a) % 7, np.arange(n_b) % 7 + 1],
        })  # fmt: skip
        if users:
            frame["user"] = [f"{arm}{i % users}" for i, arm in enumerate(frame["variant"])]
        return abrank.compare_scores(
            frame, baseline="a", design=Independent(), require="better", resamples=999
        )

    result = compared(1_080, 920)
    (reason,) = result.soundness.reasons
    assert (reason.code, result.decision.exit_code) == ("unequal-groups", 1)
    assert reason.values["pvalue"] == pytest.approx(stats.chisquare([1_080, 920]).pvalue)
    assert "Find out why one group has more units" in result.summary()
    # What chance leaves, what was meant to be unequal, and as many users with more sessions.
    for healthy in (compared(1_060, 940), compared(3_000, 1_000), compared(1_080, 920, users=300)):
        assert (healthy.soundness.reasons, healthy.decision.exit_code) == ((), 0)


def test_effect_sizes_of_units_are_called_so(found: abrank.Comparison) -> None:
    table = effect_table(found)
    rows = {row[0].text: (row[1].text, row[-1].text) for row in table.rows}
    a, b = A["nDCG@10"].to_numpy(), B["nDCG@10"].to_numpy()
    share = (b[:, None] > a).mean() + (b[:, None] == a).mean() / 2
    expected = (f"{share:.1%}", "of pairs of units; ties count half")
    assert rows["Share where B is ahead"] == expected
    assert {row[2].text for row in table.rows} == {"–"}
    assert rows["Hedges' g"][1] == "d corrected for a small sample"
    assert not any("queries" in cell.text for row in table.rows for cell in row)


def test_welch_is_cited_and_not_the_paired_t(found: abrank.Comparison) -> None:
    cited = bibliography(found)
    assert "% Welch's t: welch-1947" in cited
    assert "@article{welch-1947," in cited
    assert "student-1908" not in cited


def test_a_report_of_units_speaks_of_no_queries() -> None:
    second = group("v", 45, scale=0.2, seed=3)
    result = abrank.compare_scores(
        A, second, **BOTH, margin=0.02, require="equivalent", guard="AP:-0.1",
    )  # fmt: skip
    page = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", result.to_html(), flags=re.S)
    for text in (result.to_markdown(), result.summary(), page):
        assert "Add units" in text
        text = re.sub(r"read as a [a-z ]+, \d+ queries", "", text)
        assert not re.findall(r"(?i)\bquer(?:y|ies)\b(?!=).{30}", text)


def test_groups_without_spread_have_no_empty_line() -> None:
    result = abrank.compare_scores(
        pd.DataFrame({"user": range(4), "group": list("aabb"), "clicks": [0, 0, 1, 1]}),
        design=Independent(), baseline="a",
    )  # fmt: skip
    assert result.verdict == "cannot-test"
    assert not any(line.rstrip() == "units" for line in result.summary().splitlines())


def test_power_is_that_of_statsmodels(found: abrank.Comparison) -> None:
    n_a, n_b = len(A), len(B)
    sd = np.sqrt(A["nDCG@10"].var() / n_a + B["nDCG@10"].var() / n_b) / np.sqrt(1 / n_a + 1 / n_b)
    # statsmodels gives NaN where the power rounds to 1.
    below_one = [row for row in found.planning.differences if row.power < 0.9999]
    assert len(below_one) >= 2
    for row in below_one:
        expected = TTestIndPower().power(row.difference / sd, n_a, 0.05, ratio=n_b / n_a)
        assert row.power == pytest.approx(expected, abs=1e-12)


def test_independent_groups_are_planned_for(found, tmp_path, command) -> None:
    # By the spread of a comparison, of its scores, of files, or as given.
    planned = next(row for row in found.planning.differences if row.power < 0.9999)
    plan = abrank.power(found, effect=planned.difference)
    groups = A["nDCG@10"], B["nDCG@10"]
    again = abrank.power(groups, effect=planned.difference, margin=0.01, design=Independent())
    assert repr(again) == repr(plan)
    row = plan.rows[0]
    assert plan.mde == pytest.approx(found.planning.smallest_visible)
    assert row.power == pytest.approx(planned.power)
    assert (row.n, row.n_low, row.n_high) == (
        planned.queries_needed, planned.queries_low, planned.queries_high,
    )  # fmt: skip
    given = abrank.power(sd=1.5, effect=0.1, queries=2000, width=0.2, design=Independent())
    per_group = TTestIndPower().solve_power(0.1 / 1.5, power=0.8, alpha=0.05)
    assert per_group <= given.n / 2 < per_group + 1.0
    assert given.power == pytest.approx(TTestIndPower().power(0.1 / 1.5, 1000, 0.05), abs=1e-12)
    half = stats.t.ppf(0.975, given.width.n - 2) * 1.5 * 2.0 / np.sqrt(given.width.n)
    assert 2.0 * half == pytest.approx(0.2, rel=1e-3)
    for name, scores in (("a", A), ("b", B)):
        scores.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    flags = ["-m", "nDCG@10", "--independent", "--effect", str(planned.difference)]
    shown = command(["power", "--scores", *files, *flags]).out.replace("\u202f", "")
    assert f"needs {row.n} ({row.n_low} to {row.n_high}) units" in shown
    assert "of both groups together, split as here" in shown


def test_a_ratio_of_sums_has_the_error_of_the_delta_method(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    shown = random.poisson(6, 160) + 1
    frame = pd.DataFrame({
        "user": [f"u{i}" for i in range(160)], "variant": ["old"] * 70 + ["new"] * 90,
        "impressions": shown, "clicks": random.binomial(shown, 0.3),
    })  # fmt: skip
    names = ["clicks/impressions", "clicks"]
    result = abrank.compare_scores(frame, measures=names, margin="5%", design=Independent())
    expected = []
    for variant in ("old", "new"):
        x, y = frame.loc[frame.variant == variant, ["clicks", "impressions"]].to_numpy().T
        ratio, mean, n = x.sum() / y.sum(), y.mean(), len(x)
        (xx, xy), (_, yy) = np.cov(x, y)
        expected.append((ratio, (xx - 2 * ratio * xy + ratio**2 * yy) / mean**2 / n))
    (ratio_a, square_a), (ratio_b, square_b) = expected
    change = result.decision.relative.estimate
    row = result.primary
    assert (row.mean_a, row.mean_b) == pytest.approx((ratio_a, ratio_b))
    assert change == pytest.approx(ratio_b / ratio_a - 1.0)
    assert row.statistic == pytest.approx((ratio_b - ratio_a) / np.sqrt(square_a + square_b))
    assert result["clicks"].mean_a == frame.clicks[:70].mean()
    assert f"{names[0]}: a ratio of sums" in " ".join(result.remarks)
    session = frame.assign(clicks=0, impressions=1)[::3]  # of a user, all of whose rows are added
    rest = frame.assign(impressions=frame.impressions - frame.index.isin(session.index))
    sessions = pd.concat([rest, session], ignore_index=True)
    added = abrank.compare_scores(
        sessions, measures=names[0], columns="repeat=rows", design=Independent()
    )
    assert (added.primary.statistic, added.n_queries) == (pytest.approx(row.statistic), 160)
    again = abrank.Comparison.from_json(result.save(tmp_path / "r.json"))
    assert again.primary.pvalue == row.pvalue
    planned = result.planning.of(result.decision.margin)
    assert abrank.power(result, effect="5%").n == planned.queries_needed  # one row for both
    with pytest.raises(abrank.ArgumentError, match="is compared between independent groups"):
        abrank.compare_scores(frame.assign(user=[*range(70), *range(90)]), measures=names[0])
    with pytest.raises(abrank.ArgumentError, match="the impressions of a group add up to 0"):
        abrank.compare_scores(
            frame.assign(impressions=0.0), measures=names[0], design=Independent()
        )


@pytest.mark.slow
def test_command_function_and_rule_file_agree(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    A.to_csv("a.csv", index=False)
    B.to_csv("b.csv", index=False)
    call = ["compare", "--scores", "a.csv", "b.csv", "-m", "nDCG@10"]
    printed = command([*call, "-q"], 3).err
    assert "share no query" in printed
    assert "--scores a.csv b.csv -m nDCG@10 -q --independent" in printed
    assert run([*call, "--independent", "--report", "by_command.json"]) == 0
    Path("rule.toml").write_text(
        'scores = ["a.csv", "b.csv"]\nmeasure = "nDCG@10"\nindependent = true\n'
    )
    by_rule = abrank.compare_scores(config="rule.toml")
    by_call = abrank.compare_scores("a.csv", "b.csv", measures="nDCG@10", design=Independent())
    assert by_rule.pvalue == by_call.pvalue == abrank.Comparison.from_json("by_command.json").pvalue
    assert run([*call, "--independent", "--require", "non-inferior", "--margin", "0.02"]) == 0
    back = ["compare", "--scores", "b.csv", "a.csv", "-m", "nDCG@10", "--independent"]
    assert run([*back, "--fail-on", "worse"]) == 1


def test_a_margin_in_percent_is_decided_by_fiellers_interval(tmp_path: Path) -> None:
    result = abrank.compare_scores(
        A, B, **BOTH, margin="2%", require="non-inferior", guard="AP:-5%"
    )  # fmt: skip
    a, b = A["nDCG@10"], B["nDCG@10"]
    df = stats.ttest_ind(b, a, equal_var=False).df
    for interval, level in (
        (result.decision.interval, 0.975), (result.decision.equivalence_interval, 0.95)
    ):  # fmt: skip
        for limit in interval:
            error = np.sqrt(b.var() / len(b) + (1 + limit) ** 2 * a.var() / len(a))
            t = abs(b.mean() - (1 + limit) * a.mean()) / error
            assert t == pytest.approx(stats.t.ppf(level, df), rel=1e-9)
    assert result.require("non-inferior") is result
    rows = {row.test: row for row in tests_in_unit(result)}
    assert rows["t"].interval == result.decision.interval
    assert np.isnan(rows["permutation"].interval.low)  # it has none
    assert rows["permutation"].estimate == pytest.approx(b.mean() / a.mean() - 1)
    saved = result.save(tmp_path / "results.json")
    assert abrank.Comparison.from_json(saved).decision == result.decision
    with pytest.raises(abrank.ArgumentError, match="scores of 0 or more"):
        abrank.compare_scores(
            A.assign(AP=-A["AP"]), B, measures=["AP"], design=Independent(), margin="2%"
        )


def test_of_users_in_three_arms_two_are_compared_as_groups() -> None:
    users = UNITS.assign(variant=np.resize(["X", "Y", "Z"], len(UNITS)))
    with pytest.raises(
        UnclearError, match="no id has rows of two variants, so compare them as independent"
    ) as caught:
        abrank.compare_scores(users)
    assert caught.value.choices == ({"baseline": "X", "candidate": "Y", "independent": True},)
    result = abrank.compare_scores(users, baseline="X", candidate="Y", design=Independent())
    assert result.n_queries == 70


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: abrank.compare_scores(A, A, **BOTH), "scores of the same units"),
        (lambda: abrank.compare_scores(A, pd.concat([A[:1], B]), **BOTH), "share 1 of 105 queries"),
        (lambda: abrank.compare_scores(A, B, **BOTH, test="wilcoxon"), "Welch's t decides"),
        (lambda: abrank.compare_scores(A, B, **BOTH, segments={"u000": "x", "v000": "y"}),
         "take no segments.*--where COLUMN=VALUE"),
        (lambda: Question(design=(Independent(), Clusters("users.csv"))),
         "takes no clusters, weights or looks.*--columns query=COLUMN,repeat=rows"),
        (lambda: Question(design=(Independent(), Anytime(40))), "takes no clusters"),
        (lambda: abrank.compare_preferences([{"query_id": "q1", "winner": "A"},
                                             {"query_id": "q2", "winner": "B"}],
                                            design=Independent()), "scores of the same units"),
        (lambda: abrank.compare_scores(A, B), "share no query: were they seen by different users"),
        (lambda: abrank.compare_scores(UNITS.assign(variant=ARM)), "seen by different users"),
        (lambda: abrank.compare_scores(A.assign(AP=np.nan), B, **BOTH), "on 60 of A, of 105"),
        (lambda: abrank.compare_scores(UNITS.assign(variant=ARM, clicks=HALF), measures="clicks",
                                       design=Independent()), "on 20 of control and on 15 of"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_with_its_reason(call: Any, said: str) -> None:
    with pytest.raises(abrank.AbrankError, match=said):
        call()


def test_runs_on_the_same_judgments_are_never_independent() -> None:
    collection = abrank.simulate_runs(12, rng=1)
    with pytest.raises(abrank.ArgumentError, match="scores of the same units, which are paired"):
        abrank.compare(
            collection.qrels, collection.baseline, collection.candidate, measures="AP",
            design=Independent(),
        )  # fmt: skip
