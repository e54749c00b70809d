"""Cautions on a comparison, as codes and numbers; the report has the sentences."""

# Every caution appears in at most 5 % of samples of normal differences without an effect, for any
# sample size; reports/calibration has the rates. Cautions that depend on chance are tests at a
# level.  differences            cautions on their number and shape no query               none one
# query              none, because the verdict says that it is too few two queries            sign
# flips cannot reach alpha; otherwise as usual all 0                  none, because the verdict says
# it one value, not 0       only that all have one value one query differs      sign flips cannot
# reach alpha; ties, an outlier two values             as usual not finite             refused

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from abrank._support import lazy
from abrank._support.errors import ArgumentError
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import Audit
from abrank.measures import parse
from abrank.measures.names import ANY_GRADE, known, lowest_relevant
from abrank.measures.registry import MeasureEntry
from abrank.scoring.scores import Scores

__all__ = ["Note"]

# --- The class of cautions, and those from the rule and the differences

# Scores and differences are rounded to this number of decimals before they are written or compared
# with a bound, because 0.1 + 0.2 is not 0.3 in floats.
DECIMALS = 10
# Measures of interleaved lists besides the winner of the impression; and measures of votes (all
# except the first if every query was judged in both orders).
CREDITS = ("credit share", "credits")
SHARES = ("preference", "mean of orders", "A shown first", "B shown first")


@dataclass(frozen=True)
class Note:
    """A caution: a stable code, its numbers, and its severity (3 severe, 1 mild).

    Printing it gives the sentence from reports, with A and B as names.
    """

    code: str
    severity: int
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        text: str = lazy.attribute("abrank.report.sections.cautions", "sentence_of")(self)
        return text

    def __repr__(self) -> str:
        return f"<Note {self.code}: {self}>"


