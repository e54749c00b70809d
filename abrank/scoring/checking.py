"""Whether files of judgments and runs can be used, and what is in them."""

from __future__ import annotations

import os
from dataclasses import dataclass

from abrank import inputs
from abrank._support.errors import AbrankError
from abrank.scoring.score_files import read_with_gaps
from abrank.scoring.scores import Scores

# Of tables and logs; a run of TREC that is damaged is not taken for scores.
_SCORE_FILES = (".csv", ".tsv", ".json", ".jsonl", ".eval", ".parquet", ".feather")


@dataclass(frozen=True)
class CheckedFiles:
    """What :func:`check` found.

    Attributes
    ----------
    qrels : tuple of Qrels
    runs : tuple of Run
    scores : tuple of Scores
        Tables and logs of ready scores; their ``notes`` say what they were taken for.
    audits : tuple of (Run, Qrels, Audit)
        Each run beside each of the judgments: queries missing on either side, ties, how many of the
        top 10 are judged.
    errors : tuple of AbrankError
        Of the files that cannot be used, and of runs without a query in common with judgments.
    """

    qrels: tuple[inputs.Qrels, ...]
    runs: tuple[inputs.Run, ...]
    scores: tuple[Scores, ...]
    audits: tuple[tuple[inputs.Run, inputs.Qrels, inputs.Audit], ...]
    errors: tuple[AbrankError, ...]

    @property
    def passed(self) -> bool:
        """Whether every file can be used."""
        return not self.errors


def check(
    *files: str | os.PathLike[str], subtopics: bool = False, max_input_size: int | None = None
) -> CheckedFiles:
    """Read judgments, runs and ready scores, known by what is in them, and say what that is.

    Every file is read, whatever is wrong with another.

    Parameters
    ----------
    *files : path
    subtopics : bool
        Whether the judgments are by subtopic: ``query_id subtopic doc_id grade``.
    max_input_size : int, optional
        Most bytes that a file may hold once it is unpacked; see :func:`abrank.read_run`.

    Returns
    -------
    CheckedFiles

    Examples
    --------
    >>> check("no.run").passed
    False
    """
    qrels, runs, scores, audits = [], [], [], []
    errors: list[AbrankError] = []
    for path in files:
        try:
            if inputs.looks_like_qrels(path):
                qrels.append(
                    inputs.read_qrels(path, subtopics=subtopics, max_input_size=max_input_size)
                )
            else:
                runs.append(inputs.read_run(path, max_input_size=max_input_size))
        except AbrankError as error:
            try:
                if not os.fspath(path).endswith(_SCORE_FILES):
                    raise error
                scores.append(read_with_gaps(path))
            except AbrankError:
                errors.append(error)
    for run in runs:
        for judgments in qrels:
            try:
                audits.append((run, judgments, inputs.read_judged_run(judgments, run).audit))
            except AbrankError as error:
                errors.append(error)
    return CheckedFiles(tuple(qrels), tuple(runs), tuple(scores), tuple(audits), tuple(errors))
