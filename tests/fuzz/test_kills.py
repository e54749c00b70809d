"""A job that is killed at any time, again and again, ends with the scores of one that was not."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import abrank
from tests.safety.damaged_parquet import (
    QRELS,
    average_precisions,
    reciprocal_ranks,
    run_of,
    write_run,
)

ROOT = Path(__file__).parents[2]
KILLS = [3, pytest.param(100, marks=pytest.mark.slow)]
JOB = """
import sys
import abrank
from abrank.engines import Engine
from tests.safety.damaged_parquet import QRELS

print("begun", flush=True)
engine = Engine(rows=8, keep_scores="kept")
scores = abrank.evaluate(QRELS, {"A": "a.parquet", "B": "b.parquet"}, ["RR", "AP"], engine=engine)
print("ended", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n", KILLS)
def test_a_killed_job_is_taken_up(n: int, tmp_path: Path) -> None:
    sample = random.Random(n)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    n_killed, n_ended, longest = 0, 0, 1.0
    while n_killed < n:
        folder = tmp_path / str(n_ended)
        if not folder.exists():
            folder.mkdir()
            for name, seed in (("a", n_ended), ("b", n_ended + 1000)):
                write_run(folder / f"{name}.parquet", seed=seed, shuffled=n_ended % 2 == 0)
        process = subprocess.Popen(
            [sys.executable, "-c", JOB], cwd=folder, env=env, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        begun = time.monotonic()
        # At any time of the job, so that some of it is done each time.
        time.sleep(sample.uniform(0, longest))
        process.send_signal(signal.SIGKILL)
        text = process.stdout.read()
        process.stdout.close()
        if process.wait() == -signal.SIGKILL and "ended" not in text:
            n_killed += 1
            longest = min(longest * 1.1, 3.0)
            continue
        longest = max(0.05, min(longest, time.monotonic() - begun) * 0.8)
        require_right(folder, n_ended)
        n_ended += 1
    # The last folder is as a kill left it; one more job ends it.
    subprocess.run(
        [sys.executable, "-c", JOB], cwd=folder, env=env, check=True, capture_output=True
    )
    require_right(folder, n_ended)


def require_right(folder: Path, number: int) -> None:
    """Compare with a scorer that shares no code with the one under test."""
    scores = abrank.read_scores(folder / "kept")
    for system, seed in (("A", number), ("B", number + 1000)):
        run = run_of(seed)
        ranks, precisions = reciprocal_ranks(run), average_precisions(run)
        result = dict(zip(scores.query_ids, scores.of(system).tolist(), strict=True))
        names = [str(measure) for measure in scores.measures]
        assert result.keys() == QRELS.keys()
        for query, values in result.items():
            by_name = dict(zip(names, values, strict=True))
            assert by_name["RR"] == ranks[query]
            assert by_name["AP"] == pytest.approx(precisions[query], abs=1e-12)
    left = {path.name for path in (folder / "kept").iterdir() if not path.name.startswith("part-")}
    assert left == {"_SUCCESS", "_lock"}  # the lock's file stays; what holds it is the system
