"""Every notebook runs from top to bottom, and stores no output."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
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


# The kernel's own start-up (a loop of tornado on some platforms) may warn; the cells may not.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path) -> None:
    notebook = nbformat.read(path, as_version=4)
    for needed in notebook.metadata.get("abrank", {}).get("requires", ()):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    NotebookClient(
        notebook,
        timeout=None,  # however slow the machine
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
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
