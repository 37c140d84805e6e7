"""Campaigns in this process, in several, and on a Dask cluster: the same promises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tachograph.journal import journal
from tachograph.journal.campaign import Campaign, Failure, code_hash, progress
from tachograph.util.errors import InputError, TachographError, TachographWarning
from tachograph.util.executor import Local

from .campaign_tasks import runs

HERE = str(Path(__file__).parent)
PATH = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])


@pytest.fixture(scope="module")
def dask():
    from tachograph.scale.cluster import connect
    from tachograph.scale.executor import Dask

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)
        with connect(workers=2) as client:
            yield Dask(client)


@pytest.fixture(params=["here", "processes", "dask"])
def executor(request, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    if request.param == "dask":
        return request.getfixturevalue("dask")
    return Local(1 if request.param == "here" else 2)


several = pytest.mark.parametrize("executor", ["processes", "dask"], indirect=True)


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def campaign(name, directory, count=10, **more):
    tasks = [{"number": i, "directory": str(directory), **more} for i in range(count)]
    return Campaign("test", f"campaign_tasks:{name}", tasks)


def test_results_come_in_order_and_are_kept(executor, tmp_path):
    todo = campaign("work", tmp_path)
    expected = [{"number": i, "square": i * i} for i in range(10)]
    assert todo.records(executor) == expected
    kept = journal().records("test")
    assert [kept[key] for key in todo.keys(executor)] == expected
    assert set(runs(tmp_path)[0].values()) == {1}


def test_a_rerun_does_what_is_missing(executor, tmp_path):
    campaign("work", tmp_path, 4).records(executor)
    campaign("work", tmp_path, 10).records(executor)
    assert runs(tmp_path)[0] == dict.fromkeys(range(10), 1)


def test_the_same_task_twice_is_done_once(executor, tmp_path):
    todo = campaign("work", tmp_path, 3)
    double = Campaign(todo.kind, todo.function, [*todo.tasks, *todo.tasks])
    assert [record["number"] for record in double.records(executor)] == [0, 1, 2, 0, 1, 2]
    assert runs(tmp_path)[0] == dict.fromkeys(range(3), 1)


def test_what_all_tasks_share(executor):
    tasks = [{"number": i} for i in range(5)]
    shared = Campaign("test", "campaign_tasks:added", tasks, shared=[10, 20], mark="30")
    assert shared.records(executor) == [{"sum": 30 + i} for i in range(5)]
    assert set(shared.keys(executor)).isdisjoint(
        Campaign("test", "campaign_tasks:added", tasks, mark="31").keys(executor)
    )


def test_a_task_that_fails_is_tried_again(executor, tmp_path):
    assert campaign("fails_twice", tmp_path, 2).records(executor) == [{"number": 0}, {"number": 1}]
    assert runs(tmp_path)[0] == {0: 3, 1: 3}


def test_failures_are_recorded_and_the_rest_goes_on(executor, tmp_path):
    todo = campaign("fails_if_odd", tmp_path, 6)
    with pytest.warns(TachographWarning, match="3 of 6 tasks failed.*ZeroDivisionError"):
        found = todo.records(executor)
    assert found == [{"number": 0}, None, {"number": 2}, None, {"number": 4}, None]
    failed = journal().records("failure")
    keys = todo.keys(executor)
    assert set(failed) == {keys[1], keys[3], keys[5]}
    assert failed[keys[3]]["error"] == "ZeroDivisionError: 3 is odd"
    assert "fails_if_odd" in failed[keys[3]]["trace"]
    assert failed[keys[3]]["arguments"] == todo.tasks[3]
    with pytest.warns(TachographWarning):
        todo.records(executor)  # those that failed are tried again, others are not
    assert runs(tmp_path)[0] == {0: 1, 1: 6, 2: 1, 3: 6, 4: 1, 5: 6}


def test_our_own_errors_keep_their_kind_when_nothing_is_left(executor):
    todo = Campaign("test", "campaign_tasks:refuses", [{"number": 1}, {"number": 2}])
    with pytest.raises(InputError, match="too large"):
        todo.records(executor)


def test_results_that_cannot_be_kept_are_failures(executor):
    todo = Campaign("test", "campaign_tasks:gives_nonsense", [{"number": 1}])
    ((_, outcome),) = todo.run(executor)
    assert isinstance(outcome, Failure)
    assert "not JSON serializable" in outcome.error
    todo = Campaign("test", "campaign_tasks:absent", [{"number": 1}])
    with pytest.raises(TachographError, match="absent"):
        todo.records(executor)


@several
def test_a_killed_worker_is_replaced_and_nothing_finished_runs_again(executor, tmp_path):
    todo = campaign("work", tmp_path, 40, seconds=0.05)
    keys = todo.keys(executor)
    recorded: set[int] = set()
    killed = 0
    finished = set()
    for number, outcome in todo.run(executor):
        assert outcome == {"number": number, "square": number**2}
        finished.add(number)
        if len(finished) == 12:  # what was not recorded by now may have to run again
            recorded = {i for i, key in enumerate(keys) if key in journal().records("test")}
            killed = next(filter(alive, runs(tmp_path)[1]))
            os.kill(killed, signal.SIGKILL)
    count, _ = runs(tmp_path)
    assert finished == set(count) == set(range(40))
    assert len(recorded) == 12
    assert {count[i] for i in recorded} == {1}
    assert not alive(killed)


@pytest.mark.parametrize(  # Dask starts four workers after each other
    "executor", ["processes", pytest.param("dask", marks=pytest.mark.slow)], indirect=True
)
@pytest.mark.filterwarnings("default::tachograph.util.errors.TachographWarning")
def test_a_task_that_kills_its_worker_does_not_stop_the_others(executor, tmp_path):
    found = campaign("dies_if_seven", tmp_path, 10).records(executor)
    assert found == [{"number": i} if i != 7 else None for i in range(10)]
    ((_, failed),) = journal().records("failure").items()
    assert failed["arguments"]["number"] == 7
    assert "ended 3 times, the last time with signal SIGKILL" in failed["error"] or (
        "worker died" in failed["error"]
    )


@several
def test_measured_tasks_have_cores_of_their_own(executor, monkeypatch):
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    tasks = [{"number": i} for i in range(8)]
    found = Campaign("test", "campaign_tasks:surroundings", tasks, measured=True).records(executor)
    cores = {record["pid"]: tuple(record["cores"]) for record in found}
    free = len(os.sched_getaffinity(0))
    expected = max(1, free // 2) if isinstance(executor, Local) else 1
    assert {record["threads"] for record in found} == {expected} == {executor.place()[1]}
    if free > 1 and len(cores) == 2:
        one, other = cores.values()
        assert len(one) == len(other) == expected
        assert set(one).isdisjoint(other)


def test_measurements_belong_to_a_machine_and_its_threads(tmp_path, monkeypatch):
    measured = Campaign("test", "campaign_tasks:work", [{"number": 1}], measured=True)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "4")
    assert measured.keys(Local(1)) != measured.keys(Local(2)) == measured.keys(Local(2))
    plain = Campaign("test", "campaign_tasks:work", [{"number": 1}])
    assert plain.keys(Local(1)) == plain.keys(Local(2))


def test_no_task_begins_after_the_budget(executor, tmp_path):
    assert campaign("work", tmp_path).records(executor, budget=0.0) == [None] * 10
    assert not runs(tmp_path)[0]


SCRIPT = """
from tachograph.journal.campaign import Campaign
from tachograph.util.executor import Local
import sys
tasks = [{"number": i, "directory": sys.argv[1], "seconds": float(sys.argv[2])} for i in range(40)]
if __name__ == "__main__":
    Campaign("test", "campaign_tasks:work", tasks).records(Local(2))
