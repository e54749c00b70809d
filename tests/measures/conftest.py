"""A catalogue that a test may add to."""

import pytest

import abrank.measures.entries as entries
from abrank._support.registry import Registry


@pytest.fixture
def own_catalogue(monkeypatch):
    """The catalogue as it is; what a test enters is gone after it."""
    copy = Registry("measure")
    for name, entry in entries.catalogue().items():
        copy.add(name, entry)
    monkeypatch.setattr(entries, "_MEASURES", copy)
    monkeypatch.setattr(entries, "_BY_FOLDED_NAME", dict(entries._BY_FOLDED_NAME))
