"""Names of measures: the parser for all spellings, and the measures that a user requests."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from unicodedata import combining, normalize

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError, UnknownNameError, name_parts, nearest
from abrank._support.typing import FloatArray, IntArray, Interpolation
from abrank.measures.registry import (
    Aggregate,
    Measure,
    MeasureEntry,
    catalogue,
    known_as,
    load_plugins,
    read_literal,
)
from abrank.measures.spellings import (
    ABSENT,
    BARE,
    GAINS,
    OTHERS,
    SETS,
    TREC_EVAL,
    Spelling,
    list_of,
    spelling_of,
)

ANY_GRADE = math.ulp(0.0)  # lowest relevant grade if every grade above 0 has a gain

# --- The parser of measure names: ir_measures' grammar, and spellings of trec_eval and ranx

_FORM = re.compile(
    r"(?P<name>11pt_avg|[^\W\d][\w-]*?)"
    r"(?P<suffix>[._](?P<numbers>(?:p=)?-?[.0-9][-.0-9eE,=]*?))?"  # P_10, ndcg.1=3,2=9, rbp.95
    r"(?:\((?P<inside>.*)\))?"
    r"(?:@(?P<at>[^@()\s]+?))?"
    r"(?:-l(?P<level>[0-9]{1,3}))?"  # ranx: map-l2, map@10-l2
)
_PAIR = re.compile(
    r"\s*(\w+)\s*=\s*"
    r"('[^']*'|\"[^\"]*\"|\[[^][{}]*\]|\{[^][{}]*\}|[^\s,'\"()=\[\]{}]+)"
    r"\s*(?:,|$)"
)
# ndcg_at_10, ndcg @ 10, ndcg10, AP@all: a measure with a cut-off after an @, or without one.
_CUTOFF = re.compile(
    r"(\w)(?:[_ -]at[_ -]| +@ *| *@ +)(?=\d)|^(ndcg|mrr|map|recall|precision)(?=\d)", re.IGNORECASE
)
_COMMON_CUTOFFS = ("5", "10", "20", "100", "1000")


def parse(text: str | Measure) -> Measure:
    """Parse a name that denotes one measure.

    Parameters
    ----------
    text : str or Measure
        ``NAME(keyword=value,...)@cutoff`` as in ir_measures, in any case, or a name of trec_eval
        (``ndcg_cut_10``, ``P.10``, ``ndcg.1=3.5,2=9``) or ranx (``precision@10``, ``map-l2``,
        ``rbp.95``). Text values need no quotes. A Measure is returned unchanged.

    Returns
    -------
    Measure
        Its ``name`` is canonical: without defaults, and with parameters in the order of the
        signature; ``parse(str(m)) == m``.

    Raises
    ------
    UnknownNameError
        If the measure, a parameter or a choice is unknown; the message suggests the nearest name.
    ArgumentError
        If the text has another form or denotes several measures, or if a parameter is missing,
        repeated, of the wrong type or not valid.

    Examples
    --------
    >>> print(parse("ndcg_cut_10"), parse("map-l2"), parse("nDCG(dcg=exp-log2)@10"))
    nDCG@10 AP(rel=2) nDCG(dcg='exp-log2')@10
    >>> parse("P")
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: "P" means 9 measures, P@5 … P@1000; one is wanted here
    >>> parse("ndcg@10x")
    Traceback (most recent call last):
    abrank._support.errors.UnknownNameError: unknown measure "ndcg@10x"; did you mean nDCG@10?
    """
    result = expand(text)
    if len(result) > 1:
        several = f"{len(result)} measures, {result[0]} … {result[-1]}"
        raise ArgumentError(f'"{text}" means {several}; one is wanted here')
    return result[0]


def known(name: str | Measure) -> Measure | None:
    """Return the measure that a name denotes; None if unknown."""
    if isinstance(name, Measure):
        return name
    meanings = _meanings(str(name), catalogue().state)
    return meanings[0] if len(meanings) == 1 else None


@functools.lru_cache(maxsize=1024)
def _meanings(name: str, state: int) -> tuple[Measure, ...]:  # noqa: ARG001 - of the cache
    """Return the measures that a name denotes, for one ``state`` of the catalogue."""
    try:
        return expand(name)
    except ArgumentError:
        return ()


def lowest_relevant(measure: str | Measure) -> float:
    """Return the lowest relevant grade of a measure: the one in its name, or any above 0."""
    result = known(measure)
    rel = dict(result.parameters).get("rel") if result is not None else None
    return rel if isinstance(rel, (int, float)) else ANY_GRADE


def is_known(name: str) -> bool:
    """Whether this is the name of a known measure, which declares its direction and range."""
    return known(name) is not None


def names_measure(name: str) -> bool:
    """Whether a name denotes one or more measures, such as ``recall`` without a cut-off."""
    meanings = _meanings(name, catalogue().state)
    return len(meanings) == 1 or (len(meanings) > 1 and len(name) > 1)


def expand(text: str | Measure) -> tuple[Measure, ...]:
    """Return all measures that a name denotes, as for ``P_5,10``, ``P`` or ``official``.

    A word that programs read differently is read as trec_eval does: ``P``, ``recall``, ``success``
    and ``map_cut`` denote several cut-offs; :func:`reading` says so. Measures are in the order of
    the text, without repetitions.

    Parameters
    ----------
    text : str or Measure
        As for :func:`parse`, or one of trec_eval's sets: ``official``, ``set``, ``all_trec``.

    Raises
    ------
    UnknownNameError, ArgumentError
        As for :func:`parse`.

    Examples
    --------
    >>> print(*expand("P_5,10"), *expand("success"))
    P@5 P@10 Success@1 Success@5 Success@10
    """
    if isinstance(text, Measure):
        return (text,)
    text = str(text)  # objects of ir_measures or PyTerrier become their names
    respelled = _CUTOFF.sub(r"\1\2@", text.strip().removesuffix("@all"))
    if respelled != text and known_as(text.strip()) is None:
        return expand(respelled)
    if text.strip() in SETS:
        return tuple(result for name in SETS[text.strip()] for result in expand(name))
    form = _FORM.fullmatch(text.strip())
    if form is None:
        head = text.strip().partition("(")[0]
        raise _unknown(text) if known_as(head) is None else _malformed(text)
    meaning = _look_up(form)
    if meaning is None:
        load_plugins()
        meaning = _look_up(form)
    if meaning is None:
        raise _unknown(text)
    entry, spelling, numbers = meaning
    fixed = [*spelling.fixed, *_pairs(form["inside"], text)]
    if form["at"] is not None:  # a cut-off, or a recall level
        value = read_literal(form["at"])
        if isinstance(value, str):
            raise _unknown(text)
        if form["name"] == "rbp" and form["numbers"] is form["inside"] is None:
            # ranx reads the number as p, all others as a cut-off.
            raise ArgumentError(f"{text} has two meanings: write RBP@{value} or RBP(p=0.{value})")
        fixed.append((entry.at or "cutoff", value))
    fixed += _level(form["level"], entry)
    variants = []
    for number in _numbers(numbers, entry, spelling):
        values = dict([*fixed, *number])
        for name, times in Counter(name for name, _ in [*fixed, *number]).items():
            if times > 1:
                raise ArgumentError(f'"{text}" gives {name} more than once')
        variants.append(entry.with_parameters(values))
    return tuple(dict.fromkeys(variants))


def reading(text: str | Measure) -> str | None:
    """Describe how an ambiguous name was interpreted; None for a name with one meaning.

    The text has no full stop at its end.

    Raises
    ------
    UnknownNameError, ArgumentError
        As for :func:`parse`.

    Examples
    --------
    >>> reading("success")
    "success: trec_eval's 3 cut-offs, Success@1 … Success@10"
    >>> reading("precision"), reading("P@10")
    ('precision: SetP, of all retrieved documents as in ranx', None)
    """
    result = expand(text)
    if isinstance(text, Measure):
        return None
    form = _FORM.fullmatch(text.strip())
    meaning = form and _look_up(form)
    if not form or not meaning:
        return None
    entry, spelling, _ = meaning
    if spelling.means:
        return f"{text}: {result[0]}, {spelling.means}"
    if not _is_bare(form):
        return None
    if len(result) > 1:
        return f"{text}: trec_eval's {len(result)} cut-offs, {result[0]} … {result[-1]}"
    note = spelling.note and text != entry.name  # RBP is abrank's name, rbp that of two programs
    return f"{text}: {result[0]}, {spelling.note}" if note else None


def _look_up(form: re.Match[str]) -> tuple[MeasureEntry, Spelling, str | None] | None:
    """Find entry, meaning and numbers of a name; registered names have priority."""
    name, bare = form["name"], _is_bare(form)
    whole = known_as(name + (form["suffix"] or ""))
    if form["suffix"] and whole is not None:  # a registered name that ends in a number: top_10
        return whole, Spelling(whole.name), None
    entry, folded = known_as(name), name.casefold()
    if bare and folded in BARE and (entry is None or entry.name.casefold() != folded):
        spelling: Spelling | None = BARE[folded]
    else:
        spelling = spelling_of(name)
        if entry is not None and (spelling is None or spelling.name != entry.name):
            spelling = Spelling(entry.name)
    entry = known_as(spelling.name) if spelling is not None else None
    if spelling is None or entry is None:
        return None
    return entry, spelling, form["numbers"] or (spelling.bare if bare else None)


def _is_bare(form: re.Match[str]) -> bool:
    """Whether the name has no suffix that would make it unambiguous."""
    return form["numbers"] is form["inside"] is form["at"] is None


def _numbers(
    text: str | None, entry: MeasureEntry, spelling: Spelling
) -> list[list[tuple[str, object]]]:
    if not text:
        return [[]]
    notation = spelling.numbers
    if notation is None or (notation is GAINS and "=" not in text):  # map_10, ndcg_10
        notation = list_of(entry.at or "cutoff")
    return [list(zip(notation.parameters, values, strict=True)) for values in notation.read(text)]


def _pairs(inside: str | None, text: str) -> list[tuple[str, object]]:
    pairs, end = [], 0
    while inside is not None and end < len(inside.rstrip()):
        pair = _PAIR.match(inside, end)
        if pair is None:
            raise _malformed(text)
        pairs.append((pair[1], read_literal(pair[2])))
        end = pair.end()
    return pairs


def _level(level: str | None, entry: MeasureEntry) -> list[tuple[str, object]]:
    """Parse ranx's ``-lN``: grades from N are relevant, and lower ones have no gain."""
    if level is None:
        return []
    names = [parameter.name for parameter in entry.parameters]
    if "gains" in names and "rel" not in names:
        below = dict.fromkeys(range(1, int(level)), 0)
        return [("gains", below)] if below else []
    return [("rel", int(level))]


