"""What all plots share: colours, type, frames, words; a plot chooses none of its own."""

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


# --- The colours of all plots, each with one meaning; a plot chooses none of its own


@dataclass(frozen=True)
class Theme:
    """The look of a plot: its colours, each a hexadecimal string that stands for one meaning.

    Every colour drawn is one of these exactly (tints are opacity), so that a page can give them
    other values by attribute selectors such as ``[fill="#0068ad"]``.

    Attributes
    ----------
    name : str
    a, b : str
        The baseline and the candidate, wherever one of them is ahead.
    tie : str
        A tie.
    ink, muted : str
        Text and lines; text of less weight, and results that are unclear.
    grid, band : str
        Grid lines; the margin and every second row.
    paper : str
        What lies behind; ``"none"`` for transparent.
    digits : int
        Decimals of scores and differences.
    undeclared : bool
        Whether nobody said which direction is better: a side is called higher, in no one's colour.

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
        """What a system does on the queries that it is ahead on."""
        return "higher" if self.undeclared else "wins"

    def colours(self) -> dict[str, str]:
        """Return the colours by meaning."""
        return {
            key: value
            for key, value in asdict(self).items()
            if isinstance(value, str) and key != "name"
        }

    def score(self, value: float) -> str:
        """Return a score with the theme's decimals; a dash where there is none."""
        return plain(value, digits=self.digits)

    def signed(self, value: float) -> str:
        """Return a difference with the theme's decimals and its sign; a dash without one."""
        return signed(value, digits=self.digits)

    def of_reading(self, reading: str) -> str:
        """Return the colour of a reading: B's for better, A's for worse, grey for all else.

        Examples
        --------
        >>> LIGHT.of_reading("worse") == LIGHT.a
        True
        """
        if self.undeclared:
            return self.muted
        return {"better": self.b, "worse": self.a}.get(reading, self.muted)

    def of_outcome(self, outcome: int) -> str:
        """Return the colour of who wins a query: +1 is B, -1 is A, 0 a tie."""
        return {1: self.b, -1: self.a}.get(outcome, self.tie)

    def by_sign(self, *, higher_is_better: bool) -> Theme:
        """Return the theme that gives the sign of a difference the colour of who wins.

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
# Mid-tones that can be read on white and on black, for cells whose background is not ours.
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


# --- The few numbers and names that a plot writes, as text

DASH = "–"


def plain(value: float, *, digits: int = display.DIGITS) -> str:
    """Return a score; a dash where there is none, for want of room."""
    return or_dash(display.score(value, digits=digits))


def signed(value: float, *, digits: int = display.DIGITS) -> str:
    """Return a difference with its sign; a dash where there is none."""
    return or_dash(display.signed(value, digits=digits))


def pvalue(value: float, *, alpha: float) -> str:
    """Return a p-value; a dash where there is none."""
    return or_dash(display.pvalue(value, alpha=alpha))


def or_dash(text: str) -> str:
    """Return a number as it is written, a dash where it is not defined."""
    return DASH if text == display.UNDEFINED else text


def queries(value: int) -> str:
    """Return a count of queries."""
    return display.plural(value, "query", "queries")


def few(n_queries: int) -> str:
    """Return how many queries there are where they are too few: none, or one."""
    return "No queries" if n_queries == 0 else "Only 1 query"


class PlainTicks(Formatter):
    """Ticks with as many digits as their distance needs, a true minus, and a plus if ``signed``."""

    # In `percent` those of shares.

    def __init__(self, *, signed: bool = False, percent: bool = False) -> None:
        self.signed = signed
        self.unit, self.end = (100.0, "%") if percent else (1.0, "")
        self.digits = 1

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of the ticks, with digits enough for their distance."""
        step = self.unit * float(np.min(np.diff(np.sort(values)))) if len(values) > 1 else 0.0
        self.digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 1
        # A quarter takes one digit more than its size says.
        self.digits += not math.isclose(round(step, self.digits), step)
        return [self(value) for value in values]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the label of a tick."""
        label = (signed if self.signed else plain)(self.unit * float(x), digits=self.digits)
        return f"{label}{self.end}"


# --- Frames, type sizes and the dressing that all plots share; a plot chooses none of its own

# What our own figures are labelled by: whether somebody asked for their height.
FREE, FIXED = "height follows the drawing", "height was asked for"
# Below this width of an Axes, in inches, letters shrink and columns of text lose what can go.
NARROW = 3.0


@dataclass(frozen=True)
class Sizes:
    """Type sizes in points: small notes, body text, and the number that matters."""

    small: float
    body: float
    strong: float


def new_axes(theme: Theme, size: tuple[float, float], *, free: bool = True) -> Axes:
    """Return the Axes of a new Figure of ``size`` inches, laid out so that no label is cut."""
    figure = Figure(figsize=size, layout="constrained", facecolor=theme.paper)
    figure.set_label(FREE if free else FIXED)
    return figure.add_subplot()


def figure_of(ax: Axes) -> Figure:
    """Return the figure that the Axes stand in."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ArgumentError("these Axes have left their figure")
    return figure


