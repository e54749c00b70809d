"""The structure of a report: headline, sections and their blocks, without markup."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

from abrank._support import display as f

Tone: TypeAlias = Literal["a", "b", "tie", "plain"]
Style: TypeAlias = Literal["interval", "superscript"]
# The content of a scorecard column; formats omit columns by role.
Role: TypeAlias = Literal[
    "", "place", "name", "mean", "change", "drawn", "interval", "p", "wins", "reading"
]
# Where a section appears; a page has all of them. With `details` a text has the section only if it
# is complete; the first screen shows its finding as a line.
Place: TypeAlias = Literal["page", "text", "details", "markdown", "folded"]
# The heading under which a page folds a section to one line; open ones are not folded.
Group: TypeAlias = Literal["open", "change", "appendix"]

EVERYWHERE: frozenset[Place] = frozenset({"page", "text", "markdown"})
FOLDED: frozenset[Place] = frozenset({"page", "folded"})

Item = TypeVar("Item")

_LONGEST = 40  # characters of a word in a table
_NARROW, _APART = 48, 1  # width of a phone in characters, and space between columns


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    kind: Literal["plain", "caption", "code", "quote", "source"] = "plain"


@dataclass(frozen=True)
class Cell:
    """A table cell; ``value`` is the number behind the text, for sorting."""

    # `link` is the key of a `Fold` that the page opens, or `query=` and a query id. `mark` follows
    # the text, as a superscript in papers. `parts` are numbers of queries that A wins, tied, and
    # that B wins, drawn as a bar.

    text: str
    value: float | str | None = None
    tone: Tone = "plain"
    strong: bool = False
    link: str = ""
    mark: str = ""
    parts: tuple[int, int, int] | None = None

    @classmethod
    def count(cls, value: int) -> Self:
        """Return a cell with a whole number."""
        return cls(f.count(value), value)

    @classmethod
    def share(cls, value: float) -> Self:
        """Return a cell with a share in per cent."""
        return cls(f.percent(value, sign=False), value)

    @classmethod
    def empty(cls, _: object = None) -> Self:
        """Return a cell without text, as in a drawn column."""
        return cls("")

    @property
    def is_unbroken(self) -> bool:
        """Whether it is one word that is too long for a small screen, such as a hash or path."""
        return len(self.text) > _LONGEST and " " not in self.text


@dataclass(frozen=True)
class Column:
    """A column: its heading, whether it is numeric (right-aligned), and its role."""

    title: str
    numeric: bool = True
    role: Role = ""

    @classmethod
    def words(cls, title: str, role: Role = "") -> Self:
        """Return a text column."""
        return cls(title, numeric=False, role=role)

    @classmethod
    def name(cls, title: str) -> Self:
        """Return the column with the names of rows."""
        return cls.words(title, "name")


# The column whose cells are drawn from the bars of a scorecard.
DRAWN = Column.words("", "drawn")


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells; ``key`` is for links and files, ``noun`` is what a row is."""

    # If `folded` is not empty, a page shows it as a line that opens the table.

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
        """Make a table from columns, each with its heading and its cells."""
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
        """Make a table with one row per item; columns are functions from items to cells."""
        rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
        return cls(key, tuple(column for column, _ in columns), rows, **rest)

    @property
    def is_wide(self) -> bool:
        """Whether it is too wide for a small screen, by its columns or a long word."""
        if any(cell.is_unbroken for row in self.rows for cell in row):
            return True
        titles = [column.title for column in self.columns]
        texts = zip(titles, *([cell.text for cell in row] for row in self.rows), strict=True)
        words = ((len(word) for text in column for word in text.split()) for column in texts)
        return sum(max(word, default=0) + _APART for word in words) > _NARROW


@dataclass(frozen=True, kw_only=True)
class Rankings(Table):
    """Two ranked lists; a page shows the documents of ``sides`` instead of the cells."""

    sides: tuple[list[Any], ...]


class Bar(NamedTuple):
    """An estimate with the interval of its reading (thick) and another one (thin)."""

    # Missing limits are NaN; `limit` is the difference that a guard must exclude.

    estimate: float
    low: float
    high: float
    thin_low: float = float("nan")
    thin_high: float = float("nan")
    tone: Tone = "tie"
    limit: float = float("nan")

    @property
    def places(self) -> tuple[float, ...]:
        """The values that an axis must include."""
        return (*self[:5], self.limit)


