"""What a ledger tells, computed by hand beside it."""

import math
import time
from dataclasses import replace

import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.inference.many_comparisons import expected_again, online_levels
from abrank.ledger import ErrorBudget, History, LedgerEntry, QuerySet, history, open_ledger
from abrank.ledger.summary import level_text, repetition
from tests.ledger.made import QUERIES, comparison, entry


@pytest.fixture
def filled(tmp_path):
    place = tmp_path / "ledger.sqlite"
    ledger = open_ledger(place, create=True)
    comparisons = [comparison(seed, gain=0.06 if seed % 4 == 0 else 0.0) for seed in range(12)]
    for item in comparisons:
        ledger.add(LedgerEntry.of(item), item.query_ids)
    return place, comparisons


@pytest.mark.slow
def test_uses_of_a_set_of_queries_are_counted(filled) -> None:
    place, result = filled
    (used,) = history(place).query_sets
    assert (used.n_queries, used.n_comparisons) == (50, 12)
    assert used.n_better == sum(str(item.verdict).startswith("better") for item in result) > 1
    assert (used.by_chance, used.overlap) == (pytest.approx(12 * 0.025), 0)


def test_five_thousand_comparisons_are_shown_in_two_seconds() -> None:
    result = [LedgerEntry.of(item) for item in (comparison(0), comparison(1, gain=0.1))]
    entries = tuple(replace(result[i % 7 == 0], candidate=f"B {i}") for i in range(5000))
    used = (QuerySet(entries[0].queries, 50, 5000, 715, 125.0, 0.0),)
    start = time.process_time()
    text = str(History("gates", entries, used, (), tuple(item.gain for item in entries)))
    assert time.process_time() - start < 2.0
    assert " comparisons: 715 better, 0 worse." in text


def test_sets_that_share_queries_are_said_to_overlap(filled) -> None:
    place, result = filled
    half = {name: dict(result[0].queries.query("measure == @result[0].rule.primary")
            .set_index("query_id")[name].iloc[:20]) for name in ("a", "b")}  # fmt: skip
    small = abrank.compare_scores(half["a"], half["b"])
    open_ledger(place).add(LedgerEntry.of(small), small.query_ids)
    whole, part = history(place).query_sets
    assert (whole.n_queries, part.n_queries, whole.overlap, part.overlap) == (50, 20, 0.4, 1.0)


def test_gains_are_set_beside_what_is_to_be_expected_again(filled) -> None:
    place, result = filled
    read = history(place)
    again = expected_again(
        [item.mean_difference for item in result],
        [item.standard_error for item in read.entries],
        freedom=[item.n_queries - 1 for item in result],
    )
    assert read.expected == pytest.approx(list(again))
    outcome = [i for i, item in enumerate(read.entries) if item.is_better]
    assert read.claimed == pytest.approx(sum(result[i].mean_difference for i in outcome))
    assert read.to_expect == pytest.approx(sum(again[i] for i in outcome))
    assert 0 < read.to_expect < read.claimed
    with open_ledger(place).earlier() as earlier:
        predicted = repetition(read.entries[-1], earlier.gains(read.entries[-1]))
    assert predicted.expected == pytest.approx(again[-1])
    assert predicted.low < predicted.expected < predicted.high


@pytest.mark.slow
def test_fewer_than_eight_of_a_measure_tell_nothing(tmp_path) -> None:
    ledger = open_ledger(tmp_path / "few", create=True)
    for seed in range(7):
        ledger.add(LedgerEntry.of(comparison(seed)), QUERIES)
    read = history(tmp_path / "few")
    assert all(math.isnan(item) for item in read.expected)
    with ledger.earlier() as earlier:
        assert repetition(read.entries[-1], earlier.gains(read.entries[-1])) is None
    assert (read.claimed, read.to_expect) == (0, 0)


def test_of_a_cost_a_fall_is_the_gain() -> None:
    result = comparison(0, gain=-0.1, lower_is_better="score")
    selected = LedgerEntry.of(result)
    assert selected.is_better
    assert selected.gain == -selected.difference > 0
    assert selected.pvalue_better == pytest.approx(result.pvalue / 2)


@pytest.mark.slow
def test_a_comparison_spends_what_its_budget_gives(tmp_path) -> None:
    ledger, budget = open_ledger(tmp_path / "gates", create=True), ErrorBudget.parse("fdr:0.05")
    pvalues = []
    for seed in range(6):
        alpha = budget.next_alpha(ledger.entries())
        expected = online_levels(pvalues, "lord++", alpha=0.05, maximum=0.025)[-1]
        assert alpha == pytest.approx(2 * expected)
        result = comparison(seed, gain=0.1 if seed == 1 else 0.0, alpha=alpha)
        day = f"2026-11-{seed + 1:02}"
        ledger.add(replace(LedgerEntry.of(result, budget=str(budget)), created=day), QUERIES)
        gain = result.mean_difference
        pvalues.append(result.pvalue / 2 if gain > 0 else 1 - result.pvalue / 2)
    (spent,) = history(tmp_path / "gates").budgets
    assert (spent.n_comparisons, spent.n_better, spent.n_above_level) == (6, 1, 0)
    assert spent.next_alpha == budget.next_alpha(ledger.entries())
    # After the finding there was more to spend.
    assert ledger.entries()[2].alpha > ledger.entries()[1].alpha


def test_levels_spent_twice_on_two_branches_are_counted(tmp_path) -> None:
    ledger, budget = open_ledger(tmp_path / "gates", create=True), ErrorBudget.parse("fwer:0.05")
    first = budget.next_alpha(())
    for number in range(2):
        ledger.add(entry(number, b=f"scores {number}", alpha=first, budget="fwer:0.05"), QUERIES)
    (spent,) = history(tmp_path / "gates").budgets
    assert spent.n_above_level == 1


def test_what_could_not_be_tested_is_no_finding() -> None:
    selected = replace(
        LedgerEntry.of(comparison(0)), pvalue=0.0, difference=0.1, verdict="cannot-test"
    )
    assert selected.pvalue_better == 1
    assert replace(selected, pvalue=math.nan, verdict="better").pvalue_better == 1


@pytest.mark.parametrize(("text", "method"), [
    ("fdr:0.05", "lord++"),
    ("fdr:0.1:saffron", "saffron"),
    ("fdr:0.05:positive-dependence", "lond"),
    ("fdr:0.05:any-dependence", "lond-dependent"),
    ("fwer:0.01", "spending"),
])  # fmt: skip
def test_budgets_are_written_as_they_are_read(text, method) -> None:
    budget = ErrorBudget.parse(text)
    assert str(budget) == text
    assert budget.method == method
    assert budget.promise


@pytest.mark.parametrize(
    "text", ["", "fdr", "fdr:5%", "fdr:2", "fdr:e", "fwer:0.05:saffron", "pfer:0.05", "fdr:0.05:x"]
)
def test_what_is_no_budget_is_refused(text) -> None:
    with pytest.raises(ArgumentError, match="error budget"):
        ErrorBudget.parse(text)


def test_small_levels_have_no_exponent() -> None:
    assert level_text(0.0000214) == "0.000021"
