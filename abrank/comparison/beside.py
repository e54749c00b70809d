"""What is known of queries and documents beside the scores: properties, texts, titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.display import plural
from abrank._support.errors import ArgumentError, reading
from abrank.comparison.result import Comparison
from abrank.comparison.rows import Preferences
from abrank.inference.rounding import ascending
from abrank.measures import parse

if TYPE_CHECKING:
    from abrank.comparison.machine import MachineScores

EACH_END = 25  # queries whose documents have titles: those that lose and that gain the most
SNIPPET = 120  # characters of a title or text
DEPTH = 20  # ranks of a list that is shown, at most


@dataclass(frozen=True)
class Beside:
    """Properties and texts of the queries, and where they were read.

    Attributes
    ----------
    segments : mapping of str to mapping of str to str
        For each property the segment of each query id.
    clusters : (str, mapping of str to str), optional
        The name of the property that says in which cluster a query comes, and its values.
    weights : (str, mapping of str to str), optional
        The name of the property that says how much a query counts, and its values.
    topics : mapping of str to str
        Texts by query id.
    docs : path or mapping, optional
        Titles or texts of documents, read when it is known which are shown.
    sources : mapping of str to path or object
        What was given, under ``segments``, ``topics``, ``clusters`` and ``docs``; only what was
        given.
    machine : MachineScores, optional
        Scores by a machine's judgments.
    votes : Preferences, optional
        What is known of the votes that the scores are shares of.
    """

    segments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    clusters: tuple[str, Mapping[str, str]] | None = None
    weights: tuple[str, Mapping[str, str]] | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    docs: Any = None
    sources: Mapping[str, Any] = field(default_factory=dict)
    machine: MachineScores | None = None
    votes: Preferences | None = None

    @classmethod
    def of(
        cls,
        *,
        segments: Any = None,  # noqa: ANN401
        topics: Any = None,  # noqa: ANN401
        clusters: Any = None,  # noqa: ANN401
        weights: Any = None,  # noqa: ANN401
        docs: Any = None,  # noqa: ANN401
    ) -> Beside:
        """Read them; clusters and weights may be the names of columns of the segments."""
        if all(each is None for each in (segments, topics, clusters, weights, docs)):
            return cls()
        from abrank.inputs.topics import read_groups, read_topics, read_weights

        cut, grouped = read_groups(segments, clusters)
        with reading("topics", topics):
            texts = {} if topics is None else read_topics(topics)
        with reading("weights", weights):
            weighing = read_weights(weights, cut)
        given = {
            "segments": segments, "topics": topics, "docs": docs, "clusters": clusters,
            "weights": weights,
        }  # fmt: skip
        for key, found in (("clusters", grouped), ("weights", weighing)):
            if isinstance(given[key], str) and found is not None and found[0] == given[key]:
                del given[key]  # a column
        return cls(
            segments=cut,
            clusters=grouped,
            weights=weighing,
            topics=texts,
            docs=docs,
            sources={name: source for name, source in given.items() if source is not None},
        )

    def with_machine(self, machine: MachineScores, sources: Mapping[str, Any]) -> Beside:
        """Return these with a machine's scores, and with where they were read."""
        return replace(self, machine=machine, sources={**self.sources, **sources})


def with_titles(comparison: Comparison, docs: Any) -> Comparison:  # noqa: ANN401 - a path or mapping
    """Return a comparison with the titles of the documents that its page shows."""
    if docs is None:
        return comparison
    evidence = comparison.evidence
    if not evidence.rankings:
        raise ArgumentError(
            "--docs (docs=) gives titles to the documents of ranked lists, and here are none: ready"
            " scores were compared, or runs scored partition by partition; leave it out"
        )
    from abrank.inputs.topics import read_documents

    wanted = set(_shown(comparison))
    found = read_documents(docs, wanted, longest=SNIPPET)
    remarks = comparison.remarks
    if not found:
        shown = plural(len(wanted), "document")
        remarks = (*remarks, f"the file of documents has none of the {shown} that are shown")
    return replace(comparison, evidence=replace(evidence, documents=found), remarks=remarks)


def _shown(comparison: Comparison) -> Iterator[str]:
    """Yield the documents that have titles."""
    evidence = comparison.evidence
    cutoff = dict(parse(comparison.rule.primary).parameters).get("cutoff")
    depth = min(cutoff, DEPTH) if isinstance(cutoff, int) else DEPTH // 2
    order = ascending(comparison.differences())
    ends = np.unique(np.concatenate([order[:EACH_END], order[-EACH_END:]]))
    for query in ends.tolist():
        for ranking in evidence.rankings.get(comparison.query_ids[query], ()):
            yield from (doc for doc, _ in ranking[:depth])
    if evidence.to_judge is not None:
        for each in (*evidence.to_judge.documents, *evidence.to_judge.tipping):
            yield each.doc_id
