"""What a table of scores is taken for: real shapes, repeats, properties, names, and exports."""

import json
import shlex
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank import AlignmentError, ReadError, compare_scores, read_scores
from abrank._support.errors import UnclearError
from abrank.cli import run
from abrank.comparison import pair_scores
from abrank.inputs.score_reading import TableOptions
from tests.gold import left_out

N = 24
RNG = np.random.default_rng(17)
QUERIES = [f"q{i:02}" for i in range(N)]
A = RNG.uniform(0.2, 0.7, N).round(4)
B = (A + RNG.normal(0.05, 0.08, N)).clip(0.0, 1.0).round(4)
MEAN = float((B - A).mean())


def long(**columns) -> pd.DataFrame:
    """Return a row per query and variant, with columns of a value a row or of one for all."""
    return pd.DataFrame({
        "query_id": QUERIES * 2, "variant": ["control"] * N + ["treatment"] * N,
        "ndcg": np.concatenate([A, B]), **columns,
    })  # fmt: skip


# --- Real tables, and scipy on them


@pytest.mark.parametrize("door", [pytest.param("command", marks=pytest.mark.slow), "call"])
def test_real_tables_have_the_answer_of_scipy(shared_data, door, tmp_path, monkeypatch) -> None:
    if not (shared_data / "tables").is_dir():
        left_out("real tables of experiments")
    monkeypatch.chdir(shared_data / "tables")
    gold = pd.read_csv("gold.tsv", sep="\t")
    assert len(gold) == 7
    for row in gold.itertuples():
        if door == "call":
            result = compare_scores(
                row.table, baseline=row.a, candidate=row.b, measures=row.measure
            )
        else:
            path = tmp_path / "result.json"
            call = f"compare --scores {row.table} --baseline {row.a} --candidate {row.b} -q"
            report = ["--report", str(path)]
            assert run([*shlex.split(call), "-m", row.measure, *report]) == 0
            result = abrank.Comparison.from_json(path)
        assert len(result.query_ids) == row.n
        assert result.mean_difference == pytest.approx(row.mean_b_minus_a, abs=1e-9)
        t = next(test for test in result.test_rows if test.test == "t")
        assert t.pvalue == pytest.approx(row.p_ttest_rel, rel=1e-9)


def test_check_says_what_each_column_is(shared_data, command, monkeypatch) -> None:
    if not (shared_data / "tables").is_dir():
        left_out("real tables of experiments")
    monkeypatch.chdir(shared_data / "tables")
    out = command(["check", "models.csv", "grid.csv", "sweep.csv"]).out
    for line in (
        "query: qid",
        "variant: model (3 variants: small, large, tiny int8)",
        "segments: category",
        "not compared: query, top1_id, top1_score, top_score",
        "less is better, by their names: gold_rank",
        "variant: preprocessing, model, k1, b (6 variants: raw/vector, raw/bm25/0.9/0.4,",
        "settings: retriever, chunking_strategy",
        "10 queries without a score of any variant are left out: q04, q08, q12",
    ):
        assert line in out


# --- What else stands in a table

SEEDS = pd.concat([long(seed=seed).assign(ndcg=lambda f, s=seed: f["ndcg"] + s / 100)
                   for seed in range(3)])  # fmt: skip
VISITS = pd.concat([long(session_id=f"s{i}") for i in range(2)]).assign(
    session_id=lambda f: [f"s{i % 7}" for i in range(len(f))]
)


