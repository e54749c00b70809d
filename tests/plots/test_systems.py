"""The tests of ``abrank/plots/systems.py``."""

import dataclasses
import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from abrank import ArgumentError, rank_scores
from abrank.inference.systems.friedman import critical_difference, friedman_test
from abrank.plots import LIGHT, cd, leaderboard, matrix, queries
from abrank.plots.grids import by_difficulty


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def bars(ax, width: float = 4.0) -> list[tuple[float, float]]:
    return [tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == width]


# ---- leaderboard


def test_a_long_name_takes_one_line():
    scores = {f"organisation/reranker-finetuned-{i}": {"q1": 0.1 * i, "q2": 0.3, "q3": 0.2 + i / 20}
              for i in range(4)}  # fmt: skip
    labels = rank_scores(scores).plot.leaderboard(width="column").axes.get_yticklabels()
    names = [label.get_text() for label in labels]
    assert [name[:3] for name in names] == ["1  ", "2  ", "3  ", "4  "]
    assert not any("\n" in name for name in names)


@pytest.mark.parametrize(("interval", "keys", "said"), [
    ("own", ("ci_low", "ci_high"), "interval of each mean by itself"),
    ("within", ("within_low", "within_high"), "interval within queries"),
])  # fmt: skip
def test_rows_are_the_systems_with_their_intervals(interval, keys, said, ranking_of):
    ranking = ranking_of(8)
    ax = leaderboard(ranking, interval=interval)
    ends = {row.system: tuple(getattr(row, key) for key in keys) for row in ranking.rows}
    assert said in ax.get_xlabel()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"{i + 1}  {system}" for i, system in enumerate(ranking.systems)]
    assert bars(ax) == list(ends.values())
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    dots = [line for line in dots if line.get_clip_on()]
    assert [dot.get_xdata()[0] for dot in dots] == [row.mean for row in ranking.rows]
    # Grey is the first and what is not significantly different from it, orange what is worse.
    colours = {True: LIGHT.muted, False: LIGHT.a}
    assert [dot.get_color() for dot in dots] == [
        colours[system in ranking.leaders] for system in ranking.systems
    ]
    assert 0 < len(ranking.leaders) < 8
    row = ranking.rows[0]
    assert {f"{row.mean:.3f}", "{:.3f} to {:.3f}".format(*ends[row.system])} <= set(texts(ax))


def test_against_a_baseline_colours_are_what_a_system_is_to_it(ranking_of):
    ranking = ranking_of(8, 60, baseline="system 4")
    ax = leaderboard(ranking)
    reading = {row.b: row.reading for row in ranking.pair_rows}
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    assert [dot.get_color() for dot in dots] == [
        LIGHT.of_reading(reading.get(system, "")) for system in ranking.systems
    ]
    assert {LIGHT.a, LIGHT.b} < {dot.get_color() for dot in dots}
    assert [dot.get_marker() for dot in dots].index("D") == ranking.systems.index("system 4")


@pytest.mark.slow
@pytest.mark.parametrize("test", ["tukey", "t", "nemenyi"])
def test_lines_at_the_right_join_exactly_what_is_not_told_apart(test, ranking_of):
    ranking = ranking_of(8, test=test)
    ax = leaderboard(ranking)
    joined = [line for line in ax.lines if not line.get_clip_on() and line.get_marker() == "o"]
    systems = [tuple(ranking.systems[i] for i in line.get_ydata()) for line in joined]
    assert systems == [group for group in ranking.groups if len(group) > 1] != []
    place = {system: i for i, system in enumerate(ranking.systems)}
    together = {frozenset(pair) for group in systems for pair in itertools.combinations(group, 2)}
    for row in ranking.pair_rows:
        apart = row.reading in ("better", "worse")
        assert (frozenset((row.a, row.b)) in together) is not apart
    upright = [line for line in ax.lines if line.get_linewidth() == 1.6]
    assert [list(line.get_ydata()) for line in upright] == [
        [place[group[0]], place[group[-1]]] for group in systems
    ]
    assert ranking.title in ax.get_xlabel()


@pytest.mark.slow
def test_very_many_groups_have_no_lines(ranking_of):
    ax = leaderboard(ranking_of(40, 60, spread=0.02))
    assert "joined" not in ax.get_xlabel()
    assert all(line.get_linewidth() != 1.6 for line in ax.lines)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "baseline", "shown"), [(60, None, 60), (61, None, 20)])
def test_of_very_many_the_first_are_drawn(k, baseline, shown, ranking_of):
    ax = leaderboard(ranking_of(k, 12, test="nemenyi"))
    assert len(ax.get_yticklabels()) == shown
    assert (f"{shown} of {k} systems" in ax.get_xlabel()) is (shown < k)


