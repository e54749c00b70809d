"""Agreement of two judges on the same documents: grades, order of systems, verdicts.

Agreement on grades in special cases:

Of their grades:

=======================  ======================================
judgments                kappa; alpha
=======================  ======================================
none                     NaN
one grade, by both       NaN: there is nothing to agree on
the same everywhere      1
=======================  ======================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from abrank import inference, inputs
from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import Printed, record
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray, IntArray, RandomSource
from abrank.comparison import Comparison, compare_scores
from abrank.estimate import Estimate
from abrank.inference.rounding import differences_of
from abrank.inference.systems.stability import kendall_tau, resample_means, tau_ap
from abrank.inputs.run import named_runs
from abrank.measures import Measure
from abrank.measures.names import parse_measures
from abrank.scoring.evaluate import evaluate
from abrank.scoring.judging import DEPTH_WITHOUT_CUTOFF, depth_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["JudgeAgreement", "JudgedPair", "JudgedVerdict", "judge_agreement"]

Level: TypeAlias = Literal["ordinal", "nominal"]
Weights: TypeAlias = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[str, ...] = get_args(Weights)
N_RESAMPLES = 9_999
MAX_GRADES = 20
SIGNS_AT_ONCE = 1_000_000  # signs of system pairs in memory


@record
class JudgedVerdict(Estimate):
    """The comparison of two systems by one judge: difference B - A and verdict."""

    verdict: str = ""


@record
class JudgedPair:
    """Two systems under both judges.

    Attributes
    ----------
    baseline, candidate : str
    human, machine : JudgedVerdict
    apart : Estimate
        The human difference B - A minus the machine's, by the paired t test; for one query with
        infinite limits and no p. Verdicts may differ although this is not significant.
    same_baseline, same_candidate : float
        Share of each system's documents to which both judges give the same grade.
    same_difference : Estimate
        The candidate's share minus the baseline's.
    favour : Estimate
        Mean grade of the second judge for the candidate's documents minus that for the baseline's
        documents with the same human grade; above 0 it favours the candidate.
    """

    baseline: str
    candidate: str
    human: JudgedVerdict
    machine: JudgedVerdict
    apart: Estimate
    same_baseline: float
    same_candidate: float
    same_difference: Estimate
    favour: Estimate


@record
class JudgeAgreement(Printed):
    """How much two judges agree.

    Attributes
    ----------
    human, machine : str
        Names of the two files.
    n_queries : int
        Queries judged by both; the others are left out.
    n_other_queries : pair of int
        Queries judged only by the first, and only by the second.
    n_documents : int
        Documents of these queries judged by both.
    n_other_documents : pair of int
        Documents of these queries judged by only one of them.
    grades : tuple of int
    table : tuple of tuple of int
        Number of documents by the first judge's grade (rows) and the second's (columns).
    same : Estimate
        Share of the documents with the same grade.
    kappa, kappa_linear, kappa_quadratic, alpha : Estimate
        Cohen's kappa without weights, with linear and with quadratic weights; Krippendorff's alpha.
    level : str
        Level of measurement of alpha: ordinal or nominal.
    rel : int or float
        Lowest relevant grade.
    relevant_same, relevant_kappa : Estimate
        ``same`` and ``kappa`` for relevant or not.
    measure : str or None
        None without runs, like all attributes below.
    depth : int or None
        Ranks whose documents are used to detect favouring of a system.
    means : mapping of str to pair of float
        Mean score of each system by either judge.
    tau, tau_ap : Estimate or None
        Correlation of the two orders of systems; the first judge's order is the truth.
    pairs : tuple of JudgedPair
        Every other system compared with the first.
    n_resamples, seed : int
        Resamples of queries, for all intervals except those of the verdicts.
    """

    human: str
    machine: str
    n_queries: int
    n_other_queries: tuple[int, int]
    n_documents: int
    n_other_documents: tuple[int, int]
    grades: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    same: Estimate
    kappa: Estimate
    kappa_linear: Estimate
    kappa_quadratic: Estimate
    alpha: Estimate
    level: str
    rel: float
    relevant_same: Estimate
    relevant_kappa: Estimate
    measure: str | None
    depth: int | None
    means: Mapping[str, tuple[float, float]]
    tau: Estimate | None
    tau_ap: Estimate | None
    pairs: tuple[JudgedPair, ...]
    n_resamples: int
    seed: int

    def to_frame(self) -> pd.DataFrame:
        """Return a new frame with one row per statistic: ``statistic estimate low high pvalue``."""
        import pandas as pd

        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return pd.DataFrame(
            [
                {"statistic": name, **asdict(value)}
                for name, value in values.items()
                if isinstance(value, Estimate)
            ]
        )


@explained
def judge_agreement(
    human: object,  # whatever read_qrels reads
    machine: object,
    runs: Mapping[str, Any] | Sequence[Any] = (),
    *,
    measure: str = "nDCG@10",
    level: Level = "ordinal",
    rel: float = 1,
    margin: float | None = None,
    rng: RandomSource = 0,
) -> JudgeAgreement:
    """Measure how much two judges agree, and how their differences affect an evaluation.

    Source: Cohen (1960), Educational and Psychological Measurement 20, 37-46, and (1968),
    Psychological Bulletin 70, 213-220: kappa; Krippendorff (2011), Computing Krippendorff's
    alpha-reliability; Kendall (1945), Biometrika 33, 239-251, and Yilmaz, Aslam & Robertson (2008),
    SIGIR, 587-594: correlation of orders.

    Parameters
    ----------
    human, machine : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        Two sets of judgments; the first is the reference.
    runs : mapping of str to run, or list of them
        The first is the baseline of all others. Without runs only grades are compared.
    measure : str
        The measure that scores the runs.
    level : {"ordinal", "nominal"}
        Level of measurement of Krippendorff's alpha.
    rel : int or float
        Lowest relevant grade, for the agreement on relevance.
    margin : float, optional
        Smallest difference that matters, for the verdicts.
    rng : int, Generator, SeedSequence or None

    Raises
    ------
    AlignmentError
        If no document was judged by both.
    ArgumentError
        If there are more than 20 grades, or only one run.
    ReadError, NotFoundError
        If an input cannot be used.

    Notes
    -----
    Scores use the queries judged by both, each judge with all its judgments of these queries.
    Intervals are percentiles of resampled queries with all their documents. A judge's mean grade
    for documents of one human grade is treated as known.

    Examples
    --------
    >>> people = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 0}}
    >>> found = judge_agreement(people, {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 1, "d3": 0}})
    >>> found.table, found.same.estimate, found.kappa.estimate
    (((1, 1), (0, 2)), 0.75, 0.5)
    """
    judges = inputs.read_qrels(human), inputs.read_qrels(machine)
    (parsed,) = parse_measures([measure])
    runs_read = (
        {name: inputs.read_run(run) for name, run in named_runs(runs).items()} if runs else {}
    )
    if len(runs_read) == 1:
        raise ArgumentError("judges are compared on two runs or more, or on none; one was given")
    rel, seed = checks.relevant_grade("rel", rel), entropy(rng)
    queries = tuple(sorted(set(judges[0].query_ids) & set(judges[1].query_ids)))
    all_frames = [judge.frame() for judge in judges]
    frames = [frame.loc[frame["query_id"].isin(queries)] for frame in all_frames]
    judged_by_both = _documents(frames, queries)
    grades = tuple(sorted({*judged_by_both["human"].tolist(), *judged_by_both["machine"].tolist()}))
    if len(grades) > MAX_GRADES:
        raise ArgumentError(
            f"{len(grades)} grades are too many to compare one by one (at most {MAX_GRADES}):"
            " map them to few first"
        )
    first, second = (len(judge.query_ids) - len(queries) for judge in judges)
    first_documents, second_documents = (len(frame) - len(judged_by_both) for frame in frames)
    return JudgeAgreement(
        human=judges[0].name,
        machine=judges[1].name,
        n_queries=len(queries),
        n_other_queries=(first, second),
        n_documents=len(judged_by_both),
        n_other_documents=(first_documents, second_documents),
        **_by_grade(judged_by_both, grades, len(queries), level, rel, seed),
        **_on_runs(frames, judged_by_both, queries, runs_read, parsed, margin, seed),
        n_resamples=N_RESAMPLES,
        seed=seed,
    )


def _by_grade(
    documents: pd.DataFrame,
    grades: tuple[int, ...],
    n_queries: int,
    level: Level,
    rel: float,
    seed: int,
) -> dict[str, Any]:
    k = len(grades)
    row, column = (
        np.searchsorted(grades, documents[who].to_numpy()) for who in ("human", "machine")
    )
    cell = (documents["query"].to_numpy() * k + row) * k + column
    counts = np.bincount(cell, minlength=n_queries * k * k)
    tables: FloatArray = counts.reshape(n_queries, k, k).astype(np.float64)
    relevant = np.array([[grade >= rel for grade in grades]], np.float64)
    fold = np.concatenate([1.0 - relevant, relevant])
    binary_tables = fold @ tables @ fold.T
    symmetric = tables + np.swapaxes(tables, -1, -2)
    return {
        "grades": grades,
        "table": tuple(tuple(map(int, row)) for row in tables.sum(axis=0)),
        "same": _estimate(tables, _share_same, seed),
        "kappa": _estimate(tables, cohen_kappa, seed),
        "kappa_linear": _estimate(tables, partial(cohen_kappa, weights="linear"), seed),
        "kappa_quadratic": _estimate(tables, partial(cohen_kappa, weights="quadratic"), seed),
        "alpha": _estimate(symmetric, partial(krippendorff_alpha, level=level), seed),
        "level": level,
        "rel": rel,
        "relevant_same": _estimate(binary_tables, _share_same, seed),
        "relevant_kappa": _estimate(binary_tables, cohen_kappa, seed),
    }


def _documents(frames: list[pd.DataFrame], queries: tuple[str, ...]) -> pd.DataFrame:
    """Return the documents judged by both: query_id, doc_id, human, machine, query (an index)."""
    human, machine = (
        frame.rename(columns={"relevance": who})
        for frame, who in zip(frames, ("human", "machine"), strict=True)
    )
    merged = human.merge(machine, on=["query_id", "doc_id"])
    if merged.empty:
        shared = "no query" if not queries else "no document of their shared queries"
        raise AlignmentError(
            f"{shared} was judged by both: agreement needs judgments of the same query and"
            " document ids"
        )
    position_of = {query_id: i for i, query_id in enumerate(queries)}
    return merged.assign(query=merged["query_id"].map(position_of))


def _share_same(table: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1)))


def _estimate(
    per_query: FloatArray, statistic: Callable[[FloatArray], FloatArray], seed: int
) -> Estimate:
    """Return a statistic of sums over the queries, with its percentile interval."""
    n, shape = len(per_query), per_query.shape[1:]
    value = float(statistic(per_query.sum(axis=0)))
    means = resample_means(per_query.reshape(n, -1), n_resamples=N_RESAMPLES, seed=seed)
    resampled = statistic(n * means.reshape(-1, *shape))
    resampled = resampled[np.isfinite(resampled)]
    if n < 2 or not len(resampled) or not np.isfinite(value):
        return Estimate(value, np.nan, np.nan)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def _on_runs(
    frames: list[pd.DataFrame],
    documents: pd.DataFrame,
    queries: tuple[str, ...],
    runs: Mapping[str, inputs.Run],
    measure: Measure,
    margin: float | None,
    seed: int,
) -> dict[str, Any]:
    if not runs:
        nothing: dict[str, Any] = dict.fromkeys(("measure", "depth", "tau", "tau_ap"))
        return {**nothing, "means": {}, "pairs": ()}
    scored = [evaluate(frame, runs, [measure.name]) for frame in frames]
    means = [scores.means()[:, 0] for scores in scored]
    sign = 1.0 if measure.entry.higher_is_better else -1.0
    orders = sign * np.stack([scores.values[:, :, 0] for scores in scored], axis=1)
    depth = depth_of(measure, DEPTH_WITHOUT_CUTOFF)
    per_queries = {
        name: _per_query(documents, run, depth, len(queries)) for name, run in runs.items()
    }
    baseline, *rest = runs
    pairs = []
    for name in rest:
        human, machine = (
            compare_scores(scores, baseline=baseline, candidate=name, margin=margin, rng=seed)
            for scores in scored
        )
        # Test whether the difference of the two systems depends on the judge.
        row_of = {query_id: i for i, query_id in enumerate(machine.query_ids)}
        selected = [i for i, query_id in enumerate(human.query_ids) if query_id in row_of]
        rows = [row_of[human.query_ids[i]] for i in selected]
        apart = inference.run_test(
            "t", differences_of(machine.differences()[rows], human.differences()[selected])
        )
        sums_of_pair = np.stack([per_queries[baseline], per_queries[name]], axis=1)
        shares = _ratios(sums_of_pair.sum(axis=0))[..., 0]
        pairs.append(
            JudgedPair(
                baseline=baseline,
                candidate=name,
                human=_verdict(human),
                machine=_verdict(machine),
                apart=Estimate.of(apart),
                same_baseline=float(shares[0]),
                same_candidate=float(shares[1]),
                same_difference=_estimate(sums_of_pair, partial(_difference, quantity=0), seed),
                favour=_estimate(sums_of_pair, partial(_difference, quantity=1), seed),
            )
        )
    means_of_runs = zip(runs, *(mean.tolist() for mean in means), strict=True)
    return {
        "measure": measure.name,
        "depth": depth,
        "means": {name: (first, second) for name, first, second in means_of_runs},
        "tau": _estimate(orders, partial(_of_orders, kendall_tau), seed),
        "tau_ap": _estimate(orders, partial(_of_orders, tau_ap), seed),
        "pairs": tuple(pairs),
    }


def _of_orders(
    agreement: Callable[[FloatArray, FloatArray], FloatArray], sums: FloatArray
) -> FloatArray:
    """Return the agreement of two orders, from sums of scores [..., 2 judges, systems]."""
    step = max(1, SIGNS_AT_ONCE // sums.shape[-1] ** 2)
    means = sums.round(9).reshape(-1, *sums.shape[-2:])
    parts = [means[start : start + step] for start in range(0, len(means), step)]
    values = np.concatenate([agreement(part[:, 0], part[:, 1]) for part in parts])
    return values.reshape(sums.shape[:-2])


def _verdict(result: Comparison) -> JudgedVerdict:
    row = result.primary
    return JudgedVerdict(row.diff, *row.interval, row.pvalue, str(result.verdict))


def _per_query(documents: pd.DataFrame, run: inputs.Run, depth: int, n_queries: int) -> FloatArray:
    """Return per query, for top documents judged by both: number, equal grades, excess grades."""
    # The excess is the second judge's grade minus its mean for documents of that human grade.
    top = {
        (query_id, doc)
        for query_id in documents["query_id"].unique()
        for doc, _ in run.ranking(query_id, top=depth)
    }
    keys = zip(documents["query_id"], documents["doc_id"], strict=True)
    is_in_top = np.fromiter((key in top for key in keys), np.bool_, len(documents))
    mean_of_grade = documents.groupby("human")["machine"].transform("mean")
    query: IntArray = documents["query"].to_numpy()[is_in_top]
    quantities = (
        np.ones(len(documents)),
        (documents["human"] == documents["machine"]).to_numpy(np.float64),
        (documents["machine"] - mean_of_grade).to_numpy(np.float64),
    )
    sums = [np.bincount(query, values[is_in_top], minlength=n_queries) for values in quantities]
    return np.stack(sums, axis=-1)


def _ratios(sums: FloatArray) -> FloatArray:
    """Return equal and excess grades per document: [..., 2]; NaN without documents."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 1:] / sums[..., :1])


