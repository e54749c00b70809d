"""abrank decides whether ranker B may replace ranker A.

Runs and judgments come in, a score per query comes out, the paired difference is tested, a verdict
is given, a report is written::

    import abrank

    result = abrank.compare("qrels.txt", "bm25.run", "monot5.run", measures=["nDCG@10", "AP"])
    result.report("report.html")
"""

from __future__ import annotations

import sys

from abrank._support.lazy import module_getattr
from abrank._support.version import __version__

# As `typing` has it, which takes longer to import than all of this file: until the command line
# is entered, Ctrl-C ends Python with a traceback.
TYPE_CHECKING = False

# pdoc documents the names that a module holds, not those that it would fetch.
if TYPE_CHECKING or "pdoc" in sys.modules:
    from abrank._support.errors import AbrankError as AbrankError
    from abrank._support.errors import AbrankWarning as AbrankWarning
    from abrank._support.errors import AlignmentError as AlignmentError
    from abrank._support.errors import ArgumentError as ArgumentError
    from abrank._support.errors import GateError as GateError
    from abrank._support.errors import NotFoundError as NotFoundError
    from abrank._support.errors import ReadError as ReadError
    from abrank._support.errors import UnknownNameError as UnknownNameError
    from abrank._support.errors import WriteError as WriteError
    from abrank.agreement import judge_agreement as judge_agreement
    from abrank.collections import compare_collections as compare_collections
    from abrank.collections import rank_collections as rank_collections
    from abrank.comparison import Comparison as Comparison
    from abrank.comparison import compare_scores as compare_scores
    from abrank.comparison.aa import aa_test as aa_test
    from abrank.comparison.preferences import compare_preferences as compare_preferences
    from abrank.inputs import read_qrels as read_qrels
    from abrank.inputs import read_run as read_run
    from abrank.inputs.run import from_groups as from_groups
    from abrank.ledger.summary import history as history
    from abrank.measures import measure as measure
    from abrank.options import Anytime as Anytime
    from abrank.options import Clusters as Clusters
    from abrank.options import Engine as Engine
    from abrank.options import Looks as Looks
    from abrank.options import Machine as Machine
    from abrank.options import Planned as Planned
    from abrank.options import Question as Question
    from abrank.options import Scoring as Scoring
    from abrank.options import Weights as Weights
    from abrank.planning.audit import audit as audit
    from abrank.planning.audit import suggest_margins as suggest_margins
    from abrank.planning.plan import power as power
    from abrank.ranking import Ranking as Ranking
    from abrank.ranking import rank_scores as rank_scores
    from abrank.scoring.evaluate import evaluate as evaluate
    from abrank.scoring.evaluate import score_ranges as score_ranges
    from abrank.scoring.judging import inspect_query as inspect_query
    from abrank.scoring.judging import sample_documents as sample_documents
    from abrank.scoring.judging import sample_queries as sample_queries
    from abrank.scoring.score_files import check as check
    from abrank.scoring.score_files import read_scores as read_scores
    from abrank.scoring.scores import Scores as Scores
    from abrank.simulate import simulate_runs as simulate_runs
    from abrank.verdict import Verdict as Verdict
    from abrank.workflow import compare as compare
    from abrank.workflow import rank as rank

__docformat__ = "numpy"

_HOMES = {
    "AbrankError": "abrank._support.errors",
    "AbrankWarning": "abrank._support.errors",
    "AlignmentError": "abrank._support.errors",
    "ArgumentError": "abrank._support.errors",
    "GateError": "abrank._support.errors",
    "NotFoundError": "abrank._support.errors",
    "ReadError": "abrank._support.errors",
    "UnknownNameError": "abrank._support.errors",
    "WriteError": "abrank._support.errors",
    "Anytime": "abrank.options",
    "Clusters": "abrank.options",
    "Comparison": "abrank.comparison",
    "Engine": "abrank.options",
    "Looks": "abrank.options",
    "Machine": "abrank.options",
    "Planned": "abrank.options",
    "Question": "abrank.options",
    "Ranking": "abrank.ranking",
    "Scores": "abrank.scoring.scores",
    "Scoring": "abrank.options",
    "Verdict": "abrank.verdict",
    "Weights": "abrank.options",
    "aa_test": "abrank.comparison.aa",
    "audit": "abrank.planning.audit",
    "check": "abrank.scoring.score_files",
    "compare": "abrank.workflow",
    "compare_collections": "abrank.collections",
    "compare_preferences": "abrank.comparison.preferences",
    "compare_scores": "abrank.comparison",
    "evaluate": "abrank.scoring.evaluate",
    "from_groups": "abrank.inputs.run",
    "history": "abrank.ledger.summary",
    "inspect_query": "abrank.scoring.judging",
    "judge_agreement": "abrank.agreement",
    "measure": "abrank.measures",
    "power": "abrank.planning.plan",
    "rank": "abrank.workflow",
    "rank_collections": "abrank.collections",
    "rank_scores": "abrank.ranking",
    "read_qrels": "abrank.inputs",
    "read_run": "abrank.inputs",
    "read_scores": "abrank.scoring.score_files",
    "sample_documents": "abrank.scoring.judging",
    "sample_queries": "abrank.scoring.judging",
    "score_ranges": "abrank.scoring.evaluate",
    "simulate_runs": "abrank.simulate",
    "suggest_margins": "abrank.planning.audit",
}

__all__ = ["__version__", *_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
