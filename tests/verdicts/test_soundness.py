"""A verdict comes from sound evidence only: through the command, and in every output."""

import math

import numpy as np
import pytest

import abrank
from abrank import Comparison, GateError
from abrank.cli import main
from abrank.report import compose, read_results
from abrank.verdict import GATES, Gate
from tests.asked import asked

Run = dict[str, dict[str, float]]


def judgments() -> dict[str, dict[str, int]]:
    return {f"q{i:02}": {f"D{j}": int(j % 5 == 0) for j in range(40)} for i in range(60)}


def ranked(good: int, *, n: int = 60, depth: int = 10, by: int = 3) -> Run:
    """Return a run that puts ``good`` relevant documents first, fewer on some queries."""
    result: Run = {}
    for i in range(n):
        relevant = [f"D{5 * j}" for j in range(max(0, good - i % by))]
        docs = (relevant + [f"D{j}" for j in range(40) if j % 5])[:depth]
        result[f"q{i:02}"] = {doc: float(100 - k) for k, doc in enumerate(docs)}
    return result


def write(path, run) -> str:
    lines = (
        f"{query} Q0 {doc} {k} {score} x"
        for query, docs in run.items()
        for k, (doc, score) in enumerate(docs.items(), 1)
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path) -> dict[str, str]:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(
        "".join(
            f"{query} 0 {doc} {grade}\n"
            for query, docs in judgments().items()
            for doc, grade in docs.items()
        ),
        encoding="utf-8",
    )
    lower = {q: {d.lower(): s for d, s in docs.items()} for q, docs in ranked(5).items()}
    foreign = {
        q: {f"{7919 * k}of{q}": s for k, s in enumerate(docs.values())}
        for q, docs in ranked(5).items()
    }
    good, few = ranked(5, by=2), ranked(5, n=14)
    pairs = {"gap": {}, "late": {}}
    for i in range(60):
        query = f"q{i:02}"
        # One relevant document before all others; then two in five, and none of them the first.
        if i >= 36:
            pairs["gap"][query] = in_order("R", *["N"] * 6)
        pairs["late"][query] = in_order("N", *["R"] * (2 + i % 2), *["N"] * 4)
    return {
        **{name: write(tmp_path / f"{name}.run", pairs[name]) for name in pairs},
        "qrels": str(qrels),
        "a": write(tmp_path / "a.run", ranked(3)),
        "b": write(tmp_path / "b.run", good),
        "lower": write(tmp_path / "lower.run", lower),
        "foreign": write(tmp_path / "foreign.run", foreign),
        "few": write(tmp_path / "few.run", few),
    }


def in_order(*grades: str) -> dict[str, float]:
    """Rank documents that are relevant (R) or judged not to be (N) in this order."""
    left = {"R": iter(range(0, 40, 5)), "N": (j for j in range(40) if j % 5)}
    return {f"D{next(left[grade])}": -float(place) for place, grade in enumerate(grades)}


def compare(files, a, b, **how) -> Comparison:
    return abrank.compare(files["qrels"], files[a], files[b], **asked(**{"measures": "AP", **how}))


UNSOUND = [
    ("a", "lower", {}, "document-ids"),
    ("a", "foreign", {}, "none-judged"),
    ("a", "b", {"measures": "AP(rel=3)"}, "none-relevant"),
]


@pytest.mark.slow
@pytest.mark.parametrize("require", ["no-significant-loss", "non-inferior", "better", "equivalent"])
@pytest.mark.parametrize(("a", "b", "how", "code"), UNSOUND)
def test_unsound_evidence_decides_nothing_and_passes_no_gate(files, a, b, how, code, require):
    result = compare(files, a, b, require=require, margin=0.02, accept_doubt=True, **how)
    assert result.soundness.level == "unsound"
    assert result.soundness.reasons[0].code == code
    assert (result.verdict, result.decision.direction) == ("cannot-test", 0)
    assert result.decision.reason == code
    assert (result.decision.gate.passed, result.decision.gate.lacks) == (False, "soundness")
    outcome = result.to_dict()
    assert outcome["next_step"] == "mend-inputs"
    assert outcome["verdict"]["soundness"]["level"] == "unsound"
    with pytest.raises(GateError) as raised:
        result.require("no-significant-loss")
    assert raised.value.exit_code == 3


