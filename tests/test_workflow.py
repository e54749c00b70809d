import hashlib

import pytest

import abrank
from abrank.options import Inputs, Question
from abrank.workflow import compare, compare_runs
from tests.cli.conftest import write_runs


@pytest.fixture
def files(tmp_path):
    write_runs(tmp_path, 40, effect=0.0)
    return [tmp_path / name for name in ("qrels", "a.run", "b.run")]


def asked(files, command=None, **plumbing):
    """What the command line does."""
    qrels, a, b = files
    return compare_runs(Inputs(qrels=qrels, a=a, b=b, command=command), Question(), **plumbing)


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
    assert "A a (baseline)   B a (candidate)" in str(same)


def test_stages_are_told_in_order(files) -> None:
    heard: list[str] = []
    asked(files, on_stage=heard.append)
    assert heard == [
        "reading the judgments", "reading a", "reading b", "testing",
    ]  # fmt: skip
