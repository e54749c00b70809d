"""How often each caution is given, and how often it is right.

``python -m reports.studies.calibration.cautions --data DIR`` writes ``cautions.md`` and
``cautions.csv``. Every condition stands here too, so that cautions that were dropped can be counted
again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from abrank import inputs
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference import run_test
from abrank.inference.effect_size import rosner_outliers
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.inference.segments import describe_segments
from abrank.inputs import JudgedRun
from abrank.measures import parse
from abrank.measures.sensitivity import extremes, tie_range
from abrank.scoring.evaluate import evaluate
from abrank.scoring.scores import Scores
from reports.studies.calibration.doubt import Pool, judgments
from reports.studies.calibration.single import command_of, save

MEASURES = ("nDCG@10", "AP", "P@10", "RR")
COLLECTIONS = ("robust03", "ltr", "vaswani", "partial", "covid_r2")
TESTS = ("t", "permutation", "wilcoxon", "sign")
ALPHA, N_RESAMPLES = 0.05, 9_999
FEW, DRAWS = 10, 5  # samples of ten queries and of half of them, drawn so often
N_SEGMENTS = 3
LOSS, GAP, TIES_MOVE, SAME_DEPTH = 0.20, 0.05, 0.1, 0.8
RIGHT = 1.0 / 3.0  # how often a caution of the first screen must be right


@dataclass(frozen=True)
class Row:
    """One caution.

    ``real`` of ``pairs`` pairs of real runs have it, ``null`` of ``null_pairs`` pairs without an
    effect. Where it is given in a trial (``fired``) its remedy changes the verdict in ``right``;
    where it is not (``silent``), in ``moved``.
    """

    caution: str
    remedy: str
    real: int
    pairs: int
    null: int
    null_pairs: int
    fired: int
    right: int
    silent: int
    moved: int


@dataclass(frozen=True)
class Trial:
    """Which cautions a pair has, and whether the remedy of each would change the verdict.

    ``eligible`` are the cautions that could have been given: most need a significant difference.
    """

    codes: frozenset[str]
    eligible: frozenset[str]
    moves: Mapping[str, bool]


STAYS = "stays"
# What was done about each caution that was measured.
OUTCOMES = {
    "few-signs": STAYS,
    "one-query-decides": STAYS,
    "few-queries-carry-the-mean": "gone; the table of queries has the largest differences",
    "skewness-decides": "a doubt beside the verdict, which keeps its 5 % level; no note repeats it",
    "tests-disagree": "gone; the table of tests has both p-values",
    "mean-against-wins": "gone; the table of measures counts wins and losses",
    "losses-behind-the-mean": "gone; the table of queries has the largest losses",
    "reversal": "gone; the table of segments has their differences",
    "not-about-the-mean (wilcoxon)": "stays: the rule chose a test of another question",
    "not-about-the-mean (sign)": STAYS,
    "monte-carlo-near-alpha": STAYS,
    "judged-gap": "gone; data quality has both shares, and a doubt is raised where it is right",
    "order-of-ties": "gone; data quality has the range of Δ",
    "unequal-depth": "stays: given only where a cut reverses the verdict",
    "missing-queries": "stays: the input",
    "extra-queries": "gone; data quality and `abrank check` count them",
    "rank-conflicts": "stays: the input",
    "several-tags": "stays: the input",
}
# Cautions that no healthy pair of runs can have: they report the input, the rule or the design.
OF_THE_INPUT = {
    "document-ids": "stays: the input",
    "none-judged": "stays: the input",
    "none-relevant": "stays: the input",
    "same-file": "stays: the input",
    "missing-scores": "stays: the input",
    "guard-turned": "stays: the input",
    "guard-scores": "stays: the input",
    "constant-difference": "stays: the input",
    "direction-not-declared": "stays: the direction",
    "nobody-chose": "stays: the rule lacks a measure",
    "margin-above-baseline": "stays: the margin",
    "margin-above-half-range": "stays: the margin",
    "no-margin-many-queries": "stays: 10,000 queries or more, no margin",
    "order-fixed": "stays: the design of the votes",
    "order-unknown": "stays: the design of the votes",
    "few-clusters": "stays: rates in `calibration.md`",
    "unequal-groups": "stays: 1 in 1,000 by construction",
    "clusters-ignored": "stays: the design; rates in `abrank.ranking.details`",
    "machine-set-aside": "stays: rates in `machine.md`",
    "machine-sample-differs": "stays: rates in `machine-picked.md`",
    "machine-no-help": "stays: counted",
    "machine-missing": "stays: the input",
    "machine-shares-model": "gone; the section on the machine has what was declared",
    "machine-nearly-all-judged": "gone; the section on the machine has both numbers",
    "machine-not-declared": "gone; the section on the machine says so",
    "not-tested": "stays: which columns decide nothing",
    "pairs-of-first": "stays: which pairs a ranking keeps",
    "tied-runs": "gone; `abrank check` counts them",
}

OF_DIFFERENCES = {
    "few-signs": "more queries",
    "one-query-decides": "more queries",
    "few-queries-carry-the-mean": "more queries",
    "skewness-decides": "more queries",
    "tests-disagree": "more queries",
    "mean-against-wins": "more queries",
    "losses-behind-the-mean": "more queries",
    "reversal": "more queries",
    "not-about-the-mean (wilcoxon)": "the t test",
    "not-about-the-mean (sign)": "the t test",
    "monte-carlo-near-alpha": "more queries",
}
OF_RUNS = {
    "judged-gap": "more judgments",
    "order-of-ties": "ties in random order",
    "unequal-depth": "a common depth",
}
OF_FILES = ("missing-queries", "extra-queries", "rank-conflicts", "several-tags")


def pvalues_of(differences: FloatArray, seed: int) -> dict[str, FloatArray]:
    """Return the p-values of the tests: float64[n_pairs] each."""
    return {
        test: run_test(test, differences, seed=seed).pvalue
        if test == "permutation"
        else run_test(test, differences).pvalue
        for test in TESTS
    }


def codes_of(
    differences: FloatArray, pvalues: Mapping[str, float], labels: Sequence[str]
) -> frozenset[str]:
    """Return the cautions that the differences of one pair give, under the test of each."""
    n, mean, codes = len(differences), float(differences.mean()), set()
    significant = {test: pvalues[test] < ALPHA for test in TESTS}
    signs = np.sign(np.round(differences, 10))
    for test in ("wilcoxon", "sign"):
        if n >= 50 and significant[test] and not significant["t"]:
            codes.add(f"not-about-the-mean ({test})")
    p = pvalues["permutation"]
    if abs(p - ALPHA) <= 1.96 * np.sqrt(p * (1.0 - p) / N_RESAMPLES) and n > FEW:
        codes.add("monte-carlo-near-alpha")
    if not significant["t"]:
        return frozenset(codes)
    if 2.0 ** (1.0 - np.count_nonzero(signs)) >= ALPHA:
        codes.add("few-signs")
    elif not significant["permutation"]:
        codes.add("tests-disagree")
    column = differences[:, None]
    skewed = skewed_t(*mean_and_error(column), skewness_of(column), n, np.array([ALPHA]))[0]
    if skewed[0] >= ALPHA:
        codes.add("skewness-decides")
    if mean * signs.sum() < 0.0:
        codes.add("mean-against-wins")
    if mean > 0.0 and (differences < -LOSS).any():
        codes.add("losses-behind-the-mean")
    outliers = rosner_outliers(differences, alpha=ALPHA)
    outliers = outliers[differences[outliers] * mean > 0.0]
    if any(run_test("t", np.delete(differences, i)).pvalue[0] >= ALPHA for i in outliers):
        codes.add("one-query-decides")
    elif abs(differences[outliers].sum()) > 0.5 * n * abs(mean):
        codes.add("few-queries-carry-the-mean")
    if describe_segments(differences, labels).reversal:
        codes.add("reversal")
    return frozenset(codes)


def verdict(differences: FloatArray, pvalue: float) -> int:
    """Return 1 or -1 where a test finds a difference, else 0."""
    return int(np.sign(differences.mean())) * (pvalue < ALPHA)


def trials_of_queries(
    differences: FloatArray, labels: Sequence[str], rng: np.random.Generator
) -> Iterator[Trial]:
    """Yield samples of the queries of every pair, held against all of them."""
    n = len(differences)
    seed = int(rng.integers(2**31))
    later = pvalues_of(differences, seed)
    for size in (FEW, n // 2):
        for _ in range(DRAWS):
            rows = rng.permutation(n)[:size]
            sample, names = differences[rows], [labels[row] for row in rows.tolist()]
            pvalues = pvalues_of(sample, seed)
            for i in range(differences.shape[1]):
                by_test = {test: verdict(sample[:, i], float(pvalues[test][i])) for test in TESTS}
                truth = {test: verdict(differences[:, i], float(later[test][i])) for test in TESTS}
                codes = codes_of(sample[:, i], {k: float(p[i]) for k, p in pvalues.items()}, names)
                moves = dict.fromkeys(OF_DIFFERENCES, by_test["t"] != truth["t"])
                eligible = set(OF_DIFFERENCES) if by_test["t"] else set()
                for test in ("wilcoxon", "sign"):
                    code = f"not-about-the-mean ({test})"
                    moves[code] = by_test[test] != truth["t"]
                    eligible.discard(code)
                    if by_test[test] and size >= 50:
                        eligible.add(code)
                moves["monte-carlo-near-alpha"] = by_test["permutation"] != truth["permutation"]
                eligible.add("monte-carlo-near-alpha")
                yield Trial(codes, frozenset(eligible), moves)


def without_effect(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Pair the halves of each system's queries, labels by chance: float64[n // 2, n_pairs]."""
    n = len(values) // 2
    order = rng.permutation(len(values))
    flat = values.reshape(len(values), -1)
    differences: FloatArray = flat[order[:n]] - flat[order[n : 2 * n]]
    signs: FloatArray = rng.choice([-1.0, 1.0], differences.shape)
    return differences * signs


