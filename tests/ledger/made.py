"""Entries for the tests of ledgers, made of comparisons or by hand."""

from dataclasses import asdict, replace
from functools import cache

import numpy as np

import abrank
from abrank.ledger.entry import LedgerEntry, _digest

QUERIES = tuple(f"q{number}" for number in range(50))


@cache
def comparison(seed: int = 0, gain: float = 0.0, **options) -> abrank.Comparison:
    """B against A on fifty queries, of which only B depends on the seed."""
    baseline = np.random.default_rng(1).uniform(0.2, 0.8, len(QUERIES))
    noise = np.random.default_rng(seed).normal(gain, 0.1, len(QUERIES))
    scores = [dict(zip(QUERIES, values, strict=True)) for values in (baseline, baseline + noise)]
    return abrank.compare_scores(*scores, **options)


def entry(seed: int = 0, **changes) -> LedgerEntry:
    """An entry whose key is right."""
    return keyed(replace(LedgerEntry.of(comparison(0)), pvalue=1 / (seed + 2), **changes))


def keyed(entry: LedgerEntry) -> LedgerEntry:
    """Return an entry under the key of its values."""
    values = asdict(entry)
    selected = {name: value for name, value in values.items() if name not in ("key", "created")}
    return replace(entry, key=_digest(selected))
