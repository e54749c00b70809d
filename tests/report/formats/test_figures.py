"""Figures for a paper: every one of the report, in both widths, as PDF and SVG."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.text import Text

from abrank.cli import run
from abrank.comparison import Comparison, compare_scores
from abrank.plots import WIDTHS
from abrank.report import compose
from abrank.report.formats import figures
from abrank.report.model import Figure, Fold

Make = Callable[..., Comparison]


@pytest.fixture(scope="module")
def comparison(make: Make) -> Comparison:
    return make(0.05, n=5)


@pytest.fixture(scope="module")
def folder(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that the command line filled, with two figures: a PDF takes its time."""
    made = tmp_path_factory.mktemp("paper")
    comparison.report(made / "results.json")
    (made / "figures" / "column").mkdir(parents=True)
    (made / "figures" / "column" / "forest.pdf").write_text("old")
    two = {name: Figure(name, "") for name in ("forest", "deltas")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "figures_of", lambda _: two)
        assert run(["render", f"{made}/results.json", "-q", "--figures", f"{made}/figures"]) == 0
    return made / "figures"


def test_figures_are_those_of_the_report(comparison: Comparison) -> None:
    named = {
        block.plot
        for section in compose(comparison).sections
        for fold in section.blocks
        for block in (fold, *(fold.blocks if isinstance(fold, Fold) else ()))
        if isinstance(block, Figure)
    }
    assert {"effect", "forest", "deltas", "scatter", "power", "tests"} <= named
    assert set(figures.figures_of(compose(comparison))) == named


def test_segments_have_a_figure_each() -> None:
    a = {f"q{i}": 0.01 * (i * 7 % 40) for i in range(40)}
    b = {query: 0.9 * x + 0.1 for query, x in a.items()}
    labels = {query: query[-1] for query in a}
    found = compare_scores(a, b, segments={"intent": labels, "../x y": labels})
    names = [name for name in figures.figures_of(compose(found)) if name.startswith("segments")]
    assert names == ["segments-intent", "segments-x-y"]


def test_each_is_written_in_both_widths_and_kinds(folder: Path) -> None:
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert found == {
        f"{width}/{name}{suffix}"
        for width in ("column", "text")
        for name in ("forest", "deltas")
        for suffix in (".pdf", ".svg")
    }


def test_pdf_has_truetype_fonts_and_the_width_asked_for(folder: Path) -> None:
    for width, inches in WIDTHS.items():
        data = (folder / width / "forest.pdf").read_bytes()
        assert b"/FontType 3" not in data
        assert b"/Type3" not in data
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ", data)
        assert box is not None
        assert float(box.group(1)) == pytest.approx(72 * inches, abs=0.5)
        svg = (folder / width / "forest.svg").read_text("utf-8")
        assert f'width="{72 * inches:g}' in svg


def test_letters_have_seven_points_at_least(comparison: Comparison) -> None:
    for figure in figures.figures_of(compose(comparison)).values():
        for width in WIDTHS:
            picture = getattr(comparison.plot, figure.plot)(width=width, **figure.options)
            sizes = [
                text.get_fontsize() for text in picture.figure.findobj(Text) if text.get_text()
            ]
            assert min(sizes) >= 7.0, figure.plot
