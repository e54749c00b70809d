"""``abrank demo``: a simulated collection with two runs, their comparison and its report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from abrank.cli import _options

SEED = 9
EFFECT = 0.05
N_QUERIES = 250
MEASURES = ("nDCG@10", "AP", "RR", "ERR@20", "P@10", "R@100")
MARGIN = 0.01
# Mean difference of nDCG@10 over 20,000 queries simulated with this effect; standard error 0.002.
TRUE_DIFFERENCE = 0.036


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="abrank-demo")
@_options.display
def command(folder: Path, *, color: str, ascii_only: bool, quiet: bool, verbose: bool) -> None:
    """Make a sample collection in FOLDER (abrank-demo), compare its two rankers, write the report.

    Needs no network and no file: 250 queries are simulated, always the same ones. What it makes:
    qrels.txt, old.run, new.run, topics.tsv, segments.csv, report.html, report.md, results.json.
    """
    from abrank._support.files import replace_all
    from abrank.cli import _terminal
    from abrank.comparison import Question, name_runs
    from abrank.comparison.beside import Beside
    from abrank.evaluation import EvaluateOptions
    from abrank.inputs import read_run
    from abrank.simulate import simulate_runs
    from abrank.workflow import compare_runs

    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        progress("simulating a collection")
        made = simulate_runs(N_QUERIES, effect=EFFECT, rng=SEED)
        paths = [folder / name for name in ("qrels.txt", "old.run", "new.run")]
        made.qrels.write(paths[0])
        read_run(made.baseline, name="old").write(paths[1])
        read_run(made.candidate, name="new").write(paths[2])
        beside = [folder / name for name in ("topics.tsv", "segments.csv")]
        replace_all(
            {
                beside[0]: _lines("\t", made.topics),
                beside[1]: _lines(",", {"query_id": "intent", **made.intents}),
            }
        )
        comparison = compare_runs(
            paths[0],
            name_runs(*paths[1:]),
            Question(margin=MARGIN, rng=SEED),
            EvaluateOptions(),
            measures=MEASURES,
            beside=Beside.of(topics=beside[0], segments=beside[1]),
            command=_command(paths),
            on_stage=progress,
        )
        for name in ("report.html", "report.md", "results.json"):
            progress(f"writing {name}")
            comparison.report(folder / name)
    _terminal.show(comparison, color=color, ascii_only=ascii_only)
    click.echo(f"\nopen      {folder / 'report.html'}")
    click.echo(
        f"truth     made by simulation: the true difference of nDCG@10 is +{TRUE_DIFFERENCE}"
    )


def _lines(between: str, values: Mapping[str, str]) -> bytes:
    """Return a line for each query id: the id and its value."""
    return "".join(f"{query_id}{between}{value}\n" for query_id, value in values.items()).encode()


def _command(paths: list[Path]) -> str:
    """Return the command that compares the same files, to be typed and changed."""
    measures = " ".join(f"-m {name}" for name in MEASURES)
    files = " ".join(path.name for path in paths)
    beside = "--topics topics.tsv --segments segments.csv"
    return f"abrank compare {files} {measures} --margin {MARGIN} {beside} --seed {SEED}"