def fit_height(ax: Axes, height: float, *, maximum: bool = False) -> None:
    """Give a figure of ours the height that its content needs; leave a reader's own alone."""
    figure = figure_of(ax)
    if figure.get_label() == FREE:
        figure.set_figheight(height)
    elif maximum and figure.get_label() == FIXED:
        figure.set_figheight(min(height, figure.get_figheight()))


def inches(ax: Axes) -> float:
    """Return the width of the Axes in inches, about: layout has yet to happen."""
    figure = figure_of(ax)
    alone = len(figure.axes) == 1
    share = 0.85 if alone else ax.get_position().width
    return float(share * figure.get_size_inches()[0])


def sizes(ax: Axes) -> Sizes:
    """Return the type sizes for the width of the Axes: 12 pixels of a page, 11 of a telephone."""
    return Sizes(8.25, 8.25, 9.5) if inches(ax) < NARROW else Sizes(9.2, 9.5, 11.5)


def dress(
    ax: Axes, theme: Theme, *, grid: str = "x", spines: tuple[str, ...] = ("bottom",)
) -> None:
    """Give the Axes spines, ticks and a grid: ``"x"``, ``"y"``, ``"both"`` or ``""``."""
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
    """Write ``text`` at ``xy``, moved by ``shift`` points; a dollar sign in it is a dollar sign."""
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
    """Draw one line through these points."""
    ax.plot(x, y, color=colour, linewidth=width, **look)


def dot(
    ax: Axes, theme: Theme, xy: tuple[float, float], *, colour: str, size: float, marker: str = "o"
) -> None:
    """Draw one dot, with a rim of paper that lifts it off what it lies on."""
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
    """Write the label under the horizontal axis, ``pad`` points below it; long lines are broken."""
    size, figure = sizes(ax).small, figure_of(ax)
    if len(figure.axes) == 1:
        # It stands under the frame, which names and numbers beside it push aside.
        share = 0.72 if inches(ax) < NARROW else 0.82 if inches(ax) < 1.3 * NARROW else 1.0
        letters = int(share * 72.0 * figure.get_size_inches()[0] / (0.6 * size))
        # A line that is too long breaks between its parts before it breaks within one.
        parts = [
            part
            for line in text.split("\n")
            for part in (line.split("; ") if len(line) > letters else [line])
        ]
        held = (re.sub(r"\bp ([=<]) ", "p\u00a0\\1\u00a0", part) for part in parts)
        text = "\n".join(textwrap.fill(part, letters) for part in held).replace("\u00a0", " ")
    ax.set_xlabel(text, color=theme.muted, fontsize=size, labelpad=pad, parse_math=False)


def label_y(ax: Axes, theme: Theme, text: str) -> None:
    """Write the label beside the vertical axis."""
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
    """Make x an axis of differences: limits, signed ticks, a line at 0, who is better where."""
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
    """Put about six round ticks on an axis of differences, each with its sign."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    round_ticks(axis, 4 if inches(ax) < NARROW else 6)
    axis.set_major_formatter(PlainTicks(signed=True, percent=percent))


def round_ticks(axis: Axis, n: int, *, signed: bool = False) -> None:
    """Put about ``n`` round ticks on an axis."""
    axis.set_major_locator(MaxNLocator(n, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PlainTicks(signed=signed))


def difference_limits(*values: float, room: float = 0.16) -> tuple[float, float]:
    """Return limits around the finite ``values`` and 0, with ``room`` on either side of 0."""
    finite = [value for value in values if np.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    if high - low < 1e-12:
        return -0.1, 0.1
    pad = 0.06 * (high - low)
    low, high = low - pad, high + pad
    share = room / (1.0 - room)
    return min(low, -share * high), max(high, -share * low)


def score_limits(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return 0 to 1 where the scores lie there, else their own range, and a little room."""
    low, high = float(min(a.min(), b.min())), float(max(a.max(), b.max()))
    if low >= 0.0 and high <= 1.0:
        low, high = 0.0, 1.0
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def margin_band(ax: Axes, theme: Theme, margin: float, *, share: float = 1.0) -> None:
    """Shade the differences that are too small to matter, on that share of the frame's top."""
    if margin > 0:
        look: dict[str, Any] = {"facecolor": theme.band, "edgecolor": "none", "zorder": 0.4}
        ax.axvspan(-margin, margin, 1.0 - share, 1.0, **look)


