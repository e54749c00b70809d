"""What is to be known of the runs behind a ranking on several collections, in words."""

from __future__ import annotations

from collections.abc import Sequence

from abrank._support import display as f
from abrank.collections import CollectionsRanking
from abrank.report.model import Caution
from abrank.report.ranking.cautions import of_runs
from abrank.report.sections.notes.cautions import by_collection

MOST_INPUTS = 3


def standings_cautions(found: CollectionsRanking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs on each collection, the most severe first.

    How names and files were read comes last.
    """
    of_each = {
        collection: of_runs(ranking, digits=digits)
        for collection, ranking in found.rankings.items()
    }
    return (*by_collection(of_each, found.rankings), *_of_inputs(found.notes))


def _of_inputs(notes: Sequence[str]) -> tuple[Caution, ...]:
    """Return how names and files were read as one caution: each collection has files of its own."""
    said = [f"{note}." for note in notes[:MOST_INPUTS]]
    if len(notes) > MOST_INPUTS:
        said.append(f"{f.count(len(notes) - MOST_INPUTS)} more notes on inputs.")
    return (Caution("input", "Input", " ".join(said), 1),) if said else ()