def _malformed(text: str) -> ArgumentError:
    form = "NAME(keyword=value,...)@cutoff, for example nDCG(dcg='exp-log2')@10"
    return ArgumentError(f'"{text}" has not the form {form}')


def _unknown(text: str) -> ArgumentError:
    """Return the error for an unknown name; it says so if the text has several names."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 1 and all(known_as(part.partition("@")[0]) for part in parts):
        flags = " ".join(f"-m {part}" for part in parts)
        return ArgumentError(f'"{text}" is {len(parts)} measures: {flags} (measures={parts})')
    if text.casefold() == "all":
        return ArgumentError(
            'no measure is called "all": official or all_trec has those of trec_eval'
        )
    if ABSENT.match(text):
        return ArgumentError(f"trec_eval's {text} is left out: abrank guide trec_eval")
    return UnknownNameError("measure", text, _like(text))


def _like(text: str) -> Iterator[str]:
    """Yield names to suggest: without cut-off, at usual cut-offs and at that of the text."""
    cutoffs = dict.fromkeys([*_COMMON_CUTOFFS, *re.findall(r"@([0-9]{1,6})$", text)])
    yield from (*TREC_EVAL, *OTHERS, *SETS)
    for entry in catalogue().values():
        for name in (*entry.aliases, entry.name):
            yield name
            if entry.at == "cutoff":
                yield from (f"{name}@{cutoff}" for cutoff in cutoffs)


# --- The requested measures: names in any spelling, and options for all of them

INTERPOLATIONS = ("10", "9")
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def parse_measures(
    names: Sequence[str] | str | None,
    *,
    rel: float | None = None,
    judged_only: bool = False,
    interpolation: Interpolation = "10",
) -> tuple[Measure, ...]:
    """Parse measure names, refusing an empty list and one measure named twice."""
    checks.one_of("interpolation", interpolation, INTERPOLATIONS)
    options: dict[str, object] = {"judged_only": judged_only, "interpolation": interpolation}
    if rel is not None:
        options["rel"] = checks.relevant_grade("rel", rel)
    parsed: list[Measure] = []
    single: list[Measure] = []  # named again within a set, such as ndcg_cut and ndcg_cut_15
    for name in listed(names):
        variants = []
        for variant in expand(name):
            values = {key: value for key, value in options.items() if _takes(variant, key)}
            variants.append(variant.entry.with_parameters(values | dict(variant.parameters)))
        new_measures = [variant for variant in variants if variant not in parsed]
        if len(variants) == 1 and variants[0] in single:
            raise ArgumentError(f"measure {variants[0]} is named twice")
        single += variants if len(variants) == 1 else []
        parsed += new_measures
    if not parsed:
        raise ArgumentError("no measure is named")
    return tuple(parsed)


@dataclass(frozen=True)
class RequestedMeasures:
    """The measures by which to score runs, and facts about their names."""

    measures: tuple[Measure, ...]
    # Positions of those named individually rather than by a set of trec_eval.
    named: tuple[int, ...]
    # How ambiguous names were interpreted, and which measures the options do not apply to.
    notes: tuple[str, ...]
    # Measures whose names include the lowest relevant grade; None if an option sets it.
    stating_rel: frozenset[str] | None
    # Default measures; the binary ones are dropped if grades are fractions.
    by_default: frozenset[Measure] = frozenset()

    @classmethod
    def of(
        cls,
        names: Sequence[str] | str | None,
        *,
        further: Sequence[str] = (),
        rel: float | None = None,
        judged_only: bool = False,
        interpolation: Interpolation = "10",
    ) -> RequestedMeasures:
        """Parse names, and append the further ones that are new."""
        defaults = () if names is not None else parse_measures(DEFAULT_MEASURES)
        if further:
            texts = listed(names)
            named = {str(measure) for text in texts for measure in expand(text)}
            texts = [*texts, *(name for name in further if str(parse(name)) not in named)]
            names = list(dict.fromkeys(texts)) if names is None else texts
        parsed = functools.partial(
            parse_measures, rel=rel, judged_only=judged_only, interpolation=interpolation
        )
        measures = parsed(names)
        single = [name for name in listed(names) if name.strip() not in SETS]
        # Describe ambiguous names, and measures that the options do not apply to.
        notes = [note for name in listed(names) if (note := reading(name)) is not None]
        if names is not None:
            notes += [
                f"{name}: {canonical}, as ir_measures has it"
                for name, canonical in zip(_several(names), listed(names), strict=True)
                if str(name) != canonical
            ]
        for option, value in {"rel": rel, "judged_only": judged_only or None}.items():
            unconcerned = [measure.name for measure in measures if not _takes(measure, option)]
            if value is not None and unconcerned:
                notes.append(f"{option}={value} does not concern {', '.join(unconcerned)}")
        return cls(
            measures,
            tuple(map(measures.index, parsed(single))) if single else (),
            tuple(notes),
            stating_rel(names) if rel is None else None,
            frozenset(defaults) - {parse(name) for name in further} if rel is None else frozenset(),
        )

    def for_grades(self, grades: IntArray | FloatArray) -> RequestedMeasures:
        """Drop default measures that need whole grades; refuse requested ones."""
        missing = {m for m in self.by_default if _open_parameters(m) & {"rel", "max_grade"}}
        if not missing or (grades == np.floor(grades)).all():
            require_rel(self.measures, grades, self.stating_rel)
            return self
        staying = replace(self, measures=tuple(m for m in self.measures if m not in missing))
        require_rel(staying.measures, grades, self.stating_rel)
        names = ", ".join(str(measure) for measure in self.measures if measure in missing)
        note = (
            f"the judgments hold fractional grades: {names} left out, since they count a document"
            f" as relevant or not; say from which grade on by {SAY_REL}"
        )
        return replace(
            staying, named=tuple(range(len(staying.measures))), notes=(*self.notes, note)
        )

    def named_among(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """Return the individually named measures, by their names in scores; None for all."""
        names_all = len(self.named) == len(names)
        return None if names_all else tuple(names[index] for index in self.named)


def stating_rel(names: Sequence[str] | str | None) -> frozenset[str]:
    """Return the measures whose names include the lowest relevant grade."""
    texts = [text for text in listed(names) if "rel=" in text]
    return frozenset(str(measure) for text in texts for measure in expand(text))


SAY_REL = "--rel 1 (of compare --config rel=1; Scoring(rel=1))"


def _open_parameters(measure: Measure) -> set[str]:
    return {parameter.name for parameter in measure.entry.parameters} - dict(
        measure.parameters
    ).keys()


def require_rel(
    measures: Sequence[Measure], grades: IntArray | FloatArray, stated: frozenset[str] | None
) -> None:
    """Refuse fractional grades if a measure needs the lowest relevant or the highest grade."""
    # `stated` are the measures for which the user set the lowest relevant grade; None means all.
    fractions = grades[grades != np.floor(grades)]
    if not len(fractions):
        return
    text = f"the judgments hold fractional grades such as {float(fractions[0]):g}"
    for measure in measures:
        open_parameters = _open_parameters(measure)
        if "rel" in open_parameters and stated is not None and str(measure) not in stated:
            raise ArgumentError(
                f"{text}, and {measure} counts a document as relevant or not: say from which grade"
                f" on, as {measure.entry.name}(rel=1), or for all by {SAY_REL}; nDCG and other"
                " measures of gain take fractions"
            )
        if "max_grade" in open_parameters:
            raise ArgumentError(
                f"{text}: say where the scale of {measure} ends, as"
                f" {measure.entry.name}(max_grade=4)"
            )


def listed(names: Sequence[str] | str | None) -> Sequence[str]:
    """Return names as a list; objects of ir_measures or PyTerrier become their names."""
    if names is None:
        return DEFAULT_MEASURES
    return [name if isinstance(name, str) else _called(name) for name in _several(names)]


def _several(names: object) -> list[object]:
    return [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)


def aggregate_of(name: str) -> Aggregate:
    """Return how a measure is aggregated; unknown scores are averaged."""
    measure = known(name)
    return "mean" if measure is None else measure.entry.aggregate


def known_among(name: object, available: Sequence[str]) -> str:
    """Return the available measure that a name in any spelling denotes."""
    meant = str(name if name in available else known(name) or name)  # type: ignore[arg-type]
    if meant in available:
        return meant
    words = {str(name).casefold(), meant.casefold()}
    alike = [other for other in available if other.casefold() in words] or [
        other for other in available if words & name_parts(other)
    ]  # fmt: skip
    if len(alike) == 1:
        return alike[0]
    close = nearest(meant, available)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise ArgumentError(
        f"no measure {name!r} here; there are {', '.join(available) or 'none'}{hint}"
    )


def _called(measure: object) -> str:
    text, module = str(measure), type(measure).__module__
    if module == "ir_measures.providers.runtime_provider":
        raise ArgumentError(
            f"only ir_measures can compute {text}: give its scores,"
            f" compare_scores(ir_measures.iter_calc([{text}], qrels, run_a), …)"
        )
    if module.startswith("ir_measures."):
        params: dict[str, float] = getattr(measure, "params", {})
        if text.startswith("SetF") and "beta" in params:  # as in trec_eval, it means beta squared
            return text.replace(f"beta={params['beta']}", f"beta={params['beta'] ** 0.5!r}")
        if text.startswith("ERR") and "max_grade" not in params:  # ir_measures uses gdeval's scale
            return f"ERR(max_grade=4){text.removeprefix('ERR')}"
    return text


def _takes(measure: Measure, option: str) -> bool:
    """Whether a measure has the parameter with a default; NumRet's rel of None does not count."""
    parameters = measure.entry.parameters
    return any(item.name == option and item.default is not None for item in parameters)


