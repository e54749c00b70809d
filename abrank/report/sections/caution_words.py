"""The words of each note: a title and a sentence, with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.report.sections import caution_words_declared as declared
from abrank.report.sections import words

Words: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

LONGEST_ID = 40


class Names:
    """Who is meant by "a" and "b", and how numbers are written."""

    def __init__(
        self,
        a: str,
        b: str,
        *,
        digits: int,
        alpha: float,
        topics: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._names = {"a": a, "b": b}
        self.digits, self.alpha = digits, alpha
        self._topics = topics

    def __getitem__(self, key: str) -> str:
        return self._names[key]

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def query(self, query_id: str) -> str:
        """Return a query's id, and its text where that is known."""
        text = self._topics.get(query_id)
        if not text:
            return _quoted(query_id)
        return f"{shorten(query_id, width=LONGEST_ID)} {_quoted(text)}"


def _quoted(text: object) -> str:
    return f"“{shorten(str(text), width=LONGEST_ID)}”"


def _some(ids: Any, count: int) -> str:  # noqa: ANN401 - a list of ids
    shown = ", ".join(shorten(str(each), width=LONGEST_ID) for each in ids)
    return f"{shown} and {f.count(count - len(ids))} more" if count > len(ids) else shown


def _few_queries(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        f"Only {words.queries(v['n'])}",
        "With so few, one unusual query can turn the verdict, and the interval leans on the"
        " differences being close to normal.",
    )


