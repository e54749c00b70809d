"""The tests of ``abrank/measures/names.py``."""

from types import NoneType

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import abrank
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.measures import Measure, catalogue, expand, parse, reading
from abrank.measures.names import DEFAULT_MEASURES, known_among, parse_measures
from abrank.measures.registry import Gains, Levels
from abrank.measures.spellings import (
    TREC_EVAL,
    trec_eval_name,
    trec_eval_order,
    without,
)

# Canonical name, and what else means the same: ir_measures, trec_eval (and pytrec_eval), ranx.
SPELLINGS = {
    "AP": "AP ap MAP map AP() AP(rel=1) AP(cutoff=None)",
    "AP@10": "AP@10 map@10 map_cut_10 map_cut.10 AP(cutoff=10)",
    "AP(rel=2)": "AP(rel=2) AP(rel=2.0) map-l2",
    "AP(rel=0.5)": "AP(rel=0.5) AP(rel=.5)",
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
    "SetP": "SetP set_P precision Precision",
    "SetP(relative=True)": "SetP(relative=True) SetRelP set_relative_P",
    "SetR": "SetR set_recall set_R",
    "SetF": "SetF set_F f1 set_F.1 SetF(beta=1)",
    "SetAP": "SetAP set_map",
    "SetF(beta=2.0)": "SetF(beta=2.0) SetF(beta=2) set_F.4 set_F_4",
    "SetF(beta=0.5)": "set_F.0.25 SetF(beta=.5)",
    "RBP": "RBP rbp RBP(rel=1,p=0.8) rbp.8 rbp.80",
    "RBP(p=0.95)": "rbp.95 RBP(p=.95) rbp.0.95",
    "RBP@10": "RBP@10 Rbp@10 rbp(p=0.8)@10",
    "RBP(p=0.95)@10": "rbp.95@10",
    "ERR@20": "ERR@20 err@20",
    "ERR(max_grade=4)@20": "ERR(max_grade=4)@20",
    "Judged@10": "Judged@10 judged@10",
    "Unj@5": "Unj@5 unj_5 unj.5",
    "IPrec@0.1": "IPrec@0.1 IPrec@.1 IPrec(recall=.1) iprec_at_recall_0.10 iprec_at_recall..10",
    "IPrec@1.0": "IPrec@1 IPrec@1.0 iprec_at_recall_1.00",
    "AP11": "AP11 11pt_avg",
    "AP11(levels=[0.25,0.5])": "AP11(levels=[.25,.5]) 11pt_avg..25,.5 11pt_avg_.25,.5",
    "GMAP": "GMAP gm_map",
    "GMBpref": "GMBpref gm_bpref",
    "RprecMult(multiple=0.2)": "RprecMult(multiple=.2) Rprec_mult_0.20 Rprec_mult..2",
    "Utility": "Utility utility",
    "Utility(relevant_retrieved=2.0)": "utility.2,-1,0,0 utility_2,-1,0,0",
    "RelP@10": "RelP@10 relative_P_10 relative_P.10",
    "infAP": "infAP infap",
    "G(gains={1:3.0,2:9.0})": "G(gains={1:3,2:9}) G.1=3,2=9 G_2=9,1=3",
    "nDCG(gains={1:3.5})": "nDCG(gains={1:3.5}) ndcg.1=3.5 ndcg_1=3.5",
    "nDCG(gains={1:0.5,2:3.0})@5": "nDCG(gains={2:3,1:.5})@5 nDCG(cutoff=5,gains={1:.5,2:3})",
    "nDCG(gains={1:0.0})@10": "ndcg@10-l2",
    "nDCG(gains={1:0.0,2:0.0})": "ndcg-l3",
    "DCG@10": "DCG@10 dcg@10",
    "DCG(dcg='exp-log2')@10": "dcg_burges@10",
    "NumQ": "NumQ num_q",
    "NumRet": "NumRet num_ret",
    "NumRel": "NumRel num_rel",
    "NumRelRet": "NumRelRet num_rel_ret",
    "Hits": "Hits hits",
    "Hits(rel=2)@10": "Hits(rel=2)@10 hits@10-l2",
    "F@10": "F@10 F1@10 f1@10",
    "NumNonrelJudgedRet": "NumNonrelJudgedRet num_nonrel_judged_ret",
    "alpha_nDCG@10": "α_nDCG@10 alpha-nDCG@10 alpha_nDCG(alpha=0.5)@10",
    "alpha_DCG@10": "α_DCG@10 alpha-DCG@10",
    "ERR_IA@20": "ERR-IA@20",
    "nERR_IA@20": "nERR-IA@20",
    "AP_IA": "MAP_IA MAP-IA",
    "P_IA@5": "P-IA@5",
    "StRecall@10": "strec@10",
}
# The names that stand for several measures: first, last, how many.
SEVERAL = {
    "P": ("P@5", "P@1000", 9),
    "recall": ("R@5", "R@1000", 9),
    "map_cut": ("AP@5", "AP@1000", 9),
    "ndcg_cut": ("nDCG@5", "nDCG@1000", 9),
    "relative_P": ("RelP@5", "RelP@1000", 9),
    "success": ("Success@1", "Success@10", 3),
    "unj": ("Unj@5", "Unj@20", 3),
    "iprec_at_recall": ("IPrec@0.0", "IPrec@1.0", 11),
    "Rprec_mult": ("RprecMult(multiple=0.2)", "RprecMult(multiple=2.0)", 10),
    "recall-l2": ("R(rel=2)@5", "R(rel=2)@1000", 9),
    "P_5,10": ("P@5", "P@10", 2),
    "P.7,3,5": ("P@7", "P@5", 3),
    "set_F.1,4": ("SetF", "SetF(beta=2.0)", 2),
    "set": ("NumQ", "SetF", 10),
    "official": ("NumQ", "P@1000", 29),
}


