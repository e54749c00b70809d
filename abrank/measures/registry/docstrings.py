"""The docstring of a measure: what all measures share is said here, the rest by each of them."""

from __future__ import annotations

import inspect
from textwrap import indent

from abrank._support.docstrings import entries, join, split
from abrank.measures.registry.entries import Entry

_JUDGED = {
    None: "A run joined with its qrels.",
    "subtopics": "A run joined with judgments by subtopic.",
    "scores": "A run joined with its qrels; with the scores of unjudged documents for a threshold.",
}
_RAISED = {
    None: "If a parameter is not as described above.",
    "subtopics": "If a parameter is not as described above, or the judgments are not by subtopic.",
    "scores": "If a parameter is not as described above, or needs scores that were not kept.",
}
_PARAMETERS = {
    "cutoff: int": "k, ranks counted, from 1.",
    "cutoff: int | None": "Ranks counted, from 1; ``None`` counts all retrieved.",
    "rel: int": "Lowest grade that is relevant, from 1.",
    "min_rel: int": "The highest grade without gain, from 0.",
    "max_rel: int": "The lowest grade with a gain of 1; between the two, the gain is on a line.",
    "max_grade: int | None": (
        "Highest grade of the scale, from 1, which no judgment may exceed; ``None`` takes the\n"
        "    highest grade in the qrels, over all queries."
    ),
    "T: float": "Gain that a reader hopes for, in documents of gain 1; above 0.",
    "alpha: float": (
        "Share of a subtopic's gain that each relevant document takes away, in [0, 1]."
    ),
}


def complete(entry: Entry) -> str:
    """Return the docstring of a measure of abrank with what it shares with the others.

    ``abrank.measures.definitions`` says what its own docstring holds, and in which order.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from abrank.measures import catalogue
    >>> def found(judged, *, rel: int = 1):
    ...     '''Relevant documents.
    ...
    ...     Documents; 0 where nothing was retrieved.
    ...
    ...     Counts them.
    ...     '''
    >>> complete(replace(catalogue()["AP"], function=found)).splitlines()[4:8]
    ['judged : JudgedRun', '    A run joined with its qrels.',
     'rel : int', '    Lowest grade that is relevant, from 1.']
    """
    text, own = split(entry.function.__doc__)
    if "Returns" in own:  # completed when the package was imported before
        return entry.function.__doc__ or ""
    summary, values, *definition = text.split("\n\n")
    sections = {
        "Parameters": _parameters(entry, own.pop("Parameters", "")),
        "Returns": "float64[n_queries]\n"
        + indent(f"{values}\nOrder of ``judged.query_ids``.", "    "),
        "Raises": f"ArgumentError\n    {_RAISED[entry.needs]}" if _keywords(entry) else "",
        "Notes": "\n\n".join(definition),
        **own,
    }
    return join(summary, sections)


def _keywords(entry: Entry) -> list[inspect.Parameter]:
    return list(inspect.signature(entry.function).parameters.values())[1:]


def _parameters(entry: Entry, own: str) -> str:
    """Return the entries of all parameters: in the function's own words where it has some."""
    described = entries(own)
    lines = [f"judged : JudgedRun\n    {_JUDGED[entry.needs]}"]
    for keyword in _keywords(entry):
        if keyword.name in described:
            lines.append(f"{keyword.name} : {described[keyword.name]}")
            continue
        kind, text = str(keyword.annotation), _PARAMETERS[f"{keyword.name}: {keyword.annotation}"]
        of_subtopic = keyword.name == "rel" and entry.needs == "subtopics"
        text = text.replace("relevant,", "relevant to a subtopic,") if of_subtopic else text
        lines.append(f"{keyword.name} : {kind.replace(' | None', ', optional')}\n    {text}")
    return "\n".join(lines)
