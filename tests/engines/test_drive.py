"""Jobs on one machine: split queries, other layouts, bad rows, what an earlier run has finished."""

import gzip
import itertools
import json
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, NotFoundError, ReadError, WriteError
from abrank.engines import Engine, drive, job
from abrank.measures.names import RequestedMeasures
from abrank.scoring.evaluate import _score_partitions
from tests.engines.conftest import MEASURES, write

SMALL = Engine(rows=100)


def test_queries_that_are_split_over_files_are_whole_again(collection):
    footers = [pq.read_metadata(path) for path in sorted((collection.folder / "A").iterdir())]
    groups = [footer.row_group(i) for footer in footers for i in range(footer.num_row_groups)]
    edges = [group.column(0).statistics for group in groups]
    split = [first.max for first, two in itertools.pairwise(edges) if first.max == two.min]
    assert split  # so the collection is what it is for
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=SMALL)
    collection.require_equal(scores)


def test_folders_need_no_engine_and_the_audits_are_those_of_frames(collection):
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES)
    collection.require_equal(scores)
    for system, audit in collection.scores.audits.items():
        result = scores.audits[system]
        assert (result.missing, result.extra) == (audit.missing, audit.extra)
        assert (result.n_rows, result.n_tied_rows) == (audit.n_rows, audit.n_tied_rows)
        assert result.judged_at_10 == pytest.approx(audit.judged_at_10, abs=1e-12)
        assert (result.n_judgments, result.grades) == (audit.n_judgments, audit.grades)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "message"), [
    ({"score": None}, r"part-1.parquet, row group 2, row 7: score is missing"),
    ({"score": float("inf")}, r"part-1.parquet, row group 2, row 7: score is infinite"),
    ({"doc_id": None}, r"part-1.parquet, row group 2, row 7: doc_id is missing"),
    ({"query_id": None}, r"part-1.parquet, row group 2, row 7: query_id is missing"),
    ({"doc_id": "d1", "query_id": "q033"}, r"document d1 twice in query q033"),
])  # fmt: skip
def test_a_bad_row_names_file_and_row_group(collection, tmp_path, change, message):
    frame = collection.runs["A"].copy()
    part = np.array_split(np.arange(len(frame)), 3)[1]
    for column, value in change.items():
        frame.loc[part[107], column] = value
    write(frame, tmp_path / "bad", n_files=3, group=50)
    with pytest.raises(ReadError, match=message) as error:
        abrank.evaluate(collection.qrels, {"A": tmp_path / "bad"}, MEASURES, engine=SMALL)
    assert "part-1.parquet, row group 2" in str(error.value)


@pytest.mark.slow
def test_a_second_run_takes_up_what_is_finished(collection, tmp_path, monkeypatch):
    engine = Engine(rows=100, keep_scores=str(tmp_path / "kept"))
    requested = (collection.folder / "qrels", collection.paths, MEASURES)
    score_partition, scored = drive.score_partition, []

    def dying(job, partition):
        if len(scored) == 2:
            raise KeyboardInterrupt
        scored.append(partition.number)
        return score_partition(job, partition)

    monkeypatch.setattr(drive, "score_partition", dying)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with pytest.raises(KeyboardInterrupt):
        abrank.evaluate(*requested, engine=engine)
    files = sorted(path.name for path in (tmp_path / "kept").glob("part-*"))
    assert files == ["part-00000.parquet", "part-00001.parquet"]
    assert not (tmp_path / "kept" / "_SUCCESS").exists()

    scored.clear()
    (tmp_path / "kept" / "._SUCCESS.0123").touch()  # half written, by a process that was killed
    monkeypatch.setattr(
        drive, "score_partition", lambda *a: scored.append(0) or score_partition(*a)
    )
    collection.require_equal(abrank.evaluate(*requested, engine=engine))
    assert not list((tmp_path / "kept").glob("._SUCCESS.*"))
    loads = json.loads((tmp_path / "kept" / "_SUCCESS").read_text())
    assert loads["partitions"] == len(scored) + 2
    parquet = pd.read_parquet(tmp_path / "kept")
    assert [*parquet.columns] == ["query_id", "system", "measure", "value"]
    assert len(parquet) == 60 * 2 * len(MEASURES)
    again = abrank.read_scores(tmp_path / "kept")
    assert (again.query_ids, again.systems) == (collection.scores.query_ids, ("A", "B"))
    np.testing.assert_array_equal(again.values, collection.scores.values)

    with pytest.raises(ArgumentError, match="holds the scores of other inputs, measures or opt"):
        abrank.evaluate(*requested[:2], ["AP"], engine=engine)


