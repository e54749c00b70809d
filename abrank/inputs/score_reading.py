"""Options for reading a score table, its interpretation, and lists of common column names."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from abrank._support.display import plural, shorten
from abrank._support.errors import ArgumentError, nearest
from abrank.inputs.columns import folded

ROLES = (
    "query", "variant", "variants", "metric", "value", "measures", "segments", "repeat", "cluster",
    "weight",
)  # fmt: skip
ROWS = "rows"  # the repeat role if no column distinguishes repeats
UNNAMED = "score"
SHOWN = 8  # names listed in a message


NameTest: TypeAlias = Callable[[str], bool]  # whether a name is that of a measure, or of a cost
# As in the flag, the rule file or the keyword: {"query": "request"}, "query=request", or several.
Pairs: TypeAlias = Mapping[str, object] | Iterable[str] | str


@dataclass(frozen=True)
class TableOptions:
    """What the user says about a table: ``columns``, ``variant``, ``where`` and measures."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    # Whether there is one table, whose columns may be variants, rather than one table per variant.
    alone: bool = True
    # The purpose: measures of a single system can be read, but not compared.
    purpose: Literal["read", "compare", "rank"] = "read"
    # How missing scores are replaced. lower_is_better: scores for which lower is better.
    missing: Literal["error", "drop", "worst", "zero"] = "error"
    lower_is_better: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()  # variants named by the user; they help to find their column
    summed: tuple[str, ...] = ()  # parts of ratios; they are summed where other rows are averaged

    def wanted(self, names: Sequence[str]) -> list[int]:
        """Return the positions of the requested measures; all if none was requested."""
        asked = {folded(name) for name in self.measures}
        result = [index for index, name in enumerate(names) if folded(name) in asked]
        return result or [*range(len(names))]

    @classmethod
    def of(
        cls,
        columns: Pairs | None = None,
        variant: Iterable[str] | str | None = None,
        where: Pairs | None = None,
        measures: Sequence[str] | str | None = None,
    ) -> TableOptions:
        """Parse the options from a command line, a rule file or Python."""
        roles = pairs_of("columns", columns)
        for role in roles:
            if role not in ROLES:
                hint = "".join(f"; did you mean {name}?" for name in nearest(role, ROLES)[:1])
                parts = ", ".join(ROLES)
                raise ArgumentError(f"columns: {role!r} is no part of a table: {parts}{hint}")
        if variant:
            texts = [variant] if isinstance(variant, str) else list(variant)
            roles["variant"] = tuple(
                name.strip() for text in texts for name in str(text).split(",") if name.strip()
            )
        rows = {name: ",".join(values) for name, values in pairs_of("where", where).items()}
        named = (measures,) if isinstance(measures, str) else tuple(map(str, measures or ()))
        return cls(roles, rows, named)


def pairs_of(option: str, value: Pairs | None) -> dict[str, tuple[str, ...]]:
    """Parse ``a=x,b=y,z`` as ``{"a": ("x",), "b": ("y", "z")}``; a mapping is also accepted."""
    if value is None or (isinstance(value, Sized) and not len(value)):
        return {}
    if isinstance(value, Mapping):
        return {
            str(key): tuple(map(str, names)) if isinstance(names, (list, tuple)) else (str(names),)
            for key, names in value.items()
        }
    result: dict[str, list[str]] = {}
    last = ""
    texts = [value] if isinstance(value, str) else value
    for part in (part for text in texts for part in str(text).split(",")):
        key, equals, name = part.partition("=")
        last = key.strip() if equals else last
        if not last or not (name if equals else key).strip():
            example = "query=request_id" if option == "columns" else "lang=de"
            raise ArgumentError(f"{option} takes NAME=VALUE, such as {example}, not {part!r}")
        result.setdefault(last, []).append((name if equals else key).strip())
    return {key: tuple(names) for key, names in result.items()}


