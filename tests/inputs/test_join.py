"""Documents looked up among judgments, against a dict; ids that differ from those judged."""

import numpy as np
import pytest

from abrank.inputs import ids, read_judged_run, read_qrels, read_run
from abrank.inputs.join import Judgments, block_of, how_ids_differ, id_difference


@pytest.mark.parametrize("keys", ["own", "all alike", "a few"])
def test_the_judged_documents_are_those_of_a_dict(keys, monkeypatch) -> None:
    alike = {"all alike": 1, "a few": 7}.get(keys)
    if alike:  # fingerprints that many ids share: the ids must be looked at
        fingerprint = ids.fingerprint
        monkeypatch.setattr(
            ids, "fingerprint", lambda column: fingerprint(column) % np.uint64(alike)
        )
    random = np.random.default_rng(3)
    judged = {
        f"q{i}": {f"d{d}": int(random.integers(0, 3)) for d in random.choice(60, 25, replace=False)}
        for i in range(20)
    }
    retrieved = {
        f"q{i}": {f"d{d}": float(s) for s, d in enumerate(random.choice(90, 40, replace=False))}
        for i in range(5, 30)
    }
    qrels, block = read_qrels(judged), block_of(read_run(retrieved))
    queries, judgments = ids.decode(block.queries), Judgments.of(qrels)
    query = judgments.numbers(block.queries)
    expected = [qrels.query_ids.index(q) if q in judged else -1 for q in queries]
    assert query.tolist() == expected
    rows, position = judgments.docs.find(query, np.diff(block.first_row), block.docs, block.mark)
    assert (np.diff(rows) > 0).all()
    owners = np.repeat(queries, np.diff(block.first_row)).tolist()
    pairs = list(zip(owners, ids.decode(block.docs), strict=True))
    grades = {
        pair: judged[pair[0]][pair[1]] for pair in pairs if pair[1] in judged.get(pair[0], {})
    }
    assert {
        pairs[row]: int(qrels.grade[i]) for row, i in zip(rows, position, strict=True)
    } == grades
    assert len(rows) == len(grades)


JUDGED = [(query, f"LA0{query}-{doc:04}") for query in range(20) for doc in range(30)]


def test_names_the_change_that_makes_most_ids_match() -> None:
    changes = {
        "upper and lower case": str.lower,
        '".0"': lambda text: f"{text}.0",
        'the prefix "x_"': lambda text: f"x_{text}",
        'the ending ".txt"': lambda text: f"{text}.txt",
        'the prefix "LA0"': lambda text: text.removeprefix("LA0"),
        "blanks or quotes around them": lambda text: f'"{text}"',
    }
    for cause, change in changes.items():
        run = [(query, change(text)) for query, text in JUDGED[::3]]
        difference = id_difference(run, JUDGED)
        assert (difference.cause, difference.n_alike, difference.n_compared) == (cause, 200, 200)
        assert (difference.in_run, difference.in_qrels) == (run[0][1], JUDGED[0][1])


def test_leading_zeros() -> None:
    difference = id_difference([(0, "0017"), (0, "0018")], [(0, "17"), (0, "18"), (0, "19")])
    assert (difference.cause, difference.n_alike) == ("leading zeros", 2)
    difference = id_difference([(0, "D7-0")], [(0, "D007-00")])
    assert difference.cause == "leading zeros"
    assert id_difference([(0, "D10")], [(0, "D1")]) is None


def test_an_id_matches_within_its_query_only() -> None:
    assert id_difference([(0, "d1")], [(1, "D1")]) is None


def test_a_few_that_are_alike_by_chance_are_no_cause() -> None:
    assert id_difference([(0, "d1"), *[(0, f"x{i}") for i in range(30)]], [(0, "D1")]) is None
    assert id_difference([(0, "d1")], [(0, "D1")], n_compared=21) is None
    assert id_difference([(0, "d1")], [(0, "D1")], n_compared=20) is not None


