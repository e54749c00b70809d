"""``results.json``: everything a comparison holds as plain values, at full precision."""

# It is the one source of the numbers; every other output is a rounding of it. Its shape is that of
# the JSON Schema `saved/abrank-2.schema.json`.

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import numpy as np

from abrank.comparison import Comparison
from abrank.comparison.units import margin_ranges
from abrank.report.sections.cautions import cautions
from abrank.report.sections.next_step import next_step
from abrank.verdict import Decision, Rule

SCHEMA = "abrank/2"
MANY = 1000  # numbers in a column above which it is written as the array that it is

_SCALARS = {str, int, float, bool, type(None)}
# Half of a surrogate pair, which no UTF-8 can hold: JSON writes it as an escape.
_HALF = re.compile("[\ud800-\udfff]")


def content(comparison: Comparison) -> dict[str, Any]:
    """Return everything a comparison holds, not yet as plain values."""
    step = next_step(comparison)
    rule = asdict(comparison.rule)
    if comparison.rule.best_of == 1:
        del rule["best_of"]
    first = [str(caution) for caution in cautions(comparison) if caution.stands_first]

    def named(*names: str) -> dict[str, Any]:
        return {name: getattr(comparison, name) for name in names}

    designs = named("machine", "weights", "preferences")
    return {
        "schema": SCHEMA,
        **({"read_first": first} if first else {}),
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
        **named("clusters", "beliefs", "topics", "evidence", "provenance"),
        "next_step": step.action,
        **({"next_step_condition": step.condition} if step.condition else {}),
        "margins": margin_ranges(comparison),
        "sensitivity": comparison.alternatives,
        **{key: design for key, design in designs.items() if design is not None},
    }


def json_bytes(comparison: Comparison) -> bytes:
    """Return ``results.json``: one line a fact, a list without mappings on one line."""
    text = io.BytesIO()
    for piece in _laid_out(plain(content(comparison), is_many=True), ""):
        text.write(piece.encode())
    text.write(b"\n")
    return text.getvalue()


def plain(value: object, *, is_many: bool = False) -> Any:  # noqa: ANN401 - any tree of values
    """Return values as JSON knows them: NaN is None, an infinity ``"inf"`` or ``"-inf"``."""
    # With `many`, a column of more than `MANY` finite numbers is left as it is.
    if value is None or isinstance(value, (bool, int, str)):
        # An enum of text or a numpy bool would be written as what it is, not as what it stands for.
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
        # Not asdict: it copies deep, and cannot copy a read-only mapping.
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


def layout(value: object) -> str:  # what plain() returns
    """Return JSON, mappings and lists that hold one indented, any other list on one line."""
    return "".join(_laid_out(value, ""))


def _laid_out(value: Any, indent: str) -> Iterator[str]:  # noqa: ANN401
    """Yield what :func:`layout` returns piece by piece: a text of all would stand there twice."""
    deeper, is_mapping = indent + "  ", isinstance(value, dict)
    if (is_mapping and value) or (isinstance(value, list) and _holds_mapping(value)):
        ends = "{}" if is_mapping else "[]"
        yield f"{ends[0]}\n{deeper}"
        for i, item in enumerate(value):
            if i:
                yield f",\n{deeper}"
            if is_mapping:
                yield f"{_scalar(item)}: "
            yield from _laid_out(value[item] if is_mapping else item, deeper)
        yield f"\n{indent}{ends[1]}"
    elif isinstance(value, np.ndarray):
        yield f"[{', '.join(map(repr, value.astype(float).tolist()))}]"
    else:
        yield _scalar(value)


def _holds_mapping(value: object) -> bool:
    if isinstance(value, list):
        # Not item by item: a list may hold a number for each of a million queries.
        return not set(map(type, value)) <= _SCALARS and any(map(_holds_mapping, value))
    return isinstance(value, dict)


def _scalar(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if text.isascii():
        return text
    return _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", text)
