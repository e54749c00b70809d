"""What the catalogue says of each caution: an example, when it appears, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """The numbers of an example, when the caution appears, and what to do about it."""

    values: Mapping[str, Any]
    when: str
    do: str


EXAMPLES: Mapping[str, Example] = {
    # --- What was compared at all
    "document-ids": Example(
        {
            "system": "b", "n_judged": 0, "n_rows": 100_000, "cause": "upper and lower case",
            "n_alike": 499, "n_compared": 500, "in_run": "la-1", "in_qrels": "LA-1",
        },
        "Nearly no document of a run is judged, and would be but for a prefix, an ending or the"
        " case of its id.",
        "Write the ids alike in run and judgments, and compare again.",
    ),
    "none-judged": Example(
        {"system": "b", "n_judged": 0, "n_rows": 7},
        "No document of a run is in the judgments.",
        "Check that run and judgments are of one collection. No gate passes until they are.",
    ),
    "none-relevant": Example(
        {"measures": ["AP(rel=2)"], "rel": 2, "highest": 1},
        "No grade reaches what the measure calls relevant, so every score is 0.",
        "Lower the grade (`AP(rel=1)`), or give the judgments that were meant.",
    ),
    "missing-queries": Example(
        {"system": "b", "count": 70, "ids": ["1", "2", "3"], "n_queries": 100, "policy": "zero"},
        "Judged queries are not in a run. They score 0, as `trec_eval -c` has it.",
        "Run them, or say why they are left out (`--missing drop`). A verdict that only missing"
        " queries make is no evidence: any gate then ends with 3.",
    ),
    "unequal-depth": Example(
        {
            "medians": {"a": 1000, "b": 10}, "depth": 10, "measures": ["AP", "R@100"],
            "differences": {"AP": [-0.11, 0.019], "R@100": [-0.255, 0.024]},
        },
        "One run is cut shorter than the other, above the depth that a measure looks at.",
        "Retrieve to one depth, or cut both there (`--config depth=100`).",
    ),
    "same-file": Example(
        {"systems": ["a", "b"], "sha256": "ab" * 32},
        "Two runs have the same bytes.",
        "Give the run that was meant. One file twice is no evidence.",
    ),
    "tied-runs": Example(
        {"systems": {"a": 4, "b": 6262}},
        "Documents of a ranking's runs have the same score.",
        "Write more decimals, or a second key. See `abrank guide ties`.",
    ),
    "pairs-of-first": Example(
        {"n_systems": 2000, "n_pairs": 1_999_000},
        "A ranking of so many systems that not every pair is kept.",
        "Nothing, if the first is what matters. Else ask for every pair: `--pairs`.",
    ),
    # --- Votes
    "order-fixed": Example(
        {"first": "a", "n": 80},
        "Votes for one of two answers, and the same system is shown first in all of them.",
        "Show both orders, or draw the order of each query. No gate passes before, unless by"
        " `--accept-doubt`.",
    ),
    "order-unknown": Example(
        {"n": 80, "of": 80},
        "Nobody says which of two answers was shown first.",
        "Give a column `shown_first`: A, B, or random where the order was drawn and not kept.",
    ),
    # --- Judgments by a machine
    "machine-set-aside": Example(
        {"n_judged": 30},
        "The sample that people judged shows too few errors of the machine to know them.",
        "Let people judge more queries. Until then they decide alone.",
    ),
    "machine-sample-differs": Example(
        {"what": "difference", "judged": 0.08, "others": 0.01, "pvalue": 0.004},
        "The queries that people judged are not like the others, by the machine's judgments.",
        "Draw them by chance: `abrank sample queries`.",
    ),
    "machine-missing": Example(
        {"count": 3, "ids": ["q7", "q8", "q9"]},
        "People judged queries that the machine did not.",
        "Let the machine judge all queries, those of the people included.",
    ),
    "machine-no-help": Example(
        {"correlation": 0.12, "break_even": 0.31},
        "The machine's differences hardly go with those of people.",
        "Judge by people alone, or take a better judge.",
    ),
    "machine-shares-model": Example(
        {"shared": "b"},
        "A system is built on the model that judges.",
        "Take another judge if you can. What people judged corrects for it where it is a random"
        " sample.",
    ),
    "machine-nearly-all-judged": Example(
        {"n_judged": 190, "n_queries": 200},
        "People judged nearly every query that the machine judged.",
        "Leave the machine out, or let it judge many more queries.",
    ),
    "machine-not-declared": Example(
        {"judge": "", "shared_model": ""},
        "Nobody said which machine judged, or whether a system shares its model.",
        "Declare it in the rule file, before people judge.",
    ),
    # --- What was declared
    "constant-difference": Example(
        {"difference": 0.1},
        "All differences are one value.",
        "Check the scores: real rankers do not differ so.",
    ),
    "nobody-chose": Example(
        {"primary": "AP", "n": 25},
        "Ready scores have several measures, and none was named.",
        "Name the one that decides first: `-m AP`. No gate passes before.",
    ),
    "direction-not-declared": Example(
        {"measures": ["latency_ms"]},
        "A score sounds like a cost, and nobody said whether less of it is better.",
        "`--lower-is-better latency_ms`, or `--config higher_is_better=latency_ms`.",
    ),
    "guard-turned": Example(
        {"guards": ["R@100"], "kind": "common-depth", "depth": 10, "n_queries": 50},
        "A guard passes, and would not at a common depth, or on the queries that both have.",
        "Retrieve as deep with both systems, and run both on all judged queries.",
    ),
    "missing-scores": Example(
        {"a": 2, "b": 7, "both": 1, "n": 200, "left": 192},
        "Ready scores have holes, as where a judge failed, and `--missing` says what fills them.",
        "Score them again. Failures are seldom by chance: look whether the long answers failed.",
    ),
    "shown-apart": Example(
        {"means": {"NumRet": [1000.0, 1020.0]}},
        "A file of scores has counts, such as trec_eval's num_ret.",
        "Nothing. Name a count with `-m` if it is to be tested.",
    ),
    "margin-above-baseline": Example(
        {"margin": 0.5, "baseline": 0.4, "span": 1.0},
        "The margin is larger than A's mean.",
        "Declare a smaller margin, or one in per cent of A's mean: `--margin 2%`.",
    ),
    "margin-above-half-range": Example(
        {"margin": 0.6, "baseline": 0.8, "span": 1.0},
        "The margin is over half of what two systems can differ at all.",
        "Declare the smallest difference worth having: `abrank guide margin`.",
    ),
    "no-margin-many-queries": Example(
        {"n": 100_000, "visible": 0.00081},
        "So many queries show differences that nobody would notice.",
        "Declare a margin. See `abrank guide recommender`.",
    ),
    # --- What could have been
    "unjudged-documents": Example(
        {"low": -0.01, "high": 0.05, "a": 3, "b": 40, "favours": ""},
        "What nobody judged could turn the sign of the difference.",
        "Judge the documents that matter most: `abrank sample documents`.",
    ),
    "judged-gap": Example(
        {"a": 0.0, "b": 0.1},
        "Of one system's first ten documents fewer are judged, by 5 points or more.",
        "Judge them. The system is at a disadvantage until then.",
    ),
    "order-of-ties": Example(
        {"low": -0.01, "high": 0.05, "a": 4, "b": 2},
        "Documents with one score could stand in another order, and the difference would move.",
        "Write scores with more decimals. See `abrank guide ties`.",
    ),
    # --- What the numbers rest on
    "few-signs": Example(
        {"n": 5, "differ": 5, "lowest": 0.0625, "test": ""},
        "So few queries differ that no sign-flip test could find anything.",
        "Add queries. Below 10 no `--require` rests on the t test alone.",
    ),
    "few-clusters": Example(
        {"n": 5, "too_few": True},
        "Queries come in few groups, or one group has most of them.",
        "Add groups (users, conversations), not queries of the same ones.",
    ),
    "one-query-decides": Example(
        {"query_id": "468", "difference": 0.69, "pvalue": 0.081},
        "Without one query the verdict would not be shown.",
        "Look at it: `abrank inspect QRELS A B 468`. If it is sound, add queries.",
    ),
    "skewness-decides": Example(
        {
            "primary": "AP", "n": 10, "skewness": -1.9, "pvalue": 0.081, "t": 0.032,
            "measures": ["AP", "RR"],
        },
        "The t test, or sign flips, show a difference that t corrected for skewness (Hall 1992)"
        " does not. Where few differences are skewed, both are wrong more often than 5 %"
        " (`reports/calibration`). On the measure that decides the verdict is in doubt; a ranking"
        " names the pairs of which it is true.",
        "Add queries; until then a gate passes only with `--accept-doubt`. No test of a mean holds"
        " for every shape of ten differences; `--test bounded`"
        " does for any measure of a known range, and takes many queries.",
    ),
    "tests-disagree": Example(
        {"t": 0.0503, "permutation": 0.0497},
        "Two tests of the mean lie on two sides of alpha.",
        "Read it as the border case that it is. The test that was declared decides.",
    ),
    "monte-carlo-near-alpha": Example(
        {"pvalue": 0.051, "low": 0.047, "high": 0.055, "n_resamples": 9999},
        "A p-value that was drawn cannot be told from alpha.",
        "`--config resamples=999999`, or `resamples=999_999`.",
    ),
    "not-about-the-mean": Example(
        {"test": "sign", "n": 50, "rate": 0.0934, "t": 0.31},
        "The Wilcoxon or the sign test decides, and the mean shows nothing.",
        "Decide by a test of the mean, unless the question is who wins more queries.",
    ),
    "losses-behind-the-mean": Example(
        {
            "count": 30, "gains": 62, "threshold": 0.2, "cost": 0.041, "query_id": "468",
            "loss": -0.69,
        },
        "Many queries lose much, though the mean gains.",
        "Read the worst ones, and set a guard if such losses are not to be had.",
    ),
    "few-queries-carry-the-mean": Example(
        {"count": 2, "ids": ["468", "7"], "difference": 0.021, "without": 0.004},
        "A few queries far outside of the others make most of the difference.",
        "Look at them. If they are sound, add queries.",
    ),
    "mean-against-wins": Example(
        {"wins": 10, "losses": 14},
        "One system wins more queries, the other has the better mean.",
        "Ask which of the two your users notice. The mean decides.",
    ),
    "reversal": Example(
        {"segment": "intent"},
        "Most segments point against the mean over all queries.",
        "Weigh the segments as your users do, or decide by segment.",
    ),
    # --- What the files hold
    "rank-conflicts": Example(
        {"system": "b", "count": 1},
        "The rank column of a run is not the order of its scores.",
        "Nothing, if the scores are meant. Else write scores that fall with the rank.",
    ),
    "several-tags": Example(
        {"system": "a", "tags": ["x", "y"]},
        "Lines of a run have different names of the system.",
        "Check that one system wrote the file.",
    ),
    "extra-queries": Example(
        {"system": "a", "count": 1, "ids": ["9"]},
        "A run has queries without a judgment; they are ignored.",
        "Nothing, if the judgments are those meant.",
    ),
}  # fmt: skip
