"""Calls that are wrong as people get them wrong: each is refused in words, never by a raw error."""

import re
from typing import Any

import pandas as pd
import pytest

import abrank
from abrank import AbrankError
from abrank.cli import run
from abrank.inference import JOINT_TESTS, TESTS

MADE = abrank.simulate_runs(20, rng=3)
PAIR = (MADE.qrels, MADE.baseline, MADE.candidate)
RESULT = abrank.compare(*PAIR, measures="AP")
ONE = {f"q{i}": i / 10 for i in range(8)}
TWO = {"a": ONE, "b": ONE}
FRAME = pd.DataFrame({"query_id": ["1", "1"], "system": ["a", "b"], "AP": [0.25, 0.5]})


@pytest.mark.every_case
@pytest.mark.parametrize(("keywords", "told"), [
    ({"alpha": "x"}, "alpha must be a number, not 'x'"),
    ({"alpha": None}, "alpha must be a number, not None"),
    ({"test": None}, 'unknown test "None"; choices'),
    ({"guard": 3}, "guard must be a name or a list of names"),
    ({"lower_is_better": True}, "lower_is_better must be a name or a list"),
    ({"accept_doubt": "yes"}, "accept_doubt must be True or False"),
    ({"resamples": "x"}, "resamples must be a whole number"),
    ({"scoring": "drop"}, r"scoring must be Scoring\(...\)"),
    ({"machine": 3}, r"machine must be Machine\(...\)"),
    ({"config": 3}, "config must be a path"),
    ({"require": True}, "require must be one of better"),
    ({"segments": 3}, "segments: a path, a table or a mapping"),
    ({"docs": 3}, "docs: a path or a dict"),
    ({"measures": "HR20"}, "unknown measure"),
])  # fmt: skip
def test_a_keyword_of_the_wrong_kind_is_named(keywords: dict[str, Any], told: str) -> None:
    with pytest.raises(AbrankError, match=told):
        abrank.compare(*PAIR, **keywords)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: abrank.rank_scores(TWO, baseline=3), "baseline must be a name"),
        (lambda: abrank.power(sd="x", queries=50), "must be a number"),
        (lambda: abrank.Scoring(depth="x"), "depth must be a whole number"),
        (lambda: abrank.simulate_runs("x"), "n_queries must be a whole number"),  # type: ignore[arg-type]
        (lambda: abrank.compare_collections(3), "collections must be a path"),  # type: ignore[arg-type]
        (lambda: abrank.history(3), "path must be a path"),  # type: ignore[arg-type]
        (lambda: RESULT.report(3), "path must be a path"),  # type: ignore[arg-type]
        (lambda: RESULT.report("x.pdf"), "abrank.report.write_figures"),
        (lambda: RESULT.report("x1:out.txt"), 'unknown report format "x1"'),
        (lambda: RESULT.worst("x"), "n must be a whole number"),  # type: ignore[arg-type]
        (lambda: RESULT.queries_of("nDCG@7"), "there are AP"),
        (lambda: RESULT.plot.deltas(ax=3), "ax must be matplotlib's Axes"),
        (lambda: RESULT.plot.deltas(theme="dark"), "theme must be abrank.plots"),
        (lambda: RESULT.confidence_interval(95), "between 0 and 1, not 95"),
        (lambda: abrank.compare_scores(ONE, {"x": 1.0}), "share no query"),
        (lambda: abrank.compare_scores([1, 2, 3], [1, 2]), "cannot be paired by position"),
    ],
)
def test_a_wrong_call_is_explained(call: Any, told: str) -> None:
    with pytest.raises(AbrankError, match=told):
        call()


