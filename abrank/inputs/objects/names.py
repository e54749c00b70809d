"""Which column of a table is which, by the names that other tools give them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from abrank._support.errors import ArgumentError, ReadError, nearest
from abrank.inputs.columns import QRELS, RUN, SUBTOPIC_QRELS, Layout

# Of several groups the first counts in which a name is found: beside an id, "query" is its text.
QUERY_IDS = (
    ("query_id", "qid", "q_id", "topic_id"),
    ("query", "topic", "query_text"),
    ("user_id", "userid", "user"),
)
DOC_IDS = (
    ("doc_id", "docno", "docid", "pid", "corpus_id", "did", "document_id"),
    ("item_id", "itemid", "item"),
)
ACCEPTED: dict[str, tuple[tuple[str, ...], ...]] = {
    "query_id": QUERY_IDS,
    "doc_id": DOC_IDS,
    # In the qrels of BEIR and ranx the grade is called score.
    "relevance": (("relevance", "label", "rel", "grade"), ("rating",), ("score",)),
    "score": (("score",), ("rank", "position", "doc_position")),
    "subtopic": (("subtopic", "subtopic_id", "iteration"),),
}
_TERRIER = {"query_id": (("qid",),), "doc_id": (("docno",),)}
# A column that may hold the scores of a run under another name.
_SCORE_LIKE = re.compile(r"score|logit|similarity|probability|pred|bm25|tf_?idf|cosine")
_TIMES = {"timestamp", "time", "datetime", "date", "ts"}
_TEXTS = {"tag", "run", "run_id", "system", "model", "q0", "iter", "title", "text", "body", "url"}
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name in a file


def folded(name: Any) -> str:  # noqa: ANN401 - a column may be named by anything
    """Return a name without case, with underscores for blanks and hyphens."""
    return str(name).strip().casefold().replace(" ", "_").replace("-", "_")


def found_in(names: Sequence[Any], groups: Sequence[Sequence[str]]) -> list[int]:
    """Return which of ``names`` are in the first group that has one."""
    by_place = [folded(name) for name in names]
    for group in groups:
        if found := [i for i, name in enumerate(by_place) if name in group]:
            return found
    return []


def holds_ranks(name: Any, layout: Layout) -> bool:  # noqa: ANN401
    """Whether a column chosen for the scores of a run holds ranks, of which the lowest is first."""
    return layout is RUN and folded(name) in ACCEPTED["score"][1]


def holds_ones(chosen: Sequence[Any]) -> bool:
    """Whether the columns chosen have no grade, so that each row counts as grade 1."""
    return len(chosen) == 3 and bool(chosen[1] == chosen[2])


def holds_grades(names: Sequence[Any]) -> bool:
    """Whether the columns of a table are those of judgments, and not of a run."""
    beir = ["query-id", "corpus-id", "score"]
    return list(names) == beir or bool(found_in(names, ACCEPTED["relevance"][:2]))


def choose_columns(
    names: Sequence[Any],
    layout: Layout,
    columns: Mapping[str, str] | None,
    *,
    label: str = "DataFrame",
) -> tuple[Any, ...]:
    """Find the columns of the query id, the doc id, the number and the subtopic among ``names``.

    Names are compared without case. A frame with ``qid`` and ``docno`` is PyTerrier's, whose
    ``docid`` (an internal number) is no id. A run without scores has ranks; users and items are
    queries and documents; those alone, without a rating, are implicit feedback, in which the
    column of the documents stands in the place of the number, too.
    """
    override = dict(columns or {})
    wanted = ["query_id", "doc_id", layout.value, *["subtopic"] * (layout is SUBTOPIC_QRELS)]
    for key, name in override.items():
        if key not in wanted:
            raise ArgumentError(f'columns= has no key "{key}"; keys: {", ".join(wanted)}')
        if name not in names:
            close = nearest(str(name), map(str, names))
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ArgumentError(f'columns= names "{name}", which is not a column{hint}')
    plain = {name for name in map(folded, names) if not _INDEX.fullmatch(name)}
    if layout is QRELS and not override and _is_feedback(plain - _TIMES):
        wanted.remove("relevance")
    accepted = ACCEPTED | (_TERRIER if {"qid", "docno"} <= plain else {})
    chosen = tuple(
        override[key] if key in override else _choose(names, key, accepted[key], layout, label)
        for key in wanted
    )
    return chosen if "relevance" in wanted or layout is RUN else (*chosen, chosen[1])


def _is_feedback(names: set[str]) -> bool:
    """Whether there are users and items, and nothing else that could be a rating."""
    users, items = QUERY_IDS[2], DOC_IDS[1]
    return len(names) == 2 and not names.isdisjoint(users) and not names.isdisjoint(items)


def _alone(names: Sequence[Any]) -> list[Any]:
    """Return the one column of a run of which nothing is known, if there is just one."""
    groups = (*QUERY_IDS, *DOC_IDS, *ACCEPTED["score"], ("docid",), (*_TIMES, *_TEXTS))
    known = {name for group in groups for name in group}
    left = [name for name in names if folded(name) not in known and not _INDEX.match(str(name))]
    return left if len(left) == 1 else []


def has_columns(names: Sequence[Any]) -> bool:
    """Whether the names are those of a table of judgments or of a run."""
    return bool(found_in(names, QUERY_IDS) and found_in(names, DOC_IDS))


def _choose(
    names: Sequence[Any],
    wanted: str,
    accepted: Sequence[Sequence[str]],
    layout: Layout,
    label: str,
) -> Any:  # noqa: ANN401
    found = [names[i] for i in found_in(names, accepted)]
    if len(found) == 1:
        like = [name for name in names if _SCORE_LIKE.search(folded(name))] or _alone(names)
        if like and wanted == "score" and holds_ranks(found[0], layout):
            problem = f"is {like[0]} the score? The column {found[0]} orders the documents, too"
            hint = f'rename it to score, or say which: columns={{"score": "{like[0]}"}}'
            raise ReadError(label, problem, hint=hint)
        return found[0]
    hint = f'say which: abrank.read_{layout.kind}(..., columns={{"{wanted}": "..."}})'
    if wanted == "relevance" and found_in(names, QUERY_IDS[2:]) and found_in(names, DOC_IDS[1:]):
        hint += ", or give the columns of users and items alone: each pair is then of grade 1"
    if found:
        raise ReadError(label, f"{' and '.join(map(str, found))} could both be {wanted}", hint=hint)
    others = [name for group in accepted for name in group if name != wanted]
    has = ", ".join(map(str, names))
    problem = f"no column {wanted} (nor {', '.join(others)})"
    raise ReadError(label, f"{problem}; it has {has or 'none'}", hint=hint)
