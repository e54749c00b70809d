"""Judgments and rankings as other programs hold them in memory, converted to plain rows.

Besides dicts of dicts these are: lists of documents by query, hits (dicts or pairs) by query,
records, ranx' and LensKit's own objects, mteb's predictions by subset and split, answers of
``_rank_eval`` in Elasticsearch and OpenSearch, and predictions of sentence-transformers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from abrank._support.errors import ArgumentError, ReadError
from abrank.inputs.columns import RUN, SUBTOPIC_QRELS, Layout
from abrank.inputs.objects.names import DOC_IDS, QUERY_IDS, choose_columns, found_in, holds_ranks

_HIT_IDS = (*DOC_IDS, ("_id", "id"))
_BESIDE = ("mteb_model_meta",)  # what mteb writes beside its predictions


def unwrapped(source: Any, label: str | None) -> Any:  # noqa: ANN401
    """Return the dict, table or rows in an object of another library; others unchanged."""
    library = type(source).__module__.partition(".")[0]
    if library == "ranx" and hasattr(source, "to_dict"):
        return source.to_dict()
    if library == "lenskit" and hasattr(source, "to_df"):
        return source.to_df()
    if isinstance(source, Mapping):
        details = source.get("details")
        if isinstance(details, Mapping) and "metric_score" in source:
            return {query: _ranked_hits(query, details[query], label) for query in details}
        if "results" not in source or not found_in(list(source), QUERY_IDS):
            return _one_of_many(source, label or "dict")
        source = [source]  # a single line of JSON
    records = isinstance(source, list) and source and isinstance(source[0], Mapping)
    if records and "results" in source[0]:  # predictions of sentence-transformers
        return _results_by_query(source, label or "list")
    return source


def _ranked_hits(query: Any, answer: Any, label: str | None) -> list[Any]:  # noqa: ANN401
    try:
        return [each["hit"]["_id"] for each in answer["hits"]]
    except (TypeError, KeyError) as error:
        problem = f"query {query!r} has no list of hits with their _id"
        raise ReadError(label or "dict", problem, expected="an answer of _rank_eval") from error


def _results_by_query(records: Sequence[Any], label: str) -> dict[Any, Any]:
    """Return the results of each query, none of which may stand twice."""
    made = {}
    for number, record in enumerate(records):
        names = list(record) if isinstance(record, Mapping) else []
        found = found_in(names, QUERY_IDS)
        query = record[names[found[0]]] if found else None
        if not isinstance(query, (str, int)) or "results" not in names or query in made:
            problem = f"query {query!r} stands twice" if found else "no query with results"
            raise ReadError(label, problem, at=f"row {number}")
        made[query] = record["results"]
    return made


def _one_of_many(source: Mapping[Any, Any], label: str) -> Mapping[Any, Any]:
    """Return the rankings of mteb's predictions, which stand below subset and split."""
    path = []
    while _depth(source) > 2:
        names = [name for name in source if name not in _BESIDE]
        path.append(names[0])
        if len(names) > 1:
            keys = "".join(f"[{name!r}]" for name in path)
            raise ReadError(
                label,
                f"holds {len(names)} sets of rankings: {', '.join(map(str, names))}",
                hint=f"give one of them: json.load(open(path)){keys}",
            )
        source = source[names[0]]
    return source


def _depth(value: Any) -> int:  # noqa: ANN401
    """Return how deeply dicts are nested, along the first value that is not empty."""
    if not isinstance(value, Mapping):
        return 0
    inner = (each for name, each in value.items() if name not in _BESIDE)
    return 1 + max(map(_depth, [next((each for each in inner if each), None)]))


def rows_of_dict(source: Mapping[Any, Any], layout: Layout, label: str) -> list[list[Any]]:
    """Return queries, documents and numbers of ``{query_id: documents}``."""
    if layout is SUBTOPIC_QRELS:
        raise ArgumentError(
            "a dict of dicts has no subtopics: give tuples (query_id, subtopic, doc_id, relevance)"
        )
    queries: list[Any] = []
    docs: list[Any] = []
    values: list[Any] = []
    for query, row in source.items():
        found = row if isinstance(row, Mapping) else _documents(query, row, layout, label)
        queries += [query] * len(found)
        docs += found.keys() if isinstance(found, Mapping) else [doc for doc, _ in found]
        values += found.values() if isinstance(found, Mapping) else [value for _, value in found]
    return [queries, docs, values]


def _documents(query: Any, row: Any, layout: Layout, label: str) -> list[tuple[Any, Any]]:  # noqa: ANN401
    """Return documents and numbers of a list: of hits, of pairs, or of ids in rank order."""
    is_set = isinstance(row, (set, frozenset))
    if not isinstance(row, (list, tuple)) and not (is_set and layout is not RUN):
        what = "set, which has no order" if is_set else f"{type(row).__name__}, not a dict"
        raise ReadError(
            label,
            f"query {query!r} has a {what}",
            expected=f"{{query_id: {{doc_id: {layout.value}}}}} or {{query_id: [doc_id, ...]}}",
        )
    if all(isinstance(each, Mapping) for each in row) and row:
        return list(_hits(query, list(row), layout, label))
    if all(isinstance(each, (tuple, list)) and len(each) == 2 for each in row):
        return [(doc, value) for doc, value in row]
    return [(doc, len(row) - i if layout is RUN else 1) for i, doc in enumerate(row)]


def _hits(
    query: Any,  # noqa: ANN401
    row: Sequence[Mapping[str, Any]],
    layout: Layout,
    label: str,
) -> Iterator[tuple[Any, Any]]:
    """Return documents and numbers of hits such as ``{"corpus_id": "d1", "score": 0.5}``."""
    for place, hit in enumerate(row):
        names = list(hit)
        doc = found_in(names, _HIT_IDS)
        if not doc:
            raise ReadError(
                label,
                f"a hit of query {query!r} names no document; it has {', '.join(names)}",
                expected='{"doc_id": ..., "score": ...}',
            )
        yield hit[names[doc[0]]], hit.get(layout.value, len(row) - place if layout is RUN else 1)


def rows_of_records(
    source: Collection[Mapping[str, Any]], layout: Layout, label: str
) -> list[list[Any]]:
    """Return the columns of records such as ``{"query_id": …, "doc_id": …, "score": …}``."""
    first = next(iter(source))
    chosen = choose_columns(list(first), layout, None, label=label)
    for number, record in enumerate(source):
        if not isinstance(record, Mapping):
            problem = f"is a {type(record).__name__}, where the first row is a record"
            raise ReadError(label, problem, at=f"row {number}")
        lacking = [name for name in chosen if name not in record]
        if lacking:
            raise ReadError(label, f"the record has no {lacking[0]}", at=f"row {number}")
    columns = [[record[name] for record in source] for name in chosen]
    if holds_ranks(chosen[2], layout):
        columns[2] = [-rank if isinstance(rank, (int, float)) else rank for rank in columns[2]]
    return columns
