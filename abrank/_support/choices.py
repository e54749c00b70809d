"""Names for what may be chosen among a few words; no library is loaded for them."""

from __future__ import annotations

from typing import Literal, TypeAlias

Missing: TypeAlias = Literal["zero", "drop", "worst", "error"]
Duplicates: TypeAlias = Literal["error", "best"]
ScoreDtype: TypeAlias = Literal["float64", "float32"]
Interpolation: TypeAlias = Literal["10", "9"]
EngineName: TypeAlias = Literal["local", "dask", "spark"]
OnBadPartition: TypeAlias = Literal["error", "skip"]
# What a gate asks for; as it is recorded, where --fail-on has a name of its own.
OnCollections: TypeAlias = Literal["all", "each"]
Asked: TypeAlias = Literal["better", "non-inferior", "equivalent"]
Requirement: TypeAlias = Literal["better", "non-inferior", "equivalent", "not-worse-shown"]
Family: TypeAlias = Literal["secondary", "all", "fixed-sequence"]
RankingFamily: TypeAlias = Literal["measure", "all"]
Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
SharedModel: TypeAlias = Literal["a", "b", "both", "neither"]
