"""The Report: headline, cautions, sections of text, tables and figures; it knows no markup."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Tone: TypeAlias = Literal["a", "b", "tie", "plain"]

_LONGEST = 40  # characters of a word beside others
_MOST_COLUMNS = 5


@dataclass(frozen=True)
class Text:
    """A paragraph.

    A caption says how to read what stands above it; code is shown as it is, and source (BibTeX),
    too, but folded.
    """

    text: str
    kind: Literal["plain", "caption", "code", "source"] = "plain"


@dataclass(frozen=True)
class Cell:
    """What a table shows in one place; ``value`` is the number behind the text, for sorting.

    ``link`` is the key of a :class:`Fold` that a page opens, or ``query=`` and the id of a query.
    """

    text: str
    value: float | str | None = None
    tone: Tone = "plain"
    strong: bool = False
    link: str = ""

    @property
    def is_unbroken(self) -> bool:
        """Whether it is one word so long that it needs a line of a small screen: a hash, a path."""
        return len(self.text) > _LONGEST and " " not in self.text


@dataclass(frozen=True)
class Column:
    """A column's heading, and whether it holds numbers (aligned right)."""

    title: str
    numeric: bool = True


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells; ``key`` names it for links and files.

    Where ``folded`` is not empty, a page shows that line, and the table when it is opened.
    """

    key: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether a small screen cannot show it as it is: by its columns, or a hash or path in it.

        Examples
        --------
        >>> columns = (Column("Input", numeric=False), Column("sha256", numeric=False))
        >>> [Table("t", columns, ((Cell("A"), Cell(text * 64)),)).is_wide for text in ("0", "0 ")]
        [True, False]
        """
        has_long = any(cell.is_unbroken for row in self.rows for cell in row)
        return has_long or len(self.columns) > _MOST_COLUMNS


@dataclass(frozen=True)
class Figure:
    """A plot by its name in the plots room, and a sentence for those who cannot see it.

    ``repeats`` is true of a plot that shows in another form what stands elsewhere: a page leaves it
    out, with its caption, unless every figure is asked for.
    """

    plot: str
    summary: str
    options: dict[str, Any] = field(default_factory=dict)
    repeats: bool = False


@dataclass(frozen=True)
class Download:
    """A file that a page holds and a reader can save: what the link says, its name, its text."""

    line: str
    file: str
    text: str


@dataclass(frozen=True)
class Fold:
    """Blocks under one line: a page shows the line, and the blocks when it is opened."""

    key: str
    line: str
    blocks: tuple[Text | Table | Download, ...]


Block: TypeAlias = Text | Table | Figure | Fold | Download


@dataclass(frozen=True)
class Section:
    """A title, one sentence that states the finding, and what shows it."""

    key: str
    title: str
    finding: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Caution:
    """A note to read before acting: its code, a short title, one or two sentences, a severity.

    One of severity 4 stands before the verdict, in every format: without it that is misread.
    """

    code: str
    title: str
    text: str
    severity: int

    @property
    def heading(self) -> str:
        """The title, ended as a sentence is."""
        return self.title if self.title.endswith(("?", "!", ".")) else f"{self.title}."

    @property
    def stands_first(self) -> bool:
        """Whether it stands before the verdict."""
        return self.severity >= 4

    def __str__(self) -> str:
        return f"{self.heading} {self.text}"


@dataclass(frozen=True)
class Headline:
    """The verdict in words: glyph and tag, the sentence, the numbers, what it means, the rule.

    ``tone`` is the winner's colour; ``numbers``, ``sensitivity``, ``meaning`` and ``next_step`` are
    sentences; ``gate`` is empty where no gate was asked for, ``against`` where no secondary measure
    points the other way, ``sensitivity`` where no other choice of queries or documents applies,
    ``design`` where single queries were looked at once and nothing was asked beside the measures,
    ``soundness`` where nothing speaks against the evidence.
    """

    verdict: str
    glyph: str
    tag: str
    tone: Tone
    title: str
    numbers: str
    meaning: str
    next_step: str
    rule: str
    gate: str = ""
    against: str = ""
    sensitivity: str = ""
    design: str = ""
    soundness: str = ""


@dataclass(frozen=True)
class Report:
    """Everything a report says, in the order it says it."""

    title: str
    context: tuple[str, ...]
    headline: Headline
    cautions: tuple[Caution, ...]
    sections: tuple[Section, ...]
    omitted: tuple[str, ...]

    @property
    def first(self) -> tuple[Caution, ...]:
        """The cautions that stand before the verdict."""
        return tuple(each for each in self.cautions if each.stands_first)

    @property
    def notes(self) -> tuple[Caution, ...]:
        """The other cautions."""
        return tuple(each for each in self.cautions if not each.stands_first)
