"""Made differences of people and machines, in the place of those of real runs."""

import numpy as np

from reports.studies.calibration.judges import JUDGES, Judged


def made_pairs() -> list[Judged]:
    """Return two pairs for every machine, with correlated differences; B is favoured by 0.2."""
    random = np.random.default_rng(5)
    result = []
    for judge in JUDGES:
        for name in ("one", "two"):
            d = random.normal(0.02, 0.2, 400)
            f = d + random.normal(0.2 if judge == "favours B" else 0.0, 0.1, 400)
            score = 0.4 - d + random.normal(0.0, 0.1, 400)
            real = np.stack([d, f, score])
            null = np.hstack([real, np.stack([-d, f - 2 * d, score])])
            result.append(Judged(name, judge, real, null))
    return result
