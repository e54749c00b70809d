"""Nearly ERR: the four C/W/L measures that come near expected reciprocal rank, which is none."""

from __future__ import annotations

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.rates import patience, rate_of_gain
from abrank.measures.registry.entries import measure


@measure(
    "NERR8",
    bounds=(0, 1),
    source="Azzopardi et al. 2021, eq. 8; cwl_eval cwl_nerr.py",
)
def nearly_err_8(judged: JudgedRun, *, cutoff: int, min_rel: int = 0, max_rel: int) -> FloatArray:
    """Nearly ERR, equation 8: a reader whom a document stops with its gain, down to rank k.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    cutoff : int
        The last rank looked at, from 1; at most 1,000.
    min_rel : int
        The highest grade without gain, from 0.
    max_rel : int
        The lowest grade with a gain of 1; between the two, the gain is on a line.

    Returns
    -------
    float64[n_queries]
        Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
        retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1, ``min_rel`` below 0 or ``max_rel`` not above it.

    Notes
    -----
    With gain(i) from 0 to 1, the reader goes on from rank i with probability

        C(i) = 1 - gain(i) for i < k, and 0 at k

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1)
    [1]_. k counts to 1,000. A grade above ``max_rel`` counts as
    ``max_rel``. Equals cwl_eval, and so ir_measures, where no scores are tied [2]_.

    References
    ----------
    .. [1] Azzopardi, Mackenzie & Moffat (2021), ERR is not C/W/L: exploring the relationship
       between expected reciprocal rank and other metrics, ICTIR, eq. 8.
    .. [2] Azzopardi, Thomas & Moffat (2019), cwl_eval: an evaluation tool for information
       retrieval, SIGIR; cwl_eval cwl_nerr.py.

    Examples
    --------
    >>> nearly_err_8(JudgedRun.from_grades([[1, 0, 2], [0]]), cutoff=3, max_rel=2).round(4)
    array([0.5, 0. ])
    """
    return rate_of_gain(
        judged,
        lambda seen: 1.0 - seen.gain,
        cutoff=cutoff,
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure(
    "NERR9",
    bounds=(0, 1),
    source="Azzopardi et al. 2021, eq. 9; cwl_eval cwl_nerr.py",
)
def nearly_err_9(judged: JudgedRun, *, cutoff: int, min_rel: int = 0, max_rel: int) -> FloatArray:
    """Nearly ERR, equation 9: as equation 8, with patience that falls as one over the rank.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    cutoff : int
        The last rank looked at, from 1; at most 1,000.
    min_rel : int
        The highest grade without gain, from 0.
    max_rel : int
        The lowest grade with a gain of 1; between the two, the gain is on a line.

    Returns
    -------
    float64[n_queries]
        Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
        retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1, ``min_rel`` below 0 or ``max_rel`` not above it.

    Notes
    -----
    With gain(i) from 0 to 1, the reader goes on from rank i with probability

        C(i) = i / (i + 1) * (1 - gain(i)) for i < k, and 0 at k

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1)
    [1]_. k counts to 1,000. A grade above ``max_rel`` counts as
    ``max_rel``. Equals cwl_eval, and so ir_measures, where no scores are tied [2]_.

    References
    ----------
    .. [1] Azzopardi, Mackenzie & Moffat (2021), ERR is not C/W/L: exploring the relationship
       between expected reciprocal rank and other metrics, ICTIR, eq. 9.
    .. [2] Azzopardi, Thomas & Moffat (2019), cwl_eval: an evaluation tool for information
       retrieval, SIGIR; cwl_eval cwl_nerr.py.

    Examples
    --------
    >>> nearly_err_9(JudgedRun.from_grades([[1, 0, 2], [0]]), cutoff=3, max_rel=2).round(4)
    array([0.4706, 0.    ])
    """
    return rate_of_gain(
        judged,
        lambda seen: seen.rank / (seen.rank + 1.0) * (1.0 - seen.gain),
        cutoff=cutoff,
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure(
    "NERR10",
    bounds=(0, 1),
    source="Azzopardi et al. 2021, eq. 10; cwl_eval cwl_nerr.py",
)
def nearly_err_10(
    judged: JudgedRun, *, p: float = 0.9, min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Nearly ERR, equation 10: a reader whom a document stops with its gain, or patience with p.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    p : float
        Probability of going on from a document without gain, between 0 and 1.
    min_rel : int
        The highest grade without gain, from 0.
    max_rel : int
        The lowest grade with a gain of 1; between the two, the gain is on a line.

    Returns
    -------
    float64[n_queries]
        Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
        retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``p`` is not between 0 and 1, ``min_rel`` below 0 or ``max_rel`` not above it.

    Notes
    -----
    With gain(i) from 0 to 1, the reader goes on from rank i with probability

        C(i) = p * (1 - gain(i))

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1)
    [1]_. The sums end at rank 1,000, as in cwl_eval. A grade above ``max_rel`` counts as
    ``max_rel``. Equals cwl_eval, and so ir_measures, where no scores are tied [2]_.

    References
    ----------
    .. [1] Azzopardi, Mackenzie & Moffat (2021), ERR is not C/W/L: exploring the relationship
       between expected reciprocal rank and other metrics, ICTIR, eq. 10.
    .. [2] Azzopardi, Thomas & Moffat (2019), cwl_eval: an evaluation tool for information
       retrieval, SIGIR; cwl_eval cwl_nerr.py.

    Examples
    --------
    >>> nearly_err_10(JudgedRun.from_grades([[1, 0, 2], [0]]), max_rel=2).round(4)
    array([0.4879, 0.    ])
    """
    persistence = checks.fraction("p", p)
    return rate_of_gain(
        judged,
        lambda seen: persistence * (1.0 - seen.gain),
        min_rel=min_rel,
        max_rel=max_rel,
    )


@measure(
    "NERR11",
    bounds=(0, 1),
    source="Azzopardi et al. 2021, eq. 11; cwl_eval cwl_nerr.py",
)
def nearly_err_11(
    judged: JudgedRun, *, T: float = 1.0, min_rel: int = 0, max_rel: int
) -> FloatArray:
    """Nearly ERR, equation 11: a reader whom a document stops with its gain, or INSQ's patience.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    T : float
        Gain that a reader hopes for, in documents of gain 1; above 0.
    min_rel : int
        The highest grade without gain, from 0.
    max_rel : int
        The lowest grade with a gain of 1; between the two, the gain is on a line.

    Returns
    -------
    float64[n_queries]
        Unitless, a gain per look in [0, 1]; 0 where no document with a grade above ``min_rel`` was
        retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``T`` is not above 0, ``min_rel`` below 0 or ``max_rel`` not above it.

    Notes
    -----
    With gain(i) from 0 to 1, the reader goes on from rank i with probability

        C(i) = ((i + 2 * T - 1) / (i + 2 * T))**2 * (1 - gain(i))

    and the value is the sum of W(i) * gain(i) over the sum of W(i), W(i) = C(1) * ... * C(i - 1)
    [1]_. The sums end at rank 1,000, as in cwl_eval. A grade above ``max_rel`` counts as
    ``max_rel``. Equals cwl_eval, and so ir_measures, where no scores are tied [2]_.

    References
    ----------
    .. [1] Azzopardi, Mackenzie & Moffat (2021), ERR is not C/W/L: exploring the relationship
       between expected reciprocal rank and other metrics, ICTIR, eq. 11.
    .. [2] Azzopardi, Thomas & Moffat (2019), cwl_eval: an evaluation tool for information
       retrieval, SIGIR; cwl_eval cwl_nerr.py.

    Examples
    --------
    >>> nearly_err_11(JudgedRun.from_grades([[1, 0, 2], [0]]), max_rel=2).round(4)
    array([0.4639, 0.    ])
    """
    hope = checks.positive("T", T)
    return rate_of_gain(
        judged,
        lambda seen: patience(seen.rank, hope) * (1.0 - seen.gain),
        min_rel=min_rel,
        max_rel=max_rel,
    )