def judged_at_10(run: JudgedRun) -> float:
    """Return which share of the first ten documents is judged."""
    return float((run.rank <= 10).sum() / np.minimum(run.n_retrieved, 10).sum())


def trials_of_judgments(folder: Path, rng: np.random.Generator) -> Iterator[Trial]:
    """Yield pairs by fewer judgments, held against all of them."""
    grew = (folder / "qrels.later.txt.gz").exists()
    paths = sorted((folder / "runs").iterdir())
    whole = "qrels.later.txt.gz" if grew else "qrels.txt*"
    pool = Pool.of(inputs.read_qrels(str(next(folder.glob(whole)))), paths)
    if pool.runs[0].ideal_grade.min() > 0:
        return
    sets = [
        (pool.judged_by(judged), pairs)
        for kind, judged, pairs in judgments(pool, rng)
        if not kind.startswith("pools")
    ]
    if grew:
        earlier = Pool.of(inputs.read_qrels(str(folder / "qrels.round2.txt.gz")), paths)
        sets.append((list(earlier.runs), np.array(list(combinations(range(len(paths)), 2)))))
    for name in MEASURES:
        measure = parse(name)
        truth = [measure(run) for run in pool.runs]
        for runs, pairs in sets:
            shares, scores = [judged_at_10(run) for run in runs], [measure(run) for run in runs]
            for a, b in pairs.tolist():
                now, then = scores[b] - scores[a], truth[b] - truth[a]
                moved = _by_t(now) != _by_t(then)
                codes = {"judged-gap"} if abs(shares[b] - shares[a]) > GAP else set()
                yield Trial(frozenset(codes), frozenset({"judged-gap"}), {"judged-gap": moved})


