"""The agreement of two judges of the same documents."""

from __future__ import annotations

from collections.abc import Mapping

from abrank._support.records import record
from abrank._support.result import Printed
from abrank.estimate import Estimate


@record
class JudgedVerdict(Estimate):
    """The comparison of two systems by one judge: the difference B - A, and the verdict."""

    verdict: str = ""


@record
class JudgedPair:
    """Two systems under both judges.

    Attributes
    ----------
    baseline, candidate : str
    human, machine : JudgedVerdict
    apart : Estimate
        The human difference B - A less the machine's, by the paired t test: infinite limits and no
        p of one query. Two verdicts that differ need not be apart: one may just reach its level.
    same_baseline, same_candidate : float
        Share of each system's documents to which both judges give the same grade.
    same_difference : Estimate
        The candidate's share less the baseline's.
    favour : Estimate
        Grades that the second judge gives the candidate's documents above those it gives the
        baseline's documents of the same human grade: above 0 it favours the candidate.
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
    """How far two judges agree.

    Attributes
    ----------
    human, machine : str
        Names of the two files.
    n_queries : int
        Queries that both judged; the rest is left out.
    n_other_queries : pair of int
        Queries of the first alone, of the second alone.
    n_documents : int
        Documents of these queries that both judged.
    n_other_documents : pair of int
        Documents of these queries that only one judged.
    grades : tuple of int
    table : tuple of tuple of int
        Documents by the first judge's grade (rows) and the second's (columns).
    same : Estimate
        Share of the documents with the same grade.
    kappa, kappa_linear, kappa_quadratic, alpha : Estimate
        Cohen's without weights, with weights by the grades between and by their square; and
        Krippendorff's.
    level : str
        Of alpha: ordinal or nominal.
    rel : int
        Lowest grade that is relevant.
    relevant_same, relevant_kappa : Estimate
        The same of two grades: relevant or not.
    measure : str or None
        None without runs, as are the rest.
    depth : int or None
        Ranks whose documents tell whether a system is favoured.
    means : mapping of str to pair of float
        Mean score of each system by either judge.
    tau, tau_ap : Estimate or None
        Of the two orders; the first judge's is the truth.
    pairs : tuple of JudgedPair
        Every other system against the first.
    n_resamples, seed : int
        Of the queries, for all intervals but those of the verdicts.
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
    rel: int
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
