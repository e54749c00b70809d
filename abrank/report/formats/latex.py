"""The LaTeX table of a report, for papers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import get_args

from abrank._support import checks
from abrank._support import display as f
from abrank._support.display import GROUP, MINUS, UNDEFINED, one_line, to_ascii
from abrank._support.errors import ArgumentError
from abrank.report.model import Cell, Column, Report, Style

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "{''}",
    "`": r"\`{}",
    # At the start of a row, LaTeX would take a bracket or star for an option of the previous row
    # end.
    **{character: f"{{{character}}}" for character in "[]*"},
    **{character: f"\\{character}" for character in "_&%#${}"},
}
_SYMBOLS = {
    GROUP: r"\,", MINUS: "$-$", "±": r"$\pm$", "×": r"$\times$", "÷": r"$\div$", "·": r"$\cdot$",
    "²": r"$^2$", "∞": r"$\infty$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$",
    "→": r"$\rightarrow$", "Δ": r"$\Delta$", "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``",
    "”": "''", "…": r"\dots{}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip
_GREEK = {
    letter: unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
    for letter in "αβγδεζηθικλμνξπρστυφχψω"
}
# Combining marks and their LaTeX accents, which every font has.
_ACCENTS = dict(
    zip(
        map(chr, (0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C,
                  0x323, 0x327)),
        ("\\`", "\\'", "\\^", "\\~", "\\=", "\\u", "\\.", '\\"', "\\r", "\\H", "\\v", "\\d", "\\c"),
        strict=True,
    )
)  # fmt: skip
# Two of these in a row would form a ligature: a dash, a quotation mark.
_LIGATURE = re.compile(r"([-',])(?=\1)")
_POWER = re.compile(r"e\+0*([0-9]+)")


def escape(text: str, *, width: int) -> str:
    """Escape text for LaTeX, on one line, cut in the middle to ``width`` characters."""
    # Accented Latin and Greek letters are printed. Characters of other scripts become their codes,
    # such as U+691C, because plain LaTeX fonts lack them.
    line = one_line(unicodedata.normalize("NFC", text), width=width)
    return "".join(_character(item) for item in _LIGATURE.sub("\\1\0", line))


def _character(character: str) -> str:
    if character == "\0":  # separates two characters that would form a ligature
        return "{}"
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character.isascii():
        return character
    if character in _GREEK:
        return f"$\\{_GREEK[character]}$"
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and base.isascii() and base.isalpha() and marks[0] in _ACCENTS:
        return f"{_ACCENTS[marks[0]]}{{{base}}}"
    return _SYMBOLS.get(character, rf"\texttt{{U+{ord(character):04X}}}\allowbreak{{}}")


def number(text: str) -> str:
    """Format a number from a report for LaTeX; a dash if undefined."""
    if text == UNDEFINED:
        return "--"
    result = text.replace(MINUS, "-").replace("∞", r"\infty").replace("%", r"\%")
    result = result.replace(GROUP, r"\,").replace("< ", "<")
    return "$" + _POWER.sub(r"\\times 10^{\1}", result) + "$"


MOST = 35  # maximum rows, because a longer table would not fit on a page
LONGEST_NAME = 30
_LONGEST_CAPTION = 2_000
_HEADS = {"p": "$p$", "adj p": "adj.~$p$"}
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
    r"""Return the LaTeX table of a report.

    Parameters
    ----------
    style : {"interval", "superscript"}
        Differences, intervals and p; or only means, with superscripts on those that are
        significantly better.

    Returns
    -------
    str
        ASCII. The caption states test, number of queries, level and adjustment; a comment lists
        what the preamble needs.

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
        head=_row([_HEADS.get(x.title) or escape(x.title, width=40) for x in table.columns]),
        body="\n    ".join(body),
    )


def _cell(cell: Cell, column: Column, style: Style) -> str:
    """Format a cell: a number in math mode, its mark after or above it."""
    if column.role in ("name", "place", "reading") or not (column.numeric or column.role):
        text = escape(cell.text, width=LONGEST_NAME)
        return f"${text}$" if column.role == "place" and text else text
    if not cell.text:
        return ""
    if column.role == "interval":
        # With both signs, so that rows are aligned.
        low, to, high = cell.text.partition(" to ")
        return number(f"[{low}, {high}]") if to else _number(cell.text)
    text = _number(cell.text)
    if cell.strong and text.startswith("$"):
        text = rf"$\mathbf{{{text[1:-1]}}}$"
    if cell.mark and style == "superscript" and text.startswith("$"):
        return f"{text[:-1]}^{{{cell.mark}}}$"
    return f"{text}~{_ARROWS.get(cell.mark, cell.mark)}" if cell.mark else text


def _number(text: str) -> str:
    """Format a number for LaTeX; words stay unchanged, and ranges get a dash."""
    if text != f.UNDEFINED and re.search(r"[A-Za-z]{3}", text):
        return escape(text, width=LONGEST_NAME)
    return text.replace(" to ", "--") if " to " in text else number(text)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
