"""Options that only the command line has; look-up by function; keys to keywords and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank.options.parts import (
    AS,
    BOARD,
    MANY,
    PAIR,
    RUNS,
    SINGLE,
    Anytime,
    Clusters,
    DesignPart,
    Engine,
    Independent,
    Looks,
    Machine,
    Option,
    Planned,
    Scoring,
    Weights,
    options_in,
    parts_of,
)
from abrank.options.question import Inputs, Question, RankingQuestion

# Parts that entries of one key share; they differ in functions and help.
_REPORT = partial(
    Option, key="report", group="Output", metavar="PATH", several=True, first=True, declared=False,
    peers=("o", "out", "output", "html", "pdf"),
)  # fmt: skip
_FORMAT = partial(
    Option, key="format", group="Output", kind="choice", default="text", first=True,
    declared=False, help="What to print to standard output.",
)  # fmt: skip
_MEASURE = partial(
    Option, key="measure", short="-m", group="Measures and tests", kind="measure", metavar="NAME",
    first=True,
)  # fmt: skip
_NAMED = partial(
    Option, of=("compare", "compare_preferences", "compare_collections"), group="Inputs",
    metavar="NAME", first=True,
)  # fmt: skip
FLAGS = (
    Option(
        key="scores", of=("compare_scores",), group="Inputs", kind="path", first=True,
        several=True, positional=True,
        help="The files are scores, not runs. Give one table with both variants, or one file per"
        " system, and no QRELS.",
    ),
    Option(
        key="scores", of=("rank_scores",), group="Inputs", kind="flag", first=True, default=False,
        help="The files are scores, not runs. Give tables with a column per system, or with"
        " columns query_id, system, measure and score; or one file per system, such as the output"
        " of trec_eval -q. No QRELS is needed.",
    ),
    # For a table of scores these are the variants to compare: fields of Inputs.
    _NAMED(
        key="baseline", python="name_a=", peers=("control",),
        help="Name of the baseline (A). With runs: its name in reports (default: the name of the"
        " file). With --scores, --preferences or --collections: the system that is A (default: the"
        " one called control, baseline or old). COLUMN=VALUE is the mean of all variants with that"
        " value.",
    ),
    _NAMED(
        key="candidate", python="name_b=", peers=("treatment",),
        help="Name of the candidate (B), like --baseline.",
    ),
    Option(
        key="collections", of=("compare_collections",), group="Inputs", kind="path",
        metavar="FILE", first=True,
        help="Several collections at once. Instead of QRELS RUN_A RUN_B give one of these: a table"
        " of scores with a column collection; a TSV with columns name, qrels, a and b (and"
        " segments, clusters); a TOML file with such keys; a folder with one folder per collection"
        " (also with BEIR's qrels/test.tsv); a pattern: 'beir/*/qrels.txt'.",
    ),
    Option(
        key="collections", of=("rank_collections",), group="Inputs", kind="path", metavar="FILE",
        first=True,
        help="Several collections at once. Instead of QRELS RUNS give one of these: a table of"
        " scores with a column collection; a TSV with columns name, qrels and one per system (or"
        " name and scores); a TOML file with such keys; a folder with one folder per collection.",
    ),
    Option(
        key="clusters", of=(*PAIR, "intervals"), kind="path",
        group="Designs and further analyses",
        python="design=Clusters(...)", metavar="FILE|COLUMN", first=True,
        help="Test whole clusters of queries. Clusters are conversations, users or topic variants."
        " Give a CSV with query_id and one column (with --collections also a column collection),"
        " or a column of --segments.",
        peers=("cluster",),
    ),
    Option(
        key="weights", of=SINGLE, group="Designs and further analyses", kind="path",
        python="design=Weights(...)", metavar="FILE|COLUMN",
        help="Weight of each query, such as its traffic. Means and the t test are then weighted."
        " Give a CSV with query_id and one column, or a column of --segments.",
        peers=("weight", "sample_weight"),
    ),
    Option(
        key="look", of=PAIR, group="Designs and further analyses", kind="look",
        python="design=Looks(2, of=4)", metavar="K/N[:pocock]",
        help="This is look K of N planned, evenly spaced looks. Each look has its own boundary:"
        " strict at early looks, or with :pocock the same at all.",
        peers=("spending", "looks"),
    ),
    Option(
        key="planned", of=SINGLE, group="Designs and further analyses", kind="planned",
        python="design=Planned(400)", metavar="N[:pocock]", compared=False,
        help="N queries are planned in all. Each earlier look spends a part of alpha, by the"
        " queries so far. From the second look on, also give earlier.",
    ),
    Option(
        key="earlier", of=SINGLE, group="Designs and further analyses", kind="path", metavar="FILE",
        python="design=Planned(400, earlier=...)", compared=False,
        help="results.json of the previous look. It records all looks so far.",
    ),
    Option(
        key="anytime", of=SINGLE, group="Designs and further analyses", kind="count", minimum=1,
        python="design=Anytime(400)", metavar="N", peers=("watch", "sequential"),
        help="Decide by a confidence sequence, which is valid however often you look. It is"
        " narrowest at N queries.",
    ),
    Option(
        key="independent", of=("compare_scores",), group="Designs and further analyses",
        kind="flag", python="design=Independent()", peers=("unpaired", "welch", "paired"),
        help="Different users saw A and B, so scores are not paired. Welch's t test decides.",
    ),
    Option(
        key="as", of=RUNS, group="Scoring of runs", kind="choice", choices=tuple(AS),
        python='scoring=Scoring(score_dtype="float32")',
        peers=("score_dtype", "interpolation"),
        help="Score like trec_eval 9 and pytrec_eval: 32-bit scores, which create more ties, and"
        " their interpolated precision.",
    ),
    _REPORT(
        of=PAIR, python='.report("report.html")',
        help="Write a report: .html .md .json .csv .tex. Also .txt .bib .methods .junit .parquet."
        " The suffix chooses the format, or write FORMAT:PATH. A FORMAT alone, such as html,"
        " writes reports/B-vs-A.html. An existing file is replaced. Repeat for more.",
    ),
    _REPORT(
        of=MANY, python='.report("report.html")',
        help="Write a report: .html .md .json .csv .tex. Also .txt .bib .methods .junit. The"
        " suffix chooses the format, or write FORMAT:PATH. A FORMAT alone, such as html, writes"
        " reports/ranking-MEASURE.html. An existing file is replaced. Repeat for more.",
    ),
    _REPORT(
        of=("intervals", "audit"),
        help="Write a report: .html .md .json .csv .txt. The suffix chooses the format, or write"
        " FORMAT:PATH. A FORMAT alone, such as html, writes to reports/. An existing file is"
        " replaced. Repeat for more.",
    ),
    Option(
        key="interval", of=("intervals",), group="Measures and tests", kind="flag", default=False,
        first=True,
        help="Print each mean with its confidence interval, as a table.",
    ),
    Option(
        key="at_least", of=("intervals",), group="Gates", metavar="MEASURE:X", several=True,
        first=True, peers=("floor", "threshold", "min"),
        help="Minimum for a mean, such as nDCG@10:0.35. The exit code is 1 unless the lower end of"
        " the interval is above it, for every run. Repeat for more.",
    ),
    Option(
        key="test", of=("intervals",), group="Measures and tests", kind="choice",
        default="bootstrap", choices=("bootstrap", "t", "permutation", "bounded"),
        help="Method of the interval: the studentised bootstrap, Student's t, sign flips of the"
        " centred scores (permutation), or betting intervals (bounded), which hold for any scores"
        " of a bounded measure.",
    ),
    Option(
        key="figures", of=(*PAIR, *MANY), group="Output", kind="folder", metavar="DIR",
        declared=False, python="abrank.report.write_figures(result, DIR)", peers=("plot", "plots"),
        help="Write the figures for a paper as PDF, in the width of a column. svg:DIR and png:DIR"
        " (300 dpi) write other formats.",
    ),
    _FORMAT(
        of=PAIR, peers=("json",),
        choices=("text", "html", "md", "json", "csv", "tex", "methods", "bib", "junit", "parquet"),
    ),
    _FORMAT(
        of=MANY, peers=("json",),
        choices=("text", "html", "md", "json", "csv", "tex", "methods", "bib"),
    ),
    _FORMAT(of=("power", "margin", "aa"), choices=("text", "json", "csv")),
    _MEASURE(
        name="measures", of=("evaluate",), several=True,
        peers=("metrics", "metric", "eval_metrics"),
        help="Measure, such as nDCG@10, map or mrr@10, in the spelling of any tool. Repeat for"
        " more.",
        summary="Measure, such as nDCG@10, map or mrr@10.",
    ),
    _MEASURE(
        of=("margin", "agreement", "audit"), default="nDCG@10", peers=("metric", "metrics"),
        help="Measure, in the spelling of any tool. Default: nDCG@10.",
    ),
    _MEASURE(
        of=("power", "aa", "sample"), peers=("metric", "metrics"),
        help="Measure, in the spelling of any tool. Default: nDCG@10.",
    ),
    Option(
        key="power", of=("power", "margin", "audit"), group="Planning", kind="number", default=0.8,
        metavar="X", first=True, peers=("target",),
        help="Probability that the test detects the difference.",
    ),
    Option(
        key="sd", of=("power", "margin", "audit"), group="Planning", kind="number",
        metavar="X", first=True,
        help="Standard deviation of the per-query differences, if you give no runs.",
    ),
    Option(
        key="interval", of=BOARD, group="Output", kind="choice", default="difference",
        declared=False, choices=("difference", "own", "within"),
        help="What the intervals are for. difference: the difference from the first system or the"
        " baseline; own: each mean by itself; within: the means without the variation between"
        " queries.",
    ),
    Option(
        key="digits", of=("render", *MANY), group="Output", kind="count", minimum=1, maximum=15,
        metavar="N", declared=False,
        help="Decimals of scores and differences. Default: at least 3, more if the interval that"
        " decides needs them.",
    ),
    Option(
        key="style", of=("render", *BOARD), group="Output", kind="choice", declared=False,
        choices=("interval", "superscript"),
        help="Content of a .tex table: difference, interval and p (for a ranking by several"
        " measures the means), or means with superscripts.",
    ),
    Option(
        key="ascii", of=(*PAIR, *MANY, "intervals", "audit"), group="Output", kind="flag",
        default=False, declared=False,
        help="Print ASCII characters only. The environment variables NO_COLOR and FORCE_COLOR"
        " switch colours.",
    ),
    Option(
        key="quiet", short="-q", of=(*PAIR, *MANY, "intervals"), group="Output", kind="flag",
        default=False, declared=False,
        help="Print only the headline and the gate, no notes and no progress.",
    ),
    Option(
        key="verbose", short="-v", of=(*PAIR, *MANY), group="Output", kind="flag", default=False,
        declared=False, help="Print every detail, and how long each stage took.",
    ),
)  # fmt: skip


Part = TypeVar("Part")
_P = ParamSpec("_P")
_R = TypeVar("_R")

HEADINGS = (
    "Inputs", "Planning", "Measures and tests", "Gates", "Designs and further analyses",
    "Judgments by a machine", "Scoring of runs", "Large runs", "Output",
)  # fmt: skip
# The keywords whose values are objects of several options.
PARTS: dict[str, type] = {"scoring": Scoring, "machine": Machine, "engine": Engine}
DESIGN = ("clusters", "weights", "look", "planned", "earlier", "anytime", "independent")
COMMANDS = {
    "compare": PAIR, "rank": MANY, "score": ("evaluate", "intervals"), "render": ("render", *PAIR),
    "power": ("power",), "margin": ("margin",), "aa": ("aa",),
    "audit": ("audit",),
}  # fmt: skip


@cache
def every_option() -> tuple[Option, ...]:
    """Return all options, those of Python's objects first."""
    kinds = (Inputs, Question, RankingQuestion, Scoring, Machine, Engine)
    return tuple(
        dict.fromkeys((*(option for kind in kinds for option in options_in(kind)), *FLAGS))
    )


