"""CSV, TSV, three columns and LETOR give the rows of TREC's files, by either reader."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import AbrankError, ReadError, evaluate, read_qrels, read_run
from abrank.cli import run
from abrank.inputs import looks_like_qrels, read_judged_run, text_files
from abrank.inputs.columns import QRELS, RUN, Layout

BEIR = b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n"


def test_beir_and_ms_marco_files_are_scored(tmp_path) -> None:
    (tmp_path / "test.tsv").write_bytes(BEIR)
    (tmp_path / "run.dev.tsv").write_bytes(b"q1\td2\t1\nq1\td1\t2\nq2\td1\t1\n")
    scores = evaluate(tmp_path / "test.tsv", {"B": tmp_path / "run.dev.tsv"}, ["RR", "NumQ"])
    assert scores.values[:, 0, 0].tolist() == [0.5, 1.0]
    assert scores.sources["B"].sha256 is not None
    assert scores.judgments.n_rows == 3


@pytest.mark.every_case
@pytest.mark.parametrize(
    "header",
    [
        "query,docid,rating",  # Quepid, the basic format
        "Query Text,Doc ID,Rating",  # Quepid, the general format
        "query-id,corpus-id,score",
        "qid,docno,label",
        "user_id,item_id,rating",
        "qid;docno;label",
        "qid|docno|label",
    ],
)
def test_headers_of_other_programs(header, tmp_path) -> None:
    delimiter = ";" if ";" in header else "|" if "|" in header else ","
    (tmp_path / "a.csv").write_text(f"{header}\n{delimiter.join(['red shoes', 'd1', '3'])}\n")
    assert read_qrels(tmp_path / "a.csv").grades("red shoes") == {"d1": 3}


def test_a_snapshot_of_quepid_has_positions(tmp_path) -> None:
    """The columns are those of Quepid's snapshot export, as its manual lists them."""
    lines = ["Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"]
    lines += ['now,2026-01-01,7,"shoes, red",d2,1', 'now,2026-01-01,7,"shoes, red",d1,2']
    (tmp_path / "snapshot.csv").write_text("\n".join(lines))
    run = read_run(tmp_path / "snapshot.csv")
    assert [doc for doc, _ in run.ranking("shoes, red")] == ["d2", "d1"]


@pytest.mark.every_case
@pytest.mark.parametrize(("data", "layout", "words"), [
    ("qid,docno,score\n1,a,0.5\n1,b\n", RUN, "x, line 3: expected 3 fields, found 2"),
    ("qid,docno,score\n1,a,nan\n", RUN, "x, line 2: score is NaN (query 1)"),
    ("qid,docno,score\n1,a,high\n", RUN, 'x, line 2: score "high" is not a number'),
    ("qid,docno,score\n\n,a,1\n", RUN, "x, line 3: the query id is empty"),
    ("qid,docno,label\n1,a,high\n", QRELS, 'x, line 2: grade "high" is not a number'),
    ("qid,docno,label\n", QRELS, "x: no rows"),
    ("qid,docno,tag\n1,a,x\n", RUN, "x: no column score"),
    ('qid,docno,score\n"1,a,1\n', RUN, "x, line 2: no line of a table"),
    (f"qid,docno,score\n{'q' * 70_000},a,1\n", RUN, "x, line 2: an id is longer than 64 kB"),
])  # fmt: skip
def test_bad_lines_are_named(data: str, layout: Layout, words: str) -> None:
    with pytest.raises(ReadError) as caught:
        text_files.read_table([data.encode()], "x", layout)
    assert str(caught.value).startswith(words), caught.value


@pytest.mark.parametrize("numbers", [(7, 9), (1, 1), (-1, 1), (0, 1000), (0, 1), (1, 3)])
def test_three_fields_that_are_no_ranks_are_not_guessed_at(numbers: tuple[int, int]) -> None:
    with pytest.raises(ReadError, match=r"no rank \(1, 2, 3.*\n.*query_id<TAB>doc_id<TAB>score"):
        text_files.read_three([b"1 a %d\n1 b %d\n" % numbers], "x", RUN)


def test_three_fields_that_fall_from_line_to_line_may_be_scores() -> None:
    falling = b"1 a 3\n1 b 2\n1 c 1\n2 a 2\n2 b 1\n"
    with pytest.raises(ReadError, match="may be a score or a"):
        text_files.read_three([falling], "x", RUN)
    some_rise = falling + b"3 a 1\n3 b 2\n"
    assert text_files.read_three([some_rise], "x", RUN).value.tolist() == [
        -3, -2, -1, -2, -1, -1, -2,
    ]  # fmt: skip


