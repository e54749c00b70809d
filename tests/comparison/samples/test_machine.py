"""Comparisons that use a machine's judgments beside those of people."""

import hashlib

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank._support.errors import AlignmentError, ArgumentError
from abrank.comparison import Comparison, compare_scores, pair_scores
from abrank.comparison.query_data import QueryData
from abrank.comparison.samples.machine import with_machine
from abrank.inference import run_prediction_powered, run_test
from abrank.report import compose
from abrank.report.sections.appendix import methods_text
from tests.asked import asked
from tests.report.written import text as text_of

N_QUERIES, N_JUDGED = 200, 40
MEASURES = ["nDCG@10", "AP", "RR"]


@pytest.fixture(scope="module")
def scores() -> dict[str, pd.DataFrame]:
    """Scores by people (of some queries) and by a machine, of A and B."""
    rng = np.random.default_rng(18)
    ids = [f"q{i:03}" for i in range(N_QUERIES)]
    a = pd.DataFrame(rng.random((N_QUERIES, 3)), ids, MEASURES)
    b = a + 0.05 + 0.2 * rng.standard_normal(a.shape)
    machine = b + 0.1 + 0.05 * rng.standard_normal(a.shape)
    judged = sorted(rng.permutation(ids)[:N_JUDGED])
    return {"a": a.loc[judged], "b": b.loc[judged], "machine a": a, "machine b": machine}


def compared(scores: dict[str, pd.DataFrame], **how: object) -> Comparison:
    arguments = {
        "measures": MEASURES,
        "machine_scores": (scores["machine a"], scores["machine b"]),
        **how,
    }
    return compare_scores(scores["a"], scores["b"], **asked(**arguments))


def rows(scores: dict[str, pd.DataFrame]) -> list[int]:
    return scores["machine a"].index.get_indexer(scores["a"].index).tolist()


def test_people_and_machine_decide(scores) -> None:
    result = compared(scores, adjust="none")
    d = (scores["b"] - scores["a"]).to_numpy()
    f = (scores["machine b"] - scores["machine a"]).to_numpy()
    expected = run_prediction_powered(d, rows(scores), f)
    np.testing.assert_allclose([r.estimate for r in result.rows], expected.estimate, rtol=1e-9)
    np.testing.assert_allclose([r.pvalue for r in result.rows], expected.pvalue, rtol=1e-9)
    assert (result.decision.ci_low, result.decision.ci_high) == pytest.approx(
        (expected.ci_low[0], expected.ci_high[0]), rel=1e-9
    )
    assert (result.rule.test, result.rule.adjust) == ("prediction-powered", "none")
    assert [row.test for row in result.test_rows if row.decides] == ["prediction-powered"]
    assert result.confidence_interval(0.95) == pytest.approx(
        (expected.ci_low[0], expected.ci_high[0]), rel=1e-9
    )


def test_three_answers_stand_side_by_side(scores) -> None:
    result = compared(scores)
    machine = result.machine
    d = (scores["b"] - scores["a"]).to_numpy()[:, 0]
    f = (scores["machine b"] - scores["machine a"]).to_numpy()[:, 0]
    for who, values in (("people", d), ("machine", f)):
        alone, answer = run_test("t", values), machine.of(who)
        assert answer.n_queries == len(values)
        assert (answer.estimate, answer.ci_low, answer.ci_high, answer.pvalue) == pytest.approx(
            (alone.estimate[0], alone.ci_low[0], alone.ci_high[0], alone.pvalue[0]), rel=1e-9
        )
    assert machine.of("both").estimate == result.primary.estimate
    assert machine.correlation == pytest.approx(np.corrcoef(d, f[rows(scores)])[0, 1])
    assert machine.break_even == pytest.approx(1 / np.sqrt(N_JUDGED - 2))
    assert machine.worth is not None
    assert machine.worth > 2 * N_JUDGED


