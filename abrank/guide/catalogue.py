"""Generate the pages of measures, tests and cautions."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any
from unicodedata import normalize

import numpy as np

import abrank
from abrank._support.errors import ArgumentError
from abrank._support.registry import entries as parameters_of
from abrank._support.registry import split
from abrank.diagnostics import Note
from abrank.guide.pages import GuidePage
from abrank.inference import JOINT_TESTS, TESTS, run_joint_test, run_test
from abrank.inference import registry as paired_tests
from abrank.inference.registry import RegisteredTest
from abrank.inference.systems import registry as joint_tests
from abrank.measures import Measure, MeasureEntry, catalogue, expand
from abrank.measures.registry import literal, load_plugins
from abrank.measures.spellings import BARE, OTHERS, TREC_EVAL
from abrank.options.values import options_of
from abrank.report.sections.appendix import entries as bibliography
from abrank.report.sections.appendix import key_of
from abrank.report.sections.cautions import Names, caution


@dataclass(frozen=True)
class Example:
    """An example of a caution: its numbers, when it appears, what to do, and its source."""

    values: Mapping[str, Any]
    when: str
    do: str
    source: str


_CAUTIONS = tomllib.loads((resources.files("abrank.guide") / "cautions.toml").read_text("utf-8"))
EXAMPLES: Mapping[str, Example] = {
    code: Example(item["example"], item["when"], item["do"], item["source"])
    for code, item in _CAUTIONS.items()
}
# The example ranking for every measure: d2 is unjudged, d3 and d4 have equal scores, and d6 is
# relevant but not retrieved.
QRELS = {"d1": 2, "d3": 1, "d4": 0, "d5": 0, "d6": 1}
RUN = {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 3.0, "d5": 1.0}
ROWS = [("q", str(1 + (doc == "d6")), doc, grade) for doc, grade in QRELS.items()]
# Values for parameters without default.
GIVEN = {"cutoff": 5, "recall": 0.5, "multiple": 1.0, "threshold": 2.0, "max_rel": 2}
# Measures with the same name in ir_measures.
IR_MEASURES = {
    "AP", "AP_IA", "Accuracy", "BPM", "Bpref", "Compat", "ERR", "ERR_IA", "INSQ", "INST", "IPrec",
    "Judged", "NERR10", "NERR11", "NERR8", "NERR9", "NRBP", "NumQ", "NumRel", "NumRelRet", "NumRet",
    "P", "P_IA", "R", "RBP", "RR", "Rprec", "SDCG", "SetAP", "SetF", "SetP", "SetR", "StRecall",
    "Success", "alpha_DCG", "alpha_nDCG", "infAP", "nDCG", "nERR_IA", "nNRBP",
}  # fmt: skip
# Measures of ranx.
RANX = (
    "hits", "hit_rate", "precision", "recall", "f1", "r-precision", "bpref", "rbp.8", "mrr", "map",
    "dcg", "dcg_burges", "ndcg", "ndcg_burges",
)  # fmt: skip
FAMILIES = {
    "graded": "Graded relevance", "binary": "Relevant or not", "user_models": "Models of a reader",
    "textbook": "Textbooks and recommenders", "diversity": "Diversity", "counts": "Counts",
    "sensitivity": "What could have been",
}  # fmt: skip
NAMES = Names("bm25", "monot5", digits=3, alpha=0.05)


def names() -> list[str]:
    """Return the names that have their own page: measures, tests and cautions."""
    load_plugins()
    return [*catalogue(), *TESTS, *JOINT_TESTS, *EXAMPLES]


def entries() -> Iterator[GuidePage]:
    """Return the page of each measure, test and caution."""
    return filter(None, map(entry, names()))


def entry(name: str) -> GuidePage | None:
    """Return the page of one measure (in any spelling), test or caution."""
    if name in TESTS or name in JOINT_TESTS:
        test = TESTS[name] if name in TESTS else JOINT_TESTS[name]
        text, sections = split(inspect.getdoc(test.function))
        options = getattr(test, "options", ())
        parameters = _parameters(sections.get("Parameters", ""), only=(*options, "n_resamples"))
        parts = [
            f"# {test.title}",
            f"`{test.name}`. Estimates the {test.estimand}.",
            _markdown(text),
            _section("Its own options", parameters),
            _section("How it works", _markdown(sections.get("Notes", ""))),
            _section("Worked", _importing(sections.get("Examples", ""), "import numpy as np")),
            _section("Ties", _with_ties(test.name)),
            _section("Source", _sources(test.source, sections)),
        ]
        return GuidePage(test.name, "\n\n".join(filter(None, parts)) + "\n")
    if name in EXAMPLES:
        example = EXAMPLES[name]
        sentence = caution(Note(name, 2, example.values), NAMES)
        pieces = [
            f"# {name}",
            f"> **{sentence.title}.** {sentence.text}".replace("?.", "?"),
            f"**When.** {example.when}",
            f"**What to do.** {example.do}",
            f"**Source.** {example.source}",
        ]
        return GuidePage(name, "\n\n".join(pieces) + "\n")
    load_plugins()
    if name in catalogue():
        return _measure_page(catalogue()[name])
    try:
        return _measure_page(expand(name)[0].entry)
    except ArgumentError:
        return None


# --- Measures


def _work(entry: MeasureEntry) -> tuple[Measure, float, float] | None:
    """Return a measure, its value on the example ranking, and that with d3 above d4."""
    # None for user-defined measures with an unknown parameter without default.
    required = [parameter.name for parameter in entry.parameters if parameter.required]
    if not GIVEN.keys() >= set(required):
        return None
    first = entry.with_parameters({name: GIVEN[name] for name in required})
    qrels: object = {"q": QRELS}
    if first.needs == "subtopics":
        qrels = abrank.read_qrels(ROWS, subtopics=True)
    runs = {"run": {"q": RUN}, "other": {"q": RUN | {"d3": 3.1}}}
    value, reordered = abrank.evaluate(qrels, runs, [first]).means()[:, 0].tolist()
    return first, value, reordered


def measures() -> GuidePage:
    """Return the page that lists all measures."""
    load_plugins()
    lines = [
        "# Measures",
        f"abrank has {len(catalogue())} measures. Each has a page: `abrank guide nDCG`. You may use"
        " the spelling of any tool: `ndcg_cut_10`, `ndcg@10` and `nDCG@10` are the same measure.",
        "The last column of the tables below is the value for this list of five documents; `—` is"
        " an unjudged document. d3 and d4 have the same score, so they are ordered by id,"
        " descending, as in trec_eval. d6 has grade 1 and was not retrieved.",
        "| rank | 1 | 2 | 3 | 4 | 5 | not retrieved |\n|---|---|---|---|---|---|---|\n"
        "| document | d1 | d2 | d4 | d3 | d5 | d6 |\n| score | 5 | 4 | 3 | 3 | 1 | |\n"
        "| grade | 2 | — | 0 | 1 | 0 | 1 |",
    ]
    families: dict[str, list[str]] = {}
    for name, entry in catalogue().items():
        module = str(entry.function.__module__).rpartition(".")[2]
        heading = FAMILIES.get(module, "Of other packages")
        worked = _work(entry)
        value = "— | —" if worked is None else f"`{worked[0]}` | {worked[1]:.4f}"
        row = f"| [{name}]({name}.md) | {entry.definition} | {value} |"
        families.setdefault(heading, []).append(row)
    for heading, rows in families.items():
        lines += [
            f"## {heading}",
            "\n".join(["| measure | what it is | example | value |", "|---|---|---|---|", *rows]),
        ]
    return GuidePage("measures", "\n\n".join(lines) + "\n")


def _measure_page(entry: MeasureEntry) -> GuidePage:
    text, sections = split(inspect.getdoc(entry.function))
    facts = [
        _range(*entry.bounds),
        "" if entry.higher_is_better else "Lower is better.",
        {"sum": "Over all queries it is summed, not averaged.", "geometric": "Over all queries the"
         " geometric mean is used.", "mean": ""}[entry.aggregate],
        f"It needs judgments by {entry.needs}." if entry.needs == "subtopics" else "",
        "" if entry.decides else "It does not say how good a ranking is, so it decides only if"
        " you name it first.",
    ]  # fmt: skip
    values = sections.get("Returns", "").partition("\n")[2].partition("\n    Order of")[0]
    parts = [
        f"# {entry.name}",
        _markdown(text),
        " ".join([_markdown(inspect.cleandoc(values)), *filter(None, facts)]),
        _section("Definition", _markdown(sections.get("Notes", ""))),
        _section("Names", _dialects(entry)),
        _section("Parameters", _parameters(sections.get("Parameters", ""), skip=("judged",))),
        _section("Worked", _worked(entry)),
        _section(
            "By hand",
            _importing(
                sections.get("Examples", ""),
                "from abrank.inputs.judged import JudgedRun",
                f"from {entry.function.__module__} import {entry.function.__name__}",
            ),
        ),
        _section("Source", "1. " + "; ".join(map(_in_full, entry.source.split("; ")))),
    ]
    return GuidePage(entry.name, "\n\n".join(filter(None, parts)) + "\n")


def _range(low: float, high: float) -> str:
    if np.isinf(high):
        return "" if np.isinf(low) else f"Values are at least {low:g}."
    return f"Values are at most {high:g}." if np.isinf(low) else f"Values: {low:g} to {high:g}."


def _worked(entry: MeasureEntry) -> str:
    """Return the measure's value on the example ranking, as an example that runs."""
    work = _work(entry)
    if work is None:
        return ""
    first, value, reordered = work
    tied = f"In the other order of the tie, d3 before d4, it is {reordered:.4f}."
    if abs(value - reordered) < 5e-5:
        tied = "It is the same in the other order of the tie."
    qrels = f'{{"q": {QRELS}}}'.replace("'", '"')
    if first.needs == "subtopics":
        qrels = f"abrank.read_qrels({ROWS}, subtopics=True)".replace("'", '"')
    run = f'{{"q": {RUN}}}'.replace("'", '"')
    example = _fenced(
        f">>> import abrank\n>>> qrels = {qrels}\n>>> run = {run}\n"
        f'>>> abrank.evaluate(qrels, {{"run": run}}, ["{first.name}"]).means().round(4)\n'
        f"{np.array([[value]]).round(4)!r}"
    )
    listed = f"For the list on [the page of measures](measures.md), {first} is {value:.4f}."
    return f"{listed} {tied}\n\n{example}"


