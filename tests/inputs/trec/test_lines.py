"""The two parsers: what they take, what they refuse, and that they agree."""

from __future__ import annotations

import numpy as np
import pytest

from abrank import ReadError
from abrank.inputs import ids
from abrank.inputs.columns import QRELS, RUN, Columns, Layout
from abrank.inputs.trec.lines import parse

LINE = b"301 Q0 d1 1 2.5 tag\n"


def rows(columns: Columns) -> list[tuple[bytes, bytes, float, int]]:
    return list(
        zip(
            ids.unpack(columns.query),
            ids.unpack(columns.doc),
            columns.value.tolist(),
            columns.position.tolist(),
            strict=True,
        )
    )


def run_rows(data: bytes) -> list[tuple[bytes, bytes, float, int]]:
    return rows(parse([data], RUN, label="a.run"))


def problem(data: bytes, layout: Layout = RUN) -> ReadError:
    with pytest.raises(ReadError) as caught:
        parse([data], layout, label="a.run")
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        LINE,
        LINE.rstrip(),
        LINE.replace(b" ", b"\t"),
        LINE.replace(b" ", b" \t \v\f"),
        LINE.replace(b"\n", b"\r\n"),
        b"  " + LINE.replace(b"\n", b" \t\n"),
        LINE + b"\n \n\t\n",
        LINE.replace(b"tag", b"tag more columns"),
        b"\xef\xbb\xbf" + LINE,
        LINE.replace(b" 1 ", b" first "),
        LINE.replace(b"2.5", b"+002.50000000000000000000000000000000000000e+00"),
        LINE.replace(b"2.5", b"25.E-1"),
    ],
)
def test_one_line_in_every_legal_dress(data: bytes) -> None:
    assert run_rows(data) == [(b"301", b"d1", 2.5, 1)]


def test_a_carriage_return_separates_and_does_not_end_a_line() -> None:
    assert run_rows(b"301 Q0\rd1\r1 2.5 tag\r\n") == [(b"301", b"d1", 2.5, 1)]


def test_unicode_spaces_are_part_of_an_id() -> None:
    odd = "a\u00a0b\u3000c\u2028d\u0085e\x1cf"
    read = parse([f"301 Q0 {odd} 1 1 t\n".encode()], RUN, label="a.run")
    assert ids.decode(read.doc) == [odd]


@pytest.mark.parametrize("text", ["01", "1.0", "NA", "1e5", "NaN", "True", "null", '"a', "#5", ""])
def test_ids_stay_text(text: str) -> None:
    line = f"q{text} Q0 {text or 'd'} 1 1 t\n".encode()
    read = parse([line], RUN, label="a.run")
    assert ids.decode(read.query) == [f"q{text}"]
    assert ids.decode(read.doc) == [text or "d"]


def test_comments_and_blank_lines_keep_the_numbering() -> None:
    read = parse([b"# note\n\n" + LINE + b"#\n" + LINE.replace(b"d1", b"d2")], RUN, label="a.run")
    assert read.position.tolist() == [3, 5]
    assert read.source.n_comments == 2


@pytest.mark.parametrize("before", [b"", b"\n\n"])
def test_a_comment_begins_at_the_start_of_the_line(before: bytes) -> None:
    line = before + b" #1 Q0 d1 1 2.5 tag\n#2 Q0 d2 1 2.5 tag\n"
    assert run_rows(line) == [(b"#1", b"d1", 2.5, len(before) + 1)]


def test_only_the_first_byte_order_mark_is_dropped() -> None:
    mark = b"\xef\xbb\xbf"
    read = parse([mark + mark + LINE], RUN, label="a.run")
    assert ids.unpack(read.query) == [mark + b"301"]
    assert read.source.byte_order_mark
    assert ids.unpack(parse([b" " + mark + LINE], RUN, label="a.run").query) == [mark + b"301"]


def test_bytes_that_are_not_utf8_survive() -> None:
    read = parse(["301 Q0 é 1 2.5 ü\n".encode("latin-1")], RUN, label="a.run")
    assert ids.unpack(read.doc) == [b"\xe9"]
    assert read.tags == ("\udcfc",)


def test_a_rank_that_is_not_utf8_is_no_number() -> None:
    read = parse([b"301 Q0 d1 \xe9 2.5 tag\n"], RUN, label="a.run")
    assert read.rank is None


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (("1", "02"), [1, 2]),
        (("1", "x"), None),
        (("1", "-1"), None),
        (("1", "9" * 19), None),
        (("1", "9" * 30), None),
        (("1", "0x2"), None),
    ],
)
@pytest.mark.parametrize("blank", [b"", b"\n\n"])
def test_ranks_count_where_all_are_digits(
    ranks: tuple[str, ...], expected: list[int] | None, blank: bytes
) -> None:
    lines = [f"1 Q0 d{i} {rank} 1 t\n".encode() for i, rank in enumerate(ranks)]
    read = parse([blank.join(lines)], RUN, label="a.run")
    assert (read.rank if read.rank is None else read.rank.tolist()) == expected


