"""Which of several measures decides, who chose it, and in which direction each is better."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from abrank._support.errors import ArgumentError
from abrank.diagnostics import Note, higher_is_better
from abrank.measures import parse
from abrank.measures.names import asks_direction, known
from abrank.scoring.scores import Scores

# Taken where nobody chose: the first of these that is there, in whatever order they came.
PREFERRED = ("nDCG@10", "nDCG", "AP", "RR")
# Lines of text in trec_eval's output, which pytrec_eval gives as the number 0.
_TEXTS = ("runid", "relstring")
# The family that is an adjustment by itself: one measure is tested after the other.
SEQUENCE = "fixed-sequence"


class MeasureChoice(NamedTuple):
    """The measures compared, the deciding one, those shown apart, and of how many nobody chose."""

    # `unchosen` is 0 where somebody named the measure that decides, or there is no other.

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
    # Counts, constants and text are put apart unless they are named. Of several measures without a
    # name given, a ranking measure is taken, and it stands first.
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
    lead = min(names, key=_preference)
    return MeasureChoice((lead, *(name for name in names if name != lead)), lead, apart, len(names))


def choose_from(
    scores: Scores, primary: str | None = None, *, gate: bool = False, in_sequence: bool = False
) -> tuple[Scores, str, tuple[Note, ...]]:
    """Return the scores that are compared, the measure that decides, and the notes on it."""
    flat = np.ptp(scores.values, axis=(0, 1)) == 0.0 if scores.values.size else []
    constant = [name for name, is_flat in zip(scores.measures, flat, strict=False) if is_flat]
    result = choose(scores.measures, scores.named, primary, constant=constant)
    notes = unchosen(result, gate=gate, in_sequence=in_sequence)
    if result.apart:
        means = scores.means()
        values = {name: means[:, scores.measures.index(name)].tolist() for name in result.apart}
        notes = (*notes, Note("not-tested", 1, {"means": values}))
    if result.measures == scores.measures:
        return scores, result.primary, notes
    return scores.take(result.measures), result.primary, notes


def unchosen(
    choice: MeasureChoice, *, gate: bool = False, in_sequence: bool = False
) -> tuple[Note, ...]:
    """Return the note that nobody chose the measure that decides; refuse what needs a choice."""
    if not choice.unchosen:
        return ()
    if gate or in_sequence:
        refuse_unchosen(choice.unchosen, choice.primary, in_sequence=in_sequence)
    return (Note("nobody-chose", 4, {"primary": choice.primary, "n": choice.unchosen}),)


def refuse_unchosen(n_measures: int, primary: str, *, in_sequence: bool = False) -> NoReturn:
    """Refuse a gate, or a sequence of tests, where nobody chose one of several measures."""
    text = f"{n_measures} measures; say which decides"
    python, command = f'measures="{primary}"', f"-m {primary}"
    if in_sequence:
        text = f"{n_measures} measures; name them in the order of the tests"
        python, command = f'measures=["{primary}", ...]', f"{command} -m ..."
    raise ArgumentError(f"{text}: {python}", command=f"{text}: {command}")


class Directions(NamedTuple):
    """Of each measure whether the higher score is the better one, and of which nobody said so."""

    # The names of those in `undeclared` sound like a cost.

    higher: dict[str, bool]
    undeclared: tuple[str, ...] = ()

    def by_name(self, deciding: Collection[str]) -> Directions:
        """Take less for better of what sounds like a cost, unless it decides: that is asked."""
        costs = [name for name in self.undeclared if name not in deciding]
        undeclared = tuple(name for name in self.undeclared if name in deciding)
        return Directions(self.higher | dict.fromkeys(costs, False), undeclared)


def directions(
    measures: Sequence[str], lower: Sequence[str] | str = (), higher: Sequence[str] | str = ()
) -> Directions:
    """Return of each measure whether the higher score is the better one."""
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
    """Return directions that were told before; that of a known measure is its own."""
    declared_higher = [
        name for name in higher if higher[name] and asks_direction(name) and name not in undeclared
    ]
    return directions(tuple(higher), [name for name in higher if not higher[name]], declared_higher)


def require_direction(undeclared: Collection[str], measures: Sequence[str]) -> None:
    """Refuse a gate on a measure of which nobody said in which direction it is better."""
    for name in measures:
        if name in undeclared:
            raise ArgumentError(
                f'is lower better for {name}? Say so: lower_is_better="{name}", or'
                f' Question(higher_is_better="{name}")',
                command=f"is lower better for {name}? Say so: --lower-is-better"
                f" {shlex.quote(name)}, or --config higher_is_better={shlex.quote(name)}",
            )


def canonical_name(name: str) -> str:
    """Return the canonical name of a measure; empty for a score that is none."""
    return str(known(name) or "")


def _may_decide(name: str, constant: Collection[str]) -> bool:
    """Whether a measure that nobody named may decide: no count, no constant, no text."""
    measure = known(name)
    if measure is not None:
        return measure.entry.decides
    folded = name.casefold()
    return not (folded.startswith(("num_", *_TEXTS)) or name in constant)


def _preference(name: str) -> tuple[int, bool]:
    """Return the place of a measure among those that are taken where nobody chose."""
    measure = known(name)
    names = (name, measure.entry.name) if measure else (name,)
    for place, preferred in enumerate(PREFERRED):
        if preferred in names:
            return place, name != preferred
    return len(PREFERRED) + (measure is None) + asks_direction(name), False
