"""Ready scores of other programs, and of this one, as Scores."""

import hashlib

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, NotFoundError, ReadError, read_scores
from abrank.scoring.score_files import check, one_system

TREC = """\
num_ret               \t302\t5
map                   \t302\t0.2500
relstring             \t302\t'01001'
num_ret               \t301\t4
map                   \t301\t0.5001
relstring             \t301\t'0110-'
runid                 \tall\tBM25
num_q                 \tall\t2
num_ret               \tall\t9
map                   \tall\t0.3751
gm_map                \tall\t0.3536
"""


@pytest.fixture
def saved(tmp_path):
    def write(text: str, name: str = "bm25.eval"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_trec_eval(saved) -> None:
    path = saved(TREC)
    scores = read_scores(path)
    assert (scores.query_ids, scores.systems) == (("301", "302"), ("bm25",))
    assert scores.measures == ("NumRet", "AP")
    np.testing.assert_array_equal(scores.of("bm25"), [[4, 0.5001], [5, 0.25]])
    assert scores.notes == (
        f"{path}: read as trec_eval -q, 2 queries, 2 measures; left out: relstring (2 of text),"
        " runid (1 of text), num_q (no score per query), gm_map (no score per query)",
    )
    assert scores.sources["bm25"].path == str(path)
    assert scores.audits == {}


@pytest.mark.parametrize(("old", "new", "said"), [
    ("map                   \tall\t0.3751", "map all 0.3752", '"all" gives 0.3752 for map'),
    ("num_ret               \tall\t9", "num_ret all 10", '"all" gives 10 for num_ret'),
])  # fmt: skip
def test_an_aggregate_that_is_not_that_of_the_queries(saved, old, new, said) -> None:
    with pytest.raises(ReadError) as caught:
        read_scores(saved(TREC.replace(old, new)))
    assert "bm25.eval, line " in str(caught.value)
    assert said in str(caught.value)
    assert "but 2 queries" in str(caught.value)
    assert "trec_eval -c" in str(caught.value)


def test_aggregates_are_allowed_their_rounding(saved) -> None:
    # The mean of 0.5001 and 0.25 is 0.37505, which may be printed either way; each of the two may
    # be half a unit off too. A sum of rounded values is off by more.
    for value in ("0.3750", "0.3751"):
        read_scores(saved(TREC.replace("all\t0.3751", f"all\t{value}")))
    read_scores(saved("301\tNumRel\t1.4\n302\tNumRel\t1.4\nall\tNumRel\t2.7\n"))
    with pytest.raises(ReadError):
        read_scores(saved("301\tNumRel\t1.4\n302\tNumRel\t1.4\nall\tNumRel\t2.6\n"))


def test_an_unknown_measure_may_be_a_mean_or_a_sum(saved) -> None:
    lines = "own 301 1\nown 302 2\nmap 301 0\nmap 302 0\n"
    for aggregate in ("1.5", "3"):
        assert read_scores(saved(f"{lines}own all {aggregate}\n")).measures == ("own", "AP")
    with pytest.raises(ReadError, match='"all" gives 2 for own'):
        read_scores(saved(f"{lines}own all 2\n"))


def test_the_means_of_ndeval_are_aggregates_too(saved) -> None:
    text = "runid,topic,alpha-nDCG@5,NRBP\nr,1,0.5,0.2\nr,2,0.25,0.4\nr,amean,0.375,0.3\n"
    scores = read_scores(saved(text, "a.csv"))
    assert (scores.systems, scores.query_ids) == (("r",), ("1", "2"))
    assert scores.measures == ("alpha_nDCG@5", "NRBP")


def test_a_missing_score_names_query_and_measure(saved) -> None:
    with pytest.raises(ReadError) as caught:
        read_scores(saved("query_id,AP,ndcg_cut_10\n301,0.5,0.25\n302,,\n"))
    assert "query 302 has no score of AP (2 scores are missing in all)" in str(caught.value)
    with pytest.raises(ReadError, match="query 302 has no score of RR of B"):
        read_scores(saved("system,query_id,RR\nA,301,1\nA,302,1\nB,301,1\n"))
    with pytest.raises(ReadError, match=r"query 301 has no score of RR\n"):
        read_scores(saved("map 301 0.5\nmap 302 0.5\nrecip_rank 302 1\n"))


def test_two_scores_in_one_place(saved) -> None:
    with pytest.raises(ReadError, match="lines 1 and 3: query 301 has several scores of map"):
        read_scores(saved("map 301 0.5\nmap 302 0.5\nmap 301 0.5\n"))
    with pytest.raises(ReadError, match="lines 2 and 2: query 301 has two scores of AP"):
        read_scores(saved("query_id,map,AP\n301,0.5,0.5\n"))


def test_aggregates_alone_are_not_enough(saved) -> None:
    with pytest.raises(ReadError, match="no score of a query") as caught:
        read_scores(saved("map all 0.5\nndcg all 0.5\n"))
    assert "trec_eval -q" in str(caught.value)


def test_systems_are_named_or_chosen(saved) -> None:
    first = saved("query_id,AP\n301,0.5\n", "old.csv")
    assert read_scores(first).systems == ("old",)
    assert read_scores(first, system="BM25").systems == ("BM25",)
    assert read_scores(first, system="BM25").sources["BM25"].path == str(first)
    two = saved("system,query_id,AP\nA,301,0.5\nB,301,0.25\n")
    assert read_scores(two).systems == ("A", "B")
    assert read_scores(two, system="B").values.tolist() == [[[0.25]]]
    with pytest.raises(ArgumentError, match="there are A, B"):
        read_scores(two, system="C")
    both = read_scores(two)
    assert read_scores(both) is both
    assert read_scores(both, system="A").systems == one_system(both, "A").systems == ("A",)


@pytest.fixture(scope="module")
def scored():
    """Scores of two runs by measures of every kind of aggregate."""
    collection = abrank.simulate_runs(12, rng=3)
    names = [
        "nDCG@10", "AP(rel=2)", "nDCG(dcg='exp-log2')@5", "NumRelRet", "GMAP", "SetF(beta=0.5)",
    ]  # fmt: skip
    return (
        collection,
        names,
        abrank.evaluate(
            collection.qrels, {"a": collection.baseline, "b": collection.candidate}, names
        ),
    )


@pytest.mark.parametrize("runs", [["a"], ["a", "b"]])
def test_what_score_prints_is_read_back(scored, tmp_path, command, runs) -> None:
    result, names, scores = scored
    result.qrels.write(tmp_path / "qrels")
    result.baseline.write(tmp_path / "a.run")
    result.candidate.write(tmp_path / "b.run")
    paths = [str(tmp_path / f"{name}.run") for name in runs]
    flags = [part for name in names for part in ("-m", name)]
    call = ["score", str(tmp_path / "qrels"), *paths, *flags, "--per-query", "-q", "--digits"]
    for digits, tolerance in (("17", 1e-16), ("4", 5.1e-5)):
        (tmp_path / "a.eval").write_text(command([*call, digits]).out)
        again = read_scores(tmp_path / "a.eval")
        assert again.query_ids == scores.query_ids
        assert again.systems == tuple(runs)
        assert again.measures == scores.measures
        expected = scores.values[:, : len(runs)]
        np.testing.assert_allclose(again.values, expected, rtol=0, atol=tolerance)


def test_trec_evals_own_output(shared_data) -> None:
    folder = shared_data / "trec_eval_test"
    scores = read_scores(folder / "out.test.aq")
    assert scores.query_ids == ("301", "302", "303")
    evaluated = abrank.evaluate(
        folder / "qrels.test", {"out.test.aq": folder / "results.test"}, ["AP", "P@5", "Bpref"]
    )
    for measure in evaluated.measures:
        theirs = scores.values[:, 0, scores.measures.index(measure)]
        ours = evaluated.values[:, 0, evaluated.measures.index(measure)]
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=5.1e-5)
    # -c counts a topic that the run lacks, and version 9 prints no line for it.
    with pytest.raises(ReadError, match=r'the row "all" gives 561 for num_rel, but 2 queries 484'):
        read_scores(folder / "v9.0.8" / "out.test.aqc")


