"""The section on what to judge next: documents that nobody judged, and what they could turn."""

from __future__ import annotations

import shlex
from urllib.parse import quote

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.model import Block, Cell, Column, Download, Fold, Section, Table, Text, Tone
from abrank.report.sections import words
from abrank.scoring.judging import MOST_TIPPING, ToJudge, Unjudged, pool_text

# A longer tipping list is no reason for a line on a terminal.
SHORT = 12
FILES = {"judge": "to-judge.txt", "tipping": "tipping-list.txt"}
_NOT_THERE, _TITLE = "–", "Unjudged documents"


def judging(comparison: Comparison) -> Section | None:
    """Return the section; None where nothing is to be judged, or it is not known."""
    found = _found(comparison)
    if found is None:
        return None
    every = f.plural(found.n_documents, "document")
    are = "is" if found.n_documents == 1 else "are"
    finding = f"{every} that nobody judged {are} in the top {found.depth} of A or B."
    if not any(each.swing for each in found.documents):
        finding += f" No judgment of them moves {_delta(comparison)}."
        return Section("judge", _TITLE, finding, (), group="change", mark="✓")
    shown = len(found.documents)
    n = words.queries_of(comparison)
    blocks: list[Block] = [
        _table(comparison, "judge", found.documents),
        Text(
            f"Swing: how far Δ of its query would move were the document of grade {found.grade},"
            f" the highest; the mean over {n} moves by that divided by their number."
            f" {_NOT_THERE}: not among the first documents of that list. A pool file has a line for"
            " each: add a grade to its end, put the lines under the judgments, and compare again.",
            "caption",
        ),
        _download(FILES["judge"], found.documents, "these"),
        *_tipping(comparison, found),
    ]
    command = _command(comparison, found)
    if command:
        blocks += [
            Text("All of them in depth order, as a file to add grades to:", "caption"),
            Text(command, "code"),
        ]
    if shown < found.n_documents:
        finding += f" These {f.count(shown)} could move {_delta(comparison)} the most."
    said = tipping_sentence(comparison)
    mark = "!" if short_tipping(comparison) else ""
    return Section(
        "judge", _TITLE, f"{finding} {said}".strip(), tuple(blocks), group="change", mark=mark
    )


def tipping_sentence(comparison: Comparison) -> str:
    """Say how few judgments would turn the sign of the mean; empty where it is not known."""
    found = _found(comparison)
    if found is None:
        return ""
    delta = _delta(comparison)
    if not found.tipping:
        if not found.difference:
            return ""
        most = min(MOST_TIPPING, found.n_documents)
        return f"No choice of up to {f.count(most)} that was found turns the sign of {delta}."
    before, after = (
        f.signed(each, digits=comparison.decimals) for each in (found.difference, found.tipped)
    )
    n = len(found.tipping)
    those = (
        "the 1 unjudged document of the tipping list was"
        if n == 1
        else f"the {f.count(n)} unjudged documents of the tipping list were all"
    )
    return f"If {those} relevant, the sign of {delta} would turn, from {before} to {after}."


def short_tipping(comparison: Comparison) -> str:
    """Return the line for a terminal, where a difference that is shown hangs on few judgments."""
    found = _found(comparison)
    if found is None or comparison.with_machine or not comparison.decision.direction:
        return ""
    n = len(found.tipping)
    if not 0 < n <= SHORT:
        return ""
    these = "1 unjudged document was" if n == 1 else f"{f.count(n)} unjudged documents were all"
    return f"If {these} relevant, the sign of Δ would turn."


def _found(comparison: Comparison) -> ToJudge | None:
    found = comparison.evidence.to_judge
    # Where ids do not match those of the judgments, more judgments would help nobody.
    if any(note.code in ("document-ids", "none-judged") for note in comparison.notes):
        return None
    return found if found is not None and found.documents else None


def _delta(comparison: Comparison) -> str:
    """Name the mean difference that the judgments are about."""
    alone = "" if not comparison.with_machine else " by people alone"
    return f"Δ {comparison.rule.primary}{alone}"


def _tipping(comparison: Comparison, found: ToJudge) -> tuple[Block, ...]:
    """Return the tipping list, to be opened; nothing where there is none."""
    if not found.tipping:
        return ()
    n = f.plural(len(found.tipping), "document")
    blocks = (
        _table(comparison, "tipping", found.tipping),
        Text(
            "Found one at a time, each the one that then takes most of the difference; its swing is"
            " that at its turn. Another choice may be shorter.",
            "caption",
        ),
        _download(FILES["tipping"], found.tipping, "the tipping list"),
    )
    return (Fold("tipping", f"The tipping list: {n} that would turn the sign", blocks),)


def _download(file: str, documents: tuple[Unjudged, ...], what: str) -> Download:
    """Return a pool file: ids to which people add grades."""
    n = f.plural(len(documents), "document")
    said = n if what == "the tipping list" else f"{what} {n}".replace("these 1 ", "this ")
    return Download(f"Save {said} as a pool file ({file})", file, pool_text(documents))


def _table(comparison: Comparison, key: str, documents: tuple[Unjudged, ...]) -> Table:
    titles = comparison.evidence.documents
    columns = [
        Column("Query", numeric=False),
        Column("Document", numeric=False),
        Column("Rank in A"),
        Column("Rank in B"),
        Column("Swing of Δ"),
    ]
    titled = any(each.doc_id in titles for each in documents)
    if titled:
        columns.append(Column("Title", numeric=False))
    rows = []
    for each in documents:
        text = comparison.topics.get(each.query_id, "")
        name = f"{each.query_id} “{f.shorten(text, width=40)}”" if text else each.query_id
        row = [
            Cell(name, link=f"query={quote(each.query_id, safe='', errors='replace')}"),
            Cell(each.doc_id),
            Cell(_rank(each.rank_a), each.rank_a),
            Cell(_rank(each.rank_b), each.rank_b),
            Cell(
                f.signed(each.swing, digits=comparison.decimals),
                each.swing,
                _tone(comparison, each.swing),
            ),
        ]
        if titled:
            row.append(Cell(titles.get(each.doc_id, "")))
        rows.append(tuple(row))
    return Table(key, tuple(columns), tuple(rows))


def _tone(comparison: Comparison, swing: float) -> Tone:
    if not swing:
        return "tie"
    return "b" if (swing > 0) == comparison.rule.higher_is_better else "a"


def _rank(rank: int) -> str:
    return str(rank) if rank else _NOT_THERE


def _command(comparison: Comparison, found: ToJudge) -> str:
    """Return the command that lists all of them; empty where not all inputs are files."""
    inputs = comparison.provenance.get("inputs", {})
    paths = [(inputs.get(role) or {}).get("path") for role in ("qrels", "a", "b")]
    settings = comparison.provenance.get("settings", {})
    if not all(paths) or settings.get("depth") or settings.get("missing") == "drop":
        return ""
    more = ["-m", found.measure, "--pool", "pool.txt"]
    return shlex.join(["abrank", "sample", "documents", *map(str, paths), *more])
