"""Render plots as files: PNG, and SVG that is small, safe, themable and reproducible."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG

from abrank._support.errors import ArgumentError
from abrank._support.files import replace_all
from abrank.plots.axes import lay_out
from abrank.plots.registry import Subject, Width, draw, plots_of
from abrank.plots.style import LIGHT, Theme, figure_of

# --- Clean matplotlib's SVG for use in a page: small, safe, themable, reproducible

SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
# Attributes with lengths, which are rounded; text, ids and references are not.
_LENGTHS = frozenset(
    {"d", "x", "y", "width", "height", "transform", "points", "stroke-width", "viewBox"}
)
_DEFAULTS = {
    "stroke-linejoin": "round",
    "stroke-linecap": "butt",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "opacity": "1",
    "stroke-miterlimit": "100000",
    "stroke": "none",
    "font-style": "normal",
}
_FONT = re.compile(
    r"^(?P<italic>italic |oblique )?(?:(?P<weight>bold|\d{3}) )?(?P<size>[\d.]+)px (?P<family>.+)$"
)
_LEVEL = re.compile(r"^M(\S+) (\S+)L(\S+) \2$")
_RECTANGLE = re.compile(r"^M(\S+) (\S+)L(\S+) \2L\3 (\S+)L\1 \4z$")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def clean(
    text: str,
    *,
    prefix: str,
    title: str,
    summary: str,
    query_ids: Sequence[str],
    current: str | None = None,
) -> str:
    """Convert matplotlib's SVG to an element for a page."""
    root = ET.fromstring(text)
    # Remove metadata and style elements.
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        # Convert styles to presentation attributes, and round lengths.
        for key, value in _declarations(element.attrib.pop("style", "")).items():
            if _DEFAULTS.get(key) != value:
                element.set(key, value)
        if re.fullmatch(r"rotate\(-?0 .*\)", element.get("transform", "")):
            del element.attrib["transform"]
        if _XLINK in element.attrib:
            element.set("href", element.attrib.pop(_XLINK))
        for key, value in element.attrib.items():
            if key in _LENGTHS:
                element.set(key, _rounded(value, path=key == "d"))
            elif current is not None and key in ("fill", "stroke") and value == current:
                element.set(key, "currentColor")
    # Give the paths in groups named `query-i` their query id.
    for group in root.iter(f"{{{SVG}}}g"):
        name = group.get("id", "")
        if re.fullmatch(r"query-\d+", name):
            for path in group.iter(f"{{{SVG}}}path"):
                path.set("data-query", _printable(query_ids[int(name.removeprefix("query-"))]))
    _inherit(root)
    _ids(root, prefix)
    _flatten(root)
    _describe(root, prefix, title, summary)
    return _serialise(root)


def _serialise(root: ET.Element) -> str:
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
        if element.tag not in ("text", "title", "desc", "tspan"):
            element.text = None
        element.tail = None
    root.set("xmlns", SVG)
    ordered = {"xmlns": SVG, **{key: value for key, value in root.attrib.items() if key != "xmlns"}}
    root.attrib.clear()
    root.attrib.update(ordered)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True).replace(" />", "/>")


def _declarations(style: str) -> dict[str, str]:
    """Convert the declarations of a style attribute to presentation attributes."""
    result: dict[str, str] = {}
    for part in style.split(";"):
        key, _, value = (piece.strip() for piece in part.partition(":"))
        if key == "font":
            result |= _font(value)
        elif key == "font-size":
            result[key] = value.removesuffix("px")
        elif value and key != "font-family":
            result[key] = _rounded(value) if key.startswith("stroke-") else value
    return result


def _font(value: str) -> dict[str, str]:
    """Parse a font shorthand, without the family, which the page defines."""
    match = _FONT.match(value)
    if match is None:
        return {}
    result = {"font-size": match["size"]}
    if match["italic"]:
        result["font-style"] = "italic"
    if match["weight"] and match["weight"] != "400":
        result["font-weight"] = match["weight"]
    return result


