"""A plot as SVG for a page, as PNG, or as a file for a paper."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from abrank._support.errors import ArgumentError
from abrank._support.files import replace_all
from abrank.plots.registry import Subject, Width, draw, plots_of
from abrank.plots.style.layout import lay_out
from abrank.plots.style.svg import clean
from abrank.plots.style.theme import LIGHT, Theme

# An SVG is laid out in points.
POINTS = 72.0
# What makes a file fit for a paper, and its bytes the same at every run.
FILE_SETTINGS: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "abrank",
}
# What a reader's own settings must not change where a whole picture is ours.
SETTINGS: dict[Any, Any] = {
    **FILE_SETTINGS,
    "font.family": ["DejaVu Sans"],
    "path.simplify": False,
    "text.usetex": False,
}


@contextmanager
def _settings(chosen: dict[Any, Any]) -> Iterator[None]:
    """Draw with some settings, and put the reader's own back."""
    with matplotlib.rc_context(chosen), warnings.catch_warnings():
        # A query in another script: the page's own fonts have the letters.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ArgumentError("these Axes have left their figure")
    return figure


def _drawn(ax: Axes) -> str:
    """Return the SVG of a figure of ours: ``savefig`` would draw it once more to lay it out."""
    figure, drawn = _figure(ax), io.StringIO()
    figure.patch.set_visible(False)
    figure.set_dpi(POINTS)
    wide, tall = (POINTS * figure.get_size_inches()).tolist()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    renderer = RendererSVG(wide, tall, drawn, metadata=nothing)  # type: ignore[no-untyped-call]
    lay_out(figure, ax, renderer)
    figure.draw(renderer)
    renderer.finalize()  # type: ignore[no-untyped-call]
    return drawn.getvalue()


def svg(
    name: str,
    subject: Subject,
    *,
    summary: str = "",
    width: Width | None = None,
    height: float | None = None,
    theme: Theme = LIGHT,
    prefix: str | None = None,
    **options: Any,  # noqa: ANN401 - each plot has its own
) -> str:
    """Return a plot as an SVG element to put into a page.

    It has no style element or attribute, no script and no metadata; colours are attributes, text is
    text, and the same comparison gives the same bytes. A bar of ``deltas`` has its query in
    ``data-query``.

    Parameters
    ----------
    name : str
        A name in ``PLOTS``, or for a ranking in ``RANKING_PLOTS``.
    subject : Comparison or Ranking
    summary : str
        What the picture says, for those who cannot see it.
    width : {"column", "text"} or float, optional
        Inches; the plot's own without it. One inch is 96 pixels of a page.
    height : float, optional
        Inches; without it the plot's own, lower where there is only a sentence.
    theme : Theme
    prefix : str, optional
        Begins every id; the plot's name without it. Give one where a page has a plot twice.
    **options
        ``digits``, and the plot's own, such as ``measure``.

    Returns
    -------
    str

    Raises
    ------
    UnknownNameError
        For a plot that does not exist.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> svg("forest", result, summary="One measure, unclear.")[:12]
    '<svg xmlns="'
    """
    with _settings(SETTINGS):
        ax = draw(name, subject, width=width, height=height, theme=theme, **options)
        drawn = _drawn(ax)
    ink = theme.ink if theme.paper == "none" else None
    return clean(
        drawn,
        prefix=name if prefix is None else prefix,
        title=plots_of(subject)[name].title,
        summary=summary,
        query_ids=subject.query_ids,
        current=ink,
    )


def png(
    name: str,
    subject: Subject,
    *,
    width: Width | None = None,
    height: float | None = None,
    theme: Theme = LIGHT,
    dpi: float = 144.0,
    **options: Any,  # noqa: ANN401 - each plot has its own
) -> bytes:
    """Return a plot as the bytes of a PNG file.

    Parameters
    ----------
    name : str
        A name in ``PLOTS``, or for a ranking in ``RANKING_PLOTS``.
    subject : Comparison or Ranking
    width : {"column", "text"} or float, optional
        Inches; the plot's own without it.
    height : float, optional
        Inches.
    theme : Theme
    dpi : float
        Dots an inch.
    **options
        ``digits``, and the plot's own, such as ``measure``.

    Returns
    -------
    bytes

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> png("forest", result)[1:4]
    b'PNG'
    """
    with _settings(SETTINGS):
        ax = draw(name, subject, width=width, height=height, theme=theme, **options)
    return png_of(ax, dpi=dpi)


def png_of(axes: Axes, *, dpi: float = 144.0) -> bytes:
    """Return the figure of some axes as the bytes of a PNG file; the figure keeps its own look."""
    drawn = io.BytesIO()
    with _settings(SETTINGS):
        _figure(axes).savefig(drawn, format="png", dpi=dpi, metadata={"Software": None})
    return drawn.getvalue()


def save(axes: Axes, path: str | Path, *, dpi: float = 300.0) -> Path:
    """Write the figure of ``axes`` to a file fit for a paper.

    A PDF has its fonts as TrueType (type 42), which journals ask for; no file holds the time it was
    made.

    Parameters
    ----------
    axes : Axes
        Those of a plot; a :class:`Picture` has them, and a ``save`` of its own.
    path : str or Path
        Its suffix is the format: .pdf .svg .png .eps …
    dpi : float
        Dots an inch of a picture made of dots.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    ArgumentError
        If the suffix names no format that can be written.
    WriteError
        If the file cannot be written; one that was there stays.

    Examples
    --------
    >>> import tempfile
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(result.plot.forest(width="column").axes, Path(folder) / "forest.pdf").suffix
    '.pdf'
    """
    target = Path(path)
    replace_all({target: file_bytes(axes, target.name, dpi=dpi)})
    return target


def file_bytes(axes: Axes, name: str, *, dpi: float = 300.0) -> bytes:
    """Return what :func:`save` writes to a file of this name."""
    figure, made = _figure(axes), io.BytesIO()
    kind = Path(name).suffix.removeprefix(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if kind not in known:
        raise ArgumentError(f"a figure cannot be written as {name!r}; suffixes: {', '.join(known)}")
    undated: dict[str, dict[str, Any]] = {
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
    }
    with _settings(FILE_SETTINGS):
        figure.savefig(made, format=kind, dpi=dpi, metadata=undated.get(kind))
    return made.getvalue()
