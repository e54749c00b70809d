"""Every ability at every door: a cell works as an oracle says, or is refused with its reason.

A door is how two systems are handed over, or many; an ability is what is asked of them. All pairs
of abilities are asked at all doors, as most defects hid where two of them meet: guards and
clusters, a cost and anything, looks and ties.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import abrank
from abrank import ArgumentError, Comparison, simulate_runs
from abrank.inference import adjust
from abrank.inference.clusters import run_cluster_test, weighted_result
from abrank.inference.sequential import level_of_seen
from abrank.report.saved.comparison import from_dict
from abrank.rule import GATES, Verdict
from tests.asked import asked

MEASURES = ["AP", "RR", "ms"]
N, TIES = 60, 12
IDS = [f"q{i + 1:02}" for i in range(N)]
USERS = {query: f"u{i // 5}" for i, query in enumerate(IDS)}
WEIGHTS = {query: 1.0 + i % 7 for i, query in enumerate(IDS)}
SEGMENTS = {
    "half": {query: "ab"[i % 2] for i, query in enumerate(IDS)},
    "third": {query: "xyz"[i % 3] for i, query in enumerate(IDS)},
}


def drawn(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores of A and B: B gains, and takes longer; ties are such but for rounding."""
    random = np.random.default_rng(seed)
    a = 0.1 + 0.6 * random.random((N, 3))
    b = a + np.array([0.035, 0.035, 0.06]) + 0.1 * random.standard_normal((N, 3))
    a[:TIES], b[:TIES] = 0.3, 0.1 + 0.2
    index = pd.Index(IDS, name="query_id")
    return pd.DataFrame(a, index, MEASURES), pd.DataFrame(b, index, MEASURES)


def judged_by_machine(*systems: pd.DataFrame) -> tuple[pd.DataFrame, ...]:
    """Return a machine's scores of the same queries and of four times as many like them."""
    random = np.random.default_rng(3)
    rows = np.concatenate([np.arange(N), random.integers(0, N, 4 * N)])
    ids = [*IDS, *(f"m{i}" for i in range(4 * N))]
    noise = 0.04 * random.standard_normal((len(systems), 5 * N, 3))
    return tuple(
        pd.DataFrame(system.to_numpy()[rows] + more, ids, MEASURES)
        for system, more in zip(systems, noise, strict=True)
    )


A, B = drawn(4)
MACHINE = judged_by_machine(A, B)


RUNS = simulate_runs(N, effect=0.3, rng=4)


VOTED = {"AP": "preference", "RR": "mean of orders"}
VOTES = [
    {"query_id": query, "shown_first": first, "winner": "tie" if i < TIES else winner}
    for i, (query, drawn_of) in enumerate(
        zip(IDS, np.random.default_rng(2).choice(["A", "tie", "B", "B"], (N, 2)), strict=True)
    )
    for first, winner in zip("AB", drawn_of, strict=True)
]


# --- The doors: each takes the same words for the same abilities


def runs(**how: Any) -> Comparison:
    how = {name: value for name, value in _scored(how).items() if name != "lower_is_better"}
    how |= {"measures": ["AP", "RR", "FPR"], "primary": how["primary"].replace("ms", "FPR")}
    return abrank.compare(RUNS.qrels, RUNS.baseline, RUNS.candidate, **asked(**how))


def ready(**how: Any) -> Comparison:
    return abrank.compare_scores(A, B, **asked(**_scored(how)))


def votes(**how: Any) -> Comparison:
    if "lower_is_better" in how:
        return abrank.compare_preferences(VOTES, lower_is_better=how["lower_is_better"])
    how = {"test": "t", **how, "primary": VOTED.get(how["primary"], how["primary"])}
    if "guard" in how:
        how["guard"] = [f"{VOTED[item[:2]]}{item[2:]}" for item in how["guard"]]
    if "clusters" in how:
        how["clusters"] = pd.Series(how["clusters"], name="user")
    return abrank.compare_preferences(VOTES, **asked(**how))


def machine(**how: Any) -> Comparison:
    arguments = _scored(how)
    comparison = abrank.compare_scores(
        A, B, **asked(machine_scores=MACHINE, machine_judge="m", **arguments)
    )
    assert comparison.with_machine
    return comparison


