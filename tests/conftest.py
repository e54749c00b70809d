"""Data that several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

import abrank.measures.entries as entries
from abrank._support.registry import Registry

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real runs and judgments with gold answers; an optional folder beside the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the optional test data ../shared/data is not there")
    return SHARED_DATA


@pytest.fixture
def own_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue of measures as it is; what a test enters is gone after it."""
    copy: Registry[entries.Entry] = Registry("measure")
    for name, entry in entries.catalogue().items():
        copy.add(name, entry)
    monkeypatch.setattr(entries, "_MEASURES", copy)
    monkeypatch.setattr(entries, "_BY_FOLDED_NAME", dict(entries._BY_FOLDED_NAME))
