"""What is to be known of the runs behind a ranking, in words."""

from __future__ import annotations

from collections.abc import Iterable

from abrank.ranking import Ranking
from abrank.report.model import Caution
from abrank.report.sections.notes.cautions import SystemNames, caution


def cautions(ranking: Ranking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs, the most severe first, and how inputs were read."""
    return (*of_runs(ranking, digits=digits), *of_inputs(ranking.notes))


def of_runs(ranking: Ranking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs, the most severe first."""
    names = SystemNames("", "", digits=digits, alpha=ranking.alpha)
    return tuple(caution(note, names) for note in ranking.cautions)


def of_inputs(notes: Iterable[str]) -> tuple[Caution, ...]:
    """Return how names and files were read."""
    return tuple(Caution("input", "Input", f"{note}.", 1) for note in notes)
