"""LETOR files (SVMlight with ``qid:``): judged documents by query, a line each, with features."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from abrank._support.errors import BadLine, ReadError
from abrank.inputs import ids
from abrank.inputs.columns import RUN, Columns, Layout, Source
from abrank.inputs.trec.lines import MOST_ID, MOST_SHOWN

_LINE = re.compile(rb"\s*([+-]?[0-9]+)(?:\.0*)?\s+qid:([^\s#]+)(?:\s|$)")
_DOCUMENT = re.compile(rb"#.*?\bdoc(?:id|_id|no)\s*[=:]\s*(\S+)")

MOST_DIGITS = 18  # of a grade: fewer than what 64 bits hold

LINE = "grade qid:query_id 1:feature 2:feature ..."


def looks_like_letor(line: bytes) -> bool:
    """Whether a line is one of a LETOR file."""
    return _LINE.match(line) is not None


def read_letor(data: bytes, label: str, layout: Layout) -> Columns:
    r"""Read the grades of a LETOR file.

    A document's id stands in the comment (``# docid = ...``) where every line has one; else it is
    the number of its line among those that count, from 0, which is its row in the matrix of
    features.
    """
    if layout is RUN:
        raise ReadError(
            label,
            "is a LETOR file, which holds grades and features and no scores",
            hint=f'qrels, run = abrank.from_groups("{label}", scores)',
        )
    at, grades, queries, docs = [], [], [], []
    bad: list[BadLine] = []
    n_bad = 0
    for number, line in enumerate(data.split(b"\n"), 1):
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
            n_bad += 1
            if n_bad <= MOST_SHOWN:
                bad.append(BadLine(number, line.decode("utf-8", "backslashreplace"), problem))
            continue
        at.append(number)
        grades.append(int(found[1]))
        queries.append(found[2])
        docs.append(named[1] if named else None)
    if bad:
        raise ReadError(label, lines=bad, total=n_bad, expected=LINE)
    return Columns(
        query=ids.pack(queries),
        doc=ids.pack(document_names(queries, docs)),
        value=np.array(grades, dtype=np.int64),
        position=np.array(at, dtype=np.int64),
        source=Source(None, None, len(at), label),
    )


def document_names(queries: Sequence[bytes], docs: Sequence[bytes | None]) -> list[bytes]:
    """Return the names of documents, or their rows where one has none or two have one name."""
    named = [doc for doc in docs if doc is not None]
    once = max(Counter(zip(queries, docs, strict=True)).values(), default=0) == 1
    return named if once and len(named) == len(docs) else [b"%d" % i for i in range(len(docs))]
