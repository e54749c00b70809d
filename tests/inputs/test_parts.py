"""A file that is read in many parts gives what it gives in one, and names the same lines."""

import json

import pytest

from abrank import AbrankError, read_qrels, read_run
from abrank.inputs import files, ids, objects, text_files, trec

N = 60
RUN = [(f"q{i // 7}", f"d{i * 7 % 61}", 100.0 - i % 7) for i in range(N)]


def text(line: str, n: int = N) -> str:
    return "".join(line.format(*RUN[i], i=i, rank=i % 7 + 1, grade=i % 3) + "\n" for i in range(n))


def by_line(rows) -> str:
    return "\n".join(map(json.dumps, rows))


RECORDS = [{"q_id": query, "doc_id": doc, "score": score} for query, doc, score in RUN]
RANKED = [{"q_id": query, "doc_id": doc, "rank": i} for i, (query, doc, _) in enumerate(RUN)]
HITS = [{"corpus_id": f"d{j}", "score": j} for j in range(3)]
RESULTS = [{"query_id": f"q{i}", "results": HITS} for i in range(9)]
DICTS = {f"q{i}": {f"d{j}": j / 2 for j in range(5)} for i in range(12)}
FILES = {
    "run": (read_run, text("{0} Q0 {1} {rank} {2} t")),
    "qrels": (read_qrels, text("{0} 0 {1} {grade}")),
    "CSV": (read_run, "query_id,doc_id,score\n" + text("{0},{1},{2}")),
    "CSV with quotes": (read_run, 'query_id,doc_id,score\n"q\n9",d,1\n' + text('{0},{1},"{2} "')),
    "CSV qrels": (read_qrels, "query_id,doc_id,relevance\n" + text("{0},{1},{grade}")),
    "three columns": (read_run, text("{0} {1} {rank}")),
    "three scores": (read_run, text("{0} {1} {2}e-1")),
    "LETOR": (read_qrels, text("{grade} qid:{0} 1:{i} # docid = {1}")),
    "LETOR rows": (read_qrels, text("{grade} qid:{0} 1:{i}")),
    "LETOR with titles": (read_qrels, text("{grade} qid:{0}\t# {1}\ta title")),
    "records by line": (read_run, by_line(RECORDS)),
    "ranks by line": (read_run, by_line(RANKED)),
    "tuples by line": (read_run, by_line(RUN)),
    "results by line": (read_run, by_line(RESULTS)),
    "records": (read_run, json.dumps(RECORDS, indent=1)),
    "dicts": (read_run, json.dumps(DICTS)),
    "lists": (read_run, json.dumps({f"q{i}": ["a", "b", "c"] for i in range(12)}, indent=1)),
    "predictions of mteb": (read_run, json.dumps({"default": {"test": DICTS}})),
}
BAD = {
    "run": "q1 Q0 d9 1 high t",
    "CSV": "q1,d9,high",
    "CSV with quotes": 'q1,"d\n9",high',
    "three columns": "q1 d9 high",
    "LETOR": "x qid:3 1:2",
    "records by line": '\n{"q_id": "q1", "doc_id": "d9", "score": "high"}',
    "ranks by line": '\n{"q_id": "q1", "doc_id": "d9"}',
    "tuples by line": "\n[1, 2",
    "results by line": '\n{"query_id": "q1", "results": []}',
}


def outcome(read, path):
    try:
        result = read(path)
    except AbrankError as error:
        return str(error)
    value = result.score if hasattr(result, "score") else result.grade
    return result.query_id.tolist(), result.doc_id.tolist(), value.tolist(), result.source


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch):
    """Return what makes parts of some lines and rows of all that is read after it."""

    def change() -> None:
        for name in ("_PIECE", "_STEP"):
            monkeypatch.setattr(files, name, 300)
        for module in (text_files, trec):
            monkeypatch.setattr(module, "cut", lambda data, size=0, cut=trec.cut: cut(data, 150))
        for module in (objects,):
            monkeypatch.setattr(module, "_ROWS", 4)
        monkeypatch.setattr(trec, "_RECORDS", 4)
        monkeypatch.setattr(ids, "_AT_ONCE", 8)

    return change


@pytest.mark.every_case
@pytest.mark.parametrize("kind", FILES)
def test_parts_give_what_the_whole_gives(kind, tmp_path, in_parts) -> None:
    read, content = FILES[kind]
    (tmp_path / "a").write_text(content)
    whole = outcome(read, tmp_path / "a")
    assert len(whole) == 4, whole
    in_parts()
    assert outcome(read, tmp_path / "a") == whole


@pytest.mark.every_case
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_line_is_named_by_its_number_in_the_file(kind: str, tmp_path, in_parts) -> None:
    read, content = FILES[kind]
    (tmp_path / "a").write_text(f"{content}{BAD[kind]}\n")
    whole = outcome(read, tmp_path / "a")
    assert isinstance(whole, str)
    in_parts()
    assert outcome(read, tmp_path / "a") == whole


@pytest.mark.every_case
@pytest.mark.parametrize(("content", "said"), [
    ('{"q": {"d": 1}\n', "Expecting ',' delimiter"),
    ('{"q": {"d": 1}, "q": {"e": 1}}', "the key 'q' occurs twice"),
    ('{"q": {"d": 1}, 3}', "Expecting property name"),
    ('{"q" {"d": 1}}', "Expecting ':' delimiter"),
    ('[["q", "d", 1], ]', "is not JSON: "),
    ('[["q", "d", 1]] 7', "Extra data"),
    ('["q", "d", 1]\n["q", "e", 1]\n["q", "f"\n', "line 3, column"),
    ("{" + '"a": {' * 5000, "is not JSON: "),
    ('{"q1": {"d1": NaN}}', "row 0: score is missing (nan)"),
    ('{"q1": {"d1": "high"}}', 'row 0: score "high" is not a number'),
    ('{"q1": 7}', "query 'q1' has a int, not a dict"),
])  # fmt: skip
def test_what_is_no_run_in_json_is_said_where(content, said, tmp_path) -> None:
    (tmp_path / "a").write_text(content)
    text = outcome(read_run, tmp_path / "a")
    assert said in text
    assert text.startswith(str(tmp_path / "a"))
