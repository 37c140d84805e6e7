"""Equal to Ramulator 1 (commit 214f635), number for number.

``ramulator.csv`` holds what Ramulator printed for traces of requests.py. Schedulers, row policies and
arrival times, which it has no options for, were chosen in a copy by environment variables.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from tachograph.simulation.dram import Memory
from tests.simulation.dram import requests

ROWS = list(csv.DictReader((Path(__file__).parent / "ramulator.csv").read_text().splitlines()))
COUNTS = ("row_hits", "row_misses", "row_conflicts")


@pytest.mark.parametrize("row", ROWS, ids=lambda r: "-".join(list(r.values())[:12]))
def test_traces_made_here(row):
    memory = Memory(
        row["memory"], density=row["density"], width=int(row["width"]),
        channels=int(row["channels"]), ranks=int(row["ranks"]), scheduler=row["scheduler"],
        rows=row["rows"],
    )  # fmt: skip
    n, seed = int(row["requests"]), int(row["seed"])
    result = memory.run(
        requests.addresses(row["pattern"], n, seed),
        requests.writes(row["writes"], n, seed),
        arrival=requests.arrivals(row["arrivals"], n, seed),
    )
    assert result.cycles == int(row["cycles"])
    assert [getattr(result, k) for k in COUNTS] == [int(row[k]) for k in COUNTS]
    assert result.latency_sum == int(row["read_latency_sum"])
    # Ramulator counts reads on their way as queued
    whole = memory.channels * result.cycles
    queued = result.queues["reads"] + result.queues["in_flight"]
    assert round(queued * whole) == int(row["read_queue_sum"])
    assert round(result.queues["writes"] * whole) == int(row["write_queue_sum"])


# configuration: cycles, hits, misses, conflicts, summed read latency
SEQUENTIAL = {
    ("DDR3-1600K", "8Gb", 1, 1): (2104259, 495637, 2683, 1680, 74884823),
    ("DDR3-1600K", "8Gb", 1, 2): (2111138, 495662, 4338, 0, 75561694),
    ("DDR3-1600K", "8Gb", 4, 2): (527624, 495664, 4336, 0, 73840371),
    ("DDR4-2400R", "4Gb", 1, 1): (2831339, 495687, 2410, 1903, 100669993),
    ("DDR4-2400R", "8Gb", 1, 1): (2867539, 495634, 2454, 1912, 101829296),
}
STRIDE = {
    ("DDR3-1600K", "8Gb", 1, 1): (844658, 99662, 458, 99880, 31229270),
    ("DDR3-1600K", "8Gb", 1, 2): (895104, 82647, 18073, 99280, 36326542),
    ("DDR3-1600K", "8Gb", 4, 2): (847596, 174325, 2092, 23583, 32151989),
    ("DDR4-2400R", "4Gb", 1, 1): (937824, 99751, 408, 99841, 35797884),
    ("DDR4-2400R", "8Gb", 1, 1): (949115, 99748, 412, 99840, 36159206),
}


@pytest.mark.parametrize("config", SEQUENTIAL)
@pytest.mark.parametrize("trace", ["sequential", "stride"])
def test_long_streams(config, trace):
    name, density, channels, ranks = config
    memory = Memory(name, density=density, channels=channels, ranks=ranks)
    sequential = trace == "sequential"
    found = memory.run(np.arange(500_000) * 64 if sequential else np.arange(200_000) * 4096)
    wanted = (SEQUENTIAL if sequential else STRIDE)[config]
    assert (found.cycles, *(getattr(found, k) for k in COUNTS), found.latency_sum) == wanted


REFERENCE = Path(os.environ.get("TACHOGRAPH_DRAM_REFERENCE", "/nowhere"))
CONFIGS = {
    "ddr3_1ch1r": ("DDR3-1600K", "8Gb", 1, 1), "ddr3_1ch2r": ("DDR3-1600K", "8Gb", 1, 2),
    "ddr3_4ch2r": ("DDR3-1600K", "8Gb", 4, 2), "ddr4_4Gb": ("DDR4-2400R", "4Gb", 1, 1),
    "ddr4_8Gb": ("DDR4-2400R", "8Gb", 1, 1),
}  # fmt: skip


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="TACHOGRAPH_DRAM_REFERENCE names no directory")
@pytest.mark.parametrize("config", CONFIGS)
def test_reference_runs(config):
    name, density, channels, ranks = CONFIGS[config]
    memory = Memory(name, density=density, channels=channels, ranks=ranks)
    for row in csv.DictReader((REFERENCE / "ramulator_v1.csv").read_text().splitlines()):
        if row["config"] == config:
            found = memory.run(REFERENCE / f"{row['trace']}.npz")
            assert found.cycles == int(row["dram_cycles"])
            assert [getattr(found, k) for k in COUNTS] == [int(row[k]) for k in COUNTS]
            assert found.latency_sum == int(row["read_latency_sum"])
