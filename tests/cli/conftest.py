"""Collections in files, as a user of the command has them."""

import pytest

import abrank


def write_runs(folder, n=60, *, effect=0.25, seed=5, names=("qrels", "a.run", "b.run")) -> None:
    """Write simulated judgments and two runs, of which the second is better."""
    collection = abrank.simulate_runs(n, effect=effect, rng=seed)
    items = collection.qrels, collection.baseline, collection.candidate, collection.baseline
    for name, item in zip(names, items, strict=False):
        (folder / name).parent.mkdir(exist_ok=True)
        item.write(folder / name)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A collection of 60 queries in the current folder: qrels, a.run, b.run."""
    write_runs(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
