"""Laws that every plot obeys, and the ways to call one."""

import copy
import inspect
import pickle
import re

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from abrank import ArgumentError, Comparison, Ranking, plots
from abrank.plots import DARK, LIGHT, NOTEBOOK, Plots, plots_of

PLOTS = plots_of(Comparison)
RANKING_PLOTS = plots_of(Ranking)
# Those that every ranking has; the others are an error of a ranking without their test.
OF_EVERY_RANKING = [name for name in RANKING_PLOTS if name != "cd"]

INPUTS = [
    *((n, "normal") for n in (1, 25, 7000)),
    *((60, kind) for kind in ("identical", "many ties")),
    *(pytest.param(n, "normal", marks=pytest.mark.slow) for n in (3, 250)),
    *(pytest.param(60, kind, marks=pytest.mark.slow)
     for kind in ("constant", "one decided", "discrete")),
    (3, "constant"),
]  # fmt: skip


def texts_of(ax) -> list[Text]:
    """All text that is seen, after layout."""
    ax.figure.draw_without_rendering()
    result = []
    for item in (ax, *ax.child_axes):
        result += [*item.texts]
        for axis, limits in ((item.xaxis, item.get_xlim()), (item.yaxis, item.get_ylim())):
            if not (axis.get_visible() and item.axison):
                continue
            result.append(axis.label)
            low, high = sorted(limits)
            slack = 1e-9 * (high - low)
            for tick in axis.get_major_ticks():
                if low - slack <= tick.get_loc() <= high + slack:
                    result += [tick.label1, tick.label2]
    return [text for text in result if text.get_visible() and text.get_text().strip()]


def faults(ax) -> list[str]:
    """Texts that lie on each other or leave the figure; a figure without any is one too."""
    texts = texts_of(ax)
    boxes = [text.get_window_extent() for text in texts]
    width, height = ax.figure.bbox.width, ax.figure.bbox.height
    result = [] if texts else ["no text"]
    for i, box in enumerate(boxes):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1:
            result.append(f"outside: {texts[i].get_text()}")
        for j in range(i):
            second = boxes[j]
            wide = min(box.x1, second.x1) - max(box.x0, second.x0)
            tall = min(box.y1, second.y1) - max(box.y0, second.y0)
            if texts[i].get_rotation() % 90 and texts[j].get_rotation() % 90:
                # The boxes of slanted names overlap, their lines need not.
                apart = abs(texts[i].get_position()[0] - texts[j].get_position()[0])
                apart *= ax.bbox.width / np.ptp(ax.get_xlim()) / np.sqrt(2.0)
                line = texts[i].get_fontsize() * ax.figure.dpi / 72.0
                wide = min(wide, line - apart)
            if wide > 0.5 and tall > 1.5:
                result.append(f"overlap: {texts[j].get_text()} | {texts[i].get_text()}")
    return result


@pytest.mark.slow
@pytest.mark.parametrize(("n", "kind"), INPUTS)
@pytest.mark.parametrize("name", PLOTS)
def test_every_input_gives_a_picture_whose_words_can_be_read(name, n, kind, comparison_of):
    assert faults(getattr(comparison_of(n, kind).plot, name)().axes) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"n": 40, "shift": -0.3}, {"n": 40, "test": "sign", "shift": 0.05},
                                 {"n": 2}, {"n": 250}], ids=str)  # fmt: skip
@pytest.mark.parametrize("name", PLOTS)
def test_words_can_be_read_in_a_narrow_column_and_wherever_the_effect_lies(
    name, how, comparison_of
):
    width = None if "shift" in how else "column"
    axes = getattr(comparison_of(**how).plot, name)(width=width).axes
    assert faults(axes) == []
    assert min(text.get_fontsize() for text in axes.figure.findobj(Text)) >= 7.0


