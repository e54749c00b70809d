"""What to judge next: queries at random, and documents."""

import pytest

import abrank
from abrank import ArgumentError, sample_documents, sample_queries


def test_a_draw_is_replayed_and_its_beginning_is_a_draw() -> None:
    ids = tuple(f"q{i}" for i in range(40))
    queries = sample_queries(ids, 20, rng=7)
    assert queries == sample_queries(ids[::-1], 20, rng=7)
    assert queries[:10] == sample_queries(ids, 10, rng=7)
    assert len(set(queries)) == 20
    assert queries != sample_queries(ids, 20, rng=8)
    with pytest.raises(ArgumentError, match="41 queries cannot be drawn from 40"):
        sample_queries(ids, 41)


QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
RUN_A = {"q1": {"d1": 3.0, "u1": 2.0}, "q2": {"d1": 2.0, "u2": 1.0}}
RUN_B = {"q1": {"d2": 3.0, "u1": 2.0}, "q2": {"u3": 2.0, "u2": 1.0}}


def test_documents_come_in_depth_order_with_exact_swings() -> None:
    documents = sample_documents(QRELS, RUN_A, RUN_B, measure="P@2")
    assert [item.doc_id for item in documents.documents] == ["u3", "u1", "u2"]
    assert documents.difference == pytest.approx(-0.5)
    for document in documents.documents:
        more = {q: dict(docs) for q, docs in QRELS.items()}
        more[document.query_id][document.doc_id] = 1
        values = abrank.evaluate(more, {"a": RUN_A, "b": RUN_B}, ["P@2"]).values[:, :, 0]
        before = abrank.evaluate(QRELS, {"a": RUN_A, "b": RUN_B}, ["P@2"]).values[:, :, 0]
        moved = (values[:, 1] - values[:, 0] - before[:, 1] + before[:, 0]).sum()
        assert document.swing == pytest.approx(moved)


def test_inspect_and_sample_name_the_same_documents_with_the_same_swings() -> None:
    collection = abrank.simulate_runs(12, effect=0.1, rng=3)
    part = collection.qrels.frame()[lambda rows: rows.index % 3 != 0]
    documents = sample_documents(part, collection.baseline, collection.candidate)
    for query_id in collection.qrels.query_ids[:4]:
        inspect_query = abrank.inspect_query(
            part, collection.baseline, collection.candidate, query_id, measures="nDCG@10",
            judge=1000,
        )  # fmt: skip
        mine = {document for document in documents.documents if document.query_id == query_id}
        assert mine
        assert set(inspect_query.to_judge) == mine


def test_the_command_keeps_its_columns(tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    long = "clueweb09-en0000-00-00000-a-document-with-an-id-that-is-longer-than-most"
    renamed = {"q1": {long: 3.0, "d2": 2.0}, "q2": RUN_B["q2"]}
    abrank.read_qrels(QRELS).write("qrels")
    abrank.read_run(RUN_A, name="a").write("a.run")
    abrank.read_run(renamed, name="b").write("b.run")
    out = command(["sample", "documents", "qrels", "a.run", "b.run", "-m", "P@2"]).out
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert "swing: how far Δ of its query moves if the document has grade 1" in text
