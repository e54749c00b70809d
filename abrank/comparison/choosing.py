"""Choose the measure that decides, and the direction in which each measure is better."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from abrank._support.errors import ArgumentError
from abrank.diagnostics import Note, higher_is_better
from abrank.measures import parse
from abrank.measures.names import asks_direction, known
from abrank.options import Question
from abrank.scoring.scores import Scores

# The measure that decides if the user names none: the first of these that exists.
PREFERRED = ("nDCG@10", "nDCG", "AP", "RR")
# Values of trec_eval that are text; pytrec_eval returns them as the number 0.
_TEXTS = ("runid", "relstring")
# The family that needs no adjustment: measures are tested one after the other.
SEQUENCE = "fixed-sequence"


class MeasureChoice(NamedTuple):
    """The measures compared, the one that decides, and the measures that are set apart."""

    # `unchosen` is the number of measures if the user did not name the primary one, else 0.

    measures: tuple[str, ...]
    primary: str
    apart: tuple[str, ...] = ()
    unchosen: int = 0


def choose(
    measures: Sequence[str],
    named: Sequence[str] | None,
    primary: str | None = None,
    *,
    constant: Collection[str] = (),
) -> MeasureChoice:
    """Choose the measure that decides."""
    # Counts, constants and texts are set apart unless named. If the user names no measure, a
    # ranking measure is preferred and moved to the front.
    lead = primary
    if lead is not None and lead not in measures:
        lead = str(parse(lead))
        if lead not in measures:
            raise ArgumentError(f"the primary measure {lead} is not among {', '.join(measures)}")
    if named is None:
        return MeasureChoice(tuple(measures), lead or measures[0])
    may_stay = {*named, *([lead] if lead else [])}
    if len(measures) == 1:
        may_stay = {*measures}
    names = [name for name in measures if name in may_stay or _may_decide(name, constant)]
    if not names:
        raise ArgumentError(
            f"none of {', '.join(measures)} says how good a ranking is: say which decides,"
            f' measures="{measures[0]}"',
            command=f"none of {', '.join(measures)} says how good a ranking is; say which decides:"
            f" -m {measures[0]}",
        )
    apart = tuple(name for name in measures if name not in names)
    if lead or named or len(names) == 1:
        return MeasureChoice(tuple(names), lead or (named or names)[0], apart)
    # Nobody has to say that quality decides where the others are costs, such as a latency.
    quality = [name for name in names if not asks_direction(name)] or names
    lead = min(quality, key=_preference)
    measures = (lead, *(name for name in names if name != lead))
    return MeasureChoice(measures, lead, apart, len(quality) if len(quality) > 1 else 0)


def choose_from(
    scores: Scores, question: Question | None = None
) -> tuple[Scores, str, tuple[Note, ...]]:
    """Return the scores to compare, the measure that decides, and notes on that choice."""
    flat = np.ptp(scores.values, axis=(0, 1)) == 0.0 if scores.values.size else []
    constant = [name for name, is_flat in zip(scores.measures, flat, strict=False) if is_flat]
    primary = None if question is None else question.primary
    result = choose(scores.measures, scores.named, primary, constant=constant)
    notes = unchosen(result, question)
    if result.apart:
        means = scores.means()
        values = {name: means[:, scores.measures.index(name)].tolist() for name in result.apart}
        notes = (*notes, Note("not-tested", 1, {"means": values}))
    if result.measures == scores.measures:
        return scores, result.primary, notes
    return scores.take(result.measures), result.primary, notes


def unchosen(choice: MeasureChoice, question: Question | None) -> tuple[Note, ...]:
    """Return the note that the user chose no primary measure; refuse options that need one."""
    if not choice.unchosen:
        return ()
    in_sequence = question is not None and question.family == SEQUENCE
    if question is not None and (question.gate is not None or in_sequence):
        _refuse_unchosen(choice.unchosen, choice.primary, in_sequence=in_sequence)
    return (Note("nobody-chose", 4, {"primary": choice.primary, "n": choice.unchosen}),)


def require_chosen(notes: Iterable[Note]) -> None:
    """Refuse a gate if a note of the result says that the user chose no primary measure."""
    for note in notes:
        if note.code == "nobody-chose":
            _refuse_unchosen(note.values["n"], note.values["primary"])


def _refuse_unchosen(n_measures: int, primary: str, *, in_sequence: bool = False) -> NoReturn:
    """Refuse a gate or a sequence of tests if the user did not choose among several measures."""
    text = f"{n_measures} measures; say which decides"
    python, command = f'measures="{primary}"', f"-m {primary}"
    if in_sequence:
        text = f"{n_measures} measures; name them in the order of the tests"
        python, command = f'measures=["{primary}", ...]', f"{command} -m ..."
    raise ArgumentError(f"{text}: {python}", command=f"{text}: {command}")


class Directions(NamedTuple):
    """For each measure whether higher is better, and the measures whose direction is unknown."""

    # The names in `undeclared` sound like costs.

    higher: dict[str, bool]
    undeclared: tuple[str, ...] = ()

    def by_name(self, deciding: Collection[str]) -> Directions:
        """Assume that cost-like names are better when lower, except for deciding measures."""
        costs = [name for name in self.undeclared if name not in deciding]
        undeclared = tuple(name for name in self.undeclared if name in deciding)
        return Directions(self.higher | dict.fromkeys(costs, False), undeclared)


def directions(
    measures: Sequence[str], lower: Sequence[str] | str = (), higher: Sequence[str] | str = ()
) -> Directions:
    """Return for each measure whether higher is better."""
    by_name = {measure: higher_is_better(measure) for measure in measures}
    declared: dict[str, bool] = {}
    for names, is_higher in ((lower, False), (higher, True)):
        option = "higher_is_better" if is_higher else "lower_is_better"
        for name in [names] if isinstance(names, str) else names:
            measure = name if name in by_name else canonical_name(name)
            if measure not in by_name:
                raise ArgumentError(f"{option}: {name} is not among {', '.join(measures)}")
            if canonical_name(measure) and by_name[measure] != is_higher:
                better = "higher" if by_name[measure] else "lower"
                raise ArgumentError(
                    f"{option}: of {measure} {better} is better, by its definition; the option is"
                    " for scores of which abrank knows no direction"
                )
            if declared.get(measure, is_higher) != is_higher:
                raise ArgumentError(f"{name} is named both as lower-is-better and as the contrary")
            declared[measure] = is_higher
    undeclared = tuple(name for name in measures if name not in declared and asks_direction(name))
    return Directions(by_name | declared, undeclared)


def directions_again(higher: Mapping[str, bool], undeclared: Collection[str]) -> Directions:
    """Return directions that were declared before; known measures keep their own."""
    declared_higher = [
        name for name in higher if higher[name] and asks_direction(name) and name not in undeclared
    ]
    return directions(tuple(higher), [name for name in higher if not higher[name]], declared_higher)


def require_direction(undeclared: Collection[str], measures: Sequence[str]) -> None:
    """Refuse a gate on a measure whose direction is unknown."""
    for name in measures:
        if name in undeclared:
            raise ArgumentError(
                f'is lower better for {name}? Say so: lower_is_better="{name}", or'
                f' Question(higher_is_better="{name}")',
                command=f"is lower better for {name}? Say so: --lower-is-better"
                f" {shlex.quote(name)}, or --config higher_is_better={shlex.quote(name)}",
            )


def canonical_name(name: str) -> str:
    """Return the canonical name of a measure; empty if the name is not a known measure."""
    return str(known(name) or "")


def _may_decide(name: str, constant: Collection[str]) -> bool:
    """Whether a measure may decide without being named: no count, constant or text may."""
    measure = known(name)
    if measure is not None:
        return measure.entry.decides
    folded = name.casefold()
    return not (folded.startswith(("num_", *_TEXTS)) or name in constant)


def _preference(name: str) -> tuple[int, bool]:
    """Return the sort key that puts the preferred measures first."""
    measure = known(name)
    names = (name, measure.entry.name) if measure else (name,)
    for place, preferred in enumerate(PREFERRED):
        if preferred in names:
            return place, name != preferred
    return len(PREFERRED) + (measure is None), False
