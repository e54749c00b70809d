"""Jobs on one machine: split queries, other layouts, bad rows, what an earlier run has finished."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tomllib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank._support.errors import AlignmentError, ArgumentError, NotFoundError, ReadError
from abrank.engines import Engine, drive, regroup
from tests.engines.conftest import COMMANDS, MEASURES, ROOT, run_readme, write

SMALL = Engine(rows=100)


def test_queries_that_are_split_over_files_are_whole_again(collection):
    footers = [pq.read_metadata(path) for path in sorted((collection.folder / "A").iterdir())]
    groups = [footer.row_group(i) for footer in footers for i in range(footer.num_row_groups)]
    edges = [group.column(0).statistics for group in groups]
    split = [one.max for one, two in itertools.pairwise(edges) if one.max == two.min]
    assert split  # so the collection is what it is for
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES, engine=SMALL)
    collection.require_equal(scores)


def test_the_command_of_the_readme_gives_the_numbers_of_frames(collection, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run_readme(COMMANDS[0], collection, tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000
    frames = abrank.compare(
        collection.qrels, *collection.runs.values(), measures=["nDCG@5", "AP"],
        baseline="bm25", candidate="monot5",
    )  # fmt: skip
    expected = json.loads(frames.report(tmp_path / "frames.json").read_text(encoding="utf-8"))
    parts = "systems n_queries verdict measures tests effects spread queries"
    for part in parts.split():
        assert found[part] == expected[part], part


def test_folders_need_no_engine_and_the_audits_are_those_of_frames(collection):
    scores = abrank.evaluate(collection.folder / "qrels", collection.paths, MEASURES)
    collection.require_equal(scores)
    for system, audit in collection.scores.audits.items():
        found = scores.audits[system]
        assert (found.missing, found.extra) == (audit.missing, audit.extra)
        assert (found.n_rows, found.n_tied_rows) == (audit.n_rows, audit.n_tied_rows)
        assert found.judged_at_10 == pytest.approx(audit.judged_at_10, abs=1e-12)
        assert (found.n_judgments, found.grades) == (audit.n_judgments, audit.grades)


def test_rows_in_any_order_are_regrouped(collection, tmp_path):
    paths = {}
    for name, frame in collection.runs.items():
        paths[name] = tmp_path / name
        write(frame.sample(frac=1, random_state=5), paths[name], n_files=4, group=60)
    called = []
    with pytest.MonkeyPatch.context() as patch:
        spill = regroup.spill
        patch.setattr(regroup, "spill", lambda task: called.append(task) or spill(task))
        scores = abrank.evaluate(collection.qrels, paths, MEASURES, engine=SMALL)
    assert len({task.n_buckets for task in called}) == 1
    assert called[0].n_buckets > 3
    collection.require_equal(scores)


def test_numbers_as_query_ids_hive_partitions_and_globs(collection, tmp_path):
    def numbered(frame):
        return frame.assign(query_id=frame.query_id.str.extract(r"(\d+)")[0].astype("Int64"))

    qrels = numbered(collection.qrels)
    run = numbered(collection.runs["A"].query("query_id != 'unjudged'"))
    for day, rows in enumerate(np.array_split(np.arange(len(run)), 2)):
        write(run.iloc[rows], tmp_path / "run" / f"day={day}", n_files=2, group=70)
    expected = abrank.evaluate(qrels, {"A": run}, MEASURES)
    for path in (tmp_path / "run", f"{tmp_path}/run/*/*.parquet", f"file://{tmp_path}/run"):
        scores = abrank.evaluate(qrels, {"A": path}, MEASURES, engine=SMALL)
        assert scores.query_ids == expected.query_ids
        np.testing.assert_array_equal(scores.values, expected.values)


def test_joined_tables_have_positions_and_grades(collection, tmp_path):
    run, qrels = collection.runs["A"].query("query_id != 'unjudged'"), collection.qrels
    ranked = run.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    ranked = ranked.assign(position=ranked.groupby("query_id").cumcount() + 1)
    joined = ranked.merge(qrels, on=["query_id", "doc_id"], how="outer")
    joined = joined.sort_values("query_id", kind="stable").drop(columns=["doc_id", "score"])
    path = tmp_path / "joined.parquet"
    joined.to_parquet(path, index=False, row_group_size=45)
    scores = abrank.evaluate(None, {"A": path}, MEASURES, engine=SMALL)
    np.testing.assert_allclose(scores.of("A"), collection.scores.of("A"), rtol=0, atol=1e-12)


def test_missing_queries_are_scored_dropped_or_refused(collection):
    qrels, paths = collection.folder / "qrels", collection.paths
    dropped = abrank.evaluate(qrels, paths, MEASURES, engine=SMALL, missing="drop")
    expected = abrank.evaluate(collection.qrels, collection.runs, MEASURES, missing="drop")
    assert dropped.query_ids == expected.query_ids
    np.testing.assert_array_equal(dropped.values, expected.values)
    with pytest.raises(AlignmentError, match="q003"):
        abrank.evaluate(qrels, paths, MEASURES, engine=SMALL, missing="error")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": None}, r"part-1.parquet, row group 2, row 7: score is missing"),
        ({"score": float("inf")}, r"part-1.parquet, row group 2, row 7: score is infinite"),
        ({"doc_id": None}, r"part-1.parquet, row group 2, row 7: doc_id is missing"),
        ({"query_id": None}, r"part-1.parquet, row group 2, row 7: query_id is missing"),
        ({"doc_id": "d1", "query_id": "q033"}, r"document d1 twice in query q033"),
    ],
)
def test_a_bad_row_names_file_and_row_group(collection, tmp_path, change, message):
    frame = collection.runs["A"].copy()
    part = np.array_split(np.arange(len(frame)), 3)[1]
    for column, value in change.items():
        frame.loc[part[107], column] = value
    write(frame, tmp_path / "bad", n_files=3, group=50)
    with pytest.raises(ReadError, match=message) as error:
        abrank.evaluate(collection.qrels, {"A": tmp_path / "bad"}, MEASURES, engine=SMALL)
    assert "part-1.parquet, row group 2" in str(error.value)


def test_a_bad_partition_is_skipped_and_counted(collection, tmp_path):
    frame = collection.runs["A"].copy()
    frame.loc[200, "score"] = np.nan
    write(frame, tmp_path / "A", n_files=3, group=50)
    paths = {"A": tmp_path / "A", "B": collection.paths["B"]}
    engine = Engine(rows=100, on_bad_partition="skip")
    scores = abrank.evaluate(collection.folder / "qrels", paths, MEASURES, engine=engine)
    assert 0 < len(scores.query_ids) < 60
    assert frame.query_id[200] not in scores.query_ids
    kept = np.isin(collection.scores.query_ids, scores.query_ids)
    np.testing.assert_array_equal(scores.values, collection.scores.values[kept])
    assert scores.notes[-1].startswith("2 of 5 partitions could not be read and were skipped: ")
    assert "part-1.parquet, row group 0, row 19: score is missing" in scores.notes[-1]


def test_a_second_run_takes_up_what_is_finished(collection, tmp_path, monkeypatch):
    engine = Engine(rows=100, output=str(tmp_path / "kept"))
    asked = (collection.folder / "qrels", collection.paths, MEASURES)
    score_partition, scored = drive.score_partition, []

    def dying(job, partition):
        if len(scored) == 2:
            raise KeyboardInterrupt
        scored.append(partition.number)
        return score_partition(job, partition)

    monkeypatch.setattr(drive, "score_partition", dying)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with pytest.raises(KeyboardInterrupt):
        abrank.evaluate(*asked, engine=engine)
    files = sorted(path.name for path in (tmp_path / "kept").glob("part-*"))
    assert files == ["part-00000.parquet", "part-00001.parquet"]
    assert not (tmp_path / "kept" / "_SUCCESS").exists()

    scored.clear()
    monkeypatch.setattr(
        drive, "score_partition", lambda *a: scored.append(0) or score_partition(*a)
    )
    collection.require_equal(abrank.evaluate(*asked, engine=engine))
    told = json.loads((tmp_path / "kept" / "_SUCCESS").read_text())
    assert told["partitions"] == len(scored) + 2
    kept = pd.read_parquet(tmp_path / "kept")
    assert [*kept.columns] == ["query_id", "system", "measure", "value"]
    assert len(kept) == 60 * 2 * len(MEASURES)
    again = abrank.read_scores(tmp_path / "kept")
    assert (again.query_ids, again.systems) == (collection.scores.query_ids, ("A", "B"))
    np.testing.assert_array_equal(again.values, collection.scores.values)

    with pytest.raises(ArgumentError, match="holds the scores of other inputs or measures"):
        abrank.evaluate(*asked[:2], ["AP"], engine=engine)


@pytest.mark.parametrize(
    ("path", "columns", "error", "message"),
    [
        ("nowhere.parquet", None, NotFoundError, "nowhere.parquet: no Parquet file there"),
        ("run.parquet", ["a", "doc_id", "score"], ReadError, "run.parquet: no column query_id"),
        ("junk.parquet", None, ReadError, "junk.parquet: cannot be read as a Parquet file"),
    ],
)
def test_what_is_no_run(collection, tmp_path, monkeypatch, path, columns, error, message):
    monkeypatch.chdir(tmp_path)
    if columns:
        pq.write_table(pa.table({name: ["x"] for name in columns}), path)
    elif path == "junk.parquet":
        (tmp_path / path).write_text("no Parquet")
    with pytest.raises(error, match=message):
        abrank.evaluate(collection.qrels, {"A": path}, MEASURES, engine="local")


def test_options_that_do_nothing_are_refused():
    with pytest.raises(ArgumentError, match="scheduler is for the engine dask, not local"):
        Engine(scheduler="tcp://127.0.0.1:8786")
    with pytest.raises(ArgumentError, match="by subtopic, which no engine reads"):
        abrank.evaluate([("q", "d", 1)], {"A": "a.parquet"}, ["alpha_nDCG@10"], engine="local")


def test_neither_dask_nor_spark_is_pulled_or_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    for name, extra in (("dask", "dask"), ("spark", "pyspark")):
        assert not [each for each in project["dependencies"] if extra in each]
        assert [each for each in extras[name] if each.startswith(extra)]
    code = (
        "import sys, abrank, abrank.workflow, abrank.engines.drive\n"
        "print([name for name in ('dask', 'distributed', 'pyspark') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
