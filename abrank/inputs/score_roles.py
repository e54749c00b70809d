"""Find the role of each column of a score table, by content first and by name in doubt."""

# The query column identifies the query of each row. A column that is constant within each query
# is a property of the query; a column that varies within queries distinguishes variants, measures
# or repeats. Variant columns are crossed with queries: each value occurs for most queries. If two
# interpretations fit, nothing is guessed; the error shows the options for each.
#
# Roles are assigned in this order: metric and value, query, repeat, variant (in `score_facts`), and
# then the other columns one by one.

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import ReadError, UnclearError, name_parts
from abrank.inputs import score_reading as terms
from abrank.inputs.columns import folded
from abrank.inputs.exports import INDEX
from abrank.inputs.score_facts import (
    MOST_PROMPTS,
    PROMPT,
    Names,
    TableFacts,
    Wide,
    choice,
    find_variant,
    find_wide,
    is_unit,
)
from abrank.inputs.score_reading import ROWS, NameTest, Reading, TableOptions, baseline_of, listed
from abrank.inputs.score_source import NESTED, NamedTable


def read_roles(
    table: NamedTable, options: TableOptions, is_measure: NameTest, is_cost: NameTest
) -> Reading:
    """Return the role of each column of a table."""
    facts = TableFacts(table, options, is_measure, is_cost)
    if not table.n_rows:
        raise ReadError(facts.label, "the table has no rows")
    _find_metric(facts)
    _find_query(facts)
    _find_repeat(facts)
    variant = find_variant(facts)
    wide = {} if variant or facts.one("metric") else find_wide(facts)
    return _rest(facts, variant, wide)


# --- Names and values of measures in a table with one row per score


def _find_metric(facts: TableFacts) -> None:
    numeric = [name for name in facts.free if facts.is_numeric(name)]
    if "metric" not in facts.roles:
        has_value = any(folded(name) in terms.VALUE_NAMES for name in numeric)
        texts = [
            name for name in facts.free
            if name not in numeric and folded(name) not in terms.SURE_QUERIES
            and folded(name) not in terms.TEXT_NAMES and facts.column(name).n_distinct <= 200
        ]  # fmt: skip
        metric = (
            [name for name in texts if folded(name) in terms.METRIC_NAMES]
            or (_evaluators(facts, texts) if has_value else [])
            or [name for name in texts if _holds_measures(facts, name, has_value=has_value)]
        )
        if not metric or not numeric:
            return
        facts.set_role("metric", metric[0])
    if "value" not in facts.roles:
        numeric = [name for name in numeric if name in facts.free]
        behind = facts.names[facts.names.index(facts.one("metric")) :]
        value = (
            [name for name in facts.free if folded(name) in terms.VALUE_NAMES]
            or [name for name in numeric if name in behind]
            or numeric[::-1]
        )
        if not value:
            raise ReadError(
                facts.label, "a column measure, but none score or value",
                expected="query_id, measure, score, and perhaps system and run",
            )  # fmt: skip
        facts.set_role("value", value[0])


def _evaluators(facts: TableFacts, texts: Sequence[str]) -> list[str]:
    """Return a column ``name`` of evaluators, as in Phoenix and Langfuse."""
    words = {"name"}.union(*terms.VARIANT_NAMES[:3])
    several = [
        name for name in texts if folded(name) in words and facts.column(name).n_distinct > 1
    ]
    of_one = facts.options.purpose == "compare" and not facts.options.alone
    is_name = of_one or len(several) > 1
    return [  # a query column would have each name once per variant
        name for name in several if is_name and folded(name) == "name"
        and (4 * facts.n_distinct(name) <= facts.table.n_rows
             or any(map(facts.is_measure, facts.column(name).labels)))
    ]  # fmt: skip


