"""The stream of blocks against the reader of whole files, on nasty and on random files."""

import gzip
import io
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank import evaluate
from abrank._support.errors import ReadError
from abrank.inputs import ids
from abrank.inputs.columns import has_duplicates
from abrank.inputs.join import join_pieces
from abrank.inputs.qrels import read_qrels
from abrank.inputs.reading import read_judged_run
from abrank.inputs.run import read_run
from abrank.inputs.trec import stream
from abrank.inputs.trec.stream import NotPlain

FIELD = st.sampled_from(["301", "q-1", "é", "a#b", "1e5", "007", "d" * 40, "NaN", '"', "x", "0x1f"])
SCORE = st.sampled_from(["1", "2.5", "-0", "0.0", "1e3", "2.50", "nan", "inf", "1,5", "0x10", "3."])
BLANK = st.sampled_from([" "] * 30 + ["  ", "\t", "\r"])
ENDING = st.sampled_from(["\n"] * 30 + ["\n\n", "\r\n", "\n#c\n", " \n", ""])


@st.composite
def files(draw):
    """Runs that are mostly plain, with all that may go wrong in some of them."""
    rows = []
    for query in draw(st.lists(FIELD, min_size=1, max_size=4)):
        for doc in draw(st.lists(FIELD, min_size=1, max_size=4)):
            fields = [query, "Q0", doc, draw(st.sampled_from(["1", "2", "x", "0x2"])),
                      draw(SCORE), draw(FIELD)]  # fmt: skip
            fields += draw(st.sampled_from([[]] * 5 + [["more"]]))
            rows.append(draw(BLANK).join(fields) + draw(ENDING))
    return "".join(rows).encode()


def streamed(data, score_dtype="float64"):
    """Every ranking of the stream: query id, documents and scores in rank order."""
    found = {}
    for chunk in stream.chunks(io.BytesIO(data)):
        block = stream.block(chunk, score_dtype=score_dtype)
        queries = ids.decode(block.queries)
        if found.keys() & set(queries) or len(set(queries)) < len(queries):
            raise NotPlain("the lines of a query do not stand together")
        rows = np.arange(len(block.score)) if block.row is None else block.row
        docs = ids.decode(ids.take(block.docs, rows))
        for i, query in enumerate(queries):
            rows = slice(int(block.first_row[i]), int(block.first_row[i + 1]))
            found[query] = list(zip(docs[rows], block.score[rows].tolist(), strict=True))
    return found


def whole(path, score_dtype="float64"):
    run = read_run(path, score_dtype=score_dtype)
    return {query: run.ranking(query) for query in run.query_ids}


