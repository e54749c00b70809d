"""The style of all plots: colours, fonts, frames, words."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import Formatter, MaxNLocator

from abrank._support import display
from abrank._support.display import DIGITS, shorten
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.units import difference_in_unit, is_relative

if TYPE_CHECKING:
    from abrank.comparison import Comparison, TestRow


# --- The colours of all plots, each with one meaning


@dataclass(frozen=True)
class Theme:
    """The look of a plot: its colours, hexadecimal strings with one meaning each.

    Only these exact colours are drawn (tints are opacity), so that a page can replace them by
    attribute selectors such as ``[fill="#0068ad"]``.

    Attributes
    ----------
    name : str
    a, b : str
        The baseline and the candidate, where that system is ahead.
    tie : str
        Ties.
    ink, muted : str
        Text and lines; less important text and unclear results.
    grid, band : str
        Grid lines; the margin and every second row.
    paper : str
        The background; ``"none"`` is transparent.
    digits : int
        Decimals of scores and differences.
    undeclared : bool
        Whether the direction is not declared; then sides are called higher, in a neutral colour.

    Examples
    --------
    >>> LIGHT.b, DARK.b
    ('#0068ad', '#62b5f0')
    """

    name: str
    a: str
    b: str
    tie: str
    ink: str
    muted: str
    grid: str
    band: str
    paper: str
    digits: int = DIGITS
    undeclared: bool = False

    @property
    def wins(self) -> str:
        """The word for queries on which a system is ahead."""
        return "higher" if self.undeclared else "wins"

    def colours(self) -> dict[str, str]:
        """Return the colours by meaning."""
        return {
            key: value
            for key, value in asdict(self).items()
            if isinstance(value, str) and key != "name"
        }

    def score(self, value: float) -> str:
        """Format a score with the theme's decimals; a dash if undefined."""
        return plain(value, digits=self.digits)

    def signed(self, value: float) -> str:
        """Format a difference with its sign and the theme's decimals; a dash if undefined."""
        return signed(value, digits=self.digits)

    def of_reading(self, reading: str) -> str:
        """Return the colour of a reading: B's for better, A's for worse, grey otherwise.

        Examples
        --------
        >>> LIGHT.of_reading("worse") == LIGHT.a
        True
        """
        if self.undeclared:
            return self.muted
        return {"better": self.b, "worse": self.a}.get(reading, self.muted)

    def of_outcome(self, outcome: int) -> str:
        """Return the colour of a query's winner: +1 is B, -1 is A, 0 a tie."""
        return {1: self.b, -1: self.a}.get(outcome, self.tie)

    def by_sign(self, *, higher_is_better: bool) -> Theme:
        """Return the theme in which the sign of a difference has the winner's colour.

        Examples
        --------
        >>> LIGHT.by_sign(higher_is_better=False).of_outcome(-1) == LIGHT.b
        True
        """
        return self if higher_is_better else replace(self, a=self.b, b=self.a)


LIGHT = Theme(
    name="light",
    a="#b84a06",
    b="#0068ad",
    tie="#8b93a1",
    ink="#14181f",
    muted="#5b6472",
    grid="#dfe3e8",
    band="#eef1f4",
    paper="#ffffff",
)
DARK = Theme(
    name="dark",
    a="#ff9d5c",
    b="#62b5f0",
    tie="#7c8696",
    ink="#e9edf2",
    muted="#a4adba",
    grid="#30363d",
    band="#212830",
    paper="#161b22",
)
# Mid-tones that are readable on white and on black, for notebooks with unknown backgrounds.
NOTEBOOK = Theme(
    name="notebook",
    a="#d2691e",
    b="#2b87c8",
    tie="#8b93a1",
    ink="#7a7f87",
    muted="#7b8088",
    grid="#80868e40",
    band="#80868e1f",
    paper="none",
)


# --- Numbers and names in plots, as text

DASH = "–"


def plain(value: float, *, digits: int = display.DIGITS) -> str:
    """Format a score; a dash if undefined, to save space."""
    return or_dash(display.score(value, digits=digits))


def signed(value: float, *, digits: int = display.DIGITS) -> str:
    """Format a difference with its sign; a dash if undefined."""
    return or_dash(display.signed(value, digits=digits))


def pvalue(value: float, *, alpha: float) -> str:
    """Format a p-value; a dash if undefined."""
    return or_dash(display.pvalue(value, alpha=alpha))


def or_dash(text: str) -> str:
    """Replace "not defined" by a dash."""
    return DASH if text == display.UNDEFINED else text


def queries(value: int) -> str:
    """Format a number of queries."""
    return display.plural(value, "query", "queries")


