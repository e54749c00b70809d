"""The tests of ``abrank/report/sections/cautions.py``."""

import pytest

from abrank.diagnostics import Note
from abrank.report.sections import cautions

NAMES = cautions.Names("bm25", "monot5", digits=3, alpha=0.05)
SYSTEMS = cautions.SystemNames("", "", digits=3, alpha=0.05)
CASE = {"cause": "upper and lower case", "n_alike": 499, "n_compared": 500}
CASE |= {"in_run": "la-1", "in_qrels": "LA-1"}

EXAMPLES = [
    ("document-ids", {"system": "b", "n_judged": 0, "n_rows": 100_000, **CASE},
     "Document ids of monot5 differ from the judged ones by upper and lower case",
     "“LA-1” in the judgments. No document of the run is judged, so nothing it found counts as"),
    ("document-ids",
     {"system": "a", "n_judged": 23_948, "n_rows": 100_000, **CASE, "cause": '".0"'},
     'Document ids of bm25 differ from the judged ones by ".0"',
     "499 of 500 first documents looked at match no judgment, and would without that difference:"
     " “la-1” in the run, “LA-1” in the judgments. Of its 100\u202f000 documents 23\u202f948 are"),
    ("none-judged", {"system": "b", "n_judged": 0, "n_rows": 7}, "No document of monot5 is judged",
     "None of its 7 documents is in the judgments"),
    ("none-relevant", {"measures": ["AP(rel=5)", "RR(rel=5)"], "rel": 5, "highest": 3},
     "No document is relevant to AP(rel=5) and RR(rel=5)",
     "The highest grade in the judgments is 3, and 5 or more counts as relevant, so every score"
     " is 0: choose a lower grade"),
    ("none-relevant", {"measures": ["AP"], "rel": 1, "highest": 0}, "No document is relevant to AP",
     "so every score is 0: are these the judgments meant?"),
    ("missing-queries",
     {"system": "b", "count": 70, "ids": ["1", "2", "3"], "n_queries": 100, "policy": "zero"},
     "70 of 100 judged queries are missing from monot5",
     "Scored 0 for monot5 (--missing zero): 1, 2, 3 and 67 more."),
    ("missing-queries",
     {"system": "a", "count": 1, "ids": ["1"], "n_queries": 100, "policy": "drop"},
     "1 of 100 judged queries is missing from bm25",
     "Left out for every system (--missing drop): 1."),
    ("missing-queries", {"system": "b", "count": 5, "ids": ["1", "2", "3"]},
     "5 queries are missing from monot5", "Judged, but not in the run: 1, 2, 3 and 2 more."),
    ("missing-queries",
     {"system": "b", "count": 1, "ids": ["LA-1"], "n_queries": 9, "difference": CASE},
     "1 of 9 judged queries is missing from monot5",
     "499 of the run's other queries would match them but for upper and lower case: “la-1” in"),
    ("unequal-depth", {"medians": {"a": 1000, "b": 10}, "depth": 10, "measures": ["AP", "R@100"],
     "differences": {"AP": [-0.11, 0.019], "R@100": [-0.255, 0.024]}},
     "monot5 retrieved 10 documents for a query, bm25 1\u202f000 (medians)",
     "Δ is then +0.019 rather than −0.110 on AP, +0.024 rather than −0.255 on R@100."),
    ("unequal-depth", {"medians": {"x": 1000, "y": 99.5, "z": 1000}, "depth": 99,
     "measures": ["AP"], "differences": {}},
     "y retrieved 99.5 documents for a query, x 1\u202f000 (medians)", "Depth 99 (--depth, of"),
    ("guard-turned", {"guards": ["RR", "AP"], "kind": "shared-queries", "n_queries": 36},
     "The guards on RR and AP rest on the queries that are missing",
     "On the 36 queries that both runs have a loss is not excluded."),
    ("guard-scores", {"guards": ["P@10"], "kind": "failed-worst", "n_queries": 60},
     "The guard on P@10 rests on the scores that are missing",
     "With the worst score where one is missing a loss is not excluded."),
    ("same-file", {"systems": ["x", "y"], "sha256": "ab" * 32}, "x and y have the same content",
     "Their sha256 is abababababab…: was one run given twice?"),
    ("pairs-of-first", {"n_systems": 301, "n_pairs": 45_150},
     "301 systems make 45\u202f150 pairs; only the 300 with the first are kept",
     "--pairs keeps every pair, and the letters."),
]  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize(("code", "values", "title", "said"), EXAMPLES)
def test_title_and_sentence(code, values, title, said) -> None:
    of_two = "system" in values or "a" in values.get("medians", {})
    result = cautions.caution(Note(code, 2, values), NAMES if of_two else SYSTEMS)
    assert result.title == title
    assert said in result.text


def test_every_code_has_an_example_and_one_place() -> None:
    assert {code for code, *_ in EXAMPLES} == set(cautions.RUN_SENTENCES)
    assert not set(cautions.RUN_SENTENCES) & set(cautions.SENTENCES)


def test_long_lists_are_cut() -> None:
    names = {f"m{i}": [0.1, 0.2] for i in range(9)}
    values = {"medians": {"a": 9, "b": 1}, "depth": 1, "measures": [*names], "differences": names}
    result = cautions.caution(Note("unequal-depth", 2, values), NAMES)
    assert result.text.startswith("m0, m1, m2 and 6 more look further down, where")
    assert result.text.count("rather than") == 3


def test_a_difference_that_stays_the_same_is_not_said() -> None:
    values = {"medians": {"a": 9, "b": 1}, "depth": 1, "measures": ["AP", "RR"]}
    moves, stays = {"AP": [0.1, 0.2]}, {"RR": [-0.0623, -0.0624]}
    both = cautions.caution(
        Note("unequal-depth", 2, values | {"differences": moves | stays}), NAMES
    )
    assert both.text.endswith("Δ is then +0.200 rather than +0.100 on AP.")
    none = cautions.caution(Note("unequal-depth", 2, values | {"differences": stays}), NAMES)
    assert none.text.endswith("of them there: every Δ stays the same to 3 decimals.")


def test_the_direction_of_a_score_is_asked_for() -> None:
    assert cautions.say("ms") == (
        'Say so: --lower-is-better ms (lower_is_better=), or higher_is_better = "ms" (--config).'
    )
