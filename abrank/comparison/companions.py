"""Every test of the primary measure, side by side: the one that decides and its companions."""

from __future__ import annotations

from typing import Any

from abrank import inference
from abrank._support.typing import FloatArray
from abrank.comparison.rows import TestRow
from abrank.verdict import Rule

# The tests shown beside the one that decides, with the options of the call.
COMPANIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("t", {}),
    ("permutation", {}),
    ("bootstrap", {"method": "studentised"}),
    ("bootstrap", {"method": "percentile"}),
    ("bootstrap", {"method": "BCa"}),
    ("wilcoxon", {}),
    ("sign", {}),
)


def companion_rows(
    differences: FloatArray, rule: Rule, *, seed: int, n_resamples: int | None
) -> tuple[TestRow, ...]:
    """Run every companion on the primary measure; the first row of the rule's test decides."""
    rows: list[TestRow] = []
    for name, options in COMPANIONS:
        entry = inference.TESTS[name]
        found = inference.run_test(
            name,
            differences,
            confidence=rule.confidence,
            seed=seed,
            n_resamples=n_resamples,
            **options,
        )
        kind = f", {options['method']}" if options else ""
        rows.append(
            TestRow(
                test=name,
                title=f"{entry.title}{kind}",
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
                decides=name == rule.test and all(row.test != name for row in rows),
            )
        )
    return tuple(rows)
