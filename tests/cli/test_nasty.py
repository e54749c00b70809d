"""Files that other programs choke on, through the command line: the right values, or exit 3."""

import csv

import pytest

from abrank.cli import run
from tests.gold import gold_data

NASTY = gold_data() / "nasty"


def rows(kind: str) -> list[dict[str, str]]:
    with (NASTY / "expected.tsv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["kind"] == kind]


def score(row: dict[str, str]) -> int:
    qrels = NASTY / (row["qrels"] or "legal/base.qrels")
    return run(["score", str(qrels), str(NASTY / row["run"]), "-m", "AP", "-m", "nDCG"])


@pytest.mark.parametrize("row", rows("legal"), ids=lambda row: row["run"])
def test_legal_files_give_the_values_of_trec_eval(row, capsys) -> None:
    assert score(row) == 0
    printed = dict(line.split("\t")[1:] for line in capsys.readouterr().out.splitlines())
    # trec_eval itself reads no gzip; the plain file's values hold for it too.
    expected = row if row["v10_map"] else rows("legal")[0]
    assert printed == {"AP": expected["v10_map"], "nDCG": expected["v10_ndcg"]}


FRACTIONS = "illegal/float_grade.qrels"  # trec_eval reads 0.5 as 0 in silence


@pytest.mark.parametrize(
    "row",
    [row for row in rows("illegal") if row["qrels"] != FRACTIONS],
    ids=lambda row: f"{row['run']}-{row['qrels']}",
)
def test_illegal_files_are_refused_by_name(row, capsys) -> None:
    code = score(row)
    out, err = capsys.readouterr()
    gone = not (NASTY / row["run"]).exists() or not (NASTY / row["qrels"]).exists()
    assert code == (2 if gone else 3)
    assert out == ""
    assert err.startswith("error: ")
    assert "Traceback" not in err
    bad = [name for name in (row["run"], row["qrels"]) if name.startswith("illegal/")]
    assert any(str(NASTY / name) in err for name in bad)
    # A file that is missing, empty, no text, cut off, or of other queries has no line to name.
    whole = ("empty", "blank", "binary", "truncated", "no_common", "does_not_exist", "missing")
    if not any(word in name for name in bad for word in whole):
        assert "line" in err
