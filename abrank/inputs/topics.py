"""Small tables in any format: texts of queries and documents, query properties, votes."""

from __future__ import annotations

import contextlib
import html
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from abrank._support.display import count, plural, shorten
from abrank._support.errors import (
    AlignmentError,
    ArgumentError,
    BadLine,
    NotFoundError,
    ReadError,
    reading,
)
from abrank.inputs import arrow, files
from abrank.inputs.arrow import as_table, file_columns, is_columns, kind_of, objects_of, saved_frame
from abrank.inputs.columns import MOST_SHOWN, Source, found_in, require_distinct
from abrank.inputs.objects import is_missing
from abrank.inputs.text_files import headed_lines, looks_like_json, parsed, text_columns
from abrank.inputs.trec import BYTE_ORDER_MARK

# --- Tables as columns of cells


@dataclass(frozen=True)
class CellTable:
    """Column names, cells, and the position of each row: a line from 1 or a row from 0."""

    label: str
    names: list[str]
    columns: list[Any]
    at: Sequence[int]
    unit: str = "row"
    source: Source | None = None

    @classmethod
    def of_columns(
        cls, names: list[str], columns: list[Any], label: str, source: Source | None = None
    ) -> CellTable:
        """Make a table from columns; rows are numbered from 0."""
        return cls(label, names, columns, range(len(columns[0]) if columns else 0), source=source)

    @classmethod
    def of_rows(
        cls, rows: Sequence[Mapping[Any, Any]], label: str, source: Source | None = None,
        *, first: int = 0,
    ) -> CellTable:  # fmt: skip
        """Make a table from rows, numbered from ``first``; missing cells are None."""
        keys = list(dict.fromkeys(chain.from_iterable(rows)))
        columns = [[row.get(key) for row in rows] for key in keys]
        places = range(first, first + len(rows))
        return cls(label, list(map(str, keys)), columns, places, source=source)

    def __fspath__(self) -> str:  # lets errors name the file
        return self.label

    def take(self, rows: Sequence[int], places: Sequence[int]) -> CellTable:
        """Return selected rows and columns."""
        return replace(
            self,
            names=[self.names[place] for place in places],
            columns=[[self.columns[place][row] for row in rows] for place in places],
            at=[self.at[row] for row in rows],
        )


def delimiter_of(data: bytes) -> str:
    """Return the delimiter of a text table, judging by its first line."""
    first = data.removeprefix(BYTE_ORDER_MARK).lstrip(b"\r\n").partition(b"\n")[0]
    return next((mark for mark in "\t,;|" if mark.encode() in first), ",")


def read_cells(source: Any, expected: str) -> CellTable:  # noqa: ANN401 - a path, or any table
    """Read a table from a file or an object; a single JSON dict is one row."""
    if isinstance(source, CellTable):
        return source
    if not isinstance(source, (str, os.PathLike)):
        return CellTable.of_columns(*objects_of(source), "DataFrame")
    data, origin = files.contents(source, lines=False, tables=True)
    table = cells_of(data, origin, expected)
    return replace(table, source=replace(origin, n_rows=len(table.at)))


def cells_of(data: bytes, origin: Source, expected: str) -> CellTable:
    """Parse the bytes of a file as a table."""
    label = origin.label
    if kind_of(data[:8]):
        names, cells = file_columns(data, label, list)
        return CellTable.of_columns(names, list(map(arrow.to_objects, cells)), label, origin)
    if looks_like_json(data[:4096]):
        tree = parsed(data, label)
        if isinstance(tree, Mapping):
            tree = saved_frame(tree)
        if isinstance(tree, Mapping) and is_columns(tree):
            return CellTable.of_columns(*objects_of(tree), label, origin)
        rows = tree if isinstance(tree, list) else [tree]
        if not all(isinstance(row, Mapping) for row in rows):
            raise ReadError(label, "holds no objects of JSON", expected=expected)
        return CellTable.of_rows(rows, label, origin, first=1)
    delimiter = delimiter_of(data)
    names, lines = headed_lines(data, delimiter, label)
    if not names:
        raise ReadError(label, "no lines", expected=expected)
    require_distinct(names, label)
    text, at = text_columns(lines, len(names), label, delimiter.join(names))
    return CellTable(label, names, text, at, "line", origin)


