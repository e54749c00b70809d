"""Parsers that know one way to read a file and refuse all else; written for the tests alone."""

import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

from abrank.inputs.columns import found_in

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
BLANKS = " \t\v\f\r"
WIDE_BLANKS = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
MOST_ID = 65_536
# What is left of a column's name can be a name of the ids too.
QUERY_IDS = ("query_id", "qid", "q_id", "_id", "id", "query")


class Refused(Exception):
    """The text is not of this form."""


def require(condition: bool) -> None:
    """Refuse the text unless this holds."""
    if not condition:
        raise Refused


def trec_lines(data: bytes, width: int, *, more: bool) -> list[list[str]]:
    """Fields of a TREC file, one character a byte; comments and blank lines left out."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = []
    for line in text.split("\n"):
        require(len(line) <= 1 << 20)
        fields = re.findall(f"[^{BLANKS}]+", line)
        if not fields:
            continue
        try:
            require("\0" not in line)
            require(len(fields) == width or (more and len(fields) > width))
            require(len(fields) == width or "\r" not in line.strip(BLANKS))
            require(max(map(len, fields[:3:2] if more else fields[:3])) <= MOST_ID)
            (number if more else grade)(fields[4 if more else 3])
        except Refused:
            if line.startswith("#") and "\0" not in line:
                continue
            raise
        lines.append(fields)
    require(bool(lines) or more)  # a run without lines is of a system that found nothing
    return lines


def number(text: str) -> float:
    """A finite decimal number, rounded to the nearest double by exact arithmetic."""
    require(NUMBER.fullmatch(text) is not None)
    exponent = text.lower().partition("e")[2]
    # Beyond this the exact number has no place in memory; Python's own reading is taken.
    value = float(text) if len(exponent) > 4 else float_of(Fraction(text))
    require(math.isfinite(value))
    return value


def grade(text: str) -> float:
    """A whole number of up to 18 digits, or one with a fraction."""
    if re.fullmatch(r"[+-]?0*\d{1,18}", text, re.ASCII):
        return float(int(text))
    value = number(text)
    require(abs(value) < 2**53 and not re.fullmatch(r"[+-]?\d+", text))
    return value


def float_of(value: Fraction) -> float:
    """The nearest double, infinite beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def run(data: bytes) -> dict[str, dict[str, float]]:
    """Scores by query and document."""
    rows = [(f[0], f[2], number(f[4])) for f in trec_lines(data, 6, more=True)]
    require(bool(rows))
    return nested(rows)


def qrels(data: bytes) -> dict[str, dict[str, float]]:
    """Grades by query and document."""
    rows = []
    for query, _, document, text in trec_lines(data, 4, more=False):
        rows.append((query, document, grade(text)))
    return nested(rows)


def nested(rows: Sequence[tuple[str, str, float]]) -> dict[str, dict[str, float]]:
    """Refuse a document twice in a query."""
    result: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        require(document not in result.setdefault(query, {}))
        result[query][document] = value
    return result


def scores(data: bytes) -> list[tuple[str, str, float]]:
    """Measure, query and value of lines in trec_eval's form."""
    result = []
    data = data.removeprefix(b"\xef\xbb\xbf")
    text = data.decode("utf-8", "surrogateescape")
    first = next((line for line in text.split("\n") if line.strip()), "")
    if re.search("[\udc80-\udcff]", first):  # no UTF-8: Windows-1252, where it is that
        with suppress(UnicodeDecodeError):
            text = data.decode("cp1252")
    for line in text.split("\n"):
        if not line.strip(BLANKS):
            continue
        fields = [part.strip(BLANKS) for part in line.split("\t")]
        fields = fields if len(fields) > 1 else re.findall(f"[^{BLANKS}]+", line)
        require(len(fields) == 3 and bool(fields[0]) and bool(fields[1]))
        result.append((fields[0], fields[1], number(fields[2].strip(WIDE_BLANKS))))
    return result


def topics(data: bytes) -> dict[str, str]:
    """Texts by query, of lines with a tab or of JSON."""
    result: dict[str, str] = {}
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff")
    with suppress(ValueError, RecursionError):
        tree = json.loads(lines)
        if isinstance(tree, dict) and tree and not found_in([*tree], [QUERY_IDS]):
            return {name: " ".join(str(text).split()) for name, text in tree.items() if text}
    for line in lines.split("\n"):
        if not line.strip():
            continue
        if line.lstrip().startswith("{"):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise Refused from None
            query, text = record.get("_id"), record.get("text")
            require(type(query) in (str, int, float) and type(text) in (str, int, float))
        else:
            query, _, text = line.rstrip("\r").partition("\t")
        query, text = str(query).strip(), " ".join(str(text).split())
        require(bool(query) and bool(text) and query not in result)
        result[query] = text
    require(bool(result))
    return result


def segments(data: bytes) -> dict[str, dict[str, str]]:
    """Segments by property and query, of a table without quotes."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    rows = [x.split(",") for x in text.replace("\r", "\n").split("\n") if x.strip()]
    require(bool(rows) and {*"\t\0"}.isdisjoint(text))
    header = rows[0]
    indexes = found_in(header, [(name,) for name in QUERY_IDS])  # the one rule of such names
    require(bool(indexes) and len(header) > 1)
    require(max(len(cell) for row in rows for cell in row) <= 131_072)
    position = indexes[0]
    names = [name for i, name in enumerate(header) if i != position]
    require(len(set(names)) == len(names) and all(map(str.strip, names)))
    require(all(len(row) == len(header) and row[position].strip() for row in rows[1:]))
    require(len({row[position] for row in rows[1:]}) == len({tuple(row) for row in rows[1:]}))
    return {
        name: {row[position]: row[i] for row in rows[1:] if row[i]}
        for i, name in enumerate(header)
        if i != position
    }
