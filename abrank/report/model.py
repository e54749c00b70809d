"""What a report is: headline, sections and their blocks, without any markup."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from abrank._support import display as f

Tone: TypeAlias = Literal["a", "b", "tie", "plain"]
Style: TypeAlias = Literal["interval", "superscript"]
# What a column of a scorecard holds; a format leaves out columns by their roles.
Role: TypeAlias = Literal[
    "", "place", "name", "mean", "change", "drawn", "interval", "p", "wins", "reading"
]
# Where a section stands: on a page all do.
# A text has `details` only as a whole; the first screen has their finding as a line.
Place: TypeAlias = Literal["page", "text", "details", "markdown", "folded"]
# Under which heading a page folds a section into one line; an open one stands by itself.
Group: TypeAlias = Literal["open", "change", "appendix"]

EVERYWHERE: frozenset[Place] = frozenset({"page", "text", "markdown"})

Item = TypeVar("Item")

_LONGEST = 40  # characters of a word beside others
_NARROW, _APART = 48, 1  # characters of a telephone, and between columns


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind: Literal["plain", "caption", "code", "quote", "source"] = "plain"


@dataclass(frozen=True)
class Cell:
    """What a table shows in one place; ``value`` is the number behind the text, for sorting."""

    # `link` is the key of a `Fold` that a page opens, or `query=` and the id of a query; `mark`
    # stands behind the text, in a paper as a superscript; `parts` are queries that A wins, ties,
    # and queries that B wins, drawn as a bar.

    text: str
    value: float | str | None = None
    tone: Tone = "plain"
    strong: bool = False
    link: str = ""
    mark: str = ""
    parts: tuple[int, int, int] | None = None

    @classmethod
    def count(cls, value: int) -> Self:
        """Return a whole number."""
        return cls(f.count(value), value)

    @classmethod
    def share(cls, value: float) -> Self:
        """Return a share in per cent."""
        return cls(f.percent(value, sign=False), value)

    @classmethod
    def empty(cls, _: object = None) -> Self:
        """Return a cell without text, as those of the drawn column are."""
        return cls("")

    @property
    def is_unbroken(self) -> bool:
        """Whether it is one word so long that it needs a line of a small screen: a hash, a path."""
        return len(self.text) > _LONGEST and " " not in self.text


@dataclass(frozen=True)
class Column:
    """A column's heading, whether it holds numbers (aligned right), and its role."""

    title: str
    numeric: bool = True
    role: Role = ""

    @classmethod
    def words(cls, title: str, role: Role = "") -> Self:
        """Return a column of words."""
        return cls(title, numeric=False, role=role)

    @classmethod
    def name(cls, title: str) -> Self:
        """Return the column that says what a row is of."""
        return cls.words(title, "name")


