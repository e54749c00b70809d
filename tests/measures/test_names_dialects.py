"""The tests of ``abrank/measures/names.py``."""

import math

import pytest

from abrank._support.errors import ArgumentError
from abrank.measures import catalogue, expand, parse
from abrank.measures.names import (
    BARE,
    BETA_SQUARED,
    CUTOFFS,
    GAINS,
    LEVELS,
    MULTIPLES,
    OTHERS,
    PERSISTENCE,
    RECALLS,
    SETS,
    TREC_EVAL,
    WORTHS,
    spelling_of,
    trec_eval_name,
    trec_eval_order,
    without,
)

# Canonical name: what trec_eval prints for it (out.test.meas_params of its tests, and its help).
PRINTED = {
    "AP": "map",
    "AP@10": "map_cut_10",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "nDCG(gains={1:3,2:9,4:4.5})": "ndcg_1=3,2=9,4=4.5",
    "P@5": "P_5",
    "IPrec@0.1": "iprec_at_recall_0.10",
    "IPrec@1.0": "iprec_at_recall_1.00",
    "RprecMult(multiple=5)": "Rprec_mult_5.00",
    "AP11": "11pt_avg",
    "AP11(levels=[.25,.5,.75])": "11pt_avg_.25,.5,.75",
    "AP11(levels=[0,1])": "11pt_avg_0,1",
    "Utility": "utility",
    "Utility(relevant_retrieved=2)": "utility_2,-1,0,0",
    "SetF": "set_F",
    "SetF(beta=0.5)": "set_F_0.25",
    "SetP": "set_P",
    "SetP(relative=True)": "set_relative_P",
    "GMAP": "gm_map",
}
# Measures, or parameters, that trec_eval has no name for.
NOT_PRINTED = [
    "RR@10", "AP(rel=2)", "P(judged_only=True)@5", "nDCG(gains={1:3})@10", "nDCG(dcg='exp-log2')",
    "ERR", "RBP", "RBP(p=0.95)", "Judged@10", "SetP(relative=True,rel=2)",
    "Utility(others_missed=0.5,n_documents=100)",
]  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_name_that_trec_eval_prints(name):
    assert trec_eval_name(parse(name)) == PRINTED[name]
    assert parse(PRINTED[name]) == parse(name)


@pytest.mark.parametrize("name", NOT_PRINTED)
def test_what_trec_eval_has_no_name_for(name):
    assert trec_eval_name(parse(name)) is None


@pytest.mark.parametrize("name", TREC_EVAL)
def test_every_name_of_trec_eval_goes_there_and_back(name):
    made = expand(name)
    printed = [trec_eval_name(each) for each in made]
    assert [parse(each) for each in printed] == list(made)
    assert all(each == name or each.startswith(f"{name}_") for each in printed)


@pytest.mark.parametrize("spelling", [*TREC_EVAL.values(), *OTHERS.values(), *BARE.values()])
def test_every_spelling_means_a_measure_and_its_parameters(spelling):
    entry = catalogue()[spelling.name]
    names = [name for name, _ in spelling.fixed]
    names += spelling.numbers.parameters if spelling.numbers else ()
    assert all(entry.parameter(name) for name in names)


def test_sets_are_made_of_names_of_trec_eval():
    assert {name for names in SETS.values() for name in names} <= TREC_EVAL.keys()


def test_spelling_is_found_in_whatever_case():
    assert spelling_of("IPREC_at_recall") is TREC_EVAL["iprec_at_recall"]
    assert spelling_of("nothing") is None


def test_order_is_that_of_trec_eval_whatever_was_asked():
    asked = ["ERR", "success_10", "success_2", "P_10", "P_5", "Rprec_mult_2", "map_cut_5", "map"]
    names = [each.name for each in sorted(map(parse, asked), key=trec_eval_order)]
    expected = ["AP", "P@5", "P@10", "RprecMult(multiple=2.0)", "AP@5", "Success@2", "Success@10"]
    assert names == [*expected, "ERR"]


def test_without_leaves_other_values_alone():
    assert without(parse("AP(rel=2)@10"), {"rel": 2, "depth": None}) == parse("AP@10")
    assert without(parse("AP(rel=2)@10"), {"rel": 3, "cutoff": 5}) == parse("AP(rel=2)@10")


READ = [
    (CUTOFFS, "5,10", [(5,), (10,)]),
    (CUTOFFS, "5,x", [(5,), ("x",)]),  # the measure says what is wrong with it
    (RECALLS, ".1,0.20", [(0.1,), (0.2,)]),
    (LEVELS, ".25,.5", [([0.25, 0.5],)]),
    (GAINS, "1=3.5,2=9", [({1: 3.5, 2: 9},)]),
    (BETA_SQUARED, "4,0.25,2", [(2.0,), (0.5,), (math.sqrt(2),)]),
    (BETA_SQUARED, "-1,x", [(-1,), ("x",)]),
    (PERSISTENCE, "95", [(0.95,)]),  # ranx: rbp.95
    (PERSISTENCE, "p=0.95", [(0.95,)]),  # trec_eval: rbp.p=0.95
    (PERSISTENCE, "0.95", [(0.95,)]),
    (PERSISTENCE, "p=1", [(1,)]),
    (WORTHS, "2,-1,0,0", [(2, -1, 0, 0)]),
]


@pytest.mark.parametrize(("notation", "text", "values"), READ)
def test_read(notation, text, values):
    assert notation.read(text) == values


@pytest.mark.parametrize(
    ("notation", "values", "text"),
    [
        (CUTOFFS, (10,), "10"),
        (RECALLS, (0.1,), "0.10"),
        (MULTIPLES, (2.0,), "2.00"),
        (LEVELS, ((0.0, 0.25, 1.0),), "0,.25,1"),
        (GAINS, (((1, 3.5), (2, 9.0)),), "1=3.5,2=9"),
        (BETA_SQUARED, (math.sqrt(2),), "2"),
        (PERSISTENCE, (0.95,), "p=0.95"),
        (WORTHS, (2.0, -1.0, 0.0, 0.5), "2,-1,0,0.5"),
    ],
)
def test_write(notation, values, text):
    assert notation.write(*values) == text


def test_as_many_numbers_as_parameters():
    with pytest.raises(ArgumentError, match='"1,2" should be 4 numbers'):
        WORTHS.read("1,2")
