"""A ranking in files: what it says, its numbers those of its JSON, names that stay text."""

import functools
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from abrank import Ranking, Scores, UnknownNameError, rank_scores
from abrank.options import RankingQuestion
from abrank.ranking.rank import ranking_of
from abrank.report import WRITERS, compose
from abrank.report.formats.markdown import LARGEST
from abrank.report.model import Words
from abrank.report.subjects.leaderboard import leaderboard, letter
from abrank.report.subjects.systems import cautions_of_test
from tests.report.formats.page import OF_MARKDOWN, rendered
from tests.report.test_every_number import PIECES, assert_known
from tests.report.test_every_number_many import known_of
from tests.report.written import json_of, latex, markdown, table, text

HOSTILE = (
    "<img src=x onerror=alert(1)>", "a|b\n# c", "\\input{x} & 50% $#_^~", "=cmd()",
    "@octocat [x](http://evil.example)", "red\x1b[31m\u202e", "`tick` </details>", "x" * 5_000,
)  # fmt: skip


@functools.cache
def make(n_systems=5, *, names=None, measures=("nDCG@10",), **how) -> Ranking:
    """Rank systems whose means lie apart, on 40 queries; of each further measure the other way."""
    random = np.random.default_rng(1)
    easy = random.uniform(0.1, 0.6, (40, 1))
    means = np.linspace(0.0, 0.3, n_systems) * (np.arange(n_systems) % 3 > 0)
    values = easy + random.normal(0.0, 0.05, (40, n_systems)) + means
    systems = names or tuple(f"system{i}" for i in range(n_systems))
    ids = tuple(f"q{i}" for i in range(40))
    blocks = [values if i % 2 == 0 else 0.9 - values for i in range(len(measures))]
    scores = Scores(ids, systems, measures, np.stack(blocks, axis=2))
    return ranking_of(scores, RankingQuestion(**how))


RANKINGS = {
    "groups": lambda: make(),
    "baseline": lambda: make(baseline="system0"),
    "without intervals": lambda: make(test="wilcoxon"),
    "two": lambda: make(2),
    "ranks": lambda: make(test="nemenyi"),
    "measures": lambda: make(measures=("nDCG@10", "AP", "RR")),
    "measures and a baseline": lambda: make(measures=("nDCG@10", "AP"), baseline="system0"),
}


@pytest.fixture(scope="module", params=RANKINGS)
def ranking(request: pytest.FixtureRequest) -> Ranking:
    return RANKINGS[request.param]()


@pytest.mark.parametrize("interval", ["difference", "own", "within"])
@pytest.mark.parametrize("kind", [".md", ".tex", ".txt"])
def test_every_number_is_of_the_json(ranking: Ranking, kind: str, interval: str) -> None:
    text = unescape(WRITERS[kind](ranking, interval=interval).decode())
    told_apart = sum(row.told_apart for row in ranking.pair_rows)
    assert_known(known_of(ranking).with_counts(told_apart), PIECES[kind](text))


@pytest.mark.parametrize("style", ["interval", "superscript"])
def test_latex_is_one_balanced_table(ranking: Ranking, style: str) -> None:
    text = latex(ranking, style=style)
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 1 + len(ranking.rows)
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    assert text.isascii()
    measures = ", ".join(ranking.measures)
    assert f"{measures}, means over 40 queries" in text


def test_superscripts_name_whom_a_system_beats() -> None:
    result = make()
    letters = {system: letter(i) for i, system in enumerate(result.systems)}
    lines = latex(result, style="superscript").splitlines()
    for row in result.rows:
        wins = [p.a for p in result.pair_rows if p.b == row.system and p.reading == "better"]
        wins += [p.b for p in result.pair_rows if p.a == row.system and p.reading == "worse"]
        over = "".join(sorted(letters[win] for win in wins))
        mean = f"{row.mean:.3f}^{{{over}}}" if over else f"{row.mean:.3f}"
        assert f"    ${letters[row.system]}$ & {row.system} & ${mean}$ \\\\" in lines
    assert any("^{" in line for line in lines)


