"""Repeated runs of one system (seeds, folds): averaged per query, never counted as more queries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support import display
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs import Run
from abrank.inputs.objects.names import QUERY_IDS, found_in
from abrank.scores import Scores


def is_repeated(source: Any) -> bool:  # noqa: ANN401
    """Whether a source is a list of runs of one system, and not rows of one run.

    Examples
    --------
    >>> is_repeated(["seed1.run", "seed2.run"]), is_repeated([("q1", "d1", 2.0)])
    (True, False)
    """
    return isinstance(source, (list, tuple)) and bool(source) and all(map(_is_run, source))


def _is_run(source: object) -> bool:
    if isinstance(source, Mapping):
        return not found_in(list(source), QUERY_IDS)  # a dict with such a key is a row
    return isinstance(source, (str, os.PathLike, Run)) or hasattr(source, "columns")


def expand_repeats(runs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return every single run by a name of its own, and the names of each system's runs.

    Raises
    ------
    ArgumentError
        If two runs have one name, or a file is given twice for one system.

    Examples
    --------
    >>> expand_repeats({"bm25": "bm25.run", "t5": ["s1.run", "s2.run"]})[1]
    {'bm25': ['bm25'], 't5': ['t5 (run 1)', 't5 (run 2)']}
    """
    single: dict[str, Any] = {}
    groups: dict[str, list[str]] = {}
    for system, source in runs.items():
        sources = list(source) if is_repeated(source) else [source]
        paths = [os.fspath(each) for each in sources if isinstance(each, (str, os.PathLike))]
        if len(set(paths)) < len(paths):
            raise ArgumentError(f"a run of {system} is given twice")
        several = is_repeated(source)
        groups[system] = [f"{system} (run {i})" if several else system for i in _from_1(sources)]
        for name, each in zip(groups[system], sources, strict=True):
            if name in single:
                raise ArgumentError(f"two runs are named {name}")
            single[name] = each
    return single, groups


def _from_1(items: list[Any]) -> range:
    return range(1, len(items) + 1)


def average_repeats(scores: Scores, groups: Mapping[str, list[str]]) -> Scores:
    """Average the runs of each system per query; ``notes`` say how far they differ.

    Parameters
    ----------
    scores : Scores
        Of every single run.
    groups : mapping of str to list of str
        The runs of each system, by name.

    Returns
    -------
    Scores
        Of the systems. What was seen of the documents of a single run says nothing of a mean over
        runs, so none of it is kept; ``notes`` say which runs lack queries.

    Examples
    --------
    >>> values = np.array([[[0.2], [0.4]], [[0.6], [0.6]]])
    >>> scores = Scores(("q1", "q2"), ("t5 (run 1)", "t5 (run 2)"), ("AP",), values)
    >>> average_repeats(scores, {"t5": ["t5 (run 1)", "t5 (run 2)"]}).values[:, 0, 0]
    array([0.3, 0.6])
    """
    place = {name: i for i, name in enumerate(scores.systems)}
    blocks = {
        system: scores.values[:, [place[name] for name in names], :]
        for system, names in groups.items()
    }
    repeated = [system for system, names in groups.items() if len(names) > 1]
    notes = [note for system in repeated for note in _notes(scores, system, blocks[system])]
    return replace(
        scores,
        systems=tuple(groups),
        values=np.stack([block.mean(axis=1) for block in blocks.values()], axis=1),
        audits={},
        judged_runs={},
        notes=(*scores.notes, *notes, *_missing(scores)),
    )


def _notes(scores: Scores, system: str, block: FloatArray) -> list[str]:
    """Say how far the runs of a system differ, beside its queries."""
    n_queries, n_runs, _ = block.shape
    queries = display.plural(n_queries, "query", "queries")
    said = [
        f"{system} is the mean of {display.plural(n_runs, 'run')} on every query: tests count"
        f" {queries}, not {display.count(n_queries * n_runs)}"
    ]
    if n_queries > 1:
        said += [
            _spread(system, measure, block[:, :, m]) for m, measure in enumerate(scores.measures)
        ]
    return said


def _missing(scores: Scores) -> list[str]:
    """Say which runs lack queries."""
    return [
        f"{name} lacks {display.plural(len(audit.missing), 'judged query', 'judged queries')}"
        for name, audit in scores.audits.items()
        if audit.missing
    ]


def _spread(system: str, measure: str, block: FloatArray) -> str:
    """Say what the choice of runs adds to the error of a mean, and what that of queries does.

    Runs and queries are the two ways of a two-way layout; each mean has the standard deviation of
    its marginal means over the root of their number as its standard error.
    """
    n_queries, n_runs = block.shape
    of_runs, of_queries = block.mean(axis=0), block.mean(axis=1)
    low, high = (display.score(float(each)) for each in (of_runs.min(), of_runs.max()))
    deviation = float(of_runs.std(ddof=1))
    error = float(of_queries.std(ddof=1)) / n_queries**0.5
    return (
        f"{system}, {measure}: means of its runs {low} to {high}, standard deviation"
        f" {display.least(deviation)}; standard error of the mean from runs"
        f" {display.least(deviation / n_runs**0.5)}, from queries {display.least(error)}. The"
        " intervals hold for these runs: they cover the queries alone"
    )
