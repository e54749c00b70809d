"""Ready scores of many systems, from whatever holds them, as one complete block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support import checks, display
from abrank._support.errors import ArgumentError
from abrank._support.typing import Missing
from abrank.comparison.pairing import one_measure, require_common
from abrank.inputs import ids
from abrank.inputs.scores.forms import Coded
from abrank.inputs.scores.table import read_score_table
from abrank.measures.names import listed
from abrank.scoring.missing import settled
from abrank.scoring.score_files import is_known, scores_of_table
from abrank.scoring.scores import MISSING, Scores

UNNAMED = "score"
MOST_NOTES = 3
WIDE, BY_SYSTEM = "a wide table", "a table with a column for each system"
# What a column is called that holds the one measure of a file.
_PLAIN = frozenset({"score", "value"})


def read_board(
    source: Any,  # noqa: ANN401 - Scores, a frame, a path, several of them, or a mapping
    *,
    measures: Sequence[str] | str | None = None,
    missing: Missing = "error",
    lower_is_better: Sequence[str] | str = (),
) -> Scores:
    """Read the scores of many systems, from one source or from several.

    Parameters
    ----------
    source : Scores, DataFrame, path, sequence of these, or mapping
        Whatever :func:`abrank.read_scores` reads. A wide table whose columns name no measure has a
        column a system; such a file may lack the column query_id: its rows are the queries. Several
        sources hold systems of their own on the same queries. A mapping goes from a system's name
        to its scores: a Series or dict by query id, or any of the above.
    measures : sequence of str, optional
        The one measure of a table with a column a system is called by this name, ``score`` without.
    missing : {"error", "zero", "drop", "worst"}
        A score that is missing is an error, counts 0, has the worst score, or its query is left out
        of all systems.
    lower_is_better : str or sequence of str
        Scores of which the highest is the worst.

    Returns
    -------
    Scores
        ``notes`` say what each source was taken for, and what was missing.

    Raises
    ------
    ReadError, NotFoundError
        If a source cannot be used.
    AlignmentError
        If scores are missing, under ``missing="error"``, or no query remains.
    ArgumentError
        If two sources have a system of one name, or differ in their measures.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"query_id": ["1", "2"], "bm25": [0.2, 0.4], "t5": [0.3, 0.6]})
    >>> read_board(frame, measures="AP").systems
    ('bm25', 't5')
    """
    checks.one_of("missing", missing, MISSING)
    if isinstance(source, Scores):
        return source
    called = listed(measures) if measures is not None else []
    parts = _parts(source, called[0] if len(called) == 1 else UNNAMED)
    if not parts:
        raise ArgumentError("there are no scores to rank by")
    return settled(
        _joined(parts) if len(parts) > 1 else parts[0], missing, lower_is_better=lower_is_better
    )


def _parts(source: Any, measure: str) -> list[Scores]:  # noqa: ANN401
    """Return the scores of each source."""
    if isinstance(source, Mapping):
        return [_named(each, str(system), measure) for system, each in source.items()]
    sources = source if isinstance(source, (list, tuple)) else [source]
    # Rows without ids are the same queries in all columns of one file, not in two files.
    parts = [_read(each, measure, numbered=len(sources) == 1) for each in sources]
    if len(parts) > 1 and {part.systems for part in parts} == {parts[0].systems[:1]}:
        # One column of one name in all files is a measure, and each file a system.
        parts = [_read(each, measure, of_systems=False) for each in sources]
    return parts


def _named(source: Any, system: str, measure: str) -> Scores:  # noqa: ANN401
    """Return the scores of one system of a mapping under its name there."""
    import pandas as pd

    if isinstance(source, (Mapping, pd.Series)):
        return replace(one_measure(source, system), systems=(system,), measures=(measure,))
    found = _read(source, measure)
    if len(found.systems) != 1:
        raise ArgumentError(f"{system}: one system is asked for, not {_some(found.systems)}")
    (origin,) = found.sources.values() or (None,)
    return replace(found, systems=(system,), sources={system: origin} if origin else {})


def _read(
    source: Any,  # noqa: ANN401
    measure: str,
    *,
    numbered: bool = False,
    of_systems: bool = True,
) -> Scores:
    """Read one source; columns that name no measure are systems."""
    if isinstance(source, Scores):
        return source
    table = read_score_table(source, is_measure=is_known, numbered=numbered)
    columns = set(table.measure.names)
    measured = any(map(is_known, columns)) or {each.casefold() for each in columns} <= _PLAIN
    if of_systems and table.form == WIDE and not any(table.system.names) and not measured:
        named = Coded((measure,), np.zeros(len(table.measure), np.int64))
        table = replace(table, system=table.measure, measure=named, form=BY_SYSTEM)
    return scores_of_table(table, source)


def _joined(parts: Sequence[Scores]) -> Scores:
    """Lay the systems of several sources side by side, NaN where a query is missing."""
    systems = [system for part in parts for system in part.systems]
    twice = next((name for name, n in Counter(systems).items() if n > 1), None)
    if twice is not None:
        raise ArgumentError(f"two sources have a system {twice!r}: give a mapping by name")
    measures = parts[0].measures
    for part in parts[1:]:
        if set(part.measures) != set(measures):
            raise ArgumentError(
                f"the measures differ: {_some(measures)} of {parts[0].systems[0]},"
                f" {_some(part.measures)} of {part.systems[0]}"
            )
    require_common({part.systems[0]: set(part.query_ids) for part in parts})
    every = list(dict.fromkeys(query for part in parts for query in part.query_ids))
    query_ids = tuple(every[i] for i in np.argsort(ids.order(ids.encode(every))))
    place = {query: i for i, query in enumerate(query_ids)}
    values = np.full((len(query_ids), len(systems), len(measures)), np.nan)
    start = 0
    for part in parts:
        rows = [place[query] for query in part.query_ids]
        columns = [part.measures.index(name) for name in measures]
        stop = start + len(part.systems)
        values[rows, start:stop] = part.values[:, :, columns]
        start = stop
    return Scores(
        query_ids=query_ids,
        systems=tuple(systems),
        measures=measures,
        values=values,
        sources={name: each for part in parts for name, each in part.sources.items()},
        notes=_notes(parts),
        named=None if all(part.named is None for part in parts) else (),
    )


def _notes(parts: Sequence[Scores]) -> tuple[str, ...]:
    """Return what the sources were taken for; of many, what the first was."""
    found = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    if len(found) <= MOST_NOTES:
        return found
    return (f"{display.count(len(found))} sources, the first {found[0]}",)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
