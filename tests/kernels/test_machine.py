"""Atomics are exact under contention, and the barrier holds with more workers than cores."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tachograph.kernels import machine, team
from tachograph.kernels.runtime import kernel


@kernel
def hammer(control, me, workers, counters, rounds):
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
    team.run_team(hammer, 5, counters, 20_000)
    assert counters.tolist() == [100_000, -(4 * 20_000 + 19_999), 2**40 - 1, 200_000]


@kernel
def in_step(control, me, workers, seen, rounds):
    """Every worker writes its round, then sees all the others in the same round."""
    wrong = 0
    for i in range(rounds):
        team.next_phase(control, me, i)
        machine.fetch_add(control, team.cell(team.SUM, i), i)
        machine.st(seen, me * 16, i)
        if not team.barrier(control, workers):
            return -1
        if machine.ld_acquire(control, team.cell(team.SUM, i)) != i * workers:
            wrong += 1
        for other in range(workers):
            if machine.ld(seen, other * 16) < i:
                wrong += 1
    return wrong


@pytest.mark.parametrize("workers", [1, 2, 4, 9])
def test_barrier_keeps_workers_in_step(workers):
    begin = time.monotonic()
    assert team.run_team(in_step, workers, np.zeros(workers * 16, np.int64), 300) == [0] * workers
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
