"""Data that several test files share."""

import csv
import gc
import html
import json
import os
import random
import sys

import pytest
from hypothesis import HealthCheck, settings

import abrank.measures.registry as entries
from abrank import plots
from abrank._support.registry import Registry
from tests import no_network
from tests.gold import gold_data

# In the process of every worker, before any test: none reaches the network.
sys.addaudithook(no_network.refuse)

# A slow machine is no failure. The suite tries the same examples each time, so that it fails only
# for what was changed; `-m slow`, which hunts with many more, draws new ones.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same-examples", PATIENT, derandomize=True)
settings.register_profile("new-examples", PATIENT)


def pytest_configure(config: pytest.Config) -> None:
    hunts = config.getoption("markexpr") == "slow"
    settings.load_profile("new-examples" if hunts else "same-examples")


class FromTheEnd(pytest.Dir):
    """A folder whose files are collected in the reverse order.

    In a fresh clone pytest rewrites every file of tests, which takes longer than anything else.
    Of two workers one begins at the end, so that each finds done what the other has rewritten.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        return list(super().collect())[::-1]


def pytest_collect_directory(path, parent) -> pytest.Dir | None:
    from_the_end = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2
    return FromTheEnd.from_parent(parent, path=path) if from_the_end else None


CASES = 4  # of one test that run every day


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of a long list to the night: every day runs a few, spread over the list.

    All of a list run that is marked ``every_case``: a table of rules, each row a rule of its own.
    """
    items.sort(key=lambda item: item.path)  # in the same order in every worker
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        if hasattr(item, "callspec"):
            by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in by_test.values():
        if cases[0].get_closest_marker("every_case"):
            continue
        chosen = {round(i * (len(cases) - 1) / (CASES - 1)) for i in range(CASES)}
        for place, item in enumerate(cases):
            if place not in chosen:
                item.add_marker("slow")


def pytest_collection_finish() -> None:
    # Thousands of tests and their modules stay to the end: no search for garbage walks over them.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def kept_bytecode() -> None:
    """Let the processes that tests start keep what they compile, as Python does unless told not to.

    A hundred of them import abrank, and each would compile it anew.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]):
    """Call the command line, hold it to its exit code, and return what it printed."""
    from abrank.cli import run  # not for tests that need no command

    def call(arguments: list[str], code: int = 0):
        assert run(arguments) == code
        return capsys.readouterr()

    return call


@pytest.fixture(scope="session")
def shared_data():
    """Real runs and judgments with stored answers; see ``tests/gold.py``."""
    return gold_data()


@pytest.fixture(scope="session")
def stat_case(shared_data):
    """A case of ``stat_cases.json`` by its id: its input, and what other programs make of it."""
    cases = json.loads((shared_data / "stat_cases.json").read_text())["cases"]
    return {case["id"]: case for case in cases}.__getitem__


@pytest.fixture
def own_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue of measures as it is; what a test enters is gone after it."""
    copy: Registry[entries.MeasureEntry] = Registry("measure")
    for name, entry in entries.catalogue().items():
        copy.add(name, entry)
    monkeypatch.setattr(entries, "_MEASURES", copy)
    monkeypatch.setattr(entries, "_BY_FOLDED_NAME", dict(entries._BY_FOLDED_NAME))


def frame(plot: str, subject: object, *, summary: str = "", prefix: str = "", **_: object) -> str:
    """Stand in for ``abrank.plots.svg``: an element of the same outline, and no picture in it."""
    name = f"{prefix}-desc"
    text = f'role="img" aria-labelledby="{name}"><desc id="{name}">{html.escape(summary)}</desc>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {text}</svg>'


@pytest.fixture(scope="session")
def no_drawer():
    """Return a drawer for ``html`` that draws nothing: a test of words need not wait for it."""
    return frame


@pytest.fixture
def nothing_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figure in any HTML report of this test, whoever writes it."""
    monkeypatch.setattr(plots, "svg", frame)


# Ids that try to be something else: markup, a script, a formula, a command, a control code.
HOSTILE_IDS = (
    "<script>alert(1)</script>", "</script><script>alert(2)</script>",
    "\"'><img/src=x/onerror=alert(3)>", "</title></style></textarea><!--", "]]>{{7*7}}${x}",
    "javascript:alert(4)", "&lt;b&gt;&#x3c;", "\u202egnp.exe\u200f", "\u2066iso\u2069",
    "=cmd|'/C_calc'!A0", "@SUM(1+1)", "+1+1", "-2-3", "\\input{/etc/passwd}\\end{tabular}",
    "a&b%c$d#e_f{g}h~i^j", "a|b||c", "`tick``", "[link](http://evil.example)", "@octocat",
    "red\x1b[31m", "title\x1b]0;owned\x07", "eight\x9b31m", "__proto__", "constructor", "null",
    "x" * 10_000,
)  # fmt: skip


@pytest.fixture(scope="session")
def hostile_files(tmp_path_factory: pytest.TempPathFactory):
    """A folder: ``qrels a.run b.run topics.jsonl docs.jsonl segments.csv``.

    Query ids, document ids, tags, texts and properties all try to break what shows them.
    """
    folder, shuffled = tmp_path_factory.mktemp("hostile"), random.Random(1)
    lines: dict[str, list[str]] = {name: [] for name in ("qrels", "a.run", "b.run")}
    topics, rows = [], [["query_id", '=HYPERLINK("x")<script>alert(5)</script>|_&']]
    values = ("</script><script>alert(6)</script>", "=cmd()|pipe\x1b[31m", "\u202e\\textbf{x}")
    for i, query in enumerate(HOSTILE_IDS):
        documents = [f"{query[:60]}-{k}" for k in range(8)]
        lines["qrels"] += [f"{query} 0 {document} {i % 3}" for document in documents[:5]]
        for name, tag in (("a.run", "<b>tag</b>\x1b[31m"), ("b.run", "=tag()")):
            shuffled.shuffle(documents)
            lines[name] += [f"{query} Q0 {d} {k} {9 - k} {tag}" for k, d in enumerate(documents)]
        text = f"{HOSTILE_IDS[-i][:200]} \x1b[2J </script><script>alert(7)</script> =cmd() | \\end"
        topics.append(json.dumps({"query_id": query, "text": text}))
        rows.append([query, values[i % len(values)]])
    docs = [
        json.dumps({"_id": f"{query[:60]}-{k}", "title": values[k % 3], "text": "</li><img src=x>"})
        for query in HOSTILE_IDS
        for k in range(8)
    ]
    for name, result in (*lines.items(), ("topics.jsonl", topics), ("docs.jsonl", docs)):
        (folder / name).write_text("\n".join(result) + "\n", encoding="utf-8", newline="")
    with (folder / "segments.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return folder
