"""Help whose flags stand in groups, for a command that has too many for one list."""

from __future__ import annotations

import click

from abrank.cli._options import ENGINE, READING

# By the names of their parameters: what stands under which heading. A command shows its own.
GROUPS = {
    "Inputs": (
        "scores", "ready", "joined", "collections", "config", "topics", "docs", "segments",
        "baseline", "candidate",
    ),
    "Planning": ("against", "effects", "width", "target", "sd", "queries"),
    "Measures and tests": (
        "measures", "measure", "baselines", "primary", "margin", "alpha", "test", "tests", "adjust",
        "family", "lower_is_better", "higher_is_better", "resamples", "replications", "seed",
    ),
    "Gates": ("require", "fail_on", "guards", "accept_doubt"),
    "Designs and further analyses": (
        "clusters", "look", "spending", "anytime", "planned", "earlier", "bayes", "instruments",
        "risk",
    ),
    "Judgments by a machine": (
        "machine_qrels", "machine_scores", "machine_queries", "machine_judge", "shared_model",
        "correlations",
    ),
    "Scoring of runs": READING,
    "Large runs": (*ENGINE, "merged"),
    "Output": (
        "reports", "figures", "all_figures", "shown", "pairs", "per_query", "interval", "digits",
        "style", "color", "ascii_only", "quiet", "verbose", "list_measures",
    ),
}  # fmt: skip
# Flags of at most so many characters have their text beside them; all texts begin in one column.
WIDE = 30


class Grouped(click.Command):
    """A command whose help shows its flags under the headings of ``GROUPS``."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each flag under the first heading that has it."""
        rows = {
            parameter.name: record
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(ctx)) is not None
        }
        grouped = {
            heading: [rows.pop(name) for name in names if name in rows]
            for heading, names in GROUPS.items()
        }
        grouped["Output"] += rows.values()  # click's own: --help
        for heading, shown in grouped.items():
            if shown:
                with formatter.section(heading):
                    formatter.write_dl([(flag.ljust(WIDE), text) for flag, text in shown])
