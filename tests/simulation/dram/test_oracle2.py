"""Newer families are equal to a memory that decides anew in every tick: commands, completions, counters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.simulation.dram import standard
from tachograph.simulation.dram.runner import NAMES
from tests.simulation.dram import scan2
from tests.simulation.dram.support import memory_with
from tests.simulation.dram.test_oracle import FAMILIES as OLDER
from tests.simulation.dram.test_oracle import MAPPINGS, QUEUES, traces

NEWER = [
    "DDR5-4800AN", "LPDDR5-6400", "LPDDR6-10667", "GDDR6-14000L", "GDDR6X-21000", "GDDR7-28000", "HBM2-2400",
    "HBM2E-3200", "HBM3-6400", "HBM4-16000",
]  # fmt: skip
FAMILIES = [*NEWER, *OLDER]  # the older ones with version 2 of the controller
PER_BANK = ("LPDDR5", "GDDR7", "HBM2", "HBM2E", "HBM3", "HBM4")


def agree(memory, addresses, writes, arrivals):
    ticks, completion, counts, channels = scan2.simulate(memory, addresses, writes, arrivals)
    result = memory.run(addresses, writes, arrival=arrivals, completion=True, commands=True)
    lines = [(c, *line) for c, channel in enumerate(channels) for line in channel.log]
    r = result.commands
    columns = (r.channel, r.cycle, r.names, r.rank, r.group, r.bank, r.row)
    assert list(zip(*(c.tolist() for c in columns), strict=True)) == lines
    assert result.completion.tolist() == completion
    assert result.cycles == ticks
    for name in ("hits", "misses", "conflicts"):
        assert getattr(result, f"row_{name}") == counts[name]
    assert result.latency_sum == counts["latency"]
    assert (result.forwarded, result.merged) == (counts["forwarded"], counts["merged"])
    assert result.command_counts == {name: counts[name] for name in NAMES}


def often(name):
    """A refresh interval that leaves little time between refreshes."""
    t = standard(name).timings
    return {"REFI": t["RFC"] + t["RC"] + 600}


@st.composite
def memories(draw, name):
    family = name.split("-")[0]
    refreshes = ["all-bank", "none", *(["per-bank"] * 2 if family in PER_BANK else [])]
    options = {
        "channels": draw(st.sampled_from([1, 2])),
        "ranks": draw(st.sampled_from([1, 2] if family == "DDR5" else [1])),
        "scheduler": draw(st.sampled_from(["FRFCFS", "FRFCFS-RowHit"])),
        "refresh": draw(st.sampled_from(refreshes)),
        "read_queue": draw(st.sampled_from(QUEUES)),
        "write_queue": draw(st.sampled_from(QUEUES)),
        "write_high": draw(st.sampled_from([0.5, 0.8, 1.0])),
        "write_low": draw(st.sampled_from([0.0, 0.2, 0.4])),
        "mapping": draw(st.sampled_from([*MAPPINGS, "MOP4CLXOR"])),
        "version": 2,
    }
    options["hash_banks"] = options["mapping"] != "MOP4CLXOR" and draw(st.booleans())
    return memory_with(name, often(name) if draw(st.booleans()) else {}, **options)


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_random_memories_and_traces(name, data):
    agree(data.draw(memories(name)), *data.draw(traces()))


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_many_random_memories_and_traces(name, data):
    agree(data.draw(memories(name)), *data.draw(traces()))


@pytest.mark.slow
@pytest.mark.parametrize("refresh", ["all-bank", "per-bank"])
@pytest.mark.parametrize("name", FAMILIES)
def test_longer_traces(name, refresh):
    """Long enough for full queues, many mode switches and refreshes of all banks."""
    if refresh == "per-bank" and not name.startswith(PER_BANK):
        pytest.skip("no refresh of single banks")
    rng = np.random.default_rng(5)
    addresses = rng.integers(0, 1 << 20, 600) * 32
    addresses[:300] = np.arange(300) * 32
    writes = rng.random(600) < 0.4
    memory = memory_with(name, often(name), channels=1, refresh=refresh, version=2)
    agree(memory, addresses, writes, None)
