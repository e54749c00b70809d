"""How large a report is, and what the whole command takes: printed, sizes and memory asserted."""

import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from abrank import compare, simulate_runs
from tests.report.written import html

MEASURES = ("nDCG@10", "AP")
MOST_BYTES, MOST_MEMORY = 2_000_000, 4e9

# The command in a process of its own, whose child's time and memory it prints.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def write_scores(folder, n):
    """Write the scores of two systems as tables, a tenth of the queries without a difference."""
    random = np.random.default_rng(0)
    a = random.beta(1.6, 2.2, (n, len(MEASURES)))
    moved = random.normal(0.01, 0.16, a.shape) * (random.random(a.shape) >= 0.1)
    for name, values in (("old", a), ("new", (a + moved).clip(0, 1))):
        rows = (f"q{i:07d},{x!r},{y!r}\n" for i, (x, y) in enumerate(values.tolist()))
        with (folder / f"{name}.csv").open("w") as file:
            file.writelines([",".join(["query_id", *MEASURES]) + "\n", *rows])


@pytest.mark.benchmarks
@pytest.mark.parametrize("n", [250, 7_000, 1_000_000])
def test_the_whole_command_on_ready_scores(tmp_path, n) -> None:
    write_scores(tmp_path, n)
    files = [tmp_path / name for name in ("old.csv", "new.csv", "x.html", "results.json")]
    command = [sys.executable, "-m", "abrank", "compare", "--scores", *files[:2]]
    command += ["--margin", "0.005", "--report", files[2], "--report", files[3]]
    start = time.perf_counter()
    output = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, command)], capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    wall = time.perf_counter() - start
    code, cpu, kilobytes = map(float, output.split())
    # Linux counts in kilobytes, macOS in bytes.
    memory = kilobytes * (1 if sys.platform == "darwin" else 1024)
    page, results = (file.stat().st_size for file in files[2:])
    print(
        f"\n{n} queries, cold: page {page / 1e6:.2f} MB, results.json {results / 1e6:.2f} MB,"
        f" {cpu:.1f} s of CPU, {wall:.1f} s, at most {memory / 1e9:.2f} GB of memory"
    )
    assert code == 0
    assert page <= MOST_BYTES
    assert memory <= MOST_MEMORY


@pytest.mark.benchmarks
@pytest.mark.parametrize(("n", "most"), [(250, 600_000), (7_000, MOST_BYTES)])
def test_a_report_with_texts_segments_and_documents(n, most) -> None:
    collection = simulate_runs(n, rng=1)
    options = {"topics": collection.topics, "segments": {"intent": collection.intents}}
    start = time.process_time()
    comparison = compare(collection.qrels, collection.baseline, collection.candidate, **options)
    compared = time.process_time()
    size = len(html(comparison).encode())
    seconds = compared - start, time.process_time() - compared
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"\n{n} queries: {size / 1e6:.2f} MB, compared in {seconds[0]:.1f} s of CPU, written in"
        f" {seconds[1]:.1f} s, at most {memory:.2f} GB of memory so far"
    )
    assert size <= most
