"""Bandwidth and latency that can be worked out with pencil and paper."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.simulation.dram import Memory

# name: peak of a channel in GB/s: width in bytes * transfers per second
PEAKS = {
    "DDR3-1600K": 8 * 1.6, "DDR4-2400R": 8 * 2.4, "DDR4-3200": 8 * 3.2, "LPDDR4-3200": 4 * 3.2,
    "GDDR5-6000": 8 * 6.0, "HBM": 16 * 1.0, "HBM2-2000": 8 * 2.0,
}  # fmt: skip
# An idle memory: ACT in the first cycle, the read RCD later, its data CL (+ DQSCK) + BL after that.
IDLE = {
    "DDR3-1600K": 1 + 11 + 11 + 4, "DDR4-2400R": 1 + 16 + 16 + 4, "DDR4-3200": 1 + 22 + 22 + 4,
    "LPDDR4-3200": 1 + 29 + 32 + 3 + 8, "GDDR5-6000": 1 + 18 + 18 + 2, "HBM": 1 + 7 + 7 + 2,
    "HBM2-2000": 1 + 14 + 14 + 2,
}  # fmt: skip


@pytest.mark.parametrize("name", PEAKS)
def test_peak(name):
    assert Memory(name, channels=1).peak == pytest.approx(PEAKS[name] * 1e9, rel=1e-3)
    assert Memory(name, channels=4).peak == pytest.approx(4 * PEAKS[name] * 1e9, rel=1e-3)


@pytest.mark.parametrize("name", IDLE)
def test_idle_latency(name):
    result = Memory(name, channels=1).run([0], completion=True)
    assert result.completion.tolist() == [IDLE[name]]
    assert result.latency["mean"] == result.latency["p99"] == IDLE[name]
    assert result.cycles == IDLE[name]


@pytest.mark.parametrize("name", IDLE)
def test_a_second_access(name):
    """Much later: to the open row CL + BL, to another row of the bank RP + RCD more."""
    memory = Memory(name, channels=1)
    t, s = memory.standard.timings, memory.standard
    step = s.groups * s.banks * s.lines * s.request_bytes  # the same bank, the next row
    for address, more in ((s.request_bytes, 0), (step, t["RP"] + t["RCDR"])):
        result = memory.run([0, address], arrival=[0, 500], completion=True)
        assert result.completion[1] == 500 + 1 + more + t["CL"] + t["DQSCK"] + t["BL"]


@pytest.mark.parametrize(("name", "gap"), [("DDR3-1600K", 4), ("DDR4-2400R", 6), ("HBM", 3),
                                           ("LPDDR4-3200", 8), ("GDDR5-6000", 3), ("HBM2-2000", 4)])  # fmt: skip
def test_a_run_in_one_row_goes_at_the_long_gap(name, gap):
    memory = Memory(name, channels=1)
    n = min(64, memory.standard.lines)
    result = memory.run(np.arange(n) * memory.standard.request_bytes, completion=True)
    assert set(np.diff(result.completion).tolist()) == {gap}


def test_bank_groups_in_turn_fill_the_bus():
    """With the group in the lowest bits DDR4 reads every BL = CCD_S = 4 cycles, but for refreshes."""
    memory = Memory("DDR4-2400R", mapping="RoBaRaCoBgCh")
    result = memory.run(np.arange(100_000) * 64)
    refresh = 420 / 9360
    assert result.peak_share == pytest.approx(1 - refresh, abs=0.01)
    assert result.refresh_share == pytest.approx(refresh, rel=0.02)


def test_rows_of_one_bank_go_at_rc():
    memory = Memory("DDR3-1600K")
    rows = np.arange(100) * (8 << 13)
    result = memory.run(rows, completion=True)
    assert set(np.diff(result.completion).tolist()) == {39}
    assert (result.row_misses, result.row_conflicts) == (1, 99)


def test_a_waiting_write_answers_a_read():
    """Writes wait while reads are queued; a read of the same address is answered next cycle."""
    result = Memory("DDR3-1600K").run([1 << 20, 64, 64, 65], [0, 1, 0, 0], completion=True)
    assert result.forwarded == 1
    assert result.completion[2] == 3  # offered at 2
    assert result.completion[3] > 20  # another byte address is another address


def test_energy_of_one_read():
    """IDD numbers of the DDR4 8 Gb x16 part: one activation, one read, standby."""
    memory = Memory("DDR4-2400R", density="8Gb", width=16)
    result = memory.run([0])
    ns = 0.8333333333 * 4 * 1.2 * 1e-12  # four devices, 1.2 V, mA ns to joule
    parts = result.energy["parts"]
    assert parts["activate"] == pytest.approx((80 * 55 - 47 * 39 - 34 * 16) * ns, rel=1e-6)
    assert parts["read"] == pytest.approx((243 - 47) * 4 * ns, rel=1e-6)
    assert parts["standby"] == pytest.approx((34 * 1 + 47 * 36) * ns, rel=1e-6)
    assert parts["write"] == parts["refresh"] == 0
    assert result.energy["joules"] == pytest.approx(sum(parts.values()))
    assert result.energy["provenance"] == "modelled"
    assert Memory("HBM").run([0]).energy is None
