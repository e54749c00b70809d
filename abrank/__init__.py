"""abrank decides whether ranker B may replace ranker A.

It scores runs by relevance judgments, one score per query, tests the paired difference, and
reports a verdict::

    import abrank

    result = abrank.compare("qrels.txt", "bm25.run", "monot5.run", measures=["nDCG@10", "AP"])
    result.report("report.html")
"""

from __future__ import annotations

import sys

from abrank._support import __version__
from abrank._support.lazy import homes, module_getattr

# `typing.TYPE_CHECKING` without the import of `typing`, which takes longer than this whole file.
# Until the command line has started, Ctrl-C would print a traceback.
TYPE_CHECKING = False

# pdoc documents the names that exist in the module, not those that are imported on demand.
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
    from abrank.options import Independent as Independent
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

_HOMES = homes(
    {
        "abrank._support.errors": "AbrankError AbrankWarning AlignmentError ArgumentError GateError"
        " NotFoundError ReadError UnknownNameError WriteError",
        "abrank.agreement": "judge_agreement",
        "abrank.collections": "compare_collections rank_collections",
        "abrank.comparison": "Comparison compare_scores",
        "abrank.comparison.aa": "aa_test",
        "abrank.comparison.preferences": "compare_preferences",
        "abrank.inputs": "read_qrels read_run",
        "abrank.inputs.run": "from_groups",
        "abrank.ledger.summary": "history",
        "abrank.measures": "measure",
        "abrank.options": (
            "Anytime Clusters Engine Independent Looks Machine Planned Question Scoring Weights"
        ),
        "abrank.planning.audit": "audit suggest_margins",
        "abrank.planning.plan": "power",
        "abrank.ranking": "Ranking rank_scores",
        "abrank.scoring.evaluate": "evaluate score_ranges",
        "abrank.scoring.judging": "inspect_query sample_documents sample_queries",
        "abrank.scoring.score_files": "check read_scores",
        "abrank.scoring.scores": "Scores",
        "abrank.simulate": "simulate_runs",
        "abrank.verdict": "Verdict",
        "abrank.workflow": "compare rank",
    }
)

__all__ = ["__version__", *_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
