"""The catalogue: entries, parameters, docstrings, plugins."""

import copy
import pickle
import sys
from types import NoneType
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abrank.measures.registry
from abrank._support.errors import ArgumentError
from abrank._support.registry import Registry
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures import Measure, catalogue, definitions, measure, parse
from abrank.measures.registry import (
    Gains,
    MeasureEntry,
    Parameter,
    complete,
    literal,
    load_plugins,
    read_literal,
)


@pytest.fixture
def empty_catalogue(monkeypatch):
    monkeypatch.setattr(abrank.measures.registry, "_MEASURES", Registry("measure"))
    monkeypatch.setattr(abrank.measures.registry, "_BY_FOLDED_NAME", {})


def depth(
    judged: JudgedRun,
    *,
    cutoff: int | None = None,
    scale: float = 1.0,
    unit: Literal["ranks", "pages"] = "ranks",
    doubled: bool = False,
    label: str = "",
) -> FloatArray:
    """Depth: retrieved documents.

    More.
    """
    counted = judged.n_retrieved if cutoff is None else np.minimum(judged.n_retrieved, cutoff)
    return scale * counted


def rate(judged: JudgedRun, *, base: int) -> FloatArray:
    return judged.n_retrieved / base


def enter(function=depth, name="Depth", **options):
    return measure(name, **{"bounds": (0, 100), "source": "none"} | options)(function)


def test_entry_reads_signature_and_docstring(empty_catalogue):
    enter(aliases=("Length",), discrete=True)
    entry = catalogue()["Depth"]
    assert entry.definition == "Depth: retrieved documents."
    assert (entry.bounds, entry.source, entry.aliases) == ((0, 100), "none", ("Length",))
    assert entry.discrete
    defaults = {parameter.name: parameter.default for parameter in entry.parameters}
    assert defaults == {
        "cutoff": None, "scale": 1.0, "unit": "ranks", "doubled": False, "label": "",
        "judged_only": False,
    }  # fmt: skip
    assert entry.parameter("unit").choices == ("ranks", "pages")


def test_new_measure_is_parsed_called_and_named(empty_catalogue):
    enter(aliases=("Length",))
    result = parse("length(scale=2,label='it is')@3")
    assert result.name == "Depth(scale=2.0,label='it is')@3"
    assert parse(result.name) == result
    assert result(JudgedRun.from_grades([[0] * 5, [0]])).tolist() == [6.0, 2.0]


@pytest.mark.parametrize("names", [["Depth"], ["DEPTH"], ["Other", "depth"], ["Other", "length"]])
def test_second_measure_of_a_name_is_refused(empty_catalogue, names):
    enter(aliases=("Length",))
    with pytest.raises(ArgumentError, match="is taken by Depth"):
        enter(rate, names[0], aliases=tuple(names[1:]))
    assert list(catalogue()) == ["Depth"]


@pytest.mark.parametrize("name", ["", "two words", "1st", "a@b", "a(b)", "a-b"])
def test_name_that_the_grammar_cannot_read_is_refused(empty_catalogue, name):
    with pytest.raises(ArgumentError, match="is no name for a measure"):
        enter(name=name)


def test_name_with_a_number_goes_before_a_number_behind_a_name(empty_catalogue):
    enter()
    enter(name="Depth_10")
    assert (parse("depth_10").entry.name, parse("depth_11").name) == ("Depth_10", "Depth@11")


@pytest.mark.every_case
@pytest.mark.parametrize(("name", "value", "message"), [
    ("cutoff", "x", "cutoff must be a whole number, not 'x'"),
    ("cutoff", 1.5, r"cutoff must be a whole number, not 1\.5"),
    ("cutoff", True, "cutoff must be a whole number, not True"),
    ("scale", "x", "scale must be a number, not 'x'"),
    ("scale", None, "scale must be a number, not None"),
    ("unit", "pagse", "did you mean pages"),
    ("unit", 3, "choices: ranks, pages"),
    ("doubled", 1, "doubled must be True or False, not 1"),
    ("label", 1, "label must be text, not 1"),
])  # fmt: skip
def test_value_of_the_wrong_type(empty_catalogue, name, value, message):
    enter()
    with pytest.raises(ArgumentError, match=message):
        catalogue()["Depth"].with_parameters({name: value})


