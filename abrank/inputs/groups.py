"""Learning to rank: labels, scores and groups of a matrix of features, as qrels and runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs import ids
from abrank.inputs.columns import QRELS, RUN, Columns
from abrank.inputs.files import contents, short_name
from abrank.inputs.formats.letor import read_letor
from abrank.inputs.objects.cells import checked
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.run import Run
from abrank.inputs.run import build as build_run


@explained
def from_groups(
    y: Any,  # noqa: ANN401 - an array, a column, or a path
    score: Any,  # noqa: ANN401 - an array, a column, a path, or a mapping of them
    group: Any = None,  # noqa: ANN401
    *,
    names: Any = None,  # noqa: ANN401
) -> tuple[Qrels, Run] | tuple[Qrels, dict[str, Run]]:
    """Return the qrels and the run, or runs, of LightGBM, XGBoost, CatBoost or a LETOR file.

    Parameters
    ----------
    y : array_like of int[n_rows], or path
        Grades, the label of each row; or a LETOR file (``grade qid:query_id 1:… 2:…``), which holds
        the groups too.
    score : array_like of float[n_rows], path, or mapping of str to these
        What the model predicts for each row; a file has one number a line. With a mapping by name
        there is a run for each.
    group : array_like
        Either the sizes of consecutive groups (LightGBM's and XGBoost's ``group``), which add up to
        n_rows, or the query id of each row (XGBoost's ``qid``, CatBoost's ``group_id``), n_rows
        long.
    names : array_like of length n_rows, optional
        Document ids; the number of the row without it.

    Returns
    -------
    qrels : Qrels
    run : Run, or dict of str to Run

    Raises
    ------
    ArgumentError
        If lengths differ, or it cannot be told what ``group`` holds.
    ReadError
        If a label is no whole number or a score not finite.

    Examples
    --------
    >>> qrels, run = from_groups([2, 0, 1, 0], [0.3, 0.9, 0.8, 0.1], group=[2, 2])
    >>> qrels.query_ids, run.ranking("0")
    (('0', '1'), [('1', 0.9), ('0', 0.3)])
    >>> _, run = from_groups([2, 0, 1, 0], [0.3, 0.9, 0.8, 0.1], group=["a", "a", "b", "b"])
    >>> run.query_ids
    ('a', 'b')
    """
    if isinstance(y, (str, os.PathLike)):
        data, _ = contents(y)
        judged = read_letor([data], os.fspath(y), QRELS)
        qrels = build_qrels(judged, short_name(y))
    else:
        grades = list(np.asarray(y).ravel().tolist())
        held = _queries(group, len(grades))
        docs = range(len(grades)) if names is None else np.asarray(names).tolist()
        if len(docs) != len(held):
            raise ArgumentError(f"{len(docs)} names for {len(held)} rows")
        judged = checked([[held, list(docs), grades]], "arrays", QRELS)
        qrels = build_qrels(judged, "qrels")
    if isinstance(score, Mapping):
        return qrels, {str(name): _run(each, judged, str(name)) for name, each in score.items()}
    name = short_name(score) if isinstance(score, (str, os.PathLike)) else "run"
    return qrels, _run(score, judged, name)


def _queries(group: Any, n_rows: int) -> list[Any]:  # noqa: ANN401
    """Return the query of each row."""
    if group is None:
        raise ArgumentError("group= is missing: sizes of the groups, or the query id of each row")
    held = np.asarray(group).ravel()
    sizes = held.dtype.kind in "iu" and (held >= 0).all() and int(held.sum()) == n_rows
    if sizes and len(held) == n_rows and n_rows > 1:
        raise ArgumentError(
            "group could be the sizes of groups and the query ids of rows; give ids as text:"
            " [str(each) for each in group]"
        )
    if sizes:
        return list(np.repeat(np.arange(len(held)), held).tolist())
    if len(held) != n_rows:
        raise ArgumentError(
            f"group has {len(held)} entries, for {n_rows} rows: neither sizes that add up to them"
            " nor an id for each"
        )
    return list(held.tolist())


def _run(score: Any, judged: Columns, name: str) -> Run:  # noqa: ANN401
    """Return the run of the scores of the rows that were judged."""
    values = _numbers(score) if isinstance(score, (str, os.PathLike)) else np.asarray(score)
    if values.size != len(judged.value):
        raise ArgumentError(f"{values.size} scores of {name} for {len(judged.value)} rows")
    queries, docs = ids.decode(judged.query), ids.decode(judged.doc)
    read = checked([[queries, docs, list(values.ravel().tolist())]], name, RUN)
    return build_run(read, name, "float64", "error")


def _numbers(path: str | os.PathLike[str]) -> FloatArray:
    """Return the numbers of a file with one a line, as LightGBM, RankLib and SVMrank write them."""
    data, _ = contents(path)
    try:
        return np.array([float(line) for line in data.split()], dtype=np.float64)
    except ValueError as error:
        raise ArgumentError(
            f"{os.fspath(path)} does not hold one number a line: {error}"
        ) from error
