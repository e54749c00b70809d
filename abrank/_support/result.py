"""Results: compared by value, NaN equal to NaN, and handed to the report room above."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NoReturn,
    Self,
    TypeVar,
    dataclass_transform,
    overload,
)

from abrank._support import lazy
from abrank._support.checks import explained
from abrank._support.errors import nearest

# What people ask a result for by other names; of several answers the first that it has.
_MEANT = {
    "ci": "interval", "conf_int": "confidence_interval", "delta": "mean_difference",
    "diff": "mean_difference", "table": "to_frame",
    "to_pandas": "to_frame|frame", "dataframe": "to_frame|frame", "df": "to_frame|frame",
    "to_frame": "frame", "to_csv": "save('results.csv')|write",
    "to_excel": "to_frame().to_excel",
    "p": "pvalue", "margin": "rule.margin",
    "mean": "means|to_frame",
    "mean_a": "primary.mean_a", "mean_b": "primary.mean_b", "worst_queries": "worst",
    "best_queries": "best", "scores": "queries", "power": "planning",
    "cohens_d": "effect_size", "effect": "mean_difference", "leaderboard": "to_frame",
    "alpha": "rule.alpha", "test": "rule.test", "gate": "decision.gate", "cautions": "notes",
    "warnings": "notes", "per_query": "queries", "winner": "verdict|best",
    "n": "n_queries", "means": "to_frame", "ci_low": "interval.low", "ci_high": "interval.high",
    "lift": "primary.rel_diff", "relative": "primary.rel_diff", "passed": "decision.gate.passed",
    "describe": "summary", "show": "summary", "print": "summary", "head": "queries",
}  # fmt: skip

if TYPE_CHECKING:
    import pandas as pd

Class = TypeVar("Class", bound=type)
Item = TypeVar("Item")


class Deferred(Sequence[Item]):
    """A sequence of which each item is computed when it is first looked at."""

    def __init__(self, *calls: Callable[[], Item]) -> None:
        self._calls = tuple(map(cache, calls))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(call() for call in self._calls[index])
        return self._calls[index]()

    def __len__(self) -> int:
        return len(self._calls)

    def __eq__(self, second: object) -> bool:
        return isinstance(second, Sequence) and self[:] == tuple(second)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:])

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self[:],)  # a copy holds no calls


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a frozen dataclass whose copies equal it, whatever numbers it holds."""
    # A dataclass alone is unequal to its copy where a number is NaN, as of what was not asked for
    # (on Python 3.13 even to itself), and raises an error where it holds arrays.
    made: Any = dataclass(frozen=True, eq=False)(cls)
    made.__eq__, made.__hash__ = _equal, _hash
    return cls


def _equal(self: object, second: object) -> Any:  # noqa: ANN401 - any record; or NotImplemented
    if second.__class__ is not self.__class__:
        return NotImplemented
    return all(same(*pair) for pair in zip(_values(self), _values(second), strict=True))


def _hash(self: object) -> int:  # any record
    return hash(tuple(map(_without_nan, _values(self))))


def _without_nan(value: object) -> Any:  # noqa: ANN401 - whatever a field holds
    """Return what a value's hash is taken of: each NaN has its own, and equal records one."""
    if isinstance(value, tuple):
        return tuple(map(_without_nan, value))
    return None if isinstance(value, float) and math.isnan(value) else value


def _values(self: Any) -> list[Any]:  # noqa: ANN401 - any record
    return [getattr(self, item.name) for item in fields(self) if item.compare]


def same(a: object, b: object) -> bool:  # whatever a field holds
    """Say whether two values are equal, NaN to NaN, in arrays, mappings and sequences too."""
    if hasattr(a, "dtype") or hasattr(b, "dtype"):
        import numpy as np

        a, b = np.asarray(a), np.asarray(b)
        numbers = a.dtype.kind in "fc" and b.dtype.kind in "fc"
        return bool(np.array_equal(a, b, equal_nan=numbers))
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list) and type(a) is type(b):
        return len(a) == len(b) and all(same(*pair) for pair in zip(a, b, strict=True))
    return bool(a == b)