@pytest.mark.parametrize("n_alike", [4, 5])
def test_a_prefix_explains_half_of_the_ids_at_least(n_alike) -> None:
    judged = [(0, f"d{i}") for i in range(10)]
    run = [(0, f"x_d{i}" if i < n_alike else f"e{i}") for i in range(10)]
    assert (id_difference(run, judged) is not None) == (n_alike >= 5)


def test_numbers_that_end_alike_by_chance_are_no_prefix() -> None:
    """Judged topics 401 to 450 and a run over 1112595 and the like share endings by chance."""
    judged = [str(number) for number in range(401, 451)]
    run = [str(number) for number in (1110401, 1043135, 156493, 1117099, 47923, 1113437)]
    assert how_ids_differ(judged, run) == ""
    assert how_ids_differ(judged, [f"9{item}" for item in judged]) == (
        'the ids differ by the prefix "9"'
    )


def written(folder, change):
    """Write a run of 120 queries and 40 documents each, their ids changed."""
    lines = [
        f"{query} Q0 {change(doc, f'LA{query}-{doc:03}')} {doc} {100 - doc} tag\n"
        for query in range(120)
        for doc in range(40)
    ]
    path = folder / "changed.run"
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def qrels(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("ids") / "qrels"
    lines = [f"{q} 0 LA{q}-{doc:03} {doc % 2}\n" for q in range(120) for doc in range(36)]
    path.write_text("".join(lines))
    return path


def test_half_the_documents_with_another_ending(qrels, tmp_path) -> None:
    run = written(tmp_path, lambda doc, text: text if doc % 2 else f"{text}.0")
    audit = read_judged_run(read_qrels(qrels), run).audit
    assert (audit.n_judged_rows, audit.document_ids.cause) == (120 * 18, '".0"')
    assert (audit.document_ids.n_alike, audit.document_ids.n_compared) == (250, 500)


def test_query_ids_of_which_half_differ() -> None:
    table = {str(q): {"d": 1} for q in range(300, 310)}
    run = {q if int(q) < 305 else f"{q}.0": {"d": 1.0} for q in table}
    audit = read_judged_run(read_qrels(table), run).audit
    assert (audit.query_ids.cause, audit.query_ids.n_alike) == ('".0"', 5)
    assert (audit.query_ids.in_run, audit.query_ids.in_qrels) == ("305.0", "305")


def test_a_document_with_the_id_of_its_query_is_left_out_on_request() -> None:
    random = np.random.default_rng(5)
    names = [f"q{i:02d}-of-a-corpus" for i in range(40)]
    qrels = read_qrels({query: {names[-1 - i]: 1} for i, query in enumerate(names)})
    run = {
        query: {doc: float(random.integers(0, 9)) for doc in random.permutation(names)[:30]}
        for query in names
    }
    run["q00-of-a-corpus"] = {"q00-of-a-corpus": 1.0}  # nothing is left of it
    without = {
        query: {doc: score for doc, score in scores.items() if doc != query}
        for query, scores in run.items()
    }
    dropped = read_judged_run(qrels, run, same_id="drop")
    expected = read_judged_run(qrels, {query: docs for query, docs in without.items() if docs})
    for name in ("query", "rank", "grade", "score", "tie_first", "tie_last", "n_retrieved"):
        np.testing.assert_array_equal(
            getattr(dropped.judged, name), getattr(expected.judged, name), err_msg=name
        )
    assert dropped.audit.missing == ("q00-of-a-corpus",)
    assert dropped.audit.n_same_id_dropped == sum(query in docs for query, docs in run.items())
    assert dropped.audit.n_same_id_first == 0


def test_first_documents_with_the_id_of_their_query_are_counted_where_not_relevant() -> None:
    run = {"q1": {"q1": 2.0, "d": 1.0}, "q2": {"q2": 2.0}, "q3": {"d": 2.0, "q3": 1.0}}
    qrels = {"q1": {"d": 1}, "q2": {"q2": 1}, "q3": {"d": 1}}
    assert read_judged_run(read_qrels(qrels), run).audit.n_same_id_first == 1
    qrels["q2"] = {"q2": 0}
    assert read_judged_run(read_qrels(qrels), run).audit.n_same_id_first == 2
