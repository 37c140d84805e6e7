"""What is new with DDR5 and its like: JEDEC's timings, refreshes of single banks, equal bytes."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.simulation.dram import Memory, standard, write_trace
from tachograph.simulation.dram.compare import compare
from tachograph.util.errors import InputError


def test_timings_of_jedec():
    exact, right = standard("DDR5-6400AN"), standard("DDR5-6400AN", jedec=True)
    assert (exact.timings["FAW"], right.timings["FAW"]) == (64, 32)
    assert right.jedec
    assert "data sheet" in right.source
    assert exact.source != right.source
    # more activations fit into a window: random reads are faster
    addresses = np.random.default_rng(3).integers(0, 1 << 24, 3000) * 64
    slow, fast = (Memory("DDR5-6400AN", channels=1, jedec=j).run(addresses) for j in (False, True))
    assert fast.cycles < 0.8 * slow.cycles
    with pytest.raises(InputError, match="families with jedec=True: DDR5, GDDR6, GDDR7"):
        standard("HBM3", jedec=True)


def test_cl_17():
    t = standard("DDR4-2400T").timings
    assert (t["CL"], t["RCDR"], t["RP"], t["RC"]) == (17, 17, 17, 56)


@pytest.mark.parametrize(("name", "options", "message"), [
    ("DDR5", {"refresh": "per-bank"}, "no timings for it in the table of DDR5-4800AN"),
    ("DDR4-2400R", {"refresh": "per-bank", "version": 2}, "no timings"),
    ("DDR5", {"version": 1}, "the commands of DDR5-4800AN need version 2"),
    ("HBM3", {"scheduler": "FCFS"}, "unknown scheduler 'FCFS' for a controller of version 2"),
    ("HBM3", {"rows": "closed"}, "unknown rows 'closed' for a controller of version 2"),
    ("HBM3", {"version": 3}, "Ramulator's controller 1 or 2"),
    ("HBM3", {"mapping": "MOP4CLXOR", "hash_banks": True}, "not hashed besides"),
])  # fmt: skip
def test_refused(name, options, message):
    with pytest.raises(InputError, match=message):
        Memory(name, **options)


def test_refreshes_of_single_banks_come_at_their_interval():
    addresses = np.random.default_rng(4).integers(0, 1 << 20, 4000) * 32
    for name in ("LPDDR5", "GDDR7", "HBM2", "HBM3", "HBM4"):
        memory = Memory(name, channels=1, refresh="per-bank")
        result = memory.run(addresses, commands=True)
        each = 2 if name in ("HBM3", "HBM4") else 1  # both pseudo channels
        due = result.cycles // memory.standard.timings["REFIB"] * each
        assert result.command_counts["REF"] == 0
        assert due - 2 * each <= result.command_counts["REFB"] <= due
        banks = result.commands
        chosen = banks.names == "REFB"
        places = set(
            zip(*(x[chosen].tolist() for x in (banks.rank, banks.group, banks.bank)), strict=True)
        )
        total = (
            memory.standard.pseudo
            * memory.standard.stacks
            * memory.standard.groups
            * memory.standard.banks
        )
        assert len(places) == min(total, int(chosen.sum()))  # in turn


def test_energy_of_ddr5():
    energy = Memory("DDR5-4800AN").run(np.arange(2000) * 64).energy
    assert energy is not None
    # a read of 8 cycles on four devices: (530 - 142) mA, 1.1 V
    expected = 2000 * 388e-3 * 1.1 * 8 * 2e-9 / 4.8 * 4
    assert energy["parts"]["read"] == pytest.approx(expected)


def test_equal_bytes_and_equal_requests():
    write_trace("a.npz", np.arange(500) * 64, np.arange(500) % 2 == 0)
    memories = [Memory("DDR5"), Memory("GDDR6")]
    found = compare("a.npz", memories)
    assert [(r.requests, r.bytes) for r in found.values()] == [(500, 32000), (1000, 32000)]
    found = compare("a.npz", memories, equal="requests")
    assert [(r.requests, r.bytes) for r in found.values()] == [(500, 32000), (500, 16000)]
    with pytest.raises(InputError, match="known: bytes, requests"):
        compare("a.npz", memories, equal="time")


def test_reads_go_again_when_no_write_waits():
    """Also if the share of writes below which they do is 0."""
    reads = 64 * np.arange(100, 140)
    addresses, writes = np.append(64 * np.arange(40), reads), np.repeat([1, 0], 40)
    result = Memory("DDR5", channels=1, write_low=0.0).run(addresses, writes)
    assert (result.command_counts["RD"], result.command_counts["WR"]) == (40, 40)
