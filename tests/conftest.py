"""Data that several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real runs and judgments with gold answers; an optional folder beside the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the optional test data ../shared/data is not there")
    return SHARED_DATA
