"""Texts of the queries, and properties that cut them into segments."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from abrank._support.errors import BadLine, ReadError
from abrank.inputs import files

TEXTS = ("text", "title", "query", "question", "topic")
# A column "query" is the id only where nothing else is: beside an id it is the text.
QUERY_IDS = ("query_id", "qid", "q_id", "topic_id", "_id", "id", "number", "num", "query", "topic")

_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^<\s]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*([^<]*)", re.IGNORECASE)


def read_topics(source: Any) -> dict[str, str]:  # noqa: ANN401 - one of the kinds below
    r"""Read the texts of queries.

    Parameters
    ----------
    source : path, mapping, Series or DataFrame
        A file of TREC topics (``<top> <num> … <title> …``), of JSON lines (an id under ``_id``,
        ``query_id``, ``qid`` or ``id``; a text under ``text``, ``title`` or ``query``), or of lines
        with the query id, a tab, and the text. A mapping or Series by query id; a frame with a
        column of ids and one of texts.

    Returns
    -------
    dict of str to str
        Text by query id; blanks and line ends are single blanks.

    Raises
    ------
    NotFoundError, ReadError
        If a file is not there or a line has no id or no text.

    Examples
    --------
    >>> read_topics({"301": "international  organized crime"})
    {'301': 'international organized crime'}
    """
    if isinstance(source, (str, os.PathLike)):
        label = os.fspath(source)
        found = _parse_topics(_text(source), label)
    elif hasattr(source, "columns"):
        names = [str(name) for name in source.columns]
        key, text = (_column(names, known, "DataFrame") for known in (QUERY_IDS, TEXTS))
        found = dict(zip(source[key], source[text], strict=True))
    else:
        found = dict(source.items())
    return {str(query): " ".join(str(text).split()) for query, text in found.items()}


def read_segments(source: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401
    """Read properties of queries that cut them into segments.

    Parameters
    ----------
    source : path, DataFrame or mapping
        A CSV file with a header: one column of query ids, every other one a property. A frame of
        that form. A mapping of property to the segment of each query id.

    Returns
    -------
    dict of str to dict of str to str
        For each property the segment by query id; an empty cell is no segment.

    Raises
    ------
    NotFoundError, ReadError
        If a file is not there, has no column of query ids or no other column, or names a query
        twice.

    Examples
    --------
    >>> read_segments({"intent": {"q1": "head", "q2": "tail"}})
    {'intent': {'q1': 'head', 'q2': 'tail'}}
    """
    if isinstance(source, Mapping):
        return {
            str(name): {str(query): str(label) for query, label in of_query.items()}
            for name, of_query in source.items()
        }
    if isinstance(source, (str, os.PathLike)):
        label = os.fspath(source)
        rows = list(csv.DictReader(io.StringIO(_text(source), newline="")))
        names = [*rows[0]] if rows else []
    else:
        label, names = "DataFrame", [str(name) for name in source.columns]
        filled = source.astype(object).where(source.notna(), "")
        rows = [dict(zip(names, row, strict=True)) for row in filled.itertuples(index=False)]
    key = _column(names, QUERY_IDS, label)
    properties = [name for name in names if name != key]
    if not properties:
        raise ReadError(label, f"no column beside {key}", expected="query_id,property,…")
    ids = [str(row[key]) for row in rows]
    if len(set(ids)) < len(ids):
        twice = next(query for query in ids if ids.count(query) > 1)
        raise ReadError(label, f"query {twice} stands twice", hint="one row a query")
    return {
        name: {query: str(row[name]) for query, row in zip(ids, rows, strict=True) if row[name]}
        for name in properties
    }


def _text(path: str | os.PathLike[str]) -> str:
    return files.contents(path)[0].decode("utf-8-sig", "replace")


def _parse_topics(text: str, label: str) -> dict[str, str]:
    if _TOP.search(text):
        return dict(_trec_topic(body, label) for body in _TOP.findall(text))
    found: dict[str, str] = {}
    bad = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        query, topic = _json_line(line) if line.lstrip().startswith("{") else _tab_line(line)
        if not query or not topic:
            bad.append(BadLine(number, line, "no query id and text"))
        found[query] = topic
    if bad or not found:
        expected = "query_id<TAB>text, JSON lines, or TREC topics"
        problem = "" if bad else "no lines"
        raise ReadError(label, problem, lines=bad[:20], total=len(bad), expected=expected)
    return found


def _trec_topic(body: str, label: str) -> tuple[str, str]:
    number, title = _NUMBER.search(body), _TITLE.search(body)
    if number is None or title is None:
        raise ReadError(label, "a topic without <num> or <title>", expected="TREC topics")
    return number[1], html.unescape(title[1])


def _json_line(line: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return "", ""
    query = next((str(record[name]) for name in QUERY_IDS if name in record), "")
    # The id may stand under "query", so that the text must be looked for behind it.
    text = next((str(record[name]) for name in TEXTS if name in record), "")
    return query, text


def _tab_line(line: str) -> tuple[str, str]:
    query, _, text = line.rstrip("\r").partition("\t")
    return query.strip(), text.strip()


def _column(names: list[str], known: tuple[str, ...], label: str) -> str:
    by_folded = {name.strip().casefold(): name for name in names}
    for each in known:
        if each in by_folded:
            return by_folded[each]
    raise ReadError(label, f"no column of {known[0]}", hint=f"columns: {', '.join(names)}")
