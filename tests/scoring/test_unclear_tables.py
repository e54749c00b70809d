"""Tables that can be read in two ways, or in none: the error says what it saw and what to type.

Every command and every call that an error prints is run, and answers.
"""

import shlex
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AbrankError
from abrank.cli import run

N = 24
RNG = np.random.default_rng(7)
QUERIES = [f"q{i:02}" for i in range(N)]
BASE = RNG.uniform(0.1, 0.9, N).round(4)


def values(place: int) -> np.ndarray:
    return np.clip(BASE + 0.03 * place + RNG.normal(0.0, 0.05, N), 0.0, 1.0).round(4)


def long(*names: str, column: str = "model", measure: str = "ndcg") -> pd.DataFrame:
    """Return a row per query and variant."""
    parts = [
        pd.DataFrame({"query_id": QUERIES, column: name, measure: values(i)})
        for i, name in enumerate(names)
    ]
    return pd.concat(parts, ignore_index=True)


def wide(*names: str) -> pd.DataFrame:
    """Return a column per variant."""
    return pd.DataFrame({"query_id": QUERIES, **{n: values(i) for i, n in enumerate(names)}})


def tidy(*names: str) -> pd.DataFrame:
    """Return a row per score."""
    frame = long(*names).assign(recall=0.5)
    return frame.melt(["query_id", "model"], var_name="metric", value_name="value")


def repeats(column: str | None = None, n: int = 3) -> pd.DataFrame:
    """Return several rows of each query and variant, told apart by a column or by none."""
    frame = pd.concat([long("control", "treatment") for _ in range(n)], ignore_index=True)
    if column:
        frame[column] = np.repeat(np.arange(n), 2 * N)
    return frame


def two_keys(one: str, other: str) -> pd.DataFrame:
    """Return a table of which two columns could each be the query's."""
    frame = long("control", "treatment").rename(columns={"query_id": one})
    frame.insert(1, other, [f"x{(i + i // N) % N}" for i in range(2 * N)])
    return frame


def two_variants(one: str, other: str) -> pd.DataFrame:
    """Return a table of which two columns each name every row of a query once."""
    frame = long("control", "treatment", column=one)
    flip = np.tile(np.arange(N) % 2 == 0, 2)
    first = frame[one] == "control"
    frame[other] = np.where(first == flip, "baseline", "candidate")
    return frame


PAIRS = [
    ("bm25", "dense"), ("x", "y"), ("small", "large"), ("m1", "m2"), ("e5", "bge"), ("fr", "de"),
    ("tf idf", "bm 25"), ("7b", "70b"), ("gpt-4.1", "gpt-5"), ("dot", "cosine"),
]  # fmt: skip
COLLECTIONS = "if they are of several collections, give the table as --collections"


def three() -> pd.DataFrame:
    return long("one", "two", "three")


def arms() -> pd.DataFrame:
    return long("control", "treatment")


def of_users() -> pd.DataFrame:
    users = repeats().assign(event_time=range(6 * N))
    return users.rename(columns={"query_id": "user_pseudo_id"})


def unknown_ids() -> pd.DataFrame:
    frame = wide("control", "treatment").rename(columns={"query_id": "thing"})
    return frame.assign(item=[f"{query}x" for query in QUERIES[::-1]])[: N - 1]


