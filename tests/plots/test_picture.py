"""What a plot of a result gives back: a picture that a notebook shows and a file can hold."""

import base64
import re
import struct
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.image import imread

from abrank import Comparison, Ranking, plots
from abrank.plots import DARK, Picture, plots_of

PLOTS = plots_of(Comparison)
RANKING_PLOTS = plots_of(Ranking)


def size_of(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def image_of(html: str) -> bytes:
    return base64.b64decode(re.search(r'src="data:image/png;base64,([^"]+)"', html)[1])


def tags_of(html: str) -> list[dict[str, str]]:
    result = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: result.append({"tag": tag, **dict(attrs)})
    parser.feed(html)
    return result


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_shows_itself_in_a_notebook(name, comparison_of) -> None:
    picture = getattr(comparison_of(12).plot, name)()
    assert isinstance(picture, Picture)
    formatters = pytest.importorskip("IPython.core.formatters", reason="pip install '.[docs]'")
    data, _ = formatters.DisplayFormatter().format(picture)
    wide, tall = PLOTS[name].inches(comparison_of(12))
    assert size_of(data["image/png"]) == pytest.approx((192 * wide, 192 * tall), abs=1)
    assert image_of(data["text/html"]) == data["image/png"]
    (tag,) = tags_of(data["text/html"])
    assert (tag["tag"], tag["alt"]) == ("img", PLOTS[name].title)
    assert f"width:{96 * wide:.0f}px" in tag["style"]


@pytest.mark.slow
def test_it_can_be_read_on_light_and_dark_pages(comparison_of, tmp_path) -> None:
    text = tmp_path / "x.png"
    text.write_bytes(comparison_of(12).plot.forest()._repr_png_())
    pixels = imread(text)
    assert pixels[0, 0, 3] == 0.0  # no background
    solid = pixels[pixels[:, :, 3] == 1.0][:, :3]
    # Nothing solid is so pale or so dark that one of the two pages swallows it.
    light = solid @ np.array([0.2126, 0.7152, 0.0722])
    assert 0.2 < light.min() <= light.max() < 0.8


@pytest.mark.slow
def test_what_was_changed_or_themed_is_shown_as_it_is(comparison_of) -> None:
    comparison = comparison_of(12)
    plain = comparison.plot.forest()._repr_png_()
    changed = comparison.plot.forest()
    changed.axes.set_xlabel("mine")
    assert changed._repr_png_() == plots.render.png_of(changed.axes, dpi=192) != plain
    dark = comparison.plot.forest(theme=DARK)
    assert dark._repr_png_() == plots.png("forest", comparison, theme=DARK, dpi=192)


def test_axes_figure_and_save_are_those_of_the_plot(comparison_of, tmp_path) -> None:
    picture = comparison_of(12).plot.forest(width="column")
    assert picture.figure is picture.axes.figure
    assert picture.figure.canvas.manager is None
    written = picture.save(tmp_path / "forest.png", dpi=100)
    wide, tall = picture.figure.get_size_inches()
    assert size_of(written.read_bytes()) == pytest.approx((100 * wide, 100 * tall), abs=1)
    picture.figure.savefig(tmp_path / "as-before.png")
    with pytest.raises(AttributeError, match=r"no 'set_title'; the Axes have it: .axes.set_title"):
        picture.set_title("x")
    with pytest.raises(AttributeError, match=r"no 'nothing'$"):
        picture.nothing  # noqa: B018
    assert repr(picture).startswith("<Picture of forest, 3.33 x ")


def test_the_plots_list_themselves(comparison_of, ranking_of) -> None:
    comparison = comparison_of(12)
    plot = comparison.plot()
    assert plot == {name: item.title for name, item in PLOTS.items()}
    # However many there are, and whatever the README's examples have entered beside them.
    width = max(map(len, PLOTS))
    lines = [f"{name:<{width}}  {item.title}" for name, item in PLOTS.items()]
    assert repr(plot).splitlines() == lines
    assert list(ranking_of(3).plot()) == list(RANKING_PLOTS)
    assert ", ".join(PLOTS) in repr(comparison.plot)