def _importing(examples: str, *lines: str) -> str:
    imports = "".join(f">>> {line}\n" for line in lines)
    return _markdown(examples.replace(">>>", f"{imports}>>>", 1))


def _dialects(entry: MeasureEntry) -> str:
    spellings = {**OTHERS, **BARE}
    text = "@10" if entry.at == "cutoff" else ""
    ranx = []
    for name in RANX:
        try:
            ranx += [name + text] if expand(name + text)[0].entry == entry else []
        except ArgumentError:
            continue  # the name has no cut-off
    rows = {
        "ir_measures, PyTerrier": [entry.name] if entry.name in IR_MEASURES else [],
        "trec_eval, pytrec_eval": [n for n, item in TREC_EVAL.items() if item.name == entry.name],
        "ranx": ranx,
        "other spellings": [
            *entry.aliases, *(n for n, spelling in spellings.items() if spelling.name == entry.name)
        ],
    }  # fmt: skip
    lines = [
        f"| {tool} | {', '.join(f'`{n}`' for n in row) or '—'} |" for tool, row in rows.items()
    ]
    return "\n".join(["| tool | name |", "|---|---|", f"| abrank | `{_form(entry)}` |", *lines])


def _form(entry: MeasureEntry) -> str:
    inside = [
        parameter.name if parameter.required else f"{parameter.name}={literal(parameter.default)}"
        for parameter in entry.parameters
        if parameter.name not in (entry.at, "judged_only")
    ]
    behind = {"cutoff": "@k", "recall": "@r"}.get(entry.at or "", "")
    return entry.name + (f"({', '.join(inside)})" if inside else "") + behind


