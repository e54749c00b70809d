"""The Option class, and the option objects Scoring, Engine, Machine and the designs."""

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


# Functions that have an option, by name. The command `compare` calls compare; with --scores
# compare_scores, with --preferences compare_preferences, with --collections compare_collections.
# `rank` is analogous, and `score` calls evaluate.
ONE = ("compare", "compare_scores")
# Also for votes, which have neither runs nor machine judgments.
SINGLE = (*ONE, "compare_preferences")
PAIR = (*SINGLE, "compare_collections")
BOARD = ("rank", "rank_scores")
MANY = (*BOARD, "rank_collections")
READY = ("compare_scores", "compare_collections", "rank_scores", "rank_collections")
RUNS = ("compare", "compare_collections", "rank", "rank_collections", "evaluate")


def paired_tests() -> tuple[str, ...]:
    """Return the names of all registered paired tests, including those of installed packages."""
    # Imported late, because --help does not need the tests, which import scipy.
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
    """One option; ``kind`` is its type on the command line and in rule files."""

    # `name` is the keyword or field in Python; `python` is the call if it is neither. `first` puts
    # it into the short `--help`, with `summary` if the first sentence of `help` is too long. `flag`
    # says that a flag exists, and `compared` that `abrank compare` has it; other keys can be set
    # with `--config KEY=VALUE`. `declared` says that it is part of a rule. `positional` says that
    # its flag takes no value, because the arguments of the call are the values.

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
        """The allowed values; empty if any value is allowed."""
        return self.choices() if callable(self.choices) else self.choices

    @property
    def long(self) -> str:
        """The long flag: ``--machine-qrels`` for the key ``machine.qrels``."""
        return f"--{self.key.replace('.', '-').replace('_', '-')}"

    def is_flag(self, *takers: str) -> bool:
        """Whether it is a flag of the command that calls these functions."""
        return self.flag and (self.compared or "compare" not in takers)

    @property
    def brief(self) -> str:
        """The summary, or the first sentence of the help."""
        return self.summary or re.split(r"(?<=[.])\s", self.help, maxsplit=1)[0]


def option(default: object, help: str, **rest: Any) -> Any:  # noqa: ANN401
    """Return a dataclass field that is an option; ``key`` defaults to the field's name."""
    return field(default=default, metadata={"option": {"help": help, **rest}})


def require_kinds(requested: Any) -> None:  # noqa: ANN401 - an object of options
    """Refuse option values of the wrong type, such as text for a number."""
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
        elif option.several and isinstance(value, (int, float)):  # names or objects are needed
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


ROWS = 1_000_000  # default rows of a run per partition, which a worker holds in memory

# --- How runs are scored


