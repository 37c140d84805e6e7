"""Atomics are exact under contention, and the barrier holds with more workers than cores."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tachograph.kernels.runtime import atomics as machine
from tachograph.kernels.runtime import team as teams
from tachograph.kernels.runtime.launch import kernel


@kernel
def hammer(team, counters, rounds):
    _control, me, _workers = team
    for i in range(rounds):
        machine.fetch_add(counters, 0, 1)
        machine.fetch_min(counters, 1, -(me * rounds + i))
        machine.fetch_or(counters, 2, 1 << (i % 40))
        while True:
            old = machine.ld_acquire(counters, 3)
            if machine.compare_exchange(counters, 3, old, old + 2):
                break


def test_atomics_are_exact():
    counters = np.zeros(4, np.int64)
    teams.run_team(hammer, 5, counters, 20_000)
    assert counters.tolist() == [100_000, -(4 * 20_000 + 19_999), 2**40 - 1, 200_000]


@kernel
def in_step(team, seen, rounds):
    """Every worker writes its round, then sees all the others in the same round."""
    control, me, workers = team
    wrong = 0
    for i in range(rounds):
        teams.next_phase(control, me, i)
        machine.fetch_add(control, teams.cell(teams.SUM, i), i)
        machine.st(seen, me * 16, i)
        if not teams.barrier(control, workers):
            return -1
        if machine.ld_acquire(control, teams.cell(teams.SUM, i)) != i * workers:
            wrong += 1
        for other in range(workers):
            if machine.ld(seen, other * 16) < i:
                wrong += 1
    return wrong


@pytest.mark.parametrize("workers", [1, 2, 4, 9])
def test_barrier_keeps_workers_in_step(workers):
    begin = time.monotonic()
    assert teams.run_team(in_step, workers, np.zeros(workers * 16, np.int64), 300) == [0] * workers
    assert time.monotonic() - begin < 20


def test_the_clock_runs():
    @kernel
    def clock(box):
        return machine.nanoseconds(box)

    box = np.zeros(2, np.int64)
    ours = clock(box)
    before = time.monotonic_ns()
    ours = clock(box)
    after = time.monotonic_ns()
    assert before <= ours <= after


@kernel
def four(stop, array, at, value):
    return machine.four_equal(array, at, value), machine.four_below(array, at, value)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_four_are_compared_at_once(kind):
    array = np.array([5, -1, 7, 5, 9, 5], kind)
    for at in range(3):
        for value in (-2, -1, 5, 6, 9, 10):
            row = array[at : at + 4]
            expected = [
                sum(int(x) << i for i, x in enumerate(b)) for b in (row == value, row < value)
            ]
            assert list(four(np.zeros(1, np.int64), array, at, value)) == expected
