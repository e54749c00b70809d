"""Cautions on a comparison, as codes and numbers; the report has their sentences."""

from abrank.diagnostics.declared import (
    asks_direction,
    inspect_directions,
    inspect_machine,
    inspect_margin,
)
from abrank.diagnostics.differences import (
    FALSE_FINDINGS,
    inspect_clusters,
    inspect_differences,
    inspect_losses,
    inspect_skewness,
)
from abrank.diagnostics.evidence import (
    inspect_evidence,
    inspect_inputs,
    inspect_segments,
    lists_only_relevant,
)
from abrank.diagnostics.notes import DECIMALS, Note, bounds, higher_is_better, outcomes
from abrank.diagnostics.runs import (
    UnequalDepth,
    inspect_depth,
    inspect_gaps,
    inspect_relevance,
    inspect_run,
    inspect_systems,
    missing_policy,
    unequal_depth,
)

__all__ = [
    "DECIMALS",
    "FALSE_FINDINGS",
    "Note",
    "UnequalDepth",
    "asks_direction",
    "bounds",
    "higher_is_better",
    "inspect_clusters",
    "inspect_depth",
    "inspect_differences",
    "inspect_directions",
    "inspect_evidence",
    "inspect_gaps",
    "inspect_inputs",
    "inspect_losses",
    "inspect_machine",
    "inspect_margin",
    "inspect_relevance",
    "inspect_run",
    "inspect_segments",
    "inspect_skewness",
    "inspect_systems",
    "lists_only_relevant",
    "missing_policy",
    "outcomes",
    "unequal_depth",
]
