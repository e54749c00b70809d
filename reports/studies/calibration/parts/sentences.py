"""How often each sentence stands under a headline where there is no effect.

Whole comparisons are asked, and what their first screen says is counted: no sentence that warns, or
that says what another choice or test would find, may stand there in more than 5 % of samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from abrank._support.typing import FloatArray
from abrank.comparison import Comparison
from abrank.comparison.compare import compare_recorded
from abrank.comparison.query_data import QueryData
from abrank.inference import adjust, run_test
from abrank.inference.clusters import cluster_sizes, deciding_test, run_cluster_test
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.inference.segments import MIN_QUERIES, SegmentTest, answer_by_segment, heterogeneity
from abrank.options import Question
from abrank.report.formats import text
from abrank.report.sections import cautions, headline, inputs
from abrank.scoring.scores import Scores
from reports.studies.calibration.cells import Asked
from reports.studies.calibration.parts.part import Batch, Part

MEASURES = ("nDCG@10", "AP", "RR", "P@10")
SD = 0.2  # of normal differences: that of nDCG@10 between real runs, in round figures
ALIKE = 0.7  # correlation of the differences of two measures
SIZE, WITHIN = 5, 0.3  # queries of a cluster, and their correlation
MARGIN = 0.05
SCALE = 0.1  # so that scores stay between 0 and 1, as those of these measures do
N_SEGMENTS = 3
ONE_IN, ALPHA = 20, 0.05
# Whatever is said of a comparison without a finding: the notes that can come of differences alone.
CODES = (
    "few-signs",
    "few-clusters",
    "one-query-decides",
    "monte-carlo-near-alpha",
    "not-about-the-mean",
    "constant-difference",
)
KINDS = (
    "a difference is shown: the headline",
    "the verdict falls under another choice",
    "secondary measures point the other way",
    "tests agree",
    "evidence not sound",
    *CODES,
)
OF_SEGMENTS = ("segments differ", "a segment is better or worse")


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
    groups = (
        ("user", {element: str(i // SIZE) for i, element in enumerate(ids)}) if clustered else None
    )
    result = {kind: np.zeros(batch.count, np.bool_) for kind in KINDS}
    for i in range(batch.count):
        values = np.stack([np.full(d.shape[1:], 0.5), 0.5 + SCALE * d[i]], axis=1)
        scores = Scores(ids, ("A", "B"), MEASURES, values)
        question = Question(margin=margin and SCALE * margin, adjust="holm", rng=batch.seed())
        systems = compare_recorded(scores, question, data=QueryData(clusters=groups))
        for kind in _said(systems):
            result[kind][i] = True
    for kind, item in result.items():
        yield Asked(kind, (item,))


def _said(result: Comparison) -> Iterator[str]:
    """Go through the kinds of sentences under the headline of a comparison."""
    if result.decision.direction and not result.decision.soundness.reasons:
        yield KINDS[0]
    if inputs.sensitivity_sentence(result):  # without runs no other choice confirms a verdict
        yield KINDS[1]
    if headline.contradictions(result):
        yield KINDS[2]
    if headline.agreement(result):
        yield KINDS[3]
    if result.decision.soundness.reasons:
        yield KINDS[4]
    for caution in cautions.cautions(result)[: text.SHOWN]:
        if caution.code != "skewness-decides":  # beside a doubt
            yield caution.code


def ask_shown(
    batch: Batch, draw: Callable[[Batch], FloatArray], *, clustered: bool = False
) -> Iterator[Asked]:
    """Count what whole comparisons show, by the same tests of all samples at once."""
    d = np.moveaxis(draw(batch), 1, 0)  # queries, samples, measures
    labels = [str(i // SIZE) for i in range(batch.n)] if clustered else None
    flat = d.reshape(batch.n, -1)
    test = (
        run_test("t", flat)
        if labels is None
        else run_cluster_test(
            deciding_test("t", cluster_sizes(labels)), flat, labels, confidence=0.95, seed=0
        )
    )
    pvalue = np.nan_to_num(test.pvalue, nan=1.0).reshape(d.shape[1:]).T
    adjusted = pvalue.copy()
    for column in adjusted.T:
        column[1:] = adjust(column[1:], "holm")
    visible = (adjusted < ALPHA) * np.sign(d.mean(axis=0)).T
    against = visible[1:] * np.where(visible[0] == 0, visible[1:], -visible[0]) > 0
    ones_like = np.ones_like(visible, np.bool_)
    if labels is None:
        corrected = skewed_t(
            *mean_and_error(flat), skewness_of(flat), batch.n, np.full(flat.shape[1], ALPHA)
        )[0]
        ones_like = (
            np.nan_to_num(corrected, nan=1.0).reshape(d.shape[1:]).T * adjusted < ALPHA * pvalue
        )
    yield Asked(KINDS[0], ((visible[0] != 0) & ones_like[0],))
    yield Asked(KINDS[4], ((visible[0] != 0) & ~ones_like[0],))
    yield Asked(KINDS[2], ((against & ones_like[1:]).any(axis=0),))
    place = np.array([i // SIZE % N_SEGMENTS for i in range(batch.n)])
    rows = [np.flatnonzero(place == i) for i in range(min(N_SEGMENTS, place.max() + 1))]
    parts = [d[row, :, 0] for row in rows]
    large = np.array([len(row) >= MIN_QUERIES for row in rows])
    owner = None if labels is None else [[labels[i] for i in row] for row in rows]
    answers = answer_by_segment(parts, large, ALPHA, SegmentTest("t"), owner, skewed=True)
    yield Asked(OF_SEGMENTS[1], (np.any(answers[3] < ALPHA, axis=0),))
    if labels is None:
        counts = np.array([float(len(row)) for row in rows])
        means, variances = (
            np.array([f(part, axis=0) for part in parts])
            for f in (np.mean, partial(np.var, ddof=1))
        )
        variances[~large] = 0.0
        pairs = zip(means.T, variances.T, strict=True)
        differ = [heterogeneity(counts, *pair).pvalue < ALPHA for pair in pairs]
        yield Asked(OF_SEGMENTS[0], (np.array(differ),))


def _mixed(custom: FloatArray, shared: FloatArray) -> FloatArray:
    """Return differences of four measures, (count, n, 4), that have a part in common."""
    mixed: FloatArray = SD * (np.sqrt(ALIKE) * shared[..., None] + np.sqrt(1.0 - ALIKE) * custom)
    return mixed


def _shape(batch: Batch) -> tuple[int, int, int]:
    return batch.count, batch.n, len(MEASURES)


def _normal(batch: Batch) -> FloatArray:
    standard_normal = batch.random.standard_normal(_shape(batch))
    return _mixed(standard_normal, batch.random.standard_normal(standard_normal.shape[:2]))


def _skewed(batch: Batch) -> FloatArray:
    custom = batch.random.exponential(size=_shape(batch)) - 1.0
    return _mixed(custom, batch.random.exponential(size=custom.shape[:2]) - 1.0)


def _tied(batch: Batch) -> FloatArray:
    """Draw differences of which two thirds are 0 and the others tenths."""
    return np.asarray(np.round(_normal(batch), 1) * (batch.random.random(_shape(batch)) < 0.5))


def _clustered(batch: Batch) -> FloatArray:
    groups = batch.random.standard_normal((batch.count, -(-batch.n // SIZE), len(MEASURES)))
    common = np.repeat(groups, SIZE, axis=1)[:, : batch.n]
    return np.asarray(np.sqrt(WITHIN) * SD * common + np.sqrt(1.0 - WITHIN) * _normal(batch))


_WHAT = (
    " Four measures whose differences correlate by about 0.7, nDCG@10 decides by t, no effect in"
    " any. A sentence counts where it is on the first screen."
)

POPULATIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("normal", f"Normal differences of standard deviation {SD}.", {"draw": _normal}),
    ("skewed", "Exponential differences less their mean: skewness 1.5.", {"draw": _skewed}),
    ("tied", "Normal differences in tenths, two thirds of them 0.", {"draw": _tied}),
    (
        "clustered",
        f"Queries in declared clusters of {SIZE} that correlate by {WITHIN}.",
        {"draw": _clustered, "clustered": True},
    ),
)

SHOWN = tuple(
    Part(
        f"what is shown, {name}", "queries",
        f"{words} What is behind the sentences; {N_SEGMENTS} segments of whole clusters.",
        partial(ask_shown, **options), gives="note",
    )
    for name, words, options in POPULATIONS
)  # fmt: skip

SENTENCES = tuple(
    Part(
        f"sentences, {name}", "queries", f"{words}{_WHAT}", partial(ask, **options),
        gives="note", one_in=ONE_IN,
    )
    for name, words, options in (
        *POPULATIONS,
        (
            "with a margin",
            f"Normal differences against a margin of {MARGIN}: verdicts of “same in practice” and"
            " “not worse” are right, and may be said to fall.",
            {"draw": _normal, "margin": MARGIN},
        ),
    )
)  # fmt: skip