@pytest.mark.parametrize("blank", [b"", b"\n"])
def test_tags_in_order_of_appearance(blank: bytes) -> None:
    data = blank.join(LINE.replace(b"tag", tag) for tag in (b"z", b"a", b"z"))
    assert parse([data], RUN, label="a.run").tags == ("z", "a")


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("nan", "score is NaN (query 301)"),
        ("-NaN", "score is NaN"),
        ("inf", "score is infinite (query 301)"),
        ("-Infinity", "score is infinite"),
        ("1e999", 'score "1e999" is too large'),
        ("0x1p10", 'score "0x1p10" is not a number'),
        ("1_000", "is not a number"),
        ("12,5", "a decimal point is needed, not a comma"),
        ("1,2,3", 'score "1,2,3" is not a number'),
        ("12.5abc", "is not a number"),
        ("high", 'score "high" is not a number'),
        (".", "is not a number"),
        ("1e", "is not a number"),
        ("١", "is not a number"),
    ],
)
def test_scores_that_are_no_decimal_numbers(score: str, words: str) -> None:
    error = problem(LINE + LINE.replace(b"2.5", score.encode()))
    assert str(error).startswith("a.run, line 2: ")
    assert words in str(error)
    assert "expected: query_id Q0 doc_id rank score tag" in str(error)


def test_scores_at_the_edges() -> None:
    values = ["1e-999", "-0", ".5", "1e308", "1." + "0" * 400, "1" + "0" * 300]
    data = "".join(f"1 Q0 d{i} 1 {text} t\n" for i, text in enumerate(values)).encode()
    assert parse([data], RUN, label="a.run").value.tolist() == [float(text) for text in values]


@pytest.mark.parametrize(
    ("grade", "value"),
    [("1", 1), ("+1", 1), ("-2", -2), ("007", 7), ("-0", 0), ("9" * 18, 10**18 - 1)],
)
def test_grades(grade: str, value: int) -> None:
    read = parse([f"301 0 d1 {grade}\n".encode()], QRELS, label="q")
    assert read.value.tolist() == [value]
    assert read.value.dtype == np.int64


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        ("0.5", "is not a whole number"),
        ("1.0", "is not a whole number"),
        ("yes", "is not a whole number"),
        ("--1", "is not a whole number"),
        ("-", "is not a whole number"),
        ("0x1f", "is not a whole number"),
        ("9" * 19, "is too large"),
    ],
)
def test_grades_that_are_no_whole_numbers(grade: str, words: str) -> None:
    error = problem(f"301 0 d1 {grade}\n".encode(), QRELS)
    assert f'line 1: grade "{grade}" {words}' in str(error)


@pytest.mark.parametrize(
    ("line", "layout", "words"),
    [
        (b"301 Q0 d1 1 2.5\n", RUN, "expected 6 fields, found 5"),
        (b"301\n", RUN, "expected 6 fields, found 1"),
        (b"301 d1 1\n", QRELS, "expected 4 fields, found 3"),
        (b"301 0 d1 1 x\n", QRELS, "expected 4 fields, found 5"),
        (b"301 Q0 d1 1 2.5 t\0g\n", RUN, "holds a NUL byte"),
        (b"#\0\n", RUN, "holds a NUL byte"),
    ],
)
def test_lines_of_the_wrong_shape(line: bytes, layout: Layout, words: str) -> None:
    error = problem(line, layout)
    assert error.lines[0].number == 1
    assert words in str(error)


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\t\n", b"# only\n", b"\xef\xbb\xbf"])
def test_a_file_without_lines(data: bytes) -> None:
    assert str(problem(data, QRELS)).startswith("a.run: no lines")
    assert len(parse([data], RUN, label="a.run").value) == 0  # a system that found nothing


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


def test_utf16_is_named() -> None:
    assert "this looks like UTF-16" in str(problem(LINE.decode().encode("utf-16")))


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


def test_a_file_of_several_blocks() -> None:
    lines = [b"q%d Q0 doc%d %d %d.25 t\n" % (i // 100, i, i % 100, i) for i in range(60_000)]
    read = parse([b"".join(lines)], RUN, label="a.run")
    assert rows(read)[-1] == (b"q599", b"doc59999", 59999.25, 60000)
    assert len(read.position) == 60_000
    assert read.rank is not None
    assert read.rank[-1] == 99


def test_a_line_that_is_not_plain_behind_a_megabyte_of_plain_ones() -> None:
    plain = b"".join(b"q%05d Q0 document-%05d 1 0.5 tag\n" % (i, i) for i in range(32_000))
    read = parse([plain + b"# a note\nlast\tQ0\td1\t1\t2.5\ttag\n"], RUN, label="a.run")
    assert len(read.position) == 32_001
    assert rows(read)[-2:] == [
        (b"q31999", b"document-31999", 0.5, 32_000), (b"last", b"d1", 2.5, 32_002),
    ]  # fmt: skip
