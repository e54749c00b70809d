"""TREC lines, as blocks and written: what is taken, what is refused, and that both agree."""

import io
import random

import numpy as np
import pytest

from abrank import ArgumentError, ReadError, evaluate, read_qrels, read_run
from abrank.inputs import ids, trec
from abrank.inputs.columns import QRELS, RUN, Columns, Layout
from abrank.inputs.reading import read_judged_run
from abrank.inputs.trec import NotPlain, parse

LINE = b"301 Q0 d1 1 2.5 tag\n"


def rows(columns: Columns) -> list[tuple[bytes, bytes, float, int]]:
    return list(
        zip(
            ids.unpack(columns.query), ids.unpack(columns.doc), columns.value.tolist(),
            columns.position.tolist(), strict=True,
        )
    )  # fmt: skip


def run_rows(data: bytes) -> list[tuple[bytes, bytes, float, int]]:
    return rows(parse([data], RUN, label="a.run"))


def problem(data: bytes, layout: Layout = RUN) -> ReadError:
    with pytest.raises(ReadError) as caught:
        parse([data], layout, label="a.run")
    return caught.value


def test_a_carriage_return_separates_and_does_not_end_a_line() -> None:
    assert run_rows(b"301 Q0\rd1\r1 2.5 tag\r\n") == [(b"301", b"d1", 2.5, 1)]


def test_comments_and_blank_lines_keep_the_numbering() -> None:
    read = parse([b"# note\n\n" + LINE + b"#\n" + LINE.replace(b"d1", b"d2")], RUN, label="a.run")
    assert (read.position.tolist(), read.source.n_comments) == ([3, 5], 2)


@pytest.mark.parametrize(
    "before", [b"", b"\n\n", b"# a note\n", b"# six words that are no record\n"]
)
def test_a_line_with_the_form_of_a_record_is_no_comment(before: bytes) -> None:
    data = before + b" #1 Q0 d1 1 2.5 tag\n#2 Q0 d2 1 2.5 tag\n"
    first = before.count(b"\n") + 1
    assert run_rows(data) == [(b"#1", b"d1", 2.5, first), (b"#2", b"d2", 2.5, first + 1)]
    assert parse([data], RUN, label="a.run").source.n_comments == before.count(b"#")


def test_bytes_that_are_not_utf8_survive() -> None:
    read = parse(["301 Q0 é 1 2.5 ü\n".encode("latin-1")], RUN, label="a.run")
    assert (ids.unpack(read.doc), read.tags) == ([b"\xe9"], ("\udcfc",))


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (("1", "02"), [1, 2]), (("1", "x"), None), (("1", "-1"), None), (("1", "9" * 19), None),
        (("1", "9" * 30), None), (("1", "0x2"), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("blank", [b"", b"\n\n"])
def test_ranks_count_where_all_are_digits(ranks, expected, blank) -> None:
    lines = [f"1 Q0 d{i} {rank} 1 t\n".encode() for i, rank in enumerate(ranks)]
    read = parse([blank.join(lines)], RUN, label="a.run")
    assert (read.rank if read.rank is None else read.rank.tolist()) == expected


@pytest.mark.parametrize("blank", [b"", b"\n"])
def test_tags_in_order_of_appearance(blank: bytes) -> None:
    data = blank.join(LINE.replace(b"tag", tag) for tag in (b"z", b"a", b"z"))
    assert parse([data], RUN, label="a.run").tags == ("z", "a")


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("nan", "score is NaN (query 301)"), ("-NaN", "score is NaN"),
        ("inf", "score is infinite (query 301)"), ("-Infinity", "score is infinite"),
        ("1e999", 'score "1e999" is too large'), ("0x1p10", 'score "0x1p10" is not a number'),
        ("1_000", "is not a number"), ("12,5", "a decimal point is needed, not a comma"),
        ("1,2,3", 'score "1,2,3" is not a number'), ("12.5abc", "is not a number"),
        ("high", 'score "high" is not a number'), (".", "is not a number"),
        ("1e", "is not a number"), ("١", "is not a number"),
    ],
)  # fmt: skip
def test_scores_that_are_no_decimal_numbers(score: str, words: str) -> None:
    error = problem(LINE + LINE.replace(b"2.5", score.encode()))
    assert str(error).startswith("a.run, line 2: ")
    assert words in str(error)
    assert "expected: query_id Q0 doc_id rank score tag" in str(error)