def _rounded(value: str, *, path: bool = False) -> str:
    """Round lengths to two decimals; in long paths to one decimal from 10 on, without blanks."""
    coarse = path and len(_NUMBER.findall(value)) > 4  # a line of two points may be a tick

    def shorter(match: re.Match[str]) -> str:
        number = float(match.group())
        text = f"{number:.{1 if coarse and abs(number) >= 10.0 else 2}f}".rstrip("0").rstrip(".")
        if text.startswith(("0.", "-0.")):
            text = text.replace("0.", ".", 1)
        return "0" if text in ("-", "", "-0") else text

    text = _NUMBER.sub(shorter, value)
    if not path:
        return text
    text = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))
    text = _LEVEL.sub(r"M\1 \2H\3", text)
    return _RECTANGLE.sub(r"M\1 \2H\3V\4H\1z", text)


def _printable(text: str) -> str:
    return re.sub(
        r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", text
    )


def _inherit(root: ET.Element) -> None:
    """Move attributes from uses to the shapes they use, because CSS only selects those."""
    uses: dict[str, list[ET.Element]] = {}
    for use in root.iter(f"{{{SVG}}}use"):
        uses.setdefault(use.get("href", "").removeprefix("#"), []).append(use)
    for shape in root.iter(f"{{{SVG}}}path"):
        users = uses.get(shape.get("id", ""), [])
        for key in [key for key in shape.attrib if key not in ("id", "d")]:
            if users and all(use.get(key) == shape.get(key) for use in users):
                del shape.attrib[key]


def _ids(root: ET.Element, prefix: str) -> None:
    """Keep only ids that are referenced, and number them in document order."""
    used = {element.get("href", "").removeprefix("#") for element in root.iter()}
    for element in root.iter():
        for value in element.attrib.values():
            used |= set(_REFERENCE.findall(value))
    names: dict[str, str] = {}
    for element in root.iter():
        key = element.attrib.pop("id", None)
        if key in used and key is not None:
            names[key] = f"{prefix}-{len(names) + 1}"
            element.set("id", names[key])
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "href":
                element.set(key, f"#{names[value.removeprefix('#')]}")
            elif "url(#" in value:
                element.set(key, _REFERENCE.sub(lambda m: f"url(#{names[m.group(1)]})", value))


def _flatten(element: ET.Element) -> None:
    """Remove groups without attributes (keeping their children), and empty elements."""
    children: list[ET.Element] = []
    for child in list(element):
        _flatten(child)
        bare = child.tag == f"{{{SVG}}}g" and not child.attrib
        empty = child.tag in (f"{{{SVG}}}g", f"{{{SVG}}}defs") and not len(child)
        children += list(child) if bare else [child] * (not empty)
    element[:] = children


def _describe(root: ET.Element, prefix: str, title: str, summary: str) -> None:
    """Give the root the role of an image, a title, a description, and a size in CSS pixels."""
    box = [float(number) for number in root.get("viewBox", "0 0 0 0").split()]
    root.attrib = {
        "viewBox": root.get("viewBox", ""),
        "width": f"{box[2] / 0.75:.0f}",
        "height": f"{box[3] / 0.75:.0f}",
        "role": "img",
        "aria-labelledby": f"{prefix}-title" + (f" {prefix}-desc" if summary else ""),
        "font-family": FONTS,
        "stroke-linejoin": "round",
    }
    for place, (tag, text) in enumerate((("title", title), ("desc", summary))):
        if text:
            child = ET.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}-{tag}"})
            child.text = _printable(text)
            root.insert(place, child)


# --- Render a plot as SVG for a page, as PNG, or as a file for publication

# SVG lengths are in points.
POINTS = 72.0
# Settings for publication, with the same bytes at every run.
FILE_SETTINGS: dict[Any, Any] = {
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "abrank",
}
# Settings that a user's own must not change in our own figures.
SETTINGS: dict[Any, Any] = {
    **FILE_SETTINGS,
    "font.family": ["DejaVu Sans"],
    "path.simplify": False,
    "text.usetex": False,
}


