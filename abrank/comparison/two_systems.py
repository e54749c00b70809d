"""Select the two systems to compare, from one table with several or from two sources."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from abrank._support.errors import (
    AbrankError,
    AlignmentError,
    ArgumentError,
    UnclearError,
    nearest,
    reading,
)
from abrank._support.typing import FloatArray
from abrank.inputs import ids
from abrank.inputs.arrow import ids_of
from abrank.inputs.columns import folded
from abrank.inputs.files import distinct_names
from abrank.inputs.run import UNNAMED as UNNAMED_RUN
from abrank.inputs.run import name_of
from abrank.inputs.score_reading import (
    BASELINES,
    TableOptions,
    baseline_of,
    naming_queries,
    split_names,
)
from abrank.inputs.topics import COLLECTIONS
from abrank.measures.names import asks_direction, known, names_measure
from abrank.scoring.evaluate import is_repeated
from abrank.scoring.scores import Scores

UNNAMED = "score"  # name of the measure if scores have no name
MOST_NAMED = 8  # maximum number of variants listed in a message
BY_POSITION = "the scores have no query ids: they are paired by position"


def read_two(
    a: object,
    b: object,
    options: TableOptions,
    chosen: tuple[str | None, str | None],
    names: tuple[str | None, str | None],
    *,
    independent: bool,
) -> tuple[Scores, Scores]:
    """Return the scores of baseline and candidate under their final names."""
    # `names` are the names to give them; none may belong to another system of the same source.
    from abrank.scoring.score_files import read_with_gaps  # not needed for runs

    if b is None:
        first, second = _two_of(read_with_gaps(_as_table(a), options=options), a, *chosen)
        variants = first.systems if first.reading is None else first.reading.labels
        for wanted, used in zip(names, (first, second), strict=True):
            if wanted in variants and wanted not in used.systems:
                raise ArgumentError(
                    f"{wanted} is another system than {used.systems[0]}, to which the name is"
                    " given: baseline= and candidate= choose systems"
                )
    else:
        if not any(chosen):
            require_two_files(a, b)
        options = replace(options, alone=False)
        first = _system_of(a, "A", options, chosen[0])
        second = _system_of(b, "B", options, chosen[1], already_read=(a, first))
        is_piped = any(isinstance(source, str) and source == "-" for source in (a, b))
        if not independent and not is_piped and "query" not in options.columns:
            first, second = _on_shared_column(first, second, (a, b), options, *chosen)
    return _named_alike(first, second)


def _on_shared_column(
    first: Scores,
    second: Scores,
    sources: tuple[object, object],
    options: TableOptions,
    *names: str | None,
) -> tuple[Scores, Scores]:
    """Pair tables without shared ids by a column that names the query in both, such as input."""
    # Experiments in Braintrust, LangSmith and Weave give each row a new id.
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


def require_two_files(a: object, b: object) -> None:
    """Refuse the same file, or set of files, as both A and B."""
    paths_a, paths_b = (
        list(source) if isinstance(source, (list, tuple)) else [source] for source in (a, b)
    )
    if not paths_a or len(paths_a) != len(paths_b) or not all(map(_same_file, paths_a, paths_b)):
        return
    raise ArgumentError(
        f"A and B are the same file, {paths_a[0]}: give the run or scores of another system as B"
    )


def _same_file(a: object, b: object) -> bool:
    if not (isinstance(a, (str, os.PathLike)) and isinstance(b, (str, os.PathLike))) or a == "-":
        return False
    text_a, text_b = str(os.fspath(a)), str(os.fspath(b))
    try:
        if Path(text_a).exists() and Path(text_b).exists():
            return Path(text_a).samefile(text_b)
    except OSError:
        return False  # the reader reports the error
    return text_a == text_b and ("://" in text_a or "*" in text_a)


def _as_table(source: object) -> Any:  # noqa: ANN401
    """Convert a dict of Series or of columns to one table; return anything else unchanged."""
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
    names = both.systems
    label = next((source.label for source in both.sources.values()), "scores")
    if len(names) < 2:
        hint = "the second source is missing, or a column that names the variants"
        wanted = {name.casefold() for name in (baseline, candidate) if name is not None}
        properties = {} if both.reading is None else both.reading.properties
        few = {name: {cell.casefold() for cell in x.values()} for name, x in properties.items()}
        choices: list[dict[str, Any]] = [
            {"variant": name} for name, values in few.items()
            if 2 <= len(values) <= MOST_NAMED and wanted <= values
        ]  # fmt: skip
        problem = f"holds one system, {names[0]}, and two are compared: {hint}"
        raise UnclearError(label, problem, choices[:2])
    a = _choice(both, baseline, "baseline", label, candidate)
    b = _choice(both, candidate, "candidate", label, baseline)
    if a is None and b is None and len(names) == 2:
        # Systems evaluated in one call keep the order of that call.
        first = names[0] if source is both else baseline_of(names)
        a = _choice(both, first or None, "baseline", label)
    if a is not None and b is None and len(rest := [x for x in names if x not in a.systems]) == 1:
        b = _choice(both, rest[0], "candidate", label)
    if b is not None and a is None:
        rest = [name for name in names if name not in b.systems]
        sure = [name for name in rest if name.strip().casefold() in BASELINES[:2]]
        if len(rest) == 1 or len(sure) == 1:
            a = _choice(both, (sure or rest)[0], "baseline", label)
    if a is None or b is None:
        problem, choices = _unchosen(names, baseline, candidate)
        if both.reading is not None and both.reading.arms:  # no test compares more than two groups
            problem += "; no id has rows of two variants, so compare them as independent groups"
            choices = [
                {**choice, "independent": True} for choice in choices if "rank" not in choice
            ]
        if both.reading is not None and {folded(x) for x in both.reading.variant} & {*COLLECTIONS}:
            problem += "; if they are collections, give the table as --collections"
        raise UnclearError(label, problem, choices)
    if a.systems == b.systems:
        raise ArgumentError(f"{a.systems[0]} is both the baseline and the candidate")
    return a, b


def _unchosen(
    names: Sequence[str], baseline: str | None, candidate: str | None
) -> tuple[str, list[dict[str, Any]]]:
    """Return the message that asks for two of the variants, and the possible choices."""
    some = ", ".join(names[:MOST_NAMED]) + (
        f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    )
    problem = f"holds {len(names)} variants, {some}: name the baseline and the candidate"
    order = sorted(names, key=lambda name: baseline_of((name, "-")) != name)
    first = baseline or next(name for name in order if name != candidate)
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
    """Return one variant by its name, or the mean of the variants with given column values."""
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
    others = [system for system in both.systems if system != taken]  # not the opposite system
    close = nearest(name, others) or others[:1]
    problem, _ = _unchosen(both.systems, None, None)
    problem = f"has no variant {name!r}; it {problem.partition(':')[0]}"
    raise UnclearError(label, problem, [{role: close[0]}])


def _named_alike(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    """Interpret the names of two columns, Series or files, such as ``latency_a``, ``latency_b``."""
    if len(first.measures) != 1 or len(second.measures) != 1:
        return first, second
    measures = [first.measures[0], second.measures[0]]
    readings = [item.reading.variant for item in (first, second) if item.reading]
    if readings == [("name",)] * 2 and first.systems == second.systems:
        # A name that both share is the measure, as in a table with one row per score.
        paths = [source.path for item in (first, second) for source in item.sources.values()]
        names = distinct_names([path for path in paths if path]) if all(paths) else ["A", "B"]
        first, second = (
            _renamed(scores, name, scores.systems[0])
            for scores, name in zip((first, second), names, strict=True)
        )
        measures = [first.measures[0], second.measures[0]]
    differ = measures[0] != measures[1] and not any(map(names_measure, measures))
    if differ and {first.systems[0], second.systems[0]} <= {"A", "B", "scores"}:
        # Different column names are the names of the systems.
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
    name = str(known(measure) or measure)
    sources = dict(zip((system,), scores.sources.values(), strict=False))
    return replace(scores, systems=(system,), measures=(name,), sources=sources)


def _system_of(
    source: object,
    default: str,
    options: TableOptions,
    name: str | None = None,
    already_read: tuple[Any, Scores] | None = None,
) -> Scores:
    """Return the scores of the only system in a source, or of the named one."""
    # Not hasattr(source, "columns"): a Series would search its index of perhaps a million ids.
    is_series = hasattr(source, "iloc") and not hasattr(type(source), "columns")
    nested = isinstance(source, Mapping) and any(
        isinstance(item, (Mapping, str)) for item in source.values()
    )
    if is_series or (isinstance(source, Mapping) and not nested):
        return one_measure(source, default, already_read)
    values = by_position(source)
    if values is not None:
        # Scores without query ids: the row numbers, from 0, are the ids.
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
    """Return the numbers of a list, array or column; None for other sources."""
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
    already_read: tuple[Any, Scores] | None = None,
) -> Scores:
    """Return a Series or dict of scores by query id as scores of one measure, ``score``."""
    # `already_read` is another source and its scores: a shared index is not read twice.
    if isinstance(source, Mapping):
        name, column = None, ids.encode([str(query) for query in source])
        values = np.array([*source.values()], dtype=np.float64)
    else:
        name, index = source.name, source.index
        try:
            values = source.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            title = "" if name is None else f" {name}"
            raise ArgumentError(
                f"the Series{title} is to hold scores by query id: {error}"
            ) from None
        column = ids_of(index)
        if column is None:
            column = ids.encode([str(query) for query in index.tolist()])
    distinct, places = ids.number(column)
    if len(distinct) < len(values):
        twice = int(np.argmax(np.bincount(places)[places] > 1))
        (query,) = ids.decode(column[twice : twice + 1])
        raise AlignmentError(f"query {query!r} occurs twice in the scores")
    ordered = np.empty_like(values)
    ordered[places] = values
    both = source if already_read is None else already_read[0], source
    is_alike = all(hasattr(item, "iloc") for item in both) and both[0].index.equals(both[1].index)
    return Scores(
        query_ids=already_read[1].query_ids
        if already_read and is_alike
        else tuple(ids.decode(distinct)),
        systems=(default,),
        measures=(UNNAMED if name is None else str(known(str(name)) or name),),
        values=ordered.reshape(-1, 1, 1),
    )


def system_names(a: str, b: str) -> tuple[str, str]:
    """Return different names for baseline and candidate."""
    return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")


def name_runs(
    a: object,  # whatever read_run reads
    b: object,
    *,
    name_a: str | None = None,
    name_b: str | None = None,
) -> dict[str, Any]:
    """Return two runs by different names: the given ones, else those of the runs."""
    a_run, b_run = (item[0] if is_repeated(item) else item for item in (a, b))
    if isinstance(a_run, (str, os.PathLike)) and isinstance(b_run, (str, os.PathLike)):
        result = distinct_names([a_run, b_run])
    else:
        result = [name_of(a_run), name_of(b_run)]
        if result == [UNNAMED_RUN] * 2:
            result = ["A", "B"]  # two frames have no names
    names = system_names(str(name_a or result[0]), str(name_b or result[1]))
    return dict(zip(names, (a, b), strict=True))
