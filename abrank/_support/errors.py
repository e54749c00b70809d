"""All exceptions that abrank raises deliberately, and its warning class."""

# An error says what is wrong, where, and what to do. The command line prints it as one message and
# exits with 2 for wrong usage, 3 for unusable data, or 1 for a gate that did not pass.

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from abrank._support.display import shorten, shorten_line

_FILLING = re.compile(r"tests?|paired|students?|[-_ '()]|rel$")
# Where to find the list of all names of a kind.
_LISTED = {
    "measure": "; all: abrank guide measures",
    "topic": "; all: abrank guide",
    "command": "; all: abrank --help",
}
# Names that other tools and fields use for a value, by kind.
_CALLED = {
    "test": {
        "student": "t", "ttestrel": "t", "pairedt": "t", "fisher": "permutation",
        "randomization": "permutation", "randomisation": "permutation", "signflip": "permutation",
        "signedrank": "wilcoxon", "mcnemar": "sign", "friedman": "nemenyi", "anova": "tukey",
        "tukeyhsd": "tukey",
    },
    "require": {
        "notworse": "non-inferior", "same": "equivalent", "equal": "equivalent",
        "superior": "better", "improvement": "better",
    },
    "adjust": {"fdr": "bh", "fdrbh": "bh", "benjaminihochberg": "bh", "fwer": "holm"},
    "format": {"markdown": "md", "latex": "tex", "xml": "junit", "txt": "text"},
    "missing": {"ignore": "drop", "skip": "drop", "nan": "drop"},
    "name": {
        "load": "comparison", "loadresults": "comparison", "readresults": "comparison",
        "fromjson": "comparison", "readcsv": "read_scores", "ttest": "compare_scores",
    },
    "command": {
        "evaluate": "score", "eval": "score", "test": "compare", "ttest": "compare",
        "diff": "compare", "leaderboard": "rank", "explain": "inspect", "validate": "check",
    },
    "effect size": {"cohen": "d_z", "cohend": "d_z", "cohensd": "d_z", "cliffsdelta": "p_better"},
}  # fmt: skip
_LONGEST = 500  # maximum characters of quoted content in a message


class AbrankError(Exception):
    """Base class of all errors that abrank raises deliberately."""

    exit_code: int = 3


class ArgumentError(AbrankError, ValueError):
    """An argument has an invalid value.

    If the message names a remedy in Python, ``command`` has it for the command line.
    """

    exit_code = 2

    def __init__(self, message: str = "", *, command: str = "") -> None:
        self.command = command
        super().__init__(message)


class UnknownNameError(ArgumentError, LookupError):
    """A measure, test or format is not registered; the message suggests similar names.

    Examples
    --------
    >>> print(UnknownNameError("measure", "nDGC", ["AP", "nDCG"]))
    unknown measure "nDGC"; did you mean nDCG?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self._known = kind, str(name), known
        super().__init__()
        self.args = ()  # similar names are searched only when the message is read

    @cached_property
    def nearest(self) -> list[str]:
        """Up to three similar known names, best first."""
        return nearest(self.name, self._known, self.kind)

    def __str__(self) -> str:
        if self.args:
            return str(self.args[0])
        hint = f"; did you mean {self.nearest[0]}?" if self.nearest else _LISTED.get(self.kind, "")
        return f'unknown {self.kind} "{self.name}"{hint}'


class NotFoundError(AbrankError, FileNotFoundError):
    """An input file does not exist; the message names similar files in its folder."""

    exit_code = 2


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used: its number from 1, its text, and the problem."""

    number: int
    text: str
    problem: str


class ReadError(AbrankError, ValueError):
    """A file or frame has content that cannot be used.

    Parameters
    ----------
    source : str
        The path as given, ``stdin``, or the kind of object (``DataFrame``).
    problem : str
        What is wrong, if it concerns the whole source.
    lines : sequence of BadLine
        The bad lines, or the first 20 of them.
    total : int, optional
        Number of bad lines, if not all are shown.
    at : str
        Where the problem is: ``lines 42 and 97``.
    expected : str
        The expected form of a line.
    hint : str
        What to do.
    row : str
        The row with the problem, as written there.

    Examples
    --------
    >>> print(ReadError("b.run", lines=[BadLine(3, "301 Q0 FT9-1", "expected 6 fields, found 3")],
    ...                 expected="query_id Q0 doc_id rank score tag"))
    b.run, line 3: expected 6 fields, found 3
      301 Q0 FT9-1
      expected: query_id Q0 doc_id rank score tag
    """

    def __init__(
        self,
        source: str,
        problem: str = "",
        *,
        lines: Sequence[BadLine] = (),
        total: int | None = None,
        at: str = "",
        expected: str = "",
        hint: str = "",
        row: str = "",
    ) -> None:
        self.source, self.problem, self.expected = source, problem, expected
        self.rest: dict[str, Any] = {
            "lines": lines, "total": total, "at": at, "expected": expected, "hint": hint,
            "row": row,
        }  # fmt: skip
        self.lines = tuple(lines)
        self.total = len(self.lines) if total is None else total
        where = f"{source}, {at}" if at else source
        parts = [f"{where}: {shorten_line(problem, width=_LONGEST)}"] if problem else []
        if row:
            parts.append(f"  {shorten(row)}")
        for line in self.lines:
            parts += [f"{source}, line {line.number}: {line.problem}", f"  {shorten(line.text)}"]
        if expected:
            parts.append(f"  expected: {shorten_line(expected, width=_LONGEST)}")
        if self.total > 1:
            cut = f"; the first {len(self.lines)} are shown" if self.total > len(self.lines) else ""
            parts.append(f"  {self.total} bad lines in all{cut}")
        if hint:
            parts.append(f"  {shorten_line(hint, width=_LONGEST)}")
        super().__init__("\n".join(parts))


