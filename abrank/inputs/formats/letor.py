"""LETOR files (SVMlight with ``qid:``): judged documents by query, a line each, with features."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np

from abrank._support.errors import ReadError
from abrank.inputs import ids
from abrank.inputs.columns import RUN, Columns, Gathered, Layout, has_duplicates
from abrank.inputs.trec.lines import MOST_DIGITS, MOST_ID, cut

_LINE = re.compile(rb"\s*([+-]?[0-9]+)(?:\.0*)?\s+qid:([^\s#]+)(?:\s|$)")
_DOCUMENT = re.compile(rb"#.*?\bdoc(?:id|_id|no)\s*[=:]\s*(\S+)")

LINE = "grade qid:query_id 1:feature 2:feature ..."


def looks_like_letor(line: bytes) -> bool:
    """Whether a line is one of a LETOR file."""
    return _LINE.match(line) is not None


def read_letor(pieces: Iterable[bytes], label: str, layout: Layout) -> Columns:
    r"""Read the grades of a LETOR file, in pieces that end with a line.

    A document's id stands in the comment (``# docid = ...``) where every line has one; else it is
    the number of its line among those that count, from 0, which is its row in the matrix of
    features.
    """
    pieces = iter(pieces)
    first = next(pieces, b"")
    if layout is RUN:
        raise ReadError(
            label,
            "is a LETOR file, which holds grades and features and no scores",
            hint=f'qrels, run = abrank.from_groups("{label}", scores)',
        )
    gathered = Gathered(layout, label, expected=LINE)
    for part in (part for piece in chain([first], pieces) for part in cut(piece)):
        gathered.add(_read(gathered, part), part.count(b"\n"))
    read = gathered.joined()
    # Two of one name have none, as for one line without.
    _, query = ids.number(read.query)
    if ids.has_empty(read.doc) or has_duplicates(query, read.doc, ids.fingerprint(read.doc)):
        return replace(read, doc=ids.numerals(len(read.doc)))
    return read


def _read(gathered: Gathered, part: bytes) -> Columns:
    """Return the rows of some lines, of which a document without a name has an empty one."""
    at, grades, queries, docs = [], [], [], []
    for number, line in enumerate(part.split(b"\n"), 1):
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        found, named = _LINE.match(line), _DOCUMENT.search(line)
        names = [each for each in (found and found[2], named and named[1]) if each]
        problem = ""
        if found is None:
            problem = "no grade and qid"
        elif len(found[1].lstrip(b"+-0")) > MOST_DIGITS:
            problem = f"the grade has more than {MOST_DIGITS} digits"
        elif b"\0" in line:
            problem = "a NUL character"
        elif max(map(len, names)) > MOST_ID:
            problem = f"an id is longer than {MOST_ID >> 10} kB"
        if found is None or problem:
            gathered.refuse(number, line, problem)
            continue
        at.append(number)
        grades.append(int(found[1]))
        queries.append(found[2])
        docs.append(named[1] if named else b"")
    return Columns(
        query=ids.pack(queries),
        doc=ids.pack(docs),
        value=np.array(grades, dtype=np.int64),
        position=np.array(at, dtype=np.int64),
    )