def test_parse_spelling():
    assert parse("NDCG @ 10") == parse("nDCG@10")  # as people type it
    read = {n: {t: parse(t).name for t in texts.split()} for n, texts in SPELLINGS.items()}
    assert read == {name: dict.fromkeys(texts, name) for name, texts in read.items()}


@pytest.mark.every_case
@pytest.mark.parametrize("text", SEVERAL)
def test_name_of_several_measures(text):
    result = expand(text)
    assert (result[0].name, result[-1].name, len(result)) == SEVERAL[text]
    assert all(parse(item.name) == item for item in result)
    with pytest.raises(ArgumentError, match=f"means {len(result)} measures"):
        parse(text)


def test_all_trec_is_all_that_trec_eval_prints_but_texts_and_rbp():
    names = [trec_eval_name(item) for item in expand("all_trec")]
    assert None not in names
    assert len(names) == 96
    assert {name.rpartition("_")[0] for name in names if name.startswith("P_")} == {"P"}


@pytest.mark.every_case
@pytest.mark.parametrize(("text", "note"), [
    ("P", "P: trec_eval's 9 cut-offs, P@5 … P@1000"),
    ("recall", "recall: trec_eval's 9 cut-offs, R@5 … R@1000"),
    ("precision", "precision: SetP, of all retrieved documents as in ranx"),
    ("f1", "f1: SetF, of all retrieved documents as in ranx"),
    ("rbp", "rbp: RBP, p=0.8 as in ir_measures; trec_eval has p=0.9"),
    ("RBP", None),
    ("rbp.95", None),
    ("map", None),
    ("AP(rel=2)", None),
    ("official", None),
    (parse("P@10"), None),
])  # fmt: skip
def test_reading_says_what_a_bare_word_was_taken_for(text, note):
    assert reading(text) == note


