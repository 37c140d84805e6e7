"""Bandwidth and latency that can be worked out with pencil and paper."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.simulation.dram import Memory

# name: peak of a channel in GB/s: width in bytes * transfers per second
PEAKS = {
    "DDR3-1600K": 8 * 1.6, "DDR4-2400R": 8 * 2.4, "DDR4-3200": 8 * 3.2, "LPDDR4-3200": 4 * 3.2,
    "GDDR5-6000": 8 * 6.0, "HBM": 16 * 1.0, "HBM2-2000": 2 * 8 * 2.0, "DDR5-4800AN": 4 * 4.8,
    "LPDDR5-6400": 2 * 6.4, "LPDDR6-10667": 32 / 36 * 1.5 * 10.667, "GDDR6-14000": 2 * 14.0,
    "GDDR7-28000": 1 * 28.0, "HBM3-6400": 2 * 4 * 6.4, "HBM4-8000": 2 * 4 * 8.0,
}  # fmt: skip
# An idle memory: ACT in the first cycle, the read RCD later, its data CL (+ DQSCK) + BL after that.
IDLE = {
    "DDR3-1600K": 1 + 11 + 11 + 4, "DDR4-2400R": 1 + 16 + 16 + 4, "DDR4-3200": 1 + 22 + 22 + 4,
    "LPDDR4-3200": 1 + 29 + 32 + 3 + 8, "GDDR5-6000": 1 + 18 + 18 + 2, "HBM": 1 + 7 + 7 + 2,
    # activations take two cycles, as reads do in DDR5 and GDDR7; starting the data clock takes one or two
    "HBM2-2000": 1 + (14 + 1) + 14 + 2, "DDR5-4800AN": 1 + 34 + 34 + 8, "GDDR6-14000": 1 + 27 + 24 + 2,
    "LPDDR5-6400": 1 + 15 + 1 + 17 + 2, "LPDDR6-10667": 1 + 48 + 2 + 56 + 6,
    "GDDR7-28000": 1 + 30 + 1 + 24 + 2,
    # half clocks: activations take three, reads two, and reads begin in the first half of a clock
    "HBM3-6400": 1 + (2 * 31 + 1) + 1 + 2 * (20 + 2), "HBM4-8000": 1 + (2 * 39 + 1) + 1 + 2 * (20 + 2),
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


@pytest.mark.parametrize(
    "name", [n for n in IDLE if n[:4] not in ("HBM3", "HBM4", "LPDD") or n[:6] == "LPDDR4"]
)
def test_a_second_access(name):
    """Much later: to the open row CL + BL, to another row of the bank RP + RCD more."""
    memory = Memory(name, channels=1)
    t, s = memory.standard.timings, memory.standard
    step = s.pseudo * s.groups * s.banks * s.lines * s.request_bytes  # the same bank, the next row
    late = t["RP"] + t["RCDR"] + s.command_ticks["PRE"] - s.command_ticks["RD"]
    for address, more in ((s.request_bytes, 0), (step, late)):
        result = memory.run([0, address], arrival=[0, 500], completion=True)
        assert result.completion[1] == 500 + 1 + more + t["CL"] + t["DQSCK"] + t["BL"]


@pytest.mark.parametrize(("name", "gap"), [("DDR3-1600K", 4), ("DDR4-2400R", 6), ("HBM", 3),
                                           ("LPDDR4-3200", 8), ("GDDR5-6000", 3), ("HBM2-2000", 4),
                                           ("DDR5-4800AN", 12), ("LPDDR5-6400", 4), ("LPDDR6-10667", 10),
                                           ("GDDR6-14000", 4), ("GDDR7-28000", 4), ("HBM3-6400", 8)])  # fmt: skip
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
