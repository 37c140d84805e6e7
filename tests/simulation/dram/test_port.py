"""Requests offered one by one, from Python and from a compiled loop, meet the same memory."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.kernels.runtime.launch import kernel
from tachograph.simulation.dram import Memory, check
from tachograph.simulation.dram.engine.port import advance, drain, offer, quiet_until, take
from tachograph.util.errors import InputError
from tests.simulation.dram import requests
from tests.simulation.dram.support import logged

CASES = [("DDR4-2400R", 1), ("DDR3-1600K", 4), ("HBM", 8)]


@kernel
def one_a_cycle(m, addresses, writes, ends, channels):
    """Offer in order, one each cycle; write down when reads come back; the cycle of the end."""
    k, now = 0, 0
    while k < addresses.size:
        advance(m, now)
        for channel in range(channels):
            ident = take(m, channel, now)
            while ident >= 0:
                ends[ident] = now
                ident = take(m, channel, now)
        if offer(m, addresses[k], writes[k], k, now):
            k += 1
        now += 1
    over = drain(m, now)
    for channel in range(channels):
        ident = take(m, channel, over)
        while ident >= 0:
            ends[ident] = over
            ident = take(m, channel, over)
    return over


def trace(n):
    return requests.addresses("runs", n, 3), requests.writes("30", n, 3)


@pytest.mark.parametrize(("name", "channels"), CASES)
def test_a_compiled_producer_sees_what_a_run_sees(name, channels):
    memory = Memory(name, channels=channels)
    addresses, writes = trace(3000)
    state = memory.build(log=50_000, collect=True)
    ends = np.zeros(3000, np.int64)
    over = one_a_cycle(state, addresses, writes, ends, channels)
    result = memory.run(addresses, writes, completion=True, commands=True)
    assert over == result.cycles
    issued = logged(memory, state)
    assert check(memory.standard, issued) == []
    assert (issued.cycle == result.commands.cycle).all()
    reads = writes == 0
    # handed over in the cycle of completion or later: one read each cycle and channel
    late = ends[reads] - result.completion[reads]
    assert late.min() == 0
    assert (ends[reads] > 0).all()


@pytest.mark.parametrize(("name", "channels"), CASES)
def test_python_calls_see_what_a_run_sees(name, channels):
    memory = Memory(name, channels=channels)
    addresses, writes = trace(400)
    k, back = 0, []
    while k < 400:
        k += memory.offer(int(addresses[k]), bool(writes[k]), ident=k)
        back += memory.advance()
    back += memory.drain()
    result = memory.run(addresses, writes)
    live = memory.statistics()
    assert sorted(back) == np.flatnonzero(writes == 0).tolist()
    assert live.command_counts["RD"] == result.command_counts["RD"]
    assert (live.row_hits, live.latency_sum) == (result.row_hits, result.latency_sum)
    memory.reset()
    assert (memory.now, memory.statistics().requests) == (0, 0)


@kernel
def skipping(m, addresses, channels):
    """A pointer chase: each read is offered when the one before is back; how many looks that took."""
    now, looks = 0, 0
    for k in range(addresses.size):
        offer(m, addresses[k], 0, k, now)
        back = False
        while not back:
            looks += 1
            now = quiet_until(m, now)
            advance(m, now)
            for channel in range(channels):
                if take(m, channel, now) >= 0:
                    back = True
    return now, looks


def test_a_producer_can_skip_quiet_cycles():
    memory = Memory("DDR3-1600K")
    rows = np.arange(50) * (8 << 13)  # one bank, a new row each time
    now, looks = skipping(memory.build(collect=True), rows, 1)
    # The next request is offered 27 cycles after ACT; PRE must wait for RAS = 28: a row each RC = 39.
    assert now == 27 + 49 * 39
    assert looks < 50 * 9  # not one for each of 1,938 cycles


def test_a_full_queue_refuses_and_takes_again():
    memory = Memory("DDR3-1600K")
    rows = [k * (8 << 13) for k in range(40)]
    taken = [memory.offer(a, ident=k) for k, a in enumerate(rows)]
    assert taken == [True] * 32 + [False] * 8
    memory.advance(1)  # the first row is opened for its request, which leaves the queue
    assert memory.offer(rows[32])
    assert not memory.offer(rows[33])


def test_reads_nobody_takes_fill_up():
    """A producer that never takes is refused in the end, and nothing is lost."""
    memory = Memory("DDR3-1600K")
    state = memory.build(collect=True)
    accepted = now = 0
    for now in range(40_000):
        accepted += offer(state, (now % 128) * 64, 0, accepted, now)
    assert accepted == 2048
    got = 0
    advance(state, now + 100)
    while take(state, 0, now + 100) == got:
        got += 1
    assert got == 2048


def test_wrong_calls():
    memory = Memory("DDR3-1600K")
    with pytest.raises(InputError, match="not in 0 to"):
        memory.offer(-1)
    with pytest.raises(InputError, match="time goes forward"):
        memory.advance(0)
    with pytest.raises(InputError, match="nothing is simulated after cycle"):
        memory.advance(1 << 62)
    with pytest.raises(InputError, match="address = None: a whole number is needed"):
        memory.offer(None)
    with pytest.raises(InputError, match="cycles = 'x': a whole number is needed"):
        memory.advance("x")
    with pytest.raises(InputError, match="ident -1 is not in 0 to"):
        memory.offer(0, ident=-1)
    assert memory.offer(0, ident=3)  # what was refused left no trace
    assert memory.advance(100) == [3]
