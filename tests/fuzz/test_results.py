"""A damaged results.json is refused in a sentence, or gives the verdict that its numbers imply."""

import contextlib
import copy
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank import Comparison, compare, compare_scores, simulate_runs
from abrank.cli import run
from abrank.report import WRITERS, from_dict
from abrank.report.data import json_bytes

DRAWN = [kind for kind in WRITERS if kind != ".json"]


def _gated() -> Comparison:
    a = {f"q{i}": (7 * i % 12) / 12 for i in range(12)}
    b = {query: 0.9 * value + 0.08 for query, value in a.items()}
    return compare_scores(a, b, margin=0.02, require="non-inferior", resamples=99)


def _runs() -> Comparison:
    runs = simulate_runs(20, effect=0.4, rng=3)
    measures = ["nDCG@10", "AP"]
    docs = {"docs": dict.fromkeys(runs.qrels.doc_id, "Tea pots")}
    segments = {"intent": runs.intents}
    return compare(
        runs.qrels, runs.baseline, runs.candidate, measures=measures, segments=segments, **docs
    )


def _constant() -> Comparison:
    return compare_scores({"q1": 0.1, "q2": 0.2}, {"q1": 0.3, "q2": 0.4})


SOUND: list[dict[str, Any]] = [
    json.loads(json_bytes(make())) for make in (_gated, _runs, _constant)
]


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value, a long list by its ends."""
    if place:
        yield place
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*place, key))
    elif isinstance(value, list):
        for i in sorted({*range(min(3, len(value))), *range(max(0, len(value) - 2), len(value))}):
            yield from places(value[i], (*place, i))


# A file as long as these makes hypothesis warn of what it would print.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")

# By part, so that the many documents of the rankings do not hide the rest.
PLACES = [
    {key: [(key, *place) for place in places(part)] or [(key,)] for key, part in value.items()}
    for value in SOUND
]
JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 2, 0.0, -0.0, 0.04, 1.0, 1e-320, 1e308, -1e308, 1e151, 10**400,
    -(10**400), 2**63, "", "x", "inf", "-inf", "nan", "better", "t", "q1", "\ud800", "a\x1b[31m",
    "<b>", "x" * 5000, [], {}, [[]], [None], [0.5], ["x"], {"a": 1}, {"": {"": []}},
    [[[[[[[[[1]]]]]]]]],
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """A sound file with up to three values replaced, moved, doubled or taken away."""
    which = draw(st.integers(0, len(SOUND) - 1))
    deepcopy = copy.deepcopy(SOUND[which])
    for _ in range(draw(st.integers(1, 3))):
        part = draw(st.sampled_from(sorted(PLACES[which])))
        *way, last = draw(st.sampled_from(PLACES[which][part]))
        holder = deepcopy
        for key in way:
            holder = holder[key] if _has(holder, key) else None
        if _has(holder, last):
            _damage(draw, holder, last)
    return deepcopy


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return isinstance(holder, dict) and key in holder


def _damage(draw: st.DrawFn, holder: Any, key: Any) -> None:
    value = holder[key]
    ways = ["junk", "gone", "more", "moved"]
    ways += ["other number"] * 2 * (type(value) in (int, float) and abs(value) < 1e300)
    match draw(st.sampled_from(ways)):
        case "junk":
            holder[key] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        case "gone":
            del holder[key]
        case "more":
            if isinstance(holder, list):
                holder.append(copy.deepcopy(value))
            else:
                holder[draw(st.sampled_from(["more", "", "__proto__"]))] = copy.deepcopy(value)
        case "moved":
            second = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else [0, -1]))
            holder[key], holder[second] = holder[second], holder[key]
        case "other number":
            holder[key] = draw(
                st.sampled_from([-value, value + 1, value / 2, value * (1 + 1e-6), value * 1e6])
            )


def implied(found: dict[str, Any]) -> str:
    """The verdict by the table of the statistics, written a second time."""
    rule, row = found["settings"], _primary(found)
    scores = found["queries"]["scores"][rule["primary"]]
    moves = [round(b - a, 10) for a, b in zip(scores["a"], scores["b"], strict=True)]
    if len(moves) > 1 and not any(moves):
        return "identical"
    if len(moves) < 2 or row["pvalue"] is None:
        return "cannot-test"
    mirror = 1 if rule["higher_is_better"] else -1
    low, high = sorted(mirror * float(row[key]) for key in ("ci_low", "ci_high"))
    inner = found["verdict"]["equivalence_interval"]
    inside = sorted(mirror * float(inner[key]) for key in ("low", "high"))
    m = rule["margin"]
    for word, near, far in (("better", low, high), ("worse", -high, -low)):
        if near > 0:
            return word if near > m else "same" if far < m else f"{word}-size-unclear"
    not_worse, not_better = m > 0 and inside[0] > -m, m > 0 and inside[1] < m
    if not_worse and not_better:
        return "same"
    return "not-worse" if not_worse else "not-better" if not_better else "inconclusive"


def _primary(found: dict[str, Any]) -> dict[str, Any]:
    name = found["settings"]["primary"]
    return next(row for row in found["measures"] if row["measure"] == name)


def rendered(path: Path, text: str, *how: str) -> tuple[int, str, str]:
    path.write_text(text, "utf-8")
    text_i_o_wrappers = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2)]
    with (
        contextlib.redirect_stdout(text_i_o_wrappers[0]),
        contextlib.redirect_stderr(text_i_o_wrappers[1]),
    ):
        code = run(["render", str(path), *how])
    for item in text_i_o_wrappers:
        item.seek(0)
    return code, text_i_o_wrappers[0].read(), text_i_o_wrappers[1].read()


@pytest.mark.slow
@settings(max_examples=300)
@given(found=damaged())
def test_a_damaged_file_is_refused_or_gives_the_verdict_of_its_numbers(found, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    code, out, err = rendered(folder / "results.json", json.dumps(found), "--format", "json")
    if code == 3:
        assert out == ""
        assert err.startswith(f"error: {folder}/results.json")
        assert err.count("\n") == 2, err
        assert len(err) < 600 + len(str(folder))
        return
    # Remarks of the file are shown; one of an earlier version is computed again, and says so.
    assert code == 0, err
    assert all(line.startswith("note: ") for line in err.splitlines()), err
    loads = json.loads(out)
    assert loads["queries"]["scores"] == found["queries"]["scores"]
    verdict = implied(loads if "note: computed again" in err else found)
    assert loads["verdict"]["state"] == verdict
    comparison = from_dict(found)
    assert str(comparison.verdict) == verdict
    for kind in DRAWN:
        assert WRITERS[kind](comparison)


@pytest.mark.slow
def test_sound_files_pass_and_one_word_over_the_numbers_does_not(tmp_path: Path) -> None:
    for result in SOUND:
        assert rendered(tmp_path / "sound.json", json.dumps(result), "--format", "md")[0] == 0
        assert result["verdict"]["state"] == implied(result)
        assert not math.isnan(result["verdict"]["estimate"])
        state = "better" if result["verdict"]["state"] != "better" else "worse"
        lie = copy.deepcopy(result)
        lie["verdict"]["state"] = state
        code, out, err = rendered(tmp_path / "lie.json", json.dumps(lie))
        assert (code, out) == (3, "")
        assert f'verdict.state: is "{state}", but' in err