@pytest.mark.parametrize(("how", "words"), [
    ({"test": "permutation"}, "sign-flip test has no exact counterpart.*7.5 to 10%"),
    ({"test": "wilcoxon"}, "prediction-powered t test, not by wilcoxon"),
    ({"adjust": "max-t"}, "max-t flips signs"),
    ({"machine_scores": None, "shared_model": "a"}, "give --machine-qrels"),
    ({"machine_scores": None, "machine_judge": "m"}, "machine.judge .* give --machine-qrels"),
    ({"shared_model": "c"}, "shared model"),
])  # fmt: skip
def test_refused(scores, how, words) -> None:
    with pytest.raises(ArgumentError, match=words):
        compared(scores, **how)


def test_a_machine_gives_judgments_or_scores(scores, tmp_path, monkeypatch, capsys) -> None:
    qrels, run_a = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}
    with pytest.raises(ArgumentError, match="the machine's judgments or its scores, not both"):
        abrank.compare(
            qrels, run_a, run_a, machine=abrank.Machine(qrels=qrels, scores=(run_a, run_a))
        )
    paired = pair_scores(scores["a"], scores["b"])
    with pytest.raises(ArgumentError, match="ready scores take a machine's scores, not its judg"):
        with_machine(QueryData(), abrank.Machine(qrels=qrels), paired)


def test_a_machines_scores_of_both_systems_in_one_table(scores) -> None:
    table = pd.concat(
        [
            scores[f"machine {name}"].rename_axis("query_id").reset_index().assign(system=system)
            for name, system in (("a", "old"), ("b", "new"))
        ]
    )
    named = {"name_a": "old", "name_b": "new", "adjust": "none"}
    first, two = compared(scores, **named), compared(scores, machine_scores=table, **named)
    assert first.rows == two.rows
    assert first.machine == two.machine


def codes(result: Comparison) -> set[str]:
    return {note.code for note in result.notes if note.code.startswith("machine-")}


def test_fewer_than_25_are_refused(scores) -> None:
    few, enough = (
        {name: score.iloc[:n] if name in "ab" else score for name, score in scores.items()}
        for n in (24, 25)
    )
    with pytest.raises(AlignmentError, match=r"24 human queries are too few .* judge 25"):
        compared(few)
    assert compared(enough).n_queries == 25


def test_human_queries_that_the_machine_lacks_are_left_out_and_said(scores) -> None:
    first = scores["a"].index[0]
    lacking = {k: score.drop(first) if "machine" in k else score for k, score in scores.items()}
    result = compared(lacking)
    assert result.machine.missing == (first,)
    assert result.n_queries == N_JUDGED - 1
    assert "machine-missing" in codes(result)
    assert "1 query judged by people is not judged by the machine" in str(result)


def test_a_sample_that_was_picked_is_told(scores) -> None:
    easy = scores["machine a"].mean(axis=1).nlargest(60).index
    result = compared({**scores, **{name: scores[f"machine {name}"].loc[easy] for name in "ab"}})
    assert "machine-sample-differs" in codes(result)
    text = " ".join(text_of(result, detail="all").split())
    assert "differ from the others in difficulty. By the machine's judgments the mean" in text
    assert "machine-sample-differs" not in codes(compared(scores))


@pytest.mark.slow
def test_a_machine_that_adds_nothing_and_one_that_never_errs_are_told(scores) -> None:
    rng = np.random.default_rng(4)
    noise = scores["machine a"] + rng.standard_normal(scores["machine a"].shape)
    assert "machine-no-help" in codes(compared({**scores, "machine b": noise}))
    a, b = scores["machine a"], scores["machine b"]
    perfect = compared({"a": a.iloc[:40], "b": b.iloc[:40], "machine a": a, "machine b": b})
    assert "machine-set-aside" in codes(perfect)
    assert perfect.primary.pvalue == pytest.approx(perfect.machine.of("people").pvalue)
    all_judged = compared({"a": a, "b": b, "machine a": a, "machine b": b + 0.1 * noise})
    assert "machine-no-help" not in codes(all_judged)
    assert all_judged.machine.sample == ()


