"""What to know before believing a comparison: codes and numbers, no words."""

from abrank.diagnostics.declared import inspect_directions, inspect_margin
from abrank.diagnostics.differences import (
    FALSE_FINDINGS,
    SHORT_INTERVALS_UP_TO,
    inspect_clusters,
    inspect_differences,
)
from abrank.diagnostics.evidence import inspect_evidence, inspect_inputs, inspect_segments
from abrank.diagnostics.notes import DECIMALS, Note, bounds, higher_is_better, outcomes

__all__ = [
    "DECIMALS",
    "FALSE_FINDINGS",
    "SHORT_INTERVALS_UP_TO",
    "Note",
    "bounds",
    "higher_is_better",
    "inspect_clusters",
    "inspect_differences",
    "inspect_directions",
    "inspect_evidence",
    "inspect_inputs",
    "inspect_margin",
    "inspect_segments",
    "outcomes",
]
