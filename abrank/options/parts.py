"""The Option class, and the option objects Scoring, Engine, Machine and designs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from abrank._support import checks
from abrank._support.checks import explained_class
from abrank._support.errors import ArgumentError
from abrank._support.typing import (
    Duplicates,
    EngineName,
    Interpolation,
    Missing,
    SameId,
    ScoreDtype,
    SharedModel,
    Spending,
)

if TYPE_CHECKING:
    from abrank.measures.names import RequestedMeasures


# Who takes an option, by the names of the functions: the command compare is compare, with --scores
# compare_scores, with --preferences compare_preferences, with --collections compare_collections;
# rank likewise, and score is evaluate.
ONE = ("compare", "compare_scores")
# Votes have no runs and no machine beside them.
SINGLE = (*ONE, "compare_preferences")
PAIR = (*SINGLE, "compare_collections")
BOARD = ("rank", "rank_scores")
MANY = (*BOARD, "rank_collections")
READY = ("compare_scores", "compare_collections", "rank_scores", "rank_collections")
RUNS = ("compare", "compare_collections", "rank", "rank_collections", "evaluate")


def paired_tests() -> tuple[str, ...]:
    """Return the names of all registered paired tests, those of installed packages too."""
    # Not at the top: help goes without the tests, which take scipy with them.
    from abrank.inference import TESTS
    from abrank.measures.registry import load_plugins

    load_plugins()
    return tuple(TESTS)


def ranking_tests() -> tuple[str, ...]:
    """Return the names of all tests of many systems, and of the paired tests."""
    from abrank.inference import JOINT_TESTS

    return *(name for name in JOINT_TESTS if name != "pairwise"), *paired_tests()


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option; ``kind`` is its type as a flag and in a rule file."""

    # `name` is the keyword or field in Python, `python` the call where it is neither. `first` says
    # that `--help` shows it, with `summary` where the first sentence of `help` is too long; `flag`
    # that it is a flag at all, and `compared` that it is one of `abrank compare`: the keys that are
    # not can be given by `--config KEY=VALUE`. `declared` says that it is part of a rule.
    # `positional` says that its flag takes no value: it holds the files of the call.

    key: str
    help: str
    of: tuple[str, ...]
    group: str
    kind: str = "text"
    name: str = ""
    default: Any = None
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    metavar: str = ""
    short: str = ""
    minimum: float | None = None
    maximum: float | None = None
    several: bool = False
    positional: bool = False
    first: bool = False
    flag: bool = True
    compared: bool = True
    declared: bool = True
    peers: tuple[str, ...] = ()
    python: str = ""
    summary: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The values to choose from; empty where any value goes."""
        return self.choices() if callable(self.choices) else self.choices

    @property
    def long(self) -> str:
        """The long flag, ``--machine-qrels`` for the key ``machine.qrels``."""
        return f"--{self.key.replace('.', '-').replace('_', '-')}"

    def is_flag(self, *takers: str) -> bool:
        """Whether it is a flag of the command that calls these functions."""
        return self.flag and (self.compared or "compare" not in takers)

    @property
    def brief(self) -> str:
        """The summary, or the first sentence of the help."""
        return self.summary or re.split(r"(?<=[.])\s", self.help, maxsplit=1)[0]


def option(default: object, help: str, **rest: Any) -> Any:  # noqa: ANN401
    """Return a field of a dataclass that is an option; without ``key`` that is the field's name."""
    return field(default=default, metadata={"option": {"help": help, **rest}})


def require_kinds(requested: Any) -> None:  # noqa: ANN401 - an object of options
    """Refuse values of options that are of another kind, such as text for a number."""
    for option in options_in(requested.__class__):
        value = getattr(requested, option.name)
        if value is None and option.default is None:
            continue
        if option.kind == "number":
            checks.number(option.name, value)
        elif option.kind == "flag" and not isinstance(value, bool):
            raise ArgumentError(f"{option.name} must be True or False, not {value!r}")
        elif option.kind == "count" and option.name != "rng":
            checks.count(option.name, value, at_least=int(option.minimum or 0))
        elif option.kind == "grade":
            checks.relevant_grade(option.name, value)
        elif option.several and isinstance(value, (int, float)):  # else names, or objects with one
            raise ArgumentError(f"{option.name} must be a name or a list of names, not {value!r}")


