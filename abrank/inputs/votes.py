"""Read and count votes for one of two systems, from people, models or clicks."""

# The format is recognised by its columns: `winner` or a synonym (A, B, tie, a side such as
# `model_a`, or a system's name); `chosen` and `rejected`; the two games of FastChat's judges
# (`g1_winner`, `g2_winner`); numbers of votes (`a_wins`, `b_wins`, `ties`); or a number in
# `preference` (-1 to 1; AlpacaEval: 1 to 2; or the probability of B). Impressions of interleaved
# lists are votes by clicks.

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from abrank._support import display as f
from abrank._support.errors import ArgumentError, BadLine, ReadError
from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.inputs.arrow import as_table
from abrank.inputs.columns import MOST_SHOWN, Source, folded, require_distinct
from abrank.inputs.objects import is_missing
from abrank.inputs.score_reading import QUERY_NAMES, QUERY_TEXTS, TOTALS, baseline_of, words
from abrank.inputs.topics import QUERY_IDS, CellTable, read_cells

# Columns that identify an impression, and those that hold its user or session.
IMPRESSION = ("impression", "impression_id")
GROUPS = {"user": ("user", "user_id", "client_id"), "session": ("session", "session_id")}
CLICKS = ("click", "item_click")
HAVE_TEAMS = (
    "join the team (A or B) of each shown object to the events, as event_attributes.team, or give"
    " a row an impression: query_id, user, credit_a, credit_b"
)


def credits_of(row: Mapping[str, Any]) -> tuple[float, float] | str:
    """Return the credits of A and B for an impression, or what is wrong with it."""
    # Team draft: a click counts for the team of its document. Balanced: a click counts for each
    # list whose first k documents contain it; k is the smallest depth at which one list contains
    # the lowest click. Clicks are positions in the displayed list, from 0.
    if "credit_a" in row:
        credited = number_of(row["credit_a"]), number_of(row["credit_b"])
        if not all(0.0 <= credit < math.inf for credit in credited):
            return "credits must be numbers of 0 or more"
        return credited
    places = [number_of(click) for click in items(row.get("clicks"))]
    team = [letter.upper() for letter in items(row.get("team"))]
    ranking = team or items(row.get("ranking"))
    if places and not ranking:
        return "clicks are places in a shown list, and no list stands beside them"
    if not all(0 <= place < len(ranking) and place == int(place) for place in places):
        return f"a click is no place from 0 to {len(ranking) - 1} of the shown list"
    clicked = [int(place) for place in places]
    if team:
        if not {*team} <= {"A", "B", ""}:
            return "a team is A or B, or empty for what both or neither gave"
        return float(sum(team[i] == "A" for i in clicked)), float(
            sum(team[i] == "B" for i in clicked)
        )
    lists = [items(row.get(name)) for name in "ab"]
    if not all(lists):
        return "neither team nor the lists a and b"
    if not clicked:
        return 0.0, 0.0
    lowest = ranking[max(clicked)]
    k = min(ranked.index(lowest) if lowest in ranked else len(ranked) for ranked in lists) + 1
    a, b = (float(sum(ranking[i] in ranked[:k] for i in clicked)) for ranked in lists)
    return a, b


def items(value: object) -> list[str]:  # a list, or a text with one in it
    """Split ``0;2 5``, or teams such as ``ABBA``, into items; a list is returned unchanged."""
    if isinstance(value, str):
        if re.fullmatch(r"[ABab]+", value):
            return list(value)
        return [part for part in re.split(r"[\s,;|\[\]]+", value) if part]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return ["" if item is None else str(item) for item in value]
    return [] if value is None or value != value else [str(value)]


