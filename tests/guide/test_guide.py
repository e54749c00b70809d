"""Finding pages; the command; the catalogue beside the registries; the site's links."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import abrank
from abrank import UnknownNameError, guide
from abrank.cli import run
from abrank.guide import catalogue, find_page, site
from abrank.inference import JOINT_TESTS, TESTS
from abrank.measures import catalogue as measures


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return site.build(tmp_path_factory.mktemp("site")).parent


TOOLS = ("abrank", "ir_measures, PyTerrier", "trec_eval, pytrec_eval", "ranx", "other spellings")
COMPLETE = {
    "measure": ("## Definition", "## Names", "## Worked", "order of the tie", "## By hand",
                "## Source", *(f"| {tool} |" for tool in TOOLS)),
    "test": ("Estimates the ", "Hypothesis", "## How it works", "## Worked", "## Ties",
             "## Source"),
    "caution": ("> **", "**When.**", "**What to do.**", "**Source.**"),
}  # fmt: skip


@pytest.mark.slow
def test_every_page_of_the_catalogue_is_complete() -> None:
    kinds = dict.fromkeys(measures(), "measure") | dict.fromkeys([*TESTS, *JOINT_TESTS], "test")
    lacking = {
        page.topic: lacks
        for page in catalogue.entries()
        if (lacks := [part for part in COMPLETE[kinds.get(page.topic, "caution")]
                      if part not in page.text])
    }  # fmt: skip
    assert lacking == {}
    assert "It stays so with four more" in find_page("sign").text
    assert "With four more on which all systems are tied it is" in find_page("t").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "title"),
    [("START", "Start in five minutes"), ("map", "AP"), ("precision@10", "P"), ("t", "Paired t"),
     ("alpha-nDCG@20", "alpha_nDCG"), ("measures", "Measures")],
)  # fmt: skip
def test_a_page_is_found_by_any_name_of_it(name, title) -> None:
    assert guide.find_page(name).title == title


@pytest.mark.slow
@pytest.mark.parametrize(("name", "near"), [("tie", "ties"), ("nDGC", "nDCG"), ("zzzz", "")])
def test_a_wrong_topic_suggests_the_nearest(name, near, command) -> None:
    err = command(["guide", name], 2).err
    hint = f"did you mean {near}?" if near else "all: abrank guide"
    assert err == f'error: unknown topic "{name}"; {hint}\n'
    with pytest.raises(UnknownNameError):
        guide.find_page(name)


def test_without_a_topic_all_are_listed(command) -> None:
    out = command(["guide"]).out
    for heading, topics in guide.CONTENTS.items():
        assert f"\n{heading}\n" in out
        for topic in topics:
            assert f"\n  {topic} " in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_page_is_text_that_fits_and_names_the_commands_of_others(command) -> None:
    out = command(["guide", "gates"]).out
    assert out.startswith("Three gates, and which to take\n")
    assert "margin (abrank guide margin)" not in out
    assert "cautions" not in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_topics_complete_in_the_shell(monkeypatch, capsys) -> None:
    monkeypatch.setenv("_ABRANK_COMPLETE", "fish_complete")
    monkeypatch.setenv("COMP_WORDS", "abrank guide ma")
    monkeypatch.setenv("COMP_CWORD", "ma")
    run([])
    parts = capsys.readouterr().out.split()
    assert [item.partition(",")[2] for item in parts] == ["margin", "machine"]


def test_colour_and_ascii_follow_the_terminal(command, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in command(["guide", "start"]).out
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setattr("abrank.cli._terminal.wants_ascii", lambda flag, stream: True)
    assert command(["guide", "start"]).out.isascii()


def test_the_verdicts_of_the_page_are_all_there_are() -> None:
    codes = re.findall(r"\| `([a-z-]+)` \|$", guide.read_page("verdicts").text, re.M)
    assert sorted(codes) == sorted(item.value for item in abrank.Verdict)


def test_worked_values_are_those_of_trec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {"map": "AP", "recip_rank": "RR", "ndcg": "nDCG", "bpref": "Bpref", "P_5": "P"}
    run_, qrels = {"q": catalogue.RUN}, {"q": catalogue.QRELS}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run_)["q"]
    for name, value in theirs.items():
        assert f" is {value:.4f}." in guide.find_page(names[name]).text


@pytest.mark.usefixtures("own_catalogue")
@pytest.mark.parametrize(("name", "source"), [
    ("nDCG", "Järvelin & Kekäläinen (2002), Cumulated Gain-Based Evaluation of IR Techniques, ACM"
     " Transactions on Information Systems 20(4); trec_eval m_ndcg.c, m_ndcg_cut.c"),
    ("Unj", "trec_eval m_unjudged.c"),
    ("RBPResid", "Moffat & Zobel (2008), Rank-Biased Precision for Measurement of Retrieval"
     " Effectiveness, ACM Transactions on Information Systems 27(1), section 3.2"),
])  # fmt: skip
def test_a_page_gives_the_source_as_the_bibliography_has_it(name, source) -> None:
    assert guide.find_page(name).text.rstrip().endswith(f"## Source\n\n1. {source}")


def test_a_measure_of_ones_own_has_a_page(own_catalogue) -> None:
    @abrank.measure("Mine", bounds=(0, 1), source="me", higher_is_better=False)
    def mine(judged, *, odd: float):
        """How far it is."""
        return judged.n_retrieved * odd

    page = guide.find_page("Mine")
    assert "How far it is." in page.text
    assert "Lower is better." in page.text
    assert "me" in page.text


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(built) -> None:
    pages = {path.name: path.read_text("utf-8") for path in built.glob("*.html")}
    anchors = {name: set(re.findall(r' id="([^"]+)"', text)) for name, text in pages.items()}
    assert len(pages) > 100
    for name, text in pages.items():
        assert "TODO" not in text
        for target in re.findall(r'href="([^"]+)"', text):
            if target.startswith(("data:", "#text")):
                continue
            page, _, anchor = target.partition("#")
            assert page in pages, (name, target)
            assert not anchor or anchor in anchors[page], (name, target)


@pytest.mark.slow
def test_the_command_that_builds(tmp_path) -> None:
    command = [sys.executable, "-m", "abrank.guide"]
    built = subprocess.run([*command, "build", tmp_path / "site"], capture_output=True, text=True)
    assert Path(built.stdout.strip()) == tmp_path / "site" / "index.html"
    assert built.stderr == ""
    refused = subprocess.run([*command, "read"], capture_output=True, text=True)
    assert refused.returncode == 1
    assert refused.stderr.startswith("usage: ")


def test_a_caution_names_its_page_wherever_it_stands(tmp_path) -> None:
    comparison = abrank.compare_scores(dict.fromkeys("wxyz", 0.2), dict.fromkeys("wxyz", 0.3))
    code = comparison.notes[0].code
    assert guide.find_page(code).topic == code
    text = [" ".join(str(comparison).split())]
    text += [
        comparison.report(tmp_path / f"x.{kind}").read_text("utf-8") for kind in ("html", "md")
    ]
    assert all(f"abrank guide {code}" in item for item in text)
