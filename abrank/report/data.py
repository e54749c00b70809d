"""All results as numbers at full precision: plain values and JSON, CSV, Parquet."""

# The JSON is the source of all numbers; every other output is a rounding of it. Its structure is
# defined by the schemas in `saved/`.

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support import lazy
from abrank._support.errors import ArgumentError
from abrank.comparison import Comparison
from abrank.comparison.groups import ClusterSummary, Segmentation
from abrank.comparison.units import margin_ranges
from abrank.report.sections.next_step import next_step
from abrank.verdict import Decision, Rule

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.ledger.summary import History
    from abrank.ranking import Ranking

SCHEMA = "abrank/2"
RANKING_SCHEMA = "abrank-ranking/2"
COLLECTIONS_SCHEMA = "abrank-collections/2"
STANDINGS_SCHEMA = "abrank-collections-ranking/2"
# Fields of a ranking that have the same name in the file.
RANKING_SETTINGS = (
    "test", "title", "alpha", "baseline", "baselines", "adjust", "family", "n_families",
)  # fmt: skip
RANKING_BESIDE = (
    "notes", "stability", "n_drawn", "agreements", "spread",
)  # fmt: skip
SUMMARIES = ("stratified", "equal", "random")

MANY = 1000  # longer numeric columns are written directly from their array
_SCALARS = {str, int, float, bool, type(None)}
# Lone surrogates, which UTF-8 cannot encode; JSON writes them as escapes.
_HALF = re.compile("[\ud800-\udfff]")
# Spreadsheets execute cells that begin like this as formulas.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def to_dict(result: object) -> dict[str, Any]:
    """Return everything that a result holds as dicts, lists, text, numbers and None.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking, JudgeAgreement, Plan

    Returns
    -------
    dict
        Undefined numbers are None; infinite limits are the text ``"inf"`` or ``"-inf"``. A
        comparison has ``schema systems n_queries settings seed verdict measures tests effects
        spread planning notes remarks quality queries segments clusters topics evidence provenance
        next_step margins sensitivity``; ``read_first`` if the verdict would be misread without it,
        ``next_step_condition`` if shipping depends on it, ``machine`` with machine judgments.
        ``queries`` is columnar: ``query_id``, and in ``scores`` for each measure the lists ``a``
        and ``b`` in the same order. For a ranking ``queries`` has one list per system, and
        ``secondary`` is a list of the further measures. For several collections, ``collections``
        has the name and the complete result of each.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> found = to_dict(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))
    >>> found["schema"], found["queries"]["scores"]["score"]["b"], found["verdict"]["state"]
    ('abrank/2', [0.75, 0.75], 'inconclusive')
    """
    values: dict[str, Any] = _of(result, _VALUES)(result)
    return values


def json_bytes(result: object) -> bytes:
    """Return the JSON of :func:`to_dict`, with one fact per line, and numbers on one line."""
    if isinstance(result, Comparison):
        values = plain(content(result), is_many=True)
    else:
        values = to_dict(result)
    text = io.BytesIO()
    for piece in laid_out(values):
        text.write(piece.encode())
    text.write(b"\n")
    return text.getvalue()


def csv_files(result: object) -> dict[str, str]:
    """Return the table of a result as CSV, and further tables by their suffixes."""
    # Floats have all their digits and a decimal point; numbers that are not finite are empty cells.
    # Text that a spreadsheet would take for a formula gets an apostrophe in front.
    tables: dict[str, str] = _of(result, _TABLES)(result)
    return tables


