"""Repeated runs of one system are averaged per query; how far scores could move."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, rank_scores
from abrank.cli import run
from abrank.inference import compare_repeats
from abrank.scoring.evaluate import expand_repeats


@pytest.fixture(scope="module")
def made():
    return [abrank.simulate_runs(30, effect=0.3, rng=0), abrank.simulate_runs(30, rng=0)]


def test_queries_are_not_counted_more_often(made) -> None:
    qrels, a, b = made[0].qrels, made[0].baseline, made[0].candidate
    once = abrank.compare(qrels, a, b, measures="AP")
    comparison = abrank.compare(qrels, a, [b, b, b], measures="AP")
    assert comparison.n_queries == 30
    assert comparison.pvalue == pytest.approx(once.pvalue)
    assert any("tests count 30 queries, not 90" in remark for remark in comparison.remarks)


def test_the_note_has_the_error_of_runs_beside_that_of_queries(made) -> None:
    qrels, runs = made[0].qrels, [made[0].candidate, made[0].baseline]
    scores = abrank.evaluate(qrels, {"t5": runs}, ["AP"])
    values = abrank.evaluate(qrels, dict(zip("xy", runs, strict=True)), ["AP"]).values[:, :, 0]
    of_runs = values.mean(axis=0).std(ddof=1) / np.sqrt(2)
    of_queries = values.mean(axis=1).std(ddof=1) / np.sqrt(30)
    assert (
        f"(standard error {of_runs:.3f} from runs, {of_queries:.3f} from queries)"
        in (scores.notes[-1])
    )


def test_two_repeated_systems_are_compared_over_queries_and_runs() -> None:
    """The note has the numbers of compare_repeats; one run a side has none."""
    random = np.random.default_rng(2)
    # Ranks of the relevant document, less 1.
    places = random.integers(0, 3, (2, 8, 1)) + random.integers(0, 2, (2, 8, 2))
    qrels = {f"q{i}": {"d": 1} for i in range(8)}
    a, b = (
        [
            {f"q{i}": {"x": 3.0, "y": 2.0, "z": 1.0, "d": 3.5 - rows[i, run]} for i in range(8)}
            for run in range(2)
        ]
        for rows in places
    )
    remarks = abrank.compare(qrels, a, b, measures="RR").remarks
    result = compare_repeats(*(1.0 / (1.0 + places)))
    (remark,) = (remark for remark in remarks if "for other runs of both systems" in remark)
    for number in (result.estimate, result.ci_low, result.ci_high):
        assert f"{number:+.3f}" in remark.replace("−", "-")
    assert f"p {result.pvalue:.3f}, {result.share_of_runs:.0%} of the variance from runs" in remark
    assert result.runs_needed > 2
    assert f"10% with {result.runs_needed} runs of each" in remark
    for one_run in ((a, b[0]), (a[0], b)):
        remarks = abrank.compare(qrels, *one_run, measures="RR").remarks
        assert not any("for other runs of both systems" in remark for remark in remarks)


def test_a_query_that_one_run_lacks_is_told(made) -> None:
    scores = abrank.evaluate(
        {"q1": {"d": 1}, "q2": {"d": 1}},
        {"t5": [{"q1": {"d": 1.0}}, {"q1": {"d": 1.0}, "q2": {"d": 1.0}}]},
        ["RR"],
    )
    assert scores.values[:, 0, 0].tolist() == [1.0, 0.5]
    assert scores.notes[-1] == "t5 (run 1) lacks 1 judged query"


def test_names_that_clash_and_files_given_twice_are_refused() -> None:
    with pytest.raises(ArgumentError, match="a run of t5 is given twice"):
        expand_repeats({"t5": ["a.run", "a.run"]})
    with pytest.raises(ArgumentError, match="two runs are named"):
        expand_repeats({"t5": ["a.run", "b.run"], "t5 (run 1)": "c.run"})


@pytest.fixture
def files(made, tmp_path, monkeypatch) -> Path:
    made[0].qrels.write(tmp_path / "qrels")
    made[0].baseline.write(tmp_path / "bm25.run")
    made[0].candidate.write(tmp_path / "s1.run")
    made[1].candidate.write(tmp_path / "s2.run")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_command_takes_runs_by_name(files, command) -> None:
    arguments = ["compare", "qrels", "bm25.run", "t5=s1.run,s2.run", "-m", "AP"]
    out, err = command([*arguments, "--report", "out.json", "--report", "out.html"])
    assert "t5" in out.splitlines()[0]
    assert "note: t5 is the mean of 2 runs on every query" in err
    saved = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert set(saved["provenance"]["inputs"]) == {"a", "b (run 1)", "b (run 2)", "qrels"}
    assert "How the inputs were read." in Path("out.html").read_text(encoding="utf-8")
    assert run(["render", "out.json", "--report", "again.html"]) == 0
    assert Path("again.html").read_bytes() == Path("out.html").read_bytes()


@pytest.mark.parametrize("runs", ["t5=s1.run,", "t5=,s1.run"])
def test_a_run_without_a_name_is_told(files, command, runs) -> None:
    assert "is not NAME=RUN1,RUN2" in command(["rank", "qrels", "bm25.run", runs], 2).err


def long_table() -> pd.DataFrame:
    """Two systems on 12 queries, one of them with three runs."""
    random = np.random.default_rng(8)
    rows = []
    for query in range(12):
        base = random.uniform(0.1, 0.6)
        for system, of_run in (("bm25", 1), ("t5", 41), ("t5", 42), ("t5", 43)):
            score = base + (system == "t5") * (0.1 + random.normal(0.0, 0.02))
            rows.append((f"q{query}", system, of_run, "AP", score))
    return pd.DataFrame(rows, columns=["query_id", "system", "run", "measure", "score"])


def averaged(table: pd.DataFrame) -> pd.DataFrame:
    return table.groupby(["query_id", "system", "measure"], as_index=False)["score"].mean()


def test_a_column_run_averages_the_runs_of_each_system(tmp_path) -> None:
    table = long_table()
    table.to_csv(tmp_path / "long.csv", index=False)
    table.to_parquet(tmp_path / "long.parquet")
    expected = rank_scores(averaged(table))
    for source in (table, tmp_path / "long.csv", tmp_path / "long.parquet"):
        ranking = rank_scores(source)
        assert ranking.systems == expected.systems == ("t5", "bm25")
        assert ranking.scores == pytest.approx(expected.scores)
        assert ranking.pair_rows[0].pvalue == pytest.approx(expected.pair_rows[0].pvalue)
        text = " ".join(ranking.notes)
        assert "t5 is the mean of 3 runs on every query: tests count 12 queries, not 36" in text
        assert "from runs, " in text
        assert "bm25 is the mean" not in text


def test_a_run_that_lacks_a_query_is_an_error() -> None:
    table = long_table().drop(index=3)
    with pytest.raises(AlignmentError, match="query q0 has no score of AP of t5"):
        rank_scores(table)


def test_of_one_query_no_spread_is_told() -> None:
    runs = [{"q1": {"d": 1.0}}, {"q1": {"x": 2.0, "d": 1.0}}]
    scores = abrank.evaluate({"q1": {"d": 1}}, {"t5": runs}, ["RR"])
    assert scores.values.tolist() == [[[0.75]]]
    assert scores.notes == ("t5 is the mean of 2 runs on every query: tests count 1 query, not 2",)


QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d4": 2}}
RUNS = {
    "tied": {"q1": {"d1": 1.0, "d2": 1.0, "x": 0.5}, "q2": {"x": 2.0, "d1": 1.0}},
    "plain": {"q1": {"d1": 3.0}, "q2": {"d1": 2.0}, "q3": {"d4": 1.0}},
}


def test_every_score_has_its_ranges() -> None:
    ranges = abrank.score_ranges(QRELS, RUNS, ["RR", "P@2"], n_orders=500)
    assert len(ranges) == 3 * 2 * 2
    assert (ranges["tie_low"] <= ranges["score"]).all()
    assert (ranges["score"] <= ranges["unjudged_high"]).all()
    row = ranges.query("system == 'tied' and query_id == 'q1' and measure == 'RR'").iloc[0]
    assert (row["score"], row["tie_low"], row["tie_high"]) == (0.5, 0.5, 1.0)
    assert row["tie_expected"] == pytest.approx(0.75, abs=4 * 0.25 / np.sqrt(500))
    row = ranges.query("system == 'tied' and query_id == 'q2' and measure == 'RR'").iloc[0]
    assert (row["unjudged_low"], row["unjudged_high"]) == (0.5, 1.0)
    plain = ranges.query("system == 'plain'")
    assert (plain["tie_low"] == plain["tie_high"]).all()


def test_dropped_queries_have_no_row_and_diversity_no_range() -> None:
    ranges = abrank.score_ranges(QRELS, RUNS, ["RR"], scoring=abrank.Scoring(missing="drop"))
    assert ranges["query_id"].unique().tolist() == ["q1", "q2"]
    rows = [("q1", "a", "d1", 1), ("q1", "b", "d2", 1)]
    ranges = abrank.score_ranges(rows, {"run": {"q1": {"d1": 1.0}}}, ["alpha_nDCG@5"])
    assert ranges["tie_low"].isna().all()


def test_a_query_whose_id_begins_with_a_hash_counts_and_comments_are_counted(tmp_path) -> None:
    (tmp_path / "q.txt").write_text("# by hand\n#c++ 0 d1 1\nc++ 0 d2 1\nq3 0 d3 1\n")
    (tmp_path / "a.run").write_text("#c++ Q0 d1 1 1 t\nc++ Q0 d9 1 1 t\nq3 Q0 d3 1 1 t\n")
    scores = abrank.evaluate(tmp_path / "q.txt", {"a": tmp_path / "a.run"}, ["RR"])
    assert scores.query_ids == ("#c++", "c++", "q3")
    assert scores.means()[0, 0] == pytest.approx(2 / 3)  # trec_eval 9, which has no comments
    assert [note for note in scores.notes if "1 comment line skipped" in note]


def test_queries_that_retrieve_themselves_are_noted_and_left_out_on_request() -> None:
    queries = [f"q{i}" for i in range(8)]
    qrels = {query: {"d": 1} for query in queries}
    run = {query: {query: 2.0, "d": 1.0} for query in queries}
    scores = abrank.evaluate(qrels, {"dense": run}, ["RR"])
    assert scores.means().tolist() == [[0.5]]
    assert "of 8 of 8 queries has the id" in scores.notes[0]
    dropped = abrank.evaluate(qrels, {"dense": run}, ["RR"], scoring=abrank.Scoring(same_id="drop"))
    assert (dropped.means().tolist(), dropped.notes) == ([[1.0]], ())


FRACTIONS = {"q1": {"d1": 0.5, "d2": 2.0, "d3": 0.25}, "q2": {"d1": 1.5}}
RANKED = {"q1": ["d1", "d2", "d3"], "q2": ["d9", "d1"]}


def test_measures_of_gain_take_fractional_grades() -> None:
    log3 = np.log2(3)
    dcg = np.array([0.5 + 2 / log3 + 0.25 / 2, 1.5 / log3])
    ideal = np.array([2 + 0.5 / log3 + 0.25 / 2, 1.5])
    stop = (2.0 ** np.array([0.5, 2.0, 0.25]) - 1) / 2**4
    err = [
        stop[0] + (1 - stop[0]) * stop[1] / 2 + (1 - stop[0]) * (1 - stop[1]) * stop[2] / 3,
        (2**1.5 - 1) / 2**4 / 2,
    ]
    expected = {
        "DCG@10": dcg, "nDCG@10": dcg / ideal, "CG@10": [2.75, 1.5], "ERR(max_grade=4)@10": err,
        "AP(rel=0.5)": [1.0, 0.5], "RR(rel=2)": [0.5, 0.0], "P(rel=1)@2": [0.5, 0.5],
    }  # fmt: skip
    for measure, values in expected.items():
        scores = abrank.evaluate(FRACTIONS, {"a": RANKED}, [measure])
        np.testing.assert_allclose(scores.values[:, 0, 0], values, rtol=1e-12, err_msg=measure)
    with pytest.raises(ArgumentError, match="where the scale of ERR@20 ends"):
        abrank.evaluate(FRACTIONS, {"a": RANKED}, ["ERR@20"])


@pytest.mark.parametrize("door", ["measure", "Scoring", "--rel", "rule"])
def test_a_fraction_may_be_the_lowest_relevant_grade(door, tmp_path, capsys) -> None:
    half = {q: {d: int(g >= 0.5) for d, g in docs.items()} for q, docs in FRACTIONS.items()}
    names = [
        "AP", "P@2", "R@2", "RR", "Rprec", "bpref", "infAP", "Success@1", "NumRel", "NumRelRet",
        "AUC", "SetP", "SetF", "RBP(p=0.8)", "IPrec@0.1", "IPrec@0.5",
    ]  # fmt: skip
    expected = abrank.evaluate(half, {"a": RANKED}, names).values
    if door in ("measure", "Scoring"):
        called = [name if door == "Scoring" else with_rel(name) for name in names]
        scoring = abrank.Scoring(rel=0.5 if door == "Scoring" else None)
        scores = abrank.evaluate(FRACTIONS, {"a": RANKED}, called, scoring=scoring)
        assert scores.values.tolist() == expected.tolist()
        return
    lines = [f"{q} 0 {d} {g}" for q, docs in FRACTIONS.items() for d, g in docs.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines))
    for name in "ab":
        rows = [f"{q} Q0 {d} 1 {-i} t" for q, docs in RANKED.items() for i, d in enumerate(docs)]
        (tmp_path / f"{name}.run").write_text("\n".join(rows))
    paths = [str(tmp_path / name) for name in ("qrels.txt", "a.run", "b.run")]
    if door == "--rel":
        assert run(["score", *paths[:2], "-m", "AP", "--rel", "0.5"]) == 0
        assert capsys.readouterr().out == "all\tAP(rel=0.5)\t0.7500\n"
        assert run(["agreement", paths[0], paths[0], "--rel", "0.5"]) == 0
        for wrong in ("0", "-1", "nan", "x"):
            assert run(["score", *paths[:2], "-m", "AP", "--rel", wrong]) == 2
            assert "Invalid value for '--rel'" in capsys.readouterr().err
        return
    (tmp_path / "rule.toml").write_text("rel = 0.5\nmeasure = 'AP'\n")
    call = ["compare", *paths, "--config", str(tmp_path / "rule.toml")]
    assert run([*call, "--report", str(tmp_path / "out.json")]) == 0
    assert abrank.Comparison.from_json(tmp_path / "out.json").primary.measure == "AP(rel=0.5)"


def with_rel(name: str) -> str:
    base, at, cutoff = name.partition("@")
    start = base.removesuffix(")") + "," if base.endswith(")") else f"{base}("
    return f"{start}rel=0.5){at}{cutoff}"


def test_an_inspected_query_marks_what_a_fraction_makes_relevant() -> None:
    result = abrank.inspect_query(
        FRACTIONS, {"q1": ["d1"]}, {"q1": ["d2"]}, "q1", measures=["AP(rel=0.5)"]
    )
    assert ([item.doc_id for item in result.relevant], result.grade) == (["d2", "d1"], 2)
    below_one = {"q1": {"d1": 0.5, "d2": 0.25, "d3": 0.0}}
    for_gain = abrank.inspect_query(below_one, {"q1": ["d1", "d9"]}, {"q1": ["d3"]}, "q1")
    assert [item.doc_id for item in for_gain.relevant] == ["d1", "d2"]
    assert (for_gain.measures, for_gain.grade) == (("nDCG@10",), 0.5)
    ideal = 0.5 + 0.5 / np.log2(3) + 0.25 / 2  # d9 judged 0.5, too
    before = 0.5 / (0.5 + 0.25 / np.log2(3))
    assert for_gain.to_judge[0].swing == pytest.approx(before - (ideal - 0.125) / ideal)
    for door in (abrank.inspect_query, abrank.sample_documents):
        arguments = ("q1",) if door is abrank.inspect_query else ()
        measure = {"measures": ["AP"]} if arguments else {"measure": "AP"}
        with pytest.raises(ArgumentError, match=r"such as 0\.5, and AP counts"):
            door(below_one, {"q1": ["d1"]}, {"q1": ["d3"]}, *arguments, **measure)


def test_of_the_default_measures_those_stay_that_fractional_grades_allow() -> None:
    scores = abrank.evaluate(FRACTIONS, {"a": RANKED})
    assert scores.measures == ("nDCG@10",)
    assert "fractional grades: AP, RR, P@10, R@100 left out" in scores.notes[0]
    stated = abrank.evaluate(FRACTIONS, {"a": RANKED}, scoring=abrank.Scoring(rel=1))
    assert len(stated.measures) == 5
    result = abrank.compare(FRACTIONS, RANKED, {"q1": ["d3"], "q2": ["d1"]})
    assert [row.measure for row in result.rows] == ["nDCG@10"]
    for named in (
        {"guard": "R@100:-0.1", "fail_on": "worse"},
        {"config": abrank.Question(primary="AP")},
    ):
        with pytest.raises(ArgumentError, match="counts a document as relevant"):
            abrank.compare(FRACTIONS, RANKED, RANKED, **named)


FOLDS = {"bm25_fold1": "q1", "bm25_fold2": "q2", "dpr-seed3": "q1 q2", "dpr-seed4": "q1 q2"}


def write_parts(folder: Path) -> list[Path]:
    """Two folds of a system, and two seeds of another, of which the second misses q2's document."""
    for name, queries in FOLDS.items():
        lines = [f"{query} Q0 d1 1 2 t\n" for query in queries.split()]
        if name == "dpr-seed4":
            lines[1] = lines[1].replace("d1", "d2")
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    return [folder / f"{name}.run" for name in FOLDS]


