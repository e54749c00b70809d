"""Read logs and exports of evaluation tools, and judged answers, as rows of a score table."""

# Formats are recognised by their structure: logs of Inspect and of the language model evaluation
# harness, promptfoo's `results.json` and JSON lines, DeepEval's test runs, MLflow's
# `eval_results_table`, events of OpenAI evals and of Braintrust, answers with nuggets or citations
# (AutoNuggetizer, TREC RAG). Others (LangSmith, Langfuse, Phoenix, Opik, Weave, TruLens, Ragas,
# HELM) write one row per result and are read like any other table.

from __future__ import annotations

import difflib
import io
import json
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from abrank._support.display import count, plural, shorten
from abrank._support.errors import ReadError
from abrank.inputs.columns import folded, require_distinct
from abrank.inputs.storage import UNPACK, excess, not_text
from abrank.inputs.text_files import AGAIN, parsed
from abrank.inputs.topics import QUERY_IDS

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

# --- Exports whose rows are those of a table

Row = Mapping[str, Any]
INDEX = "(index)"  # name for an unnamed index of a frame
# The keys under which exports keep their rows.
_ROWS = (
    "results", "testCases", "test_cases", "test_results", "item_results", "rows", "records", "data",
    "events", "scores", "per_query", "queries", "experiments", "runs", "systems",
)  # fmt: skip


def rows_of_export(
    source: Any,  # noqa: ANN401 - what JSON holds
    label: str,
) -> tuple[list[Row], str] | None:
    """Return the rows of an export and the name of its format; None for other objects."""
    if isinstance(source, Mapping):
        names, data = source.get("columns", ()), source.get("data", ())
        if _is_list(names, str) and _is_list(data, list):
            return _of_split(names, data, source.get("index"), label)
        inner = source.get("results")
        if isinstance(inner, Mapping) and _is_list(inner.get("results"), Mapping):
            return list(_of_promptfoo(inner["results"])), "results of promptfoo"
        for key in _ROWS:
            if _is_list(source.get(key), Mapping):
                return _of_systems(source[key]) or [*source[key]], f"the rows under {key}"
        inner = [item for item in source.values() if isinstance(item, (Mapping, list))]
        if len(inner) == 1 and isinstance(inner[0], Mapping) and len(source) > 1:
            return rows_of_export(inner[0], label)  # the rest is metadata
    if _is_list(source, Mapping):
        if rows := _of_systems(source):
            return rows, "a list of rows for each system"
        if any("sample_id" in row and "data" in row for row in source):
            return list(_of_events(source)), "events of OpenAI evals"
        if all("promptIdx" in row and "provider" in row for row in source):
            return list(_of_promptfoo(source)), "results of promptfoo"
    return None


def _of_systems(systems: Sequence[Row]) -> list[Row]:
    """Return the rows of a list of systems that each have a list of rows; empty for others."""
    for key in _ROWS:
        lists = [system.get(key) for system in systems]
        if all(_is_list(rows, Mapping) and not _named_scores(rows) for rows in lists):
            return [
                {**{name: system[name] for name in system if name != key}, **row}
                for system in systems for row in system[key]
            ]  # fmt: skip
    return []


def _of_split(
    names: list[str], data: list[list[Any]], index: object, label: str
) -> tuple[list[Row], str]:
    """Return the rows of an MLflow table or of a frame, whose index may hold query ids."""
    require_distinct(names, label)
    for number, row in enumerate(data):
        if len(row) != len(names):
            problem = f"has {len(row)} cells for {len(names)} columns"
            raise ReadError(label, problem, at=f"row {number}")
    if not isinstance(index, list) or len(index) != len(data) or index == [*range(len(data))]:
        return [dict(zip(names, row, strict=True)) for row in data], "a table of MLflow"
    levels = [entry if isinstance(entry, list) else [entry] for entry in index]
    numbers = range(len(levels[0]))
    keys = [INDEX] if len(numbers) == 1 else [f"{INDEX} {level}" for level in numbers]
    heads = [*keys, *names]
    rows: list[Row] = [dict(zip(heads, [*level, *row], strict=False))
            for level, row in zip(levels, data, strict=True)]  # fmt: skip
    return rows, "a frame by its columns, index and data"


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, kind) for row in value)


