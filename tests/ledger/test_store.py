"""A ledger keeps every entry whole and once, whatever befalls those who write it.

Entries and sets of query ids that were cut, changed or made by others are refused.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import zlib
from contextlib import closing
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

import abrank
from abrank._support.errors import NotFoundError, ReadError, WriteError
from abrank.cli import run
from abrank.ledger import ErrorBudget, LedgerEntry, history, open_ledger, store
from abrank.ledger.entry import _digest
from abrank.ledger.store import _unpacked
from tests.ledger.made import QUERIES, comparison, entry

ROOT = Path(__file__).parents[2]
# Writers are forked, so that a hundred of them take seconds. Each tells what it has kept, and is
# killed, if at all, after its first entry.
WRITERS = """
import os, signal, sys, time
from abrank.ledger import open_ledger
from tests.ledger.made import QUERIES, entry

place, n_writers, n_entries, kill = sys.argv[1], *map(int, sys.argv[2:])
entry(0)
for writer in range(n_writers):
    first = (writer if kill else writer // 2) * n_entries
    told, tell = os.pipe()
    if not (child := os.fork()):
        ledger = open_ledger(place, create=True)
        for number in range(first, first + n_entries):
            ledger.add(entry(number), QUERIES)
            os.write(tell if kill else 1, f"{number}\\n".encode())
        os._exit(0)
    os.close(tell)
    with open(told) as told:
        if kill:
            print(told.readline())
            time.sleep(0.001 * (writer % 20))
            os.kill(child, signal.SIGKILL)
            print(told.read(), flush=True)
            os.waitpid(child, 0)
if not kill:
    sys.exit(sum(os.wait()[1] != 0 for _ in range(n_writers)))
"""


@pytest.fixture(params=["ledger.sqlite", "ledger"])
def place(request, tmp_path) -> Path:
    return tmp_path / request.param


def written_by(place: Path, n_writers: int, n_entries: int, *, kill: bool) -> list[int]:
    """Return the entries that writers kept before they ended, or were killed."""
    ran = subprocess.run(
        [sys.executable, "-c", WRITERS, str(place), *map(str, (n_writers, n_entries, int(kill)))],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return [int(number) for number in ran.stdout.split()]


def n_kept(place: Path) -> int:
    """How many entries are stored, counted beside the code that reads them."""
    if place.is_dir():
        return len([*place.glob("*.json")])
    with closing(sqlite3.connect(place)) as base:
        return int(base.execute("SELECT count(*) FROM entries").fetchone()[0])


def test_what_was_kept_is_read_again(place) -> None:
    result = [LedgerEntry.of(comparison(seed), budget="fdr:0.05") for seed in range(3)]
    ledger = open_ledger(place, create=True)
    for item in result:
        assert ledger.add(item, QUERIES)
    again = open_ledger(place)
    assert again.entries() == tuple(result)
    assert again.query_sets() == {result[0].queries: frozenset(QUERIES)}
    assert again.entries()[0].difference == comparison(0).mean_difference


def test_a_comparison_repeated_is_one_entry_and_another_seed_is_none(place) -> None:
    ledger = open_ledger(place, create=True)
    first, again = LedgerEntry.of(comparison(4)), LedgerEntry.of(comparison(4))
    assert first.key == again.key
    assert ledger.add(first, QUERIES)
    assert not ledger.add(again, QUERIES)
    assert not ledger.add(replace(first, created="2030-01-01T00:00:00+00:00"), QUERIES)
    assert ledger.add(LedgerEntry.of(comparison(4, margin=0.01)), QUERIES)
    assert len(ledger.entries()) == 2


@pytest.mark.slow
def test_twenty_writers_at_once_lose_nothing(place) -> None:
    # Each pair of writers writes the same entries.
    written = written_by(place, 20, 5, kill=False)
    entries = open_ledger(place).entries()
    assert sorted(written) == sorted([*range(50)] * 2)
    assert n_kept(place) == len(entries) == 50
    assert {item.key for item in entries} == {entry(number).key for number in range(50)}


def test_a_file_that_another_makes_while_it_is_looked_at_is_a_ledger(tmp_path, monkeypatch) -> None:
    place, connect, looks = tmp_path / "ledger.sqlite", sqlite3.connect, []

    class Interrupted(sqlite3.Connection):
        def execute(self, statement: str, *values) -> sqlite3.Cursor:
            looks.append(statement)
            if len(looks) == 2:
                monkeypatch.setattr(sqlite3, "connect", connect)
                assert open_ledger(place, create=True).add(entry(1), QUERIES)
            return super().execute(statement, *values)

    monkeypatch.setattr(
        sqlite3, "connect", lambda *where, **how: connect(*where, factory=Interrupted, **how)
    )
    assert open_ledger(place, create=True).add(entry(2), QUERIES)
    assert len(looks) == 2  # it stands there at the second look
    assert n_kept(place) == 2


@pytest.mark.slow
def test_a_hundred_killed_writers_leave_no_half_entry(place) -> None:
    written = written_by(place, 100, 1000, kill=True)
    entries = open_ledger(place).entries()  # each is checked against its key
    assert {entry(number).key for number in written} <= {item.key for item in entries}
    # One more may be there for each that was killed between writing and saying so.
    assert 100 <= len(written) <= n_kept(place) == len(entries) <= len(written) + 100
    assert history(place).query_sets[0].n_comparisons == len(entries)
    assert open_ledger(place).add(entry(10**6), QUERIES)


def test_who_has_its_turn_keeps_the_others_waiting(place, monkeypatch) -> None:
    monkeypatch.setattr(store, "LOCK_TIMEOUT", 0.2)
    ledger = open_ledger(place, create=True)
    second = open_ledger(place)
    with ledger.lock():
        ledger.add(entry(1), QUERIES)
        with pytest.raises(WriteError, match=r"(database is locked|locked by another)"):
            second.add(entry(2), QUERIES)
    assert second.add(entry(2), QUERIES)
    assert len(second.entries()) == 2


def test_entries_of_a_folder_stand_in_their_order_though_the_clock_is_set_back(place) -> None:
    ledger = open_ledger(place, create=True)
    days = ("2030-01-05", "2030-01-01", "2029-12-31", "2030-01-06")
    for number, day in enumerate(days):
        assert ledger.add(replace(entry(number), created=f"{day}T00:00:00+00:00"), QUERIES)
    assert tuple(item.day for item in open_ledger(place).entries()) == days


def test_a_cause_is_said_of_what_sqlite_only_names(tmp_path, monkeypatch) -> None:
    class Failing(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
            raise error

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Failing, **k))
    with pytest.raises(WriteError, match=r"disk I/O error \(is the disk full, or"):
        open_ledger(tmp_path / "ledger.sqlite", create=True)


@pytest.mark.parametrize(
    "link", ["queries", "00000001-0123.json", ".turn", ".gitignore", store._INDEX]
)
def test_links_in_a_folder_are_refused(tmp_path, link) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / link).symlink_to(outside)
    with pytest.raises((ReadError, WriteError), match=rf"{link}: is a symbolic link"):
        open_ledger(tmp_path / "ledger", create=True).add(entry(1), QUERIES)
    assert not [*outside.iterdir()]


def test_a_turn_that_fails_leaves_a_file_as_it_was(tmp_path) -> None:
    ledger = open_ledger(tmp_path / "ledger.db", create=True)

    def interrupted() -> None:
        with ledger.lock():
            ledger.add(entry(1), QUERIES)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ledger.entries() == ()
    assert ledger.add(entry(1), QUERIES)


def test_a_changed_entry_is_refused(place) -> None:
    ledger = open_ledger(place, create=True)
    ledger.add(entry(1), QUERIES)
    if place.is_dir():
        (file,) = place.glob("*.json")
        file.write_text(file.read_text().replace('"pvalue": 0.3', '"pvalue": 0.0'))
    else:
        with sqlite3.connect(place) as base:
            changed = ('"pvalue": 0.3', '"pvalue": 0.0')
            base.execute("UPDATE entries SET entry = replace(entry, ?, ?)", changed)
        base.close()
    with pytest.raises(ReadError, match="was changed since it was written"):
        ledger.entries()


def test_what_a_comparison_asks_is_what_all_entries_say(place) -> None:
    ledger = open_ledger(place, create=True)
    entries = [
        entry(i, b=f"scores {i % 7}", queries=f"set {i % 2}", look="1/2" * (i % 3 == 0),
              alpha=0.01 * (1 + i % 4), budget="fdr:0.05" * (i % 5 > 0),
              difference=0.01 * (i % 6 - 2), verdict="better" if i % 4 == 0 else "inconclusive")
        for i in range(40)
    ]  # fmt: skip
    for item in entries:
        assert ledger.add(item, QUERIES)
    stream = ErrorBudget.parse("fdr:0.05").stream(entries)
    new = entry(99, b="scores 3", queries="set 1", look="2/2", alpha=0.02, budget="fdr:0.05")
    same = [item for item in entries if item.queries == new.queries]
    with ledger.earlier() as earlier:
        assert len(earlier) == 40
        assert earlier.pvalues("fdr:0.05") == [item.pvalue_better for item in stream]
        assert earlier.level(new) == next(x.alpha for x in entries if x.spends == new.spends)
        assert earlier.level(entry(99, b="new scores")) is None
        n, n_better, chance = earlier.on_queries(new)
        assert (n, n_better) == (len(same), sum(item.is_better for item in same))
        assert chance == pytest.approx(sum(item.alpha / 2 for item in same))
        assert earlier.on_queries(same[0])[0] == len(same) - 1
        # `made.entry` has the day on which it was made, as has `new`.
        of_day = [item for item in same if item.day == new.day]
        assert earlier.candidates(new) == {
            name: max(item.gain for item in of_day if item.b == name)
            for name in {item.b for item in of_day}
        }
        looks = {(x.look, x.b) for x in entries if x.look and x.b != new.b}
        assert len(earlier.looks(new)) == len(looks)
        assert earlier.gains(new).tolist() == [
            [item.gain, item.standard_error, item.n_queries] for item in entries
        ]


def test_a_comparison_does_not_read_entries_that_another_read(place, monkeypatch) -> None:
    # With 100,000 entries it took 12 CPU s and 1.3 GB.
    ledger = open_ledger(place, create=True)
    for number in range(12):
        ledger.add(entry(number, budget="fdr:0.05"), QUERIES)
    with ledger.earlier():
        pass
    monkeypatch.setattr(LedgerEntry, "from_json", None)
    statements: list[str] = []
    with ledger.earlier() as earlier:
        earlier._base.set_trace_callback(statements.append)
        new = entry(99, look="1/2")
        earlier.pvalues("fdr:0.05"), earlier.level(new), earlier.on_queries(new)
        earlier.candidates(new), earlier.looks(new), earlier.gains(new)
        earlier._base.set_trace_callback(None)
        assert len(statements) == 6
        for statement in statements:
            plan = earlier._base.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            assert any("INDEX" in row[-1] for row in plan), (statement, plan)


def test_a_changed_set_of_queries_is_refused(place) -> None:
    open_ledger(place, create=True).add(entry(1), QUERIES)
    if place.is_dir():
        (file,) = (place / "queries").iterdir()
        file.write_text(json.dumps(["q1"]))
    else:
        with sqlite3.connect(place) as base:
            base.execute("UPDATE queries SET ids = ?", (zlib.compress(b'["q1"]'),))
        base.close()
    with pytest.raises(ReadError, match="was changed since it was written"):
        history(place)


def test_what_is_no_ledger_is_refused(tmp_path) -> None:
    with pytest.raises(NotFoundError, match="no ledger has this name"):
        open_ledger(tmp_path / "nothing.sqlite")
    text = tmp_path / "notes.db"
    text.write_text("not a database at all, but long enough to be looked at " * 20)
    with pytest.raises(ReadError, match="is no ledger, or is damaged"):
        open_ledger(text, create=True)
    assert text.read_text().startswith("not a database")
    second = tmp_path / "other.sqlite"
    with sqlite3.connect(second) as base:
        base.execute("CREATE TABLE birds (name TEXT)")
    base.close()
    with pytest.raises(ReadError, match="is no ledger"):
        open_ledger(second, create=True)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReadError, match="is no ledger"):
        open_ledger(tmp_path / "folder")
    ours = tmp_path / "ours"
    open_ledger(ours, create=True)
    (ours / "extra.json").write_text("[1, 2")
    with pytest.raises(ReadError, match="no entry of a ledger"):
        open_ledger(ours).entries()


def test_a_place_that_cannot_be_written_is_named(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    for name in ("ledger", "ledger.sqlite"):
        with pytest.raises(WriteError, match=r"file/ledger.* cannot be"):
            open_ledger(tmp_path / "file" / name, create=True)


def test_ids_of_any_kind_are_kept(place) -> None:
    ids = ["ü", "\udcff", "with space", "1"]
    rng = [0.1, 0.2, 0.4, 0.3]
    result = abrank.compare_scores(dict(zip(ids, rng, strict=True)), dict.fromkeys(ids, 0.5))
    ledger = open_ledger(place, create=True)
    ledger.add(LedgerEntry.of(result), result.query_ids)
    assert ledger.query_sets() == {ledger.entries()[0].queries: frozenset(ids)}


@pytest.mark.parametrize("raw", [b"no zlib", "text", 7, None, zlib.compress(b"[]")[:4]])
def test_a_packed_set_that_is_none_is_refused(raw) -> None:
    with pytest.raises(ReadError, match=r"gates.*cannot be read"):
        _unpacked("0123", raw, "gates", zlib.decompress)


@pytest.mark.parametrize(
    "name", [field.name for field in fields(LedgerEntry) if field.name != "key"]
)
@pytest.mark.parametrize("value", [None, [], {}, "?", 10**400])
def test_an_entry_of_other_types_is_refused_though_its_key_fits(name, value) -> None:
    values = {**asdict(entry(1)), name: value}
    if {str: "str", int: "int"}.get(type(value)) == LedgerEntry.__annotations__[
        name
    ] and name not in ("rule", "verdict"):
        return
    selected = {value: values[value] for value in values if value not in ("key", "created")}
    with pytest.raises(ReadError, match=r"gates.*(no entry of a ledger|changed since)"):
        LedgerEntry.from_json(json.dumps({**values, "key": _digest(selected)}), "gates")


@pytest.mark.parametrize("name", ["gates", "gates.sqlite"])
def test_a_damaged_ledger_is_read_or_refused_by_a_sentence(tmp_path, capsys, name) -> None:
    place, sample = tmp_path / name, random.Random(0)
    ledger = open_ledger(place, create=True)
    for number in range(4):
        ledger.add(entry(number), QUERIES)
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    for i in range(40):
        file = files[i % len(files)]
        whole = file.read_bytes()
        randrange, n = sample.randrange(len(whole)), sample.randrange(1, 200)
        file.write_bytes(
            whole[:randrange] + (sample.randbytes(n) + whole[randrange + n :] if i % 2 else b"")
        )
        code, err = run(["history", str(place)]), capsys.readouterr().err
        assert code in (0, 2, 3), err
        assert (code == 0) or err.startswith("error: "), err
        file.write_bytes(whole)
    assert run(["history", str(place)]) == 0


def _in_order(place: Path) -> list[float]:
    """Return the gains of a ledger's entries, as a new comparison finds them."""
    with open_ledger(place).earlier() as earlier:
        return earlier.gains(entry(99))[:, 0].tolist()


def test_the_index_of_a_folder_follows_its_files(tmp_path) -> None:
    place = tmp_path / "gates"
    ledger = open_ledger(place, create=True)
    for number in range(4):
        ledger.add(entry(number, difference=float(number)), QUERIES)
    assert _in_order(place) == [0, 1, 2, 3]
    ledger.add(entry(4, difference=4.0), QUERIES)
    assert _in_order(place) == [0, 1, 2, 3, 4]
    names = sorted(file.name for file in place.glob("*.json"))
    (place / names[1]).rename(place / names[1].replace("00000002", "00000006"))
    assert _in_order(place) == [0, 2, 3, 4, 1]
    (place / names[0]).unlink()
    assert _in_order(place) == [2, 3, 4, 1]
    (place / store._INDEX).write_bytes(b"no database")
    assert (_in_order(place), (place / ".gitignore").read_text()) == ([2, 3, 4, 1], ".*\n")
