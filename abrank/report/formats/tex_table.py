"""The frame of a LaTeX table: a comment with what it needs, caption, label, booktabs rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abrank.report.cells import one_line, to_ascii
from abrank.report.formats.tex import escape

# A longer table would leave the page.
MOST = 35
LONGEST_NAME = 30
LONGEST_CAPTION = 2_000

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


def tex_table(
    *,
    comment: str,
    caption: str,
    named: str,
    align: str,
    head: Sequence[str],
    body: Sequence[Sequence[str]],
) -> str:
    """Return a table of cells that are LaTeX already.

    Parameters
    ----------
    comment, caption : str
        As people read them.
    named : str
        What the label is made of, by which a text points to the table.
    align : str
        A letter a column.
    """
    label = re.sub(r"[^a-z0-9]+", "-", named.lower())[:60].strip("-")
    return _FRAME.format(
        comment=to_ascii(one_line(comment, width=400)),
        caption=escape(caption, width=LONGEST_CAPTION),
        label=label,
        align=align,
        head=_row(head),
        body="\n    ".join(map(_row, body)),
    )


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
