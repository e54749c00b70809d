"""Which blocks of a section share a card, and which cards stand side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest

from abrank.report.model import Block, Figure, Fold, Section, Table, Text

# Figures and tables that take half of the page: two stand side by side.
HALVES = frozenset(
    {"scatter", "paired", "qq", "null", "pvalue", "planning", "power", "cutoffs"}
    | {"recall", "judged", "quality", "achieved", "instruments"}
)


def panels(section: Section) -> list[tuple[list[Block], bool]]:
    """Put a section's blocks into cards; with each, whether it takes half of the width.

    Text goes with what it follows, a half never with a whole, and a half that has no other half
    beside it gets the whole width. The table of queries is left out with its caption: another, with
    scripts, stands there.
    """
    blocks: Iterable[Block] = section.blocks
    if section.key == "queries":
        blocks = takewhile(lambda block: not isinstance(block, Table), blocks)
    found: list[list[Block]] = []
    for block in blocks:
        halves = found and any(_key(each) in HALVES for each in (found[-1][0], block))
        joined = isinstance(block, Text) or not halves
        if not (found and joined):
            found.append([])
        found[-1].append(block)
    return list(zip(found, _paired([_key(each[0]) in HALVES for each in found]), strict=True))


def with_figures(
    sections: Sequence[Section], *, every: bool
) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Return the sections without the figures that repeat others, and what those figures show.

    A caption goes with its figure.
    """
    if every:
        return tuple(sections), ()
    kept, left_out = [], []
    for section in sections:
        blocks: list[Block] = []
        captioned = False
        for block in section.blocks:
            repeats = isinstance(block, Figure) and block.repeats
            if isinstance(block, Figure) and repeats:
                left_out.append(block.plot)
            if not repeats and not (captioned and isinstance(block, Text)):
                blocks.append(block)
            captioned = repeats
        kept.append(replace(section, blocks=tuple(blocks)))
    return tuple(kept), tuple(left_out)


def _key(block: Block) -> str:
    """Return the name of a figure or a table; empty for text."""
    if isinstance(block, Figure):
        return block.plot
    return block.key if isinstance(block, (Table, Fold)) else ""


def _paired(halves: Sequence[bool]) -> list[bool]:
    """Keep the halves that have another one beside them.

    Examples
    --------
    >>> _paired([True, True, True, False, True])
    [True, True, False, False, False]
    """
    found: list[bool] = []
    beside = False
    for half, after in zip_longest(halves, halves[1:], fillvalue=False):
        found.append(half and (beside or after))
        beside = found[-1] and not beside
    return found
