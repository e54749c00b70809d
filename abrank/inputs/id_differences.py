"""The first documents of each query, and how ids differ that ought to be the judgments'."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller

import numpy as np

from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.ids import Ids
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels

# --- How ids of a run and of its judgments differ where they ought to be the same

# An id, and the number of the query within which it must match.
Placed = tuple[int, str]

# Fewer of the ids that are alike after a change are taken for chance.
LEAST_SHARE = 0.05
# A prefix or an ending that is guessed must explain so many; of digits only, nearly all.
LEAST_AFFIXED, LEAST_DIGITS, FEWEST_DIGITS = 0.5, 0.9, 3
# Ids from which a prefix or an ending is guessed, guesses tried, and the most ids gone through.
GUESSED_FROM, MOST_GUESSES, MOST_IDS = 10, 20, 200_000

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
# A cause; the change that takes it away; what an id that it changes holds somewhere.
_CHANGES: tuple[tuple[str, Callable[[str], str], str], ...] = (
    ('".0"', lambda text: text.removesuffix(".0"), r"\.0"),
    ("leading zeros", lambda text: _LEADING_ZEROS.sub("", text), _LEADING_ZEROS.pattern),
    ("upper and lower case", str.casefold, r"[A-Z]|[^\x00-\x7f]"),
    ("blanks or quotes around them", lambda text: text.strip(" \t\r\n\"'"), r"[ \t\r\n\"']"),
    ("a byte order mark", lambda text: text.replace("\ufeff", ""), "\ufeff"),
)


@dataclass(frozen=True)
class IdDifference:
    """Why ids of a run match nothing.

    cause : str
        Such as ``upper and lower case`` or ``the prefix "x"``; empty where nothing fits.
    n_alike : int
        Ids that match nothing as they stand, and would without that difference.
    n_compared : int
        Ids of the run that were looked at, those that match included.
    in_run, in_qrels : str
        An id of the run, and the one of the judgments that it would match (or any other).
    """

    cause: str
    n_alike: int
    n_compared: int
    in_run: str
    in_qrels: str


def id_difference(
    run: Sequence[Placed], qrels: Sequence[Placed], *, n_compared: int | None = None
) -> IdDifference | None:
    """Return the change under which most of a run's unmatched ids match."""
    if not run or not qrels or len(run) + len(qrels) > MOST_IDS:
        return None
    total = len(run) if n_compared is None else n_compared
    every = "\0".join(text for _, text in (*run, *qrels))
    changed = [
        _alike(cause, run, qrels, change, change)
        for cause, change, held in _CHANGES
        if re.search(held, every)  # where no id changes, none matches that did not
    ]
    found = max((*changed, *_affixed(run, qrels)), key=lambda each: each.n_alike, default=None)
    if found is None or not found.n_alike or found.n_alike < LEAST_SHARE * total:
        return None
    return replace(found, n_compared=total)


def how_ids_differ(qrels: Sequence[str], run: Sequence[str]) -> str:
    """Guess how two lists of query ids that share none differ; empty where nothing fits."""
    found = id_difference([(0, each) for each in run], [(0, each) for each in qrels])
    return f"the ids differ by {found.cause}" if found else ""


def _alike(
    cause: str,
    run: Sequence[Placed],
    qrels: Sequence[Placed],
    of_run: Callable[[str], str],
    of_qrels: Callable[[str], str],
) -> IdDifference:
    """Count the ids of the run that match after a change of both sides."""
    known = {(query, of_qrels(text)): text for query, text in qrels}
    hits = [(text, (query, of_run(text))) for query, text in run]
    hits = [(text, changed) for text, changed in hits if changed in known]
    first = (hits[0][0], known[hits[0][1]]) if hits else ("", "")
    return IdDifference(cause, len(hits), len(run), *first)


