"""What can be measured, as a list for the terminal."""

from __future__ import annotations

import textwrap

from abrank.measures import Entry, catalogue
from abrank.measures.dialects import OTHERS, TREC_EVAL
from abrank.measures.registry import Parameter, literal, load_plugins

WIDTH = 80
_HEAD = (
    "NAME(parameter=default)@k, then the range. A parameter in [] may be left out. Where nothing"
    " else is said, the mean over the queries is reported, a higher value is better, and"
    " judged_only=True takes the unjudged documents out of the ranking first. Names of trec_eval,"
    " pytrec_eval and ranx are understood as well."
)
_AGGREGATES = {
    "mean": "",
    "sum": "added up over the queries",
    "geometric": "geometric mean over the queries",
}


def measure_list() -> str:
    """Return every measure with parameters, range, definition, source; 80 columns wide."""
    load_plugins()
    return "\n".join([textwrap.fill(_HEAD, WIDTH), *map(_described, catalogue().values()), ""])


def _described(entry: Entry) -> str:
    low, high = entry.bounds
    lines = [f"{_form(entry)}   {low:g} to {high:g}"]
    lines += [entry.definition, _unusual(entry), _also(entry), entry.source]
    first, *others = [line for line in lines if line]
    return "\n".join(
        [
            "",
            textwrap.fill(first, WIDTH, subsequent_indent="    ", break_on_hyphens=False),
            *(
                textwrap.fill(line, WIDTH, initial_indent="    ", subsequent_indent="    ")
                for line in others
            ),
        ]
    )


def _form(entry: Entry) -> str:
    """Write the name with all that may stand in it: ``AP(rel=1)[@k]``."""
    inside = [
        _written(parameter)
        for parameter in entry.parameters
        if parameter.name not in (entry.at, "judged_only")
    ]
    at = next((parameter for parameter in entry.parameters if parameter.name == entry.at), None)
    behind = ""
    if at is not None:
        letter = "@k" if at.name == "cutoff" else "@r"
        behind = letter if at.required else f"[{letter}]"
    return entry.name + (f"({', '.join(inside)})" if inside else "") + behind


def _written(parameter: Parameter) -> str:
    if parameter.required:
        return parameter.name
    if parameter.default is None:
        return f"[{parameter.name}]"
    return f"{parameter.name}={literal(parameter.default)}"


def _unusual(entry: Entry) -> str:
    """Say what differs from most measures: aggregation, direction, needs."""
    said = [
        _AGGREGATES[entry.aggregate],
        "" if entry.higher_is_better else "lower is better",
        f"needs {entry.needs}" if entry.needs else "",
        "" if any(each.name == "judged_only" for each in entry.parameters) else "no judged_only",
    ]
    return "; ".join(filter(None, said))


def _also(entry: Entry) -> str:
    """Name its other spellings."""
    spellings = {**TREC_EVAL, **OTHERS}.items()
    names = [
        *entry.aliases,
        *(name for name, each in spellings if each.name == entry.name and not each.fixed),
    ]
    known = {entry.name.casefold()}
    fresh = []
    for name in names:
        if name.casefold() not in known:
            fresh.append(name)
            known.add(name.casefold())
    return f"also {', '.join(fresh)}" if fresh else ""