def _by_t(differences: FloatArray) -> int:
    return verdict(differences, float(run_test("t", differences).pvalue[0]))


def trials_of_runs(scores: Scores, rng: np.random.Generator) -> Iterator[Trial]:
    """Yield pairs with ties in another order, and with both runs cut at one depth."""
    runs = [scores.judged_runs[system].judged for system in scores.systems]
    medians = [float(np.median(run.n_retrieved[run.n_retrieved > 0])) for run in runs]
    seed = int(rng.integers(2**31))
    for place, name in enumerate(scores.measures):
        measure, values = parse(name), scores.values[:, :, place]
        low, high = np.moveaxis(np.array([extremes(measure, run) for run in runs]), 1, 0)
        expected = [tie_range(measure, run, n_orders=20, seed=seed).expected for run in runs]
        for a, b in combinations(range(len(runs)), 2):
            differences = values[:, b] - values[:, a]
            ends = (low[b] - high[a]).mean(), (high[b] - low[a]).mean()
            declared, codes, moves = _by_t(differences), set(), {}
            moves["order-of-ties"] = _by_t(expected[b] - expected[a]) != declared
            if round(ends[1] - ends[0], 10) > TIES_MOVE * abs(differences.mean()):
                codes.add("order-of-ties")
            depth, deep = sorted((medians[a], medians[b]))
            cut = declared
            if depth < SAME_DEPTH * deep:
                at_depth = [measure(runs[i].top(int(depth))) for i in (a, b)]
                cut = _by_t(at_depth[1] - at_depth[0])
            moves["unequal-depth"] = cut * declared < 0
            if moves["unequal-depth"]:
                codes.add("unequal-depth")
            yield Trial(frozenset(codes), frozenset(moves), moves)