class Printed:
    """A result that prints itself, is a card in a notebook, and is written in every format."""

    _FRAME: ClassVar[str] = "rows"  # the field with what `to_frame` has a row of

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # As members of its own: an API reference says of inherited ones no more than their names.
        for base in [base for base in cls.__mro__[1:] if base.__module__ == __name__]:
            for name, member in vars(base).items():
                if not name.startswith("_") and name not in vars(cls):
                    setattr(cls, name, member)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return _written("card", self)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def summary(self) -> str:
        """Return the report as text, as it is printed."""
        return _written("text", self).rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as the JSON report holds it."""
        values: dict[str, Any] = lazy.attribute("abrank.report", "to_dict")(self)
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return a fresh frame of the rows: a measure, a system, a difference or an entry each."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in getattr(self, self._FRAME)])

    def to_json(self) -> str:
        """Return the text of the JSON report, which ``from_json`` reads back from a file."""
        return _in_format(self, ".json")

    def to_markdown(self, *, digits: int | None = None) -> str:
        """Return the report in Markdown, with so many decimals of scores and differences."""
        return _in_format(self, ".md", digits=digits)

    def to_html(self, *, digits: int | None = None) -> str:
        """Return the report as a page of HTML that needs no other file; ``digits`` are decimals."""
        return _in_format(self, ".html", digits=digits)

    def to_latex(
        self, *, style: str | None = None, digits: int | None = None, interval: str | None = None
    ) -> str:
        """Return the table for a paper in LaTeX, in ASCII; it needs the package booktabs.

        The options are those of :meth:`report`.
        """
        return _in_format(self, ".tex", style=style, digits=digits, interval=interval)

    def save(self, path: str | Path) -> Path:
        """Write the result to a file in the format of its suffix; return the path.

        Parameters
        ----------
        path : str or path
            ``.json`` holds everything, and ``from_json`` reads it back; ``.csv`` and ``.parquet``
            hold tables.
        """
        saved: Path = lazy.attribute("abrank.report", "write")(self, path)
        return saved

    @explained
    def report(
        self,
        path: str | Path | None = None,
        *,
        format: str | None = None,
        digits: int | None = None,
        style: str | None = None,
        interval: str | None = None,
    ) -> Path:
        """Write a report, .html .md .json .csv .txt .tex and more by the suffix; return its path.

        Parameters
        ----------
        path : str or path, optional
            Without it ``report.html``, and a line that says so is printed.
            A format alone, such as ``html``, is a file in ``reports/`` named after the result:
            ``CANDIDATE-vs-BASELINE.html``, ``ranking-MEASURE.html``,
            ``CANDIDATE-vs-BASELINE-collections.html``.
        format : str, optional
            Such as ``"md"``, whatever the suffix.
        digits : int, optional
            Decimals of scores and differences.
        style : {"interval", "superscript"}, optional
            A .tex table with intervals; or means alone, with superscripts at those that are
            significantly better.
        interval : {"difference", "own", "within"}, optional
            Of a ranking: of the difference from the first system or the baseline, of each mean by
            itself, or of the means without what a query adds to all systems.
        """
        options = _options(digits=digits, style=style, interval=interval)
        write = lazy.attribute("abrank.report", "write")
        if path is not None:
            target: Path = write(self, path, format=format, **options)
            return target
        suffix = f".{(format or 'html').lstrip('.')}"
        target = write(self, f"report{suffix}", format=format, **options)
        sys.stdout.write(f"The report is in {target}\n")
        return target

    if not TYPE_CHECKING:  # what has no such attribute stays an error to a checker

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name)


def missing_attribute(result: object, name: str) -> AttributeError:
    """Return the error of an attribute that a result lacks; it names the one that was meant."""
    kind = type(result)
    problem = f"a {kind.__name__} has no {name}"
    if name[0] != "_":
        names = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
        public_names = sorted(
            attribute_name for attribute_name in names if attribute_name[0] != "_"
        )
        choices = _MEANT.get(name, "").split("|")
        suggestions = [text for text in choices if re.split(r"\W", text)[0] in public_names]
        suggestions = suggestions or nearest(name, public_names)
        if suggestions and callable(getattr(kind, suggestions[0], None)):
            suggestions[0] += "()"
        elsewhere = getattr(kind, "_PAIR_IN", "")
        if elsewhere and hasattr(lazy.attribute("abrank.comparison", "Comparison"), name):
            problem += f": {elsewhere}"
        elif suggestions:
            problem += f"; did you mean {suggestions[0]}?"
    return AttributeError(problem, name=name, obj=result)


def _written(writer: str, result: object) -> str:
    """Return a result as a writer of reports gives it; the rooms above are imported here."""
    report = lazy.attribute("abrank.report", "compose")(result)
    text: str = lazy.attribute("abrank.report", writer)(report)
    return text


def _options(**options: str | int | None) -> dict[str, str | int]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def _in_format(result: Printed, suffix: str, **options: str | int | None) -> str:
    """Return a result as the file of a format has it."""
    text: str = lazy.attribute("abrank.report", "in_format")(result, suffix, _options(**options))
    return text


class Result(Printed):
    """A result that is read back, drawn and compared by value, too."""

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read the JSON report back: equal to what was saved.

        Parameters
        ----------
        source : str or path
            The file, ``-`` for standard input; or the text that :meth:`to_json` gave.

        Returns
        -------
        Comparison, Ranking or CollectionsComparison
            Of the class asked. Every format written from it has the same bytes.

        Raises
        ------
        NotFoundError
            If there is no such file.
        ReadError
            If it is no JSON, of another schema, or damaged; the message says where.

        Examples
        --------
        >>> from abrank.comparison import Comparison, compare_scores
        >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
        >>> Comparison.from_json(result.to_json()) == result
        True
        """
        result: Self = lazy.attribute("abrank.report", "read_results")(
            source, expected=cls.__name__
        )
        return result

    @property
    def plot(self) -> Any:  # noqa: ANN401
        """The plots, each a method: ``result.plot.forest()``; called itself it lists them."""
        return lazy.attribute("abrank.plots", "Plots")(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        own, others = self.to_dict(), other.to_dict()
        return own | {"provenance": None} == others | {"provenance": None}

    __hash__ = None  # type: ignore[assignment]
