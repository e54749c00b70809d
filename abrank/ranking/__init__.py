"""Many systems on the same queries: who leads, and who differs significantly from whom."""

from abrank.ranking.rank import rank_scores, read_systems
from abrank.ranking.result import PairRow, Ranking, SystemRow

__all__ = ["PairRow", "Ranking", "SystemRow", "rank_scores", "read_systems"]