@pytest.mark.parametrize(("path", "columns", "error", "message"), [
    ("nowhere.parquet", None, NotFoundError, "nowhere.parquet: no Parquet file there"),
    ("run.parquet", ["a", "doc_id", "score"], ReadError, "run.parquet: no column query_id"),
    ("junk.parquet", None, ReadError, "junk.parquet: cannot be read as a Parquet file"),
])  # fmt: skip
def test_what_is_no_run(collection, tmp_path, monkeypatch, path, columns, error, message):
    monkeypatch.chdir(tmp_path)
    if columns:
        pq.write_table(pa.table({name: ["x"] for name in columns}), path)
    elif path == "junk.parquet":
        (tmp_path / path).write_text("no Parquet")
    with pytest.raises(error, match=message):
        abrank.evaluate(collection.qrels, {"A": path}, MEASURES, engine="local")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_run_of_another_form_says_what_it_is_and_what_to_do(collection, tmp_path, pack):
    (tmp_path / "a.run").write_bytes(pack(b"q00 Q0 d1 1 2.5 t\n" * 30_000))
    with pytest.raises(ReadError) as caught:
        abrank.evaluate(collection.qrels, {"A": tmp_path / "a.run"}, MEASURES, engine="local")
    problem, hint = str(caught.value).splitlines()
    assert problem.endswith("a.run: this looks like a TREC run, not like a Parquet file")
    assert hint.startswith("  --engine (engine=) reads Parquet only; leave it out")


def test_a_run_of_other_queries_is_an_error(collection, tmp_path):
    assign = collection.runs["A"].assign(query_id="p" + collection.runs["A"].query_id)
    write(assign, tmp_path / "A", n_files=1, group=200)
    with pytest.raises(AlignmentError, match="no query is in both the judgments and A"):
        abrank.evaluate(collection.qrels, {"A": tmp_path / "A"}, MEASURES, engine=SMALL)


def test_a_file_where_the_folder_of_scores_should_be(collection, tmp_path):
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(WriteError, match="kept: cannot be made: File exists"):
        abrank.evaluate(
            collection.folder / "qrels", collection.paths, MEASURES,
            engine=Engine(keep_scores=str(tmp_path / "kept")),
        )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"depth": 3}, {"duplicates": "max"}, {"missing": "drop"}])
def test_options_of_reading_are_those_of_frames(collection, tmp_path, options):
    frame = collection.runs["B"].copy()
    if "duplicates" in options:  # the ninth document of each query stands there twice
        frame.loc[frame.doc_id == "d8", "doc_id"] = "d0"
    write(frame, tmp_path / "B", n_files=2, group=50)
    scoring = abrank.Scoring(**options)
    result = abrank.evaluate(
        collection.folder / "qrels", {"B": tmp_path / "B"}, MEASURES, scoring=scoring, engine=SMALL
    )
    expected = abrank.evaluate(collection.qrels, {"B": frame}, MEASURES, scoring=scoring)
    assert result.query_ids == expected.query_ids
    np.testing.assert_array_equal(result.values, expected.values)
    assert not np.array_equal(result.values, collection.scores.values[:, 1:])
    n_dropped = [scores.audits["B"].n_duplicates_dropped for scores in (result, expected)]
    assert n_dropped == [frame.query_id.nunique() if "duplicates" in options else 0] * 2


def test_a_query_that_a_run_lacks_is_an_error_where_that_is_asked_for(collection):
    scoring = abrank.Scoring(missing="error")
    with pytest.raises(AlignmentError, match="q003"):
        abrank.evaluate(
            collection.folder / "qrels", collection.paths, MEASURES, engine=SMALL, scoring=scoring
        )


def test_a_document_twice_in_two_files_names_both(collection, tmp_path):
    (tmp_path / "A").mkdir()
    for number in range(2):
        rows = pd.DataFrame({"query_id": ["q000"], "doc_id": ["d1"], "score": [1.0 + number]})
        rows.to_parquet(tmp_path / "A" / f"part-{number}.parquet", index=False)
    with pytest.raises(ReadError, match="document d1 twice in query q000") as error:
        abrank.evaluate(collection.qrels, {"A": tmp_path / "A"}, MEASURES, engine=SMALL)
    text = str(error.value)
    assert "part-0.parquet, row group 0, row 0, and " in text
    assert "part-1.parquet, row group 0, row 0: " in text


def test_a_judgment_twice_is_refused(collection, tmp_path):
    twice = pd.concat([collection.qrels, collection.qrels[:1]]).sort_values("query_id")
    write(twice, tmp_path / "qrels", n_files=1, group=400)
    with pytest.raises(ReadError, match="document d0 twice in query q000"):
        abrank.evaluate(tmp_path / "qrels", collection.paths, MEASURES, engine=SMALL)


