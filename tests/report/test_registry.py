"""Writing files: whole or not at all, and only with what the format needs."""

import io
import os
import stat
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from abrank import judge_agreement, power
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.collections import compare_collections, rank_collections
from abrank.comparison import Comparison, compare_scores
from abrank.ranking import rank_scores
from abrank.report import WRITERS, Report, compose, from_dict, write, writer
from abrank.report.registry import default_path, figures_target, format_of, target_of
from tests.report.written import latex, markdown, table


@pytest.fixture
def comparison(make) -> Comparison:
    return make(0.05, measures=2)


@pytest.fixture
def broken():
    """Register a format whose writer fails."""

    @writer(".broken")
    def fail(report: Report) -> str:
        raise ValueError("no report today")

    yield ".broken"
    WRITERS._entries.pop(".broken")


def test_csv_puts_the_queries_beside(comparison: Comparison, tmp_path: Path) -> None:
    write(comparison, tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.queries.csv"]
    context = (tmp_path / "out.queries.csv").read_text("utf-8")
    assert context.startswith("query_id,measure,a,b,diff\n")


def test_csv_puts_the_segments_beside_where_there_are_some(tmp_path: Path) -> None:
    a = {f"q{i}": 0.1 * i for i in range(6)}
    result = compare_scores(a, a, segments={"half": {query: query[-1] for query in a}})
    write(result, tmp_path / "out.csv")
    assert (tmp_path / "out.segments.csv").read_text("utf-8") == table(result, ".segments.csv")


def test_options_reach_the_writer(comparison: Comparison, tmp_path: Path) -> None:
    report = comparison.report(tmp_path / "a.tex", digits=5, style="superscript")
    assert report.read_text("utf-8") == latex(comparison, digits=5, style="superscript")
    assert comparison.report(tmp_path / "a.md", digits=5).read_text("utf-8") == markdown(
        comparison, digits=5
    )


@pytest.mark.parametrize(("name", "options", "said"), [
    ("a.json", {"digits": 4}, "a .json report has no option 'digits'; its own: none"),
    ("a.md", {"style": "interval"}, "has no option 'style'; its own: digits"),
    ("a.md", {"interval": "own"}, "has no option 'interval'; its own: digits"),
    ("a.tex", {"digits": 0}, "digits must be a whole number of at least 1"),
    ("a.tex", {"style": "stars"}, 'unknown style "stars"'),
])  # fmt: skip
def test_options_without_meaning_are_refused(comparison, tmp_path, name, options, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        comparison.report(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.htm", "out", "out.pdf"])
def test_unknown_suffix_names_the_known_ones(comparison, tmp_path, name) -> None:
    with pytest.raises(UnknownNameError, match=f"known formats: {' '.join(WRITERS)}"):
        write(comparison, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("nothing_drawn")
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_format_alone_goes_to_the_usual_place(comparison, tmp_path, monkeypatch, suffix) -> None:
    monkeypatch.chdir(tmp_path)
    named = replace(comparison, baseline="bm25", candidate="monot5")
    path = write(named, suffix.removeprefix("."))
    assert path == Path("reports") / f"monot5-vs-bm25{suffix}"
    assert path.read_bytes() == WRITERS[suffix](named)


@pytest.mark.parametrize(("name", "kept"), [
    ("../../etc/passwd", "etc-passwd"),
    (".hidden", "hidden"),
    ("a b\tc\n\x1b[31m\u202e", "a-b-c-31m"),
    ("k1=0.9_v+2", "k1-0.9_v+2"),
    ("検索", "検索"),
    ("検" * 100, "検" * 26),
    ("half \ud800", "half"),
    ("///", "B"),
    ("", "B"),
])  # fmt: skip
def test_the_usual_place_is_a_file_in_one_folder(comparison, name, kept) -> None:
    path = default_path(compose(replace(comparison, baseline="bm25", candidate=name)), ".html")
    assert path.parts == ("reports", f"{kept}-vs-bm25.html")


def test_folders_are_made_and_no_other_file_stays(comparison: Comparison, tmp_path: Path) -> None:
    path = write(comparison, tmp_path / "new" / "deep" / "out.md")
    assert [path.name for path in path.parent.iterdir()] == ["out.md"]


def test_a_new_file_has_the_usual_mode_a_replaced_one_its_own_and_a_link_stays_a_link(
    comparison: Comparison, tmp_path: Path
) -> None:
    mask = os.umask(0o027)
    try:
        path = write(comparison, tmp_path / "out.md")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.write_text("old")
    path.chmod(0o604)
    (tmp_path / "link.md").symlink_to(path)
    write(comparison, tmp_path / "link.md")
    assert (tmp_path / "link.md").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert path.read_text("utf-8") == markdown(comparison)


def test_device_is_written_to(comparison: Comparison) -> None:
    assert write(comparison, "/dev/null", format=".md") == Path("/dev/null")
    assert not Path("/dev/null").is_file()


def test_failing_writer_leaves_the_old_file(comparison, tmp_path, broken) -> None:
    path = tmp_path / f"out{broken}"
    path.write_text("old")
    with pytest.raises(ValueError, match="no report today"):
        write(comparison, path)
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


@pytest.mark.usefixtures("nothing_drawn")
def test_half_a_surrogate_pair_is_written(tmp_path: Path) -> None:
    odd = compare_scores({"a": 0.1, "b": 0.2}, {"a": 0.3, "b": 0.1}, name_b="half \ud800")
    for suffix in (".md", ".json", ".csv", ".txt", ".tex", ".methods", ".bib", ".html"):
        assert write(odd, tmp_path / f"out{suffix}").read_text("utf-8")


def test_parquet_has_the_scores_of_every_query() -> None:
    names = {"name_b": "B", "name_a": "A"}
    odd = compare_scores({"a": 0.1, "\udce9": 0.2}, {"a": 0.3, "\udce9": 0.1}, **names)
    table = pyarrow.parquet.read_table(io.BytesIO(WRITERS[".parquet"](odd)))
    assert table.to_pydict() == {
        "query_id": [query_id.encode("utf-8", "replace").decode() for query_id in odd.query_ids],
        "measure": ["score", "score"],
        "a": odd.a[:, 0].tolist(),
        "b": odd.b[:, 0].tolist(),
        "diff": (odd.b - odd.a)[:, 0].tolist(),
    }
    assert WRITERS[".parquet"](from_dict(odd.to_dict())) == WRITERS[".parquet"](odd)


@pytest.mark.slow
def test_a_format_of_ones_own_serves_every_result(tmp_path: Path) -> None:
    @writer(".own")
    def own(report: Report, *, loud: bool = False) -> dict[str, str]:
        title = report.headline.title
        return {".own": title.upper() if loud else title, ".rule.own": report.headline.rule}

    scores = {f"q{i}": i / 20 for i in range(20)}
    better = {query: 0.9 * score + 0.08 for query, score in scores.items()}
    try:
        more, more_better = ({f"p{q}": v * v for q, v in x.items()} for x in (scores, better))
        results = (
            compare_scores(scores, better),
            rank_scores({"X": scores, "Y": better}),
            compare_collections({"x": (scores, better), "y": (more, more_better)}),
            rank_collections({"x": {"X": scores, "Y": better}, "y": {"X": more, "Y": more_better}}),
            judge_agreement({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1, "d2": 1}}),
            power(sd=0.2, queries=100),
        )
        for i, result in enumerate(results):
            path = write(result, tmp_path / f"{i}.own", loud=True)
            assert path.read_text("utf-8") == compose(result).headline.title.upper()
            assert (tmp_path / f"{i}.rule.own").read_text("utf-8")
    finally:
        WRITERS._entries.pop(".own")


@pytest.mark.parametrize("path", ["methods:m.txt", "md:summary"])
def test_a_format_may_stand_before_a_path(comparison, tmp_path, monkeypatch, path) -> None:
    monkeypatch.chdir(tmp_path)
    assert comparison.report(path) == Path(path.partition(":")[2])


def test_the_methods_paragraph_is_written_as_latex_reads_it(comparison, tmp_path) -> None:
    visible = comparison.report(f"methods:{tmp_path / 'methods.tex'}").read_text("utf-8")
    assert r"at $\alpha$ = 0.05; intervals have the level 95\%." in visible
    assert visible.isascii()
    assert "α = 0.05" in comparison.report(f"methods:{tmp_path / 'm.txt'}").read_text("utf-8")


def test_an_unknown_word_before_a_path_is_refused(comparison: Comparison, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match='unknown report format "metods"; did you mean'):
        comparison.report(f"metods:{tmp_path / 'm.html'}")
    assert target_of(".html") == target_of("html")
    assert (target_of("C:/out.html").path, list(tmp_path.iterdir())) == ("C:/out.html", [])


def test_a_format_is_registered_once() -> None:
    with pytest.raises(ArgumentError, match="registered already"):
        writer(".md")(lambda comparison: "")


def test_a_target_is_a_path_a_format_or_both() -> None:
    assert [
        (str(result), *rest) for result, *rest in map(target_of, ("out.html", "html", "md:sum"))
    ] == [("out.html", ".html", False), ("html", ".html", False), ("sum", ".md", True)]


def test_figures_without_a_kind_are_pdf() -> None:
    assert (figures_target("png:out/figures")[0], figures_target("figures")[0]) == ("png", "pdf")


def test_the_format_is_that_of_the_suffix() -> None:
    assert (format_of("reports/out.HTML"), format_of("md")) == (".html", ".md")
    assert format_of("junit.xml") == ".junit"
