"""A machine's judgments or ready scores, read beside those of people."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abrank import inputs
from abrank._support.errors import ArgumentError
from abrank.comparison.beside import Beside
from abrank.comparison.machine.judgments import MachineScores, SharedModel
from abrank.comparison.pairing import pair_scores
from abrank.scoring.evaluate import EvaluateOptions, score_runs, silent
from abrank.scoring.scores import Scores


@dataclass(frozen=True)
class MachineSource:
    """The machine's judgments or ready scores, and which systems share its model.

    Attributes
    ----------
    qrels : whatever read_qrels reads, optional
        Judgments of the queries that people judged, and of many more.
    scores : pair of path, Series or dict; or one source of both systems, optional
        In the place of ``qrels``: the baseline's and the candidate's scores by the machine.
    shared_model : {"a", "b", "both", "neither"}, optional
        Which system shares its model with the machine.
    judge : str, optional
        Name of the machine that judged.
    """

    qrels: Any = None
    scores: Any = None
    shared_model: SharedModel | None = None
    judge: str | None = None

    def __post_init__(self) -> None:
        given = [each for each in (self.qrels, self.scores) if each is not None]
        if len(given) > 1:
            raise ArgumentError("give the machine's judgments or its scores, not both")
        asked = {"shared-model": self.shared_model, "machine-judge": self.judge}
        for name in (name for name, value in asked.items() if value is not None and not given):
            raise ArgumentError(
                f"--{name} ({name.replace('-', '_')}=) needs machine judgments: give"
                " --machine-qrels (machine_qrels=) with it"
            )

    def require_none(self, why: str) -> None:
        """Refuse a machine's judgments, and say why."""
        if self.qrels is not None or self.scores is not None:
            raise ArgumentError(
                f"judgments by a machine cannot be used here: {why}; leave out --machine-qrels and"
                " --machine-scores, or --merged (merged=)"
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
        options: EvaluateOptions | None = None,
        on_stage: Callable[[str], None] = silent,
    ) -> Beside:
        """Return what is known of the queries, with the machine's scores if it was given."""
        if self.qrels is not None:
            if runs is None or options is None:
                raise ArgumentError("ready scores take a machine's scores, not its judgments")
            scores = _score(self.qrels, runs, measures, options, on_stage)
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
    options: EvaluateOptions,
    on_stage: Callable[[str], None],
) -> Scores:
    return score_runs(
        qrels, runs, measures, options, on_stage=lambda stage: on_stage(f"{stage} (machine)")
    )


def _ready(given: Any, human: Scores) -> tuple[Scores, dict[str, Any]]:  # noqa: ANN401
    if isinstance(given, (tuple, list)) and len(given) == 2:
        found = pair_scores(*given, measures=human.measures)
        return found, {"machine_a": given[0], "machine_b": given[1]}
    a, b = human.systems
    found = pair_scores(given, baseline=a, candidate=b, measures=human.measures)
    return found, {"machine": given}
