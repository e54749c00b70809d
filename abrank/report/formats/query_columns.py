"""The columns of the table of queries: what each sorts by, and the texts it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from abrank._support import display
from abrank.diagnostics import DECIMALS
from abrank.report.formats.clean import cut
from abrank.report.model import Tone
from abrank.report.sections import words

if TYPE_CHECKING:
    from abrank._support.typing import FloatArray, IntArray
    from abrank.comparison import Comparison
    from abrank.comparison.groups import Segmentation

Kind: TypeAlias = Literal["id", "text", "segment", "score", "delta"]

FURTHER = 4  # columns of further measures; texts and segments take some of their places
SEGMENTATIONS = 3  # properties of the queries with a column and a filter
LONGEST = 120  # characters of an id, a text or a segment that are shown


@dataclass(frozen=True)
class QueryColumn:
    """A column of the table of queries: values to sort by, and the texts that are shown.

    The values of a column with ``levels`` are positions in them.
    """

    title: str
    csv: str
    kind: Kind
    values: list[Any]
    shown: list[str]
    bar: bool = False
    levels: tuple[str, ...] = ()
    lower_is_better: bool = False


@dataclass(frozen=True)
class MeasureScores:
    """A measure of every row: A, B and B - A as they are shown, the difference to sort by.

    ``largest`` is the longest bar, ``flip`` whether lower is better, ``outcome`` who wins.
    """

    name: str
    a: list[str]
    b: list[str]
    shown: list[str]
    values: list[float]
    outcome: list[int]
    largest: float
    flip: bool


def measure_scores(comparison: Comparison, chosen: IntArray) -> tuple[MeasureScores, ...]:
    """Return the scores of every measure, the primary one first."""
    primary = comparison.rule.primary
    found = []
    for name in sorted(comparison.measures, key=lambda each: each != primary):
        place = comparison.measures.index(name)
        a, b = (
            _numbers("", "", "score", scores[chosen, place], comparison.decimals).shown
            for scores in (comparison.a, comparison.b)
        )
        difference = _differences(comparison, name, chosen)
        found.append(
            MeasureScores(
                name=cut(name, LONGEST),
                a=a,
                b=b,
                shown=difference.shown,
                values=difference.values,
                outcome=comparison.outcomes(name)[chosen].tolist(),
                largest=max(map(abs, difference.values), default=0.0) or 1.0,
                flip=difference.lower_is_better,
            )
        )
    return tuple(found)


def tone_of(shown: str, *, lower_is_better: bool = False) -> Tone:
    """Return the colour of a difference, that of who wins, by its written sign.

    Examples
    --------
    >>> tone_of("+0.037"), tone_of("−0.250"), tone_of("0.000")
    ('b', 'a', 'tie')
    >>> tone_of("+0.037", lower_is_better=True)
    'a'
    """
    sides: tuple[Tone, Tone] = ("a", "b") if lower_is_better else ("b", "a")
    return dict(zip(("+", display.MINUS), sides, strict=True)).get(shown[:1], "tie")


def columns(comparison: Comparison, chosen: IntArray) -> Iterator[QueryColumn]:
    """Yield the columns of the chosen queries.

    Parameters
    ----------
    chosen : int64[n_rows]
        Positions of the queries, in the order of the rows.

    Yields
    ------
    QueryColumn
        The id, the text and the segments where they are known, A, B, their difference, and the
        difference of further measures as far as there is room.
    """
    digits = comparison.decimals
    primary = comparison.rule.primary
    lead = comparison.measures.index(primary)
    ids = [comparison.query_ids[i] for i in chosen]
    yield QueryColumn("Query", "query_id", "id", ids, [cut(each, LONGEST) for each in ids])
    if comparison.topics:
        texts = [cut(comparison.topics.get(each, ""), LONGEST) for each in ids]
        yield QueryColumn("Text", "text", "text", texts, texts)
    properties = comparison.segmentations[:SEGMENTATIONS]
    for each in properties:
        yield _labels(each, chosen)
    yield _numbers("A", "a", "score", comparison.a[chosen, lead], digits)
    yield _numbers("B", "b", "score", comparison.b[chosen, lead], digits)
    yield _differences(comparison, primary, chosen)
    room = max(1, FURTHER - 2 * bool(comparison.topics) - len(properties))
    for name in [name for name in comparison.measures if name != primary][:room]:
        yield _differences(comparison, name, chosen)


def _labels(segmentation: Segmentation, chosen: IntArray) -> QueryColumn:
    """Return the segment of each row, as its place among the sorted segments."""
    labels = [cut(segmentation.labels[i], LONGEST) for i in chosen]
    levels = tuple(sorted(set(labels)))
    place = {label: i for i, label in enumerate(levels)}
    title = cut(segmentation.name, LONGEST)
    codes = [place[label] for label in labels]
    return QueryColumn(words.capital(title), title, "segment", codes, labels, levels=levels)


def _differences(comparison: Comparison, measure: str, chosen: IntArray) -> QueryColumn:
    """Return the column of a measure's differences; that of the primary one has the bars."""
    lead = measure == comparison.rule.primary
    values = comparison.differences(measure)[chosen]
    column = _numbers(f"Δ {measure}", "diff", "delta", values, comparison.decimals)
    return replace(
        column,
        csv="diff" if lead else f"diff {measure}",
        bar=lead,
        lower_is_better=not comparison[measure].higher_is_better,
    )


def _numbers(title: str, csv: str, kind: Kind, values: FloatArray, digits: int) -> QueryColumn:
    """Round values for the file (to where ties are counted) and write them for the reader."""
    written = display.signed if kind == "delta" else display.score
    # Adding 0.0 turns a negative zero into zero.
    kept = [round(float(value), DECIMALS) + 0.0 for value in values]
    return QueryColumn(title, csv, kind, kept, [written(float(v), digits=digits) for v in values])
