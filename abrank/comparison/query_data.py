"""Data about the queries of a comparison: properties, texts, votes, machine scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from abrank._support import checks
from abrank._support.errors import ArgumentError, reading
from abrank._support.typing import SharedModel
from abrank.comparison.rows import Preferences
from abrank.inputs.files import is_regular
from abrank.options import Inputs
from abrank.scoring.scores import Scores


@dataclass(frozen=True)
class MachineScores:
    """Scores of the two systems by a machine's judgments, and what the user declared about it."""

    # Same systems, measures and order as the human scores.
    scores: Scores
    # Which system shares its model with the machine; None if not declared.
    shared_model: SharedModel | None = None
    # Name of the machine judge, for example of a model.
    judge: str | None = None

    def __post_init__(self) -> None:
        if self.shared_model is not None:
            checks.one_of("shared model", self.shared_model, get_args(SharedModel))


@dataclass(frozen=True)
class QueryData:
    """Properties and texts of the queries, and their sources."""

    # The segment of each query id, by property.
    segments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Name and values of the property that holds each query's cluster.
    clusters: tuple[str, Mapping[str, str]] | None = None
    # The same for a column of the score table that was not requested as clusters, such as users.
    unused_clusters: tuple[str, Mapping[str, str]] | None = None
    # Name and values of the property that holds each query's weight.
    weights: tuple[str, Mapping[str, str]] | None = None
    # Query texts by query id.
    topics: Mapping[str, str] = field(default_factory=dict)
    # Titles or texts of documents; read once it is known which documents are shown.
    docs: Any = None
    # The arguments `segments`, `topics`, `clusters` and `docs` that were passed.
    sources: Mapping[str, Any] = field(default_factory=dict)
    # Scores by a machine's judgments, if any.
    machine: MachineScores | None = None
    # Statistics of the votes, if the scores are shares of votes.
    votes: Preferences | None = None

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        *,
        clusters: object = None,
        weights: object = None,
        properties: Mapping[str, Mapping[str, str]] | None = None,
    ) -> QueryData:
        """Read the data; clusters and weights may be columns of the segments or of the scores."""
        # `properties` are the query properties in the table of scores.
        segments, topics, docs = inputs.segments, inputs.topics, inputs.docs
        there, of_table = properties or {}, None
        if (
            properties is not None
            and isinstance(segments, (list, tuple))
            and all(isinstance(x, str) for x in segments)
        ):
            segments = ",".join(segments)
        if isinstance(segments, str) and properties is not None and not is_regular(segments):
            names = [name.strip() for name in segments.split(",")]
            lacking = next((name for name in names if name not in there), None)
            if lacking is not None:
                columns = ", ".join(there) or "it has none"
                raise ArgumentError(
                    f"segments: {lacking} is no file, nor a property of the queries in the table:"
                    f" {columns}; --columns segments={lacking}"
                    f' (columns={{"segments": "{lacking}"}}) takes a further one, and one that'
                    f" differs within a query takes --where {lacking}=VALUE"
                )
            segments = of_table = {name: there[name] for name in names}
        for option, name in (("clusters", clusters), ("weights", weights)):
            is_lacking = isinstance(name, str) and segments is None and name not in there
            if is_lacking and properties is not None and not is_regular(str(name)):
                raise ArgumentError(
                    f"{option}: {name} is no file, nor a property of the queries in the table"
                    f" (the same on all rows of a query): {', '.join(there) or 'it has none'};"
                    f' --columns {option[:-1]}={name} (columns={{"{option[:-1]}": "{name}"}})'
                    " takes a further one"
                )
        columns_of_table = {
            name: there[name] for name in (clusters, weights)
            if isinstance(name, str) and name in there
        }  # fmt: skip
        if columns_of_table:
            from abrank.inputs.topics import read_segments

            read = {} if segments is None else read_segments(segments)
            is_of_table = segments is None or segments is of_table
            segments = {**read, **columns_of_table}
            of_table = segments if is_of_table else None
        if all(item is None for item in (segments, topics, clusters, weights, docs)):
            return cls()
        from abrank.inputs.topics import read_groups, read_topics, read_weights

        cut, grouped = read_groups(segments, clusters)
        with reading("topics", topics):
            texts = {} if topics is None else read_topics(topics)
        with reading("weights", weights):
            weighing = read_weights(weights, cut)
        arguments = {
            "segments": None if segments is of_table else segments, "topics": topics,
            "docs": docs, "clusters": clusters, "weights": weights,
        }  # fmt: skip
        for key, result in (("clusters", grouped), ("weights", weighing)):
            if (
                isinstance(arguments[key], str)
                and result is not None
                and result[0] == arguments[key]
            ):
                del arguments[key]  # it was a column name
        return cls(
            segments=cut,
            clusters=grouped,
            weights=weighing,
            topics=texts,
            docs=docs,
            sources={name: source for name, source in arguments.items() if source is not None},
        )
