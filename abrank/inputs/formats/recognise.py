"""Which form a file has, by how it begins and never by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from abrank.inputs.columns import RUN, Columns, Layout
from abrank.inputs.formats import arrow_file, delimited, letor, tree
from abrank.inputs.objects.names import choose_columns, holds_ranks
from abrank.inputs.objects.read import of_table
from abrank.inputs.trec.plain import BYTE_ORDER_MARK

TableReader: TypeAlias = Callable[[bytes, str, Layout, Mapping[str, str] | None], Columns]
BinaryReader: TypeAlias = Callable[..., Columns]  # of a TableReader's, and how much there may be
LineReader: TypeAlias = Callable[[bytes, str, Layout], Columns]

_LOOKED_AT = 20  # lines
_WIDTHS = {6: "a TREC run", 4: "TREC judgments", 3: "a run of three columns"}


def binary_reader(start: bytes) -> BinaryReader | None:
    """Return the reader of a binary file, by its first bytes; None for text."""
    if arrow_file.kind_of(start):
        return _read_arrow
    return tree.read_lz4 if start.startswith(tree.LZ4_MARK) else None


def table_reader(start: bytes) -> TableReader | None:
    r"""Return the reader of a text that has names for its columns; None for any other."""
    if tree.looks_like_json(start.removeprefix(BYTE_ORDER_MARK)):
        return tree.read_json
    lines = _first_lines(start)
    return delimited.read_table if lines and delimited.header_of(lines[0])[1] else None


def line_reader(start: bytes, layout: Layout) -> LineReader | None:
    r"""Return the reader of lines that are not in TREC's form, by the first of them."""
    lines = _first_lines(start)
    if lines and letor.looks_like_letor(lines[0]):
        return letor.read_letor
    three = layout is RUN and lines and all(len(line.split()) == 3 for line in lines)
    return delimited.read_three if three else None


def likeness(start: bytes) -> str:
    """Say what an unpacked file looks like by its beginning; empty where that is not clear."""
    kind = arrow_file.kind_of(start)
    if kind or start.startswith(tree.LZ4_MARK):
        return f"a file of {kind or 'ranx'}"
    reader = table_reader(start)
    if reader is not None:
        return "JSON" if reader is tree.read_json else "a table of text"
    lines = _first_lines(start)
    if lines and letor.looks_like_letor(lines[0]):
        return "LETOR lines"
    if lines and lines[0].lower().lstrip().startswith((b"<!doctype html", b"<html")):
        return "a page of HTML"
    widths = {len(line.split()) for line in lines[:-1] or lines}  # the last may be cut
    return _WIDTHS.get(widths.pop(), "") if len(widths) == 1 else ""


def _first_lines(start: bytes) -> list[bytes]:
    lines = start.removeprefix(BYTE_ORDER_MARK).split(b"\n")[:_LOOKED_AT]
    return [line for line in lines if line.strip() and not line.startswith(b"#")]


def _read_arrow(
    data: bytes,
    label: str,
    layout: Layout,
    columns: Mapping[str, str] | None,
    *,
    most: int | None = None,
) -> Columns:
    chosen: list[str] = []

    def choose(names: Sequence[str]) -> Sequence[str]:
        chosen[:] = choose_columns(names, layout, columns, label=label)
        return chosen

    found = arrow_file.columns_of(data, label, choose, most=most)
    return of_table(found, label, layout, ranks=holds_ranks(chosen[2], layout))