def test_missing_parameter_is_named(empty_catalogue):
    enter(rate, "Rate")
    with pytest.raises(ArgumentError, match=r"Rate needs base: Rate\(base=\.\.\.\)"):
        parse("Rate")


@pytest.mark.parametrize("values", [np.zeros(3), np.array([np.nan, 0]), np.array([np.inf, 0])])
def test_function_that_breaks_the_contract_is_refused(empty_catalogue, values):
    def broken(judged: JudgedRun) -> FloatArray:
        return values if judged.n_queries == 2 else np.zeros(1)

    enter(broken, "Broken")
    with pytest.raises(ArgumentError, match="Broken must give one finite value for each query"):
        parse("Broken")(JudgedRun.from_grades([[1], [1]]))


def test_measure_survives_pickling():
    result = parse("nDCG(dcg='exp-log2')@10")
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    judged = JudgedRun.from_grades([[0, 1]])
    assert again(judged) == result(judged)


def test_a_measure_is_its_name_and_knows_what_it_means():
    result = parse("map-l2")
    assert (result, {result: 1}["AP(rel=2)"]) == ("AP(rel=2)", 1)
    assert copy.deepcopy(result) is result
    assert type(result.name) is str


def test_a_name_is_parsed_once_and_never_for_a_report(monkeypatch):
    collection = abrank.simulate_runs(12, rng=3)
    result = abrank.compare(collection.qrels, collection.baseline, collection.candidate)
    read = []
    bound = MeasureEntry.with_parameters
    monkeypatch.setattr(
        MeasureEntry, "with_parameters", lambda *given: read.append(given) or bound(*given)
    )
    result.to_dict()
    str(result)
    assert all(isinstance(name, Measure) for name in result.measures)
    assert read == []


def test_a_frame_indexed_by_a_measure_is_told_its_name() -> None:
    frame = pd.DataFrame({"AP": [0.5]})
    with pytest.raises(ArgumentError, match=r'as the name of a column write frame\["AP"\]'):
        frame[parse("map")]
    assert frame[parse("map").name].tolist() == [0.5]


@given(st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value):
    assert read_literal(literal(value)) == value


@pytest.mark.every_case
@pytest.mark.parametrize("value", [{}, {"a": 1}, {1: "x"}, [1], "x", 3, [(1, 2)]])
def test_what_is_no_gain(value):
    parameter = Parameter("gains", (Gains, NoneType), (), None, required=False)
    with pytest.raises(ArgumentError, match="gains must be gains by grade"):
        parameter.conform(value)


def test_every_family_that_is_named_is_there() -> None:
    assert all(hasattr(definitions, name) for name in definitions.__all__)


@pytest.mark.parametrize("name", ["AP", "nDCG", "ERR", "alpha_nDCG"])
def test_a_docstring_that_is_complete_stays_as_it_is(name) -> None:
    """A package imported again, in a process that goes on, completes nothing twice."""
    entry = catalogue()[name]
    assert "\nReturns\n-------\n" in entry.function.__doc__
    assert complete(entry) == entry.function.__doc__


MODULE = """
import numpy as np
from abrank import measure

@measure("Elsewhere", higher_is_better=False)
def elsewhere(judged, *, cutoff=None):
    '''Half a point, wherever.'''
    return np.full(judged.n_queries, 0.5)
"""


@pytest.fixture
def installed(tmp_path, monkeypatch, own_catalogue):
    """Install a distribution with these entry points; they are looked for anew."""

    def install(module: str, entry_point: str) -> None:
        (tmp_path / "other_package.py").write_text(module)
        info = tmp_path / "other_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[abrank.measures]\n{entry_point}\n")
        monkeypatch.syspath_prepend(tmp_path)
        load_plugins.cache_clear()

    yield install
    sys.modules.pop("other_package", None)
    load_plugins.cache_clear()


def test_measure_of_another_package_is_found_by_its_name(installed):
    installed(MODULE, "other = other_package")
    result = parse("elsewhere@3")
    assert result.name == "Elsewhere@3"
    assert not result.entry.higher_is_better


def test_package_that_cannot_be_imported_is_named(installed):
    installed("import no_such_module", "other = other_package")
    with pytest.raises(
        ArgumentError, match=r"entry point .other = other_package. .*'no_such_module'"
    ):
        parse("Elsewhere")