def test_a_score_by_another_name_is_asked_for_and_not_replaced_by_the_rank() -> None:
    frame = MADE.baseline.frame().rename(columns={"score": "bm25_score"})
    with pytest.raises(AbrankError, match=r"(?s)is bm25_score the score\? .*rename it to score"):
        abrank.read_run(frame)
    assert (
        abrank.read_run(frame, columns={"score": "bm25_score"})
        .frame()
        .equals(MADE.baseline.frame())
    )
    assert "rank" in frame
    assert len(abrank.read_run(frame, columns={"score": "rank"})) == len(MADE.baseline)


def test_the_hit_rate_of_recommenders_is_success() -> None:
    comparison = abrank.compare(*PAIR, measures=["HR@20", "hit_ratio@5"])
    assert comparison.measures == ("Success@20", "Success@5")
    assert "HR@20: Success@20, the hit rate" in comparison.remarks


def test_a_cutoff_may_be_named_beside_those_of_its_family() -> None:
    comparison = abrank.compare(*PAIR, measures=["ndcg_cut", "ndcg_cut_15"])
    assert comparison.measures.count("nDCG@15") == 1


def test_the_help_of_rank_names_every_test(command) -> None:
    text = " ".join(command(["rank", "--help-all"]).out.split())
    choices = text.partition("--test [")[2].partition("]")[0].split("|")
    assert {*choices} == {*TESTS, *JOINT_TESTS} - {"pairwise"}


def test_a_hit_of_recommenders_is_no_number_of_hits() -> None:
    assert abrank.compare(*PAIR, measures=["Hit@20"]).measures == ("Success@20",)


def test_what_only_two_systems_have_is_said_of_many() -> None:
    ranking = abrank.rank(MADE.qrels, {1: MADE.baseline, 2: MADE.candidate}, measures="AP")
    assert set(ranking.systems) == {"1", "2"}
    with pytest.raises(AttributeError, match=r"a Ranking has no worst: compare\(\) of two systems"):
        _ = ranking.worst
    second = abrank.simulate_runs(20, rng=4)
    pairs = {"x": PAIR, "y": (second.qrels, second.baseline, second.candidate)}
    collections = abrank.compare_collections(pairs, measures="AP")
    with pytest.raises(AttributeError, match=r"has no queries: \.pooled and \.comparisons\[NAME\]"):
        _ = collections.queries
    with pytest.raises(AttributeError, match=r"a Scores has no mean; did you mean means\(\)\?"):
        _ = abrank.evaluate(MADE.qrels, {"a": MADE.baseline}, "AP").mean


def test_predictions_of_recommenders_are_scores() -> None:
    frame = MADE.baseline.frame().rename(columns={"score": "prediction"})
    assert abrank.read_run(frame).frame().equals(MADE.baseline.frame())


def test_an_attribute_that_is_not_there_is_answered_with_the_one_that_is() -> None:
    for name, meant in (
        ("ci", "interval"),
        ("margin", "rule.margin"),
        ("cautions", "notes"),
        ("per_query", "queries"),
        ("table", "to_frame()"),
        ("p_value", "pvalue"),
        ("best_queries", "best"),
        ("ci_low", "interval.low"),
        ("passed", "decision.gate.passed"),
    ):
        with pytest.raises(AttributeError, match=re.escape(f"has no {name}; did you mean {meant}")):
            getattr(RESULT, name)
    with pytest.raises(AttributeError, match=r"a Run has no to_pandas; did you mean frame\(\)"):
        MADE.baseline.to_pandas()
    for name, meant in (("load", "Comparison"), ("ttest", "compare_scores")):
        with pytest.raises(AttributeError, match=f"did you mean {meant}"):
            getattr(abrank, name)
    with pytest.raises(AttributeError, match=r"a Comparison has no _x$"):
        getattr(RESULT, "_x")  # noqa: B009
    assert RESULT.segments.columns[:3].tolist() == ["property", "label", "n_queries"]