# The column whose cells are drawn from the bars of a scorecard.
DRAWN = Column.words("", "drawn")


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells; ``key`` names it for links and files, ``noun`` what a row is."""

    # Where `folded` is not empty, a page shows that line, and the table when it is opened.

    key: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: str = ""
    noun: str = "row"

    @classmethod
    def of(
        cls,
        key: str,
        *columns: tuple[Column, Iterable[Cell]],
        **rest: Any,  # noqa: ANN401 - the other fields
    ) -> Self:
        """Return the table of these columns, each its heading and its cells from top to bottom."""
        heads, cells = zip(*columns, strict=True)
        return cls(key, heads, tuple(zip(*cells, strict=True)), **rest)

    @classmethod
    def by_row(
        cls,
        key: str,
        items: Iterable[Item],
        *columns: tuple[Column, Callable[[Item], Cell]],
        **rest: Any,  # noqa: ANN401 - the other fields
    ) -> Self:
        """Return a table with a row for each item; a column has what makes the cell of an item."""
        rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
        return cls(key, tuple(column for column, _ in columns), rows, **rest)

    @property
    def is_wide(self) -> bool:
        """Whether it is too wide for a small screen: by its columns, or a hash or path in it."""
        if any(cell.is_unbroken for row in self.rows for cell in row):
            return True
        titles = [column.title for column in self.columns]
        texts = zip(titles, *([cell.text for cell in row] for row in self.rows), strict=True)
        words = ((len(word) for text in column for word in text.split()) for column in texts)
        return sum(max(word, default=0) + _APART for word in words) > _NARROW


@dataclass(frozen=True, kw_only=True)
class Rankings(Table):
    """Two ranked lists; a page shows the documents of ``sides`` in the place of the cells."""

    sides: tuple[list[Any], ...]


class Bar(NamedTuple):
    """An estimate with the interval that decides its reading (thick) and another one (thin)."""

    # Limits are NaN where there is none; `limit` is the difference that a guard must exclude.

    estimate: float
    low: float
    high: float
    thin_low: float = float("nan")
    thin_high: float = float("nan")
    tone: Tone = "tie"
    limit: float = float("nan")

    @property
    def places(self) -> tuple[float, ...]:
        """What an axis must hold of it."""
        return (*self[:5], self.limit)


@dataclass(frozen=True)
class Scale:
    """The axis of a scorecard: whose side is left and right of 0, and the margin around it."""

    # It holds the values `reach`, too: scorecards that share them share an axis.

    left: str
    right: str
    tones: tuple[Tone, Tone] = ("a", "b")
    margin: float = 0.0
    percent: bool = False
    of: str = "Δ (B − A)"
    signed: bool = True
    reach: tuple[float, ...] = ()

    def facing(self, *, higher_is_better: bool) -> Scale:
        """Return it for a measure of this direction: where lower is better, the sides change."""
        if higher_is_better:
            return self
        return replace(self, left=self.right, right=self.left, tones=self.tones[::-1])


# A line of a legend that explains what is drawn begins with one of these.
_OF_DRAWING = ("Thick", "Thin", "Tick")


@dataclass(frozen=True, kw_only=True)
class Scorecard(Table):
    """A table with the interval of each row drawn in its column ``drawn``."""

    # `bars` has one a row, None where it has another scale; the rows `tall` decide; a narrow screen
    # has no room for the columns of the roles `narrow`; the legend says how to read it.

    bars: tuple[Bar | None, ...]
    scale: Scale
    tall: frozenset[int] = frozenset({0})
    narrow: frozenset[Role] = frozenset()
    legend: tuple[str, ...] = ()
    # What a first screen has of the legend, where that is less.
    short_legend: tuple[str, ...] | None = None

    @property
    def undrawn(self) -> tuple[str, ...]:
        """The legend where nothing is drawn: without the lines on bars and marks."""
        return tuple(line for line in self.legend if not line.startswith(_OF_DRAWING))

    def without(self, *roles: Role) -> Table:
        """Return it as a table without the columns of these roles."""
        selected = [i for i, column in enumerate(self.columns) if column.role not in roles]
        rows = tuple(tuple(row[i] for i in selected) for row in self.rows)
        columns = tuple(self.columns[i] for i in selected)
        return Table(self.key, columns, rows, self.folded, self.noun)


@dataclass(frozen=True)
class Figure:
    """A plot by its name in the plots room, and a sentence for those who cannot see it."""

    plot: str
    summary: str


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
    blocks: tuple[Block, ...]
    tone: Tone = "plain"


Block: TypeAlias = "Text | Table | Figure | Fold | Download"


@dataclass(frozen=True)
class Section:
    """A title, one sentence that states the finding, and what shows it."""

    # `places` are the formats that have it: the page, and text; in Markdown it is open or folded. A
    # page shows a section of the group `change` (what could change the verdict) or `appendix` as
    # one line, which opens; `mark` is "!" where that line speaks against the verdict, and "✓" where
    # it says that the verdict stays.

    key: str
    title: str
    finding: str
    blocks: Sequence[Block]
    places: frozenset[Place] = frozenset({"page"})
    group: Group = "open"
    mark: str = ""


@dataclass(frozen=True)
class Caution:
    """A note to read before acting: its code, a short title, one or two sentences, a severity."""

    # One of severity 4 stands before the verdict, in every format: without it that is misread.
    # `page` is the topic of the guide that says when it appears and what to do; empty for none.

    code: str
    title: str
    text: str
    severity: int
    page: str = ""

    @property
    def more(self) -> str:
        """How to read more of it; empty where the guide has no page."""
        return f"abrank guide {self.page}" if self.page else ""

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


@dataclass(frozen=True, kw_only=True)
class Headline:
    """The verdict in words: glyph and tag, the sentence, the numbers, what it means, the rule."""

    # `action` is what to do, as the beginning of a sentence, and `reason` the title after it; both
    # are empty where nothing was tested. `tone` is the winner's colour; `line` is the title for a
    # narrow screen, with the measure, and `pieces` are the numbers for it; `main_number` is the one
    # that stands out. The others are sentences, empty where there is nothing to say.

    verdict: str
    title: str
    numbers: str
    glyph: str = ""
    tag: str = ""
    tone: Tone = "plain"
    line: str = ""
    pieces: tuple[str, ...] = ()
    main_number: str = ""
    numbers_in_table: bool = False  # so the first screen leaves them out
    meaning: str = ""
    action: str = ""
    reason: str = ""
    next_step: str = ""
    rule: str = ""
    gate: str = ""
    gate_passed: bool = False
    against: str = ""
    sensitivity: str = ""
    falls: bool = False
    design: str = ""
    soundness: str = ""

    @property
    def sentence(self) -> str:
        """What to do and why; the title alone where nothing was tested."""
        return f"{self.action}: {self.reason}" if self.action else self.title

    @property
    def further_step(self) -> str:
        """The next step, where it says more than its beginning before the verdict does."""
        rest = self.next_step.removeprefix(self.action.removesuffix(" first"))
        return "" if self.action and rest.startswith((":", ".")) else self.next_step


class Fact(NamedTuple):
    """A sentence of the short formats under a label; ``loud`` if it speaks against the verdict."""

    # One that is `everywhere` stands in Markdown, too, where the headline does not say it.

    label: str
    text: str
    style: str = ""
    loud: bool = False
    everywhere: bool = False


class Case(NamedTuple):
    """What a build server shows as a test: its name, whether it passed, a sentence."""

    name: str
    passed: bool
    text: str


class Paper(NamedTuple):
    """The table for a paper: a comment, a caption, what its label is made of, and the cells."""

    comment: str
    caption: str
    label: str
    table: Table


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything a report says about ``subject``, in the order it says it.

    Attributes
    ----------
    subject : object
        The result, of which figures are drawn, and the ``digits`` of its differences.
    who, file : str
        What it is of, in a few words, and what its files are called where no name was given.
    facts : tuple of Fact
        What the short formats say under the scorecard.
    methods, sources : str
        The methods paragraph, and BibTeX of what it names.
    papers : callable
        Gives the table for a paper, in one of the styles.
    """

    subject: Any
    digits: int
    who: str
    file: str
    title: str
    context: tuple[str, ...]
    headline: Headline
    cautions: tuple[Caution, ...] = ()
    sections: tuple[Section, ...] = ()
    facts: tuple[Fact, ...] = ()
    methods: str = ""
    sources: str = ""
    command: str = ""
    cases: tuple[Case, ...] = ()
    papers: Callable[[Style], Paper] | None = None
    hint: str = ""

    @property
    def first(self) -> tuple[Caution, ...]:
        """The cautions that stand before the verdict."""
        return tuple(caution for caution in self.cautions if caution.stands_first)

    @property
    def notes(self) -> tuple[Caution, ...]:
        """The other cautions."""
        return tuple(caution for caution in self.cautions if not caution.stands_first)

    @property
    def scorecard(self) -> Scorecard | None:
        """The first scorecard, which every format shows."""
        blocks = (block for section in self.sections for block in section.blocks)
        return next((block for block in blocks if isinstance(block, Scorecard)), None)

    def in_place(self, *places: Place) -> tuple[Section, ...]:
        """Return the sections that stand in one of these places."""
        return tuple(section for section in self.sections if section.places & set(places))


