"""The installed command, as a build server runs it: exit codes, messages, and what it leaves."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import write_runs

COMMAND = Path(sys.executable).with_name("abrank")

pytestmark = pytest.mark.skipif(
    not COMMAND.exists(), reason="abrank is not installed beside this Python: pip install -e ."
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Judgments, a baseline, a candidate that is better, and a rule."""
    home = tmp_path_factory.mktemp("ci")
    write_runs(home, effect=0.3, names=("qrels", "prod.run", "new.run"))
    # Of a candidate that returns 15 documents the first ten are as good, and R@100 is not.
    lines = (home / "new.run").read_text().splitlines(keepends=True)
    (home / "short.run").write_text("".join(x for x in lines if int(x.split()[3]) <= 15))
    (home / "broken.run").write_text("q01 Q0 d1 1 x tag\n")
    (home / "abrank.toml").write_text(
        'qrels = "qrels"\na = "prod.run"\nb = "new.run"\n'
        'measure = "nDCG@10"\nmargin = 0.01\nrequire = "better"\nguard = ["R@100:-0.02"]\n'
    )
    return home


def abrank_(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        ("--config abrank.toml", 0, ""),
        (
            "qrels new.run prod.run -m nDCG@10 --fail-on worse", 1,
            "gate      not passed: worse (−0.",
        ),
        (
            "--config abrank.toml qrels prod.run short.run", 1,
            "gate      not passed: R@100 lost more than 0.020 (90% interval −",
        ),
        ("qrels prod.run new.run --require better --margin much", 2, "error: margin must be"),
        ("--config missing.toml", 2, "error: missing.toml: no such file"),
        ("qrels prod.run broken.run", 3, 'error: broken.run, line 1: score "x" is not a number'),
    ],
)  # fmt: skip
def test_exit_codes_and_messages(folder, call, code, message) -> None:
    done = abrank_(folder, "compare", *call.split())
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if code > 1:
        assert done.stdout == ""
    elif code == 1:
        assert done.stdout.splitlines()[-1] or "gate" in done.stdout


@pytest.mark.slow
def test_a_summary_grows_and_junit_counts_what_did_not_pass(folder, tmp_path) -> None:
    report = tmp_path / "abrank.xml"
    reports = ["--report", f"junit:{report}", "--report", f"md:{tmp_path / 'summary.md'}"]
    done = abrank_(folder, "compare", "--config", "abrank.toml", "qrels", "prod.run", "short.run",
                   "--guard", "R@100:-0.01", "--guard", "nDCG@10:-0.02", *reports)  # fmt: skip
    assert done.returncode == 1
    (suite,) = ET.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    cases = {case.get("name"): case.find("failure") for case in suite.iter("testcase")}
    assert list(cases) == ["better on nDCG@10", "guard on R@100", "guard on nDCG@10"]
    assert "R@100 lost more than 0.010" in str(cases["guard on R@100"].get("message"))
    assert cases["better on nDCG@10"] is None
    assert suite.findtext("system-out", "").startswith("▲ BETTER  short is better than prod")
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("### ▲ Better: short is better than prod.")
    assert "b short.run in place of new.run" in summary
    assert "guard R@100:-0.01, nDCG@10:-0.02 in place of R@100:-0.02" in summary
