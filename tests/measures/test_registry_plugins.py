"""Another package's entry point, in a folder on the path as an installed distribution has it."""

import sys

import pytest

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.measures import parse
from abrank.measures.registry import load_plugins

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
    made = parse("elsewhere@3")
    assert made.name == "Elsewhere@3"
    assert not made.entry.higher_is_better


def test_packages_are_asked_once(installed, monkeypatch):
    installed(MODULE, "other = other_package")
    with pytest.raises(UnknownNameError, match="did you mean Elsewhere"):
        parse("Elsewhre")
    monkeypatch.delitem(sys.modules, "other_package")  # a second import would take the name twice
    with pytest.raises(UnknownNameError):
        parse("Elsewhre")


def test_known_name_asks_no_package(installed):
    installed("raise ImportError('should not be imported')", "other = other_package")
    assert parse("AP").name == "AP"


def test_package_that_cannot_be_imported_is_named(installed):
    installed("import no_such_module", "other = other_package")
    with pytest.raises(
        ArgumentError, match=r"entry point .other = other_package. .*'no_such_module'"
    ):
        parse("Elsewhere")
