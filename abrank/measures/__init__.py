"""The catalogue of measures: a judged run in, one value for each query out."""

from abrank.measures import (  # noqa: F401 - importing enters them
    binary,
    cascade,
    compat,
    counts,
    cwl,
    diversity,
    graded,
    holes,
    ideal,
    incomplete,
    intents,
    interpolated,
    nearly_err,
    normalized_gain,
    novelty_rank_biased,
    pairs,
    sets,
    textbook,
    thresholds,
    totals,
    user_models,
)
from abrank.measures.entries import Entry, Measure, catalogue, measure
from abrank.measures.names import expand, parse, reading
from abrank.measures.user_models import resolved

__all__ = ["Entry", "Measure", "catalogue", "expand", "measure", "parse", "reading", "resolved"]
