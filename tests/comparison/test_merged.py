"""A comparison from merged statistics against the one that holds every query."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.comparison.merged import Merged, cells_of, mean_and_error
from abrank.comparison.merging import Properties, compare_statistics
from abrank.comparison.rows import Cell
from abrank.engines import merge
from abrank.engines.merge import exact_sum, statistics_of
from abrank.inference.counted import Counts
from tests.asked import asked, question

NAMES = ("AP", "RR", "P@10")


@pytest.fixture(scope="module")
def frames():
    drawn = np.random.default_rng(8)
    values = drawn.random((900, 2, 3))
    values[:, 1] = np.clip(values[:, 0] + drawn.normal(0.01, 0.1, (900, 3)), 0, 1)
    values[::5, 1] = values[::5, 0]
    values[:, :, 2] = np.round(values[:, :, 2], 1)
    ids = pd.Index([f"q{i:03d}" for i in range(900)], name="query_id")
    return [pd.DataFrame(values[:, s], index=ids, columns=list(NAMES)) for s in range(2)]


def merged(frames, *, clusters=None, segments=None, **keywords):
    values = np.stack([frame.to_numpy() for frame in frames], axis=1)
    ids = list(frames[0].index)
    labels = {name: [of[query] for query in ids] for name, of in (segments or {}).items()}
    statistics = statistics_of(
        ids, values, NAMES, segments=labels,
        clusters=clusters and [clusters[1][query] for query in ids],
    )  # fmt: skip
    return compare_statistics(
        statistics, question(**keywords), clusters=clusters[0] if clusters else ""
    )


def in_memory(frames, *, clusters=None, **keywords):
    given = pd.Series(clusters[1], name=clusters[0]) if clusters else None
    keywords = {"adjust": "holm", **keywords}
    if keywords.get("family") == "fixed-sequence":
        del keywords["adjust"]
    return abrank.compare_scores(
        *frames, **asked(clusters=given, name_a="A", name_b="B", **keywords)
    )


def assert_same(mine, theirs, *, place="", rel=1e-9, error=1e-12):
    """Compare two plain values, floats to rounding."""
    if isinstance(theirs, dict):
        for key, value in theirs.items():
            assert_same(mine[key], value, place=f"{place}.{key}", rel=rel, error=error)
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), place
        for i, (one, two) in enumerate(zip(mine, theirs, strict=True)):
            assert_same(one, two, place=f"{place}[{i}]", rel=rel, error=error)
    elif isinstance(theirs, float):
        assert mine == pytest.approx(theirs, rel=rel, abs=error), place
    else:
        assert mine == theirs, place


MERGED_NOTES = {"losses-behind-the-mean", "few-clusters"}
SEGMENTS = {"kind": {f"q{i:03d}": "abcd"[min(i % 7, 3)] for i in range(900)}}
USERS = "user", {f"q{i:03d}": f"u{i // 4}" for i in range(900)}


@pytest.mark.parametrize("primary", NAMES)
@pytest.mark.parametrize(
    "keywords",
    [
        {"margin": 0.005, "require": "better", "segments": SEGMENTS},
        {"margin": "3%", "guards": ["P@10:-0.02", "RR:-1%"], "require": "non-inferior"},
        {"family": "all", "margin": 0.05},
        {"family": "fixed-sequence", "look": "1/2", "alpha": 0.1},
        {"margin": 0.01, "clusters": USERS},
    ],
    ids=["segments", "relative", "all", "sequence", "clusters"],
)
def test_every_number_is_that_of_the_path_in_memory(frames, primary, keywords):
    found = merged(frames, primary=primary, **keywords).to_dict()
    whole = in_memory(frames, primary=primary, **keywords).to_dict()
    for part in ("verdict", "measures", "spread", "planning", "settings", "n_queries"):
        assert_same(found[part], whole[part], place=part)
    tests = {each["title"]: each for each in whole["tests"]}
    assert len(found["tests"]) == 4
    for each in found["tests"]:
        # What no lattice holds is rounded to a grid, here as there.
        rel = 1e-6 if each["method"] == "on a grid" else 1e-9
        theirs = {key: tests[each["title"]][key] for key in ("pvalue", "ci_low", "ci_high")}
        # Differences of P@10 are whole decimals; the others were rounded to ten of them.
        error = 1e-12 if primary == "P@10" else 1e-10
        assert_same(each, theirs, place=each["title"], rel=rel, error=error)
    # What single queries carry, and tests that disagree, are looked for in memory alone.
    theirs = [each for each in whole["notes"] if each["code"] in MERGED_NOTES]
    assert_same(found["notes"], theirs, place="notes")
    for name in ("d_z", "hedges_g", "rank_biserial", "p_better"):
        assert_same(found["effects"][name], whole["effects"][name], place=name)
    for mine, theirs in zip(found["segments"], whole["segments"], strict=True):
        assert mine.pop("labels") == []
        del theirs["labels"]
        assert_same(mine, theirs, place="segments")
    if found["clusters"]:
        assert_same(found["clusters"] | {"labels": 0}, whole["clusters"] | {"labels": 0})


def test_what_the_grid_rounds_stays_within_its_bounds(frames, monkeypatch):
    monkeypatch.setattr(merge, "MOST", 50)
    monkeypatch.setattr(merge, "BINS", 256)
    found, whole = merged(frames, primary="AP"), in_memory(frames, primary="AP")
    step = found.merged.step
    assert step == 2.0**-9
    tests = {row.title: row for row in whole.test_rows}
    for row in found.test_rows:
        theirs = tests[row.title]
        if row.test in ("t", "sign"):
            assert row.pvalue == pytest.approx(theirs.pvalue, rel=1e-10)
            continue
        if row.test in ("permutation", "wilcoxon"):
            assert row.pvalue_low < theirs.pvalue < row.pvalue_high
            assert row.pvalue_low < row.pvalue < row.pvalue_high
        for key in ("estimate", "ci_low", "ci_high"):
            assert abs(getattr(row, key) - getattr(theirs, key)) < step
    assert found.spread.median == pytest.approx(whole.spread.median, abs=step / 2)
    assert {each.difference for each in found.merged.largest} <= set(
        (frames[1].AP - frames[0].AP).round(10).tolist()
    )


def test_identical_and_constant_differences_are_what_they_are_in_memory(frames):
    for other in (frames[0], frames[0] + 0.25):
        pair = [frames[0], other]
        found, whole = merged(pair, primary="P@10"), in_memory(pair, primary="P@10")
        assert str(found.verdict) == str(whole.verdict)
        assert found.report  # it can be written
        assert str(found).splitlines()[0] == str(whole).splitlines()[0]


@pytest.mark.parametrize(
    "keywords", [{"test": "wilcoxon"}, {"adjust": "max-t"}, {"anytime": 500}, {"bayes": True}]
)
def test_what_needs_every_query_is_refused_and_says_what_to_leave_out(frames, keywords):
    with pytest.raises(ArgumentError, match=r"needs the scores of every query.*--merged"):
        merged(frames, **keywords)


def test_one_query_is_not_compared(frames):
    with pytest.raises(ArgumentError, match="two queries at least are compared"):
        merged([frame[:1] for frame in frames])


def test_large_losses_of_a_measure_where_less_is_better(frames):
    ids = list(frames[0].index)
    # Most queries win a little, and a few lose far more.
    change = np.where(np.arange(900) % 30 == 0, 0.6, -0.1)
    values = np.stack([np.full(900, 0.3), 0.3 + change], axis=1)
    found = compare_statistics(statistics_of(ids, values[:, :, None], ["FPR"]))
    pair = [pd.DataFrame({"FPR": values[:, s]}, index=frames[0].index) for s in range(2)]
    whole = in_memory(pair)
    (mine,), (theirs,) = (
        [each for each in made.notes if each.code == "losses-behind-the-mean"]
        for made in (found, whole)
    )
    assert_same(mine.values, theirs.values)
    assert mine.values["loss"] == pytest.approx(-0.6)


def test_clusters_whose_mean_difference_is_zero(frames):
    change = np.tile([0.25, -0.25, 0.5, -0.5], 225)[:, None] * np.ones(3)
    users = "user", {f"q{i:03d}": f"u{(i + 1) // 3}" for i in range(900)}
    pair = [frames[0] * 0.0 + 0.5, frames[0] * 0.0 + 0.5 + change]
    found, whole = (compared(pair, clusters=users) for compared in (merged, in_memory))
    assert found.mean_difference == whole.mean_difference == 0.0
    assert_same(found.to_dict()["measures"], whole.to_dict()["measures"])


def test_many_ties_beside_counted_differences_are_drawn_in_bins(frames, monkeypatch):
    monkeypatch.setattr(merge, "MOST", 50)
    few = merged(frames, primary="AP").merged
    tied = frames[0].copy()
    tied.iloc[::3] = frames[1].iloc[::3]
    assert (few.form, merged([frames[0], tied], primary="AP").merged.form) == ("density", "bins")


def test_scores_of_queries_are_told_to_be_elsewhere(frames, tmp_path):
    found = merged(frames)
    for ask in (found.differences, found.outcomes, lambda: found.queries):
        with pytest.raises(ArgumentError, match="--keep-scores DIR"):
            ask()
    with pytest.raises(ArgumentError, match="--keep-scores DIR"):
        found.report(tmp_path / "scores.parquet")
    assert found.confidence_interval(0.95) == pytest.approx(found.confidence_interval())


def test_every_format_is_written_and_read_back(frames, tmp_path):
    found = merged(frames, segments=SEGMENTS, margin=0.005)
    again = abrank.Comparison.from_json(found.report(tmp_path / "results.json"))
    assert again == found
    for suffix in ("html", "md", "tex", "txt", "methods", "junit", "csv"):
        one, two = (
            each.report(tmp_path / f"{i}.{suffix}") for i, each in enumerate((found, again))
        )
        assert one.read_bytes() == two.read_bytes()
    assert not (tmp_path / "0.queries.csv").exists()
    page = (tmp_path / "0.html").read_text(encoding="utf-8")
    assert "Largest differences" in page
    assert "--keep-scores DIR keeps these scores" in page
    assert found.merged.largest[0].query_id in page
    assert found._repr_html_()


def test_interactions_of_several_segmentations_are_adjusted_together(frames) -> None:
    ids = list(frames[0].index)
    half = {query: "ab"[i % 2] for i, query in enumerate(ids)}
    random = np.random.default_rng(4)
    moved = frames[1].add(np.where(np.arange(900) % 2, 0.012, 0.0), axis=0)
    three = {query: "xyz"[random.integers(3)] for query in ids}
    of = {"half": half, "three": three}
    found = merged([frames[0], moved], segments=of).segmentations
    theirs = in_memory([frames[0], moved], segments=of).segmentations
    pvalues = [each.interaction_pvalue_adj for each in found]
    assert pvalues == pytest.approx([each.interaction_pvalue_adj for each in theirs])


def test_queries_without_clusters_have_not_too_few(frames) -> None:
    values = np.stack([frame.to_numpy() for frame in frames], axis=1)
    assert not Merged(statistics_of(list(frames[0].index), values, NAMES)).few_clusters


def test_merged_statistics_count_and_add_exactly() -> None:
    d = np.array([0.1, 0.3])
    found = mean_and_error(2, exact_sum(d), exact_sum(d * d))
    assert found == pytest.approx((0.2, 0.1))
    cells = cells_of(Counts(np.array([0.0, 0.5]), np.array([1, 2]), 0.0, 1.0))
    assert cells == (Cell(0.0, 0.0, 1), Cell(0.5, 0.0, 2))
    given = Properties.of(segments={"intent": {"q1": "buy"}})
    assert (list(given.tables), given.clusters) == (["intent"], "")
