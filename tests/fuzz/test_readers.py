"""Damaged inputs: each reader gives what a strict parser gives, or refuses in a sentence."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abrank import read_qrels, read_run
from abrank.inputs import read_judged_run
from abrank.inputs.score_table import read_score_table
from abrank.inputs.topics import read_segments, read_topics
from tests.fuzz import strict
from tests.fuzz.damage import SIZES, Read, damaged, outcome, trying
from tests.inputs.conftest import PACKERS, zstd


def latin(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def run_of(path: Path) -> dict[str, dict[str, float]]:
    run = read_run(path)
    return {
        latin(query): {latin(doc): score for doc, score in run.ranking(query)}
        for query in run.query_ids
    }


def qrels_of(path: Path) -> dict[str, dict[str, float]]:
    qrels = read_qrels(path)
    return {
        latin(query): {latin(doc): float(grade) for doc, grade in qrels.grades(query).items()}
        for query in qrels.query_ids
    }


# Damage can leave three fields, which are another form.
def trec_run_of(path: Path) -> dict[str, dict[str, float]]:
    strict.require(bool(read_run(path).tags))
    return run_of(path)


def trec_qrels_of(path: Path) -> dict[str, dict[str, float]]:
    strict.require(not read_qrels(path).source.form)
    return qrels_of(path)


def segments_of(path: Path) -> dict[str, dict[str, str]]:
    strict.require(b"\t" not in path.read_bytes())  # damage can make it a table of tabs
    return read_segments(path)


def scores_of(path: Path) -> list[tuple[str, str, float]]:
    table = read_score_table(path, is_measure=lambda name: name in ("map", "P_10"))
    # Damage can make it another form, and of words alone (trec_eval's runid) no score is read.
    strict.require(table.reading.form == "trec_eval -q" and not table.left_out)
    rows = range(len(table.value))
    strict.require({table.measure[row] for row in rows} <= {"map", "P_10"})
    return [(table.measure[row], table.query[row], float(table.value[row])) for row in rows]


RUN = [b"%d Q0 d%d %d %d.5 tag\n" % (i // 4, i, i % 4, 9 - i % 4) for i in range(12)]
QRELS = [b"%d 0 d%d %d\n" % (i // 4, i, i % 3 - 1) for i in range(12)]
SCORES = [b"map\t%d\t0.%d\n" % (i, i) for i in range(6)] + [b"P_10   \t7\t1\n", b"map\tall\t0.2\n"]
TOPICS = [b"q%d\tfirst text\n" % i for i in range(4)]
TOPICS += [b'{"_id": "j%d", "text": "a b"}\n' % i for i in range(4)]
SEGMENTS = [b"query_id,intent\n", *(b"q%d,s%d\n" % (i, i % 2) for i in range(8))]

KINDS: dict[str, tuple[list[bytes], Read, Read]] = {
    "run": (RUN, trec_run_of, strict.run),
    "qrels": (QRELS, trec_qrels_of, strict.qrels),
    "topics": (TOPICS, read_topics, strict.topics),
    "segments": (SEGMENTS, segments_of, strict.segments),
}
# A line as long as is read makes hypothesis warn of what it would print.
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_gives_what_a_strict_parser_gives(kind: str, n: int, tmp_path: Path) -> None:
    lines, read, parse = KINDS[kind]
    path = tmp_path / "file"
    counts = {"read": 0, "refused": 0}

    @trying(n)
    @given(damaged(lines))
    @example(b"0 Q0 d0 1e4000 9.5 tag\n")
    @example(b"query_id,intent\nq0,s0\n\xef\xbb\xbf")
    def check(data: bytes) -> None:
        path.write_bytes(data)
        result = outcome(read, path)
        wanted = outcome(parse, data)
        assert result == wanted, data[:300]
        counts["refused" if result is None else "read"] += 1

    check()
    # A fuzzer of which all is refused, or all is read, would say nothing.
    assert min(counts.values()) > n // 60


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_scores_are_what_a_strict_parser_gives_or_refused(n: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    read = []

    @trying(n)
    @given(damaged(SCORES))
    def check(data: bytes) -> None:
        path.write_bytes(data)
        # The form of some lines is open, so that more may be refused than must be.
        result = outcome(scores_of, path)
        if result is not None:
            assert result == outcome(strict.scores, data)
            read.append(data)

    check()
    assert len(read) > n // 60


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_a_streamed_run_is_the_run_read_whole(n: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    qrels = read_qrels([(str(i // 4), f"d{i}", i % 3) for i in range(12)])

    def judged_runs(source: Any) -> Any:
        judged = read_judged_run(qrels, source).judged
        return judged.query.tolist(), judged.rank.tolist(), judged.n_retrieved.tolist()

    @trying(n)
    @given(damaged(RUN))
    def check(data: bytes) -> None:
        path.write_bytes(data)
        whole = outcome(read_run, path)
        assert outcome(judged_runs, path) == (
            None if whole is None else outcome(judged_runs, whole)
        )

    check()


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("pack", PACKERS.values())
def test_a_damaged_archive_is_the_run_or_refused(n, pack, tmp_path) -> None:
    path = tmp_path / "file"
    text, two = b"".join(RUN[:5]), b"".join(RUN[5:])
    streams = [pack(text), pack(two)]
    stored = b"".join(streams)
    whole = strict.run(text + two)

    @trying(n)
    @given(st.integers(0, len(stored)), st.binary(max_size=3), st.integers(0, 3))
    def check(at: int, put: bytes, out: int) -> None:
        path.write_bytes(stored[:at] + put + stored[at + out :])
        result = outcome(run_of, path)
        if pack is not zstd:  # these frames have no checksum, so that other lines can come out
            assert result in (None, whole)

    check()
    # The first stream alone is a whole archive, and says nothing of what was cut.
    path.write_bytes(streams[0])
    assert run_of(path) == strict.run(text)