# --- Query texts, and properties that divide queries into segments

TEXTS = ("text", "title", "query", "question", "topic")
# A column "query" is used as the id only if there is no other; beside an id it is the text.
QUERY_IDS = (
    "query_id", "qid", "q_id", "topic_id", "_id", "id", "number", "num", "query", "topic",
    "user_id", "userid", "user",
)  # fmt: skip

# Columns that name the collection of each row, if there are several.
COLLECTIONS = ("collection", "dataset", "corpus", "benchmark", "task")

TOPICS = "query_id<TAB>text, JSON lines, or TREC topics"
TABLE = "query_id,property,…"
MOST_NAMED = 3

_TOP = re.compile(r"<top>", re.IGNORECASE)
_END = re.compile(r"</top>", re.IGNORECASE)
# Possessive quantifiers: on a text of blanks, backtracking would take quadratic time.
_NUMBER = re.compile(r"<num>\s*+(?:Number:\s*+)?([^<\s]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*+(?:Topic:\s*+)?([^<]*)", re.IGNORECASE)


def read_topics(source: object) -> dict[str, str]:
    """Read the texts of queries."""
    if isinstance(source, (str, os.PathLike)):
        topics = _topics_of_file(source)
    elif not hasattr(source, "items") or hasattr(source, "columns"):
        topics = _topics_of_table(read_cells(source, TOPICS))
    else:
        topics = dict(source.items())
    return {query: " ".join(text.split()) for query, text in _filled(topics).items()}


def _filled(of_query: Any) -> dict[str, str]:  # noqa: ANN401 - a dict, or a Series
    filled = [(q, cell) for q, cell in of_query.items() if not is_missing(cell) and cell != ""]
    return {str(query): str(cell) for query, cell in filled}


def read_segments(source: Any, unnamed: str = "segment") -> dict[str, dict[str, str]]:  # noqa: ANN401
    """Read query properties, which divide the queries into segments."""
    if isinstance(source, Mapping) and any(isinstance(cell, Mapping) for cell in source.values()):
        for name, of_query in source.items():
            if not isinstance(of_query, Mapping):
                raise ReadError(
                    "dict", f"{name!r} holds no dict", expected="{property: {query_id: label}}"
                )
        return {str(name): _filled(of_query) for name, of_query in source.items()}
    source = as_table(source)
    if hasattr(source, "items") and not hasattr(source, "columns"):  # dict or Series
        return {str(getattr(source, "name", None) or unnamed): _filled(source)}
    is_read = isinstance(source, CellTable)
    if isinstance(source, (str, os.PathLike)) and not is_read:  # pipes can be read only once
        data, origin = files.contents(source, lines=False, tables=True)
        if tree := _tree_of(data, origin.label):
            return read_segments(tree)
        source = cells_of(data, origin, TABLE)
    cells = read_properties(source)
    label, names = cells.label, cells.names
    place = names.index(_column(names, QUERY_IDS, label))
    ids = cells.columns[place]
    if len(names) == 1:
        raise ReadError(label, f"no column beside {names[place]}", expected=TABLE)
    properties = [name for i, name in enumerate(names) if i != place]
    if not all(name.strip() for name in properties):
        raise ReadError(label, "a column has no name", hint="name it, or write no row numbers")
    require_distinct(properties, label)
    row_of: dict[str, int] = {}
    for row, (query, where) in enumerate(zip(ids, cells.at, strict=True)):
        if not query.strip():
            raise ReadError(label, "the query id is empty", at=f"{cells.unit} {where}")
        first = row_of.setdefault(query, row)
        # Repeated equal rows, for example one per variant, are accepted.
        if first != row and any(column[row] != column[first] for column in cells.columns):
            problem = f"query {shorten(query)} occurs twice"
            raise ReadError(label, problem, at=f"{cells.unit} {where}", hint="one row per query")
    del row_of
    return {
        name: {query: cell for query, cell in zip(ids, column, strict=True) if cell}
        for name, column in zip(names, cells.columns, strict=True)
        if name != names[place]
    }


