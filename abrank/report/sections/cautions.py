"""Notes and cautions of a result, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.diagnostics import Note
from abrank.provenance import same_judgments
from abrank.report.model import Caution, Words
from abrank.report.sections import words

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.ranking import Ranking


# Returns title and text of a caution from the numbers of a note.
Sentences: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

MOST_MEASURES, MOST_NAMED = 3, 4  # in a sentence
HASH = 12


class Names(Words[None]):
    """The names for "a" and "b", and the format of numbers."""

    def __init__(
        self,
        a: str,
        b: str,
        *,
        digits: int,
        alpha: float,
        topics: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(None, digits)
        self.alpha = alpha
        self._names = {"a": a, "b": b}
        self._topics = topics

    @classmethod
    def of(cls, comparison: Comparison) -> Self:
        """Return the names and the number format of a comparison."""
        return cls(
            comparison.baseline,
            comparison.candidate,
            digits=comparison.decimals,
            alpha=comparison.rule.alpha,
            topics=comparison.topics,
        )

    def __getitem__(self, key: str) -> str:
        return self._names[key]

    def at_level(self, *pvalues: float) -> str:
        """Format the level of the tests next to the p-values of a note."""
        return f"α = {f.alpha(self.alpha, pvalues)}"

    def query(self, query_id: str) -> str:
        """Return the id of a query, with its text if known."""
        text = self._topics.get(query_id)
        if not text:
            return quoted(query_id)
        return f"{words.name(query_id)} {quoted(text)}"


class SystemNames(Names):
    """Names for notes that already have the names of systems instead of "a" and "b"."""

    def __getitem__(self, key: str) -> str:
        return key


def quoted(text: object) -> str:
    """Return a text in quotation marks, shortened."""
    return f"“{words.name(text)}”"


def say(measure: str) -> str:
    """Say how to declare the direction of a score."""
    return (
        f"Say so: --lower-is-better {words.typed(measure)} (lower_is_better=), or"
        f' higher_is_better = "{measure}" (--config).'
    )


def some_of(ids: Sequence[object], count: int) -> str:
    """List the first of many ids."""
    text = ", ".join(map(words.name, ids))
    return f"{text} and {f.count(count - len(ids))} more" if count > len(ids) else text


def _pair(v: Mapping[str, Any]) -> str:
    """Return an id of the run next to the judgments' id that it would match."""
    return f"{quoted(v['in_run'])} in the run, {quoted(v['in_qrels'])} in the judgments"


