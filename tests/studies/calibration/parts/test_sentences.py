"""No sentence stands under a headline in more than 5 % of samples without an effect."""

from pathlib import Path

import numpy as np
import pytest

from abrank import compare_scores, guide
from abrank.report.sections.cautions import SENTENCES as WORDS
from reports.studies.calibration.parts import sentences
from reports.studies.calibration.parts.part import Batch
from reports.studies.calibration.table import Row, read_study, rows
from tests.studies.calibration.made import normal_material

COMMITTED = Path(__file__).parents[4] / "reports" / "calibration" / "calibration.json"
NAMES = [part.name for part in sentences.SENTENCES]
HEADLINE, IN_DOUBT = sentences.KINDS[0], sentences.KINDS[4]


@pytest.fixture(scope="module")
def committed() -> list[Row]:
    return [row for row in rows(read_study(COMMITTED)) if row.part in NAMES]


def test_sentences_are_counted_where_they_stand() -> None:
    batch = Batch(normal_material(), 12, 2, 0, np.random.default_rng(1))
    visible = np.linspace(0.1, 0.3, 12)[None, :, None] * np.array([1.0, 1.0, -1.0, 1.0])
    counts = {
        item.test: item.counts()["false_05"]
        for item in sentences.ask(
            batch,
            lambda _: np.concatenate(
                [visible, 0.01 * (-1.0) ** np.arange(12)[None, :, None] * np.ones(4)]
            ),
        )
    }
    assert (counts["tests agree"], counts["secondary measures point the other way"]) == (1, 1)


def test_every_note_that_is_counted_has_words() -> None:
    assert set(sentences.CODES) <= {*WORDS, "monte-carlo-near-alpha"}


def test_the_committed_study_has_every_kind_and_population(committed: list[Row]) -> None:
    assert {row.part for row in committed} == set(NAMES)
    for name in NAMES:
        assert {row.test for row in committed if row.part == name} == set(sentences.KINDS)


# What stands beside a headline that shows a difference, and beside no other.
BESIDE_A_FINDING = {"tests agree", "the verdict falls under another choice"}
# What is tested at 5 % itself, and counted in more samples as what is shown.
TESTED = {HEADLINE, "secondary measures point the other way"}


def test_none_stands_there_too_often(committed: list[Row]) -> None:
    rates = {(row.part, row.n, row.test): row.false_05 for row in committed}
    for (part, n, test), rate in rates.items():
        if (part, n, test) == ("sentences, clustered", 10, "few-clusters"):
            assert rate == 1.0  # two clusters, which cannot be tested
        elif test in BESIDE_A_FINDING:
            assert rate <= rates[part, n, HEADLINE] + rates[part, n, IN_DOUBT], (part, n, test)
        elif test not in TESTED or part == "sentences, with a margin":
            error = np.sqrt(0.05 * 0.95 / 1000) if test in TESTED else 0.0
            assert rate <= 0.05 + 3.0 * error, (part, n, test)
    assert {row.replications for row in committed} == {1000}


@pytest.fixture(scope="module")
def shown() -> list[Row]:
    result = [row for row in rows(read_study(COMMITTED)) if row.part.startswith("what is shown")]
    assert {row.part for row in result} == {part.name for part in sentences.SHOWN}
    assert {row.replications for row in result} == {20_000}
    return result


@pytest.mark.slow
def test_what_is_shown_is_false_in_a_twentieth_at_most(shown: list[Row]) -> None:
    """Of few skewed differences t finds more: what skewness alone shows is in doubt."""
    maximum = 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 20_000)
    rates = {(row.part, row.n, row.test): row.false_05 for row in shown}
    for (part, n, test), rate in rates.items():
        assert rate <= maximum, (part, n, test)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"), [(name, options) for name, _, options in sentences.POPULATIONS]
)
def test_what_is_counted_at_once_is_what_comparisons_say(name, how) -> None:
    n, count = 50, 12
    batch = Batch(normal_material(), n, count, 0, np.random.default_rng(3))
    d = how["draw"](batch)
    d -= 3.0 * d.std() / np.sqrt(n)
    clustered = how.get("clustered", False)
    outcome = {item.test: item for item in sentences.ask(batch, lambda _: d, clustered=clustered)}
    at_once = {
        item.test: item for item in sentences.ask_shown(batch, lambda _: d, clustered=clustered)
    }
    for test in (*TESTED, IN_DOUBT):
        assert at_once[test].counts() == outcome[test].counts(), (name, test)
    assert at_once[HEADLINE].counts()["false_05"] > 2
    ids = [f"q{i}" for i in range(n)]
    kind = {item: str(i // sentences.SIZE % sentences.N_SEGMENTS) for i, item in enumerate(ids)}
    rows = {test: item.false[0] for test, item in at_once.items() if item.false is not None}
    for i, sample in enumerate(d[:, :, 0]):
        if clustered:
            break
        pair = dict.fromkeys(ids, 0.5), dict(zip(ids, 0.5 + sample, strict=True))
        result = compare_scores(*pair, segments={"kind": kind})
        (created,) = result.segmentations
        assert rows[sentences.OF_SEGMENTS[0]][i] == (created.interaction_pvalue < 0.05)
        readings = {row.reading for row in created.rows}
        assert rows[sentences.OF_SEGMENTS[1]][i] == bool(readings & {"better", "worse"})
        assert rows[IN_DOUBT][i] == (result.soundness.level == "doubtful")


def test_the_guide_says_what_t_finds_too_much_of(shown: list[Row]) -> None:
    rates = {(row.n, row.test): row.false_05 for row in shown if row.part.endswith("skewed")}
    text = " ".join((Path(guide.__file__).parent / "verdicts.md").read_text("utf-8").split())
    texts = [f"{100 * (rates[n, HEADLINE] + rates[n, IN_DOUBT]):.1f}%" for n in (10, 25, 50)]
    assert f"in {texts[0]} of samples; with 25 it is {texts[1]}, with 50 it is {texts[2]}" in text
    maximum = max(rate for (_, test), rate in rates.items() if test == HEADLINE)
    assert f"at most {100 * maximum:.1f}%" in text


def test_the_guide_says_on_which_boards_max_t_finds_too_much() -> None:
    result = rows(read_study(COMMITTED))
    text = " ".join((Path(guide.__file__).parent / "families.md").read_text("utf-8").split())
    for part, test, owner, digits in (
        ("real boards, scores turned", "max-T, ", "", 1),
        ("real boards, queries weighted", "max-T, ", "", 1),
        ("real boards", "max-T, ", ", nDCG@10,", 1),
        ("real boards", "max-T, ", ", AP,", 1),
        ("real boards", "max-T beyond doubt, ", ", nDCG@10,", 1),
        ("real boards", "t, Holm, ", ", nDCG@10,", 1),
        ("whole boards", "max-T, ", "", 0),
    ):
        those = [row for row in result if row.part == part and row.test.startswith(test)]
        rates = sorted(100 * row.false_05 for row in those if owner in row.test)
        assert f"{rates[0]:.{digits}f}% to {rates[-1]:.{digits}f}%" in text, (test, owner)
        if ", " in part:
            assert f"{np.mean(rates):.1f}%" in text, part