@contextmanager
def _settings(chosen: dict[Any, Any]) -> Iterator[None]:
    with matplotlib.rc_context(chosen), warnings.catch_warnings():
        # For queries in other scripts the fonts of the page have the letters.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _drawn(ax: Axes) -> str:
    """Return the SVG of our own figure; ``savefig`` would draw it twice for layout."""
    figure, output = figure_of(ax), io.StringIO()
    figure.patch.set_visible(False)
    figure.set_dpi(POINTS)
    wide, tall = (POINTS * figure.get_size_inches()).tolist()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    renderer = RendererSVG(wide, tall, output, metadata=nothing)  # type: ignore[no-untyped-call]
    lay_out(figure, ax, renderer)
    figure.draw(renderer)
    renderer.finalize()  # type: ignore[no-untyped-call]
    return output.getvalue()


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
    """Return a plot as an SVG element to insert into a page.

    It has no style elements or attributes, no scripts and no metadata. Colours are attributes, text
    is text, and equal results give equal bytes. A bar of ``deltas`` has its query in
    ``data-query``.

    Parameters
    ----------
    name : str
        A name from :func:`plots_of` for the result.
    subject : Comparison or Ranking
    summary : str
        Alternative text that says what the plot shows.
    width : {"column", "text"} or float, optional
        Width in inches (96 pixels of a page). Default: that of the plot.
    height : float, optional
        Height in inches. Default: that of the plot; less if it is only a sentence.
    theme : Theme
    prefix : str, optional
        Prefix of all ids. Default: the plot's name. Needed if a page has the same plot twice.
    **options
        ``digits``, and options of the plot such as ``measure``.

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
        text = _drawn(ax)
    ink = theme.ink if theme.paper == "none" else None
    return clean(
        text,
        prefix=name if prefix is None else prefix,
        title=plots_of(subject)[name].title,
        summary=summary,
        query_ids=getattr(subject, "query_ids", ()),
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
        A name from :func:`plots_of` for the result.
    subject : Comparison or Ranking
    width : {"column", "text"} or float, optional
        Width in inches. Default: that of the plot.
    height : float, optional
        Height in inches.
    theme : Theme
    dpi : float
        Dots per inch.
    **options
        ``digits``, and options of the plot such as ``measure``.

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
    """Return the figure of some Axes as the bytes of a PNG file; the figure is not changed."""
    output = io.BytesIO()
    with _settings(SETTINGS):
        figure_of(axes).savefig(output, format="png", dpi=dpi, metadata={"Software": None})
    return output.getvalue()


def save(axes: Axes, path: str | Path, *, dpi: float = 300.0) -> Path:
    """Write the figure of ``axes`` to a file for publication, and return its path.

    PDF files have TrueType fonts (type 42), as journals require; no file contains its creation
    time.

    Parameters
    ----------
    axes : Axes
        The Axes of a plot; a :class:`Picture` has its own ``save``.
    path : str or Path
        The suffix is the format: .pdf .svg .png .eps …
    dpi : float
        Dots per inch of bitmap formats.

    Raises
    ------
    ArgumentError
        If the suffix is not a supported format.
    WriteError
        If the file cannot be written; an existing file is then kept.

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
    """Return what :func:`save` would write to a file with this name."""
    figure, output = figure_of(axes), io.BytesIO()
    kind = Path(name).suffix.removeprefix(".").lower()
    kinds = figure.canvas.get_supported_filetypes()
    if kind not in kinds:
        raise ArgumentError(f"a figure cannot be written as {name!r}; suffixes: {', '.join(kinds)}")
    undated: dict[str, dict[str, Any]] = {
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
    }
    with _settings(FILE_SETTINGS):
        figure.savefig(output, format=kind, dpi=dpi, metadata=undated.get(kind))
    return output.getvalue()
