"""The one parser of measure names: ir_measures' grammar, and trec_eval's and ranx's spellings."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.measures.entries import Entry, Measure, catalogue, known_as
from abrank.measures.parameters import Value

_WHOLE = r"-?[0-9]{1,18}"
_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FORM = re.compile(
    r"(?P<name>[^\W\d][\w-]*?)"
    r"(?P<suffix>[._](?P<number>\.?[0-9]+(?:\.[0-9]+)?))?"  # P_10, P.10, rbp.95
    r"(?:\((?P<inside>.*)\))?"
    r"(?:@(?P<cutoff>[^@()\s]+?))?"
    r"(?:-l(?P<level>[0-9]{1,9}))?"  # ranx: map-l2, map@10-l2
)
_PAIR = re.compile(r"\s*(\w+)\s*=\s*('[^']*'|\"[^\"]*\"|[^\s,'\"()=]+)\s*(?:,|$)")
_WORDS: dict[str, Value] = {"None": None, "True": True, "False": False}
_COMMON_CUTOFFS = ("5", "10", "20", "100", "1000")


@dataclass(frozen=True)
class Spelling:
    """What a name of another program means here.

    Attributes
    ----------
    name : str
        The canonical name.
    number : str
        The parameter that a number behind ``.`` or ``_`` sets.
    fixed : tuple of (name, value)
        Parameters that the name implies.
    """

    name: str
    number: str = "cutoff"
    fixed: tuple[tuple[str, Value], ...] = ()


# Lower case, as all names are looked up. Canonical names and their aliases need no line here.
_SPELLINGS = {
    "map_cut": Spelling("AP"),
    "recip_rank": Spelling("RR"),
    "ndcg_cut": Spelling("nDCG"),
    "ndcg_burges": Spelling("nDCG", fixed=(("dcg", "exp-log2"),)),
    "hit_rate": Spelling("Success"),
    "r-precision": Spelling("Rprec"),
    "r_precision": Spelling("Rprec"),
    "set_p": Spelling("SetP"),
    "set_recall": Spelling("SetR"),
    "set_r": Spelling("SetR"),
    "set_f": Spelling("SetF", number="beta squared"),
    "f1": Spelling("SetF"),
    "rbp": Spelling("RBP", number="p"),
}


def parse(text: str | Measure) -> Measure:
    """Return the measure that a name means.

    Parameters
    ----------
    text : str or Measure
        ``NAME(keyword=value,...)@cutoff`` as in ir_measures, in whatever case, or one of the forms
        of trec_eval (``ndcg_cut_10``, ``P.10``, ``recip_rank``) and ranx (``precision@10``,
        ``map-l2``, ``rbp.95``). A text value needs no quotes. A Measure is returned as it is.

    Returns
    -------
    Measure
        Its ``name`` is canonical: defaults left out, parameters in the order of the signature;
        ``parse(str(m)) == m``.

    Raises
    ------
    UnknownNameError
        If no measure has this name, or no parameter or choice; with the nearest one.
    ArgumentError
        If the text has another form, or a parameter is missing, twice given, of the wrong type or
        without meaning.

    Examples
    --------
    >>> print(parse("ndcg_cut_10"), parse("map-l2"), parse("nDCG(dcg=exp-log2)@10"))
    nDCG@10 AP(rel=2) nDCG(dcg='exp-log2')@10
    >>> parse("P")
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: P needs a cut-off, for example P@10
    >>> parse("ndcg@10x")
    Traceback (most recent call last):
    abrank._support.errors.UnknownNameError: unknown measure "ndcg@10x"; did you mean nDCG@10?
    """
    if isinstance(text, Measure):
        return text
    form = _FORM.fullmatch(text.strip())
    if form is None:
        head = text.strip().partition("(")[0]
        raise _unknown(text) if known_as(head) is None else _malformed(text)
    entry, spelling, number = _named(form)
    if entry is None:
        raise _unknown(text)
    given = [*spelling.fixed, *number, *_pairs(form["inside"], text)]
    if form["cutoff"] is not None:
        cutoff = _value(form["cutoff"])
        if isinstance(cutoff, str):
            raise _unknown(text)
        if form["name"] == "rbp" and form["number"] is form["inside"] is None:
            # ranx reads the number as p, everybody else as a cut-off.
            raise ArgumentError(f"{text} has two meanings: write RBP@{cutoff} or RBP(p=0.{cutoff})")
        given.append(("cutoff", cutoff))
    if form["level"] is not None:
        given.append(("rel", int(form["level"])))
    return entry.with_parameters(_once(given, text))


def _named(form: re.Match[str]) -> tuple[Entry | None, Spelling, list[tuple[str, Value]]]:
    """Find the entry; a name that ends in a number (``top_10``) goes before a number behind one."""
    whole = form["name"] + (form["suffix"] or "")
    entry = known_as(whole)
    if entry is not None:
        return entry, Spelling(entry.name), []
    folded = form["name"].casefold()
    entry = known_as(folded)
    default = Spelling(entry.name) if entry else Spelling("")
    spelling = _SPELLINGS.get(folded, default)
    number = [] if form["number"] is None else [_behind_the_name(spelling, form["number"])]
    return known_as(spelling.name), spelling, number


def _behind_the_name(spelling: Spelling, number: str) -> tuple[str, Value]:
    """Read the number of ``P_10``, ``rbp.95`` (p = 0.95) or ``set_F.0.25`` (beta = 0.5)."""
    if spelling.number == "beta squared":
        # trec_eval's parameter is beta squared (m_set_F.c).
        return "beta", math.sqrt(float(number))
    if spelling.number == "p":
        return "p", float(number if "." in number else f"0.{number}")
    return "cutoff", _value(number)


def _pairs(inside: str | None, text: str) -> list[tuple[str, Value]]:
    """Read ``keyword=value,...``."""
    pairs, at = [], 0
    while inside is not None and at < len(inside.rstrip()):
        pair = _PAIR.match(inside, at)
        if pair is None:
            raise _malformed(text)
        pairs.append((pair[1], _value(pair[2])))
        at = pair.end()
    return pairs


def _value(text: str) -> Value:
    """Read a number, a word such as None, or text with or without quotes."""
    if re.fullmatch(_WHOLE, text):
        return int(text)
    if re.fullmatch(_NUMBER, text):
        return float(text)
    if text[0] in "'\"":
        return text[1:-1]
    return _WORDS.get(text, text)


def _once(given: list[tuple[str, Value]], text: str) -> dict[str, Value]:
    """Make a dict of it, and refuse a parameter that came twice."""
    names = [name for name, _ in given]
    for name in names:
        if names.count(name) > 1:
            raise ArgumentError(f'"{text}" gives {name} more than once')
    return dict(given)


def _malformed(text: str) -> ArgumentError:
    form = "NAME(keyword=value,...)@cutoff, for example nDCG(dcg='exp-log2')@10"
    return ArgumentError(f'"{text}" has not the form {form}')


def _unknown(text: str) -> UnknownNameError:
    """Compare the whole text with all names, bare and at the usual cut-offs and its own."""
    cutoffs = dict.fromkeys([*_COMMON_CUTOFFS, *re.findall(r"@([0-9]{1,6})$", text)])
    known = [*_SPELLINGS]
    for entry in catalogue().values():
        at = any(parameter.name == "cutoff" for parameter in entry.parameters)
        for name in (*entry.aliases, entry.name):
            known += [name, *(f"{name}@{cutoff}" for cutoff in cutoffs if at)]
    return UnknownNameError("measure", text, known)
