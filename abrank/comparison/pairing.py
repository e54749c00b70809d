"""Ready scores of two systems, paired by query."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from abrank._support.errors import (
    AbrankError,
    AlignmentError,
    ArgumentError,
    UnclearError,
    nearest,
    reading,
)
from abrank._support.typing import FloatArray, Missing
from abrank.diagnostics.notes import bounds
from abrank.inputs import ids
from abrank.inputs.arrow import ids_of
from abrank.inputs.columns import folded
from abrank.inputs.exports import LOG_OF
from abrank.inputs.files import distinct_names
from abrank.inputs.run import UNNAMED as UNNAMED_RUN
from abrank.inputs.run import name_of
from abrank.inputs.score_reading import Reading, TableOptions, baseline_of, naming_queries
from abrank.inputs.topics import COLLECTIONS
from abrank.measures.names import asks_direction, known, known_among, listed
from abrank.scoring.evaluate import is_repeated
from abrank.scoring.scores import Scores

UNNAMED = "score"  # the measure of scores without a name
MOST_NAMED = 8  # variants in a message
SAME_UNITS = (
    "--independent (design=Independent()) is for two groups of different users: here A and B have"
    " scores of the same units, which are paired; leave it out"
)
BY_POSITION = "the scores have no query ids: they are paired by position"


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
    """Lay the scores of two systems side by side, paired by query id.

    Parameters
    ----------
    a, b : Series, dict, list, array, or what read_scores reads
        The baseline and the candidate; lists and arrays are paired by position. Without ``b`` there
        are several systems in ``a``.
    baseline, candidate : str or int, optional
        The systems to take, where a source has several: names of variants, or ``column=value`` of
        columns that make the variant, of which the others are averaged. Without them a variant
        called control, baseline, old, production … and the only other one.
    name_a, name_b : str, optional
        Names to give them.
    measures : sequence of str, optional
        Those to take, in any dialect; else all, which must be the same for both.
    missing : {"error", "drop", "worst", "zero"}
        What becomes of a query of which one of the two has no score.
    lower_is_better : str or sequence of str
        Scores of which the highest is the worst.
    options : TableOptions, optional
        What was said of the columns of a table.
    independent : bool
        Whether the two are groups of different users: then each unit has a score of one of them,
        and NaN of the other.

    Returns
    -------
    Scores
        Of two systems, the baseline first. Where both were evaluated by the same judgments (in one
        call, or from one file), what :func:`abrank.evaluate` saw of their runs is kept.

    Raises
    ------
    AlignmentError
        If the query ids or the measures of the two differ.
    ReadError, ArgumentError
        As for read_scores, or if it is not clear which systems are meant.

    Examples
    --------
    >>> pair_scores({"q1": 0.2, "q2": 0.4}, {"q2": 0.6, "q1": 0.3}).values[:, :, 0]
    array([[0.2, 0.3],
           [0.4, 0.6]])
    """
    # Runs need none of it.
    from abrank.scoring.score_files import read_with_gaps
    from abrank.scoring.scores import resolve_missing

    named = tuple(listed(measures)) if measures is not None else ()
    # A column of variants may hold numbers or truth values.
    baseline, candidate = (None if name is None else str(name) for name in (baseline, candidate))
    options = replace(
        options or TableOptions(),
        measures=named,
        purpose="rank" if baseline or candidate else "compare",
        missing=missing,
        lower_is_better=tuple(listed(lower_is_better)),
        systems=tuple(filter(None, (baseline, candidate))),
    )
    if b is None:
        first, second = _two_of(
            read_with_gaps(_as_table(a), options=options), a, baseline, candidate
        )
        variants = first.systems if first.reading is None else first.reading.labels
        for wanted, used in ((name_a, first), (name_b, second)):
            if wanted in variants and wanted not in used.systems:
                raise ArgumentError(
                    f"{wanted} is another system than {used.systems[0]}, to which the name is"
                    " given: baseline= and candidate= choose systems"
                )
    else:
        if not (baseline or candidate):
            require_two_files(a, b)
        options = replace(options, alone=False)
        first = _system_of(a, "A", options, baseline)
        second = _system_of(b, "B", options, candidate, beside=(a, first))
        is_piped = any(isinstance(source, str) and source == "-" for source in (a, b))
        if not independent and not is_piped and "query" not in options.columns:
            first, second = _on_shared_column(first, second, (a, b), options, baseline, candidate)
    first, second = _named_alike(first, second)
    names = system_names(name_a or first.systems[0], name_b or second.systems[0])
    chosen = _chosen(first, second, measures)
    first, second = _on_same_queries(
        first, second, chosen, missing=missing, independent=independent, sources=(a, b)
    )
    columns = [
        scores.values[:, 0, [scores.measures.index(name) for name in chosen]].T
        for scores in (first, second)
    ]
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
    if independent:
        return paired
    return resolve_missing(paired, missing, lower_is_better=lower_is_better)


def _on_shared_column(
    first: Scores,
    second: Scores,
    sources: tuple[object, object],
    options: TableOptions,
    *names: str | None,
) -> tuple[Scores, Scores]:
    """Pair two tables that share no id by a column of both that names queries in each, as input."""
    # An experiment gives each of its rows an id of its own: Braintrust, LangSmith, Weave.
    if first.reading is None or second.reading is None:
        return first, second
    others = {*second.reading.apart, *second.reading.segments}
    both = [name for name in (*first.reading.apart, *first.reading.segments) if name in others]
    candidates = naming_queries(both)
    if not candidates or not {*first.query_ids}.isdisjoint(second.query_ids):
        return first, second
    for name in candidates:
        tried = replace(options, columns={**options.columns, "query": (name,)})
        try:
            pair = [
                _system_of(source, side, tried, system)
                for source, side, system in zip(sources, "AB", names, strict=True)
            ]
        except AbrankError:
            continue
        n_shared = len({*pair[0].query_ids} & {*pair[1].query_ids})
        if 2 * n_shared > max(len(scores.query_ids) for scores in pair):
            note = f"the two share no {first.reading.query}: they are paired by {name}"
            return replace(pair[0], notes=(*pair[0].notes, note)), pair[1]
    return first, second


def _on_same_queries(
    first: Scores,
    second: Scores,
    chosen: Sequence[str],
    *,
    missing: Missing,
    independent: bool,
    sources: tuple[object, object],
) -> tuple[Scores, Scores]:
    """Return the scores of two systems on the queries of both, NaN where one has none."""
    from abrank.scoring.score_files import require_all

    groups = tuple(_with_scores(scores, chosen) for scores in (first, second))
    queries_a, queries_b = (group.query_ids for group in groups)
    if queries_a and queries_a != queries_b and {*queries_a}.isdisjoint(queries_b):
        if not independent:
            _refuse_unpaired(groups, *sources)
        first, second = _on_union({"A": groups[0], "B": groups[1]})
    elif independent:
        raise ArgumentError(SAME_UNITS)
    elif missing == "error":
        require_all(
            *(item.take([item.measures.index(name) for name in chosen]) for item in (first, second))
        )
        _require_same_queries(first, second)
    elif first.query_ids != second.query_ids:
        if BY_POSITION in first.notes:
            _require_same_queries(first, second)
        first, second = on_all_queries({"A": first, "B": second})
    return first, second


def require_two_files(a: object, b: object) -> None:
    """Refuse one file, or one set of files, given as both A and B, under any of its names."""
    paths_a, paths_b = (
        list(source) if isinstance(source, (list, tuple)) else [source] for source in (a, b)
    )
    if not paths_a or len(paths_a) != len(paths_b) or not all(map(_same_file, paths_a, paths_b)):
        return
    raise ArgumentError(
        f"A and B are the same file, {paths_a[0]}: give the run or scores of another system as B"
    )


def _same_file(a: object, b: object) -> bool:
    """Say whether two sources are paths of one file."""
    if not (isinstance(a, (str, os.PathLike)) and isinstance(b, (str, os.PathLike))) or a == "-":
        return False
    text_a, text_b = str(os.fspath(a)), str(os.fspath(b))
    try:
        if Path(text_a).exists() and Path(text_b).exists():
            return Path(text_a).samefile(text_b)
    except OSError:
        return False  # the reader says what is wrong with them
    return text_a == text_b and ("://" in text_a or "*" in text_a)


def on_all_queries(parts: Mapping[str, Scores]) -> list[Scores]:
    """Return the scores of each on the queries of all, NaN where it has none."""
    require_common({name: {*part.query_ids} for name, part in parts.items()})
    return _on_union(parts)


def _with_scores(scores: Scores, measures: Sequence[str]) -> Scores:
    """Return the queries of a system that have a score of one of the measures."""
    places = [scores.measures.index(name) for name in measures]
    present = np.isfinite(scores.values[:, 0, places]).any(axis=1)
    if present.all():
        return scores
    there = np.flatnonzero(present)
    query_ids = tuple(scores.query_ids[place] for place in there)
    return replace(scores, query_ids=query_ids, values=scores.values[there])


def _refuse_unpaired(groups: Sequence[Scores], a: object, b: object) -> NoReturn:
    """Refuse two groups that share no unit, and say how they are compared."""
    names = system_names(*(group.systems[0] for group in groups))
    query_ids = {name: group.query_ids for name, group in zip(names, groups, strict=True)}
    if _are_written_differently(*query_ids.values()):
        raise AlignmentError(
            f"{' and '.join(query_ids)} share no query, for their ids differ in case, blanks or"
            f" leading zeros: write them alike\n  {_first_ids(query_ids)}"
        )
    files = [str(source) for source in (a, b) if isinstance(source, (str, os.PathLike))]
    option = "design=abrank.Independent()"
    if files:
        command = shlex.join(["abrank", "compare", "--scores", *files, "--independent"])
        option = f"{command} ({option})"
    raise AlignmentError(
        f"{' and '.join(query_ids)} share no query: were they seen by different users? Compare them"
        f" as independent groups: {option}\n  {_first_ids(query_ids)}"
    )


def _are_written_differently(a: Iterable[str], b: Iterable[str]) -> bool:
    """Say whether most ids of one are those of the other but for case, blanks and zeros."""
    plain_a, plain_b = (
        {re.sub(r"[\s_-]+|(?<![0-9])0+(?=[0-9])", "", query.casefold()) for query in query_ids}
        for query_ids in (a, b)
    )
    return 2 * len(plain_a & plain_b) > min(len(plain_a), len(plain_b))


def _first_ids(query_ids: Mapping[str, Collection[str]]) -> str:
    """Say how the ids of two systems begin, for the case that they mean the same queries."""
    (a, ids_a), (b, ids_b) = (
        (name, ", ".join(sorted(queries)[:3]) + " …" * (len(queries) > 3))
        for name, queries in query_ids.items()
    )
    return (
        f"the query ids of {a} are {ids_a}, those of {b} {ids_b}; if they mean the same queries,"
        " write them alike"
    )


def _on_union(parts: Mapping[str, Scores]) -> list[Scores]:
    """Return the scores of each on the queries of all, NaN where it has none."""
    all_queries = list(dict.fromkeys(query for item in parts.values() for query in item.query_ids))
    query_ids = tuple(all_queries[i] for i in np.argsort(ids.order(ids.encode(all_queries))))
    place = {query: i for i, query in enumerate(query_ids)}
    result = []
    for part in parts.values():
        values = np.full((len(query_ids), *part.values.shape[1:]), np.nan)
        values[[place[query] for query in part.query_ids]] = part.values
        result.append(replace(part, query_ids=query_ids, values=values))
    return result


def _one_judgment(first: Scores, second: Scores, b: object) -> bool:
    """Say whether both were evaluated, by the same judgments."""
    if not all(item.systems[0] in item.judged_runs for item in (first, second)):
        return False
    hashes = [item.judgments.sha256 if item.judgments else None for item in (first, second)]
    return b is None or (hashes[0] is not None and hashes[0] == hashes[1])


def system_names(a: str, b: str) -> tuple[str, str]:
    """Return names of baseline and candidate that differ."""
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def _as_table(source: object) -> Any:  # noqa: ANN401
    """Return a dict of Series, or of columns by position, as one table; any other as it is."""
    if hasattr(source, "to_frame") and getattr(getattr(source, "index", None), "nlevels", 1) > 1:
        return source if hasattr(source, "columns") else source.to_frame()
    if not isinstance(source, Mapping) or not source:
        return source
    values = list(source.values())
    if all(hasattr(value, "iloc") and not hasattr(value, "columns") for value in values):
        return {name: value.to_dict() for name, value in source.items()}
    return source


def _two_of(
    both: Scores,
    source: object,  # what it was read from
    baseline: str | None,
    candidate: str | None,
) -> tuple[Scores, Scores]:
    """Return the baseline and the candidate of a table of several variants."""
    names = both.systems
    label = next((source.label for source in both.sources.values()), "scores")
    if len(names) < 2:
        hint = "the second source is missing, or a column that names the variants"
        raise UnclearError(
            label, f"holds one system, {names[0]}, and two are compared: {hint}", [],
        )  # fmt: skip
    a = _choice(both, baseline, "baseline", label, candidate)
    b = _choice(both, candidate, "candidate", label, baseline)
    if a is None and b is None and len(names) == 2:
        # Whoever evaluated the systems in one call put them in order.
        first = names[0] if source is both else baseline_of(names)
        a = _choice(both, first or None, "baseline", label)
    if a is not None and b is None and len(rest := [x for x in names if x not in a.systems]) == 1:
        b = _choice(both, rest[0], "candidate", label)
    if b is not None and a is None and len(rest := [x for x in names if x not in b.systems]) == 1:
        a = _choice(both, rest[0], "baseline", label)
    if a is None or b is None:
        problem, choices = _unchosen(names, baseline, candidate)
        if both.reading is not None and {folded(x) for x in both.reading.variant} & {*COLLECTIONS}:
            problem += "; if they are collections, give the table as --collections"
        raise UnclearError(label, problem, choices)
    if a.systems == b.systems:
        raise ArgumentError(f"{a.systems[0]} is both the baseline and the candidate")
    return a, b


def _unchosen(
    names: Sequence[str], baseline: str | None, candidate: str | None
) -> tuple[str, list[dict[str, Any]]]:
    """Return that two of the variants are to be named, and the choices."""
    some = ", ".join(names[:MOST_NAMED]) + (
        f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    )
    problem = f"holds {len(names)} variants, {some}: name the baseline and the candidate"
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(name.casefold(), []).append(name)
    if pair := next((some for some in alike.values() if len(some) > 1), None):
        problem += f" ({' and '.join(pair)} differ in case alone: write them alike)"
    first = baseline or next(name for name in names if name != candidate)
    second = candidate or next(name for name in names if name != first)
    choices: list[dict[str, Any]] = [{"baseline": first, "candidate": second}]
    if len(names) == 2:
        choices.append({"baseline": second, "candidate": first})
    else:
        choices.append({"rank": True, "baseline": first})
    return problem, choices


def _choice(
    both: Scores, name: str | None, role: str, label: str, taken: str | None = None
) -> Scores | None:
    """Return one variant by its name, or the mean of those whose columns have given values."""
    from abrank.scoring.score_files import one_system

    if name is None:
        return None
    if name in both.systems:
        return one_system(both, name)
    alike = [system for system in both.systems if system.casefold() == name.casefold()]
    if len(alike) == 1:
        return one_system(both, alike[0])
    parts = both.reading.parts if both.reading is not None else {}
    wanted = [part.partition("=") for part in name.split(",")]
    if parts and all(equals for _, equals, _ in wanted):
        match = [
            system for system in both.systems
            if all(parts[system].get(key.strip()) == value.strip() for key, _, value in wanted)
        ]  # fmt: skip
        if len(match) == 1:
            return one_system(both, match[0])
        if match:
            places = [both.systems.index(system) for system in match]
            mean = both.values[:, places, :].mean(axis=1, keepdims=True)
            note = f"{name} is the mean of {len(match)} variants on every query: {', '.join(match)}"
            return replace(
                both, systems=(name,), values=mean, notes=(*both.notes, note),
                sources=dict.fromkeys((name,), next(iter(both.sources.values()))),
            )  # fmt: skip
    others = [system for system in both.systems if system != taken]  # on the other side
    close = nearest(name, others) or others[:1]
    problem, _ = _unchosen(both.systems, None, None)
    problem = f"has no variant {name!r}; it {problem.partition(':')[0]}"
    raise UnclearError(label, problem, [{role: close[0]}])


def _differ_in(first: Scores, second: Scores) -> list[str]:
    """Say of which tasks two logs are, or in which of the columns of the variant the two differ."""
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
    """Return what two tables say of their queries together."""
    if first.reading is None or second.reading is None:
        return first.reading or second.reading
    a, b = first.reading.properties, second.reading.properties
    both = {name: {**b.get(name, {}), **a.get(name, {})} for name in {**a, **b}}
    return replace(first.reading, properties=both, parts={})


def _named_alike(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    """Read the names of two columns, Series or files: ``latency_a``, ``latency_b`` of latency."""
    from abrank.inputs.score_reading import split_names
    from abrank.measures.names import asks_direction, names_measure

    if len(first.measures) != 1 or len(second.measures) != 1:
        return first, second
    measures = [first.measures[0], second.measures[0]]
    readings = [item.reading.variant for item in (first, second) if item.reading]
    if readings == [("name",)] * 2 and first.systems == second.systems:
        # One name of both systems is that of the measure, as in a table with a row per score.
        paths = [source.path for item in (first, second) for source in item.sources.values()]
        names = distinct_names([path for path in paths if path]) if all(paths) else ["A", "B"]
        first, second = (
            _renamed(scores, name, scores.systems[0])
            for scores, name in zip((first, second), names, strict=True)
        )
        measures = [first.measures[0], second.measures[0]]
    differ = measures[0] != measures[1] and not any(map(names_measure, measures))
    if differ and {first.systems[0], second.systems[0]} <= {"A", "B", "scores"}:
        # Two columns of different names carry those of the systems.
        first, second = (
            scores if name == UNNAMED else _renamed(scores, name, UNNAMED)
            for scores, name in zip((first, second), measures, strict=True)
        )
        measures = [UNNAMED, UNNAMED]
    if {*measures} <= {UNNAMED, "value"} and first.systems != second.systems:
        names = [first.systems[0], second.systems[0]]
        pairs = split_names(names, names_measure, asks_direction)
        if len({measure for _, measure in pairs.values()}) == 1:
            first, second = (
                _renamed(scores, *pairs[name])
                for scores, name in zip((first, second), names, strict=True)
            )
    return first, second


def _renamed(scores: Scores, system: str, measure: str) -> Scores:
    """Return the scores of one system by one measure under other names."""
    name = str(known(measure) or measure)
    sources = dict(zip((system,), scores.sources.values(), strict=False))
    return replace(scores, systems=(system,), measures=(name,), sources=sources)


def _system_of(
    source: object,
    default: str,
    options: TableOptions,
    name: str | None = None,
    beside: tuple[Any, Scores] | None = None,
) -> Scores:
    """Return the scores of the one system that a source holds, or of the one that is named."""
    # Asked of a Series itself, pandas looks for it among a million ids.
    is_series = hasattr(source, "iloc") and not hasattr(type(source), "columns")
    nested = isinstance(source, Mapping) and any(
        isinstance(item, (Mapping, str)) for item in source.values()
    )
    if is_series or (isinstance(source, Mapping) and not nested):
        return one_measure(source, default, beside)
    values = by_position(source)
    if values is not None:
        # Scores without query ids; their rows are the queries, from 0.
        by_row = one_measure(dict(enumerate(values.tolist())), default)
        return replace(by_row, notes=(BY_POSITION,))
    from abrank.scoring import score_files

    with reading(default, source):
        scores = score_files.read_with_gaps(source, options=options)
    label = next((source.label for source in scores.sources.values()), "scores")
    if name is not None and len(scores.systems) > 1:
        return _choice(scores, name, "baseline" if default == "A" else "candidate", label) or scores
    if len(scores.systems) != 1:
        role = "baseline" if default == "A" else "candidate"
        raise UnclearError(
            label,
            f"holds several systems, {', '.join(scores.systems)}, and one is to stand on each side",
            [{role: system} for system in scores.systems[:2]],
        )
    if scores.systems != (score_files.UNNAMED,):
        return scores
    return replace(scores, systems=(default,))


def by_position(source: object) -> FloatArray | None:
    """Return the numbers of a list, an array or a column; None for what holds none."""
    listed = isinstance(source, (list, tuple)) and all(np.isscalar(item) for item in source)
    if hasattr(source, "columns") or not (listed or hasattr(source, "__array__")):
        return None
    values = np.asarray(source)
    if values.ndim > 1:
        raise ArgumentError(
            f"an array of {values.ndim} dimensions does not say what its columns are; give"
            ' pandas.DataFrame(array, columns=["nDCG@10", ...])'
        )
    return values.astype(np.float64) if values.dtype.kind in "biuf" and values.ndim else None


def one_measure(
    source: Any,  # noqa: ANN401
    default: str,
    beside: tuple[Any, Scores] | None = None,
) -> Scores:
    """Return a Series or dict of scores by query id as those of one measure, ``score``."""
    # `beside` is another, and its scores: of the same index, which is not read twice.
    if isinstance(source, Mapping):
        name, column = None, ids.encode([str(query) for query in source])
        values = np.array([*source.values()], dtype=np.float64)
    else:
        name, index = source.name, source.index
        values = source.to_numpy(dtype=np.float64, na_value=np.nan)
        column = ids_of(index)
        if column is None:
            column = ids.encode([str(query) for query in index.tolist()])
    distinct, places = ids.number(column)
    if len(distinct) < len(values):
        twice = int(np.argmax(np.bincount(places)[places] > 1))
        (query,) = ids.decode(column[twice : twice + 1])
        raise AlignmentError(f"query {query!r} stands twice in the scores")
    ordered = np.empty_like(values)
    ordered[places] = values
    both = source if beside is None else beside[0], source
    is_alike = all(hasattr(item, "iloc") for item in both) and both[0].index.equals(both[1].index)
    return Scores(
        query_ids=beside[1].query_ids if beside and is_alike else tuple(ids.decode(distinct)),
        systems=(default,),
        measures=(UNNAMED if name is None else str(known(str(name)) or name),),
        values=ordered.reshape(-1, 1, 1),
    )


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
    """Refuse two systems that have no query in common: there is nothing to pair."""
    for a, b in combinations(queries, 2):
        if queries[a].isdisjoint(queries[b]):
            raise AlignmentError(
                f"{a} and {b} share no query: shown to different users? That is an unpaired"
                f" experiment; abrank pairs\n  {_first_ids({a: queries[a], b: queries[b]})}"
            )


def require_common_queries(scores: Scores) -> None:
    """Refuse runs of which two have no judged query in common; a policy would make zeros of it."""
    # A run without rows is of a system that found nothing, on the same queries as the others.
    lacking = {name: set(audit.missing) for name, audit in scores.audits.items() if audit.n_rows}
    if all(2 * len(missing) < len(scores.query_ids) for missing in lacking.values()):
        return
    judged = {*scores.query_ids}.union(*lacking.values())
    require_common({name: judged - missing for name, missing in lacking.items()})


def _chosen(first: Scores, second: Scores, names: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the measures to take."""
    shared = [name for name in first.measures if name in second.measures]
    by_name = [
        item.reading is not None and item.reading.metric == "name" for item in (first, second)
    ]
    if not shared and all(by_name):
        # Names that no two files share are those of systems, not of evaluators.
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
    return tuple(dict.fromkeys(known_among(name, shared) for name in listed(names)))