def test_implicit_feedback_is_read_beside_the_index_of_a_frame(tmp_path) -> None:
    held = pd.DataFrame({"user_id": ["u1", "u2"], "item_id": ["i1", "i2"]}, index=[3, 5])
    held.to_parquet(tmp_path / "held.parquet")
    assert len(abrank.read_qrels(tmp_path / "held.parquet")) == 2
    with pytest.raises(AbrankError, match="or give the columns of users and items alone"):
        abrank.read_qrels(held.assign(price=1.0))


def test_check_knows_ready_scores(folder, command) -> None:
    (folder / "ready.csv").write_text("query_id,AP\nq01,0.5\nq02,0.25\n")
    out = command(["check", str(folder / "ready.csv")]).out
    assert "read as a column per measure, 2 queries, 1 measure\n  query: query_id\n" in out
    assert "  measures as abrank calls them: AP\n" in out
    assert run(["check", str(folder / "s.csv")]) == 3


# --- What people got wrong when they tried: the call, and the words that say what to do

IN_PYTHON = r"""
compare(*PAIR, engine="local") -> leave out --engine (engine=) for what is in memory
compare(*PAIR, segments=pd.Series(["a"] * 20)) -> begin with 0, 1, 2, those compared with q01
compare(*PAIR, measures="AP(foo=2)") -> it has cutoff, rel, judged_only
sample_queries(3, n=2) -> query_ids are judgments, a run or a list of ids, not 3
check(PAIR[0]) -> file must be a path
rank_scores({"a": ONE, "b": {"q1": .5}}) -> query q0 has no score of b
compare(*PAIR, report="x.html") -> did you mean .report("report.html") ?
compare(*PAIR, verbose=True) -> it has qrels, a, b, config, measures, margin
compare(*PAIR, test="student") -> did you mean t?
compare(*PAIR, test="fisher") -> did you mean permutation?
compare(*PAIR, require="not-worse", margin=.1) -> did you mean non-inferior?
compare(*PAIR, measures="all") -> official or all_trec has those of trec_eval
rank(PAIR[0], {"a": PAIR[1], "b": PAIR[2]}, test="friedman") -> did you mean nemenyi?
rank(PAIR[0], {"a": PAIR[1], "b": PAIR[2]}, adjust="holm") -> as in --test t --adjust holm
read_run(PAIR[1].frame(), columns=["score"]) -> columns is a mapping such as {"score": "bm25"}
read_run(PAIR[1].frame(), columns={"score": "nix"}) -> it has query_id, doc_id, score
measure("X1")(3) -> @measure decorates a function, not 3
Scoring(10) -> it takes keywords: missing=
power(*PAIR) -> of runs give compare(qrels, a, b)
RESULT.inspect("q01", "AP") -> inspect(): too many positional arguments; it takes query_id
RESULT.inspect() -> inspect(): missing a required argument: 'query_id'
RESULT.confidence_interval(.95, "AP") -> it takes level
RESULT.plot.forest().save() -> save(): missing a required argument: 'path'
RESULT.effect_size("cohen_d") -> did you mean d_z?
RESULT.report("x.html", theme="dark") -> it has path, format
compare_scores({"q1": {"AP": 1}}, {"q1": {"RR": 1}}) -> AP and RR; none is in both
compare("nothing.txt", PAIR[1], PAIR[2]) -> nothing.txt: no such file
compare(PAIR[0], 3, PAIR[2]) -> be a path, a DataFrame, a dict of dicts or tuples, not int
compare(*PAIR, metrics=["AP"]) -> did you mean measures= ?
compare(*PAIR, measures=None, primary="AP@3") -> did you mean config=Question(primary=...) ?
compare(*PAIR, measures="AP, RR") -> "AP, RR" is 2 measures: -m AP -m RR (measures=['AP', 'RR'])
compare(*PAIR, measures="nDCG@") -> did you mean nDCG@5?
compare(*PAIR, margin="2") -> of 2% of the baseline's mean is --margin 2% (margin="2%")
compare(*PAIR, margin="200%") -> give one below 100%
compare(*PAIR, alpha=5) -> alpha must lie between 0 and 1, not 5.0
compare(*PAIR, segments=pd.DataFrame({"x": [1]})) -> segments (DataFrame): no column of query_id
compare_scores([0.1, 0.2], [0.2, 0.3], paired=False) -> did you mean design=Independent()
compare_scores([0.1, 0.2], [0.2, 0.3, 0.4]) -> give dicts or Series by query id, or design=Indep
compare(*PAIR, design=Clusters({})) -> by clusters: 20 queries of 20 have none (q01, q02, q03 …)
compare(*PAIR, seed=3) -> did you mean rng= ?
compare(*PAIR, baseline="x") -> takes no baseline=: the runs are a= and b=, their names name_a=
compare(*PAIR, queries=["nope"]) -> did you mean topics= ?
compare_scores(ONE, [1, 2]) -> compare_scores(a, b, design=abrank.Independent())
compare_scores(ONE, [1, 2]) -> ids of A are q0, q1, q2 …, those of B 0, 1: if they mean the same
compare_scores(ONE, {**ONE, "q0": float("inf")}) -> the first: score of B on query q0
compare_scores(ONE, ONE, measures="AP") -> there are score
compare_scores(pd.Series(["x"]), pd.Series([1.0])) -> the Series is to hold scores by query id
compare_scores(FRAME, by="lang") -> did you mean segments= ?
compare_scores(3, 4) -> A: scores must be a path, a table or a dict, not int
rank(PAIR[0], []) -> for one system use abrank score (evaluate)
rank(PAIR[0], PAIR[1]) -> runs are a mapping by name, not one Run: give {"bm25": run}
rank_scores({"a": ONE}) -> a ranking needs two systems or more, and there is one: a
power(3) -> differences must have one or two dimensions, not 0
compare_collections({}) -> for one use compare
RESULT.inspect("nope") -> the first is q01
RESULT["nope"] -> there are AP
RESULT.report("x.html", digits="a") -> digits must be a whole number of at least 1, not 'a'
RESULT.plot("forest") -> call a plot as a method: .plot.forest()
RESULT.plot.deltas(color="red") -> it takes measure=, ax=, theme=, digits=, width=, height=
RESULT.plot.scatter(width="wide") -> be "column", "text" or inches from 1 to 100, not 'wide'
RESULT.effect_size("r") -> d_z, hedges_g, d_av, glass_delta, rank_biserial, p_better
RESULT.worst(-1) -> n must be a whole number of at least 1, not -1
from_groups([1, 0], [.1, .2], [3]) -> rows: neither sizes that add up to them nor an id for each
from_groups([1], [.1, .2], [2]) -> 2 scores of run for 1 rows
suggest_margins(PAIR[0]) -> 1': run, …}) has them, or an array with a column a run
suggest_margins(PAIR[0], [PAIR[1]], measure="x") -> it has a, b, span, sd, alpha, power
audit(queries=50, a="x", b=1) -> a is a mean such as 0.412, not 'x'
history("nothing") -> nothing: no ledger has this name
simulate_runs(10, effect="x") -> effect must be a number, not 'x'
Scoring(dept=1) -> did you mean depth= ?
sample_documents(PAIR[0], PAIR[1], PAIR[2], n=-1) -> it has qrels, a, b, measure, depth
aa_test(*PAIR, trials="x") -> differences, tests, by, alpha, replications, clusters, rng
compare(*PAIR, config={"margin": 0.1}) -> a path of a TOML file or Question(...), not a dict
compare(PAIR[1], PAIR[0], PAIR[2]) -> the judgments come first, then the runs
read_run(PAIR[0]) -> not Qrels: the judgments come first, then the runs
rank(PAIR[0], {"a": ONE, "b": ONE}, margin=0.1) -> a ranking decides for no system; compare()
compare(PAIR[0], PAIR[1]) -> compare(): missing the argument 'b'
compare(PAIR[0], PAIR[1].frame().drop(columns="doc_id"), PAIR[2]) -> say which: abrank.read_run(
compare(PAIR[0], PAIR[1].frame().assign(score=None), PAIR[2]) -> row 0: score is missing (None)
compare(PAIR[0], PAIR[1].frame().rename(columns={"score": "mine"}), PAIR[2]) -> is mine the score?
compare({"q1": {"d1": 1}}, {"q1": {"d1": "x"}}, {"q1": {"d1": 1}}) -> row 0: score "x" is not a num
compare({}, {}, {}) -> expected: query_id, doc_id, relevance
compare(*PAIR, measures="prefs_pair") -> left out: abrank guide trec_eval
compare(*PAIR, ci=0.9) -> did you mean alpha= ?
compare(*PAIR, cutoff=10) -> did you mean scoring=Scoring(depth=...) ?
compare(*PAIR, n_bootstrap=1000) -> did you mean resamples= ?
compare(*PAIR, weights={"q01": 1}) -> did you mean design=Weights(...) ?
compare(*PAIR, missing="drop") -> did you mean scoring=Scoring(missing=...) ?
compare(*PAIR, machine="llm.qrels") -> machine must be Machine(...), not 'llm.qrels'
compare(*PAIR, design=Weights({"q01": 1.0})) -> give every query a weight
compare_scores(FRAME, name_a="b") -> baseline= and candidate= choose systems
compare_scores({"q1": None, "q2": .5}, {"q1": .4, "q2": .5}) -> (missing="drop")
compare_scores(FRAME, measures="APP") -> there are AP; did you mean AP?
rank(*PAIR) -> it takes qrels, runs; the others by name, and runs as one mapping: {"bm25": run, …}
rank(PAIR[0], {"a": PAIR[1], "b": PAIR[2]}, baseline="A") -> did you mean a?
suggest_margins(*PAIR) -> the others by name
power(sd=.2, effect="5%") -> effect 5% is a share of A's mean, which is not known here
power(n=50, sd=.2) -> the number of queries is --queries (queries=)
measure(len) -> @measure("NAME")
RESULT.report("folder/") -> the ending chooses the format, as in report.html
compare_collections([PAIR, PAIR]) -> or a mapping by name: {"scifact": (qrels, a, b), …}
compare_preferences({"q1": "A"}) -> a list of dicts, each a vote such as {'query_id': 'q1'
"""
ON_THE_COMMAND_LINE = """
compare q.txt a.run b.run --margin 1 % -> 2 a share is one word, as in --margin 1%
compare q.txt a.run b.run --alpha 5% -> 2 a share such as 0.05
compare q.txt a.run b.run --figures svg -> 2 svg:figures writes to figures/
power --sd .2 --margin 2% -> 2 margin 2% is a share of A's mean, which is not known here
compare q.txt a.run b.run --tolerance 0.01 -> 2 Did you mean '--margin'?
compare q.txt a.run b.run --bonferroni -> 2 Did you mean '--config adjust=...'?
compare q.txt a.run b.run --format markdown -> 2 did you mean md?
compare q.txt a.run b.run --guard R@100 -0.02 -> 2 one word with the name, as in --guard R@100:-0.02
compare q.txt a.run b.run --figures fig.png -> 2 figures go to a folder, a file each: png:fig
compare q.txt a.run b.run --config depth -> 2 --config depth has no value: --config depth=...
compare --config table.toml -> 2 write the keys at the top, not in a table [compare]
compare --collections q.txt a.run -> 2 a pattern is quoted, as in 'beir/*/qrels.txt'
compare q.txt sim.csv b.run -> 3 rename it to score, or in Python say which
score q.txt a.run -l 2 -> 2 Did you mean '--rel'?
score q.txt a.run -c -> 2 without it a judged query that a run lacks scores 0, too
power q.txt a.run b.run --effect x% -> 2 a percentage of A's mean such as 2%, not 'x%'
audit 50 .4 .5 -> 2 --queries 50 --a 0.412 --b 0.431
aa q.txt a.run b.run --trials 9 -> 2 the number of simulations is --replications
inspect q.txt a.run b.run --query q01 -> 2 give QUERY without a flag, after the runs
render r.json --margin 0.01 -> 2 to change the question run compare again
compare a.run b.run -> 2 QRELS, RUN_A and RUN_B; two tables need --scores
compare a.run q.txt b.run -> 3 the qrels come first, then the runs
compare q.txt a.run b.run c.run -> 2 more than two runs are ranked (abrank rank)
compare q.txt a.run b.run --measures AP -> 2 Did you mean '--measure'?
compare q.txt a.run b.run --margin 2 -> 2 the baseline's mean is --margin 2% (margin="2%")
compare q.txt a.run b.run --guard R@100 -> 2 a condition of a gate: add --require or --fail-on
compare q.txt a.run b.run --confidence 0.95 -> 2 Did you mean '--alpha'?
compare q.txt a.run b.run --figures png: -> 2 names no folder: png:figures writes to figures/
compare q.txt a.run b.run --config bad.toml -> 3 not TOML: Invalid value (at line 1, column 10)
compare q.txt a.run b.run --config marginn=2 -> 2 --config: unknown key "marginn"
compare q.txt a.run b.run --config margn -> 2 margn: no such file
compare q.txt a.run b.run --clusters seg.csv -> 3 20 queries of 20 have none (q01, q02, q03 …)
compare q.txt a.run b.run --look 5/4 -> 2 give this look and the number of looks, such as 2/4
compare q.txt a.run b.run --depth 10 -> 2 Did you mean '--config depth=...'?
compare empty a.run b.run -> 3 empty: no lines
compare q.txt dir b.run -> 3 dir: is a folder, not a file
compare q.txt nope.run b.run -> 2 nope.run: no such file
compare - - b.run -> 2 only one of the files can be standard input
compare --scores s.csv -> 3 score "x" is not a number
compare --scores q.txt a.run b.run -> 2 --scores takes one or two tables of scores, not 3
compare --collections col.tsv -> 2 col.tsv, the collection x: nope.run: no such file
compare --collections dir -> 2 each has its judgments (qrels.txt or qrels/test.tsv) and its runs
compare --collections col.tsv q.txt -> 2 collection: it cannot stand beside --collections
compare --preferences votes.csv -> 3 votes.csv, line 3: no known winner
rank q.txt -> 2 --scores and tables of scores, or --collections FILE)
rank q.txt a.run b.run --baseline c -> 2 the baseline 'c' is not among a, b
rank q.txt a.run b.run --margin 0.1 -> 2 compare decides between two
score q.txt -> 2 at least one run (or --scores FILE); abrank guide measures lists
score q.txt a.run --at-least 0.3 -> 2 0.3 is not a floor: write it as nDCG@10:0.35
score q.txt a.run --at-least nDCG@10:2 -> 2 at least: nDCG@10 lies between 0 and 1, not 2.0
power -> 2 RUN_B, or --scores and one or two tables of scores, or --sd without
power --sd 0.2 -> 2 needs --queries, --effect, --margin or --width
audit --config rule.toml -> 2 an audit has no rule: it takes published numbers
inspect q.txt a.run b.run -> 2 the report of abrank compare lists all queries
render r.json -> 3 holds no results of abrank: it names no schema
foo -> 2 unknown command "foo"; all: abrank --help
compare --qrels q.txt --run-a a.run --run-b b.run -> 2 are given without flags, in this order
compare q.txt a.run b.run -m nDCG@10 AP -> 2 repeat -m for each measure
compare q.txt a.run b.run --gate better -> 2 Did you mean '--require'?
compare q.txt a.run b.run --color never -> 2 NO_COLOR=1 or FORCE_COLOR=1 in the environment
compare q.txt a.run b.run --engine local -> 3 leave it out, and this file is read as it is
compare q.txt a.run b.run --name-a x -> 2 Did you mean '--config name_a=...'?
compare q.txt a.run b.run -o report.html -> 2 Did you mean '--report'?
compare q.txt a.run b.run --json -> 2 Did you mean '--format'?
compare q.txt a.run b.run --report report.pdf -> 2 --figures DIR writes the figures as PDF
compare q.txt a.run b.run --require non-inferior -> 2 how to choose one: abrank guide margin
compare q.txt a.run b.run --require noninferior --margin 1% -> 2 is not one of 'non-inferior'
compare q.txt a.run b.run --require better --guard R@100:-2 -> 2 no difference of R@100 is larger
compare q.txt a.run b.run --clusters lang -> 2 give the table with it as --segments
compare q.txt a.run b.run --config on=each -> 2 on works only with --collections
compare q.txt a.run b.run --look 1/4 --anytime 100 -> 2 choose --look (Looks(...)) or --anytime
compare q.txt a.run b.run --topics seg.csv -> 3 expected: query_id<TAB>text, JSON lines, or TREC
compare --preferences seg.csv -> 3 expected: query_id, and winner (A, B, tie or a system's name)
compare --collections q.txt -> 3 expected: one table of scores with a column collection
rank q.txt a.run b.run --segments seg.csv -> 2 rank the queries of one segment alone
rank q.txt a.run a.run -> 2 a.run is given twice
score q.txt a.run --floor nDCG@10:0.3 -> 2 Did you mean '--at-least'?
margin q.txt a.run --margin 0.01 -> 2 this command prints sizes to compare a margin with
inspect q.txt a.run b.run q01 q02 -> 2 one query at a time
sample query q.txt -> 2 Did you mean 'queries'?
compar q.txt a.run b.run -> 2 did you mean compare?
"""


