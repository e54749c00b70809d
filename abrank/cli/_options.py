"""Flags that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import click

from abrank._support.display import shorten
from abrank._support.typing import Function

RUN = click.Path(dir_okay=True, allow_dash=True)
# Flags that say how runs are scored: the fields of EvaluateOptions.
READING = (
    "missing", "score_dtype", "duplicates", "depth", "rel", "judged_only", "interpolation",
    "max_input_size",
)  # fmt: skip
TESTS = ("t", "permutation", "bootstrap", "wilcoxon", "sign", "bounded")
ENGINE = ("engine", "scheduler", "master", "on_bad_partition", "keep_scores")


docs = click.option(
    "--docs",
    type=RUN,
    metavar="FILE",
    help="Titles or texts of the documents: JSON lines, or doc_id<TAB>title; of any size.",
)


def given(*names: str) -> set[str]:
    """Return those of the flags that stand on the command line, or in the file of --config."""
    source = click.get_current_context().get_parameter_source
    stated = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.DEFAULT_MAP)
    return {name for name in names if source(name) in stated}


def stack(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Apply decorators as if they stood one above the other."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def named(paths: tuple[str, ...]) -> dict[str, Any]:
    """Return run files by the names of their systems; see :func:`distinct_names`.

    ``NAME=RUN1,RUN2`` are repeated runs of one system.
    """
    from abrank.inputs.files import distinct_names

    given = [repeated(path) for path in paths]
    short = iter(distinct_names([run for name, run in given if name is None]))
    found: dict[str, Any] = {}
    for path, (name, run) in zip(paths, given, strict=True):
        system = next(short) if name is None else name
        if system in found:
            raise click.UsageError(f"{path} is given twice")
        found[system] = run
    return found


def named_pair(
    a: str | None, b: str | None, *, baseline: str | None, candidate: str | None
) -> dict[str, Any]:
    """Return two runs by name, either of which may be ``NAME=RUN1,RUN2``."""
    from abrank.comparison import name_runs

    (name_a, run_a), (name_b, run_b) = repeated(a or ""), repeated(b or "")
    return name_runs(run_a, run_b, baseline=baseline or name_a, candidate=candidate or name_b)


def repeated(path: str) -> tuple[str | None, Any]:
    """Return the name and the runs of ``NAME=RUN1,RUN2``; a path without a name as it is.

    Examples
    --------
    >>> repeated("t5=seed1.run,seed2.run"), repeated("bm25.run")
    (('t5', ['seed1.run', 'seed2.run']), (None, 'bm25.run'))
    """
    name, equals, runs = path.partition("=")
    if not equals or not name or "/" in name or os.path.exists(path):  # noqa: PTH110
        return None, path
    files = runs.split(",")
    if "" in files:
        raise click.UsageError(f"{path} is not NAME=RUN1,RUN2: a run has no name")
    return name, files[0] if len(files) == 1 else files


def size(text: str) -> int:
    """Return a number of bytes given as 500000000, 500M or 2G, in units of 1024.

    Examples
    --------
    >>> size("2G"), size("500m"), size("4096")
    (2147483648, 524288000, 4096)
    """
    found = re.fullmatch(r"([1-9][0-9]{0,15})([KMGT]?)(i?B)?", text, re.IGNORECASE)
    if found is None:
        raise click.BadParameter(f"{shorten(text)!r} is no size such as 500M or 2G")
    return int(found[1]) << (10 * " KMGT".index(found[2].upper() or " "))


def _complete_measure(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of measures that begin as the word under the cursor, for a shell."""
    from abrank.measures import catalogue

    return [name for name in catalogue() if name.casefold().startswith(incomplete.casefold())]


def require_inputs(
    files: list[str | None],
    scores: tuple[str, str] | None,
    joined: tuple[str, str] | None = None,
) -> None:
    """Refuse a call without files, with two kinds of them, or with flags that do nothing."""
    if scores is None and joined is None:
        if None in files:
            raise click.UsageError("QRELS, RUN_A and RUN_B are needed (or --scores A B)")
    elif files[0] is not None or (scores and joined):
        name = "scores" if scores else "joined"
        raise click.UsageError(f"--{name} A B stands in the place of QRELS RUN_A RUN_B")
    if [*files, *(scores or ())].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")
    for name in (*READING, *ENGINE) if scores else ():
        if given(name):
            raise click.UsageError(f"--{name.replace('_', '-')} is for runs, not for ready scores")


directions = stack(
    click.option(
        "--lower-is-better",
        multiple=True,
        metavar="NAME",
        help="A score whose direction is not known, and of which less is better. Repeat for more.",
    ),
    click.option(
        "--higher-is-better",
        multiple=True,
        metavar="NAME",
        help="A score whose name sounds like a cost, and of which more is better.",
    ),
)

