"""What is timed: the same work by abrank and by each peer, every time a process of its own."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass

from reports.studies.benchmark.inputs import Files

# trec_eval walks its list of judgments for each query of a run: beyond this it takes minutes.
MOST_QUERIES = 10_000
SCORED = ("AP", "RR", "nDCG@10", "P@10")

PYTREC_EVAL = """
import sys, pytrec_eval
def load(qrels, run):
    with open(qrels) as file:
        judgments = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        return judgments, pytrec_eval.parse_run(file)
def score(qrels, run):
    judgments, ranked = load(qrels, run)
    names = {"map", "recip_rank", "ndcg_cut.10", "P.10"}
    return pytrec_eval.RelevanceEvaluator(judgments, names).evaluate(ranked)
"""

_PYTREC_EVAL_SCORE = (
    PYTREC_EVAL
    + """
found = score(sys.argv[1], sys.argv[2])
for name in ("map", "recip_rank", "ndcg_cut_10", "P_10"):
    print(name, sum(each[name] for each in found.values()) / len(found))
"""
)

_PYTREC_EVAL_COMPARE = (
    PYTREC_EVAL
    + """
import numpy as np
from scipy import stats
a, b = score(sys.argv[1], sys.argv[2]), score(sys.argv[1], sys.argv[3])
for name in ("map", "recip_rank", "ndcg_cut_10", "P_10"):
    x = np.array([a[query][name] for query in sorted(a)])
    y = np.array([b[query][name] for query in sorted(a)])
    t = stats.ttest_rel(y, x)
    flips = stats.permutation_test((y - x,), lambda d, axis: d.mean(axis=axis),
                                   permutation_type="samples", n_resamples=9999,
                                   vectorized=True, batch=500)
    print(name, t.pvalue, t.confidence_interval(), flips.pvalue)
"""
)

_RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, ["map", "mrr", "ndcg@10", "precision@10"], make_comparable=True))
"""


@dataclass(frozen=True)
class Job:
    """One command line; ``program`` names who does the work.

    With ``inner`` the last line it prints is the CPU time of its work, that of its start apart.
    """

    program: str
    command: tuple[str, ...]
    inner: bool = False


def score_jobs(files: Files, trec_eval: str | None) -> list[Job]:
    """Return the scoring of a run by everybody who is installed."""
    where = (str(files.qrels), str(files.a))
    flags = tuple(part for name in SCORED for part in ("-m", name))
    jobs = [Job("abrank", (sys.executable, "-m", "abrank", "score", *where, *flags, "-q"))]
    if trec_eval:
        names = ("map", "recip_rank", "ndcg_cut.10", "P.10")
        flags = tuple(part for name in names for part in ("-m", name))
        jobs.append(Job("trec_eval", (trec_eval, *flags, *where)))
    if _installed("pytrec_eval"):
        jobs.append(Job("pytrec_eval", (sys.executable, "-c", _PYTREC_EVAL_SCORE, *where)))
    if _installed("ir_measures"):
        jobs.append(Job("ir_measures", (sys.executable, "-m", "ir_measures", *where, *SCORED)))
    if _installed("ranx"):
        jobs.append(Job("ranx", (sys.executable, "-c", _RANX, *where)))
    return jobs


def compare_jobs(files: Files, report: str | None = None) -> list[Job]:
    """Return the comparison of two runs: t-test and sign flips of four measures.

    Without a report it goes to the terminal.
    """
    where = (str(files.qrels), str(files.a), str(files.b))
    flags = tuple(part for name in SCORED for part in ("-m", name))
    abrank = (sys.executable, "-m", "abrank", "compare", *where, *flags)
    jobs = [Job("abrank", abrank if report is None else (*abrank, "--report", report))]
    if _installed("pytrec_eval"):
        program = "pytrec_eval + scipy, 9,999 flips"
        jobs.append(Job(program, (sys.executable, "-c", _PYTREC_EVAL_COMPARE, *where)))
    return jobs


def start_jobs() -> list[Job]:
    """Return what it takes to begin: a bare interpreter, the import, the help."""
    return [
        Job("import abrank", (sys.executable, "-c", "import abrank")),
        Job("abrank --help", (sys.executable, "-m", "abrank", "--help")),
        Job("abrank guide start", (sys.executable, "-m", "abrank", "guide", "start")),
        Job("bare interpreter", (sys.executable, "-c", "pass")),
    ]


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
