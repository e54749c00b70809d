"""What the engines took, as a page: a table, a figure, and an extrapolation on paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from matplotlib.figure import Figure

from abrank.plots.style import LIGHT, Theme, dress, label_x, label_y, write
from reports.studies.benchmark.scale_row import DOCUMENTS, ENGINES, JUDGED, MEASURES, ScaleRow
from reports.studies.benchmark.writing import machine
from reports.studies.calibration.draw import save

FAR_ROWS, WORKERS, PARTITION = 1e10, 100, 1_000_000
SCHEDULING = 0.01  # seconds of a task that Dask and Spark give for their own work
MARKERS = {"local": "o", "dask": "s", "spark": "D"}  # of the figure


@dataclass(frozen=True)
class Measured:
    """All rows, and how far the results of one size were apart at most, by its rows."""

    rows: tuple[ScaleRow, ...]
    apart: dict[str, float]
    machine: str


def add(folder: Path, rows: Sequence[ScaleRow], apart: float) -> None:
    """Add the rows of one size to ``scale.json``, and write ``scale.md`` and the figure anew."""
    path = folder / "scale.json"
    saved = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    new = {(row.engine, row.rows) for row in rows}
    old = [ScaleRow(**item) for item in saved.get("rows", [])]
    everything = [*(item for item in old if (item.engine, item.rows) not in new), *rows]
    everything.sort(key=lambda row: (row.rows, ENGINES.index(row.engine)))
    measured = Measured(
        tuple(everything), saved.get("apart", {}) | {str(rows[0].rows): apart}, machine()
    )
    path.write_text(json.dumps(asdict(measured), indent=2) + "\n", encoding="utf-8")
    (folder / "scale.md").write_text(page(measured), encoding="utf-8")
    figure = draw(everything)
    save(figure, folder / "scale.svg")
    figure.savefig(folder / "scale.png", dpi=150)


def draw(rows: Sequence[ScaleRow], *, theme: Theme = LIGHT) -> Figure:
    """Draw seconds of scoring against rows, both logarithmic, with a line of linear cost."""
    figure = Figure(figsize=(7.0, 4.2), layout="constrained", facecolor=theme.paper)
    ax = figure.subplots()
    dress(ax, theme, grid="y", spines=("bottom", "left"))
    for engine, colour in zip(MARKERS, (theme.b, theme.a, theme.ink), strict=True):
        x = [row.rows for row in rows if row.engine == engine]
        y = [row.scoring for row in rows if row.engine == engine]
        if x:
            ax.plot(x, y, marker=MARKERS[engine], color=colour, linewidth=1.6)
            write(ax, engine, (x[-1], y[-1]), shift=(9, 0), va="center", color=colour)
    last = max((row for row in rows if row.engine == "local"), key=lambda row: row.rows)
    edge = [min(row.rows for row in rows), last.rows]
    linear = [last.scoring * rows_ / last.rows for rows_ in edge]
    ax.plot(edge, linear, color=theme.muted, linewidth=1.0, linestyle="--", zorder=1)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(edge[0] / 1.5, edge[1] * 3)
    label_x(ax, theme, "rows of both runs (dashed: cost in proportion, from local's last point)")
    label_y(ax, theme, "seconds until the scores are there")
    return figure


def page(result: Measured) -> str:
    """Return the page as Markdown."""
    apart = ", ".join(f"{value:.1g} ({int(rows):,} rows)" for rows, value in result.apart.items())
    lines = [
        "# How far each engine gets",
        "",
        f"Judgments ({JUDGED} a query) and two runs of {DOCUMENTS} documents a query in Parquet,"
        f" compared by {' and '.join(MEASURES)} in a fresh process. Scoring: until the scores per"
        " query are there, the start of the cluster or session within it. Whole: until"
        " `results.json` is written. CPU: of the"
        " process that asks, for the scores. Memory: largest resident set, of that process (for the"
        " scores, and until the end) and of the largest one below it.",
        "",
        "`python -m reports.studies.benchmark.scale` makes data, table and figure again (it needs"
        " the extras `dask` and `spark`).",
        "",
        result.machine,
        "",
        "| rows of both runs | engine | million rows/s | scoring s | whole s | CPU s | MB,"
        " scoring | MB, whole | MB, largest child | MB of input | MB of scores |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(_line(row) for row in result.rows),
        "",
        "![Seconds against rows: a straight line of slope 1](scale.png)",
        "",
        "The numbers of `results.json` differ between the engines by at most"
        f" {apart}; the scores of the first 1 % of the queries differ by at most 1e-12 from"
        " those of the path in memory, or the study stops.",
        "",
        *_far(result.rows),
    ]
    return "\n".join(lines) + "\n"


def _line(row: ScaleRow) -> str:
    return (
        f"| {row.rows:,} | {row.engine} | {row.rows / row.scoring / 1e6:.2f} | {row.scoring:.1f}"
        f" | {row.whole:.1f} | {row.cpu:.1f} | {row.memory_scoring:.0f} | {row.memory:.0f}"
        f" | {row.largest:.0f} | {row.disk:.0f} | {row.scores:.1f} |"
    )


def _far(rows: Sequence[ScaleRow]) -> list[str]:
    """Return the extrapolation, computed from the largest local run."""
    last = max((row for row in rows if row.engine == "local"), key=lambda row: row.rows)
    a_core = last.rows / last.cpu
    tasks = FAR_ROWS / 2 / PARTITION
    seconds = FAR_ROWS / a_core / WORKERS
    input_ = last.disk * 1e6 / last.rows * FAR_ROWS
    queries = FAR_ROWS / DOCUMENTS / 2
    return [
        f"## On paper: {FAR_ROWS:.0e} rows on {WORKERS} workers".replace("e+", "e"),
        "",
        f"- **Scoring** {seconds:.0f} s: one core does {a_core / 1e6:.1f} million rows"
        f" a CPU second (the largest local run), and the cost"
        f" is in proportion to the rows. Workers of one core each, that read as fast as they"
        f" score: {input_ / seconds / WORKERS / 1e6:.0f} MB/s each.",
        f"- **Tasks** {tasks:,.0f} partitions of {PARTITION:,} rows of a run, at"
        f" {1000 * SCHEDULING:.0f} ms of the scheduler each: {tasks * SCHEDULING:.0f} s, beside the"
        " scoring and not before it.",
        "- **Shuffle** none where the tables stand by query id, as here: a partition is a range of"
        " ids, and reads the row groups that overlap it. Else every row is written once and read"
        f" once more, {input_ / 1e9:.0f} GB in all, {input_ / WORKERS / 1e9:.1f} GB a worker.",
        "- **Judgments** are joined, not broadcast: each partition reads those of its range, so no"
        " worker holds them all.",
        "- **Skew** a partition ends where a row group does; a query is never divided, so one query"
        " of as many rows as a partition costs one worker twice its memory, and no more.",
        f"- **The process that asks** takes {8 * 2 * len(MEASURES)} bytes of scores and an id for"
        f" each query: {queries * (8 * 2 * len(MEASURES) + 60) / 1e9:.1f} GB for {queries:,.0f}"
        " queries.",
    ]
