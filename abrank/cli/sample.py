"""``abrank sample``: what people should judge next, queries at random or documents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from abrank._support import display as f
from abrank.cli import _flags, _output, _terminal

SHOWN = 10


@click.group("sample")
def command() -> None:
    """Say what people should judge next: queries at random, or single documents."""


@command.command("queries")
@click.argument("source", type=_flags.RUN)
@click.option(
    "-n",
    "--n",
    "n",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    metavar="N",
    help="Number of queries to draw.",
)
@_flags.take("seed")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the ids there; without it they are printed.",
)
def queries(source: str, *, n: int, seed: int, output: str | None) -> None:
    """Draw N of the queries of SOURCE, qrels or a run, at random.

    People judge these, a machine all: abrank compare … --machine-qrels. The ids come in the order
    drawn, so that the first 25 of 50 are a random draw, too. The first line records the draw.

    \b
    abrank sample queries llm.qrels --n 50 --seed 7 --output to-judge.txt
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if output is None else [Path(output)])

    from abrank import inputs
    from abrank.scoring.judging import sample_queries

    is_qrels = inputs.looks_like_qrels(source)
    read = inputs.read_qrels(source) if is_qrels else inputs.read_run(source)
    drawn = sample_queries(read.query_ids, n, rng=seed)
    sha256 = (read.source.sha256 or "")[:16]
    of = f"{len(drawn)} of {len(read.query_ids)} queries of {source}, sha256 {sha256}"
    head = f"# abrank sample queries --n {n} --seed {seed}: {of}"
    _write(
        "\n".join([head, *drawn]), output, f"{f.plural(len(drawn), 'query', 'queries')} to judge"
    )


@command.command("documents")
@click.argument("qrels", type=_flags.RUN)
@click.argument("run_a", type=_flags.RUN)
@click.argument("run_b", type=_flags.RUN)
@_flags.take("measure", of=("sample",))
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    help="Look at the first N documents of each run; without it to the measure's cut-off.",
)
@click.option("--tipping", is_flag=True, help="Take the tipping list rather than all documents.")
@click.option(
    "--pool",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write what to judge: query_id 0 doc_id, a line each. With a grade at the end of each"
    " line it can be read as qrels.",
)
def documents(
    qrels: str,
    run_a: str,
    run_b: str,
    *,
    measure: str | None,
    depth: int | None,
    tipping: bool,
    pool: str | None,
) -> None:
    """List the documents in the top ranks of RUN_A or RUN_B that nobody judged.

    They come in depth order, each with how far the difference of its query would move if it had the
    highest grade. The tipping list is the fewest, found one at a time, that would turn the sign of
    the mean difference: a short one says that the verdict hangs on judgments that are missing.

    \b
    abrank sample documents qrels.txt a.run b.run --pool to-judge.txt
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if pool is None else [Path(pool)])

    from abrank.report.formats.text import documents_text
    from abrank.scoring.judging import pool_text, sample_documents

    found = sample_documents(qrels, run_a, run_b, measure=measure, depth=depth)
    chosen = found.tipping if tipping else found.documents
    plain = _terminal.wants_ascii(False, sys.stdout)
    width = _terminal.width()
    text = documents_text(found, tipping=tipping, most=SHOWN, width=width, ascii=plain)
    _terminal.put(text)
    if pool is not None:
        text = pool_text(chosen).removesuffix("\n")
        _write(text, pool, f"{f.plural(len(chosen), 'document')} to judge")


def _write(text: str, path: str | None, what: str) -> None:
    from abrank._support.files import replace_all

    if path is None:
        _terminal.put(text)
        return
    replace_all({Path(path): f"{text}\n".encode() if text else b""})
    _terminal.put(f"{what}: {path}", err=True)
