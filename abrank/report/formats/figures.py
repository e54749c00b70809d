"""Every figure of a report as files for a paper, in the widths of a column and of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from abrank import plots
from abrank._support.files import replace_all
from abrank.plots.registry import draw, plots_of
from abrank.plots.render import file_bytes
from abrank.report.model import Block, Figure, Fold, Report
from abrank.report.subjects import compose

SUFFIXES = (".pdf", ".svg")


def write_figures(
    result: object, folder: str | Path, *, digits: int | None = None
) -> tuple[Path, ...]:
    """Write the figures of the report as PDF and SVG, each for a column and for the whole width.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking
    folder : str or Path
        Made where it is missing. The files for a column (3.33 in) go into its folder ``column``,
        those for the whole width (7 in) into ``text``; a file that is there is replaced.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    tuple of Path
        The files. A PDF has its fonts as TrueType (type 42).

    Raises
    ------
    WriteError
        If a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> nothing = compare_scores({}, {})
    >>> with tempfile.TemporaryDirectory() as made:
    ...     [file.relative_to(made).as_posix() for file in write_figures(nothing, made)][:2]
    ['column/cutoffs.pdf', 'column/cutoffs.svg']
    """
    content = figure_files(result, folder, digits=digits)
    replace_all(content)
    return tuple(content)


def figure_files(
    result: object, folder: str | Path, *, digits: int | None = None
) -> dict[Path, bytes]:
    """Return the files that :func:`write_figures` writes."""
    report = compose(result) if digits is None else compose(result, digits=digits)
    figures = figures_of(report)
    content = {}
    for width in plots.WIDTHS:
        for name, figure in figures.items():
            drawn = draw(figure.plot, result, width=width, digits=report.digits, **figure.options)
            for suffix in SUFFIXES:
                file = f"{name}{suffix}"
                content[Path(folder) / width / file] = file_bytes(drawn, file)
    return content


def figures_of(report: Report) -> dict[str, Figure]:
    """Return the figures by the names of their files."""
    blocks = [block for section in report.sections for block in section.blocks]
    found = {_name(each.plot, each.options): each for each in _figures(blocks)}
    # Of many systems a paper takes any plot; of a comparison those of its report.
    if "effect" in found:
        return {"effect": found.pop("effect"), **found}
    return {name: Figure(name, "") for name in plots_of(report.subject)} | found


def _figures(blocks: Iterable[Block]) -> Iterator[Figure]:
    """Yield the figures among blocks, those that are folded, too."""
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Fold):
            yield from _figures(block.blocks)


def _name(plot: str, options: Mapping[str, Any]) -> str:
    """Return the name of a figure's files: the plot, and what it was asked for.

    Examples
    --------
    >>> _name("forest", {}), _name("segments", {"name": "../Length of the query"})
    ('forest', 'segments-Length-of-the-query')
    """
    words = [plot, *map(str, options.values())]
    return "-".join(part for word in words for part in re.findall(r"[A-Za-z0-9_]+", word))[:80]