@dataclass(frozen=True)
class Scale:
    """The axis of a scorecard: names of the sides of 0, and the margin."""

    # It includes the values `reach`; scorecards with equal `reach` have equal axes.

    left: str
    right: str
    tones: tuple[Tone, Tone] = ("a", "b")
    margin: float = 0.0
    percent: bool = False
    of: str = "Δ (B − A)"
    signed: bool = True
    reach: tuple[float, ...] = ()

    def facing(self, *, higher_is_better: bool) -> Scale:
        """Return the axis for a measure of this direction; the sides swap if lower is better."""
        if higher_is_better:
            return self
        return replace(self, left=self.right, right=self.left, tones=self.tones[::-1])


# Lines of a legend that begin with these explain the drawing.
_OF_DRAWING = ("Thick", "Thin", "Tick")


@dataclass(frozen=True, kw_only=True)
class Scorecard(Table):
    """A table with the interval of each row drawn in its column ``drawn``."""

    # `bars` has one bar per row, None for rows on another scale. Rows in `tall` decide. Narrow
    # screens omit the columns with roles in `narrow`. The legend explains the table.

    bars: tuple[Bar | None, ...]
    scale: Scale
    tall: frozenset[int] = frozenset({0})
    narrow: frozenset[Role] = frozenset()
    legend: tuple[str, ...] = ()
    # The legend on the first screen, if it is shorter.
    short_legend: tuple[str, ...] | None = None

    @property
    def undrawn(self) -> tuple[str, ...]:
        """The legend without drawings: without the lines on bars and marks."""
        return tuple(line for line in self.legend if not line.startswith(_OF_DRAWING))

    def without(self, *roles: Role) -> Table:
        """Return it as a table without the columns of these roles."""
        selected = [i for i, column in enumerate(self.columns) if column.role not in roles]
        rows = tuple(tuple(row[i] for i in selected) for row in self.rows)
        columns = tuple(self.columns[i] for i in selected)
        return Table(self.key, columns, rows, self.folded, self.noun)


@dataclass(frozen=True)
class Figure:
    """A plot by its registered name, and a sentence as alternative text."""

    plot: str
    summary: str


@dataclass(frozen=True)
class Download:
    """A file that the page contains for saving: link text, name, content."""

    line: str
    file: str
    text: str


@dataclass(frozen=True)
class Fold:
    """Blocks behind one line, which a page opens on request."""

    key: str
    line: str
    blocks: tuple[Block, ...]
    tone: Tone = "plain"


Block: TypeAlias = "Text | Table | Figure | Fold | Download"


@dataclass(frozen=True)
class Section:
    """A title, one sentence with the finding, and the evidence for it."""

    # `places` are the formats that include it: page, text, and Markdown (open or folded). A page
    # shows a section of the group `change` (what could change the verdict) or `appendix` as one
    # line that opens; `mark` is "!" if that line speaks against the verdict, and "✓" if the verdict
    # is unchanged.

    key: str
    title: str
    finding: str
    blocks: Sequence[Block]
    places: frozenset[Place] = frozenset({"page"})
    group: Group = "open"
    mark: str = ""

    @classmethod
    def line(cls, key: str, title: str, finding: str, mark: str = "") -> Self | None:
        """Return a line on what could change the verdict; None without a finding."""
        return cls(key, title, finding, (), group="change", mark=mark) if finding else None


@dataclass(frozen=True)
class Caution:
    """A note to read before acting: code, short title, one or two sentences, severity."""

    # Severity 4 comes before the verdict in every format, because the verdict would be misread
    # without it. `page` is the topic of the guide that explains the caution; empty for none.

    code: str
    title: str
    text: str
    severity: int
    page: str = ""

    @property
    def more(self) -> str:
        """How to read more about it; empty if the guide has no page."""
        return f"abrank guide {self.page}" if self.page else ""

    @property
    def heading(self) -> str:
        """The title with punctuation as for a sentence."""
        return self.title if self.title.endswith(("?", "!", ".")) else f"{self.title}."

    @property
    def stands_first(self) -> bool:
        """Whether it comes before the verdict."""
        return self.severity >= 4

    def __str__(self) -> str:
        return f"{self.heading} {self.text}"