SENTENCE = "sentence"  # the label of a frame with no picture in it


def say(ax: Axes, theme: Theme, sentence: str) -> Axes:
    """Write a sentence into the empty frame, for data that no picture can be made of."""
    dress(ax, theme, grid="", spines=("top", "bottom", "left", "right"))
    for spine in ax.spines.values():
        spine.set_color(theme.grid)
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


# --- Which unit an interval has, and the words that say so on an axis

MEAN = "mean difference"


def deciding(comparison: Comparison) -> TestRow:
    """Return the row of the test that decides."""
    return next(row for row in comparison.test_rows if row.decides)


def of_the_mean(comparison: Comparison) -> bool:
    """Whether the test that decides is about the mean difference."""
    return deciding(comparison).estimand == MEAN


def interval_axis(comparison: Comparison, of_mean: str) -> str:
    """Return the words under an axis of intervals; ``of_mean`` where a mean is estimated."""
    if of_the_mean(comparison):
        return of_mean
    estimand = deciding(comparison).estimand
    return f"{estimand} (B − A)"


def margin_words(comparison: Comparison, theme: Theme) -> str:
    """Return the margin as it stands on an axis."""
    rule = comparison.rule
    if is_relative(comparison):
        return f"{display.declared_percent(rule.margin)} of A's mean"
    text = theme.score(rule.margin)  # with as many decimals as it was declared with, at least
    return text if math.isclose(float(text), rule.margin) else f"{rule.margin:g}"


def difference(comparison: Comparison, value: float, theme: Theme) -> str:
    """Return a difference in the unit in which it is shown; a dash where there is none."""
    return or_dash(difference_in_unit(comparison, value, digits=theme.digits))


def relative_change(measure: str) -> str:
    """Return the words for the difference of a measure in per cent of A's mean."""
    return f"change of {shorten(measure, width=28)}, in per cent of A's mean"


def systems(comparison: Comparison, longest: int) -> tuple[str, str]:
    """Return the letter of each system with its name, or the letter alone if that is the name."""
    first, second = (
        key if name == key else f"{key} {shorten(name.removesuffix(f' ({key})'), width=longest)}"
        for key, name in (("A", comparison.baseline), ("B", comparison.candidate))
    )
    return first, second


def query_name(comparison: Comparison, query: int) -> str:
    """Return the text of the query at a position, or its id where no text is known."""
    query_id = comparison.query_ids[query]
    return comparison.topics.get(query_id) or query_id


def delta(measure: str) -> str:
    """Return the words for the difference of a measure."""
    return f"Δ {shorten(measure, width=28)} (B − A)"


# --- What the plots of two curves share: the names of the systems, and an axis of cut-offs

MARKERS = {"a": "v", "b": "^"}


def name_systems(ax: Axes, theme: Theme, comparison: Comparison) -> None:
    """Write the names of A and B above the frame, each with its marker and in its colour."""
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


def draw_pair(
    ax: Axes, theme: Theme, x: Sequence[float], a: Sequence[float], b: Sequence[float]
) -> None:
    """Draw one curve of A and one of B, told apart by colour and by marker."""
    for values, colour, marker in ((a, theme.a, MARKERS["a"]), (b, theme.b, MARKERS["b"])):
        line(
            ax,
            x,
            values,
            colour,
            2.0,
            marker=marker,
            markersize=5.5,
            markeredgewidth=0.0,
            zorder=3.0,
            clip_on=False,
        )


def cutoff_axis(ax: Axes, theme: Theme, cutoffs: Sequence[int], lead: int) -> None:
    """Make x a logarithmic axis of cut-offs; the one that decides is in bold and has a line."""
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
