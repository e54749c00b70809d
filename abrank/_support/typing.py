"""Names for the arrays and the choices that cross the rooms; no library is loaded for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    FloatArray: TypeAlias = npt.NDArray[np.float64]
    IntArray: TypeAlias = npt.NDArray[np.int64]
    BoolArray: TypeAlias = npt.NDArray[np.bool_]
    RandomSource: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None
else:
    # What a checker needs takes as long to import as a small file to read.
    FloatArray = IntArray = BoolArray = RandomSource = Any

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

Function = TypeVar("Function", bound=Callable[..., Any])

Missing: TypeAlias = Literal["zero", "drop", "worst", "error"]
Duplicates: TypeAlias = Literal["error", "first", "max"]
SameId: TypeAlias = Literal["keep", "drop"]
ScoreDtype: TypeAlias = Literal["float64", "float32"]
Interpolation: TypeAlias = Literal["10", "9"]
EngineName: TypeAlias = Literal["local", "dask", "spark"]
# What a gate asks for; as it is recorded, where --fail-on has a name of its own.
OnCollections: TypeAlias = Literal["all", "each"]
Asked: TypeAlias = Literal["better", "non-inferior", "equivalent"]
Requirement: TypeAlias = Literal["better", "non-inferior", "equivalent", "no-significant-loss"]
Family: TypeAlias = Literal["secondary", "all", "fixed-sequence"]
RankingFamily: TypeAlias = Literal["measure", "all"]
Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
SharedModel: TypeAlias = Literal["a", "b", "both", "neither"]
