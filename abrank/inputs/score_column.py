"""Columns of a score table: their names, and their numbers in the notations that people use."""

# Arrow and numpy read whole columns; only the cells that they refuse are read one by one. Words for
# empty cells, per cent signs, decimal commas and thousands separators are converted if the column
# or the file makes their meaning clear. If not, the column gets a `fault`, which is reported when
# the column is used.

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import arrow, ids
from abrank.inputs.columns import folded
from abrank.inputs.ids import Ids, kernels
from abrank.inputs.objects import is_missing, read_ids, read_number
from abrank.inputs.score_reading import METRIC_NAMES, SCORE_WORDS, SEARCHES, SURE_QUERIES, words

_TRUTH = {"true": 1.0, "false": 0.0}
_YES_OR_NO = {
    "yes": "no", "y": "n", "t": "f", "pass": "fail", "passed": "failed", "correct": "incorrect",
    "ja": "nein", "oui": "non", "si": "no", "sí": "no", "wahr": "falsch", "vrai": "faux",
    "verdadero": "falso", "vero": "falso",  # booleans of Excel in other languages
}  # fmt: skip
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_EXACT = 2**53  # largest whole number up to which floats are exact
_FEW = 2000  # number of texts up to which Arrow's kernels are not imported


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """A column of text, numbers in an Arrow array, or Python objects."""

    name: str
    cells: Any  # a LargeBinaryArray without nulls, an Arrow array of numbers, or a list
    # The names of its levels, if the frame has several header rows.
    levels: tuple[str, ...] = ()
    note: str = ""  # how its cells were read, if not in Python's notation
    fault: str = ""  # why its cells cannot be read as numbers
    is_name: bool = False  # whether its texts are ids even if they look like numbers

    @classmethod
    def of(cls, name: str, cells: object, levels: tuple[str, ...] = ()) -> ScoreColumn:
        """Make a column from an Arrow array, a pandas Series, or a list."""
        return cls(name, _stored(cells), levels)

    @cached_property
    def is_text(self) -> bool:
        """Whether its cells are texts, which may spell numbers."""
        return isinstance(self.cells, pa.LargeBinaryArray)

    @cached_property
    def _read(self) -> tuple[FloatArray, BoolArray]:
        if self.is_text:
            return _numbers_of_text(self.cells)
        if isinstance(self.cells, pa.Array):
            numbers = arrow.to_floats(self.cells)
        elif {*map(type, self.cells)} <= {float, bool, type(None)}:
            numbers = np.array(self.cells, np.float64)
        else:
            pairs = [_read_cell(cell) for cell in self.cells]
            numbers = np.array([number for number, _ in pairs], np.float64)
            return numbers, np.array([bool(problem) for _, problem in pairs], np.bool_)
        infinite = np.isinf(numbers)
        return np.where(infinite, np.nan, numbers) if infinite.any() else numbers, infinite

    @property
    def numbers(self) -> FloatArray:
        """The numbers, NaN for cells that are empty or no number."""
        return self._read[0]

    @property
    def wrong(self) -> BoolArray:
        """Which cells are neither empty nor a number."""
        return self._read[1]

    def problem(self, row: int) -> tuple[Any, str]:
        """Return a cell, and what is wrong with it as a number."""
        cell = self.cell(row)
        return cell, _read_cell(cell)[1]

    def cell(self, row: int) -> Any:  # noqa: ANN401
        """Return a cell as a Python object."""
        if self.is_text:
            return ids.decode(self.cells[row : row + 1])[0]
        cell = self.cells[row]
        return cell.as_py() if isinstance(cell, pa.Scalar) else cell

    @cached_property
    def is_numeric(self) -> bool:
        """Whether it holds only numbers and empty cells."""
        if self.is_name:
            return False
        is_float = isinstance(self.cells, pa.FloatingPointArray)
        return not self.wrong.any() and (is_float or not bool(np.isnan(self.numbers).all()))

    @cached_property
    def is_damaged(self) -> bool:
        """Whether most cells are numbers, so that the others are errors."""
        n_numbers = int((~np.isnan(self.numbers)).sum())
        return not self.is_name and 0 < int(self.wrong.sum()) <= n_numbers

    @cached_property
    def is_whole(self) -> bool:
        """Whether all its numbers are whole."""
        return bool((np.isnan(self.numbers) | (self.numbers == np.floor(self.numbers))).all())

    @cached_property
    def is_truth(self) -> bool:
        """Whether it holds truth values."""
        if not self.is_text and isinstance(self.cells, pa.Array):
            return self.is_numeric and isinstance(self.cells, pa.BooleanArray)
        row = int(np.argmax(~np.isnan(self.numbers)))
        return self.is_numeric and str(self.cell(row)).casefold() in _TRUTH

    @cached_property
    def is_yes_or_no(self) -> bool:
        """Whether its cells are yes and no or similar words, and both occur."""
        return bool(self._yes)

    @cached_property
    def _yes(self) -> str:
        if not self.is_text or not self.wrong.any() or self.n_distinct > 5:  # includes empty ones
            return ""
        words = {label.casefold() for label in self.labels if label}
        return next((yes for yes, no in _YES_OR_NO.items() if words == {yes, no}), "")

    def as_scores(self) -> ScoreColumn:
        """Return the column with 1 for yes and 0 for no; return others unchanged."""
        if not self.is_yes_or_no:
            return self
        numbers = {self._yes: "1", _YES_OR_NO[self._yes]: "0", "": ""}
        texts = [numbers[label.casefold()] for label in self.labels]
        cells = ids.take(ids.encode(texts), self.codes)
        note = f"{self._yes} is read as 1, {_YES_OR_NO[self._yes]} as 0"
        return replace(self, cells=cells, note=note)

    @cached_property
    def is_nested(self) -> bool:
        """Whether its cells are lists or dicts."""
        return isinstance(self.cells, list) and any(
            isinstance(cell, (list, dict)) for cell in self.cells[:5]
        )

    @cached_property
    def empty(self) -> BoolArray:
        """Which cells are empty."""
        if self.is_text:
            return np.asarray(np.diff(ids.offsets(self.cells)) == 0)
        if isinstance(self.cells, pa.Array):
            return np.isnan(self.numbers)
        return np.array([is_missing(cell) or cell == "" for cell in self.cells], np.bool_)

    @cached_property
    def _differs_as_text(self) -> bool:
        if not self.is_text or not self.is_numeric:  # names or other texts
            return self.is_text
        text = ids.spans(self.cells)[2]  # texts of digits only are ids, such as 007
        return bool(((text >= ord("0")) & (text <= ord("9"))).all())

    @cached_property
    def _distinct(self) -> tuple[Any, IntArray]:
        if self._differs_as_text:
            return ids.code(self.cells)
        if self.is_text or isinstance(self.cells, pa.Array):
            first, codes = by_appearance(self.numbers)
            return self.numbers[first], codes
        texts = [label_of_cell(cell) for cell in self.cells]
        place_of = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        return [*place_of], np.fromiter(map(place_of.__getitem__, texts), np.int64, len(texts))

    @property
    def coded(self) -> tuple[tuple[str, ...], IntArray]:
        """The distinct cells as text in order of appearance, and the index of each row's cell."""
        return self.labels, self.codes

    @property
    def codes(self) -> IntArray:
        """The index of each row's cell among the distinct cells."""
        return self._distinct[1]

    @cached_property
    def n_distinct(self) -> int:
        """The number of distinct cells."""
        if self._differs_as_text:
            return len(self._in_order[0])
        is_list = isinstance(self.cells, list)
        return len(self._distinct[0] if is_list else np.unique(self.numbers))

    @cached_property
    def _in_order(self) -> tuple[Ids, IntArray]:
        return ids.number(self.cells)

    def ids_in_order(self, name: str, label: str) -> tuple[Ids, IntArray]:
        """Return the distinct cells as query ids in byte order, and the index of each row's id."""
        # Text is kept as it is; whole numbers are converted to text.
        if self.is_text:
            return self._in_order
        column = arrow.to_ids(self.cells)
        if column is None:
            column = read_ids([self.cell(row) for row in range(len(self.cells))], name, label)
        return ids.number(column)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The distinct cells as text, in order of appearance."""
        distinct = self._distinct[0]
        if isinstance(distinct, list):
            return tuple(distinct)
        if not isinstance(distinct, np.ndarray):
            return tuple(ids.decode(distinct))
        texts = ("false", "true") if self.is_truth else ()
        return tuple(
            "" if number != number else texts[int(number)] if texts else f"{number:.15g}"
            for number in distinct.tolist()
        )

    def is_one_of(self, labels: Sequence[str]) -> BoolArray:
        """Whether each cell is one of a few texts."""
        if isinstance(self.cells, list):
            return np.array([isinstance(x, str) and x in labels for x in self.cells], np.bool_)
        result = np.zeros(len(self.cells), np.bool_)
        if self.is_text:
            cells = kernels.is_in(self.cells, ids.encode(labels))
            result[ids.integers(kernels.indices_nonzero(cells))] = True
        return result

    def matches(self, pattern: str) -> BoolArray:
        """Whether each cell is a text that contains a match of a regular expression."""
        if isinstance(self.cells, list):
            return np.array([re.search(pattern, str(x)) is not None for x in self.cells], np.bool_)
        result = np.zeros(len(self.cells), np.bool_)
        if self.is_text:
            cells = kernels.match_substring_regex(self.cells, pattern)
            result[ids.integers(kernels.indices_nonzero(cells))] = True
        return result

    def rounding(self) -> FloatArray:
        """Return the rounding error of each number: half a unit of its last printed digit."""
        if not self.is_text:
            return np.zeros(len(self.cells))
        distinct, codes = ids.code(self.cells)
        return np.array([_half_of_last_digit(text) for text in ids.decode(distinct)])[codes]

    def take(self, rows: IntArray) -> ScoreColumn:
        """Return the column with selected rows."""
        if self.is_text:
            return replace(self, cells=ids.take(self.cells, rows))
        if isinstance(self.cells, pa.Array):
            return replace(self, cells=kernels.take(self.cells, ids.from_integers(rows)))
        return replace(self, cells=[self.cells[row] for row in rows.tolist()])


def _stored(cells: Any) -> Any:  # noqa: ANN401 - an Arrow array, a Series or a list
    if isinstance(cells, list):
        if all(type(cell) is str for cell in cells):
            try:
                return ids.encode(cells)
            except UnicodeEncodeError:  # a lone surrogate; as_ids refuses it
                pass
        if all(type(cell) is int for cell in cells) and max(map(abs, cells), default=0) > _EXACT:
            return ids.encode(list(map(str, cells)))
        if {str, float} <= {*map(type, cells)} <= {str, float, int, type(None)}:  # like file cells
            return _stored(["" if is_missing(cell) else str(cell) for cell in cells])
        return cells
    if not isinstance(cells, (pa.Array, pa.ChunkedArray)):
        dtype = getattr(cells, "dtype", None)
        kind_of_labels = getattr(getattr(dtype, "categories", None), "dtype", dtype)
        if str(kind_of_labels).startswith("interval"):  # pandas.cut
            cells = cells.astype("string")
        try:
            cells = pa.array(cells, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return _stored(list(cells))
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.chunk(0) if cells.num_chunks == 1 else cells.combine_chunks()
    if isinstance(cells, pa.DictionaryArray):
        cells = cells.dictionary_decode()
    if pa.types.is_temporal(cells.type):
        texts = kernels.cast(cells, pa.string())
        cells = kernels.replace_substring_regex(texts, " 00:00:00[.0]*Z?$", "")
    if pa.types.is_integer(cells.type):  # floats cannot represent all 64-bit ids
        ends = kernels.min_max(cells).as_py()
        if max(abs(ends["min"] or 0), abs(ends["max"] or 0)) > _EXACT:
            cells = kernels.cast(cells, pa.string())
    kind = cells.type
    if str(kind) in ("string", "large_string", "string_view", "binary", "large_binary"):
        cells = kernels.cast(cells, pa.large_binary()) if kind != pa.large_binary() else cells
        return kernels.fill_null(cells, b"") if cells.null_count else cells
    return cells if arrow.is_number(kind) or pa.types.is_boolean(kind) else cells.to_pylist()


def _read_cell(cell: object) -> tuple[float, str]:
    if is_missing(cell) or cell == "":
        return np.nan, ""
    number, problem = read_number(cell)
    return (np.nan if problem else number), problem


def _numbers_of_text(cells: Ids) -> tuple[FloatArray, BoolArray]:
    """Return the numbers in texts (NaN for none), and which texts are neither number nor empty."""
    start, length, text = ids.spans(cells)
    numbers, wrong = np.full(len(cells), np.nan), np.zeros(len(cells), np.bool_)
    rows = np.flatnonzero(length)
    single = rows  # rows to read one by one
    if len(rows) > _FEW:
        values = _cast(cells, rows)
        if values is None:
            first = text[start[rows]]
            wrong[rows] = True
            single = rows[((first | 32) == ord("t")) | ((first | 32) == ord("f"))]
            single = single[(length[single] == 4) | (length[single] == 5)]  # perhaps true, false
            rows = rows[first < ord("A")]
            spelled = kernels.match_substring_regex(ids.take(cells, rows), _NUMBER)
            rows = rows[ids.integers(kernels.indices_nonzero(spelled))]
            values = _cast(cells, rows)
            wrong[rows] = False
        else:
            single = rows[:0]
        if values is None:
            single = np.append(single, rows)
        else:
            numbers[rows] = values
    distinct, codes = ids.code(ids.take(cells, single))
    pairs = [_read_cell(text) for text in ids.decode(distinct)]
    is_wrong = np.array([bool(problem) for _, problem in pairs], np.bool_)
    values = np.array([number for number, _ in pairs], np.float64)
    numbers[single], wrong[single] = values[codes], is_wrong[codes]
    return numbers, wrong


def _cast(cells: Ids, rows: IntArray) -> FloatArray | None:
    """Return the numbers in some texts; None if one is no finite number."""
    texts = cells if len(rows) == len(cells) else ids.take(cells, rows)
    try:
        # Arrow composes an error for each bad text, a second for every 200,000, so try a few first.
        kernels.cast(kernels.cast(texts[:_FEW], pa.large_string()), pa.float64())
        values = arrow.to_floats(kernels.cast(texts, pa.large_string()))
    except pa.ArrowInvalid:
        return None
    return values if np.isfinite(values).all() else None


def _half_of_last_digit(text: str) -> float:
    mantissa, _, exponent = text.lower().partition("e")
    n_decimals = len(mantissa.partition(".")[2])
    try:
        is_exact = not exponent and (float(text) == 0.0 or not n_decimals)
        # With larger negative exponents, as in 0e4000, the number is 0 and has no relevant digits.
        return 0.0 if is_exact else 0.5 * 10.0 ** min(int(exponent or "0") - n_decimals, 300)
    except ValueError:
        return 0.0


def renumbered(codes: IntArray, n_codes: int) -> IntArray:
    """Return codes without gaps in the same order."""
    if n_codes > 4 * len(codes) + 1024:
        return np.unique(codes, return_inverse=True)[1].ravel()
    occurs = np.zeros(n_codes, np.bool_)
    occurs[codes] = True
    return (np.cumsum(occurs) - 1)[codes]


def by_appearance(values: IntArray | FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first position of each distinct value, in order, and the index of each row's."""
    distinct, codes = np.unique(values, return_inverse=True)
    first = np.empty(len(distinct), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[codes]


def label_of_cell(cell: object) -> str:
    """Return a cell as the label of a category: 256.0 equals "256", and "0.90" equals 0.9."""
    if is_missing(cell):
        return ""
    text = str(cell).strip()
    if isinstance(cell, bool) or text.casefold() in _TRUTH:
        return text.casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    is_code = isinstance(cell, str) and text.lstrip("-0").isdigit() and text != f"{number:.0f}"
    return text if is_code or number != number else f"{number:.15g}"


# --- Cells in the notations of people and spreadsheets

# Words that pandas, databases, spreadsheets and SAS use for an empty cell.
BLANKS = frozenset(words(
    r"na n/a #n/a #na <na> null none nan -nan - -- – — . \n (null) <null> [null] nil undefined"
    " #div/0!"
))  # fmt: skip
_PROBED = 200  # cells that are checked for numbers before the whole text column
# Currency signs, and blanks and apostrophes as thousands separators.
_MONEY = re.compile(r"\s*(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY)\b)\s*")
_THIN = re.compile(r"(?<=[0-9])[\s'’](?=[0-9]{3}(?![0-9]))")
_PERCENT = re.compile(r"(.*[0-9])\s*%")
_SIGN = r"[+-]?"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_NUMERAL = re.compile(rf"{_SIGN}(?:[0-9][0-9.,]*|[.,][0-9]+){_EXPONENT}")
# 5.188 and 5,188: either a fraction, or a whole number with a thousands separator.
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
    """The distinct texts of a column that may hold numbers, and the index of each row's text."""

    column: ScoreColumn
    texts: list[str]  # without empty-cell words and per cent signs; [] for plain columns
    codes: IntArray
    percent: int = 0  # number of nonempty cells with a per cent sign
    filled: int = 0
    point: str = ""  # the decimal mark used in its cells; empty if unknown
    whole: bool = False  # whether some cells have no mark, and none of these has four digits
    bared: tuple[int, str] = (-1, "")  # first cell with a currency sign or a blank, as written


def tidied(columns: Sequence[ScoreColumn], delimiter: str, *, marked: bool) -> list[ScoreColumn]:
    """Convert the numbers of all columns to Python's notation."""
    # `marked` says whether cells may contain commas, that is, whether commas separate no cells.
    columns = [_named_by(column, SEARCHES) for column in columns]
    read = [_cells(column, marked=marked) for column in columns]
    points = {cells.point for cells in read if cells and cells.point}
    point = points.pop() if len(points) == 1 else ""
    plain = [
        column if cells is None else _plain(cells, point, delimiter)
        for column, cells in zip(columns, read, strict=True)
    ]
    return [_named_by(_rated(column), SURE_QUERIES) for column in plain]


# Ratings within text: `4/5`, `4 out of 5`, `4 - good`, `Rating: 4`, `[[4]]`.
_RATING = re.compile(
    r"(?:[^0-9]*[\s:=\[({\"'])?(-?[0-9]+(?:\.[0-9]+)?)(?:\s*(?:/|out of|of)\s*([0-9]+))?"
    r"(?:[\s:=\])}\"',.;-][^0-9]*)?"
)
_MOST_RATINGS = 200


def _rated(column: ScoreColumn) -> ScoreColumn:
    """Convert a column called a score, with one number in each text, to these numbers."""
    word = folded(column.name).rpartition("_")[2]
    is_called = word in SCORE_WORDS - METRIC_NAMES
    if not is_called or not column.is_text or column.is_numeric or column.is_damaged:
        return column
    matches = [_RATING.fullmatch(text) for text in column.labels[:_MOST_RATINGS]]
    read = [match for match in matches if match]
    is_rated = len({match[2] for match in read}) == 1 and len(read) == sum(map(bool, column.labels))
    if not is_rated:
        return column
    texts = [match[1] if match else "" for match in matches]
    note = f"{read[0][0]} is read as {read[0][1]}"
    return replace(column, cells=ids.take(ids.encode(texts), column.codes), note=note)


def _named_by(column: ScoreColumn, names: Collection[str]) -> ScoreColumn:
    """Mark a text column as ids if its name is one of ``names``."""
    is_name = column.is_name or (column.is_text and folded(column.name) in names)
    return replace(column, is_name=is_name)


def _cells(column: ScoreColumn, *, marked: bool) -> _Cells | None:
    """Return the cells that need conversion; None for text columns and plain numbers."""
    if not column.is_text or column.is_name:
        return None
    rows = np.flatnonzero(~column.empty)
    probe = [text.strip() for text in ids.decode(ids.take(column.cells, rows[:_PROBED]))]
    bare = (match[1] if (match := _PERCENT.fullmatch(x)) else x for x in map(_bare, probe))
    n_like = sum(x.casefold() in BLANKS or bool(_NUMERAL.fullmatch(x)) for x in bare)
    if 2 * n_like < len(probe) or not len(rows) or not (marked or column.wrong.any()):
        return None
    filled = ids.take(column.cells, rows)
    mark = "," if any("," in text for text in probe) else "."
    if kernels.all(_matching(_DECIMAL[mark], filled)).as_py():  # avoids looking at single cells
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
    if not any(map(_NUMERAL.fullmatch, plain)):
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
        bared=next((x for x in enumerate(written) if _bare(x[1]) != x[1].strip()), (-1, "")),
    )


