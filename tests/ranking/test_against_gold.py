"""The pairs of a ranking against stored p-values and their adjustments by statsmodels."""

import csv

import numpy as np
import pytest

import abrank
from abrank.inference import adjust
from tests.gold import left_out


@pytest.mark.slow
def test_pairs_of_three_collections_are_those_of_multiple_comparisons_tsv(shared_data) -> None:
    with (shared_data / "multiple_comparisons.tsv").open(newline="") as file:
        rows = [
            row for row in csv.DictReader(file, delimiter="\t")
            if (row["family"], row["statistic"]) == ("AP", "ttest_p")
        ]  # fmt: skip
    named: dict[str, set[str]] = {}
    for row in rows:
        folder, _, pair = row["pair"].partition(":")
        named.setdefault(folder, set()).update(pair.split("|"))
    result = {}
    for folder, systems in named.items():
        paths = {
            path.name.partition(".")[0]: path for path in (shared_data / folder / "runs").iterdir()
        }
        if not systems <= paths.keys():
            left_out(f"all runs of {folder}")
        (qrels,) = (shared_data / folder).glob("qrels.txt*")
        runs = {system: str(paths[system]) for system in sorted(systems)}
        options = {"test": "t", "adjust": "none", "scoring": abrank.Scoring(score_dtype="float32")}
        for row in abrank.rank(str(qrels), runs, measures="AP", **options).pair_rows:
            result[folder, frozenset((row.a, row.b))] = row.pvalue
    pvalues = []
    for row in rows:
        folder, _, pair = row["pair"].partition(":")
        pvalues.append(result[folder, frozenset(pair.split("|"))])
        assert pvalues[-1] == pytest.approx(float(row["p"]), rel=1e-9)
    for method in ("bonferroni", "holm", "hochberg", "bh", "by"):
        expected = [float(row[method]) for row in rows]
        np.testing.assert_allclose(adjust(pvalues, method), expected, rtol=1e-9)
