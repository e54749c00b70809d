"""Several collections: what each says, and what they say together."""

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, ReadError, compare_collections, compare_scores
from abrank.collections import CollectionsComparison
from abrank.inference import pool_collections
from tests.report.written import text as text_of

LETTERS = [f"q{i}" for i in range(30)]


def scores(shift: float, *, seed: int, n: int = 30) -> tuple[dict[str, float], dict[str, float]]:
    random = np.random.default_rng(seed)
    a = random.uniform(0.0, 0.8, n)
    b = a + random.normal(shift, 0.05, n)
    return dict(zip(LETTERS, a, strict=False)), dict(zip(LETTERS, b, strict=False))


@pytest.fixture(scope="module")
def found() -> CollectionsComparison:
    tie = dict.fromkeys(LETTERS[:10], 0.5)
    return compare_collections(
        {"up": scores(0.1, seed=1), "down": scores(-0.06, seed=2, n=20), "tie": (tie, tie)},
        name_a="bm25",
        name_b="t5",
    )


def test_rows_are_those_of_the_comparisons(found) -> None:
    for row in found.primary.rows:
        alone = found[row.collection]
        assert (row.ci_low, row.ci_high) == (alone.primary.ci_low, alone.primary.ci_high)
        assert (row.pvalue, row.diff) == (alone.pvalue, alone.mean_difference)
        assert row.pvalue_adj >= row.pvalue
        assert (row.wins, row.losses) == (alone.primary.wins, alone.primary.losses)


def test_summaries_are_the_meta_analysis(found) -> None:
    pooled = pool_collections(
        [comparison.differences() for comparison in found.comparisons.values()]
    )
    for kind in ("stratified", "equal", "random"):
        mine, theirs = getattr(found.primary, kind), getattr(pooled, kind)
        assert (mine.estimate, mine.ci_low, mine.pvalue) == (
            theirs.estimate,
            theirs.ci_low,
            theirs.pvalue,
        )
    values = np.concatenate([comparison.differences() for comparison in found.comparisons.values()])
    assert found.primary.stratified.estimate == pytest.approx(values.mean())
    means = [comparison.mean_difference for comparison in found.comparisons.values()]
    assert found.primary.equal.estimate == pytest.approx(np.mean(means))


def test_a_collection_of_ties_is_kept(found) -> None:
    up, down, tie = found.primary.rows
    assert [row.reading for row in (up, down, tie)] == ["better", "worse", "identical"]
    assert tie.bounded
    assert tie.weight_random > 0.1
    assert tie.weight_stratified == pytest.approx(10 / 60)
    assert found.primary.random.reading == "unclear"


def test_lower_is_better_turns_the_readings() -> None:
    arguments = {"x": scores(0.1, seed=1), "y": scores(0.1, seed=3), "z": scores(0.1, seed=4)}
    collections = compare_collections(arguments, lower_is_better="score")
    assert {row.reading for row in collections.primary.rows} == {"worse"}
    assert collections.primary.random.reading == collections.primary.stratified.reading == "worse"


def test_runs_with_judgments_and_comparisons_are_taken() -> None:
    collection = abrank.simulate_runs(20, rng=1)
    ready = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, measures="AP"
    )
    second = abrank.simulate_runs(20, rng=2)
    collections = compare_collections(
        {"a": ready, "b": (second.qrels, second.baseline, second.candidate)}, measures="AP"
    )
    assert collections["a"] == ready
    assert collections["b"] == abrank.compare(
        second.qrels, second.baseline, second.candidate, measures="AP"
    )
    assert (collections.baseline, collections.candidate) == (ready.baseline, ready.candidate)


def test_names_that_differ_are_letters() -> None:
    first, two = scores(0.1, seed=1)
    arguments = {
        "x": compare_scores(first, two, name_a="m", name_b="n"),
        "y": compare_scores(*scores(0.1, seed=2), name_a="m", name_b="o"),
    }
    collections = compare_collections(arguments)
    assert (collections.baseline, collections.candidate) == ("m", "B")


def test_two_collections_give_no_prediction() -> None:
    collections = compare_collections({"x": scores(0.1, seed=1), "y": scores(0.1, seed=3)})
    assert collections.primary.prediction_low == -np.inf
    assert "It takes three collections" in " ".join(text_of(collections, detail="all").split())


def test_frames_have_a_row_a_collection_and_a_summary(found) -> None:
    assert found.to_frame()["collection"].tolist() == ["up", "down", "tie"]
    assert found.summaries["summary"].tolist() == ["stratified", "equal", "random"]


@pytest.mark.parametrize(("given", "how", "error", "words"), [
    ({}, {}, ArgumentError, "two collections or more"),
    ({"x": ({}, {})}, {}, ArgumentError, "not 1"),
    ({"x": 3, "y": 4}, {}, ArgumentError, "collection 'x' is"),
    ({"x": 3, "y": 4}, {"magrin": 1}, ArgumentError, "no argument magrin="),
])  # fmt: skip
def test_what_cannot_be_compared_is_refused(given, how, error, words) -> None:
    with pytest.raises(error, match=words):
        compare_collections(given, **how)


