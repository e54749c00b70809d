"""Facts about the columns of a score table, and the rules that find its variants."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from abrank._support.errors import UnclearError, nearest
from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import score_reading as terms
from abrank.inputs.columns import folded
from abrank.inputs.exports import INDEX
from abrank.inputs.score_column import ScoreColumn, renumbered
from abrank.inputs.score_reading import ROWS, UNNAMED, NameTest, baseline_of, listed, split_names
from abrank.inputs.score_source import AGGREGATES, NamedTable
from abrank.inputs.topics import COLLECTIONS

FIRST_GROUPS = 1000  # groups that are checked before all are
MOST_VARIANTS = 1000
PROMPT = "prompt"  # either the text of each query, or the template that is compared
MOST_PROMPTS = 20
MOST_BY_CHANCE = 10  # scores that may be consecutive numbers


class TableFacts:
    """The columns of a table, how they depend on each other, and their roles so far."""

    # Aggregate rows, such as means over the queries, are ignored.

    def __init__(
        self,
        table: NamedTable,
        options: terms.TableOptions,
        is_measure: NameTest,
        is_cost: NameTest,
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
        self.free = [name for name in self.names if name not in assigned]  # columns without a role
        self._counts: dict[tuple[str, ...], int] = {}  # numbers of distinct combinations

    # --- Roles

    def one(self, role: str) -> str:
        """Return the only column with a role; empty if there is none."""
        return next(iter(self.roles.get(role, ())), "")

    def columns_of(self, *roles: str) -> list[str]:
        """Return the columns with these roles, one per role if it has one."""
        pairs = [(role, self.one(role)) for role in roles]
        return [name for role, name in pairs if name and (role, name) != ("repeat", ROWS)]

    def set_role(self, role: str, *names: str) -> tuple[str, ...]:
        """Give columns a role, remove them from the free ones, and return them."""
        self.roles = {**self.roles, role: names}
        self.leave_out(names)
        if role == "query":  # it decides which rows are aggregates
            self.__dict__.pop("rows", None)
            self._counts.clear()
        return names

    def leave_out(self, names: Sequence[str]) -> None:
        """Mark columns as unused."""
        self.free = [name for name in self.free if name not in names]

    def require_one(self, role: str, names: Sequence[str]) -> None:
        """Refuse several columns for one role, and show how to choose one."""
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
        """Whether a column holds only numbers and empty cells."""
        return self.column(name).is_numeric

    def is_key(self, name: str) -> bool:
        """Whether a column can hold ids: text, or whole numbers that are no known measure."""
        column = self.column(name)
        if name == INDEX or not column.is_numeric:
            return not column.is_nested and (column.is_whole or not column.is_damaged)
        is_score = self.is_measure(name) or self.is_cost(name)
        return (column.is_whole or is_unit(name)) and not (is_score or self.is_judged(name))

    def is_judged(self, name: str) -> bool:
        """Whether the name of a column of truth values suggests a score."""
        word = folded(name)  # variation_value is the value of a flag
        is_score = word.rpartition("_")[2] in terms.SCORE_WORDS
        is_score &= word.removesuffix("_value") not in terms.VARIANT_NAMES[0]
        return is_score and self.column(name).is_truth

    def is_apart(self, name: str) -> bool:
        """Whether numbers measure no quality: ids, counts, times, the numbers of the rows."""
        column, word = self.column(name), folded(name)
        if terms.NO_QUALITY.fullmatch(word) or name == INDEX:
            return True
        n_rows = self.table.n_rows
        if n_rows <= MOST_BY_CHANCE or not (column.is_numeric and column.is_whole):
            return False
        first, last = column.numbers.min(), column.numbers.max()
        is_time = first >= 1e9 and terms.TIME_NAMES.fullmatch(word) is not None
        return is_time or (last - first == n_rows - 1 and column.n_distinct == n_rows)

    def may_vary(self, name: str) -> bool:
        """Whether a column may distinguish variants."""
        column, word = self.column(name), folded(name)
        is_text = word in terms.TEXT_NAMES and not (
            word == PROMPT and column.n_distinct <= MOST_PROMPTS
        )
        # The experiment `search-rank` is not a cost, although its name contains a cost word.
        is_arm = terms.ARM_NAMES.fullmatch(word) and not column.is_numeric
        is_score = not is_arm and (self.is_measure(name) or self.is_cost(name))
        if is_text or is_score or column.is_damaged:
            return False
        if is_unit(name) and word != "session":  # in LangSmith a session is an experiment
            return False
        return not (column.is_nested or self.is_judged(name) or word in terms.VALUE_NAMES)

    @cached_property
    def systems_are_columns(self) -> bool:
        """Whether the variants that the user named are columns."""
        names = {*map(str.casefold, self.names)}
        return bool(self.options.systems) and {x.casefold() for x in self.options.systems} <= names

    def holds_systems(self, name: str, *, numbers: bool = False) -> bool:
        """Whether a column holds the variants that the user named, and no scores."""
        column, systems = self.column(name), {x.casefold() for x in self.options.systems}
        if not systems or self.systems_are_columns:
            return False
        words = {folded(name), *folded(name).split("_")}  # matches treatment_group
        return (
            (numbers or not column.is_numeric or not words.isdisjoint(chain(*terms.VARIANT_NAMES)))
            and column.n_distinct <= MOST_VARIANTS
            and systems <= {label.casefold() for label in column.labels}
        )

    # --- Several columns

    @cached_property
    def rows(self) -> BoolArray:
        """Which rows belong to a query and are no aggregates."""
        query = self.one("query")
        if not query:
            return np.ones(self.table.n_rows, np.bool_)
        return ~self.column(query).is_one_of(AGGREGATES)

    def codes(self, *names: str) -> IntArray:
        """Return a number for each distinct combination of columns: int64[n rows of queries]."""
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
        """Return the number of distinct combinations of columns."""
        if names not in self._counts:
            alone = len(names) == 1 and self.rows.all()
            self._counts[names] = (
                self.column(names[0]).n_distinct if alone
                else int(self.codes(*names).max(initial=-1)) + 1
            )  # fmt: skip
        return self._counts[names]

    def names_rows(self, *names: str) -> bool:
        """Whether the combination of columns is unique for each row."""
        return self.n_distinct(*names) == int(self.rows.sum())

    def determines(self, first: str | Sequence[str], second: str) -> bool:
        """Whether rows that are equal in ``first`` are also equal in ``second``."""
        first = (first,) if isinstance(first, str) else first
        if self.names_rows(*first):
            return True
        codes, rows = self.codes(*first), np.flatnonzero(self.rows)
        last = np.empty(self.n_distinct(*first), np.int64)
        if is_unit(second):  # the user may be missing in some rows
            filled = ~self.column(second).empty[rows]
            codes, rows = codes[filled], rows[filled]
        # Numbering all cells is slow, and most columns already differ in the first groups.
        for some in (np.flatnonzero(codes < FIRST_GROUPS), slice(None)):
            dependent = self.column(second).take(rows[some]).codes
            last[codes[some]] = dependent
            if not (last[codes[some]] == dependent).all():
                return False
        return True

    def rivals(self, names: Sequence[str]) -> list[str]:
        """Return the first column, and those whose values do not correspond to its values."""
        return [*names[:1], *(
            name for name in names[1:]
            if not (self.determines(names[0], name) and self.determines(name, names[0]))
        )]  # fmt: skip

    def named(self, groups: Sequence[tuple[str, ...]], names: Sequence[str]) -> list[str]:
        """Return the columns named in the first group that names any."""
        words = [(name, folded(name)) for name in names]
        for group in groups:
            endings = tuple(f".{word}" for word in group)  # names from nested dicts
            for match in (group.__contains__, lambda word, ends=endings: word.endswith(ends)):
                if result := [name for name, word in words if match(word)]:
                    return result
        return []

    def arms(self, names: Sequence[str]) -> list[str]:
        """Return columns with the two arms of an experiment, known by column name or values."""
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
        """Return the columns whose values each occur in this share of the queries."""
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
    """Whether a column name denotes users, sessions or similar units."""
    return terms.CLUSTER_NAMES.fullmatch(folded(name)) is not None


def choice(role: str, name: str) -> dict[str, Any]:
    """Return the option that assigns a role to a column."""
    return {"variant": name} if role == "variant" else {"columns": {role: name}}


# --- Rules that find the variants: in columns of names, or as one column each

# The first rule that applies is used; a rule that does not apply returns None.

MOST_APART = 20  # maximum ratio of the largest values of two variants on the same scale
MOST_DIFFERING = 30  # maximum distinct values of a column that separates rows of a variant
MOST_ARMS = 20  # maximum distinct values of a column of groups or numeric settings
_TOTAL = re.compile("((grand|row)_)?totals?|gesamtergebnis")
_EXPERIMENT = re.compile("experiment(_(id|key|name))?")

Names: TypeAlias = tuple[str, ...]
Wide: TypeAlias = dict[str, tuple[str, str]]  # variant and measure of each column

# --- One or more columns that name the variants


def find_variant(facts: TableFacts) -> Names:
    """Return the columns that name the variant; none for one system or one column per variant."""
    _refuse_experiments(facts)
    for rule in VARIANT_RULES:
        if (variant := rule(facts)) is not None:
            return facts.set_role("variant", *variant)
    return _refuse_repeats(facts, variant_names(facts))


def _refuse_experiments(facts: TableFacts) -> None:
    """Refuse a table of several experiments that each have variants, and show how to choose one."""
    if "variant" in facts.roles:
        return
    variants = [name for name in facts.free if folded(name) in terms.VARIANT_NAMES[0]]
    several = [name for name in facts.free if _EXPERIMENT.fullmatch(folded(name))
               and facts.n_distinct(name) > 1]  # fmt: skip
    if not variants or not several or facts.determines(several[0], variants[0]):
        return
    labels = facts.column(several[0]).labels
    raise UnclearError(
        facts.label, f"{several[0]} names {len(labels)} experiments, {listed(labels)}, which each"
        f" have variants ({variants[0]}): choose one", [{"where": {several[0]: labels[0]}}],
    )  # fmt: skip


def _stated(facts: TableFacts) -> Names | None:
    """Apply if the user named the columns, or systems that one column contains."""
    if "variant" not in facts.roles:
        return None
    variant = facts.roles["variant"]
    key = facts.columns_of("query", "metric", "repeat")
    by_rows = not facts.one("query") or facts.one("repeat") == ROWS
    if by_rows or facts.names_rows(*key, *variant):
        return variant
    crossed = _without_scores(facts, facts.crossed(), [*key, *variant])
    if facts.options.systems and _averages_rest(facts, variant, crossed):
        return variant
    return _refuse_repeats(facts, variant)


def _one_row_a_query(facts: TableFacts) -> Names | None:
    """Apply if each query has one row: from one system, or from the arm assigned to it."""
    if facts.one("query") and not facts.names_rows(*facts.columns_of("query", "metric")):
        return None
    named = facts.named(terms.VARIANT_NAMES, facts.free)
    is_one = [name for name in named if facts.n_distinct(name) == 1 and facts.may_vary(name)]
    of_arms = [*facts.named(terms.VARIANT_NAMES[:1], facts.free), *facts.arms(facts.free)]
    if not (of_arms or facts.systems_are_columns) and is_unit(facts.one("query")):
        # Each user saw one version; a group may be a segment.
        words = {*terms.VARIANT_NAMES[1], *terms.VARIANT_NAMES[3]} - {"group", "name"}
        of_arms = [
            name for name in facts.free if not (facts.is_numeric(name) or folded(name) == "group")
            and (folded(name) in words or terms.ARM_NAMES.fullmatch(folded(name)))
        ]  # fmt: skip
    # A column that names other columns, such as a winner, holds no variants.
    words = {part for name in facts.free if facts.is_numeric(name)
             for part in re.split(r"[^0-9a-z]+", folded(name))}  # fmt: skip
    sides = {*terms.BASELINES[:8]}  # column prefixes if there is one column per variant
    groups = [
        name for name in dict.fromkeys(of_arms)
        if 2 <= facts.n_distinct(name) <= MOST_ARMS and facts.may_vary(name)
        and words.isdisjoint(label.casefold() for label in facts.column(name).labels)
        and not (facts.is_numeric(name) and (words & sides or not facts.arms([name])))
    ]  # fmt: skip
    groups.sort(key=lambda name: not baseline_of(facts.column(name).labels))
    facts.require_one("variant", facts.rivals(groups))
    return ((*groups, *is_one) if facts.options.alone else (*is_one, *groups))[:1]


def _one_row_a_repeat(facts: TableFacts) -> Names | None:
    """Apply if each query has one row per repeat; a column may name its system."""
    if not facts.names_rows(*facts.columns_of("query", "metric", "repeat")):
        return None
    return tuple(variant_names(facts)[:1])


def _one_column(facts: TableFacts) -> Names | None:
    """Apply if one column separates the rows of each query."""
    key = facts.columns_of("query", "metric", "repeat")
    names = dict.fromkeys((*variant_names(facts), *facts.crossed()))
    single = [name for name in names if facts.names_rows(*key, name)]
    if not single:
        return None
    best = (
        facts.named(terms.VARIANT_NAMES, single)
        or [name for name in single if terms.ARM_NAMES.fullmatch(folded(name))]
        or single
    )
    rivals = facts.rivals(best)
    texts = [name for name in rivals if not facts.is_numeric(name)]
    rivals = texts if len(texts) == 1 else rivals
    facts.require_one("variant", rivals)
    return (rivals[0],)


def _several_columns(facts: TableFacts) -> Names | None:
    """Apply if several columns together separate the rows, or two arms crossed with the rest."""
    key = facts.columns_of("query", "metric", "repeat")
    full = facts.crossed(0.95)
    together = [
        name for name in facts.crossed()
        if not facts.is_numeric(name) or folded(name) in terms.SETTING_NAMES
        or (name in full and facts.n_distinct(name) <= MOST_ARMS)
    ]  # fmt: skip
    if not facts.options.systems:  # queries of two collections share only their ids
        systems = [name for name in together if folded(name) not in COLLECTIONS]
        together = systems or together
    together = _whole_grid(facts, _without_scores(facts, together, key), key)
    arms = facts.arms(together)
    if _averages_rest(facts, arms, together):
        return tuple(arms)
    return tuple(together) if together and facts.names_rows(*key, *together) else None


VARIANT_RULES: tuple[Callable[[TableFacts], Names | None], ...] = (
    _stated, _one_row_a_query, _one_row_a_repeat, _one_column, _several_columns,
)  # fmt: skip


def variant_names(facts: TableFacts) -> list[str]:
    """Return the free columns with a variant-like name or the two arms of an experiment."""
    # Columns that are unique per row, such as a run id for each query, are no variants.
    varying = [
        name for name in facts.free
        if facts.may_vary(name)
        and (facts.n_distinct(facts.one("query")) == 1 or not facts.names_rows(name))
    ]  # fmt: skip
    return facts.named(terms.VARIANT_NAMES, varying) or facts.arms(varying)


def _without_scores(facts: TableFacts, names: Sequence[str], key: Sequence[str]) -> list[str]:
    """Drop numeric columns from names that are unique per row: 0 and 1 beside prompt and model."""
    result = [*names]
    for name in names:
        is_number = facts.is_numeric(name) or facts.column(name).is_truth
        rest = [column for column in result if column != name]
        if is_number and folded(name) not in terms.SETTING_NAMES and facts.names_rows(*key, *rest):
            result = rest
    return result


def _whole_grid(facts: TableFacts, names: list[str], key: Sequence[str]) -> list[str]:
    """Drop columns that only leave gaps, such as country beside model and size."""
    # The remaining columns have each combination once for each query.

    def is_whole(names: Sequence[str]) -> bool:
        n_rows = int(facts.rows.sum())
        return facts.n_distinct(*key) * facts.n_distinct(*names) == n_rows

    result = names
    for name in names:
        rest = [column for column in result if column != name]
        result = rest if rest and facts.names_rows(*key, *rest) else result
    return names if not result or is_whole(names) or not is_whole(result) else result


def _averages_rest(facts: TableFacts, arms: Sequence[str], crossed: Sequence[str]) -> bool:
    """Treat other crossed columns as repeats of one column of arms; False if they are not."""
    rest = [name for name in crossed if name not in arms]
    options = {*terms.SETTING_NAMES, *COLLECTIONS}.union(*terms.VARIANT_NAMES)
    no_groups = [name for name in rest if facts.is_numeric(name) or folded(name) in options]
    if len(arms) != 1 or not rest or no_groups:
        return False
    key = facts.columns_of("query", "metric", "repeat")
    by_one = not facts.one("repeat") and facts.names_rows(*key, *arms, rest[0])
    facts.set_role("repeat", rest[0] if by_one else ROWS)
    facts.leave_out(rest)
    return True


def _refuse_repeats(facts: TableFacts, named: Sequence[str]) -> Names:
    """Return the variant if repeats are known; else refuse them and show the possible readings."""
    key = facts.columns_of("query", "metric", "repeat")
    crossed = facts.crossed()
    variant = (
        facts.roles.get("variant")
        or tuple(named[:1])
        or tuple(name for name in crossed if not facts.is_numeric(name))
    )
    rest = [name for name in facts.free if name not in variant]
    sessions = [name for name in rest if is_unit(name)]
    by_session = variant and sessions and facts.names_rows(*key, *variant, sessions[0])
    if by_session:
        facts.set_role("repeat", sessions[0])
    plain = [name for name in facts.names if name != INDEX and not facts.column(name).is_nested]
    if variant and facts.n_distinct(*plain) == facts.n_distinct(*key, *variant):
        facts.set_role("repeat", ROWS)  # exact duplicates of rows, as exports have them
    if by_session or facts.one("repeat") == ROWS:
        return facts.set_role("variant", *variant)
    apart = [name for name in crossed if name not in variant
             and facts.names_rows(*key, *variant, name)]  # fmt: skip
    apart += [name for name in rest if name not in apart
              and (facts.is_key(name) or facts.column(name).is_truth)
              and facts.names_rows(*key, *variant, name)]  # fmt: skip
    apart = [name for name in apart if not terms.TIME_NAMES.fullmatch(folded(name))]
    of_collections = [name for name in apart if folded(name) in COLLECTIONS]
    apart = [] if facts.one("repeat") else (of_collections or apart)[:1]
    codes = facts.codes(*key, *variant)
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(np.diff(codes[order]) == 0)[0]
    places = order[again : again + 2]  # two rows that no column separates
    rows = np.flatnonzero(facts.rows)[places]

    def cell(name: str, place: int = 0) -> str:
        labels, codes = facts.column(name).coded
        return str(labels[codes[rows[place]]])

    choices: list[Mapping[str, Any]] = []
    is_compared = facts.options.purpose == "compare"
    if is_compared and sessions and variant and facts.determines(sessions[0], variant[0]):
        # Each user saw one variant, so users are compared instead of queries.
        columns = {"query": sessions[0], "repeat": ROWS}
        choices.append({"independent": True, "columns": columns})
    between = {"independent": False} if choices else {}
    for name in apart:  # queries of two collections share only their ids
        is_one = {"where": {name: cell(name)}}
        ends = _ends(facts, variant, name, places) if is_compared else {}
        choices.append(is_one if of_collections else choice("repeat", name))
        if not facts.options.systems:  # otherwise their variants are already known
            choices.append({"variant": ",".join((*variant, name)), **ends})
    variants = {"variant": ",".join(variant)} if len(variant) > 1 else {}
    choices.append({**variants, **between, **choice("repeat", ROWS)})
    metric = facts.one("metric")
    kind = f"scores of {cell(metric)}" if metric else "rows"
    kind += "".join(f" for {name}={cell(name)}" for name in variant)
    hint = "; if they are of several collections, give the table as --collections"
    differing = [
        name for name in facts.free
        if facts.n_distinct(name) <= MOST_DIFFERING and not facts.column(name).is_nested
        and cell(name) != cell(name, 1)
    ]  # fmt: skip
    differ = f" (they differ in {listed(differing)})" if differing else ""
    first, second = facts.table.positions[rows]
    raise UnclearError(
        facts.label, f"query {cell(facts.one('query'))} has several {kind}{differ}: say what"
        " tells them apart, or that they are repeats, which are averaged"
        f"{hint if of_collections else ''}", choices,
        at=f"{facts.table.origin.unit}s {first} and {second}",
    )  # fmt: skip


def _ends(facts: TableFacts, variant: Sequence[str], name: str, places: IntArray) -> dict[str, str]:
    """Return two variants that differ in ``variant`` only, or else in ``name``."""
    first, second = places
    of_variant, of_name = facts.codes(*variant), facts.codes(name)
    others = (of_variant != of_variant[first]) & (of_name == of_name[first])
    second = int(np.argmax(others)) if others.any() else second
    rows = np.flatnonzero(facts.rows)
    coded = [facts.column(column).coded for column in (*variant, name)]
    cells = [
        "/".join(filter(None, (labels[codes[rows[place]]] for labels, codes in coded)))
        for place in (first, second)
    ]
    if baseline_of(cells) == cells[1]:
        cells.reverse()
    return {"baseline": cells[0], "candidate": cells[1]}


# --- One column per variant


def find_wide(facts: TableFacts) -> Wide:
    """Return variant and measure of each column of a table with one column per variant."""
    if wanted := facts.roles.get("variants"):
        return split_names(wanted, facts.is_measure, facts.is_cost) or _each(facts, wanted)
    if "measures" in facts.roles or facts.one("variant") or not facts.options.alone:
        return {}
    names = [
        name for name in facts.free
        if (facts.is_numeric(name) or facts.column(name).is_damaged)
        and folded(name) not in terms.TEXT_NAMES and name != INDEX
    ]  # fmt: skip
    levels = {name: facts.column(name).levels for name in names}
    if levels and all(len(level) > 1 for level in levels.values()):
        return _of_levels(facts, levels)
    names = [
        name for name in names
        if not (facts.is_apart(name) or folded(name) in terms.WEIGHT_NAMES)
    ]  # fmt: skip
    others = [name for name in names if not _TOTAL.fullmatch(folded(name))]
    others = [name for name in others if not _is_total(facts, name, others)]
    names = others if len(others) > 1 else names
    if (wide := _of_names(facts, names)) is not None:
        return wide
    choices: list[dict[str, Any]] = [
        {"columns": {part: tuple(names)}} for part in ("variants", "measures")
    ]
    if facts.options.purpose == "compare":
        ends = ((names[0], names[1]), (names[1], names[0]))
        choices = [{**choices[0], "baseline": a, "candidate": b} for a, b in ends]
    problem = f"{listed(names)} may be variants, or measures of one system: say which"
    raise UnclearError(facts.label, problem, choices)


def _of_names(facts: TableFacts, names: Sequence[str]) -> Wide | None:
    """Return the result of the first rule that applies to numeric columns; None if none does."""
    # Each name consists of a variant and a measure.
    if wide := split_names(names, facts.is_measure, facts.is_cost, facts.options.systems):
        return wide
    # If a name is a measure, or answers are present, the columns are measures of one system.
    has_answers = not terms.ANSWER_NAMES.isdisjoint(map(folded, facts.free))
    is_plain = {*map(folded, names)} <= {*terms.VALUE_NAMES}
    if any(map(facts.is_measure, names)) or is_plain or has_answers or len(names) < 2:
        return {}
    # In a ranking of many systems, a name such as rank-fusion is a system, not a cost.
    if facts.options.purpose == "rank":
        return _each(facts, names)
    # Some columns are costs: beside two arms of an experiment, or measures of one system.
    plain = [name for name in names if not facts.is_cost(name)]
    if len(plain) < len(names):
        return _each(facts, plain) if baseline_of(plain) else {}
    # The columns have similar largest values, or one is called like an arm.
    numbers = [np.abs(facts.column(name).numbers) for name in names]
    largest = [float(np.nanmax(number)) for number in numbers if not np.isnan(number).all()]
    one_scale = not largest or max(largest) <= MOST_APART * max(min(largest), 1e-300)
    is_arm = {*map(folded, names)} & {*terms.BASELINES[:8], *terms.CANDIDATES[:4]}
    return _each(facts, names) if one_scale or is_arm else None


def _each(facts: TableFacts, names: Sequence[str]) -> Wide:
    """Return one variant per column, all for the same measure."""
    measures = facts.options.measures
    return {name: (name, measures[0] if len(measures) == 1 else UNNAMED) for name in names}


def _is_total(facts: TableFacts, name: str, names: Sequence[str]) -> bool:
    """Whether a column is called a total and is the mean or sum of the others."""
    if folded(name) not in terms.TOTALS or not facts.is_numeric(name):
        return False
    cells = np.stack([facts.column(other).numbers for other in names if other != name])
    sums, counts = np.nansum(cells, axis=0), np.maximum((~np.isnan(cells)).sum(axis=0), 1)
    total = facts.column(name).numbers
    return any(np.allclose(total, value, equal_nan=True) for value in (sums, sums / counts))


def _of_levels(facts: TableFacts, levels: Mapping[str, Names]) -> Wide:
    """Return variants and measures of a frame with two header rows."""
    likeness = []  # how much the distinguishing words of each header row resemble measures
    for side in (0, -1):
        names = [*dict.fromkeys(level[side] for level in levels.values())]
        n_measures = sum(map(facts.is_measure, names)) + sum(map(facts.is_cost, names))
        has_baseline = bool({*map(folded, names)} & {*terms.BASELINES, *terms.CANDIDATES})
        likeness.append((n_measures, not has_baseline, len(names) == 1))
    if likeness[0] == likeness[1]:
        problem = "neither row of names holds a known measure: call one of them by a measure"
        raise UnclearError(facts.label, f"{problem}, such as nDCG@10")
    first = likeness[0] > likeness[1]
    return {
        name: (level[-1], level[0]) if first else (level[0], level[-1])
        for name, level in levels.items()
    }
