"""Which measures were asked for: names in any dialect, and the options of all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import Interpolation
from abrank.measures.naming.parser import expand, reading
from abrank.measures.registry.entries import Measure

INTERPOLATIONS = ("10", "9")
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def parse_measures(
    names: Sequence[str] | str | None,
    *,
    rel: int | None = None,
    judged_only: bool = False,
    interpolation: Interpolation = "10",
) -> tuple[Measure, ...]:
    """Parse measure names, refusing an empty list and one measure named twice.

    Parameters
    ----------
    names : sequence of str
        In any dialect; one that means several measures adds those that are not there yet. A measure
        object of ir_measures or PyTerrier passes as it is, by its name.
    rel, judged_only, interpolation
        Parameters of every measure that has them and was not given its own.

    Raises
    ------
    UnknownNameError, ArgumentError
        If a name means nothing, a measure is named twice or none at all, or an option has no
        meaning.

    Examples
    --------
    >>> [str(m) for m in parse_measures(["map", "P_5,10", "ndcg_cut_10"], rel=2)]
    ['AP(rel=2)', 'P(rel=2)@5', 'P(rel=2)@10', 'nDCG@10']
    """
    checks.one_of("interpolation", interpolation, INTERPOLATIONS)
    options: dict[str, object] = {"judged_only": judged_only, "interpolation": interpolation}
    if rel is not None:
        options["rel"] = checks.count("rel", rel)
    parsed: list[Measure] = []
    for name in listed(names):
        made = [_with_options(each, options) for each in expand(name)]
        new = [each for each in made if each not in parsed]
        if len(made) == 1 and not new:
            raise ArgumentError(f"measure {made[0]} is named twice")
        parsed += new
    if not parsed:
        raise ArgumentError("no measure is named")
    return tuple(parsed)


def notes_on(
    names: Sequence[str] | str | None,
    parsed: Sequence[Measure],
    *,
    rel: int | None,
    judged_only: bool,
) -> tuple[str, ...]:
    """Say how bare words were read, and which measures the options pass by.

    Examples
    --------
    >>> notes_on("nDCG", parse_measures("nDCG", rel=2), rel=2, judged_only=False)
    ('rel=2 does not concern nDCG',)
    """
    notes = [note for name in listed(names) if (note := reading(name)) is not None]
    for option, value in {"rel": rel, "judged_only": judged_only or None}.items():
        without = [each.name for each in parsed if not _takes(each, option)]
        if value is not None and without:
            notes.append(f"{option}={value} does not concern {', '.join(without)}")
    return tuple(notes)


def listed(names: Sequence[str] | str | None) -> Sequence[str]:
    """Return names as given; a measure object of ir_measures or PyTerrier is what it is called.

    Examples
    --------
    >>> listed("AP"), listed(["AP", "RR"])
    (['AP'], ['AP', 'RR'])
    """
    if names is None:
        return DEFAULT_MEASURES
    alone = isinstance(names, str) or not isinstance(names, Iterable)
    return [each if isinstance(each, str) else str(each) for each in ([names] if alone else names)]


def _with_options(measure: Measure, options: Mapping[str, object]) -> Measure:
    given = dict(measure.parameters)
    added = {name: value for name, value in options.items() if _takes(measure, name)}
    return measure.entry.with_parameters(added | given)


def _takes(measure: Measure, option: str) -> bool:
    """Whether the measure has the parameter, with a default: NumRet counts all without a rel."""
    return any(
        each.name == option and each.default is not None for each in measure.entry.parameters
    )
