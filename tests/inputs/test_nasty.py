"""Every file of the collection of nasty inputs: read as trec_eval reads it, or refused in words."""

import pytest

from abrank import AbrankError, AlignmentError, ReadError, read_qrels, read_run
from abrank.inputs import read_judged_run
from abrank.inputs.columns import QRELS, RUN, Layout
from abrank.inputs.files import contents
from abrank.inputs.trec import BYTE_ORDER_MARK
from tests.inputs.test_trec import is_read_fast

SAME_AS_BASE = [
    "tabs_multispace", "leading_trailing_space", "crlf", "crlf_both", "trailing_blank_lines",
    "inner_blank_lines", "no_final_newline", "shuffled", "rank_column_zero",
    "rank_column_reversed", "rank_column_text", "q0_column_any", "sci_notation", "many_digits",
    "negative_scores", "seven_columns", "number_spellings", "extra_topic", "qrels_tabs",
    "long_docids", "utf8_quotes", "type_traps", "unicode_space", "float32_ties",
]  # fmt: skip

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


def joined(folder, run, qrels) -> tuple[list[int], ...]:
    judged = read_judged_run(read_qrels(folder / qrels), folder / run).judged
    arrays = (judged.query, judged.rank, judged.grade, judged.n_retrieved, judged.ideal_grade)
    return tuple(array.tolist() for array in arrays)


@pytest.fixture(scope="module")
def nasty(shared_data):
    return shared_data / "nasty"


@pytest.mark.parametrize("name", SAME_AS_BASE)
def test_legal_files_that_mean_the_same(nasty, name) -> None:
    text = nasty / "legal" / f"{name}.qrels"
    rest = {"crlf_both": "crlf.qrels", "qrels_tabs": "tabs.qrels"}
    qrels = text.name if text.exists() and name != "crlf" else rest.get(name, "base.qrels")
    expected = joined(nasty, "legal/base.run", "legal/base.qrels")
    assert joined(nasty, f"legal/{name}.run", f"legal/{qrels}") == expected


@pytest.mark.parametrize(("run", "qrels"), [
    *((name, "legal/base.qrels") for name in ("comment_lines.run", "bom.run")),
    *((name, "legal/base.qrels") for name in ("mixed_tags.run", "not_gzip.run.gz")),
    ("latin1.run", "odd/latin1.qrels"),
])  # fmt: skip
def test_odd_files_that_mean_the_same(nasty, run, qrels) -> None:
    expected = joined(nasty, "legal/base.run", "legal/base.qrels")
    assert joined(nasty, f"odd/{run}", qrels) == expected


def test_minus_zero_is_a_tie(nasty) -> None:
    expected = joined(nasty, "legal/ties_all.run", "legal/base.qrels")
    assert joined(nasty, "legal/minus_zero.run", "legal/base.qrels") == expected


@pytest.mark.every_case
@pytest.mark.parametrize("name", [*ILLEGAL, *ODD_REFUSED])
def test_illegal_files_are_refused_in_words(nasty, name) -> None:
    path = nasty / ("illegal" if name in ILLEGAL else "odd") / name
    with pytest.raises(ReadError) as caught:
        (read_qrels if name.endswith(".qrels") else read_run)(path)
    assert str(path) in str(caught.value)
    assert (ILLEGAL | ODD_REFUSED)[name] in str(caught.value)


def test_no_common_topic(nasty) -> None:
    with pytest.raises(AlignmentError, match=r'no_common_topic\.run\n.*the prefix "x"'):
        joined(nasty, "illegal/no_common_topic.run", "legal/base.qrels")


def test_no_file_is_left_untested(nasty) -> None:
    listed = {path.name for folder in ("illegal", "odd") for path in (nasty / folder).iterdir()}
    accepted = {"comment_lines.run", "bom.run", "mixed_tags.run", "not_gzip.run.gz"}
    accepted |= {"latin1.run", "latin1.qrels", "no_common_topic.run", "float_grade.qrels"}
    assert listed == {*ILLEGAL, *ODD_REFUSED} | accepted


def test_both_parsers_agree_on_every_file(nasty) -> None:
    fast_ways = 0
    for path in sorted(nasty.glob("*/*")):
        layout: Layout = QRELS if path.suffix == ".qrels" else RUN
        try:
            data = contents(path)[0].removeprefix(BYTE_ORDER_MARK)
        except AbrankError:
            continue
        fast_ways += is_read_fast(data, layout)
    assert fast_ways > 30
