"""How a note is put into words, and those on runs and on a machine's judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support import display as f
from abrank._support.display import shorten
from abrank._support.typing import Function
from abrank.report.sections import words

# Returns the title of a caution and its text, of the numbers behind a note.
Words: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

LONGEST_ID = 40
MOST_SYSTEMS = 4
MOST_MEASURES = 3
HASH = 12
RUN_SENTENCES: dict[str, Words] = {}
MACHINE_SENTENCES: dict[str, Words] = {}


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

    def level(self, *pvalues: float) -> str:
        """Return the level of the tests beside the p-values of a note."""
        return f"α = {f.alpha(self.alpha, pvalues)}"

    def query(self, query_id: str) -> str:
        """Return a query's id, and its text where that is known."""
        text = self._topics.get(query_id)
        if not text:
            return quoted(query_id)
        return f"{shorten(query_id, width=LONGEST_ID)} {quoted(text)}"


class SystemNames(Names):
    """Names for notes that call a system by its own name, not by "a" or "b"."""

    def __getitem__(self, key: str) -> str:
        return key


def register(registry: dict[str, Function], code: str) -> Callable[[Function], Function]:
    """Register what puts a note into words; first stands what means most for the verdict."""

    def enter(function: Function) -> Function:
        registry[code] = function
        return function

    return enter


def quoted(text: object) -> str:
    """Return a text in quotation marks, shortened."""
    return f"“{shorten(str(text), width=LONGEST_ID)}”"


def say(measure: str) -> str:
    """Say how the direction of a score is declared."""
    return (
        f"Say so: --lower-is-better {measure} (lower_is_better=), or higher_is_better ="
        f' "{measure}" (--config).'
    )


def some_of(ids: Sequence[object], count: int) -> str:
    """Name the first of many ids."""
    text = ", ".join(shorten(str(item), width=LONGEST_ID) for item in ids)
    return f"{text} and {f.count(count - len(ids))} more" if count > len(ids) else text


def _pair(v: Mapping[str, Any]) -> str:
    """Return an id of the run beside the one of the judgments that it would match."""
    return f"{quoted(v['in_run'])} in the run, {quoted(v['in_qrels'])} in the judgments"


def _some_measures(names: list[str]) -> str:
    few = len(names) <= MOST_MEASURES
    return f.listed(names) if few else f.first_of(names, MOST_MEASURES)


