"""What every measure of the catalogue keeps, whoever adds it."""

import inspect
import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank.inputs.judged import JudgedRun
from abrank.measures import catalogue, parse

HEADINGS = ["Parameters", "Returns", "Raises", "Notes", "References", "Examples"]
VALUES = {
    "cutoff": (1, 3),
    "rel": (2,),
    "max_grade": (4,),
    "p": (0.5,),
    "alpha": (0.0, 0.3),
    "beta": (0.5,),
    "judged_only": (True,),
}
HIGHEST = 4

# A reader of the model stops with a probability below 1 at every document, so the ideal ranking
# stays below 1.
USER_MODELS = {"ERR", "RBP", "NRBP"}
# The scale of ERR is the highest grade of all queries unless it is given.
ACROSS_QUERIES = {"ERR"}


def variants(entry):
    """The measure with its required parameters only, and with each parameter set once."""
    required = {p.name: VALUES[p.name][-1] for p in entry.parameters if p.required}
    made = [entry.with_parameters(required)]
    for parameter in entry.parameters:
        for value in parameter.choices or VALUES[parameter.name]:
            made.append(entry.with_parameters(required | {parameter.name: value}))
    return list(dict.fromkeys(made))


ENTRIES = [pytest.param(entry, id=name) for name, entry in catalogue().items()]
MEASURES = [
    pytest.param(measure, id=measure.name)
    for entry in catalogue().values()
    for measure in variants(entry)
]
RANKING = st.lists(st.none() | st.integers(-2, HIGHEST), max_size=10)
POOL = st.lists(st.integers(-2, HIGHEST), max_size=5)
QUERIES = st.lists(st.tuples(RANKING, POOL), min_size=1, max_size=5)

quick = settings(max_examples=40, deadline=None)


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


@pytest.mark.parametrize("entry", ENTRIES)
@quick
@given(queries=QUERIES)
def test_one_finite_value_within_the_bounds_for_each_query(entry, queries):
    judged = judged_run(queries)
    low, high = entry.bounds
    for measure in variants(entry):
        values = measure(judged)
        assert values.shape == (len(queries),)
        assert values.dtype == np.float64
        assert np.isfinite(values).all()
        assert ((values >= low) & (values <= high + 1e-12)).all()


@pytest.mark.parametrize("entry", ENTRIES)
@quick
@given(pool=POOL)
def test_empty_ranking_gives_zero(entry, pool):
    judged = judged_run([([], pool), ([1], [])])
    assert [measure(judged)[0] for measure in variants(entry)] == [0.0] * len(variants(entry))


# Judged asks who was judged, not what was found.
@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry.id != "Judged"])
@quick
@given(ranking=st.lists(st.none() | st.integers(-2, 0), max_size=10))
def test_nothing_relevant_gives_zero(entry, ranking):
    judged = judged_run([(ranking, [])])
    assert [measure(judged)[0] for measure in variants(entry)] == [0.0] * len(variants(entry))


@pytest.mark.parametrize("entry", ENTRIES)
@quick
@given(
    best=st.lists(st.integers(2, HIGHEST), min_size=3, max_size=3),
    refused=st.lists(st.integers(-2, 0), max_size=4),
)
def test_ideal_ranking_gives_one(entry, best, refused):
    judged = judged_run([(sorted(best, reverse=True), refused)])
    for measure in variants(entry):
        if dict(measure.parameters).get("cutoff", 3) < 3:
            continue  # a cut-off below the number of relevant documents: recall cannot be 1
        if entry.name in USER_MODELS:
            assert 0.0 < measure(judged)[0] < 1.0
        else:
            assert measure(judged).tolist() == [1.0]


@pytest.mark.parametrize("measure", [m for m in MEASURES if "@" in m.id])
@quick
@given(queries=QUERIES)
def test_nothing_below_the_cutoff_matters(measure, queries):
    cutoff = dict(measure.parameters)["cutoff"]
    cut = []
    for ranking, missed in queries:
        below = [grade for grade in ranking[cutoff:] if grade is not None]
        cut.append((ranking[:cutoff], missed + below))
    assert measure(judged_run(cut)).tolist() == measure(judged_run(queries)).tolist()