"""


def begun(tmp_path, seconds):
    (tmp_path / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, "script.py", str(tmp_path), str(seconds)],
        env={**os.environ, "PYTHONPATH": PATH}, stderr=subprocess.PIPE,
    )  # fmt: skip


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_killed_campaign_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    with begun(tmp_path, 0.03) as process:
        until(lambda: len(runs(tmp_path)[0]) >= 8)
        process.kill()
    until(lambda: not any(alive(pid) for pid in runs(tmp_path)[1]))  # workers end with it
    recorded = [record["number"] for record in journal().records("test").values()]
    assert len(recorded) >= 4
    found = campaign("work", tmp_path, 40, seconds=0.03).records(Local(1))
    assert [record["number"] for record in found] == list(range(40))
    count, _ = runs(tmp_path)
    assert {count[number] for number in recorded} == {1}


def test_ctrl_c_ends_it_at_once(tmp_path):
    with begun(tmp_path, 60.0) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until(lambda: len(children.read_text().split()) >= 3)  # two, and what tracks resources
        pids = [int(pid) for pid in children.read_text().split()]
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.communicate(timeout=10)[1]
    until(lambda: not any(alive(pid) for pid in pids))


def test_a_script_that_starts_workers_while_it_is_imported(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT.replace('if __name__ == "__main__"', "if True"))
    run = subprocess.run(
        [sys.executable, "script.py", str(tmp_path), "0"],
        env={**os.environ, "PYTHONPATH": PATH}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "TachographError: a worker process could not start" in run.stderr


def test_odd_numbers_of_workers():
    with pytest.raises(InputError, match="at least one"):
        Local(0)


def test_nothing_to_do(executor):
    assert Campaign("test", "campaign_tasks:work", []).records(executor) == []


def test_progress_says_how_fast():
    assert progress(8, 20, 0, 2.0) == "8 of 20, 4.0/s"
    assert progress(9, 20, 1, 1000.0) == "9 of 20, 0.5/min, 1 failed"


def test_the_hash_of_code_is_that_of_a_room(tmp_path):
    assert code_hash() != code_hash("simulation") != code_hash("graph")