SHUFFLED = {  # the same queries in two orders, each numbered from 0
    name: pd.DataFrame({"id": QUERIES, "Stand": name, "ndcg": side}).sample(
        frac=1, random_state=seed).reset_index(drop=True)
    for seed, (name, side) in enumerate((("control", A), ("treatment", B)))
}  # fmt: skip
ROWS_OF = {
    arm: pd.DataFrame({"query_id": QUERIES, "ndcg": side}).to_dict("records")
    for arm, side in (("control", A), ("treatment", B))
}
Record = make_dataclass("Record", ["arm", "query_id", "ndcg"])
NAMED = long().rename(columns={"query_id": "search_term"})
LONG = long().rename(columns={"ndcg": "value"}).assign(name="tone")
OF_ONE = {"baseline": "control", "candidate": "treatment", "measures": "tone"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frame", "options", "note"),
    [
        *[
            (NAMED.assign(variant=NAMED["variant"].map({"control": a, "treatment": b})).rename(
                columns={"variant": name}), {}, f"by {name}")
            for name, a, b in (("is_treatment", False, True), ("new_ranker", "false", "true"),
                               ("treated", "no", "yes"), ("treatment", "FALSE", "TRUE"),
                               ("is_treatment", "N", "Y"), ("arm", "C", "T"),
                               ("variation_value", False, True))
        ],
        *[
            (SEEDS.assign(**{name: SEEDS["seed"].map(day.format)}).drop(columns="seed"), {},
             "control is the mean of 3 runs on every query")
            for name, day in (("event_date", "2026-03-0{}"), ("date", "1{}.03.2026"), ("day", "{}"))
        ],
        (pd.concat([long(country=c) for c in ("US", "DE")]), {}, "control is the mean of 2 runs"),
        (pd.concat([long(language=c) for c in ("en", "de")]).rename(columns={"variant": "model"}),
         {"baseline": "control", "candidate": "treatment"}, "control is the mean of 2 runs"),
        (long(query_id=[*pd.date_range("2026-03-01", periods=N)] * 2), {}, "by variant"),
        (long(g=[f"g{i}" for i in range(N)] * 2), {}, "by variant"),
        (pd.DataFrame([A, B], index=["control", "treatment"], columns=QUERIES), {}, "per query"),
        (pd.DataFrame({"query": QUERIES, "control": A, "total": B}), {}, "a column per variant"),
        (pd.concat([long(country=c, device=d) for c in ("US", "DE") for d in ("web", "app")]), {},
         "control is the mean of 4 runs"),
        (SEEDS.assign(date=SEEDS["seed"].map("2026-03-0{}T00:00:00".format)), {}, "mean of 3 runs"),
        (pd.DataFrame({"q": QUERIES, "control": A, "treatment": B, "lift": B / A, "p_value": A}),
         {}, "not compared: lift, p_value"),
        (SEEDS.rename(columns={"seed": "run", "variant": "config"}), {}, "mean of 3 runs"),
        (SEEDS.rename(columns={"seed": "run", "variant": "embedder"}),
         {"baseline": "control", "candidate": "treatment"}, "mean of 3 runs"),
        (long().assign(query_id=[*range(N), *range(N)]).rename(columns={"query_id": "item"}), {},
         "by variant"),
        (pd.concat([LONG, LONG.assign(name="other")]), OF_ONE, "a row per score"),
        (pd.concat([LONG, LONG.assign(name="other", value=0.5)]).rename(
            columns={"name": "Measure Names", "value": "Measure Values"}), OF_ONE, "per score"),
        (pd.DataFrame({"query": QUERIES, **{f"{side}_{name}": x for name in ("tone", "style")
                       for side, x in (("control", A), ("treatment", B), ("third", B))}}), OF_ONE,
         "a column per variant"),
        # Answers of 0 and 1 beside prompts and judges of one model are scores.
        (pd.concat([long(judge=judge, model="m", answered=RNG.integers(0, 2, 2 * N))
                    for judge in "xyz"]).rename(columns={"variant": "prompt"}),
         {"baseline": "control", "candidate": "treatment", "measures": "ndcg"},
         "(judge) are averaged"),
        (pd.concat([long(judge=judge, seed=seed) for judge in "xy" for seed in range(2)]).rename(
            columns={"variant": "prompt"}),
         {"baseline": "control", "candidate": "treatment", "columns": "repeat=seed"}, "of 4 runs"),
        (pd.concat([long(country=country, is_mobile=RNG.random(2 * N) < 0.5)
                    for country in ("US", "DE")]), {"measures": "ndcg"}, "mean of 2 runs"),
        (pd.concat([long(judge=judge, length=RNG.integers(5, 500, 2 * N))
                    for judge in "xy"]).assign(query_id=[*range(100, 100 + N)] * 4).rename(
            columns={"query_id": "ticket"}),
         {"measures": "ndcg"}, "(judge) are averaged"),
        (SEEDS.drop(columns="seed").rename(columns={"query_id": "Frage", "variant": "Kennung"}),
         {**OF_ONE, "measures": "ndcg", "columns": "repeat=rows"}, "mean of 3 runs"),
        (long(exp_group=["x"] * 12 + ["y"] * N + ["x"] * 12).rename(
            columns={"variant": "test_group", "exp_group": "category"}), {}, "by test_group"),
        (long(answer=[f"a{i}" for i in range(2 * N)]).rename(
            columns={"query_id": "session_id", "variant": "Kennung"}), {}, "by Kennung"),
        (LONG.assign(query_id=[*range(N)] * 2, name="tone").rename(
            columns={"query_id": "ticket", "name": "metric", "value": "Wert"}), OF_ONE, "by var"),
        ({name: {query: {"tone": score} for query, score in zip(QUERIES, side, strict=True)}
          for name, side in (("control", A), ("treatment", B))}, OF_ONE, "by level 1"),
        (pd.DataFrame({"keyword": QUERIES, "false": A, "true": B}), {}, "a column per variant"),
        (long().pivot_table(index="query_id", columns="variant", values="ndcg", margins=True), {},
         "All: 1 row left out"),
        (dict([*long().groupby("variant")]), {}, "by system"),
        (dict([*long().rename(columns={"query_id": "fråga"}).groupby("variant")]), {}, "by system"),
        (long().rename(columns={"query_id": "fråga", "variant": "grupo"}), {"variant": "grupo"},
         "by grupo"),
        (long().rename(columns={"ndcg": " ndcg "}), {"measures": "ndcg"}, "by variant"),
        (pd.DataFrame([A, B], index=["0", "1"], columns=QUERIES), {}, "24 queries"),
        (pd.DataFrame({"query": QUERIES, "control": A, "treatment": B, "rank_control": 1.0,
                       "winner": np.where(B > A, "treatment", "control")}), {}, "per variant"),
        (long(query_id=[2**60 + i for i in range(N)] * 2), {}, "by variant"),
        (long(query_id=[2**60 + i for i in range(N)] * 2).to_dict("records"), {}, "by variant"),
        *[  # ids and texts of searches, whatever they look like
            (long(query_id=[*texts, *QUERIES[len(texts):]] * 2).rename(columns={"query_id": name}),
             {}, "by variant, 24 queries")
            for name, texts in (
                ("query", ("map", "null", "nan", "all", "true")), ("Anfrage", ("map", "mrr")),
                ("query_id", [f"1.{i}" for i in range(N)]), ("id", [UUID(int=i) for i in range(N)]),
            )
        ],
        (long(query_id=[f"{i}.5" for i in range(N)] * 2), {}, "by variant, 24 queries"),
        *[  # variants of 0 and 1 under a name that no list knows
            (long(boosted=[off] * N + [on] * N).drop(columns="variant"),
             {"baseline": str(off).lower(), "candidate": str(on).lower()}, "by boosted")
            for off, on in ((0, 1), (False, True))
        ],
        (SEEDS.assign(boosted=SEEDS["variant"].map({"control": 0, "treatment": 1})).drop(
            columns=["seed", "variant"]),
         {"baseline": "0", "candidate": "1", "columns": "repeat=rows"}, "by boosted"),
        (pd.concat([SHUFFLED["control"], SHUFFLED["treatment"]]).rename(columns={"id": "name"}),
         {}, "by Stand, 24 queries"),
        (pd.concat([pd.DataFrame({"query": QUERIES, "metric": name, "control": A, "treatment": B})
                    for name in ("tone", "style")]), {"measures": "tone"}, "a row per score"),
        ([{"id": query, "results": {"bm25": {"tone": a}, "dense": {"tone": b}}}
          for query, a, b in zip(QUERIES, A, B, strict=True)],
         {"baseline": "bm25", "candidate": "dense", "measures": "tone"}, "per variant"),
        (long().to_dict("index"), {}, "by variant"),
        ({"data": long().to_dict("list")}, {}, "by variant"),
        (pd.DataFrame({"query": QUERIES, "nDCGControl": A, "nDCGTreatment": B}),
         {"baseline": "Control"}, "a column per variant"),
        ({name: {query: str(score) for query, score in zip(QUERIES, side, strict=True)}
          for name, side in (("control", A), ("treatment", B))}, {}, "a nested dict"),
        (long(user_id=[None, *"bcdefg", *"abcdefg" * 6][:N] + [*"abcdefg" * 4][:N]).rename(
            columns={"query_id": "session_id"}), {}, "by variant, 24 queries"),
        (long(query_id=[f"q{i % 12}" for i in range(N)] * 2, lang=[*"d" * 12, *"f" * 12] * 2),
         {"columns": {"query": ["query_id", "lang"]}}, "24 queries"),
        (pd.concat([long(query_id=[*range(N)] * 2, locale=name) for name in ("de", "fr")]).rename(
            columns={"query_id": "case_no"}), {"columns": "repeat=locale"}, "mean of 2 runs"),
        *[
            (long(**{"variant": None, name: ["off"] * N + ["on"] * N}), {}, f"by {name}")
            for name in ("exp.search_rank.variant", "[Experiment] search-rank")
        ],
        (SEEDS.set_index(["query_id", "variant", "seed"])["ndcg"].unstack().add_prefix("run_")
         .reset_index(), {}, "control is the mean of 3 runs"),
        (SEEDS.set_index(["query_id", "variant", "seed"])["ndcg"].unstack([1, 2]).rename(
            columns="run{}".format, level=1).pipe(lambda f: f.set_axis(
                ["_".join(("ndcg", *name)) for name in f.columns], axis=1)).reset_index(), {},
         "control is the mean of 3 runs"),
        (long(correctness=[f"{x}/1" for x in (*A, *B)]).drop(columns="ndcg"), {}, "/1 is read as"),
        (long(judge_rating=[f"[[{x}]] good" for x in (*A, *B)]).drop(columns="ndcg"), {}, "read"),
        (long(ndcg=[*A, *map(str, B)]), {}, "by variant"),
        (pd.concat([long(), long()[:5]]), {}, "up to 2 rows in one mean"),
        # What is no score: the numbers of the rows, times, standard deviations.
        (long(X=range(1, 2 * N + 1)), {}, "1 measure; not compared: X"),
        (long(ts=RNG.integers(1_767_225_600, 1_769_225_600, 2 * N)), {}, "1 measure; not comp"),
        (long(std=A.tolist() * 2), {}, "1 measure; not compared: std"),
        # The days of a switchback were taken as the measure, in place of ctr.
        (long(day=[i % 7 for i in range(2 * N)]), {}, "1 measure; not compared: day"),
        # Numbers named "metric" were taken as names of measures, those behind as variants.
        (long(pre=[*B, *A], adjusted=[*A, *B]).rename(columns={"ndcg": "metric"}), {},
         "a row per query and variant, by variant, 24 queries, 3 measures"),
        (long(app_version=RNG.choice(["1.0", "2.0"], 2 * N)), {}, "not compared: app_version"),
        (pd.DataFrame({"#": range(N), "q": QUERIES, "nDCG (old)": A, "nDCG (new)": B}), {},
         "not compared: #"),
        # Each query has one row of each variant, on days of their own.
        (long(date=[f"2026-03-0{i % 7 + 1}" for i in range(2 * N)]), {}, "by variant, 24 queries"),
        (long(date=[f"2026-03-0{i % 5 + 1}" for i in range(2 * N)]).rename(
            columns={"variant": "model"}), {}, "by model, 24 queries"),
        (pd.concat([long(), long(variant="(not set)")[:N]]), {}, "24 rows without a variant"),
        (pd.concat([long(), long(variant=None)[:2]]), {}, "2 rows without a variant"),
        (pd.DataFrame({"query": QUERIES, "('ndcg', 'control')": A, "('ndcg', 'new')": B}), {},
         "a column per variant"),
        (pd.DataFrame({"query": QUERIES, "control_avg(score)": A, "new_avg(score)": B}),
         {"measures": "avg(score)"}, "a column per variant"),
        (ROWS_OF, {}, "by system, 24 queries"),
        ({"experiments": [{"name": arm, "per_query": ROWS_OF[arm]} for arm in ROWS_OF]}, {},
         "by name"),
        ([(row["query_id"], arm, row["ndcg"]) for arm in ROWS_OF for row in ROWS_OF[arm]], {},
         "by column 2"),
        ({(row["query_id"], arm): row["ndcg"] for arm in ROWS_OF for row in ROWS_OF[arm]}, {},
         "a nested dict"),
        ([Record(arm, **row) for arm in ROWS_OF for row in ROWS_OF[arm]], {}, "by arm"),
        (SEEDS, {}, "control is the mean of 3 runs on every query"),
        (SEEDS.rename(columns={"seed": "kind"}), {"columns": {"repeat": "kind"}}, "mean of 3 runs"),
        (SEEDS.drop(columns="seed"), {"columns": "repeat=rows"}, "mean of 3 runs"),
        (VISITS, {}, "(session_id) are averaged: up to 2 rows"),
        (long(lang=["de", "fr", "it"] * 16),
         {"where": {"lang": ["de", "fr", "it"]}}, "by variant"),
        (long(), {"segments": long(lang=["de", "fr"] * N)[["query_id", "lang"]]}, "by variant"),
        (pd.concat([long(size=1), long(size=2).assign(ndcg=0.5)]), {"where": "size=1"}, "by var"),
        (
            pd.concat([long(size=size) for size in (1, 2)]),
            {"baseline": "variant=control", "candidate": "variant=treatment"},
            "variant=control is the mean of 2 variants on every query",
        ),
        (long().rename(columns={"query_id": "thing", "variant": "kind"}),
         {"columns": {"query": "thing", "variant": "kind"}}, "by kind"),
        (pd.DataFrame({"query_id": QUERIES, "x": A, "y": 1000.0 * B}).assign(y=B),
         {"columns": "variants=x,y", "baseline": "x"}, "a column per variant"),
    ],
)  # fmt: skip
def test_repeats_sessions_and_rows(frame: pd.DataFrame, options: dict, note: str) -> None:
    result = compare_scores(frame, **options)
    assert result.mean_difference == pytest.approx(MEAN, abs=1e-12)
    assert result.pvalue == pytest.approx(stats.ttest_rel(B, A).pvalue, rel=1e-9)
    assert any(note in remark for remark in result.remarks), result.remarks


