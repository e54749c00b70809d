"""Run every notebook and store what it shows: ``python notebooks/run.py [NAME ...]``."""

from __future__ import annotations

import copy
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))
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

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@contextmanager
def started() -> Iterator[KernelManager]:
    """Start a kernel for notebooks that run one after the other; it imports this tree."""
    manager = KernelManager(kernel_name="python3")
    paths = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    manager.start_kernel(env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    try:
        yield manager
    finally:
        manager.shutdown_kernel()


def executed(path: Path, folder: Path, kernel: KernelManager) -> nbformat.NotebookNode:
    """Return a notebook with the outputs that it has in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    about = copy.deepcopy(notebook.metadata)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FRESH.format(folder=str(folder))))
    client = NotebookClient(notebook, km=kernel, timeout=None, record_timing=False)
    try:
        client.execute()
    finally:
        client.kc.stop_channels()
    del notebook.cells[0]
    notebook.metadata = about  # a run adds the version of this Python
    for number, cell in enumerate(filter(is_code, notebook.cells), 1):
        cell.execution_count = number
        cell.outputs = [_kept(output, number) for output in _joined(cell.outputs)]
    return notebook


def is_code(cell: Any) -> bool:
    """Whether a cell holds code."""
    return bool(cell.cell_type == "code")


def _joined(outputs: list[Any]) -> list[Any]:
    """Return outputs with a stream that a slow machine sent in pieces as one."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def _kept(output: Any, number: int) -> Any:
    """Return an output as it is stored: a picture as PNG alone, which every viewer shows."""
    if "execution_count" in output:
        output.execution_count = number
    data = output.get("data", {})
    if "image/png" in data:
        data.pop("text/html", None)
    if "text/plain" in data:
        data["text/plain"] = _ADDRESS.sub("", data["text/plain"])
    output.get("metadata", {}).clear()
    return output


if __name__ == "__main__":
    chosen = [path for path in NOTEBOOKS if not sys.argv[1:] or path.stem in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder, started() as kernel:
        for path in chosen:
            empty = Path(folder) / path.stem
            empty.mkdir()
            nbformat.write(executed(path, empty, kernel), path)
            print(f"{path.name:50} {path.stat().st_size / 1000:6.0f} kB")
