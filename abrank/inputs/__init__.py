"""Judgments and runs: read, checked, ordered, and laid on one another."""

from abrank.inputs.audit import Audit, audit, require_common
from abrank.inputs.columns import Source
from abrank.inputs.files import looks_like_qrels
from abrank.inputs.judged import JudgedRun, join
from abrank.inputs.qrels import Qrels, read_qrels
from abrank.inputs.run import Run, read_run

__all__ = [
    "Audit",
    "JudgedRun",
    "Qrels",
    "Run",
    "Source",
    "audit",
    "join",
    "looks_like_qrels",
    "read_qrels",
    "read_run",
    "require_common",
]
