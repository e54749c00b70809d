"""Times as ratios against scipy or less work, in one run: printed, never asserted."""

import subprocess
import sys
from statistics import median
from time import process_time

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test
from abrank.inference.families import max_t
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
MOST_BYTES, MOST_MEMORY = 2_000_000, 4e9

# The command in a process of its own, whose child's time and memory it prints.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def seconds(function, times=5):
    """Return the time of the processor, so that other programs do not count."""
    used = []
    for _ in range(times):
        start = process_time()
        function()
        used.append(process_time() - start)
    return median(used)


def differences(n, decimals):
    random = np.random.default_rng(n)
    d = random.gamma(0.5, 0.15, n) * random.choice([-1, 1], n) + 0.3 / np.sqrt(n)
    return np.round(d, decimals)


def flips_of_scipy(d, n_resamples):
    return stats.permutation_test(
        (d, np.zeros_like(d)), lambda x, y, axis: (x - y).mean(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=n_resamples, rng=np.random.default_rng(1),
    )  # fmt: skip


@pytest.mark.parametrize("n", [50, 250, 1000])
@pytest.mark.parametrize("decimals", [1, 4, 17])
def test_exact_p_and_interval_against_ten_thousand_flips_of_scipy(n, decimals) -> None:
    d = differences(n, decimals)
    result = run_test("permutation", d)
    assert result.method == "exact"
    both = seconds(lambda: run_test("permutation", d))
    alone = seconds(lambda: run_test("permutation", d, confidence=1))
    scipy = seconds(lambda: flips_of_scipy(d, 10_000), times=3)
    print(
        f"\n{n} queries, {decimals} decimals: exact p {1e3 * alone:.1f} ms, with its interval"
        f" {1e3 * both:.1f} ms; 10,000 flips of scipy take {scipy / alone:.1f} and"
        f" {scipy / both:.1f} times as long"
    )


def test_flips_of_six_measures_against_those_of_one_by_scipy() -> None:
    d = differences(250 * 6, 17).reshape(250, 6)
    adjusted = max_t(d, n_resamples=100_000)
    assert np.all(adjusted.pvalue >= adjusted.pvalue_alone)
    joint = seconds(lambda: max_t(d, n_resamples=100_000))
    scipy = seconds(lambda: flips_of_scipy(d[:, 0], 100_000), times=1)
    print(f"\nmax-T of 6 measures {1e3 * joint:.0f} ms; one by scipy {scipy / joint:.0f} times it")


@pytest.mark.parametrize("many", [["all_trec"], CATALOGUE], ids=["all_trec", "catalogue"])
def test_all_measures_against_three(shared_data, many) -> None:
    folder = shared_data / "robust03"
    qrels = folder / "qrels.txt.gz"
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}
    evaluate(qrels, runs, FEW)
    few, all_measures = (seconds(lambda x=x: evaluate(qrels, runs, x)) for x in (FEW, many))
    print(f"\nall measures take {all_measures / few:.2f} times as long as {', '.join(FEW)}")


@pytest.mark.parametrize("n", [250, 7_000, 1_000_000])
def test_the_whole_command_on_ready_scores(tmp_path, n) -> None:
    random = np.random.default_rng(0)
    a = random.beta(1.6, 2.2, n)
    b = (a + random.normal(0.01, 0.16, n) * (random.random(n) >= 0.1)).clip(0, 1)
    table, page, results = (tmp_path / name for name in ("s.csv", "x.html", "results.json"))
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    rows = (f"q{i:07d},{x!r},{y!r}\n" for i, (x, y) in enumerate(pairs))
    table.write_text("query_id,old,new\n" + "".join(rows))
    command = [sys.executable, "-m", "abrank", "compare", table, "--margin", "0.005"]
    command += ["--report", page, "--report", results]
    output = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, command)], capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    code, cpu, kilobytes = map(float, output.split())
    # Linux counts in kilobytes, macOS in bytes.
    memory = kilobytes * (1 if sys.platform == "darwin" else 1024)
    print(f"\n{n} queries: {cpu:.1f} s of CPU, at most {memory / 1e9:.2f} GB of memory")
    assert code == 0
    assert page.stat().st_size <= MOST_BYTES
    assert memory <= MOST_MEMORY