@explained_class
@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How runs are read and scored: the argument ``scoring=`` of functions that take runs.

    Attributes
    ----------
    missing : {"zero", "drop", "error", "worst"}
        A judged query that a run lacks scores 0 (trec_eval's ``-c``), is dropped for all systems,
        or is an error. ``worst`` is for ready scores, where 0 may not be the worst.
    score_dtype : {"float64", "float32"}
        Precision of the run's scores, which decides what is a tie: that of trec_eval 10, or that of
        trec_eval 9 and pytrec_eval.
    duplicates : {"error", "first", "max"}
        A document that occurs twice in a ranking, or is judged twice, is an error, or keeps its
        first row, or its higher score or grade.
    same_id : {"keep", "drop"}
        ``drop`` removes a document with the id of its query from the ranking, as BEIR does if
        queries are documents of the collection (ArguAna, Quora). The judgments are not changed.
    depth : int, optional
        Every ranking is cut at this rank before scoring (trec_eval's ``-M``).
    rel : int or float, optional
        Lowest relevant grade (trec_eval's ``-l``), such as 2 or 0.5, for measures that have this
        parameter and do not set it; it becomes part of their names: ``AP(rel=2)``.
    judged_only : bool
        Remove unjudged documents from the rankings (trec_eval's ``-J``); also part of the names.
    interpolation : {"10", "9"}
        How IPrec and AP11 convert a recall level to a number of relevant documents: rounded as in
        trec_eval 10, or as in version 9.
    max_input_size : int, optional
        Maximum size of an unpacked file in bytes; see :func:`abrank.read_run`.

    Examples
    --------
    >>> Scoring(depth=100).missing
    'zero'
    """

    missing: Missing = option(
        "zero",
        "What to do with a judged query that a run lacks. zero: it scores 0; drop: it is left out"
        " for all systems; error: stop. For tables of scores the default is error, and worst fills"
        " in the worst score.",
        of=(*RUNS, "compare_scores", "rank_scores"), group="Scoring of runs", kind="choice",
        choices=get_args(Missing),
    )  # fmt: skip
    score_dtype: ScoreDtype = option(
        "float64",
        "Precision of the scores in runs, which decides what is a tie: float64 as in trec_eval 10,"
        " float32 as in 9.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(ScoreDtype), flag=False,
    )  # fmt: skip
    duplicates: Duplicates = option(
        "error",
        "What to do if a document occurs twice in a ranking, or is judged twice. error: stop;"
        " first: keep the first row; max: keep the higher score or grade.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(Duplicates),
        compared=False,
    )  # fmt: skip
    same_id: SameId = option(
        "keep",
        "Whether a document with the id of its query stays in the ranking. BEIR drops such"
        " documents in ArguAna and Quora. Judgments are not changed.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(SameId), compared=False,
        peers=("ignore_identical_ids", "drop_same_id"),
    )  # fmt: skip
    depth: int | None = option(
        None,
        "Use only the first N documents of every ranking (trec_eval's -M).",
        of=RUNS, group="Scoring of runs", kind="count", minimum=1, metavar="N", compared=False,
        peers=("cutoff", "M"),
    )  # fmt: skip
    rel: float | None = option(
        None,
        "Lowest relevant grade, for measures that do not set one themselves (trec_eval's -l).",
        of=RUNS, group="Scoring of runs", kind="grade", metavar="GRADE", compared=False,
        peers=("relevance_level", "min_rel", "l"),
    )  # fmt: skip
    judged_only: bool = option(
        False,
        "Remove unjudged documents from every ranking first (trec_eval's -J).",
        of=RUNS, group="Scoring of runs", kind="flag", compared=False,
        peers=("J", "judged_docs_only_flag"),
    )  # fmt: skip
    interpolation: Interpolation = option(
        "10",
        "Compute interpolated precision as in trec_eval 10 or 9.",
        of=RUNS, group="Scoring of runs", kind="choice", choices=get_args(Interpolation),
        flag=False,
    )  # fmt: skip
    max_input_size: int | None = option(
        None,
        "Maximum size of an unpacked file, such as 500M or 20G. Default: 4G for compressed files"
        " and pipes, no limit for other files.",
        of=RUNS, group="Scoring of runs", kind="size", metavar="SIZE", compared=False,
        declared=False,
    )  # fmt: skip

    def __post_init__(self) -> None:
        require_kinds(self)
        for option in options_in(Scoring):
            if option.choices:
                checks.one_of(option.name, getattr(self, option.name), option.names)

    def settings(self) -> dict[str, Any]:
        """Return the settings that affect a result, to be recorded with it."""
        return {
            option.name: getattr(self, option.name)
            for option in options_in(Scoring)
            if option.declared
        }

    def requested(
        self, names: Sequence[str] | str | None, *, further: Sequence[str] = ()
    ) -> RequestedMeasures:
        """Parse measure names, with the options that are parameters of measures."""
        # Measures in `further` are added if they are not among the others.
        from abrank.measures.names import RequestedMeasures

        return RequestedMeasures.of(
            names, further=further, rel=self.rel, judged_only=self.judged_only,
            interpolation=self.interpolation,
        )  # fmt: skip


# The options that reproduce an older program.
AS = {"trec_eval9": {"score_dtype": "float32", "interpolation": "9"}}


# --- Where partitions are scored


@explained_class
@dataclass(frozen=True)
class Engine:
    """Where runs in Parquet are scored by partitions: the argument ``engine=``.

    Attributes
    ----------
    name : {"local", "dask", "spark"}
        The cores of this machine, Dask or Spark; ``"dask:tcp://10.0.0.5:8786"`` includes the
        address.
    address : str, optional
        Address of Dask's scheduler (or a client) or of Spark's master. Default: this machine.
    keep_scores : path, optional
        Folder for the per-query scores: one Parquet file per partition, and ``_SUCCESS`` when
        complete. A second run continues an interrupted one. Every worker must be able to write
        there. Default: a temporary folder on this machine.
    rows : int
        Approximate number of rows of a run per partition.

    Examples
    --------
    >>> Engine("dask:tcp://10.0.0.5:8786").address, Engine("dask").address
    ('tcp://10.0.0.5:8786', None)
    """

    name: str = option(
        "local",
        "Where to score runs in Parquet: local, dask or spark. local uses the cores of this"
        " machine; it is the default for folders, globs, URIs and files above 256 MB."
        " dask:tcp://10.0.0.5:8786 and spark:spark://host:7077 use a cluster.",
        key="engine", of=RUNS, group="Large runs", metavar="NAME[:ADDRESS]",
        peers=("scheduler", "master", "backend"),
    )  # fmt: skip
    address: Any = None
    keep_scores: Any = option(
        None,
        "Store the scores of each query in DIR as Parquet. If the job is interrupted, a second run"
        " continues from there.",
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
        """Convert a name to an engine; return an engine unchanged."""
        return engine if isinstance(engine, Engine) else cls(engine)


# --- How queries were sampled and are looked at


@explained_class
@dataclass(frozen=True)
class Clusters:
    """Queries come in clusters (conversations, users, topic variants), which are tested as a whole.

    Attributes
    ----------
    of : path, DataFrame, mapping or str
        The cluster of each query: a table with query ids, or the name of a column of ``segments``.
        A query without a cluster, for example of an unknown user, is its own cluster. If most have
        none, this is an error, because the ids probably differ.

    Examples
    --------
    >>> Clusters("users.csv")
    Clusters(of='users.csv')
    """

    of: Any


@explained_class
@dataclass(frozen=True)
class Weights:
    """Queries have weights, such as their traffic: means and the t test are weighted.

    Attributes
    ----------
    of : path, DataFrame, mapping or str
        The weight of each query: a table with query ids, or the name of a column of ``segments``.

    Examples
    --------
    >>> Weights("traffic.csv")
    Weights(of='traffic.csv')
    """

    of: Any


@explained_class
@dataclass(frozen=True)
class Looks:
    """One of several planned, evenly spaced looks, with group-sequential boundaries.

    Attributes
    ----------
    look, of : int
        The number of this look, and the number of planned looks.
    spending : {"obrien-fleming", "pocock"}
        How alpha is spent: little at early looks, or nearly equal.

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
                f"look {look} of {looks} is impossible: give this look and the number of looks,"
                " such as 2/4"
            )

    def __str__(self) -> str:
        return f"{self.look}/{self.of}{_ending(self.spending)}"

    @classmethod
    def read(cls, look: str | tuple[int, int]) -> Looks:
        """Parse ``2/4``, ``2/4:pocock`` or ``(2, 4)``."""
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
    """Total number of planned queries: each earlier look spends alpha by the queries so far.

    Attributes
    ----------
    queries : int
    spending : {"obrien-fleming", "pocock"}
    earlier : path or Comparison, optional
        The result of the previous look, which records the queries at each look so far.

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
        """Parse ``400`` or ``400:pocock``."""
        count, _, spending = str(planned).partition(":")
        if not count.strip().isdecimal():
            raise ArgumentError(
                f"planned must be a number of queries, such as 400, not {planned!r}"
            )
        return cls(int(count), spending=spending or "obrien-fleming", earlier=earlier)  # type: ignore[arg-type]


@explained_class
@dataclass(frozen=True)
class Anytime:
    """Decide by a confidence sequence, which is valid for any number of looks.

    Attributes
    ----------
    queries : int
        Number of queries at which the sequence is narrowest.

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
    """A and B were shown to different users, so scores are not paired.

    Only for ready scores in :func:`abrank.compare_scores`; Welch's t test decides.

    Examples
    --------
    >>> Independent()
    Independent()
    """


DesignPart: TypeAlias = Clusters | Weights | Looks | Planned | Anytime | Independent
# One or several designs; "2/4" and (2, 4) are looks, other texts a file or column of clusters.
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
    """Judgments of many queries by a machine, such as a language model: ``machine=``.

    The other judgments are then human ones, for a random sample of these queries; see
    :func:`abrank.inference.run_prediction_powered`.

    Attributes
    ----------
    qrels : anything that read_qrels reads, optional
        Judgments of the human-judged queries and of many more.
    scores : pair of path, Series or dict; or one source of both systems, optional
        Scores of baseline and candidate by the machine, instead of ``qrels``.
    judge : str, optional
        Name of the machine, fixed before its results were seen.
    shared_model : {"a", "b", "both", "neither"}, optional
        Which system shares its model with the machine.

    Examples
    --------
    >>> Machine(qrels="llm.qrels", judge="gpt-5").shared_model is None
    True
    """

    qrels: Any = option(
        None,
        "Judgments by a model, for many queries. QRELS then has judgments by people, for a random"
        " sample of these queries (abrank sample queries). Both together decide.",
        key="machine.qrels", of=("compare",), group="Judgments by a machine", kind="path",
        metavar="FILE",
    )  # fmt: skip
    scores: Any = option(
        None,
        "Scores by a model's judgments, instead of --machine-qrels.",
        key="machine.scores", of=ONE, group="Judgments by a machine", kind="path", several=True,
        metavar="A B", compared=False,
    )  # fmt: skip
    judge: str | None = option(
        None,
        "Name of the model that judged, chosen before its results were seen.",
        key="machine.judge", of=ONE, group="Judgments by a machine", compared=False,
    )  # fmt: skip
    shared_model: SharedModel | None = option(
        None,
        "Which system uses the same model as the judge.",
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
