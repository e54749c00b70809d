"""The result on a terminal: at most 80 columns, the same words and numbers as everywhere else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from abrank._support import checks
from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.power_analysis import NOTHING
from abrank.report import cells
from abrank.report.formats.terminal.note_lines import first_lines
from abrank.report.formats.terminal.text_table import measure_lines
from abrank.report.sections import (
    design,
    headline,
    judging,
    machine,
    margins,
    meaning,
    merged,
    planning,
    segments,
    sensitivity,
    soundness,
    words,
)
from abrank.report.sections.gate import gate_sentence
from abrank.report.sections.next_step import next_step
from abrank.report.sections.notes.cautions import SHOWN, cautions
from abrank.verdict import Verdict

WIDTH = 80
NARROWEST = 40
_INDENT = 10
_LONGEST_NAME = 28


class Span(NamedTuple):
    """A piece of a line and its style: "", "strong", "a", "b", "muted" or "note"."""

    text: str
    style: str = ""


def text(
    comparison: Comparison,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int | None = None,
) -> str:
    """Return the result as plain text.

    Parameters
    ----------
    comparison : Comparison
    width : int
        Columns, at least 40. Names are shortened to fit, numbers never.
    ascii : bool
        Use no character beyond ASCII.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    str
        Lines without a line end at the last one.

    Raises
    ------
    ArgumentError
        If the width is below 40.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.5, "q2": 0.25, "q3": 0.5}, {"q1": 0.625, "q2": 0.5, "q3": 0.75}
    >>> print(text(compare_scores(a, b, baseline="bm25", candidate="monot5")).splitlines()[0])
    ▲ BETTER  monot5 is better than bm25
    """
    lines = text_lines(comparison, width=width, ascii=ascii, digits=digits)
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def text_lines(
    comparison: Comparison,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int | None = None,
) -> list[list[Span]]:
    """Return the result as lines of styled pieces; :func:`text` is the same without the styles.

    Parameters
    ----------
    comparison : Comparison
    width : int
        Columns, at least 40.
    ascii : bool
        Use no character beyond ASCII.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    list of list of Span

    Raises
    ------
    ArgumentError
        If the width is below 40.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> text_lines(result)[0][0]
    Span(text='? INCONCLUSIVE', style='strong')
    """
    digits = comparison.decimals if digits is None else digits
    checks.count("width", width, at_least=NARROWEST)
    named = _printable(comparison)
    blocks: list[Sequence[Line]] = [
        [
            *_first(named, width, digits, ascii),
            *_verdict(named, width, digits, ascii),
            *_numbers(named, width, digits, ascii),
            *_soundness(named, width, digits, ascii),
            *_sensitivity(named, width, digits, ascii),
        ],
        measure_lines(named, width=width, digits=digits, plain=ascii),
        list(_facts(named, width, digits, ascii)),
        list(_notes(named, width, digits, ascii)),
    ]
    if named.decision.gate is not None:
        style = "b" if named.decision.gate.passed else "note"
        sentence = gate_sentence(named, digits=digits)
        blocks.append(list(_labelled("gate", sentence, width, ascii, label_style=style)))
    lines: list[list[Span]] = []
    for block in blocks:
        if block and lines:
            lines.append([])
        lines += [[Span(*span) for span in line] for line in block]
    return lines


Line = Sequence[tuple[str, str]]


def _printable(comparison: Comparison) -> Comparison:
    """Return the comparison with names that stay on one line."""
    names = [
        cells.one_line(name, width=200) for name in (comparison.baseline, comparison.candidate)
    ]
    return replace(comparison, baseline=names[0], candidate=names[1])


def _put(shown: str, plain: bool) -> str:
    return cells.to_ascii(shown) if plain else shown


def _first(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield what stands before the verdict."""
    for line in first_lines(cautions(comparison, digits=digits), width=width):
        yield [(_put(line, plain), "note")]


