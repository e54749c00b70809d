"""What to read before acting: a caution for each note, the most severe first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support import display as f
from abrank.diagnostics import Note, inspect_inputs
from abrank.inputs import Audit
from abrank.report.model import Caution
from abrank.report.sections.caution_words import SENTENCES, Names

if TYPE_CHECKING:
    from abrank.comparison import Comparison


def cautions(comparison: Comparison, *, digits: int) -> tuple[Caution, ...]:
    """Return a caution for every note, the most severe first."""
    names = Names(
        comparison.baseline,
        comparison.candidate,
        digits=digits,
        alpha=comparison.rule.alpha,
        topics=comparison.topics,
    )
    notes = [*comparison.notes, *_near_alpha(comparison)]
    notes.sort(key=lambda note: -note.severity)
    return tuple(caution(note, names) for note in notes)


def caution(note: Note, names: Names) -> Caution:
    """Return a note in words."""
    title, text = SENTENCES[note.code](note.values, names)
    return Caution(note.code, title, text, note.severity)


def input_sentences(system: str, audit: Audit) -> tuple[str, ...]:
    """Return what was counted while a run was read, one sentence a note.

    Parameters
    ----------
    system : str
        Its name.
    audit : Audit

    Returns
    -------
    tuple of str
        Empty where there is nothing to say. Only what concerns this one run: a gap between two runs
        takes two of them.
    """
    names = Names(system, system, digits=f.DIGITS, alpha=0.05)
    found = []
    for note in inspect_inputs({"a": audit, "b": audit}, ()):
        if note.values.get("system") == "a":
            said = caution(note, names)
            found.append(f"{said.title}. {said.text}")
    return tuple(found)


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
