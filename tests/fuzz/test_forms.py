"""Files of other forms than TREC's, damaged: what a strict parser gives, or a refusal."""

import contextlib
import csv
import io
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abrank.collections.table import read_collections
from abrank.inputs.score_table import read_score_table
from abrank.rule_file import read_rule
from tests.fuzz import strict
from tests.fuzz.damage import Read, damaged, outcome, trying
from tests.fuzz.test_readers import latin, qrels_of, run_of

SIZES = [40, pytest.param(2_500, marks=pytest.mark.slow)]
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


# Tables of text, below a first line that is left as it is.
def table_rows(data: bytes) -> Iterator[list[str]]:
    """The cells of each row, below the header, one character a byte."""
    strict.require(b"\0" not in data)
    try:
        rows = list(csv.reader(io.StringIO(data.decode("latin-1"), newline=""), strict=True))
    except csv.Error:
        raise strict.Refused from None
    for row in rows[1:]:
        cells = [cell.strip(" \t\n\r\v\f") for cell in row]
        # A row of blanks of any script is no row.
        if "".join(cells).encode("latin-1").decode("utf-8", "surrogateescape").strip():
            strict.require(len(cells) == 3 and all(cells))
            strict.require(max(map(len, cells[:2])) <= strict.MOST_ID)
            yield cells


def table_run(data: bytes) -> dict[str, dict[str, float]]:
    rows = [(query, doc, strict.number(score)) for query, doc, score in table_rows(data)]
    strict.require(bool(rows))
    return strict.nested(rows)


def table_qrels(data: bytes) -> dict[str, dict[str, float]]:
    first, *lines = data.splitlines()
    # What nobody has rated is left out; without any grade the column is no column of grades.
    unrated = [line for line in lines if line.count(b",") == 2 and b"\0" not in line
               and not line.rpartition(b",")[2].strip()]  # fmt: skip
    rated = [line for line in lines if line not in unrated]
    run = table_run(b"\n".join([first, *rated]))
    strict.require(bool(run))
    grades = [grade for row in run.values() for grade in row.values()]
    strict.require(all(abs(grade) < 2**53 for grade in grades))
    return run


def letor(data: bytes) -> dict[str, dict[str, float]]:
    """Grades by query and document, which stands in the comment of each line or of none."""
    rows = []
    for line in data.split(b"\n"):
        strict.require(b"\0" not in line)
        if not line.strip() or line.strip().startswith(b"#"):
            continue
        record, _, comment = line.partition(b"#")
        fields = record.split()
        strict.require(len(fields) > 1 and fields[1].startswith(b"qid:") and len(fields[1]) > 4)
        grade = re.fullmatch(rb"([+-]?)0*(\d{1,18}(?:\.\d*)?)", fields[0])
        strict.require(grade is not None)
        assert grade is not None
        named = re.match(rb"(?is)(?:.*?\bdoc(?:id|_id|no)|\s*(?:doc|id))\s*[=:]\s*(\S+)", comment)
        first, tab, _ = comment.partition(b"\t")
        words = [first.strip(b" ")] if tab and first.strip(b" ") else comment.split()
        document = named[1] if named else (words or [b""])[0]
        strict.require(max(len(fields[1]) - 4, len(document)) <= strict.MOST_ID)
        rows.append((fields[1][4:], document, float(grade[1] + grade[2])))
    strict.require(bool(rows) and len({not document for _, document, _ in rows}) == 1)

    return strict.nested(
        [
            (q.decode("latin-1"), d.decode("latin-1") or str(i), g)
            for i, (q, d, g) in enumerate(rows)
        ]
    )


