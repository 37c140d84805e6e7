"""The test that users run on their devices finds what is wrong, and ends."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tachograph.cli import app
from tachograph.devices import discovery
from tachograph.devices.memory import Buffer
from tachograph.tasks import self_test as room
from tests.cli.test_cli import tacho
from tests.devices.support import any_device, needs_pyopencl

pytestmark = needs_pyopencl


@pytest.mark.slow
def test_a_device_that_works_passes():
    any_device()
    run = tacho("devices", "--self-test", "--json")
    assert run.returncode == 0, run.stderr
    for row in json.loads(run.stdout):
        assert row["wrong"] == []
        assert row["checks"] - row["skipped"] >= 60
        assert 0 < row["seconds"] < room.PATIENCE_SECONDS


def test_what_is_checked_passes(monkeypatch):
    """The same in this process, on one graph, in groups that other tests have built kernels for."""
    monkeypatch.setattr(room, "GRAPHS", {"pair": room.GRAPHS["pair"]})
    monkeypatch.setattr(room, "GROUPS", (3,))
    found = list(room.checks(any_device()))
    assert [c for c in found if c.problem] == []
    assert len(found) == 3 * len(room.TASKS)


@pytest.mark.parametrize("problem", ["", "2 of 9 levels are wrong"])
def test_the_verdict(problem, monkeypatch):
    checks = [room.Check("bfs, star", 0.5), room.Check("sssp, star", 0.5, problem)]
    monkeypatch.setattr(room, "self_test", lambda found: checks)
    one = any_device().found
    monkeypatch.setattr(discovery, "discover", lambda again: [one])
    done = CliRunner().invoke(app, ["devices", "--self-test"])
    assert f"{one.id}: {'FAILED' if problem else 'PASSED'}" in done.output
    counts = (
        f"{1 if problem else 2} checks passed, 0 not possible, {int(bool(problem))} failed, 1.0 s"
    )
    assert counts in done.output
    assert bool(done.exit_code) == bool(problem)
    assert problem in done.output


def test_a_device_that_computes_wrong_is_found(monkeypatch):
    """Each task has its own arrays; all of them are compared."""
    device = any_device().masked("shares_memory", "svm")
    fetch = Buffer.fetch

    def wrong(self, lo=0, hi=None):
        part = fetch(self, lo, hi)
        if part.size > 1000:
            part[500] = not part[500]
        return part

    monkeypatch.setattr(Buffer, "fetch", wrong)
    monkeypatch.setattr(room, "GRAPHS", {"star": room.GRAPHS["star"]})
    monkeypatch.setattr(room, "GROUPS", ())
    found = [c for c in room.checks(device) if "own memory" in c.name and c.problem]
    assert {c.name.partition(",")[0] for c in found} >= {"bfs", "maximal_independent_set"}
    assert any("are wrong" in c.problem for c in found)


@pytest.mark.parametrize(
    ("code", "said"),
    [("os.kill(os.getpid(), 9)", "ended with code -9"), ("time.sleep(60)", "no end after 1 s")],
)
def test_a_driver_that_ends_or_hangs_is_reported(code, said, monkeypatch):
    run = subprocess.run
    script = f'import os, time; print(\'["bfs", 0.1, "", ""]\', flush=True); {code}'
    monkeypatch.setattr(
        subprocess, "run", lambda command, **kw: run([sys.executable, "-c", script], **kw)
    )
    first, last = room.self_test(any_device().found, 1.0 if "sleep" in code else 60.0)
    assert first == room.Check("bfs", 0.1)
    assert said in last.problem
