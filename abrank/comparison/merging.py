"""Comparisons of more queries than one machine holds: partitions are scored, statistics merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, ReadError
from abrank._support.rng import entropy
from abrank.comparison.compare import compare_sample
from abrank.comparison.merged import Merged
from abrank.comparison.pairing import Beside
from abrank.comparison.result import Comparison
from abrank.comparison.sample import same_content
from abrank.diagnostics.runs import missing_policy
from abrank.engines.engine import is_parquet
from abrank.engines.merge import Statistics
from abrank.engines.sources import property_names
from abrank.measures import Measure
from abrank.measures.names import notes_on
from abrank.options import Engine, Question
from abrank.provenance import provenance
from abrank.scoring.evaluate import expand_repeats
from abrank.scoring.partitioned import merge_partitioned


@dataclass(frozen=True)
class Properties:
    """Segments and clusters of the queries, for merged statistics."""

    # By name: Parquet with a column of that name, or the value of each query id.
    tables: Mapping[str, Any] = field(default_factory=dict)
    # Which of them says in which cluster a query comes; empty for none.
    clusters: str = ""
    # What was given, for the provenance.
    sources: Mapping[str, Any] = field(default_factory=dict)
    # Segments that are not tested, because queries come in clusters.
    left_out: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is said of them in a report."""
        if not self.left_out:
            return ()
        return (
            f"segments by {', '.join(self.left_out)} were not tested: with clusters that takes the"
            " scores of every query",
        )

    @classmethod
    def of(
        cls,
        *,
        segments: Any = None,  # noqa: ANN401
        topics: Any = None,  # noqa: ANN401
        clusters: Any = None,  # noqa: ANN401
        docs: Any = None,  # noqa: ANN401
    ) -> Properties:
        """Return what is given; what is no Parquet is read here, as for :func:`abrank.compare`."""
        for name, each in (("topics", topics), ("docs", docs)):
            if each is not None:
                raise ArgumentError(
                    "texts are shown beside the scores of each query, which merged statistics do"
                    f" not hold: leave out --{name} ({name}=), or --merged (Engine(merged=))"
                )
        given = {"segments": segments, "clusters": clusters}
        given = {name: each for name, each in given.items() if each is not None}
        rest = {name: each for name, each in given.items() if not is_parquet(each)}
        columns = {name: property_names(given[name]) for name in given.keys() - rest.keys()}
        of = {each: given[name] for name, found in columns.items() for each in found}
        name = ""
        if "clusters" in columns:
            (name, *more) = columns["clusters"]
            if more:
                found = shorten(", ".join(columns["clusters"]))
                problem = f"several columns could be the clusters: {found}"
                raise ReadError(
                    str(clusters),
                    problem,
                    hint="give it as --segments too, and the name of the column as --clusters",
                )
        elif isinstance(clusters, str) and clusters in of:
            name = rest.pop("clusters")
        beside = Beside.of(**rest)
        of |= beside.segments
        if beside.clusters is not None:
            name, of[beside.clusters[0]] = beside.clusters[0], beside.clusters[1]
        left_out = tuple(each for each in of if name and each != name)
        return cls({each: of[each] for each in of if each not in left_out}, name, given, left_out)


def require_mergeable(question: Question) -> Question:
    """Return the question with Holm's adjustment where none was asked for."""
    asked = {
        f"the {question.test} test as the one that decides": question.test != "t",
        "max-t": question.adjust == "max-t",
        "a confidence sequence (--anytime, Anytime(...))": question.anytime is not None,
        "a record of looks (--planned, Planned(...))": question.planned is not None,
        "the best of several, by sign flips (best_of)": question.best_of is not None,
        "a posterior (bayes, Question(bayes=))": question.bayes,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise ArgumentError(
                f"{what} needs the scores of every query, which merged statistics do not hold:"
                " leave out --merged (Engine(merged=)), or this"
            )
    plain = question.adjust is None and question.family != "fixed-sequence"
    return replace(question, adjust="holm") if plain else question


def compare_statistics(
    statistics: Statistics,
    question: Question | None = None,
    *,
    clusters: str = "",
    **how: Any,  # noqa: ANN401 - further fields of Merged
) -> Comparison:
    """Compare two systems from the merged statistics of all partitions."""
    question = require_mergeable(question or Question())
    how |= {"seed": entropy(question.rng), "clustered_by": clusters}
    return compare_sample(Merged(statistics, **how), question)


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
    """Compare two runs in Parquet of more queries than one machine holds."""
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
        scoring,
        Engine.of(question.engine or "local"),
        notes=notes_on(measures, parsed, rel=scoring.rel, judged_only=scoring.judged_only),
        properties=properties.tables,
        clusters=properties.clusters,
        on_stage=on_stage,
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