def test_what_is_too_long_to_be_held_is_left_to_the_careful_reader(monkeypatch, tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 1 t\nq1 Q0 " + b"x" * (2 << 20))
    with pytest.raises(NotPlain, match="a line that is too long"):
        list(stream.chunks(io.BytesIO(path.read_bytes())))
    qrels = read_qrels({"q1": {"d7": 1}})
    with pytest.raises(ReadError, match="byte 15: a line is longer than 1 MB"):
        read_judged_run(qrels, path)

    lines = [b"q1 Q0 d%d %d %d t\n" % (i, i, 99 - i) for i in range(20)]
    path.write_bytes(b"".join(lines))
    monkeypatch.setattr(stream, "BLOCK", 64)
    monkeypatch.setattr(stream, "LARGEST", 100)
    with pytest.raises(NotPlain, match="a ranking that is too large to be held"):
        list(stream.chunks(io.BytesIO(path.read_bytes())))
    assert evaluate(qrels, {"A": path}, ["RR"]).values.tolist() == [[[1 / 8]]]


@settings(max_examples=200)
@given(data=files(), score_dtype=st.sampled_from(["float64", "float32"]))
def test_random_files_give_the_same_rankings_or_are_left_to_the_careful_reader(
    data, score_dtype, tmp_path_factory
):
    path = tmp_path_factory.mktemp("runs") / "one.run"
    path.write_bytes(data)
    try:
        found = streamed(data, score_dtype)
    except NotPlain:
        return
    assert found == whole(path, score_dtype)


@pytest.mark.parametrize("size", [64, 100, 1000])
def test_queries_that_stand_across_blocks_stay_whole(size, monkeypatch, tmp_path):
    draw = random.Random(3)
    lines = [
        f"q{query} Q0 d{doc:03d} {rank} {draw.choice([3.0, 2.5, 2.0, 1.25])} tag{query % 2}\n"
        for query in range(40)
        for rank, doc in enumerate(draw.sample(range(999), draw.randint(1, 12)), 1)
    ]
    data = "".join(lines).encode()
    path = tmp_path / "many.run"
    path.write_bytes(data)
    monkeypatch.setattr(stream, "BLOCK", size)
    run = read_run(path)
    assert streamed(data) == whole(path)
    chunks = list(stream.chunks(io.BytesIO(data)))
    assert b"".join(chunks) == data
    blocks = [stream.block(chunk) for chunk in chunks]
    assert len(blocks) > 3
    assert {tag for block in blocks for tag in block.tags} == set(run.tags) == {"tag0", "tag1"}
    assert sum(block.n_rank_conflicts for block in blocks) == run.n_rank_conflicts > 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("301 Q0 d1 1 2.5\n", "bad line"),
        ("\ufeff301 Q0 d1 1 2.5 t\n", "bad line"),
        ("301 Q0 d1 1 2.5 t\n\n301 Q0 d2 1 2.5 t\n", "bad line"),
        ("301 Q0 d1 1 high t\n", "number"),
        ("301 Q0 d1 1 1e999 t\n", "number"),
        ("301 Q0 d1 1 2.5 t\n# more\n", "comment"),
        ("301 Q0 d1 1 2.5 t\n301 Q0 d\0 1 2.5 t\n", "bad line"),
        ("301 Q0 d1 1 2.5 t\n301  d1 1 2.5 t\n", "bad line"),
        ("301 Q0 d1 1 2.5 t\n301 Q0 d2 1 2.5 t\n301 Q0 d1 1 2.5 t\n", "twice"),
        ("301 Q0 d1 0x1 2.5 t\n", "rank"),
        ("301 Q0 d1 -1 2.5 t\n", "rank"),
        ("301 Q0 d1 -0 2.5 t\n", "rank"),
    ],
)
def test_what_is_not_plain_is_refused(line, why):
    with pytest.raises(NotPlain, match=why):
        stream.block(line.encode())


@pytest.mark.parametrize("size", [1 << 21, 20])
def test_lines_of_a_query_that_stand_apart_are_refused(size, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK", size)
    qrels = read_qrels({"301": {"d1": 1}})
    for query in (b"301", b"302"):
        rows = [b"%s Q0 d1 1 2.5 t\n" % each for each in (query, b"303", b"304", query)]
        with pytest.raises(NotPlain, match="together"):
            join_pieces(qrels, stream.chunks(io.BytesIO(b"".join(rows))), stream.block)


def test_nasty_files(shared_data):
    count = {"streamed": 0, "left": 0, "refused": 0}
    for path in sorted((shared_data / "nasty").glob("*/*.run*")):
        stored = path.read_bytes()
        packed = path.suffix == ".gz" and stored[:2] == b"\x1f\x8b"
        try:
            data = gzip.decompress(stored) if packed else stored
        except EOFError:
            continue
        try:
            found = streamed(data)
        except NotPlain:
            try:
                whole(path)
                count["left"] += 1
            except ReadError:
                count["refused"] += 1
            continue
        assert found == whole(path), path.name
        count["streamed"] += 1
    print(count)
    assert count["streamed"] >= 15
    assert count["refused"] >= 10


def test_duplicates_are_told_from_look_alikes():
    query = np.array([0, 0, 1, 1])
    once, twice = ids.encode(["d1", "d2", "d1", "d2"]), ids.encode(["d1", "d2", "d1", "d1"])
    assert not has_duplicates(query, once, ids.fingerprint(once))
    assert has_duplicates(query, twice, ids.fingerprint(twice))
    assert not has_duplicates(query, once, np.zeros(4, dtype=np.uint64))


def test_late_tabs_and_long_lines_are_streamed(monkeypatch):
    monkeypatch.setattr(stream, "BLOCK", 64)
    lines = [b"%d Q0 d1 1 2.5 t\n" % query for query in range(301, 309)]
    late = [b"401 Q0 d2\t2 2.5 t\r\n", b"402  Q0 " + b"d" * 200 + b" 2 2.5 t"]
    found = streamed(b"".join(lines + late))
    assert found["401"] == [("d2", 2.5)]
    assert found["402"] == [("d" * 200, 2.5)]
    assert len(found) == 10
