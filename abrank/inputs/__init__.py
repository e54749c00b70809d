"""Read judgments and runs, check and sort them, and join them."""

from abrank.inputs.columns import Source
from abrank.inputs.files import looks_like_qrels
from abrank.inputs.join import TopDocs, join
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels, read_qrels
from abrank.inputs.reading import Audit, JudgedSource
from abrank.inputs.reading import read_judged_run as read_judged_run
from abrank.inputs.run import Run, read_run

__all__ = [
    "Audit",
    "JudgedRun",
    "JudgedSource",
    "Qrels",
    "Run",
    "Source",
    "TopDocs",
    "join",
    "looks_like_qrels",
    "read_qrels",
    "read_run",
]