# What the table is, the flags, and a part of the error; every command of the error answers.
CHOICES = {
    **{
        f"{shape.__name__} of {a} and {b}": (partial(shape, a, b), "", f"2 variants, {a}, {b}")
        for shape, pairs in ((long, PAIRS), (wide, PAIRS[:6]), (tidy, PAIRS[:6]))
        for a, b in pairs
    },
    **{
        f"{shape.__name__} of three": (partial(shape, "one", "two", "three"), "", "3 variants")
        for shape in (long, wide, tidy)
    },
    "datasets with equal ids": (
        lambda: repeats("dataset").query("dataset < 1 or query_id < 'q08'"), "", COLLECTIONS),
    "datasets of all variants": (partial(repeats, "dataset"), "", COLLECTIONS),
    "datasets of two variants": (
        partial(repeats, "dataset"), "--baseline control --candidate treatment", COLLECTIONS),
    "a misspelt candidate near the baseline": (
        partial(long, "one", "two"), "--baseline one --candidate onr", "no variant 'onr'"),
    "two experiments with variants": (
        lambda: pd.concat([arms().assign(experiment_name=name) for name in ("hats", "shoes")])
        .rename(columns={"model": "arm"}), "", "experiment_name names 2 experiments, hats, shoes"),
    "users with a version and their ratings": (
        lambda: wide("retention", "rounds").rename(columns={"query_id": "userid"}).assign(
            version=["gate_30", "gate_40"] * 12), "", "2 variants, gate_30, gate_40"),
    "three and a baseline": (three, "--baseline one", "name the baseline and the"),
    "three and a candidate": (three, "--candidate three", "name the baseline and the"),
    # Which a ranking does not take.
    "three and a margin": (three, "--margin 0.5", "name the baseline and the"),
    "different users": (
        lambda: arms().assign(query_id=range(2 * N)), "--alpha 0.1",
        "control and treatment share no query: were they seen by different users"),
    "events of users": (of_users, "", "q00 has several rows for model=control"),
    "a failed attempt of a seed": (
        lambda: pd.concat([repeats("seed").assign(status="ok"), repeats("seed")[:3]]),
        "--candidate treatment", "(they differ in status): say what"),
    "a baseline misspelt": (arms, "--baseline contrl", "has no variant 'contrl'"),
    "a candidate misspelt": (partial(wide, "old", "new"), "--candidate nev", "no variant 'nev'"),
    "a variant misspelt": (arms, "--variant modl", "no column 'modl' for variant"),
    "a query misspelt": (arms, "--columns query=queryid", "no column 'queryid'"),
    "a column of rows misspelt": (
        partial(repeats, "round"), "--where rond=1", "no column 'rond' for where"),
    "a value of rows misspelt": (
        lambda: repeats().assign(lang="english"), "--where lang=englsh --columns repeat=rows",
        "no row has lang=englsh; there are english"),
    "two ids": (partial(two_keys, "query_id", "qid"), "", "query_id, qid could all be the query"),
    "two ids of examples": (
        partial(two_keys, "example_id", "case_id"), "", "example_id, case_id could all be"),
    "two ids that no list names": (unknown_ids, "--columns query=thin", "no column 'thin'"),
    "two columns of variants": (
        partial(two_variants, "arm", "bucket"), "", "arm, bucket could each name the variant"),
    "two columns that no list names": (
        partial(two_variants, "colour", "shape"), "", "colour, shape could each name the variant"),
    "repeats that no column tells apart": (repeats, "", "has several rows for model=control"),
    "repeats of two columns that may be queries": (
        lambda: repeats().rename(columns={"query_id": "Frage"}).assign(
            Thema=lambda frame: frame["Frage"].str[:2]),
        "--columns repeat=rows", "could all be the query's column"),
    "repeats by a column that no list names": (
        partial(repeats, "round"), "--variant model", "several rows for model=control"),
    "two scales": (
        lambda: wide("p", "s").assign(s=lambda frame: 90 * frame["s"]), "", "p, s may be variants"),
}  # fmt: skip
# What a broken file holds, and a part of the error.
BROKEN = {
    "": "no lines",
    "\n \n": "no lines",
    "query_id,a,b\n": "no rows",
    "query,a,b\nred, blue,1,2\nbig, tall,3,4\n": "line 2: expected 3 fields, found 4",
    "query_id,control,treatment\nq1,0.5\nq2,0.5,0.25\n": "line 2: expected 3 fields, found 2",
    "query_id,control,treatment\nq1,0.5,nan\nq2,0.5,0.25\n": "query q1 has no score of treatment",
    'query_id,control,treatment\n"q1,0.5,0.25\n': "no line of a table: unexpected end of data",
    "query_id,control,control\nq1,0.5,0.25\n": 'the column "control" stands there twice',
    "query_id,control,treatment\n,0.5,0.25\nq2,0.5,0.25\n": "the query_id is empty",
    "query_id,model,ndcg\nq1,,0.5\nq1,b,0.5\nq2,a,0.1\nq2,b,0.2\n": "the model is empty",
    "query_id,control,treatment\rq1,0.5,0.25\r": "lines end in CR alone",
    "query_id,note\nq1,good\nq2,bad\n": "no column of scores",
    "query_id,ndcg\nq1,0.5\nq2,0.25\n": "holds one system",
    "query_id,metric\nq1,ndcg\nq2,ndcg\n": "no column of scores",
    "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n": "this looks like a run",
    "q1 0 d1 1\nq1 0 d2 0\n": "this looks like qrels",
    "<!doctype html><html><body>no</body></html>\n": "expected 3 fields",
    '{"q1": [0.5, {"x": 1}]}': "is a dict, not a number",
    '{"a": 1, "b": 2}': "holds no dict of scores",
    '[{"query_id": "q1", "x": ': "is not JSON",
    "[1, 2, 3]": "neither of the first two fields name",
    '{"q1": {"ndcg": 0.5}, "q2": 3}': "holds no dict of scores in each place",
    "one\ttwo\n0.5\t0.25\n0.5\tx\n0.2\t0.1\n": '"x" is not a number',
}


