"""What nobody chose never decides, costs are gains when they fall, and data are paired."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank import AlignmentError, ArgumentError, Verdict, simulate_runs
from abrank.cli import run
from abrank.inference import TESTS, Answer, paired_test
from abrank.report import WRITERS
from tests.report.written import whole_text

N = 40
IDS = [f"q{i:02}" for i in range(N)]


def scores(seed: int, shift: float) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    easy = np.random.default_rng(0).uniform(0.3, 0.6, N)
    result = {"num_ret": np.full(N, 1000.0) + (20.0 if shift < 0 else 0.0)}
    result |= {"num_rel": np.arange(N) + 5.0, "num_rel_ret": np.arange(N) + 3.0}
    result["P_10"] = np.round(easy + random.normal(-shift, 0.05, N), 4)
    result["map"] = np.round(easy + random.normal(shift, 0.05, N), 4)
    result["recip_rank"] = np.round(easy + random.normal(shift, 0.2, N), 4)
    return result


def trec_eval(system: str, columns: dict[str, np.ndarray]) -> str:
    """Return what trec_eval -q prints: counts first, and the run's name as a line of text."""
    lines = []
    for i, query in enumerate(IDS):
        lines.append(f"runid\t{query}\t{system}")
        for name, values in columns.items():
            text = f"{values[i]:.0f}" if name.startswith("num_") else f"{values[i]:.4f}"
            lines.append(f"{name}\t{query}\t{text}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed, shift in (("a", 1, 0.0), ("b", 2, -0.15)):
        (tmp_path / f"{name}.txt").write_text(trec_eval(name, scores(seed, shift)))
    return tmp_path


def test_counts_never_decide_and_the_first_line_says_that_nobody_chose(files, command) -> None:
    # Decided by num_ret: "BETTER on NumRet ... Ship", exit 0.
    out = command(["compare", "-v", "--scores", "a.txt", "b.txt"]).out
    assert out.startswith("Nobody chose the measure: of 3, AP was taken.")
    assert "▼ WORSE  b is worse than a on AP" in out
    assert "Ship b" not in out
    assert "Num" not in out[out.index("measure ") :].partition("\n\n")[0]
    assert "They are not tested: NumRet, NumRel and NumRelRet." in " ".join(out.split())


def test_a_gate_of_a_rule_file_or_of_python_asks_too(files, capsys) -> None:
    (files / "rule.toml").write_text('fail-on = "worse"\n')
    assert run(["compare", "--scores", "a.txt", "b.txt", "--config", "rule.toml", "-q"]) == 2
    assert "3 measures; say which decides: -m AP" in capsys.readouterr().err
    (files / "rule.toml").write_text('fail-on = "worse"\nmeasure = "map"\n')
    assert run(["compare", "--scores", "a.txt", "b.txt", "--config", "rule.toml", "-q"]) == 1
    with pytest.raises(ArgumentError, match='3 measures; say which decides: measures="AP"'):
        abrank.compare_scores("a.txt", "b.txt", fail_on="worse")
    with pytest.raises(ArgumentError, match="say which decides"):
        abrank.compare_scores("a.txt", "b.txt").require("no-significant-loss")


def test_the_only_measure_of_quality_decides_beside_costs() -> None:
    random = np.random.default_rng(1)
    table = {"query_id": IDS * 2, "arm": ["control"] * N + ["treatment"] * N}
    table |= {name: random.random(2 * N) for name in ("latency_ms", "rubric", "cost_usd")}
    comparison = abrank.compare_scores(pd.DataFrame(table), require="better")
    assert (comparison.rule.primary, len(comparison.rows)) == ("rubric", 3)
    assert "nobody-chose" not in {note.code for note in comparison.notes}
    table["helpfulness"] = random.random(2 * N)
    with pytest.raises(ArgumentError, match="2 measures; say which decides"):
        abrank.compare_scores(pd.DataFrame(table), require="better")


def test_a_sequence_of_tests_needs_an_order_that_somebody_gave(files) -> None:
    with pytest.raises(ArgumentError, match="name them in the order of the tests"):
        abrank.compare_scores("a.txt", "b.txt", config=abrank.Question(family="fixed-sequence"))


def test_dicts_of_pytrec_eval_are_not_decided_by_runid() -> None:
    def per_query(seed: int, shift: float) -> dict[str, dict[str, float]]:
        columns = {"runid": np.zeros(N), "num_q": np.ones(N), **scores(seed, shift)}
        return {q: {name: float(v[i]) for name, v in columns.items()} for i, q in enumerate(IDS)}

    comparison = abrank.compare_scores(per_query(1, 0.0), per_query(2, -0.15))
    assert (comparison.rule.primary, comparison.verdict) == ("AP", Verdict.WORSE)
    assert {"runid", "NumQ", "NumRet"}.isdisjoint(comparison.measures)


def test_measure_objects_keep_the_order_of_the_caller() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    collection = simulate_runs(30, rng=1)
    runs = [collection.baseline, collection.candidate]
    measures = [ir_measures.P @ 5, ir_measures.nDCG @ 10, ir_measures.AP]
    by_runs = abrank.compare(collection.qrels, *runs, measures=measures)
    assert by_runs.measures == ("P@5", "nDCG@10", "AP")
    calculated = [
        list(ir_measures.iter_calc(measures, collection.qrels.frame(), item.frame()))
        for item in runs
    ]
    assert abrank.compare_scores(*calculated, measures=measures).rule.primary == "P@5"
    assert abrank.compare_scores(*calculated).rule.primary == "nDCG@10"


@pytest.mark.slow
def test_a_set_of_trec_eval_names_no_measure() -> None:
    collection = simulate_runs(30, rng=1)
    data = collection.qrels, collection.baseline, collection.candidate
    comparison = abrank.compare(*data, measures="official")
    assert comparison.rule.primary == "AP"
    assert "NumRet" not in comparison.measures
    with pytest.raises(ArgumentError, match="say which decides"):
        abrank.compare(*data, measures="official", require="better")
    assert abrank.compare(*data).rule.primary == "nDCG@10"  # what the manual names


def test_without_a_measure_the_default_that_the_help_names_decides_a_gate_of_runs(command) -> None:
    collection = simulate_runs(30, rng=1)
    comparison = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, fail_on="worse"
    )
    assert (comparison.rule.primary, comparison.decision.gate.lacks) == ("nDCG@10", "")
    text = " ".join(command(["compare", "--help-all"]).out.split())
    assert "Default for runs: nDCG@10, which decides, then AP, RR, P@10 and R@100." in text