def _holds_measures(facts: TableFacts, name: str, *, has_value: bool) -> bool:
    """Whether a text column holds names of measures that differ between rows."""
    labels, word = facts.column(name).labels, folded(name)
    known = [label for label in labels if len(label) > 1 and facts.is_measure(label)]
    # A query "map" or "precision" is one of many texts; names of measures occur repeatedly.
    is_list = 2 * len(known) >= len(labels) or len(labels) ** 2 <= facts.table.n_rows
    return (
        (has_value or len(labels) > 1 or labels[0].casefold() in facts.asked)
        and not terms.NO_QUALITY.fullmatch(word)
        and word.rpartition(".")[2] not in terms.TEXT_NAMES
        and word not in terms.VARIANT_NAMES[1]
        and bool(known)
        and is_list
        and all(len(label) < 60 for label in labels)
    )


# --- The query column: by name, else by content


def _find_query(facts: TableFacts) -> None:
    if "query" in facts.roles:
        return
    keys = [
        name for name in facts.free
        if facts.is_key(name) and not facts.column(name).empty.all()
        and folded(name) not in terms.ANSWER_NAMES
    ]  # fmt: skip
    named: Sequence[str] = ()
    for rule in (_query_by_name, _query_by_index, _query_by_content):
        named = named or rule(facts, keys)
    named = _shared_by_variants(facts, named[:1], keys)
    if named:
        facts.set_role("query", named[0])
    elif facts.table.form == NESTED:
        raise UnclearError(
            facts.label, "neither of the two levels name a known measure, nor queries: give"
            " {query_id: {measure: score}} or {variant: {query_id: score}}",
        )  # fmt: skip
    elif not facts.options.alone and not facts.table.numbered:
        names = [name for name in facts.free if facts.column(name).wrong.any()]
        raise UnclearError(
            facts.label, "no column names the queries, so that its rows cannot be paired with"
            f" those of another file; its columns: {listed(facts.free)}",
            [choice("query", name) for name in names[:2]],
        )  # fmt: skip


def _query_by_name(facts: TableFacts, keys: Sequence[str]) -> list[str]:
    """Return the columns named like query ids; among related ones, the one with most values."""
    named = facts.named(terms.QUERY_NAMES, keys)
    named.sort(key=facts.n_distinct, reverse=True)
    # Ids that group others, such as topics with several query variants, are not the query.
    rivals = [
        name for name in named[1:]
        if not facts.determines(named[0], name)
        and (folded(name) != PROMPT or facts.n_distinct(name) > MOST_PROMPTS)
    ]  # fmt: skip
    facts.require_one("query", [*named[:1], *rivals])
    return named


def _query_by_index(facts: TableFacts, keys: Sequence[str]) -> list[str]:
    """Return the index of a frame, unless it only numbers rows that have other ids."""
    if INDEX not in facts.free:
        return []
    if units := [name for name in keys if is_unit(name) and facts.names_rows(name)]:
        return units
    # A filtered, sorted or joined frame keeps its row numbers, with gaps or repeats.
    if facts.column(INDEX).is_whole:
        queries = _query_by_content(facts, [name for name in keys if name != INDEX])
        if better := [
            name for name in queries
            if not (facts.names_rows(name) and facts.is_numeric(name))
            and folded(name) not in terms.TEXT_NAMES
        ]:  # fmt: skip
            facts.leave_out([INDEX])
            return better
    return [INDEX]


