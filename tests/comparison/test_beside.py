"""Titles of the documents that are shown, from a file or a mapping."""

from __future__ import annotations

import json

import pytest

import abrank
from abrank._support.errors import ArgumentError
from abrank.cli import run
from abrank.comparison.beside import SNIPPET, with_titles

MADE = abrank.simulate_runs(60, rng=3)


def test_only_what_is_shown_has_a_title_and_a_short_one() -> None:
    docs = {doc: f"{doc} {'long ' * 99}" for doc in MADE.qrels.doc_id}
    found = abrank.compare(MADE.qrels, MADE.baseline, MADE.candidate, docs=docs, measures="P@5")
    titles = found.evidence.documents
    assert all(len(text) <= SNIPPET and text.startswith(doc) for doc, text in titles.items())
    assert all(text.endswith(" long…") for text in titles.values())
    order = found.differences().argsort(kind="stable").tolist()
    shown = {
        doc
        for i in (*order[:25], *order[-25:])
        for ranking in found.evidence.rankings[found.query_ids[i]]
        for doc, _ in ranking[:5]
    }
    assert set(titles) == shown & set(docs)


def test_the_command_writes_titles_and_says_where_they_were(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    MADE.qrels.write("qrels")
    MADE.baseline.write("a.run")
    MADE.candidate.write("b.run")
    lines = [
        json.dumps({"docno": doc, "title": "Pots", "body": "of tea"})
        for doc in dict.fromkeys(MADE.qrels.doc_id)
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    call = ["compare", "qrels", "a.run", "b.run", "-m", "nDCG@10", "-q", "--report", "r.json"]
    assert run([*call, "--docs", "docs.jsonl"]) == 0
    saved = json.loads((tmp_path / "r.json").read_text())
    assert set(saved["evidence"]["documents"].values()) == {"Pots – of tea"}
    assert saved["provenance"]["inputs"]["docs"] == {
        "path": "docs.jsonl", "sha256": None, "rows": None,
    }  # fmt: skip
    (tmp_path / "others.tsv").write_text("unknown\tTitle\n")
    assert run([*[each for each in call if each != "-q"], "--docs", "others.tsv"]) == 0
    _, err = capsys.readouterr()
    assert "note: the file of documents has none of the" in err


def test_ready_scores_have_no_lists_to_put_titles_to(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("query_id,AP\nq1,0.5\nq2,0.25\n")
    (tmp_path / "docs.tsv").write_text("d1\tOne\n")
    assert run(["compare", "--scores", "a.csv", "b.csv", "--docs", "docs.tsv"]) == 2
    assert "--docs is for runs, not for ready scores" in capsys.readouterr().err
    ready = abrank.compare_scores({"q": 0.5, "r": 0.1}, {"q": 0.6, "r": 0.2})
    with pytest.raises(ArgumentError, match="ready scores were compared"):
        with_titles(ready, {"d": "x"})
