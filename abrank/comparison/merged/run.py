"""Two runs in Parquet compared by the merged statistics of their partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from abrank._support.errors import ArgumentError
from abrank.comparison.merged.properties import Properties
from abrank.comparison.merged.sample import compare_statistics, require_mergeable
from abrank.comparison.result import Comparison
from abrank.comparison.sample import same_content
from abrank.diagnostics import missing_policy
from abrank.measures import Measure
from abrank.measures.names import notes_on
from abrank.options import Engine, Question
from abrank.provenance import provenance
from abrank.scoring.evaluate import expand_repeats
from abrank.scoring.partitioned import merge_partitioned


def compare_merged(
    qrels: Any,  # noqa: ANN401 - Parquet, or whatever read_qrels reads; None for joined tables
    runs: Mapping[str, Any],
    question: Question,
    *,
    measures: Sequence[str] | str | None,
    primary: Measure | None,
    properties: Properties,
    command: str | None,
    on_stage: Callable[[str], None],
) -> Comparison:
    """Compare two runs in Parquet of more queries than one machine holds.

    Every partition gives statistics that add up, and only those come back.
    """
    question = require_mergeable(question)
    if list(expand_repeats(runs)[0]) != list(runs):
        raise ArgumentError(
            "repeated runs of one system are averaged query by query, which merged statistics"
            " cannot be: leave out --merged (Engine(merged=)), or compare two single runs"
        )
    scoring = question.scoring
    parsed = scoring.measures(measures)
    found = merge_partitioned(
        qrels,
        runs,
        parsed,
        Engine.of(question.engine or "local"),
        notes=notes_on(measures, parsed, rel=scoring.rel, judged_only=scoring.judged_only),
        properties=properties.tables,
        clusters=properties.clusters,
        on_stage=on_stage,
        score_dtype=scoring.score_dtype,
        duplicates=scoring.duplicates,
        depth=scoring.depth,
        missing=scoring.missing,
    )
    on_stage("testing")
    if primary is not None:
        named = dict(zip(parsed, found.statistics.measures, strict=True))
        question = replace(question, primary=named.get(primary, primary.name))
    roles = dict(zip("ab", runs, strict=True))
    audits = {key: found.audits[system] for key, system in roles.items()}
    kept = found.statistics.n_queries == audits["a"].n_queries
    everywhere = [query for audit in audits.values() for query in audit.missing if kept]
    baseline, candidate = runs
    made = compare_statistics(
        found.statistics,
        question,
        names=(baseline, candidate),
        clusters=properties.clusters,
        partitions=found.partitions,
        audits=audits,
        missing=missing_policy([*audits.values()], everywhere) or "",
        remarks=(*found.notes, *properties.remarks),
        same_file=same_content(found.sources, baseline, candidate),
    )
    recorded = provenance(
        found, roles, settings=scoring.settings(), beside=properties.sources, command=command
    )
    return replace(made, provenance=recorded)