def _query_by_content(facts: TableFacts, keys: Sequence[str]) -> list[str]:
    """Return a column that is unique per row, alone or combined with columns of few values."""
    keys = [
        name for name in keys
        if not facts.column(name).empty.any() and folded(name) not in terms.REPEAT_NAMES
    ]  # fmt: skip
    variants = facts.named(terms.VARIANT_NAMES, keys)
    if any(facts.holds_systems(name) or (
        facts.n_distinct(name) == 2 and baseline_of(facts.column(name).labels)
    ) for name in keys if folded(name) != "name"):  # fmt: skip
        variants = [name for name in variants if folded(name) != "name"]
    plain = [
        name for name in keys
        if not (folded(name) in terms.TEXT_NAMES or terms.TIME_NAMES.fullmatch(folded(name)))
    ]  # fmt: skip
    if facts.one("repeat") == ROWS:  # repeated rows cannot identify the query
        some = [
            name for name in plain
            if facts.n_distinct(name) > 2 and not facts.names_rows(name)
            and not (name in variants or facts.holds_systems(name))
            and folded(name).rpartition("_")[2] not in terms.SCORE_WORDS
        ]  # fmt: skip
        some.sort(key=facts.n_distinct, reverse=True)
        facts.require_one("query", some)
        return some

    def may_name(name: str) -> bool:
        n_labels = facts.n_distinct(name)
        rest = [key for key in keys if key != name and (
            key in variants or 1.5 * facts.n_distinct(key) <= n_labels
        )]  # fmt: skip
        is_large = name not in variants and n_labels > 2
        told = (*facts.columns_of("metric", "repeat"), *facts.roles.get("variant", ()))
        return is_large and facts.names_rows(name, *rest, *told)

    candidates: list[str] = []
    for some in ([name for name in plain if not facts.is_numeric(name)], plain, keys):
        candidates = candidates or [*filter(may_name, some)]
    # Queries usually have equally many rows; other numbers rarely do.
    even = [name for name in candidates if len({*np.bincount(facts.codes(name)).tolist()}) == 1]
    candidates = even or candidates
    largest = max(map(facts.n_distinct, candidates), default=0)
    candidates = [name for name in candidates if facts.n_distinct(name) == largest]
    facts.require_one("query", facts.rivals(candidates))
    return candidates[:1]


def _shared_by_variants(
    facts: TableFacts, named: Sequence[str], keys: Sequence[str]
) -> Sequence[str]:
    """Return a column whose values the variants share, if they do not share the named one."""
    # For example the questions, if each row has its own id or names the user who asked.
    if "variant" in facts.roles or not facts.options.alone:
        return named
    metric = facts.columns_of("metric")
    # Row numbers of two concatenated frames would pair unrelated rows.
    rest = [name for name in keys if name not in named and not (named and name == INDEX)]
    variants = [] if facts.systems_are_columns else (
        [name for name in rest if facts.holds_systems(name)
            and folded(name) not in terms.SURE_QUERIES]  # so ids 0 and 1 are no arms
        or facts.named(terms.VARIANT_NAMES, rest)
        or [name for name in rest
            if facts.n_distinct(name) == 2 and baseline_of(facts.column(name).labels)]
    )  # fmt: skip
    if not variants:
        if not named or not is_unit(named[0]) or facts.names_rows(*named, *metric):
            return named
        # A table with one column per variant has one row per query.
        whole = [name for name in rest if facts.names_rows(name, *metric)]
        texts = [name for name in whole if not facts.is_numeric(name)] or whole
        return texts if len(texts) == 1 else named
    key = [*variants[:1], *metric]
    repeats = [[name] for name in rest if folded(name) in terms.REPEAT_NAMES]

    def is_shared(name: str, key: Sequence[str]) -> bool:
        """Whether nearly each value occurs once with nearly each value of the others."""
        n_cells = facts.n_distinct(name) * facts.n_distinct(*key)
        is_once = facts.names_rows(name, *key) and not facts.names_rows(name)
        return is_once and n_cells <= 1.2 * facts.rows.sum()

    shared = [
        name for name in (*named, *rest) if name not in key
        and any(is_shared(name, [*key, *repeat]) for repeat in ([], *repeats))
    ]  # fmt: skip
    return shared[:1] or named


# --- Repeats of a query and variant


