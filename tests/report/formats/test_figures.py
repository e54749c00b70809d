"""Figures for a paper: those that one uses, in the width of a column."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from abrank.cli import run
from abrank.plots import WIDTHS
from abrank.report import compose
from abrank.report import registry as figures
from abrank.report.model import Figure


@pytest.fixture(scope="module")
def comparison(make):
    return make(0.05, n=5)


@pytest.fixture(scope="module")
def folder(comparison, tmp_path_factory):
    """Return a folder that the command line filled, with one figure: a PDF takes its time."""
    mktemp = tmp_path_factory.mktemp("paper")
    comparison.report(mktemp / "results.json")
    (mktemp / "figures").mkdir()
    (mktemp / "figures" / "forest.pdf").write_text("old")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "figures_of", lambda _: {"forest": Figure("forest", "")})
        for kind in ("", "svg:", "png:"):
            requested = ["--figures", f"{kind}{mktemp}/figures"]
            assert run(["render", f"{mktemp}/results.json", "-q", *requested]) == 0
    return mktemp / "figures"


def test_figures_are_those_that_a_paper_uses(comparison, make) -> None:
    few = ["forest", "deltas", "power"]
    assert [*figures.figures_of(compose(comparison))] == few
    segments = {f"q{i:04}": i % 2 for i in range(100)}
    result = figures.figures_of(compose(make.__wrapped__(0.05, segments={"half": segments})))
    assert {"scatter", "distribution", "segments"} < {*result} <= {*figures.PAPER}


def test_another_kind_is_refused_before_anything_is_read(capsys) -> None:
    assert run(["render", "nothing.json", "--figures", "gif:out"]) == 2
    assert "figures are written as pdf, svg, png, not gif" in capsys.readouterr().err
    assert run(["render", "nothing.json", "--figures", "png:"]) == 2
    assert "png: names no folder: png:figures writes to figures/" in capsys.readouterr().err


@pytest.mark.slow
def test_a_ranking_has_its_own_without_those_that_say_why_there_is_none(tmp_path, capsys) -> None:
    table = pd.DataFrame(np.random.default_rng(1).random((12, 3)), columns=["x", "y", "z"])
    table.rename_axis("query_id").to_csv(tmp_path / "scores.csv")
    requested = ["rank", "--scores", f"{tmp_path}/scores.csv", "-m", "AP", "-q"]
    for test, more in ((), set()), (("--test", "nemenyi"), {"cd.svg"}):
        place = tmp_path / f"figures{len(more)}"
        assert run([*requested, *test, "--figures", f"svg:{place}"]) == 0
        names = {path.name for path in place.iterdir()}
        assert names == {"leaderboard.svg", "matrix.svg", "queries.svg", "ranks.svg"} | more
        assert f"{len(names)} files" in capsys.readouterr().out


def test_files_have_the_width_of_a_column_and_what_venues_ask_for(folder) -> None:
    data = (folder / "forest.pdf").read_bytes()
    assert b"/FontType 3" not in data
    assert b"/Type3" not in data
    assert b"CreationDate" not in data
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ", data)
    assert float(box.group(1)) == pytest.approx(72 * WIDTHS["column"], abs=0.5)
    assert f'width="{72 * WIDTHS["column"]:g}' in (folder / "forest.svg").read_text("utf-8")
    # A PNG says its width in dots, and dots a metre.
    data = (folder / "forest.png").read_bytes()
    assert int.from_bytes(data[16:20]) == pytest.approx(300 * WIDTHS["column"], abs=1)
    assert int.from_bytes(data[data.index(b"pHYs") + 4 :][:4]) == pytest.approx(300 / 0.0254, abs=1)


@pytest.mark.slow
def test_letters_have_eight_points_at_least(comparison) -> None:
    for figure in figures.figures_of(compose(comparison)).values():
        for width in WIDTHS:
            picture = getattr(comparison.plot, figure.plot)(width=width)
            sizes = [
                text.get_fontsize() for text in picture.figure.findobj(Text) if text.get_text()
            ]
            assert min(sizes) >= 8.25, figure.plot
