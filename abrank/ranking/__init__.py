"""Many systems on the same queries: who leads, and who differs significantly from whom."""

from abrank.ranking.board import read_board
from abrank.ranking.rank import rank_scores
from abrank.ranking.result import Ranking
from abrank.ranking.rows import PairRow, SystemRow

__all__ = ["PairRow", "Ranking", "SystemRow", "rank_scores", "read_board"]
