"""The plots of a result as methods, and the picture that they return."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from abrank._support.checks import explained
from abrank._support.errors import ArgumentError, nearest
from abrank.plots.registry import Subject, draw, plots_of
from abrank.plots.render import png, png_of, save
from abrank.plots.style import LIGHT, NOTEBOOK, Theme, figure_of

# CSS pixels per inch, and image dots per inch: two per pixel, for high-resolution screens.
PIXELS, DOTS = 96.0, 192.0
_SHARED = ("ax", "theme", "digits", "width", "height")  # options of every plot


class Picture:
    """A plot that was drawn. Notebooks display it; ``save`` writes it to a file.

    In a notebook its colours are readable on light and dark backgrounds, and its own background is
    transparent. If a theme was chosen, or after ``axes`` or ``figure`` were accessed (and possibly
    changed), it is displayed unchanged.

    Attributes
    ----------
    axes : Axes
        The Axes of the plot, for further changes.
    figure : Figure
        The figure of these Axes; it has no window.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> picture = result.plot.forest(width="column")
    >>> picture
    <Picture of forest, 3.33 x 1.63 inches: .save(path), .axes, .figure>
    >>> picture.axes.get_xlabel().splitlines()[0]
    'mean Δ per query (B − A)'
    """

    def __init__(
        self, name: str, title: str, axes: Axes, for_notebook: Callable[[], bytes]
    ) -> None:
        self._name, self._title = name, title
        self._axes, self._for_notebook = axes, for_notebook
        self._untouched = True

    @property
    def axes(self) -> Axes:
        """The axes of the plot."""
        self._untouched = False
        return self._axes

    @property
    def figure(self) -> Figure:
        """The figure of the plot."""
        self._untouched = False
        return figure_of(self._axes)

    @explained
    def save(self, path: str | Path, *, dpi: float = 300.0) -> Path:
        """Write the figure to a file for publication; see :func:`abrank.plots.save`."""
        return save(self._axes, path, dpi=dpi)

    def _shown(self) -> bytes:
        return self._for_notebook() if self._untouched else png_of(self._axes, dpi=DOTS)

    def _repr_png_(self) -> bytes:
        return self._shown()

    def _repr_html_(self) -> str:
        """Return the image in its intended size, with its title as alternative text."""
        data = base64.b64encode(self._shown()).decode()
        return (
            f'<img src="data:image/png;base64,{data}" alt="{escape(self._title)}"'
            f' style="width:{PIXELS * self._inches[0]:.0f}px;max-width:100%;height:auto">'
        )

    @property
    def _inches(self) -> tuple[float, float]:
        box = self._axes.figure.bbox
        dots = self._axes.figure.dpi
        return box.width / dots, box.height / dots

    def __repr__(self) -> str:
        wide, tall = self._inches
        return (
            f"<Picture of {self._name}, {wide:.3g} x {tall:.3g} inches:"
            " .save(path), .axes, .figure>"
        )

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - always raises
        hint = f"; the Axes have it: .axes.{name}" if hasattr(Axes, name) else ""
        raise AttributeError(f"a Picture has no {name!r}{hint}")


class Titles(dict[str, str]):
    """The title of each plot by name; printed with one line per plot."""

    def __repr__(self) -> str:
        wide = max(map(len, self), default=0)
        return "\n".join(f"{name:<{wide}}  {title}" for name, title in self.items())


@dataclass(frozen=True)
class Plots:
    """The plots of a comparison or ranking as methods; calling the object lists them.

    Methods take ``theme``, ``digits`` (decimals; default: as in reports), ``measure`` if the plot
    has it, and ``width``: ``"column"`` (3.33 in), ``"text"`` (7.0 in) or inches. They return a
    :class:`Picture`, which notebooks display; nothing is saved, and no window opens. With ``ax``
    they draw onto these Axes and return them.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> float(result.plot.forest(width="column").figure.get_size_inches()[0])
    3.33
    >>> result.plot()["forest"]
    'All measures'
    """

    _subject: Subject

    def __call__(self, *names: str) -> Titles:
        """Return the title of each plot by its name."""
        if names:
            raise ArgumentError(f"call a plot as a method: .plot.{names[0]}()")
        return Titles({name: plot.title for name, plot in plots_of(self._subject).items()})

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        plots = plots_of(self._subject)
        if name not in plots:
            close = nearest(name, plots)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(plots)}"
            raise AttributeError(f"no plot {name!r}{hint}")
        # A method with the signature and docstring of the plot.
        function = plots_of(self._subject)[name].draw
        parameters = [
            parameter
            for parameter in signature(function).parameters.values()
            if parameter.name not in _SHARED
        ][1:]
        shared = [Parameter(item, Parameter.KEYWORD_ONLY, default=None) for item in _SHARED]
        form = Signature([
            *(item.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for item in parameters), *shared,
        ])  # fmt: skip

        def method(*args: object, **options: Any) -> Picture | Axes:  # noqa: ANN401
            try:
                arguments = form.bind(*args, **options).arguments
            except TypeError as error:
                text = ", ".join(f"{parameter}=" for parameter in form.parameters)
                raise ArgumentError(f"plot.{name}(): {error}; it takes {text}") from None
            return _picture(name, self._subject, **arguments)

        method.__name__, method.__doc__ = name, function.__doc__
        method.__signature__ = form  # type: ignore[attr-defined]
        return method

    def __dir__(self) -> list[str]:
        return list(plots_of(self._subject))

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(plots_of(self._subject))}; call it to see what each shows>"


def _picture(
    name: str,
    subject: Subject,
    *,
    ax: Axes | None = None,
    theme: Theme | None = None,
    **options: Any,  # noqa: ANN401 - options of draw() and of each plot
) -> Picture | Axes:
    axes = draw(name, subject, ax=ax, theme=theme or LIGHT, **options)
    if ax is not None:
        return axes

    @cache  # notebooks request the image twice: by itself, and within HTML
    def for_notebook() -> bytes:
        if theme is not None:
            return png_of(axes, dpi=DOTS)
        return png(name, subject, theme=NOTEBOOK, dpi=DOTS, **options)

    return Picture(name, plots_of(subject)[name].title, axes, for_notebook)
