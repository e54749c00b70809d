"""``python -m reports.studies.benchmark.growth``: how time and memory grow.

Tables of ready scores in Parquet are compared, or ranked, each in a fresh process.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from matplotlib.figure import Figure
from scipy.special import ndtri

from abrank._support import rng
from abrank._support.errors import AbrankError
from abrank.plots.style import LIGHT, Theme, dress, label_x, label_y, write
from reports.studies.benchmark.clock import require_quiet
from reports.studies.benchmark.writing import machine
from reports.studies.calibration.draw import save

QUERIES = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
SYSTEMS = (2, 10, 100, 1_000)
TOPICS = 50  # queries on which systems are ranked
FAR = 1e9
CALLS = {
    "compare": "compare_scores(path, measures='score')",
    "rank": "rank_scores(path, measures='AP')",
}
# The peak by /proc: that of `resource` begins with the memory of the process that started it.
_PROGRAM = """
import pathlib, re, resource, sys
import abrank
path = sys.argv[1]
abrank.{call}
used = resource.getrusage(resource.RUSAGE_SELF)
peak = re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]
print(used.ru_utime + used.ru_stime, int(peak) / 1000)
"""
OF_WHAT = {"compare": "queries", "rank": "systems"}


@dataclass(frozen=True)
class Point:
    """What one size took, in the median: seconds of processors, and the largest memory in MB."""

    work: str
    size: int
    cpu: float
    memory: float


def make(work: str, size: int, folder: Path) -> Path:
    """Write a table of so many queries or systems; return its path.

    Examples
    --------
    >>> import tempfile
    >>> pq.read_table(make("rank", 3, Path(tempfile.mkdtemp()))).shape
    (50, 4)
    """
    path = folder / f"growth-{work}-{size}.parquet"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    draw = rng.stream(1, "growth", work, str(size))
    n, m = (size, 2) if work == "compare" else (TOPICS, size)
    difficulty = draw.normal(0.0, 1.0, n)
    columns = {"query_id": pa.array(np.char.mod("q%08d", np.arange(n)))}
    for i in range(m):
        scores = difficulty + draw.normal(0.3 * i / m, 0.7, n)
        columns["AB"[i] if work == "compare" else f"system{i:04d}"] = pa.array(
            1.0 / (1.0 + np.exp(-scores))
        )
    pq.write_table(pa.table(columns), path)
    return path


def measure(work: str, sizes: Sequence[int], folder: Path, *, rounds: int) -> list[Point]:
    """Time one kind of work at every size, each in processes of its own."""
    points = []
    program = _PROGRAM.format(call=CALLS[work])
    for size in sizes:
        command = [sys.executable, "-c", program, str(make(work, size, folder))]
        texts = [
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for _ in range(rounds)
        ]
        times = [tuple(map(float, text.split())) for text in texts]
        cpu, memory = map(statistics.median, zip(*times, strict=True))
        points.append(Point(work, size, cpu, memory))
        sys.stderr.write(f"{work} {size:,}  {cpu:.2f} s  {memory:.0f} MB\n")
    return points


def slope(points: Sequence[Point], value: Callable[[Point], float]) -> float:
    """Return how a cost grows at the largest sizes: 1 in proportion to the size, 2 to its square.

    Examples
    --------
    >>> slope([Point("rank", 10, 1.0, 9.0), Point("rank", 100, 100.0, 9.0)], lambda x: x.cpu)
    2.0
    """
    first, last = points[-2:]
    return math.log(value(last) / value(first)) / math.log(last.size / first.size)


def draw(points: Sequence[Point], *, theme: Theme = LIGHT) -> Figure:
    """Draw seconds and memory against queries and systems, all logarithmic, with their slopes."""
    figure = Figure(figsize=(8.0, 5.6), layout="constrained", facecolor=theme.paper)
    costs: dict[str, Callable[[Point], float]] = {
        "CPU seconds": lambda x: x.cpu,
        "MB": lambda x: x.memory,
    }
    for (title, value), axes in zip(
        costs.items(), figure.subplots(2, 2, sharey="row"), strict=True
    ):
        for work, ax in zip(CALLS, axes, strict=True):
            of_work = [point for point in points if point.work == work]
            dress(ax, theme, grid="y", spines=("bottom", "left"))
            x, y = [point.size for point in of_work], [value(point) for point in of_work]
            ax.plot(x, y, marker="o", color=theme.b, linewidth=1.6)
            text = f"slope {slope(of_work, value):.2f}"
            write(ax, text, (x[-1], y[-1]), shift=(-9, 8), ha="right", va="center", color=theme.ink)
            ax.set_xscale("log")
            ax.set_yscale("log")
            label_x(ax, theme, f"{OF_WHAT[work]} ({work})")
            label_y(ax, theme, title)
    return figure


def page(points: Sequence[Point], text: str) -> str:
    """Return the page as Markdown."""
    lines = [
        "# How time and memory grow",
        "",
        "Ready scores of two systems compared, and systems ranked on"
        f" {TOPICS} queries, from Parquet, each in a fresh process: CPU seconds and the largest"
        " resident set, imports and reading within them. The slope is that of the largest two"
        " sizes: 1 in proportion to the size.",
        "",
        "`python -m reports.studies.benchmark.growth` makes table and figure again.",
        "",
        text,
        "",
        "| work | size | CPU s | MB |",
        "|---|---:|---:|---:|",
        *(
            f"| {x.work} | {x.size:,} {OF_WHAT[x.work]} | {x.cpu:.2f} | {x.memory:.0f} |"
            for x in points
        ),
        "",
        "![CPU seconds and memory against queries and systems](growth.png)",
        "",
    ]
    for work in CALLS:
        of_work = [point for point in points if point.work == work]
        time, memory = slope(of_work, lambda x: x.cpu), slope(of_work, lambda x: x.memory)
        lines.append(f"- **{work}**: slope of time {time:.2f}, of memory {memory:.2f}.")
    compared = [point for point in points if point.work == "compare"]
    times = FAR / compared[-1].size
    seconds = compared[-1].cpu * times ** max(1.0, slope(compared, lambda x: x.cpu))
    size = compared[-1].memory * times ** max(1.0, slope(compared, lambda x: x.memory))
    # By the normal law, with scores between 0 and 1 whose differences deviate by 0.3.
    detected = (ndtri(0.975) + ndtri(0.8)) * 0.3 / math.sqrt(compared[-1].size)
    lines.append(
        f"- **1e{math.log10(FAR):.0f} queries**, computed from the last point and its slope, not"
        f" run: {seconds / 60:.0f} minutes of one core and {size / 1000:,.0f} GB of memory, more"
        f" than most machines have. A random sample of 1e{math.log10(compared[-1].size):.0f} of"
        f" them already detects a difference of {detected:.5f} (standard deviation 0.3, power"
        " 80 %)."
    )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the study and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m reports.studies.benchmark.growth", description=__doc__
    )
    parser.add_argument("--queries", nargs="+", type=int, default=QUERIES)
    parser.add_argument("--systems", nargs="+", type=int, default=SYSTEMS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--inputs", type=Path, default=Path("benchmark-inputs"), metavar="DIR")
    parser.add_argument("--output", type=Path, default=Path("reports/benchmark"), metavar="DIR")
    parser.add_argument("--busy", action="store_true", help="time beside others; the page says so")
    args = parser.parse_args(arguments)
    try:
        require_quiet(busy=args.busy)
        points = measure("compare", args.queries, args.inputs, rounds=args.rounds)
        points += measure("rank", args.systems, args.inputs, rounds=args.rounds)
    except AbrankError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    args.output.mkdir(parents=True, exist_ok=True)
    text = machine()
    saved = json.dumps({"points": [asdict(point) for point in points], "machine": text}, indent=2)
    (args.output / "growth.json").write_text(f"{saved}\n", encoding="utf-8")
    (args.output / "growth.md").write_text(page(points, text), encoding="utf-8")
    figure = draw(points)
    save(figure, args.output / "growth.svg")
    figure.savefig(args.output / "growth.png", dpi=150)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
