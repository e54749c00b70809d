"""What a reader sees of a difference: its decimals, its unit, its name, the same at every door."""

import re

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.report import WRITERS


def frames(n: int, gain: float, spread: float, *, seed: int = 1) -> tuple[pd.DataFrame, ...]:
    """Two measures of n queries, of which B gains so much, to the last digit."""
    rng = np.random.default_rng(seed)
    ids = [f"q{i}" for i in range(n)]
    result = []
    a = np.round(rng.uniform(0.3, 0.6, (n, 2)), 6)
    noise = rng.normal(0.0, spread, (n, 2))
    b = a + gain + noise - noise.mean(axis=0)
    for values in (a, b):
        result.append(pd.DataFrame(values, index=ids, columns=["AP", "Rprec"]))
    return tuple(result)


def written(result) -> dict[str, str]:
    texts = {kind: WRITERS[kind](result).decode() for kind in (".txt", ".md", ".html", ".tex")}
    return texts | {"card": result._repr_html_()}


@pytest.mark.slow
def test_an_interval_of_many_queries_can_be_read_at_every_door() -> None:
    """Read before as +0.006, +0.006 to +0.006 and better, against a margin of 0.005."""
    result = abrank.compare_scores(*frames(50_000, 0.0060, 0.05), margin=0.005)
    low, high = result.decision.interval
    assert (low.__round__(4), high.__round__(4), result.decimals) == (0.0056, 0.0064, 5)
    for name, text in written(result).items():
        plain = text.replace("−", "-")
        assert "0.00556" in plain, name
        assert "0.00644" in plain, name
        if name in (".txt", ".md"):  # the others have ticks of an axis
            assert not re.search(r"\+0\.006\b", plain), name
        if name not in (".tex", ".txt"):  # the first screen has no rule
            assert "0.00500" in plain, name
    assert WRITERS[".txt"](result, digits=3).decode().count("+0.006") > 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 5_000])
def test_a_margin_in_per_cent_has_one_interval_in_per_cent(n: int) -> None:
    result = abrank.compare_scores(*frames(n, 0.01, 0.1), margin="2%")
    change = result.decision.relative
    assert change is not None
    of_difference = f"{result.primary.ci_low:+.{result.decimals}f}".replace("-", "−")
    for name, text in written(result).items():
        if name == ".tex":
            text = text.replace("-", "−").replace("\\%", "%")
        assert "%, that is" not in text, name
        assert ", that is −" not in text, name
        # The table of all tests, further down the page, says of each what it estimates.
        assert of_difference not in text.partition('id="change"')[0], name
        places = 1 if n == 30 else 2
        assert f"{100 * change.ci_low:.{places}f}%".replace("-", "−") in text, name


@pytest.mark.slow
def test_the_intervals_in_per_cent_exclude_0_where_the_others_do() -> None:
    from abrank.comparison.units import rows_in_unit

    # Of forty seeds those with a limit within 0.0008 of 0.
    for seed in (31, 29, 8, 36, 34, 28, 18, 24):
        result = abrank.compare_scores(*frames(25, 0.04, 0.1, seed=seed), margin="2%")
        for row, visible in zip(result.rows, rows_in_unit(result), strict=True):
            assert (row.ci_low_adj > 0) == (visible.ci_low_adj > 0)
            assert (row.ci_high_adj < 0) == (visible.ci_high_adj < 0)
            assert (row.ci_low > 0) == (visible.ci_low > 0)
            assert visible.ci_low <= visible.estimate <= visible.ci_high


def test_the_axis_of_a_margin_in_per_cent_is_in_per_cent() -> None:
    result = abrank.compare_scores(*frames(30, 0.01, 0.1), margin="2%")
    ax = result.plot.forest().axes
    ax.figure.canvas.draw()
    assert all(tick.get_text().endswith("%") for tick in ax.get_xticklabels())
    assert "in per cent of A's" in ax.get_xlabel()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "name"),
    [("sign", "net share of decided queries won"), ("wilcoxon", "pseudo-median difference")],
)
def test_what_is_called_delta_is_the_mean_difference(test: str, name: str) -> None:
    a, b = frames(60, 0.05, 0.02)
    b.iloc[:6] -= 0.4  # most queries gain, a few lose much
    result = abrank.compare_scores(a, b, test=test)
    row = result.primary
    assert abs(row.estimate - row.diff) > 0.01
    visible = written(result)
    # The drawing of the card, for those who see it and for those who do not.
    assert f'aria-label="{name[0].upper()}{name[1:]}, B − A, with intervals' in visible["card"]
    assert f">{name[0].upper()}{name[1:]}, B − A<" in visible["card"]
    assert "Δ (B − A)" not in visible["card"]
    assert f'aria-label="{name[0].upper()}{name[1:]}, B − A"' in visible[".html"]
    text = " ".join(visible[".txt"].split())
    assert f"interval, bars and p: {name} (B − A), not Δ" in text
    texts = [text.get_text() for text in result.plot.forest().axes.texts]
    assert "estimate" in texts
    assert "Δ" not in texts
