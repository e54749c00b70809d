"""What is known of the votes behind a comparison, beside each query's share of them."""

from __future__ import annotations

from collections.abc import Mapping

from abrank._support.records import record
from abrank.diagnostics import Note
from abrank.estimate import Estimate
from abrank.inference import TestResult


def share_of_net(found: TestResult) -> Estimate:
    """Return a net share between -1 and 1 as a share from 0 to 1."""
    net = Estimate.of(found)
    estimate, low, high = ((1.0 + each) / 2.0 for each in (net.estimate, *net.interval))
    return Estimate(estimate, low, high, net.pvalue)


@record
class Preferences:
    """What the votes tell of the order in which the two were shown, and what was left out.

    Attributes
    ----------
    n_votes, n_judges : int
        Those used.
    left_out : mapping of str to int
        Votes without a verdict, by what stood in its place.
    shown : mapping of str to int
        Votes by what was shown first: ``a``, ``b``, ``random``, or empty where nobody said.
    n_both : int
        Pairs of verdicts of one judge on one query in both orders.
    n_reversed, n_to_first, n_disagree : int
        Those whose winner is the other one in the other order; of these to the answer shown first;
        and all that differ, a tie against a winner too.
    bias : Estimate, optional
        Share of verdicts for the answer shown first less that for the second, between -1 and 1: by
        the paired t test in both orders, else between the votes of the two orders.
    to_first : Estimate, optional
        Of the reversed ones the share that goes to the answer shown first: exact binomial, which is
        McNemar's exact test of the two orders.
    credits : (float, float), optional
        Of interleaved lists: all credits of A and of B; then a query is an impression.
    n_without_click : int
        Impressions without a credit, which count as ties.
    decided : Estimate, optional
        Of the queries that are no tie the share that B wins, exact; none of clustered queries.
    """

    n_votes: int
    n_judges: int
    left_out: Mapping[str, int]
    shown: Mapping[str, int]
    n_both: int = 0
    n_reversed: int = 0
    n_to_first: int = 0
    n_disagree: int = 0
    bias: Estimate | None = None
    to_first: Estimate | None = None
    decided: Estimate | None = None
    credits: tuple[float, float] | None = None
    n_without_click: int = 0

    @property
    def always_first(self) -> str:
        """The side that was shown first in every vote; empty where it changes or is not known."""
        return next((side for side in "ab" if self.shown[side] == self.n_votes), "")

    def notes(self) -> list[Note]:
        """Return the cautions: one order alone, or nobody said which."""
        if self.always_first:
            return [Note("order-fixed", 3, {"first": self.always_first, "n": self.n_votes})]
        if self.shown[""]:
            return [Note("order-unknown", 2, {"n": self.shown[""], "of": self.n_votes})]
        return []
