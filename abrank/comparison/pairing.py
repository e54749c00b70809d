"""Ready scores of two systems, paired by query."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, combinations, product
from typing import NoReturn
from unicodedata import normalize

import numpy as np

from abrank._support.errors import AlignmentError, ArgumentError, UnclearError, UnpairedError
from abrank._support.typing import BoolArray, FloatArray, Missing
from abrank.comparison.two_systems import BY_POSITION, read_two, system_names
from abrank.diagnostics import bounds
from abrank.inputs import ids
from abrank.inputs.exports import INDEX, LOG_OF
from abrank.inputs.score_reading import Reading, TableOptions
from abrank.measures.names import asks_direction, known, known_among, listed
from abrank.scoring.scores import Scores

SAME_UNITS = (
    "--independent (design=Independent()) is for two groups of different users: here A and B have"
    " scores of the same units, which are paired; leave it out"
)


def pair_scores(
    a: object,  # Series, dict, or what read_scores reads
    b: object = None,
    *,
    baseline: str | int | None = None,
    candidate: str | int | None = None,
    name_a: str | None = None,
    name_b: str | None = None,
    measures: Sequence[str] | str | None = None,
    missing: Missing = "error",
    lower_is_better: Sequence[str] | str = (),
    options: TableOptions | None = None,
    independent: bool = False,
) -> Scores:
    """Pair the scores of two systems by query id.

    Parameters
    ----------
    a, b : Series, dict, list, array, or what read_scores reads
        Baseline and candidate; lists and arrays are paired by position. Without ``b``, ``a`` holds
        several systems.
    baseline, candidate : str or int, optional
        The systems to use if a source has several: names of variants, or ``column=value`` for the
        mean over all variants with this value. Default: a variant called control, baseline, old,
        production or similar, and the only other one.
    name_a, name_b : str, optional
        Names of the systems in the result.
    measures : sequence of str, optional
        Measures in any common spelling. Default: all, which must be the same for both. For
        independent groups, ``"clicks/impressions"`` is the ratio of two sums; see
        :func:`with_ratios`.
    missing : {"error", "drop", "worst", "zero"}
        How to treat a query for which one system has no score.
    lower_is_better : str or sequence of str
        Names of scores for which lower is better.
    options : TableOptions, optional
        The declared roles of the columns.
    independent : bool
        Whether the two are groups of different users. Then each unit has a score in one group and
        NaN in the other.

    Returns
    -------
    Scores
        Two systems, baseline first. If both were evaluated with the same judgments (in one call or
        from one file), the details of :func:`abrank.evaluate` are kept.

    Raises
    ------
    AlignmentError
        If the query ids or the measures of the two differ.
    ReadError, ArgumentError
        As for read_scores, or if it is not clear which systems to compare.

    Examples
    --------
    >>> pair_scores({"q1": 0.2, "q2": 0.4}, {"q2": 0.6, "q1": 0.3}).values[:, :, 0]
    array([[0.2, 0.3],
           [0.4, 0.6]])
    """
    from abrank.scoring.scores import resolve_missing

    # Names of variants may be numbers or truth values.
    baseline, candidate = (None if name is None else str(name) for name in (baseline, candidate))
    names_of_measures = None if measures is None else tuple(listed(measures))
    ratios = {name: parts for name in names_of_measures or () if (parts := _ratio_of(name))}
    options = replace(
        options or TableOptions(),
        measures=(*(names_of_measures or ()), *chain.from_iterable(ratios.values())),
        summed=tuple(chain.from_iterable(ratios.values())),
        purpose="rank" if baseline or candidate else "compare",
        missing=missing,
        lower_is_better=tuple(listed(lower_is_better)),
        systems=tuple(filter(None, (baseline, candidate))),
    )
    first, second = read_two(
        a, b, options, (baseline, candidate), (name_a, name_b), independent=independent
    )
    names = system_names(name_a or first.systems[0], name_b or second.systems[0])
    spelled = {name.casefold(): name for name in first.measures}  # CTR and ctr are the same
    alike = [spelled.get(name.casefold(), name) for name in second.measures]
    if len({*alike}) == len(alike):
        second = replace(second, measures=tuple(alike))
    ratios = {
        name: parts for name, parts in ratios.items()
        if name not in first.measures and {*parts} <= {*first.measures} & {*second.measures}
    }  # fmt: skip
    if ratios and not independent:
        raise ArgumentError(
            f"{next(iter(ratios))}: a ratio of sums is compared between independent groups"
            " (--independent, design=abrank.Independent()); of queries, give each its own ratio"
        )
    chosen = _chosen(first, second, measures if not ratios else [
        part for name in names_of_measures or () for part in ratios.get(name, (name,))
    ])  # fmt: skip
    first, second, expected = _on_same_queries(
        first, second, chosen, missing=missing, independent=independent, sources=(a, b)
    )
    columns = [scores.take(chosen).values[:, 0].T for scores in (first, second)]
    sources = [next(iter(scores.sources.values()), None) for scores in (first, second)]
    judged = (
        dict(zip(names, (first, second), strict=True)) if _one_judgment(first, second, b) else {}
    )
    paired = Scores(
        query_ids=first.query_ids,
        systems=names,
        measures=chosen,
        values=np.stack(columns, axis=1).T,
        audits={name: scores.audits[scores.systems[0]] for name, scores in judged.items()},
        sources={name: source for name, source in zip(names, sources, strict=True) if source},
        judged_runs={
            name: scores.judged_runs[scores.systems[0]] for name, scores in judged.items()
        },
        notes=tuple(dict.fromkeys((*first.notes, *second.notes, *_differ_in(first, second)))),
        judgments=first.judgments if judged else None,
        named=chosen if measures is not None else first.named,
        reading=first.reading if b is None else _shared_reading(first, second),
    )
    result = resolve_missing(paired, missing, lower_is_better=lower_is_better, expected=expected)
    if not independent:
        return result
    return with_ratios(replace(result, gaps=None), ratios, names_of_measures or chosen)


def _ratio_of(name: str) -> tuple[str, ...]:
    """Split ``"numerator/denominator"``; empty without a slash."""
    parts = tuple(part.strip() for part in name.split("/"))
    return parts if len(parts) == 2 and all(parts) else ()


def with_ratios(
    scores: Scores, ratios: Mapping[str, Sequence[str]], measures: Sequence[str]
) -> Scores:
    """Return scores of independent groups with ratios in place of their two measures."""
    # The ratio of a group is R = sum(x) / sum(y). Each unit gets the value R + (x - R y) / mean(y).
    # The mean of these values is R and their standard error is that of the delta method.
    # Source: Deng, Knoblich & Lu (2018), KDD, 233-242.
    if not ratios:
        return scores
    names, columns, notes = [], [], []
    for name in measures:
        if name not in ratios:
            names.append(known_among(name, scores.measures))
            columns.append(scores.take(names[-1:]).values[:, :, 0])
            continue
        x, y = np.moveaxis(scores.take(ratios[name]).values, 2, 0)
        sums = np.nansum(y, axis=0)
        if not sums.all():
            raise ArgumentError(f"{name}: the {ratios[name][1]} of a group add up to 0")
        ratio = np.nansum(x, axis=0) / sums
        names.append(name)
        columns.append(ratio + (x - ratio * y) / np.nanmean(y, axis=0))
        notes.append(f"{name}: a ratio of sums, with the standard error of the delta method")
    return replace(
        scores, measures=tuple(names), named=tuple(names), values=np.stack(columns, axis=2),
        notes=(*scores.notes, *notes),
    )  # fmt: skip


def _on_same_queries(
    first: Scores,
    second: Scores,
    chosen: Sequence[str],
    *,
    missing: Missing,
    independent: bool,
    sources: tuple[object, object],
) -> tuple[Scores, Scores, BoolArray | None]:
    """Return the scores of both systems on all queries, and which units need a score."""
    # Missing scores are NaN. In independent groups a unit needs a score only in its own group.
    from abrank.scoring.score_files import require_all

    expected = None
    groups = tuple(
        scores if independent and sources[1] is not None else _with_scores(scores, chosen)
        for scores in (first, second)
    )
    queries_a, queries_b = (group.query_ids for group in groups)
    if queries_a and queries_a != queries_b and {*queries_a}.isdisjoint(queries_b):
        if not independent:
            _refuse_unpaired(groups, *sources)
        first, second = _on_union(groups)
        expected = np.isin(first.query_ids, queries_a)[:, None] == np.array([True, False])
    elif independent:
        raise ArgumentError(_of_both(groups) or SAME_UNITS)
    elif missing == "error":
        if problem := _of_both(groups):
            raise AlignmentError(problem)
        require_all(*(item.take(chosen) for item in (first, second)))
        _require_same_queries(first, second)
    elif first.query_ids != second.query_ids:
        if BY_POSITION in first.notes:
            _require_same_queries(first, second)
        first, second = on_all_queries({"A": first, "B": second})
    return first, second, expected


def _of_both(groups: Sequence[Scores]) -> str:
    """Return a hint if two groups share few units, or write the others differently; else empty."""
    if groups[0].query_ids == groups[1].query_ids:
        return ""
    both = {*groups[0].query_ids}.intersection(groups[1].query_ids)
    smaller = min(len(group.query_ids) for group in groups)
    a, b = system_names(*(group.systems[0] for group in groups))
    rest_a, rest_b = ({*group.query_ids} - both for group in groups)
    if both and rest_a and rest_b and _are_alike(rest_a, rest_b):
        return f"{a} and {b} have ids that differ in {_FORMS}: write them in the same way"
    if not both or 2 * len(both) >= smaller:
        return ""
    n_all = len({*groups[0].query_ids}.union(groups[1].query_ids))
    return (
        f"{a} and {b} share {len(both)} of {n_all} queries, such as {min(both)}: if they were seen"
        " by different users, leave these out and compare independent groups (--independent,"
        " design=abrank.Independent())"
    )


def on_all_queries(parts: Mapping[str, Scores]) -> list[Scores]:
    """Return the scores of each part on the queries of all parts, NaN if missing."""
    require_common({name: {*part.query_ids} for name, part in parts.items()})
    return _on_union([*parts.values()])


def _with_scores(scores: Scores, measures: Sequence[str]) -> Scores:
    """Return the queries that have a score of one of the measures, or a row."""
    present = np.isfinite(scores.take(measures).values[:, 0]).any(axis=1)
    if (expected := scores.expected()) is not None:
        present |= expected[:, 0]
    if present.all():
        return scores
    there = np.flatnonzero(present)
    query_ids = tuple(scores.query_ids[place] for place in there)
    return replace(scores, query_ids=query_ids, values=scores.values[there])


def _refuse_unpaired(groups: Sequence[Scores], a: object, b: object) -> NoReturn:
    names = system_names(*(group.systems[0] for group in groups))
    query_ids = {name: group.query_ids for name, group in zip(names, groups, strict=True)}
    if _are_alike(*query_ids.values()):
        raise AlignmentError(
            f"{' and '.join(query_ids)} share no query, for their ids differ in {_FORMS}: write"
            f" them alike\n  {_first_ids(query_ids)}"
        )
    files = [os.fspath(source) for source in (a, b) if isinstance(source, (str, os.PathLike))]
    label = " and ".join(map(str, files)) or "scores"
    of_index = all(group.reading is None or group.reading.query == INDEX for group in groups)
    are_numbers = all(query_id.isdigit() for group in groups for query_id in group.query_ids)
    if all(group.reading is not None and not group.reading.query for group in groups):
        problem = (
            "no column names the queries: --columns query=COLUMN (columns={'query': 'COLUMN'}) says"
            " which does; rows of different users are compared as independent groups"
        )
    elif of_index and are_numbers and not files:
        problem = (
            "the index of each numbers rows and shares none: set_index('query_id'), or columns="
            "{'query': 'COLUMN'}, pairs them;"
            f" rows of different users are compared as independent groups. {_first_ids(query_ids)}"
        )
    else:
        problem = (
            f"{' and '.join(query_ids)} share no query: were they seen by different users? Compare"
            f" them as independent groups. {_first_ids(query_ids)}"
        )
    raise UnpairedError(label, problem, [{"independent": True}])


_FORMS = "case, blanks, leading zeros, .0 or forms of Unicode"


def _are_alike(*groups: Collection[str]) -> bool:
    """Whether most ids of two groups are equal except for their spelling."""
    plain_a, plain_b = (
        {
            re.sub(
                r"[\s_-]+|(?<![0-9])0+(?=[0-9])|(?<=[0-9])\.0+$", "",
                normalize("NFKC", query).casefold(),
            )
            for query in group
        }
        for group in groups
    )  # fmt: skip
    return 2 * len(plain_a & plain_b) > min(len(plain_a), len(plain_b))


def _first_ids(query_ids: Mapping[str, Collection[str]]) -> str:
    """Show the first ids of both systems, in case they denote the same queries."""
    (a, ids_a), (b, ids_b) = (
        (name, ", ".join(sorted(queries)[:3]) + " …" * (len(queries) > 3))
        for name, queries in query_ids.items()
    )
    return (
        f"The query ids of {a} are {ids_a}, those of {b} {ids_b}: if they mean the same queries,"
        " write them in the same way"
    )


def _on_union(parts: Sequence[Scores]) -> list[Scores]:
    all_queries = list(dict.fromkeys(query for item in parts for query in item.query_ids))
    query_ids = tuple(all_queries[i] for i in np.argsort(ids.order(ids.encode(all_queries))))
    place = {query: i for i, query in enumerate(query_ids)}
    result = []
    for part in parts:
        values = np.full((len(query_ids), *part.values.shape[1:]), np.nan)
        values[[place[query] for query in part.query_ids]] = part.values
        result.append(replace(part, query_ids=query_ids, values=values))
    return result


def _one_judgment(first: Scores, second: Scores, b: object) -> bool:
    if not all(item.systems[0] in item.judged_runs for item in (first, second)):
        return False
    hashes = [item.judgments.sha256 if item.judgments else None for item in (first, second)]
    return b is None or (hashes[0] is not None and hashes[0] == hashes[1])


def _differ_in(first: Scores, second: Scores) -> list[str]:
    """Return the tasks or variant columns in which two logs differ, as text."""
    forms = [scores.reading.form if scores.reading else "" for scores in (first, second)]
    tasks = [form.removeprefix(LOG_OF) for form in forms if form.startswith(LOG_OF)]
    if len({*tasks}) == 2:
        return [f"the logs are of two tasks, {tasks[0]} and {tasks[1]}: equal ids of samples may be"
                " different questions"]  # fmt: skip
    parts = first.reading.parts if first.reading is not None else {}
    cells = [parts.get(scores.systems[0]) for scores in (first, second)]
    if None in cells or len(cells[0] or ()) < 2:
        return []
    a, b = (cell or {} for cell in cells)
    names = [name for name in a if a[name] != b[name]]
    return [f"{first.systems[0]} and {second.systems[0]} differ in {' and '.join(names)} only"]


def _shared_reading(first: Scores, second: Scores) -> Reading | None:
    if first.reading is None or second.reading is None:
        return first.reading or second.reading
    a, b = first.reading.properties, second.reading.properties
    both = {name: {**b.get(name, {}), **a.get(name, {})} for name in {**a, **b}}
    return replace(first.reading, properties=both, parts={})


def _require_same_queries(first: Scores, second: Scores) -> None:
    if first.query_ids == second.query_ids:
        return
    if first.notes == second.notes == (BY_POSITION,):
        counts = f"{len(first.query_ids)} scores of the baseline and {len(second.query_ids)}"
        raise AlignmentError(
            f"{counts} of the candidate cannot be paired by position: give dicts or Series by query"
            " id, or design=Independent() of different users"
        )
    from abrank.scoring.scores import ASKS

    a, b = set(first.query_ids), set(second.query_ids)
    require_common({"A": a, "B": b})
    lacking = [sorted(a - b)[:3], sorted(b - a)[:3]]
    raise AlignmentError(
        f"the query ids differ: only in the baseline {lacking[0]}, only in the candidate"
        f" {lacking[1]} (first 3 each)\n  {ASKS}"
    )


def require_common(queries: Mapping[str, Set[str]]) -> None:
    """Refuse two systems that have no query in common."""
    for a, b in combinations(queries, 2):
        if queries[a].isdisjoint(queries[b]):
            raise AlignmentError(
                f"{a} and {b} share no query: shown to different users? That is an unpaired"
                f" experiment; abrank pairs\n  {_first_ids({a: queries[a], b: queries[b]})}"
            )


def require_common_queries(scores: Scores) -> None:
    """Refuse runs if two of them share no judged query; filling in zeros would hide that."""
    # A run without rows is a system that found nothing; it counts as having the same queries.
    lacking = {name: set(audit.missing) for name, audit in scores.audits.items() if audit.n_rows}
    if all(2 * len(missing) < len(scores.query_ids) for missing in lacking.values()):
        return
    judged = {*scores.query_ids}.union(*lacking.values())
    require_common({name: judged - missing for name, missing in lacking.items()})


def _chosen(first: Scores, second: Scores, names: Sequence[str] | str | None) -> tuple[str, ...]:
    shared = [name for name in first.measures if name in second.measures]
    by_name = [
        item.reading is not None and item.reading.metric == "name" for item in (first, second)
    ]
    if not shared and all(by_name):
        # If every file has its own names, these are names of systems, not of measures.
        label = next(iter(first.sources.values())).label
        raise UnclearError(
            label,
            f"holds {', '.join(first.measures)} under name, the other {', '.join(second.measures)}:"
            " say which system stands on each side",
            [{"baseline": first.measures[0], "candidate": name} for name in second.measures[:2]],
        )
    if names is None:
        if len(shared) != len(first.measures) or len(shared) != len(second.measures):
            raise AlignmentError(
                f"the measures differ: {', '.join(first.measures)} and"
                f" {', '.join(second.measures)};"
                f" {'name those to compare' if shared else 'none is in both'}"
            )
        return first.measures
    if not listed(names):
        raise ArgumentError("no measure is named")
    return tuple(dict.fromkeys(known_among(name, shared) for name in listed(names)))


def require_finite(scores: Scores) -> None:
    """Refuse scores that are not finite, naming the first one."""
    bad = np.argwhere(~np.isfinite(scores.values))
    if len(bad):
        query, system, measure = bad[0]
        raise ArgumentError(
            f"{len(bad)} scores are not finite; the first: {scores.measures[measure]} of"
            f" {scores.systems[system]} on query {scores.query_ids[query]}"
        )


UNITS = (100.0, 1000.0, 60.0)  # per cent, thousandths, minutes


def require_one_scale(scores: Scores) -> None:
    """Refuse scores if one system fits the measure's range and another is far outside."""
    if not scores.query_ids:
        return
    least, greatest = np.nanmin(scores.values, axis=0), np.nanmax(scores.values, axis=0)
    # The user already confirmed that the columns are variants.
    stated = scores.reading is not None and "variants" in scores.reading.stated
    for place, measure in enumerate(scores.measures):
        low, high = bounds(measure)
        _require_no_unit(measure, scores.systems, scores.values[:, :, place])
        lowest, highest = least[:, place], greatest[:, place]
        if not math.isfinite(high - low):
            if known(measure) is None and not asks_direction(measure) and not stated:
                _require_no_percent(measure, scores.systems, scores.values[:, :, place])
            continue
        # Scores that are all 0 fit every unit.
        fits = (lowest >= low - 1e-9) & (highest <= high + 1e-9) & ((lowest < 0) | (highest > 0))
        beyond = np.maximum(low - lowest, highest - high) > high - low
        if fits.any() and beyond.any():
            far, near = int(np.argmax(beyond)), int(np.argmax(fits))
            raise AlignmentError(
                f"{measure} runs from {low:g} to {high:g}: {scores.systems[near]} lies within, but"
                f" {scores.systems[far]} runs from {lowest[far]:.3g} to {highest[far]:.3g}; is one"
                " in per cent? Give both in one unit"
            )


