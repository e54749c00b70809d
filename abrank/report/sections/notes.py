"""How a note is put into words, and those on runs and on a machine's judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from abrank._support import display as f
from abrank.report.model import Words
from abrank.report.sections import words

# Returns the title of a caution and its text, of the numbers behind a note.
Sentences: TypeAlias = Callable[[Mapping[str, Any], "Names"], tuple[str, str]]

MOST_SYSTEMS = 4
MOST_MEASURES = 3
HASH = 12


class Names(Words[None]):
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
        super().__init__(None, digits)
        self.alpha = alpha
        self._names = {"a": a, "b": b}
        self._topics = topics

    def __getitem__(self, key: str) -> str:
        return self._names[key]

    def at_level(self, *pvalues: float) -> str:
        """Return the level of the tests beside the p-values of a note."""
        return f"α = {f.alpha(self.alpha, pvalues)}"

    def query(self, query_id: str) -> str:
        """Return a query's id, and its text where that is known."""
        text = self._topics.get(query_id)
        if not text:
            return quoted(query_id)
        return f"{words.name(query_id)} {quoted(text)}"


class SystemNames(Names):
    """Names for notes that call a system by its own name, not by "a" or "b"."""

    def __getitem__(self, key: str) -> str:
        return key


def quoted(text: object) -> str:
    """Return a text in quotation marks, shortened."""
    return f"“{words.name(text)}”"


def say(measure: str) -> str:
    """Say how the direction of a score is declared."""
    return (
        f"Say so: --lower-is-better {words.typed(measure)} (lower_is_better=), or"
        f' higher_is_better = "{measure}" (--config).'
    )


def some_of(ids: Sequence[object], count: int) -> str:
    """Name the first of many ids."""
    text = ", ".join(map(words.name, ids))
    return f"{text} and {f.count(count - len(ids))} more" if count > len(ids) else text


def _pair(v: Mapping[str, Any]) -> str:
    """Return an id of the run beside the one of the judgments that it would match."""
    return f"{quoted(v['in_run'])} in the run, {quoted(v['in_qrels'])} in the judgments"


def _some_measures(names: list[str]) -> str:
    few = len(names) <= MOST_MEASURES
    return f.listed(names) if few else f.first_of(names, MOST_MEASURES)


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
            f"{look} further down, where not every run has documents: depth {v['depth']} (--depth,"
            " of compare --config depth=…; Scoring(depth=…)) cuts all of them there.",
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
    kind = "scores" if v["kind"].startswith("failed") else "queries"
    one = len(v["guards"]) == 1
    title = f"The guard{'s' * (not one)} on {_some_measures(v['guards'])} rest{'s' * one}"
    where = words.capital(words.choice(v["kind"], v["n_queries"]))
    return f"{title} on the {kind} that are missing", f"{where} a loss is not excluded."


def _same_file(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    systems = " and ".join(names[item] for item in v["systems"][:MOST_SYSTEMS])
    more = len(v["systems"]) - MOST_SYSTEMS
    return (
        f"{systems}{f' and {f.count(more)} more' if more > 0 else ''} have the same content",
        f"Their sha256 is {v['sha256'][:HASH]}…: was one run given twice?",
    )


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


# First stands what means most for the verdict.
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
        f"No document is relevant to {_some_measures(v['measures'])}",
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
    "guard-scores": lambda v, _: guards_rest_on(v),
    "guard-turned": lambda v, _: guards_rest_on(v),
    "same-file": _same_file,
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
