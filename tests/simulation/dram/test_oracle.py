"""Equal to a memory that decides anew in every cycle: commands, completions, counters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.simulation.dram.runner import NAMES
from tests.simulation.dram import scan
from tests.simulation.dram.support import memory_with

FAMILIES = ["DDR3-1600K", "DDR4-2400R", "LPDDR4-3200", "GDDR5-6000", "GDDR5X-12000", "HBM"]
MAPPINGS = ["RoBaRaCoCh", "ChRaBaRoCo", "RoCoBaRaCh", "RoRaBgCoBaCh", "RoBaRaCoBgCh"]
QUEUES = [1, 2, 8, 32, 128]
PATTERNS = ["scattered", "in sequence", "strided", "streams", "rows of a bank", "the same again"]


def agree(memory, addresses, writes, arrivals):
    cycles, completion, counts, channels = scan.simulate(memory, addresses, writes, arrivals)
    result = memory.run(addresses, writes, arrival=arrivals, completion=True, commands=True)
    lines = [(c, *line) for c, channel in enumerate(channels) for line in channel.log]
    r = result.commands
    columns = (r.channel, r.cycle, r.names, r.rank, r.group, r.bank, r.row)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == lines
    assert result.completion.tolist() == completion
    assert result.cycles == cycles
    assert [result.row_hits, result.row_misses, result.row_conflicts] == [
        counts["hits"], counts["misses"], counts["conflicts"]]  # fmt: skip
    assert result.latency_sum == counts["latency"]
    assert result.forwarded == counts["forwarded"]
    assert result.command_counts == {name: counts[name] for name in NAMES}


@st.composite
def memories(draw, name):
    family = name.split("-")[0]
    options = {
        "channels": draw(st.sampled_from([1, 2, 4])),
        "ranks": draw(st.sampled_from([1] if family[0] in "GH" else [1, 2, 4])),
        "scheduler": draw(st.sampled_from(["FRFCFS-Cap", "FRFCFS", "FCFS"])),
        "cap": draw(st.sampled_from([0, 1, 16])),
        "rows": draw(st.sampled_from(["open", "closed", "timeout"])),
        "refresh": draw(st.sampled_from(["all-bank", "all-bank", "none"])),
        "timeout": draw(st.sampled_from([0, 7, 50])),
        "read_queue": draw(st.sampled_from(QUEUES)),
        "write_queue": draw(st.sampled_from(QUEUES)),
        "write_high": draw(st.sampled_from([0.5, 0.8, 1.0])),
        "write_low": draw(st.sampled_from([0.0, 0.2, 0.4])),
        "mapping": draw(st.sampled_from(MAPPINGS)),
        "hash_banks": draw(st.booleans()),
    }
    timings = {"REFI": 900} if draw(st.booleans()) else {}
    return memory_with(name, timings, **options)


@st.composite
def traces(draw):
    n = draw(st.integers(1, 60))
    spread = draw(st.sampled_from([6, 10, 16, 22, 30, 34]))
    step = draw(st.sampled_from([32, 64, 8192, 1 << 16]))
    lines = st.integers(0, (1 << spread) - 1)
    addresses = draw(st.lists(lines, min_size=n, max_size=n))
    stride = draw(st.sampled_from([2, 3, 33, 64, 1024]))
    match draw(st.sampled_from(PATTERNS)):
        case "in sequence":
            addresses = [addresses[0] + k for k in range(n)]
        case "strided":
            addresses = [addresses[0] + stride * k for k in range(n)]
        case "streams":
            addresses = [addresses[k % min(3, n)] + k // 3 for k in range(n)]
        case "rows of a bank":
            addresses = [a % 5 * 1024 * stride for a in addresses]
        case "the same again":
            addresses = [addresses[k % min(4, n)] for k in range(n)]
    writes = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    arrivals = None
    if draw(st.booleans()):
        gaps = draw(st.lists(st.sampled_from([0, 0, 1, 3, 40, 900]), min_size=n, max_size=n))
        arrivals = np.cumsum(gaps)
    return np.array(addresses) * step, np.array(writes), arrivals


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_random_memories_and_traces(name, data):
    agree(data.draw(memories(name)), *data.draw(traces()))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_many_random_memories_and_traces(name, data):
    agree(data.draw(memories(name)), *data.draw(traces()))


@pytest.mark.parametrize("name", FAMILIES)
def test_longer_traces(name):
    """Long enough for full queues, many mode switches and refreshes."""
    rng = np.random.default_rng(5)
    addresses = rng.integers(0, 1 << 20, 700) * 64
    addresses[:300] = np.arange(300) * 64
    writes = rng.random(700) < 0.4
    agree(memory_with(name, {"REFI": 1500}, channels=2), addresses, writes, None)


@pytest.mark.parametrize("refi", range(1000, 1004))
def test_a_run_stops_for_a_refresh(refi):
    """A read goes every 4 cycles: in one of these cases just when the refresh is due."""
    memory = memory_with("DDR3-1600K", {"REFI": refi}, read_queue=8)
    agree(memory, np.arange(300) * 64, np.zeros(300, int), None)


@pytest.mark.parametrize("turn", [70, 71, 130, 131])
def test_a_run_meets_something_else(turn):
    """A write, or another row, bank or channel, after some reads of a row."""
    memory = memory_with("DDR4-2400R", {"REFI": 1500}, read_queue=8, channels=2)
    for other in (0, 128, 64, 8192 * 2, 1 << 20):
        addresses, writes = np.arange(200) * 128, np.zeros(200, int)
        writes[turn] = other == 0
        addresses[turn] += other
        agree(memory, addresses, writes, None)


def test_an_odd_number_of_rows_or_channels():
    rng = np.random.default_rng(6)
    addresses = rng.integers(0, 1 << 28, 300) * 64
    writes = rng.random(300) < 0.3
    agree(memory_with("LPDDR4-3200", {}, density="6Gb", channels=1), addresses, writes, None)
    agree(memory_with("DDR4-2400R", {}, channels=3, mapping="ChRaBaRoCo"), addresses, writes, None)
