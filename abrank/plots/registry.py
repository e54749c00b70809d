"""The catalogue of plots, and drawing one by its name."""

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
# The class of the results that a plot draws.
Of: TypeAlias = Literal["Comparison", "Ranking", "CollectionsComparison", "CollectionsRanking"]
Subject: TypeAlias = Any
Size: TypeAlias = tuple[float, float] | Callable[[Any], tuple[float, float]]

# Widths of a column and of the text block of a two-column page, in inches.
WIDTHS: Mapping[Literal["column", "text"], float] = {"column": 3.33, "text": 7.0}


@dataclass(frozen=True)
class Plot:
    """A registered plot: its name and title, the size it asks for, what it draws."""

    name: str
    title: str
    size: Size
    draw: Callable[..., Axes]
    of: Of

    def inches(self, subject: Subject) -> tuple[float, float]:
        """Return the width and height that suit a comparison or ranking."""
        return self.size(subject) if callable(self.size) else self.size


# Every plot under the class of its results and its name: "Ranking.cd".
PLOTS: Registry[Plot] = Registry.of("plot")

# What these parameters are in every plot that does not describe them itself.
PARAMETERS = {
    "comparison": "Comparison",
    "ranking": "Ranking",
    "result": "CollectionsComparison",
    "measure": "str, optional\n    The primary one without it.",
    "ax": "Axes, optional\n    Drawn onto; a new Figure's without it.",
    "theme": "Theme",
}


def plots_of(subject: Subject) -> Registry[Plot]:
    """Return the plots that can be drawn of a result, or of a class, by their names."""
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
    """Register a plot under ``name``; the function itself comes back unchanged.

    Parameters
    ----------
    name : str
        The word that :class:`abrank.plots.Plots` and :func:`abrank.plots.svg` know it by.
    title : str
        What it shows, in a few words: the title of the drawing for those who cannot see it.
    size : tuple of float or callable
        Width and height in inches, or what gives them for a comparison or ranking.
    subject : {"Comparison", "Ranking", "CollectionsComparison", "CollectionsRanking"}
        The class of the results that it draws.

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
    """Return empty Axes of the size that a plot asks for."""
    own_width, own_height = plots_of(subject)[name].inches(subject)
    free = height is None
    chosen_width = own_width if width is None else width
    wide = {**WIDTHS}.get(chosen_width) if isinstance(chosen_width, str) else float(chosen_width)
    if wide is None or not 1.0 <= wide <= 100.0:
        raise ArgumentError(
            f'width must be "column", "text" or inches from 1 to 100, not {width!r}'
        )
    if height is None:
        # A square stays square; a row of text keeps its height.
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
    """Draw a plot by its name; see :class:`abrank.plots.Plots` for the keywords."""
    entry = plots_of(subject)[name]
    if not isinstance(theme, Theme):
        raise ArgumentError(f"theme must be abrank.plots.LIGHT, DARK or a Theme, not {theme!r}")
    if ax is not None and not hasattr(ax, "get_figure"):
        raise ArgumentError(f"ax must be matplotlib's Axes, not {ax!r}")
    if ax is not None and (width is not None or height is not None):
        raise ArgumentError("width and height are a new figure's, the Axes have their own")
    if ax is None:
        ax = blank(name, subject, width=width, height=height, theme=theme)
    undeclared = getattr(subject, "undeclared", ())  # a ledger has none: it keeps what was decided
    primary = undeclared and (getattr(subject, "measure", "") or subject.rule.primary)
    look = replace(
        theme,
        digits=subject.decimals if digits is None else digits,
        undeclared=(options.get("measure") or primary) in undeclared,
    )
    return entry.draw(subject, ax=ax, theme=look, **options)
