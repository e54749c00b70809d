"""BibTeX for exactly the sources of what the methods paragraph names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank.comparison import Comparison, machine
from abrank.measures import parse
from abrank.report.cells import one_line, to_ascii

EQUIVALENCE = "Schuirmann 1987"
RELATIVE_CHANGE = "Fieller 1954"
ADJUSTMENTS = {
    "max-t": "Westfall & Young 1993; Boytsov, Belova & Westfall 2013",
    "holm": "Holm 1979",
    "bonferroni": "Dunn 1961",
    "bh": "Benjamini & Hochberg 1995",
    "fixed-sequence": "Westfall & Krishen 2001",
    "none": "",
}

# Authors and a year, between what they are cited for and the place in their text.
_PAPER = re.compile(r"(?:[^:;]*: )?(\D+ \d{4})\b.*")
_ENTRY = re.compile(r"^@\w+\{([^,]+),\n.*?^\}$", re.MULTILINE | re.DOTALL)


def bibliography(comparison: Comparison) -> str:
    r"""Return BibTeX for the measures, the test and the adjustment of a comparison.

    Returns
    -------
    str
        ASCII. A comment before the entries says which source belongs to what.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}, test="sign")
    >>> print("\n".join(bibliography(result).splitlines()[:2]))
    % score: no source known
    % Sign: arbuthnott-1710 conover-1999 clopper-pearson-1934
    """
    return cited(_sources(comparison))


def cited(sources: Iterable[tuple[str, str]]) -> str:
    """Return BibTeX of what is named, each with its source as the catalogues have it."""
    known = entries()
    named: list[str] = []
    comments = []
    for what, source in sources:
        keys = [key for key in map(key_of, source.split("; ")) if key in known]
        told = " ".join(keys) or "no source known"
        # BibTeX knows no comments: it passes over everything but an at sign.
        named_as = to_ascii(one_line(what, width=60)).replace("@", " at ")
        comments.append(f"% {named_as}: {told}")
        named += [key for key in keys if key not in named]
    return "\n\n".join(["\n".join(comments), *(known[key] for key in sorted(named))]) + "\n"


def _sources(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the methods paragraph names, with its source as the catalogues have it."""
    rule = comparison.rule
    for measure in comparison.measures:
        try:
            yield measure, parse(measure).entry.source
        except ArgumentError:
            yield measure, ""
    if rule.test == machine.TEST:
        yield machine.TITLE, machine.SOURCE
    elif rule.test in inference.TESTS:
        yield inference.TESTS[rule.test].title, inference.TESTS[rule.test].source
    if len(comparison.measures) > 1 and rule.adjust != "none":
        yield f"Adjustment by {rule.adjust}", ADJUSTMENTS[rule.adjust]
    if rule.margin:
        yield "Two one-sided tests", EQUIVALENCE
    if rule.margin_is_relative:
        yield "Interval of the relative change", RELATIVE_CHANGE


def key_of(source: str) -> str:
    """Return the key of a source as a catalogue cites it: authors and year, or a program's name.

    Examples
    --------
    >>> key_of("Järvelin & Kekäläinen 2002"), key_of("interval: Clopper & Pearson 1934")
    ('jarvelin-kekalainen-2002', 'clopper-pearson-1934')
    >>> key_of("Moffat & Zobel 2008, section 3.2"), key_of("trec_eval m_map.c, m_map_cut.c")
    ('moffat-zobel-2008', 'trec_eval')
    """
    paper = _PAPER.fullmatch(source)
    if paper is None:
        return source.partition(" ")[0].partition(".")[0]
    plain = unicodedata.normalize("NFD", paper.group(1)).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"\w+", plain.lower()))


@lru_cache(maxsize=1)
def entries() -> Mapping[str, str]:
    """Return all known entries by their keys."""
    text = resources.files("abrank.report.sections").joinpath("sources.bib").read_text("utf-8")
    return {found.group(1): found.group() for found in _ENTRY.finditer(text)}