def _difference(sums: FloatArray, quantity: int) -> FloatArray:
    """Return B - A of one of the ratios, from sums [..., 2 systems, 3]."""
    ratio = _ratios(sums)[..., quantity]
    return np.asarray(ratio[..., 1] - ratio[..., 0])


def cohen_kappa(table: FloatArray, *, weights: Weights = "none") -> FloatArray:
    """Return Cohen's kappa over leading axes at once."""
    # Source: Cohen (1960), A coefficient of agreement for nominal scales, Educational and
    # Psychological Measurement 20, 37-46; (1968), Weighted kappa, Psychological Bulletin 70,
    # 213-220. `statsmodels` ``cohens_kappa`` takes one table, but here are 9,999 resamples.
    checks.one_of("weights", weights, WEIGHTS)
    grade = np.arange(table.shape[-1])
    distance = np.abs(grade[:, None] - grade).astype(np.float64) ** WEIGHTS.index(weights)
    np.fill_diagonal(distance, 0.0)
    observed = table.sum(axis=(-2, -1)) * (table * distance).sum(axis=(-2, -1))
    by_chance = np.einsum("...i,...j,ij->...", table.sum(axis=-1), table.sum(axis=-2), distance)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1.0 - observed / by_chance)


def krippendorff_alpha(coincidences: FloatArray, *, level: Level = "ordinal") -> FloatArray:
    """Return Krippendorff's alpha, over leading axes at once."""
    # Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    checks.one_of("level", level, get_args(Level))
    n = coincidences.sum(axis=-1)
    if level == "ordinal":
        mid_rank = np.cumsum(n, axis=-1) - n / 2.0
        distance = (mid_rank[..., :, None] - mid_rank[..., None, :]) ** 2
    else:
        distance = 1.0 - np.eye(coincidences.shape[-1])
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (n[..., :, None] * n[..., None, :] * distance).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1.0 - (n.sum(axis=-1) - 1.0) * observed / expected)