@pytest.mark.parametrize("entry", ENTRIES)
@quick
@given(ranking=RANKING, missed=POOL)
def test_promoting_the_better_of_two_neighbours_never_hurts(entry, ranking, missed):
    # A theorem for all of them. Bpref: the promoted document has one refused document fewer above
    # it, and no other has one more. Judged: a judged document may enter the cut-off, none leaves
    # it. (Neither would hold for adding a document on top.)
    better = [
        i
        for i, (above, below) in enumerate(itertools.pairwise(ranking))
        if below is not None and (above is None or above < below)
    ]
    # The ranking as it is, and with each such pair exchanged.
    rankings = [ranking] + [
        [*ranking[:i], ranking[i + 1], ranking[i], *ranking[i + 2 :]] for i in better
    ]
    judged = judged_run([(one, missed) for one in rankings])
    for measure in variants(entry):
        values = measure(judged)
        assert (values >= values[0] - 1e-12).all()


@pytest.mark.parametrize("measure", MEASURES)
@quick
@given(queries=QUERIES)
def test_value_of_a_query_does_not_depend_on_the_other_queries(measure, queries):
    if measure.entry.name in ACROSS_QUERIES:
        measure = measure.entry.with_parameters({**dict(measure.parameters), "max_grade": HIGHEST})
    alone = [measure(judged_run([query]))[0] for query in queries]
    assert measure(judged_run(queries)).tolist() == alone


@pytest.mark.parametrize("measure", MEASURES)
def test_no_queries_give_no_values(measure):
    assert measure(judged_run([])).shape == (0,)


@pytest.mark.parametrize("measure", MEASURES)
def test_name_parses_back(measure):
    assert parse(str(measure)) == measure
    assert parse(str(measure)).name == measure.name
    assert hash(parse(str(measure))) == hash(measure)


@pytest.mark.parametrize("entry", ENTRIES)
def test_aliases_mean_the_same_measure(entry):
    at = "@3" if any(p.name == "cutoff" for p in entry.parameters) else ""
    for alias in entry.aliases:
        assert parse(alias + at) == parse(entry.name + at)


@pytest.mark.parametrize("entry", ENTRIES)
def test_everything_after_the_run_is_keyword_only(entry):
    first, *others = inspect.signature(entry.function).parameters.values()
    assert first.name == "judged"
    assert all(other.kind is inspect.Parameter.KEYWORD_ONLY for other in others)
    assert [other.name for other in others] == [p.name for p in entry.parameters]


@pytest.mark.parametrize("entry", ENTRIES)
def test_docstring_has_its_headings_in_order(entry):
    doc = inspect.getdoc(entry.function) or ""
    assert entry.definition.endswith(".")
    assert re.findall(r"^(\w+)\n-{3,}$", doc, flags=re.MULTILINE) == HEADINGS
    assert "float64[n_queries]" in doc
    assert ">>> " in doc
    for parameter in entry.parameters:
        assert re.search(rf"^{parameter.name} : ", doc, flags=re.MULTILINE)


@pytest.mark.parametrize("entry", ENTRIES)
def test_docstring_says_what_a_query_without_anything_gives(entry):
    returns = (inspect.getdoc(entry.function) or "").split("Returns\n")[1].split("Raises\n")[0]
    assert re.search(r"\b0 where\b", returns)


@pytest.mark.parametrize("entry", ENTRIES)
def test_source_is_cited(entry):
    doc = inspect.getdoc(entry.function) or ""
    references = re.split(r"References\n-+", doc)[1].split("Examples\n")[0]
    named = re.findall(r"m_\w+\.c|\b\w+\.(?:pl|py)\b|\b(?:19|20)\d\d\b", entry.source)
    assert named
    for name in named:
        assert name in references
