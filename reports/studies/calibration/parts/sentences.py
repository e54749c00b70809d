"""How often each sentence stands under a headline where there is no effect.

Whole comparisons are asked, and what their first screen says is counted: no sentence that warns, or
that says what another choice or test would find, may stand there in more than 5 % of samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from abrank._support.typing import FloatArray
from abrank.comparison import Comparison
from abrank.comparison.compare import compare_systems
from abrank.options import Question
from abrank.report.sections import headline, meaning, sensitivity
from abrank.report.sections.notes import cautions
from abrank.scoring.scores import Scores
from reports.studies.calibration.cells import Asked
from reports.studies.calibration.parts.part import Batch, Part

MEASURES = ("nDCG@10", "AP", "RR", "P@10")
SD = 0.2  # of normal differences: that of nDCG@10 between real runs, in round figures
ALIKE = 0.7  # correlation of the differences of two measures
SIZE, WITHIN = 5, 0.3  # queries of a cluster, and their correlation
MARGIN = 0.05
N_SEGMENTS = 3
ONE_IN = 20
# Whatever is said of a comparison without a finding: the notes that can come of differences alone.
CODES = (
    "few-signs",
    "few-clusters",
    "one-query-decides",
    "tests-disagree",
    "monte-carlo-near-alpha",
    "not-about-the-mean",
    "losses-behind-the-mean",
    "few-queries-carry-the-mean",
    "mean-against-wins",
    "constant-difference",
)
KINDS = (
    "a difference is shown: the headline",
    "the verdict falls under another choice",
    "the verdict stays under other choices",
    "secondary measures point the other way",
    "tests agree",
    "evidence not sound",
    "segments differ",
    "a segment is better or worse",
    *CODES,
)


def ask(
    batch: Batch,
    draw: Callable[[Batch], FloatArray],
    *,
    margin: float | None = None,
    clustered: bool = False,
) -> Iterator[Asked]:
    """Compare every sample, and say which sentences stand under its headline."""
    d = draw(batch)
    ids = tuple(f"q{i}" for i in range(batch.n))
    groups = ("user", {each: str(i // SIZE) for i, each in enumerate(ids)}) if clustered else None
    # Segments hold whole clusters, as queries of one user are of one kind.
    segments = {"kind": {each: str(i // SIZE % N_SEGMENTS) for i, each in enumerate(ids)}}
    found = {kind: np.zeros(batch.count, np.bool_) for kind in KINDS}
    for i in range(batch.count):
        values = np.stack([np.full(d.shape[1:], 0.5), 0.5 + d[i]], axis=1)
        scores = Scores(ids, ("A", "B"), MEASURES, values)
        question = Question(margin=margin, adjust="holm", rng=batch.seed())
        made = compare_systems(scores, question, clusters=groups, segments=segments)
        for kind in _said(made):
            found[kind][i] = True
    for kind, each in found.items():
        yield Asked(kind, (each,))


def _said(result: Comparison) -> Iterator[str]:
    """Go through the kinds of sentences under the headline of a comparison."""
    if result.decision.direction:
        yield KINDS[0]
    other = sensitivity.sentence(result, digits=3)
    if other:
        yield KINDS[1] if "would be" in other else KINDS[2]
    if meaning.contradictions(result):
        yield KINDS[3]
    if headline.agreement(result):
        yield KINDS[4]
    if result.decision.soundness.reasons:
        yield KINDS[5]
    (segmentation,) = result.segmentations
    if segmentation.interaction < result.rule.alpha:
        yield KINDS[6]
    if any(row.reading in ("better", "worse") for row in segmentation.rows):
        yield KINDS[7]
    for each in cautions.cautions(result, digits=3)[: cautions.SHOWN]:
        yield each.code


def _mixed(own: FloatArray, shared: FloatArray) -> FloatArray:
    """Return differences of four measures, (count, n, 4), that have a part in common."""
    mixed: FloatArray = SD * (np.sqrt(ALIKE) * shared[..., None] + np.sqrt(1.0 - ALIKE) * own)
    return mixed


def _shape(batch: Batch) -> tuple[int, int, int]:
    return batch.count, batch.n, len(MEASURES)


def _normal(batch: Batch) -> FloatArray:
    own = batch.random.standard_normal(_shape(batch))
    return _mixed(own, batch.random.standard_normal(own.shape[:2]))


def _skewed(batch: Batch) -> FloatArray:
    own = batch.random.exponential(size=_shape(batch)) - 1.0
    return _mixed(own, batch.random.exponential(size=own.shape[:2]) - 1.0)


def _tied(batch: Batch) -> FloatArray:
    """Draw differences of which two thirds are 0 and the others tenths."""
    return np.asarray(np.round(_normal(batch), 1) * (batch.random.random(_shape(batch)) < 0.5))


def _clustered(batch: Batch) -> FloatArray:
    groups = batch.random.standard_normal((batch.count, -(-batch.n // SIZE), len(MEASURES)))
    common = np.repeat(groups, SIZE, axis=1)[:, : batch.n]
    return np.asarray(np.sqrt(WITHIN) * SD * common + np.sqrt(1.0 - WITHIN) * _normal(batch))


_WHAT = (
    " Four measures whose differences correlate by about 0.7, nDCG@10 decides by t, no effect in"
    f" any; {N_SEGMENTS} segments. A sentence counts where it is on the first screen, and what is"
    " said of segments."
)

SENTENCES = tuple(
    Part(
        f"sentences, {name}", "queries", f"{words}{_WHAT}", partial(ask, **how),
        gives="note", one_in=ONE_IN,
    )
    for name, words, how in (
        ("normal", f"Normal differences of standard deviation {SD}.", {"draw": _normal}),
        ("skewed", "Exponential differences less their mean.", {"draw": _skewed}),
        ("tied", "Normal differences in tenths, two thirds of them 0.", {"draw": _tied}),
        (
            "clustered",
            f"Queries in declared clusters of {SIZE} that correlate by {WITHIN}.",
            {"draw": _clustered, "clustered": True},
        ),
        (
            "with a margin",
            f"Normal differences against a margin of {MARGIN}: verdicts of “same in practice” and"
            " “not worse” are right, and may be said to fall.",
            {"draw": _normal, "margin": MARGIN},
        ),
    )
)  # fmt: skip
