"""What an option is, and who takes one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any

from abrank._support import checks
from abrank._support.errors import ArgumentError

# Who takes an option, by the names of the functions: the command compare is compare, with --scores
# compare_scores, with --preferences compare_preferences, with --collections compare_collections;
# rank likewise, and score is evaluate.
ONE = ("compare", "compare_scores")
# Votes have no runs and no machine beside them.
SINGLE = (*ONE, "compare_preferences")
PAIR = (*SINGLE, "compare_collections")
BOARD = ("rank", "rank_scores")
MANY = (*BOARD, "rank_collections")
RUNS = ("compare", "compare_collections", "rank", "rank_collections", "evaluate")

TESTS = ("t", "permutation", "bootstrap", "wilcoxon", "sign", "bounded")
JOINT_TESTS = (
    "tukey", "randomised-tukey", "nemenyi", "conover", "max-t", "dunnett", "bonferroni-dunn",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option; ``kind`` is its type as a flag and in a rule file.

    ``name`` is the keyword or field in Python, ``python`` the call where it is neither. ``first``
    says that ``--help`` shows it; ``flag`` that it is a flag at all, and ``compared`` that it is
    one of ``abrank compare``: the keys that are not can be given by ``--config KEY=VALUE``.
    ``declared`` says that it is part of a rule.
    """

    key: str
    help: str
    of: tuple[str, ...]
    group: str
    kind: str = "text"
    name: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    short: str = ""
    least: float | None = None
    most: float | None = None
    several: bool = False
    pair: bool = False
    first: bool = False
    flag: bool = True
    compared: bool = True
    declared: bool = True
    peers: tuple[str, ...] = ()
    python: str = ""

    @property
    def long(self) -> str:
        """The long flag, ``--machine-qrels`` for the key ``machine.qrels``."""
        return f"--{self.key.replace('.', '-').replace('_', '-')}"

    def is_flag(self, *takers: str) -> bool:
        """Say whether it is a flag of the command that calls these functions."""
        return self.flag and (self.compared or "compare" not in takers)

    @property
    def brief(self) -> str:
        """The first sentence of the help."""
        return re.split(r"(?<=[.])\s", self.help, maxsplit=1)[0]


def option(default: Any, help: str, **rest: Any) -> Any:  # noqa: ANN401
    """Return a field of a dataclass that is an option; without ``key`` that is the field's name."""
    return field(default=default, metadata={"option": {"help": help, **rest}})


def require_kinds(asked: Any) -> None:  # noqa: ANN401 - an object of options
    """Refuse values of options that are of another kind, such as text for a number."""
    for each in options_in(asked.__class__):
        value = getattr(asked, each.name)
        if value is None and each.default is None:
            continue
        if each.kind == "number":
            checks.number(each.name, value)
        elif each.kind == "flag" and not isinstance(value, bool):
            raise ArgumentError(f"{each.name} must be True or False, not {value!r}")
        elif each.kind == "count" and each.name != "rng":
            checks.count(each.name, value, at_least=int(each.least or 0))
        elif each.several and not isinstance(value, Iterable):
            raise ArgumentError(f"{each.name} must be a name or a list of names, not {value!r}")


@cache
def options_in(kind: type) -> tuple[Option, ...]:
    """Return the options that are fields of a class."""
    return tuple(
        Option(
            **{
                "key": each.name,
                "name": each.name,
                "default": None if each.default is MISSING else each.default,
                **each.metadata["option"],
            }
        )
        for each in fields(kind)
        if "option" in each.metadata
    )
