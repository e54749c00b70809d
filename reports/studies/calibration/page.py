"""The page of a calibration: which tests keep their level and coverage, and how far others miss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from abrank._support import display as f
from reports.studies.calibration.cells import BANDS, BATCH, EXACT_RANKS, N_DRAWN, POWERS
from reports.studies.calibration.page_of_parts import READING, parts_in_short, parts_in_tables
from reports.studies.calibration.populations import N_PAIRS
from reports.studies.calibration.sources import MEASURES
from reports.studies.calibration.table import Row, Study, select
from reports.studies.calibration.tables import LIBERAL, Section, is_above, percent, table_of

FAMILY = "all four"
_Rows = Sequence[Row]


def page(study: Study, result: _Rows) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    found : sequence of Row
        Its rates.
    """
    source = result[0].source
    main = [*select(result, source=source), *select(result, source=source, measure=FAMILY)]
    lines = ["# How often the tests are wrong", "", *_introduction(study, source), ""]
    lines += ["## In short", "", *_summary(main), "", *_READING, ""]
    lines += ["![False findings and coverage by the number of queries](calibration.svg)", ""]
    in_short = parts_in_short(result)
    if in_short:
        lines += ["## In short: everything else", "", *_PARTS, "", *in_short, ""]
        lines += [line for words in READING for line in (words, "")]
        lines += ["![How often the other tests are wrong](calibration-parts.svg)", ""]
    for section in _sections(result, source):
        lines += table_of(section)
    lines += parts_in_tables(result)
    lines += ["## How it was made", "", *_method(study)]
    return "\n".join(lines) + "\n"


_COVERAGE = (
    "Of the mean; for sign, of the share that it estimates. The interval of wilcoxon is none for"
    " the mean: its line says how often it holds it all the same."
)
_SKEWNESS = "By the size of the skewness of the differences of the pair, all measures together."
_TOSSED = (
    "The same pairs, but every difference has either sign with one chance: the hypothesis of the"
    " tests that flip signs. With few distinct values they cannot use up their level."
)
_SIMULATED = "Pairs of simulated systems, whose differences are hardly skewed."
_POWER = (
    "All queries gain alike; for wilcoxon and sign, all that are not tied. A test that finds too"
    " much where there is nothing finds more here too, which is no power."
)
_FAMILY = "How often any of AP, nDCG@10, RR and P@10 is found to differ, at 5 %."
_ALL_HELD = "How often all four 95 % intervals hold their means."

_READING = (
    "Intervals of percentiles, BCa, basic and shift are too short where queries are few, because"
    " the spread of a small sample is taken for that of all queries; t and the studentised"
    " bootstrap allow for it. wilcoxon and sign ask about the pseudo-median and about the count of"
    " wins. Where the differences are skewed these are not 0 though the mean is: the more queries,"
    " the more surely they say so. That is no fault of theirs, but no statement on the mean.",
)

_PARTS = (
    "Effect sizes, margins, families, looks at data to come, clusters, several systems, segments"
    " and collections, on pairs of all four measures together or, where it is said, on"
    " made differences. How often a test is wrong is how often it finds what is not there, or its"
    " interval misses the truth, whichever is more; n in brackets. Some stand here only as a"
    " warning, to be seen where they do not belong. How many samples a part has stands over its"
    " tables. Of tests that keep their level about one rate in forty looks too large by chance in"
    " parts with few samples, and where none of m samples is wrong, up to 3 / m may truly be.",
)


def _introduction(study: Study, source: str) -> list[str]:
    kinds = {
        "collections": "per-query differences of real pairs of systems",
        "simulated": "per-query differences of simulated pairs of systems",
    }
    return [
        f"Samples of queries were drawn from {kinds[source]}, weighted so that the true mean"
        f" difference is 0, {f.count(study.replications)} samples for every measure"
        f" ({', '.join(MEASURES)}) and size. Every test was asked about every sample. What it finds"
        " there is a false finding; of four measures at once, any. Rates are in per cent, with"
        " their binomial standard errors."
        " **Bold**: more than a tenth above what was promised, and surely so.",
    ]


def _summary(main: _Rows) -> list[str]:
    """Say of every test whether it keeps its level of 5 %, and with how many queries not."""
    text = []
    for test in dict.fromkeys(row.test for row in main):
        of_test = sorted((row for row in main if row.test == test), key=lambda row: row.n)
        above = [row for row in of_test if is_above(row, "false_05", 0.05)]
        if above:
            rates = [f"{percent(row.false_05)} % ({row.n} queries)" for row in above]
            far = "far too much" if max(r.false_05 for r in above) > LIBERAL * 0.05 else "too much"
            text.append(f"- **{test}** finds {far}: {f.listed(rates)}, in place of 5 %.")
        else:
            low, high = (percent(end(row.false_05 for row in of_test)) for end in (min, max))
            text.append(f"- **{test}** keeps its level: {low} to {high} % false findings at 5 %.")
    return text


