"""``abrank compare``: decide whether B may replace A."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from abrank._support import checks
from abrank._support.keywords import fields_of
from abrank.cli import _collections, _config, _designs, _help, _options, _output, _terminal
from abrank.verdict import GATES

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Comparison, Question
    from abrank.comparison.beside import Beside
    from abrank.comparison.machine.judgments import SharedModel
    from abrank.comparison.machine.source import MachineSource


def _gates() -> str:
    """Return the table of gates for the help: how each is asked for, and what passes it."""
    lines = ["\b", "Gates: the exit code is 1 where the one asked for does not pass, and 3 where"]
    lines.append("nothing could be tested, as of a run without a judged document.")
    for gate in GATES.values():
        said = wrap(f"{gate.passes}. Verdicts that pass: {gate.passing}", 50)
        flags = [gate.flag, *[""] * (len(said) - 1)]
        lines += [f"  {flag:<25}{line}" for flag, line in zip(flags, said, strict=True)]
    return "\n".join(lines)


@click.command("compare", cls=_help.Grouped, epilog=_gates())
@_options.pair
@_options.scores
@click.option(
    "--joined",
    nargs=2,
    type=_options.RUN,
    metavar="A B",
    help="Two Parquet tables query_id, position, relevance, in the place of QRELS RUN_A RUN_B.",
)
@_collections.option
@_config.option
@_options.measures_to_compare
@click.option(
    "--primary", metavar="NAME", help="The measure that decides; the first -m without it."
)
@click.option(
    "--margin",
    metavar="X|X%",
    help="Smallest difference worth having: in the primary measure's unit, or as a percentage of"
    " A's mean.",
)
@_options.alpha
@click.option(
    "--test",
    type=click.Choice(_options.TESTS),
    default="t",
    show_default=True,
    help="The test that decides; the others are shown beside it.",
)
@click.option(
    "--adjust",
    type=click.Choice(["max-t", "holm", "bonferroni", "bh", "none"]),
    help="How the secondary measures are adjusted: without it by max-t, for wilcoxon and sign by"
    " holm.",
)
@click.option(
    "--family",
    type=click.Choice(["secondary", "all", "fixed-sequence"]),
    default="secondary",
    show_default=True,
    help="What is held to alpha: the primary measure alone and the others together; all together;"
    " or each in the order given, the primary first, until one shows no difference.",
)
@click.option(
    "--require",
    type=click.Choice(["non-inferior", "better", "equivalent"]),
    help="Exit with 1 unless this is shown; see Gates.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["worse"]),
    help="Exit with 1 only where B is shown to be worse: a loss too small for these queries to show"
    " passes; --require non-inferior asks for proof.",
)
@_options.directions
@click.option("--baseline", metavar="NAME", help="Name of the baseline; without it its file's.")
@click.option("--candidate", metavar="NAME", help="Name of the candidate; without it its file's.")
@click.option(
    "--segments",
    type=_options.RUN,
    metavar="FILE",
    help="CSV with a column query_id and one for each property: compare within segments.",
)
@click.option(
    "--topics",
    type=_options.RUN,
    metavar="FILE",
    help="Texts of the queries: TREC topics, JSON lines, or query_id<TAB>text.",
)
@_options.docs
@_designs.options
@click.option(
    "--machine-qrels",
    type=_options.RUN,
    metavar="FILE",
    help="Judgments by a machine of many queries. QRELS then holds those that people judged, a"
    " random draw from these (abrank sample queries): together they decide.",
)
@click.option(
    "--machine-scores",
    nargs=2,
    type=_options.RUN,
    metavar="A B",
    help="Ready scores by a machine's judgments, in the place of --machine-qrels.",
)
@click.option(
    "--machine-judge",
    metavar="NAME",
    help="Which machine judged, fixed before its results were seen: best stated in --config.",
)
@click.option(
    "--shared-model",
    type=click.Choice(["a", "b", "both", "neither"]),
    help="Which system shares its model with the machine.",
)
@click.option(
    "--resamples",
    type=click.IntRange(99, checks.MOST_RESAMPLES),
    metavar="N",
    help="Resamples of the Monte Carlo tests.",
)
@_options.seed
@_options.reading
@_options.engine
@click.option(
    "--merged",
    is_flag=True,
    help="Merge what partitions add up to, and hold no scores of queries here: for more of them"
    " than one machine holds. --segments and --clusters may be Parquet then.",
)
@_output.options
@_options.display
def command(
    qrels: str | None,
    run_a: str | None,
    run_b: str | None,
    *,
    scores: tuple[str, str] | None,
    joined: tuple[str, str] | None,
    collections: str | None,
    measures: tuple[str, ...],
    baseline: str | None,
    candidate: str | None,
    merged: bool,
    machine_qrels: str | None,
    machine_scores: tuple[str, str] | None,
    machine_judge: str | None,
    shared_model: SharedModel | None,
    require: str | None,
    fail_on: str | None,
    resamples: int | None,
    seed: int,
    color: str,
    ascii_only: bool,
    quiet: bool,
    verbose: bool,
    **flags: Any,  # noqa: ANN401 - those named as in Question and EvaluateOptions
) -> int:
    """Decide whether the candidate RUN_B may replace the baseline RUN_A.

    QRELS are judgments (query_id 0 doc_id grade), RUN_A and RUN_B TREC runs (query_id Q0 doc_id
    rank score tag), plain or compressed (.gz .bz2 .zst). One of them may be - for standard input.
    Ready scores are the output of trec_eval -q, ir_measures -q or abrank score --per-query, or a
    CSV or TSV table with a column query_id. Judgments and runs may be Parquet, too: files, folders,
    globs or URIs, scored partition by partition. NAME=RUN1,RUN2 are repeated runs of one system
    (seeds, folds), averaged per query before they are tested.

    \b
    abrank compare qrels.txt bm25.run monot5.run -m nDCG@10 -m AP --margin 0.01
    abrank compare --scores bm25.eval monot5.eval -m ndcg_cut_10
    abrank compare --collections beir.tsv -m nDCG@10 --report html
    """  # noqa: D301 - click's mark for lines to keep
    accept_doubt = flags["accept_doubt"]
    _require_one_gate(require, fail_on, flags["guards"], accept_doubt=accept_doubt)
    if collections:
        _collections.require_alone()
    else:
        _options.require_inputs([qrels, run_a, run_b], scores, joined)
    if merged and (collections or scores):
        raise click.UsageError("--merged is for runs in Parquet, not for scores or collections")
    engine = _options.take_engine(flags, always=merged or joined is not None)
    output = _output.Output.of(
        **fields_of(_output.Output, flags),
    )

    from abrank.comparison import Question
    from abrank.comparison.beside import Beside
    from abrank.comparison.machine.source import MachineSource
    from abrank.scoring.evaluate import EvaluateOptions
    from abrank.workflow import compare_runs, kind_of_beside

    question = Question(
        require="not-worse-shown" if fail_on else require,  # type: ignore[arg-type]
        n_resamples=resamples,
        rng=seed,
        **fields_of(Question, flags),
    )
    machine = MachineSource(machine_qrels, machine_scores, shared_model, machine_judge)
    names = {"baseline": baseline, "candidate": candidate}
    options = EvaluateOptions(engine=engine, **fields_of(EvaluateOptions, flags))
    asked: dict[str, Any] = {"measures": measures or None}
    asked["command"] = shlex.join(["abrank", *click.get_current_context().obj])
    about = fields_of(Beside, flags)
    found: Comparison | CollectionsComparison
    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        asked["on_stage"] = progress
        if collections:
            found = _collections.compare(collections, question, options, names=names, **asked)
        elif scores:
            found = _compare_ready(scores, question, names, Beside.of(**about), machine, **asked)
        else:
            beside = kind_of_beside(merged=merged).of(**about)
            pair = _options.named_pair(*(joined or (run_a, run_b)), **names)
            found = compare_runs(
                qrels, pair, question, options, beside=beside, machine=machine, **asked
            )
        found = _config.with_declared(found)
        written = output.write(found, progress)
    if not quiet:
        _output.put_notes(found, output.shown, remarks=found.remarks)
    output.show(found, written, color=color, ascii_only=ascii_only)
    return _gate(found)


def _require_one_gate(
    require: str | None, fail_on: str | None, guards: tuple[str, ...], *, accept_doubt: bool
) -> None:
    """Refuse two gates, and what adds to a gate without one."""
    if require and fail_on:
        raise click.UsageError("--require and --fail-on ask two questions; choose one")
    if guards and not (require or fail_on):
        raise click.UsageError("--guard adds to a gate: give --require or --fail-on worse, too")
    if accept_doubt and not (require or fail_on):
        raise click.UsageError("--accept-doubt is for a gate: give --require or --fail-on")


def _compare_ready(
    scores: tuple[str, str],
    question: Question,
    names: Mapping[str, str | None],
    beside: Beside,
    machine: MachineSource,
    *,
    measures: tuple[str, ...] | None,
    command: str,
    on_stage: Callable[[str], None],
) -> Comparison:
    """Compare two files of ready scores."""
    from abrank.comparison import compare_recorded, pair_scores

    on_stage("reading the scores")
    paired = pair_scores(*scores, measures=measures, **names)
    on_stage("testing")
    beside = machine.beside(beside, paired)
    return compare_recorded(paired, question, beside=beside, command=command)


def _gate(comparison: Comparison | CollectionsComparison) -> int:
    """Say on standard error why a gate did not pass, and return the exit code."""
    from abrank.comparison import Comparison

    if not isinstance(comparison, Comparison):
        comparison = comparison.pooled
    gate = comparison.decision.gate
    if gate is None or gate.passed:
        return 0
    from abrank.report import gate_sentence

    _terminal.put(f"gate  {gate_sentence(comparison)}", err=True)
    return comparison.decision.exit_code
