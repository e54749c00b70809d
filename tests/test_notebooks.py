"""Every notebook runs from top to bottom, and stores no output."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

# A last line such as "result.plot.forest()".
ENDS_IN_A_PLOT = re.compile(r"[\w.]+\.plot\.\w+\(.*\)$")
NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_stores_no_output(path) -> None:
    notebook = nbformat.read(path, as_version=4)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert codes
    assert all(not cell.outputs and cell.execution_count is None for cell in codes)


# What a kernel is given between two notebooks. Libraries stay loaded, which is most of its start;
# abrank does not, nor what a notebook defined, drew, registered in it or changed of its settings.
FRESH = """
%reset -f
import os, sys, warnings
import matplotlib.pyplot
matplotlib.pyplot.close("all")
matplotlib.rcdefaults()
kept = vars(sys).setdefault("filters_at_start", warnings.filters[:])
warnings.resetwarnings()
warnings.filters.extend(kept)
for name in [name for name in sys.modules if name.partition(".")[0] == "abrank"]:
    del sys.modules[name]
os.chdir({folder!r})
%reset -f
"""


@pytest.fixture(scope="module")
def kernel():
    """One kernel for the notebooks, which run in it one after the other."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel()


# The kernel's own start-up (a loop of tornado on some platforms) may warn; the cells may not.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, kernel) -> None:
    notebook = nbformat.read(path, as_version=4)
    for needed in notebook.metadata.get("abrank", {}).get("requires", ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FRESH.format(folder=str(tmp_path))))
    client = NotebookClient(notebook, km=kernel, timeout=None)  # however slow the machine
    try:
        client.execute()
    finally:
        client.kc.stop_channels()
    said = [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert said == []
    pictures = [
        [sorted(output.data) for output in cell.outputs if "data" in output]
        for cell in notebook.cells
        if cell.cell_type == "code" and ENDS_IN_A_PLOT.match(cell.source.splitlines()[-1])
    ]
    assert pictures
    assert all(shown == [["image/png", "text/html", "text/plain"]] for shown in pictures)
