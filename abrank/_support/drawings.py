"""Type declarations of each result's plots, for editors and type checkers."""

# At run time `abrank.plots.Plots` finds plots in the registry; these protocols only tell editors
# their names and options. `tests/plots/test_registry.py` checks that both agree.

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, Unpack


class PlotOptions(TypedDict, total=False):
    """Options of every plot; ``width`` is "column", "text" or inches, ``digits`` are decimals."""

    ax: Any
    theme: Any
    digits: int | None
    width: Literal["column", "text"] | float | None
    height: float | None


class PictureProtocol(Protocol):
    """A plot; with ``ax=`` the methods return these Axes instead."""

    @property
    def axes(self) -> Any: ...  # noqa: ANN401 - matplotlib's Axes, which is not imported here
    @property
    def figure(self) -> Any: ...  # noqa: ANN401
    def save(self, path: str | Path, *, dpi: float = 300.0) -> Path: ...
    def __getattr__(self, name: str) -> Any: ...  # noqa: ANN401


class _Plots(Protocol):
    def __call__(self) -> dict[str, str]:
        """Return the title of each plot by its name."""


class ComparisonPlots(_Plots, Protocol):
    """The plots of a comparison."""

    def cutoffs(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the primary measure at increasing cut-offs, for A, B and their difference."""

    def distribution(
        self, measure: str | None = None, **look: Unpack[PlotOptions]
    ) -> PictureProtocol:
        """Draw the distribution of the per-query differences."""

    def forest(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the interval of every measure, the primary one first and in bold."""

    def segments(self, by: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference in every segment, below that of all queries."""

    def deltas(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the sorted differences of all queries in the colours of the winners."""

    def scatter(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the scores of B against those of A; above the diagonal B is higher."""

    def paired(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the scores of A and B, and the mean difference in the same unit."""

    def power(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the power for true differences: with these queries, a quarter, four times."""


class RankingPlots(_Plots, Protocol):
    """The plots of a ranking."""

    def matrix(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference of every pair, row minus column."""

    def queries(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the score of every system on every query as a heat map."""

    def leaderboard(
        self,
        interval: Literal["own", "within", "difference"] = "own",
        maximum: int | None = None,
        **look: Unpack[PlotOptions],
    ) -> PictureProtocol:
        """Draw the mean of every system with its interval and groups, best first."""

    def cd(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the critical difference diagram of mean ranks, 1 is best."""

    def ranks(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw how often each system has each rank if queries are resampled."""


class CollectionsPlots(_Plots, Protocol):
    """The plots of two systems on several collections."""

    def forest(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference on every collection, and the summaries as diamonds."""

    def segments(self, by: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference in every segment of the queries of all collections."""


class StandingsPlots(_Plots, Protocol):
    """The plots of a ranking over several collections."""

    def means(self, maximum: int | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean of every system over the collections, best first."""

    def ranks(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the rank intervals: thick on these collections, thin on similar ones."""