def _verdict(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield the tag and the sentence, with names that leave room for it."""
    glyph, tag = headline.tag_of(comparison)
    tone = words.verdict_tone(comparison.verdict)
    short = replace(
        comparison,
        baseline=cells.fit(comparison.baseline, _LONGEST_NAME),
        candidate=cells.fit(comparison.candidate, _LONGEST_NAME),
    )
    first = _put(f"{glyph} {tag.upper()}", plain)
    sentence = _put(headline.short(short, digits=digits), plain)
    style = tone if tone in "ab" else "strong"
    room = width - cells.columns(first) - 2
    if cells.columns(sentence) <= room:
        yield [(first, style), ("  ", ""), (sentence, "strong")]
        return
    yield [(first, style)]
    for line in cells.wrap(sentence, width - 2, mark=cells.cut_mark(plain)):
        yield [("  ", ""), (line, "strong")]


def _numbers(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield the numbers of the primary measure, a piece never broken."""
    tone = words.verdict_tone(comparison.verdict)
    pieces = [_put(piece, plain) for piece in _pieces(comparison, digits)]
    style: str = tone if tone in ("a", "b") else "strong"
    line: list[tuple[str, str]] = []
    used = 0
    cut = cells.cut_mark(plain)
    for piece in (part for each in pieces for part in cells.wrap(each, width - 2, mark=cut)):
        taken = cells.columns(piece) + 2
        if line and used + taken > width:
            yield line
            line, used = [], 0
        line += [("  ", ""), (piece, style)]
        used += taken
        style = ""
    yield line


def _soundness(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield what speaks against the evidence."""
    said = _put(soundness.sentence(comparison, digits=digits), plain)
    for line in cells.wrap(said, width - 2) if said else ():
        yield [("  ", ""), (line, "note")]


def _sensitivity(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield what becomes of the verdict under other choices; it stands out where it changes."""
    said = machine.sentence(comparison, digits=digits)
    said = said or sensitivity.sentence(comparison, digits=digits)
    style = (
        "note"
        if any(sensitivity.falls(comparison, each) for each in comparison.alternatives)
        else ""
    )
    # A difference is not parted from its sign.
    whole = _put(said, plain).replace("Δ ", "Δ\N{NO-BREAK SPACE}")
    for line in cells.wrap(whole, width - 2) if said else ():
        yield [("  ", ""), (line.replace("\N{NO-BREAK SPACE}", " "), style)]


def _pieces(comparison: Comparison, digits: int) -> list[str]:
    """Return difference, interval, means, p or the margin: what decides, and nothing beside it."""
    row, rule = comparison.primary, comparison.rule
    n = machine.sizes(comparison)
    if comparison.n_queries == 0:
        return [n]
    means = f"{f.score(row.mean_a, digits=digits)} → {f.score(row.mean_b, digits=digits)}"
    difference = f.signed(row.diff, digits=digits)
    if comparison.soundness.level == "unsound":
        return [difference, f"({means})", n]
    if comparison.verdict is Verdict.IDENTICAL:
        return [difference, f"({means})", f"{n}, all tied"]
    interval, by = _interval(comparison, digits)
    if rule.margin_is_relative:
        shown = margins.estimate(comparison, digits=digits)
        return [f"{shown} of A's mean", interval, f"({means})", by, n]
    change = f", {f.percent(row.rel_diff)}" if math.isfinite(row.rel_diff) else ""
    if words.estimand(comparison) == words.MEAN:
        return [difference, interval, f"({means}{change})", by, n]
    estimate = f"{words.estimand(comparison)} {f.signed(row.estimate, digits=digits)}"
    if comparison.with_machine:
        return [estimate, interval, by, machine.sizes(comparison)]
    return [difference, f"({means}{change})", estimate, interval, by, n]


def _interval(comparison: Comparison, digits: int) -> tuple[str, str]:
    """Return the interval that decides, with its level, and p or the margin."""
    rule, decision = comparison.rule, comparison.decision
    level, ends = rule.confidence, decision.interval
    by = f"p {f.pvalue(comparison.primary.pvalue_adj, alpha=rule.alpha).replace('< ', '<')}"
    if margins.decides_alone(comparison):
        level, ends = rule.confidence_equivalence, decision.equivalence_interval
        by = f"margin {margins.margin_of_what(comparison, digits=digits)}"
    return f"{f.level(level)} CI {margins.limits(comparison, *ends, digits=digits)}", by


def _facts(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield who A and B are, who wins how often, what it means and by which rule."""
    name_a = words.system("A", comparison.baseline)
    name_b = words.system("B", comparison.candidate)
    systems = f"{name_a} (baseline)   {name_b} (candidate)"
    yield from _labelled("systems", systems, width, plain)
    if comparison.n_queries:
        yield from _labelled("queries", _wins(comparison, width - _INDENT, digits), width, plain)
    said = meaning.against_margin(comparison, digits=digits)
    yield from _labelled("meaning", said, width, plain)
    left = soundness.unseen(comparison, digits=digits)
    if left:
        yield from _labelled("unseen", left, width, plain)
    for label, stated in design.sentences(comparison, digits=digits):
        yield from _labelled(label, stated, width, plain)
    against = meaning.contradictions(comparison)
    if against:
        yield from _labelled("but", against, width, plain, label_style="note")
    step = next_step(comparison, digits=digits).sentence
    yield from _labelled("next", step, width, plain, style="strong")
    planned = planning.queries_planned(comparison)
    if planned:
        yield from _labelled("plan", planned, width, plain)
    rule = "; ".join(headline.rule_parts(comparison, digits=digits))
    held = headline.controlled(comparison)
    rule += f". {held.rstrip('.')}" if held else ""
    yield from _labelled("rule", rule, width, plain, style="muted")
    if comparison.merged is not None:
        yield from _labelled("merged", merged.sentence(comparison.merged), width, plain)
    tipping = judging.short_tipping(comparison)
    if tipping:
        yield from _labelled("judge", tipping, width, plain)
    if comparison.segmentations:
        yield from _labelled("segments", segments.exploratory(comparison), width, plain)


def _wins(comparison: Comparison, room: int, digits: int) -> str:
    """Return who wins how often, and what so many queries can see."""
    row, planned = comparison.primary, comparison.planning
    win = words.wins(comparison)
    wins = f"B {win} {f.count(row.wins)}  ties {f.count(row.ties)}  A {win} {f.count(row.losses)}"
    if not planned.smallest_visible > NOTHING:
        return wins
    visible = f.least(planned.smallest_visible, digits=digits)
    seen = f"smallest visible Δ {visible} ({f.level(planned.power)} power)"
    return f"{wins}  {seen}" if len(wins) + 2 + len(seen) <= room else f"{wins}\n{seen}"


def _notes(comparison: Comparison, width: int, digits: int, plain: bool) -> Iterator[Line]:
    """Yield the first notes, and how many more there are and where."""
    found = [each for each in cautions(comparison, digits=digits) if not each.stands_first]
    for note in found[:SHOWN]:
        yield from _labelled("note", str(note), width, plain, label_style="note")
    more = len(found) - SHOWN
    if more > 0:
        said = f"{f.plural(more, 'more note')} in the report: --report report.html"
        yield from _labelled("", said, width, plain, style="muted")


def _labelled(
    label: str,
    said: str,
    width: int,
    plain: bool,
    *,
    style: str = "",
    label_style: str = "muted",
) -> Iterator[Line]:
    """Yield a label and its text, the further lines below the first."""
    shown = [_put(cells.one_line(line, width=2_000), plain) for line in said.split("\n")]
    cut = cells.cut_mark(plain)
    lines = [each for line in shown for each in cells.wrap(line, width - _INDENT, mark=cut)]
    for i, line in enumerate(lines):
        yield [(cells.left("" if i else label, _INDENT), label_style), (line, style)]