def test_scores_at_the_edges() -> None:
    values = ["1e-999", "-0", ".5", "1e308", "1." + "0" * 400, "1" + "0" * 300]
    data = "".join(f"1 Q0 d{i} 1 {text} t\n" for i, text in enumerate(values)).encode()
    assert parse([data], RUN, label="a.run").value.tolist() == [float(text) for text in values]


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("grade", "value"),
    [("1", 1), ("+1", 1), ("-2", -2), ("007", 7), ("-0", 0), ("9" * 18, 10**18 - 1), ("1.0", 1)],
)
def test_grades(grade: str, value: int) -> None:
    read = parse([f"301 0 d1 {grade}\n".encode()], QRELS, label="q")
    assert read.value.tolist() == [value]
    assert read.value.dtype == np.int64


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        ("yes", "is not a number"), ("--1", "is not a number"), ("-", "is not a number"),
        ("0x1f", "is not a number"), ("9" * 19, "is too large"),
    ],
)  # fmt: skip
def test_grades_that_are_no_numbers(grade: str, words: str) -> None:
    assert f'line 1: grade "{grade}" {words}' in str(problem(f"301 0 d1 {grade}\n".encode(), QRELS))


@pytest.mark.parametrize(("line", "layout", "words"), [
    (b"301\n", RUN, "expected 6 fields, found 1"),
    (b"301 0 d1 1 x\n", QRELS, "expected 4 fields, found 5"),
    (b"#\0\n", RUN, "holds a NUL byte"),
])  # fmt: skip
def test_lines_of_the_wrong_shape(line: bytes, layout: Layout, words: str) -> None:
    error = problem(line, layout)
    assert error.lines[0].number == 1
    assert words in str(error)


def test_twenty_bad_lines_are_shown_and_all_are_counted() -> None:
    error = problem(LINE + b"bad\n" * 30)
    assert [line.number for line in error.lines] == list(range(2, 22))
    assert error.total == 30
    assert "30 bad lines in all; the first 20 are shown" in str(error)
    assert "2 bad lines in all" in str(problem(b"bad\n" * 2))
    assert "in all" not in str(problem(b"bad\n"))


def test_files_in_each_others_place_are_recognised() -> None:
    assert "this looks like qrels" in str(problem(b"301 0 d1 1\n", RUN))
    assert "this looks like a run" in str(problem(LINE, QRELS))
    assert "looks like" not in str(problem(LINE + b"301 0 d1 1\n", RUN))


def of_ranks(ranks: list[str], scores: list[str]) -> bytes:
    rows = enumerate(zip(ranks, scores, strict=True))
    lines = [f"d{i} {rank} {score} t" for i, (rank, score) in rows]
    return "".join(f"{query} Q0 {line}\n" for query in ("q1", "q2") for line in lines).encode()


@pytest.mark.parametrize("ranks", ["1 2 3 4", "0 1 2 3", "2 1 4 3"])
def test_swapped_ranks_and_scores_are_refused(ranks: str) -> None:
    scores = ["9.5", "9", "8.25", "7"]
    text = str(problem(of_ranks(scores, ranks.split())))
    assert "the rank column holds scores, and the score column ranks" in text
    assert "expected: query_id Q0 doc_id rank score tag" in text
    assert len(parse([of_ranks(ranks.split(), scores)], RUN, label="a.run").value) == 8


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ("1.5 1.5 3 4", "9 9 8 7"),  # ranks of ties, and whole scores
        ("9.5 9 8.25 7", "1 2 3 4.5"),
        ("9.5 9 8.25 7", "1 2 2 3"),
        ("1.0 2.0 3.0 4.0", "4 3 2 1"),
        ("- - - -", "4 3 2 1"),
    ],
)
def test_odd_ranks_are_not_taken_for_scores(ranks: str, scores: str) -> None:
    read = parse([of_ranks(ranks.split(), scores.split())], RUN, label="a.run")
    assert read.value.tolist() == [float(part) for part in scores.split()] * 2
    assert read.rank is None