def _matching(pattern: re.Pattern[str], cells: Ids) -> Any:  # noqa: ANN401 - of Arrow
    return kernels.match_substring_regex(cells, f"^(?:{pattern.pattern})$")


def _bare(text: str) -> str:
    """Remove currency signs and separating blanks from a text; write minus in ASCII."""
    return _THIN.sub("", _MONEY.sub("", text.strip())).replace("−", "-")


def _plain(cells: _Cells, point: str, delimiter: str) -> ScoreColumn:
    if not cells.texts:
        return cells.column
    texts, notes, fault = cells.texts, [], ""
    point = cells.point or point
    unclear = {mark: [text for text in texts if _UNCLEAR[mark].fullmatch(text)] for mark in ".,"}
    if not point:
        # Where commas separate cells, a quoted comma is a thousands separator.
        point = "." if delimiter == "," or not unclear[","] else ","
        mark = "," if unclear[","] else "."
        if cells.whole and unclear[mark] and delimiter != ",":
            text = unclear[mark][0]
            fault = (
                f"{text} stands beside whole numbers: is it {text.replace(mark, '')}, or a"
                f" fraction? Write {text.replace(mark, '')}, or {text.replace(mark, '.')}0"
            )
    group = "," if point == "." else "."
    if any(group in text and _NUMERAL.fullmatch(text) for text in texts):
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
        texts = [f"{text}e-2" if _NUMERAL.fullmatch(text) else text for text in texts]
        notes.append("per cent are read as shares: 50% is 0.5")
    elif cells.percent:
        fault = (
            f"{cells.percent} of {cells.filled} cells have a sign of per cent: write all with it,"
            " or all as shares (0.503 for 50.3%)"
        )
    if cells.bared[1]:
        notes = [f"{cells.bared[1]} is read as {texts[cells.bared[0]]}"]
    column = replace(cells.column, cells=ids.take(ids.encode(texts), cells.codes))
    if not column.is_numeric and not column.is_damaged and not fault:
        return cells.column
    return replace(column, note="; ".join(notes), fault=fault)
