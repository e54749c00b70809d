"""What a margin cannot be found from.

An audit's bounds: against enumeration of all outcomes, and what is said of them.
"""

import json
import math
from html import unescape

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, audit
from abrank.planning.audit import BOARDS
from abrank.report import compose, html, latex, markdown, text, to_dict

A = np.linspace(0.1, 0.9, 20)


@pytest.mark.parametrize(("a", "how", "said"), [
    (np.zeros((2, 2, 2)), {}, "at least one query and one run are needed"),
    ([], {}, "at least one query and one run are needed"),
    (A, {"b": A[:5]}, r"b has the shape \(5,\), and A has 20 queries"),
    ([0.5, np.nan], {}, "a score is not finite"),
    (A, {"b": A + np.inf}, "a score is not finite"),
    (A, {"b": A + 0.1, "sd": 0.2}, "the spread comes from b or from sd, not from both"),
])  # fmt: skip
def test_scores_that_give_no_margin_are_refused(a, how, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        abrank.suggest_margins(a, **how)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(2, 13))
def test_bounds_of_scores_0_or_1_by_enumeration(n: int) -> None:
    """Only how many queries gain and lose counts: all of these with each pair of means."""
    for a, b in ((a, b) for a in range(n + 1) for b in range(n + 1)):
        losses = range(min(a, n - b) + 1)
        pairs = [(v + b - a, v) for v in losses if 0 <= v + b - a <= min(b, n - a)]
        result = audit(n, repr(a / n), repr(b / n), measure="Success@1")
        smallest, widest = 9.0, 0.0
        for gains, lost in pairs:
            d = np.repeat([1.0, -1.0, 0.0], [gains, lost, n - gains - lost])
            k = gains + lost
            flips = [math.comb(k, i) for i in range(k + 1) if abs(2 * i - k) >= abs(b - a)]
            smallest = min(smallest, sum(flips) / 2**k)
            widest = max(widest, float(d.std(ddof=1)))
        assert result.smallest_p_binary == pytest.approx(smallest, abs=1e-12)
        assert result.rows[-1].sd == pytest.approx(widest, abs=1e-12)
        assert (result.counts_a, result.counts_b) == ((a,), (b,))


@pytest.mark.parametrize(("asked", "title", "tag"), [
    ((50, "0.412", "0.431"), "At the usual spread 50 queries cannot tell", "? Not significant"),
    ((50, "0.40", "0.50", "Success@1"), "No outcome with these means", "! Cannot be sig"),
    ((50, "0.412", "0.5", "P@1"), "No scores of 0 or 1 on 50 queries have a mean", "!"),
    ((5, "0.1", "0.9", "AP"), "No outcome with these means", "! Cannot be significant"),
    ((200, "0.1", "0.9", "AP"), "Every outcome with these means is", "▲ Always significant"),
    ((200, "0.41", "0.44", "AP"), "At the usual spread this difference is", "△ Plausible"),
])  # fmt: skip
def test_what_is_said_first(asked, title, tag) -> None:
    *means, measure = asked if len(asked) == 4 else (*asked, "nDCG@10")
    options = {"sd": 0.4} if measure == "P@1" else {}
    head = compose(audit(*means, measure=measure, **options)).headline
    assert head.title.startswith(title)
    assert f"{head.glyph} {head.tag}".startswith(tag)


def test_every_format_has_the_interval_and_the_bound() -> None:
    result = audit(50, "0.412", "0.431")
    report = compose(result)
    for write in (text, markdown, html):
        assert "−0.036 to +0.074" in write(report), write
        sentence = " ".join(unescape(write(report)).replace("\\", "").split())
        assert "cores between 0 and 1 with these means can have p < 0.001" in sentence, write
    assert "0.927" in latex(report)
    assert "At the usual spread" in result._repr_html_()
    assert to_dict(result)["rows"][0]["needed"] == result.rows[0].needed == 829


@pytest.mark.every_case
@pytest.mark.parametrize(("asked", "said"), [
    ((1, 0.1, 0.2), "queries must be"),
    ((50, 41.2, 43.1), r"a mean between 0 and 1 \(0.412 for 41.2%\)"),
    ((50, "much", 0.2), "a is a mean such as 0.412"),
    ((50, 0.1, 0.2, {"measure": "bpref"}), "no spread of Bpref is stored"),
    ((50, 0.1, 0.2, {"measure": "DCG@10"}), "between 0 and 1, which DCG@10 is not"),
    ((50, 0.1, 0.2, {"sd": -1.0}), "sd must be"),
    ((50, "0.400", "0.500", {"sd": 5.0}), r"sd is 5, but .* these means spread by 0.954 at most"),
    ((2, "0.000", "1.000", {"sd": 0.5}), r"spread by 0\.07\d+ at most"),
])  # fmt: skip
def test_what_cannot_be_audited_is_said(asked, said) -> None:
    *means, options = asked if isinstance(asked[-1], dict) else (*asked, {})
    with pytest.raises(ArgumentError, match=said):
        audit(*means, **options)


def test_the_command(command, tmp_path) -> None:
    requested = ["audit", "--queries", "50", "--a", "0.40", "--b", "0.44", "-m", "Success@1"]
    out = command([*requested, "--report", str(tmp_path / "r.html")]).out
    assert "! CANNOT BE SIGNIFICANT" in out
    assert "have a p below 0.5 (exact sign\n          flips)" in out
    assert "CANNOT BE SIGNIFICANT" in (tmp_path / "r.html").read_text().upper()
    assert json.loads(command([*requested, "--format", "json"]).out)["smallest_p_binary"] == 0.5
    assert "give --queries, --a and --b" in command(["audit", "--queries", "50"], 2).err


def test_a_board_knows_the_share_of_pairs_that_spread_less() -> None:
    assert BOARDS["AP"].share_below(0.12) == 0.23
