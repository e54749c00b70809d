"""Documents looked up among judgments, against a dict; ids that differ from those judged."""

import pytest

from abrank.inputs import read_judged_run, read_qrels
from abrank.inputs.join import how_ids_differ, id_difference

JUDGED = [(query, f"LA0{query}-{doc:04}") for query in range(20) for doc in range(30)]


def test_names_the_change_that_makes_most_ids_match() -> None:
    changes = {
        "upper and lower case": str.lower,
        '".0"': lambda text: f"{text}.0",
        'the prefix "x_"': lambda text: f"x_{text}",
        'the ending ".txt"': lambda text: f"{text}.txt",
        'the prefix "LA0"': lambda text: text.removeprefix("LA0"),
        "blanks or quotes around them": lambda text: f'"{text}"',
    }
    for cause, change in changes.items():
        run = [(query, change(text)) for query, text in JUDGED[::3]]
        difference = id_difference(run, JUDGED)
        assert (difference.cause, difference.n_alike, difference.n_compared) == (cause, 200, 200)
        assert (difference.in_run, difference.in_qrels) == (run[0][1], JUDGED[0][1])


def test_leading_zeros() -> None:
    difference = id_difference([(0, "0017"), (0, "0018")], [(0, "17"), (0, "18"), (0, "19")])
    assert (difference.cause, difference.n_alike) == ("leading zeros", 2)
    difference = id_difference([(0, "D7-0")], [(0, "D007-00")])
    assert difference.cause == "leading zeros"
    assert id_difference([(0, "D10")], [(0, "D1")]) is None


def test_an_id_matches_within_its_query_only() -> None:
    assert id_difference([(0, "d1")], [(1, "D1")]) is None


def test_a_few_that_are_alike_by_chance_are_no_cause() -> None:
    assert id_difference([(0, "d1"), *[(0, f"x{i}") for i in range(30)]], [(0, "D1")]) is None
    assert id_difference([(0, "d1")], [(0, "D1")], n_compared=21) is None
    assert id_difference([(0, "d1")], [(0, "D1")], n_compared=20) is not None


@pytest.mark.parametrize("n_alike", [4, 5])
def test_a_prefix_explains_half_of_the_ids_at_least(n_alike) -> None:
    judged = [(0, f"d{i}") for i in range(10)]
    run = [(0, f"x_d{i}" if i < n_alike else f"e{i}") for i in range(10)]
    assert (id_difference(run, judged) is not None) == (n_alike >= 5)


def test_numbers_that_end_alike_by_chance_are_no_prefix() -> None:
    """Judged topics 401 to 450 and a run over 1112595 and the like share endings by chance."""
    judged = [str(number) for number in range(401, 451)]
    run = [str(number) for number in (1110401, 1043135, 156493, 1117099, 47923, 1113437)]
    assert how_ids_differ(judged, run) == ""
    assert how_ids_differ(judged, [f"9{item}" for item in judged]) == (
        'the ids differ by the prefix "9"'
    )


def test_query_ids_of_which_half_differ() -> None:
    table = {str(q): {"d": 1} for q in range(300, 310)}
    run = {q if int(q) < 305 else f"{q}.0": {"d": 1.0} for q in table}
    audit = read_judged_run(read_qrels(table), run).audit
    assert (audit.query_ids.cause, audit.query_ids.n_alike) == ('".0"', 5)
    assert (audit.query_ids.in_run, audit.query_ids.in_qrels) == ("305.0", "305")


def test_first_documents_with_the_id_of_their_query_are_counted_where_not_relevant() -> None:
    run = {"q1": {"q1": 2.0, "d": 1.0}, "q2": {"q2": 2.0}, "q3": {"d": 2.0, "q3": 1.0}}
    qrels = {"q1": {"d": 1}, "q2": {"q2": 1}, "q3": {"d": 1}}
    assert read_judged_run(read_qrels(qrels), run).audit.n_same_id_first == 1
    qrels["q2"] = {"q2": 0}
    assert read_judged_run(read_qrels(qrels), run).audit.n_same_id_first == 2