def _affixed(run: Sequence[Placed], qrels: Sequence[Placed]) -> Iterator[IdDifference]:
    """Yield the prefixes and endings, of the run's ids or of the qrels', that explain enough."""
    for longer, shorter in ((run, qrels), (qrels, run)):
        for kind, affix in _guesses(longer[:GUESSED_FROM], shorter):
            cut = methodcaller("removeprefix" if kind == "prefix" else "removesuffix", affix)
            changes = (cut if longer is each else str for each in (run, qrels))
            found = _alike(f'the {kind} "{affix}"', run, qrels, *changes)
            digits = affix.isdecimal()
            least = (LEAST_DIGITS if digits else LEAST_AFFIXED) * min(len(run), len(qrels))
            if found.n_alike >= max(least, FEWEST_DIGITS if digits else 1):
                yield found


def _guesses(longer: Sequence[Placed], shorter: Sequence[Placed]) -> list[tuple[str, str]]:
    """Return what the longer ids begin or end with, beside a shorter one of the same query."""
    by_query: dict[int, list[str]] = {}
    for query, text in shorter:
        by_query.setdefault(query, []).append(text)
    found: Counter[tuple[str, str]] = Counter()
    for query, one in longer:
        for other in by_query.get(query, []):
            if other and one != other and one.endswith(other):
                found["prefix", one.removesuffix(other)] += 1
            if other and one != other and one.startswith(other):
                found["ending", one.removeprefix(other)] += 1
    return [affix for affix, _ in found.most_common(MOST_GUESSES)]


# --- The first documents of each query, and what they tell where ids differ from the judgments'


# Documents that are looked at where ids may differ: so many queries, and their first documents.
SAMPLED_QUERIES, SAMPLED_RANKS = 50, 10


@dataclass(frozen=True, eq=False)
class TopDocs:
    """The first documents of each judged query.

    Attributes
    ----------
    query : int64[n_rows]
        Index into the queries of the qrels, ascending.
    rank : int64[n_rows]
        From 1, ascending within a query.
    docs : Ids
    """

    query: IntArray
    rank: IntArray
    docs: Ids

    def top(self, depth: int) -> TopDocs:
        """Return the documents down to a rank."""
        rows = np.flatnonzero(self.rank <= depth)
        if len(rows) == len(self.rank):
            return self
        return TopDocs(self.query[rows], self.rank[rows], ids.take(self.docs, rows))


def sampled_queries(n_queries: int) -> IntArray:
    """Return the queries of the qrels whose first documents are looked at, whatever the run."""
    return np.linspace(0, n_queries - 1, min(n_queries, SAMPLED_QUERIES)).astype(np.int64)


def ranks_kept(n_queries: int, top: int) -> IntArray:
    """Return how many documents are kept of each query: int64[n_queries]."""
    ranks = np.full(n_queries, top, dtype=np.int64)
    ranks[sampled_queries(n_queries)] = max(top, SAMPLED_RANKS)
    return ranks


def document_ids(qrels: Qrels, judged: JudgedRun, shown: TopDocs) -> IdDifference | None:
    """Say why first documents of the sampled queries are not judged, where ids are to blame."""
    sampled = np.isin(shown.query, sampled_queries(len(qrels.query_ids)))
    rows = np.flatnonzero(sampled & (shown.rank <= SAMPLED_RANKS))
    near = judged.rank <= SAMPLED_RANKS
    known = judged.query[near] * SAMPLED_RANKS + judged.rank[near]
    place = shown.query[rows] * SAMPLED_RANKS + shown.rank[rows]
    unknown = rows[~np.isin(place, known)]
    if len(unknown) < LEAST_SHARE * len(rows):
        return None
    judgments = np.flatnonzero(np.isin(qrels.query, shown.query[unknown]))

    def placed(query: IntArray, docs: Ids, rows: IntArray) -> list[Placed]:
        return list(zip(query[rows].tolist(), ids.decode(ids.take(docs, rows)), strict=True))

    return id_difference(
        placed(shown.query, shown.docs, unknown),
        placed(qrels.query, qrels.docs, judgments),
        n_compared=len(rows),
    )