def test_a_wrong_call_of_python_says_what_to_do() -> None:
    names = {name: getattr(abrank, name) for name in abrank.__all__}
    names |= {"pd": pd, "PAIR": PAIR, "RESULT": RESULT, "ONE": ONE, "FRAME": FRAME}
    wrong = []
    for row in IN_PYTHON.strip().splitlines():
        call, words = row.split(" -> ")
        with pytest.raises(AbrankError) as caught:
            eval(call, dict(names))
        if words not in str(caught.value):
            wrong.append((row, str(caught.value)))
    assert wrong == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "dir").mkdir()
    MADE.qrels.write(folder / "q.txt")
    MADE.baseline.write(folder / "a.run")
    MADE.candidate.write(folder / "b.run")
    for name, text in {
        "bad.toml": "margin = \n", "empty": "", "r.json": "{}",
        "table.toml": "[compare]\nmargin = 0.1\n",
        "sim.csv": "query_id,doc_id,sim\nq01,d1,0.5\n",
        "s.csv": "query_id,AP\nq01,0.5\nq02,x\n", "seg.csv": "id,lang\nzz,de\n",
        "votes.csv": "query_id,winner\nq1,A\nq2,Q\n",
        "col.tsv": "name\tqrels\ta\tb\nx\tq.txt\ta.run\tnope.run\ny\tq.txt\ta.run\tb.run\n",
    }.items():  # fmt: skip
        (folder / name).write_text(text)
    return folder


def test_a_wrong_command_says_what_to_do(folder, capsys, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    wrong = []
    for row in ON_THE_COMMAND_LINE.strip().splitlines():
        command, text = row.split(" -> ")
        code, words = text.split(" ", 1)
        result, message = run(command.split()), " ".join(capsys.readouterr().err.split())
        if result != int(code) or words not in message:
            wrong.append((row, result, message))
    assert wrong == []
