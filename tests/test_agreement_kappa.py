"""Kappa and alpha against published examples and statsmodels."""

import itertools

import numpy as np
import pytest
from statsmodels.stats import inter_rater

from abrank import ArgumentError
from abrank.agreement import cohen_kappa, krippendorff_alpha


def coincidences(rows: list[str]) -> np.ndarray:
    """Return the coincidence matrix of judges' values, a text each, a dot for none."""
    values = sorted(set("".join(rows)) - {"."})
    result = np.zeros((len(values),) * 2)
    for unit in zip(*rows, strict=True):
        indexes = [values.index(value) for value in unit if value != "."]
        for first, second in itertools.permutations(indexes, 2):
            result[first, second] += 1.0 / (len(indexes) - 1)
    return result


def test_alpha_of_krippendorffs_examples() -> None:
    # Krippendorff (2011): section A (two judges, two values), B (nominal), C (four judges, gaps).
    assert krippendorff_alpha(coincidences(["0100000010", "1110010000"])) == pytest.approx(
        0.095, abs=5e-4
    )
    nominal = coincidences(["aabbdcccedda", "babbbccceddd"])
    assert krippendorff_alpha(nominal, level="nominal") == pytest.approx(0.692, abs=5e-4)
    four = coincidences(["123321412...", "1233224125.3", ".3332342251.", "12332441251."])
    assert krippendorff_alpha(four, level="nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(four, level="ordinal") == pytest.approx(0.815, abs=5e-4)


def test_kappa_by_hand() -> None:
    # Fleiss's table of two raters: 0.89 agree, 0.66 by chance; (0.89 - 0.66) / (1 - 0.66).
    table = np.array([[75.0, 1, 4], [5, 4, 1], [0, 0, 10]])
    assert cohen_kappa(table) == pytest.approx(0.23 / 0.34)
    assert cohen_kappa(7 * table) == pytest.approx(0.23 / 0.34)


def test_kappa_against_statsmodels() -> None:
    tables = np.random.default_rng(7).integers(0, 30, (5, 4, 4)).astype(float)
    for weights in ("none", "linear", "quadratic"):
        wt = None if weights == "none" else weights
        theirs = [inter_rater.cohens_kappa(table, wt=wt).kappa for table in tables]
        assert cohen_kappa(tables, weights=weights) == pytest.approx(np.array(theirs), abs=1e-12)
    two = tables[:, :2, :2]  # of two grades there is one distance
    assert cohen_kappa(two, weights="quadratic") == pytest.approx(cohen_kappa(two))
    with pytest.raises(ArgumentError, match="weights"):
        cohen_kappa(two, weights="cubic")


def test_one_grade_leaves_nothing_to_agree_on_and_full_agreement_is_one() -> None:
    alone, full = np.array([[8.0, 0], [0, 0]]), np.diag([3.0, 4.0, 1.0])
    assert np.isnan(cohen_kappa(alone))
    assert np.isnan(krippendorff_alpha(2 * alone))
    assert cohen_kappa(full) == krippendorff_alpha(2 * full) == 1.0
