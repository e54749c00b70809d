"""Measures that model a user who scans the ranking and stops somewhere: RBP, ERR and C/W/L."""

# SDCG, BPM, INSQ, INST and the four approximations of ERR belong to the C/W/L framework (see
# `abrank/measures/kernels.py`), with gains from 0 to 1 and a value that is gain per look. Grades
# above `max_rel` count as `max_rel`. Sums end at rank 1,000, as in cwl_eval. All equal cwl_eval,
# and so ir_measures, if no scores are tied.

from __future__ import annotations

from typing import Literal

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import cascade, scale_of
from abrank.measures.kernels import Hits, patience, rate_of_gain
from abrank.measures.registry import Measure, measure

# --- Users who scan the ranking and stop somewhere: RBP and ERR


@measure("RBP", bounds=(0, 1), source="Moffat & Zobel 2008, eq. 4")
def rank_biased_precision(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1, p: float = 0.8
) -> FloatArray:
    """Rank-biased precision: gain of a reader who continues after each rank with probability p.

    Unitless, in [0, 1), and never above 1 - p**R with R relevant documents; 0 where no relevant
    document was retrieved.

    RBP = (1 - p) * sum over relevant documents at rank r of p**(r - 1) [1]_. The gain is 0 or 1 and
    p is 0.8 by default, as in ir_measures. trec_eval 10.0 ``rbp`` has p = 0.9, but it reads
    uninitialised memory for graded gains, so it is no reference.

    Examples
    --------
    Relevant documents at ranks 1 and 3: 0.5 * (1 + 0.25).

    >>> rank_biased_precision(JudgedRun.from_grades([[1, 0, 1], [0]]), p=0.5)
    array([0.625, 0.   ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    persistence = checks.fraction("p", p)
    weights = (1.0 - persistence) * np.float_power(persistence, hits.rank - 1)
    return judged.total(hits.query, weights)


@measure(
    "ERR", bounds=(0, 1), source="Chapelle et al. 2009, eq. 4; gdeval.pl of the TREC Web Track"
)
def expected_reciprocal_rank(
    judged: JudgedRun, *, cutoff: int | None = None, max_grade: int | None = None
) -> FloatArray:
    """ERR: expected reciprocal rank of the document that satisfies a reader who goes down.

    Unitless, in [0, 1), below 1 even for the ideal ranking; 0 where no document with a grade above
    0 was retrieved.

    A document of grade g satisfies with probability s(g) = (2**g - 1) / 2**max_grade; grades below
    0 count as 0 [1]_:

        ERR = sum over ranks r of (1 / r) * s(g_r) * product over i < r of (1 - s(g_i))

    Values for different ``max_grade`` are not comparable, so state it if qrels may differ.
    ``max_grade=4`` equals gdeval.pl, which rounds to 5 digits.

    Parameters
    ----------
    max_grade : int, optional
        Highest grade of the scale, from 1; ``None`` uses the highest grade in the qrels, over all
        queries. The TREC Web Track's gdeval.pl uses 4.

    Examples
    --------
    Grades 1 and 2 on a scale up to 2: 1/4 at rank 1, then 3/4 * 3/4 at rank 2.

    >>> expected_reciprocal_rank(JudgedRun.from_grades([[1, 2], [0]]))
    array([0.53125, 0.     ])
    """
    return cascade(judged, lambda rank: 1.0 / rank, cutoff=cutoff, max_grade=max_grade)


def resolved(measure: Measure, judged: JudgedRun) -> Measure:
    """Set the highest grade of the scale, if a measure takes it from the judgments."""
    # Other measures are not changed; the values stay the same.
    parameters = dict(measure.parameters)
    names = [parameter.name for parameter in measure.entry.parameters]
    if "max_grade" not in names or "max_grade" in parameters:
        return measure
    # If nothing is relevant, every scale gives 0.
    return measure.entry.with_parameters(
        {**parameters, "max_grade": max(scale_of(judged, None), 1)}
    )


# --- C/W/L framework: SDCG, BPM, INSQ, INST, and four approximations of ERR


@measure("SDCG", bounds=(0, 1), source="Järvelin & Kekäläinen 2002; cwl_eval cwl_dcg.py")
def scaled_discounted_cumulative_gain(
    judged: JudgedRun, *, cutoff: int, dcg: Literal["log2"] = "log2", min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Scaled discounted cumulative gain: DCG divided by that of k documents of the top grade.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    With gain(r) from 0 to 1 at rank r:

        SDCG@k = sum over r to k of gain(r) / log2(r + 1)  over  sum over r to k of 1 / log2(r + 1)

    with the discount of DCG [1]_. So a query with fewer than k documents of the highest grade
    cannot reach 1. A grade above ``max_rel`` counts as ``max_rel``. Equals cwl_eval, and so
    ir_measures, if no scores are tied; in all of them k is at most 1,000.

    Parameters
    ----------
    dcg : {"log2"}
        The only discount.

    Examples
    --------
    Half of the highest gain at rank 1, divided by 1 + 1/log2(3):

    >>> scaled_discounted_cumulative_gain(
    ...     JudgedRun.from_grades([[1, 0], [0]]), cutoff=2, max_rel=2
    ... ).round(4)
    array([0.3066, 0.    ])
    """
    checks.one_of("dcg", dcg, ("log2",))
    return rate_of_gain(
        judged,
        lambda reader: np.log2(reader.rank + 1.0) / np.log2(reader.rank + 2.0),
        cutoff=cutoff,
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure("BPM", bounds=(0, 1), source="Zhang et al. 2017; cwl_eval cwl_bpm.py")
def bejeweled_player_model(
    judged: JudgedRun, *, cutoff: int, T: float = 1.0, min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Bejeweled player model: gain per document of a reader who stops with enough gain or at k.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    The reader looks at ranks 1 to n: n is the first rank at which the gains add up to ``T``, or k
    if that comes first.

        BPM@k = sum of gain(r) for r from 1 to n, over n

    This is the static model, with equal cost for every document [1]_. A grade above ``max_rel``
    counts as ``max_rel``. Because a reader who is satisfied stops earlier, a better document higher
    up can lower the value: gains of 0, 0.9, 1 give 1.9/3, and 0, 1, 0.9 give 1/2. Equals
    cwl_eval, and so ir_measures, if no scores are tied; in all of them k is at most 1,000. cwl_eval
    adds rounded gains and may miss ``T`` by one bit; here grades are added and then divided.

    Examples
    --------
    Satisfied at rank 2 of 5; never satisfied:

    >>> bejeweled_player_model(JudgedRun.from_grades([[0, 1], [0]]), cutoff=5, max_rel=1)
    array([0.5, 0. ])
    """
    hope = checks.positive("T", T)
    return rate_of_gain(
        judged,
        lambda reader: np.where(reader.gain_so_far < hope, 1.0, 0.0),
        cutoff=cutoff,
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure("INSQ", bounds=(0, 1), source="Moffat et al. 2012; cwl_eval cwl_insq.py")
def insq(judged: JudgedRun, *, T: float = 1.0, min_rel: int = 0, max_rel: int) -> FloatArray:
    """INSQ: gain per document of a reader who goes further the more documents are wanted.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    After rank i the reader continues with a probability that grows with i, whatever was found [1]_:

        C(i) = ((i + 2 * T - 1) / (i + 2 * T))**2

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1).
    The sums end at rank 1,000, as in cwl_eval; later ranks would have a weight of about 2 * T /
    1000. A grade above ``max_rel`` counts as ``max_rel``. Equals cwl_eval, and so ir_measures, if
    no scores are tied.

    Examples
    --------
    >>> insq(JudgedRun.from_grades([[1, 0, 1], [0]]), max_rel=1).round(4)
    array([0.4853, 0.    ])
    """
    hope = checks.positive("T", T)
    return rate_of_gain(
        judged, lambda reader: patience(reader.rank, hope), min_rel=min_rel, max_rel=max_rel
    )


@measure("INST", bounds=(0, 1), source="Moffat et al. 2015; cwl_eval cwl_inst.py")
def inst(judged: JudgedRun, *, T: float = 1.0, min_rel: int = 0, max_rel: int) -> FloatArray:
    """INST: gain per document of a reader who stops earlier the more of the wanted gain is found.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    With G(i) the sum of gains up to rank i, the reader continues with probability [1]_

        C(i) = ((i + 2 * T - G(i) - 1) / (i + 2 * T - G(i)))**2

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1).
    For ``T`` below 0.5, C could exceed 1. The sums end at rank 1,000, as in cwl_eval. A grade above
    ``max_rel`` counts as ``max_rel``. Equals cwl_eval, and so ir_measures, if no scores are tied.

    Parameters
    ----------
    T : float
        Gain that a reader hopes for, in documents of gain 1; at least 0.5.

    Examples
    --------
    >>> inst(JudgedRun.from_grades([[1, 0, 1], [0]]), max_rel=1).round(4)
    array([0.7233, 0.    ])
    """
    hope = checks.positive("T", T)
    if hope < 0.5:
        raise ArgumentError(f"T must be at least 0.5, not {T!r}")
    return rate_of_gain(
        judged,
        lambda reader: patience(reader.rank, hope - reader.gain_so_far / 2.0),
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure("NERR8", bounds=(0, 1), source="Azzopardi et al. 2021, eq. 8; cwl_eval cwl_nerr.py")
def nearly_err_8(judged: JudgedRun, *, cutoff: int, min_rel: int = 0, max_rel: int) -> FloatArray:
    """Near ERR, equation 8: the gain of a document is the probability to stop, down to rank k.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    The reader continues from rank i with probability

        C(i) = 1 - gain(i) for i < k, and 0 at k

    and the value is the gain per look, as in cwl_eval [1]_.

    Examples
    --------
    >>> nearly_err_8(JudgedRun.from_grades([[1, 0, 2], [0]]), cutoff=3, max_rel=2).round(4)
    array([0.5, 0. ])
    """
    return rate_of_gain(
        judged, lambda reader: 1.0 - reader.gain, cutoff=cutoff, min_rel=min_rel, max_rel=max_rel
    )


@measure("NERR9", bounds=(0, 1), source="Azzopardi et al. 2021, eq. 9; cwl_eval cwl_nerr.py")
def nearly_err_9(judged: JudgedRun, *, cutoff: int, min_rel: int = 0, max_rel: int) -> FloatArray:
    """Near ERR, equation 9: like equation 8, with patience that falls as one over the rank.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    The reader continues from rank i with probability

        C(i) = i / (i + 1) * (1 - gain(i)) for i < k, and 0 at k

    and the value is the gain per look, as in cwl_eval [1]_.

    Examples
    --------
    >>> nearly_err_9(JudgedRun.from_grades([[1, 0, 2], [0]]), cutoff=3, max_rel=2).round(4)
    array([0.4706, 0.    ])
    """
    return rate_of_gain(
        judged,
        lambda reader: reader.rank / (reader.rank + 1.0) * (1.0 - reader.gain),
        cutoff=cutoff,
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure("NERR10", bounds=(0, 1), source="Azzopardi et al. 2021, eq. 10; cwl_eval cwl_nerr.py")
def nearly_err_10(
    judged: JudgedRun, *, p: float = 0.9, min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Near ERR, equation 10: like equation 8, and the reader continues with probability p.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    The reader continues from rank i with probability

        C(i) = p * (1 - gain(i))

    and the value is the gain per look, as in cwl_eval [1]_.

    Parameters
    ----------
    p : float
        Probability of continuing after a document without gain, between 0 and 1.

    Examples
    --------
    >>> nearly_err_10(JudgedRun.from_grades([[1, 0, 2], [0]]), max_rel=2).round(4)
    array([0.4879, 0.    ])
    """
    persistence = checks.fraction("p", p)
    return rate_of_gain(
        judged, lambda reader: persistence * (1.0 - reader.gain), min_rel=min_rel, max_rel=max_rel
    )


@measure("NERR11", bounds=(0, 1), source="Azzopardi et al. 2021, eq. 11; cwl_eval cwl_nerr.py")
def nearly_err_11(
    judged: JudgedRun, *, T: float = 1.0, min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Near ERR, equation 11: like equation 8, and the reader continues as in INSQ.

    Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
    retrieved.

    The reader continues from rank i with probability

        C(i) = ((i + 2 * T - 1) / (i + 2 * T))**2 * (1 - gain(i))

    and the value is the gain per look, as in cwl_eval [1]_.

    Examples
    --------
    >>> nearly_err_11(JudgedRun.from_grades([[1, 0, 2], [0]]), max_rel=2).round(4)
    array([0.4639, 0.    ])
    """
    hope = checks.positive("T", T)
    return rate_of_gain(
        judged,
        lambda reader: patience(reader.rank, hope) * (1.0 - reader.gain),
        min_rel=min_rel,
        max_rel=max_rel,
    )