@dataclass(frozen=True)
class Reading:
    """The interpretation of a score table: the role of each column."""

    form: str  # such as `a row per query and variant`
    query: str = ""  # the column of query ids; empty if each row is a query
    variant: tuple[str, ...] = ()  # the columns that together name the variant
    # For tables with one column per variant: variant and measure of each column.
    variants: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # For tables with one row per score: the columns with the measure's name and its value.
    metric: str = ""
    value: str = ""
    measures: tuple[str, ...] = ()  # the columns to compare
    # The columns that distinguish repeats of a query and variant (`rows` if none does), that hold
    # the cluster of each query, and that hold its weight.
    repeat: str = ""
    cluster: str = ""
    weight: str = ""
    segments: tuple[str, ...] = ()  # query properties that `segments=` may name
    settings: tuple[str, ...] = ()  # properties of the variant; they are not compared
    # Columns that are only used if named: ids, texts, counts, scores of a retriever.
    apart: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()  # names of the variants
    stated: tuple[str, ...] = ()  # roles whose columns the user declared, such as `variants`
    # Properties of the queries: property to query id to value.
    properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    # For variants named by several columns: the values of these columns.
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    # The variant of each query if no query has two, as for users who saw one variant each.
    arms: Mapping[str, str] = field(default_factory=dict, repr=False)

    def lines(self) -> list[str]:
        """Describe the role of each column, one line each."""
        variants = f" ({plural(len(self.labels), 'variant')}: {listed(self.labels)})"
        parts = {
            "query": self.query,
            "variant": ", ".join(self.variant) + variants if self.variant else "",
            "a column each": listed([*self.variants]),
            "metric": self.metric,
            "value": self.value,
            "measures": ", ".join(self.measures),
            "repeats": self.repeat,
            "clusters": self.cluster,
            "weight": self.weight,
            "segments": ", ".join(self.segments),
            "settings": ", ".join(self.settings),
            "not compared": ", ".join(self.apart),
        }
        return [f"{part}: {text}" for part, text in parts.items() if text]


def listed(names: Sequence[str]) -> str:
    """Format names as a list in a sentence, shortened if there are many."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(shorten(name) for name in names[:SHOWN]) + more


# --- Common names of columns and variants; they decide only if the content leaves a choice


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


def groups(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each paragraph; the first group with a match has priority."""
    return tuple(map(words, text.split("\n\n")))


# A trace_id is unique for each run of a query, so it is used only if nothing better exists.
QUERY_NAMES = groups("""
    query_id qid q_id topic_id queryid topicid query_no

    question_id example_id sample_id test_case test_case_id case_id prompt_id item_id
    dataset_record_id datasetitemid dataset_item_id input_id dataset_example_id reference_example_id
    doc_id example.id task_id instance_id row_id request_id search_id

    query topic q query_text search_term search_query keyword

    id _id uid uuid key index row example testcase case

    user_input question input prompt instruction inputs input.value request

    trace_id

    session_id conversation_id user_id userid user session user_pseudo_id visitor_id customer_id
    client_id anonymous_id distinct_id unit_id unit visitor customer
""")
QUERY_TEXTS = QUERY_NAMES[4:5]

# Columns with these names hold texts or ids even if the cells look otherwise: map, null, 1.10.
SEARCHES = frozenset(QUERY_NAMES[2]) - {"q"}
SURE_QUERIES = SEARCHES.union(*QUERY_NAMES[:2])


def naming_queries(names: Iterable[str]) -> list[str]:
    """Return the columns whose names suggest query ids, the most likely first."""
    words = [word for group in QUERY_NAMES for word in group]
    last = {name: folded(name).rpartition(".")[2] for name in names}
    return sorted(
        (name for name in last if last[name] in words), key=lambda n: words.index(last[n])
    )


