"""Nothing that a reader sees of one result contradicts another thing shown of it."""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from abrank import compare_scores, evaluate, rank_scores, report, simulate_runs
from abrank.collections import compare_collections, rank_collections
from abrank.comparison import Comparison
from abrank.options import Clusters
from abrank.report import compose
from tests.asked import asked
from tests.report import seen
from tests.report.conftest import DESIGNS, SITUATIONS, _make, _with_machine
from tests.report.contradictions import claims_of, found_in

IDS = [f"q{i:04}" for i in range(90)]


def _segmented(**how) -> Comparison:
    """Compare where one segment gains, one loses, and those of another property do not differ."""
    rng = np.random.default_rng(1)
    a = pd.DataFrame({"AP": 0.2 + 0.6 * rng.random(90)}, IDS)
    b = a + (np.resize([0.12, -0.1, 0.0], 90) + 0.1 * rng.standard_normal(90))[:, None]
    segments = {
        "length": dict(zip(IDS, np.resize(["short", "long", "odd one"], 90), strict=True)),
        "half": dict(zip(IDS, np.resize(["first", "second"], 90), strict=True)),
    }
    return compare_scores(a, b.clip(0.0), **asked(segments=segments, **how))


def _systems(seed: int, k: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    base = rng.random(40)
    clips = (np.clip(base + 0.08 * j + 0.2 * rng.standard_normal(40), 0.0, 1.5) for j in range(k))
    return {f"sys{j}": dict(zip(IDS, scores, strict=False)) for j, scores in enumerate(clips)}


def _means():
    collection = simulate_runs(40, rng=3)
    return evaluate(
        collection.qrels,
        {"old": collection.baseline, "new": collection.candidate},
        ["nDCG@10", "AP"],
    )


def _collected(**how):
    pairs = {f"col{i}": tuple(_systems(i, 2).values()) for i in (1, 2, 3)}
    return compare_collections(pairs, **how)


def _of_queries(name: str, labels: list[str]):
    """Return a property of the queries of two of the three collections."""
    of_query = dict(zip(IDS, np.resize(labels, 40).tolist(), strict=False))
    return {f"col{i}": pd.Series(of_query, name=name) for i in (1, 2)}


_USERS = Clusters(_of_queries("user", [f"u{i}" for i in range(12)]))
_INTENTS = _of_queries("intent", ["nav", "info", "one", "nav"])


_TESTS = ("bootstrap", "sign", "wilcoxon", "permutation")
_PERCENT = ((0.05, "2%"), (0.05, "12%"), (0.001, "10%"), (0.01, "6%"), (0.005, "1%"), (-0.05, "2%"))
GALLERY = {
    **{name: build for name, (_, _, build) in SITUATIONS.items()},
    **{f"design: {name}": build for name, build in DESIGNS.items()},
    **{f"test: {test}": partial(_make, 0.03, n=60, measures=3, test=test) for test in _TESTS},
    **{f"test: {test}, margin": partial(_make, 0.03, n=60, measures=3, test=test, margin=0.02)
     for test in _TESTS if test != "sign"},
    **{f"{mean} by {m}": partial(_make, mean, margin=m, measures=3) for mean, m in _PERCENT},
    "segments": _segmented,
    "segments, margin": partial(_segmented, margin=0.02),
    "segments, per cent": partial(_segmented, margin="3%"),
    "machine set aside": partial(_with_machine, picked=True),
    "means": lambda: _means().intervals(),
    "means with a floor": lambda: _means().intervals(at_least="nDCG@10:0.2"),
    "ranking": lambda: rank_scores(_systems(3, 4)),
    "ranking against a baseline": lambda: rank_scores(_systems(3, 4), baseline="sys0"),
    "collections": _collected,
    "collections, margin": partial(_collected, margin=0.02),
    "collections, segments": partial(_collected, segments=_INTENTS),
    "collections, clusters": partial(_collected, design=_USERS, margin=0.02),
    "collections, both": partial(_collected, segments=_INTENTS, design=_USERS, require="better"),
    "collections, many": lambda: rank_collections({f"col{i}": _systems(i, 3) for i in range(3)}),
}  # fmt: skip


@cache
def report_of(name: str):
    return compose(GALLERY[name]())


pytestmark = pytest.mark.usefixtures("nothing_drawn")


@pytest.mark.parametrize("name", GALLERY)
def test_nothing_shown_contradicts_itself(name) -> None:
    assert found_in(seen.html(report.html(report_of(name)))) == []


@pytest.mark.parametrize("name", ["better", "same", "0.001 by 10%", "collections"])
def test_what_is_read_is_what_is_shown(name: str) -> None:
    claims = [*claims_of(seen.html(report.html(report_of(name))))]
    assert {"table"} < {claim.where.split()[0].strip("“") for claim in claims}
    assert len(claims) >= 5


# --- What the checker must find: pages as they were, each with one contradiction

_HEAD = (
    "<tr><th>measure</th><th>A</th><th>B</th><th>{}</th><th>95% interval</th><th>{}</th>"
    "<th>reading</th></tr>"
)
_RULE = "<p>Rule: AP decides by the paired t test, two-sided α = 0.05.</p>"


def _page(*rows: str, change: str = "Δ", p: str = "p", rest: str = "") -> str:
    cells = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split('|'))}</tr>" for row in rows
    )
    return f"<table>{_HEAD.format(change, p)}{cells}</table>{_RULE}{rest}"


