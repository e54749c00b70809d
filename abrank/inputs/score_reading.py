"""What a caller says of a table of scores, and what it was taken for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from abrank._support.display import plural, shorten
from abrank._support.errors import ArgumentError, nearest
from abrank.inputs.columns import folded

ROLES = (
    "query", "variant", "variants", "metric", "value", "measures", "segments", "repeat", "cluster",
    "weight",
)  # fmt: skip
ROWS = "rows"  # the repeat of a table whose repeats no column tells apart
UNNAMED = "score"
SHOWN = 8  # names in a message


# As the flag, the key and the keyword have it: {"query": "request"}, "query=request", or several.
Pairs: TypeAlias = Mapping[str, object] | Iterable[str] | str


@dataclass(frozen=True)
class TableOptions:
    """What a caller says of a table: ``columns``, ``variant``, ``where`` and its measures."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    # Whether there is one table, whose columns may be variants, and not one a variant.
    alone: bool = True
    # What the variants are for: measures of one system alone can be read, and not compared.
    purpose: Literal["read", "compare", "rank"] = "read"
    # What stands for a score that is missing, and of which scores the highest is the worst.
    missing: Literal["error", "drop", "worst", "zero"] = "error"
    lower_is_better: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()  # the variants that were named, which tell their column

    def wanted(self, names: Sequence[str]) -> list[int]:
        """Return which of the names of measures were asked for: all where none was."""
        asked = {folded(name) for name in self.measures}
        result = [index for index, name in enumerate(names) if folded(name) in asked]
        return result or [*range(len(names))]

    @classmethod
    def of(
        cls,
        columns: Pairs | None = None,
        variant: Iterable[str] | str | None = None,
        where: Pairs | None = None,
        measures: Sequence[str] | str | None = None,
    ) -> TableOptions:
        """Read the options as a command line, a rule file and Python have them."""
        roles = pairs_of("columns", columns)
        for role in roles:
            if role not in ROLES:
                hint = "".join(f"; did you mean {name}?" for name in nearest(role, ROLES)[:1])
                parts = ", ".join(ROLES)
                raise ArgumentError(f"columns: {role!r} is no part of a table: {parts}{hint}")
        if variant:
            texts = [variant] if isinstance(variant, str) else list(variant)
            roles["variant"] = tuple(
                name.strip() for text in texts for name in str(text).split(",") if name.strip()
            )
        rows = {name: ",".join(values) for name, values in pairs_of("where", where).items()}
        named = (measures,) if isinstance(measures, str) else tuple(map(str, measures or ()))
        return cls(roles, rows, named)


def pairs_of(option: str, value: Pairs | None) -> dict[str, tuple[str, ...]]:
    """Return ``a=x,b=y,z`` as ``{"a": ("x",), "b": ("y", "z")}``; a mapping likewise."""
    if value is None or (isinstance(value, Sized) and not len(value)):
        return {}
    if isinstance(value, Mapping):
        return {
            str(key): tuple(map(str, names)) if isinstance(names, (list, tuple)) else (str(names),)
            for key, names in value.items()
        }
    result: dict[str, list[str]] = {}
    last = ""
    texts = [value] if isinstance(value, str) else value
    for part in (part for text in texts for part in str(text).split(",")):
        key, equals, name = part.partition("=")
        last = key.strip() if equals else last
        if not last or not (name if equals else key).strip():
            example = "query=request_id" if option == "columns" else "lang=de"
            raise ArgumentError(f"{option} takes NAME=VALUE, such as {example}, not {part!r}")
        result.setdefault(last, []).append((name if equals else key).strip())
    return {key: tuple(names) for key, names in result.items()}


@dataclass(frozen=True)
class Reading:
    """What a table of scores was taken for: which column holds what.

    Attributes
    ----------
    form : str
        Such as ``a row per query and variant``.
    query : str
        The column of the query's id; empty where the rows are the queries.
    variant : tuple of str
        The columns that together name the variant.
    variants : mapping of str to (str, str)
        Of a table with a column per variant, the variant and the measure of each of its columns.
    metric, value : str
        The columns of the name and of the value of a measure, of a table with a row per score.
    measures : tuple of str
        The columns that are compared.
    repeat, cluster, weight : str
        The column that tells repeats of a query and variant apart (``rows`` for none); that says
        which queries come together; that says how much a query counts.
    segments : tuple of str
        Properties of the query that ``segments=`` may name.
    settings : tuple of str
        What the variant fixes, and is not compared.
    apart : tuple of str
        What is not compared unless it is named: ids, texts, counts, scores of a retriever.
    labels : tuple of str
        The names of the variants.
    stated : tuple of str
        The parts of which somebody said the columns, such as ``variants``.
    properties : mapping of str to mapping
        The properties of the queries, by name and query id.
    parts : mapping of str to mapping
        Of each variant what its columns hold, of several columns together.
    arms : mapping of str to str
        Of each query its variant, where none has rows of two, as of users who saw one each.
    """

    form: str
    query: str = ""
    variant: tuple[str, ...] = ()
    variants: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    metric: str = ""
    value: str = ""
    measures: tuple[str, ...] = ()
    repeat: str = ""
    cluster: str = ""
    weight: str = ""
    segments: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    arms: Mapping[str, str] = field(default_factory=dict, repr=False)

    def lines(self) -> list[str]:
        """Return what each column is, in lines for a reader."""
        variants = f" ({plural(len(self.labels), 'variant')}: {listed(self.labels)})"
        parts = {
            "query": self.query,
            "variant": ", ".join(self.variant) + variants if self.variant else "",
            "a column each": listed([*self.variants]),
            "metric": self.metric,
            "value": self.value,
            "measures": ", ".join(self.measures),
            "repeats": self.repeat,
            "clusters": self.cluster,
            "weight": self.weight,
            "segments": ", ".join(self.segments),
            "settings": ", ".join(self.settings),
            "not compared": ", ".join(self.apart),
        }
        return [f"{part}: {text}" for part, text in parts.items() if text]


def listed(names: Sequence[str]) -> str:
    """Return names in a sentence, of many the first."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(shorten(name) for name in names[:SHOWN]) + more