@pytest.mark.slow
def test_many_systems_have_letters_too_and_a_table_that_ends() -> None:
    text = latex(make(40), style="superscript")
    assert "$ab$ & " in text
    assert re.search(r"\^\{[a-z]+,[a-z,]+\}", text)
    assert "5 more systems not shown." in text
    is_many = markdown(make(120, names=tuple(f"{'検索' * 25}{i}" for i in range(120))))
    assert len(is_many.encode()) <= LARGEST
    assert "more systems not shown." in is_many
    assert "more pairs not shown." in is_many


def test_markdown_says_first_what_it_comes_to() -> None:
    first, _, second, *_ = markdown(make(2)).splitlines()
    assert first == "### ▲ One leader: system1 is better than system0 on nDCG@10."
    assert second.startswith("system1 has the mean 0.")
    against = markdown(make(baseline="system0"))
    assert "systems are better than system0 on nDCG" in against.partition("\n")[0]
    assert "Every pair" not in against
    assert "| baseline |" in against


@pytest.mark.slow
def test_hostile_names_stay_text(tmp_path: Path) -> None:
    for options in ({}, {"baseline": HOSTILE[0]}):
        result = make(len(HOSTILE), names=HOSTILE, **options)
        text = markdown(result)
        assert rendered(text).kinds <= OF_MARKDOWN
        for block in text.split("\n\n"):
            if block.startswith("| "):
                assert len({line.count("|") for line in block.splitlines()}) == 1
        for style in ("interval", "superscript"):
            tex = latex(result, style=style)
            bare = re.sub(r"\\[\\{}$&#%_,]", "", tex[tex.index(r"\begin") :])
            assert bare.count("{") == bare.count("}")
            assert bare.count("$") % 2 == 0
            assert "\\input" not in bare
        assert not {"\x1b", "\u202e"} & {*WRITERS[".txt"](result).decode(), *text}
        assert ",'=cmd()," in table(result, ".pairs.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "said"), [("tukey", "vary alike"), ("nemenyi", "orders"), ("t", None)]
)
def test_what_a_test_takes_for_granted_is_said(test: str, said: str | None) -> None:
    values = np.random.default_rng(2).random((20, 3, 1))
    scores = Scores(tuple(map(str, range(20))), ("A", "B", "C"), ("AP",), values)
    said_of = " ".join(cautions_of_test(rank_scores(scores, test=test)))
    result = [words for words in ("vary alike", "orders") if words in said_of]
    assert result == ([said] if said else [])


def test_several_measures_stand_side_by_side_with_their_letters() -> None:
    result = make(measures=("nDCG@10", "AP"))
    shown_text, comment = text(result, detail="all"), markdown(result)
    first_screen = text(result)
    assert "measures  " in first_screen
    assert not re.search(r"^System ", first_screen, re.M)
    tex, over = latex(result), latex(result, style="superscript")
    for system in result.systems:
        cells = [(f"{item[system].mean:.3f}", item[system].group) for item in result.by_measure]
        (a, group_a), (b, group_b) = cells
        assert re.search(rf"^{system} +{a} {group_a} +{b} {group_b}$", shown_text, re.M)
        line = next(line for line in comment.splitlines() if line.startswith(f"| {system} |"))
        parts = line.replace("*", "").strip("| ").split(" | ")
        assert parts == [system, f"{a} {group_a}", f"{b} {group_b}"]
        bold = re.sub(r"\\mathbf\{([\d.]+)\}", r"\1", tex)  # the best of each measure
        assert f"{system} & ${a}$~{group_a} & ${b}$~{group_b} \\\\" in bold
        assert re.search(rf"& {system} & \${a}(\^{{\w+}})?\$ & \${b}(\^{{\w+}})?\$ ", over)
    assert "ordered by nDCG@10" in tex
    saved = json.loads(json_of(result))
    assert [item["measure"] for item in saved["secondary"]] == ["AP"]
    assert saved["secondary"][0]["systems"][0]["system"] == result.of("AP").systems[0]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "title"), [(26, "group"), (27, "rank")])
