"""What a report is: headline, sections and their blocks, without any markup."""

from abrank.report.model import Cell, Column, Table


def test_a_table_with_a_hash_is_wide() -> None:
    columns = (Column("Input", numeric=False), Column("sha256", numeric=False))
    assert [
        Table("t", columns, ((Cell("A"), Cell(text * 64)),)).is_wide for text in ("0", "0 ")
    ] == [True, False]
