"""When do further judgments change a verdict? Rules that doubt one, on judgments that grew.

``python -m reports.studies.calibration.doubt --data DIR`` writes ``doubt.md``, ``doubt.csv`` and
``doubt.svg``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from abrank import inputs
from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.comparison.evidence import CONDENSED_WEIGHT
from abrank.inputs import JudgedRun
from abrank.measures import Measure, parse
from abrank.measures.sensitivity import with_judgments
from reports.studies.calibration.single import command_of, save

MEASURES = tuple(map(parse, ("nDCG@10", "AP", "P@10")))
COLLECTIONS = ("covid_r2", "robust03", "vaswani", "partial")
DEPTHS, SIZES, REPEATS, MOST_PAIRS = (5, 10, 20), (2, 3, 4, 5), 3, 15
LOOKED_AT = 100  # documents of a run that a newcomer may have alone, or a measure may look at
WEIGHTS = (0.25, 0.5, CONDENSED_WEIGHT, 0.75, 1.0)
IMPUTED = "imputed"
DRAWS = 6
BANDS = (3, 10, 30, LOOKED_AT)  # ranks at which relevance is as frequent
GOAL = {"doubted": 0.10, "right": 0.30, "found": 0.40}


@dataclass(frozen=True)
class Row:
    """One rule on one set of pairs.

    ``moved`` pairs have another verdict with the later judgments; ``right`` are those of them that
    the rule doubts. ``error`` is the mean distance of the rule's difference from the later one.
    """

    collection: str
    judgments: str
    rule: str
    pairs: int
    moved: int
    doubted: int
    right: int
    error: float


@dataclass(frozen=True)
class Pool:
    """The runs of a collection, joined with all of its judgments."""

    qrels: inputs.Qrels
    runs: Sequence[JudgedRun]

    @classmethod
    def of(cls, qrels: inputs.Qrels, paths: Sequence[Path]) -> Pool:
        """Read the runs."""
        return cls(qrels, [inputs.join(qrels, inputs.read_run(str(path))) for path in paths])

    def ranks(self) -> IntArray:
        """Return where each run has each judged document, 0 for nowhere: int64[runs, judged]."""
        ranks = np.zeros((len(self.runs), len(self.qrels.grade)), dtype=np.int64)
        for row, run in zip(ranks, self.runs, strict=True):
            row[run.judgment] = run.rank
        return ranks

    def judged_by(self, selected: BoolArray) -> list[JudgedRun]:
        """Return the runs as they are with some of the judgments only."""
        order = np.lexsort((-self.qrels.grade, self.qrels.query))
        order = order[selected[order]]
        query, grade = self.qrels.query[order], self.qrels.grade[order]
        return [
            replace(
                run._rows(selected[run.judgment], run.n_retrieved),
                ideal_query=query,
                ideal_grade=grade,
            )
            for run in self.runs
        ]


def judgments(pool: Pool, rng: np.random.Generator) -> Iterator[tuple[str, BoolArray, IntArray]]:
    """Yield smaller sets of judgments, what they are, and the pairs of runs to compare by them."""
    ranks, n = pool.ranks(), len(pool.runs)
    top = (ranks > 0) & (ranks <= LOOKED_AT)
    for newcomer in range(n):
        alone = top[newcomer] & ~np.delete(top, newcomer, axis=0).any(axis=0)
        pairs = [pair for pair in permutations(range(n), 2) if pair[1] == newcomer]
        yield "without a run's own", np.logical_not(alone), np.array(pairs)
    values: IntArray = np.array(list(combinations(range(n), 2)))
    for depth in DEPTHS:
        for size in (size for size in SIZES if size <= n):
            for _ in range(REPEATS):
                of_pool = ranks[rng.permutation(n)[:size]]
                selected: BoolArray = np.any((of_pool > 0) & (of_pool <= depth), axis=0)
                yield (
                    f"pools of depth {depth}",
                    selected,
                    values[rng.permutation(len(values))][:MOST_PAIRS],
                )


def verdicts(differences: FloatArray, between: float = 0.0) -> tuple[float, int]:
    """Return the mean, and which side of 0 its 95% interval lies on; 0 for neither."""
    n = len(differences)
    mean, error = differences.mean(), np.sqrt(differences.var(ddof=1) / n + between)
    return float(mean), int(np.sign(mean) * (abs(mean) > student.ppf(0.975, n - 1) * error))


def imputed(
    measure: Measure, a: JudgedRun, b: JudgedRun, rng: np.random.Generator
) -> tuple[float, int]:
    """Draw unjudged documents relevant as often as judged ones of one run at that rank (Rubin)."""
    cutoff = dict(measure.parameters).get("cutoff")
    depth = cutoff if isinstance(cutoff, int) else LOOKED_AT
    hits, judged = np.full(len(BANDS), 0.5), np.ones(len(BANDS))
    for run, second in ((a, b), (b, a)):
        assert run.judgment is not None
        assert second.judgment is not None
        alone = ~np.isin(run.judgment, second.judgment[second.rank <= depth]) & (run.rank <= depth)
        band = np.searchsorted(BANDS, run.rank[alone])
        judged += np.bincount(band, minlength=len(BANDS))
        hits += np.bincount(band, weights=run.grade[alone] > 0, minlength=len(BANDS))
    chance = hits / judged
    draws = []
    for _ in range(DRAWS):
        values = []
        for run in (a, b):
            query, rank = unjudged(run, depth)
            hit = rng.random(len(query)) < chance[np.searchsorted(BANDS, rank)]
            values.append(measure(with_judgments(run, query[hit], rank[hit], 1)))
        draws.append(values[1] - values[0])
    between = np.var([draw.mean() for draw in draws], ddof=1) * (1.0 + 1.0 / DRAWS)
    return verdicts(np.mean(draws, axis=0), float(between))


def unjudged(run: JudgedRun, depth: int) -> tuple[IntArray, IntArray]:
    """Return query and rank of the documents of the first ranks that nobody judged."""
    is_judged = np.zeros((run.n_queries, depth + 1), dtype=np.bool_)
    near = run.rank <= depth
    is_judged[run.query[near], run.rank[near]] = True
    retrieved = np.arange(depth + 1) <= run.n_retrieved[:, None]
    query, rank = np.nonzero(retrieved & ~is_judged)
    return query[rank > 0], rank[rank > 0]


def compare(
    before: Sequence[JudgedRun],
    later: Sequence[JudgedRun],
    pairs: IntArray,
    rng: np.random.Generator,
) -> Iterator[tuple[tuple[float, int], tuple[float, int], dict[str, tuple[float, int]]]]:
    """Yield mean and verdict of each pair by both judgments, and by each rule by the earlier."""
    condensed = [run.condensed() for run in before]
    only_relevant = before[0].ideal_grade.min() > 0
    for measure in MEASURES:
        declared, left_out, truth = (
            [measure(run) for run in runs] for runs in (before, condensed, later)
        )
        for a, b in pairs.tolist():
            as_declared, without = declared[b] - declared[a], left_out[b] - left_out[a]
            rules = {
                f"{weight:.2f}": verdicts(as_declared + weight * (without - as_declared))
                for weight in WEIGHTS
            }
            rules[IMPUTED] = imputed(measure, before[a], before[b], rng)
            if only_relevant:  # then a condensed list holds relevant documents alone
                rules = dict.fromkeys(rules, verdicts(as_declared))
            yield verdicts(as_declared), verdicts(truth[b] - truth[a]), rules


def measure_collection(
    name: str, data: Path, rng: np.random.Generator
) -> Iterator[tuple[str, str, float, bool, bool]]:
    """Yield judgments, rule, both errors, and whether the verdict moved and was doubted."""
    folder = data / "pools" / name if name == "covid_r2" else data / name
    paths = sorted((folder / "runs").iterdir())
    whole = "qrels.later.txt.gz" if name == "covid_r2" else "qrels.txt*"
    pool = Pool.of(inputs.read_qrels(str(next(folder.glob(whole)))), paths)
    sets = [
        (kind, pool.judged_by(selected), pairs) for kind, selected, pairs in judgments(pool, rng)
    ]
    if name == "covid_r2":
        earlier = Pool.of(inputs.read_qrels(str(folder / "qrels.round2.txt.gz")), paths)
        values = np.array(list(combinations(range(len(paths)), 2)))
        sets.insert(0, ("as they grew", list(earlier.runs), values))
    for kind, before, pairs in sets:
        for declared, truth, rules in compare(before, pool.runs, pairs, rng):
            moved = declared[1] != truth[1]
            yield kind, "none", abs(declared[0] - truth[0]), moved, False
            for rule, (mean, verdict) in rules.items():
                yield kind, rule, abs(mean - truth[0]), moved, verdict != declared[1]


def measure_rules(data: Path, seed: int) -> list[Row]:
    """Count what each rule doubts, by collection and judgments."""
    rows = []
    for name in COLLECTIONS:
        table: dict[tuple[str, str], list[tuple[float, bool, bool]]] = {}
        outcomes_of = measure_collection(name, data, stream(seed, "doubt", name))
        for kind, rule, distance, has_moved, is_doubted in outcomes_of:
            table.setdefault((kind, rule), []).append((distance, has_moved, is_doubted))
        for (kind, rule), outcomes in table.items():
            error, moved, doubted = np.array(outcomes, dtype=np.float64).T
            rows.append(
                Row(
                    name, kind, rule, len(outcomes), int(moved.sum()), int(doubted.sum()),
                    int((moved * doubted).sum()), round(float(error.mean()), 5),
                )
            )  # fmt: skip
            sys.stderr.write(f"{rows[-1]}\n")
    return rows


def total(rows: Sequence[Row], rule: str, *, pools: bool | None = None) -> Row:
    """Add the rows of a rule, of pools or of other judgments alone where that is asked for."""
    chosen = [
        row
        for row in rows
        if row.rule == rule and pools in (None, row.judgments.startswith("pools"))
    ]
    pairs, moved, doubted, right = (
        sum(getattr(row, key) for row in chosen) for key in ("pairs", "moved", "doubted", "right")
    )
    error = sum(row.error * row.pairs for row in chosen) / pairs
    return Row("all", "all", rule, pairs, moved, doubted, right, error)


def shares(row: Row) -> tuple[float, float, float]:
    """Return how many pairs are doubted, how many doubts are right, how many moves are found."""
    return (
        row.doubted / row.pairs,
        row.right / row.doubted if row.doubted else float("nan"),
        row.right / row.moved if row.moved else float("nan"),
    )


NAMES = {"none": "no doubt", "1.00": "judged documents only", IMPUTED: "unjudged ones imputed"}
SETS = (("judgments that grew, and runs' own documents", False), ("pools", True), ("all", None))


def page(rows: Sequence[Row]) -> str:
    """Write what was measured."""
    chosen = f"{CONDENSED_WEIGHT:.2f}"
    rules = list(dict.fromkeys(row.rule for row in rows))
    lines = [
        "# A doubt that further judgments could change the verdict\n\n"
        "A verdict counts unjudged documents as not relevant. Later judgments show whether it was"
        " right: the truth of a pair is its verdict with all judgments (paired t test, 95%;"
        " nDCG@10, AP and P@10). Earlier judgments are those of TREC-COVID round 2, which four more"
        " rounds judged; all judgments without what one run alone has in its first 100; and pools"
        f" of the first 5, 10 or 20 documents of two to five runs, drawn {REPEATS} times.\n\n"
        "A rule doubts a verdict where the verdict by other scores differs. The scores lie between"
        " those with unjudged documents not relevant (weight 0) and those with judged documents"
        f" only (weight 1; Sakai 2007). abrank takes the weight {chosen}. Judgments that list"
        " relevant documents alone (vaswani) have no condensed list, and nothing is doubted.\n\n"
        "![Share of pairs doubted, of doubts that are right and of moves that are found, by"
        " weight](doubt.svg)\n\n"
        "| pairs | rule | pairs | moved | doubted | right | found | error of Δ |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|\n"
    ]
    for name, pools in SETS:
        lines += [_line(name, rule, total(rows, rule, pools=pools)) for rule in rules]
    lines.append(
        "\nDoubted: of all pairs. Right: of those doubted. Found: of those that moved. Error: mean"
        " distance of the difference from the later one.\n\nThe goal was to doubt at most 10% of"
        " pairs, to be right in 30% or more, and to find 40% of those that move. Where judgments"
        " grew or a run was left out of the pool, 7 to 9% of verdicts move and the rule reaches it."
        " Of shallow pools of a few runs a third of all verdicts move: there more is doubted, and"
        " nearly all of it rightly. Judge more documents before such a comparison.\n\n"
        f"## By collection, at the weight {chosen}\n\n"
        "| collection | judgments | pairs | moved | doubted | right | found | error of Δ |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|\n"
    )
    lines += [_line(row.collection, row.judgments, row) for row in rows if row.rule == chosen]
    lines.append(
        "\nAs an estimate of the later Δ imputation and condensed lists are not nearer than the"
        " declared scores where few documents are missing, so no such number is printed.\n"
        "Seed 0. Again: `python -m reports.studies.calibration.doubt --data DIR`.\n"
    )
    return "".join(lines)


def _line(first: str, second: str, row: Row) -> str:
    cells = ["–" if np.isnan(share) else f"{share:.0%}" for share in shares(row)]
    return (
        f"| {first} | {NAMES.get(second, second)} | {row.pairs} | {row.moved} |"
        f" {' | '.join(cells)} | {row.error:.3f} |\n"
    )


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the three shares by weight, a panel for each set of pairs."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "doubt", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(7.2, 2.7), layout="constrained")
        for ax, (name, pools) in zip(figure.subplots(1, len(SETS), sharey=True), SETS, strict=True):
            weights = [0.0, *WEIGHTS]
            of_weight = [shares(total(rows, f"{weight:.2f}", pools=pools)) for weight in WEIGHTS]
            lines = zip(*[(0.0, float("nan"), 0.0), *of_weight], strict=True)
            for (label, goal), values, color in zip(
                GOAL.items(), lines, ("#666666", "#0072b2", "#d55e00"), strict=True
            ):
                ax.plot(weights, values, "o-", color=color, markersize=3, linewidth=1.3)
                ax.axhline(goal, color=color, linewidth=0.6, linestyle=":")
                ax.annotate(label, (weights[-1], values[-1]), xytext=(3, 0),
                            textcoords="offset points", color=color, va="center")  # fmt: skip
            ax.axvline(CONDENSED_WEIGHT, color="#999999", linewidth=0.6)
            ax.set(title=name, ylim=(0, 1), xlim=(0, 1.35), xticks=[0, 0.5, 1], xlabel="weight")
            ax.title.set_fontsize(8)
            ax.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})


def main(arguments: list[str] | None = None) -> int:
    """Run the study, write its page, its table and its figure, and return the exit code."""
    parser = command_of("doubt", __doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    options = parser.parse_args(arguments)
    rows = measure_rules(options.data, options.seed)
    save(options.output, "doubt", page(rows), rows)
    draw(rows, options.output / "doubt.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
