"""The tests of ``abrank/report/sections/appendix.py``."""

import re

import pandas as pd
import pytest

import abrank
from abrank import Comparison, compare_scores, inference
from abrank.comparison.choosing import SEQUENCE
from abrank.comparison.resolve import ADJUSTMENTS as OFFERED
from abrank.measures import catalogue
from abrank.report.sections import appendix
from abrank.report.subjects import standings, strata
from tests.report.written import bibtex, methods

REQUIRED = {
    "article": {"author", "title", "journal", "year", "volume", "pages"},
    "book": {"author", "title", "publisher", "year"},
    "incollection": {"author", "title", "booktitle", "editor", "publisher", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "misc": {"title", "howpublished"},
}
CITED = {
    *(part for entry in catalogue().values() for part in entry.source.split("; ")),
    *(part for test in inference.TESTS.values() for part in test.source.split("; ")),
    *(part for test in inference.JOINT_TESTS.values() for part in test.source.split("; ")
    if part[-4:].isdigit()),
    *(part for source in appendix.ADJUSTMENTS.values() for part in source.split("; ") if part),
    appendix.EQUIVALENCE,
    appendix.RELATIVE_CHANGE,
    appendix.CLUSTERS,
    appendix.GROUPS,
    *(source for _, source in (*strata.SOURCES, *standings.SOURCES)),
}  # fmt: skip


def keys(comparison: Comparison) -> set[str]:
    return set(re.findall(r"^@\w+\{([^,]+),$", bibtex(comparison), re.MULTILINE))


def test_every_cited_source_has_an_entry_of_its_year() -> None:
    for source in CITED:
        entry, year = appendix.entries()[appendix.key_of(source)], re.search(r"\b\d{4}\b", source)
        assert year is None or f"{{{year.group()}}}" in entry, source


def test_entries_are_whole_and_balanced() -> None:
    for entry in appendix.entries().values():
        assert entry.isascii()
        assert entry.count("{") == entry.count("}"), entry
        kind = re.match(r"@(\w+)", entry)
        assert kind is not None, entry
        fields = dict(re.findall(r"^  (\w+) += \{(.*)\},?$", entry, re.MULTILINE))
        assert REQUIRED[kind.group(1)] <= set(fields), entry
        assert len(fields) == entry.count(" = "), entry
        lines = entry.splitlines()[1:-1]
        assert all(line.endswith("},") for line in lines[:-1]), entry
        assert not lines[-1].endswith(","), entry
        assert re.fullmatch(r"10\.\d{4,}/\S+", fields.get("doi", "10.1000/x")), entry


def test_no_entry_is_cited_nowhere() -> None:
    assert set(appendix.entries()) == {appendix.key_of(source) for source in CITED}


def test_a_comparison_cites_what_its_methods_name(make) -> None:
    base = {"jarvelin-kekalainen-2002", "trec_eval", "student-1908", "urbano-lima-hanjalic-2019"}
    assert keys(make(0.05)) == base
    assert keys(make(0.05, margin=0.01)) == base | {"schuirmann-1987"}
    both = base | {"buckley-voorhees-2005"}
    adjusted = {"westfall-young-1993", "boytsov-belova-westfall-2013"}
    assert keys(make(0.05, measures=2)) == both | adjusted
    assert keys(make(0.05, measures=2, adjust="bh")) == both | {"benjamini-hochberg-1995"}
    assert keys(make(0.05, measures=2, adjust="none")) == both


def test_every_adjustment_is_known() -> None:
    assert set(appendix.ADJUSTMENTS) == {*OFFERED, SEQUENCE}


def test_comment_says_what_each_source_is_for(make) -> None:
    lines = bibtex(make(0.05, measures=2)).splitlines()
    assert lines[:3] == [
        "% nDCG at 10: jarvelin-kekalainen-2002 trec_eval",
        "% AP: buckley-voorhees-2005 trec_eval",
        "% Paired t: student-1908 urbano-lima-hanjalic-2019",
    ]


def test_a_name_of_ones_own_stays_a_comment(hostile: Comparison) -> None:
    source = bibtex(hostile)
    assert source.isascii()
    assert keys(hostile) <= set(appendix.entries())
    assert "no source known" in source
    odd = compare_scores({"1": 0.1, "2": 0.2}, {"1": 0.2, "2": 0.4})
    assert bibtex(odd).startswith("% score: no source known\n")


def test_no_name_begins_an_entry() -> None:
    # BibTeX takes any at sign for the beginning of an entry, in a comment as well.
    scores = pd.DataFrame({"@book{x,": [0.1, 0.3, 0.2]}, index=list("123"))
    source = bibtex(compare_scores(scores, 2 * scores))
    assert source.startswith("%  at book{x,: no source known\n")
    assert source.count("@") == len(re.findall(r"^@\w+\{", source, re.MULTILINE))


def test_methods_are_one_line_of_text(judged: Comparison, hostile: Comparison) -> None:
    text = methods(judged)
    assert text.startswith("We compared poor (B) with the baseline good (A) on 4 queries by")
    assert (text.count("\n"), methods(hostile).count("\n")) == (1, 1)


def test_methods_name_the_scale_of_err() -> None:
    qrels = {f"q{i}": {"d1": 3, "d2": 1} for i in range(3)}
    run = {f"q{i}": {"d1": 1.0, "d2": 2.0} for i in range(3)}
    comparison = abrank.compare(qrels, run, run, measures=["ERR@20"])
    assert "by ERR(max_grade=3)@20." in methods(comparison)


@pytest.mark.parametrize(("source", "key"), [
    ("Järvelin & Kekäläinen 2002", "jarvelin-kekalainen-2002"),
    ("interval: Clopper & Pearson 1934", "clopper-pearson-1934"),
    ("Moffat & Zobel 2008, section 3.2", "moffat-zobel-2008"),
    ("trec_eval m_map.c, m_map_cut.c", "trec_eval"),
])  # fmt: skip
def test_a_key_is_of_authors_and_year_or_of_the_program(source: str, key: str) -> None:
    assert appendix.key_of(source) == key