@register(RUN_SENTENCES, "document-ids")
def _document_ids(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    judged = (
        "No document of the run is judged, so nothing it found counts as relevant."
        if v["n_judged"] == 0
        else f"Of its {f.plural(v['n_rows'], 'document')} {f.count(v['n_judged'])} are judged."
    )
    return (
        f"Document ids of {names[v['system']]} differ from the judged ones by {v['cause']}",
        f"{f.count(v['n_alike'])} of {f.count(v['n_compared'])} first documents looked at match no"
        f" judgment, and would without that difference: {_pair(v)}. {judged}",
    )


@register(RUN_SENTENCES, "none-judged")
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


@register(RUN_SENTENCES, "none-relevant")
def _none_relevant(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    end = (
        "choose a lower grade (--rel; of compare --config rel=1)."
        if v["highest"] > 0
        else "are these the judgments meant?"
    )
    return (
        f"No document is relevant to {_some_measures(v['measures'])}",
        f"The highest grade in the judgments is {f.number(v['highest'])}, and"
        f" {f.number(v['rel'])} or more counts as relevant, so every score is 0: {end}",
    )


@register(RUN_SENTENCES, "missing-queries")
def _missing(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
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


@register(RUN_SENTENCES, "unequal-depth")
def _unequal_depth(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    medians = sorted(v["medians"].items(), key=lambda item: float(item[1]))
    short, minimum = medians[0]
    long, maximum = max(medians, key=lambda item: float(item[1]))
    low, high = (
        (f.count(int(item)) if float(item).is_integer() else f.score(item, digits=1))
        for item in (minimum, maximum)
    )
    depth = f.count(v["depth"])
    look = f"{_some_measures(v['measures'])} {'looks' if len(v['measures']) == 1 else 'look'}"
    if not v["differences"]:
        return (
            f"{names[short]} retrieved {low} documents for a query and {names[long]} {high}"
            " (medians)",
            f"{look} further down, where not every run has documents: depth"
            f" {v['depth']} (--depth, Scoring(depth=…)) cuts all of them there.",
        )
    moved = {
        name: (names.signed(after), names.signed(before))
        for name, (before, after) in v["differences"].items()
    }
    changed = [
        f"{after} rather than {before} on {name}"
        for name, (after, before) in moved.items()
        if after != before
    ]
    unmoved = f"every Δ stays the same to {names.digits} decimals"
    consequence = f"Δ is {', '.join(changed[:MOST_MEASURES])}" if changed else unmoved
    return (
        f"{names[short]} retrieved {low} documents for a query, {names[long]} {high} (medians)",
        f"{look} further down. With both cut at rank {depth} (--config depth={v['depth']}),"
        f" {consequence}.",
    )


def guards_rest_on(v: Mapping[str, Any]) -> tuple[str, str]:
    """Say on what guards rest that pass, and where they do not."""
    queries = words.queries(v["n_queries"])
    kind, where = {
        "shared-queries": ("queries that are missing", f"On the {queries} that both runs have"),
        "missing-as-zero": (
            "queries that are missing",
            f"On all {queries} with the missing ones scored 0",
        ),
        "failed-dropped": ("scores that are missing", f"On the {queries} with both scores"),
        "failed-worst": ("scores that are missing", "With the worst score where one is missing"),
    }[v["kind"]]
    first = len(v["guards"]) == 1
    title = f"The guard{'' if first else 's'} on {_some_measures(v['guards'])}"
    return f"{title} rest{'s' * first} on the {kind}", f"{where} a loss is not excluded."


@register(RUN_SENTENCES, "guard-turned")
@register(RUN_SENTENCES, "guard-scores")
def _guard_turned(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return guards_rest_on(v)


@register(RUN_SENTENCES, "same-file")
def _same_file(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    systems = " and ".join(names[item] for item in v["systems"][:MOST_SYSTEMS])
    more = len(v["systems"]) - MOST_SYSTEMS
    return (
        f"{systems}{f' and {f.count(more)} more' if more > 0 else ''} have the same content",
        f"Their sha256 is {v['sha256'][:HASH]}…: was one run given twice?",
    )


@register(RUN_SENTENCES, "pairs-of-first")
def _pairs_of_first(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    text = f.count(v["n_systems"] - 1)
    return (
        f"{f.count(v['n_systems'])} systems make {f.plural(v['n_pairs'], 'pair')}; only the"
        f" {text} with the first are kept",
        "All are tested together, so intervals and p-values are those of all pairs. --pairs keeps"
        " every pair, and the letters.",
    )


@register(MACHINE_SENTENCES, "machine-set-aside")
def _set_aside(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    n = words.queries(v["n_judged"])
    return (
        f"{n} are too few to know the machine's errors: people alone decide",
        "It made few errors there, or one outweighs the others, so how often it fails grossly"
        " cannot be known; intervals that relied on it were too narrow in simulations. Let people"
        " judge more queries.",
    )


@register(MACHINE_SENTENCES, "machine-sample-differs")
def _sample_differs(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    if v["what"] == "difference":
        text, mean = "in the machine's Δ", "Δ is"
        means = [names.signed(v[name]) for name in ("judged", "others")]
    else:
        text, mean = "in difficulty", "the mean score of A and B is"
        means = [f.score(v[name], digits=names.digits) for name in ("judged", "others")]
    return (
        f"The queries that people judged differ from the others {text}",
        f"By the machine's judgments {mean} {means[0]} on these and {means[1]} on the others"
        f" ({f.p_clause(v['pvalue'], alpha=names.alpha)}), which a random draw seldom is: people"
        " alone decide. Draw the queries to judge by chance (abrank sample queries).",
    )


@register(MACHINE_SENTENCES, "machine-missing")
def _machine_missing(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    are = "is" if v["count"] == 1 else "are"
    return (
        f"{words.queries(v['count'])} judged by people {are} not judged by the machine",
        f"Left out: {some_of(v['ids'], v['count'])}. Let the machine judge all queries, these"
        " included.",
    )


@register(MACHINE_SENTENCES, "machine-no-help")
def _no_help(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        "The machine does not narrow the interval",
        f"Its differences correlate with people's by {f.signed(v['correlation'], digits=2)}, and"
        f" the break-even is {f.score(v['break_even'], digits=2)}: people alone tell as much.",
    )
