"""Ready scores of many systems, in every form in which they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank.cli import run
from abrank.ranking import read_board


@pytest.fixture
def wide():
    values = np.random.default_rng(3).uniform(size=(12, 3)).round(4)
    return pd.DataFrame(values, columns=["bm25", "t5", "dph"])


def forms(wide, folder):
    """Return the same scores in every form."""
    with_ids = wide.set_axis([str(row) for row in range(1, 13)]).rename_axis("query_id")
    long = with_ids.reset_index().melt("query_id", var_name="system", value_name="score")
    long["measure"] = "AP"
    for name in wide:
        with_ids[[name]].rename(columns={name: "AP"}).to_csv(folder / f"{name}.csv")
    wide.to_csv(folder / "matrix.csv", index=False)
    with_ids.to_csv(folder / "wide.tsv", sep="\t")
    long.to_csv(folder / "long.csv", index=False)
    with_ids.to_parquet(folder / "wide.parquet")
    long.to_parquet(folder / "long.parquet")
    paths = [folder / each for each in ("matrix.csv", "wide.tsv", "long.csv", "wide.parquet")]
    files = [str(folder / f"{name}.csv") for name in wide]
    columns = {name: with_ids[name] for name in wide}
    plain = {name: column.to_dict() for name, column in columns.items()}
    return [*map(str, paths), str(folder / "long.parquet"), with_ids, long, files, columns, plain]


def test_every_form_gives_the_same_ranking(wide, tmp_path):
    expected = None
    for form in forms(wide, tmp_path):
        found = abrank.rank_scores(form, measures="AP")
        assert found.measure == "AP"
        assert found.n_queries == 12
        expected = expected or found
        assert found.rows == expected.rows
        assert found.pair_rows == expected.pair_rows


def test_the_command_reads_them(wide, tmp_path, capsys):
    *_, files, _, _ = forms(wide, tmp_path)
    for flags in ([str(tmp_path / "matrix.csv"), "-m", "AP"], files):
        assert run(["rank", "--scores", *flags, "-q"]) == 0
        assert "3 systems by AP on 12 queries." in capsys.readouterr().out
    assert run(["rank", "--scores", *files, "--depth", "3"]) == 2
    assert "--depth is for runs" in capsys.readouterr().err
    assert run(["rank", files[0]]) == 2
    assert "RUNS are needed" in capsys.readouterr().err


def test_one_system_is_refused_in_words(wide, tmp_path):
    one = tmp_path / "one.csv"
    wide[["t5"]].to_csv(one, index=False)
    for form in (one, wide[["t5"]], {"t5": {"q1": 0.5}}):
        with pytest.raises(ArgumentError, match="two systems or more, and there is one: t5"):
            abrank.rank_scores(form)


def test_what_is_missing_follows_the_policy(wide):
    holes = wide.copy()
    holes.loc[:5, "t5"] = np.nan
    with pytest.raises(AlignmentError, match=r"missing on 6 of t5, of 12 queries: (?s:.*)missing="):
        abrank.rank_scores(holes)
    zero = abrank.rank_scores(holes, missing="zero")
    assert zero["t5"].mean == pytest.approx(wide.loc[6:, "t5"].sum() / 12)
    assert any(
        "scores are missing on 6 of t5, of 12 queries: they score 0" in note for note in zero.notes
    )
    drop = abrank.rank_scores(holes, missing="drop")
    assert drop.n_queries == 6
    assert drop["dph"].mean == pytest.approx(wide.loc[6:, "dph"].mean())
    with pytest.raises(AlignmentError, match="nothing is left"):
        abrank.rank_scores(holes.assign(t5=np.nan), missing="drop")


def test_sources_that_do_not_fit_are_refused(wide, tmp_path):
    path = tmp_path / "wide.csv"
    wide.to_csv(path, index=False)
    with pytest.raises(ReadError):  # rows without ids, in two files
        read_board([str(path), str(path)])
    named = wide.rename_axis("query_id")
    with pytest.raises(ArgumentError, match="two sources have a system 'bm25'"):
        read_board([named, named])
    one, other = (named[["t5"]].set_axis([name], axis=1) for name in ("AP", "RR"))
    with pytest.raises(ArgumentError, match="the measures differ"):
        read_board({"a": one, "b": other})
    with pytest.raises(ArgumentError, match="one system is asked for, not bm25, t5, dph"):
        read_board({"a": named})
    with pytest.raises(ArgumentError, match="not int"):
        read_board(3)
    with pytest.raises(ArgumentError, match="no scores"):
        read_board([])
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    with pytest.raises(ReadError, match="the Parquet file is cut short"):
        read_board(broken)


def test_files_with_one_column_of_one_name_are_a_system_each(tmp_path) -> None:
    sources = []
    for name, more in (("slow", 30), ("fast", 0), ("middle", 10)):
        sources.append(tmp_path / f"{name}.csv")
        rows = [f"q{i},{10 + i % 5 + more}" for i in range(12)]
        sources[-1].write_text("\n".join(["query_id,latency_ms", *rows]))
    found = read_board(sources)
    assert (found.systems, found.measures) == (("slow", "fast", "middle"), ("latency_ms",))
    assert found.means()[:, 0].tolist() == [41.75, 11.75, 21.75]


def test_one_file_of_several_systems_is_not_told_as_one_run_given_twice(wide, tmp_path):
    path = tmp_path / "wide.csv"
    wide.to_csv(path, index=False)
    assert abrank.rank_scores(path).cautions == ()


def test_what_several_systems_lack_is_counted(wide):
    holes = wide.copy()
    holes.loc[:5, "t5"] = np.nan
    holes.loc[4:6, "dph"] = np.nan
    with pytest.raises(
        AlignmentError, match=r"^scores are missing on 6 of t5 and on 3 of dph, of 12"
    ):
        abrank.rank_scores(holes)


def test_scores_are_taken_as_they_are(wide):
    scores = read_board(wide)
    assert read_board(scores) is scores
    assert abrank.rank_scores(scores).rows == abrank.rank_scores(wide).rows
    halves = [read_board(wide[names]) for names in (["bm25", "t5"], ["dph"])]
    joined = read_board(halves)
    assert joined.systems == ("bm25", "t5", "dph")
    assert np.array_equal(joined.values[:, :, 0], wide.loc[[int(q) for q in joined.query_ids]])


@pytest.mark.parametrize("n", [3, 4])
def test_of_many_sources_what_the_first_was_taken_for_is_told(n, wide, tmp_path):
    paths = [tmp_path / f"s{i}.csv" for i in range(n)]
    for path in paths:
        wide[["t5"]].set_axis(["AP"], axis=1).rename_axis("query_id").to_csv(path)
    taken = [f"{path}: taken for a wide table, 12 queries, 1 measure" for path in paths]
    told = (f"4 sources, the first {taken[0]}",) if n == 4 else tuple(taken)
    assert abrank.rank_scores([str(path) for path in paths]).notes == told