def test_two_frames_in_different_orders_are_paired_by_their_texts() -> None:
    a, b = (
        frame.rename(columns={"id": "Anfrage"}).drop(columns="Stand").sort_values("ndcg")
        for frame in SHUFFLED.values()
    )
    assert compare_scores(a, b).pvalue == pytest.approx(stats.ttest_rel(B, A).pvalue, rel=1e-9)


def test_a_measure_may_be_an_object_and_a_guard_names_its_own() -> None:
    class OfIrMeasures:
        def __str__(self) -> str:
            return "nDCG"

    result = compare_scores(long(tone=0.5), measures=OfIrMeasures(), guard="tone:-0.1")
    assert (result.measures, result.rule.primary) == (("nDCG", "tone"), "nDCG")
    arrays = {"control": A, "treatment": B}
    assert compare_scores(arrays).mean_difference == pytest.approx(MEAN, abs=1e-12)
    assert abrank.rank_scores(arrays).systems == ("treatment", "control")
    assert compare_scores([], []).verdict == "cannot-test"


BOARD = pd.DataFrame({"task": [f"t{i}" for i in range(5)], "x": A[:5], "y": B[:5], "z": B[5:10]})
BY_MODEL = BOARD.set_index("task").T.rename_axis("Model").reset_index()


@pytest.mark.parametrize("frame", [
    BOARD.melt("task", var_name="model", value_name="main_score"),
    BY_MODEL, BY_MODEL.assign(Rank=[3, 1, 2], Average=BOARD[["x", "y", "z"]].mean().array, Dim=384)
])  # fmt: skip
def test_tasks_of_a_leaderboard_are_its_queries(frame: pd.DataFrame) -> None:
    pair = pair_scores(frame, baseline="x", candidate="z")
    assert pair.query_ids == tuple(BOARD["task"])
    assert pair.values[:, :, 0].tolist() == BOARD[["x", "z"]].to_numpy().tolist()
    assert abrank.rank_scores(frame).systems == abrank.rank_scores(BOARD).systems


def test_means_of_systems_are_told_from_scores() -> None:
    means = pd.DataFrame({"name": ["bm25", "t5"], "AP": [0.2, 0.3], "nDCG@10": [0.4, 0.5]})
    for rank in (abrank.rank_scores, compare_scores):
        with pytest.raises(ReadError, match="one row, of means over its queries"):
            rank(means)


