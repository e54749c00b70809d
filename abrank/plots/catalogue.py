"""The catalogue of plots, and the plots of one comparison as methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from abrank._support.errors import ArgumentError, nearest
from abrank._support.registry import Registry
from abrank._support.typing import Function
from abrank.plots._style import LIGHT, Theme, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abrank.comparison import Comparison

Width: TypeAlias = Literal["column", "text"] | float
Size: TypeAlias = "tuple[float, float] | Callable[[Comparison], tuple[float, float]]"

# Widths of a column and of the text block of a two-column page, in inches.
WIDTHS = {"column": 3.33, "text": 7.0}


@dataclass(frozen=True)
class Plot:
    """A registered plot: its name and title, the size it asks for, the function that draws it."""

    name: str
    title: str
    size: Size
    draw: Callable[..., Axes]

    def inches(self, comparison: Comparison) -> tuple[float, float]:
        """Return the width and height that suit a comparison."""
        return self.size(comparison) if callable(self.size) else self.size


PLOTS: Registry[Plot] = Registry("plot")


def plot(name: str, *, title: str, size: Size) -> Callable[[Function], Function]:
    """Register a plot under ``name``; the function itself comes back unchanged.

    Parameters
    ----------
    name : str
        The word that :class:`Plots` and :func:`abrank.plots.svg` know it by.
    title : str
        What it shows, in a few words: the title of the drawing for those who cannot see it.
    size : tuple of float or callable
        Width and height in inches, or what gives them for a comparison.

    Returns
    -------
    callable
        A decorator for ``function(comparison, *, ax=None, theme=LIGHT, ...) -> Axes``.

    Raises
    ------
    ArgumentError
        If the name is taken.

    Examples
    --------
    >>> sorted(PLOTS)
    ['deltas', 'distribution', 'effect', 'forest', 'power', 'scatter', 'tests']
    """

    def register(function: Function) -> Function:
        PLOTS.add(name, Plot(name, title, size, function))
        return function

    return register


def blank(
    name: str,
    comparison: Comparison,
    *,
    width: Width | None = None,
    height: float | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Return empty Axes of the size that a plot asks for.

    Parameters
    ----------
    name : str
        A name in ``PLOTS``.
    comparison : Comparison
    width : {"column", "text"} or float, optional
        3.33 or 7.0 inches, or as many as given; without it the plot's own.
    height : float, optional
        Inches; without it the plot's own, a little less in a narrow column.
    theme : Theme

    Returns
    -------
    Axes
    """
    own_width, own_height = PLOTS[name].inches(comparison)
    wide = own_width if width is None else _inches(width)
    if height is None:
        # A square stays square; a row of text keeps its height.
        height = own_height * wide / own_width if own_width == own_height else own_height
    return new_axes(theme, (wide, height))


def _inches(width: Width) -> float:
    found = WIDTHS.get(width) if isinstance(width, str) else float(width)
    if found is None or not 1.0 <= found <= 100.0:
        raise ArgumentError(
            f'width must be "column", "text" or inches from 1 to 100, not {width!r}'
        )
    return found


@dataclass(frozen=True)
class Plots:
    """The plots of a comparison, each a method named as in ``PLOTS``.

    A method takes ``ax`` (drawn onto, and returned), ``theme``, ``measure`` where the plot knows
    it, and ``width``: ``"column"`` (3.33 in), ``"text"`` (7.0 in) or inches. It returns the Axes
    and neither shows nor saves anything.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> axes = result.plot.forest(width="column")
    >>> float(axes.figure.get_size_inches()[0])
    3.33
    """

    _comparison: Comparison

    def __getattr__(self, name: str) -> Callable[..., Axes]:
        if name.startswith("_") or name not in PLOTS:
            close = nearest(name, PLOTS)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(PLOTS)}"
            raise AttributeError(f"no plot {name!r}{hint}")
        return partial(_draw, name, self._comparison)

    def __dir__(self) -> list[str]:
        return list(PLOTS)


def _draw(
    name: str,
    comparison: Comparison,
    *,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
    width: Width | None = None,
    height: float | None = None,
    **options: Any,  # noqa: ANN401 - each plot has its own
) -> Axes:
    if ax is not None and (width is not None or height is not None):
        raise ArgumentError("width and height are a new figure's, the Axes have their own")
    if ax is None:
        ax = blank(name, comparison, width=width, height=height, theme=theme)
    return PLOTS[name].draw(comparison, ax=ax, theme=theme, **options)
