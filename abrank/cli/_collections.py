"""``--collections FILE``: several collections in the place of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from abrank.cli import _options

if TYPE_CHECKING:
    from abrank._support.registry import Registry
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Question
    from abrank.evaluation import EvaluateOptions
    from abrank.report.registry import Format

# Flags that mean something over several collections; the others ask about the queries of one.
_KNOWN = frozenset(
    ["collections", "measures", "primary", "alpha", "test", "adjust", "family", "lower_is_better",
     "baseline", "candidate", "resamples", "seed", "reports", "figures", "shown", "digits", "color",
     "ascii_only", "quiet", "verbose", *_options.READING]
)  # fmt: skip

option = click.option(
    "--collections",
    type=_options.RUN,
    metavar="FILE",
    help="Several collections, in the place of QRELS RUN_A RUN_B: a TSV with columns name, qrels, a"
    " and b, a TOML file with such keys, or a folder with a folder a collection.",
)


def require_alone() -> None:
    """Refuse other files and flags that would do nothing."""
    context = click.get_current_context()
    sources = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.DEFAULT_MAP)
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in _KNOWN or context.get_parameter_source(name) not in sources:
            continue
        if isinstance(parameter, click.Argument) and context.params[name] is None:
            continue
        called = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise click.UsageError(
            f"{called} is for one collection: it cannot stand beside --collections"
        )


def formats() -> Registry[Format]:
    """Return the formats in which several collections are reported."""
    from abrank.report import COLLECTIONS_WRITERS

    return COLLECTIONS_WRITERS


def compare(
    source: str,
    question: Question,
    options: EvaluateOptions,
    *,
    measures: tuple[str, ...] | None,
    names: Mapping[str, str | None],
    command: str,
    on_stage: Callable[[str], None],
) -> CollectionsComparison:
    """Compare on the collections of a table or folder."""
    from abrank.collections import pairs_of, read_collections
    from abrank.collections.compare import compare_each

    pairs, found = pairs_of(read_collections(source), **names)
    return compare_each(
        pairs,
        question,
        options,
        measures=measures,
        names=found,
        command=command,
        on_stage=on_stage,
    )