@pytest.mark.parametrize("repeat", ["seed", "rows"])
@pytest.mark.parametrize(
    ("missing", "stand_in", "said"),
    [("drop", None, "the others are averaged"), ("worst", 0.0, "they have the worst score"),
     ("zero", 0.0, "they score 0")],
)  # fmt: skip
def test_a_score_is_missing_in_one_repeat(repeat, missing, stand_in, said) -> None:
    frame = SEEDS.reset_index(drop=True).assign(cost=1.0)
    frame.loc[[0, 1, 2 * N - 1], "ndcg"] = np.nan  # of the first seed
    filled = frame if stand_in is None else frame.fillna({"ndcg": stand_in})
    means = filled.groupby(["query_id", "variant"])["ndcg"].mean().unstack()
    frame = frame if repeat == "seed" else frame.drop(columns="seed")
    result = compare_scores(frame, measures="ndcg", columns={"repeat": repeat}, missing=missing)
    differences = means["treatment"] - means["control"]
    assert result.mean_difference == pytest.approx(differences.mean(), abs=1e-12)
    assert result.n_queries == len(means)
    (note,) = (note for note in result.remarks if "missing" in note)
    assert note.endswith(f"2 of control and 1 of treatment: {said}")
    assert not any("cost" in remark for remark in result.remarks[1:])
    assert repeat == "rows" or "on the 21 queries that no run lacks" in " ".join(result.remarks)


JUDGED = pd.concat([
    long(judge=judge, epoch=epoch).rename(columns={"variant": "prompt", "query_id": "question_id"})
    for judge in ("gpt-4o", "claude") for epoch in range(2)
])  # fmt: skip


@pytest.mark.parametrize("judged", ["", "judge", "epoch", "both"])
def test_two_prompts_are_compared_whatever_judged_them(judged: str) -> None:
    one = JUDGED.head(2 * N)
    frame = {
        "": one.drop(columns=["judge", "epoch"]),
        "judge": JUDGED[JUDGED["epoch"] == 0].drop(columns="epoch"),
        "epoch": JUDGED[JUDGED["judge"] == "claude"].drop(columns="judge"),
        "both": JUDGED.assign(question=JUDGED["question_id"]).drop(columns="question_id"),
    }[judged]
    result = compare_scores(frame, baseline="control", candidate="treatment")
    assert (result.mean_difference, result.n_queries) == (pytest.approx(MEAN, abs=1e-12), N)
    assert [row.measure for row in result.rows] == ["nDCG"]


@pytest.mark.slow
def test_properties_of_the_table_are_segments_clusters_and_weights(tmp_path, capsys) -> None:
    users = [f"u{i % 8}" for i in range(N)] * 2
    device = ["phone" if i % 2 else "desk" for i in range(N)] * 2
    traffic = [1 + i % 3 for i in range(N)] * 2
    frame = long(user_id=users, device=device, traffic=traffic)
    scores = read_scores(frame)
    assert (scores.reading.segments, scores.reading.cluster, scores.reading.weight) == (
        ("user_id", "device"), "user_id", "traffic",
    )  # fmt: skip
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    call = ["compare", "--scores", str(path), "--segments", "device", "--clusters", "user_id"]
    assert run([*call, "-q", "--report", str(tmp_path / "r.json")]) == 0
    result = abrank.Comparison.from_json(tmp_path / "r.json")
    assert [cut.name for cut in result.segmentations] == ["device"]
    data_frame = pd.DataFrame({"query_id": QUERIES, "device": device[:N]})
    same = compare_scores(frame, segments=data_frame, design=abrank.Clusters(
        pd.DataFrame({"query_id": QUERIES, "user_id": users[:N]})))  # fmt: skip
    assert (same.pvalue, same.segmentations) == (result.pvalue, result.segmentations)
    weighted = compare_scores(frame, design=abrank.Weights("traffic"))
    assert weighted.mean_difference == pytest.approx(np.average(B - A, weights=traffic[:N]))
    capsys.readouterr()
    assert run([*call[:3], "--segments", "devices"]) == 2
    assert "a property of the queries in the table: user_id, device, traffic" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("role", ["cluster", "weight", "segments"])
def test_what_differs_within_a_query_is_no_property_of_it(role: str) -> None:
    frame = long(part=[*range(N), *range(N)])
    roles = TableOptions.of({role: "part"})
    assert pair_scores(frame, options=roles).query_ids
    frame.loc[N + 3, "part"] = 99
    with pytest.raises(ReadError, match="part differs within query q03, and is no property of it"):
        pair_scores(frame, options=roles)


def test_a_rule_file_says_which_columns_decide(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    long().rename(columns={"query_id": "thing", "variant": "kind"}).to_csv("t.csv", index=False)
    Path("rule.toml").write_text(
        'scores = "t.csv"\nvariant = "kind"\ncolumns = { query = "thing" }\nbaseline = "control"\n'
    )
    assert compare_scores(config="rule.toml").mean_difference == pytest.approx(MEAN)
    assert run(["compare", "--config", "rule.toml", "-q", "--report", "r.json"]) == 0
    assert abrank.Comparison.from_json("r.json").mean_difference == pytest.approx(MEAN)


def test_costs_do_not_decide_in_the_place_of_ratings_with_holes() -> None:
    frame = long(tokens_in=np.arange(2.0 * N)).rename(columns={"ndcg": "tone"})
    frame.loc[5, "tone"] = np.nan
    with pytest.raises(ReadError, match="query q05 has no score of tone of control"):
        compare_scores(frame)
    assert "style" in compare_scores(frame.assign(style=frame["tokens_in"] / 3)).measures


def test_null_is_a_search_and_no_id(tmp_path) -> None:
    frame = long(query_id=[*range(N - 1), "NULL"] * 2)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ReadError, match="the query_id is empty"):
        compare_scores(tmp_path / "a.csv")
    frame.rename(columns={"query_id": "keyword"}).to_csv(tmp_path / "b.csv", index=False)
    assert "NULL" in compare_scores(tmp_path / "b.csv").query_ids


def test_slices_of_a_column_are_told_to_name_their_queries() -> None:
    sides = [side["ndcg"] for _, side in long().groupby("variant")]
    with pytest.raises(abrank.AbrankError, match=r"set_index.'query_id'., or columns="):
        compare_scores(*sides)


def test_structs_of_a_table_are_columns() -> None:
    frame = long(scores=[{"tone": tone} for tone in [*A, *B]]).drop(columns="ndcg")
    assert compare_scores(frame, measures="tone").mean_difference == pytest.approx(MEAN)


def test_scores_that_are_texts_are_named() -> None:
    with pytest.raises(UnclearError, match="for score holds texts such as 'very good'"):
        compare_scores(long(score="very good").drop(columns="ndcg"))


def test_what_no_variant_has_is_left_out_and_holes_of_one_are_asked_about() -> None:
    frame = long(first_rank=1.0, ndcg=np.concatenate([A, B]))
    frame.loc[frame["query_id"] == "q03", ["ndcg"]] = np.nan
    frame.loc[5, "first_rank"] = np.nan
    scores = read_scores(frame)
    assert (len(scores.query_ids), scores.measures) == (N - 1, ("nDCG",))
    assert "1 query without a score of any variant is left out: q03" in scores.notes[1]
    frame.loc[7, "ndcg"] = np.nan
    with pytest.raises(ReadError, match="query q07 has no score of nDCG"):
        compare_scores(frame, measures="ndcg")
    assert len(compare_scores(frame, measures="ndcg", missing="drop").query_ids) == N - 2