def test_ratings_parted_by_tabs_are_judgments(tmp_path) -> None:
    for ending in ("", "\t881250949", "\t1112486027.0"):
        rows = [("u1", "i1", 5), ("u1", "i2", 0), *((f"v{i}", "i1", 2.5) for i in range(30))]
        text = "".join(f"{user}\t{item}\t{rating}{ending}\n" for user, item, rating in rows)
        (tmp_path / "x.tsv").write_text(text)
        assert read_qrels(tmp_path / "x.tsv").grades("u1") == {"i1": 5, "i2": 0}
        (tmp_path / "x.tsv").write_text(f"{text}u3\ti1\thigh{ending}\n")
        with pytest.raises(ReadError, match='line 33: grade "high"'):
            read_qrels(tmp_path / "x.tsv")
    (tmp_path / "x.tsv").write_text("".join(f"u{i % 2}\ti{i}\t{i // 2 + 1}\n" for i in range(16)))
    with pytest.raises(ReadError, match="is a rank in each query"):
        read_qrels(tmp_path / "x.tsv")


def test_nul_bytes_among_three_fields_are_refused_as_in_other_lines() -> None:
    with pytest.raises(ReadError, match="x, line 2: holds a NUL byte"):
        text_files.read_three([b"1 a 1\n1 b\0 2\n"], "x", RUN)


def test_comments_among_three_fields_are_counted() -> None:
    read = text_files.read_three([b"# written by x\n#1 a 1\n# a\n#1 b 2\n"], "x", RUN)
    assert (read.query.to_pylist(), read.source.n_comments) == ([b"#1", b"#1"], 2)


def test_names_of_columns_stand_behind_comments_and_a_hash(tmp_path) -> None:
    # Without its names the third column would be ranks: d3 first.
    for above in ("#", "# made by x, 1\n", "# made by x\n#\n# "):
        for separator in "\t,":
            names = separator.join(["query_id", "doc_id", "score"])
            rows = "".join(f"#q{separator}d{i}{separator}{4 - i}\n" for i in (1, 2, 3))
            (tmp_path / "x.csv").write_text(f"{above}{names}\n{rows}")
            run_read = read_run(tmp_path / "x.csv")
            assert [doc for doc, _ in run_read.ranking("#q")] == ["d1", "d2", "d3"]
            assert run_read.source.n_comments == above.count("\n")
            (tmp_path / "x.csv").write_text(f"{above}{names}\n{rows}#q\n")
            with pytest.raises(ReadError, match=f"line {5 + above.count(chr(10))}: expected 3"):
                read_run(tmp_path / "x.csv")


def test_check_says_what_three_columns_were_taken_for(tmp_path, capsys) -> None:
    for number, form in ((2, "rank"), (0.5, "score")):
        (tmp_path / "marco.tsv").write_text(f"q1 a {number}\nq1 b 1\n")
        assert run(["check", str(tmp_path / "marco.tsv")]) == 0
        assert f"read as query, document and {form}" in capsys.readouterr().out


def test_three_fields_with_fractions_are_scores() -> None:
    assert text_files.read_three([b"1 a 0.5\n1 b 2\n"], "x", RUN).value.tolist() == [0.5, 2.0]
    # Between blanks a quote is text.
    quoted = text_files.read_three([b'1 "a" 0.5\n1 b 0.25\n'], "x", RUN)
    assert quoted.doc.to_pylist() == [b'"a"', b"b"]


QUOTED = ['"q"', '"a,b"', '"a\nb"', '"a""b"', 'a"b', '" q"', '""', '"']
CELLS = st.sampled_from(["q1", "2", "é", " q", "0x1f", "", "q\u2028", "a b", *QUOTED])
NUMBERS = st.sampled_from(["1", "-2", "0.5", "1e-3", "+1", ".5", "nan", "inf", "0x1f", "", "2.0"])
ROWS = st.lists(st.tuples(CELLS, CELLS, NUMBERS).map(list), min_size=1, max_size=4)


def outcome(data: bytes, layout: Layout):
    try:
        read = text_files.read_table([data], "x", layout)
    except AbrankError as error:
        return str(error)
    columns = [read.query.to_pylist(), read.doc.to_pylist(), read.value.tolist()]
    return [*columns, read.position.tolist(), read.value.dtype]


@pytest.mark.slow
@given(rows=ROWS, layout=st.sampled_from([RUN, QRELS]), end=st.sampled_from(["\n", "\r\n"]))
def test_both_readers_give_the_same(rows: list[list[str]], layout: Layout, end: str) -> None:
    data = end.join(["qid,docno,score", *map(",".join, rows)]).encode()
    fast = outcome(data, layout)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files, "plain_table", lambda *_: None)
        assert fast == outcome(data, layout)


