"""Composition of reports from results: the only step from numbers to sentences."""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import Any

from abrank._support.errors import ArgumentError
from abrank.report.model import Report

__all__ = ["compose"]

# Modules that compose the report of a result, imported on demand.
_HOMES = {
    "Comparison": "pair",
    "Ranking": "systems",
    "CollectionsComparison": "strata",
    "CollectionsRanking": "standings",
    "JudgeAgreement": "judges",
    "Plan": "plan",
    "Inspection": "pair",
    "History": "history",
    "Intervals": "means",
    "MeansAudit": "plan",
}


@singledispatch
def compose(result: object, **options: Any) -> Report:  # noqa: ANN401 - each result has its own
    """Return everything a report says about a result.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking, JudgeAgreement, Plan
        Or the result of :func:`abrank.inspect_query`. Other classes can be registered with
        ``compose.register``, as in :func:`functools.singledispatch`.
    **options
        ``digits``, the decimals of scores and differences. For rankings also ``interval``
        (``"difference"`` from the first or the baseline, ``"own"`` of each mean, ``"within"``
        queries) and ``pairs``, whether the short formats list every pair.

    Returns
    -------
    Report
        Sections without data are left out.

    Raises
    ------
    ArgumentError
        If the class of the result is unknown.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> report = compose(compare_scores(a, b, name_a="bm25", name_b="monot5"))
    >>> report.headline.title
    '4 queries cannot tell monot5 from bm25.'
    >>> [section.key for section in report.sections]
    ['measures', 'tests', 'margin', 'planning', 'queries', 'effects', 'distribution', 'methods',
    'reproduce']
    """
    load(result)
    return compose(result, **options)


def load(result: object) -> None:
    """Import the module that composes the report of a result."""
    named = (item.__name__ for item in type(result).__mro__)
    home = next((_HOMES[name] for name in named if name in _HOMES), None)
    if home is None or not type(result).__module__.startswith("abrank."):
        raise ArgumentError(f"there is no report of a {type(result).__name__}")
    import_module(f"abrank.report.subjects.{home}")
