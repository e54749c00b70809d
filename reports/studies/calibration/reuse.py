"""What a ledger promises on one set of topics, asked again and again: streams, gains, choices.

``python -m reports.studies.calibration.reuse --data DIR`` writes ``reuse.md`` and ``reuse.csv``.
"""

from __future__ import annotations

import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference import run_test
from abrank.inference.many_comparisons import OnlineMethod, online_levels, predict_repetition
from reports.studies.calibration.single import command_of, save
from reports.studies.calibration.sources import MATRICES, scores_of_matrix

ALPHA, N_TOPICS = 0.05, 50
NULLS = (0.5, 0.95)
LENGTHS, REPLACED = (100, 300, 1000), (100, 300)
METHODS = ("plain", "Bonferroni", "lord++", "saffron", "lond", "lond-dependent", "spending")
OF_REPLACED = ("plain", "lord++", "saffron", "lond-dependent", "spending")
# How a stream comes, and by how much candidates gain that do.
STREAMS = (("own topics", 0.06), ("one set", 0.06), ("one set", 0.03), ("baseline replaced", 0.06))
AHEAD = 16  # candidates that are tested together until a baseline is replaced
ALIKE = 0.02  # by which the means of two systems differ that are alike
# Cells that show what the test that decides makes of a budget, and with how many topics.
DECIDED = (
    ("own topics", 50, 0.06),
    ("one set", 50, 0.06),
    ("one set", 50, 0.03),
    ("one set", 200, 0.06),
    ("pairs alike", 50, 0.06),
    ("baseline replaced", 50, 0.06),
)
DECIDING = ("t", "hall")
OF_DECIDED = ("lord++", "saffron", "lond-dependent", "spending")
TRIED = (5, 20, 100)
MEASURED = (8, 20, 40)
NEAR = 0.1  # candidates of a ledger lie within it of their baseline


@dataclass(frozen=True)
class Row:
    """One cell: what was asked, of which board, and what came of it.

    ``rate`` is the false discovery rate, the share of intervals that hold, or of choices that are
    falsely found better; ``any_false`` the share of streams with a false finding, ``power`` of the
    true gains that were found. ``error`` and ``observed`` are mean errors of the gain to expect and
    of the one observed; ``samples`` the streams, splits or choices of the cell.
    """

    part: str
    board: str
    how: str
    nulls: float
    gain: float
    n: int
    method: str
    rate: float
    rate_error: float
    samples: int
    any_false: float = np.nan
    power: float = np.nan
    error: float = np.nan
    observed: float = np.nan


