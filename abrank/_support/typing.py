"""Names for the arrays and choices that cross the rooms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]
    BoolArray: TypeAlias = npt.NDArray[np.bool_]
    RandomSource: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None
else:
    # What a checker needs takes as long to import as a small file to read.
    FloatArray = IntArray = BoolArray = np.ndarray
    RandomSource = Any

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

Function = TypeVar("Function", bound=Callable[..., Any])
