"""What every result offers by the report room above: text, reports, plots, plain values."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from abrank._support import lazy
from abrank._support.checks import explained
from abrank._support.errors import nearest

# What people ask a result for by other names.
_MEANT = {
    "ci": "confidence_interval()", "interval": "confidence_interval()", "delta": "mean_difference",
    "diff": "mean_difference", "best": "queries.nlargest(10, 'diff')", "summary": "table",
    "to_pandas": "table", "dataframe": "table", "df": "table", "save": "report()",
    "to_html": "report()", "to_latex": "report()", "to_csv": "report()",
}  # fmt: skip


class Printed:
    """Prints itself, and shows a card in a notebook, by its report."""

    def __str__(self) -> str:
        text: str = _written("text", self)
        return text.rstrip("\n")

    def _repr_html_(self) -> str:
        return _written("card", self)

    def _repr_markdown_(self) -> str:
        return _written("markdown", self)


def _written(writer: str, result: object) -> str:
    """Return a result as a writer of reports gives it; the rooms above are imported here."""
    report = lazy.attribute("abrank.report", "compose")(result)
    text: str = lazy.attribute("abrank.report", writer)(report)
    return text


class Result(Printed):
    """A result that is written, read back, drawn and compared by value."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # As members of its own: an API reference says of inherited ones no more than their names.
        for name, member in vars(Result).items():
            if not name.startswith("_") and name not in vars(cls):
                setattr(cls, name, member)

    if not TYPE_CHECKING:  # what has no such attribute stays an error to a checker

        def __getattr__(self, name: str) -> NoReturn:
            problem = f"a {type(self).__name__} has no {name}"
            there = [each for each in dir(type(self)) if each[0] != "_"]
            meant = _MEANT.get(name, "")
            found = [meant] * (meant.partition(".")[0].strip("()") in there) or nearest(name, there)
            hint = f"; did you mean {found[0]}?" if found and name[0] != "_" else ""
            raise AttributeError(problem + hint, name=name, obj=self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as the JSON report holds it."""
        found: dict[str, Any] = lazy.attribute("abrank.report", "to_dict")(self)
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
        found: Self = lazy.attribute("abrank.report", "read_results")(path, of=cls.__name__)
        return found

    @explained
    def report(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        digits: int | None = None,
        style: str | None = None,
        interval: str | None = None,
        figures: str | None = None,
    ) -> Path:
        """Write a report; its format follows the suffix: .html .md .json .csv .txt .tex and more.

        Parameters
        ----------
        path : str or path
            A format alone, such as ``html``, is a file in ``reports/`` named after what is
            reported: ``CANDIDATE-vs-BASELINE.html``, ``ranking-MEASURE.html``,
            ``CANDIDATE-vs-BASELINE-collections.html``.
        format : str, optional
            Such as ``"md"``, whatever the suffix.
        digits : int, optional
            Decimals of scores and differences.
        style : {"interval", "superscript"}, optional
            What a .tex table shows.
        interval : {"difference", "own", "within"}, optional
            What the intervals of a ranking are of.
        figures : {"all"}, optional
            In .html, those too that show again what others show.

        Returns
        -------
        Path
            Where it was written.
        """
        asked = {"digits": digits, "style": style, "interval": interval, "figures": figures}
        options = {name: value for name, value in asked.items() if value is not None}
        write = lazy.attribute("abrank.report", "write")
        written: Path = write(self, path, format=format, **options)
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
