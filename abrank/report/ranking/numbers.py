"""A ranking in numbers at full precision: CSV and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

from abrank._support.display import DIGITS
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.report.formats.csv import csv_text
from abrank.report.numbers import checksum, layout, plain
from abrank.report.ranking.cautions import of_runs

SCHEMA = "abrank-ranking/2"


def ranking_csv(ranking: Ranking, *, pairs: bool = False) -> str:
    """Return the leaderboards of all measures, or all pairs, as CSV at full precision.

    The first column is the measure; the others are those of :class:`abrank.ranking.SystemRow` or
    :class:`abrank.ranking.PairRow`. What is not a finite number is an empty cell.
    """
    kind = PairRow if pairs else SystemRow
    rows: list[tuple[Any, ...]] = []
    for each in ranking.by_measure:
        found: Sequence[Any] = each.pair_rows if pairs else each.rows
        rows += [(each.measure, *astuple(row)) for row in found]
    return csv_text(["measure", *(each.name for each in fields(kind))], rows)


def ranking_dict(ranking: Ranking) -> dict[str, Any]:
    """Return everything as dicts, lists, text, numbers and None.

    Keys: ``schema measure higher_is_better n_queries settings seed method n_resamples systems pairs
    shares queries cautions quality provenance secondary notes stability n_drawn agreements overlaps
    beside spread``, ``extras`` where asked for, and ``read_first`` where it is misread without. A
    number that is not defined is None, an infinite limit is the text ``"inf"`` or ``"-inf"``.
    ``systems`` and ``pairs`` are rows as :class:`abrank.ranking.SystemRow` and
    :class:`abrank.ranking.PairRow` describe them, of the measure that orders. ``queries`` is
    columnar: ``query_id`` and under ``scores`` a list a system, in the same order. ``secondary`` is
    a list of the further measures, each with ``measure higher_is_better method n_resamples systems
    pairs shares scores``.
    """
    facts = _facts(ranking)
    first = [str(each) for each in of_runs(ranking, digits=DIGITS) if each.stands_first]
    scores = facts.pop("scores")
    found: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            **({"read_first": first} if first else {}),
            "measure": facts.pop("measure"),
            "higher_is_better": facts.pop("higher_is_better"),
            "n_queries": ranking.n_queries,
            "settings": {
                "test": ranking.test,
                "title": ranking.title,
                "alpha": ranking.alpha,
                "baseline": ranking.baseline,
                "baselines": ranking.baselines,
                "adjust": ranking.adjust,
                "family": ranking.family,
                "n_families": ranking.n_families,
            },
            "seed": ranking.seed,
            **facts,
            "queries": {"query_id": ranking.query_ids, "scores": scores},
            "cautions": ranking.cautions,
            "quality": ranking.audits,
            "provenance": ranking.provenance,
            "secondary": [_facts(each) for each in ranking.secondary],
            "notes": ranking.notes,
            "stability": ranking.stability,
            "n_drawn": ranking.n_drawn,
            "agreements": ranking.agreements,
            "overlaps": ranking.overlaps,
            "beside": ranking.beside,
            "spread": ranking.spread,
        }
    )
    if ranking.extras.instruments or ranking.extras.risk:
        found["extras"] = plain(ranking.extras)
    return found


def _facts(ranking: Ranking) -> dict[str, Any]:
    """Return what belongs to one measure."""
    return {
        "measure": ranking.measure,
        "higher_is_better": ranking.higher_is_better,
        "method": ranking.method,
        "n_resamples": ranking.n_resamples,
        "systems": ranking.rows,
        "pairs": ranking.pair_rows,
        "shares": ranking.shares,
        "scores": {system: ranking.scores[:, i] for i, system in enumerate(ranking.systems)},
    }


def ranking_json(ranking: Ranking) -> str:
    """Return the text of :func:`ranking_dict`: one line a fact, a list of numbers on one line."""
    found = ranking_dict(ranking)
    return layout({**found, "checksum": checksum(found)}) + "\n"