def _of_promptfoo(results: Sequence[Row]) -> Iterator[Row]:
    """Yield one row per test, prompt and provider; a varying prompt is part of the variant."""
    prompts = _prompts(results)
    for row in results:
        provider = row.get("provider")
        if isinstance(provider, Mapping):
            provider = provider.get("label") or provider.get("id")
        test, named = row.get("testIdx"), row.get("namedScores")
        prompt = {"prompt_no": prompts[row.get("promptIdx")]} if len(prompts) > 1 else {}
        scores = {
            **{key: row[key] for key in ("score", "success") if key in row},
            **(named if isinstance(named, Mapping) else {}),
        }
        if row.get("failureReason") == _NO_ANSWER:  # its score 0 is not a judgment
            scores = dict.fromkeys(scores)
        yield {
            "test_case": json.dumps(row.get("vars"), sort_keys=True) if test is None else test,
            "provider": provider, **prompt, "score": None, **scores,
            **{key: row[key] for key in ("latencyMs", "cost") if key in row},
        }  # fmt: skip


_NO_ANSWER = 2  # promptfoo's ResultFailureReason.ERROR: the provider failed, not an assertion
_LONGEST_LABEL = 60  # characters; longer labels are just the text of the prompt


def _prompts(results: Sequence[Row]) -> dict[Any, Any]:
    """Return a name for each prompt: its label if all have a short and unique one."""
    labels: dict[Any, set[str]] = {}
    for row in results:
        prompt = row.get("prompt")
        label = prompt.get("label") if isinstance(prompt, Mapping) else None
        labels.setdefault(row.get("promptIdx"), set()).add(str(label or "").strip())
    names = [next(iter(some)) for some in labels.values() if len(some) == 1]
    is_own = len({*names}) == len(labels) and all(
        0 < len(name) <= _LONGEST_LABEL and "\n" not in name and "{{" not in name for name in names
    )
    return dict(zip(labels, names if is_own else labels, strict=True))


def _of_events(events: Iterable[Row]) -> Iterator[Row]:
    samples: dict[Any, dict[str, Any]] = {}
    for event in events:
        data = event.get("data")
        if "sample_id" in event and isinstance(data, Mapping):
            numbers = {name: cell for name, cell in data.items() if isinstance(cell, (int, float))}
            samples.setdefault(event["sample_id"], {}).update(numbers)
    for sample, numbers in samples.items():
        if numbers:
            yield {"sample_id": sample, **numbers}


# Pairs of keys that hold the name and the value in lists of named scores.
_SCORE_KEYS = (
    "name", "key", "metric", "metric_name", "scorer", "evaluator", "assessment_name",
    "name.name",  # HELM: an object with the metric's name, split and perturbation
)  # fmt: skip
_VALUE_KEYS = ("score", "value", "mean", "feedback.value")


