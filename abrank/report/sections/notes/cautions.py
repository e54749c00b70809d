"""What to read before acting: a caution for each note, the weightiest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from abrank._support import display as f
from abrank.collections import same_judgments
from abrank.diagnostics import Note, inspect_systems
from abrank.report.model import Caution
from abrank.report.sections.notes.machine import MACHINE_SENTENCES
from abrank.report.sections.notes.names import Names
from abrank.report.sections.notes.runs import RUN_SENTENCES
from abrank.report.sections.notes.sentences import SENTENCES

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.ranking import Ranking
    from abrank.scoring.scores import Scores

# In the order of what they mean for the verdict: first what was compared at all.
WORDS = {**RUN_SENTENCES, **MACHINE_SENTENCES, **SENTENCES}
# Codes that earlier versions wrote and this one does not tell any more.
NO_LONGER_TOLD = frozenset(
    [
        "few-queries",
        "large-losses",
        "short-intervals",
        "many-ties",
        "skewed",
        "few-carry-the-mean",
        "discrete-measure",
        "tied-scores",
        "tie-noise",
        "one-grade",
        "long-tail",
        "most-tied",
        "machine-few-queries",
    ]
)
# So many are shown at once, in every format; a reader asks for the others.
SHOWN = 4
_PLACES = {code: place for place, code in enumerate(WORDS)}


def cautions(comparison: Comparison) -> tuple[Caution, ...]:
    """Return a caution for every note, those first that mean most for the verdict.

    A file of an earlier version may hold notes that are no longer told: they are passed over.
    """
    names = Names(
        comparison.baseline,
        comparison.candidate,
        digits=comparison.decimals,
        alpha=comparison.rule.alpha,
        topics=comparison.topics,
    )
    notes = [*comparison.notes, *_near_alpha(comparison)]
    told = [note for note in notes if note.code in WORDS]
    told.sort(key=lambda note: (-note.severity, _PLACES[note.code]))
    return tuple(caution(note, names) for note in told)


def caution(note: Note, names: Names) -> Caution:
    """Return a note in words."""
    title, text = WORDS[note.code](note.values, names)
    return Caution(note.code, title, text, note.severity, page=note.code)


def by_collection(
    found: Mapping[str, Iterable[Caution]], results: Mapping[str, Comparison | Ranking]
) -> tuple[Caution, ...]:
    """Return the cautions of several collections, each after its name, the most severe first.

    What stands before the verdict is asked of all of them at once.
    """
    every = [
        each if each.stands_first else replace(each, title=f"{collection}: {each.title}")
        for collection, cautions in found.items()
        for each in cautions
    ]
    every = list(dict.fromkeys(every))
    return (*counted_twice(results), *sorted(every, key=lambda each: -each.severity))


def counted_twice(results: Mapping[str, Comparison | Ranking]) -> tuple[Caution, ...]:
    """Return a caution for collections that have the same judgments."""
    return tuple(
        Caution(
            "same-judgments",
            "The same judgments twice",
            f"{f.listed(names)} have the same judgments: their queries count"
            f" {len(names)} times, as if they were others. Give each collection once.",
            3,
        )
        for names in same_judgments(results)
    )


class SystemNames(Names):
    """Names for notes that call a system by its own name, not by "a" or "b"."""

    def __getitem__(self, key: str) -> str:
        return key


def run_sentences(scores: Scores) -> tuple[str, ...]:
    """Return what is to be known of the runs that were scored, one sentence or two a note.

    Parameters
    ----------
    scores : Scores
        Of any number of systems.

    Returns
    -------
    tuple of str
        The most severe first; empty where there is nothing to say.

    Examples
    --------
    >>> from abrank.scoring.evaluate import evaluate
    >>> found = run_sentences(evaluate({"q1": {"d1": 1}}, {"new": {"q1": {"x": 1.0}}}, ["RR"]))
    >>> found[0].split(".")[0]
    'No document of new is judged'
    """
    return note_sentences(inspect_systems(scores))


def note_sentences(notes: Sequence[Note]) -> tuple[str, ...]:
    """Return notes that name their systems, not as A and B, in words."""
    names = SystemNames("", "", digits=f.DIGITS, alpha=0.05)
    said = (caution(note, names) for note in notes)
    return tuple(map(str, said))


def sentence_of(note: Note) -> str:
    """Return a note of a comparison in words, the systems being A and B."""
    return str(caution(note, Names("A", "B", digits=f.DIGITS, alpha=0.05)))


def _near_alpha(comparison: Comparison) -> list[Note]:
    """Say so where the decisive p is a Monte Carlo estimate that cannot be told from alpha."""
    row = next((row for row in comparison.test_rows if row.decides), None)
    if row is None or not row.pvalue_error > 0.0:
        return []
    reach = 1.96 * row.pvalue_error
    low, high = max(0.0, row.pvalue - reach), min(1.0, row.pvalue + reach)
    if not low <= comparison.rule.alpha <= high:
        return []
    values = {"pvalue": row.pvalue, "low": low, "high": high, "n_resamples": row.n_resamples}
    return [Note("monte-carlo-near-alpha", 3, values)]