def test_many_systems_have_the_ranks_left_open_and_no_letters(n: int, title: str) -> None:
    result = make(n, measures=("nDCG@10", "AP"))
    card = leaderboard(Words(result))
    texts = [row[[column.role for column in card.columns].index("reading")].text
             for row in card.rows]  # fmt: skip
    assert title in [column.title for column in card.columns]
    assert card.legend[0].startswith("Rank: all" if n > 26 else "Systems that share a letter")
    assert ("share a letter" in text(result, detail="all")) is (n == 26)
    assert all(re.fullmatch(r"\d+(–\d+)?" if n > 26 else "[a-z, –]+", text_) for text_ in texts)
    assert ("Rank: all that are left open" in text(result, detail="all")) is (n == 27)


def test_the_ranks_are_those_that_the_test_of_all_pairs_leaves_open() -> None:
    result = make(6)
    card = leaderboard(Words(result))
    ranks = [row[[column.title for column in card.columns].index("rank")].text for row in card.rows]
    for system, text_ in zip(result.systems, ranks, strict=True):
        pairs = [row for row in result.pair_rows if system in (row.a, row.b) and row.told_apart]
        ahead = sum(
            (row.a if row.b == system else row.b) in result.systems[: result.systems.index(system)]
            for row in pairs
        )
        first, last = 1 + ahead, 6 - (len(pairs) - ahead)
        assert text_ == "–".join(map(str, sorted({first, last})))
    # Who may be first is said alike in the table and in the headline.
    assert sum(text_.startswith("1") for text_ in ranks) == len(result.leaders)


def test_against_a_baseline_a_mean_has_its_glyph() -> None:
    result = make(measures=("nDCG@10", "AP"), baseline="system0")
    visible = text(result, detail="all")
    assert "▲ better, ▼ worse than system0, ? no significant difference." in " ".join(
        visible.split()
    )
    beaten = next(row for row in result.of("AP").pair_rows if row.reading == "worse")
    mean = f"{result.of('AP')[beaten.b].mean:.3f}"
    assert re.search(rf"^{beaten.b} .* {mean} ▼$", visible, re.M)
    assert rf"${mean}$~$\downarrow$" in latex(result)


def test_the_first_has_no_difference_from_itself_and_ranks_have_none_with_limits() -> None:
    lines = text(make()).splitlines()
    head = lines.index("") + 1
    assert lines[head].split()[:4] == ["#", "system", "mean", "Δ"]
    assert re.fullmatch(r"1  \w+ +0\.\d{3} +1 +● +a", lines[head + 1])
    ranks = text(make(test="nemenyi")).splitlines()
    head = ranks.index("") + 1
    assert "mean rank" in ranks[head]
    assert " to " not in ranks[head + 2]


def test_an_unknown_kind_of_interval_is_refused() -> None:
    for make_text in (text, latex):
        with pytest.raises(UnknownNameError, match="within"):
            make_text(make(), interval="wihtin")


@pytest.fixture(scope="module")
def by_a_few_queries() -> Ranking:
    """X has the highest mean by 6 queries of 40; Y is above it on all others."""
    x = {f"q{i:02}": 1.0 if i < 6 else 0.4 for i in range(40)}
    y = {query: 0.0 if i < 6 else 0.41 + i / 1000 for i, query in enumerate(x)}
    z = {query: 0.1 + i / 500 for i, query in enumerate(x)}
    return rank_scores({"X": x, "Y": y, "Z": z}, test="nemenyi")


def test_a_first_by_mean_that_ranks_below_another_is_no_leader(by_a_few_queries: Ranking) -> None:
    readings = {(row.a, row.b): row.reading for row in by_a_few_queries.pair_rows}
    assert readings == {("Y", "X"): "worse", ("Z", "X"): "better", ("Z", "Y"): "better"}
    sentence = "X has the highest mean, but Y is significantly better."
    assert f"? NO LEADER  {sentence}\n" in text(by_a_few_queries)
    assert f"### ? No leader: {sentence}\n" in markdown(by_a_few_queries)
    headline = compose(by_a_few_queries).headline
    assert (headline.tag, headline.title) == ("No leader", sentence)
    letters = latex(by_a_few_queries, style="superscript")
    assert "$a$ & X & $0.490^{c}$" in letters
    assert "$b$ & Y & $0.368^{ac}$" in letters