def most_severe_first(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return cautions in the order of their severity."""
    return tuple(sorted(notes, key=lambda note: -note.severity))


def outcomes(differences: FloatArray) -> IntArray:
    """Return +1 where B wins, -1 where A wins, 0 for a tie."""
    # Differences below 1e-10 of the largest one are ties. Rounding errors of equal scores were
    # already removed by `differences_of`.
    from abrank.inference.rounding import round_off  # the tests, which `score` does not need

    return np.sign(round_off(differences)).astype(np.int64)


def higher_is_better(measure: str) -> bool:
    """Whether higher is better; True for names that are no known measure."""
    entry = _entry(measure)
    return entry is None or bool(entry.higher_is_better)


def bounds(measure: str) -> tuple[float, float]:
    """Return the lowest and highest value of a measure, infinite if unknown."""
    if measure in (*SHARES, CREDITS[0]):
        return 0.0, 1.0
    entry = _entry(measure)
    low, high = (-np.inf, np.inf) if entry is None else entry.bounds
    return float(low), float(high)


def _entry(measure: str) -> MeasureEntry | None:
    result = known(measure)
    return None if result is None else result.entry


# With this number of queries, a few hundredths of a standard deviation are significant.
MANY_QUERIES = 10_000


def inspect_margin(
    margin: float,
    *,
    baseline: float,
    span: float,
    n_queries: int = 0,
    smallest_visible: float = 0.0,
) -> list[Note]:
    """Return the caution that a margin is too wide, or that many queries need a margin."""
    values = {"margin": margin, "baseline": baseline, "span": span}
    if margin > 0.0 and margin > abs(baseline):
        return [Note("margin-above-baseline", 3, values)]
    if margin > 0.5 * span:
        return [Note("margin-above-half-range", 3, values)]
    if not margin and n_queries >= MANY_QUERIES and smallest_visible > 0.0:
        values = {"n": n_queries, "smallest_visible": smallest_visible}
        return [Note("no-margin-many-queries", 2, values)]
    return []


# Share of normal samples in which an outlier is found.
OUTLIER_LEVEL = 0.05
FEW_CLUSTERS = 20

# Rejection rates of tests at 5 % without a difference, by number of queries, where they are clearly
# too high on real runs. From reports/calibration, over all measures.
FALSE_FINDINGS: Mapping[str, Mapping[int, float]] = {
    "wilcoxon": {50: 0.062, 100: 0.076, 250: 0.109},
    "sign": {50: 0.073, 100: 0.126, 250: 0.242},
}
# Tests whose smallest p-value belongs to equal signs of all differences.
BY_SIGNS = ("permutation", "wilcoxon", "sign")


class _Test(Protocol):
    @property
    def test(self) -> str: ...
    @property
    def pvalue(self) -> float: ...
    @property
    def decides(self) -> bool: ...


class _TestedRow(Protocol):
    @property
    def pvalue(self) -> float: ...
    @property
    def pvalue_adj(self) -> float: ...


class _Row(_TestedRow, Protocol):
    @property
    def measure(self) -> str: ...
    @property
    def reading(self) -> str: ...


def inspect_differences(
    differences: FloatArray, tests: Sequence[_Test], *, alpha: float, query_ids: Sequence[str]
) -> list[Note]:
    """Return the cautions on the per-query differences of the primary measure."""
    from abrank.inference.rounding import has_spread

    n = len(differences)
    if not np.all(np.isfinite(differences)):
        raise ArgumentError("differences must be finite numbers")
    differ = int(np.count_nonzero(outcomes(differences))) if n > 1 else 0
    if not differ:
        return []
    deciding = next((test for test in tests if test.decides), None)
    by = "" if deciding is None else deciding.test
    if not has_spread(differences):
        values = {"difference": float(differences[0]), "test": by}
        return [Note("constant-difference", 3, values)]
    is_significant = deciding is not None and deciding.pvalue < alpha
    lowest = 2.0 ** (1.0 - differ)  # the smallest two-sided p-value of sign flips
    notes = []
    blind = by if by in BY_SIGNS else ""
    if lowest >= alpha and (blind or is_significant):
        values = {"n": n, "differ": differ, "lowest": lowest, "test": blind}
        notes.append(Note("few-signs", 3 if blind else 2, values))
    by_t = next((test.pvalue for test in tests if test.test == "t"), 0.0)
    if is_significant and not by_t < alpha:
        # This test has a different hypothesis than equal means.
        rates = FALSE_FINDINGS.get(by, {})
        size = max((size for size in rates if size <= n), default=None)
        if size is not None:
            values = {"test": by, "n": size, "rate": rates[size], "t": by_t}
            notes.append(Note("not-about-the-mean", 2, values))
    return notes + _outlying(differences, deciding, alpha, query_ids)


def _outlying(
    differences: FloatArray, deciding: _Test | None, alpha: float, query_ids: Sequence[str]
) -> list[Note]:
    """Note an outlier query without which the decision changes."""
    # Leaving out a large difference changes a decision near alpha in about half of all samples, so
    # only outliers justify a caution.
    if deciding is None or deciding.test != "t":
        return []
    from abrank.inference.effect_size import rosner_outliers
    from abrank.inference.registry import run_test

    total = float(np.sum(differences))
    apart = rosner_outliers(differences, alpha=OUTLIER_LEVEL)
    apart = apart[differences[apart] * np.sign(total) > 0.0]
    if not apart.size:
        return []
    without = np.stack([np.delete(differences, place) for place in apart], axis=1)
    tested = run_test("t", without, confidence=1.0)
    stays = (tested.pvalue < alpha) & (tested.estimate * total > 0.0)
    if not deciding.pvalue < alpha or stays.all():
        return []
    first = int(np.argmin(stays))
    values = {
        "query_id": query_ids[int(apart[first])],
        "difference": float(differences[apart[first]]),
        "pvalue": float(tested.pvalue[first]),
    }
    return [Note("one-query-decides", 3, values)]


def inspect_skewness(
    moments: tuple[FloatArray, FloatArray, FloatArray],
    n_queries: int,
    rows: Sequence[_Row],
    *,
    alpha: float,
    primary: str,
    margin: float | None = None,
) -> list[Note]:
    """Return the caution that a significant result is not confirmed by t corrected for skewness."""
    # With a margin, `verdict` in its values is what the correction leaves of "better". `moments`
    # are mean, standard error and skewness of the differences by measure.
    significant = [i for i, row in enumerate(rows) if row.reading in ("better", "worse", "differs")]
    significant_rows = [rows[i] for i in significant]
    mean, error, skewness = (moment[significant] for moment in moments)
    pvalues, undone = undone_by_skewness(
        (mean, error, skewness), n_queries, significant_rows, n_family=len(rows), alpha=alpha
    )
    doubted = {significant_rows[i].measure: i for i in np.flatnonzero(undone).tolist()}
    if not doubted:
        return []
    first = primary if primary in doubted else next(iter(doubted))
    i = doubted[first]
    row = significant_rows[i]
    values: dict[str, Any] = {"primary": primary, "n": n_queries, "skewness": float(skewness[i])}
    values |= {"pvalue": float(pvalues[i]), "t": row.pvalue, "measures": [*doubted]}
    if margin is not None and first == primary and row.reading == "better":
        from abrank.inference.paired import skewed_t

        _, low, high = skewed_t(mean[[i]], error[[i]], skewness[[i]], n_queries, np.array([alpha]))
        if (low if mean[i] > 0.0 else -high) > -margin:
            values["verdict"] = "not-worse"
    return [Note("skewness-decides", 3 if first == primary else 2, values)]


def undone_by_skewness(
    moments: tuple[FloatArray, FloatArray, FloatArray],
    n_queries: int,
    rows: Sequence[_TestedRow],
    *,
    n_family: int,
    alpha: float,
) -> tuple[FloatArray, BoolArray]:
    """Return the p-values of t corrected for skewness, and which results they do not confirm."""
    # `moments` belong to `rows`, the significant rows in a family of `n_family`.
    from abrank.inference.paired import skewed_t, t_answer

    if not rows:
        return np.empty(0), np.empty(0, np.bool_)
    mean, error, skewness = moments
    levels = np.full(len(rows), alpha)
    by_t = t_answer(mean, error, n_queries - 1.0, levels)[1]
    pvalue = skewed_t(mean, error, skewness, n_queries, levels)[0]
    return pvalue, is_undone(pvalue, by_t, rows, n_family=n_family, alpha=alpha)


def is_undone(
    pvalue: FloatArray, by_t: FloatArray, rows: Sequence[_TestedRow], *, n_family: int, alpha: float
) -> BoolArray:
    """Return which significant rows in a family of ``n_family`` another p-value takes back."""
    unadjusted, adjusted = np.array([(row.pvalue, row.pvalue_adj) for row in rows]).T
    # Each is tested at the share of alpha that the adjustment gave it: adjusted p / unadjusted p,
    # at most the number of rows, because adjusted p-values from random flips have a minimum. The p
    # of flips may be below that of t.
    p_alone = np.maximum(unadjusted, by_t)
    factor = np.minimum(
        np.divide(adjusted, p_alone, where=unadjusted > 0.0, out=np.zeros_like(unadjusted)),
        n_family,
    )
    undone: BoolArray = (unadjusted > 0.0) & (pvalue * factor >= alpha)
    return undone


def inspect_clusters(
    n_clusters: int, n_effective: float, *, requested: str, decides: str
) -> list[Note]:
    """Return the cautions on the number of clusters."""
    from abrank.inference.clusters import FEWEST_EFFECTIVE, FEWEST_TO_FLIP

    # t needs 3 effective clusters, the bootstrap 7; with fewer than 6 clusters sign flips cannot
    # reach .05. With fewer than 20 the bootstrap's error may be too small if clusters differ in
    # size.
    if n_effective < FEWEST_EFFECTIVE[requested]:
        values = {"n": n_clusters, "too_few": decides == requested}
        of_test = {"n_effective": n_effective, "test": requested}
        return [Note("few-clusters", 3, {**values, **of_test})]
    too_few = decides == "permutation" and n_clusters < FEWEST_TO_FLIP
    if too_few or (decides == "bootstrap" and n_clusters < FEW_CLUSTERS):
        return [Note("few-clusters", 3 if too_few else 2, {"n": n_clusters, "too_few": too_few})]
    return []


# --- Runs and judgments: missing queries, unjudged documents, unequal depth, identical files

# A note on one run has its `system`: `a` or `b` in a comparison, else its name.

# Runs have the same depth if the shorter one has at least this share of the longer one's documents.
SAME_DEPTH = 0.8


@dataclass(frozen=True, eq=False)
class UnequalDepth:
    """Runs of unequal depth."""

    # Median number of retrieved documents over the queries with results, by system.
    medians: Mapping[str, float]
    # The common depth: the smallest median.
    depth: int
    # Scores with all runs cut at the common depth, for measures that look deeper.
    cut: Scores


def unequal_depth(scores: Scores) -> UnequalDepth | None:
    """Return the depths of the runs and their scores at a common depth, if depths differ."""
    if (
        len(scores.systems) < 2
        or set(scores.systems) - set(scores.judged_runs)
        or not scores.query_ids
    ):
        return None
    medians = {}
    for system in scores.systems:
        n_retrieved = scores.judged_runs[system].judged.n_retrieved
        with_results = n_retrieved[n_retrieved > 0]
        median = float(np.median(with_results)) if with_results.size else 0.0
        medians[system] = int(median) if median.is_integer() else median
    depth = int(min(medians.values()))
    if depth < 1 or depth >= SAME_DEPTH * max(medians.values()):
        return None
    cutoffs = {name: dict(parse(name).parameters).get("cutoff") for name in scores.measures}
    deep = [name for name, k in cutoffs.items() if not (isinstance(k, int) and k <= depth)]
    if not deep:
        return None
    cut = scores.rescored(lambda judged: judged.top(depth), measures=deep)
    before = scores.values[:, :, [scores.measures.index(name) for name in deep]]
    changed = np.flatnonzero((cut.values != before).any(axis=(0, 1)))
    if not changed.size:
        return None
    names = tuple(deep[i] for i in changed)
    cut = replace(cut, measures=names, values=cut.values[:, :, changed])
    return UnequalDepth(medians, depth, cut)


# If more than this share of the judged queries is missing, this is the first caution.
MANY_MISSING = 0.01
N_LISTED = 3


def missing_policy(
    audits: Sequence[Audit], query_ids: Sequence[str]
) -> Literal["zero", "drop"] | None:
    """Return how missing queries were treated; None if no run lacks a judged query."""
    lacking = next((audit.missing[0] for audit in audits if audit.missing), None)
    if lacking is None:
        return None
    return "zero" if lacking in query_ids else "drop"


def inspect_gaps(scores: Scores) -> list[Note]:
    """Return the caution that scores of a pair were missing, and how they were treated."""
    if scores.gaps is None:
        return []
    failed = np.asarray(np.isnan(scores.gaps.values).any(axis=2))
    a, b = failed.sum(axis=0).tolist()
    values = {"a": a, "b": b, "both": int(failed.all(axis=1).sum()), "n": len(failed)}
    return [Note("missing-scores", 2, {**values, "left": len(scores.query_ids)})]


def inspect_run(system: str, audit: Audit, policy: str | None = None) -> list[Note]:
    """Return the cautions on one run and its judgments."""
    notes = []
    counts = {"system": system, "n_judged": audit.n_judged_rows, "n_rows": audit.n_rows}
    if audit.document_ids is not None:  # they are written differently
        notes.append(Note("document-ids", 3, counts | asdict(audit.document_ids)))
    elif audit.n_judged_rows == 0:
        notes.append(Note("none-judged", 3, counts))
    if audit.missing:
        is_many = len(audit.missing) > MANY_MISSING * audit.n_queries
        values: dict[str, Any] = {
            "system": system,
            "count": len(audit.missing),
            "ids": list(audit.missing[:N_LISTED]),
            "n_queries": audit.n_queries,
        }
        if policy is not None:
            values["policy"] = policy
        if audit.query_ids is not None:
            values["difference"] = asdict(audit.query_ids)
        notes.append(Note("missing-queries", 3 if is_many else 2, values))
    if audit.n_rank_conflicts:
        values = {"system": system, "count": audit.n_rank_conflicts}
        notes.append(Note("rank-conflicts", 1, values))
    if len(audit.tags) > 1:
        values = {"system": system, "tags": list(audit.tags[:N_LISTED])}
        notes.append(Note("several-tags", 1, values))
    return notes


def inspect_relevance(
    means: Mapping[str, Sequence[float]], audits: Iterable[Audit], *, primary: str | None = None
) -> list[Note]:
    """Return the caution that the judgments have no relevant document for a measure."""
    grades = {grade for audit in audits for grade in audit.grades}
    if not grades:
        return []
    result: dict[float, list[str]] = {}
    for measure, of_systems in means.items():
        rel = lowest_relevant(measure)
        if rel > max(grades) and not any(of_systems):
            result.setdefault(rel, []).append(measure)
    return [
        Note(
            "none-relevant",
            3 if primary is None or primary in measures else 2,
            {"measures": measures, "rel": 1 if rel == ANY_GRADE else rel, "highest": max(grades)},
        )
        for rel, measures in result.items()
    ]


def inspect_depth(
    deep: UnequalDepth | None,
    scores: Scores,
    *,
    keys: Sequence[str] | None = None,
    primary: str | None = None,
) -> list[Note]:
    """Return the caution that runs differ in depth."""
    if deep is None:
        return []
    names = deep.cut.measures
    differences = {}
    if keys is not None:
        columns = [scores.measures.index(name) for name in names]
        before, after = scores.means()[:, columns], deep.cut.means()
        pairs = zip((before[1] - before[0]).tolist(), (after[1] - after[0]).tolist(), strict=True)
        differences = {name: list(pair) for name, pair in zip(names, pairs, strict=True)}
    values = {
        "medians": dict(zip(keys or scores.systems, deep.medians.values(), strict=True)),
        "depth": deep.depth,
        "measures": list(names),
        "differences": differences,
    }
    return [Note("unequal-depth", 3 if primary is None or primary in names else 2, values)]


def inspect_systems(scores: Scores) -> list[Note]:
    """Return the cautions on any number of runs, most severe first."""
    audits = scores.audits
    policy = missing_policy([*audits.values()], scores.query_ids)
    notes = [note for key, audit in audits.items() for note in inspect_run(key, audit, policy)]
    means = dict(zip(scores.measures, scores.means().T.tolist(), strict=True))
    notes += inspect_relevance(means, audits.values())
    notes += inspect_depth(unequal_depth(scores), scores)
    of_file: dict[str, list[str]] = {}
    visited: set[int] = set()
    for system, source in scores.sources.items():
        # One file of ready scores may contain several systems.
        if source.sha256 and id(source) not in visited:
            visited.add(id(source))
            of_file.setdefault(source.sha256, []).append(system)
    notes += [
        Note("same-file", 2, {"systems": systems, "sha256": sha256})
        for sha256, systems in of_file.items()
        if len(systems) > 1
    ]
    return sorted(notes, key=lambda note: -note.severity)


def inspect_inputs(audits: Mapping[str, Audit], query_ids: Sequence[str] = ()) -> list[Note]:
    """Return the cautions on missing queries and irregular files."""
    if set(audits) != {"a", "b"}:
        return []
    policy = missing_policy([audits["a"], audits["b"]], query_ids)
    return [note for key in "ab" for note in inspect_run(key, audits[key], policy)]


def lists_only_relevant(audits: Mapping[str, Audit]) -> bool:
    """Whether the judgments contain relevant documents only."""
    # Then it is unknown which of the other documents were judged.
    grades = {grade for audit in audits.values() for grade in audit.grades}
    return bool(grades) and min(grades) > 0
