"""The report: its sections, their findings, and that its numbers are those of the comparison."""

from dataclasses import replace

import numpy as np
import pytest

from abrank import Comparison, Scoring, compare, compare_scores, simulate_runs
from abrank._support import display as f
from abrank.planning.student import power, queries_needed
from abrank.report import compose
from abrank.report.model import Fold, Report, Scorecard, Section, Table, Text
from abrank.report.sections import appendix, headline, words
from abrank.report.sections.scorecard import measures_finding


def section(report: Report, key: str) -> Section:
    return next(item for item in report.sections if item.key == key)


def table(report: Report, key: str) -> Table:
    return next(
        block
        for item in report.sections
        for fold in item.blocks
        for block in (fold, *(fold.blocks if isinstance(fold, Fold) else ()))
        if isinstance(block, Table) and block.key == key and not isinstance(block, Scorecard)
    )


def scorecard(report: Report) -> Scorecard:
    assert report.scorecard is not None
    return report.scorecard


def shown(found: Table, title: str) -> list[str]:
    column = [column.title for column in found.columns].index(title)
    return [row[column].text for row in found.rows]


def test_all_sections_of_runs(judged: Comparison) -> None:
    report = compose(judged)
    assert [item.key for item in report.sections] == [
        "measures", "sensitivity", "tests", "margin", "planning", "queries", "effects",
        "distribution", "depth", "quality", "methods", "reproduce",
    ]  # fmt: skip
    assert report.context == ("A good (baseline)", "B poor (candidate)", "4 queries", "2026-11-21")


def test_every_section_has_a_finding_and_what_shows_it(situation: Comparison) -> None:
    report = compose(situation)
    for item in report.sections:
        assert item.finding.endswith(".")
        assert item.blocks or item.group == "change"
        for table in (block for block in item.blocks if isinstance(block, Table)):
            assert {len(row) for row in table.rows} <= {len(table.columns)}
            texts = [cell.text for row in table.rows for cell in row]
            assert not [text for text in texts if "nan" in text or "None" in text]


def test_measure_table_has_what_the_scorecard_has_not(make) -> None:
    comparison = make(0.05, measures=4)
    result = table(compose(comparison), "measures")
    assert [column.title for column in result.columns] == ["Measure", "Δ%", "p, not adjusted"]
    for cells, row in zip(result.rows, comparison.rows, strict=True):
        assert cells[1].text == f.percent(row.rel_diff)
        assert cells[2].text == f.pvalue(row.pvalue)


def test_measure_table_of_another_estimand_has_its_column(make) -> None:
    result = table(compose(make(0.05, measures=2, test="wilcoxon")), "measures")
    assert "Pseudo-median difference" in [column.title for column in result.columns]


def test_reading_of_the_primary_follows_the_verdict(make) -> None:
    for mean, margin, reading in ((0.001, 0.03, "= same"), (0.01, 0.02, "≥ not worse")):
        card = scorecard(compose(make(mean, margin=margin, measures=2)))
        assert shown(card, "reading")[0] == reading
        assert shown(card, "reading")[1] in ("? unclear", "▲ better")


@pytest.mark.slow
def test_the_scorecard_has_the_interval_that_decides_and_says_which(make) -> None:
    for options in ({"margin": 0.02}, {"margin": 0.001}, {"family": "all"}, {"adjust": "none"}):
        comparison = make(0.01, measures=3, **options)
        card = scorecard(compose(comparison))
        decision = comparison.decision
        by_margin = comparison.decision.by_equivalence
        ends = (decision.tost_low, decision.tost_high) if by_margin else decision.interval
        assert card.bars[0][1:3] == pytest.approx(ends)
        # Only in one family of all measures is the primary one adjusted.
        title = "95% interval, adjusted" if "family" in options else "95% interval"
        assert shown(card, title)[0].endswith("(90%)") == by_margin
        for row, bar in zip(comparison.rows[1:], card.bars[1:], strict=True):
            assert bar[3:5] == (row.ci_low_adj, row.ci_high_adj)


def test_a_guard_stands_on_the_row_of_its_measure(make) -> None:
    comparison = make(0.05, measures=3, guards=("RR:-0.02", "AP:-0.00001"))
    readings = shown(scorecard(compose(comparison)), "reading")
    passed = {guard.measure: guard.passed for guard in comparison.decision.guards}
    for name, reading in zip([row.measure for row in comparison.rows], readings, strict=True):
        assert reading.endswith(" guard") == (name in passed)
        assert name not in passed or reading.endswith(f"{'✓' if passed[name] else '✗'} guard")


@pytest.mark.parametrize(("readings", "finding"), [
    (("better", "better", "unclear", "unclear"),
     "Secondary measures, after adjustment: 2 better, 2 unclear."),
    (("better", "worse", "identical"),
     "Secondary measures, after adjustment: 1 better, 1 worse, 1 identical."),
    (("unclear",), "Secondary measures: 1 unclear."),
])  # fmt: skip
def test_finding_counts_the_secondary_measures(make, readings, finding) -> None:
    comparison = make(0.05, measures=len(readings) + 1)
    rows = [replace(r, reading=s) for r, s in zip(comparison.rows[1:], readings, strict=True)]
    changed = replace(comparison, rows=(comparison.rows[0], *rows))
    assert measures_finding(changed) == finding


