"""Cells of a table of scores as people and spreadsheets write them.

Words for an empty cell, signs of per cent, decimal commas and marks of thousands are made plain
numbers where a column, or the file, says what is meant; what nothing says is a fault of the column,
which is told where the column is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.ids import Ids, kernels
from abrank.inputs.score_column import ScoreColumn

# What pandas reads as an empty cell, and the marks of spreadsheets and of SAS.
BLANKS = frozenset(
    ("na", "n/a", "#n/a", "#na", "<na>", "null", "none", "nan", "-nan", "-", "–", "—", ".")
)
_PROBED = 200  # cells that tell whether a column of text may hold numbers
# Signs of money, and blanks and apostrophes that mark thousands.
_MONEY = re.compile(r"\s*(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY)\b)\s*")
_THIN = re.compile(r"(?<=[0-9])[\s'’](?=[0-9]{3}(?![0-9]))")
_PERCENT = re.compile(r"(.*[0-9])\s*%")
_SIGN = r"[+-]?"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"{_SIGN}(?:[0-9][0-9.,]*|[.,][0-9]+){_EXPONENT}")
# 5.188 and 5,188: a fraction, or a whole number with a mark of thousands.
_UNCLEAR = {mark: re.compile(rf"{_SIGN}[1-9][0-9]{{0,2}}\{mark}[0-9]{{3}}") for mark in ".,"}
_DECIMAL = {mark: re.compile(rf"{_SIGN}[0-9]*(?:\{mark}[0-9]*)?{_EXPONENT}") for mark in ".,"}
_GROUPS = {  # 5,188,410 and 5,188.41
    mark: re.compile(
        rf"{_SIGN}[1-9][0-9]{{0,2}}(?:(?:\{mark}[0-9]{{3}}){{2,}}(?:\{point}[0-9]+)?"
        rf"|(?:\{mark}[0-9]{{3}})+\{point}[0-9]+)"
    )
    for mark, point in (".,", ",.")
}


@dataclass(frozen=True)
class _Cells:
    """The distinct texts of a column that may hold numbers, and which one each row has."""

    column: ScoreColumn
    texts: list[str]  # without words for empty cells and signs of per cent; [] of a plain column
    codes: IntArray
    percent: int = 0  # of the cells that are not empty, how many had the sign
    filled: int = 0
    point: str = ""  # the decimal mark that its cells show; empty where none does
    whole: bool = False  # whether some have no mark, and none of these has four digits
    # The first text with a sign of money, or a blank that marks thousands, and how it was written.
    signed: tuple[tuple[int, str], ...] = ()


def tidied(columns: Sequence[ScoreColumn], delimiter: str, *, marked: bool) -> list[ScoreColumn]:
    """Return the columns of a table with numbers as Python writes them.

    ``marked`` says whether a cell may hold a comma, or a separator leaves it to decimals.
    """
    read = [_cells(column, marked=marked) for column in columns]
    points = {cells.point for cells in read if cells and cells.point}
    point = points.pop() if len(points) == 1 else ""
    return [
        column if cells is None else _plain(cells, point, delimiter)
        for column, cells in zip(columns, read, strict=True)
    ]


def _cells(column: ScoreColumn, *, marked: bool) -> _Cells | None:
    """Return the cells of a column to look at; None where it is text, or as plain as it is."""
    if not column.is_text:
        return None
    rows = np.flatnonzero(~column.empty)
    probe = [text.strip() for text in ids.decode(ids.take(column.cells, rows[:_PROBED]))]
    if 2 * sum(map(_is_like, probe)) < len(probe) or not len(rows):
        return None
    if not (marked or column.wrong.any()):
        return None
    filled = ids.take(column.cells, rows)
    mark = "," if any("," in text for text in probe) else "."
    if kernels.all(_matching(_DECIMAL[mark], filled)).as_py():  # no look at single cells
        shown = kernels.match_substring(filled, mark)
        with_points = replace(column, cells=kernels.replace_substring(column.cells, ",", "."))
        if (
            kernels.any(kernels.and_not(shown, _matching(_UNCLEAR[mark], filled))).as_py()
            and with_points.is_numeric
        ):
            return _Cells(with_points, [], rows, point=mark)
    distinct, codes = ids.code(column.cells)
    written = ids.decode(distinct)
    texts = list(map(_bare, written))
    blank = [text.casefold() in BLANKS for text in texts]
    per_cent = [_PERCENT.fullmatch(text) for text in texts]
    counts = np.bincount(codes, minlength=len(texts))
    plain = [
        "" if is_blank else match[1] if match else text
        for text, match, is_blank in zip(texts, per_cent, blank, strict=True)
    ]
    if not any(map(_NUMBER.fullmatch, plain)):
        return None
    points = {
        mark
        for mark, other in (".,", ",.")
        for text in plain
        if (_DECIMAL[mark].fullmatch(text) and mark in text and not _UNCLEAR[mark].fullmatch(text))
        or _GROUPS[other].fullmatch(text)
    }
    digits = [text.lstrip("+-") for text in plain if text.lstrip("+-").isdigit()]
    return _Cells(
        column,
        plain,
        codes,
        percent=int(counts[[match is not None for match in per_cent]].sum()),
        filled=int(counts[[bool(text) for text in plain]].sum()),
        point=points.pop() if len(points) == 1 else "",
        whole=bool(digits) and max(map(len, digits)) <= 3,
        signed=tuple((i, cell) for i, cell in enumerate(written) if texts[i] != cell.strip())[:1],
    )


def _matching(pattern: re.Pattern[str], cells: Ids) -> Any:  # noqa: ANN401 - of Arrow
    return kernels.match_substring_regex(cells, f"^(?:{pattern.pattern})$")


def _bare(text: str) -> str:
    """Return a text without signs of money and blanks that mark thousands."""
    return _THIN.sub("", _MONEY.sub("", text.strip()))


def _is_like(text: str) -> bool:
    """Whether a text may be a number, or a word for none."""
    text = _bare(text)
    match = _PERCENT.fullmatch(text)
    return text.casefold() in BLANKS or bool(_NUMBER.fullmatch(match[1] if match else text))


def _plain(cells: _Cells, point: str, delimiter: str) -> ScoreColumn:
    """Return a column of numbers with a decimal point; ``point`` is the mark of the file."""
    if not cells.texts:
        return cells.column
    texts, notes, fault = cells.texts, [], ""
    point = cells.point or point
    unclear = {mark: [text for text in texts if _UNCLEAR[mark].fullmatch(text)] for mark in ".,"}
    if not point:
        # Between commas a decimal mark is a point, and a quoted comma marks thousands.
        point = "." if delimiter == "," or not unclear[","] else ","
        mark = "," if unclear[","] else "."
        if cells.whole and unclear[mark] and delimiter != "," and (mark == "," or delimiter == ";"):
            text = unclear[mark][0]
            fault = (
                f"{text} stands beside whole numbers: is it {text.replace(mark, '')}, or a"
                f" fraction? Write {text.replace(mark, '')}, or {text.replace(mark, '.')}0"
            )
    group = "," if point == "." else "."
    if any(group in text and _NUMBER.fullmatch(text) for text in texts):
        grouped = re.compile(rf"{_SIGN}[0-9]{{1,3}}(?:\{group}[0-9]{{3}})+(?:\{point}[0-9]*)?")
        example = next((text for text in texts if grouped.fullmatch(text)), "")
        texts = [text.replace(group, "") if grouped.fullmatch(text) else text for text in texts]
        if example:
            notes.append(f"{example} is read as {example.replace(group, '').replace(point, '.')}")
    if point == ",":
        texts = [
            text.replace(",", ".") if _DECIMAL[","].fullmatch(text) else text for text in texts
        ]
    if cells.percent == cells.filled:
        texts = [f"{text}e-2" if _NUMBER.fullmatch(text) else text for text in texts]
        notes.append("per cent are read as shares: 50% is 0.5")
    elif cells.percent:
        fault = (
            f"{cells.percent} of {cells.filled} cells have a sign of per cent: write all with it,"
            " or all as shares (0.503 for 50.3%)"
        )
    notes = [f"{cell} is read as {texts[place]}" for place, cell in cells.signed] or notes
    column = replace(cells.column, cells=ids.take(ids.encode(texts), cells.codes))
    if not column.is_numeric and not column.is_damaged and not fault:
        return cells.column
    return replace(column, note="; ".join(notes), fault=fault)
