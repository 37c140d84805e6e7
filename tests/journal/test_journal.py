"""The journal: durable, shared by processes, versioned, and kind when it cannot be used."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from tachograph.algorithms.result import Trace
from tachograph.journal import Journal, Run, content_key, journal, machine
from tachograph.journal import store as module
from tachograph.journal.export import rows_of
from tachograph.util.errors import TachographError, TachographWarning


def test_put_get_and_replace(tmp_path):
    kept = Journal(tmp_path / "a" / "j.db")
    assert kept.get("k", "x") is None
    kept.put("k", "x", {"a": 1})
    kept.put("k", "x", {"a": [2.5, None, "é"]})
    kept.put("other", "x", {})
    assert kept.get("k", "x") == {"a": [2.5, None, "é"]}
    assert kept.records("k") == {"x": {"a": [2.5, None, "é"]}}
    assert Journal(tmp_path / "a" / "j.db").get("other", "x") == {}


def test_the_environment_names_the_place(tmp_path, monkeypatch):
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path / "here"))
    journal().put("k", "x", {"a": 1})
    assert (tmp_path / "here" / "journal.db").exists()
    monkeypatch.setenv("TACHOGRAPH_JOURNAL", "off")
    journal().put("k", "y", {"a": 1})
    assert journal().get("k", "x") is None
    monkeypatch.delenv("TACHOGRAPH_JOURNAL")
    assert list(journal().records("k")) == ["x"]


def test_keys_depend_on_content_only():
    assert content_key("a", {"x": 1, "y": 2}) == content_key("a", {"y": 2, "x": 1})
    assert content_key("a", 1) != content_key("a", 2)


def write(path, name, count):
    kept = Journal(path)
    for i in range(count):
        kept.put("k", f"{name}-{i}", {"i": i})


def test_several_processes_and_threads_write(tmp_path):
    path = tmp_path / "j.db"
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=write, args=(path, f"p{k}", 50)) for k in range(2)]
    others += [threading.Thread(target=write, args=(path, f"t{k}", 50)) for k in range(2)]
    for one in others:
        one.start()
    for one in others:
        one.join()
    assert len(Journal(path).records("k")) == 200


WRITER = """
import sys
from pathlib import Path
from tachograph.journal import Journal, Run
kept = Journal(Path(sys.argv[1]))
i = 0
while True:
    kept.put("k", f"{sys.argv[2]}-{i:06d}", {"i": i, "padding": "x" * 2000})
    kept.record(Run("bfs", {"name": f"{sys.argv[2]}-{i:06d}"}, 1.0, trace={"a": [i] * 500}))
    print(i, flush=True)
    i += 1
