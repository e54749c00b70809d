"""Why the evidence is not sound, in words: what forbids a decision, and what puts it in doubt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.inference.rounding import has_spread
from abrank.report.model import Section
from abrank.report.sections import words
from abrank.soundness import Reason
from abrank.verdict import Verdict

LONGEST_NAME = 40

_Words: TypeAlias = Callable[[Mapping[str, Any], Comparison], str]


def sentence(comparison: Comparison) -> str:
    """Say what puts the verdict in doubt, or what more forbids it; empty where nothing does.

    The first reason that forbids a verdict stands in its title, and is not told again.
    """
    found = comparison.soundness
    told = [clause(reason, comparison) for reason in found.told]
    if found.level == "unsound":
        told = told[1:]
    if not told:
        return ""
    start = "In doubt" if found.level == "doubtful" else "Nor is this sound"
    return f"{start}: {'; '.join(told)}."


def doubted(comparison: Comparison, said: str) -> str:
    """Return a verdict as it stands where no tag is beside it to tell of doubt."""
    return f"In doubt: {said}" if comparison.soundness.level == "doubtful" else said


def unseen(comparison: Comparison) -> str:
    """Say what loss so many queries may not have shown, where it is larger than the margin.

    Of what excludes a loss of the margin alone, by a test that rests on the spread that was seen;
    of B shown to be better only where a gate asks for no more than that.
    """
    found, margin = comparison.decision.unseen, comparison.decision.margin
    excluding = _EXCLUDE_A_LOSS
    if comparison.rule.require == "not-worse-shown":
        excluding = excluding | {Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR}
    by_spread = comparison.rule.test != "bounded" and comparison.verdict in excluding
    if found is None or not by_spread or not 0.0 < margin < found.difference:
        return ""
    units = words.queries_of(comparison)
    if comparison.clusters is not None:
        units = f.plural(comparison.clusters.n_clusters, "cluster")
    return (
        f"{units} may miss large losses on up to {f.percent(found.share, sign=False)} of all"
        f" queries ({f.level(comparison.rule.confidence)} confidence), up to"
        f" {f.least(found.difference, digits=comparison.decimals)} in the mean, more than the"
        " margin; the test “bounded” allows for them."
    )


def rare_losses(comparison: Comparison) -> Section | None:
    """Return the line on losses that so few queries may not have shown; None without any."""
    said = unseen(comparison)
    return Section("unseen", "Rare losses", said, (), group="change", mark="!") if said else None


_EXCLUDE_A_LOSS = frozenset({Verdict.SAME, Verdict.NOT_WORSE})


def clause(reason: Reason, comparison: Comparison) -> str:
    """Return a reason as a clause without a full stop."""
    return _CLAUSES[reason.code](reason.values, comparison)


def cannot_test(comparison: Comparison) -> str:
    """Say why nothing could be tested, as a clause without a full stop."""
    if comparison.soundness.level == "unsound":
        return clause(comparison.soundness.reasons[0], comparison)
    if comparison.decision.reason == "direction-not-declared":
        return f"nobody said whether lower is better for {comparison.rule.primary}"
    if comparison.decision.reason == "too-few-queries":
        if comparison.n_queries == 0:
            return "there is no query to compare"
        return "1 query is too few for a test"
    name = words.name_of_rule(comparison)
    if comparison.clusters is not None and comparison.clusters.n_clusters == 1:
        return "all queries come in one cluster, and a test takes two at the very least"
    found = comparison.clusters
    if found is not None and found.untestable(comparison.rule.test):
        takes = "the bootstrap takes 7" if comparison.rule.test == "bootstrap" else "t takes 3"
        return (
            f"its {f.plural(found.n_clusters, 'cluster')} of queries tell no more than"
            f" {f.score(found.n_effective, digits=1)} of one size, where {takes} and sign flips"
            " take 6 clusters"
        )
    constant = comparison.merged is not None or not has_spread(comparison.differences())
    if constant:
        same = f.signed(comparison.mean_difference, digits=comparison.decimals)
        undefined = "t statistic" if comparison.rule.test == "t" else name
        return f"every query differs by exactly {same}, so the {undefined} is undefined"
    return f"the {name} gives no p-value for these differences"


def _name(comparison: Comparison, key: str) -> str:
    return comparison.baseline if key == "a" else comparison.candidate


def _document_ids(v: Mapping[str, Any], comparison: Comparison) -> str:
    name = _name(comparison, v["system"])
    return f"the document ids of {name} differ from the judged ones by {v['cause']}"


def _none_judged(v: Mapping[str, Any], comparison: Comparison) -> str:
    if not v["n_rows"]:
        return f"{_name(comparison, v['system'])} returned nothing"
    return f"no document of {_name(comparison, v['system'])} is judged"


def _none_relevant(v: Mapping[str, Any], comparison: Comparison) -> str:
    return (
        f"no judged document is relevant to {comparison.rule.primary}: the highest grade is"
        f" {f.count(v['highest'])}, and {f.count(v['rel'])} or more counts"
    )


def _missing_queries(v: Mapping[str, Any], comparison: Comparison) -> str:
    queries = words.queries(v["n_queries"])
    where = f"on the {queries} that both runs have"
    if v["kind"] == "missing-as-zero":
        where = f"on all {queries} with the missing ones scored 0"
    return f"the verdict rests on the queries that are missing: {_would_be(v, comparison)} {where}"


def _common_depth(v: Mapping[str, Any], comparison: Comparison) -> str:
    cut = f"with both cut at rank {f.count(v['depth'])}"
    return f"the verdict rests on the unequal depth of the runs: {_would_be(v, comparison)} {cut}"


def _would_be(v: Mapping[str, Any], comparison: Comparison) -> str:
    tag = words.tag(Verdict(v["verdict"]))[1]
    return f"it would be “{tag}” (Δ {f.signed(v['difference'], digits=comparison.decimals)})"


def _sample_differs(v: Mapping[str, Any], comparison: Comparison) -> str:
    p = f.p_clause(v["pvalue"], alpha=comparison.rule.alpha)
    return f"the queries that people judged are not like the others ({v['what']}, {p})"


def _unjudged_favour(v: Mapping[str, Any], comparison: Comparison) -> str:
    shares = {key: v.get(f"{key}_at_10", v[key]) for key in "ab"}
    less, more = ("b", "a") if shares["b"] > shares["a"] else ("a", "b")
    said = {key: f.percent(share, sign=False) for key, share in shares.items()}
    return (
        f"{_name(comparison, less)} may be better than it looks: {said[less]} of its top 10 is"
        f" unjudged ({_name(comparison, more)}: {said[more]})"
    )


def _few_judgments(v: Mapping[str, Any], _: Comparison) -> str:
    count = f.count(v["count"])
    return (
        f"{count} of the {f.count(v['of'])} unjudged documents would turn the sign of Δ if"
        f" {'it' if v['count'] == 1 else 'they'} were relevant"
    )


def _one_cluster(v: Mapping[str, Any], comparison: Comparison) -> str:
    digits = comparison.decimals
    limits = f.interval(v["low"], v["high"], digits=digits)
    return (
        f"{f.percent(v['share'], sign=False)} of the difference is from one cluster by {v['name']},"
        f" “{shorten(v['cluster'], width=LONGEST_NAME)}”; without it Δ is"
        f" {f.signed(v['difference'], digits=digits)} ({limits})"
    )


def _skewness(v: Mapping[str, Any], comparison: Comparison) -> str:
    p = f.p_clause(v["pvalue"], alpha=comparison.rule.alpha)
    return f"corrected for the skewness of the differences, t shows no difference ({p})"


_CLAUSES: Mapping[str, _Words] = {
    "same-file": lambda _, __: "both are the content of one file",
    "document-ids": _document_ids,
    "none-judged": _none_judged,
    "none-relevant": _none_relevant,
    "missing-queries": _missing_queries,
    "common-depth": _common_depth,
    "sample-differs": _sample_differs,
    "unjudged-favour": _unjudged_favour,
    "few-judgments-turn": _few_judgments,
    "one-cluster-carries": _one_cluster,
    "skewness-decides": _skewness,
    "order-fixed": lambda v, comparison: (
        f"{_name(comparison, v['first'])} was shown first in every vote"
    ),
}