def test_other_measures_in_one_collection_are_refused() -> None:
    collection = abrank.simulate_runs(10, rng=1)
    runs = (collection.qrels, collection.baseline, collection.candidate)
    two = {m: abrank.compare(*runs, measures=m) for m in ("AP", "RR")}
    with pytest.raises(AlignmentError, match="'RR' was compared by other measures"):
        compare_collections(two)


def test_no_collection_and_no_measure_of_this_name(found) -> None:
    with pytest.raises(ArgumentError, match="up, down, tie"):
        found["left"]
    (measure,) = [measure.measure for measure in found.measures]
    assert found.of(measure) is found.primary
    with pytest.raises(ArgumentError, match=f"no measure 'P@5' here; there are {measure}"):
        found.of("P@5")


def test_what_the_files_were_taken_for_stands_once(tmp_path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    columns = (*scores(0.1, seed=1), scores(0.1, seed=2)[1])
    for path, column in zip(paths, columns, strict=True):
        rows = [f"{query},{value}" for query, value in column.items()]
        path.write_text("\n".join(["query_id,AP", *rows]))
    a, b, c = paths
    remarks = compare_collections({"x": (a, b), "y": (a, c)}, name_a="a", name_b="b").remarks
    assert remarks == (
        f"{a}: read as a column per measure, 30 queries, 1 measure (likewise 2 more)",
    )


def test_a_collection_of_one_query_is_untested() -> None:
    collections = compare_collections(
        {"one": ({"q1": 0.2}, {"q1": 0.5}), "many": scores(0.1, seed=1)}
    )
    assert [row.reading for row in collections.primary.rows] == ["untested", "better"]
    screen = " ".join(str(collections).split())
    assert "(95% interval not defined, p not defined)" in screen
    assert "next Compare more queries: a test takes two at the very least." in screen
    assert collections.pooled.decision.reason == "too-few-queries"
    assert "no interval (" in " ".join(str(collections.pooled).split())


# --- Segments and clusters of the queries

PAIRS = {"up": scores(0.1, seed=1), "down": scores(-0.06, seed=2, n=20)}
INTENT = {query: ("nav", "info")[i % 2] for i, query in enumerate(LETTERS)}
USER = {query: f"u{i // 3}" for i, query in enumerate(LETTERS)}


def table_of(*properties: str) -> pd.DataFrame:
    rows = [
        {"collection": name, "query_id": query, "intent": INTENT[query], "user": USER[query]}
        for name, (a, _) in PAIRS.items()
        for query in a
    ]
    return pd.DataFrame(rows)[["collection", "query_id", *properties]]


@pytest.mark.slow
def test_segments_come_by_collection_or_in_one_table(tmp_path) -> None:
    by_collection = compare_collections(
        PAIRS, segments={name: {"intent": INTENT} for name in PAIRS}
    )
    frame = compare_collections(PAIRS, segments=table_of("intent"))
    table_of("intent").to_csv(tmp_path / "s.csv", index=False)
    file = compare_collections(PAIRS, segments=tmp_path / "s.csv")
    assert by_collection.pooled.segmentations == frame.pooled.segmentations
    assert file.pooled.segmentations == frame.pooled.segmentations
    recorded = file["up"].provenance["inputs"]["segments"]
    assert (recorded["path"], len(recorded["sha256"])) == (str(tmp_path / "s.csv"), 64)
    (result,) = frame.pooled.segmentations
    assert [(row.label, row.n_queries) for row in result.rows] == [("info", 25), ("nav", 25)]
    values = np.concatenate([comparison.differences() for comparison in frame.comparisons.values()])
    for row in result.rows:
        assert row.mean == pytest.approx(values[np.array(result.labels) == row.label].mean())
    assert 0.0 < result.interaction_pvalue < 1.0
    assert frame.plot.segments().axes.get_xlabel().startswith("mean Δ")


def test_a_collection_may_have_no_segments() -> None:
    collections = compare_collections(PAIRS, segments={"up": {"intent": INTENT}})
    (intent,) = collections.pooled.segmentations
    assert [(row.label, row.n_queries) for row in intent.rows] == [
        ("(none)", 20), ("info", 15), ("nav", 15),
    ]  # fmt: skip
    assert collections["down"].segmentations == ()


@pytest.mark.slow
def test_clusters_are_of_their_collection(tmp_path) -> None:
    arguments = {"up": pd.Series(USER, name="user")}
    collections = compare_collections(PAIRS, design=abrank.Clusters(arguments))
    clusters = collections.pooled.clusters
    assert (clusters.name, clusters.n_clusters, clusters.largest) == ("user", 10 + 20, 3)
    assert collections["down"].clusters is None
    robust = pool_collections(
        [comparison.differences() for comparison in collections.comparisons.values()],
        clusters=[collections["up"].clusters.labels, None],
    )
    assert collections.primary.stratified.pvalue == robust.stratified.pvalue
    assert collections.rule.design.clusters == "user"
    assert collections.primary.rows[0].pvalue == collections["up"].pvalue
    # Users of one name in two collections are two.
    both = compare_collections(PAIRS, design=abrank.Clusters(table_of("user")))
    assert both.pooled.clusters.n_clusters == 10 + 7
    column = compare_collections(
        PAIRS, segments=table_of("user", "intent"), design=abrank.Clusters("user")
    )
    assert column.pooled.clusters.labels == both.pooled.clusters.labels
    assert [segmentation.name for segmentation in column.pooled.segmentations] == ["intent"]
    assert np.isnan(column.pooled.segmentations[0].interaction_pvalue)
    for i, result in enumerate((collections, both, column)):
        assert CollectionsComparison.from_json(result.report(tmp_path / f"{i}.json")) == result


def test_clusters_that_are_too_few_say_so() -> None:
    fromkeys = dict.fromkeys(LETTERS, "all")
    collections = compare_collections(PAIRS, design=abrank.Clusters({"up": fromkeys}))
    assert (str(collections.verdict), collections.decision.reason) == (
        "cannot-test",
        "too-few-clusters",
    )
    two = {query: f"u{i // 15}" for i, query in enumerate(LETTERS)}
    few = compare_collections(PAIRS, design=abrank.Clusters(dict.fromkeys(PAIRS, two)))
    assert [note.code for note in few.pooled.notes if note.code == "few-clusters"] == []
    assert few.pooled.clusters.n_effective > 3.0


@pytest.mark.parametrize(("segments", "words"), [
    ({"up": {"intent": INTENT}, "web": {"intent": INTENT}}, "segments of web: the collections"),
    ({"intent": INTENT}, "segments of intent: the collections are up, down"),
    (table_of("intent").drop(columns="collection"), "segments .*no column collection"),
    (table_of("intent").replace("up", "Up"),
     "holds the collections Up, down; the comparison has up, down"),
])  # fmt: skip
def test_segments_that_fit_no_collection_are_told(segments, words) -> None:
    with pytest.raises((ArgumentError, ReadError), match=words):
        compare_collections(PAIRS, segments=segments)


def test_a_comparison_has_its_own_segments() -> None:
    comparison = compare_scores(*PAIRS["up"])
    with pytest.raises(ArgumentError, match="the collection up: it is a Comparison"):
        compare_collections({**PAIRS, "up": comparison}, segments={"up": {"intent": INTENT}})


def _with_unjudged(seed: int, highest: int = 3) -> tuple[dict, dict, dict]:
    """Return a collection whose run A has up to ``highest - 1`` unjudged documents each."""
    random, none = np.random.default_rng(seed), ["n0", "n1", "n2"]

    def ranked(unjudged: int) -> dict[str, float]:
        docs = [f"u{i}" for i in range(unjudged)] + none[: random.integers(0, 3)] + ["r"]
        return {doc: -float(rank) for rank, doc in enumerate(docs)}

    queries = [f"q{i}" for i in range(20)]
    a = {query: ranked(int(random.integers(0, highest))) for query in queries}
    b = {query: ranked(0) for query in queries}
    return {query: {"r": 1, **dict.fromkeys(none, 0)} for query in queries}, a, b


@pytest.mark.parametrize(
    ("parts", "levels", "whole"),
    [
        # Neither is significant by itself; together they are, but for the unjudged documents.
        ({"one": (122, 3), "two": (123, 3)}, ["sound", "sound"], "doubtful"),
        ({"one": (0, 3), "two": (1, 3)}, ["doubtful", "sound"], "doubtful"),
        ({"one": (0, 3), "clear": (81, 1)}, ["doubtful", "sound"], "sound"),
    ],
)
def test_unjudged_documents_are_asked_of_all_collections_together(parts, levels, whole, tmp_path):
    result = compare_collections(
        {name: _with_unjudged(*options) for name, options in parts.items()}, measures=["nDCG@10"]
    )
    assert [item.soundness.level for item in result.comparisons.values()] == levels
    assert result.pooled.soundness.level == whole
    alternative = next(x for x in result.pooled.alternatives if x.kind == "partly-condensed")
    alone = [
        next((y.diff for y in item.alternatives if y.kind == alternative.kind), item.primary.diff)
        for item in result.comparisons.values()
    ]
    assert alternative.diff == pytest.approx(np.mean(alone))  # all have 20 queries
    text = "In doubt: unjudged documents of all collections together could make it “Inconclusive”."
    assert (text in " ".join(text_of(result).split())) == (whole == "doubtful")
    again = CollectionsComparison.from_json(result.report(tmp_path / "results.json"))
    assert again.pooled.soundness == result.pooled.soundness