# --- Tests


def tests() -> GuidePage:
    """Return the page that lists all tests and adjustments."""
    lines = [
        "# Tests",
        "Every test gives an estimate, an interval and a p-value that never contradict each other."
        " Choose the test that decides with `--test`. Each test has a page:"
        " `abrank guide permutation`.",
        "## Of two systems",
        _table(TESTS[name] for name in TESTS),
        _degenerate(paired_tests.__doc__),
        "## Of many systems",
        _table(JOINT_TESTS[name] for name in JOINT_TESTS),
        _degenerate(joint_tests.__doc__),
        "## Adjustments for several comparisons",
        f"For compare `--config adjust=` takes {_adjustments('compare')}. For rank `--adjust` takes"
        f" {_adjustments('rank')}; it is for `conover` and the tests of two systems. See"
        " `abrank guide families`.",
    ]
    return GuidePage("tests", "\n\n".join(lines) + "\n")


def _table(tests: Iterable[RegisteredTest]) -> str:
    rows = [f"| [{t.name}]({t.name}.md) | {t.title} | {t.estimand} | {t.source} |" for t in tests]
    return "\n".join(["| name | test | what it estimates | source |", "|---|---|---|---|", *rows])


def _adjustments(taker: str) -> str:
    return ", ".join(f"`{name}`" for name in options_of(taker)["adjust"].names)


def _degenerate(docstring: str | None) -> str:
    """Return the paragraphs of a registry's docstring about degenerate data as Markdown."""
    text = (docstring or "").partition("\n\n")[2].strip().replace("**", r"\*\*")
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


# Ten queries of three systems, followed by four queries on which all systems tie.
_SCORES = np.array([[4, 6, 7], [5, 5, 7], [2, 5, 4], [6, 7, 9], [3, 2, 4], [1, 4, 3], [7, 8, 8],
                    [2, 4, 5], [5, 8, 6], [3, 5, 6]]) / 10  # fmt: skip
