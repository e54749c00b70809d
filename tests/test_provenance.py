"""What is recorded so that a result can be had again."""

import hashlib

import pytest

import abrank


@pytest.mark.usefixtures("nothing_drawn")
def test_segments_and_topics_are_hashed_like_the_runs(tmp_path) -> None:
    collection = abrank.simulate_runs(10, rng=5)
    (tmp_path / "segments.csv").write_text("query_id,part\nq01,one\nq02,two\n")
    arguments = {"segments": tmp_path / "segments.csv", "topics": {"q01": "why"}}
    result = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, **arguments
    )
    assert list(result.provenance["inputs"]) == ["a", "b", "qrels", "segments", "topics"]
    assert result.provenance["inputs"]["segments"] == {
        "path": str(tmp_path / "segments.csv"),
        "sha256": hashlib.sha256(arguments["segments"].read_bytes()).hexdigest(),
        "rows": None,
    }
    assert result.provenance["inputs"]["topics"] == {"path": None, "sha256": None, "rows": None}
    text = result.report(tmp_path / "results.html").read_text("utf-8")
    assert result.provenance["inputs"]["segments"]["sha256"] in text
    assert abrank.Comparison.from_json(result.report(tmp_path / "results.json")) == result


def test_ready_scores_record_what_cut_them_too(tmp_path) -> None:
    (tmp_path / "segments.csv").write_text("query_id,part\nq1,one\nq2,two\n")
    scores = {"q1": 0.25, "q2": 0.5}
    result = abrank.compare_scores(scores, scores, segments=tmp_path / "segments.csv")
    assert set(result.provenance["inputs"]) == {"segments"}


def test_a_system_may_be_called_qrels(tmp_path) -> None:
    collection = abrank.simulate_runs(10, rng=5)
    collection.qrels.write(tmp_path / "judgments")
    collection.baseline.write(tmp_path / "qrels")
    runs = {"qrels": tmp_path / "qrels", "new": collection.candidate}
    scores = abrank.evaluate(tmp_path / "judgments", runs, ["AP"])
    assert scores.judgments.path == str(tmp_path / "judgments")
    assert scores.sources["qrels"].path == str(tmp_path / "qrels")
    inputs = abrank.rank(tmp_path / "judgments", runs).provenance["inputs"]
    assert {name: item["path"] for name, item in inputs.items()} == {
        "qrels": str(tmp_path / "judgments"), "qrels (run)": str(tmp_path / "qrels"), "new": None,
    }  # fmt: skip
    result = abrank.compare(tmp_path / "judgments", tmp_path / "qrels", collection.candidate)
    assert result.baseline == "qrels"
    assert result.provenance["inputs"]["qrels"]["path"] == str(tmp_path / "judgments")
