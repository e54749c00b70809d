"""The benchmark command itself, on a collection that takes no time."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from abrank import AbrankError, read_qrels, read_run
from reports import studies
from reports.studies.benchmark import __main__ as command
from reports.studies.benchmark import clock, everyday, inputs, jobs, scale, writing
from reports.studies.benchmark.clock import Row, interleave, run
from reports.studies.benchmark.inputs import Size, make
from reports.studies.benchmark.jobs import Job

TINY = Size("tiny", 12, 30, 5, 2)


@pytest.fixture(autouse=True)
def short_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find out what two processes at once do with less work: the number is no test's business."""
    monkeypatch.setattr(clock, "_BUSY", (sys.executable, "-c", "for i in range(50_000): i * i"))
    monkeypatch.setattr(clock, "QUIET", 0.0)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("S", "L", "F", "R"):
        monkeypatch.setitem(inputs.SIZES, name, TINY)
    monkeypatch.setattr(inputs, "READY_SCORES", 30)
    monkeypatch.setattr(inputs, "RANKED_RUNS", 3)
    monkeypatch.setattr(inputs, "SYSTEMS", (3,))
    monkeypatch.setattr(inputs, "USERS", 40)


@pytest.mark.parametrize(
    "file",
    ["benchmark/__main__.py", "benchmark/scale.py", "calibration/__main__.py",
     "calibration/machine.py"],
)  # fmt: skip
def test_every_study_says_how_it_is_called(file, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["study", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(Path(studies.__path__[0], file)), run_name="__main__")
    assert ended.value.code == 0
    assert "--output" in capsys.readouterr().out


def test_what_is_installed_is_timed_beside_abrank(tmp_path: Path, monkeypatch) -> None:
    files = make(TINY, tmp_path)
    for installed, names in ((True, ["pytrec_eval", "ir_measures", "ranx"]), (False, [])):
        monkeypatch.setattr(jobs, "_installed", lambda _, found=installed: found)
        assert [job.program for job in jobs.score_jobs(files, None)] == ["abrank", *names]


def test_collections_are_what_they_say_and_the_same_again(tmp_path: Path) -> None:
    first, two = make(TINY, tmp_path / "one"), make(TINY, tmp_path / "two")
    for name in ("qrels", "a", "b"):
        assert getattr(first, name).read_bytes() == getattr(two, name).read_bytes()
    judgments, a, b = read_qrels(first.qrels), read_run(first.a), read_run(first.b)
    assert len(judgments.query_ids) == len(a.query_ids) == 12
    assert len(a) == len(b) == TINY.rows
    assert len(judgments) == 60
    assert set(judgments.grade.tolist()) <= {0, 1, 2}
    assert a.ranking(a.query_ids[0]) != b.ranking(a.query_ids[0])
    before = first.a.stat().st_mtime_ns
    assert make(TINY, tmp_path / "one").a.stat().st_mtime_ns == before


def test_a_process_is_timed_and_its_failure_told() -> None:
    completed = run(Job("spin", (sys.executable, "-c", "sum(range(3_000_000))")))
    assert completed.cpu > 0
    assert completed.wall > 0
    assert completed.memory > 1
    with pytest.raises(AbrankError, match=r"(?s)bad failed.*ValueError"):
        run(Job("bad", (sys.executable, "-c", "raise ValueError")))


def test_rounds_are_interleaved_and_the_first_is_not_counted() -> None:
    message: list[str] = []
    sleeps = [
        Job(name, (sys.executable, "-c", f"import time; time.sleep({seconds})"))
        for name, seconds in (("fast", 0), ("slow", 0.1))
    ]
    rows = interleave("sleep", sleeps, rounds=2, tell=message.append)
    assert [line.split()[1] for line in message] == ["fast", "slow"] * 3
    assert [row.rounds for row in rows] == [2, 2]
    assert rows[0].ratio == rows[0].memory_ratio == 1.0
    assert rows[1].ratio_low <= rows[1].ratio <= rows[1].ratio_high
    assert rows[1].wall > 0.1


@pytest.mark.slow
def test_the_command_writes_table_figure_and_numbers(tmp_path, monkeypatch, tiny, capsys) -> None:
    monkeypatch.setattr(jobs, "start_jobs", list)
    monkeypatch.setattr(command, "interleave", time_own_job_once)
    where = ["--inputs", str(tmp_path / "in"), "--output", str(tmp_path / "out")]
    monkeypatch.setattr(everyday, "loaded", lambda *_: {"score": "numpy"})
    # Of L the report is results.json: nothing is drawn.
    requested = "--sizes L --rounds 1 --work runs frames ready rank users"
    assert command.main([*requested.split(), *where]) == 0
    loads = json.loads((tmp_path / "out" / "benchmark.json").read_text())
    work = [row["work"].split()[0] for row in loads["rows"]]
    assert work == [
        "score", "compare", "evaluate", *["compare"] * 4, "rank", "rank", *["compare"] * 3
    ]  # fmt: skip
    programs = {row["program"] for row in loads["rows"]}
    assert programs == {"abrank", "abrank, file"}
    assert loads["modules"] == {"score": "numpy"}
    assert (tmp_path / "out" / "benchmark.md").read_text() == capsys.readouterr().out
    assert (tmp_path / "out" / "benchmark.png").stat().st_size > 1000
    assert re.search(r"cores \(two processes at once do \d\.\d times", loads["machine"])


def test_a_busy_machine_is_refused_or_marked(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(clock, "QUIET", 1.6)
    monkeypatch.setattr(clock, "work_of_two", lambda: 1.2)
    assert command.main(["--output", str(tmp_path)]) != 0
    assert scale.main(["--output", str(tmp_path)]) != 0
    refused = capsys.readouterr().err
    assert refused.count("two processes at once do 1.2 times the work of one") == 2
    assert refused.count("say --busy") == 2
    assert not [*tmp_path.iterdir()]
    clock.require_quiet(busy=True)
    for work, marked in ((1.2, True), (1.9, False)):
        monkeypatch.setattr(writing, "work_of_two", lambda work=work: work)
        assert ("**Others were at work on it" in writing.machine()) is marked


def time_own_job_once(work, jobs_, *, rounds, tell):  # type: ignore[no-untyped-def]
    """Run abrank's own job, once: what the peers take is no business of a test."""
    if not jobs_:
        return []
    completed = run(jobs_[0])
    tell(work)
    return [
        Row(
            work, jobs_[0].program, completed.wall, completed.cpu, completed.memory, *(1.0,) * 4,
            rounds,
        )
    ]  # fmt: skip


def asked_of(work: str, jobs_: list[Job]) -> list[tuple[str, list[Job]]]:
    """Stand in for what times: what would be timed."""
    return [(work, jobs_)]


def test_what_is_timed_of_runs_and_every_day(tmp_path, tiny, capsys, monkeypatch) -> None:
    assert command._made(divmod, 7, 2) == (3, 1)  # in a process of its own
    monkeypatch.setattr(command, "_made", lambda make, *options, **how: make(*options, **how))
    measure = dict(command.measure(["S", "L"], tmp_path, asked_of, trec_eval="/bin/trec_eval"))  # type: ignore[arg-type]
    works = [work.replace(" (12 × 30)", "") for work in measure]
    assert works == [
        "start", "score S", "compare S, terminal", "compare S, HTML report", "score L",
        "compare L, JSON report",
    ]  # fmt: skip
    page, terminal = (
        measure[f"compare S (12 × 30), {kind}"] for kind in ("HTML report", "terminal")
    )
    assert page[0].command == (*terminal[0].command, "--report", str(tmp_path / "report.html"))
    assert page[1:-2] == terminal[1:]
    assert page[-2].program == f"{terminal[1].program}, one figure"
    assert "making S: 12 queries of 30 documents" in capsys.readouterr().err

    daily = dict(row for item in command.EVERYDAY.values() for row in item(tmp_path, asked_of))  # type: ignore[arg-type]
    assert [work.split()[0] for work in daily] == [
        "evaluate", *["compare"] * 4, "rank", "rank", *["compare"] * 3, "demo"
    ]  # fmt: skip
    assert daily["demo"][0].command[-2:] == (str(tmp_path / "demo"), "-q")
    assert all(jobs_[0].program.startswith("abrank") for jobs_ in daily.values())