def _constant(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    return (
        f"Every query differs by exactly {names.signed(v['difference'])}",
        "Real systems do not behave so; check that the scores are those of two rankers.",
    )


def _large_losses(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    lose, them = ("loses", "it") if v["count"] == 1 else ("lose", "them")
    return (
        f"{words.queries(v['count'])} {lose} more than {f.score(v['threshold'], digits=2)}",
        f"Worst: {names.query(v['query_id'])} ({names.signed(v['difference'])}). The mean averages"
        f" {them} away; the users who ask {them} see {them}.",
    )


def _tests_disagree(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    shown = {key: f.p_clause(v[key], alpha=names.alpha) for key in ("t", "permutation")}
    return (
        "The t test and the sign-flip test disagree",
        f"They give {shown['t']} and {shown['permutation']}, on two sides of"
        f" α = {f.number(names.alpha)}, though both test the mean difference. The result is"
        " borderline.",
    )


def _mean_against_wins(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    more, fewer = ("b", "a") if v["wins"] > v["losses"] else ("a", "b")
    counts = sorted((v["wins"], v["losses"]), reverse=True)
    return (
        "The mean and the count of wins point apart",
        f"{names[more]} scores higher on more queries ({f.count(counts[0])} to"
        f" {f.count(counts[1])}), but {names[fewer]} has the higher mean: its wins are larger.",
    )


def _one_query(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    alike = "" if v["count"] == 1 else f"; it is one of {f.count(v['count'])} such queries"
    return (
        "One query decides",
        f"Without {names.query(v['query_id'])} ({names.signed(v['difference'])}) the interval would"
        f" include 0{alike}.",
    )


def _few_clusters(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    text = (
        "Whole clusters are flipped and resampled, and so few give too narrow an interval where"
        " they differ in size."
    )
    if v["too_few"]:
        text = f"So few cannot show a difference at α = {f.number(names.alpha)} by flipping signs."
    return f"Only {f.plural(v['n'], 'cluster')} of queries", text


def _not_about_mean(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    asks = {
        "wilcoxon": ("The Wilcoxon test does", "It asks about the pseudo-median"),
        "sign": ("The sign test does", "It asks who wins more queries"),
    }
    does, what = asks[v["test"]]
    return (
        f"{does} not judge the mean",
        f"{what}. On pairs of real runs with equal means it found a difference in"
        f" {f.percent(v['rate'], sign=False)} of samples of {words.queries(v['n'])}, at"
        " α = 0.05: for a claim about the mean, let t or permutation decide.",
    )


def _short_intervals(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        f"The percentile and BCa intervals are too short for {words.queries(v['n'])}",
        "They exclude 0 where the interval that decides does not. On pairs of real runs with equal"
        f" means BCa found a difference in {f.percent(v['rate'], sign=False)} of samples of"
        f" {words.queries(v['size'])}, at α = 0.05.",
    )


def _many_ties(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    are = "is" if v["count"] == 1 else "are"
    return (
        f"{f.count(v['count'])} of {words.queries(v['n'])} {are} tied",
        f"Both systems score the same on {f.percent(v['share'], sign=False)} of the"
        " queries; only the others tell them apart.",
    )


def _skewed(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    side = "gains" if v["skew"] > 0 else "losses"
    return (
        "The differences are skewed",
        f"A few large {side} stretch the distribution (skewness {f.signed(v['skew'], digits=1)})."
        " Mean, median and Wilcoxon test then answer different questions.",
    )


def _few_carry(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    share = f.percent(v["share"], sign=False)
    return (
        "Three queries carry the mean",
        "Without them the mean would point the other way."
        if v["share"] > 1
        else f"They make up {share} of the summed difference; look at them first.",
    )


def _discrete(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        f"{v['measure']} takes few values",
        "A single document moved can change a query's score by a large step, so its mean is noisier"
        " than that of a graded measure such as nDCG.",
    )


def _judged_gap(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    less, more = ("b", "a") if v["b"] > v["a"] else ("a", "b")
    unjudged = {key: f.percent(v[key], sign=False) for key in "ab"}
    return (
        f"{unjudged[less]} of {names[less]}'s top 10 is unjudged ({names[more]}: {unjudged[more]})",
        f"An unjudged document counts as not relevant, so {names[less]} may be better than it"
        " looks; judge those documents to know.",
    )


def _extra(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    are = "is" if v["count"] == 1 else "are"
    return (
        f"{words.queries(v['count'])} of {names[v['system']]} {are} not judged",
        f"In the run, but not in the qrels, and ignored: {_some(v['ids'], v['count'])}.",
    )


def _tied_scores(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    return (
        f"{names[v['system']]} has {f.plural(v['count'], 'tied score')}",
        f"In {words.queries(v['queries'])} documents share a score; they are put in descending"
        " order of document id, as trec_eval does.",
    )


def _tie_noise(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    return (
        "The difference is smaller than the noise of ties",
        f"By the order of tied documents alone it could lie anywhere from {names.signed(v['low'])}"
        f" to {names.signed(v['high'])}. Scores with more digits would settle the order.",
    )


def _unjudged(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    return (
        "Unjudged documents could turn the difference",
        f"{f.plural(v['b'], 'document')} of {names['b']} and {f.count(v['a'])} of {names['a']} are"
        f" unjudged and count as not relevant. If those of one system were relevant and those of"
        f" the other not, the difference would lie between {names.signed(v['low'])} and"
        f" {names.signed(v['high'])}.",
    )


def _reversal(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        f"Most segments by {v['segment']} point the other way",
        "One large segment outweighs the others, so the mean over all queries and most segments"
        " disagree (Simpson's reversal).",
    )


def _rank_conflicts(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    return (
        f"The ranks of {names[v['system']]} contradict its scores in {words.queries(v['count'])}",
        "The order by score counts and the rank column is ignored, as in trec_eval.",
    )


def _several_tags(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    tags = ", ".join(shorten(str(tag), width=LONGEST_ID) for tag in v["tags"])
    return (
        f"{names[v['system']]} has several run tags",
        f"{tags}: was more than one system written into this file?",
    )


def _one_grade(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        "The judgments have one relevant grade only",
        f"{v['measure']} then sees relevant and not relevant, nothing between.",
    )


def _monte_carlo(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    limits = " to ".join(f.score(v[key], digits=4) for key in ("low", "high"))
    return (
        f"p is too close to α = {f.number(names.alpha)} for {f.count(v['n_resamples'])} resamples",
        f"{f.p_clause(v['pvalue'], alpha=names.alpha).capitalize()} is itself estimated, with a 95%"
        f" interval of {limits}. Another seed may land on the other side; raise --resamples.",
    )


SENTENCES: Mapping[str, Words] = {
    "few-queries": _few_queries,
    "constant-difference": _constant,
    "large-losses": _large_losses,
    "tests-disagree": _tests_disagree,
    "mean-against-wins": _mean_against_wins,
    "one-query-decides": _one_query,
    "few-clusters": _few_clusters,
    "not-about-the-mean": _not_about_mean,
    "short-intervals": _short_intervals,
    "many-ties": _many_ties,
    "skewed": _skewed,
    "few-carry-the-mean": _few_carry,
    "discrete-measure": _discrete,
    "judged-gap": _judged_gap,
    "extra-queries": _extra,
    "tied-scores": _tied_scores,
    "rank-conflicts": _rank_conflicts,
    "tie-noise": _tie_noise,
    "unjudged-documents": _unjudged,
    "reversal": _reversal,
    "several-tags": _several_tags,
    "one-grade": _one_grade,
    "monte-carlo-near-alpha": _monte_carlo,
    "margin-above-baseline": declared.margin_above_baseline,
    "margin-above-half-range": declared.margin_above_half,
    "direction-not-declared": declared.direction_not_declared,
}
