"""Populations of simulated runs that take no time."""

import numpy as np
import pytest

from reports.studies.calibration import sources


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(sources, "SIMULATED_QUERIES", 40)
    monkeypatch.setattr(sources, "EFFECTS", np.array([0.0, 0.03, 0.05, 0.08, 0.1]))
