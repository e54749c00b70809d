"""``python -m abrank.studies.benchmark``: time abrank and its peers in turn."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from abrank._support.errors import AbrankError
from abrank.studies.benchmark import inputs, jobs, writing
from abrank.studies.benchmark.clock import Row, interleave


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m abrank.studies.benchmark", description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=[*inputs.SIZES], default=["S", "M", "G", "L"])
    parser.add_argument("--rounds", type=int, default=5, help="after one that is not counted")
    parser.add_argument("--trec-eval", metavar="PATH", help="the C program, where one has built it")
    parser.add_argument("--inputs", type=Path, default=Path("benchmark-inputs"), metavar="DIR")
    parser.add_argument("--output", type=Path, default=Path("reports/benchmark"), metavar="DIR")
    asked = parser.parse_args(arguments)
    machine = writing.machine()
    try:
        rows = measure(asked.sizes, asked.inputs, rounds=asked.rounds, trec_eval=asked.trec_eval)
    except AbrankError as error:
        _tell(f"error: {error}")
        return error.exit_code
    writing.write(rows, asked.output, machine=machine)
    sys.stdout.write(writing.table(rows, machine=machine))
    return 0


def measure(sizes: list[str], folder: Path, *, rounds: int, trec_eval: str | None) -> list[Row]:
    """Time starting, scoring and comparing, by everybody who is installed."""
    rows = interleave("start", jobs.start_jobs(), rounds=rounds, tell=_tell)
    for name in sizes:
        size = inputs.SIZES[name]
        _tell(f"making {name}: {size.queries} queries of {size.documents} documents")
        files = inputs.make(size, folder)
        work = f"{name} ({size.queries} × {size.documents})"
        scoring = jobs.score_jobs(files, trec_eval if size.queries <= jobs.MOST_QUERIES else None)
        rows += interleave(f"score {work}", scoring, rounds=rounds, tell=_tell)
        if name in ("S", "L"):
            kind = "html" if name == "S" else "json"
            comparing = jobs.compare_jobs(files, str(folder / f"report.{kind}"))
            words = f"compare {work}, {kind.upper()} report"
            rows += interleave(words, comparing, rounds=rounds, tell=_tell)
    return rows


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
