"""Every result in numbers at full precision: plain values and JSON, CSV, Parquet."""

from abrank.report.data import csv_text


def test_a_formula_in_csv_begins_with_an_apostrophe() -> None:
    assert (
        csv_text(["system", "mean"], [("=A", 0.1), ("B", float("nan"))])
        == "system,mean\n'=A,0.1\nB,\n"
    )