def values(parameter):
    """Values of the parameter's types, those without a meaning among them."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    number = st.floats(-2, 2)
    of_kind = {
        int: st.integers(-1, 30),
        float: number,
        str: st.text(alphabet="abc' ,=@)([]{}", max_size=5),
        bool: st.booleans(),
        NoneType: st.none(),
        Levels: st.lists(number, min_size=1, max_size=4),
        Gains: st.dictionaries(st.integers(-2, 5), number, min_size=1, max_size=4),
    }
    return st.one_of([of_kind[kind] for kind in parameter.kinds])


@st.composite
def measures(draw):
    entry = draw(st.sampled_from(list(catalogue().values())))
    arguments = {
        parameter.name: draw(values(parameter))
        for parameter in entry.parameters
        if parameter.required or draw(st.booleans())
    }
    try:
        return entry.with_parameters(arguments)
    except ArgumentError:
        assume(False)


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much])
@given(measure=measures())
def test_every_name_of_the_catalogue_parses_back(measure):
    assert parse(str(measure)) == measure
    assert expand(f"  {measure.name.replace(',', ' , ')} ") == (measure,)


@pytest.mark.every_case
@pytest.mark.parametrize(("text", "message"), [
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
    ("AP(rel=0)", "AP(rel=0): rel must be a grade above 0, not 0"),
    ("map-l0", "AP(rel=0): rel must be a grade above 0, not 0"),
    ("ERR(max_grade=2.0)", "max_grade must be a whole number, not 2.0"),
    ("AP(rel=1,rel=2)", '"AP(rel=1,rel=2)" gives rel more than once'),
    ("AP(cutoff=5)@10", '"AP(cutoff=5)@10" gives cutoff more than once'),
    ("AP_5@10", '"AP_5@10" gives cutoff more than once'),
    ("SetF(beta=0)", "SetF(beta=0.0): beta must be above 0; a beta of 0 is SetP"),
    ("RBP(p=1e400)", "RBP(p=inf): p must lie between 0 and 1, not inf"),
    ("rbp@95", "rbp@95 has two meanings: write RBP@95 or RBP(p=0.95)"),
    ("ERR(max_grade=0)", "ERR(max_grade=0): max_grade must be a whole number of at least 1"),
])  # fmt: skip
def test_parse_of_what_has_no_meaning(text, message):
    with pytest.raises(ArgumentError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)
    assert not isinstance(caught.value, UnknownNameError)


@pytest.mark.parametrize("text", ["AP(", "AP(rel", "AP(2)", "AP(rel=2)(x)", "AP(rel=1 p=2)"])
def test_parse_of_another_form_shows_the_form(text):
    with pytest.raises(ArgumentError, match=r"has not the form NAME\(keyword=value,\.\.\.\)@cut"):
        parse(text)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("nDGC", "nDCG"), ("nDGC@10", "nDCG@10"), ("ndcg@10x", "nDCG@10"), ("nDGC@7", "nDCG@7"),
        ("recip_rnak", "recip_rank"), ("Bprefs", "Bpref"), ("P@5 P@10", "P@10"),
        ("AP(reel=2)", "rel"), ("nDCG(dcg='exp-log')@10", "exp-log2"),
    ],
)  # fmt: skip
def test_parse_of_an_unknown_name_suggests_the_nearest(text, nearest):
    with pytest.raises(UnknownNameError) as caught:
        parse(text)
    assert caught.value.nearest[0] == nearest


@pytest.mark.slow
@given(
    st.text(max_size=30)
    | st.from_regex(r"(AP|ndcg|P|rbp|set_F)[._@(]?[a-z0-9.=,'()@-]*", fullmatch=True)
)
def test_parse_never_fails_in_another_way(text):
    try:
        result = parse(text)
    except ArgumentError:
        return
    assert isinstance(result, Measure)
    assert parse(str(result)) == result


def names(*asked, **options):
    return [str(measure) for measure in parse_measures(asked, **options)]


def test_one_name_many_names_and_none():
    assert [str(measure) for measure in parse_measures("map")] == ["AP"]
    assert names("map", "ndcg_cut_10") == ["AP", "nDCG@10"]
    assert [str(measure) for measure in parse_measures(None)] == list(DEFAULT_MEASURES)
    with pytest.raises(ArgumentError, match="no measure is named"):
        names()


def test_a_measure_named_twice():
    with pytest.raises(ArgumentError, match="measure AP is named twice"):
        names("AP", "map")
    with pytest.raises(ArgumentError, match=r"AP\(rel=2\) is named twice"):
        names("AP", "AP(rel=2)", rel=2)


@pytest.mark.parametrize("option", [{"rel": 0}, {"rel": -1.5}, {"interpolation": "8"}])
def test_option_without_a_meaning(option):
    with pytest.raises(ArgumentError, match=next(iter(option))):
        names("AP", **option)


def test_objects_of_ir_measures_are_taken_at_their_word() -> None:
    their = pytest.importorskip("ir_measures")
    qrels = [their.Qrel("1", f"d{i}", i % 3) for i in range(9)]
    run = [their.ScoredDoc("1", f"d{i}", 9.0 - i) for i in range(6)]
    for measure in (their.SetF(beta=0.5), their.SetF, their.ERR @ 5, their.nDCG @ 5):
        mean = abrank.evaluate(qrels, {"a": run}, measures=[measure]).means()[0, 0]
        assert mean == pytest.approx(their.calc_aggregate([measure], qrels, run)[measure], abs=1e-5)
    mine = their.define_byquery(lambda _, run: float(len(run)), name="Mine")
    with pytest.raises(ArgumentError, match=r"compare_scores\(ir_measures.iter_calc\(\[Mine\]"):
        abrank.evaluate(qrels, {"a": run}, measures=[mine])
    scores = [list(their.iter_calc([mine], qrels, part)) for part in (run, run[:2])]
    assert abrank.compare_scores(*scores).measures == ("Mine",)


def test_several_cut_offs_have_commas_between_them() -> None:
    for text in ("ndcg_cut.23.4", "P.5.10.20"):
        with pytest.raises(ArgumentError, match="cut-offs have commas between them: "):
            parse(text)
    assert str(parse("iprec_at_recall.0.5")) == "IPrec@0.5"


# Canonical name: what trec_eval prints for it (out.test.meas_params of its tests, and its help).
PRINTED = {
    "AP": "map", "AP@10": "map_cut_10", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10",
    "nDCG(gains={1:3,2:9,4:4.5})": "ndcg_1=3,2=9,4=4.5", "P@5": "P_5",
    "IPrec@0.1": "iprec_at_recall_0.10", "IPrec@1.0": "iprec_at_recall_1.00",
    "RprecMult(multiple=5)": "Rprec_mult_5.00", "AP11": "11pt_avg",
    "AP11(levels=[.25,.5,.75])": "11pt_avg_.25,.5,.75", "AP11(levels=[0,1])": "11pt_avg_0,1",
    "Utility": "utility", "Utility(relevant_retrieved=2)": "utility_2,-1,0,0", "SetF": "set_F",
    "SetF(beta=0.5)": "set_F_0.25", "SetP": "set_P", "SetP(relative=True)": "set_relative_P",
    "GMAP": "gm_map",
}  # fmt: skip
# Measures, or parameters, that trec_eval has no name for.
NOT_PRINTED = [
    "RR@10", "AP(rel=2)", "P(judged_only=True)@5", "nDCG(gains={1:3})@10", "nDCG(dcg='exp-log2')",
    "ERR", "RBP", "RBP(p=0.95)", "Judged@10", "SetP(relative=True,rel=2)",
    "Utility(others_missed=0.5,n_documents=100)",
]  # fmt: skip


def test_name_that_trec_eval_prints():
    assert {name: trec_eval_name(parse(name)) for name in PRINTED} == PRINTED
    assert [parse(name) for name in PRINTED.values()] == [parse(name) for name in PRINTED]


def test_what_trec_eval_has_no_name_for():
    assert [name for name in NOT_PRINTED if trec_eval_name(parse(name)) is not None] == []


def test_every_name_of_trec_eval_goes_there_and_back():
    for name in TREC_EVAL:
        result = expand(name)
        printed = [trec_eval_name(item) for item in result]
        assert [parse(item) for item in printed] == list(result)
        assert all(item == name or item.startswith(f"{name}_") for item in printed), name


def test_order_is_that_of_trec_eval_whatever_was_asked():
    requested = [
        "ERR", "success_10", "success_2", "P_10", "P_5", "Rprec_mult_2", "map_cut_5", "map",
    ]  # fmt: skip
    names = [item.name for item in sorted(map(parse, requested), key=trec_eval_order)]
    expected = ["AP", "P@5", "P@10", "RprecMult(multiple=2.0)", "AP@5", "Success@2", "Success@10"]
    assert names == [*expected, "ERR"]


def test_without_leaves_other_values_alone():
    assert without(parse("AP(rel=2)@10"), {"rel": 2, "depth": None}) == parse("AP@10")
    assert without(parse("AP(rel=2)@10"), {"rel": 3, "cutoff": 5}) == parse("AP(rel=2)@10")


def test_a_measure_that_is_there_is_known_by_any_name() -> None:
    assert known_among("ndcg_cut_10", ["AP", "nDCG@10"]) == "nDCG@10"
    assert known_among("ctr", ["AP", "CTR"]) == "CTR"
    assert known_among("F1", ["AP", "feedback.f1"]) == "feedback.f1"
    for name in ("tone/v1/score", "tone_score", "scores_Tone", "eval.tone.score"):
        assert known_among("tone", ["AP", name]) == name
