"""Files and bytes."""

from __future__ import annotations

import re
import struct

import matplotlib
import pytest
from matplotlib.figure import Figure

from abrank import plots
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.plots import DARK


def test_png_has_the_size_asked_for(comparison_of):
    drawn = plots.png("forest", comparison_of(30), width="column", height=2.0, dpi=100)
    assert struct.unpack(">II", drawn[16:24]) == (333, 200)


def test_svg_has_the_size_asked_for(comparison_of):
    drawn = plots.svg("forest", comparison_of(30), width=5.0, height=2.0)
    assert re.search(r'viewBox="0 0 360 144" width="480" height="192"', drawn)


def test_svg_passes_options_on(comparison_of):
    assert "Δ AP (B − A)" in plots.svg("effect", comparison_of(30), measure="AP")


def test_png_in_the_dark_has_dark_paper(comparison_of):
    light, dark = (plots.png("power", comparison_of(0), theme=t) for t in (plots.LIGHT, DARK))
    assert light != dark


def test_a_pdf_holds_truetype_fonts_and_no_date(comparison_of, tmp_path):
    drawn = comparison_of(30).plot.forest(width="column").axes
    written = plots.save(drawn, tmp_path / "forest.pdf")
    with matplotlib.rc_context({"pdf.compression": 0}):
        plots.save(drawn, tmp_path / "plain.pdf")
    content = (tmp_path / "plain.pdf").read_bytes()
    assert written.read_bytes().startswith(b"%PDF")
    assert b"/Subtype /Type0" in content  # type 42 is embedded as a composite TrueType font
    assert b"/Type3" not in content
    assert b"CreationDate" not in content
    assert re.search(rb"/MediaBox \[ 0 0 239\.76 ", content)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_file_has_the_same_bytes_every_time(suffix, comparison_of, tmp_path):
    both = [
        plots.save(comparison_of(30).plot.scatter().axes, tmp_path / f"{i}{suffix}").read_bytes()
        for i in (1, 2)
    ]
    assert both[0] == both[1]


def test_a_readers_font_stays_in_a_file_and_not_in_a_page(comparison_of, tmp_path):
    with matplotlib.rc_context({"font.family": ["DejaVu Serif"]}):
        drawn = comparison_of(30).plot.effect().axes
        page = plots.svg("effect", comparison_of(30))
    assert "DejaVu Serif" in plots.save(drawn, tmp_path / "x.svg").read_text()
    assert page == plots.svg("effect", comparison_of(30))


@pytest.mark.parametrize("name", ["figure.docx", "figure"])
def test_a_suffix_that_is_no_format_is_refused(name, comparison_of, tmp_path):
    with pytest.raises(ArgumentError, match=r"cannot be written as 'figure.*pdf"):
        plots.save(comparison_of(3).plot.forest().axes, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_axes_without_a_figure_are_refused(tmp_path):
    axes = Figure().add_subplot()
    axes.remove()
    with pytest.raises(ArgumentError, match="left their figure"):
        plots.save(axes, tmp_path / "x.pdf")


def test_a_panel_of_a_larger_figure_saves_the_figure(comparison_of, tmp_path):
    panels = Figure(figsize=(8, 4)).subfigures(1, 2)
    drawn = comparison_of(30).plot.effect(ax=panels[0].add_subplot())
    written = plots.save(drawn, tmp_path / "x.svg", dpi=72).read_text()
    assert 'viewBox="0 0 576 288"' in written


def test_an_unknown_plot_names_its_neighbour(comparison_of):
    with pytest.raises(UnknownNameError, match="did you mean scatter"):
        plots.svg("scater", comparison_of(3))
    with pytest.raises(UnknownNameError, match="did you mean scatter"):
        plots.png("scater", comparison_of(3))