def test_what_one_of_the_joined_sources_lacks_is_missing(tmp_path) -> None:
    (tmp_path / "hits.csv").write_text("query_id,HR@20\n1,1\n2,0\n3,1\n")
    (tmp_path / "ms.csv").write_text("query_id,ms\n2,30\n3,20\n4,10\n")
    files = [tmp_path / "hits.csv", tmp_path / "ms.csv"]
    with pytest.raises(ReadError, match=r"query 1 has no score of ms \(2 scores .*\n.*drop"):
        read_scores(files)
    copies = [path.with_stem(f"{path.stem}-2") for path in files]
    for path, copy in zip(files, copies, strict=True):
        copy.write_text(path.read_text())
    comparison = abrank.compare_scores(files, copies, missing="drop", lower_is_better="ms")
    assert comparison.query_ids == ("2", "3")
    assert comparison.a.tolist() == [[0.0, 30.0], [1.0, 20.0]]
    read = comparison.provenance["inputs"]["a"]
    hashes = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)
    assert read["path"] == ",".join(map(str, files))
    assert read["sha256"] == hashlib.sha256(hashes.encode()).hexdigest()


def test_files_of_a_folder_are_checked_by_their_names(tmp_path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "runs" / "a.run").write_text("q1 Q0 d1 1 2 t\n")
    (tmp_path / "README.md").write_text("no input\n")
    checked = check(tmp_path)
    assert checked.passed
    assert [run.name for run in checked.runs] == ["a"]
    assert [audit.missing for _, _, audit in checked.audits] == [()]
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="no file of judgments, runs or scores"):
        check(tmp_path / "empty")


@pytest.mark.parametrize(("text", "problem"), [
    ("query_id,variant,ndcg\nq1,a,0.1\nq1,a,0.2\n", "q1 has several rows for variant=a"),
    ("query_id,winner\nq1,A\nq2,B\n", "votes are compared by --preferences FILE"),
    ("qid,docno,score\nq1,d1,0.5\nq1,d1,0.2\n", "document d1 twice in query q1"),
    ("query_id,doc_id,score\nq1,d1,x\n", 'score "x" is not a number'),
])  # fmt: skip
def test_check_names_the_fault_of_what_a_table_is(tmp_path, text, problem) -> None:
    (tmp_path / "t.csv").write_text(text)
    (error,) = abrank.check(tmp_path / "t.csv").errors
    assert problem in str(error)
