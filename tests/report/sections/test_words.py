"""Short words that several sentences share: names of tests, verdicts and readings."""

import pytest

from abrank import Clusters, Comparison, compare_scores
from abrank.report.sections.words import (
    alpha,
    declared_test,
    followed,
    name_of_rule,
    name_of_test,
    system,
    title_of_test,
)


def compared(**how) -> Comparison:
    return compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}, **how)


CLUSTERS = Clusters({"q1": "u1", "q2": "u2"})
TITLES = ["paired t", "bootstrap (studentised)", "Wilcoxon signed-rank"]


@pytest.mark.every_case
@pytest.mark.parametrize(("words", "expected"), [
    (lambda: name_of_test("t"), "paired t test"),
    (lambda: name_of_rule(compared(design=CLUSTERS)), "cluster-robust t test"),
    (lambda: [title_of_test(compared().test_rows[i]) for i in (0, 2, 3)], TITLES),
    (lambda: declared_test(compared()), "paired t test"),
    (lambda: declared_test(compared(test="sign")), "sign test (exact)"),
    (lambda: [system("A", x) for x in ("bm25", "A", "run (A)")], ["A bm25", "A", "A run"]),
    (lambda: [followed(name, "A") for name in ("bm25", "A")], ["bm25 (A)", "A"]),
    (lambda: alpha(compared()), "0.05"),
])  # fmt: skip
def test_names_of_tests_and_systems(words, expected) -> None:
    assert words() == expected
