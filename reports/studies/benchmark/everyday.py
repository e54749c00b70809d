"""What is asked every day beside one run scored: reports, frames, ready scores, many runs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from reports.studies.benchmark.inputs import Files
from reports.studies.benchmark.jobs import PYTREC_EVAL, SCORED, Job

TIMES = 10  # a frame is read so many times by a process, whose own start is not counted

_RANK = (
    PYTREC_EVAL
    + """
for run in sys.argv[2:]:
    found = score(sys.argv[1], run)
    print(run, sum(each["map"] for each in found.values()) / len(found))
"""
)

_READY = """
import sys, pandas
from scipy import stats
def read(path):
    return pandas.read_parquet(path) if path.endswith("parquet") else pandas.read_csv(path)
a, b = map(read, sys.argv[1:])
print(stats.ttest_rel(b["score"], a["score"]))
"""

_SCORES = """
import sys, abrank
abrank.compare_scores(*sys.argv[1:])
"""

_EACH_MEASURE = """
import sys, pandas
from scipy import stats
a, b = (pandas.read_parquet(path).set_index("query_id") for path in sys.argv[1:])
print(stats.ttest_rel(b, a.loc[b.index]))
"""

_PAIRS = """
import sys, numpy as np, pandas
from scipy import stats
from statsmodels.stats.multitest import multipletests
scores = pandas.read_parquet(sys.argv[1]).iloc[:, 1:].to_numpy()
pvalues = [stats.ttest_rel(scores[:, i + 1 :], scores[:, [i]]).pvalue
           for i in range(scores.shape[1] - 1)]
print(multipletests(np.concatenate(pvalues), method="holm")[0].sum())
"""

_USERS = """
import sys, pandas
from scipy import stats
table = pandas.read_parquet(sys.argv[1])
means = table.groupby(["variant", "user_id"])["clicked"].mean()
a, b = means["control"], means["treatment"]
print(stats.ttest_ind(b, a, equal_var=False))
"""

_IMPRESSIONS = """
import sys, numpy as np, pandas
from scipy import stats
table = pandas.read_parquet(sys.argv[1])
table["win"] = np.sign(table.clicks_b - table.clicks_a)
print(stats.ttest_1samp(table.groupby("user")["win"].mean(), 0.0))
"""

# The last line is the CPU time of the work alone.
_FRAMES = """
import sys, time, abrank
from abrank.inputs import read_qrels
kind, qrels, path, times = sys.argv[1], read_qrels(sys.argv[2]), sys.argv[3], int(sys.argv[4])
run = path
if kind != "file":
    columns = {"q": [], "d": [], "s": []}
    for line in open(path):
        q, _, d, _, s, _ = line.split()
        for name, value in zip("qds", (q, d, float(s))):
            columns[name].append(value)
    names = {"q": "query_id", "d": "doc_id", "s": "score"}
    if kind == "pandas":
        import pandas
        run = pandas.DataFrame(columns).rename(columns=names)
    else:
        import polars
        run = polars.DataFrame(columns).rename(names)
def work():
    return abrank.evaluate(qrels, {"run": run}, ["AP", "nDCG@10"])
work()
began = time.process_time()
for _ in range(times):
    work()
