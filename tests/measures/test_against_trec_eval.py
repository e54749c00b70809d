"""Every value of trec_eval, pytrec_eval and ir_measures that is stored with the test data.

trec_eval 9.0.8 and pytrec_eval hold scores as float32, trec_eval 10.0 as float64; each is compared
in its own order, and 9.0.8 with its own interpolation. Names are read as these programs write them.
The README of the data folder says where the values come from.
"""

import gzip
import math
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from abrank.inputs import join, read_qrels, read_run
from abrank.measures.names import parse_measures
from tests.gold import is_whole

TOLERANCE = 1e-9
COLLECTIONS = ("robust03", "ltr", "vaswani")
VERSIONS = {"9": "float32", "10": "float64"}
# Every day version 9 is compared from grade 2 on, and where runs lack topics.
BOTH_VERSIONS = pytest.mark.parametrize(
    "version", [pytest.param("9", marks=pytest.mark.slow), "10"]
)

# How many values each test compares at least, with all of the data and with the part in the tree;
# together they are counted below.
AT_LEAST = {
    "trec_eval 9.0.8": (111_375, 57_447), "trec_eval 10.0": (115_086, 59_361),
    "trec_eval 9.0.8 -l 2": (31_007, 12_822), "pytrec_eval": (51_324, 26_418),
    "ir_measures": (48_239, 23_980), "not in trec_eval, scores as in 9": (8_554, 4_403),
    "not in trec_eval, scores as in 10": (8_554, 4_403), "runs that lack topics": (1_894, 1_894),
    "legal files, 9": (2_895, 2_895), "legal files, 10": (2_970, 2_970),
}  # fmt: skip


def stored(path, column, keys=("run", "measure")):
    """Read one column of a gold file: {keys: {query: value}}; NA is left out."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        header = next(lines).rstrip("\n").split("\t")
        index, query, places = header.index(column), header.index("query"), map(header.index, keys)
        places = tuple(places)
        values = defaultdict(dict)
        for line in lines:
            row = line.rstrip("\n").split("\t")
            text = row[index].removeprefix("np.float64(").removesuffix(")")
            if text != "NA":
                values[tuple(row[place] for place in places)][row[query]] = float(text)
    return values


@cache
def runs_of(folder, score_dtype):
    """Join each run of a collection with its qrels: {run name: JudgedRun}."""
    qrels = read_qrels(next(folder.glob("qrels.txt*")))
    return {
        path.name.partition(".run")[0]: join(qrels, read_run(path, score_dtype=score_dtype))
        for path in sorted((folder / "runs").iterdir())
    }


def of_runs(folder, gold):
    """Yield what is stored of the runs that are there; only some are in the tree."""
    runs = {path.name.partition(".run")[0] for path in (folder / "runs").iterdir()}
    yield from ((key, values) for key, values in gold.items() if key[0] in runs)


@cache
def measure_of(name, version="10", rel=None):
    """Return the measure that trec_eval or ir_measures calls so, from grade ``rel`` on."""
    return parse_measures([name], rel=rel, interpolation=version)[0]


def aggregated(measure, values):
    """Return the number that stands in trec_eval's row ``all``."""
    if measure.entry.aggregate == "sum":
        return values.sum()
    mean = values.mean()
    return math.exp(mean) if measure.entry.aggregate == "geometric" else mean


def assert_equal_and_count(judged, measure, gold, *, tolerance=TOLERANCE, queries=None):
    """Compare values, and what they become together, with ``gold``; return how many there were.

    ``queries`` marks those that are compared, where a rule leaves some out.
    """
    values = measure(judged)
    ours = dict(zip(judged.query_ids, values, strict=True))
    ours["all"] = aggregated(measure, values)
    if queries is not None:
        query_ids = {judged.query_ids[i] for i in np.flatnonzero(queries)}
        gold = {query: value for query, value in gold.items() if query in query_ids}
    np.testing.assert_allclose(
        [ours[query] for query in gold], list(gold.values()), rtol=0, atol=tolerance,
        err_msg=measure.name,
    )  # fmt: skip
    return len(gold)


def assert_enough_compared(record_property, what, compared, left_out=0):
    print(f"{what}: {compared} values compared, {left_out} left out by a rule")
    record_property("values_compared", compared)
    whole, part = AT_LEAST[what]
    assert compared >= (whole if is_whole() else part)


def test_more_than_150_000_values_are_compared():
    assert sum(whole for whole, _ in AT_LEAST.values()) > 150_000


@BOTH_VERSIONS
def test_trec_eval(shared_data, version, record_property):
    compared = 0
    for collection in COLLECTIONS:
        folder = shared_data / collection
        gold = stored(folder / "gold" / "trec_eval-9.0.8.tsv.gz", "value")
        if version == "10":
            changed = stored(folder / "gold" / "trec_eval-10.0rc3.delta.tsv.gz", "v10.0rc3")
            for key, values in changed.items():
                gold[key].update(values)
        runs = runs_of(folder, VERSIONS[version])
        for (run, column), values in of_runs(folder, gold):
            compared += assert_equal_and_count(runs[run], measure_of(column, version), values)
    assert_enough_compared(
        record_property, f"trec_eval {'9.0.8' if version == '9' else '10.0'}", compared
    )