pair = stack(
    *(click.argument(each, type=RUN, required=False) for each in ("qrels", "run_a", "run_b"))
)

scores = click.option(
    "--scores",
    nargs=2,
    type=RUN,
    metavar="A B",
    help="Two files of ready scores per query, in the place of QRELS RUN_A RUN_B.",
)

_MEASURES = "Measure, in any dialect: nDCG@10, map, ndcg_cut_10, mrr@10. Repeat for more."
measures, measures_to_compare = (
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        shell_complete=_complete_measure,
        help=said,
    )
    for said in (
        _MEASURES,
        f"{_MEASURES} The first decides. Of runs: without it nDCG@10 decides, a gate too, beside"
        " AP, RR, P@10 and R@100.",
    )
)

measure = click.option(
    "-m",
    "--measure",
    metavar="NAME",
    default="nDCG@10",
    show_default=True,
    shell_complete=_complete_measure,
    help="Measure, in any dialect.",
)

max_input_size = click.option(
    "--max-input-size",
    type=size,
    metavar="SIZE",
    help="Most that a file may hold once unpacked, such as 500M or 20G. Without it what is"
    " compressed may hold 4G and 250 times its size, a pipe 4G, other files any number.",
)

table = click.option(
    "--format",
    "shown",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="What goes to standard output.",
)


alpha = click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    metavar="X",
    help="Two-sided significance level.",
)

seed = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of everything that is drawn at random.",
)


def replications(of: str) -> Callable[[Function], Function]:
    """Return the option of a simulation; the help says what is repeated so often."""
    return click.option(
        "--replications",
        type=click.IntRange(100),
        default=1000,
        show_default=True,
        metavar="N",
        help=of,
    )


reading = stack(
    click.option(
        "--missing",
        type=click.Choice(["zero", "drop", "error"]),
        default="zero",
        show_default=True,
        help="A judged query that a run lacks scores 0, is left out of all, or is an error.",
    ),
    click.option(
        "--score-dtype",
        type=click.Choice(["float64", "float32"]),
        default="float64",
        show_default=True,
        help="Precision of scores, which decides what is a tie: trec_eval 10's or 9's.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "best"]),
        default="error",
        show_default=True,
        help="A document twice in a ranking is an error, or keeps its higher score.",
    ),
    click.option(
        "--depth",
        type=click.IntRange(1),
        metavar="N",
        help="Cut every ranking at this rank first (trec_eval's -M).",
    ),
    click.option(
        "--rel",
        type=click.IntRange(1),
        metavar="N",
        help="Lowest relevant grade, for measures not given their own (trec_eval's -l).",
    ),
    click.option(
        "--judged-only",
        is_flag=True,
        help="Take unjudged documents out of every ranking first (trec_eval's -J).",
    ),
    click.option(
        "--interpolation",
        type=click.Choice(["10", "9"]),
        default="10",
        show_default=True,
        help="Interpolated precision as in trec_eval 10 or 9.",
    ),
    max_input_size,
)

engine = stack(
    click.option(
        "--engine",
        type=click.Choice(["local", "dask", "spark"]),
        help="Score runs in Parquet partition by partition: on the cores of this machine (folders,"
        " globs, URIs and files above 256 MB without this flag), on Dask or on Spark.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Cluster for --engine dask, such as tcp://10.0.0.5:8786; without it this machine's"
        " cores.",
    ),
    click.option(
        "--master", metavar="URL", help="Cluster for --engine spark, such as spark://host:7077."
    ),
    click.option(
        "--on-bad-partition",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="A partition that cannot be used is an error, or is left out and counted.",
    ),
    click.option(
        "--keep-scores",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Keep the scores per query there, as Parquet; a second run takes up what is finished.",
    ),
)


def take_engine(flags: dict[str, Any], *, always: bool = False) -> Any:  # noqa: ANN401
    """Take the flags of :data:`engine` out of all flags; None where none of them was given."""
    found = {each: flags.pop(each) for each in ENGINE}
    if not always and not any(given(each) for each in ENGINE):
        return None
    from abrank.engines import Engine

    name, output = found.pop("engine"), found.pop("keep_scores")
    return Engine(name or "local", output=output, **found)


ascii_only = click.option(
    "--ascii", "ascii_only", is_flag=True, help="Write ASCII characters only."
)
progress = stack(
    click.option(
        "-q", "--quiet", is_flag=True, help="Write no notes and no progress to standard error."
    ),
    click.option("-v", "--verbose", is_flag=True, help="Say how long each stage took."),
)

display = stack(
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour the terminal's text; NO_COLOR and FORCE_COLOR are honoured.",
    ),
    ascii_only,
    progress,
)