def name_runs(
    a: object,  # whatever read_run reads
    b: object,
    *,
    name_a: str | None = None,
    name_b: str | None = None,
) -> dict[str, Any]:
    """Return two runs by names that differ: those given, else those of the runs."""
    a_run, b_run = (item[0] if is_repeated(item) else item for item in (a, b))
    if isinstance(a_run, (str, os.PathLike)) and isinstance(b_run, (str, os.PathLike)):
        result = distinct_names([a_run, b_run])
    else:
        result = [name_of(a_run), name_of(b_run)]
        if result == [UNNAMED_RUN] * 2:
            result = ["A", "B"]  # two frames: nothing tells them apart but their places
    names = system_names(str(name_a or result[0]), str(name_b or result[1]))
    return dict(zip(names, (a, b), strict=True))


def require_finite(scores: Scores) -> None:
    """Refuse scores that are not finite, with the place of the first."""
    bad = np.argwhere(~np.isfinite(scores.values))
    if len(bad):
        query, system, measure = bad[0]
        raise ArgumentError(
            f"{len(bad)} scores are not finite; the first: {scores.measures[measure]} of"
            f" {scores.systems[system]} on query {scores.query_ids[query]}"
        )


UNITS = (100.0, 1000.0, 60.0)  # per cent, thousandths, minutes


