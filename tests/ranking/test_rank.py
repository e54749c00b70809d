"""Ready scores of many systems, in every form in which they come.

A ranking by several measures: the first orders, and each is a family of its own.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import abrank
from abrank import AlignmentError, ArgumentError, ReadError, Scores, UnknownNameError
from abrank.inference import JOINT_TESTS, TESTS, run_joint_test
from abrank.measures import catalogue
from abrank.ranking import PairRow, SystemRow, rank_scores, read_systems
from tests.report.written import json_of, table


def make(values, *, systems=None, measure="nDCG@10"):
    values = np.asarray(values, dtype=float)
    names = systems or tuple("ABCDEFGH"[: values.shape[1]])
    ids = tuple(f"q{i}" for i in range(len(values)))
    return Scores(ids, tuple(names), (measure,), values[:, :, None])


@pytest.fixture
def scores():
    random = np.random.default_rng(1)
    return make(
        random.uniform(0, 0.7, (40, 1))
        + random.normal(0, 0.05, (40, 5))
        + [0.0, 0.2, 0.19, 0.1, 0.05]
    )


def test_the_table_is_best_first_and_holds_the_means(scores):
    ranking = rank_scores(scores)
    assert ranking.systems[-1] == "A"
    assert [row.position for row in ranking.rows] == [1, 2, 3, 4, 5]
    means = dict(zip(scores.systems, scores.means()[:, 0], strict=True))
    assert {row.system: row.mean for row in ranking.rows} == means
    assert all(row.ci_low < row.mean < row.ci_high for row in ranking.rows)
    for i, system in enumerate(ranking.systems):
        np.testing.assert_array_equal(ranking.scores[:, i], scores.of(system)[:, 0])
    assert list(ranking.to_frame().columns) == list(SystemRow.__dataclass_fields__)
    assert list(ranking.pairs.columns) == list(PairRow.__dataclass_fields__)
    assert len(ranking.pairs) == 10


def test_the_interval_has_the_queries_taken_out(scores):
    moved = make(scores.values[:, :, 0] + np.linspace(0, 9, 40)[:, None])
    widths = [
        [row.within_high - row.within_low for row in rank_scores(item).rows]
        for item in (scores, moved)
    ]
    np.testing.assert_allclose(*widths)


def test_pairs_are_those_of_the_joint_test(scores):
    ranking = rank_scores(scores)
    joint_test = run_joint_test("max-t", ranking.scores)
    assert [row.pvalue_adj for row in ranking.pair_rows] == joint_test.pvalue_adj.tolist()
    for row in ranking.pair_rows:
        # b stands above a.
        assert ranking.systems.index(row.b) < ranking.systems.index(row.a)
        assert row.diff >= 0
        assert row.ci_low < row.diff < row.ci_high
        assert (row.reading == "better") == (row.pvalue_adj < 0.05) == (row.ci_low > 0)
        shared = set(ranking[row.a].group) & set(ranking[row.b].group)
        assert bool(shared) == (row.reading != "better")
    assert ranking.n_significant == int(joint_test.distinct.sum())
    assert 0 < ranking.n_significant < 10


@pytest.mark.slow
@pytest.mark.parametrize("test", [None, *JOINT_TESTS, *TESTS])
@pytest.mark.parametrize("baseline", [None, "C"])
def test_every_test_ranks_or_says_what_to_use(scores, test, baseline):
    family = JOINT_TESTS[test].family if test in JOINT_TESTS else "either"
    options = {"test": test, "baseline": baseline, "resamples": 199}
    if test == "pairwise":
        with pytest.raises(UnknownNameError, match="choices: "):
            rank_scores(scores, **options)
        return
    if family not in ("either", "all" if baseline is None else "baseline"):
        with pytest.raises(ArgumentError, match="baseline"):
            rank_scores(scores, **options)
        return
    ranking = rank_scores(scores, **options)
    assert len(ranking.pair_rows) == (10 if baseline is None else 4)
    assert ranking.test == (test or "max-t")
    for row in ranking.pair_rows:
        assert row.reading in ("better", "worse", "unclear")
        assert (row.reading != "unclear") == (row.pvalue_adj < 0.05)
        if not math.isnan(row.ci_low):
            assert (row.reading != "unclear") == (row.ci_low > 0 or row.ci_high < 0)
        if baseline is not None:
            assert row.a == "C"
    assert ({row.group for row in ranking.rows} == {""}) is (baseline is not None)
    assert ranking == rank_scores(scores, **options)


@pytest.mark.slow
def test_the_order_in_which_systems_came_changes_nothing(scores):
    turned = Scores(scores.query_ids, scores.systems[::-1], scores.measures, scores.values[:, ::-1])
    for test in ("tukey", "randomised-tukey", "conover"):
        first, second = (rank_scores(item, test=test, resamples=99) for item in (scores, turned))
        assert first == second
        assert first.rows == second.rows


def test_where_less_is_better_the_least_leads():
    measure = next(
        name
        for name, entry in catalogue().items()
        if not entry.higher_is_better
        and not any(parameter.required for parameter in entry.parameters)
    )
    values = np.random.default_rng(3).normal(0.5, 0.02, (30, 2)) + np.array([0.0, 0.3])
    ranking = rank_scores(make(values, measure=measure))
    assert ranking.systems == ("A", "B")
    assert ranking["A"].mean_rank < ranking["B"].mean_rank
    (pair,) = ranking.pair_rows
    assert (pair.a, pair.b, pair.reading) == ("B", "A", "better")
    assert pair.ci_high < 0
    assert pair.diff < 0


def test_leaders_and_bars(scores):
    ranking = rank_scores(scores)
    assert set(ranking.leaders) == {"B", "C"}
    assert ranking.leaders[0] == ranking.systems[0]
    nemenyi = rank_scores(scores, test="nemenyi")
    for bar in nemenyi.cliques:
        for row in nemenyi.pair_rows:
            if row.a in bar and row.b in bar:
                assert row.reading == "unclear"
    against = rank_scores(scores, baseline="A")
    assert against.leaders == against.cliques == ()


@pytest.mark.parametrize("baseline", [None, "B"])
@pytest.mark.parametrize(
    ("values", "readings"),
    [
        (np.empty((0, 3)), {"untested"}),
        ([[0.1, 0.2, 0.3]], {"untested", "unclear"}),
        ([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], {"untested", "unclear"}),
        (np.full((9, 3), 0.4), {"identical"}),
        (np.arange(9)[:, None] / 10 + [0.0, 0.1, 0.2], {"untested", "better", "worse"}),
    ],
    ids=["none", "one", "two", "equal", "constant"],
)
def test_too_few_or_too_even(values, readings, baseline):
    ranking = rank_scores(make(values), baseline=baseline)
    assert {row.reading for row in ranking.pair_rows} <= readings
    assert len(ranking.rows) == 3
    if baseline is None and "better" not in readings:
        assert {row.group for row in ranking.rows} == {"a"}
    for visible in (str(ranking), table(ranking), table(ranking, ".pairs.csv")):
        assert "nan" not in visible
        assert "inf" not in visible
    assert "NaN" not in json_of(ranking)


@pytest.mark.slow
def test_arguments(scores):
    with pytest.raises(ArgumentError, match="the baseline 'Z' is not among A, B"):
        rank_scores(scores, baseline="Z")
    with pytest.raises(ArgumentError, match=r"is not among .*; did you mean A\?"):
        rank_scores(scores, baseline="a")
    assert rank_scores(scores, baseline="runs/A.run.gz").baselines == ("A",)
    with pytest.raises(ArgumentError, match="no measure 'AP' here"):
        rank_scores(scores, measures="AP")
    with pytest.raises(ArgumentError, match="two systems or more"):
        rank_scores(make(np.ones((3, 1))))
    with pytest.raises(ArgumentError, match="max-t holds for all pairs as it is: adjust is for"):
        rank_scores(scores, adjust="holm")
    with pytest.raises(UnknownNameError, match="did you mean holm"):
        rank_scores(scores, test="t", adjust="hlm")
    with pytest.raises(ArgumentError, match="alpha"):
        rank_scores(scores, alpha=0.0)
    with pytest.raises(ArgumentError, match="no system 'Z'"):
        rank_scores(scores)["Z"]
    assert rank_scores(scores) != "a ranking"
    assert rank_scores(scores, measures="ndcg_cut_10").measure == "nDCG@10"
    custom = make(scores.values[:, :, 0], measure="clicks of my own")
    assert rank_scores(custom).measure == "clicks of my own"
    assert repr(rank_scores(custom)).startswith("<Ranking of 5 systems by clicks of my own: ")


@pytest.mark.slow
def test_from_runs_to_ranking():
    collection = abrank.simulate_runs(60, effect=0.25, rng=5)
    runs = {"old": collection.baseline, "new": collection.candidate, "copy": collection.baseline}
    ranking = abrank.rank(
        collection.qrels, runs, measures="map", scoring=abrank.Scoring(missing="error")
    )
    assert isinstance(ranking, abrank.Ranking)
    assert (ranking.measure, ranking.systems) == ("AP", ("new", "copy", "old"))
    readings = {(row.a, row.b): row.reading for row in ranking.pair_rows}
    assert readings == {
        ("copy", "new"): "better", ("old", "new"): "better", ("old", "copy"): "identical"
    }  # fmt: skip
    pair = next(row for row in ranking.pair_rows if row.reading == "identical")
    assert (pair.pvalue, pair.pvalue_adj, pair.ci_low, pair.ci_high) == (1.0, 1.0, 0.0, 0.0)
    assert ranking.provenance["settings"]["missing"] == "error"
    assert set(ranking.audits) == set(runs)
    assert abrank.rank_scores(abrank.evaluate(collection.qrels, runs, ["AP"])).rows == ranking.rows
    multiple = abrank.rank(collection.qrels, runs, measures=["P_5,10", "map"])
    assert multiple.measures == ("P@5", "P@10", "AP")
    assert multiple.of("AP").rows == ranking.rows
    with pytest.raises(ArgumentError, match="no measure"):
        abrank.rank(collection.qrels, runs, measures=[])
    with pytest.raises(ArgumentError, match="the baseline 'nwe' is not among old, new, copy"):
        abrank.rank(collection.qrels, runs, baseline="nwe")


@pytest.fixture
def wide():
    values = np.random.default_rng(3).uniform(size=(12, 3)).round(4)
    return pd.DataFrame(values, columns=["bm25", "t5", "dph"])


def forms(wide, folder):
    """Return the same scores in every form."""
    with_ids = wide.set_axis([str(row) for row in range(1, 13)]).rename_axis("query_id")
    long = with_ids.reset_index().melt("query_id", var_name="system", value_name="score")
    long["measure"] = "AP"
    for name in wide:
        with_ids[[name]].rename(columns={name: "AP"}).to_csv(folder / f"{name}.csv")
    wide.to_csv(folder / "matrix.csv", index=False)
    files = [str(folder / f"{name}.csv") for name in wide]
    columns = {name: with_ids[name] for name in wide}
    plain = {name: column.to_dict() for name, column in columns.items()}
    holes = long.assign(other=np.nan)  # of what nobody asked for
    by_query = {n: {q: {"AP": x, "RR": np.nan} for q, x in plain[n].items()} for n in plain}
    by_measure = {name: {"AP": scores} for name, scores in plain.items()}
    return [files, folder / "matrix.csv", columns, plain, holes, by_query, by_measure]


@pytest.mark.slow
def test_every_form_gives_the_same_ranking(wide, tmp_path):
    expected = None
    for form in forms(wide, tmp_path):
        ranking = abrank.rank_scores(form, measures="AP")
        assert (ranking.measure, ranking.n_queries) == ("AP", 12)
        expected = expected or ranking
        assert ranking.rows == expected.rows
        assert ranking.pair_rows == expected.pair_rows


def test_the_command_reads_them(wide, tmp_path, command):
    files = forms(wide, tmp_path)[0]
    for flags in ([str(tmp_path / "matrix.csv"), "-m", "AP"], files):
        assert "3 systems by AP on 12 queries." in command(["rank", "--scores", *flags, "-v"]).out
    assert "--depth is for runs" in command(["rank", "--scores", *files, "--depth", "3"], 2).err
    assert "two systems or more, and there is one" in command(["rank", files[0]], 2).err


def test_what_is_missing_follows_the_policy(wide):
    holes = wide.copy()
    holes.loc[:5, "t5"] = np.nan
    with pytest.raises(AlignmentError, match=r"missing on 6 of t5, of 12 queries: (?s:.*)missing="):
        abrank.rank_scores(holes)
    more = holes.assign(dph=holes["dph"].where(~holes.index.isin([4, 5, 6])))
    with pytest.raises(AlignmentError, match=r"^scores are missing on 6 of t5 and on 3 of dph"):
        abrank.rank_scores(more)
    zero = abrank.rank_scores(holes, missing="zero")
    assert zero["t5"].mean == pytest.approx(wide.loc[6:, "t5"].sum() / 12)
    assert any(
        "scores are missing on 6 of t5, of 12 queries: they score 0" in note for note in zero.notes
    )
    drop = abrank.rank_scores(holes, missing="drop")
    assert drop.n_queries == 6
    assert drop["dph"].mean == pytest.approx(wide.loc[6:, "dph"].mean())
    with pytest.raises(AlignmentError, match="nothing is left"):
        abrank.rank_scores(holes.assign(t5=np.nan), missing="drop")


def test_sources_that_do_not_fit_are_refused(wide, tmp_path):
    path = tmp_path / "wide.csv"
    wide.to_csv(path, index=False)
    with pytest.raises(ReadError):  # rows without ids, in two files
        read_systems([str(path), str(path)])
    named = wide.rename_axis("query_id")
    with pytest.raises(ArgumentError, match="two sources have a system 'scores'"):
        read_systems([named, named])
    first, second = (named[["t5"]].set_axis([name], axis=1) for name in ("AP", "RR"))
    with pytest.raises(ArgumentError, match="the measures differ"):
        read_systems({"a": first, "b": second})
    with pytest.raises(ArgumentError, match="not int"):
        read_systems(3)
    with pytest.raises(ArgumentError, match="no scores"):
        read_systems([])
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    with pytest.raises(ReadError, match="the Parquet file is cut short"):
        read_systems(broken)


def test_files_with_one_column_of_one_name_are_a_system_each(tmp_path) -> None:
    sources = []
    for name, more in (("slow", 30), ("fast", 0), ("middle", 10)):
        sources.append(tmp_path / f"{name}.csv")
        rows = [f"q{i},{10 + i % 5 + more}" for i in range(12)]
        sources[-1].write_text("\n".join(["query_id,latency_ms", *rows]))
    result = read_systems(sources)
    assert (result.systems, result.measures) == (("slow", "fast", "middle"), ("latency_ms",))
    assert result.means()[:, 0].tolist() == [41.75, 11.75, 21.75]


def test_one_file_of_several_systems_is_not_told_as_one_run_given_twice(wide, tmp_path):
    path = tmp_path / "wide.csv"
    wide.to_csv(path, index=False)
    assert {note.code for note in abrank.rank_scores(path).cautions} == {"skewness-decides"}


def test_scores_are_taken_as_they_are(wide):
    scores = read_systems(wide)
    assert read_systems(scores) is scores
    assert abrank.rank_scores(scores).rows == abrank.rank_scores(wide).rows
    joined = read_systems([read_systems(wide[names]) for names in (["bm25", "t5"], ["dph"])])
    assert joined.systems == ("bm25", "t5", "dph")
    assert np.array_equal(joined.values[:, :, 0], wide.loc[[int(q) for q in joined.query_ids]])


def test_of_sources_that_are_alike_the_first_is_told(wide, tmp_path):
    paths = [tmp_path / f"s{i}.csv" for i in range(3)]
    for path in paths:
        wide[["t5"]].set_axis(["AP"], axis=1).rename_axis("query_id").to_csv(path)
    text = f"{paths[0]}: read as a column per measure, 12 queries, 1 measure (likewise 2 more)"
    assert abrank.rank_scores([str(path) for path in paths]).notes == (text,)


MEASURES = ("AP", "nDCG@10", "Unj@10")


@pytest.fixture(scope="module")
def board() -> Scores:
    """Four systems on 30 queries, whose order differs from measure to measure."""
    random = np.random.default_rng(4)
    hard = random.uniform(0.1, 0.5, (30, 1))
    shifts = np.array([[0.0, 0.1, 0.2, 0.3], [0.3, 0.2, 0.1, 0.0], [0.1, 0.0, 0.3, 0.2]])
    blocks = [hard + random.normal(0, 0.08, (30, 4)) + shift for shift in shifts]
    values = np.clip(np.stack(blocks, axis=2), 0.0, 1.0)
    return Scores(tuple(f"q{i}" for i in range(30)), tuple("ABCD"), MEASURES, values)


@pytest.mark.slow
def test_the_first_measure_orders_and_all_are_there(board) -> None:
    # The last one ordered once, in silence.
    ranking = rank_scores(board)
    assert (ranking.measure, ranking.measures) == ("AP", MEASURES)
    assert ranking.systems == ("D", "C", "B", "A")
    assert ranking.of("nDCG@10").systems == ("A", "B", "C", "D")
    assert ranking.of("Unj@10").systems == ("B", "A", "D", "C")  # lower is better
    turned = rank_scores(board, measures=["nDCG@10", "map"])
    assert (turned.measure, turned.measures) == ("nDCG@10", ("nDCG@10", "AP"))
    means = turned.means
    assert list(means.index) == list(turned.systems)
    assert means.loc["A", "AP"] == ranking["A"].mean
    with pytest.raises(ArgumentError, match="not ranked by 'RR'; by nDCG@10, AP"):
        turned.of("RR")


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [None, "B"])
@pytest.mark.parametrize("test", ["tukey", "max-t", "t", "randomised-tukey"])
def test_each_measure_is_what_it_is_alone(board, test, baseline) -> None:
    if (test == "max-t") is (baseline is None) and test != "t":
        baseline = "B" if test == "max-t" else None
    options = {"test": test, "baseline": baseline, "resamples": 199, "rng": 3}
    together = rank_scores(board, **options)
    for measure in MEASURES:
        alone = rank_scores(board, measures=[measure], **options)
        assert together.of(measure).rows == alone.rows
        assert together.of(measure).pair_rows == alone.pair_rows


def test_groups_are_the_letters(board) -> None:
    ranking = rank_scores(board)
    for place, group in enumerate(ranking.groups):
        letter = "abcd"[place]
        assert group == tuple(row.system for row in ranking.rows if letter in row.group)
    assert rank_scores(board, baseline="A").groups == ()


@pytest.mark.slow
def test_bars_of_ranks_are_for_tests_of_ranks(board) -> None:
    # On robust03 Tukey told uic0301 not apart from three systems, and no bar joined them.
    assert (rank_scores(board).cliques, rank_scores(board, test="t").cliques) == ((), ())
    noise = np.random.default_rng(1).random((30, 4, 1))
    near = Scores(board.query_ids, board.systems, ("AP",), noise)
    assert rank_scores(near, test="nemenyi").cliques != ()


def test_measures_are_named_once_and_known(board) -> None:
    for measures, sentence in (
        (["AP", "map"], "AP is named twice"),
        (["RR"], "no measure 'RR' here; there are AP, nDCG@10, Unj@10"),
        ([], "no measures"),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            rank_scores(board, measures=measures)


def test_a_means_own_interval_stays_within_the_range_of_the_measure() -> None:
    # AP .004 was printed with the interval -.035 to .043, which goes with differences.
    random = np.random.default_rng(0)
    weak = np.where(np.arange(40) % 10 == 0, 0.04, 0.0)
    values = np.column_stack([random.uniform(0.0, 0.9, (40, 4)), weak])[:, :, None]
    row = rank_scores(Scores(tuple(map(str, range(40))), tuple("ABCDE"), ("AP",), values))["E"]
    assert row.within_low < 0.0
    assert 0.0 <= row.ci_low < row.mean < row.ci_high <= 0.04
    theirs = stats.bootstrap(
        (weak,), np.mean, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    # Means of resamples are .001 apart.
    assert (row.ci_low, row.ci_high) == pytest.approx((theirs.low, theirs.high), abs=0.00101)


def test_several_baselines_are_corrected_across(board) -> None:
    both = rank_scores(board, measures="AP", baseline=["A", "B"], test="t")
    assert both.baselines == ("A", "B")
    assert [(row.a, row.b) for row in both.pair_rows] == [
        ("A", "D"), ("A", "C"), ("B", "D"), ("B", "C")
    ]  # fmt: skip
    plain = [row.pvalue for row in both.pair_rows]
    ap = dict(zip(board.systems, board.values[:, :, board.measures.index("AP")].T, strict=True))
    direct = [stats.ttest_rel(ap[row.b], ap[row.a]).pvalue for row in both.pair_rows]
    assert plain == pytest.approx(direct, rel=1e-9)
    adjusted = multipletests(direct, method="holm")[1]
    assert [row.pvalue_adj for row in both.pair_rows] == pytest.approx(adjusted, rel=1e-9)
    with pytest.raises(ArgumentError, match="dunnett compares with one baseline"):
        rank_scores(board, baseline=["A", "B"], test="dunnett")
    with pytest.raises(ArgumentError, match="leave a system to compare"):
        rank_scores(board, baseline=["A", "B", "C", "D"])
    with pytest.raises(ArgumentError, match="baselines must differ"):
        rank_scores(board, baseline=["A", "A"])


def test_one_family_of_all_measures_divides_alpha(board) -> None:
    item, together = (rank_scores(board, family=family) for family in ("measure", "all"))
    for first, all_ in zip(item.by_measure, together.by_measure, strict=True):
        for row, shared in zip(first.pair_rows, all_.pair_rows, strict=True):
            assert shared.pvalue_adj == min(1.0, 3 * row.pvalue_adj)
            assert (shared.ci_low > 0 or shared.ci_high < 0) == (shared.pvalue_adj < 0.05)
            assert shared.ci_high - shared.ci_low > row.ci_high - row.ci_low
        assert all_.level == pytest.approx(0.05 / 3)


def test_agreement_stability_and_queries_won(board) -> None:
    ranking = rank_scores(board)
    rows = {(row.a, row.b): row for row in ranking.agreements}
    turned = rows["AP", "nDCG@10"]  # one is the reverse of the other
    assert turned.tau == -1.0
    assert [row.system for row in ranking.stability] == list(ranking.systems)
    assert sum(row.first for row in ranking.stability) == pytest.approx(1.0)
    for row in ranking.stability:
        assert sum(row.chances) == pytest.approx(1.0)
        assert 1 <= row.low <= row.high <= 4
    for item in ranking.by_measure:
        sign = -1.0 if item.measure == "Unj@10" else 1.0
        for row in item.pair_rows:
            a, b = (item.scores[:, item.systems.index(name)] for name in (row.a, row.b))
            assert row.wins == int((sign * (b - a) > 0).sum())
            assert row.wins + row.ties + row.losses == 30


@pytest.mark.parametrize(
    ("adjust", "name"),
    [("bonferroni", "simultaneous interval"), ("holm", "adjusted interval"), ("none", "interval")],
)
def test_intervals_of_bonferroni_are_of_alpha_over_m_and_only_they_are_simultaneous(adjust, name):
    random = np.random.default_rng(2)
    scores = pd.DataFrame(random.random((30, 4)), columns=list("abcd")).rename_axis("query")
    ranking = abrank.rank_scores(
        scores.reset_index(), baseline="a", measures="gain", test="t", adjust=adjust
    )
    assert ranking.interval_name == name
    assert f"with {name} and p by" in ranking.to_latex()
    if adjust == "bonferroni":
        for pair in ranking.pair_rows:
            test = stats.ttest_rel(scores[pair.b], scores["a"])
            expected = test.confidence_interval(1.0 - 0.05 / 3)
            assert (pair.ci_low, pair.ci_high) == pytest.approx(expected, rel=1e-9)