@pytest.mark.parametrize(("b", "flags"), [
    ("lower", ["--fail-on", "worse"]),
    ("foreign", ["--require", "non-inferior", "--margin", "0.5", "--accept-doubt"]),
])  # fmt: skip
def test_the_command_ends_with_3(files, b, flags, capsys) -> None:
    with pytest.raises(SystemExit) as left:
        main(["compare", files["qrels"], files["a"], files[b], "-m", "AP", *flags])
    out, err = capsys.readouterr()
    assert left.value.code == 3
    assert "CANNOT TEST" in out
    assert "cannot be tested" in out
    assert "Ship" not in out
    assert err.startswith("gate      not passed: ")


def test_an_unsound_collection_leaves_the_whole_undecided(files: dict[str, str]) -> None:
    qrels, a = files["qrels"], files["a"]
    collections = abrank.compare_collections(
        {"one": (qrels, a, files["b"]), "two": (qrels, a, files["lower"])}, measures="AP"
    )
    assert {name: item.level for name, item in collections.unsound.items()} == {"two": "unsound"}
    text = " ".join(str(collections).split())
    assert text.startswith(
        "! CANNOT TEST OVER ALL QUERIES B and a cannot be tested on two: document ids of"
    )


@pytest.mark.parametrize(("a", "b", "how", "code"), [
    ("a", "few", {}, "missing-queries"),
    ("a", "few", {"missing": "drop"}, "missing-queries"),
    ("gap", "late", {"measures": "P@5", "guard": "RR:-0.02"}, "guard-turned"),
])  # fmt: skip
def test_a_verdict_that_missing_queries_make_is_doubtful_and_stops_gates(files, a, b, how, code):
    result = compare(files, a, b, require="better", **how)
    assert (result.soundness.level, result.soundness.reasons[0].code) == ("doubtful", code)
    assert result.verdict != "cannot-test"
    assert (result.decision.exit_code, result.to_dict()["next_step"]) == (1, "mend-inputs")


def doubtful(files, **how) -> Comparison:
    """Compare with a baseline whose first document was never judged: without it both do as well."""
    a = {query: {"unknown": 9.0, **in_order("R", "N")} for query in ranked(1)}
    b = {
        query: in_order("N", "R") if i % 3 == 0 else in_order("R", "N") for i, query in enumerate(a)
    }
    return abrank.compare(files["qrels"], a, b, measures="RR", **how)


def test_a_doubt_passes_only_where_it_is_accepted(files: dict[str, str]) -> None:
    result = doubtful(files, require="better")
    assert (result.verdict, result.soundness.level) == ("better", "doubtful")
    assert "unjudged-decide" in [reason.code for reason in result.soundness.reasons]
    assert (result.decision.gate.passed, result.decision.exit_code) == (False, 1)
    text = " ".join(str(result).split())
    assert "BETTER, DOUBTFUL" in text
    assert "but in doubt: unjudged documents could make it" in text
    assert "--accept-doubt lets it pass" in text
    accepted = doubtful(files, require="better", accept_doubt=True)
    assert accepted.decision.gate.passed
    text = " ".join(str(accepted).split())
    assert "the doubt was accepted" in text
    for item in (result, accepted):
        assert item.to_dict()["next_step"] == "judge"
        assert "Ship" not in str(item)


def test_one_cluster_that_carries_a_difference_puts_it_in_doubt() -> None:
    random = np.random.default_rng(3)
    ids = [f"q{i:03}" for i in range(120)]
    a = dict(zip(ids, random.uniform(0.3, 0.5, 120).tolist(), strict=True))
    users = {query: f"u{i // 10}" for i, query in enumerate(ids)}
    even = {query: a[query] + 0.03 + 0.001 * (i % 7) for i, query in enumerate(ids)}
    assert abrank.compare_scores(a, even, design=abrank.Clusters(users)).soundness.level == "sound"
    # Seven clusters of 4 and one of 13 queries with more than half of the difference.
    random = np.random.default_rng(8)
    random.integers(4, 9), random.integers(6, 30), random.integers(3, 8)
    repeat = np.repeat(np.arange(8), [13] + [4] * 7)
    effect = np.append(random.uniform(0.03, 0.08), random.normal(0.02, 0.02, 7))
    differences = effect[repeat] + random.normal(0.0, 0.005, len(repeat))
    a = {f"q{i:02}": 0.4 for i in range(len(repeat))}
    b = {query: 0.4 + d for query, d in zip(a, differences.tolist(), strict=True)}
    users = {query: f"u{k}" for query, k in zip(a, repeat.tolist(), strict=True)}
    comparison = abrank.compare_scores(a, b, design=abrank.Clusters(users), fail_on="worse")
    (reason,) = comparison.soundness.reasons
    assert (comparison.verdict, reason.code) == ("better", "one-cluster-carries")
    assert (reason.values["cluster"], reason.values["n_queries"]) == ("u0", 13)
    assert reason.values["low"] < 0 < reason.values["high"]
    assert comparison.decision.gate.lacks == "trust"
    assert comparison.to_dict()["next_step"] == "add-queries"
    assert "Add queries of other clusters" in " ".join(str(comparison).split())


