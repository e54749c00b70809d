"""``abrank check``: say of each file whether it can be used, and what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from abrank._support import display
from abrank.cli import _flags, _terminal

if TYPE_CHECKING:
    from abrank.inputs import Audit, Qrels, Run


MOST_TAGS = 5


@click.command("check")
@click.argument("files", nargs=-1, required=True, type=_flags.RUN)
@click.option(
    "--subtopics", is_flag=True, help="Qrels are by subtopic: query_id subtopic doc_id grade."
)
@_flags.take("max_input_size", of=("evaluate",))
def command(files: tuple[str, ...], *, subtopics: bool, max_input_size: int | None) -> int:
    """Validate FILES: qrels (4 columns), runs (6 columns), and tables or logs of ready scores.

    With qrels among the files, each run is also checked against them: queries missing on either
    side, judged documents in the top 10. Every file is read, whatever is wrong with another.
    """
    from abrank.scoring.score_files import check

    found = check(*files, subtopics=subtopics, max_input_size=max_input_size)
    for error in found.errors:
        _terminal.put(f"error: {error}", err=True)
    for qrels in found.qrels:
        _terminal.put(_qrels_lines(qrels))
    for run in found.runs:
        _terminal.put(_run_lines(run))
        for one, qrels, audit in found.audits:
            if one is run:
                _terminal.put(_audit_lines(qrels, run, audit))
    for scores in found.scores:
        _terminal.put("\n".join([*scores.notes, f"  {', '.join(scores.measures)}"]))
    return max((error.exit_code for error in found.errors), default=0)


def _qrels_lines(qrels: Qrels) -> str:
    """Return what is in a judgment file."""
    found = qrels if qrels.subtopics is None else qrels.subtopics
    grades = ", ".join(map(str, sorted(set(found.grade.tolist()))))
    by = "" if qrels.subtopics is None else f", {len(qrels.subtopics.ids)} subtopics"
    none = "\n  warning: no grade is above 0, so nothing is relevant"
    return (
        f"{qrels.source.path}  qrels\n"
        f"  {len(found.grade)} judgments, {_count(len(qrels.query_ids), 'query')}{by},"
        f" grades {grades}{'' if (found.grade > 0).any() else none}"
    )


def _run_lines(run: Run) -> str:
    """Return what is in a run file."""
    tags = ", ".join(display.shorten(tag) for tag in run.tags[:MOST_TAGS])
    more = f" and {len(run.tags) - MOST_TAGS} more" if len(run.tags) > MOST_TAGS else ""
    tagged = f", tag {tags}{more}" if tags else ""  # only TREC's files have one
    return (
        f"{run.source.path}  run\n"
        f"  {len(run)} documents, {_count(len(run.query_ids), 'query')}{tagged}\n"
        f"  {_count(run.n_rank_conflicts, 'query')} whose rank column contradicts the scores"
    )


def _audit_lines(qrels: Qrels, run: Run, audit: Audit) -> str:
    """Return what a run looks like beside the judgments, and what would make its scores wrong."""
    from abrank.diagnostics import inspect_run
    from abrank.report import note_sentences

    counts = (
        f"  {audit.n_tied_rows} documents with a tied score, in"
        f" {_count(audit.n_queries_with_ties, 'query')}\n"
        f"  against {qrels.source.path}: {_count(len(audit.missing), 'query')} missing,"
        f" {len(audit.extra)} extra, judged@10 {audit.judged_at_10:.3f}"
    )
    grave = note_sentences([note for note in inspect_run(run.name, audit) if note.severity > 1])
    return "\n".join([counts, *(f"  warning: {each}" for each in grave)])


def _count(n: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> _count(1, "query"), _count(2, "query")
    ('1 query', '2 queries')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun.removesuffix('y')}ies"