# --- Names of Series, dicts and files


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "systems", "measure"), [
    ("cost_usd", "cost_usd", ("A", "B"), "cost_usd"),
    ("p95 latency", "p95 latency", ("A", "B"), "p95 latency"),
    ("wer", "wer", ("A", "B"), "wer"),
    ("tokens_control", "tokens_treatment", ("control", "treatment"), "tokens"),
    ("latency_a", "latency_b", ("a", "b"), "latency"),
    ("old latency", "new latency", ("old", "new"), "latency"),
    ("ndcg@10/old", "ndcg@10/new", ("old", "new"), "nDCG@10"),
    ("bm25", "dense", ("bm25", "dense"), "score"),
    ("ndcg@10", "ndcg@10", ("A", "B"), "nDCG@10"),
])  # fmt: skip
def test_names_are_read_for_what_they_are(a, b, systems, measure, tmp_path) -> None:
    first, two = (pd.Series(v, QUERIES, name=name) for v, name in ((A, a), (B, b)))
    sources = {"Series": (first, two), "frames": (first.to_frame(), two.to_frame())}
    if a != b and "/" not in a:
        paths = tuple(tmp_path / f"{name}.csv" for name in (a, b))
        for path, column in zip(paths, (first, two), strict=True):
            column.rename("score").rename_axis("query_id").to_csv(path)
        sources["files"] = paths
    comparisons = {kind: compare_scores(*pair) for kind, pair in sources.items()}
    if a != b:
        kinds = {a: first.to_dict(), b: two.to_dict()}
        named = {} if a != "bm25" else {"baseline": "bm25"}
        comparisons["dict"] = compare_scores(kinds, **named)
        comparisons["dict of Series"] = compare_scores({a: first, b: two}, **named)
        comparisons["frame"] = compare_scores(pd.DataFrame(kinds), **named)
    for kind, result in comparisons.items():
        assert ((result.baseline, result.candidate), result.measures) == (systems, (measure,)), kind
        is_cost = measure not in ("score", "nDCG@10")
        assert (str(result.verdict) == "cannot-test") == is_cost, kind  # the direction is asked


@pytest.mark.parametrize("unit", [100.0, 1000.0, 60.0, 0.01])
def test_one_score_in_two_units_is_asked_about(unit: float) -> None:
    a, b = pd.Series(A, QUERIES), pd.Series(A * unit, QUERIES)
    for call in (lambda: compare_scores(a, b), lambda: abrank.rank_scores({"a": a, "b": b})):
        with pytest.raises(AlignmentError, match="the same score in another unit"):
            call()
    # B fixed a few queries, and the others are as they were.
    some = pd.Series(np.where(np.arange(N) % 4, A, B) * unit, QUERIES)
    with pytest.raises(AlignmentError, match=r"on (18|19) of 24 queries: is it the same score"):
        compare_scores(a, some)
    if unit != 100.0:  # of which the ranges tell
        assert compare_scores(a, pd.Series(B * unit, QUERIES)).mean_difference != 0.0


# --- Tables as tools export them, each answered without a word


def of_each(build):
    """Return the rows of both variants."""
    return [build(name, i, float(v))
            for name, values in (("old", A), ("new", B)) for i, v in enumerate(values)]  # fmt: skip


def events(values: np.ndarray) -> str:
    rows = [{"spec": {"eval_name": "x"}}]
    for i, value in enumerate(values):
        rows.append({"sample_id": f"t.{i}", "type": "sampling", "data": {"prompt": "p"}})
        rows.append({"sample_id": f"t.{i}", "type": "metrics", "data": {"f": float(value)}})
    return "\n".join(map(json.dumps, [*rows, {"final_report": {"f": 0.5}}]))


