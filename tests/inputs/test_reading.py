"""A file read block by block, and whole, gives the same; what the audit counts."""

import bz2
import dataclasses
import gzip
import hashlib
import json
import os

import numpy as np
import pyarrow as pa
import pytest

from abrank import AlignmentError, read_qrels, read_run, simulate_runs
from abrank.inputs import Audit, files, ids, join, read_judged_run
from abrank.inputs import reading as module
from abrank.inputs.join import how_ids_differ
from abrank.inputs.trec import NotPlain


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Qrels and a run, as files of every packing."""
    mktemp = tmp_path_factory.mktemp("runs")
    collection = simulate_runs(30, rng=4)
    collection.qrels.write(mktemp / "qrels.txt")
    plain = collection.candidate.write(mktemp / "a.run").read_bytes()
    (mktemp / "a.run.gz").write_bytes(gzip.compress(plain))
    (mktemp / "a.run.bz2").write_bytes(bz2.compress(plain))
    (mktemp / "a.run.zst").write_bytes(pa.compress(plain, "zstd", asbytes=True))
    # Interleaved queries are read whole.
    lines = plain.splitlines(keepends=True)
    (mktemp / "scattered.run").write_bytes(b"".join(lines[::2] + lines[1::2]))
    return mktemp


def not_plain(*_, **__):
    raise NotPlain


def same(one, other):
    for field in dataclasses.fields(one):
        if field.name not in {"subtopics", "retrieved_scores"}:
            assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


@pytest.mark.parametrize("name", ["a.run", "a.run.gz", "a.run.bz2", "a.run.zst", "scattered.run"])
def test_plain_files_are_streamed_and_give_what_they_give_whole(folder, name, monkeypatch):
    qrels, n_whole, read = read_qrels(folder / "qrels.txt"), [], files.read_columns
    monkeypatch.setattr(files, "read_columns", lambda *a, **k: n_whole.append(a) or read(*a, **k))
    streamed = read_judged_run(qrels, folder / name, top=3)
    assert len(n_whole) == (name == "scattered.run")
    monkeypatch.setattr(module, "block", not_plain)
    whole = read_judged_run(qrels, folder / name, top=3)
    assert n_whole
    same(streamed.judged, whole.judged)
    same(streamed.judged, join(qrels, read_run(folder / "a.run")))
    assert streamed.audit == whole.audit
    assert streamed.source == whole.source
    assert ids.decode(streamed.top_docs.docs) == ids.decode(whole.top_docs.docs)


def test_scores_are_kept_by_query_whatever_the_order_of_the_file(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("9 Q0 a 1 5 t\n9 Q0 b 2 4 t\n10 Q0 c 1 7 t\n8 Q0 c 1 6 t\n")
    qrels = read_qrels({"10": {"c": 1}, "9": {"b": 1}})
    judged = read_judged_run(qrels, path, keep_scores=True).judged
    assert judged.query_ids == ("10", "9")
    assert judged.retrieved_scores.tolist() == [7.0, 5.0, 4.0]
    assert judged.above(5.0).n_retrieved.tolist() == [1, 1]
    assert read_judged_run(qrels, path).judged.retrieved_scores is None


def test_a_file_is_hashed_unless_nobody_asks(folder):
    qrels = read_qrels(folder / "qrels.txt")
    expected = hashlib.sha256((folder / "a.run.gz").read_bytes()).hexdigest()
    assert read_judged_run(qrels, folder / "a.run.gz").source.sha256 == expected
    assert read_judged_run(qrels, folder / "a.run.gz", hashes=False).source.sha256 is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once(folder, tmp_path):
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = (folder / "scattered.run").read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    judged_run = read_judged_run(read_qrels(folder / "qrels.txt"), pipe)
    writer.join()
    same(
        judged_run.judged,
        read_judged_run(read_qrels(folder / "qrels.txt"), folder / "a.run").judged,
    )


def counts(qrels: object, run: object) -> Audit:
    return read_judged_run(read_qrels(qrels), run).audit


def test_every_count(tmp_path) -> None:
    (tmp_path / "a.run").write_bytes(
        b"\xef\xbb\xbf# note\n"
        b"1 Q0 a 1 5 t\n1 Q0 b 2 5 u\n1 Q0 c 3 6 t\n1 Q0 x 4 1 t\n"
        b"9 Q0 a 1 1 t\n"
    )
    result = counts({"1": {"a": 2, "b": 0, "c": -1}, "2": {"a": 1}}, tmp_path / "a.run")
    assert (result.n_queries, result.missing, result.extra) == (2, ("2",), ("9",))
    assert (result.n_rows, result.n_tied_rows, result.n_queries_with_ties) == (5, 2, 1)
    assert (result.n_rank_conflicts, result.n_duplicates_dropped) == (1, 0)
    assert (result.judged_at_10, result.n_unjudged_at_10) == (0.5, 2)
    assert (result.n_judgments, result.n_negative_grades) == (4, 1)
    assert (result.grades, result.tags) == ((-1, 0, 1, 2), ("t", "u"))
    assert (result.n_comments, result.byte_order_mark) == (1, True)
    assert result.path == str(tmp_path / "a.run")
    assert len(result.sha256 or "") == 64


def test_judged_at_10_looks_at_ten_and_averages_over_queries_with_results() -> None:
    deep = {f"d{i:02d}": float(-i) for i in range(20)}
    judged = {f"d{i:02d}": 0 for i in (0, 1, 2, 3, 9, 10, 11)}
    result = counts({"1": judged, "2": {"a": 1}, "3": {"a": 1}}, {"1": deep, "2": {"a": 1.0}})
    assert (result.judged_at_10, result.n_unjudged_at_10) == ((0.5 + 1.0) / 2, 5)


def test_it_goes_into_json() -> None:
    plain = counts({"1": {"a": 1}}, {"1": {"a": 1.0}}).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert (plain["missing"], plain["judged_at_10"]) == ([], 1.0)


def test_no_common_query_names_both_files(tmp_path) -> None:
    (tmp_path / "q.txt").write_text("".join(f"{q} 0 d 1\n" for q in (301, 302, 303, 304)))
    (tmp_path / "a.run").write_text("301.0 Q0 d 1 1 t\n")
    with pytest.raises(AlignmentError) as caught:
        counts(tmp_path / "q.txt", tmp_path / "a.run")
    assert str(caught.value).splitlines() == [
        f"no query is in both {tmp_path / 'q.txt'} and {tmp_path / 'a.run'}",
        '  qrels: 301, 302, 303 …   run: 301.0   the ids differ by ".0"',
    ]


@pytest.mark.every_case
@pytest.mark.parametrize(("qrels", "run", "words"), [
    (["301"], ["301.0"], '".0"'),
    (["1"], ["\ufeff1"], "a byte order mark"),
    (["303"], ["x303"], 'the prefix "x"'),
    (["wt-303"], ["303"], 'the prefix "wt-"'),
    (["303"], ["303_1"], 'the ending "_1"'),
])  # fmt: skip
def test_guesses(qrels: list[str], run: list[str], words: str) -> None:
    assert words in how_ids_differ(qrels, run)