class AlignmentError(AbrankError, ValueError):
    """Two inputs should have the same queries but do not; the message shows the differences."""


class UnclearError(ReadError):
    """Scores have several possible interpretations or none; ``choices`` are the options of each.

    A choice has the keywords that select an interpretation: ``{"variant": "arm"}``. The called
    function adds the complete call, or command, for each.
    """

    def __init__(
        self,
        source: str,
        problem: str,
        choices: Sequence[Mapping[str, Any]] = (),
        *,
        at: str = "",
        calls: Sequence[str] = (),
    ) -> None:
        self.choices, self.calls = tuple(choices), tuple(calls)
        super().__init__(source, problem, at=at)
        if calls:
            self.args = ("\n".join([str(self.args[0]), *(f"  {call}" for call in calls)]),)

    def with_calls(self, calls: Sequence[str]) -> UnclearError:
        """Return the error with the complete call for each choice."""
        return type(self)(self.source, self.problem, self.choices, at=self.rest["at"], calls=calls)


class UnpairedError(UnclearError, AlignmentError):
    """Two systems share no query; the choice compares them as independent groups."""


@contextmanager
def calling(
    function: str, sources: Mapping[str, object], keywords: Mapping[str, object]
) -> Iterator[None]:
    """Add the complete call of a function to an error that only has keywords for each choice."""
    try:
        yield
    except UnclearError as error:
        if error.calls or not error.choices:
            raise
        raise error.with_calls(
            [_call(function, sources, keywords, choice) for choice in error.choices]
        ) from None


def _call(
    function: str,
    sources: Mapping[str, object],
    keywords: Mapping[str, object],
    choice: Mapping[str, Any],
) -> str:
    choice = dict(choice)
    ranked, independent = choice.pop("rank", False), choice.pop("independent", None)
    values = {name: value for name, value in keywords.items() if value not in (None, (), "error")}
    for name, value in choice.items():
        before = values.get(name)
        if isinstance(before, str) and isinstance(value, Mapping):  # query=id,variants=a,b
            pairs = (part.split("=", 1) for part in re.split(r",(?=[^,]*=)", before))
            before = {key: names.split(",") if "," in names else names for key, names in pairs}
        are_mappings = isinstance(before, Mapping) and isinstance(value, Mapping)
        values[name] = {**before, **value} if are_mappings else value  # type: ignore[dict-item]
        if isinstance(value, Mapping):  # replaces a misspelt role
            merged = values[name]
            assert isinstance(merged, Mapping)
            values[name] = {key: part for key, part in merged.items() if part is not None}
    if independent is not None:
        values.pop("design", None)
    of_many = {"compare_scores": "rank_scores", "compare_collections": "rank_collections"}
    if ranked:
        values.pop("candidate", None)
        if function == "compare_collections":  # rank all systems instead
            del values["baseline"]
    paths = [
        repr(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else name
        for name, source in sources.items()
        if source is not None
    ]
    parts = [*paths, *(f"{name}={value!r}" for name, value in values.items())]
    if independent:
        parts.append("design=abrank.Independent()")
    return f"abrank.{of_many.get(function, function) if ranked else function}({', '.join(parts)})"


def retold(error: ReadError, *, source: str = "", **change: str) -> ReadError:
    """Return the error with another source name, or with the row that it concerns."""
    return ReadError(source or error.source, error.problem, **(error.rest | change))


@contextmanager
def reading(name: str, source: object) -> Iterator[None]:
    """Prefix errors with the name of an object, for example to tell three frames apart."""
    try:
        yield
    except UnclearError:
        raise
    except ReadError as error:
        if isinstance(source, (str, os.PathLike)) or error.source.startswith(name):
            raise
        raise retold(error, source=f"{name} ({error.source})") from None
    except ArgumentError as error:
        if type(error) is not ArgumentError or str(error).startswith(name):
            raise
        raise ArgumentError(f"{name}: {error}") from None


class WriteError(AbrankError, OSError):
    """A file or folder cannot be written; the message says why."""

    exit_code = 2


class GateError(AbrankError, AssertionError):
    """A required gate did not pass."""

    exit_code = 1


class AbrankWarning(UserWarning):
    """A caution about the data or the result; ``code`` is stable and can be filtered."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{message} [{code}]")


def name_parts(name: str) -> set[str]:
    """Return a measure's name and its parts, as in feedback.tone, tone_score and tone/v1/score."""
    word = name.casefold()
    parts = re.split(r"[./]", word)
    return {word, *parts, *(text for part in parts for text in re.split("^scores?_|_score$", part))}


def nearest(name: str, names: Iterable[str], kind: str = "") -> list[str]:
    """Return up to three known names that mean or resemble ``name``, best first."""
    import difflib

    by_fold = {candidate.casefold(): candidate for candidate in names}
    called = _CALLED.get(kind, {}).get(re.sub("[-_ ]", "", name.casefold()))
    if called in by_fold:
        return [by_fold[called]]
    suggestions = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.55)
    bare = _FILLING.sub("", name.casefold())  # "ttest" and "paired_t" mean the test t
    return [by_fold[key] for key in suggestions or [key for key in by_fold if key == bare]]
