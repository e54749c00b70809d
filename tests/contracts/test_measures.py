"""What every measure of the catalogue keeps, whoever adds it.

Each test runs over the whole catalogue, every measure with its required parameters and with each
parameter set once. Where a property is no theorem for a measure, a set below names it and says why.
"""

import inspect
import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank.inputs.judged import JudgedRun
from abrank.measures import catalogue, parse

HEADINGS = ["Parameters", "Returns", "Raises", "Notes", "References", "Examples"]
HIGHEST = 4
VALUES = {
    "cutoff": (1, 3), "rel": (2,), "max_grade": (HIGHEST,), "min_rel": (1,), "max_rel": (HIGHEST,),
    "gains": ({1: 0.5, 3: 3.5},), "recall": (0.0, 0.5), "levels": ((0.25, 0.75),),
    "multiple": (2.0, 1.0), "threshold": (-3.0,), "p": (0.5,), "T": (2.0,), "alpha": (0.0, 0.3),
    "beta": (0.5,), "relevant_retrieved": (3.0,), "others_retrieved": (-2.0,),
    "relevant_missed": (-1.0,), "others_missed": (0.0,), "n_documents": (100,),
}  # fmt: skip

# Values of a query for which nothing was retrieved, where that is not 0.
EMPTY = {
    "GMAP": lambda _: math.log(1e-5), "GMBpref": lambda _: math.log(1e-5), "NumQ": lambda _: 1.0,
    "RBPResid": lambda _: 1.0, "yaap": lambda n_relevant: -math.log(1 + n_relevant),
}  # fmt: skip
# What asks nothing of the run.
OF_THE_JUDGMENTS = {"IDCG", "NumRel"}
# What asks about judgments or documents of all kinds, so that a ranking without a relevant document
# does not give 0.
NOT_ONLY_RELEVANT = {
    "ACC", "FPR", "Judged", "NumNonrelJudgedRet", "NumQ", "NumRet", "RBPResid", "Unj", "Utility",
}  # fmt: skip
# Values of the ideal ranking, where that is not 1.
IDEAL = dict.fromkeys(["FPR", "GMAP", "GMBpref", "NumNonrelJudgedRet", "Unj"], 0.0)
# Above 0 and at most 1: a reader of the model stops with a probability below 1 at every document,
# or looks at ranks that no ranking fills; infAP takes every document of the pool for a little less
# than relevant.
IDEAL_UP_TO_1 = {
    *("BPM", "Cascade", "ERR", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "NRBP"),
    *("RBP", "SDCG", "infAP"),
}
# Sums of gains, numbers of documents, log-odds, what is left open, and agreement in all ties: no
# share of the best.
NOT_NORMALISED = {
    *("CG", "DCG", "Hits", "IDCG", "KendallTau", "NumRel", "NumRelRet", "NumRet", "RBPResid"),
    *("Utility", "yaap"),
}
# The scale is the highest grade of all queries unless it is given.
ACROSS_QUERIES = {"Cascade", "ERR", "nERR"}
# Where it may hurt that the better of two neighbours goes first: whether it is a theorem that it
# does not, by the grade of the other one and the cut-off. infAP expects more precision below a
# document that was pooled and not sampled. G discounts a gain by what came before it, and so by a
# lesser gain less. A refused document in the place of an unjudged one, or above a threshold of
# score where unjudged ones leave the ranking, is a false positive more. A relevant document that
# enters the cut-off brings pairs of its own into Accuracy. A reader of BPM who is content sooner
# stops sooner, at whatever rate of gain (0, 3, 4 of 4: 7/12, and 0, 4, 3: 1/2).
PROMOTED = {
    "infAP": lambda above, _: above is None or above >= 0,
    "G": lambda above, _: above is None or above <= 0,
    "ACC": lambda above, _: above is not None and above >= 0,
    "FPR": lambda above, _: above is not None and above >= 0,
    "PPV": lambda above, _: above is not None and above >= 0,
    "Accuracy": lambda _, cutoff: cutoff is None,
    "BPM": lambda *_: False,
}


