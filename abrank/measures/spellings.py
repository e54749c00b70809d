"""Names of measures in trec_eval, pytrec_eval and ranx, and their notation of parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from abrank._support.errors import ArgumentError
from abrank.measures.registry import Measure, Value, read_literal

# --- The notation of parameters after a name, such as 5,10 in ``P_5,10``


@dataclass(frozen=True)
class Notation:
    """The part after ``.`` or ``_``: parsed as parameter values, and formatted like trec_eval."""

    parameters: tuple[str, ...]
    read: Callable[[str], list[tuple[object, ...]]]
    write: Callable[..., str]


def list_of(parameter: str, form: str = "%s") -> Notation:
    """Return the notation for a list of numbers, one measure each; ``form`` is trec_eval's."""

    def read(text: str) -> list[tuple[object, ...]]:
        if parameter == "cutoff" and re.fullmatch(r"[1-9][0-9]*(\.[0-9]+)+", text):
            with_commas = text.replace(".", ",")
            raise ArgumentError(f"cut-offs have commas between them: {with_commas}, not {text}")
        return [(number,) for number in _read_numbers(text)]

    return Notation((parameter,), read, lambda value: form % value)


def tuple_of(*parameters: str) -> Notation:
    """Return the notation for one number per parameter, in their order."""

    def read(text: str) -> list[tuple[object, ...]]:
        numbers = _read_numbers(text)
        if len(numbers) != len(parameters):
            raise ArgumentError(f'"{text}" should be {len(parameters)} numbers')
        return [tuple(numbers)]

    return Notation(parameters, read, lambda *values: ",".join(f"{value:g}" for value in values))


def _read_numbers(text: str) -> list[object]:
    return [read_literal(number) for number in text.split(",")]


def _read_gains(text: str) -> list[tuple[object, ...]]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    return [({read_literal(grade): read_literal(gain) for grade, _, gain in pairs},)]


def _read_squares(text: str) -> list[tuple[object, ...]]:
    # Texts that are no numbers, or negative, are kept: the measure refuses them by name.
    return [
        (math.sqrt(number) if isinstance(number, (int, float)) and number >= 0 else number,)
        for number in _read_numbers(text)
    ]


def _read_persistence(text: str) -> list[tuple[object, ...]]:
    # trec_eval writes rbp.p=0.95; ranx writes rbp.95, with the digits after the point.
    named = text.startswith("p=") or "." in text
    return [(read_literal(text.removeprefix("p=") if named else f"0.{text}"),)]


CUTOFFS = list_of("cutoff", "%d")
RECALLS = list_of("recall", "%3.2f")
MULTIPLES = list_of("multiple", "%3.2f")
LEVELS = Notation(
    ("levels",),
    lambda text: [(_read_numbers(text),)],
    # .25,.5: without the zero, as in trec_eval's tests
    lambda levels: ",".join(f"{level:g}".removeprefix("0") or "0" for level in levels),
)
GAINS = Notation(
    ("gains",), _read_gains, lambda gains: ",".join(f"{grade}={gain:g}" for grade, gain in gains)
)
BETA_SQUARED = Notation(("beta",), _read_squares, lambda beta: f"{beta**2:g}")
PERSISTENCE = Notation(("p",), _read_persistence, lambda p: f"p={p:g}")
WORTHS = tuple_of("relevant_retrieved", "others_retrieved", "relevant_missed", "others_missed")


# --- The names of trec_eval, pytrec_eval and ranx, and trec_eval's output

_NINE = "5,10,15,20,30,100,200,500,1000"
_TENTHS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
_FIFTHS = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"


@dataclass(frozen=True)
class Spelling:
    """The meaning of a name in another program."""

    name: str
    numbers: Notation | None = None
    bare: str = ""
    fixed: tuple[tuple[str, Value], ...] = ()
    note: str = ""  # remark if nothing follows the name
    means: str = ""  # remark in any case


