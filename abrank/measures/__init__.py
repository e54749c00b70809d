"""The catalogue of measures: a judged run in, one value for each query out."""

from abrank.measures.definitions import (  # noqa: F401 - importing enters them
    binary,
    cascade,
    compat,
    counts,
    cwl,
    diversity,
    graded,
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
from abrank.measures.definitions.user_models import resolved
from abrank.measures.naming.parser import expand, parse, reading
from abrank.measures.registry.entries import Entry, Measure, catalogue, measure
from abrank.measures.sensitivity import ideal, unjudged  # noqa: F401 - importing enters them

__all__ = ["Entry", "Measure", "catalogue", "expand", "measure", "parse", "reading", "resolved"]
