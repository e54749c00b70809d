"""The plots of each result as editors and type checkers know them: names, options, a line."""

# At run time `abrank.plots.Plots` looks a plot up in the registry of plots; these protocols only
# tell editors its name and options. `tests/plots/test_registry.py` holds them to the registry.

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, Unpack


class PlotOptions(TypedDict, total=False):
    """What every plot takes: ``width`` is "column", "text" or inches, ``digits`` are decimals."""

    ax: Any
    theme: Any
    digits: int | None
    width: Literal["column", "text"] | float | None
    height: float | None


class PictureProtocol(Protocol):
    """A plot that was drawn; with ``ax=`` these Axes themselves come back."""

    @property
    def axes(self) -> Any: ...  # noqa: ANN401 - matplotlib's, which is not loaded here
    @property
    def figure(self) -> Any: ...  # noqa: ANN401
    def save(self, path: str | Path, *, dpi: float = 300.0) -> Path: ...
    def __getattr__(self, name: str) -> Any: ...  # noqa: ANN401


class _Plots(Protocol):
    def __call__(self) -> dict[str, str]:
        """Return what each plot shows, by its name."""


class ComparisonPlots(_Plots, Protocol):
    """The plots of a comparison."""

    def cutoffs(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the primary measure of A and of B at growing cut-offs, and their difference."""

    def distribution(
        self, measure: str | None = None, **look: Unpack[PlotOptions]
    ) -> PictureProtocol:
        """Draw the spread of the per-query differences."""

    def forest(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the interval of every measure, the primary one first, with a diamond and in bold."""

    def segments(self, by: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference in every segment, under that of all queries."""

    def deltas(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the difference of every query, sorted, in the colour of who wins it."""

    def scatter(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the score of A across and that of B upwards: above the diagonal B scores higher."""

    def paired(self, measure: str | None = None, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the scores of A and of B, and right of them the mean difference in the same unit."""

    def power(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the chance to show a true difference: with these queries, a quarter, four times."""


class RankingPlots(_Plots, Protocol):
    """The plots of a ranking."""

    def matrix(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the mean difference of every pair, the system of the row less that of the column."""

    def queries(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the score of every system on every query, the higher the deeper."""

    def leaderboard(
        self,
        interval: Literal["own", "within", "difference"] = "own",
        maximum: int | None = None,
        **look: Unpack[PlotOptions],
    ) -> PictureProtocol:
        """Draw the mean of every system, best first, with its interval and its groups."""

    def cd(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw the systems at their mean rank within the queries, 1 the best."""

    def ranks(self, **look: Unpack[PlotOptions]) -> PictureProtocol:
        """Draw how often each system has each rank where the queries are drawn anew."""


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
        """Draw the rank interval of every system: thick on these collections, thin on others."""
