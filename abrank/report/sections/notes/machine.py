"""The words of the notes on judgments by a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.report.sections import words

if TYPE_CHECKING:
    from abrank.report.sections.notes.names import Names, Words


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


def _missing(v: Mapping[str, Any], _: Names) -> tuple[str, str]:
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
    "machine-missing": _missing,
    "machine-no-help": _no_help,
    "machine-shares-model": _shares_model,
    "machine-nearly-all-judged": _nearly_all,
    "machine-not-declared": _not_declared,
}