# --- Words in names of costs; a score with such a name needs a declared direction

# Names of quantities for which lower is better.
COSTS = frozenset([
    "latency", "ms", "time", "duration", "elapsed", "second", "ttft", "memory", "mb", "gb",
    "loss", "error", "mae", "mse", "rmse", "wer", "cer", "distance", "regret", "bias",
    "cost", "price", "token", "rank", "position", "reformulation", "bounce", "abandonment",
    "abandoned", "complaint", "churn", "failure", "failed", "timeout", "crash", "violation",
    "perplexity", "ppl", "toxicity", "hallucination", "hallucinated", "refusal",
    "runtime", "sec", "byte", "fp", "fn", "brier", "nll", "fnr", "miss", "wrong",
    "incorrect", "irrelevant", "unsafe", "harm", "harmful", "harmfulness", "maliciousness",
    "dislike", "spam", "duplicate", "retry", "levenshtein", "euclidean", "hamming",
    "delay", "wait", "ttfb", "aht", "dropoff", "dropped", "exit", "unsubscribe", "refund", "pogo",
    "downvote", "negative", "unanswered", "escalation", "jailbreak", "leak", "abandon", "energy",
    "carbon", "kwh", "divergence", "contradiction", "staleness", "backlog",
    "outage", "downtime", "incident", "defect", "bug", "overhead", "stall",
    # French, Spanish, Portuguese and Italian, without accents
    "latence", "temps", "duree", "cout", "erreur", "delai", "attente", "rebond", "perte", "prix",
    "latencia", "tiempo", "duracion", "costo", "coste", "espera", "rebote", "perdida", "precio",
    "tempo", "duracao", "custo", "erro", "errore", "errori", "errores", "latenza", "durata",
    "costi", "perdita", "prezzo", "rimbalzo",
])  # fmt: skip
# Parts of German compounds, and of names in other scripts.
_COMPOUND = re.compile(
    r"(fehler|absprung|abbruch|ausfall|kosten|falsch|verzogerung).*"
    r"|.*(zeit|dauer|kosten|latenz|fehler|sekunden|minuten|verlust)"
    r"|.*(時間|遅延|待ち|エラー|コスト|費用|離脱|时间|延迟|耗时|错误|成本|跳出|시간|지연|오류|비용).*"
    r"|.*(задерж|ошиб|стоимост).*"
)
# A name that ends in one of these is not a cost: token_f1, rank_correlation.
_GAINS = frozenset([
    "f", "precision", "recall", "accuracy", "overlap", "similarity", "correlation", "saved",
    "reduction", "free",
])  # fmt: skip
# Names that are costs by a combination of words: percentiles of a time, no result, no click.
_COST = re.compile(
    r"p(50|75|9\d|999?)|(zero|empty|no)_(click|result|answer)s?(_rate)?|noise_sensitivity"
    r"|false_?[a-z_]+|.*(thumbs?_down|drop_off|off_topic|co2).*"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLURALS = {"losses": "loss", "crashes": "crash", "misses": "miss", "retries": "retry"} | {
    f"{word}s": word for word in COSTS - {"loss", "ms"}
}


def asks_direction(name: str) -> bool:
    """Whether the name of an unknown score contains a word for a cost."""
    spelled = [word.casefold() for word in _WORD.findall(name)]
    plain = "".join(c for c in normalize("NFD", name.casefold()) if not combining(c))
    letters = re.findall(r"[^\W\d_]+", normalize("NFC", plain))
    if spelled[-1:] and spelled[-1] in _GAINS:
        return False
    words = {*spelled, *letters}
    words |= {_PLURALS.get(word, word) for word in words}
    whole = re.sub(r"[ .-]", "_", name.casefold())
    is_cost = words & COSTS or _COST.fullmatch(whole) or any(map(_COMPOUND.fullmatch, letters))
    return bool(is_cost) and not is_known(name)