print(time.process_time() - began)
"""


# Put behind a comparison's script: the differences of its last measure, sorted.
_FIGURE = """
import matplotlib.figure
axes = matplotlib.figure.Figure().subplots()
axes.bar(range(len(x)), np.sort(y - x))
axes.figure.savefig(sys.argv[4])
"""


def report_jobs(compare: Sequence[Job], report: str) -> list[Job]:
    """Return a report in HTML beside scripts of no figure and of one, and what it imports alone."""
    custom, *peers = compare
    for program, (python, flag, script, *where) in [(peer.program, peer.command) for peer in peers]:
        sample = (python, flag, script + _FIGURE, *where, f"{report}.svg")
        peers.append(Job(f"{program}, one figure", sample))
    page = Job(custom.program, (*custom.command, "--report", report))
    bare = (sys.executable, "-c", "import matplotlib.figure, scipy.special")
    return [page, *peers, Job("import of matplotlib.figure and scipy.special alone", bare)]


def rank_jobs(qrels: Path, runs: Sequence[Path]) -> list[Job]:
    """Return the ranking of many runs, and their bare scoring by a peer."""
    where = tuple(map(str, (qrels, *runs)))
    jobs = [Job("abrank", (sys.executable, "-m", "abrank", "rank", *where, "-m", "AP", "-q"))]
    if _installed("pytrec_eval"):
        jobs.append(Job("pytrec_eval, scores alone", (sys.executable, "-c", _RANK, *where)))
    return jobs


def ready_jobs(a: Path, b: Path, folder: Path) -> list[Job]:
    """Return the comparison of ready scores, and one test of them by the libraries alone."""
    where = (str(a), str(b))
    reports = [f"--report={folder / f'ready.{kind}'}" for kind in ("html", "json")]
    custom = (sys.executable, "-m", "abrank", "compare", "--scores", *where, *reports, "-q")
    jobs = [Job("abrank", custom)]
    if _installed("pandas") and _installed("scipy"):
        jobs.append(Job("pandas + one ttest_rel", (sys.executable, "-c", _READY, *where)))
    return jobs


def scores_jobs(a: Path, b: Path) -> list[Job]:
    """Return the comparison of ready scores in Python, and a test of each measure by scipy."""
    return [
        Job("abrank", (sys.executable, "-c", _SCORES, str(a), str(b))),
        Job("pandas + ttest_rel", (sys.executable, "-c", _EACH_MEASURE, str(a), str(b))),
    ]


def table_jobs(arguments: Sequence[str], program: str, script: str, path: Path) -> list[Job]:
    """Return the analysis of a table, and the bare tests of it by the libraries."""
    command, *flags = arguments
    custom = (sys.executable, "-m", "abrank", command, *flags, str(path), "-q")
    return [Job("abrank", custom), Job(program, (sys.executable, "-c", script, str(path)))]


def systems_jobs(path: Path) -> list[Job]:
    """Return the ranking of ready scores of many systems beside paired tests of all pairs."""
    return table_jobs(["rank", "-m", "AP", "--scores"], "scipy, all pairs, Holm", _PAIRS, path)


def users_jobs(path: Path, *, repeats: bool) -> list[Job]:
    """Return the comparison of two groups of users beside one test."""
    flags = ["--columns", "repeat=rows"] if repeats else []
    return table_jobs(["compare", *flags, "--independent"], "pandas + one ttest_ind", _USERS, path)


def impressions_jobs(path: Path) -> list[Job]:
    """Return the comparison of interleaved lists by clicks beside one test of the users."""
    return table_jobs(["compare", "--preferences"], "pandas + one ttest_1samp", _IMPRESSIONS, path)


def frame_jobs(files: Files) -> list[Job]:
    """Return the scoring of one run from a file, and from the frames that are installed."""
    return [
        Job(
            f"abrank, {kind}",
            (
                sys.executable, "-c", _FRAMES, kind, str(files.qrels), str(files.a), str(TIMES),
            ),
            inner=True,
        )
        for kind in ("file", "pandas", "polars")
        if kind == "file" or _installed(kind)
    ]  # fmt: skip


def demo_jobs(folder: Path) -> list[Job]:
    """Return the demo: data, a comparison and three reports."""
    return [Job("abrank", (sys.executable, "-m", "abrank", "demo", str(folder / "demo"), "-q"))]


def loaded(files: Files, folder: Path) -> dict[str, str]:
    """Return which libraries a process of each command has loaded, and how many modules.

    Returns
    -------
    dict of str to str
        Command to names, those of the standard library and of abrank apart.
    """
    measures = [part for name in SCORED for part in ("-m", name)]
    runs = [str(files.qrels), str(files.a), str(files.b)]
    commands = {
        "--help": ["--help"],
        "score": ["score", *runs[:2], *measures],
        "compare": ["compare", *runs, *measures],
        "compare --report x.html": [
            "compare", *runs, *measures, "--report", str(folder / "loaded.html"),
        ],
        "rank": ["rank", *runs, "-m", "AP"],
    }  # fmt: skip
    return {name: _modules(command) for name, command in commands.items()}


def _modules(command: Sequence[str]) -> str:
    script = (
        "import sys\nfrom abrank.cli import run\nrun(sys.argv[1:])\n"
        "names = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "own = sum(name.startswith('abrank') for name in sys.modules)\n"
        "known = {name for name in names if name.isalnum() and name.islower()} - {'abrank'}\n"
        "print(*sorted(known), f'({len(sys.modules)} modules, {own} of abrank)', file=sys.stderr)"
    )
    call = [sys.executable, "-c", script, *command]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
