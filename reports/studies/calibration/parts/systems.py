"""Several systems of one mean: family-wise error over their pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from abrank._support.typing import FloatArray
from abrank.diagnostics import undone_by_skewness
from abrank.inference import run_joint_test, run_test
from abrank.inference.paired import mean_and_error, skewness_of
from abrank.inference.systems.friedman import critical_difference, friedman_test, two_way_anova
from abrank.inference.systems.pairwise import least_difference, within_query_interval
from reports.studies.calibration.cells import LEVELS, Asked, below
from reports.studies.calibration.material import N_BEST, N_SYSTEMS, Block, Material
from reports.studies.calibration.parts.part import Batch, Part, between

N_DRAWN = 100
# The scores of a system, of mean one third, and what its variants differ by on a query.
BETA, NOISE = (0.8, 1.6), 0.03
VARIANTS = (6, 10, 20)
N_FLIPS = 999  # of a board: enough to tell the p-values of its pairs


def ask_equal(batch: Batch) -> Iterator[Asked]:
    """Ask about systems of one mean, whatever else they differ in."""
    samples = _samples(batch)
    yield from _by_size(samples)
    yield _holm(samples)
    yield _by_pvalue("randomised Tukey", "randomised-tukey", samples, batch.seed())
    yield _by_pvalue("max-T", "max-t", samples, batch.seed())
    bounds = [within_query_interval(scores) for scores in samples.swapaxes(0, 1)]
    low, high = (np.array([bound[side][0] for bound in bounds]) for side in (0, 1))
    yield Asked("within-query interval", covers=between(low, samples.mean(axis=(0, 2)), high))


def ask_tossed(batch: Batch) -> Iterator[Asked]:
    """Ask about systems that are one: the scores of each query stand in any order."""
    samples = batch.random.permuted(_samples(batch), axis=2)
    yield from _by_size(samples)
    yield _by_pvalue("Conover, Holm", "conover", samples)
    yield _by_pvalue("Bonferroni-Dunn", "bonferroni-dunn", samples, baseline=0)


def ask_variants(batch: Batch, *, variants: int) -> Iterator[Asked]:
    """Ask about variants of one system and one other, all of one mean."""
    base, second = batch.random.beta(*BETA, (2, batch.n, batch.count, 1))
    noise = batch.random.normal(0.0, NOISE, (batch.n, batch.count, variants))
    samples = np.concatenate([base + noise, second], axis=2)
    seed = batch.seed()
    yield _by_pvalue("max-T", "max-t", samples, seed)
    yield _by_pvalue("max-T, from the other", "max-t", samples, seed, baseline=variants)
    yield _holm(samples)
    yield _by_pvalue("Tukey", "tukey", samples)
    yield _by_pvalue("Dunnett, from the other", "dunnett", samples, baseline=variants)


Draw: TypeAlias = Callable[[Block, Batch], FloatArray]


class _Shown(NamedTuple):
    pvalue: float
    pvalue_adj: float


def _shifted(board: Block, batch: Batch) -> FloatArray:
    """Draw from a board on which each system's scores are less its own mean."""
    level = replace(board, scores=board.scores - board.scores.mean(axis=0))
    return level.draw(batch.n, batch.count, batch.random)


def _turned(board: Block, batch: Batch) -> FloatArray:
    """Draw from a board; a tossed coin turns a query's scores about their mean, all as one."""
    samples = board.draw(batch.n, batch.count, batch.random)
    centre = samples.mean(axis=2, keepdims=True)
    coin = batch.random.choice([-1.0, 1.0], centre.shape)
    return np.asarray(centre + coin * (samples - centre))


def _weighted(board: Block, batch: Batch) -> FloatArray:
    return board.draw(batch.n, batch.count, batch.random)


def ask_boards(
    batch: Batch, *, boards: Callable[[Material], Iterable[Block]], draw: Draw
) -> Iterator[Asked]:
    """Ask about boards, each by itself, on which no system is better."""
    for board in boards(batch.material):
        samples = draw(board, batch)
        visible, sure = np.zeros((2, batch.count), np.bool_)
        seed = batch.seed()
        for place, scores in enumerate(samples.swapaxes(0, 1)):
            joint = run_joint_test("max-t", scores, seed=seed + place, n_resamples=N_FLIPS)
            result = np.flatnonzero(joint.pvalue_adj < LEVELS[0])
            if not result.size:
                continue
            d = joint.pairs.of(scores)[:, result]
            rows = [_Shown(joint.pvalue[i], joint.pvalue_adj[i]) for i in result]
            moments = (*mean_and_error(d), skewness_of(d))
            _, undone = undone_by_skewness(
                moments, len(d), rows, n_family=len(joint.pvalue), alpha=LEVELS[0]
            )
            visible[place], sure[place] = True, not undone.all()
        yield Asked(f"max-T, {board.name}", (visible,))
        yield Asked(f"max-T beyond doubt, {board.name}", (sure,))
        by_t = _holm(samples).false
        yield Asked(f"t, Holm, {board.name}", by_t and by_t[:1])


def _samples(batch: Batch) -> FloatArray:
    """Return scores of shape (n_queries, n_samples, n_systems)."""
    blocks = batch.material.many
    return blocks[batch.turn % len(blocks)].draw(batch.n, batch.count, batch.random)


