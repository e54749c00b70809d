"""Find the files of each collection: from a table, or from a folder of folders."""

from __future__ import annotations

import csv
import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ArgumentError, NotFoundError, ReadError, reading
from abrank._support.files import parse_toml
from abrank._support.typing import FloatArray
from abrank.inputs.files import ENDINGS, contents, short_name
from abrank.inputs.score_source import OF_MTEB, PREDICTIONS, NamedTable, read_source
from abrank.inputs.topics import COLLECTIONS
from abrank.measures.names import names_measure

# Paths by "qrels" for the judgments, and by the name of each system for its run.
Files: TypeAlias = dict[str, Any]
NAME, QRELS, SCORES = "name", "qrels", "scores"
# Names of query properties in files of their own; they are not systems.
PROPERTIES = ("segments", "clusters")
_PAIRS = (("a", "b"), ("baseline", "candidate"))
_FORM = (
    "one table of scores with a column collection; name<TAB>qrels<TAB>a<TAB>b, a line a"
    " collection; or TOML: [name] qrels = … a = … b = …"
)


def read_collections(source: object) -> dict[str, Files]:  # a path or a frame
    r"""Find the files, or the rows of a table of scores, of each collection.

    The result has paths by collection, then by ``qrels``, ``segments``, ``clusters`` and system.

    Parameters
    ----------
    source : str, path or frame
        - One table of scores with a column ``collection`` (``dataset``, ``corpus``, ``benchmark``,
          ``task``), in a form that :func:`abrank.read_scores` reads.
        - A TSV or CSV table with one line per collection: columns ``name``, ``qrels`` and one per
          system, such as ``a`` and ``b`` (the default for four columns without names). Without
          ``qrels`` the files hold ready scores; a column ``scores`` names one file of all systems.
        - A TOML file with a table per collection and the same keys. Paths are relative to the file.
        - A folder with one folder per collection. Each contains one file of judgments,
          ``qrels.*``, ``*.qrels`` or (BEIR) ``qrels/test.tsv``, and runs, there or in ``runs/``,
          named after their systems.
        - A pattern for the files of judgments, such as ``"beir/*/qrels.txt"``.

        Columns ``segments`` and ``clusters`` (in folders: files ``segments.*`` and ``clusters.*``)
        hold query properties, as for :func:`abrank.compare`.

    Raises
    ------
    NotFoundError, ReadError
        If the source does not exist, or has another form.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "beir.tsv"
    >>> lines = ["name\tqrels\tbm25\tt5", "scifact\tq.txt\tbm25.run\tt5.run"]
    >>> _ = file.write_text("\n".join(lines))
    >>> {key: path.name for key, path in read_collections(file)["scifact"].items()}
    {'qrels': 'q.txt', 'bm25': 'bm25.run', 't5': 't5.run'}
    """
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "columns"):
            raise ArgumentError(
                'collections must be a path, a table with a column "collection", or a mapping by'
                f' name: {{"scifact": (qrels, a, b), …}}, not a {type(source).__name__}'
            )
        return _of_one_table(read_source(source, names_measure))
    path = Path(source)
    if path.is_dir():
        return _folder(path)
    if glob.has_magic(os.fspath(source)) and not path.exists():
        return _glob(os.fspath(source))
    label = os.fspath(source)
    if _is_one_table(path):
        return _of_one_table(read_source(source, names_measure))
    data = contents(source)[0]
    rows = _toml(data, label) if path.suffix.lower() == ".toml" else _lines(data, label)
    if not rows:
        raise ReadError(label, "names no collection", expected=_FORM)
    return {name: {key: _path(path, key, item) for key, item in row.items()} for name, row in rows}