_TIED = np.vstack([_SCORES, np.full((4, 3), 0.5)])


def _with_ties(name: str) -> str:
    """Describe how queries on which the systems tie change a test's result."""
    if name in TESTS:
        before, after = (
            float(run_test(name, scores[:, 1] - scores[:, 0]).pvalue[0])
            for scores in (_SCORES, _TIED)
        )
        text = "In an example of ten queries"
    else:
        baseline = 0 if JOINT_TESTS[name].family == "baseline" else None
        before, after = (
            float(run_joint_test(name, scores, baseline=baseline).pvalue_adj[0])
            for scores in (_SCORES, _TIED)
        )
        text = "In an example of three systems on ten queries"
    if abs(before - after) < 1e-9:
        return (
            f"{text} p is {before:.4f}. It stays so with four more on which all systems are tied."
        )
    return (
        f"{text} p is {before:.4f}. With four more on which all systems are tied it is {after:.4f}."
    )


# --- Cautions


def cautions() -> GuidePage:
    """Return the page that lists all cautions."""
    rows = [f"| [{code}]({code}.md) | {item.when} |" for code, item in EXAMPLES.items()]
    lines = [
        "# Cautions",
        "A caution is something that you should know before you act on a result. The first screen"
        " shows at most two, the most serious first. `-v` shows the others. `results.json` has all"
        " of them by the codes below. Each code has a page: `abrank guide few-signs`."
        " `reports/calibration/cautions.md` says how often each caution is right.",
        "\n".join(["| code | when |", "|---|---|", *rows]),
    ]
    return GuidePage("cautions", "\n\n".join(lines) + "\n")


OVERVIEWS: Mapping[str, Callable[[], GuidePage]] = {
    "measures": measures, "tests": tests, "cautions": cautions,
}  # fmt: skip


# --- Convert numpydoc to Markdown

_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?([\w]+)`")
_CITED = re.compile(r" ?\[(\d)\]_")


def _markdown(text: str) -> str:
    """Convert a part of a docstring to Markdown: code, citations, and examples in fences."""
    text = _CITED.sub(r" [\1]", _ROLE.sub(r"`\1`", text)).replace("``", "`")
    blocks = [
        _fenced(block) if block.startswith(">>>") else block.replace("* ", r"\* ")
        if not block.startswith("    ") else block
        for block in text.split("\n\n")
    ]  # fmt: skip
    return "\n\n".join(blocks)


def _fenced(text: str, language: str = "python") -> str:
    return f"```{language}\n{text}\n```"


def _section(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text}" if text else ""


_ACCENTS = {'"': "\u0308", "'": "\u0301", "v": "\u030c"}
_ACCENT = re.compile(r"""\{?\\(["'v])\{?(\w)\}?\}?""")


def _in_full(source: str) -> str:
    """Replace a short citation by its bibliography entry."""
    sub = _ACCENT.sub(
        lambda result: normalize("NFC", result[2] + _ACCENTS[result[1]]),
        bibliography().get(key_of(source), ""),
    )
    matches = dict(re.findall(r"^  (\w+) += \{(.*)\},?$", sub, re.MULTILINE))
    if "year" not in matches:  # a program
        return source
    names = [part.partition(", ")[0] for part in matches["author"].split(" and ")]
    who = " & ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    kinds = ("journal", "booktitle", "howpublished", "publisher")
    where = next(matches[kind] for kind in kinds if kind in matches)
    number = f"({matches['number']})" if "number" in matches else ""
    volume = f" {matches['volume']}{number}" if "journal" in matches else ""
    text = re.sub(r"[{}\\]", "", f"{who} ({matches['year']}), {matches['title']}, {where}{volume}")
    text = text.replace("--", "–")
    _, _, behind = source.partition(matches["year"])
    return text + behind if matches["year"] in source else f"{text}; {source}"


def _sources(source: str, sections: Mapping[str, str]) -> str:
    """Return the source of a test and other references as a numbered list."""
    parts = [part.rpartition(": ") for part in source.split("; ")]
    works = [f"{kind}{colon}{_in_full(work)}" for kind, colon, work in parts]
    works += re.split(r"(?:^|\n)\.\. \[\d+\] ", sections.get("References", ""))[1:]
    return _markdown("\n".join(f"{i}. {' '.join(x.split())}" for i, x in enumerate(works, 1)))


def _parameters(section: str, *, skip: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> str:
    rows = []
    for name, described in parameters_of(section).items():
        if name in skip or (only and name not in only):
            continue
        kind, _, meaning = described.partition("\n")
        cells = (f"`{name}`", kind, " ".join(meaning.split()))
        rows.append("| " + " | ".join(_markdown(cell).replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(["| parameter | kind | meaning |", "|---|---|---|", *rows]) if rows else ""
