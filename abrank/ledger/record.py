"""Run a comparison at the level that its ledger's error budget allows, and record it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from abrank._support import display as f
from abrank._support.errors import ArgumentError
from abrank.options import Inputs, Question

# Imported late, because most comparisons have no ledger.
if TYPE_CHECKING:
    from abrank.ledger.entry import LedgerEntry
    from abrank.ledger.store import EarlierComparisons, Ledger
    from abrank.ledger.summary import ErrorBudget
    from abrank.rule import Design
    from abrank.verdict import Rule

ResultT = TypeVar("ResultT")


class Recording:
    """One comparison that a ledger records; without a ledger it is only computed."""

    def __init__(self, question: Question, ledger: Ledger | None) -> None:
        self.ledger = ledger
        self.budget: ErrorBudget | None = None
        self.question = question
        self._entry: tuple[LedgerEntry, tuple[str, ...]] | None = None  # and its query ids
        if question.error_budget is None:
            return
        if ledger is None:
            raise ArgumentError(
                "an error budget is shared out over the comparisons of a ledger: give ledger=, too",
                command="an error budget is shared out over the comparisons of a ledger: give"
                " --ledger, too",
            )
        from abrank.ledger.summary import TESTS, ErrorBudget

        self.budget = ErrorBudget.parse(question.error_budget)
        if question.design is not None or question.machine is not None:
            raise ArgumentError(
                "an error budget gives each comparison one level: clusters, looks and a machine's"
                " judgments decide by levels of their own"
            )
        if question.test not in ("t", *TESTS):
            raise ArgumentError(
                f"within an error budget the test is {', '.join(TESTS[:-1])} or {TESTS[-1]}, not"
                f" {question.test}"
            )
        test = question.test if question.test in TESTS else TESTS[0]
        with ledger.earlier() as earlier:
            alpha = float(self.budget.levels(earlier.pvalues(str(self.budget)))[-1])
        self.question = replace(question, alpha=alpha, test=test)

    @property
    def level(self) -> str:
        """The level that remains for a comparison, as a sentence; empty without a budget."""
        if self.budget is None:
            return ""
        from abrank.ledger.summary import level_text

        alpha = level_text(self.question.alpha)
        return f"error budget {self.budget}: a new comparison has the level {alpha}"

    def compare(self, compute: Callable[[Question], ResultT]) -> ResultT:
        """Return the result of ``compute(question)`` with the ledger's remarks."""
        if self.ledger is None:
            return compute(self.question)
        result: Any = compute(self.question)
        from abrank.ledger.entry import LedgerEntry

        budget = "" if self.budget is None else str(self.budget)
        entry = LedgerEntry.of(result, budget=budget)
        with self.ledger.earlier() as earlier:
            if self.budget is not None:
                # An exact repetition gets the same level and spends nothing.
                alpha = earlier.level(entry)
                if alpha is not None and alpha != entry.alpha:
                    self.question = replace(self.question, alpha=alpha)
                    result = compute(self.question)
                    entry = LedgerEntry.of(result, budget=budget)
            remarks = [*self._remarks(earlier, entry, result.rule)]
        self._entry = entry, result.query_ids
        with_remarks: ResultT = replace(result, remarks=(*result.remarks, *remarks))
        return with_remarks

    def _remarks(
        self, earlier: EarlierComparisons, entry: LedgerEntry, rule: Rule
    ) -> Iterator[str]:
        from abrank.ledger.summary import level_text, repetition

        if self.budget is not None:
            alpha = level_text(self.question.alpha)
            yield (
                f"error budget {self.budget}: decided at the level {alpha} by the test"
                f" {self.question.test}; the budget holds {self.budget.promise}"
            )
            if len(earlier) and not earlier.pvalues(str(self.budget)):
                yield (
                    f"error budget {self.budget}: it begins with this comparison;"
                    f" {f.plural(len(earlier), 'earlier comparison')} of this ledger spent nothing"
                    " of it"
                )
        n_used, n_better, chance = earlier.on_queries(entry)
        yield (
            f"ledger: {f.plural(n_used + 1, 'comparison')} on these queries with this one,"
            f" {f.count(n_better + entry.is_better)} found better; were no candidate better, about"
            f" {chance + entry.alpha / 2:.2g} would be by chance"
        )
        gains = {**earlier.candidates(entry), entry.b: entry.gain}
        best = all(gain is not None and gain <= entry.gain for gain in gains.values())
        if best and rule.best_of < len(gains) and self.budget is None:
            yield (
                f"ledger: {f.count(len(gains))} candidates were compared with this baseline on"
                " these queries today, and this one gains most; if it was chosen for that, decide"
                f" with --config best_of={len(gains)} (Question(best_of={len(gains)}))"
            )
        if entry.look and rule.design is not None:
            yield f"ledger: {_looks(earlier.looks(entry), entry, rule.design)}"
        predicted = repetition(entry, earlier.gains(entry))
        if predicted is not None:
            limits = f.interval(predicted.low, predicted.high)
            yield (
                f"ledger: of this gain of {f.signed(entry.gain)} about"
                f" {f.signed(predicted.expected)} is to be expected again ({limits} on as many"
                " other queries)"
            )

    def keep(self) -> None:
        """Write the entry."""
        if self.ledger is not None and self._entry is not None:
            self.ledger.add(*self._entry)


def _looks(looks: Sequence[str], entry: LedgerEntry, design: Design) -> str:
    """Return earlier looks of the same plan as text; refuse a look that does not fit it."""
    if not looks:
        return f"no other look of this plan was taken before look {entry.look}"
    text = f"looks of this plan taken before, by the names of the systems: {', '.join(looks)}"
    before = design.seen[:-1] or range(1, design.look)
    if len({*looks}) == len(looks) and {int(look.split("/")[0].split()[0]) for look in looks} <= {
        *before
    }:
        return f"{text}, as planned"
    return (
        f"{text}. Together they spend more than was planned for all looks, so that a difference is"
        " found where there is none more often than declared"
    )


def recorded(
    answer: Callable[[Inputs, Question], ResultT],
) -> Callable[[Inputs, Question], ResultT]:
    """Wrap a function so that its results are recorded in the question's ledger."""

    def call(inputs: Inputs, question: Question) -> ResultT:
        with recording(question) as record:
            return record.compare(lambda requested: answer(inputs, requested))

    return call


@contextlib.contextmanager
def recording(question: Question) -> Iterator[Recording]:
    """Record a comparison in the question's ledger, if the block ends without error."""
    # With an error budget the ledger is locked, so that comparisons spend one after the other.
    if question.ledger is None:
        yield Recording(question, None)
        return
    from abrank.ledger.store import open_ledger

    ledger = open_ledger(question.ledger, create=True)
    budget = question.error_budget is not None
    with ledger.lock() if budget else contextlib.nullcontext():
        record = Recording(question, ledger)
        yield record
        record.keep()
