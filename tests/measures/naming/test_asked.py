from __future__ import annotations

import pytest

from abrank._support.errors import ArgumentError
from abrank.measures.naming.asked import DEFAULT_MEASURES, notes_on, parse_measures


def names(*asked, **options):
    return [str(each) for each in parse_measures(asked, **options)]


def test_one_name_many_names_and_none():
    assert [str(each) for each in parse_measures("map")] == ["AP"]
    assert names("map", "ndcg_cut_10") == ["AP", "nDCG@10"]
    assert [str(each) for each in parse_measures(None)] == list(DEFAULT_MEASURES)
    with pytest.raises(ArgumentError, match="no measure is named"):
        names()


def test_a_measure_named_twice():
    with pytest.raises(ArgumentError, match="measure AP is named twice"):
        names("AP", "map")
    with pytest.raises(ArgumentError, match=r"AP\(rel=2\) is named twice"):
        names("AP", "AP(rel=2)", rel=2)


def test_names_that_stand_for_several_add_what_is_not_there():
    parsed = names("P@10", "P", "success_1,5")
    assert parsed[:3] == ["P@10", "P@5", "P@15"]
    assert len(parsed) == 9 + 2
    assert names("all_trec", "official") == names("all_trec")


def test_options_pass_by_what_has_its_own_or_none():
    asked = ["AP", "AP(rel=3)", "nDCG", "NumRet", "IPrec@0.5", "Judged"]
    assert names(*asked, rel=2, interpolation="9") == [
        "AP(rel=2)", "AP(rel=3)", "nDCG", "NumRet", "IPrec(rel=2,interpolation='9')@0.5", "Judged",
    ]  # fmt: skip
    assert names("AP", "Judged", judged_only=True) == ["AP(judged_only=True)", "Judged"]


@pytest.mark.parametrize("option", [{"rel": 0}, {"rel": 1.5}, {"interpolation": "8"}])
def test_option_without_a_meaning(option):
    with pytest.raises(ArgumentError, match=next(iter(option))):
        names("AP", **option)


def test_notes():
    asked = ["recall", "map", "NumRet"]
    parsed = parse_measures(asked, rel=2, judged_only=True)
    assert notes_on(asked, parsed, rel=2, judged_only=True) == (
        "recall: trec_eval's 9 cut-offs, R@5 … R@1000",
        "rel=2 does not concern NumRet(judged_only=True)",
    )
    assert notes_on(None, parse_measures(None), rel=None, judged_only=False) == ()


class OfAnotherPackage:
    """A measure object of ir_measures or PyTerrier, which prints its name."""

    def __str__(self) -> str:
        return "nDCG(dcg='exp-log2')@10"


def test_measure_objects_of_other_packages_pass_as_they_are():
    theirs = OfAnotherPackage()
    assert parse_measures(theirs) == parse_measures([theirs]) == ("nDCG(dcg='exp-log2')@10",)
