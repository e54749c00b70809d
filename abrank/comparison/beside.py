"""What is known of the queries beside their scores: properties and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from abrank.comparison.machine.judgments import MachineScores
from abrank.inputs.texts.topics import read_clusters, read_segments, read_topics


@dataclass(frozen=True)
class Beside:
    """Properties and texts of the queries, and where they were read.

    Attributes
    ----------
    segments : mapping of str to mapping of str to str
        For each property the segment of each query id.
    clusters : (str, mapping of str to str), optional
        The name of the property that says in which cluster a query comes, and its values.
    topics : mapping of str to str
        Texts by query id.
    sources : mapping of str to path or object
        What was given, under ``segments``, ``topics`` and ``clusters``; only what was given.
    machine : MachineScores, optional
        Scores by a machine's judgments.
    """

    segments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    clusters: tuple[str, Mapping[str, str]] | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Any] = field(default_factory=dict)
    machine: MachineScores | None = None

    @classmethod
    def of(cls, *, segments: Any = None, topics: Any = None, clusters: Any = None) -> Beside:  # noqa: ANN401
        """Read them; None is not given. Clusters may be the name of one of the segments' columns.

        Examples
        --------
        >>> Beside.of(topics={"q1": "cats"}).topics
        {'q1': 'cats'}
        """
        cut = {} if segments is None else read_segments(segments)
        is_column = isinstance(clusters, str) and clusters in cut
        given = {"segments": segments, "topics": topics}
        if not is_column:
            given["clusters"] = clusters
        return cls(
            segments={name: each for name, each in cut.items() if name != clusters},
            clusters=(clusters, cut[clusters]) if is_column else read_clusters(clusters, cut),
            topics={} if topics is None else read_topics(topics),
            sources={name: source for name, source in given.items() if source is not None},
        )

    def with_machine(self, machine: MachineScores, sources: Mapping[str, Any]) -> Beside:
        """Return these with a machine's scores, and with where they were read."""
        return replace(self, machine=machine, sources={**self.sources, **sources})
