"""Measures that take the highest grade from the judgments: here that of all partitions."""

from __future__ import annotations

import numpy as np

from abrank.inputs import JudgedRun
from abrank.measures import Measure, resolved

_NONE = JudgedRun.from_grades([[0]])


def has_open_scale(measure: Measure) -> bool:
    """Whether a measure takes the highest grade of its scale from the judgments."""
    return resolved(measure, _NONE) != measure


def with_scale(measure: Measure, highest: int) -> Measure:
    """Return a measure whose scale ends at the highest grade of all judgments."""
    return resolved(measure, JudgedRun.from_grades([[int(np.maximum(highest, 0))]]))
