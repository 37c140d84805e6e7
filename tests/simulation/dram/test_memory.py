from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.simulation.dram import Memory, runner
from tachograph.util.errors import InputError
from tests.simulation.dram import requests
from tests.simulation.dram.support import memory_with

SOME = requests.addresses("runs", 5000, 1), requests.writes("30", 5000, 1)


def same(a, b):
    left, right = a.to_dict(), b.to_dict()
    left.pop("ports"), right.pop("ports")
    assert left == right


def test_a_result_is_shown_in_a_line():
    found = tg.Memory("HBM2").run(np.arange(1000) * 64)
    shown = repr(found)
    assert shown.startswith("MemoryResult(Memory(HBM2-2000, ")
    assert "µs simulated, 1,000 requests, " in shown
    assert f"GB/s (port), {found.peak_share:.0%} of the peak, {found.row_hit_rate:.1%} row" in shown
    assert len(shown) < 250


def test_statistics_fit_together():
    memory = Memory("DDR4-2400R", channels=2, ranks=2)
    r = memory.run(*SOME, completion=True)
    assert (r.requests, r.reads, r.writes) == (5000, int((SOME[1] == 0).sum()), int(SOME[1].sum()))
    assert r.row_hits + r.row_misses + r.row_conflicts == 5000 - r.forwarded
    assert [int(r.banks[k].sum()) for k in ("hits", "misses", "conflicts")] == [
        r.row_hits, r.row_misses, r.row_conflicts]  # fmt: skip
    assert r.banks["hits"].shape == (2, 2, 2, 4)
    assert r.seconds == pytest.approx(r.cycles / 1.2e9)
    assert r.gbps == pytest.approx((5000 - r.forwarded) * 64 / r.seconds / 1e9)
    assert r.peak_share == pytest.approx(r.gbps / 38.4)
    assert sum(c["requests"] for c in r.channels) == 5000
    assert sum(c["gbps"] for c in r.channels) == pytest.approx(r.gbps)
    assert r.command_counts["ACT"] >= r.row_misses + r.row_conflicts
    assert r.balance >= 1
    assert r.memory == repr(memory)
    assert memory.capacity == 2 * 2 * (4 << 30)


def test_latencies_are_those_of_the_requests():
    memory = Memory("DDR3-1600K", channels=2)
    r = memory.run(*SOME, arrival=np.arange(5000) * 20, completion=True)
    assert r.stalled == 0  # so every request was taken when it arrived
    reads = SOME[1] == 0
    taken = r.completion[reads] - np.arange(5000)[reads] * 20
    taken = np.sort(taken[taken > 1])
    assert r.latency["mean"] == pytest.approx(taken.mean())
    assert r.latency["median"] == taken[int(np.ceil(0.5 * taken.size)) - 1]
    assert r.latency["p99"] == taken[int(np.ceil(0.99 * taken.size)) - 1]


def test_long_latencies_are_told_within_two_percent():
    memory = Memory("DDR3-1600K", scheduler="FCFS", read_queue=256)
    rows = np.arange(5000) * (8 << 13)
    r = memory.run(rows, completion=True)
    order = np.sort(r.completion)
    # in steady state each waits for 256 others and itself, a row cycle each
    typical = np.median(np.diff(order)) * 257
    assert r.latency["median"] > 2048
    assert r.latency["median"] == pytest.approx(typical, rel=0.05)
    assert r.latency["mean"] == pytest.approx(r.latency["median"], rel=0.05)


@pytest.mark.parametrize("pattern", ["sequential", "random"])
def test_the_series_adds_up(pattern):
    memory = Memory("DDR4-2400R", channels=4)
    r = memory.run(requests.addresses(pattern, 20_000, 2))
    steps = np.diff(np.append(r.series["cycle"], r.cycles))
    moved = (r.series["gbps"] * steps * memory.standard.tck).sum()
    assert moved == pytest.approx(20_000 * 64, rel=1e-6)
    assert np.nanmax(r.series["row_hit_rate"]) <= 1
    assert r.series["cycle"].size <= 1024


