"""The fast parser gives what the careful one gives, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abrank.inputs import ids
from abrank.inputs.columns import QRELS, RUN, Gathered, Layout
from abrank.inputs.trec.lines import parse_fast, read_lines

LINE = b"301 Q0 d1 1 2.5 tag\n"

TOKEN = st.one_of(
    st.sampled_from(
        [
            *(b"1", b"01", b"-1", b"+1", b"0x1f", b"1e5", b"2.5", b".5", b"3.", b"nan", b"inf"),
            *(b"1e999", b"1" * 19, b"true", b"Q0", b"#", b"#a", b'"', b'"a', b"\\", b","),
            *(b"\xe9", b"a\xc2\xa0b", b"\xef\xbb\xbf", b"\x1c", b"\x00", b""),
        ]
    ),
    st.binary(max_size=3),
)
BLANKS = st.sampled_from([b" ", b"\t", b"  ", b" \t", b"\r", b"\v", b"\f"])
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n", b"\n ", b"\n#x\n"])


GOOD = {
    RUN: [
        *([b"1", b"2"], [b"Q0", b"x"], [b"d", b"\xe9", b'"'], [b"1", b"02"]),
        *([b"2.5", b"-3e1", b".5", b"7"], [b"t", b"u"], [b"more"]),
    ],
    QRELS: [[b"1", b"2"], [b"0"], [b"d", b"\xe9", b'"'], [b"0", b"-1", b"2"]],
}


@st.composite
def texts(draw: st.DrawFn) -> tuple[bytes, Layout]:
    """Draw files that are right or nearly right."""
    layout = draw(st.sampled_from([RUN, QRELS]))
    n_fields = draw(st.sampled_from([layout.n_fields] * 3 + [layout.n_fields + 1]))
    odd = draw(st.sampled_from([0, 0, 1]))
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        fields = [draw(st.sampled_from(choice)) for choice in GOOD[layout][:n_fields]]
        if odd and draw(st.booleans()):
            fields[draw(st.integers(0, len(fields) - 1))] = draw(TOKEN)
        end = draw(ENDS) if odd else b"\n"
        lines.append(draw(BLANKS).join(fields) + end)
    start = draw(st.sampled_from([b"", b"", b" ", b"\n", b"\xef\xbb\xbf", b"#"]))
    return start + b"".join(lines), layout


@given(texts())
@example((b" \xef\xbb\xbf1 0 d 1\n", QRELS))
@example((b"1 0 d 0x1\n", QRELS))
@example((b"1 Q0 d 0x1 1 t\n", RUN))
@example((b"1 0 d 1\n# 0 d 1\n", QRELS))
def test_the_fast_parser_gives_what_the_careful_one_gives(drawn: tuple[bytes, Layout]) -> None:
    data, layout = drawn
    fast = parse_fast(data, layout)
    if fast is None:
        return
    gathered = Gathered(layout, "a.run")
    read_lines(gathered, data)
    careful = gathered.joined()
    assert ids.unpack(fast.query) == ids.unpack(careful.query)
    assert ids.unpack(fast.doc) == ids.unpack(careful.doc)
    assert fast.value.tolist() == careful.value.tolist()
    assert fast.value.dtype == careful.value.dtype
    assert fast.position.tolist() == careful.position.tolist()
    assert fast.tags == careful.tags
    assert (fast.rank is None) == (careful.rank is None)
    assert fast.rank is None or fast.rank.tolist() == careful.rank.tolist()


@pytest.mark.parametrize(
    "data",
    [
        LINE,
        LINE.rstrip(),
        LINE.replace(b" ", b"\t  "),
        LINE.replace(b"\n", b"\r\n") * 3,
        LINE + b"\n",
    ],
)
def test_plain_files_take_the_fast_way(data: bytes) -> None:
    assert parse_fast(data, RUN) is not None
    assert parse_fast(data, QRELS) is None
