"""Several collections in numbers at full precision: CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict, astuple, fields
from typing import Any

from abrank._support.display import DIGITS
from abrank.collections import CollectionRow, CollectionsComparison, SummaryRow
from abrank.report.collections.tables import SUMMARIES
from abrank.report.collections.words import cautions
from abrank.report.formats.csv import csv_text
from abrank.report.numbers import checksum, content, layout, plain, to_dict

SCHEMA = "abrank-collections/2"


def collections_csv(found: CollectionsComparison) -> str:
    """Return a row a measure and collection; see :class:`abrank.collections.CollectionRow`."""
    heads = ["measure", *(each.name for each in fields(CollectionRow))]
    rows = [(each.measure, *astuple(row)) for each in found.measures for row in each.rows]
    return csv_text(heads, rows)


def summaries_csv(found: CollectionsComparison) -> str:
    """Return a row a measure and summary, with the prediction interval and the heterogeneity."""
    heads = ["measure", "summary", *(each.name for each in fields(SummaryRow))]
    heads += ["tau", "prediction_low", "prediction_high", "heterogeneity_pvalue", "i_squared"]
    rows = [
        (
            each.measure,
            kind,
            *astuple(getattr(each, kind)),
            each.tau,
            each.prediction_low,
            each.prediction_high,
            each.heterogeneity.pvalue,
            each.heterogeneity.i_squared,
        )
        for each in found.measures
        for kind in SUMMARIES
    ]
    return csv_text(heads, rows)


def collections_dict(found: CollectionsComparison) -> dict[str, Any]:
    """Return everything as dicts, lists, text, numbers and None.

    Keys: ``schema systems alpha settings verdict next_step measures collections provenance``.
    ``settings`` and ``verdict`` are of the mean over all queries, which decides; ``measures`` has
    the summaries, the primary first; ``collections`` is a list of names with the comparison of
    each, as :func:`abrank.report.to_dict` gives it. ``read_first`` where it is misread without.
    """
    first = [str(each) for each in cautions(found, digits=DIGITS) if each.stands_first]
    values: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            **({"read_first": first} if first else {}),
            "systems": {"a": found.baseline, "b": found.candidate},
            "alpha": found.alpha,
            **decided(found),
            "measures": [asdict(each) for each in found.measures],
            "provenance": found.provenance,
        }
    )
    values["collections"] = [
        {"name": name, "comparison": to_dict(each)} for name, each in found.comparisons.items()
    ]
    return values


def decided(found: CollectionsComparison) -> dict[str, Any]:
    """Return the rule, the verdict and the next step of all collections together."""
    whole = content(found.pooled)
    return {key: whole[key] for key in ("settings", "verdict", "next_step")}


def collections_json(found: CollectionsComparison) -> str:
    """Return the text of :func:`collections_dict` with its checksum."""
    values = collections_dict(found)
    return layout({**values, "checksum": checksum(values)}) + "\n"