def _tree_of(data: bytes, label: str) -> dict[str, Any]:
    """Return the dict in a JSON file, unless it has a column of query ids."""
    tree = parsed(data, label) if looks_like_json(data[:4096]) else {}
    tree = saved_frame(tree) if isinstance(tree, dict) else tree
    is_tree = isinstance(tree, dict) and not found_in([*tree], [QUERY_IDS])
    return tree if is_tree else {}


def read_properties(source: object) -> CellTable:  # a path, a table that was read, or a DataFrame
    """Read a table of properties as text."""
    frame: Any = source
    columns = {str(name).strip().casefold() for name in getattr(source, "columns", ())}
    # Without a query column the index is used, unless it only numbers the rows.
    if hasattr(frame, "reset_index") and not {*QUERY_IDS} & columns and (
        frame.index.name is not None or type(frame.index).__name__ != "RangeIndex"
    ):  # fmt: skip
        frame = frame.rename_axis("query_id") if frame.index.nlevels == 1 else frame
        frame = frame.reset_index()
    table = read_cells(frame, TABLE)
    if table.unit == "line":
        return table
    texts = [["" if is_missing(x) else str(x) for x in column] for column in table.columns]
    return replace(table, columns=texts)


def by_collection(table: CellTable, collections: Collection[str]) -> dict[str, CellTable]:
    """Split a table by collection, and drop the column that names it."""
    folded = [name.strip().casefold() for name in table.names]
    place = next((folded.index(name) for name in COLLECTIONS if name in folded), None)
    if place is None:
        raise ReadError(
            table.label,
            f"has no column {COLLECTIONS[0]}, which says whose queries they are"
            f" ({shorten(', '.join(collections))})",
            hint="add the column, or give a file for each collection",
        )
    rows_of: dict[str, list[int]] = {}
    for row, name in enumerate(table.columns[place]):
        rows_of.setdefault(name.strip(), []).append(row)
    unknown = [name for name in rows_of if name not in collections]
    if unknown and not {*collections} <= {*rows_of}:
        raise ReadError(
            table.label,
            f"holds the collections {shorten(', '.join(rows_of))}; the comparison has"
            f" {shorten(', '.join(collections))}",
            hint=f"write the names of the collections in the column {table.names[place]} alike",
        )
    others = [i for i in range(len(table.names)) if i != place]
    return {name: table.take(rows_of[name], others) for name in collections if name in rows_of}


def read_clusters(
    source: Any,  # noqa: ANN401
    columns: Collection[str] = (),
    kind: str = "clusters",
) -> tuple[str, dict[str, str]] | None:
    """Read the cluster (such as conversation or user) or the weight of each query."""
    if source is None:
        return None
    try:
        segments = read_segments(source, kind)
    except NotFoundError as problem:
        there = ", ".join(columns) or "give the table with it as --segments"
        problem.add_note(f"nor is it a column of --segments: {there}")
        raise
    if len(segments) > 1:
        label = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "DataFrame"
        raise ReadError(
            label,
            f"several columns could be the {kind}: {shorten(', '.join(segments))}",
            hint=f"give it as --segments too, and the name of the column as --{kind}",
        )
    ((name, of_query),) = segments.items()
    return name, of_query


def read_groups(
    segments: object, clusters: object
) -> tuple[dict[str, dict[str, str]], tuple[str, dict[str, str]] | None]:
    """Read segments and clusters; clusters may be the name of a segment column."""
    with reading("segments", segments):
        cut = {} if segments is None else read_segments(segments)
    if isinstance(clusters, str) and clusters in cut:
        of_query = cut.pop(clusters)
        return cut, (clusters, of_query)
    with reading("clusters", clusters):
        return cut, read_clusters(clusters, cut)


