"""What values of other programs do not tell: by hand on a few documents, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures import catalogue, parse

pytestmark = pytest.mark.every_case

N = None
L3, L5 = math.log2(3), math.log2(5)
E = 1e-5
NAN, INF = math.nan, math.inf


def of(*rankings, ideal=None, scores=None):
    """Return rankings by the grades of their documents; N was not judged."""
    return JudgedRun.from_grades([*rankings], ideal=ideal, scores=scores)


def insq(rank, hope):
    weights = 1 / (np.arange(1.0, 1001.0) + 2 * hope - 1) ** 2
    return weights[rank - 1] / weights.sum()


# 2 relevant among 4 retrieved, 3 relevant in the judgments.
SET = of([1, N, 0, 2], ideal=[[2, 1, 1, 0]])
# Relevant, unjudged, refused, relevant, refused; and one of each that was not retrieved.
RATED = of([1, N, 0, 2, 0], ideal=[[2, 1, 1, 0, 0, 0]], scores=[[0.9, 0.8, 0.7, 0.7, 0.1]])
# Five relevant documents, found at ranks 2, 3 and 6: precision 1/2, 2/3, 1/2.
CURVE = of([0, 1, 1, 0, 0, 1], ideal=[[1, 1, 1, 1, 1]])
# The six documents of a textbook, and two more behind them.
TEXTBOOK = of([3, 2, 3, 0, 1, 2, 3, 0])
# The example of pyndeval's README: A, D, E (unjudged), B; C is not retrieved.
README = JudgedRun.from_subtopics([[{"a": 1}, {"b": 1}, None, {"b": 1}]], missed=[[{"c": 1}]])
# a: ranks 1 and 3 of its three; b: rank 3 of one; c: never found; d: nothing is relevant.
INTENTS = JudgedRun.from_subtopics(
    [[{"a": 1, "d": 0}, None, {"a": 2, "b": 1}]], missed=[[{"a": 1, "c": 1}]]
)

VALUES = [
    # Over ranks.
    ("RprecMult(multiple=0.05)", of([1]), [0.0]),  # floor(0.05 + 0.9) = 0
    # Over pairs: what was not retrieved stands last and tied; what is not judged does not count.
    *((name, of([1], [-1, 1, N, 0], ideal=[[1, 1, 0], [1, 0, -1, -2]]), [value, 1.0])
      for name, value in (("AUC", 0.75), ("Concordance", 0.75), ("KendallTau", 0.5))),
    *((name, of([1, 0, 1, 0], [0, 1]), [0.75, 0.0]) for name in ("AUC", "Concordance")),
    ("Concordance", of([2, 2], [0, 0], [], [0, 1, 2], ideal=[[2, 2], [0, 0], [2, 0], [0, 1, 2]]),
     [1.0, 0.0, 0.0, 0.0]),
    ("KendallTau", of([2, 2], [0, 0], [], [0, 1, 2], ideal=[[2, 2], [0, 0], [2, 0], [0, 1, 2]]),
     [0.0, 0.0, 0.0, -1.0]),
    # Counts.
    ("SetF(beta=2.0)", SET, [5 / 8]),
    ("SetF", of([0], []), [0.0, 0.0]),
    ("Utility(relevant_retrieved=3,others_retrieved=-2,relevant_missed=-1)", SET, [1.0]),
    ("Utility(relevant_retrieved=3,others_retrieved=-2,relevant_missed=-1,others_missed=0.5,"
     "n_documents=10)", SET, [3.5]),
    ("Utility(relevant_missed=-1)", of([], ideal=[[1]]), [0.0]),
    # Gain.
    ("nDCG(dcg='exp-log2')", of([1, 3]), [(1 + 7 / L3) / (7 + 1 / L3)]),
    *((f"nDCG(dcg='{dcg}')", of([-1, 1], [-2, -1]), [1 / L3, 0]) for dcg in ("log2", "exp-log2")),
    # 2**5000 is no float; the grade of 4999 is worth half of it.
    ("nDCG(dcg='exp-log2')@1", of([4999], [1], ideal=[[5000, 4999], [1]]), [0.5, 1.0]),
    ("DCG", of([3, 0, 1, -2], [1001]), [3.5, 1001.0]),
    ("DCG(dcg='exp-log2')", of([3, 0, 1, -2]), [7.5]),
    ("DCG@2", of([3, 0, 1, -2]), [3.0]),
    # trec_eval's help on 1=3.5,2=9.0,4=7.0.
    ("DCG(gains={1:3.5,2:9.0,4:7.0})", of([1], [2], [3], [4]), [3.5, 9.0, 3.0, 7.0]),
    ("DCG(gains={0:1.0})", of([N, -1, 0]), [0.5]),
    ("nDCG(gains={0:-1.0})", of([0, 1]), [1 / L3 - 1]),
    ("nDCGrel(gains={0:-1.0})", of([0, 1]), [0.0]),
    ("Rndcg(gains={2:1.0})", of([1, 2]), [1.0]),  # one gain, and one change of it
    ("CG", of([-2, 1, N]), [1.0]),
    ("CG@6", TEXTBOOK, [11.0]),
    ("DCG@6", TEXTBOOK, [3 + 2 / L3 + 3 / 2 + 1 / math.log2(6) + 2 / math.log2(7)]),  # 6.86
    # The text prints 8.37, the sum of terms cut to two digits, and so an nDCG of 0.8196.
    ("IDCG@6", TEXTBOOK,
     [3 + 3 / L3 + 3 / 2 + 2 / L5 + 2 / math.log2(6) + 1 / math.log2(7)]),  # 8.384
    ("G(gains={1:4.0,2:9.0})", of([2, 2, 1, 0]), [1.0]),
    ("G(gains={1:0.5})", of([1]), [1 / math.log2(2.5)]),  # a rank costs 1 or more
    ("G(gains={0:-1.0,1:0.0})", of([0, 1], [], ideal=[[0, 1], [1]]), [0.0, 0.0]),
    ("Cascade", of([2, 0, 4]), [3 / 16 + 13 / 16 * 15 / 16 / 2]),
    ("Cascade@2", of([2, 0, 4]), [3 / 16]),
    ("ERR", of([1], [N], ideal=[[1], [3]]), [1 / 8, 0.0]),  # the scale is that of all queries
    # One missed, which stands last though the score of the other is below 0.
    ("Compat", of([1], ideal=[[1, 1]], scores=[[-2.0]]), [(1 + 0.95 / 2) / 1.95]),
    ("BPM(max_rel=10)@20", of([1] * 10 + [0] * 10), [0.1]),  # 10 times 0.1 is less in floats
    ("BPM(max_rel=10)@5", of([0, 9, 10], [0, 10, 9]), [1.9 / 3, 0.5]),
    ("INST(T=2.0,max_rel=1)", of([*[0] * 999, 1]), [insq(1000, 2)]),  # without gain as INSQ
    ("INST(T=0.5,max_rel=1)", of([1, 0, 0]), [1.0]),  # full gain: nobody goes on
    # Textbooks.
    ("F(threshold=0.5,beta=2.0)", of([1, 0, 1], ideal=[[1, 1, 1, 0]], scores=[[0.9, 0.8, 0.1]]),
     [5 * (1 / 2) * (1 / 3) / (4 * (1 / 2) + 1 / 3)]),
    ("PPV(threshold=0.7)", RATED, [2 / 4]),  # 0.7 itself is enough
    ("TPR(threshold=0.7)", RATED, [2 / 3]),
    ("FPR(threshold=0.7)", RATED, [1 / 3]),
    ("ACC(threshold=0.7)", RATED, [(2 + 2) / 6]),
    ("FPR@2", RATED, [0.0]),
    ("ACC@2", RATED, [(1 + 3) / 6]),
    ("FPR(threshold=0.7)@3", RATED, [1 / 3]),
    ("FPR(threshold=0.7)@5", RATED, [1 / 3]),
    ("FPR(threshold=0.75)@3", RATED, [0.0]),
    ("PPV(threshold=5.0)", RATED, [0.0]),
    ("TPR(threshold=5.0)", RATED, [0.0]),
    ("ACC(threshold=5.0)", RATED, [0.5]),  # all are called refused: right for three of six
    ("FPR(rel=2)@2", of([2, 1, -1, 0]), [0.5]),
    ("ACC@3", of([2, 1, -1, 0]), [1.0]),
    ("FPR", of([], [1], ideal=[[1, 0], [1]]), [0.0, 0.0]),
    ("ACC", of([], [1], ideal=[[1, 0], [1]]), [0.0, 1.0]),
    # trec_eval 9 divides 0 by 0 here.
    ("IPrec(interpolation='9')@0.0", of([], [0], [N], ideal=[[1], [0], [1]]), [0, 0, 0]),
    ("AP11(levels=[1.0,0.0])", CURVE, [1 / 3]),
    # Diversity.
    ("ERR_IA@2", JudgedRun.from_subtopics([[{"a": 1}]]), [1 / (1 + 1 / 4)]),
    ("AP_IA", INTENTS, [((1 + 2 / 3) / 3 + 1 / 3 + 0) / 3]),
    ("AP_IA(rel=2)", INTENTS, [1 / 3]),
    ("P_IA@2", INTENTS, [1 / (2 * 3)]),
    ("StRecall", INTENTS, [2 / 3]),
]  # fmt: skip


def test_value_by_hand():
    for name, judged, expected in VALUES:
        values = parse(name)(judged)
        assert values.dtype == np.float64, name
        assert values == pytest.approx(np.array(expected), rel=1e-12, abs=1e-13), name


CUTOFF = "cutoff must be a whole number of at least 1"
LEVEL = "rel must be a grade above 0"
REFUSED = [
    *(("RprecMult", {"multiple": x}, "multiple must be above 0") for x in (0.0, -1.0, NAN, INF)),
    *((name, {"cutoff": cutoff}, CUTOFF) for cutoff in (0, -1, 2.5, True)
      for name in ("P", "R", "RelP", "Success", "Judged", "Unj")),
    *((name, {"cutoff": 1, "rel": 0}, LEVEL) for name in ("P", "R", "RelP", "Success")),
    *((name, {"rel": 0}, LEVEL)
      for name in ("AUC", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet")),
    ("Utility", {"others_missed": 1.0}, "others_missed needs n_documents"),
    ("Utility", {"others_missed": 1.0, "n_documents": 1}, "n_documents=1 is less than"),
    ("Utility", {"relevant_missed": NAN}, "every worth must be finite"),
    *(("SetF", {"beta": x}, "beta must be") for x in (0.0, -1.0, NAN, INF)),
    ("nDCG", {"dcg": "exp"}, "choices: log2, exp-log2"),
    ("nDCG", {"gains": ((-1, 1.0),)}, "a grade that has a gain .* of at least 0, not -1"),
    ("nDCG", {"gains": ((1, NAN),)}, "the gain of grade 1 must be finite, not nan"),
    ("nDCG", {"gains": ((1, INF),)}, "the gain of grade 1 must be finite, not inf"),
    ("nDCG", {"dcg": "exp-log2", "gains": ((1, 2.0),)}, "leave out one"),
    ("DCG", {"dcg": "exp-log2"}, "grade of 1001 has no exponential gain"),
    ("Cascade", {"phi": "1/r**2", "max_grade": 2000}, "choices: 1/r, 1/log2"),
    ("Cascade", {"max_grade": 2}, "grade of 1001, above max_grade=2"),
    ("ERR", {"max_grade": 4}, "grade of 1001, above max_grade=4"),
    ("Compat", {"p": 1.0}, "p must lie between 0 and 1"),
    *(("RBP", {"p": p}, "p must lie between 0 and 1") for p in (0.0, 1.0, -0.5, NAN, INF)),
    ("SDCG", {"cutoff": 1, "max_rel": 1, "dcg": "exp-log2"}, "choices: log2"),
    ("INSQ", {"T": 0.0, "max_rel": 1}, "T must be above 0"),
    ("INST", {"T": 0.4, "max_rel": 1}, "T must be at least 0.5"),
    ("INST", {"T": NAN, "max_rel": 1}, "T must be finite"),
    ("BPM", {"T": 0.0, "max_rel": 1, "cutoff": 3}, "T must be above 0"),
    ("NERR10", {"p": 1.0, "max_rel": 2}, "p must lie between 0 and 1"),
    ("NERR11", {"T": -1.0, "max_rel": 2}, "T must be above 0"),
    ("F", {"cutoff": 1, "beta": 0.0}, "beta must be above 0"),
    ("MeanP", {"cutoff": 0}, "cutoff must be"),
    ("PPV", {"threshold": NAN}, "threshold must be a number"),
    *(("IPrec", {"recall": x}, "a level of recall must lie between 0 and 1, not")
      for x in (-0.1, 1.1, NAN)),
    ("IPrec", {"recall": 0.5, "interpolation": "8"}, "choices: 10, 9"),
    ("AP11", {"levels": ()}, "there is none"),
]  # fmt: skip


def test_what_has_no_meaning_is_refused():
    for name, options, message in REFUSED:
        with pytest.raises(ArgumentError, match=message):
            catalogue()[name].function(of([1001, 0]), **options)


def test_a_chance_beyond_one_and_a_threshold_without_scores_are_refused() -> None:
    with pytest.raises(ArgumentError, match="beta must be from 0 to 1"):
        parse("NRBP(beta=1.1)")(README)
    without = replace(RATED, retrieved_scores=None)
    with pytest.raises(ArgumentError, match="needs the scores"):
        parse("TPR(threshold=0.5)")(without)
    assert parse("FPR@3")(without).tolist() == [1 / 3]