def require_one_scale(scores: Scores) -> None:
    """Refuse scores that fit the measure's range for one system and are far outside for another."""
    if not scores.query_ids:
        return
    least, greatest = np.nanmin(scores.values, axis=0), np.nanmax(scores.values, axis=0)
    # Columns of two scales were asked about before somebody said that they are variants.
    stated = scores.reading is not None and "variants" in scores.reading.stated
    for place, measure in enumerate(scores.measures):
        low, high = bounds(measure)
        _require_no_unit(measure, scores.systems, scores.values[:, :, place])
        lowest, highest = least[:, place], greatest[:, place]
        if not math.isfinite(high - low):
            if known(measure) is None and not asks_direction(measure) and not stated:
                means = np.nanmean(scores.values[:, :, place], axis=0)
                _require_no_percent(measure, scores.systems, lowest, highest, means)
            continue
        # Nothing but zeros fits every unit.
        fits = (lowest >= low - 1e-9) & (highest <= high + 1e-9) & ((lowest < 0) | (highest > 0))
        beyond = np.maximum(low - lowest, highest - high) > high - low
        if fits.any() and beyond.any():
            far, near = int(np.argmax(beyond)), int(np.argmax(fits))
            raise AlignmentError(
                f"{measure} runs from {low:g} to {high:g}: {scores.systems[near]} lies within, but"
                f" {scores.systems[far]} runs from {lowest[far]:.3g} to {highest[far]:.3g}; is one"
                " in per cent? Give both in one unit"
            )


def _require_no_percent(
    measure: str, systems: Sequence[str], lowest: FloatArray, highest: FloatArray, means: FloatArray
) -> None:
    """Refuse shares beside per cent of a score that nobody knows: 100 times explains the means."""
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
    """Refuse scores of which one is the other's in another unit on most queries."""
    there = values.all(axis=1)
    if there.sum() < 3:
        return
    ratios = values[there] / values[there][:, :1]
    factors = np.array([factor for unit in UNITS for factor in (unit, 1.0 / unit)])
    middle = np.median(ratios, axis=0)[:, None]  # rules out almost every system and unit
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
