"""Which column of a table of scores holds what: told by content, and by names where content ties.

A query's column names a query on each row. What is alike on all rows of a query is a property of
it; what varies within a query tells variants, measures or repeats apart. The columns of the variant
are crossed with the queries: each of their values is there for most of them. Where two readings fit
nothing is guessed: the error holds the options of each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from abrank._support.errors import ReadError, UnclearError, name_parts, nearest
from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import score_names as terms
from abrank.inputs.columns import folded
from abrank.inputs.exports import INDEX
from abrank.inputs.score_column import ScoreColumn, renumbered
from abrank.inputs.score_names import baseline_of, split_names
from abrank.inputs.score_reading import ROWS, UNNAMED, Reading, TableOptions, listed
from abrank.inputs.score_source import AGGREGATES, NESTED, NamedTable
from abrank.inputs.topics import COLLECTIONS

MOST_APART = 20  # times the largest value of one variant is that of another on one scale
FIRST_GROUPS = 1000  # looked at before all
MOST_VARIANTS = 1000
_TOTAL = re.compile("((grand|row)_)?totals?|gesamtergebnis")
PROMPT = "prompt"  # the text of each query, or the template that is compared
MOST_PROMPTS = 20


class TableRoles:
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
        self.asked = {*map(str.casefold, options.measures)}
        self.label = table.origin.label
        self.roles = {**table.roles, **options.columns}
        names = [column.name for column in table.columns]
        for role, wanted in options.columns.items():
            for name in wanted:
                if name not in names and not (role == "repeat" and name == ROWS):
                    problem = f"has no column {name!r} for {role}; its columns: {listed(names)}"
                    close = [_choice(role, meant) for meant in nearest(name, names)[:1]]
                    raise UnclearError(self.label, problem, close)
        self.counts: dict[tuple[str, ...], int] = {}  # of combinations of columns
        assigned = {name for wanted in self.roles.values() for name in wanted}
        self.free = [name for name in names if name not in assigned]  # columns without a role yet

    def column(self, name: str) -> ScoreColumn:
        """Return the column of a name."""
        return self.table.column(name)

    def one(self, role: str) -> str:
        """Return the one column of a role; empty for none."""
        return next(iter(self.roles.get(role, ())), "")

    def set_role(self, role: str, *names: str) -> tuple[str, ...]:
        """Give a role to columns, which are no longer free, and return them."""
        self.roles = {**self.roles, role: names}
        self.free = [name for name in self.free if name not in names]
        return names

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
        if self.names_rows(*first):
            return True
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
        words = [(name, folded(name)) for name in names]
        for group in groups:
            endings = tuple(f".{word}" for word in group)  # of what stood in a dict of the row
            for match in (group.__contains__, lambda word, ends=endings: word.endswith(ends)):
                if result := [name for name, word in words if match(word)]:
                    return result
        return []

    def _find_metric(self) -> None:
        numeric = [name for name in self.free if self.column(name).is_numeric]
        if "metric" not in self.roles:
            texts = [
                name for name in self.free
                if name not in numeric and folded(name) not in terms.QUERY_NAMES[0]
                and folded(name) not in terms.TEXT_NAMES and self.column(name).n_distinct <= 200
            ]  # fmt: skip
            named = [name for name in texts if folded(name) in terms.METRIC_NAMES]
            has_value = any(folded(name) in terms.VALUE_NAMES for name in numeric)
            words = {"name"}.union(*terms.VARIANT_NAMES[:3])
            several = [name for name in texts if folded(name) in words]
            several = [name for name in several if self.column(name).n_distinct > 1]
            of_one = self.options.purpose == "compare" and not self.options.alone
            if not named and has_value and (of_one or len(several) > 1):
                # Phoenix and Langfuse name their evaluators so, beside a system or of one alone.
                named = [name for name in several if folded(name) == "name"]
            by_content = [
                name for name in texts
                if (has_value or self.column(name).n_distinct > 1  # else the same answer to all
                    or self.asked & {label.casefold() for label in self.column(name).labels})
                and not terms.NO_QUALITY.fullmatch(folded(name))
                and folded(name).rpartition(".")[2] not in terms.TEXT_NAMES
                and any(len(x) > 1 and self.is_measure(x) for x in self.column(name).labels)
                and folded(name) not in terms.VARIANT_NAMES[1]
                and all(len(label) < 60 for label in self.column(name).labels)
            ]  # fmt: skip
            metric = (named or by_content)[:1]
            if not metric or not numeric:
                return
            self.set_role("metric", *metric)
        if "value" not in self.roles:
            numeric = [name for name in numeric if name in self.free]
            names = [column.name for column in self.table.columns]
            behind = names[names.index(self.one("metric")) :]
            value = (
                [name for name in self.free if folded(name) in terms.VALUE_NAMES]
                or [name for name in numeric if name in behind]
                or numeric[::-1]
            )
            if not value:
                raise ReadError(
                    self.label, "a column measure, but none score or value",
                    expected="query_id, measure, score, and perhaps system and run",
                )  # fmt: skip
            self.set_role("value", value[0])

    def _is_key(self, name: str) -> bool:
        """Whether a column may name queries or variants: text, or whole numbers of no measure."""
        column = self.column(name)
        if name == INDEX or not column.is_numeric:
            return not column.is_nested and (column.is_whole or not column.is_damaged)
        is_score = self.is_measure(name) or self.is_cost(name)
        is_id = column.is_whole or bool(terms.CLUSTER_NAMES.fullmatch(folded(name)))
        return is_id and not (is_score or self._is_judged(name))

    def _is_judged(self, name: str) -> bool:
        """Whether a column of true and false is a score by its name."""
        return self.column(name).is_truth and folded(name).rpartition("_")[2] in terms.SCORE_WORDS

    def _find_query(self) -> None:
        if "query" in self.roles:
            return
        keys = [
            name for name in self.free if self._is_key(name) and not self.column(name).empty.all()
            and folded(name) not in terms.ANSWER_NAMES
        ]  # fmt: skip
        named = self._named(terms.QUERY_NAMES, keys)
        named.sort(key=self.n_distinct, reverse=True)
        # Ids that are a grouping of others, such as topics of variants of a query, are none.
        rivals = [
            name for name in named[1:]
            if not self.determines(named[:1], name)
            and (folded(name) != PROMPT or self.n_distinct(name) > MOST_PROMPTS)
        ]  # fmt: skip
        self._require_no_rivals("query", [*named[:1], *rivals])
        if not named and INDEX in self.free:
            units = [name for name in keys if terms.CLUSTER_NAMES.fullmatch(folded(name))]
            named = [*filter(self.names_rows, units)][:1] or [INDEX]
        if named == [INDEX] and self.column(INDEX).is_whole:
            # A frame that was filtered, sorted or joined keeps numbers of rows, with gaps or
            # repeated, beside the column of queries.
            filled = [x for x in self.free if x != INDEX and not self.column(x).empty.any()]
            repeated = [x for x in self._query_by_content(filled) if not self.names_rows(x)]
            if repeated:
                self.free.remove(INDEX)
                named = repeated
        if not named:
            filled = [name for name in self.free if not self.column(name).empty.any()]
            named = self._query_by_content(filled)
        named = [*self._shared_by_variants(named[:1], keys)]
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

    def _shared_by_variants(self, named: Sequence[str], keys: Sequence[str]) -> Sequence[str]:
        """Return the column of which the variants share the values, where the named one is not."""
        # Such as the questions beside an id of each row, or beside the users who asked them.
        if "variant" in self.roles or not self.options.alone:
            return named
        metric = [*filter(None, (self.one("metric"),))]
        # The numbers of rows of two frames, one below the other, pair different users.
        rest = [name for name in keys if name not in named and not (named and name == INDEX)]
        variants = [] if self._systems_are_columns else (
            [name for name in rest if self._holds_systems(name)]
            or self._named(terms.VARIANT_NAMES, rest)
            or [name for name in rest
                if self.n_distinct(name) == 2 and baseline_of(self.column(name).labels)]
        )  # fmt: skip
        if not variants:
            if (
                not named
                or not terms.CLUSTER_NAMES.fullmatch(folded(named[0]))
                or self.names_rows(*named, *metric)
            ):
                return named
            # A column per variant has a row for each query.
            whole = [name for name in rest if self.names_rows(name, *metric)]
            texts = [name for name in whole if not self.column(name).is_numeric] or whole
            return texts if len(texts) == 1 else named
        key = [*variants[:1], *metric]
        repeats = [[name] for name in rest if folded(name) in terms.REPEAT_NAMES]
        crossed = [
            name for name in (*named, *rest) if name not in key
            and any(self._is_crossed(name, [*key, *repeat]) for repeat in ([], *repeats))
        ]  # fmt: skip
        return crossed[:1] or named

    def _is_crossed(self, name: str, key: Sequence[str]) -> bool:
        """Whether nearly each value of a column is there once with nearly each of the others'."""
        return (
            self.names_rows(name, *key)
            and not self.names_rows(name)
            and self.n_distinct(name) * self.n_distinct(*key) <= 1.2 * self.rows.sum()
        )

    @cached_property
    def _systems_are_columns(self) -> bool:
        names = {column.name.casefold() for column in self.table.columns}
        return bool(self.options.systems) and {x.casefold() for x in self.options.systems} <= names

    def _holds_systems(self, name: str) -> bool:
        """Whether a column holds the variants that somebody named, and no scores."""
        column, systems = self.column(name), {x.casefold() for x in self.options.systems}
        if not systems or self._systems_are_columns:
            return False
        words = {folded(name), *folded(name).split("_")}  # such as treatment_group
        return (
            not (column.is_numeric and words.isdisjoint(chain(*terms.VARIANT_NAMES)))
            and column.n_distinct <= MOST_VARIANTS
            and systems <= {label.casefold() for label in column.labels}
        )

    def _same_rows(self, first: str, second: str) -> bool:
        return self.determines([first], second) and self.determines([second], first)

    def _query_by_content(self, names: Sequence[str]) -> list[str]:
        """Return the column whose values name each row once, alone or with others of few values."""
        no_ids = terms.REPEAT_NAMES | terms.ANSWER_NAMES
        keys = [name for name in names if self._is_key(name) and folded(name) not in no_ids]
        texts = [name for name in keys if not self.column(name).is_numeric]
        metric = [*filter(None, (self.one("metric"),))]
        variants = self._named(terms.VARIANT_NAMES, keys)

        def may_name(name: str) -> bool:
            n_labels = self.n_distinct(name)
            rest = [key for key in keys if key != name and (
                key in variants or 1.5 * self.n_distinct(key) <= n_labels
            )]  # fmt: skip
            is_large = name not in variants and n_labels > 2
            return is_large and self.names_rows(name, *rest, *metric)

        if self.one("repeat") == ROWS:  # whichever repeats may be the queries
            some = [
                name for name in keys if self.n_distinct(name) > 2 and not self.names_rows(name)
                and not (name in variants or self._holds_systems(name))
                and folded(name) not in terms.TEXT_NAMES
                and folded(name).rpartition("_")[2] not in terms.SCORE_WORDS
            ]  # fmt: skip
            some.sort(key=self.n_distinct, reverse=True)
            self._require_no_rivals("query", some)
            return some
        candidates: list[str] = []
        plain = [
            name for name in keys
            if not (folded(name) in terms.TEXT_NAMES or terms.TIME_NAMES.fullmatch(folded(name)))
        ]  # fmt: skip
        for some in ([name for name in texts if name in plain], plain, keys):
            candidates = candidates or [*filter(may_name, some)]
        # Each query has as many rows as any other, which numbers beside them seldom have.
        even = [name for name in candidates if len({*np.bincount(self.codes(name)).tolist()}) == 1]
        candidates = even or candidates
        largest = max(map(self.n_distinct, candidates), default=0)
        candidates = [name for name in candidates if self.n_distinct(name) == largest]
        rivals = [name for name in candidates[1:] if not self._same_rows(candidates[0], name)]
        self._require_no_rivals("query", [*candidates[:1], *rivals])
        return candidates[:1]

    def _require_no_rivals(self, role: str, names: Sequence[str]) -> None:
        """Refuse several columns of one role, and say how each is chosen."""
        if len(names) < 2:
            return
        choices = [_choice(role, name) for name in names]
        problem = "could all be the query's column"
        if role == "variant":
            problem = "could each name the variant"
            for name, choice in zip(names, choices, strict=True):
                labels = self.column(name).labels
                if self.options.purpose == "compare" and not baseline_of(labels):
                    choice |= {"baseline": labels[0], "candidate": labels[1]}
        raise UnclearError(self.label, f"{listed(names)} {problem}: say which", choices)

    def _find_repeat(self) -> None:
        query = self.one("query")
        if "repeat" in self.roles or not query:
            return
        holding = [name for name in self.free if self._holds_systems(name)]
        if "variant" not in self.roles and len(holding) == 1:
            self.set_role("variant", *holding)
        systems = [*self.roles.get("variant", ())] or self._named(
            terms.VARIANT_NAMES[:2], self.free
        )
        numbered = not systems  # runs are then repeats only by number: their names may be systems'
        texts = [name for name in self.free if not self.column(name).is_numeric]
        texts = [name for name in texts if folded(name) not in terms.RUN_NAMES]
        systems = (
            [name for name in systems if self.n_distinct(name) > 1]
            or self._named(terms.VARIANT_NAMES[2:], texts)
            or [name for name in self._crossed() if folded(name) == PROMPT]
            or systems
        )
        named = [
            name for name in self.free
            if folded(name) in terms.REPEAT_NAMES or (
                folded(name).rpartition("_")[2] in terms.DATE_NAMES
                and (not self.options.alone
                     or {*self.roles.get("variant", ()), *self._crossed()} - {name})
            )
        ]  # fmt: skip
        varying = [name for name in named if not self.determines([query], name)]
        several = bool(systems) and self.n_distinct(systems[0]) > 1  # else the judges are compared
        names = terms.RUN_NAMES | terms.RATER_NAMES if several else terms.RUN_NAMES
        runs = [
            name for name in self.free
            if folded(name) in names and not (numbered and not self.column(name).is_numeric)
        ]  # fmt: skip
        if not varying and systems and runs and not self.determines([query], runs[0]):
            settings = [name for name in self._crossed() if name not in runs]
            # A run that the other columns explain is the variant itself, under a longer name.
            if not self.names_rows(*filter(None, (query, self.one("metric"))), *settings):
                varying = runs
        if not varying:
            return
        self.set_role("repeat", *varying[:1])
        raters = [
            name for name in self.free
            if several and folded(name) in terms.RATER_NAMES and not self.determines([query], name)
        ]  # fmt: skip
        if raters and not self.names_rows(query, systems[0], *varying[:1]):
            self.set_role("repeat", ROWS)  # each answer was judged several times
            self.free = [name for name in self.free if name not in raters]

    # --- The variant

    def _crossed(self, share: float = 0.5) -> list[str]:
        """Return the columns of which each value is there for that share of the queries."""
        query = self.one("query")
        if not query or self.names_rows(query):
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
        is_text = word in terms.TEXT_NAMES and not (
            word == PROMPT and column.n_distinct <= MOST_PROMPTS
        )
        if is_text or self.is_measure(name) or self.is_cost(name) or column.is_damaged:
            return False
        if terms.CLUSTER_NAMES.fullmatch(word) and word != "session":  # LangSmith's experiments are
            return False
        return not (column.is_nested or self._is_judged(name) or word in terms.VALUE_NAMES)

    def _find_variant(self) -> tuple[str, ...]:
        key = [*filter(None, map(self.one, ("query", "metric", "repeat")))]
        key = [name for name in key if name != ROWS]
        if "variant" in self.roles:
            variant = self.roles["variant"]
            if not self.one("query") or self.one("repeat") or self.names_rows(*key, *variant):
                return variant
            crossed = self._without_scores(self._crossed(), [*key, *variant])
            if self.options.systems and self._average_rest(variant, crossed, key):
                return variant
            return self._with_repeats(crossed, variant, key)
        plain = [name for name in key if name != self.one("repeat")]
        if not self.one("query") or self.names_rows(*plain):
            # One score of a query: a system's name may stand there on every row.
            named = self._named(terms.VARIANT_NAMES, self.free)
            is_one = [name for name in named if self.n_distinct(name) == 1 and self._may_vary(name)]
            of_arms = (*self._named(terms.VARIANT_NAMES[:1], self.free), *self._arms(self.free))
            groups = [
                name for name in dict.fromkeys(of_arms)
                if 2 <= self.n_distinct(name) <= 20 and self._may_vary(name)
            ]  # fmt: skip
            # One that names columns, as a winner does, is none.
            words = {part for name in self.free if self.column(name).is_numeric
                     for part in re.split(r"[^0-9a-z]+", name.casefold())}  # fmt: skip
            sides = {*terms.BASELINES[:8]}  # of a column per variant
            groups = [
                name for name in groups
                if words.isdisjoint(label.casefold() for label in self.column(name).labels)
                and not (self.column(name).is_numeric and (words & sides or not self._arms([name])))
            ]  # fmt: skip
            groups.sort(key=lambda name: not baseline_of(self.column(name).labels))
            rivals = [name for name in groups[1:] if not self._same_rows(groups[0], name)]
            self._require_no_rivals("variant", [*groups[:1], *rivals])
            several = (*groups, *is_one) if self.options.alone else (*is_one, *groups)
            return self.set_role("variant", *several[:1])
        crossed = self._crossed()
        # What names each row, as an id of the run of one query does, is no variant.
        varying = [
            name for name in self.free
            if self._may_vary(name) and (self.n_distinct(key[0]) == 1 or not self.names_rows(name))
        ]  # fmt: skip
        named = self._named(terms.VARIANT_NAMES, varying) or self._arms(varying)
        if self.names_rows(*key):  # but for its repeats each query has one row: of which system?
            return self.set_role("variant", *named[:1])
        single = [name for name in dict.fromkeys((*named, *crossed)) if self.names_rows(*key, name)]
        if single:
            first, *rest = (
                self._named(terms.VARIANT_NAMES, single)
                or [name for name in single if terms.ARM_NAMES.fullmatch(folded(name))]
                or single
            )
            rivals = [name for name in rest if not self._same_rows(first, name)]
            texts = [name for name in (first, *rivals) if not self.column(name).is_numeric]
            if rivals and len(texts) != 1:
                self._require_no_rivals("variant", [first, *rivals])
            return self.set_role("variant", texts[0] if rivals else first)
        full = self._crossed(0.95)
        together = [
            name for name in crossed
            if not self.column(name).is_numeric or folded(name) in terms.SETTING_NAMES
            or (name in full and self.n_distinct(name) <= 20)
        ]  # fmt: skip
        together = self._without_scores(together, key)
        arms = self._arms(together)
        if self._average_rest(arms, together, key):
            return self.set_role("variant", *arms)
        if together and self.names_rows(*key, *together):
            return self.set_role("variant", *together)
        return self._with_repeats(crossed, named, key)

    def _without_scores(self, names: Sequence[str], key: Sequence[str]) -> list[str]:
        """Return columns without numbers that name no row: 0 and 1 beside prompt and model."""
        result = [*names]
        for name in names:
            is_number = self.column(name).is_numeric or self.column(name).is_truth
            rest = [column for column in result if column != name]
            if (
                is_number
                and folded(name) not in terms.SETTING_NAMES
                and self.names_rows(*key, *rest)
            ):
                result = rest
        return result

    def _average_rest(
        self, arms: Sequence[str], crossed: Sequence[str], key: Sequence[str]
    ) -> bool:
        """Whether both arms ran in what else is crossed, such as countries: it is averaged then."""
        rest = [name for name in crossed if name not in arms]
        options = {*terms.SETTING_NAMES, *COLLECTIONS}.union(*terms.VARIANT_NAMES)
        no_groups = [
            name for name in rest if self.column(name).is_numeric or folded(name) in options
        ]  # fmt: skip
        if len(arms) != 1 or not rest or no_groups:
            return False
        self.set_role("repeat", rest[0] if self.names_rows(*key, *arms, rest[0]) else ROWS)
        self.free = [name for name in self.free if name not in rest]
        return True

    def _arms(self, names: Sequence[str]) -> list[str]:
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
        sessions = [name for name in rest if terms.CLUSTER_NAMES.fullmatch(folded(name))]
        by_session = variant and sessions and self.names_rows(*key, *variant, sessions[0])
        if by_session:
            self.set_role("repeat", sessions[0])
        if by_session or self.one("repeat") == ROWS:
            return self.set_role("variant", *variant)
        more = [name for name in crossed if name not in variant
                and self.names_rows(*key, *variant, name)]  # fmt: skip
        more += [name for name in rest if name not in more
                 and (self._is_key(name) or self.column(name).is_truth)
                 and self.names_rows(*key, *variant, name)]  # fmt: skip
        more = [name for name in more if not terms.TIME_NAMES.fullmatch(folded(name))]
        codes = self.codes(*key, *variant)
        order = np.argsort(codes, kind="stable")
        again = np.flatnonzero(np.diff(codes[order]) == 0)
        rows = np.flatnonzero(self.rows)[order[again[0] : again[0] + 2]]

        def cell(name: str, row: int) -> str:
            labels, codes = self.column(name).coded
            return str(labels[codes[row]])

        choices: list[Mapping[str, Any]] = []
        compared = self.options.purpose == "compare"
        if compared and sessions and variant and self.determines(sessions[:1], variant[0]):
            # Each user saw one variant: users are compared, not queries.
            columns = {"query": sessions[0], "repeat": ROWS}
            choices.append({"independent": True, "columns": columns})
        of_collections = [name for name in more if folded(name) in COLLECTIONS]
        more = of_collections or more
        for name in more[:1]:  # queries of two collections have nothing in common but their ids
            is_one = {"where": {name: cell(name, rows[0])}}
            ends = self._ends(variant, name, order[again[0] : again[0] + 2]) if compared else {}
            together = {"variant": ",".join((*variant, name)), **ends}
            choices += [is_one if of_collections else _choice("repeat", name), together]
        variants = {"variant": ",".join(variant)} if len(variant) > 1 else {}
        between = {"independent": False} if choices and "independent" in choices[0] else {}
        choices.append({**variants, **between, **_choice("repeat", ROWS)})
        metric = self.one("metric")
        kind = f"scores of {cell(metric, rows[0])}" if metric else "rows"
        kind += "".join(f" for {name}={cell(name, rows[0])}" for name in variant)
        hint = "; if they are of several collections, give the table as --collections"
        first, second = self.table.positions[rows]
        raise UnclearError(
            self.label, f"query {cell(self.one('query'), rows[0])} has several {kind}: say what"
            " tells them apart, or that they are repeats, which are averaged"
            f"{hint if of_collections else ''}", choices,
            at=f"{self.table.origin.unit}s {first} and {second}",
        )  # fmt: skip

    def _ends(self, variant: Sequence[str], name: str, places: IntArray) -> dict[str, str]:
        """Return two variants that differ in ``variant`` alone, or else in ``name``."""
        first, second = places
        if variant:
            of_variant, of_name = self.codes(*variant), self.codes(name)
            others = (of_variant != of_variant[first]) & (of_name == of_name[first])
            second = int(np.argmax(others)) if others.any() else second
        rows = np.flatnonzero(self.rows)
        coded = [self.column(column).coded for column in (*variant, name)]
        cells = [
            "/".join(filter(None, (labels[codes[rows[place]]] for labels, codes in coded)))
            for place in (first, second)
        ]
        if baseline_of(cells) == cells[1]:
            cells.reverse()
        return {"baseline": cells[0], "candidate": cells[1]}

    # --- A column per variant

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
        names = [
            name for name in self.free
            if (self.column(name).is_numeric or self.column(name).is_damaged)
            and folded(name) not in terms.TEXT_NAMES and name != INDEX
        ]  # fmt: skip
        levels = {name: self.column(name).levels for name in names}
        if levels and all(len(level) > 1 for level in levels.values()):
            return self._of_levels(levels)
        names = [
            name for name in names
            if not (terms.NO_QUALITY.fullmatch(folded(name)) or folded(name) in terms.WEIGHT_NAMES)
        ]  # fmt: skip
        others = [name for name in names if not _TOTAL.fullmatch(folded(name))]
        others = [name for name in others if not self._is_total(name, others)]
        names = others if len(others) > 1 else names
        pairs = split_names(names, self.is_measure, self.is_cost, self.options.systems)
        if pairs:
            return pairs
        answers = not terms.ANSWER_NAMES.isdisjoint(map(folded, self.free))
        is_plain = {*map(folded, names)} <= {*terms.VALUE_NAMES}
        if any(map(self.is_measure, names)) or is_plain or answers or len(names) < 2:
            return {}
        as_variants = {name: (name, measure) for name in names}
        if self.options.purpose == "rank":  # a system may be called rank-fusion
            return as_variants
        plain = [name for name in names if not self.is_cost(name)]
        if len(plain) < len(names):  # measures of one system, or its arms and costs of theirs
            return {name: (name, measure) for name in plain} if baseline_of(plain) else {}
        numbers = [np.abs(self.column(name).numbers) for name in names]
        largest = [float(np.nanmax(number)) for number in numbers if not np.isnan(number).all()]
        one_scale = not largest or max(largest) <= MOST_APART * max(min(largest), 1e-300)
        if one_scale or {*map(folded, names)} & {*terms.BASELINES[:8], *terms.CANDIDATES[:4]}:
            return as_variants
        choices: list[dict[str, Any]] = [
            {"columns": {part: tuple(names)}} for part in ("variants", "measures")
        ]
        if self.options.purpose == "compare":
            ends = ((names[0], names[1]), (names[1], names[0]))
            choices = [{**choices[0], "baseline": a, "candidate": b} for a, b in ends]
        problem = f"{listed(names)} may be variants, or measures of one system: say which"
        raise UnclearError(self.label, problem, choices)

    def _is_total(self, name: str, names: Sequence[str]) -> bool:
        """Whether a column is called a total, and is the mean or the sum of the others."""
        if folded(name) not in terms.TOTALS or not self.column(name).is_numeric:
            return False
        cells = np.stack([self.column(other).numbers for other in names if other != name])
        sums, counts = np.nansum(cells, axis=0), np.maximum((~np.isnan(cells)).sum(axis=0), 1)
        total = self.column(name).numbers
        return any(np.allclose(total, value, equal_nan=True) for value in (sums, sums / counts))

    def _of_levels(self, levels: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
        """Return variants and measures of a frame with two rows of names."""
        likeness = []  # of each row of names to measures, by what tells the two apart
        for side in (0, -1):
            names = [*dict.fromkeys(level[side] for level in levels.values())]
            n_measures = sum(map(self.is_measure, names)) + sum(map(self.is_cost, names))
            has_baseline = bool({*map(folded, names)} & {*terms.BASELINES, *terms.CANDIDATES})
            likeness.append((n_measures, not has_baseline, len(names) == 1))
        if likeness[0] == likeness[1]:
            problem = "neither row of names holds a known measure: call one of them by a measure"
            raise UnclearError(self.label, f"{problem}, such as nDCG@10")
        first = likeness[0] > likeness[1]
        return {
            name: (level[-1], level[0]) if first else (level[0], level[-1])
            for name, level in levels.items()
        }

    # --- What else there is

    def _rest(self, variant: tuple[str, ...], wide: Mapping[str, tuple[str, str]]) -> Reading:
        query, metric = self.one("query"), self.one("metric")
        if wide:
            self.set_role("variants", *wide)
        parts: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.free:
            part = self._part(name, variant, has_scores=bool(metric or wide))
            parts[part].append(name)
            if part == "clusters":
                parts["segments"].append(name)
        measures = [*self.roles.get("measures", () if metric else self.roles.get("value", ()))]
        measures += parts["measures"]
        doubtful = parts["measures or segments"]
        if measures or metric or wide:
            for name in doubtful:
                parts["segments" if self.n_distinct(name) <= 10 else "apart"].append(name)
        else:
            measures = doubtful
        apart = parts["apart"]
        if not (measures or metric or wide):
            measures = [name for name in apart if self.column(name).is_numeric]
            measures = measures or [
                name for name in dict.fromkeys((*apart, *parts["segments"]))
                if self.column(name).is_yes_or_no
            ]  # fmt: skip
            # The same on all rows of a variant, such as no conversion yet.
            measures = measures or [
                name for name in parts["settings"]
                if self.column(name).is_numeric and folded(name) not in terms.SETTING_NAMES
            ]  # fmt: skip
            for part in ("segments", "settings"):
                parts[part] = [name for name in parts[part] if name not in measures]
            nested = [name for name in apart if self.column(name).is_nested]
            problem = f"; its columns: {listed([column.name for column in self.table.columns])}"
            if nested:
                problem = (
                    f", and {listed(nested)} holds lists: write a column for each score, or a list"
                    " of {name, score}"
                )
            elif not terms.VOTE_NAMES.isdisjoint(
                folded(column.name) for column in self.table.columns
            ):
                problem += "; votes are compared by --preferences FILE (compare_preferences)"
            if nested or not measures:
                raise UnclearError(self.label, f"the table has no column of scores{problem}")
            apart = [name for name in apart if name not in measures]
        order = [column.name for column in self.table.columns]
        form = self.table.form or (
            "a row per score" if metric else "a column per variant" if wide
            else "a row per query and variant" if variant else "a column per measure"
        )  # fmt: skip
        return Reading(
            form=form,
            query=query,
            variant=variant,
            variants=wide,
            metric=metric,
            value=self.one("value"),
            measures=tuple(sorted(measures, key=order.index)),
            repeat=self.one("repeat"),
            cluster=self.one("cluster") or "".join(parts["clusters"][:1]),
            weight=self.one("weight") or "".join(parts["weights"][:1]),
            segments=(*self.roles.get("segments", ()), *parts["segments"]),
            settings=tuple(parts["settings"]),
            apart=tuple(apart),
            labels=tuple(dict.fromkeys(name for name, _ in wide.values())),
            stated=tuple(self.options.columns),
        )

    def _part(self, name: str, variant: tuple[str, ...], *, has_scores: bool) -> str:
        """Return what a column is that has no role: the first that fits."""
        column, word, query = self.column(name), folded(name), self.one("query")
        numeric, measure = column.is_numeric, self.is_measure(name)
        if not numeric and ((measure and len(name) > 1) or column.is_damaged):
            numeric = word not in terms.TEXT_NAMES  # of damaged cells, or of none
        is_asked = bool(self.asked & name_parts(name))
        numeric |= column.is_yes_or_no and is_asked
        n_queries = self.n_distinct(query) if query else self.table.n_rows
        varies = bool(variant) and self.n_distinct(*variant) > 1
        of_query = (
            bool(query) and bool(variant or self.one("metric")) and self.determines([query], name)
        )
        no_quality = bool(terms.NO_QUALITY.fullmatch(word)) or name == INDEX
        named = "measures" in self.roles or has_scores
        if name in self.options.measures or (numeric and (is_asked or (measure and not named))):
            return "measures"
        if word in terms.WEIGHT_NAMES and numeric:
            return "weights" if of_query or not variant else "apart"
        is_cluster = bool(terms.CLUSTER_NAMES.fullmatch(word))
        is_shared = is_cluster and query and self.n_distinct(name) < n_queries
        if is_shared and (of_query or not variant):
            return "clusters"
        if variant and self.determines(variant, name) and (varies or not numeric):
            return "settings"
        if not numeric or word in terms.TEXT_NAMES or word in terms.REPEAT_NAMES or no_quality:
            few = self.n_distinct(name) <= max(2, min(30, n_queries // 2))
            told = word not in terms.TEXT_NAMES and not no_quality and not column.is_nested
            is_property = bool(query) and few and told and (of_query or not variant)
            return "segments" if is_property else "apart"
        if named:
            return "segments" if of_query and self.n_distinct(name) <= 10 else "apart"
        return "measures or segments" if of_query and varies else "measures"


def _choice(role: str, name: str) -> dict[str, Any]:
    """Return the option that gives a role to a column."""
    return {"variant": name} if role == "variant" else {"columns": {role: name}}
