"""``abrank demo`` and ``guide``: a collection with its report, and the pages to read."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import click

from abrank._support.errors import ArgumentError
from abrank.cli import _flags, _terminal

SEED = 9
EFFECT = 0.05
N_QUERIES = 250
MEASURES = ("nDCG@10", "AP", "RR", "ERR@20", "P@10", "R@100")
MARGIN = 0.01
INPUTS = ("qrels.txt", "old.run", "new.run", "topics.tsv", "segments.csv")
TABLE = "experiment.csv"  # scores of both rankers, one row per query and variant
REPORTS = ("report.html", "report.md", "results.json")
# Mean difference of nDCG@10 over 20,000 simulated queries with this effect; standard error 0.002.
TRUE_DIFFERENCE = 0.036


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="abrank-demo")
@_flags.take("ascii", "quiet", "verbose")
def demo(folder: Path, *, ascii: bool, quiet: bool, verbose: bool) -> None:
    """Make a sample collection in FOLDER, compare its two rankers, write the report.

    The default FOLDER is abrank-demo. The demo needs no network and no files. It simulates 250
    queries, always the same ones, and writes qrels.txt, old.run, new.run, topics.tsv, segments.csv,
    experiment.csv, report.html, report.md and results.json. The table experiment.csv has the scores
    of both rankers; abrank compare reads it, too. The demo does not overwrite your own files: if
    the folder has other files of these names, it writes nothing.
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
        with contextlib.chdir(folder):  # where the printed command should be typed
            comparison = compare_runs(
                Inputs(qrels=qrels, a=a, b=b, topics=topics, segments=segments, command=_command()),
                Question(measures=MEASURES, margin=MARGIN, rng=SEED),
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
    """Refuse a folder with files of these names that the demo did not write."""
    there = [path for path in (*inputs, *reports) if path.exists()]
    foreign = [item for item in there if item in inputs and item.read_bytes() != inputs[item]]
    if not inputs.keys() <= set(there):
        foreign += [item for item in there if item in reports]  # no earlier demo here
    if foreign:
        raise ArgumentError(
            f"{foreign[0]}: exists already and was not made by abrank demo; name another folder:"
            " abrank demo FOLDER"
        )


def _table(qrels: Path, old: Path, new: Path, intents: Mapping[str, str]) -> bytes:
    from abrank.scoring.evaluate import evaluate

    scores = evaluate(qrels, {"old": old, "new": new}, MEASURES)
    names = (name.casefold().partition("(")[0] for name in MEASURES)
    lines = [",".join(["query_id", "variant", "intent", *names])]
    for query, rows in zip(scores.query_ids, scores.values, strict=True):
        for system, row in zip(scores.systems, rows, strict=True):
            lines.append(",".join([query, system, intents[query], *(f"{x:.6g}" for x in row)]))
    return "\n".join([*lines, ""]).encode()


def _lines(between: str, values: Mapping[str, str]) -> bytes:
    return "".join(f"{query_id}{between}{value}\n" for query_id, value in values.items()).encode()


def _command() -> str:
    measures = " ".join(f"-m {name}" for name in MEASURES)
    files = " ".join(INPUTS[:3])
    text = "--topics topics.tsv --segments segments.csv"
    return f"abrank compare {files} {measures} --margin {MARGIN} {text} --seed {SEED}"


# --- ``abrank guide``: the pages of the guide in the terminal

# Links to other pages are shown as commands, but only by name in the first cell of a table.
_ENTRY = re.compile(r"^\| \[([^\]]+)\]\(\1\.md\) \|", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([\w-]+)\.md(?:#[\w-]*)?\)")
TOPIC = 14  # width of the column of topics in the list


def _complete(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    from abrank.guide import CONTENTS

    return [topic for item in CONTENTS.values() for topic in item if topic.startswith(begun)]


@click.command("guide")
@click.argument("topic", required=False, shell_complete=_complete)
def guide(topic: str | None) -> None:
    """Show the page of the manual about TOPIC.

    Without a TOPIC it lists all pages. Every measure, test and caution has a page, too:
    abrank guide nDCG, abrank guide permutation, abrank guide few-signs.
    """
    from abrank import guide

    text = _contents() if topic is None else _rendered(guide.find_page(topic).text)
    if _terminal.wants_ascii(False, sys.stdout):
        from abrank._support.display import to_ascii

        text = to_ascii(text)
    _terminal.echo(text)


def _contents() -> str:
    from abrank import guide

    lines = ["abrank guide TOPIC shows a page. TOPIC can also be a measure, test or caution."]
    for heading, topics in guide.CONTENTS.items():
        lines += ["", heading]
        for topic in topics:
            title = topic.capitalize() if topic in guide.MADE else guide.read_page(topic).title
            lines.append(f"  {topic:{TOPIC}}{title}")
    return "\n".join(lines)


def _as_command(link: re.Match[str]) -> str:
    command = f"`abrank guide {link[2]}`"
    return command if link[1] == link[2] else f"{link[1]} ({command})"


def _rendered(text: str) -> str:
    """Convert Markdown to terminal text, with colours if wanted."""
    from textwrap import wrap

    from rich.console import Console, ConsoleOptions
    from rich.markdown import CodeBlock, Markdown, TableElement
    from rich.table import Table
    from rich.text import Text

    class Code(CodeBlock):
        """A code block as wide as the page, so that program output is not wrapped."""

        def __rich_console__(self, _: Console, at: ConsoleOptions) -> Iterator[Text]:
            # Commands over several lines must still run when they are copied.
            lines = str(self.text).rstrip().splitlines()
            code = "\n".join(
                " \\\n".join(
                    wrap(
                        line,
                        at.max_width - 2,
                        subsequent_indent="    ",
                        break_long_words=False,
                        break_on_hyphens=False,
                    )
                )
                if line.startswith("$ ") and len(line) > at.max_width
                else line
                for line in lines
            )
            yield Text(code, style="markdown.code_block", overflow="fold")

    class WholeTable(TableElement):
        """A table that breaks no word: columns of single words get their full width."""

        def __rich_console__(self, console: Console, at: ConsoleOptions) -> Iterator[Table]:
            for table in super().__rich_console__(console, at):
                assert isinstance(table, Table)
                for column in table.columns:
                    cells = list(map(str, column.cells))
                    column.overflow = "fold"
                    column.no_wrap = all(" " not in cell and len(cell) <= 30 for cell in cells)
                yield table

    class GuideMarkdown(Markdown):
        elements: ClassVar = {
            **Markdown.elements, "fence": Code, "code_block": Code, "table_open": WholeTable,
        }  # fmt: skip

    colored = _terminal.wants_color(sys.stdout)
    title, _, body = text.partition("\n")
    body = _LINK.sub(_as_command, _ENTRY.sub(r"| \1 |", body))
    console = Console(
        file=io.StringIO(),
        width=_terminal.width(),
        force_terminal=colored,
        color_system="standard" if colored else None,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(title.removeprefix("# "), style="bold", markup=False)
        console.print(GuideMarkdown(body, hyperlinks=False))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
