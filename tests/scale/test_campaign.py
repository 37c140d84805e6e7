"""What is particular to campaigns on Dask; the promises of all campaigns are in tests/test_campaign.py."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from distributed import LocalCluster
from typer.testing import CliRunner

import tachograph as tg
from tachograph.campaign import Campaign
from tachograph.cli.app import app
from tachograph.errors import InputError, TachographError
from tachograph.journal import journal
from tachograph.processes import Local
from tachograph.scale import campaign as module
from tachograph.scale.campaign import Dask
from tachograph.scale.cluster import connect
from tests.campaign_tasks import runs

HERE = str(Path(__file__).parent.parent)
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
    with (
        pytest.MonkeyPatch.context() as patch,
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as made,
    ):
        patch.syspath_prepend(HERE)
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


def test_the_command_uses_a_cluster(cluster):
    graph = tg.kronecker(6, seed=1)
    tg.write(graph, "g.tgraph")
    arguments = ["simulate", "wcc", "g.tgraph", "--accelerator", "accugraph", "--json"]
    done = CliRunner().invoke(app, [*arguments, "--cluster", cluster.scheduler_address])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert row["result"]["seconds"] == tg.simulate("wcc", graph, tg.AccuGraph()).seconds
    both = CliRunner().invoke(
        app, [*arguments, "--cluster", cluster.scheduler_address, "--workers", "2"]
    )
    assert isinstance(both.exception, InputError)
