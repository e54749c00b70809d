"""The result of a benchmark as a table, ratios first, and the machine in words."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from abrank._support import __version__, display
from reports.studies.benchmark.clock import QUIET, Row, work_of_two

LIBRARIES = ("numpy", "pyarrow", "scipy", "pytrec-eval-terrier", "ir-measures", "ranx")


def machine() -> str:
    """Return the machine and the versions in a sentence, and whether it is busy in a second."""
    versions = [f"abrank {__version__}", f"Python {platform.python_version()}"]
    for name in LIBRARIES:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    work = work_of_two()
    marked = "" if work >= QUIET else " **Others were at work on it: the seconds are too many.**"
    return (
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores (two processes at"
        f" once do {work:.1f} times the work of one), {memory:.0f} GB of memory;"
        f" {', '.join(versions)}.{marked}"
    )


def write(
    rows: Sequence[Row], folder: Path, *, machine: str, modules: Mapping[str, str] | None = None
) -> None:
    """Write ``benchmark.json`` and ``benchmark.md``, and draw ``benchmark.svg`` and ``.png``.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    machine : str
        The machine in words.
    modules : mapping of str to str, optional
        What each command loads.
    """
    from reports.studies.benchmark.ratios import Ratio, draw_ratios

    folder.mkdir(parents=True, exist_ok=True)
    result = {"machine": machine, "rows": [asdict(row) for row in rows], "modules": modules}
    (folder / "benchmark.json").write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    (folder / "benchmark.md").write_text(table(rows, machine=machine, modules=modules), "utf-8")
    ratios = [
        Ratio(row.work, row.program, row.ratio, row.ratio_low, row.ratio_high) for row in rows
    ]
    draw_ratios(ratios, folder / "benchmark")


def table(rows: Sequence[Row], *, machine: str, modules: Mapping[str, str] | None = None) -> str:
    """Return the table as Markdown.

    Examples
    --------
    >>> row = Row("score S", "pytrec_eval", 0.2, 0.2, 36.0, 1.5, 1.2, 1.8, 0.8, 5)
    >>> print(table([row], machine="A machine.").splitlines()[-1])
    | score S | pytrec_eval | 1.5 (1.2–1.8) | 0.8 | 0.20 | 0.20 | 36 |
    """
    rounds = display.plural(max(row.rounds for row in rows), "round")
    lines = [
        "# How fast, beside the peers",
        "",
        f"Cold processes, started in turn, {rounds} after one that"
        " is not counted. A ratio of 5 means that abrank took a fifth of the time; ratios are"
        " medians over the rounds, with their extremes. Memory is the largest resident set.",
        "",
        machine,
        "",
        "| work | program | time ÷ abrank's | memory ÷ abrank's | wall s | CPU s | MB |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.work} | {row.program} | {row.ratio:.1f} ({row.ratio_low:.1f}–{row.ratio_high:.1f})"
        f" | {row.memory_ratio:.1f} | {row.wall:.2f} | {row.cpu:.2f} | {row.memory:.0f} |"
        for row in rows
    ]
    if modules:
        lines += ["", "## What each command loads", "", "| command | libraries |", "|---|---|"]
        lines += [f"| `{command}` | {names} |" for command, names in modules.items()]
    return "\n".join(lines) + "\n"
