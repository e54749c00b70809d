"""Answers judged by nuggets or by support, a JSON line an answer, as scores by query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from abrank._support.display import count, plural, shorten
from abrank._support.errors import ReadError
from abrank.inputs.topics import QUERY_IDS

# What an answer gives of a nugget (AutoNuggetizer), and how much a citation supports a sentence
# (TREC RAG): half of what is partly there; in the strict measures nothing.
ASSIGNED = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
SUPPORTED = {
    **{"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0},
    **{"FS": 1.0, "PS": 0.5, "NS": 0.0},
}
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
SHOWN = 3  # labels that are named

Scored = tuple[tuple[list[str], list[list[Any]]], str]


def scores_of_answers(rows: object, label: str) -> Scored | None:
    """Return names of columns and columns, and what they were taken for; None for other rows.

    Of nuggets: ``NuggetRecall`` over all, the ``vital`` alone, and weighted (vital 1, okay 1/2),
    each with partial support as a half, and ``strict``; 0 where there is no such nugget. An unknown
    assignment is no support; a nugget of unknown importance counts among all only. These are the
    scores of TREC RAG 2024 (Pradeep et al. 2025). Of support: ``SupportPrecision`` over sentences
    with citations and ``SupportRecall`` over all (Thakur et al. 2025).
    """
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return None
    lists = (kind for kind in _KINDS if all(isinstance(row.get(kind), list) for row in rows))
    kind = next(lists, None)
    if kind is None:
        return None
    score, judged, form = _KINDS[kind]
    odd: Counter[str] = Counter()
    columns: list[list[Any]] = [[], [], [], []]
    total = 0
    for place, row in enumerate(rows):
        query = next((row[name] for name in (*QUERY_IDS, "topic_id") if name in row), None)
        parts = row[kind]
        if query is None:
            raise ReadError(label, "an answer has no query id (qid)", at=f"answer {place + 1}")
        if not all(isinstance(part, Mapping) and judged in part for part in parts):
            problem = f"{kind} without {judged!r}: were they judged?"
            raise ReadError(label, problem, at=f"answer {place + 1}")
        total += len(parts)
        for measure, value in score(parts, odd).items():
            for column, each in zip(
                columns, (str(query), str(row.get("run_id", "")), measure, value), strict=True
            ):
                column.append(each)
    if odd:
        some = ", ".join(f"{shorten(name)} ({n})" for name, n in odd.most_common(SHOWN))
        labels = plural(sum(odd.values()), "unknown label")
        form += f" ({labels} among {count(total)} parts, taken for none: {some})"
    names = ["query_id", "system", "measure", "score"]
    if not any(columns[1]):
        del names[1], columns[1]
    return (names, columns), form


def _nuggets(parts: list[Mapping[str, Any]], odd: Counter[str]) -> dict[str, float]:
    pairs = [(str(each.get("importance")), str(each.get("assignment"))) for each in parts]
    for importance, assignment in pairs:
        odd.update([importance] * (importance not in IMPORTANCE))
        odd.update([assignment] * (assignment not in ASSIGNED))
    weights: dict[str, Callable[[str], float]] = {
        "NuggetRecall({})": lambda _: 1.0,
        "NuggetRecall(vital{})": lambda importance: float(importance == "vital"),
        "WeightedNuggetRecall({})": lambda importance: IMPORTANCE.get(importance, 0.0),
    }
    found = {}
    for name, weight in weights.items():
        whole = sum(weight(importance) for importance, _ in pairs)
        for how, least in (("", 0.5), ("strict", 1.0)):
            got = [
                weight(importance) * given
                for importance, assignment in pairs
                if (given := ASSIGNED.get(assignment, 0.0)) >= least
            ]
            comma = "," if how and "vital" in name else ""
            full = name.format(f"{comma}{how}").replace("()", "")
            found[full] = sum(got) / whole if whole else 0.0
    return found


def _support(parts: list[Mapping[str, Any]], odd: Counter[str]) -> dict[str, float]:
    cited = [each for each in parts if each.get("citations")]
    labels = [str(each.get("support")) for each in cited]
    odd.update(each for each in labels if each not in SUPPORTED)
    got = sum(SUPPORTED.get(each, 0.0) for each in labels)
    return {
        "SupportPrecision": got / len(cited) if cited else 0.0,
        "SupportRecall": got / len(parts) if parts else 0.0,
    }


_Score = Callable[[list[Mapping[str, Any]], Counter[str]], dict[str, float]]
# By the key that holds the parts of an answer: their scores, the key of a judgment, and the form.
_KINDS: dict[str, tuple[_Score, str, str]] = {
    "nuggets": (_nuggets, "assignment", "nuggets assigned to answers"),
    "answer": (_support, "support", "answers whose sentences are judged by support"),
}
