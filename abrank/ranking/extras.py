"""What a ranking is asked for beside the leaderboard: measures as instruments, and risk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inference.estimates.effect_size import geo_risk, risk
from abrank.inference.systems.registry import achieved_levels, swap_rate
from abrank.ranking.result import Ranking
from abrank.ranking.rows import Extras, Instrument, RiskRow


def with_extras(
    ranking: Ranking, *, instruments: bool = False, risk: float | None = None
) -> Ranking:
    """Return the ranking with what it is asked for beside the leaderboard, in ``extras``.

    Parameters
    ----------
    ranking : Ranking
    instruments : bool
        For each measure how well it tells the systems apart: discriminative power (the share of
        pairs with p below alpha, by paired t tests that are not adjusted), the curve of achieved
        levels, the swap rate between halves of the queries, and Kendall's tau with the first.
    risk : float, optional
        URisk, TRisk and GeoRisk of the first measure against the baseline (without one, the last
        system), a loss counted 1 + ``risk`` times.

    Returns
    -------
    Ranking

    Raises
    ------
    ArgumentError
        If there is no query, or the weight is negative.

    Examples
    --------
    >>> from abrank.scoring.scores import Scores
    >>> from abrank.ranking import rank_scores
    >>> values = np.array([[0.3, 0.8], [0.5, 0.9], [0.1, 0.6], [0.7, 1.0]])[:, :, None]
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("nDCG",), values)
    >>> found = with_extras(rank_scores(scores, baseline="A"), instruments=True, risk=1.0).extras
    >>> found.instruments[0].discriminative_power, round(found.risk[0].urisk, 3)
    (1.0, 0.425)
    """
    if not ranking.n_queries:
        raise ArgumentError("without queries there is nothing to say of measures or of risk")
    found = Extras(
        instruments=tuple(_instrument(each, ranking) for each in ranking.by_measure)
        if instruments
        else (),
        risk_weight=float("nan") if risk is None else risk,
        risk=() if risk is None else _risks(ranking, risk),
    )
    return replace(ranking, extras=found)


def _oriented(ranking: Ranking) -> FloatArray:
    return ranking.scores if ranking.higher_is_better else -ranking.scores


def _instrument(each: Ranking, first: Ranking) -> Instrument:
    levels = achieved_levels(each.scores, seed=each.seed)
    told = levels < each.alpha
    order = [each.systems.index(system) for system in first.systems]
    gaps = np.abs(np.subtract.outer(each.scores.mean(axis=0), each.scores.mean(axis=0)))
    one, two = np.triu_indices(len(each.systems), 1)
    found = inference.run_test("t", each.scores[:, two] - each.scores[:, one]).pvalue < each.alpha
    return Instrument(
        measure=each.measure,
        discriminative_power=float(told.mean()),
        swap_rate=swap_rate(each.scores, seed=each.seed),
        smallest_told=float(gaps[one, two][found].min()) if found.any() else float("nan"),
        tau=float(
            inference.kendall_tau(
                _oriented(each)[:, order].mean(axis=0), _oriented(first).mean(axis=0)
            )
        ),
        achieved_levels=tuple(levels.tolist()),
    )


def _risks(ranking: Ranking, weight: float) -> tuple[RiskRow, ...]:
    baseline = ranking.baseline or ranking.systems[-1]
    scores, confidence = _oriented(ranking), 1.0 - ranking.alpha
    base = scores[:, ranking.systems.index(baseline)]
    geo = np.full((3, len(ranking.systems)), np.nan)
    if (scores >= 0.0).all():
        geo = np.stack(geo_risk(scores, weight=weight, confidence=confidence, seed=ranking.seed))
    rows = []
    for i, system in enumerate(ranking.systems):
        found = risk(scores[:, i] - base, weight=weight, confidence=confidence)
        of_pair = (
            found.urisk,
            found.urisk_low,
            found.urisk_high,
            found.trisk,
            found.trisk_low,
            found.trisk_high,
        )
        rows.append(RiskRow(system, baseline, *of_pair, *geo[:, i].tolist()))
    return tuple(rows)