def few(n_queries: int) -> str:
    """Format a number of queries that is too small: none, or one."""
    return "No queries" if n_queries == 0 else "Only 1 query"


class PlainTicks(Formatter):
    """Ticks with as many digits as needed, a true minus sign, and a plus if ``signed``."""

    # `percent`: format shares as percentages.

    def __init__(self, *, signed: bool = False, percent: bool = False) -> None:
        self.signed = signed
        self.unit, self.end = (100.0, "%") if percent else (1.0, "")
        self.digits = 1

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the tick labels with enough digits for their distance."""
        step = self.unit * float(np.min(np.diff(np.sort(values)))) if len(values) > 1 else 0.0
        self.digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 1
        # Steps such as 0.25 need one more digit than their magnitude.
        self.digits += not math.isclose(round(step, self.digits), step)
        return [self(value) for value in values]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the label of a tick."""
        label = (signed if self.signed else plain)(self.unit * float(x), digits=self.digits)
        return f"{label}{self.end}"


# --- Frames, font sizes and other parts of the common style

# Labels of our own figures: whether the user requested their height.
FREE, FIXED = "height follows the drawing", "height was asked for"
# Axes below this width in inches get smaller letters and fewer text columns.
NARROW = 3.0


@dataclass(frozen=True)
class Sizes:
    """Font sizes in points: small notes, and body text."""

    small: float
    body: float


def new_axes(theme: Theme, size: tuple[float, float], *, free: bool = True) -> Axes:
    """Return the Axes of a new Figure of ``size`` inches, with a layout that cuts no label."""
    figure = Figure(figsize=size, layout="constrained", facecolor=theme.paper)
    figure.set_label(FREE if free else FIXED)
    return figure.add_subplot()


def figure_of(ax: Axes) -> Figure:
    """Return the figure of the Axes."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ArgumentError("these Axes have left their figure")
    return figure


def fit_height(ax: Axes, height: float, *, maximum: bool = False) -> None:
    """Set the height of our own figure to what its content needs; not of users' figures."""
    figure = figure_of(ax)
    if figure.get_label() == FREE:
        figure.set_figheight(height)
    elif maximum and figure.get_label() == FIXED:
        figure.set_figheight(min(height, figure.get_figheight()))


def inches(ax: Axes) -> float:
    """Return the approximate width of the Axes in inches, before layout."""
    figure = figure_of(ax)
    alone = len(figure.axes) == 1
    share = 0.85 if alone else ax.get_position().width
    return float(share * figure.get_size_inches()[0])


def sizes(ax: Axes) -> Sizes:
    """Return font sizes by the width of the Axes: 12 CSS pixels, 11 on phones."""
    return Sizes(8.25, 8.25) if inches(ax) < NARROW else Sizes(9.2, 9.5)


def dress(
    ax: Axes, theme: Theme, *, grid: str = "x", spines: tuple[str, ...] = ("bottom",)
) -> None:
    """Set up spines, ticks and a grid: ``"x"``, ``"y"``, ``"both"`` or ``""``."""
    type_ = sizes(ax)
    ax.patch.set_visible(False)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side in spines)
        spine.set_color(theme.muted)
        spine.set_linewidth(0.8)
    ax.tick_params(
        color=theme.muted, labelcolor=theme.muted, labelsize=type_.small, length=3.0, width=0.8
    )
    for which, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        if grid in (which, "both"):
            axis.grid(visible=True, color=theme.grid, linewidth=0.8)
        else:
            axis.grid(visible=False)


def write(
    ax: Axes,
    text: str,
    xy: tuple[float, float],
    colour: str | None = None,
    ha: str | None = None,
    va: str | None = None,
    *,
    coords: Any = "data",  # noqa: ANN401 - a name, a transform or a pair of them
    shift: tuple[float, float] = (0.0, 0.0),
    size: float | None = None,
    bold: bool = False,
    **look: Any,  # noqa: ANN401 - properties of Text
) -> Annotation:
    """Write ``text`` at ``xy``, shifted by points; dollar signs are literal."""
    text_properties = {"color": colour, "ha": ha, "va": va, "fontweight": "bold" if bold else None}
    look |= {name: value for name, value in text_properties.items() if value is not None}
    look.setdefault("fontsize", sizes(ax).small if size is None else size)
    note = ax.annotate(
        text, xy=xy, xycoords=coords, xytext=shift, textcoords="offset points", **look
    )
    note.set_parse_math(False)
    note.set_annotation_clip(False)
    return note


