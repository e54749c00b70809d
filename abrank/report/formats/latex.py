"""LaTeX: one booktabs table to put into a paper; it needs no other package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from abrank._support import checks
from abrank._support import display as f
from abrank._support.errors import ArgumentError
from abrank.report.cells import one_line, to_ascii
from abrank.report.formats.tex import escape, number
from abrank.report.model import Cell, Column, Report, Style

MOST = 35  # rows: a longer table would leave the page
LONGEST_NAME = 30
_LONGEST_CAPTION = 2_000
_ARROWS = {"▲": r"$\uparrow$", "▼": r"$\downarrow$"}

_FRAME = r"""% {comment}
%
% Needs in the preamble:
%   \usepackage{{booktabs}}
% Across both columns of a two-column page: table* in the place of table.
\begin{{table}}
  \centering
  \caption{{{caption}}}
  \label{{tab:{label}}}
  \smallskip
  \small
  \setlength{{\tabcolsep}}{{3pt}}
  \begin{{tabular}}{{@{{}}{align}@{{}}}}
    \toprule
    {head}
    \midrule
    {body}
    \bottomrule
  \end{{tabular}}
\end{{table}}
"""


def latex(report: Report, *, style: Style = "interval") -> str:
    r"""Return the table of a report for LaTeX.

    Parameters
    ----------
    report : Report
        As :func:`abrank.report.subjects` makes it of a result.
    style : {"interval", "superscript"}
        Differences, intervals and p; or means alone, with superscripts at those that are shown to
        be better.

    Returns
    -------
    str
        ASCII. The caption states test, number of queries, level and adjustment; what the preamble
        needs stands in a comment.

    Raises
    ------
    UnknownNameError
        If there is no such style.
    ArgumentError
        If the result has no table for a paper.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> from abrank.report import compose
    >>> a = {"q1": 0.5, "q2": 0.25, "q3": 0.5}
    >>> result = compare_scores(a, {"q1": 0.625, "q2": 0.5, "q3": 0.75}, name_b="new_50%")
    >>> print("\n".join(latex(compose(result)).splitlines()[-6:-1]))
        Measure & A & B & $\Delta$ & 95\% interval & $p$ \\
        \midrule
        score & $0.417$ & $0.625$ & $+0.208$ & $[+0.029, +0.388]$ & $0.038$ \\
        \bottomrule
      \end{tabular}
    """
    checks.one_of("style", style, get_args(Style))
    if report.papers is None:
        raise ArgumentError(f"there is no LaTeX table of a {type(report.subject).__name__}")
    comment, caption, label, table = report.papers(style)
    left = len(table.rows) - MOST
    more = f" {f.plural(left, f'more {table.noun}')} not shown." if left > 0 else ""
    body = [
        _row([_cell(*both, style) for both in zip(row, table.columns, strict=True)])
        for row in table.rows[:MOST]
    ]
    return _FRAME.format(
        comment=to_ascii(one_line(comment, width=400)),
        caption=escape(f"{caption}{more}", width=_LONGEST_CAPTION),
        label=re.sub(r"[^a-z0-9]+", "-", label.lower())[:60].strip("-"),
        align="".join(
            "c" if column.role == "interval" else "lr"[column.numeric] for column in table.columns
        ),
        head=_row([_head(column.title) for column in table.columns]),
        body="\n    ".join(body),
    )


def _head(title: str) -> str:
    words = {"p": "$p$", "adj p": "adj.~$p$"}
    return words.get(title) or escape(title, width=40)


def _cell(cell: Cell, column: Column, style: Style) -> str:
    """Return a cell: a number in mathematics, its mark behind it or above it."""
    if column.role in ("name", "place", "reading") or not (column.numeric or column.role):
        shown = escape(cell.text, width=LONGEST_NAME)
        return f"${shown}$" if column.role == "place" and shown else shown
    if not cell.text:
        return ""
    if column.role == "interval":
        # With both signs, so that the rows stand below one another.
        low, to, high = cell.text.partition(" to ")
        return number(f"[{low}, {high}]") if to else _number(cell.text)
    shown = _number(cell.text)
    if cell.strong and shown.startswith("$"):
        shown = rf"$\mathbf{{{shown[1:-1]}}}$"
    if cell.mark and style == "superscript" and shown.startswith("$"):
        return f"{shown[:-1]}^{{{cell.mark}}}$"
    return f"{shown}~{_ARROWS.get(cell.mark, cell.mark)}" if cell.mark else shown


def _number(text: str) -> str:
    """Return a number as LaTeX sets it, words as they are; from one to another with a dash."""
    if text != f.UNDEFINED and re.search(r"[A-Za-z]{3}", text):
        return escape(text, width=LONGEST_NAME)
    return text.replace(" to ", "--") if " to " in text else number(text)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