Subject = TypeVar("Subject")


class Words(Generic[Subject]):
    """A result, and its numbers in words: scores, differences and intervals have ``digits``."""

    def __init__(self, result: Subject, digits: int | None = None) -> None:
        self.result = result
        self.digits: int = getattr(result, "decimals", f.DIGITS) if digits is None else digits
        alpha = getattr(result, "alpha", None) or getattr(getattr(result, "rule", None), "alpha", 0)
        self.alpha = alpha if isinstance(alpha, float) else 0.05

    def score(self, value: float) -> str:
        """Return a score or a mean."""
        return f.score(value, digits=self.digits)

    def signed(self, value: float) -> str:
        """Return a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def interval(self, low: float, high: float) -> str:
        """Return both limits of a difference; where any difference is possible, that."""
        if math.isinf(low) and math.isinf(high):
            n = getattr(self.result, "n_queries", 0)  # no one number of several collections
            return f.no_interval(n) if n else f.UNDEFINED
        return f.interval(low, high, digits=self.digits)

    def range(self, low: float, high: float) -> str:
        """Return both limits of a mean."""
        return f.UNDEFINED if low != low else f"{self.score(low)} to {self.score(high)}"

    def p(self, value: float) -> str:
        """Return a p-value beside others."""
        return f.pvalue(value, alpha=self.alpha)

    def p_clause(self, value: float) -> str:
        """Return a p-value as a clause of a sentence."""
        return f.p_clause(value, alpha=self.alpha)

    def mean(self, value: float, *, strong: bool = False) -> Cell:
        """Return a mean as a cell."""
        return Cell(f.mean(value, digits=self.digits), value, strong=strong)

    def change(self, value: float, tone: Tone = "plain", *, strong: bool = False) -> Cell:
        """Return a difference as a cell."""
        return Cell(self.signed(value), value, tone, strong)

    def limits(self, ends: tuple[float, float], *, strong: bool = False) -> Cell:
        """Return an interval of a difference as a cell."""
        absent = math.isnan(ends[0]) or math.isnan(ends[1])
        return Cell("–" if absent else self.interval(*ends), ends[0], strong=strong)

    def chance(self, pvalue: float, *, strong: bool = False) -> Cell:
        """Return a p-value as a cell."""
        return Cell("–" if math.isnan(pvalue) else self.p(pvalue), pvalue, strong=strong)

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return f.level(1.0 - self.alpha)


def report_of(
    w: Words[Any],
    headline: Headline,
    *,
    context: Iterable[str],
    **rest: Any,  # noqa: ANN401 - the other fields
) -> Report:
    """Return the report of a result: title, day and command follow from what is known of it."""
    provenance = getattr(w.result, "provenance", {})
    created = str(provenance.get("created") or "")[:10]
    result: dict[str, Any] = {
        "title": f"{headline.title.removesuffix('.')} · abrank",
        "context": (*context, *([created] if created else [])),
        "command": str(provenance.get("command") or ""),
    }
    return Report(subject=w.result, digits=w.digits, headline=headline, **(result | rest))
