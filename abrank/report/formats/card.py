"""The card a notebook shows: the verdict and a small scorecard, readable on any background."""

from __future__ import annotations

from dataclasses import replace

from abrank._support import display
from abrank.report.formats.clean import cut
from abrank.report.formats.drawn import drawing
from abrank.report.formats.text import SHOWN
from abrank.report.model import Report, Scorecard, Table

# Tones that read on white and on black; everything else takes the colour of the text around.
TONES = {"a": "#d2691e", "b": "#2b87c8", "tie": "#858b94", "plain": "#858b94"}
MOST_ROWS = 12
LONGEST_LABEL, LONGEST_TITLE, LONGEST_ASIDE = 19, 200, 400
_LEFT, _RIGHT, _TOP, _ROW = 160.0, 430.0, 22.0, 26.0


def card(report: Report) -> str:
    """Return the verdict and a small scorecard as an HTML fragment for notebooks.

    It has no background, no script, no style sheet and no id, so it neither reads badly in a dark
    notebook nor changes anything outside of itself.

    Parameters
    ----------
    report : Report
        As :func:`abrank.report.subjects` makes it of a result.

    Returns
    -------
    str
        At most 25 kB.

    Examples
    --------
    >>> import abrank
    >>> from abrank.report import compose
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> card(compose(abrank.compare_scores(a, b))).startswith("<div")
    True
    """
    # Here, not above: a room that only writes text does not load the templates.
    from abrank.report.formats.jinja import environment

    head, shown = report.headline, report.scorecard
    sentences = (head.sensitivity, head.design, head.meaning if not head.gate else "")
    drawn = None if shown is None else drawing(shown, _LEFT, _RIGHT)
    lines = [] if shown is None or drawn is None else _lines(shown)
    tables = [
        block
        for section in report.in_place("text")
        for block in section.blocks
        if isinstance(block, Table) and not isinstance(block, Scorecard)
    ]
    return (
        environment()
        .get_template("card.html")
        .render(
            headline=head,
            first=[cut(str(each), LONGEST_ASIDE) for each in report.first],
            title=cut(head.sentence, LONGEST_TITLE),
            loud=[each for each in (head.soundness, head.against) if each],
            sentences=[cut(each, LONGEST_ASIDE) for each in sentences if each],
            step=cut(head.further_step, LONGEST_TITLE),
            tone=TONES[head.tone],
            tones=TONES,
            drawn=drawn,
            lines=lines,
            places=[_TOP + _ROW * (i + 0.5) for i in range(len(lines))],
            bottom=_TOP + _ROW * len(lines),
            legend=[] if shown is None else [cut(each, LONGEST_TITLE) for each in shown.legend],
            more=0 if shown is None else max(len(shown.rows) - MOST_ROWS, 0),
            asides=list(_asides(report)),
            tables=[]
            if shown is not None
            else [replace(each, rows=each.rows[:MOST_ROWS]) for each in tables[:3]],
            hint=report.hint,
        )
        .strip()
    )


def _asides(report: Report) -> list[str]:
    """Return what to read before acting, by title."""
    titles = [each.title for each in report.notes]
    found = [f"Read before you decide: {'; '.join(titles[:SHOWN])}."] if titles else []
    if len(titles) > SHOWN:
        more = display.plural(len(titles) - SHOWN, "more note")
        found.append(f'{more} in the report: .report("report.html").')
    found += [fact.text for fact in report.facts if fact.label == "segments"]
    return [cut(each, LONGEST_ASIDE) for each in found]


def _lines(card: Scorecard) -> list[dict[str, str]]:
    """Return what stands beside each drawing: the name, two numbers, and the reading."""
    roles = [column.role for column in card.columns]
    found = []
    for row, bar in list(zip(card.rows, card.bars, strict=True))[:MOST_ROWS]:
        cells = dict(zip(roles, row, strict=True))
        numbers = [cells[role].text for role in ("change", "p") if role in cells]
        if "p" not in cells or not cells["p"].text:
            mean = cells.get("mean")
            numbers = [mean.text if mean is not None else "", numbers[0] if numbers else ""]
        reading = cells["reading"].text if "reading" in cells else ""
        found.append(
            {
                "label": cut(cells["name"].text, LONGEST_LABEL),
                "first": numbers[0],
                "second": numbers[1] if len(numbers) > 1 else "",
                "reading": cut(reading, LONGEST_LABEL),
                "tone": TONES[bar.tone if bar is not None else "tie"],
                "weight": "700" if cells["name"].strong else "400",
            }
        )
    return found