"""


@pytest.mark.parametrize("times", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_kill_loses_no_finished_record(tmp_path, times):
    path = tmp_path / "j.db"
    acknowledged: set[str] = set()
    for round_ in range(times):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(round_)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        for _ in range(1 + 7 * (round_ % 5)):
            acknowledged.add(f"{round_}-{int(child.stdout.readline()):06d}")
        os.kill(child.pid, signal.SIGKILL)
        acknowledged |= {
            f"{round_}-{int(line):06d}" for line in child.stdout if line.endswith("\n")
        }
        child.wait()
    found = Journal(path).records("k")
    assert acknowledged <= set(found)
    assert all(len(r["padding"]) == 2000 for r in found.values())
    runs = {run.graph["name"]: run.id for run in Journal(path).runs()}
    assert acknowledged <= set(runs)
    assert all(len(Journal(path).trace(runs[name])["a"]) == 500 for name in list(runs)[::50])


def test_a_newer_or_damaged_file_is_refused(tmp_path):
    path = tmp_path / "j.db"
    Journal(path).put("k", "x", {})
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.commit()
    db.close()
    with pytest.raises(TachographError, match="newer Tachograph"):
        Journal(path, strict=True).get("k", "x")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"not a database, but long enough to be read as one" * 30)
    with pytest.raises(TachographError, match=r"broken\.db cannot be used as journal"):
        Journal(broken, strict=True).put("k", "x", {})


def test_migrations_run_once_and_keep_records(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    Journal(path).put("k", "x", {"a": 1})
    monkeypatch.setattr(
        module, "MIGRATIONS", (*module.MIGRATIONS, "ALTER TABLE records ADD COLUMN extra TEXT")
    )
    for _ in range(2):
        assert Journal(path).get("k", "x") == {"a": 1}
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (
        len(module.MIGRATIONS),
    )


def test_a_file_of_an_older_schema_is_brought_up_to_date(tmp_path, monkeypatch):
    path = tmp_path / "j.db"
    with monkeypatch.context() as before:
        before.setattr(module, "MIGRATIONS", module.MIGRATIONS[:2])
        db = Journal(path, strict=True)._connection()
        db.execute("""INSERT INTO records VALUES ('k', 'x', '{"a": 1}', '', '', 1.0)""")
    assert Journal(path).record(Run("bfs", {}, 1.0, parent=None)) == 1
    assert Journal(path).get("k", "x") == {"a": 1}


def test_a_place_that_cannot_be_written_warns_and_keeps_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    kept = Journal(tmp_path / "file" / "j.db")
    with pytest.warns(TachographWarning, match="TACHOGRAPH_HOME"):
        kept.put("k", "x", {})
    assert kept.get("k", "x") is None  # warned once


def test_runs_come_back_as_they_were(tmp_path):
    kept = Journal(tmp_path / "j.db")
    trace = Trace({"direction": np.array(["push", "pull"]), "seconds": np.array([0.5, 1.5])})
    given = Run(
        "bfs",
        {"name": "a", "n": np.int64(3)},
        2.0,
        options={"source": [0]},
        plan={"x": 1},
        predicted=1.5,
        facts={"reached": 3},
        trace=trace,
    )
    first = kept.record(given)
    second = kept.record(Run("sssp", {"name": "b"}, 1.0, provenance="simulated", parent=first))
    run = kept.run(first)
    assert (run.task, run.graph, run.options) == ("bfs", {"name": "a", "n": 3}, {"source": [0]})
    assert (run.plan, run.predicted, run.seconds) == ({"x": 1}, 1.5, 2.0)
    assert run.machine == machine()[0]
    assert run.facts == {"reached": 3}
    assert kept.trace(first) == {"direction": ["push", "pull"], "seconds": [0.5, 1.5]}
    assert kept.trace(second) is None
    assert kept.run(99) is None
    assert (run.parent, kept.run(second).parent) == (None, first)
    assert run.to_dict()["options"] == {"source": [0]}
    assert "trace" not in run.to_dict()
    assert [r.id for r in kept.runs()] == [first, second]
    assert [r.id for r in kept.runs(last=1)] == [second] == [r.id for r in kept.runs("sssp")]


def test_pruning_forgets_runs_and_their_traces(tmp_path):
    kept = Journal(tmp_path / "j.db")
    old = kept.record(Run("bfs", {}, 1.0, trace={"a": [1]}))
    between = time.time()
    new = kept.record(Run("bfs", {}, 1.0, trace={"a": [2]}, parent=old))
    kept.put("calibration", "host", {})
    assert kept.prune(between) == 1
    assert [r.id for r in kept.runs()] == [new]
    assert kept.runs()[0].parent is None
    assert kept.trace(old) is None
    assert kept.trace(new) == {"a": [2]}
    assert kept.get("calibration", "host") == {}


def test_a_journal_that_is_off_keeps_no_run():
    off = Journal(None)
    assert off.record(Run("bfs", {}, 1.0)) is None
    assert off.runs() == []
    assert off.run(1) is None
    assert off.trace(1) is None
    assert off.prune(1e12) == 0


def test_a_run_is_found_by_its_key(tmp_path):
    kept = Journal(tmp_path / "journal.db")
    for seconds in (1.0, 2.0):
        kept.record(Run("bfs on hitgraph", {"name": "a"}, seconds, provenance="simulated", key="k"))
    kept.record(Run("bfs", {"name": "a"}, 3.0))
    found = kept.run_with_key("k")
    assert (found.seconds, found.key) == (2.0, "k")  # the last one
    assert kept.run_with_key("other") is None


def test_exported_columns_are_single_words():
    run = Run("jaccard", {"n": 3}, 0.1, options={"top k": 2}, facts={"host share": 0.5})
    (row,) = rows_of([run])
    assert (row["fact_host_share"], row["option_top_k"]) == (0.5, 2)