class Board:
    """Systems of a track on its topics, from which streams of candidates are made."""

    def __init__(self, scores: FloatArray, random: np.random.Generator) -> None:
        self.scores, self.random = scores, random
        self.baseline = scores[:, int(np.argsort(scores.mean(axis=0))[scores.shape[1] * 3 // 4])]

    def candidates(self, count: int) -> FloatArray:
        """Return candidates of the baseline's mean: mixtures of two systems, moved."""
        first, second = self.random.integers(self.scores.shape[1], size=(2, count))
        share = self.random.random(count)
        mixed = share * self.scores[:, first] + (1 - share) * self.scores[:, second]
        return np.asarray(mixed - mixed.mean(axis=0) + self.baseline.mean())

    def alike(self, count: int) -> FloatArray:
        """Return differences of pairs of good systems that have nearly one mean, moved to one."""
        means = self.scores.mean(axis=0)
        good = np.argsort(means)[len(means) // 2 :]
        first, second = np.triu_indices(len(good), 1)
        d = self.scores[:, good[first]] - self.scores[:, good[second]]
        d = d[:, (np.abs(d.mean(axis=0)) < ALIKE) & (np.abs(d).max(axis=0) > 0)]
        sample = d[:, self.random.integers(d.shape[1], size=count)]
        sign = self.random.choice([-1.0, 1.0], count)
        return np.asarray(sign * (sample - sample.mean(axis=0)))

    def topics(self, *shape: int) -> IntArray:
        """Draw topics from those of the track, which are the population here."""
        return self.random.integers(len(self.scores), size=(N_TOPICS, *shape))


def one_sided(differences: FloatArray, test: str) -> FloatArray:
    """Return the p-values of a test that the candidates gain."""
    two = np.nan_to_num(run_test(test, differences, confidence=1.0).pvalue, nan=1.0)
    return np.where(differences.mean(axis=0) > 0, two / 2, 1 - two / 2)


def better(differences: FloatArray, near: float = 0.1) -> FloatArray:
    """Return one-sided p-values that the candidates gain, by sign flips.

    Above ``near`` they are those of t, which is quicker: no level is near.
    """
    p = one_sided(differences, "t")
    if (close := p <= near).any():
        p[close] = run_test("permutation", differences[:, close], confidence=1.0).pvalue / 2
    return p


def levels(pvalues: FloatArray, method: str, n: int) -> FloatArray:
    """Return the one-sided level of each comparison; those of a budget as a ledger has them."""
    if method in ("plain", "Bonferroni"):
        return np.full(len(pvalues), ALPHA / 2 / (n if method == "Bonferroni" else 1))
    online = cast("OnlineMethod", method)
    return online_levels(pvalues, online, alpha=ALPHA, maximum=ALPHA / 2)[:-1]


def streams(name: str, board: Board, *, n_streams: int) -> Iterator[Row]:
    """Go through the ways in which comparisons follow each other."""
    for options, gain in STREAMS:
        for nulls in NULLS:
            message: dict[tuple[str, int], list[tuple[float, float, float]]] = defaultdict(list)
            for _ in range(n_streams):
                lengths = REPLACED if options == "baseline replaced" else LENGTHS
                gains = board.random.random(lengths[-1]) >= nulls
                result: FloatArray = board.candidates(lengths[-1]) + gain * gains
                if options == "baseline replaced":
                    topics = board.topics()
                    start = board.baseline[topics]
                    visited, worth = result[topics], gain * gains.astype(float)
                    fromkeys = {
                        element: _replaced(start, visited, worth, element)
                        for element in OF_REPLACED
                    }
                else:
                    topics = board.topics(*([lengths[-1]] if options == "own topics" else [1]))
                    along_axis = np.take_along_axis(
                        result, np.broadcast_to(topics, (N_TOPICS, len(gains))), 0
                    )
                    p = better(along_axis - board.baseline[topics])
                    fromkeys = dict.fromkeys(METHODS, p)
                for method, p in fromkeys.items():
                    for n in lengths:
                        outcome = p[:n] <= levels(p[:n], method, n)
                        message[method, n].append(_counted(outcome, gains[:n]))
            for (method, n), item in message.items():
                yield _of_streams("stream", name, options, nulls, gain, n, method, item)


def decided(name: str, board: Board, *, seed: int, n_streams: int) -> Iterator[Row]:
    """Go through the tests that may decide of a stream: t, and t corrected for skewness."""
    maximum = LENGTHS[-1]
    for (options, size, gain), nulls in itertools.product(DECIDED, NULLS):
        board.random = stream(seed, "reuse", name, "decided", options, f"{size} {gain} {nulls}")
        message: dict[tuple[str, str, int], list[tuple[float, float, float]]] = defaultdict(list)
        # Replacing takes one comparison after the other.
        for _ in range(n_streams // 5 + 2 if options == "baseline replaced" else n_streams):
            gains: FloatArray = gain * (board.random.random(maximum) >= nulls).astype(float)
            integers = board.random.integers(
                len(board.scores), size=(size, maximum if options == "own topics" else 1)
            )
            integers = np.broadcast_to(integers, (size, maximum))
            if options == "pairs alike":
                alike, baseline = board.alike(maximum), np.zeros(len(board.scores))
            else:
                alike, baseline = board.candidates(maximum), board.baseline
            along_axis = np.take_along_axis(alike + gains, integers, 0)
            for test in DECIDING:
                p = one_sided(along_axis - baseline[integers], test)
                for method in OF_DECIDED:
                    if options == "baseline replaced":
                        p = _replaced(baseline[integers[:, 0]], along_axis, gains, method, test)
                    result = p <= levels(p, method, maximum)
                    for n in LENGTHS:
                        message[method, test, n].append(_counted(result[:n], gains[:n] > 0))
        for (method, test, n), item in message.items():
            text = f"{options} of {size}"
            yield _of_streams("test", name, text, nulls, gain, n, f"{method}, {test}", item)


def _replaced(
    now: FloatArray,
    result: FloatArray,
    gains: FloatArray,
    method: str,
    test: str = "permutation",
) -> FloatArray:
    """Return p-values where each candidate that is found becomes the baseline of the next.

    A candidate gains over the baseline of its day, so what is taken lifts all that follow.
    """
    pvalues, lift = np.empty(0), 0.0
    while (count := len(pvalues)) < len(gains):
        ahead = result[:, count : count + AHEAD] + lift
        differences = ahead - now[:, None]
        flips = test == "permutation"
        trial = np.append(pvalues, one_sided(differences, "t" if flips else test))
        level = levels(trial, method, len(gains))
        used = None
        # The exact p of those alone that may reach their level, until one is found.
        close = np.minimum(0.1, 100.0 * level[count : len(trial)])
        for i in np.flatnonzero(trial[count:] <= close).tolist():
            if flips:
                trial[count + i] = better(differences[:, [i]], near=1.0)[0]
            if trial[count + i] <= level[count + i]:
                used = i
                break
        if used is None:
            pvalues = trial
        else:
            pvalues = trial[: count + used + 1]
            now, lift = ahead[:, used], lift + float(gains[count + used])
    return pvalues


def _counted(result: BoolArray, gains: BoolArray) -> tuple[float, float, float]:
    false = int((result & ~gains).sum())
    power = result[gains].mean() if gains.any() else np.nan
    return false / max(int(result.sum()), 1), float(false > 0), float(power)


def _of_streams(
    part: str,
    name: str,
    options: str,
    nulls: float,
    gain: float,
    n: int,
    method: str,
    item: Sequence[tuple[float, float, float]],
) -> Row:
    rate, any_false, power = np.array(item).T
    selected = power[~np.isnan(power)]
    return Row(
        part, name, options, nulls, gain, n, method, *_mean(rate), len(item),
        float(any_false.mean()),
        float(selected.mean()) if len(selected) else np.nan,
    )  # fmt: skip


def _mean(values: FloatArray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / len(values) ** 0.5)


def repeated(name: str, board: Board, *, n_splits: int) -> Iterator[Row]:
    """Go through sizes of a ledger: half of the topics observed, the other half the repetition."""
    n_topics, n_systems = board.scores.shape
    for count in MEASURED:
        held, errors = [], []
        for _ in range(n_splits):
            halves = np.split(board.random.permutation(n_topics)[: n_topics // 2 * 2], 2)
            baseline = int(board.random.integers(n_systems))
            d = np.delete(board.scores, baseline, axis=1) - board.scores[:, [baseline]]
            near = np.flatnonzero(np.abs(d.mean(axis=0)) < NEAR)
            if len(near) < count:
                continue
            d = d[:, board.random.choice(near, count, replace=False)]
            visited, again = (d[half] for half in halves)
            gains, n = visited.mean(axis=0), len(visited)
            se = visited.std(axis=0, ddof=1) / n**0.5
            for place in range(0, count, max(count // 8, 1)) if (se > 0).all() else []:
                repetition = predict_repetition(gains, se, place, freedom=n - 1)
                truth = again[:, place].mean()
                held.append(repetition.low <= truth <= repetition.high)
                errors.append((abs(repetition.expected - truth), abs(gains[place] - truth)))
        error, observed = np.mean(errors, axis=0)
        rate, spread = _mean(np.array(held, dtype=float))
        yield Row(
            "repetition", name, "halves of the topics", np.nan, np.nan, count, "expected again",
            rate, spread, len(held), error=float(error), observed=float(observed),
        )  # fmt: skip


def chosen(name: str, board: Board, *, n_choices: int) -> Iterator[Row]:
    """Go through numbers of candidates of which the best by its mean is compared, none better."""
    for count in TRIED:
        topics = board.topics(n_choices)
        best = np.empty((N_TOPICS, n_choices))
        for i in range(n_choices):
            sample = topics[:, i]
            d = board.candidates(count)[sample] - board.baseline[sample][:, None]
            best[:, i] = d[:, d.mean(axis=0).argmax()]
        t, flips = run_test("t", best).pvalue / 2, better(best)
        gains = best.mean(axis=0) > 0
        for method, wrong in {
            "t": gains & (t <= ALPHA / 2),
            "t, best_of": gains & (t <= ALPHA / 2 / count),
            "flips, best_of": flips <= ALPHA / 2 / count,
        }.items():
            rate = _mean(wrong.astype(float))
            yield Row("choice", name, "best mean of n", 1.0, 0.0, count, method, *rate, n_choices)


WORDS = """# One set of topics, asked again and again

What `--ledger`, an error budget and `best_of` promise, on the topics of two TREC tracks: the
topics of the track are the population, {topics} of them are drawn with replacement, and candidates
are mixtures of two systems of the track, moved so that their true gain over the baseline is known.
A candidate is found where its one-sided p-value is at most its level, by sign flips where no test
is named. Rows in bold are above what is promised by more than two standard errors.
"""
STREAM = """
## False discovery rate of streams

{hows}.

*plain* is every comparison at 5 %. Bonferroni takes the length of the stream as planned
beforehand. A flip of signs asks whether differences are symmetric; moved to a gain of 0 these are
skewed, on nDCG most, and the smaller the level the more it tells: Bonferroni and spending, which
hold however comparisons depend, show how much of what is above a promise is the test's, and not
the stream's. So sign flips do not decide within a budget unless they are asked for. A baseline
that is replaced makes nothing worse: what was found was lucky on these topics, and what follows is
held against too good a mean, so that less is found, rightly and falsely.

Worst cells, and in brackets the worst where the baseline is replaced:

{worst}

| board | stream | nulls | gain | n | method | FDR | any false | power | streams |
|---|---|---:|---:|---:|---|---:|---:|---:|---:|
"""
TEST = """
## The test that decides

The same by t, and by *hall*, t where t corrected for skewness bears it out, which decides within a
budget unless another test is named; sign flips stand in the table above. *pairs alike*: real pairs
of good systems with nearly one mean, moved to one, on one draw: many differ on few topics. A cell
has the largest rate of the first {lengths} comparisons, the false discovery rate or, for
spending, any false; power is of all {most}.

With hall, LORD++ is above 5 % by no more than chance leaves, LOND for any dependence too, and both
only on pairs that differ on few topics; spending is not, there and where each comparison has
topics of its own: 0.05 of a thousand comparisons is a level of some millionths each, where no test
of a mean is right on differences as skewed as those of nDCG. SAFFRON earns from luck that
candidates have in common on one set of topics, by whatever test. No test but `bounded` can promise
it of every stream: a loss that no query of the sample shows is in no spread either.

Worst cells, of any number of comparisons:

{worst}

| board | topics | nulls | gain | method | by t | by hall | power by t | by hall |
|---|---|---:|---:|---|---:|---:|---:|---:|
"""
REPETITION = """
## The gain to be expected again

Candidates within {near} of their baseline; one half of the topics is observed, the other is the
repetition. *held*: how often the 95 % interval holds the other half's difference; the mean errors
are those of the gain to be expected again, and of the gain observed. Two groups, of candidates
that gain nothing and of others, were tried as the distribution of effects, and err by 1 % more.

| board | comparisons | held | mean error | of the gain observed |
|---|---:|---:|---:|---:|
"""
CHOICE = """
## The best of n

No candidate gains; the one with the best mean of n is compared: how often it is found better, at
most 2.5 % if the choice is paid for.

| board | n | method | falsely better |
|---|---:|---|---:|
"""
HOWS = {
    "own topics": "each comparison has its own draw, so that comparisons are independent",
    "one set": "all have one draw and one baseline",
    "baseline replaced": "on one draw, what is found becomes the baseline of the next",
}
PROMISED = {"lord++": ALPHA, "saffron": ALPHA, "lond": ALPHA, "lond-dependent": ALPHA}
ANY = {"spending": ALPHA, "Bonferroni": ALPHA / 2}


def page(rows: Sequence[Row]) -> str:
    """Return the tables as Markdown."""
    owner = {
        part: [row for row in rows if row.part == part]
        for part in ("stream", "test", "repetition", "choice")
    }
    fromkeys = dict.fromkeys(row.how for row in owner["stream"])
    hows = "; ".join(f"*{options}*: {HOWS[options]}" for options in fromkeys)
    text = [
        WORDS.format(topics=N_TOPICS),
        STREAM.format(
            hows=hows, worst="\n".join(_worst(owner["stream"], item) for item in METHODS)
        ),
    ]
    for row in owner["stream"]:
        rate = _marked(row.rate, row.rate_error, PROMISED.get(row.method, 1.0))
        spread = (row.any_false * (1 - row.any_false) / row.samples) ** 0.5
        any_false = _marked(row.any_false, spread, ANY.get(row.method, 1.0))
        text.append(
            f"| {row.board} | {row.how} | {row.nulls:.2f} | {row.gain:g} | {row.n} | {row.method} |"
            f" {rate} | {any_false} | {row.power:.2f} | {row.samples} |\n"
        )
    text += _of_tests(owner["test"])
    text.append(REPETITION.format(near=NEAR))
    text += [
        f"| {row.board} | {row.n} | {row.rate:.3f} ± {row.rate_error:.3f} | {row.error:.4f} |"
        f" {row.observed:.4f} |\n"
        for row in owner["repetition"]
    ]
    text.append(CHOICE)
    text += [
        f"| {row.board} | {row.n} | {row.method} |"
        f" {_marked(row.rate, row.rate_error, ALPHA / 2)} |\n"
        for row in owner["choice"]
    ]
    return "".join(text)


def _of_tests(rows: Sequence[Row]) -> Iterator[str]:
    worst = "\n".join(
        _worst([row for row in rows if row.method.endswith(test)], f"{method}, {test}")
        for method in OF_DECIDED
        for test in DECIDING
    )
    lengths = f"{', '.join(map(str, LENGTHS[:-1]))} and {LENGTHS[-1]}"
    yield TEST.format(lengths=lengths, most=LENGTHS[-1], worst=worst)
    cells: dict[tuple[str, str, float, float, str], dict[str, list[Row]]] = {}
    for row in rows:
        method, test = row.method.split(", ")
        cell = cells.setdefault((row.board, row.how, row.nulls, row.gain, method), {})
        cell.setdefault(test, []).append(row)
    for (board, options, nulls, gain, method), by in cells.items():
        rates = [
            _marked(*_promised(max(by[test], key=lambda row: _promised(row)[0])))
            for test in DECIDING
        ]
        powers = [f"{by[test][-1].power:.2f}" for test in DECIDING]
        yield (
            f"| {board} | {options} | {nulls:.2f} | {gain:g} | {method} |"
            f" {' | '.join((*rates, *powers))} |\n"
        )


def _promised(row: Row) -> tuple[float, float, float]:
    """Return the rate of which a method promises something, its error, and what it promises."""
    method = row.method.split(",")[0]
    if method not in ANY:
        return row.rate, row.rate_error, PROMISED.get(method, 1.0)
    return row.any_false, (row.any_false * (1 - row.any_false) / row.samples) ** 0.5, ANY[method]


def _marked(rate: float, error: float, maximum: float) -> str:
    return f"**{rate:.3f}**" if rate - 2 * error > maximum else f"{rate:.3f}"


def _worst(rows: Sequence[Row], method: str) -> str:
    """Name the worst cell of a method, of what it promises."""
    mine = [row for row in rows if row.method == method]
    worst = max(mine, key=lambda row: _promised(row)[0])
    rate, error, _ = _promised(worst)
    kind = "any false" if method.split(",")[0] in ANY else "FDR"
    replaced = [_promised(row)[0] for row in mine if row.how.startswith("baseline replaced")]
    return (
        f"- **{method}**: {kind} {rate:.3f} ± {error:.3f} ({worst.board}, {worst.how},"
        f" {worst.nulls:.0%} nulls, gain {worst.gain:g}, n = {worst.n})"
        + (f" [{max(replaced):.3f}]" if replaced else "")
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page and its table, and return the exit code."""
    parser = command_of("reuse", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--streams", type=int, default=200)
    args = parser.parse_args(arguments)
    rows = []
    for name, path in MATRICES.items():
        board = Board(scores_of_matrix(args.data / path), stream(args.seed, "reuse", name))
        for item in (
            chosen(name, board, n_choices=10 * args.streams),
            repeated(name, board, n_splits=4 * args.streams),
            streams(name, board, n_streams=args.streams),
            decided(name, board, seed=args.seed, n_streams=args.streams),
        ):
            for row in item:
                rows.append(row)
                sys.stderr.write(f"{row}\n")
    save(args.output, "reuse", page(rows), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