def line(
    ax: Axes,
    x: Sequence[float] | FloatArray,
    y: Sequence[float] | FloatArray,
    colour: str,
    width: float,
    **look: Any,  # noqa: ANN401 - properties of Line2D
) -> None:
    """Draw one line through points."""
    ax.plot(x, y, color=colour, linewidth=width, **look)


def dot(
    ax: Axes, theme: Theme, xy: tuple[float, float], *, colour: str, size: float, marker: str = "o"
) -> None:
    """Draw one dot with a rim in the background colour."""
    ax.plot(
        [xy[0]],
        [xy[1]],
        marker=marker,
        markersize=size,
        color=colour,
        markeredgecolor=colour if theme.paper == "none" else theme.paper,
        markeredgewidth=1.3,
        linestyle="none",
        zorder=4.5,
    )


def label_x(ax: Axes, theme: Theme, text: str, *, pad: float = 4.0) -> None:
    """Write the label ``pad`` points below the horizontal axis; long lines are wrapped."""
    size, figure = sizes(ax).small, figure_of(ax)
    if len(figure.axes) == 1:
        # Its width is that of the frame, which names and numbers beside it make narrower.
        share = 0.72 if inches(ax) < NARROW else 0.82 if inches(ax) < 1.3 * NARROW else 1.0
        letters = int(share * 72.0 * figure.get_size_inches()[0] / (0.6 * size))
        # Long lines are broken between their parts first, then within them.
        parts = [
            part
            for line in text.split("\n")
            for part in (line.split("; ") if len(line) > letters else [line])
        ]
        held = (re.sub(r"\bp ([=<]) ", "p\u00a0\\1\u00a0", part) for part in parts)
        text = "\n".join(textwrap.fill(part, letters) for part in held).replace("\u00a0", " ")
    ax.set_xlabel(text, color=theme.muted, fontsize=size, labelpad=pad, parse_math=False)


def label_y(ax: Axes, theme: Theme, text: str) -> None:
    """Write the label of the vertical axis."""
    ax.set_ylabel(text, color=theme.muted, fontsize=sizes(ax).small, parse_math=False)


def difference_axis(
    ax: Axes,
    theme: Theme,
    limits: tuple[float, float],
    *,
    higher_is_better: bool,
    zero: bool = True,
    percent: bool = False,
) -> None:
    """Make x an axis of differences: limits, signed ticks, a line at 0, directions."""
    ax.set_xlim(*limits)
    signed_ticks(ax, "x", percent=percent)
    if zero:
        ax.axvline(0.0, color=theme.ink, linewidth=1.1, zorder=2.0)
    position: dict[str, Any] = {"coords": ("data", "axes fraction"), "va": "bottom"}
    sides, word = [("A", theme.a), ("B", theme.b)], "better"
    if theme.undeclared:
        sides, word = [("A", theme.muted), ("B", theme.muted)], "higher"
    (a, first), (b, second) = sides if higher_is_better else sides[::-1]
    write(ax, f"◂ {a} {word}", (0.0, 1.0), first, "right", shift=(-6.0, 4.0), **position)
    write(ax, f"{b} {word} ▸", (0.0, 1.0), second, "left", shift=(6.0, 4.0), **position)


def signed_ticks(ax: Axes, which: str, *, percent: bool = False) -> None:
    """Set about six round ticks with signs on an axis of differences."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    round_ticks(axis, 4 if inches(ax) < NARROW else 6)
    axis.set_major_formatter(PlainTicks(signed=True, percent=percent))


def round_ticks(axis: Axis, n: int, *, signed: bool = False) -> None:
    """Set about ``n`` round ticks on an axis."""
    axis.set_major_locator(MaxNLocator(n, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PlainTicks(signed=signed))


def difference_limits(*values: float, room: float = 0.16) -> tuple[float, float]:
    """Return limits around the finite ``values`` and 0, with ``room`` on both sides of 0."""
    finite = [value for value in values if np.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    if high - low < 1e-12:
        return -0.1, 0.1
    pad = 0.06 * (high - low)
    low, high = low - pad, high + pad
    share = room / (1.0 - room)
    return min(low, -share * high), max(high, -share * low)


def score_limits(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return 0 to 1 if all scores are in that range, else their range with some room."""
    low, high = float(min(a.min(), b.min())), float(max(a.max(), b.max()))
    if low >= 0.0 and high <= 1.0:
        low, high = 0.0, 1.0
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


SENTENCE = "sentence"  # the label of a frame that only contains a sentence