def test_folds_are_joined_and_seeds_averaged_and_it_is_said_which(tmp_path, capsys, command):
    paths = write_parts(tmp_path)
    scores = abrank.evaluate(tmp_path / "qrels.txt", paths, ["P@1"])
    assert scores.systems == ("bm25", "dpr")
    assert scores.values[:, :, 0].tolist() == [[1.0, 1.0], [1.0, 0.5]]
    notes = "\n".join(scores.notes)
    assert "bm25: 2 files hold different queries (2 in all), and are joined" in notes
    assert "dpr is the mean of 2 runs on every query" in notes
    captured = command(["score", *map(str, (tmp_path / "qrels.txt", *paths)), "-m", "P@1"])
    assert captured.out.split("\n")[:2] == ["bm25\tall\tP@1\t1.0000", "dpr\tall\tP@1\t0.7500"]
    assert "2 files hold different queries" in captured.err
    assert run(["rank", *map(str, (tmp_path / "qrels.txt", *paths)), "-m", "P@1"]) == 0
    assert "2 files hold different queries" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("first", ["seed{}_fold{}", "cv{1}.seed{0}"])
def test_folds_of_each_seed_are_joined_before_seeds_are_averaged(first, tmp_path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    paths = [tmp_path / f"z_{first.format(seed, fold)}.run" for seed in (1, 2) for fold in (1, 2)]
    for path, document in zip(paths, ("d1", "d1", "d1", "d2"), strict=True):
        query = "q1" if path in paths[::2] else "q2"
        path.write_text(f"{query} Q0 {document} 1 2 t\n")
    scores = abrank.evaluate(tmp_path / "qrels.txt", paths, ["P@1"])
    assert (scores.systems, scores.values.ravel().tolist()) == (("z",), [1.0, 0.5])
    assert sum("hold different queries" in note for note in scores.notes) == 2


def test_folds_that_share_a_few_queries_are_refused(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("".join(f"q{i} 0 d1 1\n" for i in range(7)))
    for fold, queries in ((1, range(4)), (2, range(3, 7))):
        (tmp_path / f"a_fold{fold}.run").write_text("".join(f"q{i} Q0 d1 1 2 t\n" for i in queries))
    with pytest.raises(abrank.ReadError, match="share 1 query, such as q3, and differ in most"):
        abrank.evaluate(tmp_path / "qrels.txt", sorted(tmp_path.glob("*.run")), ["P@1"])
