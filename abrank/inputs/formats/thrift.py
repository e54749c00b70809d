"""Records in Thrift's compact protocol, which Parquet uses: numbers of fields, and their values.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import struct
from typing import Any

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_WHOLE = (4, 5, 6)  # of 16, 32 and 64 bits
_DEEPEST = 32  # records within records; Parquet's are 5 deep


class Malformed(Exception):
    """These bytes are no record."""


def read_struct(data: bytes, at: int = 0, depth: int = 0) -> tuple[dict[int, Any], int]:
    """Return the fields of a record by their number, and where it ends."""
    if depth > _DEEPEST:
        raise Malformed("records within records")
    found: dict[int, Any] = {}
    number = 0
    try:
        while (head := data[at]) != 0:
            at += 1
            kind = head & 15
            if head >> 4:
                number += head >> 4
            else:
                number, at = _signed(data, at)
            if kind in (_TRUE, _FALSE):
                found[number] = kind == _TRUE
            else:
                found[number], at = _value(data, at, kind, depth)
    except (IndexError, struct.error) as error:
        raise Malformed("it is cut short") from error
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in _WHOLE:
        return _signed(data, at)
    if kind == _BINARY:
        length, at = _unsigned(data, at)
        if length > len(data) - at:
            raise Malformed("a text is longer than what is left")
        return data[at : at + length], at + length
    if kind == _STRUCT:
        return read_struct(data, at, depth + 1)
    if kind in (_LIST, _SET):
        return _items(data, at, depth)
    if kind in (_BYTE, _TRUE, _FALSE):  # the latter two only in lists
        return data[at], at + 1
    if kind == _DOUBLE:
        return struct.unpack_from("<d", data, at)[0], at + 8
    raise Malformed(f"a value of the unknown kind {kind}")


def _items(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    if depth > _DEEPEST:
        raise Malformed("lists within lists")
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = _unsigned(data, at)
    if count > len(data) - at:
        raise Malformed("a list is longer than what is left")
    found = []
    for _ in range(count):
        item, at = _value(data, at, kind, depth + 1)
        found.append(item)
    return found, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    if byte < 128:
        return byte, at + 1
    value, shift = byte & 127, 0
    while byte > 127:
        at, shift = at + 1, shift + 7
        if shift > 63:
            raise Malformed("a number of more than 64 bits")
        byte = data[at]
        value |= (byte & 127) << shift
    return value, at + 1
