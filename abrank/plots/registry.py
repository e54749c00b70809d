"""The registry of plots, and drawing a plot by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from abrank._support.errors import ArgumentError
from abrank._support.registry import Registry
from abrank._support.typing import Function
from abrank.plots.style import LIGHT, Theme, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Width: TypeAlias = Literal["column", "text"] | float
# Classes of results that a plot can be for.
Of: TypeAlias = Literal["Comparison", "Ranking", "CollectionsComparison", "CollectionsRanking"]
Subject: TypeAlias = Any
Size: TypeAlias = tuple[float, float] | Callable[[Any], tuple[float, float]]

# Widths in inches of a column and of the text block on a two-column page.
WIDTHS: Mapping[Literal["column", "text"], float] = {"column": 3.33, "text": 7.0}


@dataclass(frozen=True)
class Plot:
    """A registered plot: name, title, default size, function."""

    name: str
    title: str
    size: Size
    draw: Callable[..., Axes]
    of: Of

    def inches(self, subject: Subject) -> tuple[float, float]:
        """Return the default width and height for a result."""
        return self.size(subject) if callable(self.size) else self.size


# All plots by class of result and name: "Ranking.cd".
PLOTS: Registry[Plot] = Registry.of("plot")

# Descriptions of parameters for plots whose docstring does not describe them.
PARAMETERS = {
    "comparison": "Comparison",
    "ranking": "Ranking",
    "result": "CollectionsComparison",
    "measure": "str, optional\n    The primary one without it.",
    "ax": "Axes, optional\n    Drawn onto; a new Figure's without it.",
    "theme": "Theme",
}


def plots_of(subject: Subject) -> Registry[Plot]:
    """Return the plots of a result, or of a class of results, by name."""
    kind = subject if isinstance(subject, type) else type(subject)
    classes = {parent.__name__ for parent in kind.__mro__}
    registry: Registry[Plot] = Registry(f"plot of a {kind.__name__}")
    for entry in PLOTS.values():
        if entry.of in classes:
            registry.add(entry.name, entry)
    return registry


def plot(
    name: str, *, title: str, size: Size, subject: Of = "Comparison"
) -> Callable[[Function], Function]:
    """Register a plot under ``name``; the function is returned unchanged.

    Parameters
    ----------
    name : str
        Its name in :class:`abrank.plots.Plots` and :func:`abrank.plots.svg`.
    title : str
        A short description, used as alternative text.
    size : tuple of float or callable
        Width and height in inches, or a function of the result that returns them.
    subject : {"Comparison", "Ranking", "CollectionsComparison", "CollectionsRanking"}
        The class of results that it draws.

    Returns
    -------
    callable
        A decorator for ``function(subject, *, ax=None, theme=LIGHT, ...) -> Axes``.

    Raises
    ------
    ArgumentError
        If the name is taken.

    Examples
    --------
    >>> from abrank.ranking import Ranking
    >>> sorted(plots_of(Ranking))
    ['cd', 'leaderboard', 'matrix', 'queries', 'ranks']
    """

    def register(function: Function) -> Function:
        PLOTS.add(f"{subject}.{name}", Plot(name, title, size, function, subject), function)
        return function

    return register


def blank(
    name: str,
    subject: Subject,
    *,
    width: Width | None = None,
    height: float | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Return empty Axes of the default size of a plot."""
    own_width, own_height = plots_of(subject)[name].inches(subject)
    free = height is None
    chosen_width = own_width if width is None else width
    wide = {**WIDTHS}.get(chosen_width) if isinstance(chosen_width, str) else float(chosen_width)
    if wide is None or not 1.0 <= wide <= 100.0:
        raise ArgumentError(
            f'width must be "column", "text" or inches from 1 to 100, not {width!r}'
        )
    if height is None:
        # A square stays square; other plots keep their height.
        height = own_height * wide / own_width if own_width == own_height else own_height
    return new_axes(theme, (wide, height), free=free)


def draw(
    name: str,
    subject: Subject,
    *,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
    digits: int | None = None,
    width: Width | None = None,
    height: float | None = None,
    **options: Any,  # noqa: ANN401 - each plot has its own
) -> Axes:
    """Draw a plot by name; see :class:`abrank.plots.Plots` for the keywords."""
    entry = plots_of(subject)[name]
    if not isinstance(theme, Theme):
        raise ArgumentError(f"theme must be abrank.plots.LIGHT, DARK or a Theme, not {theme!r}")
    if ax is not None and not hasattr(ax, "get_figure"):
        raise ArgumentError(f"ax must be matplotlib's Axes, not {ax!r}")
    if ax is not None and (width is not None or height is not None):
        raise ArgumentError("width and height are a new figure's, the Axes have their own")
    if ax is None:
        ax = blank(name, subject, width=width, height=height, theme=theme)
    undeclared = getattr(subject, "undeclared", ())  # ledgers only contain decided directions
    primary = undeclared and (getattr(subject, "measure", "") or subject.rule.primary)
    look = replace(
        theme,
        digits=subject.decimals if digits is None else digits,
        undeclared=(options.get("measure") or primary) in undeclared,
    )
    return entry.draw(subject, ax=ax, theme=look, **options)