@pytest.mark.slow
@pytest.mark.parametrize("ties", [0, 1, 2])
def test_queries_finding_counts(ties: int) -> None:
    a = {f"q{i}": 0.5 for i in range(6)}
    b = {f"q{i}": 0.5 + (0.0 if i < ties else 0.1 * (i + 1)) for i in range(6)}
    finding = section(compose(compare_scores(a, b)), "queries").finding
    assert finding == f"On score, B scores higher on {6 - ties} queries, A on 0; ties: {ties}."


def test_query_table_holds_worst_and_best(make) -> None:
    comparison = make(0.0, n=100)
    rows = table(compose(comparison), "queries").rows
    ordered = np.sort(comparison.differences())
    assert [row[3].value for row in rows] == pytest.approx([*ordered[:10], *ordered[-10:]])
    assert {row[4].text for row in rows[:10]} == {"A wins"}
    assert {row[4].text for row in rows[10:]} == {"B wins"}


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 19, 20, 21])
def test_no_query_stands_twice_in_the_table(make, n) -> None:
    rows = table(compose(make(0.05, n=n)), "queries").rows
    assert len({row[0].text for row in rows}) == len(rows) == min(n, 20)


def test_tests_table_names_estimands_and_the_declared_test(make) -> None:
    report = compose(make(0.05))
    block = next(item for item in section(report, "tests").blocks if isinstance(item, Table))
    assert shown(block, "Test")[0] == "Paired t ★ declared"
    assert "net share of decided queries won" in shown(block, "What it estimates")
    options = dict(zip(shown(block, "Test"), shown(block, "How"), strict=True))
    # 999 resamples: sqrt(p (1 - p) / 999) with p = 0.001.
    assert options["Bootstrap, studentised"] == "Monte Carlo, 999 resamples, standard error 0.0010"
    assert options["Sign-flip permutation"] == "exact"
    assert options["Paired t ★ declared"] == "closed form"
    counts = dict(zip(shown(block, "Test"), shown(block, "Statistic"), strict=True))
    assert counts["Sign"].isdigit()
    assert counts["Wilcoxon signed-rank"].replace(f.GROUP, "").isdigit()
    assert section(report, "tests").finding == headline.agreement(report.subject)
    open_ = section(compose(make(0.001)), "tests").finding
    assert open_ == "The paired t test decides; the others are for comparison."


def test_planning_table_agrees_with_the_planning_room(make) -> None:
    comparison = make(0.05, margin=0.015)
    result = table(compose(comparison), "planning")
    assert "0.015 (margin)" in shown(result, "True Δ")
    for cells in result.rows:
        difference = cells[0].value
        assert isinstance(difference, float)
        assert cells[1].value == queries_needed(comparison.planning.sd, difference)
        planned = comparison.planning
        ends = [queries_needed(sd, difference) for sd in (planned.sd_low, planned.sd_high)]
        assert cells[2].text == " to ".join(f.about(end) for end in ends if end is not None)
        chance = power(100, effect=difference / comparison.planning.sd)
        assert cells[3].text == f.percent(chance, sign=False)


def test_effects_are_said_with_two_decimals(make) -> None:
    comparison = make(0.05)
    result = table(compose(comparison), "effects")
    values = dict(zip(shown(result, "Effect size"), shown(result, "Value"), strict=True))
    assert values["Cohen's d_z"] == "+0.50"
    assert values["Share where B is ahead"].endswith("%")
    flat = compare_scores({"a": 0.5, "b": 0.5, "c": 0.5}, {"a": 0.6, "b": 0.5, "c": 0.8})
    assert "not defined" in shown(table(compose(flat), "effects"), "Value")


def test_quality_counts_both_runs(judged: Comparison) -> None:
    report = compose(judged)
    result = table(report, "quality")
    poor = dict(zip(shown(result, "What was counted"), shown(result, "B"), strict=True))
    assert (poor["Queries in the qrels"], poor["Missing from the run"]) == ("4", "2")
    assert poor["In the run only, ignored"] == "1"
    assert poor["Documents that share their score"] == "2"
    assert section(report, "quality").finding.startswith(
        "4 queries in the qrels; 2 queries missing from poor."
    )


def test_quality_of_whole_runs_says_so(judged: Comparison) -> None:
    whole = replace(judged, audits={"a": judged.audits["a"], "b": judged.audits["a"]})
    assert "both runs have them all" in section(compose(whole), "quality").finding


def test_methods_paragraph_has_what_a_reader_needs(judged, make) -> None:
    methods_text = appendix.methods_text(judged)
    for part in ("poor (B)", "good (A)", "4 queries", "two-sided paired t test", "abrank 0.1.0"):
        assert part in methods_text
    assert "A query missing from a run scored 0." in methods_text
    dropped = replace(judged, provenance={"settings": {"missing": "drop"}})
    assert "left out for both systems" in appendix.methods_text(dropped)
    margin = appendix.methods_text(make(0.05, margin=0.02))
    assert "smallest difference worth having was 0.020" in margin
    assert "the 90% interval" in margin