OLD = {
    "per cent margin, in words": (
        _page(
            "AP|0.400|0.450|+0.050|+0.030 to +0.070|< 0.001|▲ better",
            rest="<p>The margin is 2% of A's mean, that is 0.010.</p>",
        ),
        "“that is” joins 2% and 0.010",
    ),
    "unclear beside a small p": (
        _page("AP|0.400|0.450|+0.030|−0.010 to +0.070|0.031|? unclear"),
        "reading “? unclear” beside p 0.031",
    ),
    "interval without 0 beside a large p": (
        _page("AP|0.400|0.450|+0.030|+0.010 to +0.070|0.231|? unclear"),
        "interval +0.010 to +0.070 beside p 0.231",
    ),
    "one interval of a mean and of wins": (
        _page(
            "AP|0.400|0.450|+0.050|+0.030 to +0.070|0.001|▲ better",
            rest="<p>AP: net share of decided queries won, 95% CI +0.030 to +0.070.</p>",
        ),
        "one interval of two things",
    ),
    "star at another measure": (
        _page(
            "AP|0.4|0.5|+0.100|+0.050 to +0.150|0.001|▲ better",
            "RR ★|0.4|0.5|+0.100|+0.050 to +0.150|0.001|▲ better",
        ),
        "star at RR, but the rule says AP",
    ),
}


# Parts of pages of version 924342c1, character by character.
OLD_PAGES = Path(__file__).parent / "old_pages"
OLD |= {
    name: ((OLD_PAGES / f"{name.replace(' ', '_')}.html").read_text("utf-8"), text)
    for name, text in {
        "per cent margin": "“that is” joins +0.055 to +0.095 and +29.3% to +31.3%",
        "machine set aside": "star at “People and machine”",
        "interaction p": "two p-values of one interaction, length: 0.111 and 0.222",
        "collections opened": "interval +0.019 to +0.222 beside p 0.062: col3",
        "hero 90 beside forest 95": "the headline's interval is not that of its row",
        "band of every row": "the band of a margin in a row that it does not judge: AP",
        "not tested": "p in a row that was not tested: nDCG@10",
        "limits out of reach": "limits beyond the measure's range: Δ of Kind: y: -3.892",
        "open interval": "an interval from −∞ to ∞",
        "segments without per cent": "segments not in per cent: Length",
    }.items()
}


OLD["better beside a margin"] = (
    OLD["band of every row"][0],
    "reading “▲ better” against 0 beside one against a margin: AP",
)


@pytest.mark.parametrize("name", OLD)
def test_contradictions_of_old_pages_are_found(name: str) -> None:
    page, text = OLD[name]
    result = found_in(seen.html(page))
    assert any(text in item for item in result), result
