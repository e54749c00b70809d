"""Options of comparisons and rankings, each as one object, and their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from abrank._support import checks
from abrank._support.checks import explained_class
from abrank._support.errors import ArgumentError
from abrank._support.typing import (
    Asked,
    Family,
    Missing,
    OnCollections,
    RankingFamily,
    Requirement,
    Spending,
)
from abrank.options.parts import (
    BOARD,
    MANY,
    ONE,
    PAIR,
    READY,
    SINGLE,
    Anytime,
    Clusters,
    DesignPart,
    Designs,
    Engine,
    Independent,
    Looks,
    Machine,
    Planned,
    Scoring,
    Weights,
    option,
    paired_tests,
    parts_of,
    ranking_tests,
    require_kinds,
)

if TYPE_CHECKING:
    from abrank._support.typing import RandomSource
    from abrank.inputs.score_reading import TableOptions

_Part = TypeVar("_Part", bound=DesignPart)


@dataclass(frozen=True, kw_only=True)
class _SharedOptions:
    """Options that comparisons and rankings share."""

    lower_is_better: Sequence[str] | str = option(
        (),
        "Lower values of this score are better. Repeat for more scores.",
        summary="Lower values of this score are better.",
        of=(*ONE, "compare_collections", *MANY), group="Measures and tests",
        metavar="NAME", several=True, first=True,
    )  # fmt: skip
    higher_is_better: Sequence[str] | str = option(
        (),
        "Higher values of this score are better, though its name sounds like a cost.",
        of=(*ONE, "compare_collections", *MANY), group="Measures and tests",
        metavar="NAME", several=True,
        compared=False,
    )  # fmt: skip
    scoring: Scoring = field(default_factory=Scoring)
    engine: Engine | str | None = None
    resamples: int | None = option(
        None,
        "Number of random draws of tests that need them.",
        of=(*PAIR, *MANY, "intervals"), group="Measures and tests", kind="count", minimum=99,
        maximum=checks.MAX_RESAMPLES, metavar="N", compared=False, python="resamples=",
        peers=("n_resamples", "n_boot", "n_bootstrap", "n_permutations", "n_samples",
               "num_samples", "bootstrap", "permutations"),
    )  # fmt: skip
    rng: RandomSource = option(
        0,
        "Seed of all random draws.",
        key="seed", of=(*PAIR, *MANY, "intervals"), group="Measures and tests", kind="count",
        minimum=0, metavar="N", first=True, peers=("random_state", "random_seed", "seed"),
    )  # fmt: skip

    def __post_init__(self) -> None:
        require_kinds(self)
        if self.resamples is not None:
            checks.resamples(self.resamples, at_least=99, argument="resamples")
        if not isinstance(self.scoring, Scoring):
            raise ArgumentError(f"scoring must be Scoring(...), not {self.scoring!r}")
        if self.engine is not None:
            object.__setattr__(self, "engine", Engine.of(self.engine))


def read_share(text: str | float | None) -> float | None:
    """Parse a share: a number up to 1, or text in per cent."""
    if text is None:
        return None
    is_percent = str(text).strip().endswith("%")
    try:
        share = float(str(text).strip().removesuffix("%")) / (100.0 if is_percent else 1.0)
    except ValueError:
        share = 0.0
    if not 0.0 < share <= 1.0:
        raise ArgumentError(f"judged is a share of documents such as 80%, not {text!r}")
    return share


def _of_part(kind: type[DesignPart], name: str, doc: str) -> Any:  # noqa: ANN401 - a property
    """Return a property that reads a part of the design; None if there is no such part."""

    def read(question: Question) -> Any:  # noqa: ANN401
        part = question._part(kind)
        return None if part is None else getattr(part, name)

    read.__doc__ = doc
    return property(read)


@explained_class
@dataclass(frozen=True, kw_only=True)
class Question(_SharedOptions):
    """All options that affect the decision, in one object: a rule declared in Python.

    Pass it as ``config=Question(...)`` to :func:`abrank.compare` and similar functions, like a rule
    file; keywords of the call override it. It also has options that these functions lack.

    Attributes
    ----------
    measures : str or sequence of str, optional
        Measure names in any common spelling. Default: nDCG@10, AP, RR, P@10 and R@100.
    primary : str, optional
        The measure that decides. Default: the first named one. If none of several is named, a
        ranking measure is used, the result says so, and no gate passes.
    margin : float or str, optional
        Smallest difference that matters: in the unit of the primary measure, or a percentage of
        the baseline's mean such as ``"2%"``; None and 0 mean no margin.
    require : {"better", "non-inferior", "equivalent"}, optional
        A gate, recorded with the verdict.
    fail_on : {"worse"}, optional
        A gate that only fails if B is significantly worse; instead of ``require``.
    guard : str or sequence of str
        Measures that must not get worse by a margin, for a gate to pass: ``"R@100:-0.02"``, or
        ``"R@100:-2%"`` of the baseline's mean. Each is tested at ``alpha``.
    on : {"all", "each"}
        With several collections: whether the gate applies to the mean over all queries, or must
        pass on each collection.
    accept_doubt : bool
        Whether a gate may pass on doubtful evidence; see :mod:`abrank.rule`.
    judged : str or float, optional
        Minimum share of judged documents among the first ten of each run, ``"80%"`` or 0.8; below
        it the verdict is doubtful.
    alpha : float
        Two-sided significance level.
    test : str
        The test that decides: ``t``, ``permutation``, ``bootstrap``, ``wilcoxon``, ``sign``,
        ``hall``, ``bounded``, or one registered by :func:`abrank.inference.paired_test`.
    adjust : {"max-t", "holm", "bonferroni", "bh", "none"}, optional
        Adjustment of the secondary measures. Default: ``max-t`` for tests of the mean, and
        ``holm`` for ``wilcoxon`` and ``sign``, which test a different hypothesis.
    family : {"secondary", "all", "fixed-sequence"}
        What alpha applies to: the primary measure alone, and the secondary ones together; all
        measures together; or each measure in the given order, primary first, at ``alpha`` until one
        is not significant. The sequence also controls the familywise error without adjustment.
    lower_is_better, higher_is_better : str or sequence of str
        Directions of scores that are no known measures: ``"ms"``. A score whose name sounds like a
        cost decides nothing until its direction is declared.
    ledger : path, optional
        A folder, or a file that ends with .sqlite, in which the comparison is recorded; see
        :func:`abrank.history`.
    error_budget : str, optional
        ``"fdr:0.05"`` or ``"fwer:0.05"`` for all comparisons of the ledger. This comparison uses
        the level that is left, and the test ``hall`` if ``test`` is ``t``.
    best_of : int, optional
        Number of candidates tried on these queries, from which B was chosen. The decision is then
        simultaneous for all of them: each interval has level ``alpha / best_of``, by sign flips if
        ``test`` is ``t``, because t is inaccurate at such levels.
    design : Clusters, Weights, Looks, Planned, Anytime, Independent, str or tuple, optional
        How queries were sampled and how often the data are analysed, or a tuple of several:
        ``"2/4"`` and ``(2, 4)`` are looks, any other string is a file or column of clusters.
    scoring : Scoring
        How runs are read and scored.
    machine : Machine, optional
        Machine judgments in addition to human ones.
    engine : Engine or str, optional
        Where runs in Parquet are scored: ``"local"``, ``"dask:tcp://…"``, ``"spark"``.
    resamples : int, optional
        Number of resamples of Monte Carlo tests; the default depends on the test.
    rng : int, Generator, SeedSequence or None
        Random source; the result records the seed.

    Examples
    --------
    >>> question = Question(margin=0.01, design=(Clusters("users.csv"), Looks(2, of=4)))
    >>> question.alpha, question.look, question.clusters
    (0.05, (2, 4), 'users.csv')
    """

    measures: Sequence[str] | str | None = option(
        None,
        "Measure, such as nDCG@10, map or mrr@10, in the spelling of any tool. Repeat for more;"
        " the first one decides. Default for runs: nDCG@10, which decides, then AP, RR, P@10 and"
        " R@100.",
        summary="Measure, such as nDCG@10, map or mrr@10.",
        key="measure", short="-m", of=PAIR, group="Measures and tests",
        kind="measure", metavar="NAME", several=True, first=True,
        peers=("metrics", "metric", "measure", "eval_metrics", "k"),
    )  # fmt: skip
    primary: str | None = option(
        None,
        "The measure that decides. Default: the first -m.",
        of=PAIR, group="Measures and tests", metavar="NAME", compared=False,
    )  # fmt: skip
    margin: float | str | None = option(
        None,
        "Smallest difference that matters. In the unit of the measure that decides, or a"
        " percentage of A's mean.",
        of=PAIR, group="Measures and tests", kind="amount", metavar="X|X%", first=True,
        peers=("threshold", "tolerance", "epsilon", "rope", "delta", "min_delta"),
    )  # fmt: skip
    require: Asked | None = option(
        None,
        "Exit code 1 unless the data prove this. See the gates below.",
        of=PAIR, group="Gates", kind="choice", choices=("non-inferior", "better", "equivalent"),
        first=True, peers=("gate",),
    )  # fmt: skip
    fail_on: str | None = option(
        None,
        "Exit code 1 if B is significantly worse. A loss that is too small for these queries to"
        " detect passes; --require non-inferior asks for a proof.",
        of=PAIR, group="Gates", kind="choice", choices=("worse",), first=True,
    )  # fmt: skip
    guard: Sequence[str] | str = option(
        (),
        "The gate also needs: no loss of X on NAME. It passes only if the data rule out a loss of"
        " X or more, or of X% of A's mean: 'R@100:-0.02'. Repeat for more.",
        of=PAIR, group="Gates", metavar="NAME:-X|-X%", several=True, first=True,
        peers=("guards", "guardrails"),
    )  # fmt: skip
    on: OnCollections = option(
        "all",
        "For several collections: with each, the gate must pass on every collection. Default: the"
        " mean over all queries decides.",
        of=("compare_collections",), group="Gates", kind="choice", choices=get_args(OnCollections),
        compared=False,
    )  # fmt: skip
    accept_doubt: bool = option(
        False,
        "Let the gate pass on a doubtful verdict. A verdict is doubtful if it could change because"
        " of unjudged documents, missing queries or scores, one cluster, skewed differences, or a"
        " human sample that is not random.",
        of=PAIR, group="Gates", kind="flag",
    )  # fmt: skip
    judged: str | float | None = option(
        None,
        "X% of the first ten documents of each run must be judged. With fewer the verdict is"
        " doubtful.",
        of=("compare", "compare_collections"), group="Gates", metavar="X%",
        python="config=Question(judged=...)",
    )  # fmt: skip
    alpha: float = option(
        0.05,
        "Two-sided significance level.",
        of=(*PAIR, "intervals", "audit"), group="Measures and tests", kind="number", metavar="X",
        peers=("level", "significance", "max_p", "p", "p_value", "confidence", "ci"),
    )  # fmt: skip
    test: str = option(
        "t",
        "The test that decides. The report shows the other tests, too.",
        of=PAIR, group="Measures and tests", kind="choice", choices=paired_tests,
        peers=("stat_test", "method"),
    )  # fmt: skip
    adjust: str | None = option(
        None,
        "Adjustment of the secondary measures. Default: max-t; for wilcoxon and sign holm.",
        of=PAIR, group="Measures and tests", kind="choice",
        choices=("max-t", "holm", "bonferroni", "bh", "none"), compared=False,
        peers=("correction", "multitest", "multipletests", "bonferroni", "holm", "fdr"),
    )  # fmt: skip
    family: Family = option(
        "secondary",
        "The tests that share the error rate alpha. secondary: the measure that decides has its"
        " own alpha, all others share one; all: all measures share one; fixed-sequence: each is"
        " tested at alpha in the given order, until one is not significant.",
        of=PAIR, group="Measures and tests", kind="choice", choices=get_args(Family),
        compared=False,
    )  # fmt: skip
    ledger: Any = option(
        None,
        "Record this comparison in a ledger. The ledger is a folder or a .sqlite file. It counts"
        " how often these queries were used, and estimates how much of a gain to expect on others;"
        " abrank history shows it.",
        of=SINGLE, group="Designs and further analyses", kind="path", metavar="FILE|DIR",
        declared=False, python="config=Question(ledger=...)",
    )  # fmt: skip
    error_budget: str | None = option(
        None,
        "Limit the false findings among all comparisons in the ledger. fdr:0.05 limits their"
        " share, fwer:0.05 the probability of any. This comparison is tested at the level that the"
        " earlier ones left.",
        of=SINGLE, group="Designs and further analyses", metavar="KIND:LEVEL", compared=False,
        python="config=Question(error_budget=...)",
    )  # fmt: skip
    best_of: int | None = option(
        None,
        "B is the best of N candidates that were tried on these queries. Interval, p and gate then"
        " account for the choice: each candidate is tested at alpha / N, by sign flips.",
        of=SINGLE, group="Measures and tests", kind="count", minimum=1, metavar="N", compared=False,
        peers=("n_candidates", "tried"), python="config=Question(best_of=...)",
    )  # fmt: skip
    design: Designs | None = None
    machine: Machine | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.machine is not None and not isinstance(self.machine, Machine):
            raise ArgumentError(f"machine must be Machine(...), not {self.machine!r}")
        object.__setattr__(self, "judged", read_share(self.judged))
        if self.require is not None and self.fail_on is not None:
            raise ArgumentError(
                "--require and --fail-on (require=, fail_on=) are two different gates; choose one"
            )
        if self.require is not None:
            checks.one_of("require", self.require, get_args(Asked))
        if self.fail_on is not None:
            checks.one_of("fail_on", self.fail_on, ("worse",))
        object.__setattr__(self, "design", parts_of(self.design) or None)
        refused = {
            "an error budget: each candidate is a comparison of its own there": self.error_budget,
            "the bootstrap, which does not hold at small levels": self.test == "bootstrap",
        }
        for name, requested in refused.items():
            if requested and self.best_of is not None:
                raise ArgumentError(f"best_of={self.best_of} cannot be asked with {name}")
        if self.independent and len(parts_of(self.design)) > 1:
            raise ArgumentError(
                "--independent (Independent()) takes no clusters, weights or looks; to compare"
                " whole users (sessions, …): --columns query=COLUMN,repeat=rows (columns={'query':"
                " 'COLUMN', 'repeat': 'rows'})"
            )
        if self.independent and self.decided_by not in ("t", ""):
            raise ArgumentError(
                f"Welch's t decides for independent groups, not {self.decided_by}: leave out --test"
                " (test=); the permutation of the labels and the bootstrap stand beside it"
            )
        if self.weights is not None and self.anytime:
            raise ArgumentError(
                "no confidence sequence of a weighted mean is known: leave out --weights"
                " (Weights(...)), or --anytime (Anytime(...))"
            )

    @property
    def level(self) -> float:
        """The level for this candidate: alpha divided by the number of candidates."""
        return self.alpha / (self.best_of or 1)

    @property
    def decided_by(self) -> str:
        """The deciding test; t is replaced for the best of many, where its tails are inaccurate."""
        return "permutation" if self.best_of and self.test == "t" else self.test

    @property
    def gate(self) -> Requirement | None:
        """The requested gate, as it is recorded."""
        return "no-significant-loss" if self.fail_on else self.require

    def _part(self, kind: type[_Part]) -> _Part | None:
        return next((part for part in parts_of(self.design) if isinstance(part, kind)), None)

    clusters = _of_part(Clusters, "of", "Where the clusters of the queries stand; None without.")
    weights = _of_part(Weights, "of", "Where the weights of the queries stand; None without.")
    anytime = _of_part(
        Anytime, "queries", "Queries at which a confidence sequence is narrowest; None without."
    )
    planned = _of_part(
        Planned, "queries", "Queries planned in all, of looks by the queries seen; None without."
    )
    earlier = _of_part(
        Planned, "earlier", "The look before this one, or where it was written; None without."
    )

    @property
    def look(self) -> tuple[int, int] | None:
        """The number of this look and of the planned looks; None without looks."""
        part = self._part(Looks)
        return None if part is None else (part.look, part.of)

    @property
    def independent(self) -> bool:
        """Whether A and B are groups of different users."""
        return self._part(Independent) is not None

    @property
    def spending(self) -> Spending:
        """How alpha is spent over the looks."""
        part = self._part(Looks) or self._part(Planned)
        return "obrien-fleming" if part is None else part.spending


@explained_class
@dataclass(frozen=True, kw_only=True)
class RankingQuestion(_SharedOptions):
    """Options of :func:`abrank.rank` and similar functions, in one object."""

    measures: Sequence[str] | str | None = option(
        None,
        "Measure, in the spelling of any tool. Repeat for more; the first one orders the systems."
        " Default: nDCG@10; for tables of scores all measures, ordered by a ranking measure.",
        key="measure", short="-m", of=MANY, group="Measures and tests", kind="measure",
        metavar="NAME", several=True, first=True,
        peers=("metrics", "metric", "measure", "eval_metrics", "k", "sort", "sort_by"),
    )  # fmt: skip
    baseline: str | Sequence[str] | None = option(
        None,
        "Compare every system with this one only. Default: all pairs. NAME is the name of its"
        " file. Repeat for more; the tests are then adjusted for all of them.",
        of=BOARD, group="Measures and tests", metavar="NAME", several=True, first=True,
    )  # fmt: skip
    family: RankingFamily = option(
        "measure",
        "Whether alpha holds for each measure, or for all measures together (Bonferroni).",
        of=BOARD, group="Measures and tests", kind="choice", choices=get_args(RankingFamily),
    )  # fmt: skip
    test: str | None = option(
        None,
        "The test of the pairs. Default: max-t. The tests of compare are run for each pair and"
        " adjusted. dunnett and bonferroni-dunn need a baseline. nemenyi and conover come with"
        " Friedman's overall test.",
        of=MANY, group="Measures and tests", kind="choice", choices=ranking_tests,
        peers=("stat_test", "method"),
    )  # fmt: skip
    adjust: str | None = option(
        None,
        "Adjustment of conover and of the tests of compare. Default: holm.",
        of=MANY, group="Measures and tests", kind="choice",
        choices=("holm", "hochberg", "hommel", "bonferroni", "bh", "by", "none"),
        peers=("correction", "multitest", "multipletests"),
    )  # fmt: skip
    alpha: float = option(
        0.05,
        "Significance level for all pairs together.",
        of=MANY, group="Measures and tests", kind="number", metavar="X",
        peers=("level", "significance", "max_p", "p", "p_value", "confidence", "ci"),
    )  # fmt: skip
    pairs: bool = option(
        False,
        "Show every pair. Pairs stand below the text, or in CSV instead of the systems. Without"
        " this flag, rankings of more than 300 systems keep only the pairs with the first system.",
        of=BOARD, group="Output", kind="flag", first=True,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The systems to compare, and data about queries and documents."""

    qrels: Any = option(None, "The judgments.", of=("compare",), group="", kind="path", flag=False)
    a: Any = option(
        None, "The run of the baseline.", of=("compare",), group="", kind="path", flag=False
    )
    b: Any = option(
        None, "The run of the candidate.", of=("compare",), group="", kind="path", flag=False
    )
    votes: Any = option(
        None,
        "Votes instead of QRELS RUN_A RUN_B. Either preferences of people or models, one row per"
        " vote: query_id, winner (A, B, tie or a name), and optionally shown_first, judge, weight."
        " Or clicks on interleaved lists, one row per impression: query_id, user, credit_a,"
        " credit_b.",
        key="preferences", of=("compare_preferences",), group="Inputs", kind="path",
        metavar="FILE", first=True, peers=("votes", "winners"),
    )  # fmt: skip
    segments: Any = option(
        None,
        "Compare within segments of the queries. A CSV with a column query_id and a column per"
        " property; with --collections also a column collection.",
        of=(*PAIR, "intervals"), group="Inputs", kind="path", metavar="FILE", first=True,
        peers=("by", "groupby", "slices"),
    )  # fmt: skip
    topics: Any = option(
        None,
        "Texts of the queries. TREC topics, JSON lines, or query_id<TAB>text.",
        of=SINGLE, group="Inputs", kind="path", metavar="FILE", first=True, peers=("queries",),
    )  # fmt: skip
    docs: Any = option(
        None,
        "Titles or texts of the documents. JSON lines, or doc_id<TAB>title; of any size.",
        of=("compare",), group="Inputs", kind="path", metavar="FILE", first=True,
        peers=("documents",),
    )  # fmt: skip
    name_a: str | None = option(
        None, "Name of the baseline in reports. Default: the name of its file.", of=PAIR,
        group="Inputs",
        metavar="NAME", peers=("names", "baseline_name"), compared=False,
    )  # fmt: skip
    name_b: str | None = option(
        None, "Name of the candidate in reports. Default: the name of its file.", of=PAIR,
        group="Inputs",
        metavar="NAME", peers=("names",), compared=False,
    )  # fmt: skip
    columns: Any = option(
        None,
        "What the columns of a table of scores are: query=request_id,variant=arm. Several columns"
        " can form a part: query=text,locale. The parts are query, variant, variants, metric,"
        " value, measures, segments, repeat, cluster and weight. Default: abrank decides by the"
        " content of the columns.",
        of=READY, group="Inputs", kind="pairs", metavar="PART=COLUMN,…", several=True,
        peers=("query_column", "query_col", "id_column", "score_column", "metric_column"),
    )  # fmt: skip
    variant: Any = option(
        None,
        "The column of a table of scores that names the variant, or several columns that name it"
        " together: chunk_size,method.",
        summary="The column that names the variant.",
        of=READY, group="Inputs", metavar="COLUMN,…", first=True, several=True,
        peers=("arm", "group", "treatment", "group_by", "variant_column", "variant_col"),
    )  # fmt: skip
    where: Any = option(
        None,
        "Use only the rows of a table of scores with this value, such as chunk_size=256. Repeat"
        " for more conditions.",
        of=READY, group="Inputs", kind="pairs", metavar="COLUMN=VALUE", several=True,
        peers=("filter",),
    )  # fmt: skip
    baseline: str | None = option(
        None,
        "The variant of a table of scores that is A. Default: the one called control, baseline,"
        " old or similar. COLUMN=VALUE is the mean of all variants with that value.",
        of=("compare_scores", "compare_collections"), group="Inputs", metavar="NAME", first=True,
        peers=("control",),
    )  # fmt: skip
    candidate: str | None = option(
        None,
        "The variant of a table of scores that is B.",
        of=("compare_scores", "compare_collections"), group="Inputs", metavar="NAME", first=True,
        peers=("treatment",),
    )  # fmt: skip
    missing: Missing = "error"  # for ready scores; for runs it is in Scoring
    collections: Any = None
    command: str | None = None  # the command line, for the provenance
    runs: Any = None  # for rankings, by system
    scores: Any = None  # for rankings

    @property
    def table(self) -> TableOptions:
        """The declared roles of the columns of a table of scores."""
        from abrank.inputs.score_reading import TableOptions  # imports Arrow, which --help avoids

        return TableOptions.of(self.columns, self.variant, self.where)