def test_a_doubt_stops_a_gate_only_where_the_other_verdict_would_not_pass(files) -> None:
    stopped = doubtful(files, require="better")
    (reason,) = [reason for reason in stopped.soundness.reasons if reason.code == "unjudged-decide"]
    assert reason.values["verdict"] not in GATES["better"].verdicts
    assert stopped.decision.gate == Gate("better", False, "trust")
    harmless = reason.values["verdict"] in GATES["no-significant-loss"].verdicts
    assert doubtful(files, fail_on="worse").decision.gate == Gate(
        "no-significant-loss", harmless, "" if harmless else "trust"
    )


# Ten queries gain alike, two lose more: t shows a gain, t corrected for skewness does not.
SKEWED = [0.089, 0.115, 0.162, 0.112, 0.186, 0.097, 0.101, 0.188, -0.033, 0.128, 0.187, -0.173]


def skewed(sign, **how) -> Comparison:
    ids = [f"q{i:02}" for i in range(len(SKEWED))]
    b = {query: 0.5 + sign * d for query, d in zip(ids, SKEWED, strict=True)}
    return abrank.compare_scores(
        {query: {"AP": 0.5} for query in ids}, {query: {"AP": x} for query, x in b.items()}, **how
    )


@pytest.mark.parametrize("test", ["t", "permutation"])
@pytest.mark.parametrize(("sign", "verdict"), [(1, "better"), (-1, "worse")])
def test_what_only_skewed_differences_show_is_in_doubt(sign, verdict, test) -> None:
    result = skewed(sign, test=test)
    assert (result.verdict, result.soundness.level) == (verdict, "doubtful")
    assert [reason.code for reason in result.soundness.reasons] == ["skewness-decides"]
    assert result.to_dict()["next_step"] == "add-queries"
    assert f"B looks {verdict} than A, but this is in doubt." in result._repr_html_()
    assert f"{verdict} in doubt on AP" in repr(result)


def test_the_skewness_of_differences_without_their_weights_decides_nothing() -> None:
    weights = {f"q{i:02}": 1.0 + i % 2 for i in range(len(SKEWED))}
    assert skewed(1, design=abrank.Weights(weights)).soundness.level == "sound"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "verdict"), [("drop", "better"), ("worst", "worse"), ("zero", "worse")]
)
def test_ready_scores_that_are_missing_and_decide_are_a_doubt(missing, verdict, tmp_path) -> None:
    easy = np.random.default_rng(5).uniform(0.2, 0.7, 40)
    gain = 0.1 + np.random.default_rng(6).normal(0.0, 0.03, 40)
    a = {f"q{i:02}": {"AP": x} for i, x in enumerate(easy)}
    selected = {f"q{i:02}": {"AP": easy[i] + gain[i]} for i in range(20)}
    comparison = abrank.compare_scores(
        a, selected, missing=missing, require="non-inferior", margin=0.02
    )
    assert (comparison.verdict, comparison.soundness.level) == (verdict, "doubtful")
    assert [reason.code for reason in comparison.soundness.reasons] == ["missing-scores"]
    gate = comparison.decision.gate
    assert (gate.passed, gate.lacks) == (False, "trust" if verdict == "better" else "verdict")
    text = " ".join(comparison.report(tmp_path / "r.txt").read_text(encoding="utf-8").split())
    second = "with the worst score where one is missing"
    if verdict == "worse":
        second = "on the 20 queries with both scores"
    assert "the verdict rests on scores that are missing: it would be “" in text
    assert second in text
    assert "Score the queries whose scores are missing" in text
    # One score in forty that fails turns nothing.
    whole = {f"q{i:02}": {"AP": easy[i] + gain[i]} for i in range(40) if i != 39}
    assert abrank.compare_scores(a, whole, missing="drop").soundness.level == "sound"


def test_the_same_in_practice_does_not_rest_on_a_difference_that_skewness_makes() -> None:
    wide = skewed(-1, margin=0.3, require="equivalent")
    assert (wide.verdict, wide.decision.direction, wide.soundness.level) == ("same", 0, "sound")
    assert wide.decision.gate == Gate("equivalent", True)
    assert wide.notes[0].code == "skewness-decides"
    assert compose(wide).headline.title == "B and A differ by less than 0.300."