def frames() -> dict[str, tuple[str, ...]]:
    """Return the texts of exports, one or two files each, by their names."""
    frame = long(text="What, is it?").replace({"control": "old", "treatment": "new"})
    wide = pd.DataFrame({"query_id": QUERIES, "old": A, "new": B})
    bigquery = frame.rename(columns={"query_id": "request_id", "variant": "experiment_arm"})
    mlflow = [{"columns": ["inputs", "outputs", "similarity/v1/score", "token_count"],
               "data": [[f"What {i}?", "o", float(v), 5] for i, v in enumerate(values)]}
              for values in (A, B)]  # fmt: skip
    deepeval = [{"testCases": [{"name": f"t{i}", "input": f"What {i}?", "success": True,
                 "metricsData": [{"name": "Faith", "score": float(v), "threshold": 0.5}]}
                for i, v in enumerate(values)]} for values in (A, B)]  # fmt: skip
    rank_eval = [{"metric_score": 0.5, "details": {q: {"metric_score": float(v), "metric_details":
                 {"dcg": {"dcg": float(v)}}} for q, v in zip(QUERIES, values, strict=True)}}
                 for values in (A, B)]  # fmt: skip
    ragas = [[{"user_input": f"What {i}?", "response": "r", "retrieved_contexts": ["c"],
               "faithfulness": float(v)} for i, v in enumerate(values)]
             for values in (A, B)]  # fmt: skip
    promptfoo = {"evalId": "e", "results": {"version": 3, "results": of_each(lambda n, i, v: {
        "promptIdx": 0, "testIdx": i, "vars": {"q": i}, "provider": {"id": n, "label": ""},
        "success": True, "score": v, "namedScores": {}, "latencyMs": 100 + i})}}  # fmt: skip
    # Where no dataset names the question, or each trace has its own id, the question's text does.
    questions = [{"question": f"What {i}?"} for i in range(N)]
    braintrust = of_each(lambda n, i, v: {
        "id": f"{n}{i}", "experiment_id": n, "dataset_record_id": None,
        "input": questions[i], "scores": {"Factuality": v}, "is_root": True})  # fmt: skip
    weave = of_each(lambda n, i, v: {
        "id": f"{n}{i}", "inputs": {"example": questions[i], "model": n},
        "output": {"model_output": {"text": "t"}, "scores": {"match": {"score": v}}}})  # fmt: skip
    opik = of_each(lambda n, i, v: {
        "id": f"{n}{i}", "experiment_id": n, "dataset_item_id": f"d{i}", "trace_id": f"t{n}{i}",
        "input": {"length": i}, "feedback_scores": [{"name": "relevance", "value": v}],
    })  # fmt: skip
    helm = [[{"instance_id": f"id{i}", "train_trial_index": 0, "stats": [
              {"name": {"name": "f", "split": "test"}, "count": 1, "sum": float(v),
               "mean": float(v)}]} for i, v in enumerate(values)] for values in (A, B)]  # fmt: skip
    evaluations, single, traces = [], [], []
    for n, values in (("old", A), ("new", B)):
        # Of one system, in which "name" is that of the evaluator.
        one = pd.DataFrame({"example_id": QUERIES, "name": "correctness", "score": values})
        evaluations.append(pd.concat([one, one.assign(name="fluency", score=values / 2)]))
        single.append(one.set_axis(["datasetItemId", "name", "value"], axis=1))
        about = {"trace_id": [f"tr-{n}{i}" for i in range(N)], "state": "OK"}
        traces.append(pd.DataFrame({**about, "request": [*map(json.dumps, questions)],
                                    "correctness/value": values}))  # fmt: skip
    lines = "\n".join(map(json.dumps, promptfoo["results"]["results"]))
    rows = {
        "braintrust_events.json": {"events": braintrust, "cursor": None},
        "braintrust_questions.json": braintrust,
        "weave.json": weave,
        "opik.json": opik,
        "langsmith.json": of_each(lambda n, i, v: {
            "id": f"{n}{i}", "example_id": f"e{i}", "session": n, "inputs": {"q": "x"},
            "feedback": {"correctness": v}, "total_tokens": 100}),
        "braintrust.json": of_each(lambda n, i, v: {
            "id": f"{n}{i}", "span_id": f"s{n}{i}", "experiment_id": n,
            "dataset_record_id": f"r{i}",
            "input": {"q": "x"}, "scores": {"Factuality": v}, "created": "2026"}),
        "langfuse.json": of_each(lambda n, i, v: {
            "id": f"{n}{i}", "traceId": f"t{n}{i}", "datasetItemId": f"it{i}", "datasetRunName": n,
            "name": "accuracy", "value": v, "comment": "c"}),
        "phoenix.json": of_each(lambda n, i, v: {
            "example_id": f"e{i}", "experiment": n, "output": "y",
            "annotations": [{"name": "relevance", "score": v, "label": "ok"}]}),
        "trulens.json": of_each(lambda n, i, v: {
            "app_version": n, "record_id": f"{n}{i}", "input": f"What {i}?", "Relevance": v}),
        "promptfoo.json": promptfoo,
    }  # fmt: skip
    pairs = {"mlflow.json": mlflow, "deepeval.json": deepeval, "rank_eval.json": rank_eval,
             "ragas.json": ragas, "helm.json": helm}  # fmt: skip
    return {
        "pandas.csv": (frame.to_csv(),),
        "pandas_wide.csv": (wide.to_csv(),),
        "excel.csv": ("\ufeff" + frame.to_csv(index=False, sep=";", decimal=","),),
        "sheet.tsv": (wide.to_csv(index=False, sep="\t"),),
        "bigquery.json": (bigquery.to_json(orient="records", lines=True),),
        "bigquery.csv": (bigquery.to_csv(index=False),),
        "duckdb.csv": (wide.rename(columns={"old": "ndcg_old", "new": "ndcg_new"}).to_csv(),),
        "wandb.csv": (wide.rename(columns={"old": "old - ndcg", "new": "new - ndcg"}).to_csv(),),
        "melted.csv": (wide.melt("query_id").to_csv(index=False),),
        "openai.jsonl": (events(A), events(B)),
        "mlflow_traces.csv": tuple(frame.to_csv(index=False) for frame in traces),
        "phoenix_evaluations.csv": tuple(frame.to_csv(index=False) for frame in evaluations),
        "langfuse_scores.csv": tuple(frame.to_csv(index=False) for frame in single),
        "promptfoo.jsonl": (lines,),
        **{name: (json.dumps(held),) for name, held in rows.items()},
        **{name: tuple(map(json.dumps, held)) for name, held in pairs.items()},
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", frames())
def test_an_export_is_answered_by_one_command(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    texts = frames()[name]
    files = [name] if len(texts) == 1 else [f"{part}_{name}" for part in ("old", "new")]
    for file, text in zip(files, texts, strict=True):
        Path(file).write_text(text, encoding="utf-8")
    assert run(["compare", "--scores", *files, "-q", "--report", "result.json"]) == 0
    result = abrank.Comparison.from_json("result.json")
    assert result.mean_difference == pytest.approx(MEAN, abs=1e-9)
    assert len(result.query_ids) == N


def test_one_name_of_both_systems_is_that_of_the_measure() -> None:
    frame = pd.DataFrame({"item": QUERIES, "name": "faithfulness"})
    result = compare_scores(frame.assign(value=A), frame.assign(value=B))
    assert (result.baseline, result.candidate, result.rule.primary) == ("A", "B", "faithfulness")


def test_names_that_two_files_do_not_share_are_those_of_systems(tmp_path: Path) -> None:
    paths = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for path, names in zip(paths, (("bm25", "tuned"), ("dense", "hybrid")), strict=True):
        pd.concat(
            pd.DataFrame({"query_id": QUERIES, "name": name, "score": scores})
            for name, scores in zip(names, (A, B), strict=True)
        ).to_csv(path, index=False)
    with pytest.raises(ReadError, match="say which system stands on each side") as caught:
        compare_scores(*paths)
    assert "baseline='bm25', candidate='dense'" in str(caught.value)
    result = compare_scores(*paths, baseline="bm25", candidate="hybrid")
    assert result.mean_difference == pytest.approx(MEAN, abs=1e-9)


def test_lists_that_may_hold_scores_are_not_left_out_in_silence() -> None:
    rows = [{"query_id": q, "trial_index": 0, "stats": [{"f": 0.5}]} for q in QUERIES]
    with pytest.raises(ReadError, match="stats holds lists"):
        compare_scores(rows, rows[::-1])


class Experiment:
    """What LangSmith and Ragas return: no frame, but rows as one."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def to_pandas(self) -> pd.DataFrame:
        return pd.DataFrame({"user_input": QUERIES, "faithfulness": self.values})


class Evaluation:
    """What DeepEval returns: a model of pydantic."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def model_dump(self):
        return {"test_results": [
            {"name": query, "metrics_data": [{"name": "Faith", "score": float(value)}]}
            for query, value in zip(QUERIES, self.values, strict=True)
        ]}  # fmt: skip


TONE = {"assessment_name": "tone", "source": {"type": "LLM"}}
LISTED = {  # a row of each export's lists of named scores, and what holds the rows
    "mlflow": (lambda query, value: {
        "request": {"q": query}, "assessments": [{**TONE, "feedback": {"value": value}}]}, list),
    "langfuse": (lambda query, value: {
        "item": {"input": query}, "evaluations": [{"name": "tone", "value": value}]},
        lambda rows: {"name": "x", "item_results": rows, "run_evaluations": []}),
    "deepeval": (lambda query, value: {
        "input": query, "metricsData": [{"name": "tone", "score": value}]},
        lambda rows: {"testRunData": {"testCases": rows}, "testRunLink": None}),
}  # fmt: skip


def test_scores_in_lists_and_in_cells_of_json_are_found(tmp_path: Path) -> None:
    for row, wrap in LISTED.values():
        result = compare_scores(*(wrap([*map(row, QUERIES, side.tolist())]) for side in (A, B)))
        assert (result.measures, result.n_queries) == (("tone",), N)
        assert result.mean_difference == pytest.approx(MEAN, abs=1e-12)
    cells = [json.dumps({"clicks": score, "n": 3}) for score in (*A, *B)]
    long(METRICS=cells).drop(columns="ndcg").to_csv(tmp_path / "snowflake.csv", index=False)
    result = compare_scores(tmp_path / "snowflake.csv", measures="clicks")
    assert result.mean_difference == pytest.approx(MEAN, abs=1e-12)


def test_what_evaluation_tools_return_is_read_as_it_is() -> None:
    for kind in (Experiment, Evaluation):
        result = compare_scores(kind(A), kind(B))
        assert result.mean_difference == pytest.approx(MEAN, abs=1e-12)
        assert len(result.query_ids) == N
    # The scores of Ragas alone: row by row.
    scores = [[{"faithfulness": float(value)} for value in values] for values in (A, B)]
    assert compare_scores(*scores).mean_difference == pytest.approx(MEAN, abs=1e-12)


def test_right_and_wrong_of_openai_evals_are_scores(tmp_path: Path) -> None:
    for name, values in (("old", A > 0.45), ("new", B > 0.45)):
        rows = [{"spec": {"eval_name": "x"}}]
        for i, value in enumerate(values.tolist()):
            data = {"correct": value, "expected": "a", "picked": "b", "options": ["a"]}
            rows.append({"sample_id": f"t.{i}", "type": "match", "data": data})
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = compare_scores(tmp_path / "old.jsonl", tmp_path / "new.jsonl")
    assert result.mean_difference == pytest.approx((B > 0.45).mean() - (A > 0.45).mean())


def test_a_score_above_the_most_that_its_measure_can_be_is_named() -> None:
    # Tools gave nDCG of 1.31 and 1.63, which compared as any other score.
    wrong = B + np.where(np.arange(N) == 5, 1.0, 0.0)
    frames = [pd.DataFrame({"query_id": QUERIES, "ndcg@10": values}) for values in (A, wrong)]
    note = f"nDCG@10 is 1 at most, but query q05 has {wrong[5]:.4g}: whatever computed it"
    assert any(note in remark for remark in compare_scores(*frames).remarks)
    ranking = abrank.rank_scores({"A": frames[0], "B": frames[1]})
    assert any(note in remark for remark in ranking.notes)
    for sources in (
        (frames[0], frames[1].assign(**{"ndcg@10": 0.0})),
        (long(ndcg=[*A, *(0 * B)]),),
    ):
        notes = pair_scores(*sources).notes
        assert any("is 0 on all 24 queries: did it run?" in note for note in notes)
    for factor, name in ((100.0, "ndcg@10"), (1.0, "ndcg@10"), (1.2, "stars")):
        scaled = [pd.DataFrame({"query_id": QUERIES, name: factor * values}) for values in (A, B)]
        assert not any("at most" in remark for remark in compare_scores(*scaled).remarks), factor


def test_every_metric_of_rank_eval_is_its_measure() -> None:
    names = {
        "dcg": "DCG", "mean_reciprocal_rank": "RR", "precision": "SetP", "recall": "SetR",
        "expected_reciprocal_rank": "ERR",
    }  # fmt: skip
    for metric, measure in names.items():
        answer = {
            "metric_score": 0.5,
            "details": {
                query: {"metric_score": score, "metric_details": {metric: {}}}
                for query, score in zip(QUERIES, A.tolist(), strict=True)
            },
        }
        assert pair_scores(answer, answer).measures == (measure,)
        other = json.loads(json.dumps(answer).replace(f'"{metric}"', '"chain"'))
        # One request has one metric; Elasticsearch's client wraps an answer.
        for several in ({"m": answer, "n": other}, [SimpleNamespace(body=answer), other]):
            assert read_scores(several).measures == (measure, "chain")


def test_a_frame_as_json_keeps_its_index_in_every_orientation(tmp_path: Path) -> None:
    frames = [pd.DataFrame({"ndcg@10": values}, index=QUERIES) for values in (A, B)]
    expected = compare_scores(*frames).interval
    for orient in ("split", "index", "columns", "table"):
        for name, frame in zip(
            "ab", (frames[0], frames[1].sample(frac=1, random_state=2)), strict=True
        ):
            frame.to_json(tmp_path / f"{name}.json", orient=orient)
        result = compare_scores(tmp_path / "a.json", tmp_path / "b.json")
        assert (result.interval.low, result.interval.high) == pytest.approx(
            (expected.low, expected.high)
        )
    split = {"columns": ["query_id", "AP", "AP"], "data": [["q", 0.1, 0.2]]}
    with pytest.raises(ReadError, match='the column "AP" stands there twice'):
        read_scores(split)
    with pytest.raises(ReadError, match="row 0: has 2 cells for 3 columns"):
        read_scores({**split, "columns": ["query_id", "AP", "RR"], "data": [["q", 0.1]]})


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        (lambda f: f.set_index(["query_id", "variant"])["ndcg"], {}),
        (lambda f: f.set_index(["variant", "query_id"])["ndcg"], {}),
        (lambda f: json.loads(f.reset_index(drop=True).to_json()), {}),
        (
            lambda f: f.assign(is_treatment=f["variant"] == "treatment").drop(columns="variant"),
            {"baseline": "false", "candidate": "true"},
        ),
    ],
    ids=["Series of two levels", "the other way round", "JSON of columns", "truth"],
)
def test_shapes_that_pandas_leaves(shape, options) -> None:
    result = compare_scores(shape(long()), **options)
    assert result.pvalue == pytest.approx(stats.ttest_rel(B, A).pvalue, rel=1e-12)
    assert result.n_queries == N