def read_weights(
    weights: object, cut: dict[str, dict[str, str]]
) -> tuple[str, dict[str, str]] | None:
    """Read query weights; the name of a segment column moves that column to the weights."""
    if isinstance(weights, str) and weights in cut:
        return weights, cut.pop(weights)
    return read_clusters(weights, cut, "weights")


def labels_of(
    clusters: tuple[str, Mapping[str, str]] | None, query_ids: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the cluster of each query; a query without one is its own cluster."""
    if clusters is None:
        return None
    name, of_query = clusters
    lacking = [query_id for query_id in query_ids if query_id not in of_query]
    if 2 * len(lacking) > len(query_ids):  # probably the ids differ
        some = ", ".join(shorten(query_id, width=40) for query_id in lacking[:MOST_NAMED])
        raise AlignmentError(
            f"clusters by {name}: {plural(len(lacking), 'query', 'queries')} of"
            f" {count(len(query_ids))} {'has' if len(lacking) == 1 else 'have'} none"
            f" ({some}{' …' if len(lacking) > MOST_NAMED else ''})"
        )
    return tuple(of_query.get(query_id, f"no {name}, {query_id}") for query_id in query_ids)


def lacking_labels(
    clusters: tuple[str, Mapping[str, str]] | None, query_ids: Sequence[str]
) -> tuple[str, ...]:
    """Return a note on queries without a cluster; empty if there are none."""
    name, of_query = clusters or ("", {})
    n = sum(query_id not in of_query for query_id in query_ids) if of_query else 0
    kind, has = "cluster" if name == "clusters" else name, "has" if n == 1 else "have"
    queries = plural(n, "query", "queries")
    return (f"{queries} {has} no {kind}: each counts as a cluster of its own",) if n else ()


def _topics_of_file(path: str | os.PathLike[str]) -> Mapping[Any, Any]:
    data, source = files.contents(path, tables=True)
    text = "" if kind_of(data) else data.decode("utf-8-sig", "replace")
    first = text.lstrip().partition("\n")[0]
    names = [cell.strip('" \r') for cell in first.split(delimiter_of(data))]
    key, texts = (found_in(names, [group]) for group in (QUERY_IDS, TEXTS))
    is_table = bool(key) and any(i != key[0] for i in texts)  # the first line is a header
    if kind_of(data) or first.startswith("[") or is_table:
        return _topics_of_table(cells_of(data, source, TOPICS))
    if first.startswith("{"):
        with contextlib.suppress(ReadError):  # bad lines are reported below
            if tree := _tree_of(data, source.label):
                return tree
    return _parse_topics(text, source.label)


def _topics_of_table(table: CellTable) -> dict[Any, Any]:
    key = table.names.index(_column(table.names, QUERY_IDS, table.label))
    others = ["" if i == key else name for i, name in enumerate(table.names)]
    text = others.index(_column(others, TEXTS, table.label))
    topics: dict[Any, Any] = {}
    for query, topic, at in zip(table.columns[key], table.columns[text], table.at, strict=True):
        if query in topics:
            problem = f"query {shorten(str(query))} occurs twice"
            raise ReadError(table.label, problem, at=f"{table.unit} {at}")
        topics[query] = topic
    return topics


def _parse_topics(text: str, label: str) -> dict[str, str]:
    if _TOP.search(text):
        return _trec_topics(text, label)
    topics: dict[str, str] = {}
    bad = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("{"):
            record = _json(line)
            query = next((_plain(record[name]) for name in QUERY_IDS if name in record), "")
            # The id may be under "query", so prefer the other keys for the text.
            topic = next((_plain(record[name]) for name in TEXTS if name in record), "")
        else:
            query, _, topic = map(str.strip, line.rstrip("\r").partition("\t"))
        if not query or not topic:
            bad.append(BadLine(number, line, "no query id and text"))
        elif query in topics:
            bad.append(BadLine(number, line, f"query {shorten(query)} occurs twice"))
        topics[query] = topic
    if bad or not topics:
        problem = "" if bad else "no lines"
        raise ReadError(label, problem, lines=bad[:MOST_SHOWN], total=len(bad), expected=TOPICS)
    return topics


def _trec_topics(text: str, label: str) -> dict[str, str]:
    topics: dict[str, str] = {}
    for place, topic in enumerate(_TOP.split(text)[1:], 1):
        position = f"topic {place}"
        body, *behind = _END.split(topic, 1)
        if not behind:
            raise ReadError(label, "no </top> at its end", at=position, expected=TOPICS)
        number, title = _NUMBER.search(body), _TITLE.search(body)
        if number is None or title is None or not title[1].strip():
            raise ReadError(label, "a topic without <num> or <title>", at=position, expected=TOPICS)
        if number[1] in topics:
            raise ReadError(label, f"query {shorten(number[1])} occurs twice", at=position)
        topics[number[1]] = html.unescape(title[1])
    return topics


def _json(line: str) -> dict[str, Any]:
    """Parse a line as a JSON object with lower-case keys; empty if it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):  # ValueError also for numbers of 5,000 digits
        return {}
    return {str(name).casefold(): value for name, value in record.items()}


