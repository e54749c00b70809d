"""Names of columns in two rows, below a title, and beside separators at the ends of lines."""

import numpy as np
import pandas as pd
import pytest

from abrank import ReadError, compare_scores, read_scores

QUERIES = [f"q{i:02}" for i in range(20)]
RNG = np.random.default_rng(3)
TABLE = pd.DataFrame({
    "query": QUERIES * 2,
    "variant": ["control"] * 20 + ["treatment"] * 20,
    "ndcg": RNG.random(40).round(3),
    "recall": RNG.random(40).round(3),
})  # fmt: skip
WIDE = TABLE.pivot(index="query", columns="variant", values="ndcg")
EXPECTED = compare_scores(TABLE, measures="ndcg")


def test_two_rows_of_names_of_a_pivot(tmp_path) -> None:
    pivot = TABLE.pivot(index="query", columns="variant", values=["ndcg", "recall"])
    pivot.to_csv(tmp_path / "a.csv")
    _, _, _, *rows = (tmp_path / "a.csv").read_text().splitlines()
    merged = ["query,ndcg,,recall,", ",control,treatment,control,treatment", *rows]
    (tmp_path / "b.csv").write_text("\n".join(merged) + "\n")
    for name in ("a.csv", "b.csv"):
        result = compare_scores(tmp_path / name, measures=["ndcg", "recall"])
        assert result.measures == ("nDCG", "recall")
        assert (result.baseline, result.candidate) == ("control", "treatment")
        assert result.pvalue == pytest.approx(EXPECTED.pvalue, rel=1e-12)


def test_two_rows_of_names_beside_an_index_and_above_arms_0_and_1(tmp_path) -> None:
    arms = TABLE.replace({"variant": {"control": "0", "treatment": "1"}})
    for name, table in (("a", TABLE), ("b", arms)):
        pivot = table.pivot(index="query", columns="variant", values=["ndcg"])
        (pivot.reset_index() if name == "a" else pivot).to_csv(tmp_path / name)
        assert compare_scores(tmp_path / name).pvalue == pytest.approx(EXPECTED.pvalue, rel=1e-12)


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("title", [
    "Experiment 42{0}{0}\n{0}{0}\n", "Experiment 42\n\n", "# Experiment 42{0} a{0} b{0} c\n#\n",
    "Experiment 42 of 2026\n\n",  # its words are not those of a judgment
])  # fmt: skip
def test_a_title_above_the_names_is_named_and_left_out(title, mark, tmp_path) -> None:
    decimal = "," if mark == ";" else "."
    text = title.format(mark) + WIDE.to_csv(sep=mark, decimal=decimal)
    (tmp_path / "a.csv").write_text(text)
    assert compare_scores(tmp_path / "a.csv").pvalue == pytest.approx(EXPECTED.pvalue, rel=1e-12)
    assert any(
        "names of its columns: " in note and "Experiment 42" in note
        for note in read_scores(tmp_path / "a.csv").notes
    )
    (tmp_path / "b.csv").write_text(text + f"q99{mark}high{mark}0\n")
    line = len(text.splitlines()) + 1
    with pytest.raises(ReadError, match=f"line {line}: score .high. is not a number"):
        compare_scores(tmp_path / "b.csv")


def test_tables_of_markdown_and_databases_and_r_and_two_files_in_one(tmp_path) -> None:
    names, *rows = [line.split(",") for line in WIDE.to_csv().splitlines()]
    lines = [" | ".join(row) for row in rows]
    rule = "-" * 9
    box = "+".join(["", rule, rule, rule, ""])
    for text in (
        "\n".join([box, f"| {' | '.join(names)} |", box, *(f"| {x} |" for x in lines), box]),
        "\n".join(
            [
                " ".join(f'"{name}"' for name in names),
                *(" ".join((f'"{i}"', *row)) for i, row in enumerate(rows, 1)),
            ]
        ),
        WIDE.reset_index().to_string(),
        WIDE.reset_index().to_string(index=False),
        "\n".join([",".join(names), *(",".join((*row, "")) for row in rows)]),
        "\n".join(f"| {line} |" for line in (" | ".join(names), f"{rule} | ---: | :---:", *lines)),
        "\n".join([f" {' | '.join(names)} ", f"{rule}+{rule}+{rule}", *lines, "(20 rows)"]),
        "\n".join(map(",".join, [names, *rows[:7], names, *rows[7:]])),
    ):
        (tmp_path / "a.txt").write_text(text + "\n")
        result = compare_scores(tmp_path / "a.txt")
        assert result.n_queries == 20
        assert result.pvalue == pytest.approx(EXPECTED.pvalue, rel=1e-12)


def test_separators_at_the_ends_of_lines_make_no_column(tmp_path) -> None:
    lines = [f"{line},," for line in WIDE.to_csv().splitlines()]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    assert compare_scores(tmp_path / "a.csv").pvalue == pytest.approx(EXPECTED.pvalue, rel=1e-12)


def test_names_in_windows_1252_are_read_with_the_whole_table(tmp_path) -> None:
    path = tmp_path / "excel.csv"
    table = TABLE.rename(columns={"ndcg": "Güte"}).assign(
        query=[f"größe {i}" for i in range(20)] * 2
    )
    table.to_csv(path, sep=";", decimal=",", index=False, encoding="cp1252")
    result = compare_scores(path, measures="Güte")
    assert result.mean_difference == EXPECTED.mean_difference
    assert "größe 1" in result.query_ids
    assert any("read as Windows-1252" in remark for remark in result.remarks)
