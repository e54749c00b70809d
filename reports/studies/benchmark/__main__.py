"""``python -m reports.studies.benchmark``: time abrank and its peers in turn."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias, TypeVar

from abrank._support import display
from abrank._support.errors import AbrankError
from reports.studies.benchmark import everyday, inputs, jobs, writing
from reports.studies.benchmark.clock import Row, interleave, require_quiet

# Takes what the work is called, and the jobs to be timed in turn.
_Files = TypeVar("_Files")
Interleave: TypeAlias = Callable[[str, list[jobs.Job]], list[Row]]


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m reports.studies.benchmark", description=__doc__
    )
    parser.add_argument("--sizes", nargs="+", choices=[*inputs.SIZES], default=["S", "M", "G", "L"])
    parser.add_argument("--work", nargs="+", choices=WORK, default=[*WORK])
    parser.add_argument("--rounds", type=int, default=5, help="after one that is not counted")
    parser.add_argument("--trec-eval", metavar="PATH", help="the C program, where one has built it")
    parser.add_argument("--inputs", type=Path, default=Path("benchmark-inputs"), metavar="DIR")
    parser.add_argument("--output", type=Path, default=Path("reports/benchmark"), metavar="DIR")
    parser.add_argument("--busy", action="store_true", help="time beside others; the page says so")
    args = parser.parse_args(arguments)
    rows: list[Row] = []
    time_all = partial(interleave, rounds=args.rounds, tell=_tell)
    try:
        require_quiet(busy=args.busy)
        if "runs" in args.work:
            rows += measure(args.sizes, args.inputs, time_all, trec_eval=args.trec_eval)
        for name in args.work:
            if name in EVERYDAY:
                rows += EVERYDAY[name](args.inputs, time_all)
        small = _made(inputs.make, inputs.SIZES["S"], args.inputs)
        modules = everyday.loaded(small, args.inputs)
    except AbrankError as error:
        _tell(f"error: {error}")
        return error.exit_code
    machine = writing.machine()
    writing.write(rows, args.output, machine=machine, modules=modules)
    sys.stdout.write(writing.table(rows, machine=machine, modules=modules))
    return 0


def _made(make: Callable[..., _Files], *options: object, **keywords: object) -> _Files:
    """Make inputs in another process: those that are timed begin with this one's memory."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(make, *options, **keywords).result()


def measure(
    sizes: list[str], folder: Path, time_all: Interleave, *, trec_eval: str | None
) -> list[Row]:
    """Time starting, scoring and comparing, by everybody who is installed."""
    rows = time_all("start", jobs.start_jobs())
    for name in sizes:
        size = inputs.SIZES[name]
        _tell(f"making {name}: {size.queries} queries of {size.documents} documents")
        files = _made(inputs.make, size, folder)
        work = f"{name} ({size.queries} × {size.documents})"
        scoring = jobs.score_jobs(files, trec_eval if size.queries <= jobs.MOST_QUERIES else None)
        rows += time_all(f"score {work}", scoring)
        if name == "S":
            terminal = jobs.compare_jobs(files)
            rows += time_all(f"compare {work}, terminal", terminal)
            page = everyday.report_jobs(terminal, str(folder / "report.html"))
            rows += time_all(f"compare {work}, HTML report", page)
        if name == "L":
            comparing = jobs.compare_jobs(files, str(folder / "report.json"))
            rows += time_all(f"compare {work}, JSON report", comparing)
    return rows


def _frames(folder: Path, time_all: Interleave) -> list[Row]:
    size = inputs.SIZES["F"]
    work = f"evaluate {display.count(size.rows)} rows, warm, {everyday.TIMES} times"
    return time_all(work, everyday.frame_jobs(_made(inputs.make, size, folder)))


def _ready(folder: Path, time_all: Interleave) -> list[Row]:
    scores = _made(inputs.make_scores, inputs.READY_SCORES, folder)
    work = f"compare {display.count(inputs.READY_SCORES)} ready scores"
    rows: list[Row] = []
    for kind, files in scores.items():
        rows += time_all(f"{work} in {kind}, HTML + JSON", everyday.ready_jobs(*files, folder))
    for n_measures in (1, 5):
        files = _made(inputs.make_measures, inputs.READY_SCORES, n_measures, folder)
        measures = display.plural(n_measures, "measure")
        rows += time_all(f"{work}, {measures}, in Python", everyday.scores_jobs(*files))
    return rows


def _rank(folder: Path, time_all: Interleave) -> list[Row]:
    size = inputs.SIZES["R"]
    runs = _made(inputs.make_runs, size, folder, count=inputs.RANKED_RUNS)
    work = f"rank {len(runs)} runs of {size.queries} × {size.documents}"
    rows = time_all(work, everyday.rank_jobs(_made(inputs.make, size, folder).qrels, runs))
    for n_systems in inputs.SYSTEMS:
        jobs = everyday.systems_jobs(_made(inputs.make_systems, n_systems, folder))
        rows += time_all(f"rank {display.count(n_systems)} systems by ready scores", jobs)
    return rows


def _users(folder: Path, time_all: Interleave) -> list[Row]:
    users = display.count(inputs.USERS)
    rows = []
    visits = inputs.VISITS * inputs.USERS
    for n_rows, kind in (
        (inputs.USERS, "in two groups"),
        (visits, f"by {display.count(visits)} visits"),
    ):
        path = _made(inputs.make_users, n_rows, inputs.USERS, folder)
        jobs = everyday.users_jobs(path, repeats=n_rows > inputs.USERS)
        rows += time_all(f"compare {users} users {kind}", jobs)
    jobs = everyday.impressions_jobs(_made(inputs.make_impressions, visits, inputs.USERS, folder))
    return rows + time_all(f"compare {display.count(visits)} interleaved lists by clicks", jobs)


def _demo(folder: Path, time_all: Interleave) -> list[Row]:
    return time_all("demo", everyday.demo_jobs(folder))


EVERYDAY: Mapping[str, Callable[[Path, Interleave], list[Row]]] = {
    "frames": _frames,
    "ready": _ready,
    "rank": _rank,
    "users": _users,
    "demo": _demo,
}
WORK = ("runs", *EVERYDAY)


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
