"""Every file of the collection of nasty inputs: the values of trec_eval, or a refusal in words."""

import csv

import numpy as np
import pytest

from abrank import AbrankError, AlignmentError, ReadError, evaluate, read_qrels, read_run
from abrank.inputs import ids
from abrank.inputs.columns import QRELS, RUN, Gathered, Layout
from abrank.inputs.files import contents
from abrank.inputs.trec import BYTE_ORDER_MARK, parse_fast, read_lines
from tests.gold import gold_data

NASTY = gold_data() / "nasty"

ILLEGAL = {
    "five_columns.run": "line 1: expected 6 fields, found 5",
    "one_line_five_columns.run": "line 8: expected 6 fields, found 5",
    "non_numeric_score.run": 'line 5: score "high" is not a number',
    "nan_score.run": "line 5: score is NaN (query 303)",
    "inf_score.run": "line 5: score is infinite (query 303)",
    "duplicate_doc.run": "lines 3 and 101: document FBIS3-42547 twice in query 303",
    "binary.run": "is no text file: it holds bytes that no text has",
    "truncated.run.gz": "the gzip archive is cut short",
    "nul_byte.run": "line 1: holds a NUL byte",
    "qrels_as_run.run": "this looks like qrels",
    "three_columns.qrels": "line 1: expected 4 fields, found 3",
    "text_grade.qrels": 'line 1: grade "no" is not a number',
    "duplicate.qrels": "lines 1 and 231: document FBIS3-42547 twice in query 303, both graded 0",
    "conflicting.qrels": "twice in query 303, graded 0 and 1: they contradict",
    "empty.qrels": "no lines",
    "empty.run": "is an empty run",
    "blank_only.run": "is an empty run",
}

ODD_REFUSED = {
    "hex_score.run": 'line 1: score "0x1p10" is not a number',
    "junk_after_number.run": 'line 1: score "5.2682abc" is not a number',
    "decimal_comma.run": "a decimal point is needed, not a comma",
}


def legal() -> list[dict[str, str]]:
    """Rows of what trec_eval and abrank read, or abrank alone."""
    with (NASTY / "expected.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [
            row for row in rows if row["kind"] != "illegal" and row["run"][4:] not in ODD_REFUSED
        ]


@pytest.mark.every_case
@pytest.mark.parametrize("row", legal(), ids=lambda row: row["run"])
def test_legal_files_give_the_values_of_trec_eval(row) -> None:
    scores = evaluate(NASTY / row["qrels"], {"A": NASTY / row["run"]}, ["AP", "nDCG"])
    # What it does not read, or reads as something else, has the values of the plain file.
    expected = row if row["kind"] == "legal" and row["v10_map"] else legal()[0]
    assert [f"{mean:.4f}" for mean in scores.means()[0]] == [
        expected["v10_map"], expected["v10_ndcg"]
    ]  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize("name", [*ILLEGAL, *ODD_REFUSED])
def test_illegal_files_are_refused_in_words(name) -> None:
    path = NASTY / ("illegal" if name in ILLEGAL else "odd") / name
    with pytest.raises(ReadError) as caught:
        (read_qrels if name.endswith(".qrels") else read_run)(path)
    assert str(path) in str(caught.value)
    assert (ILLEGAL | ODD_REFUSED)[name] in str(caught.value)


def test_no_common_topic() -> None:
    with pytest.raises(AlignmentError, match=r'no_common_topic\.run\n.*the prefix "x"'):
        evaluate(NASTY / "legal/base.qrels", {"A": NASTY / "illegal/no_common_topic.run"}, ["AP"])


def is_read_fast(data: bytes, layout: Layout) -> bool:
    """Whether the fast parser reads it, and then as the careful one does."""
    fast = parse_fast(data, layout)
    if fast is None:
        return False
    gathered = Gathered(layout, "a.run")
    read_lines(gathered, data)
    careful = gathered.joined()
    for name in ("query", "doc"):
        assert ids.unpack(getattr(fast, name)) == ids.unpack(getattr(careful, name))
    for name in ("value", "position", "rank"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(careful, name), strict=True)
    assert fast.tags == careful.tags
    return True


def test_both_parsers_agree_on_every_file() -> None:
    fast_ways = 0
    for path in sorted(NASTY.glob("*/*")):
        layout: Layout = QRELS if path.suffix == ".qrels" else RUN
        try:
            data = contents(path)[0].removeprefix(BYTE_ORDER_MARK)
        except AbrankError:
            continue
        fast_ways += is_read_fast(data, layout)
    assert fast_ways > 30