@dataclass(frozen=True, kw_only=True)
class Headline:
    """The verdict in words: glyph and tag, sentence, numbers, meaning, rule."""

    # `action` is what to do, as the beginning of a sentence, and `reason` the title after it; both
    # are empty if nothing was tested. `tone` is the winner's colour. For narrow screens `line` is
    # the title with the measure and `pieces` are its numbers. `main_number` is the most prominent
    # one. The others are sentences, empty if there is nothing to say.

    verdict: str
    title: str
    numbers: str
    glyph: str = ""
    tag: str = ""
    tone: Tone = "plain"
    line: str = ""
    pieces: tuple[str, ...] = ()
    main_number: str = ""
    numbers_in_table: bool = False  # then the first screen omits them
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
        """What to do and why; only the title if nothing was tested."""
        return f"{self.action}: {self.reason}" if self.action else self.title

    @property
    def further_step(self) -> str:
        """The next step, if it says more than its beginning before the verdict."""
        rest = self.next_step.removeprefix(self.action.removesuffix(" first"))
        return "" if self.action and rest.startswith((":", ".")) else self.next_step


class Fact(NamedTuple):
    """A labelled sentence of the short formats; ``loud`` if it speaks against the verdict."""

    # Facts `everywhere` are also in Markdown, if the headline does not include them.

    label: str
    text: str
    style: str = ""
    loud: bool = False
    everywhere: bool = False


class Case(NamedTuple):
    """A test case for build servers: name, whether it passed, a sentence."""

    name: str
    passed: bool
    text: str


class Paper(NamedTuple):
    """The table for a paper: comment, caption, base of its label, and cells."""

    comment: str
    caption: str
    label: str
    table: Table


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything a report says about ``subject``, in order.

    Attributes
    ----------
    subject : object
        The result, from which figures are drawn, with its ``digits``.
    who, file : str
        A short description of the subject, and the default name of its files.
    facts : tuple of Fact
        The lines of the short formats below the scorecard.
    methods, sources : str
        The methods paragraph, and BibTeX for its references.
    papers : callable
        Returns the table for a paper in a given style.
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
        """The cautions that come before the verdict."""
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
        """Return the sections for one of these places."""
        return tuple(section for section in self.sections if section.places & set(places))


Subject = TypeVar("Subject")


class Words(Generic[Subject]):
    """A result, and functions that format its numbers with ``digits`` decimals."""

    def __init__(self, result: Subject, digits: int | None = None) -> None:
        self.result = result
        self.digits: int = getattr(result, "decimals", f.DIGITS) if digits is None else digits
        alpha = getattr(result, "alpha", None) or getattr(getattr(result, "rule", None), "alpha", 0)
        self.alpha = alpha if isinstance(alpha, float) else 0.05

    def score(self, value: float) -> str:
        """Format a score or a mean."""
        return f.score(value, digits=self.digits)

    def signed(self, value: float) -> str:
        """Format a difference with its sign."""
        return f.signed(value, digits=self.digits)

    def interval(self, low: float, high: float) -> str:
        """Format the limits of a difference, or the text for an unbounded interval."""
        if math.isinf(low) and math.isinf(high):
            n = getattr(self.result, "n_queries", 0)  # undefined for several collections
            return f.no_interval(n) if n else f.UNDEFINED
        return f.interval(low, high, digits=self.digits)

    def range(self, low: float, high: float) -> str:
        """Format the limits of a mean."""
        return f.UNDEFINED if low != low else f"{self.score(low)} to {self.score(high)}"

    def p(self, value: float) -> str:
        """Format a p-value in a list of others."""
        return f.pvalue(value, alpha=self.alpha)

    def p_clause(self, value: float) -> str:
        """Format a p-value as a clause of a sentence."""
        return f.p_clause(value, alpha=self.alpha)

    def mean(self, value: float, *, strong: bool = False) -> Cell:
        """Return a mean as a cell."""
        return Cell(f.mean(value, digits=self.digits), value, strong=strong)

    def change(self, value: float, tone: Tone = "plain", *, strong: bool = False) -> Cell:
        """Return a difference as a cell."""
        return Cell(self.signed(value), value, tone, strong)

    def limits(self, ends: tuple[float, float], *, strong: bool = False) -> Cell:
        """Return the interval of a difference as a cell."""
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
    sections: Iterable[Section | None],
    **rest: Any,  # noqa: ANN401 - the other fields
) -> Report:
    """Return the report of a result; title, date and command are added from its provenance."""
    provenance = getattr(w.result, "provenance", {})
    created = str(provenance.get("created") or "")[:10]
    result: dict[str, Any] = {
        "title": f"{headline.title.removesuffix('.')} · abrank",
        "context": (*context, *([created] if created else [])),
        "sections": tuple(filter(None, sections)),
        "command": str(provenance.get("command") or ""),
    }
    return Report(subject=w.result, digits=w.digits, headline=headline, **(result | rest))
