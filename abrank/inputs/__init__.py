"""Judgments and runs: read, checked, ordered, and laid on one another."""

from abrank.inputs.audit import Audit
from abrank.inputs.columns import Source
from abrank.inputs.files import looks_like_qrels
from abrank.inputs.first_docs import TopDocs
from abrank.inputs.join import join
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels, read_qrels
from abrank.inputs.reading import Reading, judge
from abrank.inputs.run import Run, read_run

__all__ = [
    "Audit",
    "JudgedRun",
    "Qrels",
    "Reading",
    "Run",
    "Source",
    "TopDocs",
    "join",
    "judge",
    "looks_like_qrels",
    "read_qrels",
    "read_run",
]
