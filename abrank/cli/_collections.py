"""``--collections FILE``: several collections in the place of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from abrank._support.typing import Function
from abrank.cli import _options

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.comparison import Question
    from abrank.scoring.evaluate import EvaluateOptions

# Flags that mean something over several collections; the others ask about the queries of one.
_SHARED = frozenset(
    ["collections", "measures", "alpha", "test", "adjust", "resamples", "seed", "reports", "shown",
     "lower_is_better", "higher_is_better", "digits", "figures", "ascii_only", "quiet", "verbose",
     *_options.READING]
)  # fmt: skip
_COMPARED = _SHARED | {
    "primary", "family", "baseline", "candidate", "color", "margin", "require",
    "fail_on", "guards", "accept_doubt", "look", "spending",
}  # fmt: skip


def _option(given: str, columns: str) -> Callable[[Function], Function]:
    return click.option(
        "--collections",
        type=_options.RUN,
        metavar="FILE",
        help=f"Several collections, in the place of {given}: a TSV with columns {columns}, a TOML"
        " file with such keys, or a folder with a folder a collection.",
    )


option = _option("QRELS RUN_A RUN_B", "name, qrels, a and b")
many = _option("QRELS RUNS", "name, qrels and one a system (or name and scores)")


def require_alone(*, ranked: bool = False) -> None:
    """Refuse other files and flags that would do nothing."""
    known = _SHARED if ranked else _COMPARED
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in known or not _options.given(name):
            continue
        if isinstance(parameter, click.Argument) and not context.params[name]:
            continue
        called = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name
        raise click.UsageError(
            f"{called} is for one collection: it cannot stand beside --collections"
        )


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


def rank(
    source: str,
    options: EvaluateOptions,
    *,
    measures: tuple[str, ...],
    on_stage: Callable[[str], None],
    **how: Any,  # noqa: ANN401 - those of rank()
) -> CollectionsRanking:
    """Rank many systems on the collections of a table or folder."""
    from abrank.collections import boards_of, read_collections
    from abrank.collections.rank import rank_each

    boards = boards_of(read_collections(source))
    if "missing" in _options.given("missing"):
        how["missing"] = options.missing
    return rank_each(boards, options, measures=measures or None, on_stage=on_stage, **how)
