"""Type names shared by all packages; no library is imported for them."""

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
    # Importing the actual types takes as long as reading a small file.
    FloatArray = IntArray = BoolArray = RandomSource = Any

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

Function = TypeVar("Function", bound=Callable[..., Any])

Missing: TypeAlias = Literal["zero", "drop", "worst", "error"]
Duplicates: TypeAlias = Literal["error", "first", "max"]
SameId: TypeAlias = Literal["keep", "drop"]
ScoreDtype: TypeAlias = Literal["float64", "float32"]
Interpolation: TypeAlias = Literal["10", "9"]
EngineName: TypeAlias = Literal["local", "dask", "spark"]
# `Asked` is what --require takes; `Requirement`, as recorded, includes the gate of --fail-on.
OnCollections: TypeAlias = Literal["all", "each"]
Asked: TypeAlias = Literal["better", "non-inferior", "equivalent"]
Requirement: TypeAlias = Literal["better", "non-inferior", "equivalent", "no-significant-loss"]
Family: TypeAlias = Literal["secondary", "all", "fixed-sequence"]
RankingFamily: TypeAlias = Literal["measure", "all"]
Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
SharedModel: TypeAlias = Literal["a", "b", "both", "neither"]