def test_half_a_rank_is_shown_and_no_more() -> None:
    row = compare_scores({"1": 0.1, "2": 0.2}, {"1": 0.2, "2": 0.1}).test_rows[3]
    assert row.test == "wilcoxon"
    assert [words.statistic(replace(row, statistic=x), digits=3) for x in (1.5, 14281.0)] == [
        "1.5",
        f"14{f.GROUP}281",
    ]
    assert words.statistic(replace(row, statistic=0.25), digits=3) == "0.250"


def test_bounds_of_an_exact_p_are_told_where_they_differ() -> None:
    row = compare_scores({"1": 0.1, "2": 0.2}, {"1": 0.2, "2": 0.1}).test_rows[1]
    assert words.how_found(row, alpha=0.05) == "exact"
    unsure = replace(row, pvalue_low=0.0412, pvalue_high=0.0421)
    assert words.how_found(replace(unsure, pvalue_low=0.0391), alpha=0.05) == (
        "exact, between 0.039 and 0.042"
    )


def test_what_ties_could_do_is_told(judged: Comparison) -> None:
    def said(comparison: Comparison) -> list[str]:
        blocks = section(compose(comparison), "quality").blocks
        return [block.text for block in blocks if isinstance(block, Text)]

    (text,) = said(judged)
    assert f.interval(*judged.evidence.tie_range) in text
    alike = replace(judged.evidence, tie_range=(0.0546, 0.0549))
    sentence = "Over all orders of documents with equal scores Δ is +0.055."
    assert said(replace(judged, evidence=alike)) == [sentence]
    assert said(replace(judged, evidence=replace(alike, tie_range=None))) == []


def test_remarks_stand_among_the_data(make, judged) -> None:
    remark = "rel=2 does not concern nDCG"
    for comparison in (judged, make(0.05)):
        report = compose(replace(comparison, remarks=(remark,)))
        assert section(report, "quality").blocks[-1] == Text("Note: rel=2 does not concern nDCG.")


def test_reproduce_shows_command_hashes_and_rows(judged: Comparison) -> None:
    report = compose(judged)
    blocks = section(report, "reproduce").blocks
    assert Text("abrank compare a b", "code") in blocks
    result = table(report, "inputs")
    assert shown(result, "Input") == ["Judgments", "A", "B"]
    (fold,) = (block for block in blocks if isinstance(block, Fold))
    assert f"{'ab' * 32}  a.run" in fold.blocks[0].text.splitlines()
    assert shown(result, "Rows") == ["", "8", "" if result.rows[2][2].value is None else "6"]


def test_a_file_that_was_read_as_several_stands_once(judged: Comparison) -> None:
    first = {"path": "/data/x/scores.csv", "sha256": "ab" * 32, "rows": 8}
    second = {"path": "/data/x/old/b.run", "sha256": "cd" * 32, "rows": 9}
    roles = {f"c{i}: a": dict(first) for i in range(20)} | {"b": second}
    names = dict(judged.provenance) | {"inputs": roles}
    report = compose(replace(judged, provenance=names))
    result = table(report, "inputs")
    paths = ["/data/x/old/b.run", "/data/x/scores.csv"]
    assert shown(result, "Path") == paths
    assert shown(result, "Input")[1] == "c0: a, c1: a, c2: a, c3: a and 16 more"
    blocks = section(report, "reproduce").blocks
    (fold,) = (block for block in blocks if isinstance(block, Fold))
    ends = [line.split("  ")[1] for line in fold.blocks[0].text.splitlines()]
    assert ends == paths  # as sha256sum -c reads them
    memory = {"a": {"path": None, "sha256": None}, "b": {"path": None, "sha256": None}}
    report = compose(replace(judged, provenance=names | {"inputs": memory}))
    assert shown(table(report, "inputs"), "Input") == ["A", "B"]


def test_reproduce_says_nothing_of_what_is_unknown(make) -> None:
    report = compose(replace(make(0.05), provenance={}))
    assert section(report, "reproduce").blocks == (Text("Seed 0."),)
    assert "unknown" not in str(report)


def test_reproduce_shows_every_setting_by_its_name() -> None:
    collection = simulate_runs(30, rng=2)
    scoring = Scoring(missing="drop", depth=50, judged_only=True)
    made_of = (collection.qrels, collection.baseline, collection.candidate)
    result = table(compose(compare(*made_of, measures=["AP"], scoring=scoring)), "settings")
    got = dict(zip(shown(result, "Setting"), shown(result, "Value"), strict=True))
    assert (got["missing"], got["depth"], got["judged_only"]) == ("drop", "50", "True")
    assert got["rel"] == "default"


def test_digits_reach_every_difference(make) -> None:
    report = compose(make(0.05), digits=5)
    assert "+0.05000" in report.headline.numbers
    assert "+0.05000" in shown(scorecard(report), "Δ")
