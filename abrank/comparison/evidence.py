"""Evidence beyond the scores: ranked documents, curves, and alternative analyses."""

# Each alternative changes one choice: the queries, the documents or the depth. The same rule then
# shows whether the verdict depends on that choice.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from abrank import inference
from abrank._support.display import plural
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.diagnostics import UnequalDepth, lists_only_relevant, missing_policy
from abrank.estimate import IntervalRow
from abrank.inference.equivalence import RelativeChange
from abrank.inputs import JudgedRun, JudgedSource, ids
from abrank.measures import Measure, parse
from abrank.measures.names import lowest_relevant
from abrank.measures.sensitivity import extremes
from abrank.scoring.judging import ToJudge, top_documents_to_judge
from abrank.scoring.scores import Scores, fill_gaps
from abrank.verdict import Rule, Verdict

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
LIST_ALL = 1_500
MOST_UNJUDGED = 20_000

# Documents with their grades in rank order; the grade of an unjudged document is None.
RankedList: TypeAlias = tuple[tuple[str, int | float | None], ...]
Range: TypeAlias = tuple[float, float]


@record
class CutoffCurve:
    """The primary measure at increasing cut-offs, with t intervals of the difference."""

    # All arrays have the length of `cutoffs`. `judged_a` and `judged_b` are mean shares of judged
    # documents down to each cut-off; `measure` is the name without cut-off.

    measure: str
    cutoffs: tuple[int, ...]
    mean_a: tuple[float, ...]
    mean_b: tuple[float, ...]
    diff: tuple[float, ...]
    ci_low: tuple[float, ...]
    ci_high: tuple[float, ...]
    judged_a: tuple[float, ...]
    judged_b: tuple[float, ...]


@dataclass(frozen=True)
class RunDetails:
    """What the runs show besides their scores; empty if ready scores were compared."""

    # The first documents of A and of B, by query id. With very many queries: only of the 500 worst,
    # the 500 best, and 500 spread between them.
    rankings: Mapping[str, tuple[RankedList, RankedList]] = field(default_factory=dict)
    # Lowest and highest mean difference over all orders of tied documents. None without ties, and
    # for diversity measures, whose worst order is not known.
    tie_range: Range | None = None
    # Numbers of unjudged documents of A and B within the cut-off of the primary measure.
    n_unjudged: tuple[int, int] = (0, 0)
    # None if the primary measure has no cut-off.
    cutoff_curve: CutoffCurve | None = None
    # The unjudged documents that could change the mean difference most. None if there are none, or
    # if the primary measure looks deeper than the stored ranks.
    to_judge: ToJudge | None = None
    # By query id and document: relevant documents near the top of only one list, with their rank in
    # the other list, 0 if not retrieved there.
    elsewhere: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    # Title, or start of the text, of the documents shown, if provided.
    documents: Mapping[str, str] = field(default_factory=dict)


def collect_details(scores: Scores, measure: Measure | None, differences: FloatArray) -> RunDetails:
    """Collect the evidence from the runs for a comparison by a primary measure."""
    has_runs = scores.judged_runs.keys() >= set(scores.systems)
    if measure is None or not has_runs or not scores.query_ids:
        return RunDetails()
    a, b = (scores.judged_runs[system] for system in scores.systems)
    place = {query_id: i for i, query_id in enumerate(a.judged.query_ids)}
    rows = np.array([place[query_id] for query_id in scores.query_ids])
    tied = any((item.judged.tie_last > item.judged.tie_first).any() for item in (a, b))
    ties = None
    if tied and measure.entry.needs != "subtopics":
        # Each system takes its own worst and best order.
        (low_a, high_a), (low_b, high_b) = (extremes(measure, item.judged) for item in (a, b))
        ties = float((low_b - high_a)[rows].mean()), float((high_b - low_a)[rows].mean())
    cutoff = dict(measure.parameters).get("cutoff")
    depth = cutoff if isinstance(cutoff, int) else None
    n_unjudged = _unjudged(a.judged, rows, depth), _unjudged(b.judged, rows, depth)
    few = sum(n_unjudged) <= MOST_UNJUDGED and measure.entry.needs is None
    order = np.argsort(differences, kind="stable")
    if len(order) > LIST_ALL:  # the worst queries, the best, and some between
        third = LIST_ALL // 3
        spread = np.linspace(third, len(order) - third - 1, third).astype(np.int64)
        order = np.concatenate([order[:third], order[spread], order[-third:]])
    chosen = rows[order]
    rankings = {}
    if a.top_docs.rank.size or b.top_docs.rank.size:
        first_a, first_b = (_first(item, chosen) for item in (a, b))
        rankings = {
            a.judged.query_ids[i]: (first_a.get(i, ()), first_b.get(i, ()))
            for i in sorted(chosen.tolist())
        }
    return RunDetails(
        rankings=rankings,
        elsewhere=_elsewhere(a, b, chosen, rel=lowest_relevant(measure)),
        tie_range=ties,
        n_unjudged=n_unjudged,
        cutoff_curve=_cutoff_curve(measure, a.judged, b.judged, rows),
        to_judge=top_documents_to_judge(measure, a, b, rows) if few and any(n_unjudged) else None,
    )


