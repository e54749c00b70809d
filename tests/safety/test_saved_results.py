"""Saved results are computed again: an edit under a right checksum is refused by its place."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import abrank
from abrank import ReadError
from abrank.cli import run
from abrank.report import read_results

# What only runs, judgments and people tell, and the question itself: the scores cannot give it.
TAKEN = {
    "schema", "provenance", "queries", "quality", "evidence", "topics", "remarks",
    "settings", "seed", "systems", "cautions", "notes", "collections",
}  # fmt: skip


def comparison(margin: float = 0.01, seed: int = 5) -> Any:
    collection = abrank.simulate_runs(40, effect=0.3, rng=seed)
    return abrank.compare(
        collection.qrels, collection.baseline, collection.candidate,
        measures=["nDCG@10", "AP", "P@10"], margin=margin, require="non-inferior",
        guard=["AP:-0.02"], segments={"kind": collection.intents},
    )  # fmt: skip


def with_a_machine() -> Any:
    rng = np.random.default_rng(4)
    a = {f"q{i}": float(x) for i, x in enumerate(rng.random(80))}
    b = {name: x + 0.1 * rng.random() for name, x in a.items()}
    people = [{name: item[name] for name in [*a][:30]} for item in (a, b)]
    return abrank.compare_scores(*people, machine=abrank.Machine(scores=(a, b)))


def ranking() -> Any:
    rng = np.random.default_rng(5)
    board = {
        name: {f"q{i}": float(x) for i, x in enumerate(rng.random(20))} for name in ("A", "B", "C")
    }
    return abrank.rank_scores(board)


def collections() -> Any:
    return abrank.compare_collections({"x": comparison(), "y": comparison(seed=6)})


def standings() -> Any:
    rng = np.random.default_rng(6)
    boards = {
        where: {name: {f"q{i}": float(rng.random()) for i in range(12)} for name in ("A", "B", "C")}
        for where in ("x", "y", "z")
    }
    return abrank.rank_collections(boards)


RESULTS = {
    item.__name__: item for item in (comparison, with_a_machine, ranking, collections, standings)
}


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all floats that the scores give."""
    if isinstance(value, dict):
        for key, item in value.items():
            if path or key not in TAKEN:
                yield from numbers(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from numbers(item, (*path, i))
    elif isinstance(value, float):
        yield path


def edited(value: dict[str, Any], path: tuple[Any, ...], change: Any) -> dict[str, Any]:
    deepcopy = copy.deepcopy(value)
    inside: Any = deepcopy
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = change(inside[path[-1]])
    return deepcopy


@pytest.fixture(scope="module", params=RESULTS)
def saved(request: pytest.FixtureRequest) -> dict[str, Any]:
    result: dict[str, Any] = RESULTS[request.param]().to_dict()
    return result


def read(value: dict[str, Any], path: Path) -> Any:
    path.write_text(json.dumps(value))
    return read_results(path)


@pytest.mark.parametrize("n_edits", [4, pytest.param(40, marks=pytest.mark.slow)])
def test_what_was_written_is_read_and_an_edited_number_is_refused(saved, n_edits, tmp_path) -> None:
    path = tmp_path / "results.json"
    assert read(saved, path).to_dict() == saved
    places = [number for number in numbers(saved) if "scores" not in number]
    assert len(places) > 20
    rng = np.random.default_rng(1)
    for i in rng.choice(len(places), min(n_edits, len(places)), replace=False).tolist():
        with pytest.raises(ReadError) as caught:
            read(edited(saved, places[i], lambda x: x * 0.75 + 0.01), path)
        assert str(places[i][-1]) in str(caught.value) or places[i][0] in str(caught.value)


@pytest.fixture(scope="module")
def pair() -> dict[str, Any]:
    return comparison().to_dict()


@pytest.mark.slow
def test_a_note_that_is_deleted_is_missed(tmp_path, command) -> None:
    value = comparison(margin=0.5).to_dict()
    assert [note["code"] for note in value["notes"]] == ["margin-above-baseline"]
    (tmp_path / "results.json").write_text(json.dumps(value))
    assert run(["render", str(tmp_path / "results.json")]) == 0
    (tmp_path / "results.json").write_text(json.dumps(value | {"notes": []}))
    err = command(["render", str(tmp_path / "results.json")], 3).err
    assert "notes: is a list of 0, but the scores and rule of the file give a list of 1" in err


@pytest.mark.slow
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "wilcoxon", "sign"])
def test_what_is_drawn_is_drawn_again_by_its_seed(test, tmp_path) -> None:
    rng = np.random.default_rng(7)
    a = {f"q{i}": float(x) for i, x in enumerate(rng.random(200))}
    b = {name: x + rng.normal(0.01, 0.1) for name, x in a.items()}
    result = abrank.compare_scores(a, b, test=test, resamples=999, rng=11)
    assert abrank.Comparison.from_json(result.report(tmp_path / "r.json")) == result


@pytest.mark.slow
def test_a_file_of_another_version_is_shown_as_it_is_computed_now(pair, tmp_path, command) -> None:
    old = edited(pair, ("tests", 0, "pvalue"), lambda _: 1e-6) | {
        "provenance": {"versions": {"abrank": "0.0.9"}}
    }
    result = read(old, tmp_path / "old.json")
    assert result.pvalue == pair["tests"][0]["pvalue"]
    (remark,) = result.remarks
    assert remark.startswith("computed again: 1 value of this file")
    assert "tests[0].pvalue, 1e-06 in the file" in remark
    assert "computed again" in result.report(tmp_path / "old.html").read_text("utf-8")
    assert "note: computed again" in command(["render", str(tmp_path / "old.json")]).err


def test_a_test_that_is_not_installed_is_told(pair, tmp_path, capsys) -> None:
    (tmp_path / "r.json").write_text(json.dumps(edited(pair, ("settings", "test"), lambda _: "my")))
    assert run(["render", str(tmp_path / "r.json")]) == 3
    assert "a test of your own is to be installed" in capsys.readouterr().err