def codes_of_files(scores: Scores) -> Iterator[frozenset[str]]:
    """Yield the cautions on the files of each pair."""
    for pair in combinations(scores.systems, 2):
        audits = [scores.audits[system] for system in pair]
        present = {
            "missing-queries": any(audit.missing for audit in audits),
            "extra-queries": any(audit.extra for audit in audits),
            "rank-conflicts": any(audit.n_rank_conflicts for audit in audits),
            "several-tags": any(len(audit.tags) > 1 for audit in audits),
        }
        yield frozenset(code for code, is_present in present.items() if is_present)


def read(data: Path, name: str) -> Scores:
    """Score the runs of a collection once."""
    folder = data / "pools" / name if name == "covid_r2" else data / name
    qrels = "qrels.round2*" if name == "covid_r2" else "qrels.txt*"
    runs = {
        path.name.partition(".run")[0]: str(path) for path in sorted((folder / "runs").iterdir())
    }
    return evaluate(str(next(folder.glob(qrels))), runs, MEASURES)


def segments_of(scores: Scores) -> list[str]:
    """Return a third for each query, by its number of relevant documents."""
    run, n = scores.judged_runs[scores.systems[0]].judged, len(scores.query_ids)
    n_relevant = np.bincount(run.ideal_query[run.ideal_grade > 0], minlength=n)[:n]
    thirds = np.searchsorted(np.quantile(n_relevant, [1 / 3, 2 / 3]), n_relevant)
    return [str(third) for third in thirds.tolist()]


