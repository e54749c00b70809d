"""A machine's judgments or ready scores, read beside those of people."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abrank import inputs
from abrank._support.errors import ArgumentError
from abrank.comparison.beside import Beside
from abrank.comparison.machine.judgments import MachineScores
from abrank.comparison.pairing import pair_scores
from abrank.options import Engine, Machine, Scoring
from abrank.scoring.evaluate import score_runs, silent
from abrank.scoring.scores import Scores


class MachineSource(Machine):
    """The machine's judgments or ready scores, and how they are read."""

    @classmethod
    def of(cls, machine: Machine | None) -> MachineSource:
        """Return a machine as a source; one without judgments for None."""
        return cls(**vars(machine or Machine()))

    def require_none(self, why: str) -> None:
        """Refuse a machine's judgments, and say why."""
        if self.qrels is not None or self.scores is not None:
            raise ArgumentError(
                f"judgments by a machine cannot be used here: {why}; leave out --machine-qrels and"
                " --machine-scores (machine=), or --merged (Engine(merged=))"
            )

    def require_runs_again(self, runs: Mapping[str, Any]) -> None:
        """Refuse runs that cannot be read a second time, for the machine's judgments."""
        if self.qrels is None:
            return
        for name, run in runs.items():
            kept = isinstance(run, (str, os.PathLike, Mapping, inputs.Run))
            if not (kept or hasattr(run, "columns")) or (isinstance(run, str) and run == "-"):
                raise ArgumentError(
                    f"{name} is read twice, for people's judgments and for the machine's: give a"
                    " file, a frame or a Run in the place of standard input or an iterator"
                )

    def beside(
        self,
        beside: Beside,
        human: Scores,
        *,
        runs: Mapping[str, Any] | None = None,
        measures: Sequence[str] | str | None = None,
        scoring: Scoring | None = None,
        engine: Engine | str | None = None,
        on_stage: Callable[[str], None] = silent,
    ) -> Beside:
        """Return what is known of the queries, with the machine's scores if it was given."""
        if self.qrels is not None:
            if runs is None or scoring is None:
                raise ArgumentError("ready scores take a machine's scores, not its judgments")
            scores = _score(self.qrels, runs, measures, scoring, engine, on_stage)
            sources = {"machine_qrels": self.qrels}
        elif self.scores is not None:
            scores, sources = _ready(self.scores, human)
        else:
            return beside
        return beside.with_machine(MachineScores(scores, self.shared_model, self.judge), sources)


def _score(
    qrels: Any,  # noqa: ANN401
    runs: Mapping[str, Any],
    measures: Sequence[str] | str | None,
    scoring: Scoring,
    engine: Engine | str | None,
    on_stage: Callable[[str], None],
) -> Scores:
    return score_runs(
        qrels, runs, measures, scoring, engine=engine,
        on_stage=lambda stage: on_stage(f"{stage} (machine)"),
    )  # fmt: skip


def _ready(given: Any, human: Scores) -> tuple[Scores, dict[str, Any]]:  # noqa: ANN401
    if isinstance(given, (tuple, list)) and len(given) == 2:
        found = pair_scores(*given, measures=human.measures)
        return found, {"machine_a": given[0], "machine_b": given[1]}
    a, b = human.systems
    found = pair_scores(given, baseline=a, candidate=b, measures=human.measures)
    return found, {"machine": given}