def test_a_baseline_far_down_is_drawn_too(ranking_of):
    ranking = ranking_of(61, 12, baseline="system 2", spread=0.005)
    names = [label.get_text() for label in leaderboard(ranking).get_yticklabels()]
    assert len(names) == 21
    assert names[-1] == f"{ranking.systems.index('system 2') + 1}  system 2"


def test_where_lower_is_better_it_is_said(ranking_of):
    assert leaderboard(ranking_of(4, measure="Unj@10")).get_xlabel().endswith("lower is better")


# ---- matrix


def cells(ax) -> dict[tuple[int, int], tuple[tuple[float, ...], float]]:
    """Colour and opacity of the filled cells by row and column."""
    filled = {}
    for patch in ax.patches:
        if not isinstance(patch, PathPatch):
            continue  # the half that has pairs
        for corners in np.reshape(patch.get_path().vertices, (-1, 5, 2)):
            (left, top), (right, bottom) = np.rint(corners[[0, 2]] + 0.5).astype(int)
            assert bottom == top + 1
            for column in range(left, right):
                assert (top, column) not in filled
                filled[top, column] = (patch.get_facecolor()[:3], patch.get_alpha())
    return filled


@pytest.mark.parametrize("measure", ["nDCG@10", "Unj@10"])
def test_only_pairs_told_apart_are_filled_and_bold(measure, ranking_of):
    ranking = ranking_of(6, 60, measure=measure)
    ax = matrix(ranking)
    place = {system: i for i, system in enumerate(ranking.systems)}
    result = cells(ax)
    by_place = {}
    for text in ax.texts:
        by_place.setdefault((round(text.xy[1]), round(text.xy[0])), []).append(text)
    assert {row.reading for row in ranking.pair_rows} > {"unclear"}
    for pair in ranking.pair_rows:
        i, j = place[pair.b], place[pair.a]
        message = pair.pvalue_adj < ranking.alpha
        difference, p = by_place[i, j]
        assert difference.get_text() == f"{pair.diff:+.3f}".replace("-", "−")
        expected = "< 0.001" if pair.pvalue_adj < 0.001 else f"{pair.pvalue_adj:.3f}"
        assert p.get_text() == expected
        assert (difference.get_fontweight() == "bold") is message
        assert ((i, j) in result) is message
        if message:
            colour = LIGHT.b if pair.reading == "better" else LIGHT.a
            assert result[i, j][0] == to_rgb(colour)
    # Every pair once, above the diagonal.
    assert all(i < j for i, j in by_place)
    assert len(by_place) == 6 * 5 // 2


def test_a_larger_difference_is_deeper(ranking_of):
    result = cells(matrix(ranking_of(8, 60)))
    depth = [result[0, j][1] for j in range(8) if (0, j) in result]
    assert depth == sorted(depth)
    assert depth[0] < depth[-1] == 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("k", "numbers"), [(20, True), (21, False), (40, False)])
def test_many_systems_have_no_numbers(k, numbers, ranking_of):
    assert bool(texts(matrix(ranking_of(k, 12, test="nemenyi")))) is numbers


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nDCG@10", "Unj@10"])
def test_of_very_many_systems_the_same_cells_are_filled(measure, ranking_of):
    ranking = ranking_of(41, 12, test="nemenyi", measure=measure)
    ax = matrix(ranking)
    place = {system: i for i, system in enumerate(ranking.systems)}
    filled = cells(ax)
    message = {}
    for pair in ranking.pair_rows:
        if pair.reading in ("better", "worse"):
            wins = pair.reading == "better"
            position = place[pair.b], place[pair.a]
            message[position] = (to_rgb(LIGHT.b if wins else LIGHT.a), abs(pair.diff))
    assert {name: colour for name, (colour, _) in filled.items()} == {
        name: colour for name, (colour, _) in message.items()
    }
    assert 0 < len(message) < 41 * 40 / 2
    depths = [filled[index][1] for index in sorted(message, key=lambda at: message[at][1])]
    assert depths == sorted(depths)
    assert depths[-1] == pytest.approx(0.7)
    assert not texts(ax)


@pytest.mark.slow
@pytest.mark.parametrize("width", [7.0, 2.6])
def test_the_numbers_of_very_many_columns_keep_clear_of_each_other(width, ranking_of):
    ranking = ranking_of(150, 2, test="nemenyi")
    figure = Figure(figsize=(width, 6.6), layout="constrained")
    ax = matrix(ranking, ax=figure.add_subplot())
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(boxes) > 3
    assert all(first.x1 < two.x0 for first, two in itertools.pairwise(boxes))
    numbers = [int(label.get_text()) for label in ax.get_xticklabels()]
    assert [number - 1 for number in numbers] == ax.get_xticks().tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "sentence"), [
    ({"k": 401, "n": 2}, "401 systems are too many"),
    ({"k": 4, "baseline": "system 1"}, "Only pairs with the baseline"),
    ({"k": 4, "n": 1}, "Only 1 query"),
    ({"k": 4, "n": 0}, "No queries"),
])  # fmt: skip
def test_a_sentence_where_there_is_no_matrix(how, sentence, ranking_of):
    (text,) = matrix(ranking_of(**how)).texts
    assert text.get_text().startswith(sentence)


