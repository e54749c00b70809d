"""``abrank compare``, ``rank``, ``render``, ``history``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _flags, _output, _terminal
from abrank.ledger.record import recording
from abrank.options import Inputs, Question, RankingQuestion
from abrank.options.values import build, iterate, nested
from abrank.rule import GATES

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.comparison import Comparison
    from abrank.ranking import Ranking


def _gates() -> str:
    """Return the table of gates for the help: their flags, and the verdicts that pass."""
    lines = ["\b", "Gates: the exit code is 1 if the requested gate does not pass, and 3 if no"]
    lines.append("test is possible, for example because a run has no judged document.")
    for gate in GATES.values():
        text = wrap(f"{gate.passes}. Verdicts that pass: {gate.passing}", 50)
        flags = [gate.flag, *[""] * (len(text) - 1)]
        lines += [f"  {flag:<25}{line}" for flag, line in zip(flags, text, strict=True)]
    return "\n".join(lines)


@click.command("compare", cls=_flags.Grouped, epilog=_gates())
@_flags.pair
@_flags.config_option
@_flags.every("compare")
def compare(**flags: Any) -> int:  # noqa: ANN401 - those of abrank.options
    """Decide whether the candidate RUN_B may replace the baseline RUN_A.

    Give one table of scores with both variants, or two tables of scores, one per system. Or give
    three files: judgments QRELS (lines query_id 0 doc_id grade) and TREC runs RUN_A and RUN_B
    (lines query_id Q0 doc_id rank score tag). Files may be compressed, or Parquet; - is standard
    input. NAME=RUN1,RUN2 are repeated runs of one system, which are averaged per query.

    \b
    abrank compare experiment.csv --baseline bm25 --candidate rerank
    abrank compare qrels.txt bm25.run monot5.run -m nDCG@10 -m AP --margin 0.01
    abrank compare --scores bm25.eval monot5.eval -m ndcg_cut_10
    abrank compare --collections beir.tsv -m nDCG@10 --report html
    abrank compare --preferences votes.csv --report html
    """  # noqa: D301 - click's mark for lines to keep
    config = _flags.config_values()
    _require_inputs(config)
    deliver: Comparison | CollectionsComparison
    output = _output.Output.of(flags)
    question = build(Question, nested(config))
    if "preferences" in config and "test" not in config:
        from abrank.comparison.preferences import with_test

        question = with_test(replace(question, test=""))
    if question.guard and not question.gate:
        raise click.UsageError("--guard is a condition of a gate: add --require or --fail-on worse")
    if question.on == "each" and not question.gate:
        raise click.UsageError("on=each works only with a gate: add --require or --fail-on")
    if question.accept_doubt and not question.gate:
        raise click.UsageError("--accept-doubt works only with a gate: add --require or --fail-on")
    with recording(question) as record:
        if record.level and not flags["quiet"]:
            _terminal.put(record.level, err=True)
        deliver = output.deliver(
            flags,
            lambda progress: _flags.with_declared(
                record.compare(lambda q: _compare(config, q, progress))
            ),
            gate=False,
        )
    return _gate(deliver, tell=output.format == "text", ascii_only=flags["ascii"])


def _require_inputs(config: dict[str, Any]) -> None:
    """Refuse a call without files, with two kinds of files, or with options without effect."""
    if "collections" in config:
        why = "is for one collection: it cannot stand beside --collections"
        if "qrels" in config:  # the shell expanded a pattern
            why += "; a pattern is quoted, as in 'beir/*/qrels.txt'"
        _flags.require_taken("compare_collections", why, config)
        return
    if "on" in config:
        raise click.UsageError("on works only with --collections")
    files = [config.get(name) for name in ("qrels", "a", "b")]
    if "preferences" in config:
        why = "is for runs or scores: it cannot stand beside --preferences"
        _flags.require_taken("compare_preferences", why, config)
        return
    scores = [*iterate(config["scores"])] if "scores" in config else None
    if scores is None:
        for key in ("variant", "columns", "where"):
            if key in config:
                raise click.UsageError(f"--{key} is for --scores")
    _flags.require_inputs(files, scores, config)


def _compare(
    config: Mapping[str, Any], question: Question, on_stage: Callable[[str], None]
) -> Comparison | CollectionsComparison:
    missing = question.scoring.missing if "missing" in config else "error"
    inputs = build(Inputs, {**nested(config), "missing": missing, "command": _flags.command()})
    if config.keys().isdisjoint(("scores", "collections")):
        name_a, name_b = inputs.baseline or inputs.name_a, inputs.candidate or inputs.name_b
        inputs = replace(inputs, name_a=name_a, name_b=name_b, baseline=None, candidate=None)
    answer: Callable[..., Comparison | CollectionsComparison]
    if "collections" in config:
        from abrank.collections.compare import compare_each as answer
    elif "preferences" in config:
        from abrank.comparison.preferences import compare_votes as answer
    elif "scores" in config:
        from abrank.comparison.compare import compare_ready as answer
    else:
        from abrank.workflow import compare_runs as answer

        (own_a, a), (own_b, b) = (_flags.repeated(item or "") for item in (inputs.a, inputs.b))
        inputs = replace(
            inputs, a=a, b=b, name_a=inputs.name_a or own_a, name_b=inputs.name_b or own_b
        )
    return answer(inputs, question, on_stage=on_stage)


def _gate(comparison: Comparison | CollectionsComparison, *, tell: bool, ascii_only: bool) -> int:
    """Print to standard error whether the gate passed, if ``tell``; return the exit code."""
    # The text on standard output does not include this line.
    from abrank.comparison import Comparison

    if not isinstance(comparison, Comparison):
        comparison = comparison.pooled
    gate = comparison.decision.gate
    if gate is None or (gate.passed and not tell):
        return 0
    from abrank.report import gate_sentence
    from abrank.report.formats.text import gate_lines

    plain = _terminal.wants_ascii(ascii_only, sys.stderr)
    sentence = gate_sentence(comparison)
    _terminal.put(gate_lines(sentence, width=_terminal.width(), ascii=plain), err=True)
    return comparison.decision.exit_code


@click.command("rank", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False, metavar="[TABLE|QRELS]")
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.every("rank")
def rank(qrels: str | None, runs: tuple[str, ...], **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Rank RUNS by their mean on QRELS, and say which differ significantly.

    Systems that share a letter do not differ significantly. A system is named after its file or
    column. NAME=RUN1,RUN2 are repeated runs of one system (seeds, folds), which are averaged per
    query. Several collections have equal weight; the result says which systems could be the best
    on them, and on other collections like them.

    \b
    abrank rank qrels.txt bm25.run splade.run monot5.run -m nDCG@10 -m AP
    abrank rank qrels.txt *.run --baseline bm25 --pairs
    abrank rank scores.csv -m AP
    abrank rank --collections beir.tsv -m nDCG@10 --report html
    """  # noqa: D301 - click's mark for lines to keep
    question = build(RankingQuestion, nested(dict(_flags.options_given())))
    if flags["collections"]:
        why = "is for one collection: it cannot stand beside --collections"
        _flags.require_taken("rank_collections", why, ["qrels"] if qrels else [])
    elif qrels is None or not (runs or flags["scores"]):
        raise click.UsageError(
            "give QRELS and RUNS (or --scores and tables of scores, or --collections FILE)"
        )
    elif [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")
    elif len(runs) == 1 and Path(runs[0]).is_dir():  # a folder of runs, perhaps with judgments
        from abrank.scoring.score_files import files_below

        files = [os.fspath(path) for path in files_below(runs[0])]
        runs = tuple(path for path in files if Path(path).absolute() != Path(qrels).absolute())

    _output.Output.of(flags).deliver(
        flags, lambda progress: _ranking([qrels, *runs], question, flags, progress)
    )


def _ranking(
    files: list[Any],
    question: RankingQuestion,
    flags: Mapping[str, Any],
    on_stage: Callable[[str], None],
) -> Ranking | CollectionsRanking:
    missing = question.scoring.missing if _flags.given("missing") else "error"
    options = nested(dict(_flags.options_given()))
    inputs = build(Inputs, {**options, "missing": missing, "command": _flags.command()})
    answer: Callable[..., Ranking | CollectionsRanking]
    if flags["collections"]:
        from abrank.collections.rank import rank_each as answer
    elif flags["scores"]:
        from abrank.ranking.rank import rank_recorded as answer

        _flags.require_taken("rank_scores", "is for runs, not for ready scores")
        on_stage("reading the scores")
        inputs = replace(inputs, scores=files)
    else:
        from abrank.inputs.run import by_system
        from abrank.workflow import rank_runs as answer

        qrels, *runs = files
        inputs = replace(inputs, qrels=qrels, runs=by_system(_flags.named(tuple(runs))))
    return answer(inputs, question, on_stage=on_stage)


@click.command("render")
@click.argument("results", type=_flags.RUN)
@_flags.take(
    "report", "figures", "format", "digits", "style", "ascii", "quiet",
    "verbose", functions=("render", "compare"),
)  # fmt: skip
def render(results: str, **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Write reports from RESULTS, the .json report of compare or rank; - is standard input.

    The reports are the same as compare or rank would have written. abrank computes all numbers
    again from the scores in RESULTS, and refuses a file whose numbers differ. Without --report,
    --figures and --format it prints the text. If a gate did not pass, render says so, but the exit
    code stays 0.

    \b
    abrank render results.json --report report.html --report table.tex
    abrank render results.json --figures figures --format md
    """  # noqa: D301 - click's mark for lines to keep
    output = _output.Output.of(flags)  # reports unknown formats before anything is read

    from abrank.report import read_results

    def read(progress: Callable[[str], None]) -> object:
        progress(f"reading {results}")
        return read_results(results)

    # If files were requested, the text has probably been seen before.
    brief = bool(flags["report"] or flags["figures"]) and not _flags.given("format")
    deliver = output.deliver(flags, read, brief=brief)
    if brief:
        from abrank.collections import CollectionsComparison
        from abrank.comparison import Comparison

        if isinstance(deliver, (Comparison, CollectionsComparison)):
            _gate(deliver, tell=False, ascii_only=flags["ascii"])


@click.command("history")
@click.argument("ledger", type=_flags.RUN)
@_flags.take(
    "report", "figures", "format", "digits", "ascii", "quiet", "verbose",
    functions=("render", "compare"),
)  # fmt: skip
def history(ledger: str, **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Say how often queries were used, and how much of the gains to expect on other queries.

    LEDGER is the folder or .sqlite file of abrank compare --ledger. With a hundred comparisons on
    the same queries, some candidates look better by chance alone.

    \b
    abrank compare qrels.txt old.run new.run --ledger gates.sqlite
    abrank history gates.sqlite --report html
    """  # noqa: D301 - click's mark for lines to keep
    output = _output.Output.of(flags)

    from abrank.ledger import history

    def read(progress: Callable[[str], None]) -> object:
        progress(f"reading {ledger}")
        return history(ledger)

    output.deliver(flags, read, notes=False)