def _find_repeat(facts: TableFacts) -> None:
    query = facts.one("query")
    if not query:
        return
    holding = [name for name in facts.free if facts.holds_systems(name)]
    key = facts.columns_of("query", "metric")
    holding = holding or [  # numbers, such as 0 and 1, that separate the rows of each query
        name for name in facts.free
        if facts.holds_systems(name, numbers=True)
        and (facts.names_rows(*key, name) or (
            facts.one("repeat") == ROWS and facts.n_distinct(name) == len(facts.options.systems)
        ))
    ]  # fmt: skip
    if "variant" not in facts.roles and len(holding) == 1:
        facts.set_role("variant", *holding)
    if "repeat" in facts.roles:
        return
    systems = [*facts.roles.get("variant", ())] or facts.named(terms.VARIANT_NAMES[:2], facts.free)
    numbered = not systems  # without systems only numbered runs are repeats; names may be systems
    texts = [name for name in facts.free if not facts.is_numeric(name)]
    texts = [name for name in texts if folded(name) not in terms.RUN_NAMES]
    systems = (
        [name for name in systems if facts.n_distinct(name) > 1]
        or facts.named(terms.VARIANT_NAMES[2:], texts)
        or [name for name in facts.crossed() if folded(name) == PROMPT]
        or systems
    )
    varied = [name for name in systems if facts.n_distinct(name) > 1]
    named = [
        name for name in facts.free
        if folded(name) in terms.REPEAT_NAMES or (
            folded(name).rpartition("_")[2] in terms.DATE_NAMES
            and (not facts.options.alone
                 or {*facts.roles.get("variant", ()), *facts.crossed(), *varied} - {name})
        )
    ]  # fmt: skip
    varying = [name for name in named if not facts.determines(query, name)]
    several = bool(systems) and systems[0] in varied  # otherwise the judges are compared
    names = terms.RUN_NAMES | terms.RATER_NAMES if several else terms.RUN_NAMES
    runs = [
        name for name in facts.free
        if folded(name) in names and not (numbered and not facts.is_numeric(name))
    ]  # fmt: skip
    if not varying and systems and runs and not facts.determines(query, runs[0]):
        settings = [name for name in facts.crossed() if name not in runs]
        # If the other columns determine the run, it is the variant under a longer name.
        if not facts.names_rows(*facts.columns_of("query", "metric"), *settings):
            varying = runs
    if not varying or (varied and facts.names_rows(*key, varied[0])):  # nothing is repeated
        return
    facts.set_role("repeat", *varying[:1])
    raters = [
        name for name in facts.free
        if several and folded(name) in terms.RATER_NAMES and not facts.determines(query, name)
    ]  # fmt: skip
    if raters and not facts.names_rows(query, systems[0], *varying[:1]):
        facts.set_role("repeat", ROWS)  # each answer was judged several times
        facts.leave_out(raters)


# --- The remaining columns


def _rest(facts: TableFacts, variant: Names, wide: Wide) -> Reading:
    metric = facts.one("metric")
    if wide:
        facts.set_role("variants", *wide)
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for name in facts.free:
        part = _part(facts, name, variant, has_scores=bool(metric or wide))
        parts[part].append(name)
        if part == "clusters":
            parts["segments"].append(name)
    measures = [*facts.roles.get("measures", () if metric else facts.roles.get("value", ()))]
    measures += parts["measures"]
    doubtful = parts["measures or segments"]
    if measures or metric or wide:
        for name in doubtful:
            parts["segments" if facts.n_distinct(name) <= 10 else "apart"].append(name)
    else:
        measures = doubtful or _last_measures(facts, parts)
    form = facts.table.form or (
        "a row per score" if metric else "a column per variant" if wide
        else "a row per query and variant" if variant else "a column per measure"
    )  # fmt: skip
    return Reading(
        form=form,
        query=facts.one("query"),
        variant=variant,
        variants=wide,
        metric=metric,
        value=facts.one("value"),
        measures=tuple(sorted(measures, key=facts.names.index)),
        repeat=facts.one("repeat"),
        cluster=facts.one("cluster") or "".join(parts["clusters"][:1]),
        weight=facts.one("weight") or "".join(parts["weights"][:1]),
        segments=(*facts.roles.get("segments", ()), *parts["segments"]),
        settings=tuple(parts["settings"]),
        apart=tuple(name for name in parts["apart"] if name != INDEX),
        labels=tuple(dict.fromkeys(name for name, _ in wide.values())),
        stated=tuple(facts.options.columns),
    )


