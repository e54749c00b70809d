"""Read judgments or a run from objects of Python and other libraries."""

# These are tables, dicts of dicts, iterables of tuples, lists of documents by query, hits (dicts or
# pairs) by query, records, objects of ranx and LensKit, mteb's predictions by subset and split,
# `_rank_eval` responses of Elasticsearch and OpenSearch, predictions of sentence-transformers.

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, islice
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from abrank._support.display import plural, shorten
from abrank._support.errors import ArgumentError, ReadError, retold
from abrank.inputs import arrow, ids, trec
from abrank.inputs import columns as raw
from abrank.inputs.columns import QUERY_IDS, RUN, Columns, Layout, choose_columns, found_in
from abrank.inputs.ids import MOST_ID, Ids

if TYPE_CHECKING:
    import numpy.typing as npt


def checked(blocks: Iterable[list[list[Any]]], label: str, layout: Layout) -> Columns:
    """Convert cells to columns, a block of rows at a time."""
    gathered = raw.Gathered(layout, label, "row", expected=f"query_id, doc_id, {layout.value}")
    for columns in blocks:
        n_rows, rows = len(columns[2]), list(range(len(columns[2])))
        if layout is not RUN:
            rows = [
                row for row, grade in enumerate(columns[2])
                if not is_missing(grade) and not (isinstance(grade, str) and not grade.strip())
            ]  # fmt: skip
        if len(rows) < n_rows:
            gathered.n_unrated += n_rows - len(rows)
            columns = [[column[row] for row in rows] for column in columns]
        queries, docs, values, *subtopics = columns
        try:
            part = Columns(
                query=read_ids(queries, "query_id", label),
                doc=read_ids(docs, "doc_id", label),
                value=_numbers(values, layout, label),
                position=np.array(rows, dtype=np.int64),
                subtopic=read_ids(subtopics[0], "subtopic", label) if subtopics else None,
            )
        except ReadError as error:
            row = int(error.rest["at"].removeprefix("row "))
            cells = (shorten(str(column[row]), width=40) for column in columns)
            place = f"row {gathered.n_lines + rows[row]}"
            raise retold(error, row="  ".join(cells), at=place) from None
        gathered.add(part, n_rows)
    return gathered.joined()


def read_ids(values: list[Any], column: str, label: str) -> Ids:
    """Convert ids to text; whole numbers are accepted, floats are refused."""
    if set(map(type, values)) != {str}:
        values = [read_id(value, row, column, label) for row, value in enumerate(values)]
    try:
        encoded = ids.encode(values)
    except UnicodeEncodeError as error:
        row = values.index(error.object)
        raise ReadError(
            label, f"{column} {error.object!r} is not valid text", at=f"row {row}"
        ) from error
    if "" in values:
        raise ReadError(label, f"{column} is empty", at=f"row {values.index('')}")
    if ids.longest(encoded) > MOST_ID:
        row = max(range(len(values)), key=lambda position: len(values[position]))
        problem = f"{column} is longer than {MOST_ID >> 10} kB"
        raise ReadError(label, problem, at=f"row {row}")
    return encoded


