"""Cells of tables as people and spreadsheets write them."""

import re

import numpy as np
import pytest

from abrank import ReadError, compare_scores, read_scores
from abrank.comparison import pair_scores
from abrank.inputs.score_reading import TableOptions
from abrank.scoring.score_files import read_with_gaps

N = 12
CLICKS = [987, 5188, 12, 608, 7499, 675, 1230, 45, 3021, 999, 1000, 87]


def table(path, cells, *, mark=",", beside=None):
    """Write a table of two systems, the same cells of both."""
    lines = [mark.join(["query", "variant", "clicks", *["ndcg"] * bool(beside)])]
    for i, cell in enumerate(cells):
        for variant in ("control", "treatment"):
            lines.append(
                mark.join([f"q{i:02}", variant, cell, *(beside[i : i + 1] if beside else [])])
            )
    path.write_text("\n".join(lines) + "\n")
    return path


def values(path, measure="clicks") -> np.ndarray:
    scores = read_with_gaps(path, options=TableOptions.of(measures=[measure]))
    return scores.of("control")[:, scores.measures.index(measure)]


GERMAN = [f"{number:,}".replace(",", ".") for number in CLICKS]
ENGLISH = [f"{number:,}" for number in CLICKS]
COMMAS, POINTS = ([f"0{mark}{1000 + i}" for i in range(N)] for mark in ",.")
QUARTERS, MONEY, SHARES = np.array(CLICKS) + 0.25, [1234.5, -12.0, 987.25], [0.503, 1.0, 0.07]
THOUSANDS, AMOUNT = r"clicks: (\d)\.(\d{3}) is read as \1\2$", "is read as 1234.50"
# The cells of a column, the mark between columns, cells beside them, the numbers, and a note.
READ = [
    *((GERMAN, mark, COMMAS, CLICKS, THOUSANDS) for mark in ";\t"),
    ([f"{number},25" for number in GERMAN], ";", None, QUARTERS, "is read as"),
    ([f'"{number}.25"' for number in ENGLISH], ",", None, QUARTERS, "is read as"),
    ([f'"{number}"' for number in ENGLISH], ",", None, CLICKS, "is read as"),
    (ENGLISH, ";", POINTS, CLICKS, "is read as"),
    # Fractions of three digits: no number without a mark stands beside them, or one of four digits.
    (["0.618", "1.188", "2.500"], ";", None, [0.618, 1.188, 2.5], ""),
    (["0,618", "1,188", "2,500"], ";", None, [0.618, 1.188, 2.5], ""),
    (["1.188", "12", "987"], ",", None, [1.188, 12, 987], ""),
    (["50.3%", "100%", "7%"], ",", None, SHARES, "per cent are read as shares"),
    (["50,3 %", "100 %", "7 %"], ";", None, SHARES, "per cent are read as shares"),
    (['"$1,234.50"', "-$12.00", "$987.25"], ",", None, MONEY, AMOUNT),
    (["1.234,50 €", "-12,00 €", "987,25 €"], ";", None, MONEY, AMOUNT),
    (["1\u202f234,50", "-12,00", "987,25"], ";", None, MONEY, AMOUNT),
    (["1'234.50", "-12.00", "987.25"], ";", None, MONEY, AMOUNT),
    (["USD 1 234.50", "USD -12", "USD 987.25"], "\t", None, MONEY, AMOUNT),
    (["−0.01", "−0.5", "0.25"], ",", None, [-0.01, -0.5, 0.25], ""),  # a minus of typesetters
]


@pytest.mark.every_case
@pytest.mark.parametrize(("cells", "mark", "beside", "expected", "note"), READ)
def test_numbers_as_people_write_them(cells, mark, beside, expected, note, tmp_path) -> None:
    path = table(tmp_path / "a.csv", cells, mark=mark, beside=beside)
    np.testing.assert_array_equal(values(path), expected)
    notes = read_with_gaps(path, options=TableOptions.of(measures=["clicks"])).notes
    assert any(re.search(note, line) for line in notes)
    path.write_bytes(path.read_text(encoding="utf-8").encode("utf-16"))
    np.testing.assert_array_equal(values(path), expected)


@pytest.mark.parametrize("mark", [";", "\t"])
@pytest.mark.parametrize("cells", [GERMAN, ENGLISH])
def test_a_mark_that_nothing_explains_is_refused(cells, mark, tmp_path) -> None:
    path = table(tmp_path / "a.csv", cells, mark=mark)
    with pytest.raises(ReadError, match=r"clicks: 5.188 stands beside whole numbers.*Write 5188"):
        read_scores(path)


@pytest.mark.parametrize(
    "blank",
    ["NA", "#N/A", "n/a", "N/A", "NULL", "null", "None", "-", "nan", "NaN", ".", r"\N", "(null)",
     "--", "#DIV/0!"],
)  # fmt: skip
def test_words_for_an_empty_cell_are_empty_cells(blank, tmp_path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"q{i},0.{i + 1},0.{9 - i}" for i in range(8)]
    path.write_text("\n".join(["query,control,treatment", *rows, f"q8,0.5,{blank}"]) + "\n")
    assert pair_scores(path, missing="drop").values.shape == (8, 2, 1)
    with pytest.raises(ReadError, match="query q8 has no score of treatment"):
        compare_scores(path)


def test_some_cells_with_a_sign_of_per_cent_are_refused(tmp_path) -> None:
    path = table(tmp_path / "a.csv", ["50.3%", "74.6", "56.2%"])
    with pytest.raises(
        ReadError, match=r"4 of 6 cells have a sign of per cent: write all"
    ) as error:
        read_scores(path)
    assert str(error.value).count("\n") == 0


@pytest.mark.parametrize(
    "words",
    [("yes", "no"), ("Y", "N"), ("PASS", "FAIL"), ("t", "f"), ("WAHR", "FALSCH"), ("sí", "no")],
)
def test_yes_and_no_are_scores_where_there_are_no_others(words, tmp_path) -> None:
    cells = [words[i % 3 == 0] for i in range(N)]
    path = table(tmp_path / "a.csv", cells)
    np.testing.assert_array_equal(values(path), [float(i % 3 != 0) for i in range(N)])
    yes, no = (word.casefold() for word in words)
    assert any(f"{yes} is read as 1, {no} as 0" in note for note in read_scores(path).notes)
    path = table(tmp_path / "b.csv", cells, beside=[f"0.{1000 + i}" for i in range(N)])
    assert read_scores(path).measures == ("nDCG",)  # a property of the query
    assert {*read_scores(path).reading.properties["clicks"].values()} == {*words}


def test_the_first_three_of_many_bad_lines_are_shown(tmp_path) -> None:
    cells = [f"0.{i + 10}" if i % 2 else "high" for i in range(N)]
    with pytest.raises(ReadError, match='score "high" is not a number') as error:
        read_scores(table(tmp_path / "a.csv", cells))
    assert str(error.value).count("high") == 6  # a sentence and the line of each
    assert "12 bad lines in all; the first 3 are shown" in str(error.value)