def _none_judged(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    if not v["n_rows"]:
        return (
            f"{names[v['system']]} returned nothing",
            "Its run has no documents, so that it scores 0 everywhere: is it the file that was"
            " meant?",
        )
    return (
        f"No document of {names[v['system']]} is judged",
        f"None of its {f.plural(v['n_rows'], 'document')} is in the judgments, so nothing it found"
        " counts as relevant: is it a run over another collection?",
    )


def _missing_queries(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    name, are = names[v["system"]], "is" if v["count"] == 1 else "are"
    listed = some_of(v["ids"], v["count"])
    became = {
        "zero": f"Scored 0 for {name} (--missing zero): {listed}.",
        "drop": f"Left out for every system (--missing drop): {listed}.",
    }.get(v.get("policy") or "", f"Judged, but not in the run: {listed}.")
    differ = v.get("difference")
    if differ:
        became += (
            f" {f.count(differ['n_alike'])} of the run's other queries would match them but for"
            f" {differ['cause']}: {_pair(differ)}."
        )
    queries = words.queries(v["count"])
    if "n_queries" in v:
        queries = f"{f.count(v['count'])} of {f.count(v['n_queries'])} judged queries"
    return f"{queries} {are} missing from {name}", became


def _unequal_depth(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    (short, low), (long, high) = (
        (names[system], f.count(median) if median % 1 == 0 else f.score(median, digits=1))
        for choose in (min, max)
        for system, median in [choose(v["medians"].items(), key=lambda item: float(item[1]))]
    )
    measures = f.first_of(v["measures"], MOST_MEASURES)
    look = f"{measures} {'looks' if len(v['measures']) == 1 else 'look'}"
    changed = [
        f"{after} rather than {before} on {name}"
        for name, values in v["differences"].items()
        for before, after in [map(names.signed, values)]
        if after != before
    ]
    consequence = ""
    if v["differences"]:
        consequence = f": every Δ stays the same to {names.digits} decimals"
    if changed:
        consequence = f": Δ is then {', '.join(changed[:MOST_MEASURES])}"
    return (
        f"{short} retrieved {low} documents for a query, {long} {high} (medians)",
        f"{look} further down, where not every run has documents. Depth {v['depth']} (--depth, of"
        f" compare --config depth=…; Scoring(depth=…)) cuts all of them there{consequence}.",
    )


def _guards_rest_on(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    """Say what passing guards depend on, and where it is missing."""
    kind = "scores" if v["kind"].startswith("failed") else "queries"
    one = len(v["guards"]) == 1
    title = (
        f"The guard{'s' * (not one)} on {f.first_of(v['guards'], MOST_MEASURES)} rest{'s' * one}"
    )
    where = words.capital(words.choice(v["kind"], v["n_queries"]))
    return f"{title} on the {kind} that are missing", f"{where} a loss is not excluded."


def _sample_differs(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    if v["what"] == "difference":
        text, mean = "in the machine's Δ", "Δ is"
        means = [names.signed(v[name]) for name in ("judged", "others")]
    else:
        text, mean = "in difficulty", "the mean score of A and B is"
        means = [names.score(v[name]) for name in ("judged", "others")]
    return (
        f"The queries that people judged differ from the others {text}",
        f"By the machine's judgments {mean} {means[0]} on these and {means[1]} on the others"
        f" ({names.p_clause(v['pvalue'])}), which a random draw seldom is: people"
        " alone decide. Draw the queries to judge by chance (abrank sample queries).",
    )


# In order of importance for the verdict.
RUN_SENTENCES: dict[str, Sentences] = {
    "document-ids": lambda v, names: (
        f"Document ids of {names[v['system']]} differ from the judged ones by {v['cause']}",
        f"{f.count(v['n_alike'])} of {f.count(v['n_compared'])} first documents looked at match no"
        f" judgment, and would without that difference: {_pair(v)}. "
        + (
            f"Of its {f.plural(v['n_rows'], 'document')} {f.count(v['n_judged'])} are judged."
            if v["n_judged"]
            else "No document of the run is judged, so nothing it found counts as relevant."
        ),
    ),
    "none-judged": _none_judged,
    "none-relevant": lambda v, _: (
        f"No document is relevant to {f.first_of(v['measures'], MOST_MEASURES)}",
        f"The highest grade in the judgments is {f.number(v['highest'])}, and"
        f" {f.number(v['rel'])} or more counts as relevant, so every score is 0: "
        + (
            "choose a lower grade (--rel; of compare --config rel=1)."
            if v["highest"] > 0
            else "are these the judgments meant?"
        ),
    ),
    "missing-queries": _missing_queries,
    "unequal-depth": _unequal_depth,
    "guard-scores": _guards_rest_on,
    "guard-turned": _guards_rest_on,
    "same-file": lambda v, names: (
        f"{f.first_of([names[item] for item in v['systems']], MOST_NAMED)} have the same content",
        f"Their sha256 is {v['sha256'][:HASH]}…: was one run given twice?",
    ),
    "pairs-of-first": lambda v, _: (
        f"{f.count(v['n_systems'])} systems make {f.plural(v['n_pairs'], 'pair')}; only the"
        f" {f.count(v['n_systems'] - 1)} with the first are kept",
        "All are tested together, so intervals and p-values are those of all pairs. --pairs keeps"
        " every pair, and the letters.",
    ),
}
MACHINE_SENTENCES: dict[str, Sentences] = {
    "machine-set-aside": lambda v, _: (
        f"{words.queries(v['n_judged'])} are too few to know the machine's errors: people alone"
        " decide",
        "It made few errors there, or one outweighs the others, so how often it fails grossly"
        " cannot be known; intervals that relied on it were too narrow in simulations. Let people"
        " judge more queries.",
    ),
    "machine-sample-differs": _sample_differs,
    "machine-missing": lambda v, _: (
        f"{words.queries(v['count'])} judged by people {'is' if v['count'] == 1 else 'are'} not"
        " judged by the machine",
        f"Left out: {some_of(v['ids'], v['count'])}. Let the machine judge all queries, these"
        " included.",
    ),
    "machine-no-help": lambda v, _: (
        "The machine does not narrow the interval",
        f"Its differences correlate with people's by {f.signed(v['correlation'], digits=2)}, and"
        f" the break-even is {f.score(v['break_even'], digits=2)}: people alone tell as much.",
    ),
}


def _missing_scores(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    failed = f"{f.count(v['a'])} of {names['a']}, {f.count(v['b'])} of {names['b']}"
    left = v["n"] - v["left"]
    done = f"{f.count(left)} of {words.queries(v['n'])} left out"
    return (
        f"Scores are missing: {failed}",
        f"{done if left else 'What --missing says stands in their place'}. The sensitivity analysis"
        " has the verdict where they are left out, the worst and the best.",
    )


def _few_signs(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    differ = "differs" if v["differ"] == 1 else "differ"
    title = f"Only {f.count(v['differ'])} of {words.queries(v['n'])} {differ}"
    if v["differ"] == v["n"]:
        title = f"Only {words.queries(v['n'])}"
    lowest = f.number(v["lowest"])
    if v["test"]:
        return title, (
            f"With so few the {words.name_of_test(v['test'])} cannot give a p below {lowest}, so it"
            f" cannot be significant at {names.at_level(v['lowest'])}."
        )
    return title, (
        f"With so few no flip of signs gives a p below {lowest}: the result assumes that the"
        " differences are close to normal."
    )


def _few_clusters(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    if "n_effective" in v:
        few = f.score(v["n_effective"], digits=1)
        title = f"{f.plural(v['n'], 'cluster')} of queries count as {few} of equal size"
        needs = "The bootstrap needs 7" if v.get("test") == "bootstrap" else "The t test needs 3"
        if v["too_few"]:
            return title, f"{needs} effective clusters, sign flips 6 clusters."
        return title, f"{needs} of them: the sign flips of clusters decide in its place."
    text = "So few can give too narrow an interval where they differ in size."
    if v["too_few"]:
        text = f"So few cannot be significant at {names.at_level()} by flipping signs."
    return f"Only {f.plural(v['n'], 'cluster')} of queries", text


def _pairs(v: Mapping[str, Any]) -> tuple[str, str]:
    """Return the number of pairs in a caution on a ranking, and the names of the first."""
    pairs = f"{f.count(v['count'])} of {f.count(v['of'])} pairs"
    if v["of"] == 1:
        pairs = "the pair that differs"
    named = [f"{shorten(pair['ahead'])} and {shorten(pair['behind'])}" for pair in v["pairs"]]
    more = v["count"] - len(named)
    return pairs, ", ".join(named) + (f", and {f.plural(more, 'other pair')}" if more else "")


def _clusters_ignored(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    pairs, named = _pairs(v)
    column = words.name(v["clusters"])
    return f"Queries of one {column} may be alike: this decides {pairs}", (
        f"The tests take queries as independent. On {v['measure']} a t test of whole clusters, by"
        f" {column}, is not significant for {named}. abrank compare --clusters tests a pair by"
        " clusters."
    )


def _skewness(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    why = "with few and skewed differences, tests of a mean are significant too often."
    if "pairs" in v:
        pairs, named = _pairs(v)
        return f"Skewness decides {pairs}", (
            f"On {v['measure']} a t test corrected for skewness is not significant for {named}:"
            f" {why}"
        )
    measures = [measure for measure in v["measures"] if measure != v["primary"]]
    if v["primary"] not in v["measures"]:
        title = f"Skewness decides on {f.first_of(measures, MOST_NAMED)}"
        return title, f"A t test corrected for skewness is not significant: {why}"
    after, before = (names.p_clause(v[key]) for key in ("pvalue", "t"))
    also = f" The same is true of {f.first_of(measures, MOST_NAMED)}." if measures else ""
    return "Skewness decides", (
        f"The differences have a skewness of {f.signed(v['skewness'], digits=1)}. Corrected for"
        f" it, t gives {after}, not {before.removeprefix('p = ')}, and the difference is not"
        f" significant; {why}{also}"
    )


def _not_about_mean(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    asks = {
        "wilcoxon": ("The Wilcoxon test does", "It asks about the pseudo-median"),
        "sign": ("The sign test does", "It asks who wins more queries"),
    }
    does, kind = asks[v["test"]]
    return (
        f"{does} not judge the mean",
        f"{kind} and finds a difference, but the t test finds none in the mean"
        f" ({names.p_clause(v['t'])}). On pairs of real runs with equal means it found one in"
        f" {f.percent(v['rate'], sign=False)} of samples of {words.queries(v['n'])}, at α = 0.05.",
    )


SENTENCES: dict[str, Sentences] = {
    "order-fixed": lambda v, names: (
        f"{names[v['first']]} was shown first in every vote",
        "People and models favour a place, often the first: what looks like a preference may be the"
        " place. Show both orders, or draw the order of each query.",
    ),
    "order-unknown": lambda v, _: (
        f"Was the order of the two drawn at random? Of {f.plural(v['n'], 'vote')} nobody says",
        "If one system was always shown first, its place may be what was preferred. Give a column"
        " shown_first: A, B, or random where the order was drawn and not kept.",
    ),
    "constant-difference": lambda v, names: (
        f"Every query differs by exactly {names.signed(v['difference'])}",
        "The t test has no answer without a spread, so the sign-flip test decides. "
        * (v.get("test") == "permutation")
        + "Real systems seldom differ so; check that the scores are those of two rankers.",
    ),
    "nobody-chose": lambda v, _: (
        f"Nobody chose the measure: of {f.count(v['n'])}, {words.name(v['primary'])} was taken",
        f"Say which decides: -m {words.typed(v['primary'])} (measures=).",
    ),
    "direction-not-declared": lambda v, _: (
        f"Is lower better for {f.first_of([*map(words.name, v['measures'])], MOST_MEASURES)}?",
        f"{say(v['measures'][0])} Until then the highest mean stands first.",
    ),
    "missing-scores": _missing_scores,
    "not-tested": lambda v, _: (
        "Counts and constants decide nothing",
        f"They are not tested: {f.first_of([*map(words.name, v['means'])], MOST_MEASURES)}.",
    ),
    "margin-above-baseline": lambda v, names: (
        f"The margin of {names.score(v['margin'])} is larger than {names['a']}'s mean,"
        f" {names.score(v['baseline'])}",
        f"{names['b']} could lose everything and still not be worse by the margin. To ask about a"
        " share of the baseline's mean, give the margin in per cent: --margin 2%.",
    ),
    "margin-above-half-range": lambda v, names: (
        f"The margin of {names.score(v['margin'])} is more than half of the measure's range",
        f"Differences reach {names.score(v['span'])} at most, so a margin that wide calls nearly"
        " any two systems the same. It is to be the smallest difference worth having.",
    ),
    "no-margin-many-queries": lambda v, names: (
        f"With {f.count(v['n'])} queries nearly any difference is significant",
        f"A true Δ of {f.least(v['smallest_visible'], digits=names.digits)} already shows here. Let"
        " a margin decide whether it matters: --margin (margin=), the smallest difference worth"
        " having.",
    ),
    "few-signs": _few_signs,
    "few-clusters": _few_clusters,
    "one-query-decides": lambda v, names: (
        "One query decides",
        f"{names.query(v['query_id'])} ({names.signed(v['difference'])}) lies far outside of the"
        f" others; without it the difference is not significant ({names.p_clause(v['pvalue'])}).",
    ),
    "unequal-groups": lambda v, names: (
        f"{f.count(v['a'])} units saw {names['a']} and {f.count(v['b'])} saw {names['b']}",
        f"Where each is to see one with the same chance, groups so unequal have"
        f" {names.p_clause(v['pvalue'])}: the assignment or the logging may be broken, and the"
        " groups differ in more than what they saw.",
    ),
    "clusters-ignored": _clusters_ignored,
    "skewness-decides": _skewness,
    "monte-carlo-near-alpha": lambda v, names: (
        f"p is too close to {names.at_level(v['pvalue'])} for {f.count(v['n_resamples'])}"
        " resamples",
        f"{names.p_clause(v['pvalue']).capitalize()} is itself estimated, with a 95% interval of"
        f" {f.score(v['low'], digits=4)} to {f.score(v['high'], digits=4)}. Another seed may land"
        " on the other side; raise resamples (--config resamples=999999).",
    ),
    "not-about-the-mean": _not_about_mean,
    "rank-conflicts": lambda v, names: (
        f"The ranks of {names[v['system']]} contradict its scores in {words.queries(v['count'])}",
        "The order by score counts and the rank column is ignored, as in trec_eval.",
    ),
    "several-tags": lambda v, names: (
        f"{names[v['system']]} has several run tags",
        f"{', '.join(map(words.name, v['tags']))}: was more than one system written into this"
        " file?",
    ),
}


# In order of importance for the verdict: first whether anything was compared.
WORDS = {**RUN_SENTENCES, **MACHINE_SENTENCES, **SENTENCES}
_PLACES = {code: place for place, code in enumerate(WORDS)}


def cautions(comparison: Comparison) -> tuple[Caution, ...]:
    """Return a caution for every note, in order of importance for the verdict."""
    names = Names.of(comparison)
    notes = [*comparison.notes, *_near_alpha(comparison)]
    # Omit what the verdict already mentions as a doubt, with its p-value.
    codes = {reason.code for reason in comparison.soundness.reasons}
    codes &= {"skewness-decides", "unequal-groups"}
    registered = [note for note in notes if note.code not in codes]
    registered.sort(key=lambda note: (-note.severity, _PLACES[note.code]))
    result = []
    # Merge notes with equal code, one for A and one for B.
    for _, same in groupby(registered, key=lambda note: (note.severity, note.code)):
        first, *more = (caution(note, names) for note in same)
        titles = "; ".join(item.title for item in (first, *more))
        text = " ".join(item.text for item in (first, *more))
        result.append(replace(first, title=titles, text=text))
    return tuple(result)


def caution(note: Note, names: Names) -> Caution:
    """Return the text of a note."""
    title, text = WORDS[note.code](note.values, names)
    return Caution(note.code, title, text, note.severity, page=note.code)


def by_collection(
    result: Mapping[str, Iterable[Caution]], results: Mapping[str, Comparison | Ranking]
) -> tuple[Caution, ...]:
    """Return the cautions of several collections, prefixed by their names, most severe first."""
    # Questions that come before the verdict are asked once for all collections.
    named = dict.fromkeys(
        item if item.stands_first else replace(item, title=f"{collection}: {item.title}")
        for collection, cautions in result.items()
        for item in cautions
    )
    twice = (
        Caution(
            "same-judgments",
            "The same judgments twice",
            f"{f.listed(collections)} have the same judgments: their queries count"
            f" {len(collections)} times, as if they were others. Give each collection once.",
            3,
        )
        for collections in same_judgments(results)
    )
    return (*twice, *sorted(named, key=lambda item: -item.severity))


def note_sentences(notes: Sequence[Note]) -> tuple[str, ...]:
    """Return the text of notes that name their systems instead of A and B."""
    names = SystemNames("", "", digits=f.DIGITS, alpha=0.05)
    return tuple(str(caution(note, names)) for note in notes)


def sentence_of(note: Note) -> str:
    """Return the text of a note on a comparison, with systems called A and B."""
    return str(caution(note, Names("A", "B", digits=f.DIGITS, alpha=0.05)))


def _near_alpha(comparison: Comparison) -> list[Note]:
    """Note that the deciding p is a Monte Carlo estimate too close to alpha."""
    row = next((row for row in comparison.test_rows if row.decides), None)
    if row is None or not row.pvalue_error > 0.0:
        return []
    reach = 1.96 * row.pvalue_error
    low, high = max(0.0, row.pvalue - reach), min(1.0, row.pvalue + reach)
    if not low <= comparison.rule.alpha <= high:
        return []
    values = {"pvalue": row.pvalue, "low": low, "high": high, "n_resamples": row.n_resamples}
    return [Note("monte-carlo-near-alpha", 3, values)]