COMMENTS = {
    "4 qid:1 # docid = 75 inc = 1\n0 qid:1 # docid = 13\n": ["75", "13"],
    "4 qid:1 1:2 #docid=75\n0 qid:1 1:2 #docno: 13\n": ["75", "13"],
    "4\tqid:1\t# 75\tRambo\n0\tqid:1\t# 13\tRambo III\n": ["75", "13"],  # Elasticsearch, Quepid
    "4 qid:1 1:0.5 # 75 rambo\n0 qid:1 1:0.25 # 13\n": ["75", "13"],  # RankLib
    "# grade queryid docId title\n# qid:1: rambo\n\n4 qid:1 # 75\tR\n0 qid:1 # 13\tR\n": [
        "75",
        "13",
    ],
    "4 qid:1 # product 75\tRambo\n0 qid:1 # product 13\tRambo\n": ["product 75", "product 13"],
    "4 qid:1 1:0.5\n0 qid:1 1:0.25\n": ["0", "1"],
    "4 qid:1 # docID=a film\n0 qid:1 # docID=b\n": ["a", "b"],
    "4 qid:1 # doc: a\n0 qid:1 # id=b\n": ["a", "b"],
}


@pytest.mark.every_case
@pytest.mark.parametrize("text", COMMENTS)
def test_the_document_of_a_letor_line_stands_in_its_comment(tmp_path, text) -> None:
    (tmp_path / "l.txt").write_text(text)
    assert read_qrels(tmp_path / "l.txt").grades("1") == dict(
        zip(COMMENTS[text], (4, 0), strict=True)
    )


def test_all_lines_of_another_width_are_counted() -> None:
    lines = [(i, ["a", str(i)] + ["x"] * (i % 7 == 0)) for i in range(1, 200)]
    with pytest.raises(ReadError, match="expected 2 fields, found 3") as caught:
        text_files.text_columns(lines, 2, "t.csv", "q,s")
    assert "28 bad lines in all" in str(caught.value)
    columns, position = text_files.text_columns(
        (line for line in lines if line[0] % 7), 2, "t.csv", ""
    )
    assert columns == [["a"] * 171, [str(i) for i in range(1, 200) if i % 7]]
    assert list(position) == [i for i in range(1, 200) if i % 7]
    assert len(set(map(id, columns[0]))) == 1


def test_a_trec_file_with_a_header_is_read_by_it(tmp_path) -> None:
    run_file, qrels = tmp_path / "a.run", tmp_path / "qrels"
    run_file.write_text("query_id Q0 doc_id rank score tag\nq1  Q0 d1 1 2.5 t\nq1 Q0\td2 2 1 t\n")
    assert read_run(run_file).ranking("q1") == [("d1", 2.5), ("d2", 1.0)]
    qrels.write_text("query_id iteration doc_id relevance\nq1 0 d1 1\n")
    assert looks_like_qrels(qrels)
    assert read_qrels(qrels).grades("q1") == {"d1": 1}


@pytest.mark.every_case
@pytest.mark.parametrize(("text", "problem"), [
    ("4 qid:1 # 75 rambo\n0 qid:1\n", "line 2: has no document id after #, as 1 other lines"),
    ("4 qid:1 # good hit\n0 qid:1 # good too\n", "line 2: repeats the document good of its q"),
    ("1 qid:7 1:2\nhigh qid:7 1:2\n", r"line 2: no grade and qid\n.*\n.*expected: grade"),
    (f"1 qid:7 1:2\n{'1' * 30} qid:7 1:2\n", "line 2: the grade has more than 18 digits"),
    ("1 qid:7 1:2\n1 qid:7 1:2 # docid = a\0b\n", "line 2: a NUL character"),
    (f"1 qid:7 1:2\n1 qid:{'x' * 70_000} 1:2\n", "line 2: an id is longer than 64 kB"),
    ("new york\tQ0\td1\t1\t2.5\tt\n", "line 1: tabs part its fields and one"),
    ("q1\tQ0\td1\t1\t2.5\tt\nq1\tQ0\td 2\t2\t1\tt\n", "line 2: tabs part its fields and one"),
    ("query_id,doc_id,score\nq1,Paris, Texas,0.4\n",
     r"line 2: expected 3 fields, found 4 \(a cell that holds the separator needs quotes"),
])  # fmt: skip
def test_what_is_wrong_with_a_line_is_named_with_its_cause(text, problem, tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    judged = partial(read_judged_run, read_qrels({"q1": {"d1": 1}}))
    for read in (read_qrels,) if "qid:" in text else (read_run, judged):
        with pytest.raises(ReadError, match=rf"a\.txt, {problem}"):
            read(path)


def test_judgments_of_letor_are_no_run_and_the_error_says_what_makes_one(tmp_path) -> None:
    (tmp_path / "a.svm").write_text("2 qid:10 1:0.03 # docid = GX1 inc = 1\n")
    with pytest.raises(ReadError, match=r"no scores\n  qrels, run = abrank\.from_groups"):
        read_run(tmp_path / "a.svm")
