"""A set of query ids that is not the one of its hash is refused, with the file that holds it."""

from __future__ import annotations

import pytest

from abrank._support.errors import ReadError
from abrank.ledger.store import _text, _unpacked


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"[", "cannot be read"), (b'["q1"]', "the set of queries 0123 was changed since")],
)
def test_another_set_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=rf"gates.*{said}"):
        _unpacked("0123", raw, "gates")


def test_a_file_that_is_no_text_is_refused(tmp_path) -> None:
    (tmp_path / "entry.json").write_bytes(b"\xff\xfe\xff")
    for name in ("entry.json", "none.json"):
        with pytest.raises(ReadError, match=rf"{name}.*cannot be read"):
            _text(tmp_path / name)
