"""Many systems on the same queries: their order, and which differ significantly."""

from abrank.ranking.rank import rank_scores, read_systems
from abrank.ranking.result import PairRow, Ranking, SystemRow

__all__ = ["PairRow", "Ranking", "SystemRow", "rank_scores", "read_systems"]