def test_a_channel_may_end_long_before_the_others():
    memory = tg.Memory("DDR3-1600K", channels=2)
    channel = memory.standard.request_bytes
    addresses = np.r_[
        channel, np.zeros(20, np.int64)
    ]  # one on the second channel, at the beginning
    arrival = np.r_[0, np.linspace(1, 200_000_000, 20).astype(np.int64)]
    r = memory.run(addresses, arrival=arrival)
    steps = np.diff(np.append(r.series["cycle"], r.cycles))
    moved = (r.series["gbps"] * steps * memory.standard.tck).sum()
    assert moved == pytest.approx(21 * memory.standard.request_bytes)


def test_blocks_and_full_logs_change_nothing(monkeypatch):
    memory = Memory("DDR4-2400R", channels=2, rows="timeout")
    whole = memory.run(*SOME, completion=True, commands=True)
    monkeypatch.setattr(runner, "BLOCK_REQUESTS", 37)
    monkeypatch.setattr(runner, "LOG_COMMANDS", 5)
    parts = memory.run(*SOME, completion=True, commands=True)
    same(whole, parts)
    assert (whole.completion == parts.completion).all()
    for column in ("channel", "cycle", "command", "bank", "request"):
        assert (getattr(whole.commands, column) == getattr(parts.commands, column)).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 3]))
def test_ports_of_their_own_are_memories_of_their_own(seed, channels, threads):
    """Each channel then does what a memory of one channel does with the channel's requests."""
    addresses = requests.addresses("runs", 1500, seed)
    times = requests.arrivals("gaps", 1500, seed)
    memory = Memory("DDR3-1600K", channels=channels)
    with tg.threads(threads):
        r = memory.run(addresses, arrival=times, ports="channel", completion=True)
    lines = addresses // 64
    for c in range(channels):
        own = lines % channels == c
        alone = Memory("DDR3-1600K", channels=1).run(lines[own] // channels * 64,
                        arrival=times[own], completion=True)  # fmt: skip
        assert (r.completion[own] == alone.completion).all()


def test_a_slow_rate_needs_no_blocking_and_ports_do_not_matter():
    memory = Memory("DDR3-1600K", channels=4)
    one, many = (memory.run(*SOME, rate=0.05, ports=p) for p in ("shared", "channel"))
    assert one.stalled == 0
    same(one, many)


def test_rate_and_arrival_say_the_same():
    memory = Memory("DDR4-2400R")
    a = memory.run(*SOME, rate=0.1)
    b = memory.run(*SOME, arrival=np.arange(5000) * 10)
    same(a, b)


def test_addresses_beyond_the_capacity_wrap_and_are_counted():
    memory = Memory("DDR3-1600K")
    a = memory.run([0, 64, memory.capacity + 128])
    b = memory.run([0, 64, 128])
    assert (a.wrapped, b.wrapped) == (1, 0)
    assert a.cycles == b.cycles
    odd = Memory("LPDDR4-3200", density="6Gb", channels=1)
    assert odd.capacity == 3 << 28
    assert odd.run([0, odd.capacity]).row_hits == 1


def test_the_port_can_be_the_limit():
    fast = Memory("HBM").run(np.arange(30_000) * 64)
    assert fast.port_bound
    assert not Memory("DDR3-1600K").run(np.arange(3000) * 64).port_bound
    assert not Memory("HBM").run(np.arange(30_000) * 64, ports="channel").port_bound


