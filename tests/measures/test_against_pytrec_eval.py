"""Random runs and judgments, scored live by pytrec_eval: trec_eval 9.0.8 with float32 scores.

pytrec_eval ends with a segmentation fault on an empty ranking and on a query whose judgments are
all negative, and reads beyond its arrays where no grade reaches level - 1 (m_bpref.c). So every
query has one document of that grade, and what is not retrieved is checked against the rule. Where
only unjudged documents were retrieved and leave the ranking, it divides 0 by 0.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import join, read_qrels, read_run
from abrank.measures.names import parse_measures

pytrec_eval = pytest.importorskip("pytrec_eval")

TEXT = {"runid", "relstring"}
DOCS = st.integers(0, 25).map(lambda number: f"d{number}")
JUDGMENTS = st.dictionaries(DOCS, st.integers(-2, 4), max_size=15)
# Few distinct scores, and some that differ as float64 only: ties.
SCORES = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-9, 2.0, -1.5]) | st.floats(-3, 3, width=32)
RANKING = st.dictionaries(DOCS, SCORES, max_size=20)
# Judgments, and the ranking or none at all.
QUERIES = st.lists(st.tuples(JUDGMENTS, st.none() | RANKING), min_size=1, max_size=5)
# What a query without a retrieved document gives, where it is not 0.
NOTHING = {"gm_map": np.log(1e-5), "gm_bpref": np.log(1e-5), "num_q": 1.0}


@cache
def measures_of(columns, level, judged_only):
    options = {"rel": level, "judged_only": judged_only, "interpolation": "9"}
    return [parse_measures([column], **options)[0] for column in columns]


@pytest.mark.slow
@given(queries=QUERIES, level=st.integers(1, 3), judged_only=st.booleans())
def test_random_runs(queries, level, judged_only):
    qrels, run = {}, {"unjudged": {"d1": 1.0}}
    for number, (judgments, ranking) in enumerate(queries):
        qrels[f"q{number}"] = {**judgments, "pool": level - 1}
        if ranking is not None:
            run[f"q{number}"] = ranking
    oracle = pytrec_eval.RelevanceEvaluator(
        {**qrels, "unjudged": {"d1": level}}, pytrec_eval.supported_measures - TEXT,
        relevance_level=level, judged_docs_only_flag=judged_only,
    ).evaluate({query: ranking for query, ranking in run.items() if ranking})  # fmt: skip
    judged = join(read_qrels(qrels), read_run(run, score_dtype="float32"))
    columns = tuple(oracle["unjudged"])
    ours = np.stack([measure(judged) for measure in measures_of(columns, level, judged_only)])
    for i, query in enumerate(judged.query_ids):
        n_relevant = sum(grade >= level for grade in qrels[query].values())
        nothing = {**dict.fromkeys(columns, 0.0), **NOTHING, "num_rel": n_relevant}
        theirs = oracle.get(query, nothing)
        # Rndcg is 0 there where no document reaches the level, though that changes no gain.
        compared = [n for n, column in enumerate(columns) if n_relevant or column != "Rndcg"]
        np.testing.assert_allclose(
            ours[compared, i], np.nan_to_num([theirs[columns[n]] for n in compared]), rtol=0,
            atol=1e-9, err_msg=f"{query}: {columns}",
        )  # fmt: skip
