"""How much longer all measures take than three: reading and joining should be nearly all of it."""

import time

import pytest

from abrank.measures import catalogue
from abrank.scoring.evaluate import evaluate

pytestmark = pytest.mark.benchmarks

FEW = ["nDCG@10", "AP", "RR"]
# Each measure of the catalogue that files of judgments and a run are enough for.
REQUIRED = {"cutoff": 10, "recall": 0.5, "multiple": 2.0, "max_rel": 2}
CATALOGUE = [
    entry.with_parameters({p.name: REQUIRED[p.name] for p in entry.parameters if p.required})
    for entry in catalogue().values()
    if entry.needs is None
]


@pytest.mark.parametrize("many", [["all_trec"], CATALOGUE], ids=["all_trec", "catalogue"])
def test_all_measures_against_three(shared_data, record_property, many):
    folder = shared_data / "robust03"
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}

    def seconds(measures):
        # Of the processor, so that other programs do not count.
        start = time.process_time()
        evaluate(folder / "qrels.txt.gz", runs, measures)
        return time.process_time() - start

    seconds(FEW)
    ratios = sorted(seconds(many) / seconds(FEW) for _ in range(5))
    print(f"{ratios[2]:.2f} times as long as {', '.join(FEW)} [{ratios[0]:.2f}-{ratios[-1]:.2f}]")
    record_property("ratio", ratios[2])
