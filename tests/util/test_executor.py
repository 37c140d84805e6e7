"""What executors promise besides campaigns: processes that stay, failures that keep their causes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tachograph.util.errors import TachographError
from tachograph.util.executor import Failure, Local, Work, results

from . import calls


def numbers(count, **more):
    return [{"number": number, **more} for number in range(count)]


def test_results_come_in_the_order_of_the_calls():
    found = results(Local(2), calls.pid, numbers(6))
    assert [number for number, _ in found] == list(range(6))
    assert os.getpid() not in {pid for _, pid in found}
    assert {pid for _, pid in results(Local(1), calls.pid, numbers(3))} == {os.getpid()}


def test_processes_stay_between_calls_and_end_with_the_block():
    with Local(1, apart=True) as pool:
        first = results(pool, calls.pid, numbers(2))
        again = results(pool, calls.pid, numbers(2))
        assert dict(pool.perform(Work(calls.shared, shared="ab"), numbers(2))) == {0: "a", 1: "b"}
    assert first == again
    assert not Path(f"/proc/{first[0][1]}").exists()


def test_a_killed_process_is_replaced():
    with Local(2) as pool:
        before = {pid for _, pid in results(pool, calls.pid, numbers(6, seconds=0.05))}
        os.kill(min(before), signal.SIGKILL)
        found = results(pool, calls.pid, numbers(6, seconds=0.05))
        assert [number for number, _ in found] == list(range(6))
        assert min(before) not in {pid for _, pid in found}


def test_what_is_stopped_does_not_disturb_what_comes_next():
    with Local(2) as pool:
        outcomes = pool.perform(Work(calls.pid), [{"number": 0}, {"number": 1, "seconds": 60.0}])
        assert next(outcomes)[0] == 0
        begin = time.monotonic()
        outcomes.close()
        assert [n for n, _ in results(pool, calls.pid, numbers(4))] == list(range(4))
        assert time.monotonic() - begin < 30


@pytest.mark.parametrize("pool", [Local(1), Local(2)], ids=["here", "processes"])
def test_failures_keep_their_causes(pool):
    with pytest.raises(KeyError):
        results(pool, calls.fails, numbers(2))
    ((_, failure),) = pool.perform(Work(calls.fails_oddly), numbers(1))
    assert isinstance(failure, Failure)
    assert failure.error == "Odd: 0 is odd"
    assert "fails_oddly" in failure.trace


def test_what_cannot_travel_and_what_dies_is_a_failure():
    with pytest.raises(TachographError, match="cannot pickle"):
        raise next(Local(2).perform(Work(calls.returns_a_lock), numbers(1)))[1].exception()
    ((_, failure),) = Local(2).perform(Work(calls.dies), numbers(1))
    assert failure.died
    with pytest.raises(TachographError, match="ended 3 times.*SIGKILL"):
        results(Local(2), calls.dies, numbers(1))
