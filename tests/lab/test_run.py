"""The panel Run: runs are started, watched and stopped, fail, and outlive the server. Without a browser."""

from __future__ import annotations

import http.client
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.journal import journal
from tachograph.lab import runs
from tachograph.lab.asking import Asked
from tachograph.plots import numbers as show
from tachograph.util import memory
from tests.lab.conftest import WAIT, until
from tests.lab.test_server import tacho_lab

SMALL = "kronecker?scale=10&rng=1"
LONG = "kronecker?scale=14&rng=1"  # betweenness takes some minutes on it


def begin(client, task, source=SMALL, told=None, **more):
    status, answer = client.post("run/start", source=source, task=task, told=told or {}, **more)
    assert status == 200, answer
    return answer["run"]


def listened(client, run, last=None):
    """All events of a run, until it is over."""
    headers = {} if last is None else {"Last-Event-ID": last}
    found = []
    for block in client.stream(f"run/watch?run={run}", headers):
        told = dict(line.split(": ", 1) for line in block)
        found.append((told["event"], json.loads(told["data"]), told["id"]))
    return found


def test_a_run_that_is_watched_waits_for_the_page(client, monkeypatch):
    monkeypatch.setattr(runs, "PAGE_SECONDS", WAIT)
    run = begin(client, "bfs", watched=True)
    job = client.lab.kept["run"].job(run)
    assert not job.ended.wait(0.3)  # nobody looks yet
    assert listened(client, run)[-1][1]["status"] == "done"
    assert job.drawn.is_set()
    monkeypatch.setattr(runs, "PAGE_SECONDS", 0.1)
    alone = begin(client, "bfs", watched=True)  # nobody ever looks
    assert client.lab.kept["run"].job(alone).ended.wait(WAIT)


def test_a_run_is_watched_and_compared_with_its_prediction(client):
    run = begin(client, "bfs")
    events = listened(client, run)
    assert [e[0] for e in events][-1] == "end"
    assert events[-1][1]["status"] == "done"
    _, told = client.get(f"run/result?run={run}&width=400")
    graph = tg.kronecker(10, rng=1)
    result = tg.bfs(graph, int(graph.degrees.argmax()))
    assert dict(told["facts"])["reached"] == f"{(result.levels >= 0).sum():,}"
    assert told["iterations"] == len(result.trace)
    assert [row[0] for row in told["rows"]] == result.trace["direction"].tolist()
    assert told["predicted"] > 0
    assert told["low"] <= told["predicted"] <= told["high"]
    assert told["charts"][0].startswith("<svg")
    kept = journal().run(told["number"])
    assert (kept.task, kept.graph["name"]) == ("bfs", "kronecker(scale=10, rng=1)")
    names: dict = {}
    exec(told["python"], names)
    assert names["result"].levels.tolist() == result.levels.tolist()
    # who comes late, or again, hears the end at once
    assert [e[0] for e in listened(client, run, last="999")][-1] == "end"


def test_the_others_fill_the_table(client):
    _, told = client.post("run/plan", source=SMALL, task="bfs", told={})
    assert all(c["actual"] is None for c in told["candidates"])
    for c in told["candidates"]:
        listened(client, begin(client, "bfs", way=c["way"]))
    _, told = client.post("run/plan", source=SMALL, task="bfs", told={}, way="surf")
    assert all(c["actual"] > 0 and c["provenance"] == "measured" for c in told["candidates"])
    assert "plan.run('surf')" in told["python"]
    assert "--direction surf" in told["command"]
    # another question has a table of its own
    _, other = client.post("run/plan", source=SMALL, task="bfs", told={"source": "3"})
    assert all(c["actual"] is None for c in other["candidates"])


