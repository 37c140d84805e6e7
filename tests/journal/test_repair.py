"""``tacho journal check`` and ``repair``: damage is found, and all that is sound is saved."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.journal import Journal, Run
from tachograph.journal import repair as module
from tachograph.journal.repair import check, repair
from tests.cli.test_cli import tacho
from tests.faults import file_limit, killed_at_every_line
from tests.journal.test_never_hurts import filled, sql

ROWS = 300


def content(path: Path) -> tuple[dict[str, object], dict[int, Run], dict[int, object]]:
    kept = Journal(path, strict=True)
    runs = {run.id: run for run in kept.runs()}
    found = kept.records("kind"), runs, {number: kept.trace(number) for number in runs}
    kept.close()
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = filled(tmp_path_factory.mktemp("good") / "j.db", ROWS)
    return path.read_bytes(), content(path)


def test_a_good_journal_is_good_and_stays_as_it_is(good):
    path = Path("j.db")
    path.write_bytes(good[0])
    found = check(path)
    assert found.good
    assert found.sound == {"machines": 1, "records": ROWS, "runs": ROWS, "traces": ROWS}
    assert path.read_bytes() == good[0]
    repair(path)
    assert content(path) == good[1]


def test_damage_that_only_sqlite_sees(good):
    """All rows are sound, but an index does not lead to them."""
    path = Path("j.db")
    path.write_bytes(good[0])
    sql(path, "PRAGMA writable_schema = 1", "UPDATE sqlite_master SET "
        "sql = 'CREATE INDEX runs_of_task ON runs (task, seconds)' WHERE name = 'runs_of_task'")  # fmt: skip
    found = check(path)
    assert not found.good
    assert any("runs_of_task" in problem for problem in found.problems)
    repair(path)
    assert check(path).good
    assert content(path) == good[1]


def test_damaged_rows_are_counted_and_left_behind(good):
    path = Path("j.db")
    path.write_bytes(good[0])
    sql(path, "UPDATE runs SET graph = '{' WHERE id = 3", "UPDATE runs SET parent = 3 WHERE id = 7",
        "UPDATE records SET value = '' WHERE key = 'key 5'")  # fmt: skip
    found = check(path)
    assert not found.good
    assert (found.damaged["runs"], found.damaged["records"], found.problems) == (1, 1, [])
    repaired, old = repair(path)
    assert repaired.damaged == found.damaged
    assert check(old).damaged == found.damaged  # the old file is kept
    assert check(path).good
    records, runs, traces = content(path)
    assert records == {k: v for k, v in good[1][0].items() if k != "key 5"}
    assert runs == {k: v for k, v in good[1][1].items() if k != 3}
    assert len(traces) == ROWS - 1
    assert sorted(p.name for p in Path().iterdir()) == ["j.db", old.name]


@pytest.mark.parametrize("seed", range(8))
def test_rows_on_sound_pages_are_saved(good, seed):
    """A page of each kind is overwritten; what is saved was written, and most of it is saved."""
    rng = random.Random(seed)
    data = bytearray(good[0])
    page = rng.randrange(len(MIGRATED), len(data) // 4096) * 4096
    data[page : page + 4096] = rng.randbytes(4096)
    path = Path("j.db")
    path.write_bytes(data)
    assert not check(path).good
    repair(path)
    assert check(path).good
    saved = 0
    for got, wanted in zip(content(path), good[1], strict=True):
        assert got.items() <= wanted.items()
        saved += len(got)
    assert saved > ROWS  # of three times as many
    assert Journal(path, strict=True).record(Run("bfs", {}, 1.0))


MIGRATED = range(12)  # pages with the schema and the roots of the tables: without them, all is lost


def test_a_row_that_claims_gigabytes_is_left_out(good, monkeypatch):
    """SQLite then raises MemoryError, here in the place of a seventh row."""
    path = Path("j.db")
    path.write_bytes(good[0])

    class Short(sqlite3.Connection):
        def execute(self, query, values=()):
            rows = super().execute(query, values)
            return self.some(rows) if "FROM runs WHERE rowid" in query else rows

        @staticmethod
        def some(rows):
            for row in rows:
                if row[0] == 7:
                    raise MemoryError
                yield row

    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **options: connect(*a, **options, factory=Short)
    )
    found = check(path)
    assert found.sound["runs"] == ROWS - 1
    assert found.problems == ["runs: a row that no memory can hold"]


@pytest.mark.parametrize("links", [True, False])
def test_each_of_several_repairs_keeps_its_old_file(good, monkeypatch, links):
    """There is a journal under its name at every moment."""
    path, there = Path("j.db"), []
    path.write_bytes(good[0])
    monkeypatch.setattr(module.time, "strftime", lambda _: "now")  # all in one second

    def link(one, other):
        if not links:
            raise OSError("no hard links")
        os_link(one, other)

    os_link, replace = os.link, Path.replace
    monkeypatch.setattr(module.os, "link", link)
    monkeypatch.setattr(
        Path, "replace", lambda self, to: (there.append(path.exists()), replace(self, to))
    )
    olds = {repair(path)[1] for _ in range(3)}
    assert len(olds) == 3
    assert all(content(old) == good[1] for old in olds)
    assert there == [True] * 3


def test_columns_with_other_names_are_known_by_their_place(good):
    """Names of a damaged file never become a part of a query."""
    path = Path("j.db")
    path.write_bytes(good[0])
    for was, now in (("checksum", "chUckSum"), ("columns", "c) SELECT 1;--")):
        table = "traces" if was == "columns" else "runs"
        sql(path, f'ALTER TABLE {table} RENAME COLUMN {was} TO "{now}"')
    assert any("runs: its columns have other names" in text for text in check(path).problems)
    repair(path)
    assert check(path).good
    assert content(path) == good[1]


def test_what_cannot_be_read_at_all_is_kept_beside_a_new_journal():
    path = Path("j.db")
    path.write_bytes(b"nothing of SQLite's" * 500)
    found, old = repair(path)
    assert not any(found.sound.values())
    assert found.problems
    assert old.read_bytes() == b"nothing of SQLite's" * 500
    assert Journal(path, strict=True).record(Run("bfs", {}, 1.0)) == 1


def test_newer_and_missing_journals_are_left_alone():
    with pytest.raises(tg.MissingFileError, match="no journal yet"):
        check(Path("none.db"))
    path = filled(Path("j.db"), 1)
    sql(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(tg.TachographError, match="newer Tachograph"):
        repair(path)
    assert [p.name for p in Path().iterdir()] == ["j.db"]
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_old_journal(good):
    path = Path("j.db")
    path.write_bytes(good[0])
    for limit in (0, 5000, 50_000):
        with file_limit(limit), pytest.raises(tg.TachographError):
            repair(path)
        assert content(path) == good[1]
    Journal(path).close()
    assert not list(Path().glob(".*"))


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_at_any_line_of_repair_loses_nothing(step):
    path = filled(Path("j.db"), 2)
    wanted = content(path)
    data = path.read_bytes()
    kills = 0
    for _ in killed_at_every_line(lambda: repair(path), module.__file__, step=step):
        kills += 1
        copies = [p for p in Path().glob("j.db*") if not p.name.endswith(("-wal", "-shm"))]
        assert any(content(copy) == wanted for copy in copies)
        for left in Path().glob("j.db*"):
            left.unlink()
        path.write_bytes(data)
    assert kills > 40 / step


def test_the_commands():
    home = Path("home")
    path = filled(home / "journal.db", 4)
    assert tacho("journal", "check").returncode == 0
    sql(path, "UPDATE runs SET graph = '{' WHERE id = 3")
    listed = tacho("journal", "--json")
    assert listed.returncode == 0
    assert [run["id"] for run in json.loads(listed.stdout)["runs"]] == [1, 2, 4]
    assert "tacho journal check" in listed.stderr
    checked = tacho("journal", "check", "--json")
    assert checked.returncode == 1
    assert json.loads(checked.stdout)["damaged"]["runs"] == 1
    shown = tacho("journal", "check")
    assert shown.returncode == 1
    assert "tacho journal repair" in shown.stderr
    repaired = tacho("journal", "repair")
    assert repaired.returncode == 0
    assert "journal.db.damaged-" in repaired.stderr
    assert tacho("journal", "check").returncode == 0
    path.write_bytes(b"x" * 5000)
    failed = tacho("journal")
    assert failed.returncode != 0
    assert "tacho journal repair" in failed.stderr