def of_events(rows: Iterable[Mapping[str, Any]], label: str) -> list[dict[str, Any]]:
    """Return the impressions in OpenSearch UBI events; those of one query_id are one impression."""
    result: dict[str, dict[str, Any]] = {}
    has_teams = False
    for row in rows:
        if row.get("action_name") is None:
            continue
        about = row.get("event_attributes") or {}
        inside = about.get("object") or {}
        team = str(about.get("team") or inside.get("team") or row.get("team") or "").upper()
        query = str(row.get("query_id") or "")
        first = result.setdefault(
            query,
            {"impression": query, "query_id": row.get("user_query") or query,
             "user": row.get("client_id"), "session": row.get("session_id"),
             "credit_a": 0.0, "credit_b": 0.0},
        )  # fmt: skip
        has_teams |= team in ("A", "B")
        if row["action_name"] in CLICKS and team in ("A", "B"):
            first[f"credit_{team.lower()}"] += 1.0
    if not has_teams:
        raise ReadError(label, "the events of user behaviour carry no teams", hint=HAVE_TEAMS)
    return list(result.values())


Row = Mapping[str, Any]

IDS = (*QUERY_IDS[:2], *QUERY_NAMES[1], *QUERY_IDS[2:], *QUERY_TEXTS[0])
# Columns that name the two systems of a row, in the order of presentation.
SYSTEMS = (
    ("model_a", "model_b"), ("model_1", "model_2"), ("system_a", "system_b"),
    ("generator_1", "generator_2"), ("agent_a", "agent_b"),
)  # fmt: skip
# Other pairs of column names that differ only in the side, if they hold names.
_SIDE_OF_ROW = re.compile(r"(.*?)_?(?:(a|1|left|first)|(b|2|right|second))((?:_.*)?)")
MOST_NAMED = 20  # systems in such columns
_SWAPPED, MOST_SWAPPED = re.compile("swap|flip|revers"), 6  # distinct answers in such a column
CHOSEN = ("chosen", "rejected")
# Columns of which exactly one is 1 on each row, and their meanings.
ONE_OF_THREE = {"winner_model_a": "model_a", "winner_model_b": "model_b", "winner_tie": "tie"}
SIDES = (
    *SYSTEMS, ("a", "b"), ("output_1", "output_2"), ("assistant_a", "assistant_b"),
    ("response_a", "response_b"), ("left", "right"), ("first", "second"), ("1", "2"),
)  # fmt: skip
# Columns with the numbers of votes for A, for B, and of ties.
COUNTED = (("a_wins", "b_wins"), ("wins_a", "wins_b"), ("votes_a", "votes_b"))
TIED = ("ties", "tie", "draws")
TIMES = "(times)"  # the number of equal votes of a row
# Names of the column with the verdict.
VERDICTS = words("winner preference answer vote verdict preferred label choice better pick")
TIES = frozenset((
    "tie", "tie (bothbad)", "tie (inconsistent)", "draw", "equal", "both", "neither", "same",
    "[[c]]",
))  # fmt: skip
# What judges write instead of a verdict; such rows are left out and counted.
NO_VERDICT = frozenset(("", *words("error null none nan na n/a invalid unknown skip")))
EXPECTED = (
    "query_id, and winner (A, B, tie or a system's name), preference (-1 to 1), chosen and"
    " rejected, g1_winner and g2_winner, or numbers of votes in a_wins, b_wins and ties"
)


class Vote(NamedTuple):
    """One verdict on a query: from -1 (A) to 1 (B), and its circumstances."""

    # `first` is the side shown first: `a`, `b`, `random` if it was drawn but not recorded, or
    # empty. `judge` and `turn` identify verdicts in both orders that belong together. `times` is
    # the number of equal votes.

    query: str
    value: float
    first: str = ""
    judge: str = ""
    turn: str = ""
    weight: float = 1.0
    times: int = 1


