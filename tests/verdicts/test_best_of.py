"""B is the best of several that were tried on the same queries: what is said holds all the same."""

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, Question
from tests.ledger.made import QUERIES
from tests.report.written import whole_text


def tried(seed: int, n_candidates: int = 20, gain: float = 0.0) -> list[dict[str, float]]:
    """A baseline, and the candidate with the largest mean of several that share its difficulty."""
    random = np.random.default_rng(seed)
    baseline = random.uniform(0.2, 0.8, len(QUERIES))
    candidates = baseline + random.normal(gain, 0.1, (n_candidates, len(QUERIES)))
    best = candidates[candidates.mean(axis=1).argmax()]
    return [dict(zip(QUERIES, item.tolist(), strict=True)) for item in (baseline, best)]


@pytest.mark.usefixtures("nothing_drawn")
def test_the_price_stands_beside_the_verdict_in_every_format(tmp_path) -> None:
    comparison = abrank.compare_scores(*tried(1), config=Question(best_of=20))
    assert comparison.rule.alpha == pytest.approx(0.05 / 20)
    text = whole_text(comparison)
    assert "B is the best of 20 candidates tried on these queries: each has the level" in text
    assert "0.05 / 20 = 0.0025" in text
    assert (
        "If all 20 candidates were equal to A, this rule would still report a difference in at"
        " most 5% of such choices" in text
    )
    assert "if B was tuned" not in text
    for name in ("x.html", "x.md", "x.methods"):
        visible = " ".join(comparison.report(tmp_path / name).read_text().split())
        assert "best of 20 candidates" in visible
    again = abrank.Comparison.from_json(comparison.report(tmp_path / "x.json"))
    assert again.rule == comparison.rule
    assert whole_text(again) == text


@pytest.mark.parametrize(("asked", "message"), [
    ({"best_of": 0}, "whole number of at least 1"),
    ({"best_of": 3, "test": "bootstrap"}, "does not hold at small levels"),
    ({"best_of": 3, "error_budget": "fdr:0.05"}, "each candidate is a comparison of its own"),
])  # fmt: skip
def test_what_it_cannot_be_asked_with_is_refused(asked, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        Question(**asked)


@pytest.mark.slow
def test_the_best_of_twenty_that_do_not_differ_is_seldom_found_to_be_better() -> None:
    plain = [abrank.compare_scores(*tried(seed)) for seed in range(60)]
    paid = [abrank.compare_scores(*tried(seed), config=Question(best_of=20)) for seed in range(60)]
    # 1 - .975^20 is .40; of 60 at 2.5 % more than 6 come once in a thousand.
    assert sum(item.decision.ci_low > 0 for item in plain) >= 12
    assert sum(item.decision.ci_low > 0 for item in paid) <= 6
    for first, second in zip(plain, paid, strict=True):
        assert second.decision.ci_low < first.decision.ci_low
        assert (second.pvalue <= second.rule.alpha) == (
            second.decision.ci_low > 0 or second.decision.ci_high < 0
        )
