"""What a report says of statistics that were merged: how, and what that rounds and leaves out."""

from __future__ import annotations

from abrank._support import display as f
from abrank.comparison.rows import MergedQueries

LEFT_OUT = (
    "Scores of single queries, and what is drawn or computed from them (the list of all queries,"
    " scatter and deltas, sensitivity analysis, ranking quality by depth): the statistics of"
    " partitions were merged. --keep-scores DIR keeps these scores as Parquet."
)


def sentence(found: MergedQueries) -> str:
    """Say how many partitions were merged, and how the differences were counted.

    Examples
    --------
    >>> print(sentence(MergedQueries(9, 2, 0, 0.0, (), 8.0, "", (), (), (), ())))
    The statistics of 2 partitions were merged; each difference was counted by itself, to 10 decimals.
    """  # noqa: E501
    partitions = f.plural(found.n_partitions, "partition")
    skipped = ""
    if found.n_skipped:
        was = "was" if found.n_skipped == 1 else "were"
        skipped = f" ({f.count(found.n_skipped)} {was} skipped)"
    counted = "each difference was counted by itself, to 10 decimals"
    if found.step:
        counted = f"differences were counted in bins {f.number_short(found.step)} wide"
    return f"The statistics of {partitions}{skipped} were merged; {counted}."


def rounding(found: MergedQueries) -> str:
    """Say what the counting rounds, and by how much at most."""
    said = sentence(found)
    if not found.step:
        return said
    return (
        f"{said} The t test, the wins and the sign test come from exact sums and counts. The p of"
        " the sign-flip and the Wilcoxon test lies between the bounds shown, quantiles and the"
        " limits of sign flips and bootstrap are off by no more than the width of a bin."
    )
