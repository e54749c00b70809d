"""``abrank check``, ``inspect``, ``sample``, ``agreement``, ``audit``."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display as f
from abrank.cli import _flags, _output, _terminal

if TYPE_CHECKING:
    from abrank.inputs import Audit, Qrels, Run

MOST_TAGS = 5


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=_flags.RUN)
@click.option(
    "--subtopics", is_flag=True, help="The qrels have subtopics: query_id subtopic doc_id grade."
)
@_flags.take("max_input_size", functions=("evaluate",))
def check(files: tuple[str, ...], *, subtopics: bool, max_input_size: int | None) -> int:
    """Check FILES: qrels (4 columns), runs (6 columns), and tables or logs of scores.

    If there are qrels among the files, each run is checked against them: which queries are missing,
    and how many of the first ten documents are judged. An error in one file does not stop the check
    of the others. In a folder, files with usual endings are checked (.run, .txt, .csv, .gz, ...).
    """
    from abrank.measures.names import asks_direction
    from abrank.scoring.score_files import check

    result = check(*files, subtopics=subtopics, max_input_size=max_input_size)
    for error in result.errors:
        _terminal.put(f"error: {error}", err=True)
    for qrels in result.qrels:
        # Describe the content of a judgment file.
        judgments = qrels if qrels.subtopics is None else qrels.subtopics
        grades = ", ".join(map(str, sorted(set(judgments.grade.tolist()))))
        by = "" if qrels.subtopics is None else f", {len(qrels.subtopics.ids)} subtopics"
        none = "\n  warning: no grade is above 0, so nothing is relevant"
        _terminal.put(
            f"{qrels.source.path}  qrels\n"
            f"  {f.plural(len(judgments.grade), 'judgment')},"
            f" {f.plural(len(qrels.query_ids), 'query', 'queries')}{by},"
            f" grades {grades}{none if not (judgments.grade > 0).any() else ''}{_notes(qrels)}"
        )
    for run in result.runs:
        _terminal.put(_run_lines(run))
        for first, qrels, audit in result.audits:
            if first is run:
                _terminal.put(_audit_lines(qrels, run, audit))
    for scores in result.scores:
        lines = [] if scores.reading is None else scores.reading.lines()
        if costs := [name for name in scores.measures if asks_direction(name)]:
            lines.append(f"less is better, by their names: {', '.join(costs)}")
        measures = f"measures as abrank calls them: {', '.join(scores.measures)}"
        _terminal.put("\n  ".join([*scores.notes, *lines, measures]))
    return max((error.exit_code for error in result.errors), default=0)


def _run_lines(run: Run) -> str:
    tags = ", ".join(f.shorten(tag) for tag in run.tags[:MOST_TAGS])
    more = f" and {len(run.tags) - MOST_TAGS} more" if len(run.tags) > MOST_TAGS else ""
    tagged = f", tag {tags}{more}" if tags else ""  # only TREC files have tags
    form = f" of {run.source.form}" if run.source.form else ""
    return (
        f"{run.source.path}  run{form}\n"
        f"  {f.plural(len(run), 'document')},"
        f" {f.plural(len(run.query_ids), 'query', 'queries')}{tagged}\n"
        f"  {f.plural(run.n_rank_conflicts, 'query', 'queries')} whose rank column contradicts the"
        f" scores{_notes(run)}"
    )


def _notes(source: Qrels | Run) -> str:
    return "".join(f"\n  {remark}" for remark in source.source.remarks)


def _audit_lines(qrels: Qrels, run: Run, audit: Audit) -> str:
    from abrank.diagnostics import inspect_run
    from abrank.report import note_sentences

    counts = (
        f"  {audit.n_tied_rows} documents with a tied score, in"
        f" {f.plural(audit.n_queries_with_ties, 'query', 'queries')}\n"
        f"  against {qrels.source.path}:"
        f" {f.plural(len(audit.missing), 'query', 'queries')} missing,"
        f" {len(audit.extra)} extra, judged@10 {audit.judged_at_10:.3f}"
    )
    grave = note_sentences([note for note in inspect_run(run.name, audit) if note.severity > 1])
    return "\n".join([counts, *(f"  warning: {item}" for item in grave)])


_OF_TABLES = ("columns", "variant", "where", "baseline", "candidate")


@click.command("inspect")
@click.argument("qrels", type=_flags.RUN, metavar="TABLE|QRELS")
@click.argument("run_a", type=_flags.RUN, metavar="QUERY|RUN_A")
@click.argument("run_b", type=_flags.RUN, required=False)
@click.argument("query", required=False)
@_flags.take("measure", functions=("evaluate",))
@_flags.take("docs", "topics")
@_flags.take(*_OF_TABLES, functions=("compare_scores",))
@click.option(
    "--depth", type=click.IntRange(1, 1000), metavar="N",
    help="Show the first N documents of each list.",
)  # fmt: skip
@click.option(
    "--pool", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the documents to judge next, as lines query_id 0 doc_id.",
)  # fmt: skip
@click.option(
    "--judge", type=click.IntRange(0), default=12, show_default=True, metavar="N",
    help="Number of unjudged documents to list.",
)  # fmt: skip
@_flags.take("ascii")
def inspect(
    qrels: str,
    run_a: str,
    run_b: str | None,
    query: str | None,
    *,
    measure: tuple[str, ...],
    docs: str | None,
    topics: str | None,
    depth: int | None,
    pool: str | None,
    judge: int,
    ascii: bool,
    **of_table: Any,  # noqa: ANN401 - how a table of scores is read
) -> None:
    """Show the ranked lists of RUN_A and RUN_B for one QUERY, or its scores in a table.

    It prints the two lists side by side with grades, the scores by every measure, the relevant
    documents that one of the runs missed, and the unjudged documents that could change the
    difference most.

    \b
    abrank inspect qrels.txt bm25.run monot5.run 301 --docs docs.jsonl
    abrank inspect qrels.txt bm25.run monot5.run 301 -m AP --pool to-judge.txt
    abrank inspect experiment.csv 301
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if pool is None else [Path(pool)])

    from abrank.inputs.topics import read_topics
    from abrank.scoring.judging import inspect_query

    of_runs = _flags.given("docs", "pool", "depth", "judge")
    if run_b is None:  # a table of scores and a query
        if of_runs:
            names = " and ".join(f"--{name}" for name in sorted(of_runs))
            raise click.UsageError(f"{names}: only for runs; a table of scores has no documents")
        from abrank.comparison import compare_scores

        table = compare_scores(qrels, measures=measure or None, topics=topics, **of_table)
        result = table.inspect(run_a)
    elif of_tables := _flags.given(*_OF_TABLES):
        names = " and ".join(f"--{name}" for name in sorted(of_tables))
        raise click.UsageError(f"{names}: only for a table of scores, not for runs")
    elif query is None:
        raise click.UsageError(
            "give a query id; the report of abrank compare lists all queries. A query of a table of"
            " scores: abrank inspect TABLE QUERY"
        )
    else:
        result = inspect_query(
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

        replace_all({Path(pool): pool_text(result.to_judge).encode()})
    _terminal.show(result, ascii_only=ascii, depth=depth)
    if pool is not None:
        _terminal.put(f"\npool      {pool}")


SHOWN = 10


@click.group("sample")
def sample() -> None:
    """Choose what people should judge next: random queries, or single documents."""


@sample.command("queries")
@click.argument("source", type=_flags.RUN)
@click.option(
    "-n", "--n", "n", type=click.IntRange(1), default=50, show_default=True, metavar="N",
    help="Number of queries to draw.",
)  # fmt: skip
@_flags.take("seed")
@click.option(
    "--output", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the ids to FILE. Default: print them.",
)  # fmt: skip
def queries(source: str, *, n: int, seed: int, output: str | None) -> None:
    """Draw N random queries from SOURCE, which is qrels or a run.

    Let people judge these queries if a model judged all of them: abrank compare … --machine-qrels.
    The ids are in random order, so the first 25 of 50 are a random sample, too. The first line
    records how they were drawn.

    \b
    abrank sample queries llm.qrels --n 50 --seed 7 --output to-judge.txt
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if output is None else [Path(output)])

    from abrank import inputs
    from abrank.scoring.judging import sample_queries

    is_qrels = inputs.looks_like_qrels(source)
    read = inputs.read_qrels(source) if is_qrels else inputs.read_run(source)
    draws = sample_queries(read.query_ids, n, rng=seed)
    sha256 = (read.source.sha256 or "")[:16]
    text = f"{len(draws)} of {len(read.query_ids)} queries of {source}, sha256 {sha256}"
    head = f"# abrank sample queries --n {n} --seed {seed}: {text}"
    _write(
        "\n".join([head, *draws]), output, f"{f.plural(len(draws), 'query', 'queries')} to judge"
    )


@sample.command("documents")
@click.argument("qrels", type=_flags.RUN)
@click.argument("run_a", type=_flags.RUN)
@click.argument("run_b", type=_flags.RUN)
@_flags.take("measure", functions=("sample",))
@click.option(
    "--depth", type=click.IntRange(1), metavar="N",
    help="Look at the first N documents of each run. Default: the measure's cut-off.",
)  # fmt: skip
@click.option(
    "--pool", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the documents to judge, as lines query_id 0 doc_id. Add a grade to each line, and"
    " abrank reads the file as qrels.",
)  # fmt: skip
def documents(
    qrels: str, run_a: str, run_b: str, *, measure: str | None, depth: int | None, pool: str | None
) -> None:
    """List unjudged documents in the top ranks of RUN_A or RUN_B.

    They are ordered by rank. Each is shown with the change of its query's difference if it had the
    highest grade.

    \b
    abrank sample documents qrels.txt a.run b.run --pool to-judge.txt
    """  # noqa: D301 - click's mark for lines to keep
    _output.require_free([] if pool is None else [Path(pool)])

    from abrank.report.formats.text import documents_text
    from abrank.scoring.judging import pool_text, sample_documents

    result = sample_documents(qrels, run_a, run_b, measure=measure, depth=depth)
    plain = _terminal.wants_ascii(False, sys.stdout)
    width = _terminal.width()
    text = documents_text(result, maximum=SHOWN, width=width, ascii=plain)
    _terminal.put(text)
    if pool is not None:
        text = pool_text(result.documents).removesuffix("\n")
        _write(text, pool, f"{f.plural(len(result.documents), 'document')} to judge")


def _write(text: str, path: str | None, kind: str) -> None:
    from abrank._support.files import replace_all

    if path is None:
        _terminal.put(text)
        return
    replace_all({Path(path): f"{text}\n".encode() if text else b""})
    _terminal.put(f"{kind}: {path}", err=True)


@click.command("agreement")
@click.argument("human", type=_flags.RUN)
@click.argument("machine", type=_flags.RUN)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.take("measure", functions=("agreement",))
@click.option(
    "--level", type=_flags.WordChoice(["ordinal", "nominal"]), default="ordinal", show_default=True,
    help="Whether Krippendorff's alpha treats grades as ordered, or as names without order.",
)  # fmt: skip
@click.option(
    "--rel", type=_flags.grade, default=1, show_default=True, metavar="GRADE",
    help="Lowest relevant grade, for the agreement on relevant or not relevant.",
)  # fmt: skip
@click.option(
    "--margin", type=float, metavar="X",
    help="Smallest difference that matters, for the verdicts on the runs.",
)  # fmt: skip
@_flags.take("seed")
@click.option(
    "--format", "format_name", type=_flags.WordChoice(["text", "json"]), default="text",
    show_default=True,
    help="What goes to standard output.",
)  # fmt: skip
@_flags.take("ascii")
def agreement(
    human: str,
    machine: str,
    runs: tuple[str, ...],
    *,
    measure: str,
    level: Any,  # noqa: ANN401 - one of the choices
    rel: float,
    margin: float | None,
    seed: int,
    format_name: str,
    ascii: bool,
) -> None:
    """Compare the judgments of MACHINE with those of HUMAN, two qrels files.

    It prints a table of grades, Cohen's kappa (unweighted, linear, quadratic) and Krippendorff's
    alpha. With two or more RUNS it also prints, for both judges, the order of the systems and the
    verdict of each run against the first, and whether the machine favours one of the runs.

    \b
    abrank agreement people.qrels llm.qrels
    abrank agreement people.qrels llm.qrels a.run b.run -m AP --format json
    """  # noqa: D301 - click's mark for lines to keep
    from abrank.agreement import judge_agreement

    result = judge_agreement(
        human, machine, _flags.named(runs), measure=measure, level=level, rel=rel, margin=margin,
        rng=seed,
    )  # fmt: skip
    if format_name == "json":
        _terminal.put_json(asdict(result))
        return
    _terminal.show(result, ascii_only=ascii)


@click.command("audit")
@_flags.own(
    "--queries", group="Inputs", type=click.IntRange(2), metavar="N", help="Number of queries."
)
@_flags.own("--a", group="Inputs", metavar="X", help="Published mean of A, with all its decimals.")
@_flags.own("--b", group="Inputs", metavar="X", help="Published mean of B, with all its decimals.")
@_flags.own(
    "--binary/--graded", group="Inputs", default=None,
    help="Whether each query scores 0 or 1. Default: by the measure.",
)  # fmt: skip
@_flags.own(
    "--format", group="Output",
    type=_flags.WordChoice(["text", "json", "csv", "md", "html", "tex"]),
    default="text", show_default=True, help="What goes to standard output.",
)  # fmt: skip
@_flags.every("audit")
def audit(
    queries: int | None,
    a: str | None,
    b: str | None,
    **flags: Any,  # noqa: ANN401 - flags from abrank.options
) -> None:
    """Say whether a published difference could be real, from two means and the number of queries.

    It prints how wide the confidence interval usually is and can be at most, the smallest possible
    p-value for these means, and how many queries would detect the difference.

    \b
    abrank audit --queries 50 --a 0.412 --b 0.431 -m nDCG@20
    abrank audit --queries 50 --a 0.40 --b 0.44 -m Success@1 --report html
    """  # noqa: D301 - click's mark for lines to keep
    if queries is None or a is None or b is None:
        raise click.UsageError("give --queries, --a and --b")

    from abrank.planning.audit import audit

    output = _output.Output.of(flags)
    keys = ("measure", "sd", "binary", "alpha", "power")
    options = {key: flags[key] for key in keys}
    output.deliver(flags, lambda _: audit(queries, a, b, **options), notes=False)
