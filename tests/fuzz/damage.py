"""Damage to the bytes of a file, and what a reader makes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from abrank import AbrankError
from tests.fuzz import strict

SIZES = [120, pytest.param(10_000, marks=pytest.mark.slow)]


def trying(n: int) -> settings:
    return settings(max_examples=n, deadline=None, suppress_health_check=list(HealthCheck))


Read = Callable[[Path], Any]

# What is odd somewhere: blanks, ends, marks, numbers that programs read differently.
ODD = [
    b"", b" ", b"\t", b"\v", b"\f", b"\r", b"\n", b"\r\n", b"\n\n", b"\0", b"#", b"\n#", b",", b"{",
    b"\xef\xbb\xbf", b"\xff", b"\xc2\xa0", b"\xe2\x80\xa8", b"nan", b"inf", b"-", b"+", b".", b"e",
    b"0x1f", b"1e5", b"1e400", b"0e400", b"1e-400", b"1,5", b"1_0", b".5", b"5.", b"-0", b"9" * 19,
    b"9" * 400, b"0" * 400 + b"1", b"all", b"x" * 65_536, b"x" * 65_537,
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, lines: list[bytes]) -> bytes:
    """Some lines in some order, with up to three pieces put in or taken out."""
    picked = draw(st.lists(st.sampled_from(lines), min_size=0, max_size=8))
    data = lines[0] + b"".join(picked) if draw(st.integers(0, 9)) else b"".join(picked)
    for _ in range(draw(st.integers(0, 3))):
        position = draw(st.integers(0, len(data)))
        end = min(len(data), position + draw(st.integers(0, 4)))
        data = data[:position] + draw(st.sampled_from(ODD)) + data[end:]
    return data


def outcome(read: Read, *about: Any) -> Any:
    """What a reader gives, or None where it refuses in a message of a decent length."""
    try:
        return read(*about)
    except strict.Refused:
        return None
    except AbrankError as error:
        refusal = error
    assert refusal.exit_code == 3
    assert 10 < len(str(refusal)) < 10_000
    return None
