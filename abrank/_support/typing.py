"""Names for the arrays and choices that cross the rooms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Missing: TypeAlias = Literal["zero", "drop", "error"]
Duplicates: TypeAlias = Literal["error", "best"]
ScoreDtype: TypeAlias = Literal["float64", "float32"]
Interpolation: TypeAlias = Literal["10", "9"]

RandomSource: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None

Function = TypeVar("Function", bound=Callable[..., Any])
