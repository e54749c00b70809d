"""Which column of a table of scores holds what: told by content, and by names where content ties.

A query's column names a query on each row. What is alike on all rows of a query is a property of
it; what varies within a query tells variants, measures or repeats apart. The columns of the variant
are crossed with the queries: each of their values is there for most of them. Where two readings fit
nothing is guessed: the error holds the options of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from abrank._support.errors import ReadError, UnclearError, nearest
from abrank._support.typing import BoolArray, IntArray
from abrank.inputs.columns import folded
from abrank.inputs.score_column import ScoreColumn, renumbered
from abrank.inputs.score_names import (
    ANSWER_NAMES,
    CLUSTER_NAMES,
    GROUP_WORDS,
    METRIC_NAMES,
    NO_QUALITY,
    QUERY_NAMES,
    QUERY_TEXTS,
    REPEAT_NAMES,
    RUN_NAMES,
    SETTING_NAMES,
    TEXT_NAMES,
    VARIANT_NAMES,
    WEIGHT_NAMES,
)
from abrank.inputs.score_reading import (
    BASELINES,
    CANDIDATES,
    ROWS,
    UNNAMED,
    VALUE_NAMES,
    Reading,
    TableOptions,
    baseline_of,
    listed,
    split_names,
)
from abrank.inputs.score_source import AGGREGATES, INDEX, NESTED, NamedTable

MOST_APART = 20  # times the largest value of one variant is that of another on one scale
FIRST_GROUPS = 1000  # looked at before all


def read_roles(
    table: NamedTable,
    options: TableOptions,
    is_measure: Callable[[str], bool],
    is_cost: Callable[[str], bool],
) -> Reading:
    """Return which column of a table holds what."""
    return _TableRoles(table, options, is_measure, is_cost).reading()


class _TableRoles:
    """The columns of one table while they are told apart; rows of aggregates do not count."""

    def __init__(
        self,
        table: NamedTable,
        options: TableOptions,
        is_measure: Callable[[str], bool],
        is_cost: Callable[[str], bool],
    ) -> None:
        self.table, self.options = table, options
        self.is_measure, self.is_cost = is_measure, is_cost
        self.label = table.origin.label
        self.roles = {**table.roles, **options.columns}
        names = [column.name for column in table.columns]
        for role, wanted in options.columns.items():
            for name in wanted:
                if name not in names and not (role == "repeat" and name == ROWS):
                    self._refuse_name(name, names, role)
        self.counts: dict[tuple[str, ...], int] = {}  # of combinations of columns
        self.free = list(names)  # columns without a role yet
        for name in (name for wanted in self.roles.values() for name in wanted):
            if name in self.free:
                self.free.remove(name)

    def _refuse_name(self, name: str, names: Sequence[str], role: str) -> None:
        choices: list[dict[str, Any]] = []
        if close := nearest(name, names):
            meant = {"variant": close[0]} if role == "variant" else {"columns": {role: close[0]}}
            choices = [meant]
        problem = f"has no column {name!r} for {role}; its columns: {listed(names)}"
        raise UnclearError(self.label, problem, choices)

    def column(self, name: str) -> ScoreColumn:
        """Return the column of a name."""
        return self.table.column(name)

    def one(self, role: str) -> str:
        """Return the one column of a role; empty for none."""
        return next(iter(self.roles.get(role, ())), "")

    def set_role(self, role: str, *names: str) -> None:
        """Give a role to columns, which are no longer free."""
        self.roles = {**self.roles, role: names}
        self.free = [name for name in self.free if name not in names]

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
        if names not in self.counts:
            alone = len(names) == 1 and self.rows.all()
            self.counts[names] = (
                self.column(names[0]).n_distinct if alone
                else int(self.codes(*names).max(initial=-1)) + 1
            )  # fmt: skip
        return self.counts[names]

    def determines(self, first: Sequence[str], second: str) -> bool:
        """Whether rows that are alike in ``first`` are alike in ``second``."""
        codes, rows = self.codes(*first), np.flatnonzero(self.rows)
        last = np.empty(self.n_distinct(*first), np.int64)
        # Numbering all cells takes long, and most columns differ within the first groups.
        for some in (np.flatnonzero(codes < FIRST_GROUPS), slice(None)):
            dependent = self.column(second).take(rows[some]).codes
            last[codes[some]] = dependent
            if not (last[codes[some]] == dependent).all():
                return False
        return True

    def names_rows(self, *names: str) -> bool:
        """Whether columns together name each row once."""
        return self.n_distinct(*names) == int(self.rows.sum())

    def reading(self) -> Reading:
        """Return which column holds what."""
        if not self.table.n_rows:
            raise ReadError(self.label, "the table has no rows")
        self._find_metric()
        self._find_query()
        self._find_repeat()
        variant = self._find_variant()
        wide = {} if variant or self.one("metric") else self._find_wide()
        return self._rest(variant, wide)

    # --- The query, the metric and the repeat

    def _named(self, groups: Sequence[tuple[str, ...]], names: Sequence[str]) -> list[str]:
        """Return the columns that the first group names which names any."""
        for group in groups:
            endings = tuple(f".{word}" for word in group)  # of what stood in a dict of the row
            for match in (group.__contains__, lambda word, ends=endings: word.endswith(ends)):
                if result := [name for name in names if match(folded(name))]:
                    return result
        return []

    def _find_metric(self) -> None:
        if "metric" not in self.roles:
            numeric = [name for name in self.free if self.column(name).is_numeric]
            texts = [
                name for name in self.free
                if name not in numeric and folded(name) not in QUERY_NAMES[0]
                and not self._is_long_text(name)
            ]  # fmt: skip
            by_content = [
                name for name in texts
                if any(map(self.is_measure, self.column(name).labels))
                and folded(name) not in VARIANT_NAMES[1]
                and all(len(label) < 60 for label in self.column(name).labels)
            ]  # fmt: skip
            named = [name for name in texts if folded(name) in METRIC_NAMES]
            values = [name for name in numeric if folded(name) in VALUE_NAMES]
            if self.options.purpose == "compare" and not self.options.alone and values:
                # A table of one system has no names of several: Phoenix names its evaluators so.
                named = named or [
                    name for name in texts
                    if folded(name) == "name" and self.column(name).n_distinct > 1
                ]  # fmt: skip
            result = named or by_content
            if not result or not numeric:
                return
            self.set_role("metric", result[0])
        if "value" in self.roles:
            return
        numeric = [name for name in self.free if self.column(name).is_numeric]
        value = [name for name in self.free if folded(name) in VALUE_NAMES] or numeric
        if not value:
            raise ReadError(
                self.label, "a column measure, but none score or value",
                expected="query_id, measure, score, and perhaps system and run",
            )  # fmt: skip
        self.set_role("value", value[0])

    def _is_long_text(self, name: str) -> bool:
        return self.column(name).n_distinct > 200 or folded(name) in TEXT_NAMES

    def _is_key(self, name: str) -> bool:
        """Whether a column may name queries or variants: text, or whole numbers of no measure."""
        column = self.column(name)
        if name == INDEX or not column.is_numeric:
            is_damaged = self._is_damaged(column) and not column.is_whole
            return not is_damaged and not column.is_nested
        is_score = column.is_truth or self.is_measure(name) or self.is_cost(name)
        return column.is_whole and not is_score

    def _find_query(self) -> None:
        if "query" in self.roles:
            return
        keys = [
            name for name in self.free if self._is_key(name) and not self.column(name).empty.all()
        ]
        named = self._named(QUERY_NAMES, keys)
        if len(named) == 1 and self.names_rows(named[0]):
            # An id of the answer, where the question stands once with each variant.
            texts, variants = self._named(QUERY_TEXTS, keys), self._named(VARIANT_NAMES, keys)
            if texts and variants and not self.names_rows(texts[0]) and (
                self.names_rows(texts[0], variants[0])
            ):  # fmt: skip
                named = texts[:1]
        named.sort(key=self.n_distinct, reverse=True)
        # Ids that are a grouping of others, such as topics of variants of a query, are none.
        distinct = [name for name in named[1:] if not self.determines(named[:1], name)]
        if distinct:
            self._ambiguous(
                "query", [named[0], *distinct], f"{listed([named[0], *distinct])} could all be the"
                " query's column"
            )  # fmt: skip
        if not named and INDEX in self.free:
            named = self._repeated_beside_numbers() or [INDEX]
        if not named:
            filled = [name for name in self.free if not self.column(name).empty.any()]
            named = self._query_by_content(filled)
        if named:
            self.set_role("query", named[0])
            self.__dict__.pop("rows", None)
            self.counts.clear()
        elif self.table.form == NESTED:
            raise UnclearError(
                self.label, "neither of the two levels name a known measure, nor queries: give"
                " {query_id: {measure: score}} or {variant: {query_id: score}}",
            )  # fmt: skip
        elif not self.options.alone and not self.table.numbered:
            names = [name for name in self.free if self.column(name).wrong.any()]
            raise UnclearError(
                self.label, "no column names the queries, so that its rows cannot be paired with"
                f" those of another file; its columns: {listed(self.free)}",
                [{"columns": {"query": name}} for name in names[:2]],
            )  # fmt: skip

    def _same_rows(self, first: str, second: str) -> bool:
        return first == second or (
            self.determines([first], second) and self.determines([second], first)
        )

    def _query_by_content(self, names: Sequence[str]) -> list[str]:
        """Return the column whose values name each row once, alone or with others of few values."""
        keys = [name for name in names if self._is_key(name) and folded(name) not in REPEAT_NAMES]
        texts = [name for name in keys if not self.column(name).is_numeric]
        context = [name for name in (self.one("metric"),) if name]
        variants = self._named(VARIANT_NAMES, keys)
        candidates = []
        for name in texts or keys:
            if name in variants:
                continue
            rest = [key for key in keys if key != name and
                    self.n_distinct(key) <= self.n_distinct(name) / 1.5]  # fmt: skip
            if self.n_distinct(name) > 2 and self.names_rows(name, *rest, *context):
                candidates.append(name)
        candidate = max(map(self.n_distinct, candidates), default=0)
        candidates = [name for name in candidates if self.n_distinct(name) == candidate]
        distinct = [name for name in candidates if not self._same_rows(candidates[0], name)]
        if distinct:
            self._ambiguous(
                "query", [candidates[0], *distinct],
                f"{listed([candidates[0], *distinct])} could all be the query's column",
            )  # fmt: skip
        return candidates[:1]

    def _repeated_beside_numbers(self) -> list[str]:
        """Return the column of queries of a long frame whose index only numbers its rows."""
        # A frame that was filtered, sorted or joined keeps such numbers, with gaps or repeated.
        if not self.column(INDEX).is_whole:
            return []
        names = [name for name in self.free if name != INDEX and not self.column(name).empty.any()]
        result = [name for name in self._query_by_content(names) if not self.names_rows(name)]
        if result:
            self.free.remove(INDEX)
        return result

    def _ambiguous(self, role: str, names: Sequence[str], problem: str) -> None:
        choices: list[dict[str, Any]] = []
        for name in names:
            labels = self.column(name).labels
            ends = {}
            if self.options.purpose == "compare" and not baseline_of(labels):
                ends = {"baseline": labels[0], "candidate": labels[1]}
            meant = {"variant": name, **ends} if role == "variant" else {"columns": {role: name}}
            choices.append(meant)
        raise UnclearError(self.label, f"{problem}: say which", choices)

    def _find_repeat(self) -> None:
        if "repeat" in self.roles:
            return
        query = self.one("query")
        named = [name for name in self.free if folded(name) in REPEAT_NAMES]
        varying = [name for name in named if query and not self.determines([query], name)]
        systems = self._named(VARIANT_NAMES[:2], self.free)
        runs = [name for name in self.free if folded(name) in RUN_NAMES]
        if not varying and systems and runs and not self.determines([query], runs[0]):
            settings = [name for name in self._crossed() if name not in runs]
            # A run that the other columns explain is the variant itself, under a longer name.
            if not self.names_rows(*filter(None, (query, self.one("metric"))), *settings):
                varying = runs
        if varying:
            self.set_role("repeat", *varying[:1])

    # --- The variant

    def _crossed(self, share: float = 0.5) -> list[str]:
        """Return the columns of which each value is there for that share of the queries."""
        query = self.one("query")
        if not query:
            return []
        n_queries, queries = self.n_distinct(query), self.codes(query)
        result = []
        for name in self.free:
            if not self._may_vary(name) or self.determines([query], name):
                continue
            n_labels = self.n_distinct(name)
            if n_labels > max(2, n_queries) or n_labels * n_queries * share > len(queries):
                continue
            occurs = np.zeros((n_queries, n_labels), np.bool_)
            occurs[queries, self.codes(name)] = True
            if occurs.sum(axis=0).min() >= share * n_queries:
                result.append(name)
        return result

    def _may_vary(self, name: str) -> bool:
        column = self.column(name)
        word = folded(name)
        if word in TEXT_NAMES or self.is_measure(name) or self.is_cost(name):
            return False
        if word in CLUSTER_NAMES and word != "session":  # LangSmith's experiments are sessions
            return False
        if self._is_damaged(column):
            return False
        is_named = word in {*SETTING_NAMES}.union(*VARIANT_NAMES)
        is_named |= column.is_truth and not GROUP_WORDS.isdisjoint(word.split("_"))
        if column.is_numeric and not is_named and (column.is_truth or word in VALUE_NAMES):
            return False
        return not column.is_nested

    def _find_variant(self) -> tuple[str, ...]:
        key = [name for name in (self.one("query"), self.one("metric"), self.one("repeat"))
               if name and name != ROWS]  # fmt: skip
        if "variant" in self.roles:
            variant = self.roles["variant"]
            if not self.one("query") or self.one("repeat") or self.names_rows(*key, *variant):
                return variant
            return self._with_repeats(self._crossed(), variant, key)
        plain = [name for name in key if name != self.one("repeat")]
        alone = not self.one("query") or self.names_rows(*plain)
        if alone:  # one score of a query: a system's name may stand there on every row
            named = self._named(VARIANT_NAMES, self.free)
            is_one = [name for name in named if self.n_distinct(name) == 1 and self._may_vary(name)]
            groups = [
                name for name in self._named(VARIANT_NAMES[:1], self.free)
                if 2 <= self.n_distinct(name) <= 20 and self._may_vary(name)
                and not self.column(name).is_numeric
            ]  # fmt: skip
            result = (*is_one, *groups)[:1]
            self.set_role("variant", *result)
            return result
        crossed = self._crossed()
        named = self._named(
            VARIANT_NAMES, [name for name in self.free if self._may_vary(name)]
        )  # fmt: skip
        if self.names_rows(*key):  # but for its repeats each query has one row: of which system?
            result = tuple(named[:1])
            self.set_role("variant", *result)
            return result
        single = [name for name in dict.fromkeys((*named, *crossed)) if self.names_rows(*key, name)]
        if single:
            return self._choose_single(single)
        together = self._together(crossed, key)
        if together:
            self.set_role("variant", *together)
            return together
        return self._with_repeats(crossed, named, key)

    def _choose_single(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the column of the variant among those that alone name each row of a query."""
        first, *rest = self._named(VARIANT_NAMES, names) or names
        rivals = [name for name in rest if not self._same_rows(first, name)]
        texts = [name for name in (first, *rivals) if not self.column(name).is_numeric]
        if rivals and len(texts) != 1:
            names = [first, *rivals]
            problem = f"{listed(names)} could each name the variant"
            self._ambiguous("variant", names, problem)
        chosen = texts[0] if rivals else first
        self.set_role("variant", chosen)
        return (chosen,)

    def _together(self, crossed: Sequence[str], key: Sequence[str]) -> tuple[str, ...]:
        """Return several columns that name each row of a query together."""
        full = self._crossed(0.95)
        texts = [
            name for name in crossed
            if not self.column(name).is_numeric or folded(name) in SETTING_NAMES
            or (name in full and self._is_setting(name))
        ]  # fmt: skip
        return tuple(texts) if texts and self.names_rows(*key, *texts) else ()

    def _is_setting(self, name: str) -> bool:
        """Whether a column of numbers has few values, which are there for all queries."""
        return self.n_distinct(name) <= 20

    def _with_repeats(
        self, crossed: Sequence[str], named: Sequence[str], key: Sequence[str]
    ) -> tuple[str, ...]:
        """Return the variant of a table with several rows of a query and variant."""
        variant = (
            self.roles.get("variant")
            or tuple(named[:1])
            or tuple(name for name in crossed if not self.column(name).is_numeric)
        )
        rest = [name for name in self.free if name not in variant]
        sessions = [name for name in rest if folded(name) in CLUSTER_NAMES]
        if variant and sessions and self.names_rows(*key, *variant, *sessions[:1]):
            self.set_role("variant", *variant)
            self.set_role("repeat", sessions[0])
            return variant
        if self.one("repeat") == ROWS:
            self.set_role("variant", *variant)
            return variant
        more = [name for name in crossed if name not in variant
                and self.names_rows(*key, *variant, name)]  # fmt: skip
        more += [name for name in rest if name not in more
                 and (self._is_key(name) or self.column(name).is_truth)
                 and self.names_rows(*key, *variant, name)]  # fmt: skip
        codes = self.codes(*key, *variant)
        order = np.argsort(codes, kind="stable")
        again = np.flatnonzero(np.diff(codes[order]) == 0)
        rows = np.flatnonzero(self.rows)[order[again[0] : again[0] + 2]]
        choices: list[Mapping[str, Any]] = []
        for name in more[:1]:
            together = [*variant, name]
            ends = {}
            if self.options.purpose == "compare":
                cells = [self._cells(together, row) for row in rows]
                ends = {"baseline": cells[0], "candidate": cells[1]}
            choices += [{"variant": ",".join(together), **ends}, {"columns": {"repeat": name}}]
        text = {"variant": ",".join(variant)} if len(variant) > 1 else {}
        choices.append({**text, "columns": {"repeat": ROWS}})
        first, two = (int(self.table.positions[row]) for row in rows)
        labels, of_row = self.column(self.one("query")).coded
        kind = "rows"
        if self.one("metric"):
            metrics, of_metric = self.column(self.one("metric")).coded
            kind = f"scores of {metrics[of_metric[rows[0]]]}"
        for name in variant:
            of_variant, place = self.column(name).coded
            kind += f" for {name}={of_variant[place[rows[0]]]}"
        raise UnclearError(
            self.label,
            f"query {labels[of_row[rows[0]]]} has several {kind}: say what tells them apart, or"
            " that they are repeats, which are averaged",
            choices,
            at=f"{self.table.origin.unit}s {first} and {two}",
        )

    def _cells(self, names: Sequence[str], row: int) -> str:
        """Return the name of the variant that columns make on a row."""
        coded = [self.column(name).coded for name in names]
        return "/".join(filter(None, (labels[codes[row]] for labels, codes in coded)))

    # --- A column per variant

    def _numeric(self) -> list[str]:
        return [
            name for name in self.free
            if (self.column(name).is_numeric or self._is_damaged(self.column(name)))
            and folded(name) not in TEXT_NAMES and name != INDEX
        ]  # fmt: skip

    def _find_wide(self) -> dict[str, tuple[str, str]]:
        """Return variant and measure of each column of a table with a column per variant."""
        wanted = self.roles.get("variants")
        measure = self.options.measures[0] if len(self.options.measures) == 1 else UNNAMED
        if wanted:
            return split_names(wanted, self.is_measure, self.is_cost) or {
                name: (name, measure) for name in wanted
            }
        if "measures" in self.roles or self.one("variant") or not self.options.alone:
            return {}
        levels = {name: self.column(name).levels for name in self._numeric()}
        if levels and all(len(level) > 1 for level in levels.values()):
            return self._of_levels(levels)
        names = [
            name for name in self._numeric()
            if not NO_QUALITY.fullmatch(folded(name)) and folded(name) not in WEIGHT_NAMES
        ]  # fmt: skip
        pairs = split_names(names, self.is_measure, self.is_cost)
        if pairs:
            return pairs
        registered = [name for name in names if self.is_measure(name)]
        plain = {*map(folded, names)} <= {*VALUE_NAMES}
        answers = not ANSWER_NAMES.isdisjoint(map(folded, self.free))
        if registered or plain or answers or len(names) < 2 or any(map(self.is_cost, names)):
            return {}
        as_variants = {name: (name, measure) for name in names}
        if (
            self.options.purpose == "rank"
            or self._one_scale(names)
            or {*map(folded, names)} & {*BASELINES[:8], *CANDIDATES[:4]}
        ):
            return as_variants
        choices: list[dict[str, Any]] = [
            {"columns": {part: tuple(names)}} for part in ("variants", "measures")
        ]
        if self.options.purpose == "compare":
            ends = ((names[0], names[1]), (names[1], names[0]))
            choices = [{**choices[0], "baseline": a, "candidate": b} for a, b in ends]
        raise UnclearError(
            self.label,
            f"{listed(names)} may be variants, or measures of one system: say which",
            choices,
        )

    def _of_levels(self, levels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
        """Return variants and measures of a frame with two rows of names."""
        sides = [[level[side] for level in levels.values()] for side in (0, -1)]
        totals = [sum(map(self.is_measure, dict.fromkeys(side))) for side in sides]
        costs = [sum(map(self.is_cost, dict.fromkeys(side))) for side in sides]
        scores = [first + cost for first, cost in zip(totals, costs, strict=True)]
        if scores[0] == scores[1]:
            baselines = [bool({*map(folded, side)} & {*BASELINES, *CANDIDATES}) for side in sides]
            if baselines[0] == baselines[1]:
                which = [len(dict.fromkeys(side)) > 1 for side in sides]
                if which[0] == which[1]:
                    raise UnclearError(
                        self.label,
                        "neither row of names holds a known measure: call one of them by a measure,"
                        " such as nDCG@10",
                    )
                scores = [int(not item) for item in which]
            else:
                scores = [int(not baseline) for baseline in baselines]
        first = scores[0] > scores[1]
        return {
            name: (level[-1], level[0]) if first else (level[0], level[-1])
            for name, level in levels.items()
        }

    def _one_scale(self, names: Sequence[str]) -> bool:
        """Whether columns run over about the same values; empty ones do."""
        numbers = [np.abs(self.column(name).numbers) for name in names]
        largest = [float(np.nanmax(number)) for number in numbers if not np.isnan(number).all()]
        return not largest or max(largest) <= MOST_APART * max(min(largest), 1e-300)

    # --- What else there is

    def _rest(self, variant: tuple[str, ...], wide: Mapping[str, tuple[str, str]]) -> Reading:
        query, metric = self.one("query"), self.one("metric")
        if wide:
            self.set_role("variants", *wide)
        settings: list[str] = []
        segments: list[str] = []
        apart: list[str] = []
        weight, cluster = self.one("weight"), self.one("cluster")
        measures = list(self.roles.get("measures", () if metric else self.roles.get("value", ())))
        doubtful: list[str] = []
        wanted = {*self.options.measures}
        n_queries = self.n_distinct(query) if query else self.table.n_rows
        for name in self.free:
            column, word = self.column(name), folded(name)
            numeric = column.is_numeric
            measure = self.is_measure(name)
            if not numeric and (measure or self._is_damaged(column)):
                numeric = word not in TEXT_NAMES  # of damaged cells, or of none
            of_query = bool(query) and bool(variant or metric) and self.determines([query], name)
            if name in wanted or (
                numeric and measure and "measures" not in self.roles and not metric and not wide
            ):
                measures.append(name)
            elif word in WEIGHT_NAMES and numeric and (of_query or not variant):
                weight = weight or name
            elif (
                word in CLUSTER_NAMES
                and query
                and (of_query or not variant)
                and self.n_distinct(name) < n_queries
            ):
                cluster = cluster or name
                segments.append(name)
            elif (
                variant
                and self.determines(variant, name)
                and not (numeric and not self._varies(variant))
            ):
                settings.append(name)
            elif not numeric or word in TEXT_NAMES or name == INDEX or NO_QUALITY.fullmatch(word):
                few = self.n_distinct(name) <= max(2, min(30, n_queries // 2))
                is_segment = (of_query or not variant) and few and word not in TEXT_NAMES
                is_segment &= not NO_QUALITY.fullmatch(word) and name != INDEX
                is_segment &= not column.is_nested
                (segments if is_segment and query else apart).append(name)
            elif "measures" in self.roles or metric or wide:
                (segments if of_query and self.n_distinct(name) <= 10 else apart).append(name)
            elif of_query and variant and self._varies(variant):
                doubtful.append(name)
            else:
                measures.append(name)
        if measures or metric or wide:
            segments += [name for name in doubtful if self.n_distinct(name) <= 10]
            apart += [name for name in doubtful if name not in segments]
        else:
            measures = doubtful
        if not (measures or metric or wide):
            some = [name for name in apart if self.column(name).is_numeric]
            if nested := [name for name in apart if self.column(name).is_nested]:
                raise UnclearError(
                    self.label, f"the table has no column of scores, and {listed(nested)} holds"
                    " lists: write a column for each score, or a list of {name, score}",
                )  # fmt: skip
            if not some:
                raise UnclearError(
                    self.label, "the table has no column of scores; its columns: "
                    + listed([column.name for column in self.table.columns]),
                )  # fmt: skip
            measures, apart = some, [name for name in apart if name not in some]
        order = [column.name for column in self.table.columns]
        form = self.table.form or (
            "a row per score" if metric else "a column per variant" if wide
            else "a row per query and variant" if variant else "a column per measure"
        )  # fmt: skip
        labels = tuple(dict.fromkeys(name for name, _ in wide.values()))
        return Reading(
            form=form,
            query=query,
            variant=variant,
            variants=wide,
            metric=metric,
            value=self.one("value"),
            measures=tuple(sorted(measures, key=order.index)),
            repeat=self.one("repeat"),
            cluster=cluster,
            weight=weight,
            segments=(*self.roles.get("segments", ()), *segments),
            settings=tuple(settings),
            apart=tuple(apart),
            labels=labels,
        )

    def _varies(self, variant: tuple[str, ...]) -> bool:
        return self.n_distinct(*variant) > 1

    def _is_damaged(self, column: ScoreColumn) -> bool:
        """Whether most cells are numbers, so that the others are faults."""
        n_numbers = int((~np.isnan(column.numbers)).sum())
        return 0 < int(column.wrong.sum()) <= n_numbers