@cache
def options_of(*takers: str) -> dict[str, Option]:
    """Return the options of one or more functions, by key."""
    return {option.key: option for option in every_option() if not {*takers}.isdisjoint(option.of)}


def python_spelling(word: str, taker: str) -> str:
    """Return how an option is written in Python, given its key or its name in other libraries."""
    meant = _meant(word, options_of(taker).values())
    return " and ".join(_spelling(item, taker) for item in meant if item.python or item.name)


def _meant(word: str, options: Iterable[Option]) -> list[Option]:
    """Return the options with a name, ``machine.qrels`` or ``qrels``, else with a foreign name."""
    exact = [
        option for option in options
        if word in (option.key, option.key.replace(".", "_"), option.name,
                    option.key.split(".")[-1])
    ]  # fmt: skip
    return exact or [option for option in options if word in option.peers]


def flag_of(long: str, *takers: str) -> str:
    """Return the flag, or key for ``--config``, that a mistaken flag probably means."""
    word = long.lstrip("-").replace("-", "_")
    options = options_of(*takers).values()
    candidates = [option for option in options if option.is_flag(*takers) or "compare" in takers]
    spellings = (
        option.long if option.is_flag(*takers) else f"--config {option.key}=..."
        for option in _meant(word, candidates)
    )
    return " and ".join(dict.fromkeys(spellings))


