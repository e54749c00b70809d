"""Whether a value that was read equals the same value computed again."""

from __future__ import annotations

import math
from typing import Any

from abrank.report.saved.schema import Damaged, shown

# A mean of a million scores is the same to that share, whatever adds it up.
RELATIVE = 1e-9


def require_same(place: str, value: Any, computed: Any, source: str, *, scale: float = 0.0) -> None:  # noqa: ANN401
    """Compare what stands in the file with what its source gives; floats to rounding.

    Raises
    ------
    Damaged
        Names the place and both values.
    """
    if isinstance(computed, float):
        alike = math.isclose(value, computed, rel_tol=RELATIVE, abs_tol=RELATIVE * scale)
        alike |= math.isnan(value) and math.isnan(computed)
    else:
        alike = value == computed
    if not alike:
        raise Damaged(place, f"is {shown(value)}, but {source} give {shown(computed)}")
