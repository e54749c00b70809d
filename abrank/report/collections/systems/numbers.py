"""Many systems on several collections in numbers at full precision: CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict, astuple, fields
from typing import Any

from abrank._support.display import DIGITS
from abrank.collections import CollectionsRanking, Standing, StandingRow
from abrank.collections.ranking import flat
from abrank.ranking import PairRow
from abrank.report.collections.systems.cautions import standings_cautions
from abrank.report.formats.csv import csv_text
from abrank.report.numbers import checksum, layout, plain
from abrank.report.ranking.numbers import ranking_dict

SCHEMA = "abrank-collections-ranking/2"


def standings_csv(found: CollectionsRanking) -> str:
    """Return a row a measure and system; see :class:`abrank.collections.StandingRow`."""
    own = [each.name for each in fields(StandingRow) if each.name not in ("these", "like")]
    both = [f"{which}_{each.name}" for which in ("these", "like") for each in fields(Standing)]
    rows = [(each.measure, *flat(row).values()) for each in found.measures for row in each.rows]
    return csv_text(["measure", *own, *both], rows)


def means_csv(found: CollectionsRanking) -> str:
    """Return a row a measure, collection and system: the mean over its queries."""
    rows = [
        (each.measure, collection, row.system, row.mean, ranking.n_queries)
        for collection, ranking in found.rankings.items()
        for each in ranking.by_measure
        for row in each.rows
    ]
    return csv_text(["measure", "collection", "system", "mean", "n_queries"], rows)


def pairs_csv(found: CollectionsRanking) -> str:
    """Return a row a measure, claim and pair; see :class:`abrank.ranking.PairRow`."""
    rows = [
        (each.measure, claim, *astuple(row))
        for each in found.measures
        for claim, ranking in (("these", each.these), ("like", each.like))
        for row in ranking.pair_rows
    ]
    return csv_text(["measure", "collections", *(each.name for each in fields(PairRow))], rows)


def standings_dict(found: CollectionsRanking) -> dict[str, Any]:
    """Return everything as dicts, lists, text, numbers and None.

    Keys: ``schema alpha n_queries measures collections provenance``. Each of ``measures``, the one
    that orders first, has ``standings``, a row a system, and under ``these`` and ``like`` the
    ranking of the means over the collections as
    :func:`abrank.report.ranking.numbers.ranking_dict` gives it, a collection in the place of a
    query. ``collections`` is a list of names with the ranking of each. ``read_first`` where it is
    misread without.
    """
    first = [str(each) for each in standings_cautions(found, digits=DIGITS) if each.stands_first]
    values: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            **({"read_first": first} if first else {}),
            "alpha": found.alpha,
            "n_queries": found.n_queries,
            "provenance": found.provenance,
        }
    )
    values["measures"] = [
        {
            "standings": plain([asdict(row) for row in each.rows]),
            "these": ranking_dict(each.these),
            "like": ranking_dict(each.like),
        }
        for each in found.measures
    ]
    values["collections"] = [
        {"name": name, "ranking": ranking_dict(each)} for name, each in found.rankings.items()
    ]
    return values


def standings_json(found: CollectionsRanking) -> str:
    """Return the text of :func:`standings_dict` with its checksum."""
    values = standings_dict(found)
    return layout({**values, "checksum": checksum(values)}) + "\n"