@record
class Votes:
    """Votes for one of two systems, A first; ``left_out`` counts unusable votes."""

    # For interleaved lists `votes` is empty: `credits` holds those of A and B,
    # float64[n_impressions, 2], and `groups` the user, session and query of each impression.

    names: tuple[str, str]
    votes: tuple[Vote, ...]
    left_out: Mapping[str, int]
    remarks: tuple[str, ...]
    source: Source | None
    credits: FloatArray | None = None
    impressions: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)


def _table(source: Any) -> CellTable:  # noqa: ANN401
    if isinstance(source, (list, tuple)) and all(isinstance(row, Mapping) for row in source):
        rows = [{_folded(key): item for key, item in row.items()} for row in source]
        return CellTable.of_rows(rows, "list")
    source = as_table(source)
    if isinstance(source, (Mapping, list, tuple, set)):
        kind = type(source).__name__
        raise ArgumentError(
            "votes are a path, a table or a list of dicts, each a vote such as"
            f" {{'query_id': 'q1', 'winner': 'A'}}, not a {kind}"
        )
    table = read_cells(source, EXPECTED)
    names = list(map(_folded, table.names))
    require_distinct(names, table.label)
    return replace(table, names=names)


# Columns of clicks for A and B count as credits.
_CLICKS_OF = {
    "clicks_a": "credit_a", "clicks_b": "credit_b", "a_clicks": "credit_a", "b_clicks": "credit_b",
}  # fmt: skip


def _folded(name: object) -> str:
    return _CLICKS_OF.get(folded(name), folded(name))


def text_of(value: object) -> str:
    """Return a cell as text; empty cells as an empty text."""
    if type(value) is str:
        return value.strip()
    return "" if is_missing(value) else str(value).strip()


def number_of(value: object) -> float:
    """Return a cell as a number; NaN if it is none."""
    try:
        return float(text_of(value))
    except ValueError:
        return math.nan


