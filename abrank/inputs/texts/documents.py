"""Titles or texts of documents, of those few that are shown."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from abrank._support.errors import BadLine, ReadError
from abrank.inputs import files

DOC_IDS = ("doc_id", "docno", "docid", "_id", "id", "did", "pid", "corpus_id", "corpus-id")
TITLES = ("title", "headline", "name", "url")
TEXTS = ("text", "body", "contents", "content", "abstract", "passage")
EXPECTED = "doc_id<TAB>title, or JSON lines with an id and a title or text"
LONGEST = 300


def read_documents(
    source: Any,  # noqa: ANN401
    wanted: Collection[str],
    *,
    longest: int = LONGEST,
) -> dict[str, str]:
    """Read the titles of documents, or how their texts begin.

    Parameters
    ----------
    source : path or mapping
        A file of JSON lines (an id under ``doc_id``, ``docno``, ``_id`` or ``id``; ``title``,
        ``text``) or of lines with the id, a tab, and a title, plain or compressed; read line by
        line, whatever its size. A mapping by document id.
    wanted : collection of str
        Ids of the documents; all others are passed over.
    longest : int
        Characters that are kept of each.

    Returns
    -------
    dict of str to str
        On one line: the title, a dash, and the text, of those that there
        are. Documents that the source lacks are left out.

    Raises
    ------
    NotFoundError, ReadError
        If a file is not there, or its first line has no id and text.

    Examples
    --------
    >>> read_documents({"d1": "Tea  pots", "d2": "Lamps"}, {"d1"})
    {'d1': 'Tea pots'}
    """
    if isinstance(source, Mapping):
        return {doc: _short(str(source[doc]), longest) for doc in sorted(wanted) if doc in source}
    missing, found = set(wanted), {}
    for number, line in enumerate(_lines(source), 1):
        doc, text = _json(line) if line.lstrip().startswith("{") else _tabs(line)
        if number == 1 and not (doc and text):
            bad = [BadLine(number, line, "no document id and text")]
            raise ReadError(os.fspath(source), lines=bad, expected=EXPECTED)
        if doc in missing:
            found[doc] = _short(text, longest)
            missing.discard(doc)
            if not missing:
                break
    return found


def _lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield the lines of a file that are not blank, without holding it."""
    with files.opened(path, hashes=False) as (file, _):
        for piece in files.pieces(file, os.fspath(path)):
            for line in piece.decode("utf-8-sig", "replace").split("\n"):
                if line.strip():
                    yield line


def _json(line: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return "", ""
    folded = {str(name).casefold(): value for name, value in record.items()}
    doc = next((str(folded[name]) for name in DOC_IDS if name in folded), "")
    parts = (
        next((str(folded[name]) for name in names if folded.get(name)), "")
        for names in (TITLES, TEXTS)
    )
    return doc, " – ".join(part for part in parts if part)


def _tabs(line: str) -> tuple[str, str]:
    doc, _, text = line.rstrip("\r").partition("\t")
    return doc.strip(), text.replace("\t", " – ").strip()


def _short(text: str, longest: int) -> str:
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    word = head.rfind(" ")
    return f"{head[:word] if word > 0.8 * longest else head}…"