@pytest.mark.parametrize("n", [1, 30])
@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_returns_the_axes_it_was_given(name, n, comparison_of):
    axes = Figure(figsize=(12, 4)).subplots(1, 2)
    assert PLOTS[name].draw(comparison_of(n), ax=axes[1]) is axes[1]
    assert not axes[0].has_data()


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_without_axes_makes_a_figure_of_its_size(name, comparison_of):
    comparison = comparison_of(30)
    sample = PLOTS[name].draw(comparison)
    assert tuple(sample.figure.get_size_inches()) == PLOTS[name].inches(comparison)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_changes_no_setting_and_opens_no_window(name, comparison_of):
    before = dict(matplotlib.rcParams)
    sample = PLOTS[name].draw(comparison_of(30))
    plots.svg(name, comparison_of(30))
    assert dict(matplotlib.rcParams) == before
    assert sample.figure.canvas.manager is None


OF_BOTH = [*((name, 0) for name in PLOTS), *((name, 20) for name in OF_EVERY_RANKING)]


@pytest.mark.slow
@pytest.mark.parametrize("theme", [LIGHT, DARK, NOTEBOOK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("name", "k"), OF_BOTH)
def test_every_colour_is_the_themes(name, k, theme, comparison_of, ranking_of):
    svg = plots.svg(name, ranking_of(k) if k else comparison_of(30), theme=theme)
    matches = set(re.findall(r"#[0-9a-f]{6}", svg))
    assert matches <= {colour[:7] for colour in theme.colours().values()}
    assert k or theme.muted in matches
    assert " style=" not in svg
    assert len(svg.encode()) < 100_000


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_colour_has_one_meaning(theme):
    colours = list(theme.colours().values())
    assert len(set(colours)) == len(colours)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLOTS if name != "segments"])
def test_a_frame_with_a_sentence_is_low(name, comparison_of):
    nothing = comparison_of(0)
    for width in (None, "column"):
        axes = getattr(nothing.plot, name)(width=width).axes
        assert axes.figure.get_size_inches()[1] < 1.2
        assert faults(axes) == []
    for height, result in ((3.0, axes.figure.get_size_inches()[1]), (0.3, 0.3)):
        chosen = getattr(nothing.plot, name)(width="column", height=height).axes
        assert chosen.figure.get_size_inches()[1] == result
    figure = Figure(figsize=(5.0, 4.0))
    PLOTS[name].draw(nothing, ax=figure.add_subplot())
    assert figure.get_size_inches()[1] == 4.0


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_a_dollar_in_a_name_is_a_dollar(name, comparison_of):
    comparison = comparison_of(20, measures=("$x_1$", "a$b"), prefix="$q^$")
    figure = getattr(comparison.plot, name)().figure
    figure.draw_without_rendering()
    with_dollars = [text for text in figure.findobj(Text) if "$" in text.get_text()]
    assert with_dollars or name == "cutoffs"
    assert not any(text.get_parse_math() for text in with_dollars)


RARER = [pytest.param(*item, marks=pytest.mark.slow) for item in ((3, 1), (5, 3), (5, 5))]


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, "column"])
@pytest.mark.parametrize(("k", "n"), [*((2, 40), (3, 0), (8, 40), (25, 12)), *RARER])
@pytest.mark.parametrize("name", OF_EVERY_RANKING)
def test_every_ranking_gives_a_picture_whose_words_can_be_read(name, k, n, width, ranking_of):
    ranking = ranking_of(k, n, test="nemenyi" if n else None)
    assert faults(getattr(ranking.plot, name)(width=width).axes) == []
    if name == "leaderboard" and k > 2 and n > 4:
        assert faults(ranking.plot.cd(width=width).axes) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_EVERY_RANKING)
def test_long_names_and_close_ranks_stay_apart(name, ranking_of):
    ranking = ranking_of(12, 20, spread=0.0, prefix="a system with a name of many words, $k_1$ ")
    axes = getattr(ranking.plot, name)().axes
    assert faults(axes) == []
    assert not any(
        text.get_parse_math() for text in axes.figure.findobj(Text) if "$" in text.get_text()
    )


