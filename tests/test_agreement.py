"""Two judges of the same documents, on hand-made and simulated data."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import abrank
from abrank._support.errors import AlignmentError, ArgumentError
from tests.report.written import text

HUMAN = {"q1": {"d1": 2, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 0}, "q9": {"d1": 1}}
MACHINE = {"q1": {"d1": 1, "d2": 0, "d4": 2}, "q2": {"d1": 1, "d2": 1}}


def test_grades_are_compared_where_both_judged() -> None:
    judge_agreement = abrank.judge_agreement(HUMAN, MACHINE)
    assert (judge_agreement.n_queries, judge_agreement.n_other_queries) == (2, (1, 0))
    assert (judge_agreement.n_documents, judge_agreement.n_other_documents) == (4, (1, 1))
    assert judge_agreement.grades == (0, 1, 2)
    assert judge_agreement.table == ((1, 1, 0), (0, 1, 0), (0, 1, 0))
    assert judge_agreement.same.estimate == 0.5
    # By chance (2 * 1 + 1 * 3 + 1 * 0) / 16; then relevant or not: 3 of 4, by chance 8 of 16.
    assert judge_agreement.kappa.estimate == pytest.approx((0.5 - 5 / 16) / (1 - 5 / 16))
    assert (judge_agreement.relevant_same.estimate, judge_agreement.relevant_kappa.estimate) == (
        0.75,
        0.5,
    )
    assert judge_agreement.tau is None
    assert judge_agreement.pairs == ()


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(AlignmentError, match="no query was judged by both"):
        abrank.judge_agreement(HUMAN, {"x": {"d1": 1}})
    with pytest.raises(AlignmentError, match="no document of their shared queries"):
        abrank.judge_agreement(HUMAN, {"q1": {"x": 1}})
    with pytest.raises(ArgumentError, match="two runs or more, or on none"):
        abrank.judge_agreement(HUMAN, MACHINE, {"a": {"q1": {"d1": 1.0}}})
    is_many = {"q1": {f"d{i}": i for i in range(21)}}
    with pytest.raises(ArgumentError, match="21 grades are too many"):
        abrank.judge_agreement(is_many, is_many)


def test_what_one_judged_alone_and_a_table_too_wide_are_told() -> None:
    visible = " ".join(text(abrank.judge_agreement(HUMAN, MACHINE)).split())
    assert "judged by the human alone: 1 document of these queries and 1 other query" in visible
    assert "judged by the machine alone: 1 document of these queries" in visible
    is_many = {"q1": {f"d{i}": i for i in range(18)}}
    wide = text(abrank.judge_agreement(is_many, is_many))
    assert wide.count("Human \\ machine") == 2  # in two parts, as it does not fit
    assert max(map(len, wide.splitlines())) <= 80


def judged_by(made, *, favour: bool):
    """Return a noisy machine's judgments; with a favour, higher ones of the candidate's top 10."""
    random = np.random.default_rng(3)
    rows = made.qrels.frame()
    grade = rows["relevance"].to_numpy() + random.choice([-1, 0, 1], len(rows), p=[0.1, 0.8, 0.1])
    top = {(q, d) for q in made.qrels.query_ids for d, _ in made.candidate.ranking(q, top=10)}
    for i, key in enumerate(zip(rows["query_id"], rows["doc_id"], strict=True)):
        grade[i] += favour and key in top and random.random() < 0.2
    return rows.assign(relevance=np.clip(grade, 0, 3))


@pytest.fixture(scope="module")
def made():
    return abrank.simulate_runs(80, effect=0.0, rng=5)


@pytest.mark.slow
def test_a_favour_is_found_where_there_is_one_and_not_elsewhere(made) -> None:
    runs = {"a": made.baseline, "b": made.candidate}
    (fair,), (biased,) = (
        abrank.judge_agreement(made.qrels, judged_by(made, favour=item), runs).pairs
        for item in (False, True)
    )
    assert fair.favour.low < 0 < fair.favour.high
    assert biased.favour.low > 0
    assert biased.same_difference.high < 0
    assert biased.machine.estimate > biased.human.estimate
    # The verdicts are those of compare.
    alone = abrank.compare(made.qrels, made.baseline, made.candidate, measures="nDCG@10")
    assert biased.human.verdict == alone.verdict
    assert biased.human.pvalue == pytest.approx(alone.pvalue)


def test_favour_by_hand() -> None:
    # To human grade 0 the machine gives 0 and 1, half on average: a's is half below, b's above.
    human, machine = {"q1": {"x": 0, "y": 0}}, {"q1": {"x": 0, "y": 1}}
    runs = {"a": {"q1": {"x": 1.0}}, "b": {"q1": {"y": 1.0}}}
    (pair,) = abrank.judge_agreement(human, machine, runs, measure="P@1").pairs
    assert (pair.same_baseline, pair.same_candidate) == (1.0, 0.0)
    assert (pair.same_difference.estimate, pair.favour.estimate) == (-1.0, 1.0)
    assert math.isnan(pair.favour.low)  # one query has no interval


def test_the_command_prints_80_columns_and_json(made, tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    made.qrels.write("people.qrels")
    abrank.read_qrels(judged_by(made, favour=True)).write("llm.qrels")
    made.baseline.write("a.run")
    made.candidate.write("b.run")
    call = ["agreement", "people.qrels", "llm.qrels"]
    out = command([*call, "a.run", "b.run"]).out
    assert max(map(len, out.splitlines())) <= 80
    assert "Krippendorff's alpha, ordinal" in out
    assert "the machine favours b" in out
    read = json.loads(command([*call, "--level", "nominal", "--format", "json"]).out)
    assert (read["level"], read["tau"], read["n_queries"]) == ("nominal", None, 80)
    assert command([*call, "--ascii"]).out.isascii()
    assert "two runs or more" in command([*call, "a.run"], 2).err


@pytest.mark.slow
def test_the_agreement_of_orders_has_an_interval_over_the_queries() -> None:
    random, systems = np.random.default_rng(2), range(5)
    ids = [f"q{i}" for i in range(30)]
    judges = [
        {q: {f"d{k}": int(random.random() < 0.35 + 0.1 * k) for k in systems} for q in ids}
        for _ in range(2)
    ]
    runs = {f"s{k}": {q: {f"d{k}": 1.0} for q in ids} for k in systems}
    judge_agreement = abrank.judge_agreement(*judges, runs, measure="P@1")
    block = np.array([[[q[f"d{k}"] for k in systems] for q in judge.values()] for judge in judges])
    means = block.mean(axis=1)
    assert judge_agreement.tau.estimate == pytest.approx(stats.kendalltau(*means).statistic)
    integers = random.integers(30, size=(500, 30))
    taus = [stats.kendalltau(*block[:, rows].mean(axis=1)).statistic for rows in integers]
    ends = np.nanquantile(taus, [0.025, 0.975])
    assert (judge_agreement.tau.low, judge_agreement.tau.high) == pytest.approx(
        tuple(ends), abs=0.11
    )
    assert (
        judge_agreement.tau_ap.low <= judge_agreement.tau_ap.estimate <= judge_agreement.tau_ap.high
    )
    lines = str(judge_agreement).splitlines()
    assert f"Orders of the 5 systems: Kendall's τ {judge_agreement.tau.estimate:.3f}." in lines
    for name in ("Kendall's tau", "tau_AP"):
        assert any(line.startswith(name) and " to " in line for line in lines)