@pytest.mark.parametrize(("arguments", "message"), [
    ({"name": "DDR9"}, "unknown memory 'DDR9'; known: DDR3,"),
    ({"density": "3Gb"}, "no devices of density '3Gb' and width 16; known: 2Gb_x4"),
    ({"width": 5}, "width 5"),
    ({"channels": 3}, "3 channels: mapping RoBaRaCoCh needs a power of two there"),
    ({"ranks": 3}, "3 ranks: mapping RoBaRaCoCh needs a power of two"),
    ({"channels": 0}, "channels = 0"),
    ({"ranks": 0}, "ranks = 0"),
    ({"ranks": 2, "name": "HBM"}, "must be 1 to 1 for HBM-1000"),
    ({"mapping": "RoBaRaCoXx"}, "unknown field Xx; known: Ch"),
    ({"mapping": "RoBaRaCo"}, "each field once"),
    ({"mapping": "rows"}, "write fields as in RoBaRaCoCh"),
    ({"scheduler": "best"}, "unknown scheduler 'best' for a controller of version 1; known: FRFCFS-Cap, FRFCFS, FCFS"),
    ({"rows": "ajar"}, "unknown rows 'ajar'"),
    ({"colour": 1}, "unknown setting 'colour'; known: scheduler, cap"),
    ({"read_queue": 0}, "read_queue = 0"),
    ({"write_low": 0.9}, "the first not above the second"),
    ({"cap": -1}, "must not be negative"),
    ({"name": None}, "name = None: text is needed"),
    ({"channels": 1.5}, "channels = 1.5: a whole number is needed"),
    ({"ranks": None}, "ranks = None: a whole number is needed"),
    ({"mapping": -1}, "mapping = -1: text is needed"),
    ({"rows": np.array([])}, "rows = array.*: text or a number is needed"),
])  # fmt: skip
def test_wrong_memories(arguments, message):
    with pytest.raises(InputError, match=message):
        Memory(**{"name": "DDR4-2400R", **arguments})


@pytest.mark.parametrize(("call", "message"), [
    ({"addresses": []}, "the trace is empty"),
    ({"addresses": np.zeros(0, int)}, "the trace is empty"),
    ({"addresses": [1.5]}, "array of integers"),
    ({"addresses": [-64]}, "address -64 is not in 0 to"),
    ({"addresses": np.array([1 << 63], np.uint64)}, "is not in 0 to"),
    ({"is_write": [0]}, "3 addresses but 1"),
    ({"is_write": [0, 1, 2]}, "must hold 0 and 1"),
    ({"arrival": [0, 5, 4]}, "request 2 arrives at 4, after 5"),
    ({"arrival": [-1, 5, 4]}, "request 0 arrives at -1"),
    ({"arrival": [0]}, "one integer, a cycle, for each"),
    ({"arrival": [0, 1, 1 << 62]}, "arrives after cycle 17,592,186,044,416"),
    ({"rate": 1e-300}, "arrives after cycle"),
    ({"rate": 0}, "rate = 0"),
    ({"rate": 2}, "rate = 2"),
    ({"rate": 0.5, "arrival": [0, 1, 2]}, "not both"),
    ({"addresses": [[0], [1, 2]]}, "addresses: lists of different lengths"),
    ({"arrival": [[0], [1, 2]]}, "arrival: lists of different lengths"),
    ({"rate": "fast"}, "rate = 'fast': a number is needed"),
    ({"ports": "many"}, "unknown ports 'many'; known: shared, channel"),
    ({"addresses": "x.npz", "is_write": [0]}, "has its own writes"),
])  # fmt: skip
def test_wrong_runs(call, message):
    with pytest.raises(InputError, match=message):
        Memory("DDR4-2400R").run(**{"addresses": [0, 64, 128], **call})


def test_decreasing_arrival_is_seen_across_blocks(monkeypatch):
    monkeypatch.setattr(runner, "BLOCK_REQUESTS", 2)
    with pytest.raises(InputError, match="request 2 arrives at 3, after 5"):
        Memory("DDR4-2400R").run([0, 0, 0], arrival=[0, 5, 3])


def test_many_refreshes_of_many_ranks():
    """An idle memory still refreshes each rank once per interval."""
    memory = memory_with("DDR4-2400R", {"REFI": 1000}, ranks=4)
    r = memory.run([0, 64], arrival=[0, 100_000])
    assert r.command_counts["REF"] == 4 * 100