CSV = [b"q%d,d%d,%d\n" % (i // 4, i, 9 - i % 4) for i in range(12)]
LETOR = [b"%d qid:%d 1:0.5 2:%d # docid = d%d\n" % (i % 3, i // 4, i, i) for i in range(12)]
TABLES: dict[str, tuple[bytes, list[bytes], Read, Read]] = {
    "CSV run": (b"query_id,doc_id,score\n", CSV, run_of, table_run),
    "CSV qrels": (b"query_id,doc_id,relevance\n", CSV, qrels_of, table_qrels),
    "LETOR": (b"1 qid:7 1:0.5 # docid = x\n", LETOR, qrels_of, letor),
}


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_gives_what_a_strict_parser_gives(kind: str, n: int, tmp_path: Path) -> None:
    first, lines, read, parse = TABLES[kind]
    path = tmp_path / "file"

    @trying(n)
    @given(damaged(lines))
    @example(b"0 qid:0# 1:0.5 2:0 # docid = d0\n")
    def check(rest: bytes) -> None:
        path.write_bytes(first + rest)
        assert outcome(read, path) == outcome(parse, first + rest), rest[:300]

    check()


# JSON, of which any part can be anything else.
RUN = {f"q{i}": {f"d{j}": 1.5 * j for j in range(3)} for i in range(2)}
HIT = [{"hit": {"_id": f"d{j}"}, "rating": 1} for j in range(3)]
ANSWER = {"metric_score": 0.5, "hits": HIT, "metric_details": {"dcg": {"dcg": 1}}}
FOUND = [{"corpus_id": f"d{j}", "score": 0.5 * j} for j in range(3)]
JSON: dict[str, Any] = {
    "dicts": RUN,
    "records": [{"query_id": "q", "doc_id": f"d{j}", "score": 0.5 * j} for j in range(4)],
    "hits": {"q1": FOUND, "q2": FOUND},
    "pairs": {"q1": [["d1", 0.5], ["d2", 0.25]]},
    "lists": {"q1": ["d1", "d2"], "q2": ["d3"]},
    "_rank_eval": {"metric_score": 0.5, "details": {"q1": ANSWER, "q2": ANSWER}},
    "sentence-transformers": [{"query_id": f"q{i}", "results": FOUND} for i in range(2)],
    "mteb": {"default": {"test": RUN}},
}
SCORES: dict[str, Any] = {
    "by query": {f"q{i}": {"map": 0.5, "P_10": 0.1 * i} for i in range(3)},
    "by measure": {name: {f"q{i}": 0.5 for i in range(3)} for name in ("map", "P_10")},
    "records": [{"query_id": f"q{i}", "measure": "map", "value": 0.5} for i in range(3)],
    "_rank_eval": JSON["_rank_eval"],
}
ODD: list[Any] = [
    None, True, 1.5, "x", "", "\ud800", [], {}, [[]], [1, 2], {"a": 1}, {"hits": None}, {"_id": 3},
    math.nan, math.inf, 10**30, 10**400, -1, "x" * 70_000,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = value if isinstance(value, dict) else range(len(value)) if type(value) is list else ()
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


@st.composite
def changed(draw: st.DrawFn, whole: Any) -> bytes:
    """JSON with another value in one place, or without it, and at times damaged bytes."""
    loads = json.loads(json.dumps(whole))
    *above, last = draw(st.sampled_from(places(loads)[1:]))
    held = loads
    for key in above:
        held = held[key]
    del_it, held_before = draw(st.booleans()), held[last]
    if del_it:
        del held[last]
    else:
        held[last] = draw(st.sampled_from(ODD))
    if del_it and isinstance(held, dict) and draw(st.booleans()):
        held[draw(st.sampled_from(["", "\ud800", "all", "score"]))] = held_before
    data = json.dumps(loads).encode()
    return data if draw(st.booleans()) else draw(damaged([data]))


class OtherFormError(Exception):
    """Nothing is known of this form here."""


def json_run(data: bytes) -> dict[str, dict[str, float]]:
    """A run as a dict of dicts."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        strict.require(len({name for name, _ in pairs}) == len(pairs))
        return dict(pairs)

    if re.match(rb"(\xef\xbb\xbf)?\s*\{\s*[\"}]", data) is None:
        raise OtherFormError
    try:
        loads = json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise strict.Refused from None
    if not isinstance(loads, dict) or not all(isinstance(row, dict) for row in loads.values()):
        raise OtherFormError
    rows = []
    for query, row in loads.items():
        for doc, score in row.items():
            strict.require(isinstance(score, (int, float)))  # true is 1, as in every form
            strict.require(math.isfinite(score) if isinstance(score, float) else score < 10**308)
            strict.require(bool(query and doc) and "\ud800" not in query + doc)
            strict.require(max(map(len, (query.encode(), doc.encode()))) <= strict.MOST_ID)
            rows.append((latin(query), latin(doc), float(score)))
    strict.require(bool(rows))
    return strict.nested(rows)


def scores_of(path: Path) -> list[float]:
    table = read_score_table(path, is_measure=lambda name: name in ("map", "P_10"))
    return table.value.tolist()


READERS: list[tuple[Any, Read]] = [
    (JSON[kind], read) for kind in JSON for read in (run_of, qrels_of)
]
READERS += [(item, scores_of) for item in SCORES.values()]


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("at", range(len(READERS)))
def test_json_is_read_or_refused(at: int, n: int, tmp_path: Path) -> None:
    whole, read = READERS[at]
    path = tmp_path / "file"

    @trying(n)
    @given(changed(whole))
    @example(b'\v{"q1": [null]}')
    def check(data: bytes) -> None:
        path.write_bytes(data)
        result = outcome(read, path)
        if whole is RUN and read is run_of:
            with contextlib.suppress(OtherFormError):
                assert result == outcome(json_run, data), data[:300]

    check()


# Files of Arrow: what they hold, row by row, where they are read at all.
def rows_of(data: bytes) -> dict[str, dict[str, float]]:
    table = pyarrow.feather.read_table(pa.BufferReader(data))
    rows = table.select(["query_id", "doc_id", "score"]).to_pylist()
    return strict.nested([(latin(q), latin(d), float(s)) for q, d, s in map(dict.values, rows)])


FRAME = pd.DataFrame(
    [(query, doc, score) for query, row in RUN.items() for doc, score in row.items()],
    columns=["query_id", "doc_id", "score"],
)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("packed", ["lz4", "uncompressed"])
def test_a_file_of_arrow_is_what_it_holds_or_refused(packed: Any, n: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    FRAME.to_feather(path, compression=packed)
    data = path.read_bytes()
    assert run_of(path) == RUN

    @trying(n)
    @given(st.integers(8, len(data)), st.binary(max_size=3), st.integers(0, 3))
    def check(at: int, put: bytes, out: int) -> None:
        damage = data[:at] + put + data[at + out :]
        path.write_bytes(damage)
        result = outcome(run_of, path)
        if result is not None:
            assert result == rows_of(damage)

    check()


# Which files belong to which collection, and a declared rule.
def toml(data: bytes) -> dict[str, Any]:
    try:
        loads = tomllib.loads(data.decode("utf-8-sig"))
        repr(loads)
    except (ValueError, RecursionError):
        raise strict.Refused from None
    return loads


def toml_collections(data: bytes) -> dict[str, Any]:
    result = toml(data)
    for table in result.values():
        strict.require(isinstance(table, Mapping))
        for value in table.values():
            listed = value if isinstance(value, list) else [value]
            strict.require(bool(listed) and all(isinstance(item, str) for item in listed))
    strict.require(bool(result))
    return result


def tsv_collections(data: bytes) -> dict[str, Any]:
    text = data.decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    strict.require(bool(lines))
    mark = "\t" if "\t" in lines[0] else ","
    try:
        head, *rows = ([cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark))
    except csv.Error:
        raise strict.Refused from None
    if len(head) == 4 and {"name", "qrels"}.isdisjoint(head):  # no line of names
        head, rows = ["name", "qrels", "a", "b"], [head, *rows]
    # The names of an index, as pandas writes it, have no title.
    head = ["name" if not cell and "name" not in head else cell for cell in head]
    strict.require("name" in head and len(set(head)) == len(head) > 2 and bool(rows))
    strict.require(all(len(row) == len(head) for row in rows))
    named = [dict(zip(head, row, strict=True)) for row in rows]
    names = [row.pop("name") for row in named]
    strict.require(all(names) and len(set(names)) == len(names))
    return {
        name: {key: cell for key, cell in row.items() if cell}
        for name, row in zip(names, named, strict=True)
    }


def collections_of(path: Path) -> dict[str, Any]:
    def name(given: Any) -> Any:
        listed = [name(item) for item in given] if isinstance(given, list) else []
        return listed if isinstance(given, list) else str(given)

    return {
        key: {system: name(file) for system, file in files.items()}
        for key, files in read_collections(path).items()
    }


def beside(folder: Path, found: Any) -> Any:
    """The paths of the table as they are seen from its folder."""
    if isinstance(found, dict):
        return {key: beside(folder, item) for key, item in found.items()}
    return [beside(folder, item) for item in found] if type(found) is list else str(folder / found)


TOML = [b'[%s]\nqrels="q"\na="a.run"\nb=["b.run","c.run"]\n' % name for name in (b"x", b"y")]
TSV = [b"name\tqrels\ta\tb\n", *(b"%s\tq\ta.run\tb.run\n" % name for name in (b"x", b"y", b"z"))]
RULE = [b'qrels="q"\n', b"margin=0.01\n", b'measures=["AP"]\n', b'require="better"\n', b"alpha=5\n"]


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("file", "lines", "parse"),
    [("c.toml", TOML, toml_collections), ("c.tsv", TSV, tsv_collections)],
)
def test_collections_are_what_a_strict_parser_gives(file, lines, parse, n, tmp_path) -> None:
    path = tmp_path / file

    @trying(n)
    @given(damaged(lines))
    def check(data: bytes) -> None:
        path.write_bytes(data)
        wanted = outcome(parse, data)
        assert outcome(collections_of, path) == (wanted and beside(tmp_path, wanted)), data[:300]

    check()


@pytest.mark.parametrize("n", SIZES)
def test_a_rule_is_what_toml_holds(n: int, tmp_path: Path) -> None:
    path = tmp_path / "abrank.toml"

    def declared(data: bytes) -> dict[str, Any]:
        values = {key.replace("-", "_"): value for key, value in toml(data).items()}
        strict.require(len(values) == len(toml(data)))
        return values

    def stated(path: Path) -> dict[str, Any]:
        return dict(read_rule(path).stated)

    @trying(n)
    @given(damaged(RULE))
    def check(data: bytes) -> None:
        path.write_bytes(data)
        wanted = outcome(declared, data)
        assert repr(outcome(stated, path)) == repr(wanted), data[:300]  # NaN is not NaN

    check()
