"""Files of ready scores to a ranking, with its provenance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abrank._support.typing import Missing
from abrank.provenance import provenance
from abrank.ranking.board import read_board
from abrank.ranking.rank import rank_scores
from abrank.ranking.result import Ranking


def rank_ready(
    sources: Any,  # noqa: ANN401 - whatever read_board reads
    *,
    measures: Sequence[str] | str | None = None,
    missing: Missing = "error",
    command: str | None = None,
    **how: Any,  # noqa: ANN401 - those of rank_scores
) -> Ranking:
    """Rank ready scores as :func:`abrank.rank_scores` does, and record where they come from."""
    scores = read_board(sources, measures=measures, missing=missing)
    roles = {name: name for name in scores.systems}
    found = provenance(scores, roles, settings={"missing": missing}, command=command)
    return rank_scores(scores, measures=measures, provenance=found, **how)
