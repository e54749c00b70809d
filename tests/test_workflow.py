import hashlib

import pytest

import abrank
from abrank import UnknownNameError
from abrank.options import Inputs, Question
from abrank.workflow import compare, compare_runs


@pytest.fixture
def files(tmp_path):
    collection = abrank.simulate_runs(40, rng=5)
    for name, kind in (
        ("qrels", collection.qrels),
        ("a.run", collection.baseline),
        ("b.run", collection.candidate),
    ):
        kind.write(tmp_path / name)
    return [tmp_path / name for name in ("qrels", "a.run", "b.run")]


def asked(files, **plumbing):
    """What the command line does."""
    qrels, a, b = files
    return compare_runs(Inputs(qrels=qrels, a=a, b=b), Question(), **plumbing)


@pytest.mark.slow
def test_provenance_replays_the_result(files, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    result = asked(files, command="abrank compare qrels a.run b.run")
    provenance = result.provenance
    assert provenance["created"] == "2023-11-14T22:13:20+00:00"
    assert provenance["command"] == "abrank compare qrels a.run b.run"
    assert provenance["inputs"]["a"]["sha256"] == hashlib.sha256(files[1].read_bytes()).hexdigest()
    assert provenance["inputs"]["b"]["rows"] == 4000
    assert provenance["inputs"]["qrels"]["path"] == str(files[0])
    assert provenance["settings"] == {
        "missing": "zero", "score_dtype": "float64", "duplicates": "error",
        "depth": None, "rel": None, "judged_only": False, "interpolation": "10",
        "same_id": "keep",
    }  # fmt: skip
    assert provenance["versions"]["abrank"] == abrank.__version__
    assert compare(*files, rng=result.seed).rows == result.rows


def test_names_come_from_the_runs(files) -> None:
    result = compare(*files)
    assert (result.baseline, result.candidate) == ("a", "b")
    same = compare(files[0], files[1], abrank.read_run(files[1]))
    assert (same.baseline, same.candidate) == ("a (A)", "a (B)")


def test_stages_are_told_in_order(files) -> None:
    heard: list[str] = []
    asked(files, on_stage=heard.append)
    assert heard == [
        "reading the judgments", "reading a", "reading b", "testing",
    ]  # fmt: skip


def test_a_mistyped_measure_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UnknownNameError, match="nDCG@10"):
        compare("no.qrels", "no.run", "no.run", measures=["nDGC@10"])


def test_missing_queries_are_noted() -> None:
    collection = abrank.simulate_runs(40, rng=5)
    run = collection.candidate.frame()
    holes = run[~run["query_id"].isin(["q01", "q02"])]
    result = compare(collection.qrels, collection.baseline, holes)
    note = next(note for note in result.notes if note.code == "missing-queries")
    assert {name: note.values[name] for name in ("system", "count", "n_queries", "policy")} == {
        "system": "b", "count": 2, "n_queries": 40, "policy": "zero",
    }  # fmt: skip
    assert result.n_queries == 40
    dropped = compare(
        collection.qrels, collection.baseline, holes, scoring=abrank.Scoring(missing="drop")
    )
    assert dropped.n_queries == 38
    assert {n.values["policy"] for n in dropped.notes if n.code == "missing-queries"} == {"drop"}