@cache
def options_in(kind: type) -> tuple[Option, ...]:
    """Return the options that are fields of a class."""
    return tuple(
        Option(
            **{
                "key": field_of_class.name,
                "name": field_of_class.name,
                "default": None if field_of_class.default is MISSING else field_of_class.default,
                **field_of_class.metadata["option"],
            }
        )
        for field_of_class in fields(kind)
        if "option" in field_of_class.metadata
    )


ROWS = 1_000_000  # of one system's run in a partition: what a worker holds at once

# --- How runs are scored


@explained_class
@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How runs are read and scored: ``scoring=`` of whatever takes runs.

    Attributes
    ----------
    missing : {"zero", "drop", "error", "worst"}
        A judged query that a run lacks scores 0 (trec_eval's ``-c``), is dropped for all, or is an
        error; ``worst`` is for ready scores, where 0 may not be the worst.
    score_dtype : {"float64", "float32"}
        Precision of the run's scores, which decides what is a tie: trec_eval 10's, or that of
        trec_eval 9 and pytrec_eval.
    duplicates : {"error", "first", "max"}
        A document twice in a query's ranking, or judged twice, is an error, or keeps its first row,
        or its higher score or grade.
    same_id : {"keep", "drop"}
        ``drop`` leaves a document whose id is that of its query out of the ranking first, as BEIR
        does where queries are documents of the collection (ArguAna, Quora). The judgments stay.
    depth : int, optional
        Every ranking is cut at this rank before anything is measured (trec_eval's ``-M``).
    rel : int or float, optional
        Lowest grade that is relevant (trec_eval's ``-l``), such as 2 or 0.5, for the measures that
        have such a parameter and were not given their own; their names say so: ``AP(rel=2)``.
    judged_only : bool
        Unjudged documents leave the rankings first (trec_eval's ``-J``); likewise in the names.
    interpolation : {"10", "9"}
        How IPrec and AP11 turn a level of recall into a number of relevant documents: rounded, as
        trec_eval 10 does, or as version 9 did.
    max_input_size : int, optional
        Most bytes that a file may hold once it is unpacked; see :func:`abrank.read_run`.

    Examples
    --------
    >>> Scoring(depth=100).missing
    'zero'
    """

    missing: Missing = option(
        "zero",
        "A judged query that a run lacks scores 0, is left out of all, or is an error. Of ready"
        " scores a missing one is an error without this, and may have the worst score, too.",
        of=(*RUNS, "compare_scores", "rank_scores"), group="Scoring of runs", kind="choice",
        choices=get_args(Missing),
    )  # fmt: skip
    score_dtype: ScoreDtype = option(
        "float64",
        "Precision of scores, which decides what is a tie: trec_eval 10's or 9's.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(ScoreDtype), flag=False,
    )  # fmt: skip
    duplicates: Duplicates = option(
        "error",
        "A document twice in a ranking or in the judgments of a query is an error, or keeps its"
        " first row, or its higher score or grade.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(Duplicates),
        compared=False,
    )  # fmt: skip
    same_id: SameId = option(
        "keep",
        "Whether a document whose id is that of its query stays in the ranking. BEIR drops it, of"
        " ArguAna and Quora. The judgments stay.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(SameId), compared=False,
        peers=("ignore_identical_ids", "drop_same_id"),
    )  # fmt: skip
    depth: int | None = option(
        None,
        "Cut every ranking at this rank first (trec_eval's -M).",
        of=RUNS, group="Scoring of runs", kind="count", minimum=1, metavar="N", compared=False,
        peers=("cutoff", "M"),
    )  # fmt: skip
    rel: float | None = option(
        None,
        "Lowest relevant grade, for measures not given their own (trec_eval's -l).",
        of=RUNS, group="Scoring of runs", kind="grade", metavar="GRADE", compared=False,
        peers=("relevance_level", "min_rel", "l"),
    )  # fmt: skip
    judged_only: bool = option(
        False,
        "Take unjudged documents out of every ranking first (trec_eval's -J).",
        of=RUNS, group="Scoring of runs", kind="flag", compared=False,
        peers=("J", "judged_docs_only_flag"),
    )  # fmt: skip
    interpolation: Interpolation = option(
        "10",
        "Interpolated precision as in trec_eval 10 or 9.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(Interpolation),
        flag=False,
    )  # fmt: skip
    max_input_size: int | None = option(
        None,
        "Most that a file may hold once unpacked, such as 500M or 20G. Without it what is"
        " compressed or comes through a pipe may hold 4G, other files any number.",
        of=RUNS, group="Scoring of runs", kind="size", metavar="SIZE", compared=False,
        declared=False,
    )  # fmt: skip

    def __post_init__(self) -> None:
        require_kinds(self)
        for option in options_in(Scoring):
            if option.choices:
                checks.one_of(option.name, getattr(self, option.name), option.names)

    def settings(self) -> dict[str, Any]:
        """Return those that a result depends on, as they are recorded with it."""
        return {
            option.name: getattr(self, option.name)
            for option in options_in(Scoring)
            if option.declared
        }

    def requested(
        self, names: Sequence[str] | str | None, *, further: Sequence[str] = ()
    ) -> RequestedMeasures:
        """Read measure names, with those of the options that are parameters of measures."""
        # `further` are names of measures that are added where they are not among the others.
        from abrank.measures.names import RequestedMeasures

        return RequestedMeasures.of(
            names, further=further, rel=self.rel, judged_only=self.judged_only,
            interpolation=self.interpolation,
        )  # fmt: skip


# What an older program did, and the options that do it.
AS = {"trec_eval9": {"score_dtype": "float32", "interpolation": "9"}}


# --- Where partitions are scored


@explained_class
@dataclass(frozen=True)
class Engine:
    """Where runs in Parquet are scored, partition by partition: ``engine=`` of what takes runs.

    Attributes
    ----------
    name : {"local", "dask", "spark"}
        The cores of this machine, Dask or Spark; ``"dask:tcp://10.0.0.5:8786"`` names the address,
        too.
    address : str, optional
        Of Dask's scheduler (or a client) or Spark's master; this machine's cores without it.
    keep_scores : path, optional
        Folder for the scores per query, Parquet, one file a partition, and ``_SUCCESS`` when all
        are there. A second run takes up what is finished. Every worker must be able to write there;
        without it they go to a temporary folder of this machine.
    rows : int
        About as many rows of a run in a partition.

    Examples
    --------
    >>> Engine("dask:tcp://10.0.0.5:8786").address, Engine("dask").address
    ('tcp://10.0.0.5:8786', None)
    """

    name: str = option(
        "local",
        "Score runs in Parquet by partitions: local, dask or spark. On the cores of this machine"
        " (folders, globs, URIs and files above 256 MB without this flag), on Dask or on Spark;"
        " dask:tcp://10.0.0.5:8786 and spark:spark://host:7077 name the cluster.",
        key="engine", of=RUNS, group="Large runs", metavar="NAME[:ADDRESS]",
        peers=("scheduler", "master", "backend"),
    )  # fmt: skip
    address: Any = None
    keep_scores: Any = option(
        None,
        "Keep the scores per query there, as Parquet; a second run takes up what is finished.",
        of=RUNS, group="Large runs", kind="folder", metavar="DIR",
    )  # fmt: skip
    rows: int = ROWS

    def __post_init__(self) -> None:
        name, _, address = str(self.name).partition(":")
        checks.one_of("engine", name, get_args(EngineName))
        checks.count("rows", self.rows)
        object.__setattr__(self, "name", name)
        if address:
            object.__setattr__(self, "address", address)
        if self.address is not None and name == "local":
            raise ArgumentError("the engine local has no address: name dask or spark")

    @classmethod
    def of(cls, engine: Engine | str) -> Engine:
        """Return an engine by its name, or as it is."""
        return engine if isinstance(engine, Engine) else cls(engine)


# --- How queries were sampled and are looked at


@explained_class
@dataclass(frozen=True)
class Clusters:
    """Queries come in conversations, users or topic variants: these are tested, not single queries.

    Attributes
    ----------
    of : path, DataFrame, mapping or str
        The cluster of each query, in a table with query ids or as the name of a column of
        ``segments``. A query without one, as of a user who is not known, is a cluster of its own;
        where most have none, the ids are taken to differ, and that is an error.

    Examples
    --------
    >>> Clusters("users.csv")
    Clusters(of='users.csv')
    """

    of: Any


@explained_class
@dataclass(frozen=True)
class Weights:
    """Queries count by a number each, such as their traffic: means are weighted, and so is t.

    Attributes
    ----------
    of : path, DataFrame, mapping or str
        The weight of each query, in a table with query ids or as the name of a column of
        ``segments``.

    Examples
    --------
    >>> Weights("traffic.csv")
    Weights(of='traffic.csv')
    """

    of: Any


@explained_class
@dataclass(frozen=True)
class Looks:
    """One of several looks that are planned, evenly spaced: it decides by its own boundary.

    Attributes
    ----------
    look, of : int
        This look, and the looks planned.
    spending : {"obrien-fleming", "pocock"}
        How the looks share out alpha: hardly any of it early, or all alike.

    Examples
    --------
    >>> Looks(2, of=4) == Looks.read("2/4"), str(Looks(1, of=3, spending="pocock"))
    (True, '1/3:pocock')
    """

    look: int
    of: int = field(kw_only=True)
    spending: Spending = field(default="obrien-fleming", kw_only=True)

    def __post_init__(self) -> None:
        checks.one_of("spending", self.spending, get_args(Spending))
        look, looks = checks.count("look", self.look), checks.count("looks", self.of)
        if look > looks:
            raise ArgumentError(
                f"look {look} is not one of {looks}: give this look and the looks planned, such"
                " as 2/4"
            )

    def __str__(self) -> str:
        return f"{self.look}/{self.of}{_ending(self.spending)}"

    @classmethod
    def read(cls, look: str | tuple[int, int]) -> Looks:
        """Read ``2/4``, ``2/4:pocock`` or ``(2, 4)``."""
        if isinstance(look, tuple):
            return cls(look[0], of=look[1])
        match = _LOOK.fullmatch(str(look))
        if match is None:
            raise ArgumentError(
                f"look must be this look of those planned, such as 2/4, not {look!r}"
            )
        return cls(int(match[1]), of=int(match[2]), spending=match[3] or "obrien-fleming")  # type: ignore[arg-type]


@explained_class
@dataclass(frozen=True)
class Planned:
    """Queries planned in all: each look before spends a share of alpha by the queries seen.

    Attributes
    ----------
    queries : int
    spending : {"obrien-fleming", "pocock"}
    earlier : path or Comparison, optional
        The result of the look before this one, which holds how many queries each look so far had.

    Examples
    --------
    >>> str(Planned(400)), Planned.read("400:pocock").spending
    ('400', 'pocock')
    """

    queries: int
    spending: Spending = field(default="obrien-fleming", kw_only=True)
    earlier: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        checks.one_of("spending", self.spending, get_args(Spending))
        checks.count("planned", self.queries)

    def __str__(self) -> str:
        return f"{self.queries}{_ending(self.spending)}"

    @classmethod
    def read(cls, planned: str | int, *, earlier: object = None) -> Planned:
        """Read ``400`` or ``400:pocock``."""
        count, _, spending = str(planned).partition(":")
        if not count.strip().isdecimal():
            raise ArgumentError(
                f"planned must be a number of queries, such as 400, not {planned!r}"
            )
        return cls(int(count), spending=spending or "obrien-fleming", earlier=earlier)  # type: ignore[arg-type]


@explained_class
@dataclass(frozen=True)
class Anytime:
    """Decide by a confidence sequence, which holds however often one looks.

    Attributes
    ----------
    queries : int
        The sequence is narrowest at so many.

    Examples
    --------
    >>> Anytime(400)
    Anytime(queries=400)
    """

    queries: int

    def __post_init__(self) -> None:
        checks.count("anytime", self.queries)


@explained_class
@dataclass(frozen=True)
class Independent:
    """A and B were seen by different users, so that no two scores form a pair.

    Only for ready scores of :func:`abrank.compare_scores`; Welch's t test decides.

    Examples
    --------
    >>> Independent()
    Independent()
    """


DesignPart: TypeAlias = Clusters | Weights | Looks | Planned | Anytime | Independent
# One of these or several; "2/4" and (2, 4) are looks, any other text a file or column of clusters.
Designs: TypeAlias = DesignPart | str | tuple[int, int] | Sequence[DesignPart]
_LOOK = re.compile(r"\s*([0-9]{1,3})\s*/\s*([0-9]{1,3})\s*(?::(.*))?")


def _ending(spending: str) -> str:
    return "" if spending == "obrien-fleming" else f":{spending}"


def parts_of(design: Designs | None) -> tuple[DesignPart, ...]:
    """Return the parts of a design."""
    if design is None:
        return ()
    if isinstance(design, str):
        return (Looks.read(design) if _LOOK.fullmatch(design) else Clusters(design),)
    if isinstance(design, tuple) and len(design) == 2 and all(isinstance(i, int) for i in design):
        return (Looks.read(design),)  # type: ignore[arg-type]
    parts = [design] if isinstance(design, get_args(DesignPart)) else design
    parts_of_design = tuple(parts) if isinstance(parts, (list, tuple)) else ()
    kinds = [type(part) for part in parts_of_design]
    if not parts_of_design or not {*kinds} <= {*get_args(DesignPart)} or len({*kinds}) < len(kinds):
        raise ArgumentError(
            "design is Clusters(...), Weights(...), Looks(2, of=4), Planned(400), Anytime(400) or"
            f" Independent(), or several of these, each once; not {design!r}"
        )
    return parts_of_design


# --- Judgments by a machine


@explained_class
@dataclass(frozen=True, kw_only=True)
class Machine:
    """Judgments by a machine, such as a language model, of many queries: ``machine=``.

    The judgments given beside are then those of people, for a random draw from these queries; see
    :func:`abrank.inference.run_prediction_powered`.

    Attributes
    ----------
    qrels : whatever read_qrels reads, optional
        Judgments of the queries that people judged, and of many more.
    scores : pair of path, Series or dict; or one source of both systems, optional
        In the place of ``qrels``: the baseline's and the candidate's scores by the machine.
    judge : str, optional
        Name of the machine that judged, fixed before its results were seen.
    shared_model : {"a", "b", "both", "neither"}, optional
        Which system shares its model with the machine.

    Examples
    --------
    >>> Machine(qrels="llm.qrels", judge="gpt-5").shared_model is None
    True
    """

    qrels: Any = option(
        None,
        "Judgments by a machine of many queries. QRELS then holds those that people judged, a"
        " random draw from these (abrank sample queries): together they decide.",
        key="machine.qrels", of=("compare",), group="Judgments by a machine", kind="path",
        metavar="FILE",
    )  # fmt: skip
    scores: Any = option(
        None,
        "Ready scores by a machine's judgments, in the place of --machine-qrels.",
        key="machine.scores", of=ONE, group="Judgments by a machine", kind="path", several=True,
        metavar="A B", compared=False,
    )  # fmt: skip
    judge: str | None = option(
        None,
        "Which machine judged, fixed before its results were seen.",
        key="machine.judge", of=ONE, group="Judgments by a machine", compared=False,
    )  # fmt: skip
    shared_model: SharedModel | None = option(
        None,
        "Which system shares its model with the machine.",
        key="machine.shared_model", of=ONE, group="Judgments by a machine", kind="choice",
        choices=get_args(SharedModel), compared=False,
    )  # fmt: skip

    def __post_init__(self) -> None:
        sources = [source for source in (self.qrels, self.scores) if source is not None]
        if len(sources) > 1:
            raise ArgumentError("give the machine's judgments or its scores, not both")
        if self.shared_model is not None:
            checks.one_of("shared model", self.shared_model, get_args(SharedModel))
        for name in ("shared_model", "judge"):
            if getattr(self, name) is not None and not sources:
                raise ArgumentError(
                    f"machine.{name} (Machine({name}=)) needs machine judgments: give"
                    " --machine-qrels (machine=Machine(qrels=...)) with it"
                )
