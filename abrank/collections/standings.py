"""How many systems stand on several collections: these, and others like them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from abrank import inference
from abrank._support.typing import FloatArray
from abrank.collections.ranking import MeasureStandings, Standing, StandingRow
from abrank.inference.systems.stability import chances_of_ranks
from abrank.ranking import Ranking
from abrank.ranking.rows import RankChance
from abrank.ranking.tabulate import pair_rows

WITHIN, WITHIN_TITLE = "within-collections", "min-P bootstrap of the queries within collections"


def measure_standings(
    like: Ranking, rankings: Mapping[str, Ranking], blocks: Mapping[str, FloatArray]
) -> MeasureStandings:
    """Return one measure; ``blocks`` have the systems in the order of the first collection."""
    systems = next(iter(rankings.values())).systems
    order = [systems.index(system) for system in like.systems]
    sign = 1.0 if like.higher_is_better else -1.0
    found = inference.compare_within_collections(
        {name: block[:, order] for name, block in blocks.items()},
        confidence=1.0 - like.alpha,
        seed=like.seed,
    )
    own = inference.run_test("t", like.scores, confidence=1.0 - like.alpha)
    limits = {"these": (found.ci_low, found.ci_high), "like": (own.ci_low, own.ci_high)}
    drawn = {"these": found.same_collections, "like": found.other_collections}
    means = like.scores.mean(axis=0)
    declared = like.direction_declared
    compared = pair_rows(like.systems, like.scores, means, found.compared, sign, declared=declared)
    groups = inference.group_letters(found.compared.matrix(found.compared.distinct))
    these = replace(
        like,
        pair_rows=compared,
        test=WITHIN,
        title=WITHIN_TITLE,
        method=found.compared.method,
        n_resamples=found.compared.n_resamples,
    )
    parts = {"these": these, "like": like}
    made = {
        key: replace(
            each,
            rows=tuple(
                replace(
                    row,
                    ci_low=float(limits[key][0][i]),
                    ci_high=float(limits[key][1][i]),
                    group=groups[i] if key == "these" else row.group,
                )
                for i, row in enumerate(each.rows)
            ),
            secondary=(),
            stability=_chances(sign * drawn[key], each),
            n_drawn=len(drawn[key]),
        )
        for key, each in parts.items()
    }
    return MeasureStandings(**made, rows=standing_rows(made["these"], made["like"]))


def _chances(drawn: FloatArray, ranking: Ranking) -> tuple[RankChance, ...]:
    found = chances_of_ranks(
        drawn,
        scale=float(np.abs(drawn).max()),
        confidence=1.0 - ranking.alpha,
        seed=ranking.seed,
    )
    return tuple(
        RankChance(system, int(found.low[i]), int(found.high[i]), tuple(found.chances[i].tolist()))
        for i, system in enumerate(ranking.systems)
    )


def standing_rows(these: Ranking, like: Ranking) -> tuple[StandingRow, ...]:
    """Return a row a system from the two rankings of the means."""
    sign = 1.0 if these.higher_is_better else -1.0
    highest = (sign * these.scores).max(axis=1, keepdims=True)
    n_first = (sign * these.scores >= highest).sum(axis=0)
    both = zip(_standing(these), _standing(like), strict=True)
    return tuple(
        StandingRow(
            position=row.position,
            system=row.system,
            mean=row.mean,
            diff=row.mean - these.rows[0].mean,
            n_first=int(n_first[i]),
            these=here,
            like=elsewhere,
        )
        for i, (row, (here, elsewhere)) in enumerate(zip(these.rows, both, strict=True))
    )


def _standing(ranking: Ranking) -> list[Standing]:
    """Return how each system stands, best mean first."""
    place = {system: i for i, system in enumerate(ranking.systems)}
    better, worse = np.zeros((2, len(place)), np.int64)
    limits = np.full((len(place), 2), np.nan)
    for pair in ranking.pair_rows:
        a, b = place[pair.a], place[pair.b]
        if b == 0:
            limits[a] = -pair.ci_high, -pair.ci_low
        if pair.told_apart:
            above, below = (b, a) if pair.b_is_ahead else (a, b)
            worse[above] += 1
            better[below] += 1
    return [
        Standing(
            ci_low=row.ci_low,
            ci_high=row.ci_high,
            diff_low=float(limits[i, 0]),
            diff_high=float(limits[i, 1]),
            rank_low=1 + int(better[i]),
            rank_high=len(place) - int(worse[i]),
            lead=ranking.stability[i].first,
        )
        for i, row in enumerate(ranking.rows)
    ]