# ---- directions

MS = {"fast": 18.0, "middle": 37.0, "slow": 74.0}


def latencies() -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame({name: mean + random.normal(0, 2, N) for name, mean in MS.items()}, IDS)


def two(name: str = "latency_ms") -> list[pd.DataFrame]:
    return [latencies()[[item]].set_axis([name], axis=1) for item in ("slow", "fast")]


@pytest.mark.slow
def test_the_slowest_of_three_leads_no_board(tmp_path) -> None:
    # "slow is better than all others", no note, no flag.
    ranking = abrank.rank_scores(latencies(), measures="latency_ms")
    assert str(ranking).startswith("Is lower better for latency_ms? Say so: --lower-is-better")
    assert "is better than" not in whole_text(ranking)
    assert "is better than" not in ranking._repr_markdown_()
    assert "is better than" not in ranking._repr_html_()
    assert {row.reading for row in ranking.pair_rows} == {"differs"}
    assert (ranking.n_significant, ranking.leaders) == (3, ("slow",))
    page = ranking.report(tmp_path / "board.html").read_text("utf-8").partition("<script")[0]
    for visible in (whole_text(ranking), ranking._repr_markdown_(), ranking._repr_html_(), page):
        assert not re.search(r"▲|▼|is better on|likely to be less good|Chance to lead", visible)
    assert abrank.Ranking.from_json(ranking.report(tmp_path / "board.json")) == ranking
    for test in ("tukey", "t", "nemenyi"):
        result = abrank.rank_scores(
            latencies(), measures="latency_ms", lower_is_better="latency_ms", test=test
        )
        assert (result.systems, result.groups[0]) == (("fast", "middle", "slow"), ("fast",))
        assert result.stability[0].first == 1.0
        assert "fast is better than all 2 others" in str(result)
    turned = abrank.rank_scores(latencies(), measures="latency_ms", higher_is_better="latency_ms")
    assert turned.systems[0] == "slow"