def _sections(result: _Rows, source: str) -> Iterator[Section]:
    """Go through the tables, in the order of the page."""
    main = select(result, source=source)
    yield Section("False findings at 5 %", "All measures together.", main)
    yield Section("False findings at 1 %", "All measures together.", main, "false_01")
    yield Section("Coverage of 95 % intervals", _COVERAGE, main, "covers")
    for measure in MEASURES:
        words = "Of one measure alone."
        rows = select(result, source=source, measure=measure)
        yield Section(f"False findings at 5 %: {measure}", words, rows)
    yield Section("False findings at 5 %: by skewness", _SKEWNESS, _skewed(result, source))
    if source != "simulated":
        tossed, simulated = (select(result, source=name) for name in ("signs tossed", "simulated"))
        yield Section("False findings at 5 %: signs tossed", _TOSSED, tossed)
        yield Section("False findings at 5 %: simulated systems", _SIMULATED, simulated)
    for power, quantity in zip(POWERS, ("found_small", "found_large"), strict=True):
        yield Section(f"Power where that of t is {100.0 * power:.0f} %", _POWER, main, quantity)
    family = select(result, source=source, measure=FAMILY)
    yield Section("Four measures at once", _FAMILY, family)
    held = [row for row in family if not math.isnan(row.covers)]
    yield Section("Four measures at once: intervals", _ALL_HELD, held, "covers")


def _skewed(result: _Rows, source: str) -> list[Row]:
    """Return the rates by skewness of the pair, of the tests that it makes a difference to."""
    tests = ("t", "permutation", "wilcoxon", "sign")
    some = [row for row in result if row.source == source and row.skewness in BANDS]
    some = [row for row in some if row.test in tests]
    return sorted(some, key=lambda row: (tests.index(row.test), BANDS.index(row.skewness)))


def _method(study: Study) -> list[str]:
    data = " --data DIR" if study.real else ""
    command = f"python -m reports.studies.calibration --replications {study.replications}{data}"
    lines = [
        f"`{command} --seed {study.seed}`; an interrupted run goes on where it was.",
        "`python tests/gold.py unpack DIR` lays out the part of the real runs that the project has:"
        " fewer pairs, so that rates differ by more than their errors.",
        "`calibration.csv` has every number with its error, `calibration.json` the counts.",
        "",
        f"- A population is up to {N_PAIRS} pairs of systems, each with as many of the samples."
        " A query is drawn with replacement, with the weights nearest to equal ones that make the"
        " mean difference 0 (exponential tilting): tied queries stay tied and the skewness stays.",
        "- Differences are taken in steps of 0.02 (AP, nDCG@10), 0.05 (RR) and 0.1 (P@10), which"
        " makes the laws of the bootstraps short; less than half a step is a tie.",
        f"- permutation goes through all flips of 10 queries, and draws {N_DRAWN} for more; the"
        f" studentised bootstrap and max-T draw {N_DRAWN}. Such a test has its level on average"
        f" over what is drawn. {BATCH} samples share a draw, which adds about a tenth to the"
        " standard errors.",
        f"- wilcoxon is exact up to {EXACT_RANKS} queries, with the normal approximation above.",
        "- The interval of a test of the mean excludes a value exactly where the test, moved there,"
        " rejects: coverage is what is not falsely found at 5 %, and power is read off intervals.",
        "- TOST is asked where the true difference is the margin, one that the t test shows with"
        " 80 %; it is wrong where it says equivalent.",
        f"- The other parts take every second of those pairs, of all measures together, {BATCH}"
        " samples of each in turn. Effect sizes and several systems are drawn from blocks of"
        " scores, weighted in the same way so that the systems have one mean, or the second a"
        " quarter more. All answers are those of the functions that a user calls.",
    ]
    if study.real:
        lines.append(
            "- The folder has qrels and runs of three collections (TREC Robust 2003, Vaswani, the"
            " example of LightGBM) and the matrices of AP (TREC-7 ad hoc) and nDCG@20 (TREC Web"
            " 2012, in place of nDCG@10) of Urbano, Lima & Hanjalic (2019)."
        )
    return lines
