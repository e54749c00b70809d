"""Which blocks of a section share a card, and which cards stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest
from typing import TypeAlias

from abrank.report.model import Block, Figure, Fold, Section, Table, Text

# A block with its place in the section.
Placed: TypeAlias = tuple[int, Block]

# Figures and tables that take half of the page: two stand side by side.
HALVES = frozenset(
    {"scatter", "paired", "qq", "null", "pvalue", "effects", "power", "cutoffs"}
    | {"recall", "judged", "quality", "achieved", "instruments"}
)
# Tables that stand under the figure or table before them, in its half.
UNDER = frozenset({"planning", "more-effects"})


def panels(section: Section) -> list[tuple[list[Placed], bool]]:
    """Put a section's blocks into cards; with each, whether it takes half of the width.

    Text goes with what it follows, a half never with a whole, and a half that has no other half
    beside it gets the whole width. The table of queries is left out with its caption: another, with
    scripts, stands there.
    """
    found: list[list[Placed]] = []
    for place, block in enumerate(_blocks(section)):
        joined = bool(found) and (
            isinstance(block, Text) or _together(section, found[-1][0][1], block)
        )
        if not joined:
            found.append([])
        found[-1].append((place, block))
    halves = _paired([_key(panel[0][1]) in HALVES for panel in found])
    return list(zip(found, halves, strict=True))


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


def _blocks(section: Section) -> tuple[Block, ...]:
    if section.key != "queries":
        return section.blocks
    return tuple(takewhile(lambda block: not isinstance(block, Table), section.blocks))


def _key(block: Block) -> str:
    """Return the name of a figure or a table; empty for text."""
    if isinstance(block, Figure):
        return block.plot
    return block.key if isinstance(block, (Table, Fold)) else ""


def _together(section: Section, first: Block, block: Block) -> bool:
    """Whether a figure or table stands on the card that ``first`` begins."""
    if any(_key(each) in HALVES for each in (first, block)):
        return _key(block) in UNDER
    return section.key != "measures"


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
