"""Notes on the runs and on a machine's judgments, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.report.sections import words
from abrank.report.sections.declared_notes import LONGEST_ID, Names, Words, quoted

if TYPE_CHECKING:
    from abrank.report.sections.declared_notes import Names, Words


MOST_SYSTEMS = 4
MOST_MEASURES = 3
HASH = 12


def _pair(v: Mapping[str, Any]) -> str:
    """Return an id of the run beside the one of the judgments that it would match."""
    return f"{quoted(v['in_run'])} in the run, {quoted(v['in_qrels'])} in the judgments"


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


def _none_relevant(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    end = (
        "choose a lower grade (--rel; of compare --config rel=1)."
        if v["highest"] > 0
        else "are these the judgments meant?"
    )
    return (
        f"No document is relevant to {_some_measures(v['measures'])}",
        f"The highest grade in the judgments is {f.count(v['highest'])}, and {f.count(v['rel'])} or"
        f" more counts as relevant, so every score is 0: {end}",
    )


def _missing(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    name, are = names[v["system"]], "is" if v["count"] == 1 else "are"
    ids = ", ".join(shorten(str(each), width=LONGEST_ID) for each in v["ids"])
    more = v["count"] - len(v["ids"])
    listed = f"{ids} and {f.count(more)} more" if more else ids
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
    many = words.queries(v["count"])
    if "n_queries" in v:
        many = f"{f.count(v['count'])} of {f.count(v['n_queries'])} judged queries"
    return f"{many} {are} missing from {name}", became


def _unequal_depth(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    medians = sorted(v["medians"].items(), key=lambda each: float(each[1]))
    short, least = medians[0]
    long, most = max(medians, key=lambda each: float(each[1]))
    low, high = (
        (f.count(int(each)) if float(each).is_integer() else f.score(each, digits=1))
        for each in (least, most)
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


def _some_measures(names: list[str]) -> str:
    few = len(names) <= MOST_MEASURES
    return f.listed(names) if few else f.first_of(names, MOST_MEASURES)


def _same_file(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    systems = " and ".join(names[each] for each in v["systems"][:MOST_SYSTEMS])
    more = len(v["systems"]) - MOST_SYSTEMS
    return (
        f"{systems}{f' and {f.count(more)} more' if more > 0 else ''} have the same content",
        f"Their sha256 is {v['sha256'][:HASH]}…: was one run given twice?",
    )


def _tied_runs(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    counts = sorted(v["systems"].items(), key=lambda each: -each[1])
    shown = [f"{names[system]} {f.count(count)}" for system, count in counts[:MOST_SYSTEMS]]
    more = len(counts) - MOST_SYSTEMS
    have = "has" if len(counts) == 1 else "have"
    return (
        f"{f.plural(len(counts), 'run')} {have} documents with tied scores",
        f"{', '.join(shown)}{f' and {f.count(more)} more' if more > 0 else ''}; they are put in"
        " descending order of document id, as trec_eval does.",
    )


def _pairs_of_first(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    shown = f.count(v["n_systems"] - 1)
    return (
        f"{f.count(v['n_systems'])} systems make {f.plural(v['n_pairs'], 'pair')}",
        f"All are tested together, so intervals and p-values are those of all pairs; kept are the"
        f" {shown} with the first. --pairs keeps every pair, and the letters.",
    )


RUN_SENTENCES: Mapping[str, Words] = {
    "document-ids": _document_ids,
    "none-judged": _none_judged,
    "none-relevant": _none_relevant,
    "missing-queries": _missing,
    "unequal-depth": _unequal_depth,
    "same-file": _same_file,
    "tied-runs": _tied_runs,
    "pairs-of-first": _pairs_of_first,
}


def _sample_differs(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    if v["what"] == "difference":
        what, mean = "in the machine's Δ", "Δ is"
        means = [names.signed(v[each]) for each in ("judged", "others")]
    else:
        what, mean = "in difficulty", "the mean score of A and B is"
        means = [f.score(v[each], digits=names.digits) for each in ("judged", "others")]
    return (
        f"The queries that people judged differ from the others {what}",
        f"By the machine's judgments {mean} {means[0]} on these and {means[1]} on the others"
        f" ({f.p_clause(v['pvalue'], alpha=names.alpha)}), which a random draw seldom is: people"
        " alone decide. Draw the queries to judge by chance (abrank sample queries).",
    )


def _nearly_all(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        f"People judged {f.count(v['n_judged'])} of {words.queries(v['n_queries'])}",
        "So the machine has little to add: it helps where it judged many more queries than people.",
    )


def _no_help(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    return (
        "The machine does not narrow the interval",
        f"Its differences correlate with people's by {f.signed(v['correlation'], digits=2)}, and"
        f" the break-even is {f.score(v['break_even'], digits=2)}: people alone tell as much.",
    )


def _set_aside(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    n = words.queries(v["n_judged"])
    return (
        f"{n} are too few to know the machine's errors: people alone decide",
        "It made few errors there, or one outweighs the others, so how often it fails grossly"
        " cannot be known; intervals that relied on it were too narrow in simulations. Let people"
        " judge more queries.",
    )


def _machine_missing(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    shown = ", ".join(shorten(str(each), width=40) for each in v["ids"])
    more = f" and {f.count(v['count'] - len(v['ids']))} more" if v["count"] > len(v["ids"]) else ""
    are = "is" if v["count"] == 1 else "are"
    return (
        f"{words.queries(v['count'])} judged by people {are} not judged by the machine",
        f"Left out: {shown}{more}. Let the machine judge all queries, these included.",
    )


def _shares_model(v: Mapping[str, Any], names: Names) -> tuple[str, str]:
    shared = {"both": "Both systems share"}.get(v["shared"]) or f"{names[v['shared']]} shares"
    return (
        f"{shared} a model with the machine that judges",
        "Such machines favour their own: by the machine alone wrong differences between rankers"
        " were found most often there. The verdict corrects for it by the queries that people"
        " judged.",
    )


def _not_declared(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
    lacking = [] if v["judge"] else ["which machine judged (machine.judge)"]
    if not v["shared_model"]:
        lacking.append("whether a system shares its model (machine.shared_model)")
    return (
        f"Not declared: {' and '.join(lacking)}",
        "A machine that was chosen after its results were seen, or that judges its own kind, can"
        f" favour a system. State {'both' if len(lacking) > 1 else 'it'} in the rule file"
        " (--config) before people judge.",
    )


MACHINE_SENTENCES: Mapping[str, Words] = {
    "machine-set-aside": _set_aside,
    "machine-sample-differs": _sample_differs,
    "machine-missing": _machine_missing,
    "machine-no-help": _no_help,
    "machine-shares-model": _shares_model,
    "machine-nearly-all-judged": _nearly_all,
    "machine-not-declared": _not_declared,
}