def _unjudged(judged: JudgedRun, selected: IntArray, depth: int | None) -> int:
    length = judged.n_retrieved if depth is None else np.minimum(judged.n_retrieved, depth)
    within = judged.query[judged.rank <= length[judged.query]]
    count = np.bincount(within, minlength=judged.n_queries)
    return int((length - count)[selected].sum())


def _first(reading: JudgedSource, chosen: IntArray) -> dict[int, RankedList]:
    """Return the first documents of each chosen query with their grades."""
    top, judged = reading.top_docs, reading.judged
    depth = int(top.rank.max(initial=0))
    listed = np.flatnonzero((judged.rank <= depth) & np.isin(judged.query, chosen))
    places = zip(judged.query[listed].tolist(), judged.rank[listed].tolist(), strict=True)
    grade = dict(zip(places, judged.grade[listed].tolist(), strict=True))
    rows = np.flatnonzero(np.isin(top.query, chosen))
    result: dict[int, list[tuple[str, float | None]]] = {}
    docs = ids.decode(ids.take(top.docs, rows))
    places = zip(top.query[rows].tolist(), top.rank[rows].tolist(), strict=True)
    for doc, place in zip(docs, places, strict=True):
        result.setdefault(place[0], []).append((doc, grade.get(place)))
    return {query: tuple(item) for query, item in result.items()}


def _elsewhere(
    a: JudgedSource, b: JudgedSource, chosen: IntArray, *, rel: float
) -> dict[str, dict[str, int]]:
    """Find relevant documents near the top of only one list, and their rank in the other."""
    # By query id and document; rank 0 means not retrieved.
    result: dict[str, dict[str, int]] = {}
    for run, other in ((a, b), (b, a)):
        judged, theirs = run.judged, other.judged
        if judged.judgment is None or theirs.judgment is None:
            return {}
        depth, other_depth = (int(item.top_docs.rank.max(initial=0)) for item in (run, other))
        rows = np.flatnonzero(
            (judged.rank <= depth) & (judged.grade >= rel) & np.isin(judged.query, chosen)
        )
        maximum = max(int(item.max(initial=0)) for item in (judged.judgment, theirs.judgment))
        place = np.zeros(1 + maximum, dtype=np.int64)
        place[theirs.judgment] = theirs.rank
        rank = place[judged.judgment[rows]]
        gone = (rank == 0) | (rank > other_depth)
        rows, rank = rows[gone], rank[gone]
        top, beyond = run.top_docs, depth + 1
        position = np.searchsorted(
            top.query * beyond + top.rank, judged.query[rows] * beyond + judged.rank[rows]
        )
        docs = ids.decode(ids.take(top.docs, position))
        for query, doc, its in zip(judged.query[rows].tolist(), docs, rank.tolist(), strict=True):
            result.setdefault(judged.query_ids[query], {})[doc] = its
    return result


def _cutoff_curve(
    measure: Measure, a: JudgedRun, b: JudgedRun, selected: IntArray
) -> CutoffCurve | None:
    parameters = dict(measure.parameters)
    cutoff = parameters.pop("cutoff", None)
    if not isinstance(cutoff, int):
        return None
    longest = max(int(a.n_retrieved.max(initial=1)), int(b.n_retrieved.max(initial=1)), cutoff)
    cutoffs = sorted({k for k in CUTOFFS if k <= longest} | {cutoff})
    by_cutoff = [measure.entry.with_parameters(parameters | {"cutoff": k}) for k in cutoffs]
    values = [np.stack([item(run)[selected] for item in by_cutoff], axis=1) for run in (a, b)]
    test = inference.run_test("t", values[1] - values[0])
    judged = [parse(f"Judged@{k}") for k in cutoffs]
    return CutoffCurve(
        measure=by_cutoff[0].name.rpartition("@")[0],
        cutoffs=tuple(cutoffs),
        mean_a=_floats(values[0].mean(axis=0)),
        mean_b=_floats(values[1].mean(axis=0)),
        diff=_floats(test.estimate),
        ci_low=_floats(test.ci_low),
        ci_high=_floats(test.ci_high),
        judged_a=_floats([item(a)[selected].mean() for item in judged]),
        judged_b=_floats([item(b)[selected].mean() for item in judged]),
    )


