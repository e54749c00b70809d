"""Short words that several sentences share: names of tests, verdicts and readings."""

from abrank import Clusters
from abrank.comparison import compare_scores
from abrank.report.sections.words import (
    alpha,
    declared_test,
    followed,
    name_of_rule,
    name_of_test,
    system,
    title_of_test,
)


def test_a_test_has_its_name_in_a_sentence() -> None:
    assert name_of_test("t") == "paired t test"


def test_a_test_of_clusters_is_named_so() -> None:
    a, b = {"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}
    assert (
        name_of_rule(compare_scores(a, b, design=Clusters({"q1": "u1", "q2": "u2"})))
        == "cluster-robust t test"
    )


def test_titles_of_tests_stand_in_a_list() -> None:
    rows = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}).test_rows
    assert [title_of_test(rows[i]) for i in (0, 2, 3)] == [
        "paired t",
        "bootstrap (studentised)",
        "Wilcoxon signed-rank",
    ]


def test_the_declared_test_says_how_its_p_was_found() -> None:
    a, b = {"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}
    assert (
        declared_test(compare_scores(a, b)),
        declared_test(compare_scores(a, b, test="sign")),
    ) == ("paired t test", "sign test (exact)")


def test_a_system_has_its_letter_once() -> None:
    assert (system("A", "bm25"), system("A", "A"), system("A", "run (A)")) == (
        "A bm25",
        "A",
        "A run",
    )


def test_a_letter_follows_a_name() -> None:
    assert (followed("bm25", "A"), followed("A", "A")) == ("bm25 (A)", "A")


def test_the_level_is_a_number() -> None:
    assert alpha(compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})) == "0.05"
