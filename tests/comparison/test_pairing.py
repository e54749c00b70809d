"""Ready scores of two systems, from whatever holds them.

Titles of the documents that are shown, from a file or a mapping.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, ReadError
from abrank._support.errors import UnclearError
from abrank.cli import run
from abrank.comparison import compare_scores, pair_scores
from abrank.comparison.evidence import SNIPPET, find_titles
from abrank.options import Scoring
from abrank.scoring.evaluate import score_runs

A = {"q1": 0.1, "q2": 0.3, "q3": 0.2}
B = {"q3": 0.5, "q1": 0.2, "q2": 0.2}
VALUES = [[0.1, 0.2], [0.3, 0.2], [0.2, 0.5]]


def long_frame() -> pd.DataFrame:
    rows = [
        (name, query, "map", value)
        for name, scores in (("BM25", A), ("T5", B))
        for query, value in scores.items()
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def write(path, scores) -> str:
    path.write_text("query_id,AP\n" + "".join(f"{q},{v}\n" for q, v in scores.items()))
    return str(path)


def test_every_kind_of_source_gives_the_same(tmp_path) -> None:
    kinds = [
        (A, B),
        (pd.Series(A), pd.Series(B)),
        (pd.DataFrame({"AP": A}), pd.DataFrame({"AP": B})),
        (write(tmp_path / "a.csv", A), tmp_path / write(tmp_path / "b.csv", B)),
        (abrank.read_scores(pd.DataFrame({"AP": A})), pd.DataFrame({"AP": B})),
    ]
    for a, b in kinds:
        pair = pair_scores(a, b)
        assert pair.query_ids == ("q1", "q2", "q3")
        assert pair.values[:, :, 0].tolist() == VALUES


def test_names_are_those_given_or_of_the_source(tmp_path) -> None:
    a, b = write(tmp_path / "bm25.csv", A), write(tmp_path / "t5.csv", B)
    assert pair_scores(A, B).systems == ("A", "B")
    assert pair_scores(A, B, name_b="T5").systems == ("A", "T5")
    assert pair_scores(pd.Series(A, name="bm25"), B).systems == ("bm25", "B")
    assert pair_scores(a, b).systems == ("bm25", "t5")
    assert pair_scores(a, b, name_a="old").systems == ("old", "t5")
    twins = pd.Series(A, name="bm25"), pd.Series(B, name="bm25")
    pair = pair_scores(*twins)  # of one name, which is the measure's
    assert (pair.systems, pair.measures) == (("A", "B"), ("bm25",))
    assert {name: source.path for name, source in pair_scores(a, b).sources.items()} == {
        "bm25": a, "t5": b,
    }  # fmt: skip


def test_one_table_of_two_systems() -> None:
    frame, both = long_frame(), {"baseline": "bm25", "candidate": "T5"}
    for options in ({"baseline": "BM25"}, {"candidate": "T5"}, both):
        pair = pair_scores(frame, **options)
        assert pair.systems == ("BM25", "T5")
        assert pair.values[:, :, 0].tolist() == VALUES
    pd.testing.assert_frame_equal(frame, long_frame())  # it was left as it is
    assert pair_scores(long_frame(), baseline="T5").systems == ("T5", "BM25")
    result = abrank.compare_scores(long_frame(), baseline="T5")
    assert (result.baseline, result.candidate) == ("T5", "BM25")
    assert result.mean_difference == pytest.approx(-0.1)


def test_it_must_be_clear_which_systems_are_meant() -> None:
    three = pd.concat([long_frame(), long_frame().query("name == 'T5'").assign(name="PL2")])
    for frame, options, why in (
        (three, {"baseline": "BM25"}, "BM25, T5, PL2: name the baseline and the candidate"),
        (three, {"candidate": "PL2"}, "3 variants"),
        (long_frame(), {}, "2 variants, BM25, T5"),
        (
            long_frame().rename(columns={"name": "dataset"}),
            {},
            "2 variants, BM25, T5.*; if they are collections, give the table as --collections",
        ),
        (long_frame().query("name == 'T5'"), {}, "holds one system, T5, and two are compared"),
        (long_frame(), {"baseline": "bn25"}, "has no variant 'bn25'; it holds 2 variants"),
    ):
        with pytest.raises(ReadError, match=why):
            pair_scores(frame, **options)
    with pytest.raises(ReadError, match="holds several systems, BM25, T5, and one is to stand"):
        pair_scores(long_frame(), B)
    pair = pair_scores(long_frame(), long_frame(), baseline="T5", candidate="BM25")
    assert pair.systems == ("T5", "BM25")


def test_measures_are_chosen_in_any_dialect() -> None:
    a = pd.DataFrame({"map": A, "own": B, "P_10": A})
    b = pd.DataFrame({"AP": B, "own": A})
    assert pair_scores(a, b, measures=["own", "map"]).measures == ("own", "AP")
    assert pair_scores(a, b, measures="map").values[:, :, 0].tolist() == VALUES
    with pytest.raises(AlignmentError, match="the measures differ: AP, own, P@10 and AP, own"):
        pair_scores(a, b)
    with pytest.raises(ArgumentError, match="no measure 'precision@10' here; there are AP, own"):
        pair_scores(a, b, measures=["precision@10"])
    with pytest.raises(ArgumentError, match=r"there are AP, own; did you mean own\?"):
        pair_scores(a, b, measures=["owm"])


def two_runs():
    collection = abrank.simulate_runs(40, rng=5)
    return collection.qrels, {"A": collection.baseline, "B": collection.candidate}


def test_evaluated_systems_are_compared_as_their_runs_are() -> None:
    qrels, runs = two_runs()
    whole = abrank.compare(qrels, runs["A"], runs["B"], measures=["AP"], name_a="A", name_b="B")
    scoring = Scoring()
    three = runs | {"C": runs["A"]}
    scores = score_runs(qrels, three, scoring.requested(["AP"]), scoring, top=20)
    assert abrank.compare_scores(scores, baseline="A", candidate="B") == whole
    # Without the documents there is all but the lists of them.
    without = abrank.compare_scores(abrank.evaluate(qrels, runs, ["AP"]))
    assert without.evidence == replace(whole.evidence, rankings={}, elsewhere={})
    assert (without.notes, without.audits) == (whole.notes, whole.audits)


def test_runs_of_two_evaluations_are_kept_where_the_judgments_are_one_file(tmp_path) -> None:
    qrels, runs = two_runs()
    qrels.write(tmp_path / "qrels")
    for judgments, selected in ((tmp_path / "qrels", {"A", "new"}), (qrels, set())):
        first, two = (abrank.evaluate(judgments, {name: runs[name]}, ["AP"]) for name in "AB")
        pair = pair_scores(first, two, name_b="new")
        assert set(pair.audits) == set(pair.judged_runs) == selected
        assert (pair.judgments is None) == (not selected)


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.array])
def test_numbers_without_ids_are_paired_by_position(make) -> None:
    a, b = [0.1, 0.2, 0.3, 0.5, 0.4] * 3, [0.3, 0.2, 0.5, 0.5, 0.9] * 3
    result = compare_scores(make(a), make(b))
    assert result.mean_difference == pytest.approx(np.mean(b) - np.mean(a))
    assert "paired by position" in " ".join(result.remarks)
    with pytest.raises(AlignmentError, match="15 scores of the baseline and 14 of the candidate"):
        compare_scores(make(a), make(b[:-1]))


def test_an_array_of_two_dimensions_shows_the_line_that_names_its_columns() -> None:
    with pytest.raises(ArgumentError, match=r"pandas\.DataFrame\(array, columns="):
        compare_scores(np.ones((3, 2)), np.ones((3, 2)))


def test_dicts_of_unknown_names_are_not_guessed_at() -> None:
    with pytest.raises(ReadError, match="neither of the two levels name a known measure"):
        compare_scores({"1": {"x": 0.5}}, {"1": {"x": 0.5}})
    answer = {"metric_score": 0.5, "details": {"1": {"metric_score": 0.5, "metric_details": {}}}}
    assert compare_scores(answer, answer).measures == ("score",)


MADE = abrank.simulate_runs(60, rng=3)


def test_only_what_is_shown_has_a_title_and_a_short_one() -> None:
    docs = {doc: f"{doc} {'long ' * 99}" for doc in MADE.qrels.doc_id}
    comparison = abrank.compare(
        MADE.qrels, MADE.baseline, MADE.candidate, docs=docs, measures="P@5"
    )
    titles = comparison.evidence.documents
    assert all(len(text) <= SNIPPET and text.startswith(doc) for doc, text in titles.items())
    assert all(text.endswith(" long…") for text in titles.values())
    order = comparison.differences().argsort(kind="stable").tolist()
    visible = {
        doc
        for i in (*order[:25], *order[-25:])
        for ranking in comparison.evidence.rankings[comparison.query_ids[i]]
        for doc, _ in ranking[:5]
    }
    assert set(titles) == visible & set(docs)


def test_ready_scores_have_no_lists_to_put_titles_to(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("query_id,AP\nq1,0.5\nq2,0.25\n")
    (tmp_path / "docs.tsv").write_text("d1\tOne\n")
    assert run(["compare", "--scores", "a.csv", "b.csv", "--docs", "docs.tsv"]) == 2
    assert "--docs is for runs, not for ready scores" in capsys.readouterr().err
    ready = abrank.compare_scores({"q": 0.5, "r": 0.1}, {"q": 0.6, "r": 0.2})
    with pytest.raises(ArgumentError, match="ready scores were compared"):
        find_titles({"d": "x"}, ready.evidence, None, ready.query_ids, ready.differences())


@pytest.mark.parametrize("swapped", [False, True])
def test_scores_on_two_scales_are_refused_at_every_door(swapped: bool) -> None:
    """Once "+9900.0%" and "gate passed: better"."""
    shares = {f"q{i}": 0.3 + 0.01 * i for i in range(30)}
    percent = {query: 100.0 * share + 1.0 for query, share in shares.items()}
    pair = (percent, shares) if swapped else (shares, percent)
    a, b = (pd.DataFrame({"AP": pd.Series(item)}) for item in pair)
    why = "AP runs from 0 to 1: .* lies within, but .* runs from 31 to 60; is one in per"
    with pytest.raises(AlignmentError, match=why):
        abrank.compare_scores(a, b, measures="AP")
    with pytest.raises(AlignmentError, match=why):
        abrank.rank_scores({"x": a, "y": b}, measures="AP")
    with pytest.raises(AlignmentError, match=why):
        abrank.compare_collections({"one": (a, b), "two": (a, b)}, measures="AP")
    # One unit for both is one scale, whatever it is; of an own score both ranges tell.
    assert str(abrank.compare_scores(b, b + 1.0 + b / 100.0, measures="AP").verdict) == "better"
    renames = [item.rename(columns={"AP": "stars"}) for item in (a, b)]
    with pytest.raises(AlignmentError, match=r"from 31 to 60.*; is one in per cent"):
        abrank.compare_scores(*(renames if not swapped else renames[::-1]))
    five = [item if item is renames[swapped] else item / 20.0 for item in renames]
    assert str(abrank.compare_scores(*five).verdict) in ("better", "worse")


def test_one_file_under_two_names_is_wrong_usage(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    scores = tmp_path / "a.csv"
    scores.write_text("query_id,AP\nq1,0.5\nq2,0.4\nq3,0.1\n")
    (tmp_path / "linked.csv").symlink_to(scores)
    (tmp_path / "hard.csv").hardlink_to(scores)
    (tmp_path / "copy.csv").write_bytes(scores.read_bytes())
    for second in (scores, str(scores), "a.csv", "./a.csv", "linked.csv", "hard.csv"):
        with pytest.raises(ArgumentError, match="A and B are the same file") as caught:
            abrank.compare_scores(scores, second)
        assert caught.value.exit_code == 2
    # A file of the same content is a system that did not change.
    assert abrank.compare_scores(scores, "copy.csv").verdict == "identical"


def test_one_file_among_repeated_runs_is_refused_only_where_all_are_alike(tmp_path) -> None:
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    for name in "xyz":
        (tmp_path / name).write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d2 1 1 t\n")
    x, y, z = (str(tmp_path / name) for name in "xyz")
    with pytest.raises(ArgumentError, match="A and B are the same file"):
        abrank.compare(qrels, [x, y], [x, y], measures="AP")
    assert abrank.compare(qrels, [x, y], [x, z], measures="AP").verdict == "identical"


@pytest.mark.parametrize("variants", [(0, 1), (False, True)])
def test_a_variant_may_be_a_number_or_a_truth_value(variants) -> None:
    table = pd.DataFrame({
        "query": ["q1", "q2"] * 2, "is_treatment": np.repeat(variants, 2),
        "ndcg": [0.1, 0.2, 0.3, 0.4],
    })  # fmt: skip
    pair = pair_scores(table, baseline=variants[1], candidate=variants[0])
    np.testing.assert_array_equal(pair.values[:, :, 0], [[0.3, 0.1], [0.4, 0.2]])


def test_repeated_rows_are_explained_by_ways_that_compare_the_variants() -> None:
    days = pd.DataFrame({
        "query": ["q1", "q2"] * 4, "variant": ["new"] * 4 + ["control"] * 4,
        "status": ["cold", "cold", "warm", "warm"] * 2,
        "ndcg": [0.1, 0.2, 0.3, 0.4, 0.2, 0.3, 0.4, 0.6],
    })  # fmt: skip
    with pytest.raises(UnclearError) as error:
        abrank.compare_scores(days)
    repeat, together, _ = error.value.calls
    assert repeat == "abrank.compare_scores(a, columns={'repeat': 'status'})"
    assert "baseline='control/cold', candidate='new/cold'" in together


def test_users_that_saw_one_variant_are_offered_as_independent_groups() -> None:
    random = np.random.default_rng(1)
    users = np.repeat(np.arange(40), 3)
    table = pd.DataFrame({
        "user_id": users, "query": random.integers(0, 4, 120),
        "variant": np.where(users % 2, "B", "A"), "clicked": random.integers(0, 2, 120),
    })  # fmt: skip
    with pytest.raises(UnclearError) as error:
        abrank.compare_scores(table)
    call, averaged = error.value.calls
    assert call.endswith(
        "columns={'query': 'user_id', 'repeat': 'rows'}, design=abrank.Independent())"
    )
    assert "Independent" not in averaged
    result = abrank.compare_scores(
        table, columns={"query": "user_id", "repeat": "rows"}, design=abrank.Independent()
    )
    assert result.n_queries == 40


def test_a_system_whose_name_sounds_like_a_cost_is_a_system_of_a_ranking() -> None:
    table = pd.DataFrame({
        "query": ["q1", "q2", "q3"], "bm25": [0.1, 0.3, 0.2], "rank^fusion": [0.2, 0.5, 0.1],
        "splade": [0.3, 0.4, 0.2],
    })  # fmt: skip
    assert abrank.rank_scores(table, baseline="bm25").systems[0] == "splade"


def test_judges_of_the_same_answers_are_averaged() -> None:
    random = np.random.default_rng(3)
    table = pd.DataFrame(
        [(q, model, judge) for q in range(6) for model in ("base", "new") for judge in "xyz"],
        columns=["id", "model", "judge"],
    ).assign(rating=random.integers(1, 6, 36))
    pair = pair_scores(table)
    mean = table.groupby(["id", "model"])["rating"].mean().unstack()
    np.testing.assert_allclose(pair.values[:, :, 0], mean[["base", "new"]])
    assert any("(judge) are averaged: up to 3 rows" in note for note in pair.notes)
    assert not any("its runs" in note for note in pair.notes)
    only = pair_scores(table[table["model"] == "new"], baseline="x", candidate="y")
    assert only.systems == ("x", "y")  # here the judges are compared


@pytest.mark.parametrize(
    ("one", "other"),
    [("{0:03}", "{0}"), ("Q{0}", "q{0}"), (" q{0} ", "q{0}"), ("q{0:04}", "q{0}"),
     ("{0}.0", "{0}"), ("caf\u00e9 {0}", "cafe\u0301 {0}")],
)  # fmt: skip
def test_ids_that_are_written_differently_are_to_be_written_alike(one: str, other: str) -> None:
    a, b = ({form.format(i): float(i) for i in range(1, 10)} for form in (one, other))
    words = r"differ in case, blanks, leading zeros, \.0 or forms of Unicode: write"
    with pytest.raises(AlignmentError, match=words) as error:
        pair_scores(a, b)
    assert "independent" not in str(error.value)
    for n_shared in (1, 30):  # a few ids are alike, or most
        shared = {f"x{i}": 1.0 for i in range(n_shared)}
        with pytest.raises(AlignmentError, match=words):
            pair_scores(a | shared, b | shared)


def test_few_users_that_saw_both_are_no_pairs_and_are_named() -> None:
    frame = pd.DataFrame({
        "user": [f"u{i:02}" for i in (*range(20), *range(18, 38))],
        "variant": ["control"] * 20 + ["treatment"] * 20, "gain": np.arange(40) % 7,
    })  # fmt: skip
    for design in (None, abrank.Independent()):
        with pytest.raises((AlignmentError, ArgumentError), match=r"share 2 of 38 queries.*u18"):
            compare_scores(frame, design=design)
    alone = frame[~frame["user"].isin(["u18", "u19"])]
    assert compare_scores(alone, design=abrank.Independent()).n_queries == 36
    with pytest.raises(
        AlignmentError, match=r"no query has scores of all 2 systems; two groups.*independent$"
    ):
        abrank.rank_scores(alone)


def test_a_score_that_is_the_same_on_all_rows_of_a_variant_is_one() -> None:
    frame = pd.DataFrame(
        {"query": ["q1", "q2"] * 2, "variant": ["control"] * 2 + ["treatment"] * 2}
    )
    assert compare_scores(frame.assign(converted=0)).verdict == "identical"
    assert compare_scores(frame.assign(converted=[0, 0, 1, 1])).mean_difference == 1.0


def test_rows_without_ids_are_asked_for_a_column_of_queries() -> None:
    frame = pd.DataFrame({"variant": ["control", "treatment"] * 4, "ndcg": np.arange(8) / 8})
    with pytest.raises(AlignmentError, match="no column names the queries: --columns query="):
        compare_scores(frame)
    assert compare_scores(frame, design=abrank.Independent()).n_queries == 8


def test_no_measure_is_no_choice() -> None:
    with pytest.raises(ArgumentError, match="no measure is named"):
        compare_scores({"q1": 0.1, "q2": 0.2}, {"q1": 0.2, "q2": 0.4}, measures=[])


def test_weights_that_differ_within_a_query_are_no_property_of_it() -> None:
    frame = pd.DataFrame({
        "query": ["q1", "q2", "q3"] * 2, "variant": ["control"] * 3 + ["treatment"] * 3,
        "ctr": [0.1, 0.2, 0.3, 0.2, 0.2, 0.4], "impressions": range(6),
    })  # fmt: skip
    assert compare_scores(frame).measures == ("ctr",)
    with pytest.raises(ArgumentError, match="weights: impressions is no file, nor a property of"):
        compare_scores(frame, design=abrank.Weights("impressions"))