def _by_size(samples: FloatArray) -> Iterator[Asked]:
    """Ask the tests of all systems at once, and those that hold differences against one size."""
    message: dict[str, list[list[bool]]] = defaultdict(list)
    for scores in samples.swapaxes(0, 1):
        mean, ranked = scores.mean(axis=0), friedman_test(scores)
        message["analysis of variance"].append(_below(two_way_anova(scores).pvalue))
        message["Friedman"].append(_below(ranked.pvalue))
        message["Friedman, F"].append(_below(ranked.pvalue_f))
        message["Tukey"].append(
            _beyond(np.ptp(mean), partial(least_difference, scores, test="tukey"))
        )
        from_one = np.abs(mean - mean[0]).max()
        message["Dunnett"].append(
            _beyond(from_one, partial(least_difference, scores, test="dunnett"))
        )
        critical = partial(critical_difference, ranked, len(scores))
        message["Nemenyi"].append(_beyond(np.ptp(ranked.mean_ranks), critical))
    for name, decisions in message.items():
        at_05, at_01 = np.array(decisions).T
        yield Asked(name, (at_05, at_01))


def _below(pvalue: float) -> list[bool]:
    return [pvalue < level for level in LEVELS]


def _beyond(size: float, enough: Callable[[float], float]) -> list[bool]:
    """Return whether a difference is told from 0 at the levels; at the second only if at both."""
    at_05 = bool(size > enough(LEVELS[0]))
    return [at_05, at_05 and bool(size > enough(LEVELS[1]))]


def _holm(samples: FloatArray) -> Asked:
    """Ask the t test of every pair. Adjusted by Holm, the smallest p is that of Bonferroni."""
    first, second = np.triu_indices(samples.shape[2], 1)
    differences = (samples[:, :, second] - samples[:, :, first]).reshape(len(samples), -1)
    pvalue = run_test("t", differences).pvalue.reshape(samples.shape[1], -1)
    return Asked("t, Holm", below(len(first) * np.nan_to_num(pvalue, nan=1.0).min(axis=1)))


def _by_pvalue(
    name: str, test: str, samples: FloatArray, seed: int = 0, *, baseline: int | None = None
) -> Asked:
    """Ask a joint test for the smallest of its adjusted p-values."""
    smallest = np.ones(samples.shape[1])
    for place, scores in enumerate(samples.swapaxes(0, 1)):
        joint = run_joint_test(
            test, scores, baseline=baseline, seed=seed + place, n_resamples=N_DRAWN
        )
        smallest[place] = np.nan_to_num(joint.pvalue_adj, nan=1.0).min()
    return Asked(name, below(smallest))


_WORDS = (
    f"False is any pair of {N_SYSTEMS} systems said to differ, or by Dunnett and Bonferroni-Dunn"
    " any system from the first; joint intervals miss as often."
)
_FEW = (
    f"All systems, or of more than {N_BEST} the best,",
    lambda result: [board for board in result.boards if board.scores.shape[1] <= N_BEST],
)
_ALL = (
    f"All systems, more than {N_BEST},",
    lambda result: [board for board in result.boards if board.scores.shape[1] > N_BEST],
)
_BALANCED = ("As many of the best systems as can be", lambda result: result.balanced)
_BY_COIN = (
    ". A tossed coin turns the scores of a query about their mean, those of all systems as one: it"
    " is chance which of two systems is ahead. Ties, spreads and what systems share stay, skewness"
    " does not."
)
_BY_WEIGHT = (
    ", drawn with the weights of queries, nearest to equal ones, that give all one mean. Ties and"
    " skewness stay."
)
_BY_SHIFT = (
    ", each less its own mean, so that none is better. What is skewed stays so, but queries that"
    " tie no longer do: two systems that differ on few queries differ by one constant on all"
    " others, and a sample without those few shows nothing else. Boards of runs are not like that."
)
SYSTEMS = (
    Part(
        "systems of one mean",
        "queries",
        f"They differ in spread and shape, not in the mean. {_WORDS} randomised Tukey draws"
        f" {N_DRAWN} orders. The within-query interval is asked whether it holds the mean of all,"
        " which the first system truly has. Max-T draws as many flips.",
        ask_equal,
    ),
    Part(
        "systems, orders tossed",
        "queries",
        f"The scores of every query stand in any order: the systems are one. {_WORDS} Randomised"
        " Tukey is exact there and not asked.",
        ask_tossed,
    ),
    *(
        Part(
            f"{variants} variants of one system",
            "queries",
            f"{variants} variants of one system, which differ by noise of {NOISE} on every query,"
            " and one other; all have one mean. False is any pair said to differ, or any variant"
            f" from the other. Max-T draws {N_DRAWN} flips.",
            partial(ask_variants, variants=variants),
            one_in=10,
        )
        for variants in VARIANTS
    ),
    *(
        Part(
            name,
            "queries",
            f"{words} of one collection by one measure{null} False is any pair said to differ: by"
            f" max-T ({N_FLIPS} flips), and by it beyond doubt, which is where t corrected for"
            " skewness (Hall 1992) shows it as well; or by t, adjusted by Holm.",
            partial(ask_boards, boards=boards, draw=draw),
            one_in=one_in,
            sizes=(25, 50),
        )
        for name, words, boards, null, draw, one_in in (
            ("real boards, scores turned", *_FEW, _BY_COIN, _turned, 40),
            ("real boards, queries weighted", *_BALANCED, _BY_WEIGHT, _weighted, 40),
            ("real boards", *_FEW, _BY_SHIFT, _shifted, 5),
            ("whole boards", *_ALL, _BY_SHIFT, _shifted, 100),
        )
    ),
)
