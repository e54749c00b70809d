"""Exports of evaluation tools, told by their shape, as rows of a table of scores.

Source: the tools' documentation. promptfoo's ``results.json`` and JSON lines, DeepEval's test runs,
MLflow's ``eval_results_table``, events of OpenAI evals, events of Braintrust. Others (LangSmith,
Langfuse, Phoenix, Opik, Weave, TruLens, Ragas, HELM) write a row a result, which is read as any
other table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

Row = Mapping[str, Any]
# Under which key the rows of an export stand.
_ROWS = (
    "results",
    "testCases",
    "test_cases",
    "test_results",
    "rows",
    "records",
    "data",
    "events",
    "scores",
)


def rows_of_export(source: Any) -> tuple[list[Row], str] | None:  # noqa: ANN401 - what JSON holds
    """Return the rows that an export holds and what it was taken for; None for any other."""
    if isinstance(source, Mapping):
        names, data = source.get("columns", ()), source.get("data", ())
        if _is_list(names, str) and _is_list(data, list):
            return [dict(zip(names, row, strict=False)) for row in data], "a table of MLflow"
        inner = source.get("results")
        if isinstance(inner, Mapping) and _is_list(inner.get("results"), Mapping):
            return list(_of_promptfoo(inner["results"])), "results of promptfoo"
        for key in _ROWS:
            if _is_list(source.get(key), Mapping):
                return [*source[key]], f"the rows under {key}"
    if _is_list(source, Mapping):
        if any("sample_id" in row and "data" in row for row in source):
            return list(_of_events(source)), "events of OpenAI evals"
        if all("promptIdx" in row and "provider" in row for row in source):
            return list(_of_promptfoo(source)), "results of promptfoo"
    return None


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, kind) for row in value)


def _of_promptfoo(results: Sequence[Row]) -> Iterator[Row]:
    """Yield a row a test, prompt and provider; the prompt is part of the variant if it varies."""
    prompts = {row.get("promptIdx") for row in results}
    for row in results:
        provider = row.get("provider")
        name = (
            provider.get("label") or provider.get("id")
            if isinstance(provider, Mapping)
            else (provider)
        )
        test = row.get("testIdx")
        prompt = {"prompt_no": row.get("promptIdx")} if len(prompts) > 1 else {}
        yield {
            "test_case": json.dumps(row.get("vars"), sort_keys=True) if test is None else test,
            "provider": name, **prompt, "score": row.get("score"),
            **(row.get("namedScores") or {}),
            **{key: row[key] for key in ("latencyMs", "cost") if key in row},
        }  # fmt: skip


def _of_events(events: Iterable[Row]) -> Iterator[Row]:
    """Yield a row a sample with the numbers of its events."""
    samples: dict[Any, dict[str, Any]] = {}
    for event in events:
        data = event.get("data")
        if "sample_id" in event and isinstance(data, Mapping):
            numbers = {name: cell for name, cell in data.items() if isinstance(cell, (int, float))}
            samples.setdefault(event["sample_id"], {}).update(numbers)
    for sample, numbers in samples.items():
        if numbers:
            yield {"sample_id": sample, **numbers}


# Under which keys a list of scores has the name of each, and its value.
_SCORE_KEYS = ("name", "key", "metric", "metric_name", "scorer", "evaluator")
_VALUE_KEYS = ("score", "value", "mean")


def flattened(row: Row, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the cells of a row; a dict, or a list of named scores, gives one for each name."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{above}{key}.")
        elif scores := _named_scores(value):
            yield from scores.items()
        else:
            yield f"{above}{key}", value


def _named_scores(cell: object) -> dict[str, Any]:
    """Return the scores of a list of objects with a name and a value; empty for any other."""
    if not _is_list(cell, Mapping):
        return {}
    items: list[Row] = cell  # type: ignore[assignment]
    for name_key, value_key in product(_SCORE_KEYS, _VALUE_KEYS):
        if all(name_key in item and value_key in item for item in items):
            # HELM's name is an object of the metric's name, its split and its perturbation.
            names = [item[name_key] for item in items]
            names = [str(x.get("name") if isinstance(x, Mapping) else x) for x in names]
            scores = dict(zip(names, (item[value_key] for item in items), strict=True))
            return scores if len(scores) == len(items) else {}
    return {}