def _spelling(option: Option, taker: str) -> str:
    for keyword, kind in PARTS.items():
        if option in options_in(kind) and taker not in ("rank_scores", "compare_scores"):
            return f"{keyword}={kind.__name__}({option.name}=...)"
    if option.python:
        return option.python
    rare = option in options_in(Question) and taker in PAIR and not option.compared
    return f"config=Question({option.name}=...)" if rare else f"{option.name}="


def taking(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wrap a function with options, so that the error of a wrong keyword names the right one."""
    return explained(function, python_spelling)


# --- Convert values by key to Python keywords, and back


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values by key to Python keywords; options of one object become that object."""
    older = values.get("as")
    values = {**(AS[checks.one_of("as", older, AS)] if older else {}), **values}
    result = {
        option.name: values[option.key]
        for kind in (Inputs, Question, RankingQuestion)
        for option in options_in(kind)
        if option.key in values
    }
    for keyword, kind in PARTS.items():
        stated = [option for option in options_in(kind) if values.get(option.key) is not None]
        if stated:
            result[keyword] = kind(**{option.name: values[option.key] for option in stated})
    if scores := values.get("scores"):  # instead of runs
        result["a"], result["b"] = (*iterate(scores), None)[:2]
    if values.get("collections"):
        result["collections"] = values["collections"]
    if design := {key: values[key] for key in DESIGN if key in values}:
        result["design"] = _design(design)
    return result


def _design(values_by_key: Mapping[str, Any]) -> tuple[DesignPart, ...] | None:
    """Return the parts of a design from the values of its keys; None for the simple design."""
    earlier = values_by_key.get("earlier")
    if earlier is not None and values_by_key.get("planned") is None:
        raise ArgumentError(
            "earlier (Planned(earlier=)) is the look before this one: say with --config planned=N"
            " how many queries are planned in all"
        )
    readers: dict[str, Callable[[Any], DesignPart]] = {
        "clusters": Clusters, "weights": Weights, "look": Looks.read,
        "planned": partial(Planned.read, earlier=earlier), "anytime": Anytime,
        "independent": lambda _: Independent(),
    }  # fmt: skip
    # Compare by identity, because a value may be a Series, which has no truth value.
    stated = {
        key: value
        for key, value in values_by_key.items()
        if value is not None and value is not False
    }
    return tuple(read(stated[key]) for key, read in readers.items() if key in stated) or None


def build(kind: type[Part], keywords: Mapping[str, Any]) -> Part:
    """Build an object from the keywords that are fields of its class."""
    names = (field.name for field in fields(kind))  # type: ignore[arg-type]
    return kind(**{name: keywords[name] for name in names if name in keywords})


def flattened(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Convert Python keywords to values by key; an object is expanded into its options."""
    result: dict[str, Any] = {}
    for name, value in keywords.items():
        if name in PARTS:
            value_object = Engine.of(value) if name == "engine" and value is not None else value
            options = options_in(PARTS[name])
            result |= {option.key: getattr(value_object, option.name, None) for option in options}
            if isinstance(value_object, Engine) and value_object.address is not None:
                result["engine"] = f"{value_object.name}:{value_object.address}"
        elif name == "design":
            # Convert the parts of a design to the keys of a rule file.
            values: dict[str, Any] = dict.fromkeys(DESIGN)
            for part in parts_of(value):
                if isinstance(part, Clusters):
                    values["clusters"] = part.of
                elif isinstance(part, Weights):
                    values["weights"] = part.of
                elif isinstance(part, Looks):
                    values["look"] = str(part)
                elif isinstance(part, Planned):
                    values |= {"planned": str(part), "earlier": part.earlier}
                elif isinstance(part, Independent):
                    values["independent"] = True
                else:
                    values["anytime"] = part.queries
            result |= values
        else:
            result[_keys().get(name, name)] = value
    return result


@cache
def _keys() -> dict[str, str]:
    return {
        option.name: option.key
        for kind in (Inputs, Question, RankingQuestion)
        for option in options_in(kind)
    }


def iterate(value: object) -> Iterator[Any]:
    """Yield the values of an option that may be a single value or several."""
    if isinstance(value, (list, tuple)):
        yield from value
    elif value is not None:
        yield value