def measure_cautions(data: Path, seed: int) -> list[Row]:
    """Count every caution over the collections."""
    real: list[frozenset[str]] = []
    null: list[frozenset[str]] = []
    files: list[frozenset[str]] = []
    trials: list[Trial] = []
    gaps: list[bool] = []
    for name in COLLECTIONS:
        rng, scores = stream(seed, "cautions", name), read(data, name)
        labels = segments_of(scores)
        pairs = list(combinations(range(len(scores.systems)), 2))
        differences = np.concatenate(
            [scores.values[:, b] - scores.values[:, a] for a, b in pairs], axis=1
        )
        pvalues = pvalues_of(differences, seed)
        real += [
            codes_of(column, {test: float(p[i]) for test, p in pvalues.items()}, labels)
            for i, column in enumerate(differences.T)
        ]
        trials += trials_of_queries(differences, labels, rng)
        for _ in range(2 * DRAWS):
            flat = without_effect(scores.values, rng)
            pvalues = pvalues_of(flat, seed)
            thirds_of = [str(i % N_SEGMENTS) for i in range(len(flat))]
            null += [
                codes_of(column, {test: float(p[i]) for test, p in pvalues.items()}, thirds_of)
                for i, column in enumerate(flat.T)
            ]
        of_runs = list(trials_of_runs(scores, rng))
        real += [trial.codes for trial in of_runs]
        trials += of_runs
        files += codes_of_files(scores)
        shares = [scores.audits[system].judged_at_10 for system in scores.systems]
        gaps += [abs(shares[b] - shares[a]) > GAP for a, b in pairs]
        folder = data / "pools" / name if name == "covid_r2" else data / name
        if name != "ltr":  # every document is judged
            trials += trials_of_judgments(folder, rng)
        sys.stderr.write(f"{name}\n")
    tallies = {code: sum(code in codes for codes in real) for code in (*OF_DIFFERENCES, *OF_RUNS)}
    tallies["judged-gap"] = sum(gaps) * len(MEASURES)
    n_pairs = len(gaps) * len(MEASURES)
    rows = [
        row_of(code, (tallies[code], n_pairs), null if code in OF_DIFFERENCES else [], trials)
        for code in tallies
    ]
    for code in OF_FILES:
        count = sum(code in codes for codes in files)
        rows.append(Row(code, "", count, len(files), 0, 0, 0, 0, 0, 0))
    return rows


def row_of(
    code: str, real: tuple[int, int], null: Sequence[frozenset[str]], trials: Sequence[Trial]
) -> Row:
    """Count where a caution is given, and where its remedy changes the verdict."""
    fired = [trial.moves[code] for trial in trials if code in trial.codes]
    silent = [trial.moves[code] for trial in trials if code in trial.eligible - trial.codes]
    n_null = sum(code in codes for codes in null)
    remedy = {**OF_DIFFERENCES, **OF_RUNS}[code]
    return Row(
        code, remedy, *real, n_null, len(null), len(fired), sum(fired), len(silent), sum(silent)
    )


def share(count: int, total: int) -> str:
    """Return a share with what it is of; a dash of nothing."""
    return f"{count} of {total} ({count / total:.0%})" if total else "–"


def page(rows: Sequence[Row]) -> str:
    """Write what was measured, and what became of each caution."""
    lines = [
        "# Is a caution right?\n\n"
        "A caution stands on the first screen if it is right at least once in three times that it"
        " is given, or if the input is wrong. Pairs of real runs are those of"
        f" {', '.join(COLLECTIONS)} by {', '.join(MEASURES)}. Without effect are the halves of each"
        " system's queries, paired by chance, with labels flipped by chance.\n\n"
        "Right: the remedy that the caution names changes the verdict of the paired t test (5%)."
        f" More queries: {FEW} queries or half of them, {DRAWS} draws of each pair, against all."
        " More judgments: TREC-COVID round 2 against all five rounds, and judgments without what"
        " one run alone has in its first 100. Ties in random order: the mean over 20 orders. The"
        " column “otherwise” has how often the same remedy changes a verdict that could have the"
        " caution and has not.\n\n"
        "| caution | remedy | on real pairs | without effect | right | otherwise | outcome |\n"
        "|---|---|---:|---:|---:|---:|---|\n"
    ]
    lines += [
        f"| {row.caution} | {row.remedy or '–'} | {share(row.real, row.pairs)} |"
        f" {share(row.null, row.null_pairs)} | {share(row.right, row.fired)} |"
        f" {share(row.moved, row.silent)} | {OUTCOMES[row.caution]} |\n"
        for row in rows
    ]
    lines += [f"| {code} | – | – | – | – | – | {OF_THE_INPUT[code]} |\n" for code in OF_THE_INPUT]
    lines.append(
        "\nThe last rows report the input, the rule or the design: no healthy pair of runs has"
        " them.\n\nSeed 0. Again: `python -m reports.studies.calibration.cautions --data DIR`.\n"
    )
    return "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the study and return the exit code."""
    parser = command_of("cautions", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    args = parser.parse_args(arguments)
    rows = measure_cautions(args.data, args.seed)
    save(args.output, "cautions", page(rows), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
