"""Several collections as one HTML file: the verdict, the forest, and each collection to open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from abrank import plots
from abrank._support import display
from abrank.collections import CollectionRow, CollectionsComparison
from abrank.comparison import Comparison
from abrank.report.cells import one_line
from abrank.report.collections import tables, words
from abrank.report.compose import compose
from abrank.report.formats.html import PHONE, Shown, folded_cautions, page
from abrank.report.model import Caution, Headline, Table, Tone
from abrank.report.sections.measures_and_tests import measures as measures_section
from abrank.report.sections.notes.cautions import counted_twice
from abrank.report.sections.words import READINGS

_TONES: dict[str, Tone] = {"better": "b", "worse": "a"}
MOST_CAUTIONS = 4
BESIDE = 5.6  # inches of the forest beside the verdict


@dataclass(frozen=True)
class Opened:
    """What a page shows of one collection when it is opened."""

    name: str
    reading: str
    tone: Tone
    line: str
    headline: Headline
    table: Shown
    cautions: tuple[Caution, ...]


def collections_html(found: CollectionsComparison, *, digits: int | None = None) -> str:
    """Return several collections as one HTML document without any outside part.

    Examples
    --------
    >>> from abrank.collections import summarise_collections
    >>> from abrank.comparison import compare_scores
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> collections_html(summarise_collections({"x": one, "y": one}))[:15]
    '<!doctype html>'
    """
    digits = found.decimals if digits is None else digits
    reading = found.primary.stratified.reading
    return page(
        "collections.html",
        title=words.title(found),
        context=words.context(found),
        first=[each for each in words.cautions(found, digits=digits) if each.stands_first],
        sentences=words.sentences(found, digits=digits),
        cautions=folded_cautions(counted_twice(found.comparisons)),
        method=words.METHOD,
        reading=READINGS[reading],
        tone=_TONES.get(reading, "plain"),
        forest=_forest(found, digits),
        tables=_tables(found, digits),
        opened=[
            _opened(found.comparisons[row.collection], row, digits) for row in found.primary.rows
        ],
        command=str(found.provenance.get("command") or ""),
        rows=None,
        fill={},
    )


def _forest(found: CollectionsComparison, digits: int) -> Shown:
    """Draw the forest twice, for wide screens and for telephones."""
    drawn = (
        Markup(
            plots.svg(
                "forest",
                found,
                summary=words.title(found),
                width=width,
                prefix=prefix,
                digits=digits,
            )
        )
        for width, prefix in ((BESIDE, "forest-w"), (PHONE, "forest-n"))
    )
    return Shown("figure", svg=next(drawn), narrow=next(drawn))


def _tables(found: CollectionsComparison, digits: int) -> list[Shown]:
    made = [_table(tables.by_collection(found, found.primary, digits=digits))]
    if len(found.measures) > 1:
        made.append(_table(tables.by_measure(found, digits=digits)))
        made += [
            _table(tables.by_collection(found, each, digits=digits), folded=each.measure)
            for each in found.measures[1:]
        ]
    return made


def _table(table: Table, *, folded: str = "") -> Shown:
    shown = Table(table.key, table.columns, table.rows, folded and f"{folded} by collection")
    return Shown("table", table=shown, caption=f"Table: {table.key}")


def _opened(comparison: Comparison, row: CollectionRow, digits: int) -> Opened:
    """Return what is shown of one collection: what its own report says first."""
    report = compose(comparison, digits=digits)
    head, own = report.headline, comparison.primary.reading
    if own != row.reading:
        head = replace(
            head,
            glyph=READINGS[row.reading][:1],
            title=f"With p adjusted for all collections: {READINGS[row.reading][2:]}. Alone:"
            f" {head.title}",
        )
    section = measures_section(comparison, digits=digits)
    table = next(block for block in section.blocks if isinstance(block, Table))
    return Opened(
        name=one_line(row.collection, width=120),
        reading=READINGS[row.reading],
        tone=_TONES.get(row.reading, "plain"),
        line=f"{display.plural(row.n_queries, 'query', 'queries')},"
        f" Δ {display.signed(row.diff, digits=digits)}"
        f" ({display.interval(row.ci_low_adj, row.ci_high_adj, digits=digits)}, adjusted)",
        headline=head,
        table=Shown("table", table=table, caption=f"Table: measures on {row.collection}"),
        cautions=report.notes[:MOST_CAUTIONS],
    )