def files_of(source: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Return the files that a table, folder or pattern names; a table of scores is itself."""
    if _is_one_table(Path(source)):
        return [source]
    values = [value for files in read_collections(source).values() for value in files.values()]
    return [path for value in values for path in (value if isinstance(value, list) else [value])]


def pairs_of(
    collections: Mapping[str, Files], *, name_a: str | None = None, name_b: str | None = None
) -> tuple[dict[str, tuple[Any, ...]], dict[str, str | None]]:
    """Return the input of :func:`compare_collections` for each collection, and system names.

    The inputs are ``(qrels, a, b)``, or ``(a, b)`` for ready scores. The names are under
    ``name_a`` and ``name_b``, None if only the files have them.

    Parameters
    ----------
    collections : mapping of str to dict of str to path
        As returned by :func:`read_collections`.
    name_a, name_b : str, optional
        The systems to compare. Default: ``a`` and ``b``, ``baseline`` and ``candidate``, or the
        only two. If no system has the given name, it is a name to give.

    Raises
    ------
    ArgumentError
        If it is not clear which two systems to compare.
    AlignmentError
        If another collection lacks one of them.

    Examples
    --------
    >>> files = {"scifact": {"qrels": "q", "bm25": "x", "t5": "y"}}
    >>> pairs_of(files, name_a="t5", name_b="bm25")
    ({'scifact': ('q', 'y', 'x')}, {'name_a': 't5', 'name_b': 'bm25'})
    """
    requested = (name_a, name_b)
    if all(systems_of(files) == [SCORES] for files in collections.values()):
        return {name: (files[SCORES],) for name, files in collections.items()}, {}
    first, *rest = collections
    keys = _chosen(first, collections[first], requested)
    for name in rest:
        systems = systems_of(collections[name])
        # The two named systems, or the only two; never replace one of them by a third.
        chosen = {*keys} in ({*requested}, *map(set, _PAIRS))
        if not {*keys} <= {*systems} or not (chosen or len(systems) == 2):
            raise AlignmentError(
                f"the collection {shorten(name)} has the systems {_listed(systems)}, and"
                f" {shorten(first)} has {_listed(keys)}: the same two are compared everywhere\n"
                "  name them alike, or give a table with the columns name, qrels, a and b"
            )
    by_name = (None, None) if keys in _PAIRS else keys
    names = [given or key for given, key in zip(requested, by_name, strict=True)]
    result = {
        name: tuple(files[key] for key in (QRELS, *keys) if key in files)
        for name, files in collections.items()
    }
    return result, dict(zip(("name_a", "name_b"), names, strict=True))


def systems_of(files: Files) -> list[str]:
    """Return the systems of a collection: all names except judgments and query properties."""
    return [key for key in files if key not in (QRELS, *PROPERTIES)]


def properties_of(kind: str, source: object, collections: Sequence[str]) -> dict[str, Any]:
    """Return the segments or clusters of each collection."""
    # `source` is a mapping by collection, or one table with a column `collection`.
    if source is None:
        return {}
    if isinstance(source, Mapping):
        unknown = [str(name) for name in source if name not in collections]
        if not unknown:
            return dict(source)
        raise ArgumentError(
            f"{kind} of {_listed(unknown[:3])}: the collections are {_listed(collections)}; of"
            f" several collections give {{collection: {kind}}}, or a table with a column collection"
        )
    from abrank.inputs.topics import by_collection, read_properties

    with reading(kind, source):
        return dict(by_collection(read_properties(source), collections))


def ranking_inputs_of(collections: Mapping[str, Files]) -> dict[str, Any]:
    """Return the input of :func:`rank_collections` for each collection.

    From the result of :func:`read_collections`: ``(qrels, runs)``, ready scores by system, or one
    file with ready scores of all systems.

    Examples
    --------
    >>> files = {"web": {"qrels": "q", "bm25": "x", "t5": "y"}, "news": {"scores": "n.csv"}}
    >>> ranking_inputs_of(files)
    {'web': ('q', {'bm25': 'x', 't5': 'y'}), 'news': 'n.csv'}
    """
    result: dict[str, Any] = {}
    for name, files in collections.items():
        systems = {key: files[key] for key in systems_of(files)}
        result[name] = (files[QRELS], systems) if QRELS in files else systems
        if list(systems) == [SCORES] and QRELS not in files:
            result[name] = files[SCORES]
    return result


def _chosen(name: str, files: Files, requested: tuple[str | None, str | None]) -> tuple[str, str]:
    systems = systems_of(files)
    for pair in (requested, *_PAIRS):
        if all(name_of_system in systems for name_of_system in pair):
            return str(pair[0]), str(pair[1])
    if len(systems) == 2 and not {*requested} & {*systems}:
        return systems[0], systems[1]
    if len(systems) < 2:
        what_it_has = f"one run, {systems[0]}" if systems else "no runs"
        raise ArgumentError(
            f"the collection {name} has {what_it_has}: it needs two runs, beside its judgments, in"
            " runs/, or named in a table: name<TAB>qrels<TAB>a<TAB>b, a line a collection"
        )
    raise ArgumentError(
        f"of the systems of the collection {name} ({_listed(systems)}) name two:"
        " --baseline NAME --candidate NAME (baseline=, candidate=)"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shorten(name) for name in names)


def _lines(data: bytes, label: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the rows of a table whose cells are separated by tabs or commas."""
    text = data.decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return []
    try:
        head, *rows = csv.reader(lines, delimiter="\t" if "\t" in lines[0] else ",")
    except csv.Error as problem:
        raise ReadError(label, f"is no table: {problem}", expected=_FORM) from None
    head = [item.strip() for item in head]
    if len(head) == 4 and {*head}.isdisjoint((NAME, QRELS, *COLLECTIONS)):  # no header
        head, rows = [NAME, QRELS, "a", "b"], [head, *rows]
    # The index column has no title if pandas wrote the table.
    title = next((item for item in head if item.lower() in COLLECTIONS), "")
    head = [NAME if item == title and NAME not in head else item for item in head]
    min_columns = 2 if SCORES in head else 3
    if NAME not in head or len(set(head)) < len(head) or len(head) < min_columns:
        raise ReadError(label, f"its first line is {shorten(', '.join(head))}", expected=_FORM)
    result: list[tuple[str, Mapping[str, Any]]] = []
    for number, row in enumerate(rows, 2):
        if len(row) != len(head):
            position = f"row {number}"
            raise ReadError(label, f"has {len(row)} cells under {len(head)} heads", at=position)
        cells = {key: cell.strip() for key, cell in zip(head, row, strict=True) if cell.strip()}
        result.append((cells.pop(NAME, ""), cells))
    names = [name for name, _ in result]
    for name in names:
        if not name or names.count(name) > 1:
            reason = (
                f"two collections are named {shorten(name)}" if name else "a collection has no name"
            )
            raise ReadError(label, reason)
    return result


def _toml(data: bytes, label: str) -> list[tuple[str, Mapping[str, Any]]]:
    tables = parse_toml(data, label, expected=_FORM)
    for name, table in tables.items():
        cells = table.values() if isinstance(table, dict) else [None]
        # A path, or a list of repeated runs of one system.
        paths = [cell if isinstance(cell, list) and cell else [cell] for cell in cells]
        if not all(isinstance(path, str) for cell in paths for path in cell):
            raise ReadError(label, "is no table of paths", at=f"[{shorten(name)}]", expected=_FORM)
    return list(tables.items())


def _path(path: Path, key: str, cell: Any) -> object:  # noqa: ANN401
    """Return a path relative to the table; the name of a segment column stays unchanged."""
    if isinstance(cell, list):
        return [path.parent / item for item in cell]
    file = path.parent / cell
    is_column = key == "clusters" and not (file.exists() or file.suffix)
    return cell if is_column else file


def _is_one_table(path: Path) -> bool:
    """Whether the header has a column of collections, and none for their files."""
    if path.suffix.lower() in (".parquet", ".feather", ".arrow"):
        return True
    if path.suffix.lower() not in (".csv", ".tsv", ".txt") or not path.is_file():
        return False
    with reading("collections", path), path.open(encoding="utf-8-sig", errors="replace") as file:
        head = {name.strip().lower() for name in re.split("[,\t;]", file.readline())}
    return head.isdisjoint((NAME, QRELS)) and not head.isdisjoint(COLLECTIONS)


def _of_one_table(table: NamedTable) -> dict[str, Files]:
    names = {column.name.lower(): column.name for column in reversed(table.columns)}
    name = next((names[item] for item in COLLECTIONS if item in names), None)
    if name is None:
        column_names = ", ".join(column.name for column in table.columns)
        problem = f"has no column of collections; its columns: {column_names}"
        raise ReadError(table.origin.label, problem, expected=f"one of {', '.join(COLLECTIONS)}")
    labels, codes = table.column(name).coded
    columns = tuple(column for column in table.columns if column.name != name)
    table = replace(table, columns=columns)
    result: dict[str, Files] = {}
    for code, label in enumerate(labels):
        origin = replace(table.origin, label=f"{table.origin.label}, {shorten(label)}")
        rows = replace(table.take(np.flatnonzero(codes == code)), origin=origin)
        result[label] = {SCORES: rows}
    return result


def _folder(path: Path) -> dict[str, Files]:
    collections = {
        folder.name: _collection(folder)
        for folder in sorted(path.iterdir())
        if folder.is_dir()
        and folder.name[0] != "."
        # Folders of figures and caches are no collections.
        and any(file.name.endswith(ENDINGS) for file in folder.rglob("*"))
    }
    if not collections:
        raise NotFoundError(
            f"{path}: holds no folder of a collection\n"
            "  each has its judgments (qrels.txt or qrels/test.tsv) and its runs, beside them or in"
            " runs/"
        )
    return collections


def _glob(pattern: str) -> dict[str, Files]:
    """Return the collections whose judgments match a pattern, named by their folders."""
    result: dict[str, Files] = {}
    for path in map(Path, sorted(glob.glob(pattern, recursive=True))):  # noqa: PTH207 - absolute, too
        folder = path if path.is_dir() else path.parent
        folder = folder.parent if folder.name == QRELS else folder
        if folder.name in result:
            problem = f"two files of judgments of {folder.name}, one of them {path}"
            raise ReadError(pattern, problem, hint="name one file a folder: */qrels.txt")
        result[folder.name] = _collection(folder, None if path.is_dir() else path)
    if not result:
        raise NotFoundError(f"{pattern}: no file or folder has this name")
    return result


def _collection(folder: Path, qrels: Path | None = None) -> Files:
    """Return the files of one collection: judgments (given or found) and runs."""
    files = _files_in(folder)
    split = _files_in(folder / QRELS)
    judged = [f for f in files if f.name.startswith(QRELS) or f".{QRELS}" in f.name]
    judged += [f for f in split if f.stem == "test"] or split
    if qrels is None and len(judged) != 1:
        # results/MODEL/REVISION/TASK.json
        results = [*folder.glob("*.json"), *folder.glob("*/*.json")]
        if any(b'"task_name"' in f.read_bytes()[:10_000] for f in results[:3]):
            raise ReadError(str(folder), OF_MTEB, hint=PREDICTIONS)
        if any(f.name.endswith("_predictions.json") for f in files):
            raise ReadError(
                str(folder),
                "holds predictions of MTEB, which are a model's runs on several tasks, and no"
                " judgments",
                hint="give a table with a line a task: name<TAB>qrels<TAB>MODEL<TAB>MODEL, the"
                " predictions of two models under their names",
            )
        raise ReadError(
            str(folder),
            f"{len(judged) or 'no'} file{'s' * (len(judged) != 1)} of judgments",
            hint="give each collection's folder one file qrels.txt, NAME.qrels or qrels/test.tsv,"
            " and its runs",
        )
    runs = sorted([*files, *_files_in(folder / "runs")], key=lambda f: f.name)
    properties = {f.name.partition(".")[0]: f for f in files}  # segments.csv, clusters.tsv.gz
    properties = {name: f for name, f in properties.items() if name in PROPERTIES}
    other_files = {*judged, *properties.values()}
    named = {short_name(f): f for f in runs if f not in other_files and not _BESIDE.match(f.name)}
    return {QRELS: qrels or judged[0], **properties, **named}


# Other files in such folders: texts, and documentation.
_BESIDE = re.compile(r"(corpus|queries|topics|documents|readme|license)\b", re.IGNORECASE)


def _files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [f for f in sorted(folder.iterdir()) if f.is_file() and f.name[0] != "."]


MANY_ROWS = 10  # distinct rows of scores


def refuse_repeated(collections: Mapping[str, tuple[Sequence[str], FloatArray]]) -> None:
    """Refuse a collection that occurs under two names, because its queries would count twice."""
    # Query ids and scores, float64[n_queries, ...]. Constant scores are no evidence: two
    # collections with numbered queries may both have only hits.
    names: dict[tuple[tuple[str, ...], bytes], str] = {}
    for name, (query_ids, scores) in collections.items():
        if not len(scores) or np.ptp(scores) == 0.0:
            continue
        rows = np.ascontiguousarray(scores.reshape(len(scores), -1))
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        if len(distinct) >= MANY_ROWS:  # identical only for the same collection, whatever its ids
            key = (), distinct.tobytes() + times.tobytes()
        else:
            order = np.argsort(np.array(query_ids, dtype=object), kind="stable")
            key = tuple(query_ids[i] for i in order), rows[order].tobytes()
        first = names.setdefault(key, name)
        if first != name:
            raise AlignmentError(
                f"the collections {first} and {name} are the same: every query has the same scores"
                " in both. Their queries would count twice; give the collection once"
            )


@contextmanager
def on_collection(name: str, source: object) -> Iterator[None]:
    """Add the name of the collection, or of its table, to errors of its inputs."""
    try:
        yield
    except (NotFoundError, ReadError, AlignmentError, ArgumentError) as error:
        table = f"{os.fspath(source)}, " if isinstance(source, (str, os.PathLike)) else ""
        error.args = (f"{table}the collection {shorten(name)}: {error}",)
        raise
