"""The common form of what readers return: columns, their names, their source, the order of ties."""

# Everywhere, documents are ordered by descending score, then by descending document id in byte
# order. The rank column and the order of lines are ignored. All versions of trec_eval sort like
# this (form_res_rels.c:111-113 and 266-275).

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.display import plural, shorten
from abrank._support.errors import ArgumentError, BadLine, ReadError, nearest
from abrank._support.typing import BoolArray, Duplicates, FloatArray, IntArray, ScoreDtype
from abrank.inputs import ids
from abrank.inputs.ids import Ids

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

MOST_SHOWN = 20  # maximum number of bad lines reported per file

EMPTY_RUN = "is an empty run: it has no document for any query"
EMPTY_RUN_HINT = (
    "the program that wrote it may have failed; --missing zero is for single queries that a run"
    " lacks"
)
_CODED = ("query", "subtopic")  # dictionary-encoded because many lines share the same value
_MIXER = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio


@dataclass(frozen=True)
class Source:
    """Where judgments or a run came from.

    Attributes
    ----------
    path : str or None
        The file as named by the user; None for standard input and for objects.
    sha256 : str or None
        Hash of the stored (possibly compressed) bytes; None for objects. For several joined files,
        the hash of their concatenated hashes.
    n_rows : int
        Rows read, including duplicates that were dropped.
    label : str
        Name in messages: the path, ``stdin``, ``DataFrame``, ``dict``, ``tuples``.
    unit : str
        How rows are numbered in messages: ``line`` (from 1) or ``row`` (from 0).
    n_comments : int
        Lines skipped because they begin with ``#``.
    byte_order_mark : bool
        Whether a UTF-8 byte order mark at the start was dropped.
    ungraded : bool
        Whether the judgments have no grades, so that each row counts as grade 1.
    form : str
        How lines without column names were interpreted; empty for TREC formats.
    notes : tuple of str
        What was left out.
    """

    path: str | None
    sha256: str | None
    n_rows: int
    label: str = ""
    unit: str = "line"
    n_comments: int = 0
    byte_order_mark: bool = False
    ungraded: bool = False
    form: str = ""
    notes: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """All remarks on what was left out, including comment lines, as text."""
        comments = (
            f"{plural(self.n_comments, 'comment line')} skipped"
            " (beginning with #, and not of the form of a record)"
        )
        return (*self.notes, *([comments] if self.n_comments else []))


@dataclass(frozen=True)
class Layout:
    """The form of one kind of input, runs or qrels."""

    kind: str  # ``run`` or ``qrels``
    line: str  # description of the fields of a line, for messages
    value: str  # name of the numeric column in a frame: ``score`` or ``relevance``
    value_at: int  # position of this number among the fields of a line
    n_fields: int


RUN = Layout("run", "query_id Q0 doc_id rank score tag", "score", 4, 6)
QRELS = Layout("qrels", "query_id 0 doc_id grade", "relevance", 3, 4)
SUBTOPIC_QRELS = Layout("qrels", "query_id subtopic doc_id grade", "relevance", 3, 4)


@dataclass(frozen=True, eq=False)
class Columns:
    """Rows in the order in which they were read, not yet checked for duplicates."""

    # query, doc: columns of bytes, n_rows long
    query: Ids
    doc: Ids
    value: npt.NDArray[Any]  # float64[n_rows] or int64[n_rows]; finite scores, or grades
    position: IntArray  # int64[n_rows]; line of the file from 1, or row of the object from 0
    source: Source = Source(None, None, 0)
    # int64[n_rows], or None unless every rank is a whole number.
    rank: IntArray | None = None
    tags: tuple[str, ...] = ()  # distinct run tags, in order of appearance
    # The second field of qrels lines: a subtopic, or a meaningless number. None for runs, and for
    # objects if subtopics were not requested.
    subtopic: Ids | None = None

    def take(self, rows: IntArray | slice) -> Columns:
        """Return selected rows; a slice shares the memory."""

        def some(column: Ids) -> Ids:
            return column[rows] if isinstance(rows, slice) else ids.take(column, rows)

        return replace(
            self,
            query=some(self.query),
            doc=some(self.doc),
            value=self.value[rows],
            position=self.position[rows],
            rank=None if self.rank is None else self.rank[rows],
            subtopic=None if self.subtopic is None else some(self.subtopic),
        )