def variants(entry):
    """The measure with its required parameters only, and with each parameter set once."""
    required = {p.name: VALUES[p.name][-1] for p in entry.parameters if p.required}
    result = [entry.with_parameters(required)]
    for parameter in entry.parameters:
        flags = (not parameter.default,) if parameter.kinds == (bool,) else ()
        for value in parameter.choices or flags or VALUES[parameter.name]:
            result.append(entry.with_parameters(required | {parameter.name: value}))
    return list(dict.fromkeys(result))


MEASURES = [variant for entry in catalogue().values() for variant in variants(entry)]
ENTRIES = [pytest.param(entry, id=name) for name, entry in catalogue().items()]
RANKING = st.lists(st.none() | st.integers(-2, HIGHEST), max_size=10)
POOL = st.lists(st.integers(-2, HIGHEST), max_size=5)
QUERIES = st.lists(st.tuples(RANKING, POOL), min_size=1, max_size=5)

quick = settings(max_examples=25)


def judged_run(queries):
    """From (ranking, judged but not retrieved) pairs; its arrays refuse to be written on.

    All documents are judged for the one subtopic of their query.
    """

    def by_subtopic(grades):
        return [None if grade is None else {"1": grade} for grade in grades]

    judged = JudgedRun.from_subtopics(
        [by_subtopic(ranking) for ranking, _ in queries],
        missed=[by_subtopic(missed) for _, missed in queries],
    )
    for name in ("query", "rank", "grade", "n_retrieved", "ideal_query", "ideal_grade"):
        getattr(judged, name).flags.writeable = False
    return judged


def broken_by(holds, measures=MEASURES):
    """Names of the measures that do not keep a property, so that a failure names them all."""
    return [measure.name for measure in measures if not holds(measure)]


def apart_from(names):
    return [measure for measure in MEASURES if measure.entry.name not in names]


def option(measure, name):
    """The value of a parameter, given or by default; None where the measure has none such."""
    default = {p.name: p.default for p in measure.entry.parameters}.get(name)
    return dict(measure.parameters).get(name, default)


@pytest.mark.slow
@quick
@given(queries=QUERIES)
def test_one_finite_value_within_the_bounds_for_each_query(queries):
    judged = judged_run(queries)

    def holds(measure):
        values = measure(judged)
        low, high = measure.entry.bounds
        return (
            values.shape == (len(queries),)
            and values.dtype == np.float64
            and np.isfinite(values).all()
            and ((values >= low - 1e-12) & (values <= high + 1e-12)).all()
        )

    assert broken_by(holds) == []