def collections(**how: Any) -> Any:
    pairs = {"x": (A[:25], B[:25]), "y": (A[25:], B[25:])}
    for name in {"clusters", "segments"} & {*how}:
        of_query = how[name]
        how[name] = dict.fromkeys(pairs, of_query)
        if name == "clusters":
            how[name] = dict.fromkeys(pairs, pd.Series(of_query, name="user"))
    return abrank.compare_collections(pairs, measures=MEASURES, **asked(**how))


def ranking(**how: Any) -> Any:
    systems = {"A": A, "B": B, "C": A - 0.05}
    rows = (frame.assign(system=name).reset_index() for name, frame in systems.items())
    table = pd.concat(rows).melt(["query_id", "system"], var_name="measure", value_name="score")
    how = dict(how)
    lead = how.pop("primary", "AP")
    order = [lead, *(name for name in MEASURES if name != lead)]
    return abrank.rank_scores(table, measures=order, **how)


def _scored(how: dict[str, Any]) -> dict[str, Any]:
    arguments = {"measures": MEASURES, **how}
    if "clusters" in arguments:
        arguments["clusters"] = pd.Series(arguments["clusters"], name="user")
    return arguments


DOORS = {item.__name__: item for item in (runs, ready, votes, machine, collections, ranking)}


_ANSWERED: dict[tuple[str, str], Any] = {}


def answer(door: str, **asked: Any) -> Any:
    """Return what a door answers; a question is asked once, whichever cells compare with it."""
    key = (door, repr(sorted(asked.items())))
    if key not in _ANSWERED:
        _ANSWERED[key] = DOORS[door](**asked)
    return _ANSWERED[key]


# --- The abilities: what is asked, and what must be seen then