def _floats(values: Sequence[float] | FloatArray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


Kind: TypeAlias = Literal[
    "shared-queries", "missing-as-zero", "failed-dropped", "failed-worst", "failed-best",
    "judged-only", "partly-condensed", "common-depth", "whole-clusters", "without-supporting",
]  # fmt: skip
# Alternatives that need the runs or the table of scores.
OF_RUNS = frozenset[Kind]([
    "missing-as-zero", "failed-dropped", "failed-worst", "failed-best", "judged-only",
    "partly-condensed", "common-depth", "whole-clusters",
])  # fmt: skip
FAILED: Mapping[Kind, str] = {
    "failed-dropped": "drop", "failed-worst": "worst", "failed-best": "best",
}  # fmt: skip
# `partly-condensed` lies this far between counting unjudged documents as not relevant and leaving
# them out. In reports/calibration/doubt this weight best predicts which verdicts change when
# further documents are judged.
CONDENSED_WEIGHT = 2.0 / 3.0
# At most this share and this number of queries are left out one after the other. Of pairs of runs
# on 50 TREC topics with p < 0.05, 9 % (adhoc 7, AP) and 19 % (web 2012, nDCG@20) lose significance.
# With half of the topics as the study, the other half failed to confirm 51 % and 57 % of those that
# lose it, and 14 % and 43 % of those that keep it.
SHARE_LEFT_OUT, MOST_LEFT_OUT = 0.05, 10


@record
class Alternative(IntervalRow):
    """The result of the primary measure under another choice.

    Attributes
    ----------
    kind : str
        ``shared-queries``: only queries that both runs have. ``missing-as-zero``: all judged
        queries, if missing ones were dropped. ``failed-dropped``, ``failed-worst``,
        ``failed-best``: ready scores, with queries that lack a score left out, or with missing
        scores set to the worst or best possible value. ``judged-only``: without unjudged documents.
        ``partly-condensed``: two thirds of the way from unjudged documents as not relevant to
        ``judged-only``. ``common-depth``: both runs cut at ``depth``. ``whole-clusters``: tested by
        the clusters in a column of the table, such as users. ``without-supporting``: without the
        fewest queries whose removal, strongest support first, changes the verdict; only if they are
        few.
    n_queries : int
    mean_a, mean_b, diff : float
        Means, and the mean difference B - A.
    ci_low, ci_high, pvalue : float
        By the test that decides.
    verdict : Verdict
        By the declared rule.
    changes : bool
        Whether the verdict differs from the one of the declared analysis.
    depth : int or None
        Depth of ``common-depth``.
    left_out : tuple of str
        Query ids that ``without-supporting`` leaves out, in order.
    relative : RelativeChange or None
        The change as a share of A's mean, if the margin is relative.
    clusters : str
        Column name of ``whole-clusters``.
    """

    kind: Kind
    n_queries: int
    mean_a: float
    mean_b: float
    diff: float
    ci_low: float
    ci_high: float
    pvalue: float
    verdict: Verdict
    changes: bool
    depth: int | None = None
    left_out: tuple[str, ...] = ()
    relative: RelativeChange | None = None
    clusters: str = ""


class OtherChoice(NamedTuple):
    """Another choice, and the scores of the primary measure under it."""

    kind: Kind
    scores: Scores
    depth: int | None = None
    left_out: tuple[str, ...] = ()
    clusters: str = ""


def other_choices(
    scores: Scores,
    rule: Rule,
    definition: Measure | None,
    deep: UnequalDepth | None,
    *,
    unjudged: bool,
) -> Iterator[OtherChoice]:
    """Yield the alternatives that apply; ``definition`` is that of the primary measure."""
    declared = scores.take([rule.primary])
    yield from treatments(declared, deep, lower=() if rule.higher_is_better else (rule.primary,))
    # Known measures that do not already ignore unjudged documents.
    can_be_condensed = definition is not None and (
        any(parameter.name == "judged_only" for parameter in definition.entry.parameters)
        and not dict(definition.parameters).get("judged_only")
    )
    if unjudged and declared.judged_runs and can_be_condensed:
        condensed = declared.rescored(JudgedRun.condensed)
        if (condensed.values != declared.values).any():
            yield OtherChoice("judged-only", condensed)
            # With judgments of relevant documents only, condensed rankings would hold only these.
            if not lists_only_relevant(declared.audits):
                moved = condensed.values - declared.values
                values = declared.values + CONDENSED_WEIGHT * moved
                yield OtherChoice("partly-condensed", replace(declared, values=values))


def treatments(
    scores: Scores, deep: UnequalDepth | None, *, lower: Sequence[str] = ()
) -> Iterator[OtherChoice]:
    """Yield the same measures with missing data treated differently, and at a common depth."""
    # The alternative policy for queries that a run lacks.
    audits = [scores.audits[system] for system in scores.systems if system in scores.audits]
    policy = missing_policy(audits, scores.query_ids)
    if policy == "drop" and scores.judged_runs:
        query_ids = scores.judged_runs[scores.systems[0]].judged.query_ids
        yield OtherChoice("missing-as-zero", scores.rescored(lambda run: run, query_ids=query_ids))
    elif policy == "zero":
        lacking = {query_id for audit in audits for query_id in audit.missing}
        rows = [i for i, query_id in enumerate(scores.query_ids) if query_id in lacking]
        yield OtherChoice("shared-queries", _without(scores, rows))
    if scores.gaps is not None:
        everything = scores.gaps.take(scores.measures)
        for kind, options in FAILED.items():
            second = fill_gaps(everything, options, lower_is_better=lower)
            if not np.array_equal(second.values, scores.values):
                yield OtherChoice(kind, second)
    places = {} if deep is None else {name: i for i, name in enumerate(deep.cut.measures)}
    touched = [name for name in scores.measures if name in places]
    if deep is not None and touched:
        values = scores.values.copy()
        for name in touched:
            values[:, :, scores.measures.index(name)] = deep.cut.values[:, :, places[name]]
        yield OtherChoice("common-depth", replace(scores, values=values), depth=deep.depth)


def _without(scores: Scores, rows: Sequence[int]) -> Scores:
    stays = np.ones(len(scores.query_ids), dtype=np.bool_)
    stays[list(rows)] = False
    query_ids = tuple(compress(scores.query_ids, stays.tolist()))
    return replace(scores, query_ids=query_ids, values=scores.values[stays])


def without_supporting(scores: Scores, measure: str, gains: FloatArray) -> Iterator[OtherChoice]:
    """Yield the scores of a measure without the queries with the largest gains."""
    # First without all that may be left out, then without one, two, and so on.
    declared = scores.take([measure])
    n_left_out = min(MOST_LEFT_OUT, int(SHARE_LEFT_OUT * len(gains)))
    if not n_left_out:
        return
    order = np.argsort(-gains, kind="stable")[:n_left_out].tolist()
    for count in (n_left_out, *range(1, n_left_out + 1)):
        left_out = tuple(scores.query_ids[place] for place in order[:count])
        without = _without(declared, order[:count])
        yield OtherChoice("without-supporting", without, left_out=left_out)


EACH_END = 25  # queries at each end (largest losses, largest gains) whose documents have titles
SNIPPET = 120  # characters of a title or text
DEPTH = 20  # maximum ranks of a displayed list


def find_titles(
    docs: object,  # a path or mapping
    evidence: RunDetails,
    definition: Measure | None,
    query_ids: Sequence[str],
    differences: FloatArray,
) -> tuple[dict[str, str], str]:
    """Return titles of the displayed documents, and a remark if none is found."""
    if not evidence.rankings:
        raise ArgumentError(
            "--docs (docs=) gives titles to the documents of ranked lists, and here are none: ready"
            " scores were compared, or runs scored partition by partition; leave it out"
        )
    from abrank.inputs.topics import read_documents

    cutoff = None if definition is None else dict(definition.parameters).get("cutoff")
    depth = min(cutoff, DEPTH) if isinstance(cutoff, int) else DEPTH // 2
    order = np.argsort(differences, kind="stable")
    ends = {query_ids[i] for i in (*order[:EACH_END].tolist(), *order[-EACH_END:].tolist())}
    lists = (item for query in ends for item in evidence.rankings.get(query, ()))
    doc_ids = {doc for ranking in lists for doc, _ in ranking[:depth]}
    if evidence.to_judge is not None:
        doc_ids |= {document.doc_id for document in evidence.to_judge.documents}
    documents = read_documents(docs, doc_ids, longest=SNIPPET)
    none = (
        f"the file of documents has none of the {plural(len(doc_ids), 'document')} that are shown"
    )
    return documents, "" if documents else none
