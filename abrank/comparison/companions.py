"""Every test of the primary measure, side by side: the one that decides and its companions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abrank import inference
from abrank._support.typing import FloatArray
from abrank.comparison.designs import run_declared
from abrank.comparison.rows import TestRow
from abrank.inference.designs.as_tests import cluster_result
from abrank.inference.designs.clusters import cluster_sizes, deciding_test
from abrank.verdict import Rule

# The tests shown beside the one that decides, with the options of the call.
COMPANIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("t", {}),
    ("permutation", {}),
    ("bootstrap", {"method": "studentised"}),
    ("wilcoxon", {}),
    ("sign", {}),
)


# Titles of tests that take clusters, not queries, and of the one that holds at any time.
OF_CLUSTERS = {
    "t": "Cluster-robust t",
    "permutation": "Sign flips of clusters",
    "bootstrap": "Bootstrap of clusters",
}
SEQUENCE = "Confidence sequence"
IGNORING = "Paired t, clusters ignored"


def companion_rows(
    differences: FloatArray,
    rule: Rule,
    *,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
) -> tuple[TestRow, ...]:
    """Run every companion on the primary measure; the first row of the rule's test decides.

    A test of a user's own stands first. With clusters the companions take whole clusters, but for
    the plain t test, which stands last to show what clusters change. A confidence sequence stands
    first, before tests for one look.
    """
    asked: dict[str, Any] = {"seed": seed, "n_resamples": n_resamples}
    if clusters is not None:
        return _of_clusters(differences, rule, clusters, asked)
    rows: list[TestRow] = []
    if rule.design is not None and rule.design.planned:
        found = run_declared(rule, differences, confidence=rule.confidence, **asked)
        rows.append(row_of(found, SEQUENCE, decides=True))
    elif all(name != rule.test for name, _ in COMPANIONS):
        found = inference.run_test(rule.test, differences, confidence=rule.confidence, **asked)
        rows.append(row_of(found, inference.TESTS[rule.test].title, decides=True))
    for name, options in COMPANIONS:
        entry = inference.TESTS[name]
        found = inference.run_test(
            name, differences, confidence=rule.confidence, **asked, **options
        )
        kind = f", {options['method']}" if options else ""
        first = name == rule.test and all(row.test != name for row in rows)
        rows.append(row_of(found, f"{entry.title}{kind}", decides=first))
    return tuple(rows)


def _of_clusters(
    differences: FloatArray, rule: Rule, clusters: Sequence[str], asked: dict[str, Any]
) -> tuple[TestRow, ...]:
    rows = []
    decides = deciding_test(rule.test, cluster_sizes(clusters))
    for name, title in OF_CLUSTERS.items():
        found = cluster_result(name, differences, clusters, confidence=rule.confidence, **asked)
        rows.append(row_of(found, title, decides=name == decides))
    plain = inference.run_test("t", differences, confidence=rule.confidence)
    return *rows, row_of(plain, IGNORING, decides=False)


def row_of(found: inference.TestResult, title: str, *, decides: bool) -> TestRow:
    """Return the one column of a test's answer as a row of the table of tests."""
    return TestRow(
        test=found.test,
        title=title,
        estimand=found.estimand,
        estimate=float(found.estimate[0]),
        ci_low=float(found.ci_low[0]),
        ci_high=float(found.ci_high[0]),
        statistic=float(found.statistic[0]),
        pvalue=float(found.pvalue[0]),
        pvalue_low=float(found.pvalue_low[0]),
        pvalue_high=float(found.pvalue_high[0]),
        pvalue_error=float(found.pvalue_error[0]),
        method=found.method,
        n_resamples=found.n_resamples,
        decides=decides,
    )
