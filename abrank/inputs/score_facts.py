"""What is known of the columns of a table of scores while it is told which holds what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from abrank._support.errors import UnclearError, nearest
from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import score_names as terms
from abrank.inputs.columns import folded
from abrank.inputs.exports import INDEX
from abrank.inputs.score_column import ScoreColumn, renumbered
from abrank.inputs.score_names import baseline_of
from abrank.inputs.score_reading import ROWS, TableOptions, listed
from abrank.inputs.score_source import AGGREGATES, NamedTable

FIRST_GROUPS = 1000  # looked at before all
MOST_VARIANTS = 1000
PROMPT = "prompt"  # the text of each query, or the template that is compared
MOST_PROMPTS = 20


class TableFacts:
    """Columns, their names and cells, how they go together, and the roles that they have so far.

    Rows of aggregates, such as the mean over the queries, do not count.
    """

    def __init__(
        self,
        table: NamedTable,
        options: TableOptions,
        is_measure: Callable[[str], bool],
        is_cost: Callable[[str], bool],
    ) -> None:
        self.table, self.options = table, options
        self.is_measure, self.is_cost = is_measure, is_cost
        self.asked = {*map(str.casefold, options.measures)}
        self.label = table.origin.label
        self.names = [column.name for column in table.columns]
        self.roles = {**table.roles, **options.columns}
        for role, wanted in options.columns.items():
            for name in wanted:
                if name not in self.names and not (role == "repeat" and name == ROWS):
                    problem = f"has no column {name!r} for {role}; its columns: "
                    close = [choice(role, meant) for meant in nearest(name, self.names)[:1]]
                    raise UnclearError(self.label, problem + listed(self.names), close)
        assigned = {name for wanted in self.roles.values() for name in wanted}
        self.free = [name for name in self.names if name not in assigned]  # without a role yet
        self._counts: dict[tuple[str, ...], int] = {}  # of combinations of columns

    # --- Roles

    def one(self, role: str) -> str:
        """Return the one column of a role; empty for none."""
        return next(iter(self.roles.get(role, ())), "")

    def columns_of(self, *roles: str) -> list[str]:
        """Return the one column of each of these roles that has one."""
        pairs = [(role, self.one(role)) for role in roles]
        return [name for role, name in pairs if name and (role, name) != ("repeat", ROWS)]

    def set_role(self, role: str, *names: str) -> tuple[str, ...]:
        """Give a role to columns, which are no longer free, and return them."""
        self.roles = {**self.roles, role: names}
        self.leave_out(names)
        if role == "query":  # which tells the rows of aggregates
            self.__dict__.pop("rows", None)
            self._counts.clear()
        return names

    def leave_out(self, names: Sequence[str]) -> None:
        """Leave columns without a role."""
        self.free = [name for name in self.free if name not in names]

    def require_one(self, role: str, names: Sequence[str]) -> None:
        """Refuse several columns of one role, and say how each is chosen."""
        if len(names) < 2:
            return
        choices = [choice(role, name) for name in names]
        problem = "could all be the query's column"
        if role == "variant":
            problem = "could each name the variant"
            for name, option in zip(names, choices, strict=True):
                labels = self.column(name).labels
                if self.options.purpose == "compare" and not baseline_of(labels):
                    option |= {"baseline": labels[0], "candidate": labels[1]}
        raise UnclearError(self.label, f"{listed(names)} {problem}: say which", choices)

    # --- One column

    def column(self, name: str) -> ScoreColumn:
        """Return the column of a name."""
        return self.table.column(name)

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers, and nothing else but empty cells."""
        return self.column(name).is_numeric

    def is_key(self, name: str) -> bool:
        """Whether a column may name queries or variants: text, or whole numbers of no measure."""
        column = self.column(name)
        if name == INDEX or not column.is_numeric:
            return not column.is_nested and (column.is_whole or not column.is_damaged)
        is_score = self.is_measure(name) or self.is_cost(name)
        return (column.is_whole or is_unit(name)) and not (is_score or self.is_judged(name))

    def is_judged(self, name: str) -> bool:
        """Whether a column of true and false is a score by its name."""
        return self.column(name).is_truth and folded(name).rpartition("_")[2] in terms.SCORE_WORDS

    def may_vary(self, name: str) -> bool:
        """Whether a column may tell variants apart."""
        column, word = self.column(name), folded(name)
        is_text = word in terms.TEXT_NAMES and not (
            word == PROMPT and column.n_distinct <= MOST_PROMPTS
        )
        if is_text or self.is_measure(name) or self.is_cost(name) or column.is_damaged:
            return False
        if is_unit(name) and word != "session":  # LangSmith's experiments are
            return False
        return not (column.is_nested or self.is_judged(name) or word in terms.VALUE_NAMES)

    @cached_property
    def systems_are_columns(self) -> bool:
        """Whether the variants that somebody named are columns."""
        names = {*map(str.casefold, self.names)}
        return bool(self.options.systems) and {x.casefold() for x in self.options.systems} <= names

    def holds_systems(self, name: str, *, numbers: bool = False) -> bool:
        """Whether a column holds the variants that somebody named, and no scores."""
        column, systems = self.column(name), {x.casefold() for x in self.options.systems}
        if not systems or self.systems_are_columns:
            return False
        words = {folded(name), *folded(name).split("_")}  # such as treatment_group
        return (
            (numbers or not column.is_numeric or not words.isdisjoint(chain(*terms.VARIANT_NAMES)))
            and column.n_distinct <= MOST_VARIANTS
            and systems <= {label.casefold() for label in column.labels}
        )

    # --- Several columns

    @cached_property
    def rows(self) -> BoolArray:
        """Which rows are of a query, and no mean over them."""
        query = self.one("query")
        if not query:
            return np.ones(self.table.n_rows, np.bool_)
        return ~self.column(query).is_one_of(AGGREGATES)

    def codes(self, *names: str) -> IntArray:
        """Return one number for each different combination of columns: int64[n rows of queries]."""
        if len(names) == 1 and self.rows.all():
            return self.column(names[0]).codes
        codes = np.zeros(int(self.rows.sum()), np.int64)
        for name in names:
            column = self.column(name)
            n_codes = int(codes.max(initial=-1)) + 1
            of_column = column.codes if self.rows.all() else column.codes[self.rows]
            codes = renumbered(codes * column.n_distinct + of_column, n_codes * column.n_distinct)
        return codes

    def n_distinct(self, *names: str) -> int:
        """Return how many different combinations columns have."""
        if names not in self._counts:
            alone = len(names) == 1 and self.rows.all()
            self._counts[names] = (
                self.column(names[0]).n_distinct if alone
                else int(self.codes(*names).max(initial=-1)) + 1
            )  # fmt: skip
        return self._counts[names]

    def names_rows(self, *names: str) -> bool:
        """Whether columns together name each row once."""
        return self.n_distinct(*names) == int(self.rows.sum())

    def determines(self, first: str | Sequence[str], second: str) -> bool:
        """Whether rows that are alike in ``first`` are alike in ``second``."""
        first = (first,) if isinstance(first, str) else first
        if self.names_rows(*first):
            return True
        codes, rows = self.codes(*first), np.flatnonzero(self.rows)
        last = np.empty(self.n_distinct(*first), np.int64)
        if is_unit(second):  # some rows may lack the user
            filled = ~self.column(second).empty[rows]
            codes, rows = codes[filled], rows[filled]
        # Numbering all cells takes long, and most columns differ within the first groups.
        for some in (np.flatnonzero(codes < FIRST_GROUPS), slice(None)):
            dependent = self.column(second).take(rows[some]).codes
            last[codes[some]] = dependent
            if not (last[codes[some]] == dependent).all():
                return False
        return True

    def rivals(self, names: Sequence[str]) -> list[str]:
        """Return the first column, and the others whose values do not go together with its own."""
        return [*names[:1], *(
            name for name in names[1:]
            if not (self.determines(names[0], name) and self.determines(name, names[0]))
        )]  # fmt: skip

    def named(self, groups: Sequence[tuple[str, ...]], names: Sequence[str]) -> list[str]:
        """Return the columns that the first group names which names any."""
        words = [(name, folded(name)) for name in names]
        for group in groups:
            endings = tuple(f".{word}" for word in group)  # of what stood in a dict of the row
            for match in (group.__contains__, lambda word, ends=endings: word.endswith(ends)):
                if result := [name for name, word in words if match(word)]:
                    return result
        return []

    def arms(self, names: Sequence[str]) -> list[str]:
        """Return the columns that hold the two arms of an experiment, by their names or its own."""
        if any("=" in system for system in self.options.systems):
            return []
        return [
            name for name in names
            if self.n_distinct(name) == 2 and baseline_of(self.column(name).labels) and (
                terms.ARM_NAMES.fullmatch(folded(name))
                or any(label.casefold() in terms.SURE_WITHIN for label in self.column(name).labels)
            )
        ]  # fmt: skip

    def crossed(self, share: float = 0.5) -> list[str]:
        """Return the columns of which each value is there for that share of the queries."""
        query = self.one("query")
        if not query or self.names_rows(query):
            return []
        n_queries, queries = self.n_distinct(query), self.codes(query)
        result = []
        for name in self.free:
            if not self.may_vary(name) or self.determines(query, name):
                continue
            n_labels = self.n_distinct(name)
            if n_labels > max(2, n_queries) or n_labels * n_queries * share > len(queries):
                continue
            occurs = np.zeros((n_queries, n_labels), np.bool_)
            occurs[queries, self.codes(name)] = True
            if occurs.sum(axis=0).min() >= share * n_queries:
                result.append(name)
        return result


def is_unit(name: str) -> bool:
    """Whether a column is called as users, sessions and their like are."""
    return terms.CLUSTER_NAMES.fullmatch(folded(name)) is not None


def choice(role: str, name: str) -> dict[str, Any]:
    """Return the option that gives a role to a column."""
    return {"variant": name} if role == "variant" else {"columns": {role: name}}