def _last_measures(facts: TableFacts, parts: dict[str, list[str]]) -> list[str]:
    """Return columns that may be scores if no name suggests one, and remove their other role."""
    apart = parts["apart"]
    measures = (
        [name for name in apart if facts.is_numeric(name)]
        or [name for name in dict.fromkeys((*apart, *parts["segments"]))
            if facts.column(name).is_yes_or_no]
        # Constant for each variant, for example if there is no conversion yet.
        or [name for name in parts["settings"]
            if facts.is_numeric(name) and folded(name) not in terms.SETTING_NAMES]
    )  # fmt: skip
    nested = [name for name in apart if facts.column(name).is_nested]
    if nested or not measures:
        problem = f"; its columns: {listed(facts.names)}"
        texts = [name for name in facts.free if folded(name) in terms.VALUE_NAMES]
        if texts:
            cell = next(filter(None, facts.column(texts[0]).labels), "")
            problem = f", for {texts[0]} holds texts such as {shorten(cell)!r}: write numbers"
        if nested:
            problem = (
                f", and {listed(nested)} {'holds' if len(nested) == 1 else 'hold'} lists: write a"
                " column for each score (of repeats a row for each), or a list of {name, score}"
            )
        elif not terms.VOTE_NAMES.isdisjoint(map(folded, facts.names)):
            problem += "; votes are compared by --preferences FILE (compare_preferences)"
        raise UnclearError(facts.label, f"the table has no column of scores{problem}")
    for part in ("apart", "segments", "settings"):
        parts[part] = [name for name in parts[part] if name not in measures]
    return measures


def _part(facts: TableFacts, name: str, variant: Names, *, has_scores: bool) -> str:
    """Return the role of a column without one: the first that fits."""
    column, word, query = facts.column(name), folded(name), facts.one("query")
    numeric, measure = column.is_numeric, facts.is_measure(name)
    if not numeric and ((measure and len(name) > 1) or column.is_damaged):
        numeric = word not in terms.TEXT_NAMES  # with damaged cells, or without any
    is_asked = not facts.asked.isdisjoint(name_parts(name))
    numeric |= column.is_yes_or_no and is_asked
    n_queries = facts.n_distinct(query) if query else facts.table.n_rows
    varies = bool(variant) and facts.n_distinct(*variant) > 1
    of_query = (
        bool(query) and bool(variant or facts.one("metric")) and facts.determines(query, name)
    )
    no_quality = facts.is_apart(name)
    named = "measures" in facts.roles or has_scores
    if name in facts.options.measures or (numeric and (is_asked or (measure and not named))):
        return "measures"
    if word in terms.WEIGHT_NAMES and numeric:
        return "weights" if of_query or not variant else "apart"
    is_shared = is_unit(name) and query and facts.n_distinct(name) < n_queries
    if is_shared and (of_query or not variant):
        return "clusters"
    if variant and facts.determines(variant, name) and (varies or not numeric):
        return "settings"
    if not numeric or word in terms.TEXT_NAMES or word in terms.REPEAT_NAMES or no_quality:
        few = facts.n_distinct(name) <= max(2, min(30, n_queries // 2))
        told = word not in terms.TEXT_NAMES and not no_quality and not column.is_nested
        is_property = bool(query) and few and told and (of_query or not variant)
        return "segments" if is_property else "apart"
    if named:
        return "segments" if of_query and facts.n_distinct(name) <= 10 else "apart"
    return "measures or segments" if of_query and varies else "measures"
