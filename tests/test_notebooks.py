"""Every notebook runs from top to bottom, and stores what it shows."""

import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
# A last line such as "result.plot.forest()".
ENDS_IN_A_PLOT = re.compile(r"[\w.]+\.plot\.\w+\(.*\)$")
PICTURE = ["image/png", "text/plain"]


def outputs(cell) -> list[tuple[str, list[str]]]:
    return [(output["output_type"], sorted(output.get("data", ()))) for output in cell["outputs"]]


def texts(cell) -> list[str]:
    visible = [
        output.get("text") or output.get("data", {}).get("text/plain") for output in cell["outputs"]
    ]
    return [" ".join("".join(item).split()) for item in visible if item]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_stores_what_it_shows_and_says_what_it_needs(path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in codes] == list(range(1, len(codes) + 1))
    assert path.stat().st_size < 1_000_000
    assert "**Needs** `pip install .` and Jupyter" in "".join(cells[0]["source"])
    pictures = [outputs(cell) for cell in codes if ENDS_IN_A_PLOT.match(cell["source"][-1])]
    assert pictures
    assert all(picture[-1] == ("execute_result", PICTURE) for picture in pictures)
    everything = [output for cell in codes for output in cell["outputs"]]
    assert not [
        item
        for item in everything
        if item["output_type"] == "error" or item.get("name") == "stderr"
    ]
    assert re.search(r"/tmp/|0x[0-9a-f]{6}|/home/|/root/", path.read_text("utf-8")) is None


@pytest.fixture(scope="module")
def kernel():
    """One kernel for the notebooks, which run in it one after the other."""
    pytest.importorskip("nbclient", reason="pip install '.[docs]'")
    from notebooks.run import started

    with started() as manager:
        yield manager


# The kernel's own start-up (a loop of tornado on some platforms) may warn; the cells may not.
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_shows_what_it_stores(path: Path, tmp_path, kernel) -> None:
    import nbformat

    from notebooks.run import executed, is_code

    stored, again = nbformat.read(path, as_version=4), executed(path, tmp_path, kernel)
    nbformat.validate(stored)
    for before, after in zip(stored.cells, again.cells, strict=True):
        if not is_code(before):
            continue
        assert outputs(after) == outputs(before)
        # Some say what the libraries at hand hold: there the kind of what is shown is enough.
        if "varies" not in before.metadata.get("tags", ()):
            assert texts(after) == texts(before), f"python notebooks/run.py {path.stem}"