def _require_no_percent(measure: str, systems: Sequence[str], values: FloatArray) -> None:
    """Refuse an unknown score if one system's mean looks like 100 times the other's."""
    lowest, highest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    means = np.nanmean(values, axis=0)
    are_shares = np.flatnonzero((lowest >= 0.0) & (highest > 0.0) & (highest <= 1.0))
    are_percent = np.flatnonzero((lowest >= 0.0) & (highest > 10.0) & (highest <= 100.0))
    for near, far in product(are_shares.tolist(), are_percent.tolist()):
        if 70.0 <= means[far] / means[near] <= 145.0:
            raise AlignmentError(
                f"{measure} of {systems[near]} runs from {lowest[near]:.3g} to"
                f" {highest[near]:.3g} and of {systems[far]} from {lowest[far]:.3g} to"
                f" {highest[far]:.3g}; is one in per cent? Give both in one unit"
            )


def _require_no_unit(measure: str, systems: Sequence[str], values: FloatArray) -> None:
    """Refuse scores if one system has the other's in another unit on most queries."""
    there = values.all(axis=1)
    if there.sum() < 3:
        return
    ratios = values[there] / values[there][:, :1]
    factors = np.array([factor for unit in UNITS for factor in (unit, 1.0 / unit)])
    middle = np.median(ratios, axis=0)[:, None]  # quickly excludes almost all combinations
    for place, number in np.argwhere(np.isclose(middle, factors, 1e-6, 0.0)):
        ratio = ratios[:, place]
        n_alike = np.isclose(ratio, factors[number], rtol=1e-6, atol=0.0).sum()
        if 2 * n_alike > len(ratio):
            pair = (systems[place], systems[0])
            large, small = pair if number % 2 == 0 else pair[::-1]
            raise AlignmentError(
                f"{large} has {UNITS[number // 2]:g} times the {measure} of {small} on {n_alike} of"
                f" {len(ratio)} queries: is it the same score in another unit? Give both in one"
                " unit"
            )
