"""What is particular to campaigns on Dask; tests/journal/test_campaign.py has the promises of all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from distributed import LocalCluster
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli import app
from tachograph.journal import journal
from tachograph.journal.campaign import Campaign
from tachograph.scale import executor as module
from tachograph.scale.cluster import connect
from tachograph.scale.executor import Dask
from tachograph.util.errors import InputError, TachographError
from tachograph.util.executor import Local
from tests.journal.campaign_tasks import runs

simulations = import_module("tachograph.simulation.accelerators.simulate")  # not the function
HERE = str(Path(__file__).parents[1] / "journal")
SCHEDULER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    )
    print(cluster.scheduler_address, flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)
        with LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0"
        ) as made:
            yield made


def test_the_scheduler_is_killed_and_a_rerun_goes_on(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    tasks = [{"number": i, "directory": str(tmp_path), "seconds": 0.03} for i in range(30)]
    todo = Campaign("test", "campaign_tasks:work", tasks)
    with (
        subprocess.Popen(
            [sys.executable, "scheduler.py", HERE], stdout=subprocess.PIPE, text=True
        ) as process,
        connect(process.stdout.readline().strip()) as client,
    ):
        outcomes = todo.run(Dask(client))
        for _ in range(5):
            next(outcomes)
        process.send_signal(signal.SIGKILL)
        with pytest.raises(TachographError, match="scheduler is gone.*run again"):
            list(outcomes)
    recorded = {record["number"] for record in journal().records("test").values()}
    assert 5 <= len(recorded) < 30
    assert [record["number"] for record in todo.records(Local(1))] == list(range(30))
    count, _ = runs(tmp_path)
    assert {count[number] for number in recorded} == {1}


def test_all_workers_are_killed_with_what_they_share(cluster, tmp_path):
    tasks = [{"number": i, "directory": str(tmp_path), "seconds": 0.03} for i in range(30)]
    todo = Campaign("test", "campaign_tasks:added", tasks, shared=[1, 2], mark="3")
    with connect(cluster.scheduler_address) as client:
        done = {}
        for number, record in todo.run(Dask(client)):
            done[number] = record
            if len(done) == 8:
                before = set(done)
                (pid,) = client.run(os.getpid).values()
                os.kill(pid, signal.SIGKILL)
    assert done == {i: {"sum": 3 + i} for i in range(30)}
    count, pids = runs(tmp_path)
    assert {count[number] for number in before} == {1}
    assert len(pids) == 2


def test_a_worker_that_came_later_with_other_code(cluster, monkeypatch):
    with connect(cluster.scheduler_address) as client:
        monkeypatch.setattr(module, "code_hash", lambda: "other")
        with pytest.raises(TachographError, match="has another Tachograph"):
            Campaign("test", "builtins:dict", [{"number": 1}]).records(Dask(client))


def test_times_are_not_measured_on_different_workers(cluster):
    with connect(cluster.scheduler_address) as client:
        assert Dask(client).place()[1] == 2
        spec = cluster.worker_spec[0]  # another worker, with another number of threads
        cluster.worker_spec["other"] = {**spec, "options": {**spec["options"], "nthreads": 1}}
        cluster.sync(cluster._correct_state)
        client.wait_for_workers(2, timeout=20)
        measured = Campaign("test", "builtins:dict", [{"number": 1}], measured=True)
        with pytest.raises(TachographError, match="workers of 2 kinds"):
            measured.records(Dask(client))


@pytest.mark.parametrize("by", ["option", "environment"])
def test_commands_use_a_cluster(cluster, by, monkeypatch):
    tg.write(tg.path(3), "g.tgraph")
    used = []
    record = dict.fromkeys(
        ("seconds", "iterations", "gbps", "row_hit_rate", "memory", "series"), 1.0
    )

    def compared(graph, todo, executor, name):
        used.append(executor.client.scheduler.address)
        return iter([(0, record)])

    monkeypatch.setattr(simulations, "compare", compared)
    arguments = ["simulate", "wcc", "g.tgraph", "--accelerator", "accugraph", "--json"]
    if by == "option":
        arguments += ["--cluster", cluster.scheduler_address]
    else:
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", cluster.scheduler_address)
    done = CliRunner().invoke(app, arguments)
    assert done.exception is None, done.exception
    assert json.loads(done.stdout)[0]["result"] == record
    assert used == [cluster.scheduler_address]
    both = CliRunner().invoke(app, [*arguments, "--workers", "2"])
    assert isinstance(both.exception, InputError)
