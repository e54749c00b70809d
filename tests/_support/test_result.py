from __future__ import annotations

import pydoc

import pytest

from abrank import ArgumentError, CollectionsComparison, Comparison, Ranking
from abrank._support.result import Result


@pytest.mark.parametrize("kind", [Comparison, Ranking, CollectionsComparison])
def test_each_result_documents_what_all_of_them_offer(kind: type[Result]) -> None:
    help_text = pydoc.plaintext.document(kind)
    inherited = help_text.partition("inherited from")[2]
    for name in ("to_dict", "from_json", "report", "plot"):
        assert name in vars(kind)
        assert f"{name}(" not in inherited
    assert "A format alone, such as ``html``" in help_text


def test_results_of_two_kinds_are_not_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    class One(Result): ...

    class Other(Result): ...

    with pytest.raises(ArgumentError, match="a One is not written in this format"):
        One().to_dict()
    monkeypatch.setattr(Result, "to_dict", lambda self: {"kind": "any"})
    for kind in (One, Other):
        monkeypatch.setattr(kind, "to_dict", Result.to_dict)
    assert One() == One()
    assert One() != Other()
    with pytest.raises(TypeError, match="unhashable"):
        hash(One())
