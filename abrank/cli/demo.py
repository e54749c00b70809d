"""``abrank demo``: a simulated collection with two runs, their comparison and its report."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from abrank._support.errors import ArgumentError
from abrank.cli import _flags

SEED = 9
EFFECT = 0.05
N_QUERIES = 250
MEASURES = ("nDCG@10", "AP", "RR", "ERR@20", "P@10", "R@100")
MARGIN = 0.01
INPUTS = ("qrels.txt", "old.run", "new.run", "topics.tsv", "segments.csv")
TABLE = "experiment.csv"  # the scores of both, a row per query and variant
REPORTS = ("report.html", "report.md", "results.json")
# Mean difference of nDCG@10 over 20,000 queries simulated with this effect; standard error 0.002.
TRUE_DIFFERENCE = 0.036


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="abrank-demo")
@_flags.take("ascii", "quiet", "verbose")
def demo(folder: Path, *, ascii: bool, quiet: bool, verbose: bool) -> None:
    """Make a sample collection in FOLDER (abrank-demo), compare its two rankers, write the report.

    Needs no network and no file: 250 queries are simulated, always the same ones. What it makes:
    qrels.txt, old.run, new.run, topics.tsv, segments.csv, experiment.csv, report.html, report.md,
    results.json. The table experiment.csv has the scores of both: abrank compare reads it.
    Files of these names that are not a demo's are left as they are, and nothing is written.
    """
    from abrank._support.files import replace_all
    from abrank.cli import _terminal
    from abrank.inputs import read_run
    from abrank.options import Inputs, Question
    from abrank.simulate import simulate_runs
    from abrank.workflow import compare_runs

    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        progress("simulating a collection")
        collection = simulate_runs(N_QUERIES, effect=EFFECT, rng=SEED)
        with tempfile.TemporaryDirectory() as aside:
            files = [Path(aside, name) for name in INPUTS]
            collection.qrels.write(files[0])
            read_run(collection.baseline, name="old").write(files[1])
            read_run(collection.candidate, name="new").write(files[2])
            files[3].write_bytes(_lines("\t", collection.topics))
            files[4].write_bytes(_lines(",", {"query_id": "intent", **collection.intents}))
            inputs = {folder / path.name: path.read_bytes() for path in files}
            inputs[folder / TABLE] = _table(files[0], files[1], files[2], collection.intents)
        _require_own(inputs, [folder / name for name in REPORTS])
        replace_all(inputs)
        qrels, a, b, topics, segments = INPUTS
        with contextlib.chdir(folder):  # where the command that is told is to be typed
            comparison = compare_runs(
                Inputs(qrels=qrels, a=a, b=b, topics=topics, segments=segments),
                Question(measures=MEASURES, margin=MARGIN, rng=SEED),
                command=_command(),
                on_stage=progress,
            )
            for name in REPORTS:
                progress(f"writing {name}")
                comparison.report(name)
    _terminal.show(comparison, ascii_only=ascii)
    _terminal.put(
        f"\nopen      {folder / 'report.html'}\n"
        "truth     made by simulation: the true difference of nDCG@10 is"
        f" +{TRUE_DIFFERENCE}"
    )


def _require_own(inputs: Mapping[Path, bytes], reports: Sequence[Path]) -> None:
    """Refuse a folder with files of the demo's names that no demo wrote."""
    there = [path for path in (*inputs, *reports) if path.exists()]
    foreign = [item for item in there if item in inputs and item.read_bytes() != inputs[item]]
    if not inputs.keys() <= set(there):
        foreign += [item for item in there if item in reports]  # there was no demo here
    if foreign:
        raise ArgumentError(
            f"{foreign[0]}: is there, and was not made by abrank demo; name another folder:"
            " abrank demo FOLDER"
        )


def _table(qrels: Path, old: Path, new: Path, intents: Mapping[str, str]) -> bytes:
    """Return the scores of both rankers as a table, a row per query and variant."""
    from abrank.scoring.evaluate import evaluate

    scores = evaluate(qrels, {"old": old, "new": new}, MEASURES)
    names = (name.casefold().partition("(")[0] for name in MEASURES)
    lines = [",".join(["query_id", "variant", "intent", *names])]
    for query, rows in zip(scores.query_ids, scores.values, strict=True):
        for system, row in zip(scores.systems, rows, strict=True):
            lines.append(",".join([query, system, intents[query], *(f"{x:.6g}" for x in row)]))
    return "\n".join([*lines, ""]).encode()


def _lines(between: str, values: Mapping[str, str]) -> bytes:
    """Return a line for each query id: the id and its value."""
    return "".join(f"{query_id}{between}{value}\n" for query_id, value in values.items()).encode()


def _command() -> str:
    """Return the command that compares the same files, to be typed and changed."""
    measures = " ".join(f"-m {name}" for name in MEASURES)
    files = " ".join(INPUTS[:3])
    text = "--topics topics.tsv --segments segments.csv"
    return f"abrank compare {files} {measures} --margin {MARGIN} {text} --seed {SEED}"
