"""The unjudged documents of all queries on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abrank._support import display as f
from abrank.report import cells
from abrank.report.formats.text import WIDTH
from abrank.scoring.judging import MOST_TIPPING, ToJudge

_LEAST_DOC = 8


def documents_text(
    found: ToJudge, *, tipping: bool, most: int, width: int = WIDTH, ascii: bool = False
) -> str:
    """Return the unjudged documents of all queries as plain text.

    Parameters
    ----------
    tipping : bool
        List those that would turn the sign of the mean, in the place of all.
    most : int
        Documents that are listed.
    """
    many, delta = f.plural(found.n_documents, "document"), f"Δ {found.measure}"
    lines = [
        f"{many} in the top {found.depth} of A or B that nobody judged count as not relevant:"
        f" {delta} is {f.signed(found.difference)}."
    ]
    if found.tipping:
        n = len(found.tipping)
        those = "1 of them was" if n == 1 else f"{f.count(n)} of them were all"
        lines.append(
            f"If {those} relevant (grade {found.grade}), its sign would turn, to"
            f" {f.signed(found.tipped)}: the tipping list{'' if tipping else ' (--tipping)'}."
        )
    elif found.documents:
        lines.append(f"No choice of up to {MOST_TIPPING} of them that was found turns its sign.")
    chosen = found.tipping if tipping else found.documents
    rows = [
        (
            each.doc_id,
            each.query_id,
            f"A {each.rank_a or '–'}",
            f"B {each.rank_b or '–'}",
            f"swing {f.signed(each.swing)}",
        )
        for each in chosen[:most]
    ]
    said = [line for each in lines for line in cells.wrap(each, width)]
    if rows:
        swing = f"swing: how far Δ of its query moves if the document has grade {found.grade}"
        said += ["", *_table(rows, width), *cells.wrap(swing, width)]
    if len(chosen) > most:
        said.append(f"and {f.count(len(chosen) - most)} more: --pool FILE writes all")
    text = "\n".join(said)
    return cells.to_ascii(text) if ascii else text


def _table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows in columns; the first, a document's id, gives way."""
    wide = [max(cells.columns(row[i]) for row in rows) for i in range(len(rows[0]))]
    room = width - sum(wide[1:]) - 2 * len(wide)
    wide[0] = min(wide[0], max(room, _LEAST_DOC))
    for doc, *rest in rows:
        shown = [cells.fit(cells.one_line(doc, width=200), wide[0]), *rest]
        yield "  " + "  ".join(map(cells.left, shown, wide)).rstrip()
