"""Entries and sets of query ids that were cut, changed or made by others are refused."""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import asdict, fields

import pytest

from abrank._support.errors import ReadError
from abrank.cli import run
from abrank.ledger import open_ledger
from abrank.ledger.entry import Entry, _digest
from abrank.ledger.store import _text, _unpacked
from tests.ledger.made import QUERIES, entry

DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"[", "cannot be read"),
        (b"[1, 2]", "cannot be read"),
        (b"7", "cannot be read"),
        (DEEP, "cannot be read"),
        (b'["q1"]', "the set of queries 0123 was changed since"),
    ],
)
def test_another_set_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=rf"gates.*{said}"):
        _unpacked("0123", raw, "gates")


@pytest.mark.parametrize("raw", [b"no zlib", "text", 7, None, zlib.compress(b"[]")[:4]])
def test_a_packed_set_that_is_none_is_refused(raw) -> None:
    with pytest.raises(ReadError, match=r"gates.*cannot be read"):
        _unpacked("0123", raw, "gates", zlib.decompress)


def test_a_file_that_is_no_text_is_refused(tmp_path) -> None:
    (tmp_path / "entry.json").write_bytes(b"\xff\xfe\xff")
    for name in ("entry.json", "none.json"):
        with pytest.raises(ReadError, match=rf"{name}.*cannot be read"):
            _text(tmp_path / name)


@pytest.mark.parametrize("name", [each.name for each in fields(Entry) if each.name != "key"])
@pytest.mark.parametrize("value", [None, [], {}, "?", 10**400])
def test_an_entry_of_other_types_is_refused_though_its_key_fits(name, value) -> None:
    values = {**asdict(entry(1)), name: value}
    if {str: "str", int: "int"}.get(type(value)) == Entry.__annotations__[name] and name not in (
        "rule",
        "verdict",
    ):
        return
    kept = {each: values[each] for each in values if each not in ("key", "created")}
    with pytest.raises(ReadError, match=r"gates.*(no entry of a ledger|changed since)"):
        Entry.from_json(json.dumps({**values, "key": _digest(kept)}), "gates")


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"a": 1}', DEEP.decode()])
def test_what_is_no_entry_is_refused(text) -> None:
    with pytest.raises(ReadError, match=r"gates.*no entry of a ledger"):
        Entry.from_json(text, "gates")


@pytest.mark.parametrize("name", ["gates", "gates.sqlite"])
def test_a_damaged_ledger_is_read_or_refused_by_a_sentence(tmp_path, capsys, name) -> None:
    place, drawn = tmp_path / name, random.Random(0)
    ledger = open_ledger(place, create=True)
    for number in range(4):
        ledger.add(entry(number), QUERIES)
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    for i in range(40):
        file = files[i % len(files)]
        whole = file.read_bytes()
        at, n = drawn.randrange(len(whole)), drawn.randrange(1, 200)
        file.write_bytes(whole[:at] + (drawn.randbytes(n) + whole[at + n :] if i % 2 else b""))
        code, said = run(["history", str(place)]), capsys.readouterr().err
        assert code in (0, 2, 3), said
        assert (code == 0) or said.startswith("error: "), said
        file.write_bytes(whole)
    assert run(["history", str(place)]) == 0