@pytest.mark.parametrize(("missing", "level"), [("drop", "doubtful"), ("worst", "sound")])
def test_a_guard_that_rests_on_scores_that_are_missing_is_a_doubt(missing, level, tmp_path) -> None:
    random = np.random.default_rng(3)
    a = {f"q{i:02}": {"AP": 0.5, "P@10": x} for i, x in enumerate(random.beta(2.0, 2.0, 60))}
    b = {query: {"AP": 0.58 + 0.03 * random.normal(), "P@10": a[query]["P@10"]} for query in a}
    for query in list(b)[:12]:
        b[query]["P@10"] = math.nan
    options = {"measures": ["AP", "P@10"], "guard": "P@10:-0.02", "require": "better"}
    comparison = abrank.compare_scores(a, b, missing=missing, **options)
    assert (comparison.verdict, comparison.soundness.level) == ("better", level)
    gate = comparison.decision.gate
    assert (gate.passed, gate.lacks) == (False, "trust" if missing == "drop" else "guards")
    if missing == "worst":
        return
    assert [reason.code for reason in comparison.soundness.reasons] == ["guard-scores"]
    accepted = abrank.compare_scores(a, b, missing=missing, accept_doubt=True, **options)
    assert accepted.decision.gate == Gate("better", True, "")
    for name in ("r.txt", "r.md"):
        text = " ".join(comparison.report(tmp_path / name).read_text(encoding="utf-8").split())
        assert "the guard on P@10 rests on the scores that are missing: with the worst" in text
        assert "Score the queries whose scores are missing: a guard rests on them." in text
    assert read_results(comparison.report(tmp_path / "r.json")).soundness == comparison.soundness


@pytest.mark.slow
def test_a_rule_may_demand_a_share_of_judged_documents(files: dict[str, str]) -> None:
    a = {query: {"x": 9.0, "y": 8.0, **in_order("R", "N")} for query in ranked(1)}
    for judged, stopped in ((None, False), ("50%", False), (0.6, True), ("60%", True)):
        comparison = abrank.compare(
            files["qrels"], a, ranked(5, by=2), measures="AP", fail_on="worse",
            config=abrank.Question(judged=judged),
        )  # fmt: skip
        assert ("few-judged" in [reason.code for reason in comparison.soundness.reasons]) is stopped
        assert comparison.decision.exit_code == int(stopped)
        assert ("the rule asks for 60.0%" in " ".join(str(comparison).split())) is stopped
    for wrong in ("much", "120%", 0.0):
        with pytest.raises(abrank.ArgumentError, match="judged is a share of documents"):
            abrank.Question(judged=wrong)
    with pytest.raises(abrank.ArgumentError, match="judged of the Question is not for"):
        abrank.compare_scores({"q": 1.0}, {"q": 2.0}, config=abrank.Question(judged=0.5))


def test_a_doubt_of_one_collection_is_one_of_the_whole_where_that_rests_on_it(files) -> None:
    part, qrels = doubtful(files), files["qrels"]
    late, first = in_order("N", "R"), in_order("R", "N")
    same = abrank.compare(qrels, ranked(3), ranked(5, by=2), measures="RR")
    better = abrank.compare(
        qrels, {query: late if i % 3 else first for i, query in enumerate(ranked(1))},
        dict.fromkeys(ranked(1), first), measures="RR",
    )  # fmt: skip
    assert part.soundness.level == "doubtful"
    assert (same.soundness.level, better.soundness.level) == ("sound", "sound")
    for other, carried in ((same, True), (better, False)):
        whole = abrank.compare_collections({"a": part, "b": other}).pooled
        codes = {reason.code for reason in whole.soundness.reasons}
        assert (whole.verdict, "unjudged-decide" in codes) == ("better", carried)


def test_a_gate_against_losses_passes_where_the_skewness_takes_only_the_gain_away() -> None:
    """A candidate that gains as much on every query more cannot fail where a lesser one passes."""
    wide = skewed(1, margin=0.15, require="non-inferior")
    (reason,) = wide.soundness.reasons
    assert (wide.verdict, reason.values["verdict"]) == ("better-size-unclear", "not-worse")
    assert wide.decision.gate == Gate("non-inferior", True)
    narrow = skewed(1, margin=0.001, require="non-inferior")
    assert "verdict" not in narrow.soundness.reasons[0].values
    assert narrow.decision.gate == Gate("non-inferior", False, "trust")