COSTS = """WER tokens_out toxicity hallucination_rate mae price durationMs position bounce_rate ttft
p95 seconds zero_results noise_sensitivity memory_mb runtime_s fnr false_positives fp misses
thumbs_down no_answer jailbreak_rate Ladezeit Fehlerrate coût_(€) taux-de-rebond tasa_rebote
待ち時間 LatencyP95 trainLoss mean_rank perplexity"""


@pytest.mark.slow
@pytest.mark.parametrize("name", COSTS.split())
def test_what_sounds_like_a_cost_is_asked_about(name: str) -> None:
    a, b = (pd.DataFrame({name: np.arange(N) + shift}, IDS) for shift in (0.0, 9.0))
    b[name] += np.arange(N) % 3
    with pytest.raises(ArgumentError, match="is lower better for"):
        abrank.compare_scores(a, b, fail_on="worse")
    comparison = abrank.compare_scores(a, b, fail_on="worse", lower_is_better=name)
    assert (comparison.verdict, comparison.decision.exit_code) == ("worse", 1)


def two_with_ap() -> list[pd.DataFrame]:
    a, b = two()
    gain = 0.1 + np.random.default_rng(1).normal(0, 0.02, N)
    return [x.assign(AP=np.linspace(0.2, 0.4, N) + up) for x, up in ((a, 0.0), (b, gain))]


def test_a_guard_on_a_cost_asks_and_follows() -> None:
    a, b = two_with_ap()
    requested = {"measures": ["AP", "latency_ms"], "guard": "latency_ms:+5", "require": "better"}
    with pytest.raises(ArgumentError, match="is lower better for latency_ms"):
        abrank.compare_scores(a, b, **requested)
    assert abrank.compare_scores(
        a, b, lower_is_better="latency_ms", **requested
    ).decision.gate.passed
    lost = abrank.compare_scores(b, b.assign(latency_ms=a["latency_ms"]), measures="AP")
    assert lost.verdict is Verdict.IDENTICAL
    requested |= {"require": None, "fail_on": "worse"}
    turned = abrank.compare_scores(
        a, b, config=abrank.Question(higher_is_better="latency_ms"), **requested
    )
    assert not turned.decision.gate.passed


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_drawn")
def test_a_secondary_cost_is_worse_where_it_rises_and_says_so() -> None:
    a, b = two_with_ap()
    measures = ["AP", "latency_ms"]
    comparison = abrank.compare_scores(a, b, measures=measures)
    declared = abrank.compare_scores(a, b, measures=measures, lower_is_better="latency_ms")
    rising = abrank.compare_scores(a, b.assign(latency_ms=2.0 * a["latency_ms"]), measures=measures)
    for result, reading in ((comparison, "better"), (declared, "better"), (rising, "worse")):
        assert (result.verdict, result["latency_ms"].reading) == (Verdict.BETTER, reading)
        # What nobody declared is stated where it is used.
        assert "latency_ms: lower is better" in " ".join(str(result).split())
        for kind in (".md", ".html"):
            assert "latency_ms: lower is better" in WRITERS[kind](result).decode()
        assert "Is lower better" not in whole_text(result)
    turned = abrank.compare_scores(
        a, b, measures=measures, config=abrank.Question(higher_is_better="latency_ms")
    )
    assert turned["latency_ms"].reading == "worse"
    assert "lower is better" not in whole_text(turned)


# ---- pairing