def test_of_two_columns_that_name_the_variants_the_other_one_is_offered() -> None:
    frame = pd.DataFrame({"user_id": range(2 * N), "exp_group": ["A"] * N + ["B"] * N})
    frame["clicks"] = np.concatenate([A, B])
    twice = frame.rename(columns={"exp_group": "kind"}).assign(sort=frame["exp_group"])
    with pytest.raises(UnclearError, match=r"holds one system(.|\n)*candidate='B', variant='kind'"):
        compare_scores(twice, baseline="A", candidate="B")


def test_days_of_users_who_saw_one_arm_each_are_repeats_and_the_control_is_offered() -> None:
    frame = pd.DataFrame({"user_id": range(3 * N), "variant": [*"abc"] * N, "clicks": range(3 * N)})
    frame["variant"] = frame["variant"].map({"a": "treatment_a", "b": "control", "c": "other"})
    days = pd.concat([frame.assign(day=f"2026-01-0{day}") for day in (1, 2)])
    result = compare_scores(days[days["variant"] != "other"], design=abrank.Independent())
    assert (result.baseline, result.n_queries) == ("control", 2 * N)
    with pytest.raises(UnclearError, match="baseline='control', candidate='treatment_a'"):
        compare_scores(days, design=abrank.Independent())


@pytest.mark.parametrize(("a", "b", "systems", "measure"), [
    ("bert-base", "bert-large", ("bert-base", "bert-large"), "score"),
    ("colbert-v1", "colbert-v2", ("colbert-v1", "colbert-v2"), "score"),
    ("Group A", "Group B", ("Group A", "Group B"), "score"),
    ("NDCG (old)", "NDCG (new)", ("old", "new"), "nDCG"),
    ("clicks_control", "clicks_treatment", ("control", "treatment"), "clicks"),
])  # fmt: skip
def test_a_common_part_of_names_is_a_measure_where_it_is_called_so(a, b, systems, measure) -> None:
    frame = pd.DataFrame({"query": QUERIES, a: A, b: B})
    result = compare_scores(frame, baseline=systems[0], candidate=systems[1])
    assert (result.baseline, result.candidate) == systems
    assert result.measures == (measure,)