# Rankings, and what is judged beside them, whose values reach the bounds.
EXTREMES = [
    ([], []), ([], [1, 2, 3]), ([0, 0, 0], [3]), ([None, None], [2]), ([-1, 0, 3], []), ([3], []),
    ([3, 3, 3], []), ([3, 2, 1, 0], []), ([0] * 10, [3] * 5), ([3] * 10, []), ([0, 1, 2, 3], [0]),
    ([-2, -1, 0], [1]), ([None] * 10, []),
]  # fmt: skip
# Above the ideal ranking, as that is found greedily.
ABOVE_IDEAL = {"alpha_nDCG", "nERR_IA", "nNRBP"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_bound_is_reached_or_said_to_be_out_of_reach(entry):
    judged = judged_run(EXTREMES)
    values = np.concatenate([variant(judged) for variant in variants(entry)])
    low, high = entry.bounds
    assert low == -math.inf or values.min() == pytest.approx(low, abs=1e-3)  # of 10 ranks
    if entry.name not in IDEAL_UP_TO_1 | ABOVE_IDEAL:
        assert high == math.inf or values.max() == pytest.approx(high)


@pytest.mark.slow
@quick
@given(pool=POOL)
def test_empty_ranking_gives_the_value_declared(pool):
    judged = judged_run([([], pool), ([1], [])])

    def holds(measure):
        n_relevant = judged.n_relevant(rel=option(measure, "rel") or 1)[0]
        expected = EMPTY.get(measure.entry.name, lambda _: 0.0)(n_relevant)
        return measure(judged)[0] == pytest.approx(expected, abs=1e-15)

    assert broken_by(holds, apart_from(OF_THE_JUDGMENTS)) == []


@pytest.mark.slow
@quick
@given(ranking=st.lists(st.none() | st.integers(-2, 0), max_size=10))
def test_nothing_relevant_gives_zero_or_as_an_empty_ranking(ranking):
    judged, empty = judged_run([(ranking, [])]), judged_run([([], [0])])

    def holds(measure):
        return measure(judged).tolist() == measure(empty).tolist()

    assert broken_by(holds, apart_from(NOT_ONLY_RELEVANT)) == []


@pytest.mark.slow
@quick
@given(
    best=st.lists(st.integers(2, HIGHEST), min_size=3, max_size=3),
    refused=st.lists(st.integers(-2, 0), max_size=4),
)
def test_ideal_ranking_gives_one_where_normalised(best, refused):
    judged = judged_run([(sorted(best, reverse=True), refused)])

    def holds(measure):
        value = measure(judged)[0]
        if measure.entry.name in IDEAL_UP_TO_1:
            return 0.0 < value <= 1.0 + 1e-12
        return value == pytest.approx(IDEAL.get(measure.entry.name, 1.0), abs=1e-12)

    # A cut-off below the number of relevant documents cannot find them all, and precision is below
    # 1 beyond it.
    normalised = [
        measure
        for measure in apart_from(NOT_NORMALISED)
        if (option(measure, "cutoff") or 3) >= 3 and (option(measure, "multiple") or 1.0) == 1.0
    ]
    assert broken_by(holds, normalised) == []


@pytest.mark.slow
@quick
@given(queries=QUERIES)
def test_nothing_below_the_cutoff_matters(queries):
    def holds(measure):
        cutoff = option(measure, "cutoff")
        cut = []
        for ranking, missed in queries:
            below = [grade for grade in ranking[cutoff:] if grade is not None]
            cut.append((ranking[:cutoff], missed + below))
        return measure(judged_run(cut)).tolist() == measure(whole).tolist()

    # Where unjudged documents leave the ranking, others come up to the cut-off.
    whole = judged_run(queries)
    with_cutoff = [m for m in MEASURES if option(m, "cutoff") and not option(m, "judged_only")]
    assert broken_by(holds, with_cutoff) == []


@quick
@given(queries=QUERIES)
def test_what_asks_nothing_of_the_run_is_the_same_for_every_run(queries):
    judged = judged_run(queries)
    pools = [[*(g for g in ranking if g is not None), *missed] for ranking, missed in queries]
    empty = judged_run([([], pool) for pool in pools])
    of_the_judgments = [m for m in MEASURES if m.entry.name in OF_THE_JUDGMENTS]
    assert broken_by(lambda m: m(judged).tolist() == m(empty).tolist(), of_the_judgments) == []


@pytest.mark.slow
@quick
@given(ranking=RANKING, missed=POOL)
def test_promoting_the_better_of_two_neighbours_never_hurts(ranking, missed):
    # Bpref: the promoted document has one refused document fewer above it, and no other has one
    # more. Judged: a judged document may enter the cut-off, none leaves it. (Neither would hold for
    # adding a document on top.)
    pairs = [
        (i, above, below)
        for i, (above, below) in enumerate(itertools.pairwise(ranking))
        if below is not None and (above is None or above < below)
    ]
    # The ranking as it is, and with each such pair exchanged.
    exchanged = [[*ranking[:i], below, above, *ranking[i + 2 :]] for i, above, below in pairs]
    judged = judged_run([(first, missed) for first in (ranking, *exchanged)])

    def holds(measure):
        values = measure(judged) * (1 if measure.entry.higher_is_better else -1)
        theorem = PROMOTED.get(measure.entry.name, lambda *_: True)
        theorems = [theorem(above, option(measure, "cutoff")) for _, above, _ in pairs]
        return (values[1:][theorems] >= values[0] - 1e-12).all()

    assert broken_by(holds) == []


@pytest.mark.slow
@settings(max_examples=10)
@given(queries=QUERIES)
def test_value_of_a_query_does_not_depend_on_the_other_queries(queries):
    together, alone = judged_run(queries), [judged_run([query]) for query in queries]

    def holds(measure):
        if measure.entry.name in ACROSS_QUERIES:
            arguments = {**dict(measure.parameters), "max_grade": HIGHEST}
            measure = measure.entry.with_parameters(arguments)
        return measure(together).tolist() == [measure(first)[0] for first in alone]

    assert broken_by(holds) == []


def test_no_queries_give_no_values():
    none = judged_run([])
    assert broken_by(lambda measure: measure(none).shape == (0,)) == []


def test_name_parses_back():
    def holds(measure):
        again = parse(str(measure))
        return again == measure and again.name == measure.name and hash(again) == hash(measure)

    assert broken_by(holds) == []


@pytest.mark.parametrize("entry", ENTRIES)
def test_aliases_mean_the_same_measure(entry):
    required = {p.name: VALUES[p.name][-1] for p in entry.parameters if p.required}
    inside = ",".join(f"{name}={value}" for name, value in required.items())
    for alias in entry.aliases:
        assert parse(f"{alias}({inside})") == entry.with_parameters(required)


@pytest.mark.parametrize("entry", ENTRIES)
def test_everything_after_the_run_is_keyword_only(entry):
    first, *rest = inspect.signature(entry.function).parameters.values()
    assert first.name == "judged"
    assert all(second.kind is inspect.Parameter.KEYWORD_ONLY for second in rest)
    # The catalogue adds ``judged_only`` to the measures for which it has a meaning.
    names = [p.name for p in entry.parameters if p.name != "judged_only"]
    assert [second.name for second in rest] == names


@pytest.mark.parametrize("entry", ENTRIES)
def test_docstring_has_its_headings_in_order(entry):
    doc = inspect.getdoc(entry.function) or ""
    assert entry.definition.endswith(".")
    names = [p.name for p in entry.parameters if p.name != "judged_only"]
    headings = re.findall(r"^(\w+)\n-{3,}$", doc, flags=re.MULTILINE)
    # A function without a parameter has nothing to refuse.
    assert headings == HEADINGS or (
        not names and headings == [h for h in HEADINGS if h != "Raises"]
    )
    assert "float64[n_queries]" in doc
    assert ">>> " in doc
    for name in names:
        assert re.search(rf"^{name} : ", doc, flags=re.MULTILINE), name


@pytest.mark.parametrize("entry", ENTRIES)
def test_docstring_says_what_a_query_without_anything_gives(entry):
    doc = inspect.getdoc(entry.function) or ""
    returns = re.split(r"\nReturns\n-+", doc)[1].split("\n---")[0]
    match = re.search(r"(\b[01]|\(1e-5\)|ln\(1 \+ R\)),? where\b", returns)
    assert match, 'the second paragraph says "0 where ...", or the value that it is'


@pytest.mark.parametrize("entry", ENTRIES)
def test_source_is_cited(entry):
    doc = inspect.getdoc(entry.function) or ""
    references = re.split(r"References\n-+", doc)[1].split("Examples\n")[0]
    named = re.findall(r"m_\w+\.c|\b\w+\.(?:pl|py)\b|\b(?:19|20)\d\d\b", entry.source)
    assert named
    for name in named:
        assert name in references
