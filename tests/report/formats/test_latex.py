"""The table for a paper: ASCII, balanced, nothing that a name brings is a command."""

import re

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, UnknownNameError, compare_scores
from abrank._support import display as f
from abrank.report import to_dict
from abrank.report.formats.latex import MOST, escape, number
from tests.report.written import latex

COMMANDS = {
    *("begin", "end", "centering", "caption", "label", "small", "setlength", "tabcolsep"),
    *("toprule", "midrule", "bottomrule", "Delta", "alpha", "infty", "times", "dots", "texttt"),
    *("allowbreak", "textbackslash", "textasciitilde", "textasciicircum", "textless"),
    *("textgreater", "textbar", "smallskip", "beta", "d"),
}


def structure(source: str) -> list[list[str]]:
    """Check what LaTeX would: braces, environments, commands; return the cells of the rows."""
    assert source.isascii()
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    text = "\n".join(lines)
    bare = re.sub(r"\\[\\{}$&#%_,`'\"^~=.]", "", text)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert (depth, bare.count("$") % 2) == (0, 0)
    assert "#" not in bare
    assert "%" not in bare
    assert set(re.findall(r"\\([A-Za-z]+)", bare)) <= COMMANDS
    assert re.findall(r"\\(begin|end)\{(\w+)\}", text) == [
        ("begin", "table"), ("begin", "tabular"), ("end", "tabular"), ("end", "table"),
    ]  # fmt: skip
    columns = re.search(r"\{@\{\}([lcr]+)@\{\}\}", text)
    rows = [re.split(r"(?<!\\)&", line) for line in lines if line.endswith(r" \\")]
    assert {len(row) for row in rows} == {len(columns.group(1))}
    for row in rows[1:]:
        assert not row[0].strip().startswith(("[", "*"))
    return [[cell.strip().removesuffix(r"\\").strip() for cell in row] for row in rows]


@pytest.mark.parametrize("style", ["interval", "superscript"])
def test_every_situation_is_one_balanced_table(situation: Comparison, style: str) -> None:
    assert len(structure(latex(situation, style=style))) == 1 + len(situation.rows)


@pytest.mark.parametrize("style", ["interval", "superscript"])
def test_hostile_names_stay_text(hostile: Comparison, style: str) -> None:
    assert len(structure(latex(hostile, style=style))) == 1 + len(hostile.rows)


@pytest.mark.parametrize("name", [
    *("[a]", "*", "&", "%", "$x$", "#1", "\\\\", "{", "}", "~^_", "\\input{/etc/passwd}"),
    *("^^M", "\\end{tabular}", "\u202egnp", "\x00\n\r", "x" * 10_000, "検索", "`''"),
    *("caf\u00e9", "cafe\u0301", "β", "Đ", "i\u0323\u0301", "-----"),
])  # fmt: skip
def test_no_name_is_a_command(name: str) -> None:
    a = pd.DataFrame({name: [0.1, 0.2, 0.3, 0.4]}, index=list("wxyz"))
    comparison = compare_scores(a, a * 1.5, name_a=name, name_b=f"{name}{name}")
    assert len(structure(latex(comparison))) == 2


@pytest.mark.parametrize(("text", "printed"), [
    ("_&%#${}", r"\_\&\%\#\$\{\}"),
    ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
    ("a--b''c,,d", "a-{}-b'{}'c,{},d"),
    ("[x]*", "{[}x{]}{*}"),
    ("Müller−Łódź", r"M\"{u}ller$-$\L{}\'{o}d\'{z}"),
    ("λ=0.5", r"$\lambda$=0.5"),
    ("a\u200fb", r"a\textbackslash{}u200fb"),
    ("k1=0.9_b & 50%", r"k1=0.9\_b \& 50\%"),
    ("検", r"\texttt{U+691C}\allowbreak{}"),
])  # fmt: skip
@pytest.mark.every_case
def test_characters_are_printed_as_they_are(text: str, printed: str) -> None:
    assert escape(text, width=100) == printed


def test_numbers_are_those_of_the_json(make) -> None:
    result = make(0.05, measures=4)
    rows = structure(latex(result, digits=4))[1:]
    for cells, row in zip(rows, to_dict(result)["measures"], strict=True):
        limits = ", ".join(f.signed(row[key], digits=4) for key in ("ci_low_adj", "ci_high_adj"))
        assert cells[1:] == [
            number(f.score(row["mean_a"], digits=4)),
            number(f.score(row["mean_b"], digits=4)),
            number(f.signed(row["diff"], digits=4)),
            number(f"[{limits}]"),
            number(f.pvalue(row["pvalue_adj"])),
        ]


def test_primary_stands_first(make) -> None:
    rows = structure(latex(make(0.05, measures=3, primary="RR")))
    assert [row[0] for row in rows] == ["Measure", "RR", "nDCG@10", "AP"]


@pytest.mark.slow
def test_superscript_marks_what_is_shown(make) -> None:
    result = make(0.05, measures=6)
    rows = {row[0]: row[1:] for row in structure(latex(result, style="superscript"))[1:]}
    for row in result.rows:
        a, b = rows[row.measure]
        assert a.endswith("^{b}$") is (row.reading == "worse")
        assert b.endswith("^{a}$") is (row.reading == "better")
    assert {row.reading for row in result.rows} >= {"better", "worse", "unclear"}


def test_caption_states_test_queries_level_and_adjustment(make) -> None:
    source = latex(make(0.05, measures=3, test="permutation", alpha=0.01))
    for words in (
        "monot5 (B) against the baseline bm25 (A)",
        "100 queries",
        "99\\% confidence interval",
        "two-sided sign-flip permutation test (exact) at $\\alpha$ = 0.01",
        "nDCG@10 decides, tested alone; secondary measures adjusted together (max-t,",
    ):
        assert words in source
    assert "secondary" not in latex(make(0.05))


def test_estimate_of_another_kind_has_its_column(make) -> None:
    source = latex(make(0.05, test="wilcoxon"))
    assert structure(source)[0][4] == "Estimate"
    assert "and the pseudo-median difference with 95\\% confidence interval" in source


@pytest.mark.slow
def test_a_table_longer_than_a_page_is_cut_and_says_so() -> None:
    rng = np.random.default_rng(0)
    a = pd.DataFrame(rng.random((5, 60)), columns=[f"m{i}" for i in range(60)]).set_axis(
        list("vwxyz")
    )
    source = latex(compare_scores(a, a[::-1].set_axis(a.index)))
    assert len(structure(source)) == 1 + MOST
    assert "25 more measures not shown." in source


def test_unknown_style_is_refused(make) -> None:
    with pytest.raises(UnknownNameError, match="did you mean interval"):
        latex(make(0.05), style="intervals")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("−0.004", "$-0.004$"), ("< 0.001", "$<0.001$"), ("+9.2%", "$+9.2\\%$"),
        ("not defined", "--"), ("2.500e+06", "$2.500\\times 10^{6}$"),
    ],
)  # fmt: skip
def test_numbers_are_set_in_mathematics(text: str, printed: str) -> None:
    assert number(text) == printed
