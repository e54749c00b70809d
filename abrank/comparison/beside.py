"""What is known of the queries beside their scores: properties and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abrank.inputs.topics import read_segments, read_topics


@dataclass(frozen=True)
class Beside:
    """Properties and texts of the queries, and where they were read.

    Attributes
    ----------
    segments : mapping of str to mapping of str to str
        For each property the segment of each query id.
    topics : mapping of str to str
        Texts by query id.
    sources : mapping of str to path or object
        What was given, under ``segments`` and ``topics``; only what was given.
    """

    segments: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *, segments: Any = None, topics: Any = None) -> Beside:  # noqa: ANN401
        """Read them; None is not given.

        Examples
        --------
        >>> Beside.of(topics={"q1": "cats"}).topics
        {'q1': 'cats'}
        """
        given = {"segments": segments, "topics": topics}
        return cls(
            segments={} if segments is None else read_segments(segments),
            topics={} if topics is None else read_topics(topics),
            sources={name: source for name, source in given.items() if source is not None},
        )