@pytest.mark.slow
def test_from_runs_and_two_judgments() -> None:
    collection = abrank.simulate_runs(120, effect=0.1, rng=4)
    judged = set(np.random.default_rng(0).permutation(collection.qrels.query_ids)[:30])
    frame = collection.qrels.frame()
    people = frame[frame["query_id"].isin(judged)]
    result = abrank.compare(
        people, collection.baseline, collection.candidate, measures=["nDCG@10", "AP"],
        machine=abrank.Machine(qrels=frame),
    )  # fmt: skip
    whole = abrank.compare(
        frame, collection.baseline, collection.candidate, measures=["nDCG@10", "AP"]
    )
    assert result.n_queries == 30
    assert result.machine.of("machine").estimate == pytest.approx(whole.mean_difference)
    assert result.provenance["inputs"]["machine_qrels"] is not None


def test_a_run_that_cannot_be_read_twice_is_refused() -> None:
    collection = abrank.simulate_runs(20, rng=4)
    rows = iter([("q001", "d1", 1.0)])
    with pytest.raises(ArgumentError, match="read twice"):
        abrank.compare(
            collection.qrels, rows, collection.candidate,
            machine=abrank.Machine(qrels=collection.qrels),
        )  # fmt: skip


@pytest.mark.slow
def test_a_machine_declared_in_the_rule_file_stands_there_with_hash_and_day(
    tmp_path, monkeypatch, command
) -> None:
    monkeypatch.chdir(tmp_path)
    collection = abrank.simulate_runs(60, rng=3)
    collection.qrels.write("llm.qrels")
    query_ids = set(collection.qrels.query_ids[:30])
    people = collection.qrels.frame()[lambda rows: rows["query_id"].isin(query_ids)]
    abrank.read_qrels(people).write("people.qrels")
    collection.baseline.write("a.run")
    collection.candidate.write("b.run")
    rule = tmp_path / "abrank.toml"
    rule.write_text(
        'measure = "nDCG@10"\ndeclared_on = 2026-11-01\n'
        '[machine]\nqrels = "llm.qrels"\njudge = "gpt-x"\nshared_model = "neither"\n'
    )
    digest = hashlib.sha256(rule.read_bytes()).hexdigest()[:12]
    call = ["compare", "people.qrels", "a.run", "b.run", "--config", "abrank.toml", "-q"]
    text = f"gpt-x, was declared beforehand on 2026-11-01 in abrank.toml (sha256 {digest}…)."
    assert text in command([*call, "--report", "r.json", "--format", "methods"]).out
    result = Comparison.from_json("r.json")
    assert result.machine.judge == "gpt-x"
    assert result.provenance["declared"]["date"] == "2026-11-01"
    assert text in methods_text(result)
    by_call = abrank.compare(
        "people.qrels", "a.run", "b.run", config="abrank.toml",
        machine=abrank.Machine(qrels="llm.qrels", judge="another"),
    )  # fmt: skip
    assert "The machine was named with the call: another." in methods_text(by_call)


@pytest.mark.slow
@pytest.mark.parametrize("n_judged", [40, N_QUERIES])
def test_one_measure_says_which_queries_its_numbers_are_of(scores, n_judged) -> None:
    by_people = {"a": scores["machine a"], "b": scores["machine a"] + 0.1 * scores["machine b"]}
    ilocs = {name: item[["AP"]].iloc[:n_judged] for name, item in by_people.items()}
    ilocs |= {f"machine {name}": scores[f"machine {name}"][["AP"]] for name in "ab"}
    result = compared(ilocs, measures=None)
    sections = {section.key: section for section in compose(result).sections}
    legend = sections["measures"].blocks[0].legend
    whose = f"A and B: the {n_judged} queries judged by people; Δ, bars and p: all queries"
    assert [text for text in legend if text.startswith(whose)]
