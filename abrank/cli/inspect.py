"""``abrank inspect``: one query of two runs, side by side."""

from __future__ import annotations

from pathlib import Path

import click

from abrank.cli import _flags, _output, _terminal


@click.command("inspect")
@click.argument("qrels", type=_flags.RUN)
@click.argument("run_a", type=_flags.RUN)
@click.argument("run_b", type=_flags.RUN)
@click.argument("query")
@_flags.take("measure", of=("evaluate",))
@_flags.take("docs", "topics")
@click.option(
    "--depth",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Show the first N documents of each list.",
)
@click.option(
    "--pool",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write what to judge next: query_id 0 doc_id, a line each.",
)
@click.option(
    "--judge",
    type=click.IntRange(0),
    default=12,
    show_default=True,
    metavar="N",
    help="Name so many documents that nobody judged.",
)
@_flags.take("ascii")
def command(
    qrels: str,
    run_a: str,
    run_b: str,
    query: str,
    *,
    measure: tuple[str, ...],
    docs: str | None,
    topics: str | None,
    depth: int | None,
    pool: str | None,
    judge: int,
    ascii: bool,
) -> None:
    """Show QUERY as RUN_A and RUN_B answer it.

    Two lists side by side with grades and moves, the scores by every measure, where relevant
    documents are that one of them missed, and which documents that nobody judged could most move
    the difference.

    \b
    abrank inspect qrels.txt bm25.run monot5.run 301 --docs docs.jsonl
    abrank inspect qrels.txt bm25.run monot5.run 301 -m AP --pool to-judge.txt
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if pool is None else [Path(pool)])

    from abrank.inputs.topics import read_topics
    from abrank.scoring.judging import inspect_query

    found = inspect_query(
        qrels,
        run_a,
        run_b,
        query,
        measures=measure or None,
        docs=docs,
        text=read_topics(topics).get(query, "") if topics else "",
        judge=judge,
    )
    if pool is not None:
        from abrank._support.files import replace_all
        from abrank.scoring.judging import pool_text

        replace_all({Path(pool): pool_text(found.to_judge).encode()})
    _terminal.show(found, ascii_only=ascii, depth=depth)
    if pool is not None:
        _terminal.put(f"\npool      {pool}")
