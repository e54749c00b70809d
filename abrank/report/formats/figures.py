"""The figures that a paper uses, as files in the width of a column."""

from __future__ import annotations

from pathlib import Path

from abrank._support.errors import ArgumentError
from abrank._support.files import replace_all
from abrank.plots.registry import draw, plots_of
from abrank.plots.render import file_bytes
from abrank.plots.style import SENTENCE
from abrank.report.model import Figure, Report
from abrank.report.registry import figures_target
from abrank.report.subjects import compose

# Of a comparison, whose report has twice as many; the others are methods of ``result.plot``.
PAPER = (
    "forest", "effect", "deltas", "scatter", "paired", "distribution", "cutoffs", "segments",
    "power",
)  # fmt: skip


def write_figures(
    result: object, folder: str | Path, *, digits: int | None = None
) -> tuple[Path, ...]:
    """Write the figures that a paper uses, each as a file in the width of a column (3.33 in).

    Of a comparison they are at most eight: all measures, the difference and its interval, every
    query by its difference and by its two scores (a scatter plot, or a slope graph of up to 60
    queries), the distribution of the differences, cut-offs, segments, power; of a ranking or of
    collections all plots. Those that would only say why there is no picture are left out.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking
    folder : str or Path
        Made where it is missing; a file that is there is replaced. ``pdf:DIR`` (without it, too),
        ``svg:DIR`` and ``png:DIR``, which has 300 dots an inch, say what is written.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    tuple of Path
        The files. A PDF has its fonts as TrueType (type 42).

    Raises
    ------
    ArgumentError
        For another kind of file.
    WriteError
        If a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.1, "q2": 0.4, "q3": 0.7}, {"q1": 0.3, "q2": 0.5, "q3": 1})
    >>> with tempfile.TemporaryDirectory() as made:
    ...     [file.name for file in write_figures(result, f"svg:{made}")][:2]
    ['forest.svg', 'effect.svg']
    """
    content = figure_files(result, folder, digits=digits)
    replace_all(content)
    return tuple(content)


def figure_files(
    result: object, folder: str | Path, *, digits: int | None = None
) -> dict[Path, bytes]:
    """Return the files that :func:`write_figures` writes."""
    kind, place = figures_target(folder)
    report = compose(result) if digits is None else compose(result, digits=digits)
    content = {}
    for name, figure in figures_of(report).items():
        try:
            axes = draw(name, result, width="column", digits=report.digits, **figure.options)
        except ArgumentError:  # there is nothing to draw, as of segments
            continue
        if axes.get_label() == SENTENCE:
            continue
        file = f"{name}.{kind}"
        content[place / file] = file_bytes(axes, file)
    return content


def figures_of(report: Report) -> dict[str, Figure]:
    """Return the figures by the names of their files."""
    blocks = (block for section in report.sections for block in section.blocks)
    result = {figure.plot: figure for figure in blocks if isinstance(figure, Figure)}
    if "deltas" in plots_of(report.subject):
        # A page has the intervals of these in the rows of its tables.
        tables = ["forest", "effect", *["segments"] * bool(report.subject.segmentations)]
        result |= {name: Figure(name, "") for name in tables}
        return {name: result[name] for name in PAPER if name in result}
    return {name: result.get(name, Figure(name, "")) for name in plots_of(report.subject)}
