"""What is to be known of the runs behind a ranking, in words."""

from __future__ import annotations

from dataclasses import replace

from abrank.ranking import Ranking
from abrank.report.model import Caution
from abrank.report.sections.notes.cautions import SystemNames, caution
from abrank.soundness import LEVELS


def cautions(ranking: Ranking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs, the most severe first, and how inputs were read."""
    notes = [Caution("input", "Input", f"{note}.", 1) for note in ranking.notes]
    return (*of_runs(ranking, digits=digits), *notes)


def of_runs(ranking: Ranking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs, the most severe first."""
    names = SystemNames("", "", digits=digits, alpha=ranking.alpha)
    notes = [
        replace(note, severity=4) if LEVELS.get(note.code) == "unsound" else note
        for note in ranking.cautions
    ]
    return tuple(caution(note, names) for note in notes)
