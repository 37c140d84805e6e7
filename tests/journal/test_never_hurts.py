"""The journal never hurts: whatever happens to its file, results come, and one warning says why."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import threading
import time
import warnings
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.journal import Journal, Run, content_key, journal
from tachograph.journal import store as module
from tachograph.journal.campaign import Campaign
from tachograph.tasks import road, sampling
from tests.faults import file_limit, killed_at_every_line

G = tg.star(20)
RUN = Run("bfs", {"name": "a", "n": 3}, 1.0, {"source": 1}, {"way": "x"}, 0.5, trace={"t": [1, 2]})


def filled(path: Path, rows: int = 40) -> Path:
    kept = Journal(path, strict=True)
    for i in range(rows):
        kept.put("kind", f"key {i}", {"i": i, "padding": "x" * 300})
        kept.record(RUN)
    kept.close()
    return path


def overwrite(path: Path, begin: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(data)


def sql(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be read as one" * 30)


def in_the_way(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE = {
    "no database": (no_database, "tacho journal repair"),
    "newer": (lambda p: sql(p, "PRAGMA user_version = 99"), "newer Tachograph"),
    "no table": (lambda p: sql(p, "DROP TABLE traces", "DROP TABLE runs"), "tacho journal repair"),
    "pages": (lambda p: overwrite(p, 4096, b"\xff" * 30_000), "tacho journal repair"),
    "directory": (in_the_way, "TACHOGRAPH_HOME"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_results_come_and_one_warning_says_why(kind):
    damage, message = DAMAGE[kind]
    path = journal().path
    filled(path)
    damage(path)
    before = path.read_bytes() if path.is_file() else b""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            result = road.run("pagerank", G, keep=True)
            assert result.scores.sum() == pytest.approx(1.0)
            assert result.run.predicted is None or result.run.predicted > 0
    texts = [str(w.message) for w in said if issubclass(w.category, tg.TachographWarning)]
    assert len(set(texts)) == len(texts) <= 2
    assert all("Results are not affected" in text for text in texts)
    assert any(message in text for text in texts)
    if kind in ("no database", "newer"):
        assert path.read_bytes() == before  # nothing is done to a file that may be good
    if kind != "no table":  # records, which are not damaged, can still be kept
        with pytest.raises(tg.TachographError, match=message):
            Journal(path, strict=True).runs()


def test_values_that_cannot_be_kept_do_not_hurt():
    for wrong in ({("a", "tuple"): 1}, {"deep": (deep := [])}):
        deep.append(deep)  # it contains itself
        with pytest.warns(tg.TachographWarning, match="cannot be kept"):
            assert Journal(Path("j.db")).record(Run("bfs", {}, 1.0, wrong)) is None
    with pytest.warns(tg.TachographWarning, match="cannot be kept"):
        assert Journal(Path("j.db")).record(Run("bfs", {}, 1.0, parent=2**70)) is None
    assert Journal(Path("j.db")).record(RUN) == 1
    assert Journal(Path("j.db")).run(2**70) is None


def test_a_full_disk_is_said_and_kills_neither_results_nor_the_journal(monkeypatch):
    kept = journal()
    filled(kept.path)
    before = [run.id for run in kept.runs()]
    db = kept._connection()
    full = 0
    for pages in range(8):
        size = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {size + pages}")
        kept._said.clear()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            numbers = [kept.record(RUN) for _ in range(60)]
            result = road.run("bfs", G, 0, keep=True)
            numbers.append(result.run.number)
        assert result.levels.max() == 1
        texts = [str(w.message) for w in said]
        full += None in numbers
        assert (None in numbers) == any("the disk is full: free some space" in t for t in texts)
        assert not any("move the file away" in text for text in texts)
        before += [number for number in numbers if number]
        assert [run.id for run in kept.runs()] == before
    assert full >= 3
    assert kept._read("PRAGMA integrity_check") == [("ok",)]


def test_a_disk_that_takes_no_more_bytes_at_any_write(tmp_path):
    """Every size at which a file may stop growing, from the first byte of the journal on."""
    said = set()
    for limit in [0, 1, 100, 1024, *range(4096, 200_000, 24_000)]:
        path = tmp_path / str(limit) / "j.db"
        kept = Journal(path)
        numbers = []
        with warnings.catch_warnings(record=True) as heard, file_limit(limit):
            warnings.simplefilter("always")
            for i in range(30):
                numbers.append(kept.record(RUN))
                kept.put("k", str(i), {"x": "y" * 1000})
        said |= {str(w.message).rpartition("journal (")[2] for w in heard}
        kept.close()
        kept_now = Journal(path, strict=True)
        good = [number for number in numbers if number]
        assert [run.id for run in kept_now.runs()] == good
        assert all(kept_now.trace(number) == {"t": [1, 2]} for number in good)
        assert kept_now.record(RUN)  # as soon as there is room again
    assert said
    assert all("What was kept before is whole" in text for text in said), said


def test_a_file_that_is_moved_away_while_it_is_open_is_made_anew():
    kept = journal()
    kept.put("k", "x", {"a": 1})
    for path in kept.path.parent.glob("journal.db*"):
        path.rename(path.with_name("old-" + path.name))
    kept.put("k", "y", {"a": 2})
    assert kept.records("k") == {"y": {"a": 2}}
    assert Journal(kept.path).records("k") == {"y": {"a": 2}}


ROWS = {
    "not JSON": "UPDATE runs SET {column} = '{{' WHERE id = 3",
    "a list": "UPDATE runs SET {column} = '[1]' WHERE id = 3",
    "too deep": "UPDATE runs SET {column} = '" + "[" * 100_000 + "' WHERE id = 3",
    "bytes": "UPDATE runs SET {column} = x'ff00fe' WHERE id = 3",
    "bad text": "UPDATE runs SET {column} = CAST(x'ff22fe' AS TEXT) WHERE id = 3",
    "a number": "UPDATE runs SET {column} = 7.5e300 WHERE id = 3",
}


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("kind", ROWS)
def test_damaged_rows_are_left_out_and_counted(kind, signed):
    path = filled(Path("j.db"), 5)
    good = path.read_bytes()
    for column in ("graph", "options", "plan", "facts", "task", "seconds", "created", "key"):
        path.write_bytes(good)
        sql(path, ROWS[kind].format(column=column))
        if not signed:  # a row of an older version
            if column in ("task", "key") and kind not in ("bytes", "bad text"):
                continue  # is text
            sql(path, "UPDATE runs SET checksum = NULL")
        kept = Journal(path)
        with pytest.warns(tg.TachographWarning, match="tacho journal check") as said:
            found = kept.runs() + kept.runs()
        assert [run.id for run in found] == [1, 2, 4, 5] * 2, column
        assert len(said) == 1
        assert kept.skipped == 2
        assert kept.run(3) is None
        kept.close()


def test_damaged_records_and_traces_are_left_out():
    path = filled(Path("j.db"), 5)
    sql(path, """UPDATE records SET value = '{"i": 8}' WHERE key = 'key 1'""",
        "UPDATE records SET value = '[]', checksum = NULL WHERE key = 'key 2'",
        "UPDATE traces SET columns = x'789c' WHERE run = 2")  # fmt: skip
    kept = Journal(path)
    with pytest.warns(tg.TachographWarning, match="damaged rows"):
        assert list(kept.records("kind")) == ["key 0", "key 3", "key 4"]
    assert kept.get("kind", "key 1") is None
    assert kept.get("kind", "key 0") == {"i": 0, "padding": "x" * 300}
    assert kept.trace(2) is None
    assert kept.trace(1) == {"t": [1, 2]}


def test_a_trace_cannot_grow_without_bound():
    import zlib

    path = filled(Path("j.db"), 2)
    bomb = zlib.compress(b'{"a": [' + b" " * (1 << 26) + b"1]}", 1)
    db = sqlite3.connect(path)
    db.execute("UPDATE traces SET columns = ? WHERE run = 1", [bomb])
    db.commit()
    db.close()
    with pytest.warns(tg.TachographWarning, match="damaged"):
        assert Journal(path).trace(1) is None


def test_any_changed_byte_of_a_row_is_noticed():
    """Whatever is read was written: the checksum covers every column."""
    path = filled(Path("j.db"), 1)
    good = Journal(path).run(1)
    for column in ("graph", "options", "plan", "facts", "task", "provenance", "version"):
        before = sqlite3.connect(path).execute(f"SELECT {column} FROM runs").fetchone()[0]
        for place in range(len(before)):
            other = "7" if before[place] != "7" else "8"
            db = sqlite3.connect(path)
            changed = before[:place] + other + before[place + 1 :]
            db.execute(f"UPDATE runs SET {column} = ?", [changed])
            db.commit()
            with pytest.warns(tg.TachographWarning, match="damaged"):
                assert Journal(path).run(1) is None
        db.execute(f"UPDATE runs SET {column} = ?", [before])
        db.commit()
        db.close()
    assert Journal(path).run(1) == good


def test_a_campaign_gives_its_results_without_a_journal():
    path = journal().path
    path.parent.mkdir(parents=True)
    no_database(path)
    work = Campaign("powers", "builtins:dict", [{"base": 2}, {"base": 3}])
    with pytest.warns(tg.TachographWarning, match="Results are not affected"):
        assert work.records() == [{"base": 2}, {"base": 3}]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_at_any_line_of_recording_loses_nothing_finished(tmp_path, step):
    path = tmp_path / "j.db"
    done = tmp_path / "done"

    def work():
        kept = Journal(path, strict=True)
        for i in range(2):
            number = kept.record(RUN)
            kept.put("k", f"{os.getpid()} {i}", {"run": number})
            with done.open("a") as file:
                file.write(f"{number} {os.getpid()} {i}\n")

    kills = 0
    for _ in killed_at_every_line(
        work, Journal.record.__code__.co_filename, module.__file__, step=step
    ):
        kills += 1
    kept = Journal(path, strict=True)
    runs, records = {run.id for run in kept.runs()}, kept.records("k")
    finished = [line.split(" ", 1) for line in done.read_text().splitlines()]
    assert {int(number) for number, _ in finished} <= runs
    assert {key for _, key in finished} <= records.keys()
    assert kills > 60 / step
    assert kept._read("PRAGMA integrity_check") == [("ok",)]
    assert not list(tmp_path.glob(".*"))


def test_interrupted_calls_are_repeated():
    fired = []
    before = signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        kept, count, begin = journal(), 0, time.monotonic()
        while time.monotonic() - begin < 0.3 or len(fired) < 20:
            count += 1
            assert kept.record(RUN) == count
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(kept.runs()) == count


LOCKS = {
    "a writer": ("BEGIN IMMEDIATE",),
    "one for itself": ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM runs"),
}


@pytest.fixture
def locked(request):
    """A journal that another connection has locked; call it to end that."""
    db = sqlite3.connect(filled(journal().path), isolation_level=None, check_same_thread=False)
    for statement in LOCKS[request.param]:
        db.execute(statement)
    yield db.close
    db.close()


@pytest.mark.parametrize("locked", LOCKS, indirect=True)
def test_no_result_waits_for_a_journal_that_is_locked(locked, monkeypatch):
    begin = time.monotonic()
    with pytest.warns(tg.TachographWarning, match="another process has locked it") as said:
        found = [road.run("pagerank", G, keep=True) for _ in range(20)]
    assert time.monotonic() - begin < 2.0  # for all of them
    assert all(result.run.number is None for result in found)
    assert len(said) == 1
    locked()
    rest = journal()._rests_until
    monkeypatch.setattr(module.time, "monotonic", lambda: rest + 1)
    assert journal().record(RUN)


@pytest.mark.parametrize("locked", LOCKS, indirect=True)
def test_a_campaign_waits_for_a_journal_that_is_locked(locked):
    """What took long to measure must not be lost."""
    end = threading.Timer(1.5, locked)
    end.start()
    todo = Campaign("squares", "builtins:dict", [{"base": 3}])
    assert todo.records() == [{"base": 3}]
    end.join()
    assert list(journal().records("squares").values()) == [{"base": 3}]


def test_clock_jumps_confuse_nothing(monkeypatch):
    kept = journal()
    for now in (1.8e9, 1.0, -5e8, 4e9, 1.8e9):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        kept.record(RUN)
        kept.put("k", str(now), {"now": now})
    assert [run.id for run in kept.runs()] == [1, 2, 3, 4, 5]
    assert [run.created for run in kept.runs()] == [1.8e9, 1.0, -5e8, 4e9, 1.8e9]
    assert len(kept.records("k")) == 4
    assert kept.prune(1e9) == 2
    assert [run.id for run in kept.runs()] == [1, 4, 5]
    counted = sampling.Sampling()
    assert {counted.stands_for("question") for _ in range(100)} == {1}
    monkeypatch.setattr(time, "time", lambda: 9e9)
    assert counted.stands_for("question") == 0  # no hour has passed


def test_positional_and_named_arguments_are_the_same_question():
    weighted = tg.Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 3.0], directed=False)
    for task, arguments in (("jaccard", {"pairs": "two_hop"}), ("bfs", {"source": 2}),
                            ("sssp", {"source": 2}), ("cosine", {"pairs": "two_hop"})):  # fmt: skip
        asked = [road.run(task, weighted, *arguments.values(), keep=True),
                 road.run(task, weighted, **arguments, keep=True)]  # fmt: skip
        first, second = (journal().run(result.run.number) for result in asked)
        assert first.options == second.options == arguments
        assert first.plan["way"] == second.plan["way"]


def test_loops_do_not_fill_the_journal(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(sampling.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(road, "SAMPLING", sampling.Sampling())
    for _ in range(350):
        result = road.run("connected_components", G, keep=True)
        assert result.count == 1
    kept = journal().runs()
    assert len(kept) == 100 + 2  # one each for the 101st to 200th and 201st to 300th further runs
    assert [run.plan.get("one_of") for run in kept] == [None] * 100 + [100] * 2
    assert road.run("connected_components", tg.star(21), keep=True).run.number  # another question
    clock[0] = 3600.0
    assert road.run("connected_components", G, keep=True).run.number  # another hour
    assert json.dumps(kept[-1].to_dict())


def test_counting_questions_takes_little_memory(monkeypatch):
    counts = sampling.Sampling()
    for i in range(3 * sampling.MOST_QUESTIONS):
        assert counts.stands_for(content_key(i)) == 1
    assert len(counts._counts) <= sampling.MOST_QUESTIONS
