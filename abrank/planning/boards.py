"""How far per-query differences spread between systems of TREC, by measure.

Of pairs of one board whose means differ by less than .1, the standard deviation of the per-query
differences; ``python -m reports.studies.spread DIR`` prints the table. TREC-7 ad hoc and TREC 2012
Web: the matrices of Urbano, Lima & Hanjalic (2019); TREC 2003 Robust: six runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abrank._support.typing import FloatArray


class Board(NamedTuple):
    """Where spreads are from: the board, its queries, the pairs, and the deciles from 10 to 90 %.

    Examples
    --------
    >>> BOARDS["AP"].share_below(0.12)
    0.23
    """

    name: str
    n_queries: int
    n_pairs: int
    deciles: tuple[float, ...]

    @property
    def usual(self) -> tuple[float, float, float]:
        """The median, and the deciles between which eight of ten pairs lie."""
        return self.deciles[4], self.deciles[0], self.deciles[-1]

    def share_below(self, sd: float) -> float:
        """Return about which share of the pairs spreads less; 0 and 1 beyond the outer deciles."""
        shares: FloatArray = np.arange(1, 10) / 10
        found = np.interp(sd, self.deciles, shares, left=0.0, right=1.0)
        return round(float(found), 2)


BOARDS = {
    "AP": Board(
        "TREC-7 ad hoc", 50, 3244, (0.104, 0.117, 0.126, 0.134, 0.141, 0.148, 0.156, 0.166, 0.181)
    ),
    "nDCG@20": Board(
        "TREC 2012 Web", 50, 937, (0.105, 0.132, 0.15, 0.16, 0.17, 0.181, 0.189, 0.197, 0.212)
    ),
    "nDCG@10": Board(
        "TREC 2003 Robust", 100, 10, (0.121, 0.138, 0.172, 0.186, 0.195, 0.213, 0.24, 0.272, 0.281)
    ),
    "nDCG": Board(
        "TREC 2003 Robust", 100, 8, (0.088, 0.093, 0.096, 0.108, 0.119, 0.127, 0.132, 0.139, 0.162)
    ),
    "P@5": Board(
        "TREC 2003 Robust", 100, 9, (0.194, 0.224, 0.247, 0.265, 0.296, 0.305, 0.338, 0.36, 0.362)
    ),
    "P@10": Board(
        "TREC 2003 Robust", 100, 10, (0.127, 0.156, 0.179, 0.187, 0.198, 0.214, 0.234, 0.265, 0.281)
    ),
    "RR": Board(
        "TREC 2003 Robust", 100, 10, (0.235, 0.246, 0.324, 0.359, 0.367, 0.378, 0.392, 0.41, 0.414)
    ),
    "R@100": Board(
        "TREC 2003 Robust", 100, 12, (0.12, 0.125, 0.127, 0.128, 0.133, 0.146, 0.16, 0.168, 0.175)
    ),
    "R@1000": Board(
        "TREC 2003 Robust", 100, 7, (0.129, 0.136, 0.14, 0.143, 0.145, 0.154, 0.162, 0.17, 0.174)
    ),
    "Success@1": Board(
        "TREC 2003 Robust", 100, 7, (0.289, 0.348, 0.348, 0.421, 0.53, 0.54, 0.548, 0.549, 0.555)
    ),
    "Success@10": Board(
        "TREC 2003 Robust", 100, 11, (0.264, 0.284, 0.293, 0.33, 0.339, 0.386, 0.389, 0.4, 0.445)
    ),
}  # fmt: skip