def test_trec_eval_from_grade_2(shared_data, record_property):
    compared = left_out = 0
    for collection in ("robust03", "ltr"):
        folder = shared_data / collection
        gold = stored(folder / "gold" / "trec_eval-9.0.8.l2.tsv.gz", "value")
        for (run, column), values in gold.items():
            judged = runs_of(folder, "float32")[run]
            # Rndcg is 0 there for queries without a document of grade 2, though -l changes no gain
            # (m_Rndcg.c), and the number of relevant documents in all counts from grade 1
            # (m_num_rel.c).
            queries = None
            if column == "Rndcg":
                queries = judged.n_relevant(rel=2) > 0
            if column == "num_rel":
                queries = np.ones(judged.n_queries, dtype=np.bool_)
            equal = assert_equal_and_count(
                judged, measure_of(column, "9", 2), values, queries=queries
            )
            compared += equal
            left_out += len(values) - equal
    assert_enough_compared(record_property, "trec_eval 9.0.8 -l 2", compared, left_out)


def hangs_on_tie_order(judged, name):
    """Mark the queries whose value may hang on the order of documents with the same score."""
    if name.startswith("Judged"):
        cutoff = int(name.partition("@")[2])
        among = (judged.tie_first <= cutoff) & (cutoff < judged.tie_last)
    else:
        among = (judged.grade > 0) & (judged.tie_first < judged.tie_last)
    return np.bincount(judged.query[among], minlength=judged.n_queries) > 0


# What ir_measures does not take from pytrec_eval, and therefore computes from float64 scores: RR@k
# (MS MARCO's script), RBP (cwl_eval), Judged, and ERR and nDCG with exponential gain (gdeval.pl).
NOT_FROM_PYTREC_EVAL = ("RR@", "RBP", "Judged", "ERR", "nDCG(dcg")


@pytest.mark.slow
def test_ir_measures(shared_data, record_property):
    compared = left_out = 0
    for collection in COLLECTIONS:
        folder = shared_data / collection
        gold = stored(folder / "gold" / "ir_measures-0.4.3.tsv.gz", "value")
        for (run, name), values in gold.items():
            if name == "Compat":  # ties and scores below 0 stand in another order there: peers.tsv
                continue
            from_pytrec_eval = not name.startswith(NOT_FROM_PYTREC_EVAL)
            judged = runs_of(folder, "float32" if from_pytrec_eval else "float64")[run]
            measure = measure_of(name, "9")
            options = {}
            if name.startswith(("ERR", "nDCG(dcg")):
                # gdeval.pl prints 5 decimals, and its grades go to 4
                options["tolerance"] = 5e-6 + 1e-12
                measure = measure_of(name.replace("ERR", "ERR(max_grade=4)"), "9")
            if name.startswith(("RR@", "RBP", "Judged")):
                # documents of the same score stand in another order there
                tied = hangs_on_tie_order(judged, name)
                options["queries"] = ~tied if tied.any() else None
            equal = assert_equal_and_count(judged, measure, values, **options)
            compared += equal
            left_out += len(values) - equal
    assert_enough_compared(record_property, "ir_measures", compared, left_out)


@BOTH_VERSIONS
def test_measures_that_trec_eval_has_not(shared_data, version, record_property):
    # Computed apart from this program, in the order of either version.
    compared = 0
    for collection in COLLECTIONS:
        folder = shared_data / collection
        path = folder / "gold" / "own_fulldigits.tsv.gz"
        for (run, name), values in stored(path, f"value_{VERSIONS[version]}_order").items():
            measure = measure_of(name.replace("ERR", "ERR(max_grade=4)"))
            compared += assert_equal_and_count(
                runs_of(folder, VERSIONS[version])[run], measure, values
            )
    assert_enough_compared(record_property, f"not in trec_eval, scores as in {version}", compared)


def test_runs_that_lack_topics(shared_data, record_property):
    compared = 0
    folder = shared_data / "partial"
    path = folder / "gold" / "trec_eval-9.0.8.tsv"
    for (run, flag, column), values in stored(path, "value", ("run", "flag", "measure")).items():
        judged = runs_of(folder, "float32")[run]
        measure = measure_of(column, "9")
        # Without -c the topics that the run lacks leave the mean.
        present = np.ones(judged.n_queries) if flag == "-c" else judged.n_retrieved
        all_queries = aggregated(measure, measure(judged)[present > 0])
        assert all_queries == pytest.approx(values.pop("all"), rel=0, abs=TOLERANCE)
        compared += 1 + (assert_equal_and_count(judged, measure, values) if values else 0)
    assert_enough_compared(record_property, "runs that lack topics", compared)


# Text, and what reads uninitialised memory (m_rbp.c).
NO_NUMBERS = ("runid", "relstring", "rbp")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_legal_files_that_are_hard_to_read(shared_data, version, record_property):
    folder = shared_data / "nasty"
    column = "v9.0.8" if version == "9" else "v10.0rc3"
    gold = stored(folder / "gold.tsv", column, keys=("run", "qrels", "measure"))
    compared = 0
    for (run, qrels, measure), values in gold.items():
        if run.startswith("legal/") and not measure.startswith(NO_NUMBERS):
            judged = _joined(folder / qrels, folder / run, VERSIONS[version])
            compared += assert_equal_and_count(judged, measure_of(measure, version), values)
    assert_enough_compared(record_property, f"legal files, {version}", compared)


@cache
def _joined(qrels, run, score_dtype):
    return join(read_qrels(qrels), read_run(run, score_dtype=score_dtype))