def test_one_answer_to_all_questions_is_no_measure(tmp_path: Path) -> None:
    for name, of in (("base", A), ("new", B)):
        pd.DataFrame({
            "inputs.question": [f"What is {query}?" for query in QUERIES],
            "outputs.answer": "a", "error": "", "reference.answer": "g",
            "feedback.correctness": [int(score > 0.5) for score in of],
            "feedback.helpfulness": [round(5 * score) for score in of],
            "example_id": QUERIES, "id": [f"{name}-{query}" for query in QUERIES],
        }).to_csv(tmp_path / f"{name}.csv", index=False)  # fmt: skip
    result = compare_scores(tmp_path / "base.csv", tmp_path / "new.csv")
    assert {*result.measures} == {"feedback.correctness", "feedback.helpfulness"}


def test_a_name_within_a_flag_is_not_cut(capsys, tmp_path: Path) -> None:
    names = [f"answer correctness judged by a model with a long name, number {i}" for i in (0, 1)]
    frame = pd.DataFrame({"query": QUERIES, "variant": "control", names[0]: A, names[1]: A})
    other = frame.assign(variant="treatment", **{names[0]: B, names[1]: B})
    pd.concat([frame, other]).to_csv(tmp_path / "a.csv", index=False)
    run(["compare", str(tmp_path / "a.csv")])
    assert f"-m '{names[0]}'" in " ".join(capsys.readouterr().out.split())


def test_two_experiments_whose_rows_have_ids_of_their_own_are_paired_by_their_input(tmp_path):
    values = {"a": np.array([0.1, 0.5, 0.4, 0.9]), "b": np.array([0.3, 0.5, 0.8, 0.8])}
    braintrust = {
        system: [
            {"id": f"{system}{i}", "input": {"question": f"what is {i}?"}, "output": "x",
             "scores": {"Factuality": score}, "span_attributes": {"name": "eval"}}
            for i, score in enumerate(scores)
        ]
        for system, scores in values.items()
    }  # fmt: skip
    for system, rows in braintrust.items():
        (tmp_path / f"{system}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        frame = pd.DataFrame(rows).drop(columns="span_attributes")
        frame["input"] = [row["input"]["question"] for row in rows]
        frame["scores"] = [json.dumps(row["scores"]) for row in rows]
        frame.to_csv(tmp_path / f"{system}.csv", index=False)
    for ending, name in (("jsonl", "input.question"), ("csv", "input")):
        result = pair_scores(*(tmp_path / f"{system}.{ending}" for system in "ab"))
        assert sorted(np.diff(result.values[:, :, 0]).ravel()) == pytest.approx(
            [-0.1, 0.0, 0.2, 0.4]
        )
        assert f"the two share no id: they are paired by {name}" in result.notes
    other = [{**row, "input": {"question": "else"}} for row in braintrust["b"]]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, other)))
    with pytest.raises(AlignmentError, match=r"eval \(A\) and eval \(B\) share no query"):
        abrank.compare_scores(tmp_path / "a.jsonl", tmp_path / "b.jsonl")


def test_folds_of_scores_are_joined_and_their_number_is_no_measure(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": QUERIES, "fold": np.arange(N) % 2, "ndcg": A})
    paths = [tmp_path / f"a_fold{fold}.csv" for fold in (0, 1)]
    for fold, path in enumerate(paths):
        frame[frame.fold == fold].to_csv(path, index=False)
    for source in (paths, ",".join(map(str, paths)), frame):
        scores = read_scores(source)
        assert (scores.measures, scores.query_ids) == (("nDCG",), tuple(QUERIES)), source
        assert scores.values.ravel().tolist() == A.tolist()
    with pytest.raises(abrank.ArgumentError, match="a measure stands in two of the sources"):
        read_scores([paths[0], frame[:4].to_csv(tmp_path / "b.csv") or tmp_path / "b.csv"])


def test_an_id_of_each_row_is_no_variant_and_no_answer_is_no_score() -> None:
    rows = [
        {"run_id": f"{session}{i}", "example_id": f"e{i}", "session": session, "score": i * step}
        for session, step in (("base", 0.1), ("new", 0.2))
        for i in range(4)
    ]
    assert abrank.compare_scores(pd.DataFrame(rows)).mean_difference == pytest.approx(0.15)
    failed = [
        {"promptIdx": 0, "testIdx": i, "provider": {"id": "p"}, "vars": {}, "score": float(i < 3),
         "failureReason": 0 if i < 3 else 2}
        for i in range(4)
    ]  # fmt: skip
    with pytest.raises(ReadError, match="query 3 has no score"):
        abrank.read_scores(failed)


def two_arms(query, arm, labels, **further) -> pd.DataFrame:
    """A row per query and variant, of which the treatment has 0.1 more."""
    frames = [
        pd.DataFrame({query: QUERIES, arm: label, "score": A + 0.1 * place})
        for place, label in enumerate(labels.split())
    ]
    return pd.concat(frames, ignore_index=True).assign(**further)


NUMBERS, ANSWERS = range(2 * N), [f"t{i}" for i in range(2 * N)]
TOPICS = {"topic": [*range(N)] * 2, "row_id": [f"r{i}" for i in NUMBERS]}
PARTS = {"A judge_score": A, "B judge_score": A + 0.1}
SHARED = {
    "number of the row": two_arms("case_name", "config", "v1 v2", index=NUMBERS),
    "id of the answer": two_arms(
        "item", "test_group", "control new", trace_id=[*map(hex, NUMBERS)]
    ),
    "repeats": pd.concat([two_arms("caseName", "abGroup", "old new", epoch=i) for i in range(2)]),
    "user x,y": two_arms("test", "model", "x y", user_id=[f"u{i % 9}" for i in NUMBERS]),
    "topics 0,1": two_arms("topic", "index_name", "0 1", **TOPICS),
    "arms 0,1": two_arms("item", "candidate", "0 1", index=NUMBERS),
    "wide 0,1": pd.DataFrame({"line": QUERIES, "user_id": "u1", "0": np.sign(A), "1": 1.1}),
    "named parts A,B": pd.DataFrame({"item": range(N), "query_text": QUERIES, **PARTS}),
}


@pytest.mark.parametrize("kind", SHARED)
def test_the_query_is_what_the_variants_share(kind, tmp_path) -> None:
    named = kind.split()[-1].split(",") if "," in kind else []
    options = dict(zip(("baseline", "candidate"), named, strict=False))
    SHARED[kind].to_csv(tmp_path / "t.csv", index=False)
    for source in (SHARED[kind], tmp_path / "t.csv"):
        result = abrank.compare_scores(source, **options)
        assert (result.n_queries, result.mean_difference) == (N, pytest.approx(0.1))
