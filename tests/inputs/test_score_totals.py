"""A last row of a table that is the mean or the sum of the others is no query."""

import numpy as np
import pandas as pd
import pytest

from abrank import read_scores

N = 20
RNG = np.random.default_rng(3)
WIDE = pd.DataFrame({
    "query": [f"q{i:02}" for i in range(N)],
    "old": RNG.random(N).round(3), "new": RNG.random(N).round(3),
})  # fmt: skip


def written(frame, path):
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", ["TOTAL", "Total", "Mean", "Average", "Grand total", "(All)"])
@pytest.mark.parametrize("kind", ["mean", "sum"])
def test_a_row_of_means_or_sums_is_left_out(name, kind, tmp_path) -> None:
    last = {"query": name, **WIDE[["old", "new"]].agg(kind).round(4)}
    scores = read_scores(written(pd.concat([WIDE, pd.DataFrame([last])]), tmp_path / "a.csv"))
    np.testing.assert_array_equal(scores.values[:, :, 0], WIDE[["old", "new"]].to_numpy())
    assert any(f"{name}: 1 row left out" in note for note in scores.notes)


@pytest.mark.parametrize("name", ["Grand Total", "Total", "Row total"])
def test_a_column_of_totals_is_left_out(name: str) -> None:
    frame = WIDE.assign(**{name: WIDE[["old", "new"]].agg("mean", axis=1)})
    assert read_scores(frame).systems == ("old", "new")


def test_a_row_of_each_variant_is_left_out(tmp_path) -> None:
    frame = WIDE.melt("query", var_name="variant", value_name="ndcg")
    means = frame.groupby("variant", as_index=False)["ndcg"].mean().assign(query="Average")
    scores = read_scores(written(pd.concat([frame, means]), tmp_path / "a.csv"))
    assert len(scores.query_ids) == N
    parts = [part for name, part in frame.groupby("variant", sort=False)]
    blocks = [pd.concat([part, means[means.variant == part.variant.iloc[0]]]) for part in parts]
    scores = read_scores(written(pd.concat(blocks), tmp_path / "c.csv"))  # below its own block
    assert len(scores.query_ids) == N
    mean = pd.DataFrame([{"query": "Total", "variant": "", "ndcg": frame["ndcg"].mean()}])
    scores = read_scores(written(pd.concat([frame, mean]), tmp_path / "b.csv"))
    assert len(scores.query_ids) == N


def test_a_query_that_is_called_so_stays_and_is_named(tmp_path) -> None:
    last = {"query": "total", "old": 0.001, "new": 0.999}
    scores = read_scores(written(pd.concat([WIDE, pd.DataFrame([last])]), tmp_path / "a.csv"))
    assert len(scores.query_ids) == N + 1
    assert any("counts as a query" in note for note in scores.notes)
    within = pd.concat([pd.DataFrame([last]), WIDE])
    assert len(read_scores(written(within, tmp_path / "b.csv")).query_ids) == N + 1


def test_a_zero_with_an_exponent_beyond_all_numbers_is_zero(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("map\tq1\t0e4000\nmap\tq2\t0.4\nmap\tall\t0.2\n")
    assert read_scores(tmp_path / "a.txt").values.ravel().tolist() == [0.0, 0.4]
