"""Base classes of results: compared by value, with NaN equal to NaN, and able to report."""

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

# Attribute names that people try, and the available attributes they probably mean, best first.
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
    """A sequence whose items are computed on first access."""

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
        return tuple, (self[:],)  # a pickle holds values instead of functions


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a frozen dataclass that equals its copies even with NaN and arrays."""
    # Plain dataclasses with a NaN are unequal to their copies (on Python 3.13 even to themselves),
    # and comparing arrays in them raises an error.
    made: Any = dataclass(frozen=True, eq=False)(cls)
    made.__eq__, made.__hash__ = _equal, _hash
    return cls


def _equal(self: object, second: object) -> Any:  # noqa: ANN401 - bool or NotImplemented
    if second.__class__ is not self.__class__:
        return NotImplemented
    return all(same(*pair) for pair in zip(_values(self), _values(second), strict=True))


def _hash(self: object) -> int:  # any record
    return hash(tuple(map(_without_nan, _values(self))))


def _without_nan(value: object) -> Any:  # noqa: ANN401 - whatever a field holds
    """Replace NaN for hashing, because each NaN has its own hash but equal records need one."""
    if isinstance(value, tuple):
        return tuple(map(_without_nan, value))
    return None if isinstance(value, float) and math.isnan(value) else value


def _values(self: Any) -> list[Any]:  # noqa: ANN401 - any record
    return [getattr(self, item.name) for item in fields(self) if item.compare]


def same(a: object, b: object) -> bool:  # whatever a field holds
    """Compare two values, with NaN equal to NaN, also in arrays, mappings and sequences."""
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
    """A result that can be printed, shown in notebooks, and written in every format."""

    _FRAME: ClassVar[str] = "rows"  # the field whose items are the rows of `to_frame`

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Copied to each class, because API references list inherited members only by name.
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
        """Return the report as text, as printed."""
        return _written("text", self).rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, like the JSON report."""
        values: dict[str, Any] = lazy.attribute("abrank.report", "to_dict")(self)
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return a new frame of the rows: one per measure, system, difference or entry."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in getattr(self, self._FRAME)])

    def to_json(self) -> str:
        """Return the JSON report as text, which ``from_json`` reads."""
        return _in_format(self, ".json")

    def to_markdown(self, *, digits: int | None = None) -> str:
        """Return the report in Markdown; ``digits`` is the number of decimals."""
        return _in_format(self, ".md", digits=digits)

    def to_html(self, *, digits: int | None = None) -> str:
        """Return the report as a self-contained HTML page; ``digits`` is the number of decimals."""
        return _in_format(self, ".html", digits=digits)

    def to_latex(
        self, *, style: str | None = None, digits: int | None = None, interval: str | None = None
    ) -> str:
        """Return a LaTeX table in ASCII, which needs the package booktabs.

        The options are those of :meth:`report`.
        """
        return _in_format(self, ".tex", style=style, digits=digits, interval=interval)

    def save(self, path: str | Path) -> Path:
        """Write the result to a file in the format of its suffix, and return the path.

        Parameters
        ----------
        path : str or path
            ``.json`` holds everything, and ``from_json`` reads it; ``.csv`` and ``.parquet`` hold
            tables.
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
        """Write a report (.html .md .json .csv .txt .tex and more, by suffix), and return its path.

        Parameters
        ----------
        path : str or path, optional
            Default: ``report.html``, and a printed line that says so. A format alone, such as
            ``html``, writes to ``reports/``, with a file name from the result:
            ``CANDIDATE-vs-BASELINE.html``, ``ranking-MEASURE.html``,
            ``CANDIDATE-vs-BASELINE-collections.html``.
        format : str, optional
            Such as ``"md"``, regardless of the suffix.
        digits : int, optional
            Decimals of scores and differences.
        style : {"interval", "superscript"}, optional
            For .tex: a table with intervals, or only means, with superscripts on the significantly
            better ones.
        interval : {"difference", "own", "within"}, optional
            For rankings: intervals of the difference from the first system or the baseline, of
            each mean, or of the means without the variance between queries.
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

    if not TYPE_CHECKING:  # hidden so that type checkers still report unknown attributes

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name)


def missing_attribute(result: object, name: str) -> AttributeError:
    """Return the error for a missing attribute; it names the probably intended one."""
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
    """Return a result as a report writer formats it; higher packages are imported here."""
    report = lazy.attribute("abrank.report", "compose")(result)
    text: str = lazy.attribute("abrank.report", writer)(report)
    return text


def _options(**options: str | int | None) -> dict[str, str | int]:
    return {name: value for name, value in options.items() if value is not None}


def _in_format(result: Printed, suffix: str, **options: str | int | None) -> str:
    text: str = lazy.attribute("abrank.report", "in_format")(result, suffix, _options(**options))
    return text


class Result(Printed):
    """A result that can also be loaded, plotted and compared by value."""

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Load a JSON report; the result equals the one that was saved.

        Parameters
        ----------
        source : str or path
            The file, ``-`` for standard input; or the text from :meth:`to_json`.

        Returns
        -------
        Comparison, Ranking or CollectionsComparison
            An object of this class. All formats written from it are identical byte by byte.

        Raises
        ------
        NotFoundError
            If there is no such file.
        ReadError
            If it is not JSON, has another schema, or is damaged; the message says where.

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
        """The plots as methods, such as ``result.plot.forest()``; calling it lists them."""
        return lazy.attribute("abrank.plots", "Plots")(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        own, others = self.to_dict(), other.to_dict()
        return own | {"provenance": None} == others | {"provenance": None}

    __hash__ = None  # type: ignore[assignment]