def test_bytes_that_cannot_be_shown_are_spelled_out() -> None:
    error = problem(b"301 \xff\x07\n")
    assert "\\xff\\x07" in str(error)
    assert str(error).encode()


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("blank", [b"", b"\n"])
def test_an_id_of_64_kb_is_read_and_a_longer_one_refused(at: int, blank: bytes) -> None:
    fields = LINE.split()
    fields[at] = b"d" * (1 << 16)
    assert run_rows(LINE + blank + b" ".join(fields) + b"\n")[1][at // 2] == fields[at]
    fields[at] += b"d"
    error = problem(LINE + blank + b" ".join(fields) + b"\n")
    assert f"a.run, line {2 + len(blank)}: an id is longer than 64 kB" in str(error)
    assert len(str(error)) < 300


TABLE = {"302": {"b": 1, "a": 0}, "301": {"c": -2}}


def test_lines_of_qrels(tmp_path) -> None:
    path = read_qrels(TABLE).write(str(tmp_path / "q.txt"))
    assert path == tmp_path / "q.txt"
    assert path.read_bytes() == b"301 0 c -2\n302 0 a 0\n302 0 b 1\n"


def test_lines_of_a_run(tmp_path) -> None:
    run = read_run({"1": {"a": 0.1, "b": 1e-7, "c": 0.1}}, name=" ")
    assert run.write(tmp_path / "a.run").read_text().splitlines() == [
        "1 Q0 c 1 0.1 run",
        "1 Q0 a 2 0.1 run",
        "1 Q0 b 3 1e-07 run",
    ]


def test_ids_that_no_file_can_hold(tmp_path) -> None:
    for table in ({"1": {"a b": 1}}, {"1": {"a\0": 1}}, {"1 ": {"a": 1}}):
        with pytest.raises(ArgumentError, match="cannot stand in"):
            read_qrels(table).write(tmp_path / "q")
    assert not (tmp_path / "q").exists()


def test_gzip_by_name_the_same_bytes_each_time(tmp_path) -> None:
    first = read_qrels(TABLE).write(tmp_path / "a.gz").read_bytes()
    assert first[:2] == b"\x1f\x8b"
    assert read_qrels(TABLE).write(tmp_path / "b.gz").read_bytes() == first
    assert read_qrels(tmp_path / "a.gz").grades("302") == TABLE["302"]


def streamed(data, score_dtype):
    """Every ranking of the stream: query id, documents and scores in rank order."""
    result = {}
    for chunk in trec.chunks(io.BytesIO(data)):
        block = trec.block(chunk, score_dtype=score_dtype)
        queries = ids.decode(block.queries)
        assert not result.keys() & set(queries)
        rows = np.arange(len(block.score)) if block.row is None else block.row
        docs = ids.decode(ids.take(block.docs, rows))
        for i, query in enumerate(queries):
            rows = slice(int(block.first_row[i]), int(block.first_row[i + 1]))
            result[query] = list(zip(docs[rows], block.score[rows].tolist(), strict=True))
    return result


def whole(run):
    return {query: run.ranking(query) for query in run.query_ids}


def test_what_is_too_long_to_be_held_is_left_to_the_careful_reader(monkeypatch, tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"q1 Q0 d1 1 1 t\nq1 Q0 " + b"x" * (2 << 20))
    with pytest.raises(NotPlain, match="a line that is too long"):
        list(trec.chunks(io.BytesIO(path.read_bytes())))
    qrels = read_qrels({"q1": {"d7": 1}})
    with pytest.raises(ReadError, match="byte 15: a line is longer than 1 MB"):
        read_judged_run(qrels, path)

    path.write_bytes(b"".join([b"q1 Q0 d%d %d %d t\n" % (i, i, 99 - i) for i in range(20)]))
    monkeypatch.setattr(trec, "BLOCK", 64)
    monkeypatch.setattr(trec, "LARGEST", 100)
    with pytest.raises(NotPlain, match="a ranking that is too large to be held"):
        list(trec.chunks(io.BytesIO(path.read_bytes())))
    assert evaluate(qrels, {"A": path}, ["RR"]).values.tolist() == [[[1 / 8]]]


@pytest.mark.parametrize("score_dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [64, 100, 1000])
def test_queries_that_stand_across_blocks_stay_whole(size, score_dtype, monkeypatch, tmp_path):
    draw, scores = random.Random(3), [3.0, 2.5, 2.0, 2.0 + 1e-9]  # two are one float32
    lines = [
        f"q{query} Q0 d{doc:03d} {rank} {draw.choice(scores)} tag{query % 2}\n"
        for query in range(40)
        for rank, doc in enumerate(draw.sample(range(999), draw.randint(1, 12)), 1)
    ]
    data = "".join(lines).encode()
    path = tmp_path / "many.run"
    path.write_bytes(data)
    monkeypatch.setattr(trec, "BLOCK", size)
    run = read_run(path, score_dtype=score_dtype)
    assert streamed(data, score_dtype) == whole(run)
    chunks = list(trec.chunks(io.BytesIO(data)))
    assert b"".join(chunks) == data
    blocks = [trec.block(chunk) for chunk in chunks]
    assert len(blocks) > 3
    assert {tag for block in blocks for tag in block.tags} == set(run.tags) == {"tag0", "tag1"}
    n_conflicts = sum(block.n_rank_conflicts for block in blocks)  # of the numbers as written
    assert n_conflicts == read_run(path).n_rank_conflicts > 0


@pytest.mark.every_case
@pytest.mark.parametrize(("line", "why"), [
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
])  # fmt: skip
def test_what_is_not_plain_is_refused(line, why):
    with pytest.raises(NotPlain, match=why):
        trec.block(line.encode())