def test_a_latex_table_of_ranks_against_a_baseline_has_no_limits() -> None:
    rows = latex(make(baseline="system0", test="bonferroni-dunn")).splitlines()
    (first,) = [row for row in rows if row.startswith("    system4 & ")]
    assert len(first.split(" & ")) == 5
    assert "[" not in first


def test_scores_that_do_not_vary_say_so_and_lead_by_chance() -> None:
    same = dict.fromkeys(("q1", "q2", "q3"), 0.5)
    report = compose(rank_scores({"X": same, "Y": same}))
    sections = {section.key: section for section in report.sections}
    assert sections["per-query"].finding == "The scores do not vary."


def test_who_has_the_highest_mean_more_often_than_the_first_is_named() -> None:
    # Y leads where the even queries are drawn more often; else X and Z share the first place.
    x = {f"q{i:02}": 0.9 if i % 2 else 0.1 for i in range(40)}
    y = {f"q{i:02}": 0.1 if i % 2 else 0.899 for i in range(40)}
    z = {
        query: value + (0.05 if i % 4 < 2 else -0.051) for i, (query, value) in enumerate(x.items())
    }
    ranking = rank_scores({"X": x, "Y": y, "Z": z})
    assert ranking.systems == ("X", "Y", "Z")
    first, second, _ = ranking.stability
    assert first.first < second.first
    meaning = compose(ranking).headline.meaning
    assert meaning.endswith(
        f"; Y has it more often, in {100 * second.first:.1f}%. The mean of X is the highest of 3 on"
        " these queries. Expect a lower mean and a smaller lead on new queries."
    )


@pytest.mark.slow
def test_many_inputs_are_folded() -> None:
    systems = make(24).systems
    inputs = {system: {"path": f"runs/{system}.run", "sha256": "ab" * 32} for system in systems}
    inputs |= {"qrels": {"path": "qrels.txt", "sha256": "cd" * 32}}
    ranking = replace(make(24), provenance={"inputs": inputs})
    sections = {section.key: section for section in compose(ranking).sections}
    visible, more = sections["reproduce"].blocks[-3:-1]
    assert (len(visible.rows), len(more.rows), more.folded) == (20, 5, "The other 5 inputs")


@pytest.mark.parametrize(("test", "caption", "cited"), [
    ("t", "different by paired t tests, adjusted by Holm at", "holm-1979"),
    ("max-t", "different by max-T sign flips at", "romano-wolf-2005"),
    ("tukey", "different by Tukey HSD at", "tukey-1953"),
])  # fmt: skip
def test_a_test_is_named_as_in_a_sentence_and_cited_with_its_adjustment(test, caption, cited):
    scores = {f"s{i}": {f"q{j}": (i + j * j % 7) / 10 for j in range(12)} for i in range(3)}
    ranking = rank_scores(scores, test=test)
    assert caption in ranking.to_latex()
    bib, methods = (WRITERS[name](compose(ranking)) for name in (".bib", ".methods"))
    assert cited.encode() in bib
    assert f"by {caption.split('by ', 1)[1].removesuffix(' at')}".encode() in methods


def test_the_first_screen_has_queries_test_and_level_and_how_a_table_was_read() -> None:
    wide = pd.DataFrame({f"s{i}": [(i + j * j % 7) / 10 for j in range(12)] for i in range(3)})
    ranking = rank_scores(wide)
    screen = " ".join(text(ranking, detail="screen").split())
    assert "12 queries, max-T sign flips, α = 0.05" in screen
    assert "note DataFrame: read as a column per variant" in screen
    assert "Input" not in ranking._repr_html_()