def _plain(value: object) -> str:  # whatever JSON holds
    """Convert a text or number to text, and anything else to an empty text."""
    is_plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return str(value).strip() if is_plain else ""


def _column(names: list[str], accepted: tuple[str, ...], label: str) -> str:
    places = found_in(names, [(name,) for name in accepted])
    if not places:
        hint = f"columns: {shorten(', '.join(names))}"
        raise ReadError(label, f"no column of {accepted[0]}", hint=hint)
    return names[places[0]]


# --- Titles or texts of the few documents that are displayed

DOC_IDS = ("doc_id", "docno", "docid", "_id", "id", "did", "pid", "corpus_id", "corpus-id")
TITLES = ("title", "headline", "name", "url")
DOCUMENT_TEXTS = ("text", "body", "contents", "content", "abstract", "passage")
EXPECTED = "doc_id<TAB>title, or JSON lines with an id and a title or text"
LONGEST = 300


def read_documents(
    source: Any,  # noqa: ANN401
    wanted: Collection[str],
    *,
    longest: int = LONGEST,
) -> dict[str, str]:
    """Read titles of documents, or the beginning of their texts."""
    if isinstance(source, Mapping):
        return {doc: _short(str(source[doc]), longest) for doc in sorted(wanted) if doc in source}
    missing, texts = set(wanted), {}
    for number, line in enumerate(_lines(source), 1):
        if line.lstrip().startswith("{"):
            record = _json(line)
            doc = next((str(record[name]) for name in DOC_IDS if name in record), "")
            parts = (
                next((str(record[name]) for name in names if record.get(name)), "")
                for names in (TITLES, DOCUMENT_TEXTS)
            )
            text = " – ".join(filter(None, parts))
        else:
            first, _, rest = line.rstrip("\r").partition("\t")
            doc, text = first.strip(), rest.replace("\t", " – ").strip()
        if number == 1 and not (doc and text):
            bad = [BadLine(number, line, "no document id and text")]
            raise ReadError(os.fspath(source), lines=bad, expected=EXPECTED)
        if doc in missing:
            texts[doc] = _short(text, longest)
            missing.discard(doc)
            if not missing:
                break
    return texts


def _lines(path: str | os.PathLike[str]) -> Iterator[str]:
    if not isinstance(path, (str, os.PathLike)):
        kind = type(path).__name__
        raise ArgumentError(f"docs: a path or a dict of titles is wanted, not {kind}")
    with files.opened(path, hashes=False) as (file, _):
        for number, piece in enumerate(files.pieces(file, os.fspath(path))):
            text = piece if number else piece.removeprefix(BYTE_ORDER_MARK)
            for line in text.decode("utf-8", "replace").split("\n"):
                if line.strip():
                    yield line


def _short(text: str, longest: int) -> str:
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    word = head.rfind(" ")
    return f"{head[:word] if word > 0.8 * longest else head}…"
