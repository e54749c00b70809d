"""The tests of ``abrank/plots/render.py``."""

import re
import struct
import xml.etree.ElementTree as ET

import matplotlib
import pytest
from matplotlib.figure import Figure

from abrank import ArgumentError, Comparison, UnknownNameError, plots
from abrank.plots import LIGHT, NOTEBOOK, plots_of
from abrank.plots.render import SVG, clean

PLOTS = plots_of(Comparison)

# --- Files and bytes


def test_png_has_the_size_asked_for(comparison_of):
    png = plots.png("forest", comparison_of(30), width="column", height=2.0, dpi=100)
    assert struct.unpack(">II", png[16:24]) == (333, 200)


def test_svg_has_the_size_and_the_options_asked_for(comparison_of):
    svg = plots.svg("deltas", comparison_of(30), width=5.0, height=2.0, measure="AP")
    assert "Δ AP (B − A)" in svg
    assert re.search(r'viewBox="0 0 360 144" width="480" height="192"', svg)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_file_has_the_same_bytes_every_time(suffix, comparison_of, tmp_path):
    both = [
        plots.save(comparison_of(30).plot.scatter().axes, tmp_path / f"{i}{suffix}").read_bytes()
        for i in (1, 2)
    ]
    assert both[0] == both[1]


def test_a_readers_font_stays_in_a_file_and_not_in_a_page(comparison_of, tmp_path):
    with matplotlib.rc_context({"font.family": ["DejaVu Serif"]}):
        axes = comparison_of(30).plot.forest().axes
        page = plots.svg("forest", comparison_of(30))
    assert "DejaVu Serif" in plots.save(axes, tmp_path / "x.svg").read_text()
    assert page == plots.svg("forest", comparison_of(30))


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
    forest = comparison_of(30).plot.forest(ax=panels[0].add_subplot())
    assert 'viewBox="0 0 576 288"' in plots.save(forest, tmp_path / "x.svg", dpi=72).read_text()


def test_an_unknown_plot_names_its_neighbour(comparison_of):
    with pytest.raises(UnknownNameError, match="did you mean scatter"):
        plots.svg("scater", comparison_of(3))
    with pytest.raises(UnknownNameError, match="did you mean scatter"):
        plots.png("scater", comparison_of(3))


# --- What may stand in an SVG that goes into a page

FORBIDDEN = {"style", "script", "metadata", "image", "foreignObject", "a"}


def wrapped(inside: str) -> str:
    spaces = f'xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {spaces} viewBox="0 0 72 36">{inside}</svg>'


def cleaned(inside: str, **changes) -> ET.Element:
    requested = {"prefix": "p", "title": "T", "summary": "S", "query_ids": ["q0", "q1"]} | changes
    return ET.fromstring(clean(wrapped(inside), **requested))


