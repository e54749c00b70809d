"""Which column of a table is which, by the names that other tools give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abrank._support.errors import ArgumentError, ReadError, nearest
from abrank.inputs.columns import SUBTOPIC_QRELS, Layout

ACCEPTED: dict[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "q_id", "query", "topic_id", "topic"),
    "doc_id": ("doc_id", "docno", "docid", "pid", "corpus_id", "did"),
    "relevance": ("relevance", "label", "rel", "grade"),
    "score": ("score",),
    "subtopic": ("subtopic", "subtopic_id", "iteration"),
}


def choose_columns(
    names: Sequence[Any],
    layout: Layout,
    columns: Mapping[str, str] | None,
    *,
    label: str = "DataFrame",
) -> tuple[Any, ...]:
    """Find the columns of the query id, the doc id, the number and the subtopic among ``names``.

    Names are compared without case. A frame with ``qid`` and ``docno`` is PyTerrier's, whose
    ``docid`` (an internal number) and ``query`` (the query's text) are no ids.

    Raises
    ------
    ReadError
        If one is not there, or two could be meant.
    ArgumentError
        If ``columns`` has an unknown key or value.

    Examples
    --------
    >>> from abrank.inputs.columns import RUN
    >>> choose_columns(["qid", "docid", "docno", "score", "query"], RUN, None)
    ('qid', 'docno', 'score')
    """
    override = dict(columns or {})
    wanted = _wanted(layout)
    for key, name in override.items():
        if key not in wanted:
            raise ArgumentError(f'columns= has no key "{key}"; keys: {", ".join(wanted)}')
        if name not in names:
            close = nearest(str(name), map(str, names))
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ArgumentError(f'columns= names "{name}", which is not a column{hint}')
    folded = {str(name).casefold() for name in names}
    terrier = {"qid", "docno"} <= folded
    accepted = ACCEPTED | ({"query_id": ("qid",), "doc_id": ("docno",)} if terrier else {})
    return tuple(
        override[key] if key in override else _choose(names, key, accepted[key], label)
        for key in wanted
    )


def _wanted(layout: Layout) -> tuple[str, ...]:
    """Return the names of the columns to find, the subtopic last where it is one of them."""
    plain = ("query_id", "doc_id", layout.value)
    return (*plain, "subtopic") if layout is SUBTOPIC_QRELS else plain


def _choose(names: Sequence[Any], wanted: str, accepted: Sequence[str], label: str) -> Any:  # noqa: ANN401
    found = [name for name in names if str(name).casefold() in accepted]
    if len(found) == 1:
        return found[0]
    hint = f'say which: columns={{"{wanted}": "..."}}'
    if found:
        raise ReadError(label, f"{' and '.join(map(str, found))} could both be {wanted}", hint=hint)
    has = ", ".join(map(str, names))
    problem = f"no column {wanted} (nor {', '.join(accepted[1:])})" if accepted[1:] else ""
    raise ReadError(label, f"{problem or f'no column {wanted}'}; it has {has or 'none'}", hint=hint)
