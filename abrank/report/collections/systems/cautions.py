"""What is to be known of the runs behind a ranking on several collections, in words."""

from __future__ import annotations

from abrank.collections import CollectionsRanking
from abrank.report.model import Caution
from abrank.report.ranking.cautions import of_inputs, of_runs
from abrank.report.sections.notes.cautions import by_collection


def standings_cautions(found: CollectionsRanking, *, digits: int) -> tuple[Caution, ...]:
    """Return what is to be known of the runs on each collection, the most severe first.

    How names and files were read comes last.
    """
    of_each = {
        collection: of_runs(ranking, digits=digits)
        for collection, ranking in found.rankings.items()
    }
    return (*by_collection(of_each), *of_inputs(found.notes))