def local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    # Without queries there are no segments, which is an error.
    [(name, n) for name in PLOTS for n in (0, 250, 7000) if (name, n) != ("segments", 0)],
)
def test_svg_is_safe_small_and_described(name, n, comparison_of):
    text = plots.svg(name, comparison_of(n), summary="What it says & shows.")
    root = ET.fromstring(text)
    elements = list(root.iter())
    assert not FORBIDDEN & {local(element) for element in elements}
    for element in elements:
        assert not any(key == "style" or key.startswith("on") for key in element.attrib)
    ids = [element.get("id") for element in elements if element.get("id")]
    assert len(set(ids)) == len(ids)
    assert all(key.startswith(f"{name}-") for key in ids)
    pointed = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert set(pointed) <= set(ids)
    assert root.get("role") == "img"
    spoken = [
        next(e for e in elements if e.get("id") == key).text
        for key in root.get("aria-labelledby").split()
    ]
    assert spoken == [PLOTS[name].title, "What it says & shows."]
    assert len(text.encode()) <= (54_000 if n <= 250 else 100_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_the_same_comparison_gives_the_same_bytes(name, comparison_of):
    comparison = comparison_of(60)
    assert plots.svg(name, comparison) == plots.svg(name, comparison)


def test_numbers_in_text_are_not_rounded():
    root = cleaned('<text x="1.23456" style="font: 9px sans-serif">+0.03749</text>')
    text = root.find(f"{{{SVG}}}text")
    assert (text.text, text.get("x")) == ("+0.03749", "1.23")


def test_a_bar_of_a_hostile_query_is_still_xml(comparison_of):
    root = ET.fromstring(plots.svg("deltas", comparison_of(10, prefix="a\x00\x1b]]><script>")))
    marked = [e.get("data-query") for e in root.iter() if e.get("data-query")]
    assert marked
    assert all(query.startswith("a\ufffd\ufffd]]><script>") for query in marked)


@pytest.mark.slow
def test_letters_of_another_script_give_no_warning(comparison_of):
    assert "検索" in plots.svg("deltas", comparison_of(10, prefix="検索"))
    assert plots.png("deltas", comparison_of(10, prefix="検索"))


def test_style_becomes_attributes():
    root = cleaned(
        '<path d="M 1.005 2 L 3.14159 4 z" style="fill: #0068ad; opacity: 0.3; stroke: none"/>'
        "<text style=\"font: italic bold 9px 'DejaVu Sans'; text-anchor: end; fill: #14181f\">"
        "x</text>"
        '<text style="font-size: 7.5px; font-family: serif">y</text>'
        '<text style="font: 400 9px serif">z</text>'
        '<text style="font: caption">w</text>'
    )
    path, *texts = list(root)[2:]
    assert path.attrib == {"d": "M1 2L3.14 4z", "fill": "#0068ad", "opacity": "0.3"}
    assert texts[0].attrib == {
        "font-size": "9", "font-style": "italic", "font-weight": "bold", "text-anchor": "end",
        "fill": "#14181f",
    }  # fmt: skip
    assert [text.attrib for text in texts[1:]] == [{"font-size": "7.5"}, {"font-size": "9"}, {}]


def test_level_lines_are_short_and_far_places_of_long_paths_have_one_decimal():
    root = cleaned(
        '<path d="M 10.04 2.5 L 31.4159 2.5"/><path d="M 1.04 2.26 L 10.04 40.26 L 99.96 5.25"/>'
    )
    result = [path.get("d") for path in list(root)[2:]]
    assert result == ["M10.04 2.5H31.42", "M1.04 2.26L10 40.3L100 5.25"]


def test_metadata_style_and_empty_groups_go():
    root = cleaned("<metadata>x</metadata><defs><style>*{}</style></defs><g id='a'><g/></g>")
    assert [local(child) for child in root] == ["title", "desc"]


def test_only_ids_that_are_used_stay_and_are_numbered():
    root = cleaned(
        '<g id="axes"><defs><path id="m9f" d="M0 0"/></defs>'
        '<use xlink:href="#m9f" x="1" clip-path="url(#box)"/></g>'
        '<defs><clipPath id="box"><rect width="1"/></clipPath></defs>'
    )
    use = root.find(f".//{{{SVG}}}use")
    assert use.get("href") == "#p-1"
    assert use.get("clip-path") == "url(#p-2)"
    assert "axes" not in ET.tostring(root, encoding="unicode")


def test_a_used_shape_leaves_colours_to_its_uses():
    root = cleaned(
        '<defs><path id="m" d="M0 0" style="stroke: #fff; fill: #000"/></defs>'
        '<use xlink:href="#m" style="stroke: #fff; fill: #111"/>'
    )
    assert root.find(f".//{{{SVG}}}path").attrib == {"id": "p-1", "d": "M0 0", "fill": "#000"}


def test_in_a_notebook_text_takes_the_pages_colour(comparison_of):
    assert "currentColor" in plots.svg("forest", comparison_of(60), theme=NOTEBOOK)
    assert "currentColor" not in plots.svg("forest", comparison_of(60), theme=LIGHT)


def test_without_a_summary_there_is_no_description():
    root = cleaned("", summary="")
    assert [local(child) for child in root] == ["title"]
    assert root.get("aria-labelledby") == "p-title"


@pytest.mark.parametrize(("written", "kept"), [
    ("0.004", "0"),
    ("-0.001", "0"),
    ("-0.5", "-.5"),
    ("12.999", "13"),
    ("1.5e-7", "0"),
    ("10", "10"),
])  # fmt: skip
def test_lengths_are_rounded_to_hundredths(written, kept):
    assert cleaned(f'<rect x="{written}" />').find(f"{{{SVG}}}rect").get("x") == kept