def say(ax: Axes, theme: Theme, sentence: str) -> Axes:
    """Write a sentence into the empty frame, if nothing can be drawn."""
    dress(ax, theme, grid="", spines=("top", "bottom", "left", "right"))
    ax.spines[:].set_color(theme.grid)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), aspect="auto", label=SENTENCE)
    type_ = sizes(ax)
    width = max(16, int(inches(ax) * 72.0 / (0.62 * type_.body)))
    text = textwrap.fill(sentence, width)
    fit_height(ax, 0.5 + 1.45 * type_.body / 72.0 * len(text.splitlines()), maximum=True)
    write(
        ax,
        text,
        (0.5, 0.5),
        theme.muted,
        "center",
        "center",
        coords="axes fraction",
        size=type_.body,
    )
    return ax


# --- Units of intervals, and their words on axes

MEAN = "mean difference"


def deciding(comparison: Comparison) -> TestRow:
    """Return the row of the test that decides."""
    return next(row for row in comparison.test_rows if row.decides)


def of_the_mean(comparison: Comparison) -> bool:
    """Whether the deciding test is about the mean difference."""
    return deciding(comparison).estimand == MEAN


def interval_axis(comparison: Comparison, of_mean: str) -> str:
    """Return the axis label for intervals; ``of_mean`` if a mean is estimated."""
    estimand = deciding(comparison).estimand
    return of_mean if estimand == MEAN else f"{estimand} (B − A)"


def margin_words(comparison: Comparison, theme: Theme) -> str:
    """Return the margin as text for an axis."""
    rule = comparison.rule
    if is_relative(comparison):
        return f"{display.declared_percent(rule.margin)} of A's mean"
    text = theme.score(rule.margin)  # with at least the decimals with which it was declared
    return text if math.isclose(float(text), rule.margin) else f"{rule.margin:g}"


def difference(comparison: Comparison, value: float, theme: Theme) -> str:
    """Format a difference in the displayed unit; a dash if undefined."""
    return or_dash(difference_in_unit(comparison, value, digits=theme.digits))


def systems(comparison: Comparison, longest: int) -> tuple[str, str]:
    """Return the letter and name of each system, or only the letter if that is the name."""
    first, second = (
        key if name == key else f"{key} {shorten(name.removesuffix(f' ({key})'), width=longest)}"
        for key, name in (("A", comparison.baseline), ("B", comparison.candidate))
    )
    return first, second


def query_name(comparison: Comparison, query: int) -> str:
    """Return the text of the query at a position, or its id if the text is unknown."""
    query_id = comparison.query_ids[query]
    return comparison.topics.get(query_id) or query_id


def delta(measure: str) -> str:
    """Return the label for a measure's difference."""
    return f"Δ {shorten(measure, width=28)} (B − A)"


# --- Parts of plots with two curves: names of the systems, and an axis of cut-offs


def name_systems(ax: Axes, theme: Theme, comparison: Comparison) -> None:
    """Write the names of A and B above the frame, each with its marker and colour."""
    first, second = systems(comparison, 12 if inches(ax) < NARROW else 28)
    for text, place, side, colour in (
        (f"▼ {first}", 0.0, "left", theme.a),
        (f"▲ {second}", 1.0, "right", theme.b),
    ):
        write(
            ax,
            text,
            (place, 1.0),
            colour,
            side,
            "bottom",
            coords="axes fraction",
            shift=(0.0, 5.0),
            size=sizes(ax).body,
            bold=True,
        )


def cutoff_axis(ax: Axes, theme: Theme, cutoffs: Sequence[int], lead: int) -> None:
    """Make x a logarithmic axis of cut-offs; the deciding one is bold and has a line."""
    low, high = float(np.log(cutoffs[0])), float(np.log(cutoffs[-1]))
    width = (high - low) or 1.0
    ax.set_xlim(low - 0.04 * width, high + 0.04 * width)
    apart = 1.08 * width * 2.6 * sizes(ax).small / 72.0 / inches(ax)
    selected = [lead] if lead in cutoffs else []
    for cutoff in cutoffs:
        if all(abs(np.log(cutoff / chosen)) >= apart for chosen in selected):
            selected.append(cutoff)
    places = [float(np.log(cutoff)) for cutoff in sorted(selected)]
    labels = [display.count(cutoff) for cutoff in sorted(selected)]
    ax.set_xticks(places, labels, fontsize=sizes(ax).small)
    for label, cutoff in zip(ax.get_xticklabels(), sorted(selected), strict=True):
        if cutoff == lead:
            label.set(color=theme.ink, fontweight="bold")
    if lead in cutoffs:
        ax.axvline(float(np.log(lead)), color=theme.muted, linewidth=1.0, zorder=1.0)
