"""A ledger of earlier comparisons on the same queries: history and error budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import homes, module_getattr

if TYPE_CHECKING:
    from abrank.ledger.entry import LedgerEntry as LedgerEntry
    from abrank.ledger.store import Ledger as Ledger
    from abrank.ledger.store import open_ledger as open_ledger
    from abrank.ledger.summary import ErrorBudget as ErrorBudget
    from abrank.ledger.summary import History as History
    from abrank.ledger.summary import QuerySet as QuerySet
    from abrank.ledger.summary import Spent as Spent
    from abrank.ledger.summary import history as history

_HOMES = homes(
    {
        "abrank.ledger.entry": "LedgerEntry",
        "abrank.ledger.store": "Ledger open_ledger",
        "abrank.ledger.summary": "ErrorBudget History QuerySet Spent history",
    }
)

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