# ---- critical difference diagram


def test_names_stand_in_two_columns_at_their_ranks(ranking_of):
    ranking = ranking_of(7, 60, test="nemenyi")
    ax = cd(ranking)
    rank = {row.system: row.mean_rank for row in ranking.rows}
    visible = texts(ax)
    for place, system in enumerate(ranking.by_mean_rank):
        number = f"{rank[system]:.2f}"
        assert (f"{system}  {number}" if place < 4 else f"{number}  {system}") in visible
    stems = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 0.9]
    assert sorted(stems) == sorted(rank.values())


@pytest.mark.parametrize("test", ["conover", "nemenyi"])
def test_a_bar_spans_only_pairs_that_are_not_told_apart(test, ranking_of):
    ranking = ranking_of(9, 60, test=test, spread=0.012)
    rank = {row.system: row.mean_rank for row in ranking.rows}
    message = {
        frozenset((row.a, row.b)): row.reading in ("better", "worse") for row in ranking.pair_rows
    }
    sample = bars(cd(ranking))
    assert len(sample) == len(ranking.cliques) > 0
    for low, high in sample:
        under = [system for system in ranking.systems if low <= rank[system] <= high]
        assert len(under) >= 2
        assert not any(message[frozenset(pair)] for pair in itertools.combinations(under, 2))


def test_nemenyis_critical_difference_is_drawn_to_scale(ranking_of):
    ranking = ranking_of(9, 60, test="nemenyi")
    (ruler,) = [line for line in cd(ranking).lines if line.get_linewidth() == 1.4]
    expected = critical_difference(friedman_test(ranking.scores), 60, 0.05)
    assert np.ptp(ruler.get_xdata()) == pytest.approx(expected)
    assert f"critical difference {expected:.2f}" in texts(cd(ranking))
    # Another test does not decide by a distance of ranks.
    assert not any("critical" in text for text in texts(cd(ranking_of(9, 60, test="conover"))))


def test_a_critical_difference_wider_than_the_axis_is_not_drawn(ranking_of):
    ranking = ranking_of(3, 5, test="nemenyi")
    found = friedman_test(ranking.scores)
    # Nemenyi's 2.343 sqrt(3 * 4 / (6 * 5)) fits between the ranks 1 and 3.
    assert critical_difference(found, 5, 0.05) == pytest.approx(1.482, abs=1e-3)
    assert "critical difference 1.48" in texts(cd(ranking))
    strict = dataclasses.replace(ranking, alpha=0.0001)
    assert critical_difference(found, 5, 0.0001) > 2.0
    assert not any("critical" in text for text in texts(cd(strict)))


def test_where_mean_and_rank_disagree_it_is_said(ranking_of):
    result = ranking_of(5, test="nemenyi")
    last = result.rows[-1]
    turned = dataclasses.replace(
        result, rows=(*result.rows[:-1], dataclasses.replace(last, mean_rank=1.0))
    )
    assert cd(turned).get_xlabel().endswith(f"by its mean, {result.systems[0]} leads")


@pytest.mark.parametrize(("how", "sentence"), [
    ({"k": 2}, "Only 2 systems"),
    ({"k": 4, "n": 4}, "Only 4 queries"),
    ({"k": 4, "n": 0}, "No queries"),
    ({"k": 41, "n": 12, "test": "nemenyi"}, "41 systems are too many"),
    ({"k": 4, "baseline": "system 1"}, "Only pairs with the baseline"),
    ({"k": 4}, "Max-T sign flips does not compare mean ranks"),
    ({"k": 4, "test": "t"}, "Paired t, adjusted by Holm does not compare mean ranks"),
])  # fmt: skip
def test_an_error_where_there_is_no_diagram(how, sentence, ranking_of):
    with pytest.raises(ArgumentError, match=sentence):
        cd(ranking_of(**how))


# ---- queries


@pytest.mark.slow
def test_of_very_many_queries_neighbours_share_a_column(ranking_of):
    ranking = ranking_of(3, 480)
    ax = queries(ranking)
    assert ax.get_xlabel().startswith("480 queries (neighbours share a column), the highest mean")
    assert np.ptp(ax.get_xlim()) == 240
    columns = by_difficulty(ranking.scores.T)
    easiest = np.argsort(-ranking.scores.mean(axis=1), kind="stable")[:2]
    assert columns[:, 0] == pytest.approx(ranking.scores[easiest].mean(axis=0))
    assert columns.mean(axis=1) == pytest.approx(ranking.scores.mean(axis=0))