@dataclass(frozen=True)
class Cell:
    """What one door was asked, and what it answered."""

    door: str
    asked: dict[str, Any]
    given: Any

    @property
    def scores(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        if self.door not in ("runs", "votes"):
            return A, B
        columns = self.given.measures
        return tuple(
            pd.DataFrame(item, index=IDS, columns=columns) for item in (self.given.a, self.given.b)
        )

    @property
    def of(self) -> Comparison:
        return self.given.pooled if self.door == "collections" else self.given

    def without(self, *names: str, **more: Any) -> Comparison:
        values = {key: value for key, value in self.asked.items() if key not in names}
        return Cell(self.door, {}, answer(self.door, **values | more)).of


def sees_cost(cell: Cell) -> None:
    if cell.door == "ranking":
        assert (cell.given.systems[0], cell.given.of("AP").systems[0]) == ("C", "B")
        pair = next(row for row in cell.given.pair_rows if {row.a, row.b} == {"A", "B"})
        assert (pair.b, pair.reading) == ("A", "better")
        return
    row = cell.of.primary
    a, b = (score[str(row.measure)] for score in cell.scores)
    less, more = int((b < a - 1e-9).sum()), int((b > a + 1e-9).sum())
    assert (row.wins, row.losses) == (less, more)
    gains = row.diff < 0.0
    w = np.array([*WEIGHTS.values()]) if "weights" in cell.asked else None
    assert row.diff == pytest.approx(np.average(b - a, weights=w))
    assert row.reading in ("better" if gains else "worse", "unclear")
    against = ("worse", "worse-size-unclear") if gains else ("better", "better-size-unclear")
    assert cell.of.verdict not in against
    assert (cell.of.effects["p_better"].estimate > 0.5) == (less > more)


def sees_margin(cell: Cell) -> None:
    result, margin = cell.of, 0.02
    assert result.decision.margin == pytest.approx(margin)
    sign = 1 if result.primary.higher_is_better else -1
    low, high = sorted(sign * x for x in (result.primary.ci_low_adj, result.primary.ci_high_adj))
    inner = (result.decision.tost_low, result.decision.tost_high)
    if result.rule.family != "all":
        assert inner == pytest.approx(tuple(result.confidence_interval(1 - 2 * result.rule.alpha)))
    inner_low, inner_high = sorted(sign * x for x in inner)
    # The table of cases, from its words.
    expected = (
        Verdict.BETTER if low > margin else
        Verdict.WORSE if high < -margin else
        Verdict.SAME if inner_low > -margin and inner_high < margin else
        Verdict.BETTER_SIZE_UNCLEAR if low > 0 else
        Verdict.WORSE_SIZE_UNCLEAR if high < 0 else
        Verdict.NOT_WORSE if inner_low > -margin else
        Verdict.NOT_BETTER if inner_high < margin else
        Verdict.INCONCLUSIVE
    )  # fmt: skip
    assert result.verdict is expected


def sees_share(cell: Cell) -> None:
    change = cell.of.decision.relative
    assert cell.of.decision.margin == pytest.approx(0.05 * abs(change.baseline))
    a, b = (score[str(cell.of.rule.primary)].to_numpy() for score in cell.scores)
    w = np.array([*WEIGHTS.values()]) if "weights" in cell.asked else None
    assert change.baseline == pytest.approx(np.average(a, weights=w))
    users = [USERS[query] for query in IDS] if "clusters" in cell.asked else None
    if w is None and users is None:
        return
    # Each limit is the change that the deciding t test just does not reject.
    for limits, level in (
        ((change.ci_low, change.ci_high), cell.of.rule.alpha),
        ((change.tost_low, change.tost_high), 2 * cell.of.rule.alpha),
    ):
        for limit in limits:
            left = b - (1 + limit) * a
            cluster_test = (
                run_cluster_test("t", left, users)
                if w is None
                else weighted_result(left[:, None], w, confidence=0.95, clusters=users)
            )
            assert cluster_test.pvalue[0] == pytest.approx(level, rel=1e-6)


def sees_guards(cell: Cell) -> None:
    """Each guard has the interval that its measure has where that decides."""
    result = cell.of
    named = VOTED if cell.door == "votes" else {}
    asked_of = [named.get(name, name) for name in ("RR", "AP")]
    assert [guard.measure for guard in result.decision.guards] == asked_of
    for guard in result.decision.guards:
        if "family" in cell.asked:
            break
        alone = cell.without("guard", "require", "margin", "primary", primary=guard.measure)
        low, high = alone.confidence_interval(1 - 2 * result.rule.alpha)
        assert (guard.low, guard.high) == pytest.approx((low, high), abs=1e-12)
        assert guard.passed == (low > -guard.margin)
        wide = alone.primary
        assert wide.ci_low < guard.low < guard.high < wide.ci_high
    assert result.decision.gate is not None
    if not all(guard.passed for guard in result.decision.guards):
        assert not result.decision.gate.passed


def sees_gate(cell: Cell) -> None:
    result = cell.of
    gate = result.decision.gate
    visible = result.verdict in GATES["better"].verdicts
    assert gate.passed == (visible and all(guard.passed for guard in result.decision.guards))
    assert result.decision.exit_code == (0 if gate.passed else 1)
    if gate.passed:
        assert cell.given.require("better") is cell.given
    else:
        with pytest.raises(abrank.GateError):
            cell.given.require("better")


def sees_clusters(cell: Cell) -> None:
    result = cell.of
    assert result.clusters.n_clusters == N // 5
    labels = [USERS[query] for query in IDS]
    if not {"guard", "family", "weights"} & {*cell.asked}:
        a, b = cell.scores
        d = (b - a)[str(result.rule.primary)].to_numpy()
        by = cell.of.rule.test
        if cell.door == "collections":
            pvalue = within_collections(d, labels)
        else:
            outcome = run_cluster_test(by, d, labels, confidence=result.rule.confidence, seed=0)
            pvalue = outcome.pvalue[0]
        assert result.primary.pvalue == pytest.approx(pvalue, rel=1e-6)
    assert result.effects["d_z"].ci_low != result.effects["d_z"].ci_low  # NaN: no interval


def within_collections(d: np.ndarray, labels: list[str]) -> float:
    """Return p of the mean over two collections by the errors of each, CR2 and Satterthwaite."""
    squares, freedom = [], []
    for part in (slice(25), slice(25, None)):
        custom, users = d[part], labels[part]
        cluster_test = run_cluster_test("t", custom, users)
        error = abs(custom.mean() / cluster_test.statistic[0])
        squares.append((len(custom) / N * error) ** 2)
        freedom.append(cluster_test.freedom)
    df = sum(squares) ** 2 / sum(x**2 / item for x, item in zip(squares, freedom, strict=True))
    return 2 * stats.t.sf(abs(d.mean()) / sum(squares) ** 0.5, df)


def sees_weights(cell: Cell) -> None:
    result = cell.of
    w = np.array([WEIGHTS[query] for query in IDS])
    a, b = (score[str(result.rule.primary)].to_numpy() for score in cell.scores)
    assert result.primary.mean_a == pytest.approx(np.average(a, weights=w))
    assert result.primary.diff == pytest.approx(np.average(b - a, weights=w))
    users = [USERS[query] for query in IDS] if "clusters" in cell.asked else None
    outcome = weighted_result(
        (b - a)[:, None], w, confidence=result.rule.confidence, clusters=users
    )
    if "guard" not in cell.asked and "family" not in cell.asked:
        assert result.primary.pvalue == pytest.approx(outcome.pvalue[0], rel=1e-6)
    assert result.weights.n_effective == pytest.approx(w.sum() ** 2 / (w @ w))
    assert result.segmentations[-1].name == "weight"


def sees_look(cell: Cell) -> None:
    alpha = 0.05 / cell.of.rule.best_of
    level = level_of_seen([1], 2, spending="pocock", alpha=alpha)
    assert cell.of.rule.alpha == pytest.approx(level)
    assert level < alpha


def sees_planned(cell: Cell) -> None:
    alpha = 0.05 / cell.of.rule.best_of
    level = level_of_seen([N], 100, spending=cell.of.rule.design.spending, alpha=alpha)
    assert cell.of.rule.design.seen == (N,)
    assert cell.of.rule.alpha == pytest.approx(level)


def sees_anytime(cell: Cell) -> None:
    plain = cell.without("anytime").primary
    wide = cell.of.primary
    assert wide.ci_high - wide.ci_low > 1.2 * (plain.ci_high - plain.ci_low)
    assert wide.pvalue > plain.pvalue


def sees_all(cell: Cell) -> None:
    if cell.door == "ranking":
        assert cell.given.n_families == len(MEASURES)
        return
    rows = cell.of.rows
    assert cell.of.rule.family == ("secondary" if cell.door == "collections" else "all")
    if cell.of.rule.adjust == "holm":
        expected = adjust(np.array([row.pvalue for row in rows]), "holm")
        assert [row.pvalue_adj for row in rows] == pytest.approx(expected.tolist())


def sees_sequence(cell: Cell) -> None:
    if cell.door == "collections":
        return  # of the pooled measures the primary one decides alone
    lead = cell.of.primary
    order = [lead, *(row for row in cell.of.rows if row is not lead)]
    expected = np.maximum.accumulate([row.pvalue for row in order])
    assert [row.pvalue_adj for row in order] == pytest.approx(expected.tolist())


def sees_segments(cell: Cell) -> None:
    segmentations = cell.of.segmentations
    clustered = "clusters" in cell.asked or "weights" in cell.asked
    custom = ["weight"] if "weights" in cell.asked else []  # head and tail
    assert sorted(item.name for item in segmentations) == ["half", "third", *custom]
    rows = [row for item in segmentations for row in item.rows]
    assert sum(row.n_queries for row in rows) == len(segmentations) * N
    raw = np.array([row.pvalue for row in rows])
    adjusted = np.array([row.pvalue_adj for row in rows])
    if cell.door == "collections":
        assert_drawn_within_collections(cell, segmentations)
    elif clustered or cell.of.rule.test != "t":  # which t adjusts are corrected for skewness
        assert adjusted == pytest.approx(adjust(raw, "holm"))
    sign = 1 if cell.of.primary.higher_is_better else -1
    for row in rows:
        outside = row.ci_low_adj > 0 or row.ci_high_adj < 0
        assert (row.reading in ("better", "worse")) == outside
        if outside:
            assert row.reading == ("better" if sign * row.mean > 0 else "worse")
    plain = np.array([item.interaction_pvalue for item in segmentations])
    assert np.isnan(plain).all() == clustered
    if not clustered:
        adjusted = [item.interaction_pvalue_adj for item in segmentations]
        assert adjusted == pytest.approx(adjust(plain, "holm").tolist())


def assert_drawn_within_collections(cell: Cell, found: Any) -> None:
    """Hold each segment to Student's t of its mean, with the errors within both collections."""
    d = cell.of.differences()
    for item in found:
        for row in item.rows:
            places = np.array(item.labels) == row.label
            parts = [
                part[custom]
                for part, custom in zip(np.split(d, [25]), np.split(places, [25]), strict=True)
            ]
            if "clusters" not in cell.asked:
                square = [len(part) * part.var(ddof=1) / row.n_queries**2 for part in parts]
                df = sum(square) ** 2 / sum(
                    x**2 / (len(p) - 1) for x, p in zip(square, parts, strict=True)
                )
                low, high = stats.t.interval(
                    cell.of.rule.confidence, df, row.mean, sum(square) ** 0.5
                )
                assert (row.ci_low, row.ci_high) == pytest.approx((low, high))
            assert row.mean == pytest.approx(d[places].mean())
            assert row.pvalue_adj >= row.pvalue


def sees_best(cell: Cell) -> None:
    result, plain = cell.of, cell.without("best_of", "test", test="permutation")
    assert (result.rule.best_of, result.rule.test) == (4, "permutation")
    design = result.rule.design
    shared = design is not None and design.shared
    level = design.alpha if shared else result.rule.alpha
    assert level == pytest.approx(0.05 / 4)
    assert result.primary.pvalue == pytest.approx(plain.primary.pvalue)
    assert (
        result.primary.ci_low
        < plain.primary.ci_low
        < plain.primary.ci_high
        < result.primary.ci_high
    )


ABILITIES = {
    "cost": ({"primary": "ms", "lower_is_better": "ms"}, sees_cost),
    "margin": ({"margin": 0.02}, sees_margin),
    "share": ({"margin": "5%"}, sees_share),
    "guards": ({"guard": ["RR:-0.004", "AP:-0.2"], "require": "better"}, sees_guards),
    "gate": ({"require": "better"}, sees_gate),
    "clusters": ({"clusters": USERS}, sees_clusters),
    "weights": ({"weights": WEIGHTS}, sees_weights),
    "look": ({"look": "1/2:pocock"}, sees_look),
    "planned": ({"planned": 100}, sees_planned),
    "anytime": ({"anytime": 60}, sees_anytime),
    "family": ({"family": "all"}, sees_all),
    "sequence": ({"family": "fixed-sequence"}, sees_sequence),
    "segments": ({"segments": SEGMENTS}, sees_segments),
    "best": ({"best_of": 4}, sees_best),
}

# --- What is refused, and the words of its reason; "*" is any door, or whatever it is asked with.

ALONE = ("planned", "anytime")
REASONS: dict[tuple[str, ...], str] = {
    (
        "ranking",
        *(set(ABILITIES) - {"cost", "family", "sequence", "best"}),
    ): "takes no .*=: .*compare",
    ("ranking", "best"): "takes no best_of=: with baseline=",
    ("ranking", "sequence"): "unknown family .*; choices: measure, all",
    ("votes", "cost"): "takes no lower_is_better=: a vote is for the better one",
    ("collections", "weights", *ALONE): "takes no .*=: ",
    ("collections", "best"): "takes no best_of=: ",
    ("machine", "best"): "best_of cannot be combined with machine judgments: t decides",
    ("collections", "share"): "share of A's mean, which is another on each",
    (
        "machine", "clusters", "weights", "look", *ALONE,
    ): "cannot be combined with machine judgments: ",
    ("machine", "segments"): "few human queries each",
    ("machine", "share"): "A's mean over all queries",
}  # fmt: skip
REFUSED = sorted(
    (door, name, "*", why) for (door, *names), why in REASONS.items() for name in names
)
REFUSED += [
    ("*", "anytime", "clusters", "takes queries to be independent"),
    ("*", "anytime", "look", "two ways of looking"),
    ("*", "anytime", "planned", "leave out --look and --anytime"),
    ("*", "look", "planned", "leave out --look and --anytime"),
    ("*", "best", "anytime", "by t or bounded, not of permutation"),
    ("*", "best", "share", "not by permutation, which best_of asks for"),
    ("*", "weights", "anytime", "no confidence sequence of a weighted mean"),
    ("*", "best", "weights", "weights work only with the t test, not with permutation"),
    ("*", "share", "anytime", "Fieller's interval, which is for one look"),
    ("*", "share", "family", "decided by the interval of one measure alone"),
]
# Pairs that are two values of one word.
TWICE = [{"margin", "share"}, {"family", "sequence"}]


ASKED = [(name,) for name in ABILITIES]
ASKED += [pair for pair in combinations(ABILITIES, 2) if set(pair) not in TWICE]


# Runs are compared as ready scores are, once they are scored: their pairs wait for the night.
@pytest.mark.parametrize(
    ("door", "names"),
    [
        pytest.param(
            *(door, names),
            id=f"{door}-{'+'.join(names)}",
            marks=pytest.mark.slow if door == "runs" and len(names) > 1 else (),
        )
        for door in DOORS
        for names in ASKED
    ],
)
def test_every_cell_works_or_is_refused_with_its_reason(door: str, names: tuple[str, ...]) -> None:
    requested: dict[str, Any] = {}
    for name in names:
        requested |= ABILITIES[name][0]
    requested = {"primary": "AP", **requested}
    reasons = [
        why
        for where, first, second, why in REFUSED
        if where in (door, "*") and first in names and (second == "*" or second in names)
    ]
    if reasons:
        with pytest.raises(ArgumentError, match="|".join(reasons)):
            DOORS[door](**requested)
        return
    cell = Cell(door, requested, answer(door, **requested))
    for name in names:
        ABILITIES[name][1](cell)
    if door != "ranking":
        holds_together(cell)


def holds_together(cell: Cell) -> None:
    """Check what is so of every comparison."""
    result = cell.of
    alpha = result.rule.alpha
    a, b = cell.scores
    for row in result.rows:
        assert row.wins + row.ties + row.losses == N
        # What rounding makes of one number is no win.
        assert row.ties == (np.abs((b - a)[str(row.measure)]) < 1e-9).sum()
        for low, high, pvalue in (
            (row.ci_low, row.ci_high, row.pvalue),
            (row.ci_low_adj, row.ci_high_adj, row.pvalue_adj),
        ):
            assert (low > 0 or high < 0) == (pvalue < alpha)
        visible = row.ci_low_adj > 0 or row.ci_high_adj < 0
        asks = row.measure in result.undeclared
        better = (row.estimate > 0) == row.higher_is_better
        words = ("differs", "differs") if asks else ("worse", "better")
        assert row.reading == (words[better] if visible else "unclear")
    deciding = [row for row in result.test_rows if row.decides]
    assert len(deciding) == 1
    assert deciding[0].pvalue == pytest.approx(result.primary.pvalue, rel=1e-6)
    assert (result.decision.ci_low, result.decision.ci_high) == (
        result.primary.ci_low_adj,
        result.primary.ci_high_adj,
    )
    if cell.door == "collections":
        assert result.n_queries == cell.given.primary.n_queries
        assert cell.given.primary.stratified.pvalue == result.primary.pvalue
    else:
        assert from_dict(result.to_dict()) == result


def test_guards_are_drawn_by_the_seed_of_the_call() -> None:
    random = np.random.default_rng(1)
    a = pd.DataFrame(random.random((N, 2)), index=IDS, columns=["AP", "RR"])
    b = a + 0.02 + 0.1 * random.standard_normal(a.shape)

    def guarded(seed: int) -> tuple[float, float]:
        comparison = abrank.compare_scores(
            a, b, measures=["AP", "RR"], guard="RR:-0.05", require="better", test="bootstrap",
            resamples=999, rng=seed,
        )  # fmt: skip
        (guard,) = comparison.decision.guards
        custom = abrank.compare_scores(
            a, b, measures=["RR"], test="bootstrap", resamples=999, rng=seed
        )
        assert (guard.low, guard.high) == tuple(custom.confidence_interval(0.9))
        return guard.low, guard.high

    assert guarded(3) == guarded(3)
    assert guarded(3) != guarded(5)


def test_what_speaks_against_one_collection_speaks_against_all() -> None:
    judged = {query: {"d1": 1, "d2": 0} for query in IDS}
    found_by = {query: {"d1": 2.0, "d2": 1.0} for query in IDS}
    rest = {query: {"x1": 2.0, "x2": 1.0} for query in IDS}
    result = abrank.compare_collections(
        {"sound": (judged, found_by, found_by), "other ids": (judged, found_by, rest)},
        measures="AP",
        fail_on="worse",
    )
    assert (str(result.verdict), result.decision.gate.lacks) == ("cannot-test", "soundness")
    assert {reason.values["collection"] for reason in result.soundness.reasons} == {"other ids"}
    assert result.decision.exit_code == 3


def test_collections_whose_queries_do_not_count_alike_are_not_pooled() -> None:
    parts = {
        "machine": machine(),
        "anytime": abrank.compare_scores(A, B, measures=MEASURES, design=abrank.Anytime(60)),
    }
    for name, part in parts.items():
        with pytest.raises(ArgumentError, match=f"{name} cannot be pooled with others: "):
            abrank.compare_collections({name: part, "other": part})