def test_unpaired_data_are_named(tmp_path, capsys) -> None:
    # "score a missing query 0".
    a = pd.DataFrame({"AP": np.linspace(0.1, 0.9, N)}, index=IDS)
    with pytest.raises(
        AlignmentError, match="A and B share no query: were they seen by different users"
    ):
        abrank.compare_scores(a, a.set_axis([f"u{i}" for i in range(N)]))
    with pytest.raises(AlignmentError, match="unpaired experiment; abrank pairs"):
        abrank.rank_scores({"x": a, "y": a.set_axis([f"u{i}" for i in range(N)])})
    for name, first in (("a", 0), ("b", 5)):
        lines = [f"q{i} Q0 d 1 1.0 x" for i in range(first, first + 5)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 d 1\n" for i in range(10)))
    paths = [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]
    for command in ("compare", "rank"):
        for missing in ("zero", "drop"):
            assert run([command, *paths, "--missing", missing]) == 3
            assert "a and b share no query: shown to different users?" in capsys.readouterr().err


# ---- a test of one's own


@pytest.fixture
def trimmed():
    """Yuen's test of the 20 % trimmed mean of the differences, registered as the README says."""

    @paired_test("trimmed", title="Yuen's t", estimand="trimmed mean difference", source="Yuen")
    def yuen(differences, *, alternative, alpha):
        n = len(differences)
        cut = int(0.2 * n)
        ordered = np.sort(differences, axis=0)
        estimate = ordered[cut : n - cut].mean(axis=0)
        winsorised = np.clip(ordered, ordered[cut], ordered[n - cut - 1])
        selected = n - 2 * cut
        error = winsorised.std(axis=0, ddof=1) * np.sqrt((n - 1) / (selected * (selected - 1)))
        half = stats.t.isf(alpha / 2.0, selected - 1) * error
        statistic = estimate / error
        pvalue = 2.0 * stats.t.sf(np.abs(statistic), selected - 1)
        return Answer(estimate, statistic, pvalue, estimate - half, estimate + half, "closed form")

    yield yuen
    TESTS._entries.pop("trimmed", None)


@pytest.mark.usefixtures("trimmed")
@pytest.mark.usefixtures("nothing_drawn")
def test_a_test_of_ones_own_decides_in_every_format(tmp_path) -> None:
    random = np.random.default_rng(1)
    a = pd.DataFrame({"AP": random.uniform(0.2, 0.8, N)}, index=IDS)
    b = a + 0.03 + 0.03 * random.standard_t(2, (N, 1))
    comparison = abrank.compare_scores(a, b, test="trimmed", margin=0.01)
    assert comparison.primary.estimate == pytest.approx(stats.trim_mean((b - a)["AP"], 0.2))
    assert comparison.primary.diff == pytest.approx((b - a)["AP"].mean())
    (row,) = (test_row for test_row in comparison.test_rows if test_row.decides)
    assert (row.test, row.title, row.estimate) == (
        "trimmed",
        "Yuen's t",
        comparison.primary.estimate,
    )
    assert (row.ci_low, row.pvalue) == (comparison.primary.ci_low, comparison.pvalue)
    assert "trimmed mean difference" in str(comparison)
    for name in ("html", "md", "tex", "txt", "csv", "junit", "methods", "bib"):
        text = comparison.report(tmp_path / f"r.{name}").read_text("utf-8")
        if name in ("html", "md", "tex", "txt"):
            assert "trimmed mean difference" in text
    assert "trimmed mean difference" in comparison._repr_html_()
    saved = comparison.report(tmp_path / "results.json")
    assert run(["render", str(saved), "--report", str(tmp_path / "again.md")]) == 0


# ---- small things


@pytest.mark.parametrize(("guard", "said", "how"), [
    ("AP:-3", "the guard AP:-3 excludes nothing", {}),
    ("AP:-150%", "the guard AP:-150% allows to lose everything", {}),
    ("AP:-2%", "the guard AP:-2% is decided by the paired t test", {"test": "permutation"}),
    ("gain:-2%", "the guard gain:-2%: a relative margin needs scores of 0", {}),
    ("RR:-0.1", "no measure 'RR' here; there are gain, AP", {}),
])  # fmt: skip
def test_messages_on_a_guard_name_it(guard, said, how) -> None:
    a, b = (
        item.assign(AP=np.linspace(0.2, 0.4, N) + i / 100) for i, item in enumerate(two("gain"))
    )
    a["gain"] -= 100.0
    with pytest.raises(ArgumentError, match=said):
        abrank.compare_scores(a, b, measures=["AP", "gain"], guard=guard, fail_on="worse", **how)