def calls_in(text: str, start: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith(start)]


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_what_the_error_says_works_when_it_is_pasted(name, tmp_path, monkeypatch, capsys) -> None:
    build, given, text = CHOICES[name]
    flags = given.split()
    monkeypatch.chdir(tmp_path)
    frame = build()
    frame.to_csv("table.csv", index=False)
    code = run(["compare", "--scores", "table.csv", *flags])
    error = capsys.readouterr().err
    assert code == 3, error
    assert text in error
    commands = calls_in(error, "abrank ")
    assert commands
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, (command, capsys.readouterr().err)
    keywords = {
        flag.lstrip("-"): float(value) if value.startswith("0.") else value
        for flag, value in zip(flags[::2], flags[1::2], strict=True)
    }
    with pytest.raises(AbrankError) as caught:
        abrank.compare_scores(frame, **keywords)
    assert text in str(caught.value)
    calls = calls_in(str(caught.value), "abrank.")
    assert calls
    for call in calls:
        eval(call, {"abrank": abrank, "a": frame})


def test_a_candidate_is_compared_with_the_control() -> None:
    frame = long("one", "Control", "two")
    result = abrank.compare_scores(frame, candidate="two")
    assert (result.baseline, result.candidate) == ("Control", "two")
    with pytest.raises(AbrankError, match="name the baseline"):
        abrank.compare_scores(frame, baseline="Control")


@pytest.mark.every_case
@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_table_is_refused_in_words(text, tmp_path, monkeypatch, command) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(text)
    error = command(["compare", "--scores", "table.csv"], 3).err
    assert BROKEN[text] in error
    assert "Traceback" not in error


def test_variants_that_differ_in_case_alone_are_one_unless_a_query_has_both() -> None:
    rows = [(f"q{i}", name, i / 9) for i in range(8) for name in ("control", "new")]
    frame = pd.DataFrame(rows, columns=["query_id", "variant", "ndcg"])
    plain = abrank.compare_scores(frame)
    frame.loc[4, "variant"], frame.loc[3, "variant"] = "Control ", "NEW"
    result = abrank.compare_scores(frame)
    assert (result.baseline, result.candidate) == ("control", "new")
    assert result.rows == plain.rows
    note = "in case or blanks alone are one: 'control', 'Control ', 'new', 'NEW'"
    assert any(note in x for x in abrank.read_scores(frame).notes)
    frame["variant"] = ["a", "A"] * 8
    with pytest.raises(AbrankError, match="holds 2 variants, a, A"):
        abrank.compare_scores(frame)
