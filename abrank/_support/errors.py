"""Everything abrank raises on purpose, and its one warning class."""

# An error says what is wrong, where, and what to do. The command line turns each into one message
# and an exit code: 2 for wrong usage, 3 for data that cannot be used, 1 for a gate that did not
# pass.

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
# Where what there is of a kind is listed.
_LISTED = {
    "measure": "; all: abrank guide measures",
    "topic": "; all: abrank guide",
    "command": "; all: abrank --help",
}
# What other tools, and other fields, call a value, by the kind of the value.
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
_LONGEST = 500  # characters of what a message says of a content


class AbrankError(Exception):
    """Root of all errors that abrank raises on purpose."""

    exit_code: int = 3


class ArgumentError(AbrankError, ValueError):
    """An argument has a value that has no meaning here.

    Where the message says what to do in Python's words, ``command`` has those of the command line.
    """

    exit_code = 2

    def __init__(self, message: str = "", *, command: str = "") -> None:
        self.command = command
        super().__init__(message)


class UnknownNameError(ArgumentError, LookupError):
    """A measure, test or format that is not registered; carries the nearest names.

    Examples
    --------
    >>> print(UnknownNameError("measure", "nDGC", ["AP", "nDCG"]))
    unknown measure "nDGC"; did you mean nDCG?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self._known = kind, str(name), known
        super().__init__()
        self.args = ()  # the nearest names are looked for where the message is read

    @cached_property
    def nearest(self) -> list[str]:
        """Up to three known names that look like it, best first."""
        return nearest(self.name, self._known, self.kind)

    def __str__(self) -> str:
        if self.args:
            return str(self.args[0])
        hint = f"; did you mean {self.nearest[0]}?" if self.nearest else _LISTED.get(self.kind, "")
        return f'unknown {self.kind} "{self.name}"{hint}'


class NotFoundError(AbrankError, FileNotFoundError):
    """An input file is not there; names the files beside it that look alike."""

    exit_code = 2


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used: its number from 1, its text, and what is wrong with it."""

    number: int
    text: str
    problem: str


class ReadError(AbrankError, ValueError):
    """A file or frame whose content cannot be used.

    Parameters
    ----------
    source : str
        The file's path as given, ``stdin``, or what the object was (``DataFrame``).
    problem : str
        What is wrong, when it concerns the whole source.
    lines : sequence of BadLine
        The bad lines, or the first 20 of them.
    total : int, optional
        How many bad lines there are, where more than are shown.
    at : str
        Where in the source the problem is: ``lines 42 and 97``.
    expected : str
        The form that a line should have.
    hint : str
        What to do.
    row : str
        The row with the problem, as it stands there.

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
    """Two inputs that must speak of the same queries do not; says which ids differ and how."""


class UnclearError(ReadError):
    """Scores that can be read in several ways, or in none; ``choices`` are the options of each.

    A choice has the keywords that tell which is meant: ``{"variant": "arm"}``. Whoever was called
    adds the whole call, or the whole command, for each.
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
        """Return the error with the whole call of each choice."""
        return type(self)(self.source, self.problem, self.choices, at=self.rest["at"], calls=calls)


class UnpairedError(UnclearError, AlignmentError):
    """Two systems that share no query; the choice compares them as independent groups."""


@contextmanager
def calling(
    function: str, sources: Mapping[str, object], keywords: Mapping[str, object]
) -> Iterator[None]:
    """Add the whole call of a function to an error that names the keywords of each choice."""
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
    """Return a call as it is typed: paths as they are, objects by the names of parameters."""
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
        if isinstance(value, Mapping):  # a misspelt part gives way
            merged = values[name]
            assert isinstance(merged, Mapping)
            values[name] = {key: part for key, part in merged.items() if part is not None}
    if independent is not None:
        values.pop("design", None)
    of_many = {"compare_scores": "rank_scores", "compare_collections": "rank_collections"}
    if ranked:
        values.pop("candidate", None)
        if function == "compare_collections":  # where all pairs are ranked
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
    """Return an error with another name of its source, or with the row that it is about."""
    return ReadError(source or error.source, error.problem, **(error.rest | change))


@contextmanager
def reading(name: str, source: object) -> Iterator[None]:
    """Put the name of an object before what is wrong with it: which of three frames it was."""
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
    """A file or folder that cannot be written; says why."""

    exit_code = 2


class GateError(AbrankError, AssertionError):
    """A gate that was asked for did not pass."""

    exit_code = 1


class AbrankWarning(UserWarning):
    """A caution about the data or the result; ``code`` is stable and can be filtered on."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{message} [{code}]")


def name_parts(name: str) -> set[str]:
    """Return a name of a measure and its parts: feedback.tone, tone_score and tone/v1/score."""
    word = name.casefold()
    parts = re.split(r"[./]", word)
    return {word, *parts, *(text for part in parts for text in re.split("^scores?_|_score$", part))}


def nearest(name: str, names: Iterable[str], kind: str = "") -> list[str]:
    """Return up to three known names that mean or look like ``name``, best first."""
    import difflib

    by_fold = {candidate.casefold(): candidate for candidate in names}
    called = _CALLED.get(kind, {}).get(re.sub("[-_ ]", "", name.casefold()))
    if called in by_fold:
        return [by_fold[called]]
    suggestions = difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.55)
    bare = _FILLING.sub("", name.casefold())  # "ttest" and "paired_t" are the test t
    return [by_fold[key] for key in suggestions or [key for key in by_fold if key == bare]]
