"""Properties of the queries that are read beside each partition, not here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, ReadError
from abrank.comparison.beside import Beside
from abrank.engines.engine import is_parquet
from abrank.engines.sources import property_names


@dataclass(frozen=True)
class Properties:
    """Segments and clusters of the queries, for merged statistics.

    Attributes
    ----------
    tables : mapping of str to path or mapping of str to str
        By name: Parquet with a column of that name, or the value of each query id.
    clusters : str
        Which of them says in which cluster a query comes; empty for none.
    sources : mapping of str to path or object
        What was given, for the provenance.
    left_out : tuple of str
        Segments that are not tested, because queries come in clusters.
    """

    tables: Mapping[str, Any] = field(default_factory=dict)
    clusters: str = ""
    sources: Mapping[str, Any] = field(default_factory=dict)
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
                raise ReadError(str(clusters), problem, hint=_SEVERAL)
        elif isinstance(clusters, str) and clusters in of:
            name = rest.pop("clusters")
        beside = Beside.of(**rest)
        of |= beside.segments
        if beside.clusters is not None:
            name, of[beside.clusters[0]] = beside.clusters[0], beside.clusters[1]
        left_out = tuple(each for each in of if name and each != name)
        return cls({each: of[each] for each in of if each not in left_out}, name, given, left_out)


_SEVERAL = "give it as --segments too, and the name of the column as --clusters"
