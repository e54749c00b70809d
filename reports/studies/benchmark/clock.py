"""One process timed, and rounds of them interleaved."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from abrank._support.errors import AbrankError
from reports.studies.benchmark.jobs import Job

_BUSY = (sys.executable, "-c", "for i in range(5_000_000): i * i")
QUIET = 1.6  # times the work of one process that two do at once


@dataclass(frozen=True)
class Taken:
    """What a process took: seconds on the wall and of CPU, peak memory in megabytes."""

    wall: float
    cpu: float
    memory: float


@dataclass(frozen=True)
class Row:
    """One program at one piece of work: medians over the rounds, and ratios to abrank's.

    ``ratio`` is the median over the rounds of this program's wall time over abrank's in the same
    round, ``ratio_low`` and ``ratio_high`` the extremes; ``memory_ratio`` likewise of medians.
    """

    work: str
    program: str
    wall: float
    cpu: float
    memory: float
    ratio: float
    ratio_low: float
    ratio_high: float
    memory_ratio: float
    rounds: int


def run(job: Job) -> Taken:
    """Run a command as a process of its own, and say what it took.

    Raises
    ------
    AbrankError
        If it fails.
    """
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(job.command, stdout=output, stderr=errors, env=_as_installed())
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        output.seek(0)
        errors.seek(0)
        result, text = output.read(), errors.read()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise AbrankError(f"{job.program} failed: {text.decode(errors='replace')[-500:]}")
    cpu = used.ru_utime + used.ru_stime
    if job.inner:
        wall = cpu = float(result.split()[-1])
    # ru_maxrss is in kilobytes on Linux.
    return Taken(wall, cpu, used.ru_maxrss / 1000)


def _as_installed() -> dict[str, str]:
    """Return an environment in which modules are compiled once, as those of an installation are."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def work_of_two() -> float:
    """Return how much two processes get done at once, in what one alone gets done.

    2 where two cores are free; less where they share what they need, or others are at work. The
    median of five tries, one of which a passing process cannot turn.
    """
    return statistics.median(_one_try() for _ in range(5))


def _one_try() -> float:
    began = time.perf_counter()
    subprocess.run(_BUSY, check=True)
    alone = time.perf_counter() - began
    began = time.perf_counter()
    for process in [subprocess.Popen(_BUSY) for _ in range(2)]:
        process.wait()
    return 2.0 * alone / (time.perf_counter() - began)


def require_quiet(*, busy: bool) -> None:
    """Refuse a machine on which others are at work, unless that is allowed.

    Raises
    ------
    AbrankError
        If two processes at once do less than `QUIET` times the work of one.
    """
    if not busy and (work := work_of_two()) < QUIET:
        raise AbrankError(
            f"this machine is busy: two processes at once do {work:.1f} times the work of one, and"
            f" {QUIET} is the least at which times mean something. Wait until it is quiet, or say"
            " --busy: the page is then marked"
        )


def interleave(
    work: str, jobs: Sequence[Job], *, rounds: int, tell: Callable[[str], None]
) -> list[Row]:
    """Run every job once a round, in turn, after one round that is not counted.

    Parameters
    ----------
    work : str
        What the jobs do, for the table.
    jobs : sequence of Job
        The first is abrank's.
    tell : callable
        Told of each round.
    """
    used: list[list[Taken]] = [[] for _ in jobs]
    for number in range(rounds + 1):
        for job, times in zip(jobs, used, strict=True):
            completed = run(job)
            tell(f"{work}  {job.program}  {completed.wall:.2f} s  {completed.memory:.0f} MB")
            if number:
                times.append(completed)
    custom = used[0]
    return [_row(work, job, times, custom) for job, times in zip(jobs, used, strict=True)]


def _row(work: str, job: Job, times: Sequence[Taken], custom: Sequence[Taken]) -> Row:
    ratios = [theirs.wall / ours.wall for theirs, ours in zip(times, custom, strict=True)]
    memory = statistics.median(item.memory for item in times)
    return Row(
        work=work,
        program=job.program,
        wall=statistics.median(item.wall for item in times),
        cpu=statistics.median(item.cpu for item in times),
        memory=memory,
        ratio=statistics.median(ratios),
        ratio_low=min(ratios),
        ratio_high=max(ratios),
        memory_ratio=memory / statistics.median(item.memory for item in custom),
        rounds=len(times),
    )
