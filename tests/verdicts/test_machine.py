"""A machine beside people: when it is set aside, what then decides, and what is said of it."""

import numpy as np
import pandas as pd
import pytest

from abrank import AlignmentError, Comparison, Machine, Question, compare_scores
from abrank.inference import run_prediction_powered
from abrank.inference.prediction_powered import worth_interval
from abrank.report import compose, from_dict
from tests.report.written import card, whole_text


@pytest.fixture(scope="module")
def scores():
    """200 queries: A, B, and B by a machine whose errors are many and small."""
    random = np.random.default_rng(18)
    ids = [f"q{i:03}" for i in range(200)]
    a = pd.DataFrame(random.random((200, 2)), ids, ["nDCG@10", "AP"])
    b = a + 0.05 + 0.2 * random.standard_normal(a.shape)
    return a, b, b + 0.05 * random.standard_normal(a.shape), sorted(random.permutation(ids)[:40])


def _compared(a, b, machine_b, judged, *, machine_a=None) -> Comparison:
    machine_a = a if machine_a is None else machine_a
    return compare_scores(
        a.loc[judged], b.loc[judged], machine=Machine(scores=(machine_a, machine_b))
    )


def _by_people_alone(result: Comparison, alone: Comparison) -> str:
    """Hold that people alone decide, in every place that says who does; return the text."""
    assert (result.verdict, result.rows) == (alone.verdict, alone.rows)
    assert result.rule.test == "t"
    assert [row.title for row in result.test_rows if row.decides] == ["Paired t"]
    assert "decides by the paired t test" in compose(result).headline.rule
    section = next(section for section in compose(result).sections if section.key == "machine")
    rows = {row[0].text: [cell.text for cell in row] for row in section.blocks[0].rows}
    assert [name for name in rows if "★" in name] == ["People alone ★"]
    assert rows["People and machine"][-1] == "set aside"
    visible = whole_text(result)
    assert "with the machine" not in visible.lower().replace("with the machine's", "")
    assert from_dict(result.to_dict()) == result
    return visible


def test_a_machine_without_errors_to_see_is_set_aside_everywhere(scores) -> None:
    a, b, _, judged = scores
    alone = compare_scores(a.loc[judged], b.loc[judged], config=Question(adjust="holm"))
    result = _compared(a, b, b, judged)
    people_alone = _by_people_alone(result, alone)
    assert result.machine.set_aside == "errors"
    assert (
        "People alone decide: 40 queries are too few to know the machine's errors." in people_alone
    )
    assert "too few errors" not in people_alone + card(result)


def test_a_draw_that_is_rejected_decides(scores) -> None:
    a, b, machine, _ = scores
    easy = sorted(a.mean(axis=1).nlargest(40).index)
    result = _compared(a, b, machine, easy)
    people_alone = _by_people_alone(
        result, compare_scores(a.loc[easy], b.loc[easy], config=Question(adjust="holm"))
    )
    assert result.machine.set_aside == "draw"
    assert "People alone decide: the queries that people judged are no random draw." in people_alone
    assert "Draw the queries to judge by chance (abrank sample queries)." in people_alone


def test_swapped_files_are_asked_about(scores) -> None:
    a, b, machine, judged = scores
    with pytest.raises(AlignmentError, match=r"people judged 200 .* machine 40: are the two swap"):
        compare_scores(a, b, machine=Machine(scores=(a.loc[judged], machine.loc[judged])))


@pytest.mark.slow
def test_the_interval_of_the_worth_holds_the_worth_of_the_population() -> None:
    """Normal differences, correlation .8, 60 of 2,000 judged: at least 9 of 10 samples."""
    random, held = np.random.default_rng(0), 0
    truth = np.median([
        float(run_prediction_powered(d[:60], np.arange(60), f).worth[0])
        for d, f in (_normal(random) for _ in range(200))
    ])  # fmt: skip
    for _ in range(80):
        d, f = _normal(random)
        low, high = worth_interval(d[:60], np.arange(60), f)
        held += low <= truth <= high
    assert held >= 72


def _normal(random: np.random.Generator):
    f = random.standard_normal(2_000)
    return 0.8 * f + 0.6 * random.standard_normal(2_000), f