def _of(result: object, doors: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Look up the function for the class of a result, by class name."""
    for kind in type(result).__mro__:
        if kind.__name__ in doors:
            return doors[kind.__name__]
    raise ArgumentError(f"a {type(result).__name__} is not written in this format")


def plain(value: object, *, is_many: bool = False) -> Any:  # noqa: ANN401 - any tree of values
    """Convert values to JSON types: NaN to None, infinities to ``"inf"`` or ``"-inf"``."""
    # With `is_many`, a column of more than `MANY` finite numbers stays an array.
    if value is None or isinstance(value, (bool, int, str)):
        # str() and not the value itself, because enums and numpy bools have another JSON form.
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f" and np.isfinite(value).all():
            return value if is_many and value.ndim == 1 and len(value) > MANY else value.tolist()
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return None if math.isnan(value) else value
    if is_dataclass(value) and not isinstance(value, type):
        # asdict would copy deeply, and cannot copy read-only mappings.
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item, is_many=is_many) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return [plain(item) for item in sorted(value, key=str)]
    if isinstance(value, Iterable):
        items = list(value)
        types = set(map(type, items))
        if types <= _SCALARS - {float} or (types == {float} and all(map(math.isfinite, items))):
            return items
        return [plain(item) for item in items]
    return str(value)


def laid_out(value: Any, indent: str = "") -> Iterator[str]:  # noqa: ANN401
    """Yield JSON in pieces: containers of mappings are indented, others are on one line."""
    deeper, is_mapping = indent + "  ", isinstance(value, dict)
    if (is_mapping and value) or (isinstance(value, list) and _holds_mapping(value)):
        ends = "{}" if is_mapping else "[]"
        yield f"{ends[0]}\n{deeper}"
        for i, item in enumerate(value):
            if i:
                yield f",\n{deeper}"
            if is_mapping:
                yield f"{_scalar(item)}: "
            yield from laid_out(value[item] if is_mapping else item, deeper)
        yield f"\n{indent}{ends[1]}"
    elif isinstance(value, np.ndarray):
        yield f"[{', '.join(map(repr, value.astype(float).tolist()))}]"
    else:
        yield _scalar(value)


def _holds_mapping(value: object) -> bool:
    if isinstance(value, list):
        # Not item by item, because a list may have a million numbers.
        return not set(map(type, value)) <= _SCALARS and any(map(_holds_mapping, value))
    return isinstance(value, dict)


def _scalar(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if text.isascii():
        return text
    return _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def content(comparison: Comparison) -> dict[str, Any]:
    """Return everything that a comparison holds, not yet as plain values."""
    step = next_step(comparison)
    rule = asdict(comparison.rule)
    if comparison.rule.best_of == 1:
        del rule["best_of"]

    def named(*names: str) -> dict[str, Any]:
        return {name: getattr(comparison, name) for name in names}

    designs = named("machine", "weights", "preferences")
    return {
        "schema": SCHEMA,
        **_read_first(comparison, "sections.cautions"),
        "systems": {"a": comparison.baseline, "b": comparison.candidate},
        "n_queries": comparison.n_queries,
        "settings": {**rule, **named("n_resamples", "n_resamples_joint")},
        "seed": comparison.seed,
        "verdict": _verdict(comparison.rule, comparison.decision),
        "measures": [asdict(row) for row in comparison.rows],
        "tests": [asdict(row) for row in comparison.test_rows],
        **named("effects", "spread", "planning"),
        "notes": [
            {"code": note.code, "severity": note.severity, "values": note.values}
            for note in comparison.notes
        ],
        "remarks": comparison.remarks,
        "quality": comparison.audits,
        "queries": {
            "query_id": comparison.query_ids,
            "scores": {
                measure: {"a": comparison.a[:, i], "b": comparison.b[:, i]}
                for i, measure in enumerate(comparison.measures)
            },
        },
        "segments": comparison.segmentations,
        **named("clusters", "topics", "evidence", "provenance"),
        "next_step": step.action,
        **({"next_step_condition": step.condition} if step.condition else {}),
        "margins": margin_ranges(comparison),
        "sensitivity": comparison.alternatives,
        **{key: design for key, design in designs.items() if design is not None},
    }


def _verdict(rule: Rule, decision: Decision) -> dict[str, Any]:
    return {
        "state": decision.verdict.value,
        "direction": decision.direction,
        "estimate": decision.estimate,
        "interval": {
            "confidence": rule.confidence,
            "low": decision.ci_low,
            "high": decision.ci_high,
        },
        "equivalence_interval": {
            "confidence": rule.confidence_equivalence,
            "low": decision.tost_low,
            "high": decision.tost_high,
        },
        "by_equivalence": decision.by_equivalence,
        "reason": decision.reason,
        "gate": None if decision.gate is None else asdict(decision.gate),
        "margin": decision.margin,
        "relative": decision.relative,
        "unseen": decision.unseen,
        "guards": decision.guards,
        "soundness": {"level": decision.soundness.level, "reasons": decision.soundness.reasons},
        "of_numbers": decision.of_numbers,
        "sign_flips": decision.sign_flips,
    }


def ranking_values(ranking: Ranking) -> dict[str, Any]:
    """Return a ranking as plain values; its rows are those of the first measure."""
    facts = _facts(ranking)
    scores = facts.pop("scores")
    result: dict[str, Any] = plain(
        {
            "schema": RANKING_SCHEMA,
            **_read_first(ranking, "subjects.systems", "of_runs"),
            "measure": facts.pop("measure"),
            "higher_is_better": facts.pop("higher_is_better"),
            "n_queries": ranking.n_queries,
            "settings": {name: getattr(ranking, name) for name in RANKING_SETTINGS},
            "seed": ranking.seed,
            **facts,
            "queries": {"query_id": ranking.query_ids, "scores": scores},
            "cautions": ranking.cautions,
            "quality": ranking.audits,
            "provenance": ranking.provenance,
            "secondary": [_facts(item) for item in ranking.secondary],
            **{name: getattr(ranking, name) for name in RANKING_BESIDE},
        }
    )
    if ranking.omnibus is not None:
        result["omnibus"] = plain(ranking.omnibus)
    return result


def _facts(ranking: Ranking) -> dict[str, Any]:
    """Return the values of one measure."""
    return {
        "measure": ranking.measure,
        "higher_is_better": ranking.higher_is_better,
        "method": ranking.method,
        "n_resamples": ranking.n_resamples,
        "systems": ranking.rows,
        "pairs": ranking.pair_rows,
        "shares": ranking.shares,
        "scores": {system: ranking.scores[:, i] for i, system in enumerate(ranking.systems)},
    }


def _collections_values(result: CollectionsComparison) -> dict[str, Any]:
    values: dict[str, Any] = plain(
        {
            "schema": COLLECTIONS_SCHEMA,
            **_read_first(result, "subjects.strata", "all_cautions"),
            "systems": {"a": result.baseline, "b": result.candidate},
            "alpha": result.alpha,
            **decided(result),
            "measures": [asdict(measure) for measure in result.measures],
            "provenance": result.provenance,
        }
    )
    values["collections"] = [
        {"name": name, "comparison": to_dict(comparison)}
        for name, comparison in result.comparisons.items()
    ]
    return values


def _read_first(result: object, module: str, name: str = "cautions") -> dict[str, list[str]]:
    """Return the cautions that come before the verdict, if any."""
    cautions = lazy.attribute(f"abrank.report.{module}", name)
    first = [str(caution) for caution in cautions(result) if caution.stands_first]
    return {"read_first": first} if first else {}


def decided(result: CollectionsComparison) -> dict[str, Any]:
    """Return rule, verdict and next step for all collections, segments and clusters."""
    whole = content(result.pooled)
    decided = {key: whole[key] for key in ("settings", "verdict", "next_step")}
    # The labels of queries are stored with each collection.
    if result.pooled.segmentations:
        decided["segments"] = [
            _unlabelled(segmentation) for segmentation in result.pooled.segmentations
        ]
    if result.pooled.clusters is not None:
        decided["clusters"] = _unlabelled(result.pooled.clusters)
    return decided


def _unlabelled(result: Segmentation | ClusterSummary) -> dict[str, Any]:
    return {key: value for key, value in asdict(result).items() if key != "labels"}


def standings_values(result: CollectionsRanking) -> dict[str, Any]:
    """Return many systems on collections as plain values: ``these`` and ``like`` are rankings."""
    values: dict[str, Any] = plain(
        {
            "schema": STANDINGS_SCHEMA,
            **_read_first(result, "subjects.standings"),
            "alpha": result.alpha,
            "n_queries": result.n_queries,
            "provenance": result.provenance,
        }
    )
    values["measures"] = [
        {
            "standings": plain([asdict(row) for row in measure.rows]),
            "fixed": ranking_values(measure.fixed),
            "random": ranking_values(measure.random),
        }
        for measure in result.measures
    ]
    values["collections"] = [
        {"name": name, "ranking": ranking_values(ranking)}
        for name, ranking in result.rankings.items()
    ]
    return values


def _comparison_tables(comparison: Comparison) -> dict[str, str]:
    """Return one row per measure; also the scores of every query, and the segments."""
    level = {"soundness": comparison.soundness.level}
    queries = (
        (query, measure, a, b, b - a)
        for i, measure in enumerate(comparison.measures)
        for query, a, b in zip(
            comparison.query_ids, *(x[:, i].tolist() for x in (comparison.a, comparison.b)),
            strict=True,
        )
    )  # fmt: skip
    return {
        ".csv": _records({**asdict(row), **level} for row in comparison.rows),
        ".queries.csv": csv_text(["query_id", "measure", "a", "b", "diff"], queries),
        **_segment_tables(comparison),
    }


def _segment_tables(comparison: Comparison) -> dict[str, str]:
    """Return one row per property and segment, if there are any."""
    both = ("interaction_pvalue", "interaction_pvalue_adj")
    rows = [
        {"property": item.name, **asdict(row), **{name: getattr(item, name) for name in both}}
        for item in comparison.segmentations
        for row in item.rows
    ]
    return {".segments.csv": _records(rows)} if rows else {}


def _collections_tables(result: CollectionsComparison) -> dict[str, str]:
    """Return one row per measure and collection; also the summaries with prediction intervals."""
    return {
        ".csv": _of_measures(result.measures),
        ".summaries.csv": _records(
            {
                "measure": measure.measure,
                "summary": kind,
                **asdict(getattr(measure, kind)),
                **{x: getattr(measure, x) for x in ("tau", "prediction_low", "prediction_high")},
                "heterogeneity_pvalue": measure.heterogeneity.pvalue,
                "i_squared": measure.heterogeneity.i_squared,
            }
            for measure in result.measures
            for kind in SUMMARIES
        ),
        **_segment_tables(result.pooled),
    }


def _standings_tables(result: CollectionsRanking) -> dict[str, str]:
    """Return one row per measure and system; also the means by collection and all pairs."""
    flat = lazy.attribute("abrank.collections.result", "flat")
    return {
        ".csv": _records(
            {"measure": x.measure, **flat(row)} for x in result.measures for row in x.rows
        ),
        ".means.csv": csv_text(
            ["measure", "collection", "system", "mean", "n_queries"],
            (
                (item.measure, collection, row.system, row.mean, ranking.n_queries)
                for collection, ranking in result.rankings.items()
                for item in ranking.by_measure
                for row in item.rows
            ),
        ),
        ".pairs.csv": _records(
            {"measure": measure.measure, "collections": claim, **asdict(row)}
            for measure in result.measures
            for claim in ("fixed", "random")
            for row in getattr(measure, claim).pair_rows
        ),
    }


def _history_tables(history: History) -> dict[str, str]:
    """Return one row per comparison; also one row per set of queries."""
    rows = zip(history.entries, history.expected, strict=True)
    entries = ({**asdict(entry), "expected_again": again} for entry, again in rows)
    return {
        ".csv": _records(entries, "key", "expected_again"),
        ".queries.csv": _records(map(asdict, history.query_sets), "queries"),
    }


def _of_measures(measures: Iterable[Any], rows: str = "rows") -> str:

    return _records(
        {"measure": x.measure, **asdict(row)} for x in measures for row in getattr(x, rows)
    )


def _records(rows: Iterable[dict[str, Any]], *empty: str) -> str:
    """Return records as CSV, one column per field; without records, the columns ``empty``."""
    records = list(rows)
    return csv_text([*records[0]] if records else empty, (row.values() for row in records))


_VALUES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Comparison": lambda comparison: plain(content(comparison)),
    "Ranking": ranking_values,
    "CollectionsComparison": _collections_values,
    "CollectionsRanking": standings_values,
    "JudgeAgreement": plain,
    "Plan": plain,
    "History": plain,
    "Intervals": plain,
    "MeansAudit": plain,
}
_TABLES: dict[str, Callable[[Any], dict[str, str]]] = {
    "Comparison": _comparison_tables,
    "Ranking": lambda ranking: {
        ".csv": _of_measures(ranking.by_measure),
        ".pairs.csv": _of_measures(ranking.by_measure, "pair_rows"),  # all pairs
    },
    "CollectionsComparison": _collections_tables,
    "CollectionsRanking": _standings_tables,
    "History": _history_tables,
    # The requested intervals come first, segments last.
    "Intervals": lambda all_: {
        ".csv": _records(map(asdict, [*all_.rows, *all_.others, *all_.segments]))
    },
    "MeansAudit": lambda result: {".csv": _records(map(asdict, result.rows))},
}

# The results on each collection, if it has per-query scores.
_SCORES: dict[str, Callable[[Any], Mapping[str, Any]]] = {
    "Comparison": lambda _: {},
    "Ranking": lambda _: {},
    "CollectionsComparison": lambda result: result.comparisons,
    "CollectionsRanking": lambda result: result.rankings,
}


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV with a header; for cells see :func:`csv_files`."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def csv_cell(value: object) -> object:
    """Convert a value to its form in CSV."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if math.isfinite(value) else ""
    return value


def queries_parquet(result: Any) -> bytes:  # noqa: ANN401
    """Return the scores of every query as Parquet, one row per measure and query."""
    # Columns `query_id measure a b diff` for a comparison; for a ranking one column per system
    # instead of A and B; for several collections with the column `collection` before them.
    import pyarrow as pa
    from pyarrow import parquet

    kind = _of(result, _SCORES)
    if parts := kind(result):
        names = [name.encode("utf-8", "replace").decode() for name in parts]
        tables = [
            pa.table(dict(_columns(part))).add_column(
                0, "collection", pa.array([name] * len(part.query_ids) * len(part.measures))
            )
            for name, part in zip(names, parts.values(), strict=True)
        ]
        table = pa.concat_tables(tables, promote_options="default")
    else:
        table = pa.table(dict(_columns(result)))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def _columns(result: Comparison | Ranking) -> Iterator[tuple[str, Any]]:
    """Yield the columns of scores with their names."""
    import pyarrow as pa

    # Arrow text cannot hold the lone surrogates that ids may contain.
    query_ids = [query_id.encode("utf-8", "replace").decode() for query_id in result.query_ids]
    measures = [str(name) for name in result.measures]
    place = np.repeat(np.arange(len(measures), dtype=np.int32), len(query_ids))
    yield "query_id", pa.array(query_ids * len(measures), pa.string())
    yield (
        "measure",
        pa.DictionaryArray.from_arrays(pa.array(place), pa.array(measures, pa.string())),
    )
    if isinstance(result, Comparison):
        a, b = (scores.ravel(order="F") for scores in (result.a, result.b))
        yield "a", pa.array(a)
        yield "b", pa.array(b)
        yield "diff", pa.array(b - a)
        return
    for system in result.systems:
        column = [item.scores[:, item.systems.index(system)] for item in result.by_measure]
        name = system.encode("utf-8", "replace").decode()
        yield name, pa.array(np.concatenate(column))
