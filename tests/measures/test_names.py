import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.measures import Measure, parse

# Canonical name, and what else means the same: ir_measures, trec_eval (and pytrec_eval), ranx.
SPELLINGS = {
    "AP": "AP ap MAP map AP() AP(rel=1) AP(cutoff=None)",
    "AP@10": "AP@10 map@10 map_cut_10 map_cut.10 AP(cutoff=10)",
    "AP(rel=2)": "AP(rel=2) map-l2",
    "AP(rel=2)@10": "AP(rel=2)@10 map@10-l2 MAP(rel=2)@10",
    "nDCG": "nDCG ndcg NDCG nDCG(dcg='log2') nDCG(dcg=log2)",
    "nDCG@10": "nDCG@10 NDCG@10 ndcg@10 ndcg_cut_10 ndcg_cut.10 ndcg_cut@10",
    "nDCG(dcg='exp-log2')@10": 'nDCG(dcg=exp-log2)@10 nDCG(dcg="exp-log2")@10 ndcg_burges@10',
    "RR": "RR rr MRR mrr recip_rank",
    "RR@10": "RR@10 mrr@10 MRR@10 recip_rank@10",
    "P@10": "P@10 p@10 P_10 P.10 precision@10 Precision@10",
    "R@1000": "R@1000 recall@1000 recall_1000 recall.1000 Recall@1000",
    "Success@1": "Success@1 success_1 success.1 hit_rate@1",
    "Rprec": "Rprec RPrec R-precision r-precision r_precision",
    "Bpref": "Bpref bpref BPref",
    "SetP": "SetP set_P",
    "SetR": "SetR set_recall set_R",
    "SetF": "SetF set_F f1 set_F.1 SetF(beta=1)",
    "SetF(beta=2.0)": "SetF(beta=2.0) SetF(beta=2) set_F.4 set_F_4",
    "SetF(beta=0.5)": "set_F.0.25 SetF(beta=.5)",
    "RBP": "RBP rbp RBP(rel=1,p=0.8) rbp.8 rbp.80",
    "RBP(p=0.95)": "rbp.95 RBP(p=.95) rbp.0.95",
    "RBP@10": "RBP@10 Rbp@10 rbp(p=0.8)@10",
    "RBP(p=0.95)@10": "rbp.95@10",
    "ERR@20": "ERR@20 err@20",
    "ERR(max_grade=4)@20": "ERR(max_grade=4)@20",
    "Judged@10": "Judged@10 judged@10",
}


@pytest.mark.parametrize(
    ("canonical", "text"),
    [(name, text) for name, texts in SPELLINGS.items() for text in texts.split()],
)
def test_parse_spelling(canonical, text):
    assert parse(text).name == canonical


def test_parse_takes_blanks_around_and_inside():
    assert parse("  nDCG( cutoff = 10 , dcg='exp-log2' ) ").name == "nDCG(dcg='exp-log2')@10"


def test_parse_returns_a_measure_as_it_is():
    made = parse("P@10")
    assert parse(made) is made


def test_set_f_of_trec_eval_takes_beta_squared():
    assert dict(parse("set_F.2").parameters) == {"beta": math.sqrt(2)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P", '"P" means 9 measures, P@5 … P@1000; one is wanted here'),
        ("P_5,10", '"P_5,10" means 2 measures, P@5 … P@10; one is wanted here'),
        ("R", "R needs a cut-off, for example R@10"),
        ("P()", "P needs a cut-off, for example P@10"),
        ("hit_rate", "Success needs a cut-off, for example Success@10"),
        ("SetP@10", "SetP has no cut-off"),
        ("set_P_10", "SetP has no cut-off"),
        ("nDCG@0", "nDCG@0: cutoff must be a whole number of at least 1, not 0"),
        ("P@-1", "P@-1: cutoff must be a whole number of at least 1, not -1"),
        ("P@1.5", "cutoff must be a whole number, not 1.5"),
        ("P.0.5", "cutoff must be a whole number, not 0.5"),
        ("P@None", "cutoff must be a whole number, not None"),
        ("AP(rel=0)", "AP(rel=0): rel must be a whole number of at least 1, not 0"),
        ("map-l0", "AP(rel=0): rel must be a whole number of at least 1, not 0"),
        ("AP(rel=2.0)", "rel must be a whole number, not 2.0"),
        ("AP(rel=1,rel=2)", '"AP(rel=1,rel=2)" gives rel more than once'),
        ("AP(cutoff=5)@10", '"AP(cutoff=5)@10" gives cutoff more than once'),
        ("AP_5@10", '"AP_5@10" gives cutoff more than once'),
        ("SetF(beta=0)", "SetF(beta=0.0): beta must be above 0; a beta of 0 is SetP"),
        ("RBP(p=1e400)", "RBP(p=inf): p must lie between 0 and 1, not inf"),
        ("rbp@95", "rbp@95 has two meanings: write RBP@95 or RBP(p=0.95)"),
        ("ERR(max_grade=0)", "ERR(max_grade=0): max_grade must be a whole number of at least 1"),
    ],
)
def test_parse_of_what_has_no_meaning(text, message):
    with pytest.raises(ArgumentError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)
    assert not isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("text", ["AP(", "AP(rel", "AP(2)", "AP(rel=2)(x)", "AP(rel=1 p=2)"])
def test_parse_of_another_form_shows_the_form(text):
    with pytest.raises(ArgumentError, match=r"has not the form NAME\(keyword=value,\.\.\.\)@cut"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("nDGC", "nDCG"),
        ("nDGC@10", "nDCG@10"),
        ("ndcg@10x", "nDCG@10"),
        ("nDGC@7", "nDCG@7"),
        ("recip_rnak", "recip_rank"),
        ("Bprefs", "Bpref"),
        ("P@5 P@10", "P@10"),
        ("AP(reel=2)", "rel"),
        ("nDCG(dcg='exp-log')@10", "exp-log2"),
    ],
)
def test_parse_of_an_unknown_name_suggests_the_nearest(text, nearest):
    with pytest.raises(UnknownNameError) as caught:
        parse(text)
    assert caught.value.nearest[0] == nearest


@pytest.mark.parametrize("text", ["", "@10", "((((", "1", "-", "'", "zzzzzz@10"])
def test_parse_of_nothing_near(text):
    with pytest.raises(UnknownNameError, match="unknown measure"):
        parse(text)


@given(
    st.text(max_size=30)
    | st.from_regex(r"(AP|ndcg|P|rbp|set_F)[._@(]?[a-z0-9.=,'()@-]*", fullmatch=True)
)
def test_parse_never_fails_in_another_way(text):
    try:
        made = parse(text)
    except ArgumentError:
        return
    assert isinstance(made, Measure)
    assert parse(str(made)) == made