def test_what_is_copied_runs_and_gives_the_same(client):
    _, told = client.post("run/plan", source=SMALL, task="bfs", told={"source": "3"})
    wanted = tg.bfs(tg.kronecker(10, rng=1), 3).levels
    for way in (c["way"] for c in told["candidates"]):
        _, told = client.post("run/plan", source=SMALL, task="bfs", told={"source": "3"}, way=way)
        names: dict = {}
        exec(told["python"].replace("print(result)", ""), names)
        assert np.array_equal(names["result"].levels, wanted)
        assert names["result"].run.way == way
        made, run = (shlex.split(line)[1:] for line in told["command"].splitlines())
        assert CliRunner().invoke(app, made, catch_exceptions=False).exit_code == 0
        done = CliRunner().invoke(app, [*run, "--json"], catch_exceptions=False)
        found = json.loads(done.stdout)
        assert (found["reached"], found["deepest"]) == ((wanted >= 0).sum(), wanted.max())
        assert way in (found["way"], "one thread")  # which a command asks for by --threads


def test_a_way_keeps_its_run_when_another_plan_ranks_otherwise(client, monkeypatch):
    """Plans learn from the journal, so the plan of a run may have another order than that of the page."""
    ranked, asked = Asked.plan, []

    def other_way_round(self):
        made = ranked(self)
        asked.append(made)
        order = made.candidates[:: 1 if len(asked) % 2 else -1]
        return replace(made, candidates=order)

    monkeypatch.setattr(Asked, "plan", other_way_round)
    _, told = client.post("run/plan", source=SMALL, task="bfs", told={})
    run = begin(client, "bfs", way=told["candidates"][0]["way"])
    listened(client, run)
    _, found = client.get(f"run/result?run={run}")
    assert (
        found["way"] == journal().run(found["number"]).plan["way"] == told["candidates"][0]["name"]
    )
    for _ in range(2):
        _, told = client.post("run/plan", source=SMALL, task="bfs", told={})
        (row,) = (c for c in told["candidates"] if c["actual"] is not None)
        # what was predicted before the run, not what the plan has learned from it
        shown = {k: row[k] for k in ("name", "run", "actual", "predicted", "low", "high")}
        wanted = {k: found[k] for k in ("predicted", "low", "high")}
        assert shown == {"name": found["way"], "run": run, "actual": found["seconds"], **wanted}


@pytest.mark.parametrize(("task", "charts"), [("pagerank", 2), ("leiden", 1), ("triangles", 0)])
def test_traces_without_a_chart_in_reports_show_their_phases(client, task, charts):
    run = begin(client, task)
    listened(client, run)
    _, told = client.get(f"run/result?run={run}")
    assert len(told["charts"]) == charts
    assert all("nan" not in svg for svg in told["charts"])


def test_a_gpu_that_is_not_here_is_simulated(client):
    told = {"device": "v100"}
    found = {}
    for name in ("v100 (simulated)", "v100 (simulated), copied"):
        run = begin(client, "bfs", told=told, way=name)
        assert listened(client, run)[-1][1]["status"] == "done"
        found[name] = client.get(f"run/result?run={run}")[1]
    graph = tg.kronecker(10, rng=1)
    made = tg.simulate("bfs", graph, "v100", source=int(graph.degrees.argmax()))
    alone, copied = found.values()
    assert alone["seconds"] == pytest.approx(made.seconds)
    assert copied["seconds"] == pytest.approx(made.seconds + made.copy_seconds)
    assert alone["provenance"] == copied["provenance"] == "simulated"
    assert dict(alone["facts"])["launch"] == show.seconds(made.shares()["launch"])
    _, planned = client.post("run/plan", source=SMALL, task="bfs", told=told)
    shown = next(c for c in planned["candidates"] if c["name"] == "v100 (simulated)")
    assert (shown["provenance"], shown["measured"]) == ("simulated", None)


def test_a_run_is_stopped_and_the_next_one_goes_on(client):
    run = begin(client, "betweenness_centrality", LONG)
    waiting, never = begin(client, "bfs", LONG), begin(client, "pagerank", LONG)
    client.post("run/stop", run=never)
    until(lambda: client.get(f"run/result?run={run}")[1]["status"] != "waiting")
    time.sleep(0.3)  # it is in the middle of it
    asked = time.monotonic()
    assert client.post("run/stop", run=run)[0] == 200
    assert listened(client, run)[-1][1]["status"] == "stopped"
    assert time.monotonic() - asked < WAIT / 4  # within a second on a machine that is not busy
    assert listened(client, waiting)[-1][1]["status"] == "done"
    assert listened(client, never)[-1][1]["status"] == "stopped"
    assert [r.task for r in journal().runs()] == ["bfs"]