def stacked(parts: Sequence[Columns], label: str, notes: Sequence[str] = ()) -> Columns:
    """Concatenate the rows of several sources."""
    ranks = [part.rank for part in parts if part.rank is not None]
    return Columns(
        query=ids.joined([part.query for part in parts]),
        doc=ids.joined([part.doc for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        rank=np.concatenate(ranks) if len(ranks) == len(parts) else None,
        tags=tuple(dict.fromkeys(tag for part in parts for tag in part.tags)),
        source=Source(
            None, None, sum(len(part.value) for part in parts), label, parts[0].source.unit,
            notes=(*notes, *(note for part in parts for note in part.source.notes)),
        ),
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class RowsByQuery:
    """Base class of judgments and runs: rows sorted by query, each for one document."""

    name: str
    query_ids: tuple[str, ...]
    query: IntArray
    docs: Ids

    def __len__(self) -> int:
        """Return the total number of rows."""
        return len(self.query)

    def _repr_of(self, row: str) -> str:
        n_queries, n_rows = plural(len(self.query_ids), "query", "queries"), plural(len(self), row)
        return f"{type(self).__name__}({self.name!r}: {n_queries}, {n_rows})"

    @property
    def query_id(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Query id of each row, as text: object[n_rows]."""
        return np.array(self.query_ids, dtype=object)[self.query]

    @property
    def doc_id(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Document id of each row, as text: object[n_rows]."""
        return np.array(ids.decode(self.docs), dtype=object)

    def _documents(self, query_id: str, most: int | None = None) -> tuple[list[str], slice]:
        number = self.query_ids.index(query_id) if query_id in self.query_ids else -1
        start, stop = np.searchsorted(self.query, [number, number + (number >= 0)]).tolist()
        rows = slice(start, stop if most is None else min(stop, start + most))
        return ids.decode(self.docs[rows]), rows

    def _frame(self, **numbers: FloatArray | IntArray) -> pd.DataFrame:
        import pandas as pd

        # Not pandas' string columns: they refuse ids that are not UTF-8.
        texts = {
            name: pd.Series(getattr(self, name), dtype=object) for name in ("query_id", "doc_id")
        }
        return pd.DataFrame(texts | numbers)


@dataclass
class Gathered:
    """The columns and bad lines of a file collected so far."""

    # The texts of each part are released before the next part is read, because as Python objects
    # they need ten times the memory of the file.

    layout: Layout
    label: str
    unit: str = "line"
    expected: str = ""
    separator: str = ""  # of cells; such cells may be quoted
    n_lines: int = 0
    n_good: int = 0
    n_comments: int = 0
    n_bad: int = 0
    n_unrated: int = 0  # judgments without a grade; they are left out
    byte_order_mark: bool = False
    bad: list[BadLine] = field(default_factory=list)
    widths: set[int] = field(default_factory=set)
    tags: dict[str, None] = field(default_factory=dict)
    held: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def refuse(self, number: int, text: bytes, problem: str) -> None:
        """Record a bad line of the next part by its line number in that part."""
        self.n_bad += 1
        self.widths.add(len(text.split()))
        if len(self.bad) < MOST_SHOWN:
            shown = text.decode("utf-8", "backslashreplace")
            self.bad.append(BadLine(self.n_lines + number, shown, problem))

    def add(self, part: Columns, n_lines: int) -> None:
        """Add the rows of ``n_lines`` lines; they are dropped if the file has a bad line."""
        part.position[:] += self.n_lines
        self.n_lines += n_lines
        if self.n_bad:
            self.held.clear()
        elif len(part.position):
            for name in ("query", "doc", "value", "position", "rank", "subtopic"):
                column = getattr(part, name)
                if column is not None:
                    # For a small file of one part, encoding takes longer than it saves.
                    coded = self.n_good and name in _CODED
                    self.held[name].append(ids.coded(column) if coded else column)
            self.tags |= dict.fromkeys(part.tags)
        self.n_good += len(part.position)

    def joined(self, nothing: str = "no rows") -> Columns:
        """Return the rows of all parts."""
        if self.n_bad:
            raise ReadError(self.label, lines=self.bad, total=self.n_bad, expected=self.expected)
        if not self.n_good and self.layout is RUN:
            raise ReadError(self.label, EMPTY_RUN, expected=self.expected, hint=EMPTY_RUN_HINT)
        if not self.n_good:
            raise ReadError(self.label, nothing, expected=self.expected)
        n_parts = len(self.held["doc"])
        has_ranks = len(self.held["rank"]) == n_parts > 0

        def column(name: str, empty: object) -> Any:  # noqa: ANN401 - ids or numbers
            parts = self.held.pop(name, None) or [empty]  # releases them after joining
            if len(parts) == 1:
                return parts[0]
            if name in _CODED:
                parts[0] = ids.coded(parts[0])
            return np.concatenate(parts) if isinstance(empty, np.ndarray) else ids.joined(parts)

        none = ids.encode([])
        notes = (f"{plural(self.n_unrated, 'row')} without a grade left out",)
        columns = Columns(
            query=column("query", none),
            doc=column("doc", none),
            value=column("value", np.empty(0)),
            position=column("position", np.empty(0, np.int64)),
            rank=column("rank", np.empty(0, np.int64)) if has_ranks else None,
            tags=tuple(self.tags),
            subtopic=column("subtopic", none) if self.held["subtopic"] else None,
            source=Source(
                None, None, self.n_good, self.label, self.unit, self.n_comments,
                self.byte_order_mark, notes=notes if self.n_unrated else (),
            ),
        )  # fmt: skip
        ids.release()  # the parts took as much memory as the whole
        return columns


def as_grades(values: Sequence[float] | FloatArray) -> npt.NDArray[Any]:
    """Return grades as int64 if all are whole, as in trec_eval; else as float64."""
    array = np.asarray(values)
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    array = array.astype(np.float64)
    whole = bool(((array == np.floor(array)) & (np.abs(array) < 2**53)).all())
    return array.astype(np.int64) if whole else array


def duplicates(query: IntArray, doc: Ids) -> tuple[IntArray, IntArray]:
    """Find documents that occur more than once in a query."""
    # This works in place and frees arrays early, because every row may be a duplicate.
    distinct, codes = ids.code(doc)
    key = query * len(distinct)
    key += codes
    del codes
    order = np.argsort(key, kind="stable")
    key = key[order]
    same = key[1:] == key[:-1]
    del key
    first, again = order[:-1][same], order[1:][same]
    del order, same
    by_reading = np.argsort(again, kind="stable")
    return first[by_reading], again[by_reading]


def has_duplicates(query: IntArray, doc: Ids, mark: npt.NDArray[np.uint64]) -> bool:
    """Whether a document occurs twice in a query; much faster than :func:`duplicates`."""
    key = query.astype(np.uint64)
    key *= np.uint64(_MIXER)
    key ^= mark
    key.sort()
    # Equal pairs have equal keys; different pairs almost never do.
    perhaps = bool((key[1:] == key[:-1]).any())
    del key, mark
    return perhaps and len(duplicates(query, doc)[0]) > 0


def without_duplicates(columns: Columns, group: IntArray, rule: Duplicates) -> IntArray:
    """Return the rows to keep if a document occurs twice in a group: the first or the highest."""
    order = np.arange(len(group))
    if rule == "max":
        order = np.lexsort((order, -columns.value))
    again = duplicates(group[order], ids.take(columns.doc, order))[1]
    rows: IntArray = np.sort(np.delete(order, again))
    return rows


KEEP_ONE = (
    "--duplicates max keeps the higher number of the two, --duplicates first the first row"
    ' (compare: --config duplicates=max; Scoring(duplicates="max"))'
)


def duplicate_error(
    columns: Columns, first: IntArray, again: IntArray, *, note: str = "", hint: str = ""
) -> ReadError:
    """Return an error that names both positions of the first duplicate."""
    row, row_again = int(first[0]), int(again[0])
    document = ids.decode(ids.take(columns.doc, np.array([row])))[0]
    query = ids.decode(ids.take(columns.query, np.array([row])))[0]
    problem = f"document {shorten(document)} twice in query {shorten(query)}{note}"
    if len(again) > 1:
        problem += f" ({len(again)} duplicates in all)"
    place = f"{columns.source.unit}s {columns.position[row]} and {columns.position[row_again]}"
    return ReadError(columns.source.label, problem, at=place, hint=hint)


def at_precision(score: FloatArray, score_dtype: ScoreDtype) -> FloatArray:
    """Round scores to the precision at which ties are decided; -0.0 becomes 0.0."""
    if score_dtype == "float32":
        with np.errstate(over="ignore"):  # values beyond float32 become infinite and tie, as in C
            score = score.astype(np.float32).astype(np.float64)
    positive_zero: FloatArray = score + 0.0
    return positive_zero


def rank_rows(query: IntArray, score: FloatArray, doc: Ids) -> IntArray:
    """Return rows by query, descending score, then descending document id in byte order."""
    order = _by_query(query)
    if bool(np.any(_within(query[order]) & _rises(score[order]))):
        order = np.lexsort((-score, query)).astype(np.int64)
    same = _within(query[order]) & (score[order][1:] == score[order][:-1])
    tied = np.flatnonzero(np.append(False, same) | np.append(same, False))
    if len(tied):
        rows = order[tied]
        by_id = -ids.order(ids.take(doc, rows))
        order[tied] = rows[np.lexsort((by_id, -score[rows], query[rows]))]
    return order


def rank_conflicts(query: IntArray, score: FloatArray, rank: IntArray) -> int:
    """Count queries in which a better rank has a lower score."""
    # Equal ranks and equal scores are no contradiction.
    as_read = _by_query(query)
    astray = (np.diff(rank[as_read]) < 0) | _rises(score[as_read])
    if not np.any(_within(query[as_read]) & astray):
        return 0
    by_rank = np.lexsort((-score, rank, query))
    rises = _within(query[by_rank]) & _rises(score[by_rank])
    return len(np.unique(query[by_rank][1:][rises]))


def are_ranks(columns: Columns, *, complete: bool = False) -> bool:
    """Whether the numbers are whole, start at 0 or 1 in each query, and never repeat."""
    # ``complete`` ranks start at 1 and have no gaps.
    distinct, query = ids.number(columns.query)
    ranks = columns.value
    if not len(ranks) or (ranks < 0).any() or (ranks != np.floor(ranks)).any():
        return False
    within = _within(query)
    if (~within).sum() >= len(distinct) or (within & ~_rises(ranks)).any():
        order = np.lexsort((ranks, query))
        query, ranks = query[order], ranks[order]
        within = _within(query)
    first = ranks[np.append(True, ~within)]
    step = np.diff(ranks)[within]
    if complete:
        return bool((first == 1).all() and (step == 1).all())
    return bool((first <= 1).all() and (step > 0).all())


def _by_query(query: IntArray) -> IntArray:
    if bool(np.all(query[1:] >= query[:-1])):
        return np.arange(len(query))
    return np.argsort(query, kind="stable").astype(np.int64)


def _within(query: IntArray) -> BoolArray:
    """For each row after the first: whether it has the same query as the row before."""
    return np.equal(query[1:], query[:-1])


def _rises(score: FloatArray) -> BoolArray:
    """For each row after the first: whether its score is higher than in the row before."""
    return np.greater(score[1:], score[:-1])


# Groups are in order of priority: the first group with a matching name is used. A column called
# "query" is an id only if there is no better one; beside an id it holds the text.
QUERY_IDS = (
    ("query_id", "qid", "q_id", "topic_id"),
    ("query", "topic", "query_text", "search_term", "search_query", "keyword"),
    ("user_id", "userid", "user"),
)
DOC_IDS = (
    ("doc_id", "docno", "docid", "pid", "corpus_id", "did", "document_id"),
    (
        "item_id", "itemid", "item", "product_id", "sku", "asin", "movie_id", "book_id", "track_id",
        "article_id", "business_id",
    ),
    ("doc", "document", "passage_id", "chunk_id"),  # also occur in tables of scores
)  # fmt: skip
ACCEPTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "query_id": QUERY_IDS,
    "doc_id": DOC_IDS,
    # BEIR and ranx call the grades in their qrels "score".
    "relevance": (("relevance", "label", "rel", "grade"), ("rating",), ("score",)),
    # Microsoft's recommenders call it "prediction".
    "score": (("score",), ("prediction",), ("rank", "position", "doc_position")),
    "subtopic": (("subtopic", "subtopic_id", "iteration"),),
}
_TERRIER = {"query_id": (("qid",),), "doc_id": (("docno",),)}
# Unknown names that may be those of a run's scores.
SCORE_LIKE = re.compile(r"score|logit|similarity|probability|pred|bm25|tf_?idf|cosine")
_TIMES = {"timestamp", "time", "datetime", "date", "ts"}
_TEXTS = {"tag", "run", "run_id", "system", "model", "q0", "iter", "title", "text", "body", "url"}
_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores an index without name


# Blanks, hyphens, and word boundaries as in exampleId and nResults; nDCG is one word.
_TYPE = re.compile(r":(token|float)(_seq)?")  # behind the names of RecBole's files
_WORDS = re.compile(r"[\s-]+|(?<=[a-z]{2})(?=[A-Z](?:[a-z]|D\b))|(?<=\bn)(?=[A-Z][a-z])")


def folded(name: object) -> str:  # a column may be named by anything
    """Normalise a column name: lower case, and underscores between words.

    Examples
    --------
    >>> folded("Query ID"), folded("exampleId"), folded("nDCG@10")
    ('query_id', 'example_id', 'ndcg@10')
    """
    return _TYPE.sub("", _WORDS.sub("_", str(name).strip())).casefold()


def found_in(names: Sequence[Any], groups: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of ``names`` that are in the first group with a match."""
    by_place = [{folded(name), folded(name).replace("_", "")} for name in names]
    for group in groups:
        if places := [i for i, words in enumerate(by_place) if not words.isdisjoint(group)]:
            return places
    return []


def holds_ranks(name: object, layout: Layout) -> bool:
    """Whether the column chosen as scores holds ranks, where the lowest is best."""
    return layout is RUN and folded(name) in ACCEPTED["score"][-1]


def holds_ones(chosen: Sequence[Any]) -> bool:
    """Whether the chosen columns lack grades, so that each row counts as grade 1."""
    return len(chosen) == 3 and bool(chosen[1] == chosen[2])


def as_chosen(read: Columns, chosen: Sequence[Any], layout: Layout) -> Columns:
    """Convert ranks to scores, and mark judgments without grades."""
    if chosen and holds_ones(chosen):
        read = replace(read, source=replace(read.source, ungraded=True))
    is_ranks = bool(chosen) and holds_ranks(chosen[2], layout)
    return replace(read, value=-read.value) if is_ranks else read


def holds_grades(names: Sequence[Any]) -> bool:
    """Whether the columns of a table are those of judgments rather than a run."""
    beir = ["query-id", "corpus-id", "score"]
    return list(names) == beir or bool(found_in(names, ACCEPTED["relevance"][:2]))


def choose_columns(
    names: Sequence[Any],
    layout: Layout,
    columns: Mapping[str, str] | None,
    *,
    label: str = "DataFrame",
) -> tuple[Any, ...]:
    """Find the columns of the query id, document id, number and subtopic in ``names``."""
    require_distinct(names, label)
    # Names are compared without case. A frame with `qid` and `docno` is from PyTerrier; its `docid`
    # is an internal number, not the id. A run without scores uses ranks. Users count as queries and
    # items as documents. If there is nothing else, this is implicit feedback: every row counts as
    # grade 1, and the document column stands in for the number.
    if columns is not None and not isinstance(columns, Mapping):
        raise ArgumentError(f'columns is a mapping such as {{"score": "bm25"}}, not {columns!r}')
    override = dict(columns or {})
    wanted = ["query_id", "doc_id", layout.value, *["subtopic"] * (layout is SUBTOPIC_QRELS)]
    for key, name in override.items():
        if key not in wanted:
            raise ArgumentError(f'columns= has no key "{key}"; keys: {", ".join(wanted)}')
        if name not in names:
            close = nearest(str(name), map(str, names))
            has = ", ".join(map(str, names)) or "none"
            hint = f"; did you mean {close[0]}?" if close else f"; it has {has}"
            raise ArgumentError(f'columns= names "{name}", which is not a column{hint}')
    plain = {name for name in map(folded, names) if not _INDEX.fullmatch(name)}
    pair = plain - _TIMES  # implicit feedback: user and item, and no possible rating
    is_feedback = len(pair) == 2 and pair & {*QUERY_IDS[2]} and pair & {*DOC_IDS[1]}
    if layout is QRELS and not override and is_feedback:
        wanted.remove("relevance")
    accepted = ACCEPTED | (_TERRIER if {"qid", "docno"} <= plain else {})
    chosen = tuple(
        override[key] if key in override else _choose(names, key, accepted[key], layout, label)
        for key in wanted
    )
    return chosen if "relevance" in wanted or layout is RUN else (*chosen, chosen[1])


def require_distinct(names: Iterable[Any], label: str) -> None:
    """Refuse two columns with the same name, because it is unclear which one counts."""
    distinct: set[str] = set()
    for name in map(str, names):
        if name in distinct and name.strip():
            problem = f'the column "{shorten(name)}" stands there twice'
            raise ReadError(label, problem, hint="rename one of the two, or leave it out")
        distinct.add(name)


def has_columns(names: Sequence[Any]) -> bool:
    """Whether the names are those of judgments or of a run."""
    return bool(found_in(names, QUERY_IDS) and found_in(names, DOC_IDS))


def _choose(
    names: Sequence[Any], wanted: str, accepted: Sequence[Sequence[str]], layout: Layout, label: str
) -> Any:  # noqa: ANN401
    candidates = [names[i] for i in found_in(names, accepted)]
    if len(candidates) == 1:
        like = [name for name in names if SCORE_LIKE.search(folded(name))]
        if not like:  # the only unknown column may hold the scores
            groups = (*QUERY_IDS, *DOC_IDS, *ACCEPTED["score"], ("docid",), (*_TIMES, *_TEXTS))
            like = [
                name for name in names
                if not any(folded(name) in group for group in groups)
                and not _INDEX.match(str(name))
            ]  # fmt: skip
            like = like if len(like) == 1 else []
        if like and wanted == "score" and holds_ranks(candidates[0], layout):
            problem = f"is {like[0]} the score? The column {candidates[0]} orders the documents"
            hint = f'rename it to score, or say which: columns={{"score": "{like[0]}"}}'
            raise ReadError(label, f"{problem}, too", hint=hint)
        return candidates[0]
    hint = (
        f"rename it to {wanted}, or in Python say which:"
        f' abrank.read_{layout.kind}(..., columns={{"{wanted}": "..."}})'
    )
    if wanted == "relevance" and found_in(names, QUERY_IDS[2:]) and found_in(names, DOC_IDS[1:]):
        hint += ", or give the columns of users and items alone: each pair is then of grade 1"
    alternatives = ", ".join(name for group in accepted for name in group if name != wanted)
    has = ", ".join(map(str, names)) or "none"
    problem = f"no column {wanted} (nor {alternatives}); it has {has}"
    if candidates:
        problem = f"{' and '.join(map(str, candidates))} could both be {wanted}"
    raise ReadError(label, problem, hint=hint)
