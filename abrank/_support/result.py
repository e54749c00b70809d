"""What every result offers by functions of the rooms above: text, reports, plots, plain values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from abrank._support import lazy


class Printed:
    """Prints itself by a function of a room above, which is imported when it is called.

    A class names the function where it is defined, as below.

    Examples
    --------
    >>> class Half(Printed, text="reprlib:repr"):
    ...     def __repr__(self): return "0.5"
    >>> print(Half())
    0.5
    """

    _views: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **views: str) -> None:
        super().__init_subclass__()
        cls._views = {**cls._views, **views}

    @classmethod
    def _door(cls, view: str) -> Any:  # noqa: ANN401 - a function of a room above
        module, _, function = cls._views[view].partition(":")
        return lazy.attribute(module, function)

    def __str__(self) -> str:
        text: str = self._door("text")(self)
        return text


class Result(Printed):
    """A result that is written, read back, drawn and compared by value.

    Its class names ``text``, ``markdown``, ``values`` (plain values of all it holds) and ``read``
    (from its JSON report).
    """

    def __init_subclass__(cls, **views: str) -> None:
        super().__init_subclass__(**views)
        # As members of its own: an API reference says of inherited ones no more than their names.
        for name, member in vars(Result).items():
            if not name.startswith("_") and name not in vars(cls):
                setattr(cls, name, member)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as the JSON report holds it."""
        found: dict[str, Any] = self._door("values")(self)
        return found

    @classmethod
    def from_json(cls, path: str | Path) -> Self:
        """Read the JSON report back: equal to what was saved.

        Parameters
        ----------
        path : str or path
            ``-`` is standard input.

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
        >>> import tempfile
        >>> from abrank.comparison import Comparison, compare_scores
        >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Comparison.from_json(result.report(f"{folder}/results.json")) == result
        True
        """
        found: Self = cls._door("read")(path)
        return found

    def report(self, path: str | Path, **options: Any) -> Path:  # noqa: ANN401
        """Write a report; its format follows the suffix: .html .md .json .csv .txt .tex and more.

        Parameters
        ----------
        path : str or path
            A format alone, such as ``html``, is a file in ``reports/`` named after what is
            reported: ``CANDIDATE-vs-BASELINE.html``, ``ranking-MEASURE.html``,
            ``CANDIDATE-vs-BASELINE-collections.html``.
        **options
            Those of :func:`abrank.report.write`: ``format``, ``digits``, ``style``, ``interval``.

        Returns
        -------
        Path
            Where it was written.
        """
        written: Path = lazy.attribute("abrank.report", "write")(self, path, **options)
        return written

    @property
    def plot(self) -> Any:  # noqa: ANN401
        """The plots, each a method: ``result.plot.forest()``; called itself it lists them."""
        return lazy.attribute("abrank.plots", "Plots")(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        mine, theirs = self.to_dict(), other.to_dict()
        return mine | {"provenance": None} == theirs | {"provenance": None}

    __hash__ = None  # type: ignore[assignment]

    def _repr_markdown_(self) -> str:
        text: str = self._door("markdown")(self)
        return text