VARIANT_NAMES = groups("""
    variant arm treatment bucket condition variation

    system model ranker retriever method engine algorithm provider

    run runid run_id run_name experiment experiment_id experiment_name config setting datasetrunname
    dataset_run_name app_version app_id model_name model_id session

    group name configuration pipeline strategy version branch variable release deployment llm
    candidate
""")
ARM_NAMES = re.compile(  # columns with the two arms of an experiment
    rf"(.*[^a-z])?({'|'.join(VARIANT_NAMES[0])}|experiment)([^a-z].*)?"
    r"|(group|(exp|test|ab|treatment)_(group|cohort|cell))(_(id|name))?"
)
REPEAT_NAMES = frozenset(
    words("""
    seed fold repeat repetition epoch judge_run trial run_number run_no replicate attempt
    random_seed sample_index
""")
)
DATE_NAMES = frozenset(("date", "day", "week", "month", "hour", "dt"))  # as the last word
RUN_NAMES = frozenset(("run", "runid", "run_id"))  # repeats, if another column names the system
RATER_NAMES = frozenset(("judge", "judge_model", "annotator", "rater", "assessor"))  # likewise
_PEOPLE = "user|visitor|customer|session|conversation|participant|household"
CLUSTER_NAMES = re.compile(  # columns whose values group several queries
    rf"{_PEOPLE}|topic_group|cluster|(.*_)?({_PEOPLE}|account|anonymous|client|device|distinct"
    r"|member|patient|profile|subject|subscriber|thread)(_pseudo)?_?(id|key|uuid|hash)"
)
WEIGHT_NAMES = frozenset(
    words("""
    weight weights traffic frequency freq impressions popularity sample_weight
""")
)
METRIC_NAMES = frozenset(
    words("""
    measure metric metric_name measure_name evaluator evaluator_name scorer criterion eval_name
    feedback_key metrics measure_names metric_names
""")
)
SETTING_NAMES = frozenset(
    words("""
    chunk_size chunk_overlap top_k k k1 b alpha beta temperature depth embedding_dim lr
    learning_rate batch_size epochs layers dim window
""")
)
TIME_NAMES = re.compile(r"(.*_)?(timestamp|datetime|time|ts|at|utc)")
# Columns that judging tools add to the scores, for the one system of each row.
ANSWER_NAMES = frozenset(
    words("""
    answer response output completion prediction actual_output context contexts retrieved_contexts
    retrieval_context
""")
)
TEXT_NAMES = ANSWER_NAMES.union(
    words("""
    user_input question input prompt instruction text reference target ground_truth expected_output
    reference_contexts explanation reason rationale feedback comment metadata error status timestamp
    created_at updated_at date url
""")
)
# Numeric columns that do not measure quality: ids, counts, retriever scores, positions, times.
NO_QUALITY = re.compile(
    r"(.*_)?ids?|(.*_)?(count|counts|index|idx|timestamp)|(num|n|no|nb|number|count)_.*|top\d*_.*"
    r"|(.*_)?(up)?lift|(.*_)?(delta|diff|difference|change|p_?value)|ci_(low|high|lower|upper)"
    r"|(.*[_/])?(std|stdev|std_?dev|std_?err(or)?|sem|variance)|(.*_)?version|age"
    r"|(.*_)?dim(ension)?s?|zero_shot|((day|hour|week)_of_)?(hour|day|weekday|week|month|year)"
    r"|(inputs?|metadata|expected|reference)\..*|.*_(length|len|size)|runid|relstring|start_time|end_time|created_at|line|row|order"
)
# What spreadsheets call a last row or column with the mean or sum of the others.
TOTALS = frozenset((
    "total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg", "overall",
    "summe", "gesamt", "gesamtergebnis", "mittelwert", "all",
))  # fmt: skip
VOTE_NAMES = frozenset(("winner", "preference", "preferred", "vote", "chosen", "g1_winner"))
VALUE_NAMES = words("""
    score value metric_value metric_score result measurement measure_values main_score
""")
# Last words of names of scores that are not in the catalogue of measures.
SCORE_WORDS = frozenset(VALUE_NAMES).union(
    words("""
    rating ratings grade grades points click clicks clicked ctr conversion conversions cvr revenue
    purchase purchases order orders sales sessions dwell engagement satisfaction csat nps quality
    relevance relevancy relevant correctness correct accuracy acc em f1 faithfulness groundedness
    helpfulness completeness coherence fluency harmlessness safety toxicity similarity bleu meteor
    precision recall success pass passed rate likes wins metric mean gain
""")
)
# Words for a baseline, most certain first; if one of exactly two variants matches, it is A.
BASELINES = words("""
    control baseline a old prod production current before champion reference v1 base default
    existing legacy original off false no master main 0
""")
SURE_WITHIN = frozenset(
    words("""
    control baseline prod production champion treatment candidate challenger
""")
)
CANDIDATES = words("""
    treatment candidate b new test variant challenger after v2 experiment staging on proposed
""")
_SEPARATORS = re.compile(r"__| \(| - |[/.:|_ -]|\)|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


# Control and treatment, false and true, no and yes: the first in the alphabet is the baseline.
_LETTERS = ({"c", "t"}, {"f", "t"}, {"n", "y"})


def baseline_of(names: Sequence[str]) -> str:
    """Return which of two variants is called like a baseline; empty if unclear."""
    if len(names) != 2:
        return ""
    sure = [name for name in names if name.strip().casefold() in BASELINES[:2]]
    if {name.strip().casefold() for name in names} in _LETTERS:
        sure = [min(names, key=str.casefold)]
    if len(sure) == 1:
        return sure[0]
    words = [re.findall(r"[0-9a-z]+", name.casefold()) for name in names]
    differing = [[word for word in words[i] if word not in words[1 - i]] for i in (0, 1)]
    # `base` in bert-base is a size: inside a name only certain words count, or the only difference.
    only_roles = all(word in (*BASELINES, *CANDIDATES) for part in differing for word in part)
    if any({*part} & {*BASELINES} and {*part} & {*CANDIDATES} for part in differing):
        return ""
    new = [word for word in CANDIDATES if word not in ("b", "v2")]  # v2 may be older than v3
    for roles, is_baseline in ((BASELINES, True), (new, False)):
        ranks = []
        for name, part in zip(names, differing, strict=True):
            whole = name.strip().casefold()
            within = [word for word in part if only_roles or word in SURE_WITHIN]
            order = [*(roles.index(word) + len(roles) for word in within if word in roles)]
            order += [roles.index(whole)] if whole in roles else []
            ranks.append(min(order, default=math.inf))
        if ranks[0] != ranks[1]:
            return names[0] if (ranks[0] < ranks[1]) is is_baseline else names[1]
    return ""


_OF_MODELS = {"base", "v1", "v2", "0"}


def split_names(
    names: Sequence[str], is_measure: NameTest, is_cost: NameTest, systems: Iterable[str] = ()
) -> dict[str, tuple[str, str]]:
    """Split names such as ``ndcg_control`` or ``control/ndcg`` into variant and measure."""
    # `systems` are variants named by the user.
    wanted = {folded(system) for system in systems}
    if len(names) < 2:
        return {}
    # A prefix that all share, such as results in results.control.ndcg, belongs to neither part.
    parts = {name: name.partition(".") for name in names}
    if len({first for first, *_ in parts.values()}) == 1 and names[0].partition(".")[0].isalpha():
        short = {rest: name for name, (*_, rest) in parts.items()}
        within = split_names([*short], is_measure, is_cost, systems)
        if within and wanted <= {folded(variant) for variant, _ in within.values()}:
            return {short[name]: pair for name, pair in within.items()}
    best: tuple[tuple[int, ...], dict[str, tuple[str, str]]] = (), {}
    for measure_first in (True, False):
        splits: dict[str, list[tuple[bool, bool, int, str, str]]] = {name: [] for name in names}
        for name in names:
            for match in _SEPARATORS.finditer(name):
                first, text = name[: match.start()], name[match.end() :]
                text = text.removesuffix(")") if match[0] == " (" else text
                measure, variant = (first, text) if measure_first else (text, first)
                if measure.strip() and variant.strip():
                    is_known = is_measure(measure)
                    is_named = is_known or is_cost(measure) or folded(measure) in VALUE_NAMES
                    splits[name].append((is_known, is_named, len(measure), measure, variant))
        of_systems = {
            name: mine for name, options in splits.items()
            if (mine := [option for option in options if folded(option[-1]) in wanted])
        }  # fmt: skip
        splits = of_systems if len(of_systems) > 1 else splits
        pairs = _complete(splits) if all(splits.values()) else {}
        measures = {measure for _, measure in pairs.values()}
        rank = (
            sum(map(is_measure, measures)),
            sum(is_cost(measure) or folded(measure) in VALUE_NAMES for measure in measures),
            -len(measures),
        )
        variants = {folded(variant) for variant, _ in pairs.values()}
        # `base` in bert-base and 1 in colbert-v1 may be parts of a model's name.
        by_name = (
            variants & {*BASELINES, *CANDIDATES}
            and all(folded(measure).rpartition("_")[2] in SCORE_WORDS for measure in measures)
        ) or (len(measures) > 1 and variants <= {*BASELINES, *CANDIDATES} - _OF_MODELS)
        by_name |= bool(wanted) and wanted <= variants
        if pairs and (rank[0] or rank[1] or by_name) and rank > best[0]:
            best = rank, pairs
    return best[1]


def _complete(
    options: Mapping[str, list[tuple[bool, bool, int, str, str]]],
) -> dict[str, tuple[str, str]]:
    """Choose one split of each name so that every measure has the same variants."""
    # Prefer the variants that most names share, because a shorter one may be part of a longer one.
    counts = Counter(v for splits in options.values() for v in {split[-1] for split in splits})
    result = {}
    for name, splits in options.items():
        *_, measure, variant = max(
            splits, key=lambda split: (split[0], counts[split[-1]], split[1], -len(split[-1]))
        )
        result[name] = (variant, measure)
    variants, measures = map(set, zip(*result.values(), strict=True))
    is_whole = len({*result.values()}) == len(options) == len(variants) * len(measures)
    return result if is_whole and len(variants) > 1 else {}
