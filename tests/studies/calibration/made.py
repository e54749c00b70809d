"""Material of which theory knows what the tests say of it: all but normal, of one variance."""

import numpy as np
from scipy import stats

from reports.studies.calibration.material import GAIN, Block, Material
from reports.studies.calibration.populations import Pair

N_VALUES = 400
SPREAD = 0.2


def normal_material() -> Material:
    """Populations whose values are the quantiles of a normal law, columns all but uncorrelated."""
    random = np.random.default_rng(11)
    values = np.round(stats.norm.ppf((np.arange(N_VALUES) + 0.5) / N_VALUES) * SPREAD, 2)
    weights = np.full(N_VALUES, 1.0 / N_VALUES)

    def columns(n: int) -> np.ndarray:
        return np.stack([random.permutation(values) for _ in range(n)], axis=1)

    query = 1.0 + columns(1)
    two, five = query + columns(2), query + columns(5)
    twelve = columns(12)
    raised = two + np.array([0.0, GAIN])
    return Material(
        source="made",
        pairs=tuple(Pair(values[:, None], weights, name=f"pair {i}") for i in range(5)),
        families=(Pair(columns(4), weights),),
        level=(Block(two, weights),),
        raised=(Block(raised, weights),),
        many=(Block(five, weights),),
        boards=(Block(five, weights, "made, 5 systems"), Block(twelve, weights)),
        balanced=(Block(five, weights, "made, 5 systems"),),
    )


def rates(counts) -> dict[str, dict[str, float]]:
    """Counts of a part as shares, by test."""
    return {
        str(row["test"]): {
            key: value / row["replications"]
            for key, value in row.items()
            if isinstance(value, int) and key != "replications"
        }
        for row in counts
    }
