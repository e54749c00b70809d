"""What to read before acting on any result, whatever it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank.comparison import Comparison
from abrank.ranking import Ranking
from abrank.report.model import Caution

if TYPE_CHECKING:
    from abrank.report.registry import Subject


def cautions_of(subject: Subject, *, digits: int | None = None) -> tuple[Caution, ...]:
    """Return what is to be known of a result of any kind, the most severe first.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.3}, {"q1": 0.3, "q2": 0.51, "q3": 0.42}
    >>> result = compare_scores(a, b)
    >>> [each.title for each in cautions_of(result)]
    ['Only 3 queries']
    """
    digits = subject.decimals if digits is None else digits
    if isinstance(subject, Comparison):
        from abrank.report.sections.notes.cautions import cautions

        return cautions(subject, digits=digits)
    if isinstance(subject, Ranking):
        from abrank.report.ranking import cautions as of_ranking

        return of_ranking.cautions(subject, digits=digits)
    from abrank.collections import CollectionsComparison

    if isinstance(subject, CollectionsComparison):
        from abrank.report.collections import words

        return words.cautions(subject, digits=digits)
    from abrank.report.collections.systems.cautions import standings_cautions

    return standings_cautions(subject, digits=digits)
