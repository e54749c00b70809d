"""The report of a ledger: every format says the same of how often queries were asked."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from abrank.ledger import ErrorBudget, History, LedgerEntry, history, open_ledger
from abrank.report import compose
from tests.ledger.made import QUERIES, comparison, keyed
from tests.report import written


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> History:
    place = tmp_path_factory.mktemp("ledger") / "gates.sqlite"
    ledger, budget = open_ledger(place, create=True), ErrorBudget.parse("fdr:0.05")
    for seed in range(50):
        gain = 0.08 if seed % 5 == 0 else 0.0
        result = comparison(40 + seed % 10, gain=gain, require="better" if seed % 2 else None)
        entry = LedgerEntry.of(result, budget=str(budget if seed < 3 else ""))
        # Ten comparisons, each entered under the names of five candidates.
        ledger.add(keyed(replace(entry, b=f"{seed:016x}", created=f"2026-11-{seed:02}")), QUERIES)
    result = history(place)
    # Each candidate follows on another baseline.
    entries = [replace(entry, a=f"{i:016x}") for i, entry in enumerate(result.entries)]
    return replace(result, entries=tuple(entries))


@pytest.fixture
def empty(tmp_path) -> History:
    open_ledger(tmp_path / "empty", create=True)
    return history(tmp_path / "empty")


@pytest.mark.slow
def test_the_headline_counts_and_sets_gains_beside_what_to_expect(full) -> None:
    report = compose(full)
    verdicts = [entry.verdict.partition("-")[0] for entry in full.entries]
    better, worse = (verdicts.count(word) for word in ("better", "worse"))
    assert better == sum(entry.is_better for entry in full.entries)
    assert report.headline.title == (
        f"50 comparisons: {better} better, {worse} worse. The gains on score add up to"
        f" {full.claimed:+.3f}, of which about {full.to_expect:+.3f} is to be expected again."
    )
    assert report.headline.numbers == (
        "If no candidate were better, we would still expect 1.2 false wins."
    )
    assert 0 < full.to_expect < full.claimed


@pytest.mark.parametrize("n", [2, 50])
def test_gains_over_one_baseline_are_not_added_up(full, n) -> None:
    entries = tuple(replace(entry, a="0" * 16) for entry in full.entries)
    beside = replace(full, entries=entries)
    report = compose(beside)
    found = [gain for gain, _ in beside.gains() if gain]
    assert f"The gains on score are on average {np.mean(found):+.3f}, of" in report.headline.title
    few = replace(full, entries=entries[:n], expected=full.expected[:n], query_sets=(
        replace(full.query_sets[0], by_chance=0.025 * n),
    ))  # fmt: skip
    assert f"expect {'0.05' if n == 2 else '1.2'} false wins" in compose(few).headline.numbers


def test_the_newest_comparisons_have_a_row_each(full) -> None:
    card = compose(full).scorecard
    assert len(card.rows) == len(card.bars) == 40
    newest = full.entries[-1]
    day, candidate, change, _, again, p, verdict = card.rows[0]
    assert (day.value, candidate.text) == (newest.created, newest.candidate)
    assert card.legend[-2] == f"All: against {newest.baseline}, on score, at the level 0.05"
    assert card.legend[-1] == "Newest: 40 of 50; .json and .csv have all"
    assert "The other 20 newest comparisons" in written.html(full)
    assert (change.value, again.value, p.value) == (
        newest.difference, full.expected[-1], newest.pvalue,
    )  # fmt: skip
    assert verdict.text == "▲ better, gate ✓"
    assert "? inconclusive, gate ✗" in {row[-1].text for row in card.rows}
    assert (card.bars[0].low, card.bars[0].high) == (newest.low, newest.high)


def test_comparisons_outside_of_a_budget_and_levels_spent_twice_are_said(full) -> None:
    codes = {caution.code: caution.text for caution in compose(full).cautions}
    # Each of the three was made at 5 %, and not at the level that the stream gives.
    assert codes["budget-overspent"].startswith("3 comparisons of the budget fdr:0.05 had a larger")
    assert codes["outside-the-budget"].startswith("47 comparisons of 50 had no error budget")


@pytest.mark.parametrize("writer", [written.text, written.markdown, written.html, written.card])
def test_every_format_shows_it(full, empty, writer) -> None:
    assert "50 comparisons" in writer(full)
    assert "add up to" in writer(full)
    assert "The ledger is empty." in writer(empty)


def test_text_fits_a_terminal(full) -> None:
    assert max(map(len, written.text(full).splitlines())) <= 80
    assert written.text(full) == str(full)


def test_tables_and_json_hold_every_entry(full, empty) -> None:
    rows = list(csv.DictReader(io.StringIO(written.table(full))))
    assert [row["key"] for row in rows] == [entry.key for entry in full.entries]
    assert [float(row["expected_again"]) for row in rows] == list(full.expected)
    (used,) = csv.DictReader(io.StringIO(written.table(full, ".queries.csv")))
    assert used["n_comparisons"] == "50"
    assert len(json.loads(written.json_of(full))["entries"]) == 50
    assert written.table(empty).splitlines() == ["key,expected_again"]
    assert json.loads(written.json_of(empty))["entries"] == []


@pytest.mark.slow
def test_sums_are_of_one_measure_alone(tmp_path) -> None:
    ledger = open_ledger(tmp_path / "two", create=True)
    for seed in range(16):
        ledger.add(LedgerEntry.of(comparison(seed, gain=0.1)), QUERIES)
    read = history(tmp_path / "two")
    second = replace(read.entries[0], measure="other", difference=100.0)
    mixed = replace(read, entries=(*read.entries, second), expected=(*read.expected, 50.0))
    assert mixed.claimed == pytest.approx(read.claimed)
    assert compose(mixed).scorecard.bars[0] is None


def test_a_card_is_shown_in_a_notebook(full) -> None:
    assert full._repr_html_() == written.card(full)
    assert ">? inconclusive, gate ✗<" in written.card(full)  # a reading is not cut