# In trec_eval's order of output (measures.c), which does not depend on the order of requests.
TREC_EVAL = {
    "num_q": Spelling("NumQ"),
    "num_ret": Spelling("NumRet"),
    "num_rel": Spelling("NumRel"),
    "num_rel_ret": Spelling("NumRelRet"),
    "map": Spelling("AP"),
    "gm_map": Spelling("GMAP"),
    "Rprec": Spelling("Rprec"),
    "bpref": Spelling("Bpref"),
    "recip_rank": Spelling("RR"),
    "iprec_at_recall": Spelling("IPrec", RECALLS, _TENTHS),
    "P": Spelling("P", CUTOFFS, _NINE),
    "recall": Spelling("R", CUTOFFS, _NINE),
    "infAP": Spelling("infAP"),
    "gm_bpref": Spelling("GMBpref"),
    "Rprec_mult": Spelling("RprecMult", MULTIPLES, _FIFTHS),
    "utility": Spelling("Utility", WORTHS),
    "11pt_avg": Spelling("AP11", LEVELS),
    "binG": Spelling("binG"),
    "G": Spelling("G", GAINS),
    "dcg": Spelling("DCG", GAINS),
    "ndcg": Spelling("nDCG", GAINS),
    "ndcg_rel": Spelling("nDCGrel", GAINS),
    "Rndcg": Spelling("Rndcg", GAINS),
    "ndcg_cut": Spelling("nDCG", CUTOFFS, _NINE),
    "map_cut": Spelling("AP", CUTOFFS, _NINE),
    "relative_P": Spelling("RelP", CUTOFFS, _NINE),
    "success": Spelling("Success", CUTOFFS, "1,5,10"),
    "set_P": Spelling("SetP"),
    "set_relative_P": Spelling("SetP", fixed=(("relative", True),)),
    "set_recall": Spelling("SetR"),
    "set_map": Spelling("SetAP"),
    "set_F": Spelling("SetF", BETA_SQUARED),
    "num_nonrel_judged_ret": Spelling("NumNonrelJudgedRet"),
    "yaap": Spelling("yaap"),
    "unj": Spelling("Unj", CUTOFFS, "5,10,20"),
}
# Names without an equivalent in trec_eval; its rbp reads uninitialised memory.
OTHERS = {
    "rbp": Spelling("RBP", PERSISTENCE, note="p=0.8 as in ir_measures; trec_eval has p=0.9"),
    "dcg_burges": Spelling("DCG", fixed=(("dcg", "exp-log2"),)),
    "ndcg_burges": Spelling("nDCG", fixed=(("dcg", "exp-log2"),)),
    **dict.fromkeys(
        ("hit_rate", "hit_ratio", "hit", "HR"), Spelling("Success", means="the hit rate")
    ),
    **dict.fromkeys(("reciprocal_rank", "mean_reciprocal_rank"), Spelling("RR")),
    **dict.fromkeys(("average_precision", "mean_average_precision"), Spelling("AP")),
    "expected_reciprocal_rank": Spelling("ERR"),
    "r-precision": Spelling("Rprec"),
    "r_precision": Spelling("Rprec"),
    "set_r": Spelling("SetR"),
    "SetRelP": Spelling("SetP", fixed=(("relative", True),)),
    # from ndeval; its NRBP, nNRBP and strec are the same here
    "alpha-DCG": Spelling("alpha_DCG"),
    "alpha-nDCG": Spelling("alpha_nDCG"),
    "ERR-IA": Spelling("ERR_IA"),
    "nERR-IA": Spelling("nERR_IA"),
    "MAP-IA": Spelling("AP_IA"),
    "P-IA": Spelling("P_IA"),
}
# Words that denote another measure if nothing follows them.
_WHOLE_RUN = "of all retrieved documents as in ranx"
BARE = {"f1": Spelling("SetF", note=_WHOLE_RUN), "precision": Spelling("SetP", note=_WHOLE_RUN)}
# Without runid and relstring, which are text, and without rbp and rbp_resid, which read
# uninitialised memory (m_rbp.c).
_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret")
SETS = {
    "official": (
        *_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P",
    ),
    "set": (*_COUNTS, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_trec": tuple(name for name in TREC_EVAL if name not in ("dcg", "yaap")),
}  # fmt: skip
ABSENT = re.compile(r"prefs_|zscore|runid$|relstring$|\w+_avgjg$")
_BY_FOLDED_NAME = {name.casefold(): spelling for name, spelling in {**TREC_EVAL, **OTHERS}.items()}


def spelling_of(name: str) -> Spelling | None:
    """Return the meaning of a name in another program, in any case, or None."""
    return _BY_FOLDED_NAME.get(name.casefold())


def trec_eval_name(measure: Measure) -> str | None:
    """Return trec_eval's name of a measure; None if it has none."""
    trec_eval = _as_trec_eval(measure)
    return None if trec_eval is None else trec_eval[2]


def without(measure: Measure, values: Mapping[str, object]) -> Measure:
    """Return the measure with parameters reset to defaults if they have these values."""
    left_out = values.items()
    pairs = tuple(pair for pair in measure.parameters if pair not in left_out)
    return Measure(measure.entry, pairs)


def trec_eval_order(measure: Measure) -> tuple[int, float]:
    """Return a key that sorts measures in trec_eval's order of output; others come last."""
    trec_eval = _as_trec_eval(measure)
    if trec_eval is None:
        return len(TREC_EVAL), 0.0
    name, values, _ = trec_eval
    number = values[0] if values else None
    return list(TREC_EVAL).index(name), float(number) if isinstance(number, (int, float)) else 0.0


def _as_trec_eval(measure: Measure) -> tuple[str, tuple[Value, ...], str] | None:
    """Return trec_eval's name, the values after it, and both as printed."""
    for name, spelling in TREC_EVAL.items():
        parameters = dict(measure.parameters)
        if spelling.name != measure.entry.name or not set(spelling.fixed) <= parameters.items():
            continue
        parameters = {
            key: value for key, value in parameters.items() if key not in dict(spelling.fixed)
        }
        notation = spelling.numbers
        if not parameters and not spelling.bare:
            return name, (), name
        if notation is not None and parameters.keys() <= set(notation.parameters):
            values = tuple(
                parameters.get(parameter, measure.entry.parameter(parameter).default)
                for parameter in notation.parameters
            )
            if None not in values:
                return name, values, f"{name}_{notation.write(*values)}"
    return None