def flattened(row: Row, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the cells of a row; dicts and lists of named scores give one cell per name."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from flattened(value, f"{above}{key}.")
        elif scores := _named_scores(value):
            yield from scores.items()
        else:
            yield f"{above}{key}", value


def _named_scores(cell: object) -> dict[str, Any]:
    if not _is_list(cell, Mapping):
        return {}
    items = [dict(flattened(item)) for item in cell]  # type: ignore[attr-defined]
    for name_key, value_key in product(_SCORE_KEYS, _VALUE_KEYS):
        if all(name_key in item and value_key in item for item in items):
            names = [str(item[name_key]) for item in items]
            scores = dict(zip(names, (item[value_key] for item in items), strict=True))
            return scores if len(scores) == len(items) else {}
    return {}


# --- Logs as long tables of query, repeat, measure and score; a failed judgment has an empty score

# The values that Inspect gives its letters: correct, incorrect, partial, no answer.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ZSTANDARD = 93
_OF_SAMPLE = ("id", "epoch", "scores")  # the fields of a sample that are read


LOG_OF = "a log of the task "


def rows_of_log(
    source: object,  # what JSON holds
    label: str,
) -> tuple[list[dict[str, Any]], str] | None:
    """Return one row per score of a log, and the name of its task; None if this is no log."""
    form = "a log"
    if isinstance(source, Mapping) and "eval" in source and "samples" in source:
        # A log of an unfinished evaluation, or one without samples, lacks some scores.
        if (status := source.get("status", "success")) != "success":
            raise ReadError(
                label, f"is the log of an evaluation that has not succeeded (status {status})",
                hint="its scores are of some samples only; let it end: inspect eval-retry FILE",
            )  # fmt: skip
        samples = source["samples"] or []
        n_samples = (source.get("results") or {}).get("completed_samples") or 0
        if len(samples) < n_samples:
            problem = f"holds {len(samples)} samples, and its header counts {n_samples}"
            raise ReadError(label, problem, hint=AGAIN)
        task = source["eval"].get("task") if isinstance(source["eval"], Mapping) else None
        form = f"{LOG_OF}{shorten(str(task))}" if task else form
        rows = list(_of_inspect(samples))
    elif (
        isinstance(source, list) and source and isinstance(source[0], Mapping)
        and {"doc_id", "filtered_resps"} <= {*source[0]}
    ):  # fmt: skip
        rows = list(_of_harness(source))
    else:
        return None
    if len({row.get("epoch") for row in rows}) == 1:
        rows = [{name: row[name] for name in row if name != "epoch"} for row in rows]
    return rows, form


def read_archive(data: bytes, label: str) -> dict[str, Any]:
    """Read an ``.eval`` file of Inspect, a zip archive with one file per sample."""
    import zipfile  # imported late: it loads much that few inputs need
    import zlib

    damage = (
        zipfile.BadZipFile, zlib.error, struct.error, pa.ArrowException, OSError, EOFError,
        ValueError, IndexError, OverflowError, NotImplementedError, RuntimeError,
    )  # fmt: skip
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = archive.infolist()
    except damage as error:
        raise ReadError(label, f"is no zip: {error}", hint=AGAIN) from None
    members = [entry for entry in entries if entry.filename.startswith("samples/")]
    if not members:
        problem, hint = not_text(data)
        if hint == UNPACK:
            problem = "is a zip without samples/: no log of Inspect"
            hint = "unpack it, and give the file of scores in it"
        raise ReadError(label, problem, hint=hint)
    size = sum(entry.file_size for entry in members)
    problem, _ = excess(size, None, n_rows=0, n_packed=len(data))
    if problem:
        hint = "write it as JSON: inspect log dump FILE > FILE.json"
        raise ReadError(label, f"holds {problem}", hint=hint)

    def content(entry: ZipInfo) -> Any:  # noqa: ANN401 - whatever JSON holds
        try:
            text = _unzipped(archive, entry, data)
            if len(text) != entry.file_size or zlib.crc32(text) != entry.CRC:
                raise ValueError("its checksum differs")
        except damage as error:
            raise ReadError(label, f"{entry.filename} is damaged: {error}", hint=AGAIN) from None
        return parsed(text, f"{label}, {entry.filename}")

    samples = []
    for entry in members:
        sample = content(entry)
        if not isinstance(sample, dict):
            raise ReadError(label, f"{entry.filename} holds no sample")
        # Messages make up most of the file and are not needed.
        samples.append({name: sample[name] for name in _OF_SAMPLE if name in sample})
    header: Any = next((content(entry) for entry in entries if entry.filename == "header.json"), {})
    if not isinstance(header, dict):
        raise ReadError(label, "header.json holds no header")
    return {"eval": {}, "status": "started", **header, "samples": samples}


def _unzipped(archive: ZipFile, entry: ZipInfo, data: bytes) -> bytes:
    """Return one file of a zip; Python before 3.14 cannot read Zstandard itself."""
    if entry.compress_type != _ZSTANDARD:
        return archive.read(entry)
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    start = entry.header_offset + 30 + name + extra
    if data[entry.header_offset + 30 :][:name] != entry.orig_filename.encode():
        raise ValueError("its name in the directory is another")
    packed = pa.BufferReader(data[start : start + entry.compress_size])
    return bytes(pa.CompressedInputStream(packed, "zstd").read(entry.file_size))


def _of_inspect(samples: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield one row per sample and scorer; a dict of scores gives one row per key."""
    held: list[tuple[Any, Any, dict[str, Any]]] = []
    for sample in samples:
        scores: dict[str, Any] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value") if isinstance(score, Mapping) else score
            inner = value if isinstance(value, Mapping) else {"": value}
            scores |= {f"{scorer}/{key}" if key else scorer: item for key, item in inner.items()}
        held.append((sample.get("id"), sample.get("epoch", 1), scores))
    names = dict.fromkeys(name for *_, scores in held for name in scores)
    for query, epoch, scores in held:
        for name in names:
            value = scores.get(name)
            value = _LETTERS.get(value, value) if isinstance(value, str) else value
            yield {"query_id": query, "epoch": epoch, "measure": name, "score": value}


def _of_harness(source: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield one row per document, filter and metric; names include the filter if several."""
    filters = {row.get("filter", "none") for row in source}
    for row in source:
        behind = f"/{row.get('filter')}" if len(filters) > 1 else ""
        names = row.get("metrics") or [name for name, v in row.items() if isinstance(v, float)]
        for name in names:
            value = row.get(name)
            if not isinstance(value, (list, tuple, dict)):
                yield {"query_id": row["doc_id"], "measure": f"{name}{behind}", "score": value}


# --- Answers judged by nuggets or citations

# Credit for a nugget in an answer (AutoNuggetizer) or for a citation that supports a sentence (TREC
# RAG): partial support counts half, and nothing in the strict measures.
ASSIGNED = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
SUPPORTED = {
    **{"full_support": 1.0, "partial_support": 0.5, "no_support": 0.0},
    **{"fs": 1.0, "ps": 0.5, "ns": 0.0},
}
IMPORTANCE = {"vital": 1.0, "okay": 0.5}
SHOWN = 3  # labels listed in a message
# About 1 % of AutoNuggetizer's labels are meaningless words; more indicate another label scheme.
MOST_UNKNOWN = 0.05
MISSPELT = 0.8  # difflib similarity above which an unknown label is a misspelt known one


def scores_of_answers(source: object, label: str) -> tuple[list[dict[str, Any]], str] | None:
    """Return one row per score, and the kind of answers; None for other rows."""
    # Nuggets: `NuggetRecall` over all nuggets, over `vital` ones, and weighted (vital 1, okay 1/2),
    # each with partial support as a half and in a `strict` form; 0 without such nuggets. A few
    # unknown labels are tolerated: an unknown assignment gives no support, and a nugget of unknown
    # importance only counts among all. These are the scores of TREC RAG 2024 (Pradeep et al. 2025).
    # Citations: `SupportPrecision` over sentences with citations and `SupportRecall` over all
    # (Thakur et al. 2025).
    rows = [source] if isinstance(source, dict) else source  # a single answer
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return None
    lists = (kind for kind in _KINDS if any(isinstance(row.get(kind), list) for row in rows))
    kind = next(lists, None)
    if kind is None:
        return None
    score, judged, form, labels_of_kind = _KINDS[kind]
    odd: Counter[str] = Counter()
    scores: list[dict[str, Any]] = []
    is_named = any(str(row.get("run_id", "")) for row in rows)
    parts_of_system: Counter[str] = Counter()
    for place, row in enumerate(rows):
        query = next((row[name] for name in QUERY_IDS if name in row), None)
        parts = row[kind]
        if query is None:
            raise ReadError(label, "an answer has no query id (qid)", at=f"answer {place + 1}")
        if not isinstance(parts, list):
            raise ReadError(label, f"an answer has no list of {kind}", at=f"answer {place + 1}")
        if not all(  # sentences without citations need no judgment
            isinstance(part, Mapping) and judged in part
            and (part[judged] is not None or not part.get("citations", True))
            for part in parts
        ):  # fmt: skip
            problem = f"{kind} without {judged!r}: were they judged?"
            raise ReadError(label, problem, at=f"answer {place + 1}")
        system = str(row.get("run_id", ""))
        parts_of_system[system] += len(parts)
        names = {"query_id": str(query), **({"system": system} if is_named else {})}
        scores += [
            {**names, "measure": measure, "score": value}
            for measure, value in score(parts, odd).items()
        ]
    for system, n_parts in parts_of_system.items():
        if not n_parts:
            whose = f" of {shorten(system)}" if system else ""
            hint = "judge the answers, or leave out those without"
            raise ReadError(label, f"no answer{whose} has any {kind}", hint=hint)
    if n_empty := sum(not row[kind] for row in rows):
        form += f" ({count(n_empty)} of {plural(len(rows), 'answer')} empty, which score 0)"
    if odd:
        misspelt = [
            name for name in odd if difflib.get_close_matches(name, labels_of_kind, 1, MISSPELT)
        ]
        total = parts_of_system.total()
        labels = f"{plural(odd.total(), 'unknown label')} among {count(total)} parts"
        if misspelt or odd.total() > MOST_UNKNOWN * total:
            some = ", ".join(shorten(name) for name in (misspelt or [*odd])[:SHOWN])
            hint = f"write one of {', '.join(labels_of_kind)}"
            raise ReadError(label, f"{labels}: {some}", hint=hint)
        some = ", ".join(f"{shorten(name)} ({n})" for name, n in odd.most_common(SHOWN))
        form += f" ({labels}, counted as no support: {some})"
    return scores, form


def _nuggets(parts: list[Mapping[str, Any]], odd: Counter[str]) -> dict[str, float]:
    pairs = [(folded(part.get("importance")), folded(part.get("assignment"))) for part in parts]
    for importance, assignment in pairs:
        odd.update([importance] * (importance not in IMPORTANCE))
        odd.update([assignment] * (assignment not in ASSIGNED))
    gains = [ASSIGNED.get(assignment, 0.0) for _, assignment in pairs]
    weights: dict[tuple[str, str], list[float]] = {
        ("NuggetRecall", ""): [1.0 for _ in pairs],
        ("NuggetRecall", "vital"): [float(importance == "vital") for importance, _ in pairs],
        ("WeightedNuggetRecall", ""): [IMPORTANCE.get(importance, 0.0) for importance, _ in pairs],
    }
    scores = {}
    for (name, kind), weight in weights.items():
        for strict, minimum in (("", 0.5), ("strict", 1.0)):
            variant = ",".join(filter(None, (kind, strict)))
            total = sum(w * gain for w, gain in zip(weight, gains, strict=True) if gain >= minimum)
            scores[f"{name}({variant})" if variant else name] = (
                total / sum(weight) if sum(weight) else 0.0
            )
    return scores


def _support(parts: list[Mapping[str, Any]], odd: Counter[str]) -> dict[str, float]:
    cited = [part for part in parts if part.get("citations")]
    labels = [folded(part.get("support")) for part in cited]
    odd.update(label for label in labels if label not in SUPPORTED)
    support = sum(SUPPORTED.get(label, 0.0) for label in labels)
    return {
        "SupportPrecision": support / len(cited) if cited else 0.0,
        "SupportRecall": support / len(parts) if parts else 0.0,
    }


_Score = Callable[[list[Mapping[str, Any]], Counter[str]], dict[str, float]]
# By the key that holds the parts of an answer: the score function, the key of a judgment, the name
# of the format, and the labels.
_KINDS: dict[str, tuple[_Score, str, str, tuple[str, ...]]] = {
    "nuggets": (
        _nuggets, "assignment", "nuggets assigned to answers", (*ASSIGNED, *IMPORTANCE)
    ),
    "answer": (
        _support, "support", "answers whose sentences are judged by support", (*SUPPORTED,)
    ),
}  # fmt: skip