def test_a_run_that_fails_says_why(client, monkeypatch):
    client.upload("cycle.txt", b"0 1 -5\n1 0 2\n1 2 1\n")
    run = begin(client, "sssp", "file:cycle.txt", {"source": "0"})
    end = listened(client, run)[-1][1]
    assert end["status"] == "failed"
    assert "negative" in end["error"]
    client.post("graph/describe", source=SMALL)
    monkeypatch.setenv(memory.VARIABLE, "1 kB")
    run = begin(client, "pagerank")
    assert "1.0 kB" in listened(client, run)[-1][1]["error"]
    monkeypatch.delenv(memory.VARIABLE)
    assert listened(client, begin(client, "pagerank"))[-1][1]["status"] == "done"


def test_a_deadline_ends_a_run(client):
    run = begin(client, "betweenness_centrality", LONG, told={"deadline": "0.2"})
    end = listened(client, run)[-1][1]
    assert (end["status"], "0.2" in end["error"]) == ("failed", True)


def test_a_run_that_is_cut_short_says_what_it_has(client):
    run = begin(client, "pagerank", "kronecker?scale=17&rng=1", told={"deadline": "0.004"})
    listened(client, run)
    _, told = client.get(f"run/result?run={run}")
    assert told["stopped"].startswith("stopped at the deadline of 0.004 s")
    assert begin(client, "bfs", told={"deadline": "-1"}) > 0  # refused when it is planned


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("run/start", {"source": SMALL, "task": "none", "told": {}}),
        ("run/start", {"source": "none", "task": "bfs", "told": {}}),
        ("run/start", {"source": SMALL, "task": "bfs", "told": {"output": "levels.txt"}}),
        ("run/start", {"source": SMALL, "task": "bfs", "told": [1]}),
        ("run/stop", {"run": 7}),
        ("run/plan", {"source": SMALL, "task": "bfs", "told": {"source": "99999"}}),
    ],
)
def test_questions_that_are_refused(client, path, told):
    status, answer = client.post(path, **told)
    assert status == 400
    assert answer["error"]


def test_a_run_that_is_not_there(client):
    assert client.get("run/result?run=7")[0] == 400
    assert client.request("GET", "api/run/watch?run=x")[0] == 400
    end = listened(client, begin(client, "bfs", way="99"))[-1][1]
    assert "no candidate 99" in end["error"]


def test_the_journal_has_what_had_finished_when_the_server_is_killed():
    running = tacho_lab("--no-browser")
    try:
        url = running.stdout.readline().strip()
        base = url.removeprefix("http://").split("/", 1)

        def post(path, **told):
            there = http.client.HTTPConnection(base[0], timeout=WAIT)
            there.request("POST", f"/{base[1]}api/{path}", json.dumps(told))
            return json.loads(there.getresponse().read())

        first = post("run/start", source=SMALL, task="bfs", told={})
        second = post("run/start", source=LONG, task="betweenness_centrality", told={})
        there = http.client.HTTPConnection(base[0], timeout=WAIT)
        there.request("GET", f"/{base[1]}api/run/watch?run={first['run']}")
        assert b"event: end" in there.getresponse().read()
        there.request("GET", f"/{base[1]}api/run/watch?run={second['run']}")
        running.send_signal(signal.SIGKILL)
        assert running.wait(WAIT) == -signal.SIGKILL
    finally:
        running.kill()
        running.communicate()
    listed = subprocess.run(
        [sys.executable, "-m", "tachograph", "journal", "--json"],
        capture_output=True, text=True, check=True, env=os.environ, timeout=WAIT,
    )  # fmt: skip
    assert '"bfs"' in listed.stdout
    assert "betweenness" not in listed.stdout