class VoteTable:
    """The rows of a source, with errors that name their positions."""

    def __init__(self, source: object) -> None:
        table = _table(source)
        self.label, self.source = table.label, table.source
        if not table.at:
            problem = "no lines below a header" if table.unit == "line" else "no rows"
            raise ReadError(self.label, problem, expected=EXPECTED)
        if "action_name" in table.names:
            rows = (zip(table.names, row, strict=True) for row in zip(*table.columns, strict=True))
            table = CellTable.of_rows(of_events(map(dict, rows), self.label), self.label, first=1)
        self.annotators: list[str] = []  # each has a column of verdicts
        self.columns: dict[str, Sequence[Any]] = dict(zip(table.names, table.columns, strict=True))
        self.at = table.at
        if {*ONE_OF_THREE} <= {*self.columns} and "winner" not in self.columns:
            marks = [[number_of(cell) == 1 for cell in self.columns[x]] for x in ONE_OF_THREE]
            words = [*ONE_OF_THREE.values()]
            self.columns["winner"] = [
                words[row.index(True)] if sum(row) == 1 else "" for row in zip(*marks, strict=True)
            ]
        self._unfold_counted()
        self.verdict = next((name for name in VERDICTS if name in self.columns), "")
        if {*CHOSEN} <= {*self.columns} and not self.verdict:
            self.verdict = CHOSEN[0]
        # Judges who answer A, B or C (RAGElo) mean a tie by C.
        self.ties = TIES | {"c"} if self.verdict == "answer" else TIES
        if not self.verdict and not {"g1_winner", "credit_a", "clicks"} & {*self.columns}:
            names = self._verdicts_by_content()
            if len(names) > 1:
                self.annotators = names
                votes = {
                    "judge": [name for name in names for _ in self.at],
                    "winner": [cell for name in names for cell in self.columns[name]],
                }
                self.columns = {name: [*cells] * len(names) for name, cells in self.columns.items()}
                self.columns |= votes
                self.at, names = [*self.at] * len(names), ["winner"]
            self.verdict = "".join(names)
        self.key = next((name for name in IDS if name in self.columns), "")
        queries = self.texts(self.key)
        self.refuse([i for i, query in enumerate(queries) if not query], "no query id")

    def _unfold_counted(self) -> None:
        """Make a row with a winner of each number of votes for A, for B and of ties."""
        pair = next((pair for pair in COUNTED if {*pair} <= {*self.columns}), None)
        if pair is None or {*VERDICTS} & {*self.columns}:
            return
        tie = next((name for name in TIED if name in self.columns), "")
        columns = [*pair, *filter(None, [tie])]
        counts = np.array([list(map(number_of, self.columns[name])) for name in columns])
        bad = ~((counts >= 0.0) & (counts % 1.0 == 0.0)).all(axis=0)
        named = f.listed(columns)
        self.refuse(np.flatnonzero(bad).tolist(), f"{named} must be whole numbers of 0 or more",
                    "a row a query, with its votes for A, for B, and its ties")  # fmt: skip
        sides, rows = np.nonzero(counts)
        self.columns = {
            name: [cells[i] for i in rows.tolist()] for name, cells in self.columns.items()
        }
        self.at = [self.at[i] for i in rows.tolist()]
        self.columns["winner"] = [("A", "B", "tie")[side] for side in sides.tolist()]
        self.columns[TIMES] = counts[sides, rows].astype(np.int64).tolist()
        # Votes for A and for B are of different people, not one judge's in both orders.
        turns = zip(self.texts("turn"), self.columns["winner"], strict=True)
        self.columns["turn"] = [f"{turn} {winner}".strip() for turn, winner in turns]

    def _verdicts_by_content(self) -> list[str]:
        others = {"shown_first", "first", "team", "judge", "position", *chain(*SYSTEMS)}
        values = {}
        for name in (name for name in self.columns if name not in others):
            words = {word for word in self.texts(name) if word.casefold() not in NO_VERDICT}
            if not any(math.isfinite(number_of(word)) for word in words):
                values[name] = [_value(word, None, ("A", "B"), self.ties) for word in words]
        names = [name for name in values if values[name] and not any(map(math.isnan, values[name]))]
        return names if any(any(values[name]) for name in names) else []

    def row(self, i: int) -> Row:
        """Return the cells of one row."""
        return {name: cells[i] for name, cells in self.columns.items()}

    def column(self, name: str, fallback: str = "") -> Sequence[Any]:
        """Return a column, else the column ``fallback``, else a column of None."""
        return self.columns.get(name, self.columns.get(fallback, [None] * len(self.at)))

    def texts(self, name: str) -> list[str]:
        """Return the cell of each row in a column as text."""
        column = self.column(name)
        try:
            return list(map(str.strip, column))
        except TypeError:
            return list(map(text_of, column))

    def refuse(self, bad: Sequence[int], problem: str, hint: str = "") -> None:
        """Raise an error for these rows, if any, showing the first ones."""
        if bad:
            bad_lines = []
            for i in bad[:MOST_SHOWN]:
                cells = (f"{key}={text_of(item)}" for key, item in self.row(i).items()
                         if item is not None)  # fmt: skip
                text = f.shorten(", ".join(cells), width=100)
                bad_lines.append(BadLine(self.at[i], text, problem))
            raise ReadError(
                self.label, lines=bad_lines, total=len(bad), expected="" if hint else EXPECTED,
                hint=hint,
            )  # fmt: skip

    def credits(self) -> FloatArray:
        """Return the credits of A and B for each impression: float64[n_impressions, 2]."""
        if {"credit_a", "credit_b"} <= {*self.columns}:
            try:  # all rows at once, which works for nearly every table
                both = np.array([self.column("credit_a"), self.column("credit_b")], np.float64)
            except (TypeError, ValueError):
                both = np.array([[np.nan]])
            if (both >= 0.0).all() and np.isfinite(both).all():
                return both.T
        result = [credits_of(self.row(i)) for i in range(len(self.at))]
        for problem in {item for item in result if isinstance(item, str)}:
            self.refuse([i for i, item in enumerate(result) if item == problem], problem,
                        "a row an impression: credit_a and credit_b (or clicks_a and clicks_b),"
                        " clicks and team, or clicks, ranking, a and b")  # fmt: skip
        return np.array(result, np.float64)

    def positive(self, name: str) -> list[float]:
        """Return a column of positive numbers; 1 for each row without the column."""
        if name not in self.columns:
            return [1.0] * len(self.at)
        column = list(map(number_of, self.column(name)))
        bad = [i for i, item in enumerate(column) if not 0.0 < item < math.inf]
        self.refuse(bad, f"{name} must be a number above 0", "leave the row or the column out")
        return column

    @cached_property
    def pair(self) -> tuple[str, str] | None:
        """The columns that name the two systems of a row, left and right."""
        pairs = (*SYSTEMS, CHOSEN) if self.verdict == CHOSEN[0] else SYSTEMS
        named = next((pair for pair in pairs if {*pair} <= {*self.columns}), None)
        if named is not None or self.verdict not in VERDICTS:
            return named
        sides: dict[tuple[str | Any, ...], list[str]] = {}
        for name in self.columns:
            if match := _SIDE_OF_ROW.fullmatch(name):
                sides.setdefault(match.group(1, 4), ["", ""])[match[2] is None] = name
        return next(((a, b) for a, b in sides.values() if a and b and self._hold_names(a, b)), None)

    def _hold_names(self, left: str, right: str) -> bool:
        """Whether two columns hold names of systems rather than answers, numbers or grades."""
        cells = [*self.texts(left), *self.texts(right)]
        names = {*cells}
        if not 2 <= len(names) <= min(MOST_NAMED, max(2, len(self.at) // 3)) or "" in names:
            return False
        # Names of the two systems differ on every row; two grades may be equal.
        is_name = not any(math.isfinite(number_of(name)) for name in names)
        half = len(self.at)
        return is_name and all(a != b for a, b in zip(cells[:half], cells[half:], strict=True))


def read_votes(
    source: object,  # a path, a frame, a list of mappings
    *,
    name_a: str | None = None,
    name_b: str | None = None,
) -> Votes:
    """Read votes; ``name_a`` and ``name_b`` select systems if rows name theirs."""
    table = VoteTable(source)
    named = _name_credits(table, name_a, name_b)
    if {"credit_a", "credit_b"} <= {*table.columns} or "clicks" in table.columns:
        return _interleaved(table, named)
    names, sides = _sides(table, name_a, name_b)
    selected = [i for i, side in enumerate(sides) if side]
    remarks = []
    if len(selected) < len(sides):
        text = f.plural(len(sides) - len(selected), "vote")
        remarks.append(f"{text} between other systems than {names[0]} and {names[1]} left out")
    weights, strengths = table.positive("weight"), table.positive("strength")
    strongest = max((strengths[i] for i in selected), default=1.0)
    if len({strengths[i] for i in selected}) > 1:
        remarks.append(f"strengths of votes were divided by the largest, {strongest:g}")
    votes, left_out = [], Counter[str]()
    unknown: list[int] = []
    scale = _scale(table) if table.verdict == "preference" else None
    remarks += _reading(table, names, scale)
    # If each system is sometimes on the left, the left one was shown first.
    both_orders = table.pair not in (None, CHOSEN) and {1, -1} <= {*sides}
    columns = _verdicts(table, "left" if both_orders else "")
    queries, turns = table.texts(table.key), table.texts("turn")
    counts = table.columns.get(TIMES, [1] * len(table.at))
    judges = [
        text_of(judge[0] if isinstance(judge, list) and judge else judge)
        for judge in table.column("judge", "annotator")
    ]

    @lru_cache(1000)
    def read(verdict: str, first: str, side: int) -> tuple[str, float, str]:
        value = _value(verdict, scale, names, table.ties)
        value *= 1 if _is_name(verdict, names) else side
        word = verdict.casefold()
        lacking = (word or "empty") if word in NO_VERDICT else ""
        if scale and abs(scale.value(word)) > 1.0:
            lacking = "outside of the scale"
        return lacking, value, _shown_first(first, side, names)

    for i in selected:
        verdicts = [read(column[i], first[i], sides[i]) for column, first in columns]
        if why := next((why for why, _, _ in verdicts if why), ""):
            left_out[why] += 1  # and both orders, because one alone contains the position effect
            continue
        for _, value, first in verdicts:
            if math.isnan(value):
                unknown.append(i)
            value *= strengths[i] / strongest
            weight = weights[i] * counts[i]
            votes.append(Vote(queries[i], value, first, judges[i], turns[i], weight, counts[i]))
    winners = ["A", "B", "tie", *(name for name in names if name not in ("A", "B"))]
    registered = f"winners are {', '.join(winners)}; error and empty ones are left out"
    swapped = next((
        name for name in filter(_SWAPPED.search, table.columns)
        if 1 < len({*table.texts(name)}) <= MOST_SWAPPED
    ), "")  # fmt: skip
    is_side = {*map(str.casefold, table.texts(table.verdict))} & (LEFTS | RIGHTS)
    if swapped and is_side and table.pair is None and "shown_first" not in table.columns:
        raise ReadError(
            table.label, f"{swapped} says that the answers of some rows changed places: is the"
            f" {table.verdict} a place, or a system whatever its place?",
            hint="of a place name the systems of each row, in columns left and right; of a system"
            " write which was shown first, A or B, in a column shown_first",
        )  # fmt: skip
    if {text_of(table.column(table.verdict)[i]) for i in unknown} <= {"0", "1"}:
        registered = f"{registered}; 0 and 1 may mean either: write A and B"
    table.refuse(unknown, "no known winner", registered)
    if not votes:
        raise ReadError(table.label, "no vote can be used", expected=EXPECTED)
    remarks += [
        f"{f.plural(count, 'vote')} without a verdict ({why}) left out"
        for why, count in sorted(left_out.items())
    ]
    lost = set[str]()
    if left_out:
        lost = {queries[i] for i in selected} - {vote.query for vote in votes}
    if lost:
        some = ", ".join(f.shorten(item, width=40) for item in sorted(lost)[:3])
        remarks.append(
            f"{f.plural(len(lost), 'query', 'queries')} without any usable vote left out: {some}"
        )
    return Votes(names, tuple(votes), dict(left_out), tuple(remarks), table.source)


def _name_credits(table: VoteTable, name_a: str | None, name_b: str | None) -> tuple[str, str]:
    """Return A and B, whose credits may be in columns such as clicks_bm25."""
    names = (name_a or "A", name_b or "B")
    of_arms = {
        match[1] or match[2]: name for name in table.columns
        if (match := _CREDITS_OF_ARM.fullmatch(name)) and (match[1] or match[2]) not in _ALL
    }  # fmt: skip
    wanted = [folded(name) for name in (name_a, name_b) if name]
    if table.verdict or {"credit_a", "clicks"} & {*table.columns} or not {*wanted} <= {*of_arms}:
        return names
    arms = [*dict.fromkeys((*wanted, *of_arms))] if len(of_arms) == 2 else wanted
    if len(arms) != 2:
        return names
    a, b = arms if name_a or not name_b else arms[::-1]
    if not wanted and baseline_of((a, b)) == b:
        a, b = b, a
    table.columns |= {"credit_a": table.column(of_arms[a]), "credit_b": table.column(of_arms[b])}
    return name_a or a, name_b or b


_CREDITS_OF_ARM = re.compile(r"(?:clicks?|credits?)_(.+)|(.+)_(?:clicks?|credits?)")
_ALL = frozenset(("", "n", "num", "number", "no", "has", *TOTALS))


def _interleaved(table: VoteTable, names: tuple[str, str]) -> Votes:
    credits = table.credits()
    id_column = next((name for name in IMPRESSION if name in table.columns), "")
    width = len(str(len(credits)))
    numbers = [f"{i + 1:0{width}}" for i in range(len(table.at))]
    ids = table.texts(id_column) if id_column else numbers
    times = Counter(ids)
    bad = [i for i, text in enumerate(ids) if times[text] > 1 or not text]
    table.refuse(bad, f"an {id_column} stands once, and is not empty", "one row each")
    groups, remarks = {}, []
    for name, columns in {**GROUPS, "query_id": (table.key,)}.items():
        column = next((column for column in columns if column in table.columns), None)
        labels = table.texts(column) if column else []
        if not any(labels):
            continue
        if lacking := labels.count(""):
            some = f.plural(lacking, "impression names", "impressions name")
            remarks.append(f"{some} no {name}: each counts as one of its own")
            named = zip(ids, labels, strict=True)
            labels = [label or f"no {name}, {first}" for first, label in named]
        groups[name] = labels
    return Votes(names, (), {}, tuple(remarks), table.source, credits, ids, groups)


def _sides(
    table: VoteTable, name_a: str | None, name_b: str | None
) -> tuple[tuple[str, str], list[int]]:
    """Return A and B, and for each row 1 if A is on the left, -1 if B is, else 0."""
    pair = table.pair
    if pair is None:
        return _names_of_winners(table, name_a, name_b), [1] * len(table.at)
    left, right = map(table.texts, pair)
    there = list(dict.fromkeys(item for both in zip(left, right, strict=True) for item in both))
    for name in (name_a, name_b):
        if name is not None and name not in there:
            raise ArgumentError(f"no vote is on {name}; there are {', '.join(there[:9])}")
    if len(there) > 2 and (name_a is None or name_b is None):
        raise ArgumentError(
            f"the votes are on {', '.join(there[:9])}: name the two to compare, --baseline"
            " and --candidate (name_a=, name_b=)"
        )
    if pair == CHOSEN:
        there.sort()  # otherwise the order of votes would decide which one is A
    b = name_b or next((item for item in there if item != (name_a or there[0])), "")
    a = name_a or next(item for item in there if item != b)
    if not b or a == b:
        raise ArgumentError(f"the votes are on one system, {a}: two are compared")
    way = {(a, b): 1, (b, a): -1}
    return (a, b), [way.get(item, 0) for item in zip(left, right, strict=True)]


def _reading(table: VoteTable, names: tuple[str, str], scale: _Scale | None) -> Iterator[str]:
    if table.annotators:
        yield f"{', '.join(table.annotators)} are read as the votes of a judge each"
    if scale:
        yield f"preference is read as {scale.title}"
    elif table.verdict not in ("winner", "preference", ""):
        yield f"the column {table.verdict} is read as the winner"
    if table.pair in (None, CHOSEN) and names != ("A", "B"):
        a, b = names
        yield f"A is {a} and B is {b}; --baseline and --candidate (name_a=, name_b=) choose"


def _names_of_winners(table: VoteTable, name_a: str | None, name_b: str | None) -> tuple[str, str]:
    """Return A and B if rows do not name their systems: the winners, if there are two."""
    names = (name_a or "A", name_b or "B")
    if name_a or name_b or not table.verdict:
        return names
    winners = {
        name
        for name in set(table.texts(table.verdict))
        if name.casefold() not in TIES | NO_VERDICT
        and math.isnan(_value(name, None, ("A", "B"), table.ties))
        and math.isnan(number_of(name))
    }
    a, b = sorted(winners) if len(winners) == 2 else names
    return a, b


def _verdicts(table: VoteTable, by_place: str) -> list[tuple[list[str], list[str]]]:
    games = {"g1_winner": "left", "g2_winner": "right"}
    if {*games} <= {*table.columns}:  # FastChat: both orders on one row
        return [(table.texts(name), [side] * len(table.at)) for name, side in games.items()]
    if not table.verdict:
        raise ReadError(table.label, "no column of votes", expected=EXPECTED)
    # AlpacaEval randomises the order of each pair, but does not record it.
    text = "random" if {"output_1", "output_2"} <= {*table.columns} else by_place
    ends = dict(zip(table.pair or (), ("left", "right"), strict=False))
    verdicts = [ends.get(folded(verdict), verdict) for verdict in table.texts(table.verdict)]
    return [(verdicts, [item or text for item in table.texts("shown_first")])]


class _Scale(NamedTuple):
    """The scale of a column ``preference``: the number for a tie, and its distance to B."""

    title: str
    tie: float
    reach: float

    def value(self, word: str) -> float:
        """Convert a preference to the scale from -1 (A) to 1 (B)."""
        if self is _ALPACA and number_of(word) == 0:  # AlpacaEval's draw, like 1.5
            return 0.0
        return (number_of(word) - self.tie) / self.reach


_ALPACA = _Scale("1 (the first output, A) to 2 (the second, B)", 1.5, 0.5)


def _scale(table: VoteTable) -> _Scale | None:
    cells = list(map(str.casefold, table.texts("preference")))
    if any(math.isnan(number_of(cell)) and cell not in NO_VERDICT for cell in cells):
        return None
    numbers = [number for number in map(number_of, cells) if math.isfinite(number)]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    alpaca = {"output_1", "output_2"} <= {*table.columns} or {*SYSTEMS[3]} <= {*table.columns}
    if alpaca or (low >= 1.0 and high > 1.0 and high <= 2.0):
        return _ALPACA
    if low < 0.0:
        most = max(-low, high, 1.0)
        return _Scale(f"-{most:g} (A) to {most:g} (B)", 0.0, most)
    if low >= 0.0 and high <= 1.0 and low < 1.0:
        return _Scale("the probability that B is preferred", 0.5, 0.5)
    raise ReadError(
        table.label,
        f"preference runs from {low:g} to {high:g}, which tells no scale",
        hint="give -1 (A) to 1 (B), 1 (A) to 2 (B), the probability of B, or a column winner",
    )


def _value(
    verdict: str, scale: _Scale | None, names: tuple[str, str], ties: Collection[str]
) -> float:
    """Return a verdict from -1 to 1 for the right side, or for B if by name; NaN if unknown."""
    word = verdict.casefold()
    if scale:
        return scale.value(word)
    if _is_name(verdict, names):
        return 1.0 if verdict == names[1] else -1.0
    if word in ties:
        return 0.0
    word = word.strip("[]")
    if match := _ORDER.fullmatch(word):  # Arena-Hard
        return 0.0 if match[2] else 1.0 if (match[1] == "b") == (match[3] == ">") else -1.0
    for left, right in SIDES:
        if word in (left, right):
            return 1.0 if word == right else -1.0
    return math.nan


_ORDER = re.compile(r"([ab])\s*(?:(=)|([<>]))\3?\s*(?!\1)[ab]")


def _is_name(text: str, names: tuple[str, str]) -> bool:
    """Whether a winner, or a side shown first, is a system's name rather than a side."""
    return text in names and names != ("A", "B")


LEFTS, RIGHTS = ({sides[i] for sides in SIDES} for i in (0, 1))


def _shown_first(first: str, side: int, names: tuple[str, str]) -> str:
    """Return which system was shown first: a, b, random, or empty if unknown."""
    if _is_name(first, names):
        return "ab"[names.index(first)]
    word = first.casefold()
    if word in ("random", "randomised", "randomized"):
        return "random"
    if word in LEFTS | RIGHTS:
        return "ab"[(word in RIGHTS) != (side == -1)]
    return ""