def test_plots_lists_and_forwards(comparison_of):
    chosen = comparison_of(30).plot
    assert dir(chosen) == sorted(PLOTS)
    ax = Figure().add_subplot()
    assert chosen.forest(ax=ax) is ax
    assert chosen.forest(width="text").figure.get_size_inches()[0] == 7.0
    assert tuple(chosen.scatter(width="column").figure.get_size_inches()) == (3.33, 3.33)
    assert tuple(chosen.forest(width=4.0, height=2.0).figure.get_size_inches()) == (4.0, 2.0)


def test_editors_know_every_plot_and_its_options():
    from abrank._support import drawings

    kinds = {
        "Comparison": drawings.ComparisonPlots, "Ranking": drawings.RankingPlots,
        "CollectionsComparison": drawings.CollectionsPlots,
        "CollectionsRanking": drawings.StandingsPlots,
    }  # fmt: skip
    for owner, kind in kinds.items():
        draws = {item.name: item.draw for item in plots.PLOTS.values() if item.of == owner}
        assert {name for name in vars(kind) if name[0] != "_"} == set(draws)
        for name, draw in draws.items():
            parameters = list(inspect.signature(draw).parameters)[1:]
            message = list(inspect.signature(getattr(kind, name)).parameters)[1:-1]
            assert message == [n for n in parameters if n not in ("ax", "theme")], name


def test_a_plot_takes_its_measure_by_place_and_tells_its_options(comparison_of):
    chosen = comparison_of(30).plot
    assert "measure" in inspect.signature(chosen.deltas).parameters
    assert chosen.deltas.__doc__ == plots.deltas.__doc__
    assert chosen.deltas(comparison_of(30).measures[0]).axes.get_title() is not None
    with pytest.raises(ArgumentError, match=r"colour.*it takes measure="):
        chosen.deltas(colour=3)


def test_plots_can_be_copied_and_kept(comparison_of):
    chosen = Plots(comparison_of(3))
    assert copy.copy(chosen)._subject is chosen._subject
    assert pickle.loads(pickle.dumps(chosen)).forest().axes.get_yticks().tolist() == [0, 1, 2]


def test_an_unknown_plot_names_its_neighbour(comparison_of):
    with pytest.raises(AttributeError, match="did you mean forest"):
        comparison_of(3).plot.forrest  # noqa: B018
    with pytest.raises(AttributeError, match="there are cutoffs"):
        comparison_of(3).plot.xyz  # noqa: B018


@pytest.mark.parametrize("width", ["page", 0.2, 1000.0, float("nan")])
def test_a_width_without_meaning_is_refused(width, comparison_of):
    with pytest.raises(ArgumentError, match="width must be"):
        comparison_of(3).plot.forest(width=width)


def test_axes_and_width_together_are_refused(comparison_of):
    with pytest.raises(ArgumentError, match="new figure"):
        comparison_of(3).plot.forest(ax=Figure().add_subplot(), width="column")


def test_a_name_is_registered_once():
    with pytest.raises(ArgumentError, match="registered already"):
        plots.plot("forest", title="Mine", size=(1.0, 1.0))(np.add)


@pytest.mark.every_case
@pytest.mark.parametrize(("name", "n", "kind", "sentence"), [
    ("deltas", 1, "identical", "the only query"),
    ("deltas", 60, "identical", "all 60 queries"),
    ("power", 1, "normal", "Only 1 query"),
    ("power", 30, "constant", "do not vary"),
    ("distribution", 60, "identical", "^A and B score the same"),
])  # fmt: skip
def test_where_nothing_can_be_drawn_a_sentence_says_why(name, n, kind, sentence, comparison_of):
    (text,) = PLOTS[name].draw(comparison_of(n, kind)).texts
    assert re.search(sentence, text.get_text().replace("\n", " "))


@pytest.mark.every_case
@pytest.mark.parametrize("name", [name for name in PLOTS if name != "segments"])
def test_without_queries_a_plot_is_a_sentence(name, comparison_of):
    (text,) = PLOTS[name].draw(comparison_of(0)).texts
    assert text.get_text().startswith("No queries: ")
