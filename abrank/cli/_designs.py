"""Flags that say how queries were sampled and looked at, and what else must hold."""

from __future__ import annotations

import click

from abrank.cli import _options

options = _options.stack(
    click.option(
        "--clusters",
        metavar="FILE|COLUMN",
        help="Queries come in conversations, users or topic variants: a CSV with query_id and one"
        " column, or a column of --segments. Clusters are tested, not single queries.",
    ),
    click.option(
        "--look",
        metavar="K/N",
        help="This is look K of N planned, evenly spaced: it decides by its own boundary.",
    ),
    click.option(
        "--spending",
        type=click.Choice(["obrien-fleming", "pocock"]),
        default="obrien-fleming",
        show_default=True,
        help="How the looks share out alpha: hardly any early, or all alike.",
    ),
    click.option(
        "--anytime",
        type=click.IntRange(1),
        metavar="N",
        help="Decide by a confidence sequence, which holds however often you look; narrowest at N"
        " queries.",
    ),
    click.option(
        "--planned",
        type=click.IntRange(1),
        metavar="N",
        help="N queries are planned in all: each look before spends a share of alpha by the queries"
        " seen. From the second look on with --earlier.",
    ),
    click.option(
        "--earlier",
        type=_options.RUN,
        metavar="FILE",
        help="results.json of the look before this one, which records all looks so far.",
    ),
    click.option(
        "--guard",
        "guards",
        multiple=True,
        metavar="NAME:-X|-X%",
        help="For the gate, this measure must be shown not to lose X, or X% of A's mean, too:"
        " 'R@100:-0.02'. Repeat for more.",
    ),
    click.option(
        "--accept-doubt",
        is_flag=True,
        help="Let the gate pass on doubtful evidence: unjudged documents that favour the system"
        " behind, a sample that is not like the others, one cluster that carries the difference.",
    ),
    click.option(
        "--bayes",
        is_flag=True,
        help="Show the probability that B is better, and that they differ by less than the margin.",
    ),
)