def test_numbers_as_query_ids_are_cut_where_a_row_group_goes_on(collection, tmp_path):
    run = collection.runs["A"].query("query_id != 'unjudged'")
    tables = {"qrels": collection.qrels, "A": run}
    for name, frame in tables.items():
        number = frame.query_id.str[1:].astype("int64")
        write(frame.assign(query_id=number), tmp_path / name, n_files=3, group=50)
    scores = abrank.evaluate(tmp_path / "qrels", {"A": tmp_path / "A"}, MEASURES, engine=SMALL)
    assert set(scores.query_ids) == {str(i) for i in range(60)}
    rows = [scores.query_ids.index(str(i)) for i in range(60)]
    np.testing.assert_array_equal(scores.values[rows], collection.scores.values[:, :1])


def test_files_that_do_not_say_which_queries_they_hold_are_regrouped(
    collection, tmp_path, monkeypatch
):
    written, write_rows = [], job._write_buckets
    monkeypatch.setattr(job, "_write_buckets", lambda *of: written.append(of) or write_rows(*of))
    for name, frame in {"qrels": collection.qrels, **collection.runs}.items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(
            table, tmp_path / f"{name}.parquet", row_group_size=90, write_statistics=False
        )
    paths = {name: tmp_path / f"{name}.parquet" for name in collection.runs}
    collection.require_equal(
        abrank.evaluate(tmp_path / "qrels.parquet", paths, MEASURES, engine=SMALL)
    )
    assert len(written) >= 1


def test_what_was_regrouped_before_an_interrupt_is_not_read_again(
    collection, tmp_path, monkeypatch
):
    path = tmp_path / "A.parquet"
    collection.runs["A"].sample(frac=1, random_state=5).to_parquet(
        path, index=False, row_group_size=60
    )
    engine = Engine(rows=100, keep_scores=str(tmp_path / "kept"))
    requested = collection.folder / "qrels", {"A": path}, MEASURES

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(drive, "score_partition", interrupted)
        with pytest.raises(KeyboardInterrupt):
            abrank.evaluate(*requested, engine=engine)
    monkeypatch.setattr(job, "_write_buckets", interrupted)
    scores = abrank.evaluate(*requested, engine=engine)
    np.testing.assert_array_equal(scores.values, collection.scores.values[:, :1])


def test_a_scheme_that_nobody_knows_is_refused(collection):
    pytest.importorskip("fsspec", reason="needs fsspec")
    with pytest.raises(ArgumentError, match=r"nosuch://b/a\.parquet: Protocol not known: nosuch"):
        abrank.evaluate(collection.qrels, {"A": "nosuch://b/a.parquet"}, MEASURES, engine="local")


def test_without_fsspec_the_error_says_what_to_install(collection, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ArgumentError, match="pip install fsspec"):
        abrank.evaluate(collection.qrels, {"A": "memory://a.parquet"}, MEASURES, engine="local")


def test_a_file_that_is_cut_short_after_its_footer_was_read(collection, tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    collection.runs["A"].to_parquet(path, index=False, row_group_size=100)
    score_partition = drive.score_partition

    def cut_first(job, partition):
        path.write_bytes(b"PAR1")
        return score_partition(job, partition)

    monkeypatch.setattr(drive, "score_partition", cut_first)
    with pytest.raises(ReadError, match=r"a.parquet, row group 0: cannot be read: "):
        abrank.evaluate(collection.folder / "qrels", {"A": path}, MEASURES, engine="local")


def test_files_of_a_folder_have_the_same_columns(collection, tmp_path):
    write(collection.runs["A"], tmp_path / "A", n_files=1, group=100)
    collection.runs["A"].drop(columns="score").to_parquet(
        tmp_path / "A" / "part-1.parquet", index=False
    )
    with pytest.raises(ReadError, match=r"part-1\.parquet: no column score; it has query_id"):
        abrank.evaluate(collection.qrels, {"A": tmp_path / "A"}, MEASURES, engine="local")


def test_of_many_partitions_progress_is_told_fifty_times(monkeypatch):
    message = []

    def score_tables(*_, on_progress, **__):
        for done in range(1, 1001):
            on_progress(done, 1000)
        raise ReadError("a.parquet", "is no table")

    monkeypatch.setattr(drive, "score_tables", score_tables)
    with pytest.raises(ReadError):
        _score_partitions(
            None, {}, RequestedMeasures.of(["AP"]), abrank.Scoring(), Engine(), message.append
        )  # fmt: skip
    assert (len(message), message[-1]) == (50, "scoring partitions: 1000 of 1000 done")


def test_options_that_do_nothing_are_refused():
    with pytest.raises(ArgumentError, match="the engine local has no address"):
        Engine(address="tcp://127.0.0.1:8786")
    with pytest.raises(ArgumentError, match="by subtopic, which no engine reads"):
        abrank.evaluate([("q", "d", 1)], {"A": "a.parquet"}, ["alpha_nDCG@10"], engine="local")
