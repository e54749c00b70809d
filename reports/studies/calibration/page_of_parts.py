"""What the page says of the parts of the study beside the first: in short, and in tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abrank._support import display
from reports.studies.calibration.parts.catalogue import PARTS
from reports.studies.calibration.parts.part import Part
from reports.studies.calibration.table import MIXED, Row, select
from reports.studies.calibration.tables import Section, is_above, percent, table_of

_QUANTITIES = {
    "false_05": "False findings at 5 %",
    "false_01": "False findings at 1 %",
    "covers": "Coverage of 95 % intervals",
    "found_large": "Power",
}

MOST_NAMED = 9  # of those that keep their level
_NOTES_TITLE = "How often each note is given"

# Why those are wrong that are: what the numbers of the tables bear out, and none of them.
READING = (
    "Rare large losses that are not among the queries cannot be seen by t or permutation: they pass"
    " non-inferior at least as often as that happens. bounded allows for losses that nobody has"
    " seen, and passes next to nothing for it where queries are few.",
    "A t test on queries that come in clusters takes them for more than they are. By cluster it"
    " keeps its level, also where one cluster has half of the queries; there the bootstrap of"
    " clusters says nothing, since a resample may have that cluster several times or not at all: it"
    " takes 7 effective clusters, and flips decide in its place. A t test looked at again and"
    " again, without paying for it, finds more with every look; planned looks and the sequences"
    " keep their level.",
    "Tukey, Dunnett, the analysis of variance and the randomised Tukey take all systems to vary"
    " alike, and real ones do not; a test for each pair, adjusted by Holm, does not ask for it."
    " Beside variants of one system, which hardly differ, Tukey and Dunnett give the other system"
    " the variants' small error and find that it differs far too often; max-T has an error for"
    " each pair. Sign flips have their level where differences are symmetric: on real boards where"
    " it is chance which system is ahead on a query, max-T keeps it. Of real systems of one mean"
    " differences are skewed, and at the small level at which each of many pairs is tested skewness"
    " counts several times as much: where weights of the queries make the means one, max-T finds"
    " somewhat too much, and most where skewness is largest. Scores less their means are harsher"
    " still, and no fair question to a test of means: two systems that differ on few queries differ"
    " by one constant on all others, which looks like a sure difference as long as none of the few"
    " is drawn; with very many systems, some of which hardly find anything, some pair often looks"
    " so. What t corrected for skewness shows as well is false less often; a ranking names the"
    " pairs of which that is not so."
    " Friedman's test and what follows it ask whether all orders are equally likely. Of real"
    " systems of one mean they are not, and the more queries, the more surely it is said: no"
    " statement on the mean.",
    "A sentence that repeats the headline, or stands beside a finding alone, is as often false as"
    " the headline. Of few skewed differences t finds too much, and no other test of a mean does"
    " without an assumption: what correcting t for their skewness takes away is in doubt, counted"
    " as evidence not sound, and what is shown beyond doubt is false in less than 5 %. Segments are"
    " tested so from the start. Of 2 clusters nothing is tested, and that is told.",
    "Intervals adjusted by Holm exclude 0 where the adjusted p says so, and that is all they"
    " promise: together they hold less often where some differences are not 0. Of effect sizes,"
    " the share of wins and the relative change by bootstrap are too sure of themselves with few"
    " queries; Fieller's interval and those of standardised differences are not.",
    "The summary of one effect common to all collections takes their errors for known, which asks"
    " for a hundred queries each, and says nothing of collections whose effects differ. The random"
    " one is for those; with five to twenty it is a little short, and the prediction for one more"
    " clearly.",
)


def parts_in_short(result: Sequence[Row]) -> list[str]:
    """Return a line a part: which of its tests are clearly too often wrong, and how much at most.

    Parameters
    ----------
    found : sequence of Row
        Of the whole study.
    """
    return [_in_short(part, rows) for part, rows in _rows_of_parts(result)]


def parts_in_tables(result: Sequence[Row]) -> list[str]:
    """Return a section a part, with a table for each thing that was counted.

    Parameters
    ----------
    found : sequence of Row
        Of the whole study.

    Returns
    -------
    list of str
        Lines of Markdown.
    """
    lines = []
    for part, rows in _rows_of_parts(result):
        words = f"n counts {part.size}. {_samples(rows)} {part.words}"
        lines += [f"## {_title(part)}", "", words, ""]
        for quantity, title in _QUANTITIES.items():
            requested = [row for row in rows if not math.isnan(getattr(row, quantity))]
            words = part.power if quantity == "found_large" else ""
            title = title if part.gives == "finding" else _NOTES_TITLE
            lines += table_of(Section(title, words, requested, quantity, "###"))
    return lines


def _rows_of_parts(result: Sequence[Row]) -> Iterator[tuple[Part, list[Row]]]:
    """Go through the parts of which there are rows."""
    source = result[0].source
    for part in PARTS:
        rows = select(result, source=source, measure=MIXED, part=part.name)
        if rows:
            yield part, rows


def _samples(rows: Sequence[Row]) -> str:
    """Say how many samples each test of a part was asked about."""
    counts = [
        display.count(replication) for replication in sorted({row.replications for row in rows})
    ]
    return f"{display.listed(counts)} samples of each size."


def _title(part: Part) -> str:
    return part.name[0].upper() + part.name[1:]


def _in_short(part: Part, rows: Sequence[Row]) -> str:
    """Say which tests of a part are off and where, and the largest rate of the others.

    The tests of either kind stand in the order of the largest rate of each.
    """
    if part.gives == "note":
        return f"- **{_title(part)}**. {_notes_in_short(rows)}"
    off, selected = {}, {}
    for test in dict.fromkeys(row.test for row in rows):
        wrong = {row.n: _wrong(row) for row in rows if row.test == test}
        wrong = {n: rate for n, rate in wrong.items() if not math.isnan(rate)}
        above = [row.n for row in rows if row.test == test and _is_off(row)]
        if above:
            rates = display.listed([f"{percent(wrong[n])} % ({n})" for n in above])
            off[f"*{test}*, {rates}"] = max(wrong.values())
        elif wrong:
            selected[test] = max(wrong.values())
    worst_first = [sorted(item, key=item.__getitem__, reverse=True) for item in (off, selected)]
    text = [f"Too often wrong, the worst first: {'; '.join(worst_first[0])}."] if off else []
    if selected:
        maximum = percent(max(selected.values()))
        visible = worst_first[1][:MOST_NAMED]
        more = len(selected) - len(visible)
        visible += [f"{more} more"] if more else []
        text.append(f"Wrong in {maximum} % at most, the worst first: {'; '.join(visible)}.")
    return f"- **{_title(part)}**. {' '.join(text)}"


def _notes_in_short(rows: Sequence[Row]) -> str:
    """Say which notes are given in more than 5 % of samples, and the largest rate of the others."""
    highest = {
        test: max((row for row in rows if row.test == test), key=lambda row: row.false_05)
        for test in _tests(rows)
    }
    often = [
        f"*{test}*, {percent(row.false_05)} ± {percent(row.error('false_05'))} % ({row.n})"
        for test, row in highest.items()
        if row.false_05 > 0.05
    ]
    rest = max((row.false_05 for row in highest.values() if row.false_05 <= 0.05), default=0.0)
    text = f"Given in more than 5 % of samples of some size: {'; '.join(often)}. " if often else ""
    return f"{text}{'The others' if often else 'Each note'}: in {percent(rest)} % at most."


def _tests(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.test for row in rows))


def _wrong(row: Row) -> float:
    """Return how often a test is wrong: falsely finds, or misses the truth, whichever is more."""
    rates = [rate for rate in (row.false_05, 1.0 - row.covers) if not math.isnan(rate)]
    return max(rates, default=math.nan)


def _is_off(row: Row) -> bool:
    names = [name for name in ("false_05", "covers") if not math.isnan(getattr(row, name))]
    return any(is_above(row, name, 0.05) for name in names)
