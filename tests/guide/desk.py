"""The folder in which the guide's commands run: the demo's files, and some that a reader has."""

import json

import numpy as np
import pandas as pd

import abrank
from abrank.cli import run
from abrank.simulate import simulate_clicks


def lay(folder):
    """Fill a folder, and return it."""
    assert run(["demo", str(folder), "-q"]) == 0
    qrels, old = abrank.read_qrels(folder / "qrels.txt"), abrank.read_run(folder / "old.run")
    new = abrank.read_run(folder / "new.run").frame()
    random = np.random.default_rng(7)
    # Runs of one system under other seeds.
    for seed in (1, 2, 3):
        moved = old.frame()
        moved["score"] += random.normal(0, 0.05, len(moved))
        abrank.read_run(moved, name="old").write(folder / f"seed{seed}.run")
    queries = list(qrels.query_ids)
    groups = [f"c{i // 4}" for i in range(len(queries))]
    table = pd.DataFrame({"query_id": queries, "conversation": groups})
    table.to_csv(folder / "conversations.csv", index=False)
    # Clicks of different users, who saw A or B.
    for letter, rate in (("a", 3.0), ("b", 3.6)):
        ids = [f"{letter}{i}" for i in range(80)]
        clicks = pd.DataFrame({"query_id": ids, "clicks": random.poisson(rate, 80)})
        clicks.to_csv(folder / f"users_{letter}.csv", index=False)
    data_frame = pd.DataFrame(
        {"query_id": queries, "traffic": 1.0 / np.arange(1.0, len(queries) + 1)}
    )
    data_frame.to_csv(folder / "traffic.csv", index=False)
    # A model's judgments of every query, and those of people for 60 queries drawn by chance.
    judged = qrels.frame()
    wrong = random.random(len(judged)) < 0.15
    machine = judged.assign(
        relevance=np.where(wrong, random.integers(0, 3, len(judged)), judged.relevance)
    )
    abrank.read_qrels(machine).write(folder / "llm.qrels")
    choice = sorted(random.choice(queries, 60, replace=False))
    abrank.read_qrels(judged[judged.query_id.isin(choice)]).write(folder / "people.qrels")
    # Columns of a recommender: users, items, ratings; and times to answer.
    for name, frame in (("old", old.frame()), ("new", new)):
        frame.to_parquet(folder / f"{name}.parquet", index=False)
        scores = abrank.evaluate(qrels, {name: folder / f"{name}.run"}, ["nDCG@10", "R@100"])
        wide = pd.DataFrame(scores.of(name), scores.query_ids, scores.measures)
        wide["latency_ms"] = random.normal(20.0 if name == "old" else 17.0, 3.0, len(wide)).round(2)
        wide.rename_axis("query_id").to_csv(folder / f"{name}.csv")
    judged.to_parquet(folder / "qrels.parquet", index=False)
    # Votes of one judge, in both orders.
    drawn_votes = np.random.default_rng(8)
    votes = [
        {"query_id": f"v{i}", "winner": drawn_votes.choice(["A", "tie", "B"], p=[0.25, 0.25, 0.5]),
         "shown_first": first} for i in range(80) for first in "AB"
    ]  # fmt: skip
    clicks = simulate_clicks(abrank.simulate_runs(40, effect=0.3, rng=3), rng=4)
    (folder / "clicks.jsonl").write_text("\n".join(map(json.dumps, clicks)), encoding="utf-8")
    pd.DataFrame(votes).to_csv(folder / "votes.csv", index=False)
    lines = ["name\tqrels\ta\tb\n"]
    for name in ("web", "news"):
        collection = abrank.simulate_runs(60, effect=0.1, rng=len(name))
        for kind, subject in (
            ("qrels", collection.qrels),
            ("a", collection.baseline),
            ("b", collection.candidate),
        ):
            subject.write(folder / f"{name}.{kind}")
        lines.append(f"{name}\t{name}.qrels\t{name}.a\t{name}.b\n")
    (folder / "collections.tsv").write_text("".join(lines), encoding="utf-8")
    # Answers judged by six vital nuggets a query, as well by either system.
    labels, default_rng = ("support", "partial_support", "not_support"), np.random.default_rng(11)
    for name in ("old", "new"):
        answers = [
            {
                "qid": query,
                "nuggets": [{"importance": "vital", "assignment": item} for item in sample],
            }
            for query, sample in zip(
                queries, default_rng.choice(labels, (len(queries), 6)), strict=True
            )
        ]
        text = "".join(f"{json.dumps(answer)}\n" for answer in answers)
        (folder / f"{name}.nuggets.jsonl").write_text(text, encoding="utf-8")
    return folder