def read_id(value: object, row: int, column: str, label: str) -> str:
    """Convert an id to text; a whole number is accepted, a float is refused."""
    if isinstance(value, str) or type(value).__name__ == "UUID":  # UUID: DuckDB, PostgreSQL
        return str(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    hint = ""
    if is_missing(value):
        problem = f"{column} is missing ({value!r})"
    elif isinstance(value, (float, np.floating)):
        problem = f"{column} {value!r} is a float; ids are text, and 301.0 is not 301"
        hint = f'frame["{column}"] = frame["{column}"].astype("Int64").astype(str) mends it'
    else:
        problem = f"{column} {value!r} is a {type(value).__name__}; ids are text or whole numbers"
    raise ReadError(label, problem, at=f"row {row}", hint=hint)


def is_missing(value: object) -> bool:
    """Whether a cell of a frame is empty: None, NaN, NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _numbers(values: list[Any], layout: Layout, label: str) -> npt.NDArray[Any]:
    if layout is RUN and set(map(type, values)) == {float}:
        scores = np.array(values)
        if np.isfinite(scores).all():  # otherwise refused below, with the row
            return scores
    numbers = []
    for row, value in enumerate(values):
        number, problem = read_number(value, layout.value)
        if problem:
            raise ReadError(label, problem, at=f"row {row}")
        numbers.append(number)
    return np.array(numbers, dtype=np.float64) if layout is RUN else raw.as_grades(numbers)


def read_number(value: Any, name: str = "score") -> tuple[float, str]:  # noqa: ANN401
    """Read a score or grade from a cell, and say what is wrong with it; text may be a number."""
    if not isinstance(value, (str, int, float)):
        is_scalar = hasattr(value, "__array__") and getattr(value, "ndim", 1) == 0
        if is_scalar and hasattr(value, "item"):  # numpy scalar, or tensor
            return read_number(value.item(), name)
    if is_missing(value):
        return 0.0, f"{name} is missing ({value!r})"
    if isinstance(value, str):
        read = trec.read_score if name == "score" else trec.read_grade
        return read(value.strip().encode("utf-8", "backslashreplace"), b"")
    if not isinstance(value, Number) or isinstance(value, complex):
        return 0.0, f"{name} {value!r} is a {type(value).__name__}, not a number"
    if not isinstance(value, (int, float)):  # decimal of a database, or fraction
        return read_number(float(value), name)  # type: ignore[arg-type]
    try:
        number = float(value)
    except OverflowError:  # an integer with hundreds of digits
        return math.inf, f"{name} is too large"
    if math.isinf(number):
        return number, f"{name} is infinite"
    if name == "score" or number != math.floor(number):
        return number, ""
    return int(value), "" if abs(int(value)) < 2**63 else f"{name} {value!r} is too large"


# --- Convert judgments and rankings of other programs to plain rows

_HIT_IDS = (*raw.DOC_IDS[:2], ("_id", "id", "object_id"), *raw.DOC_IDS[2:])
# Paths to the hits in a response: Elasticsearch and OpenSearch; Solr; Vespa; Algolia, Typesense and
# Meilisearch; Qdrant; Pinecone.
_HITS = (
    ("hits", "hits"), ("response", "docs"), ("root", "children"), ("hits",), ("result", "points"),
    ("result",), ("matches",),
)  # fmt: skip
_ROWS = 50_000  # rows whose cells are held as Python objects at once
_LOOKED_AT = 20  # queries
_BESIDE = ("mteb_model_meta",)  # metadata that mteb adds to its predictions


def unwrapped(source: object, label: str | None) -> object:
    """Unwrap the dict, table or rows in an object of another library; return others unchanged."""
    library = type(source).__module__.partition(".")[0]
    if library == "ranx" and hasattr(source, "to_dict"):
        return source.to_dict()
    if library == "lenskit" and hasattr(source, "to_df"):
        return source.to_df()
    if library == "trectools":
        return getattr(source, "run_data", getattr(source, "qrels_data", source))
    source = body_of(source)
    if isinstance(source, Mapping):
        first = next(iter(source.values()), None)
        if body_of(first) is not first:
            source = {query: body_of(answer) for query, answer in source.items()}
        label, hits, details = label or "dict", _hits_of(source), source.get("details")
        if isinstance(source.get("judgmentRatings"), list):
            return _opensearch_ratings(source["judgmentRatings"], label)
        if hits is not None and found_in(list(source), QUERY_IDS):
            return [source]  # a single line of JSON
        if hits is not None:
            return _opensearch_ratings(_judgment_list(hits, label), label)
        if isinstance(source.get("responses"), list):
            hint = "give {query: answer}: dict(zip(queries, answers['responses']))"
            raise ReadError(label, "an answer of _msearch names no queries", hint=hint)
        # Check several answers, because the first query may have failed.
        if any(_hits_of(answer) is not None for answer in islice(source.values(), _LOOKED_AT)):
            return {query: _ranked_hits(query, answer, label) for query, answer in source.items()}
        if isinstance(details, Mapping) and "metric_score" in source:
            return {query: _rated_hits(query, answer, label) for query, answer in details.items()}
        if "results" not in source or not found_in(list(source), QUERY_IDS):
            return _one_of_many(source, label)
        return [source]  # a single line of JSON
    return source


def body_of(answer: Any) -> Any:  # noqa: ANN401
    """Return the dict in a response of Elasticsearch's client; return others unchanged."""
    body = None if isinstance(answer, Mapping) else getattr(answer, "body", None)
    return body if isinstance(body, Mapping) else answer


def _hits_of(answer: object) -> list[Any] | None:
    """Return the list of hits in a response of a search engine; None for other objects."""
    for path in _HITS:
        hits: Any = answer
        for key in path:
            hits = hits.get(key) if isinstance(hits, Mapping) else None
        if not isinstance(hits, list):
            continue
        if len(path) > 1 or (hits and isinstance(hits[0], Mapping) and _id_of(hits[0])):
            return hits
    return None


def _id_of(hit: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the id of a hit, perhaps from its document; None without one."""
    name = _name_in(tuple(name for name in hit if not isinstance(hit[name], Mapping)), _HIT_IDS)
    if name is not None:
        return hit[name]
    return _id_of(hit["document"]) if isinstance(hit.get("document"), Mapping) else None


@lru_cache(1000)  # because all hits have the same names
def _name_in(names: tuple[Any, ...], groups: tuple[tuple[str, ...], ...]) -> Any:  # noqa: ANN401
    """Return the first name in the first group that matches any; None without a match."""
    return next((names[place] for place in found_in(names, groups)), None)


def _ranked_hits(query: object, answer: object, label: str) -> list[Any]:
    hits = _hits_of(answer)
    if hits is None and isinstance(answer, Mapping) and [] in answer.values():
        return []  # the query has no results
    if hits is None:
        problem = f"query {query!r} has no list of hits"
        expected = '{query: {"hits": {"hits": [{"_id": ..., "_score": ...}]}}}'
        raise ReadError(label, problem, expected=expected)
    return hits


def _judgment_list(hits: list[Any], label: str) -> list[Any]:
    """Return the ratings of the only judgment list in a response of OpenSearch."""
    documents = [hit.get("_source") for hit in hits if isinstance(hit, Mapping)]
    lists = [
        document["judgmentRatings"] for document in documents
        if isinstance(document, Mapping) and isinstance(document.get("judgmentRatings"), list)
    ]  # fmt: skip
    if len(lists) == 1:
        return list(lists[0])
    problem = f"is one answer of _search, with {plural(len(lists), 'judgment list')}"
    expected = "one answer with one list of judgmentRatings, or {query: answer} of a run"
    raise ReadError(label, problem, expected=expected)


def _opensearch_ratings(ratings: list[Any], label: str) -> dict[str, list[tuple[Any, Any]]]:
    judgments: dict[str, list[tuple[Any, Any]]] = {}
    for place, entry in enumerate(ratings):
        try:
            pairs = [(rating["docId"], rating["rating"]) for rating in entry["ratings"]]
            judgments.setdefault(entry["query"], []).extend(pairs)
        except (KeyError, TypeError) as error:
            expected = '{"query": ..., "ratings": [{"docId": ..., "rating": ...}]}'
            problem = "an entry of judgmentRatings has another form"
            raise ReadError(label, problem, at=f"entry {place}", expected=expected) from error
    return judgments


def _rated_hits(query: Any, answer: Any, label: str) -> list[Any]:  # noqa: ANN401
    try:
        return [
            {"doc_id": entry["hit"]["_id"], "rating": entry.get("rating")}
            for entry in answer["hits"]
        ]
    except (TypeError, KeyError) as error:
        problem = f"query {query!r} has no list of hits with their _id"
        raise ReadError(label, problem, expected="an answer of _rank_eval") from error


def _one_of_many(source: Mapping[Any, Any], label: str) -> Mapping[Any, Any]:
    """Return the rankings in mteb's predictions, which are nested by subset and split."""
    path = []
    while _depth(source) > 2:
        names = [name for name in source if name not in _BESIDE]
        path.append(names[0])
        if len(names) > 1:
            keys = "".join(f"[{name!r}]" for name in path)
            raise ReadError(
                label,
                f"holds {len(names)} sets of rankings: {', '.join(map(str, names))}",
                hint=f"give one of them: json.load(open(path)){keys}; of a run each of these is a"
                " query: {query: {document: score}}",
            )
        source = source[names[0]]
    return source


def _depth(value: object) -> int:
    """Return the depth of nested dicts, following the first value that is not empty."""
    if not isinstance(value, Mapping):
        return 0
    inner = (content for name, content in value.items() if name not in _BESIDE)
    return 1 + _depth(
        next((content for content in inner if not isinstance(content, Mapping) or content), None)
    )


def read_queries(source: Iterable[tuple[Any, Any]], layout: Layout, label: str) -> Columns:
    """Read pairs of a query and its documents, many documents at a time."""
    if layout is raw.SUBTOPIC_QRELS:
        raise ArgumentError(
            "a dict of dicts has no subtopics: give tuples (query_id, subtopic, doc_id, relevance)"
        )

    def blocks() -> Iterator[list[list[Any]]]:
        columns: list[list[Any]] = [[], [], []]
        for query, row in source:
            documents = row if isinstance(row, Mapping) else _documents(query, row, layout, label)
            pairs = list(documents.items() if isinstance(documents, Mapping) else documents)
            columns[0] += [query] * len(pairs)
            columns[1] += [doc for doc, _ in pairs]
            columns[2] += [value for _, value in pairs]
            if len(columns[0]) >= _ROWS:
                yield columns
                columns = [[], [], []]
        yield columns

    return checked(blocks(), label, layout)


def _documents(query: object, row: Any, layout: Layout, label: str) -> list[tuple[Any, Any]]:  # noqa: ANN401
    row = _listed(row)
    if isinstance(row, Mapping):
        return list(row.items())
    is_set = isinstance(row, (set, frozenset))
    if not isinstance(row, (list, tuple)) and not (is_set and layout is not RUN):
        kind = "set, which has no order" if is_set else f"{type(row).__name__}, not a dict"
        raise ReadError(
            label,
            f"query {query!r} has a {kind}",
            expected=f"{{query_id: {{doc_id: {layout.value}}}}} or {{query_id: [doc_id, ...]}}",
        )
    if all(isinstance(entry, Mapping) for entry in row) and row:
        return [_hit(query, hit, len(row) - i, layout, label) for i, hit in enumerate(row)]
    if all(isinstance(entry, (tuple, list)) and len(entry) == 2 for entry in row):
        return [(doc, value) for doc, value in row]
    return [(doc, len(row) - i if layout is RUN else 1) for i, doc in enumerate(row)]


def _listed(row: Any) -> object:  # noqa: ANN401
    """Convert an array, a column, a tensor or an iterator to a list; return others unchanged."""
    if isinstance(row, (str, bytes, Mapping, list, tuple, set, frozenset)):
        return row
    if hasattr(row, "iloc") and hasattr(row, "columns"):  # frame for one query
        return row.to_dict("records")
    if isinstance(row, np.ndarray) and row.dtype.kind == "S":  # texts from HDF5
        row = np.char.decode(row, "utf-8", "surrogateescape")
    is_series = hasattr(row, "iloc") and hasattr(row, "index")
    # Numbers indexed by document ids, as opposed to ids in rank order.
    if is_series and row.dtype.kind in "iufb" and row.index.dtype.kind not in "iuf":
        return list(zip(row.index.tolist(), row.tolist(), strict=True))
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(row, name):
            return getattr(row, name)()
    if hasattr(row, "__array__"):
        return np.asarray(row).tolist()
    return list(row) if isinstance(row, Iterable) else row


def _hit(
    query: object, hit: Mapping[str, Any], score: int, layout: Layout, label: str
) -> tuple[Any, Any]:
    doc = _id_of(hit)
    if doc is None:
        problem = f"a hit of query {query!r} names no document; it has {', '.join(hit)}"
        raise ReadError(label, problem, expected='{"doc_id": ..., "score": ...}')
    # Other fields of a hit belong to its document, unless there is only one other, a number.
    groups = raw.ACCEPTED[layout.value] if layout is not RUN or len(hit) == 2 else (("score",),)
    names = tuple(name for name in hit if layout is RUN or name != "_score")
    name = _name_in(names, groups)
    if name is None and layout is RUN and len(hit) == 2:
        like = (name for name in names if raw.SCORE_LIKE.search(raw.folded(name)))
        name = next((name for name in like if isinstance(hit[name], Number)), None)
    if layout is RUN:
        # In Elasticsearch `_score` is null if hits were sorted by a field.
        if name is None or (name == "_score" and hit[name] is None):
            return doc, score
        number, problem = read_number(hit[name]) if raw.holds_ranks(name, RUN) else (0.0, "no rank")
        return doc, hit[name] if problem else -number
    if name is None and any(isinstance(hit[name], Number) and hit[name] != doc for name in names):
        problem = f"a hit of query {query!r} names no grade; it has {', '.join(hit)}"
        raise ReadError(label, problem, expected='{"doc_id": ..., "relevance": ...}')
    return doc, 1 if name is None else hit[name]


def read_rows(
    source: Iterable[Any], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> Columns:
    """Read records or tuples in batches; all rows must have the form of the first."""
    rows = iter(source)
    begin = list(islice(rows, 1))
    first, rows = begin[0] if begin else None, chain(begin, rows)
    are_records = isinstance(first, Mapping)
    names = [*(first if isinstance(first, Mapping) else getattr(first, "_fields", ()))]
    if are_records or not names:
        _no_columns(columns, "dicts" if are_records else "plain tuples")
    # Predictions of sentence-transformers, or responses of _search, with one line per query.
    if are_records and ("results" in names or _hits_of(first) is not None):
        return read_queries(_results_by_query(rows, label), layout, label)
    if isinstance(first, Mapping) and arrow.holds_lists(first):  # one row per query
        try:
            table = arrow.unfolded(pa.Table.from_pylist(list(rows)))
        except (pa.ArrowException, TypeError, AttributeError, ArgumentError) as error:
            raise ReadError(label, f"has lists that are not alike: {error}") from error
        chosen = choose_columns(table.column_names, layout, columns, label=label)
        return of_table([table[name] for name in chosen], label, layout, chosen=chosen)
    by_subtopic = layout is raw.SUBTOPIC_QRELS
    expected = f"(query_id, {'subtopic, ' if by_subtopic else ''}doc_id, {layout.value})"
    keys: list[Any] = [0, 2, 3, 1] if by_subtopic else [0, 1, 2]
    width = len(names) or len(keys)
    chosen = ()
    if are_records or names:
        chosen = choose_columns(names, layout, columns, label=label)
        keys = [*chosen] if are_records else [names.index(name) for name in chosen]
    ones = bool(chosen) and raw.holds_ones(chosen)

    def problem(row: Any) -> str:  # noqa: ANN401
        """Return how a row differs from the form of the first; empty if it does not."""
        if not are_records:
            is_row = isinstance(row, (tuple, list)) and len(row) == width
            return "" if is_row else f"{row!r} is not {expected}"
        if not isinstance(row, Mapping):
            return f"is a {type(row).__name__}, where the first row is a record"
        return next((f"the record has no {key}" for key in keys if key not in row), "")

    def blocks() -> Iterator[list[list[Any]]]:
        n_rows = 0
        while held := list(islice(rows, _ROWS)):
            for number, row in enumerate(held, n_rows):
                if text := problem(row):
                    form = "" if are_records else expected
                    raise ReadError(label, text, at=f"row {number}", expected=form)
            part = [[row[key] for row in held] for key in keys]
            yield [*part[:2], [1] * len(held)] if ones else part
            n_rows += len(held)

    return raw.as_chosen(checked(blocks(), label, layout), chosen, layout)


def _results_by_query(records: Iterable[Any], label: str) -> Iterator[tuple[Any, Any]]:
    queries = set()
    for number, record in enumerate(records):
        names = list(record) if isinstance(record, Mapping) else []
        places = found_in(names, QUERY_IDS)
        query = record[names[places[0]]] if places else None
        results = record["results"] if "results" in names else _hits_of(record)
        if not isinstance(query, (str, int)) or results is None:
            raise ReadError(label, "no query with results", at=f"row {number}")
        if query in queries:
            raise ReadError(label, f"query {query!r} occurs twice", at=f"row {number}")
        queries.add(query)
        yield query, results


# --- Read tables, dicts of dicts and iterables of tuples into the same columns as files


# By library: how an object is converted that provides judgments or a run.
_CONVERSIONS = {
    ("pyterrier", "run"): ": give what it retrieves, pipeline.transform(topics)",
    ("pyterrier", "qrels"): ": give its judgments, dataset.get_qrels()",
    ("abrank", "qrels"): ": the judgments come first, then the runs",
    ("abrank", "run"): ": the judgments come first, then the runs",
}


def read_columns(
    source: object, layout: Layout, *, columns: Mapping[str, str] | None, label: str | None = None
) -> Columns:
    """Read judgments or a run from an object."""
    source = unwrapped(source, label)
    series: Any = source
    if hasattr(source, "iloc") and not hasattr(source, "columns"):  # a pandas Series
        if series.index.nlevels > 1:
            source = series.reset_index()
        elif series.dtype.kind == "O":  # lists of documents by query
            source = dict(series.items())
    frame = arrow.saved_frame(source) if isinstance(source, Mapping) else None
    if frame and raw.has_columns([*frame[0]] if isinstance(frame, list) else [*frame]):
        source = arrow.as_table(frame)
    if isinstance(source, Mapping):
        _no_columns(columns, "a dict of dicts")
        label = label or "dict"
        return read_queries(source.items(), layout, label)
    table = label or label_of(source)
    choose = partial(choose_columns, layout=layout, columns=columns, label=table)
    if isinstance(source, np.ndarray) and not source.dtype.names:  # structured arrays are tables
        if source.ndim == 2 and source.dtype.kind in "iuf":
            raise ReadError(
                table, "a 2-D array names no queries",
                hint="give {query: row for query, row in zip(query_ids, array)}, or a table with"
                f" the columns query_id, doc_id, {layout.value}",
            )  # fmt: skip
        source = source.tolist()
    table_columns = arrow.columns_of(source, choose)
    if table_columns is not None:
        return of_table(table_columns[1], table, layout, chosen=table_columns[0])
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes)):
        return read_rows(source, layout, columns, label or "tuples")
    kind = type(source).__name__
    hint = _CONVERSIONS.get((type(source).__module__.partition(".")[0], layout.kind), "")
    raise ArgumentError(
        f"{layout.kind} must be a path, a DataFrame, a dict of dicts or tuples, not {kind}{hint}"
    )


def of_table(
    columns: Sequence[Any], label: str, layout: Layout, *, chosen: Sequence[Any] = ()
) -> Columns:
    """Convert table columns of ids and numbers, in the order of ``choose_columns``."""
    # `chosen` are the column names; without them the layout defines the numbers.
    if chosen and raw.holds_ones(chosen):
        columns = [*columns[:2], np.ones(len(columns[0]), np.int64)]
    queries, docs, numbers, *subtopics = columns
    query = arrow.to_ids(queries, coded=True)
    doc, *subtopic = (arrow.to_ids(column) for column in (docs, *subtopics))
    value = arrow.to_scores(numbers) if layout is RUN else arrow.to_grades(numbers, fractions=True)
    plain = all(
        column is not None and ids.longest(column) <= MOST_ID for column in (query, doc, *subtopic)
    )
    if value is None or not plain or not len(value):
        read = checked([[arrow.to_objects(column) for column in columns]], label, layout)
    else:
        source = raw.Source(None, None, len(value), label, "row")
        read = Columns(query, doc, value, np.arange(len(value)), source)
        read = replace(read, subtopic=subtopic[0]) if subtopic else read
    return raw.as_chosen(read, chosen, layout)


def label_of(source: object) -> str:
    """Return the name of an object in messages."""
    kind = type(source).__name__
    return "DataFrame" if kind.endswith("Frame") else kind


def _no_columns(columns: Mapping[str, str] | None, kind: str) -> None:
    if columns:
        raise ArgumentError(f"columns= is for tables and named tuples, not for {kind}")
